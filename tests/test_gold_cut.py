"""Annotations that are cut out before a gold file is parsed; nobody must be able to tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_gold import whole

from spaneval.loaders import gold, gold_cut
from spaneval.loaders.gold import load_gold
from spaneval.loaders.gold_cut import Cutter
from spaneval.problems import Note, Problems

in_files = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

VALUES = ["0", "7", "null", "true", '"Q1"', '"é"', '""', '"a {b}, [c]"', "1.5"]
ODD = [
    "00",
    "1e2",
    '["Q1","Q2"]',
    "{}",
    '"a\\"b"',
    '"\\ud800"',
    "-1",
    "12345678901",
    '"',
    "",
    '"\x01"',
    '"' + "i" * 80 + '"',
]
NAMES = ["a", "b", "entity_id", "itext", "ignore", "type", "é"]


@st.composite
def annotations(draw: st.DrawFn, names: list[str], blanks: tuple[str, str], *, is_odd: bool) -> str:
    comma, colon = blanks
    parts = []
    for name in names:
        value = draw(st.sampled_from(VALUES))
        if name in ("a", "b"):
            value = str(draw(st.integers(0, 4) if name == "a" else st.integers(5, 9)))
        if name == "itext":
            value = draw(st.sampled_from(["3", "3", "3", "3", '"3"']))
        if name == "ignore":
            value = draw(st.sampled_from(["true", "false"]))
        if is_odd and not draw(st.integers(0, 30)):
            value = draw(st.sampled_from([*ODD, *VALUES]))
        parts.append(f"{json.dumps(name, ensure_ascii=False)}{colon}{value}")
    return "{" + comma.join(parts) + "}"


TEXTS = [
    '"text of é"',
    '"a {b} [c] longer"',
    '"{\\"a\\":1,\\"b\\":2} and"',
    '"\x7f@^ and more"',
    "null",
    '"ab"',
    '"\\"\x7f0\\"  text"',
]


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A gold file with annotations of one layout, here and there something else."""
    names = [*dict.fromkeys([*draw(st.lists(st.sampled_from(NAMES), max_size=4)), "a", "b"])]
    blanks = draw(st.sampled_from([(",", ":"), (", ", ": "), (",\n    ", ": ")]))
    between = draw(st.sampled_from([",", ", ", ",\n  "]))
    is_odd = draw(st.booleans())
    documents = []
    for _ in range(draw(st.integers(1, 5))):
        some = draw(st.lists(annotations(names, blanks, is_odd=is_odd), max_size=5))
        found = "[" + between.join(some) + "]"
        if is_odd and not draw(st.integers(0, 9)):
            found = draw(
                st.sampled_from(["null", '["\x7f0"]', '"\x7f0"', "{" + found[1:-1] + ":1}", found[1:-1], '["@0"]'])
            )
        fields = [f'"text": {draw(st.sampled_from(TEXTS))}'] if draw(st.booleans()) else []
        fields.append(f'"ground_truth"{blanks[1]}{found}')
        if not draw(st.integers(0, 9)):
            fields.append(f'"itext": {draw(st.sampled_from(VALUES))}')
        if is_odd and not draw(st.integers(0, 9)):
            fields.append(f'"x": {found}')
        if is_odd and not draw(st.integers(0, 9)):
            fields.append(
                draw(
                    st.sampled_from(
                        ['"ground_truth": []', '"evaluation_span": [0, 8]', f'"y\\{found}', f'"y": "{found}"']
                    )
                )
            )
        documents.append("{" + ", ".join(draw(st.permutations(fields)) if draw(st.booleans()) else fields) + "}")
    raw = ("[" + ",\n".join(documents) + "]").encode()
    if is_odd and not draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(raw)))
        raw = raw[:at] + draw(st.binary(max_size=2)) + raw[at + draw(st.integers(0, 2)) :]
    return raw


def read(paths: list[Path]) -> tuple[Any, ...]:
    """All that reading files comes to."""
    problems, notes = Problems(None), list[Note]()
    corpus = load_gold([str(path) for path in paths], problems=problems, notes=notes, keep_texts=True)
    ids = [corpus.ids[k] if k >= 0 else None for k in corpus.id.tolist()]
    return whole(corpus), ids, [repr(x) for x in problems.kept], problems.total, [repr(x) for x in notes], corpus.keys


@in_files
@given(st.lists(files(), min_size=1, max_size=3), st.sampled_from([1, 1_000_000]))
def test_cut_files_come_to_the_same(tmp_path, contents, batch):
    """Columns, ids, problems in their order, and notes, whatever stands in the files."""
    paths = [tmp_path / f"{k}.gt.json" for k in range(len(contents))]
    for path, raw in zip(paths, contents, strict=True):
        path.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "BATCH", batch)
        patch.setattr(Cutter, "cut", lambda *_: None)
        expected = read(paths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "BATCH", batch)
        patch.setattr(gold, "FEW_BYTES", 0)
        patch.setattr(gold_cut, "LEAST_BYTES", 0)
        assert expected == read(paths)


ANNOTATION = '{"a":1,"b":3,"entity_id":"Q1"}'


@pytest.mark.parametrize(
    "text",
    [
        '[{"ground_truth":[%s]}]',
        '[{"ground_truth":[%s],"text":"abc\\%s"}]',
        '[{"ground_truth":["\x7f0"],"text":"abc\\%s"}]',
        '[{"ground_truth":[%s],"text":"abc%s"}]',
        '[{"ground_truth":{%s:1}}]',
        '[{"ground_truth":[{%s:1}]}]',
        '[{"ground_truth":%s}]',
        '[{"ground_truth":[[%s]]}]',
        '[{"ground_truth":[%s],"ground_truth":[%s]}]',
        '[{"ground_truth":[%s],"more":[%s]}]',
        '[{"ground_truth":[%s,%s  ,%s,"\x7f0"]}]',
        '[{"ground_truth":[%s %s]}]',
        '[{"ground_truth":[%s]},%s]',
        '[{"ground_truth":["\\u007f0"],"more":{"ground_truth":[%s]}}]',
        '[{"more":{"ground_truth":[%s]},"ground_truth":["\\u007F0"]}]',
        '[{"more":{"ground_truth":[%s]},"ground_truth":["\\u00400"],"text":"\x7f"}]',
        '[{"ground_truth":[%s],"ground_\\u0074ruth":["\\u007f0"]}]',
    ],
)
def test_annotations_where_none_may_stand_come_to_the_same(tmp_path, text):
    path = tmp_path / "x.gt.json"
    path.write_text(text.replace("%s", ANNOTATION), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "FEW_BYTES", 0)
        patch.setattr(gold_cut, "LEAST_BYTES", 0)
        found = read([path])
        patch.setattr(Cutter, "cut", lambda *_: None)
        assert read([path]) == found


@pytest.mark.parametrize("key", [b"entity_id", b"itext", b"type"])
def test_bytes_that_are_no_utf8_are_told_in_the_same_words(tmp_path, key):
    path = tmp_path / "x.gt.json"
    path.write_bytes(b'[{"ground_truth":[{"a":1,"b":3,"%b":"x"},\n{"a":1,"b":3,"%b":"\xe9"}]}]' % (key, key))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "FEW_BYTES", 0)
        patch.setattr(gold_cut, "LEAST_BYTES", 0)
        problems = Problems()
        load_gold([str(path)], problems=problems, notes=[])
    found = [str(x) for x in problems.kept]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cutter, "cut", lambda *_: None)
        problems = Problems()
        load_gold([str(path)], problems=problems, notes=[])
    assert [str(x) for x in problems.kept] == found
    assert "not UTF-8: byte 0xE9" in found[0]


def test_annotations_laid_out_alike_are_not_parsed(tmp_path):
    """What is parsed holds none of them."""
    one = [{"a": k, "b": k + 2, "entity_id": f"Q{k % 9}", "type": "é"} for k in range(50)]
    path = tmp_path / "x.gt.json"
    path.write_text(json.dumps([{"text": "a" * 99, "ground_truth": one}] * 20, ensure_ascii=False), encoding="utf-8")
    parsed: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "parse", lambda _: pytest.fail("the file is parsed whole"))
        patch.setattr(gold, "FEW_BYTES", 0)
        patch.setattr(gold_cut, "LEAST_BYTES", 0)
        patch.setattr("spaneval.loaders.gold_cut.orjson.loads", lambda raw: parsed.append(raw) or json.loads(raw))
        corpus = load_gold([str(path)], problems=Problems(), notes=[])
    assert 20 * 50 == len(corpus)
    assert b"entity_id" not in b"".join(parsed)
    assert orjson.loads(max(parsed, key=len))[0]["ground_truth"] == ["\x7f0"]

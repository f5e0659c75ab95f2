"""Lines that are laid out alike become columns without a parser; nobody must be able to tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_predictions import lines_of, set_sizes, whole

from spaneval.loaders import json_lines
from spaneval.loaders.plain_lines import LineReader
from spaneval.loaders.predictions import RowReading, load_predictions
from spaneval.problems import Note, Problems

in_files = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = ["itext", "doc_id", "a", "b", "entity_id_predicted", "score", "mention", "é", "x y"]
PLAIN = ["0", "7", "-3", "0.5", "12345678", "null", "true", "false", '"Q1"', '"é𝔸"', '""', '"a {b}, c: d"']
ODD = [
    *("00", "01", "-", "-0", "1.", ".5", "1e3", "1E-7", "1e400", "0x1", "+1", "nul", "nulll", "NaN", "[]", "{}", ""),
    *("123456789", "12345678901234567890", "9" * 400, "0." + "3" * 40, "5.0", "7 ", "1,2", '"a\\"b"', '"\\u00e9"'),
    *('"\\ud800"', '"\t"', '"\x00"', '"', '"a', 'a"', '"' + "long " * 40 + '"', '"' + "i" * 63 + '"', '"\x7f"'),
]
ENDS = ["\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", ",\n", "\r", "\n \n", "", "\x0b\n"]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[str], str, str]:
    """Keys, and what stands between them and around the colon."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=draw(st.integers(0, 9)) > 0))
    names += ["a_abs"] if not draw(st.integers(0, 20)) else []
    usual = draw(st.permutations(["itext", "a", "b", "entity_id_predicted"]))
    names = [*names, *usual] if not draw(st.integers(0, 9)) else [*dict.fromkeys([*usual, *names])]
    return names, draw(st.sampled_from([",", ", ", " ,\t"])), draw(st.sampled_from([":", ": ", " : "]))


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of lines of one layout, or a few of them, with here and there something else."""
    parts: list[bytes] = []
    some = draw(st.lists(layouts(), min_size=1, max_size=2))
    is_odd = draw(st.booleans())
    for _ in range(draw(st.integers(1, 12))):
        names, comma, colon = draw(st.sampled_from(some))
        values = []
        for name in names:
            value = draw(st.sampled_from(PLAIN))
            if name in ("a", "b", "a_abs"):
                value = str(draw(st.integers(0, 4) if name == "a" else st.integers(5, 12)))
            if name in ("itext", "entity_id_predicted"):
                value = draw(st.sampled_from(["0", "1", '"1"', '"doc é"', "12345678901", '"Q7"']))
            if is_odd and not draw(st.integers(0, 25)):
                value = draw(st.sampled_from([*ODD, *PLAIN]))
            values.append(json.dumps(name, ensure_ascii=False) + colon + value)
        end = draw(st.sampled_from(ENDS)) if is_odd and not draw(st.integers(0, 15)) else "\n"
        line = ("{" + comma.join(values) + "}" + end).encode()
        if is_odd and not draw(st.integers(0, 25)):
            at = draw(st.integers(0, len(line)))
            line = line[:at] + draw(st.binary(max_size=2)) + line[at + draw(st.integers(0, 2)) :]
        parts.append(line)
    return b"".join(parts)


READINGS: list[dict[str, Any]] = [
    {},
    {"key_field": "doc_id"},
    {"key_field": None},
    {"needs_key": False},
    {"skips_bad_rows": True},
    {"min_score": 0.2, "skips_bad_rows": True},
    {"names": {"itext": "é", "mention": "x y"}},
    {"names": {"entity_id_predicted": "itext"}},
    {"names": {"b": "score"}, "skips_bad_rows": True},
]


@pytest.fixture(autouse=True, scope="module")
def _no_rows_are_few() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spaneval.loaders.predictions.FEW_ROWS", 0)
        yield


def read(path: Path, **reading: Any) -> tuple[Any, ...]:
    """All that reading a file comes to."""
    problems, notes = Problems(None), list[Note]()
    rows = load_predictions([str(path)], RowReading(**reading), row_format="jsonl", problems=problems, notes=notes)
    return whole(rows), lines_of(rows), [repr(x) for x in problems.kept], problems.total, [repr(x) for x in notes]


@in_files
@given(files(), st.sampled_from(READINGS), st.sampled_from([1, 200, 1 << 20]))
def test_lines_read_without_a_parser_come_to_the_same(tmp_path, data, reading, size):
    """Rows, codes, places, problems and notes, whatever stands in the file."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        patch.setattr(LineReader, "read", lambda *_: None)
        expected = read(path, **reading)
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        assert expected == read(path, **reading)


@in_files
@given(st.sampled_from([*PLAIN, *ODD]), st.sampled_from(["itext", "a", "b", "entity_id_predicted", "score"]))
def test_one_odd_value_among_many_lines_comes_to_the_same(tmp_path, value, name):
    """Lines before and after it are laid out alike."""
    plain = {"itext": "3", "a": "4", "b": "9", "entity_id_predicted": '"Q1"', "score": "0.25"}
    lines = [
        "{" + ",".join(f'"{key}":{x}' for key, x in row.items()) + "}\n"
        for row in [plain] * 5 + [plain | {name: value}] + [plain] * 3
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(lines), encoding="utf-8", newline="")
    found = read(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LineReader, "read", lambda *_: None)
        assert read(path) == found


def test_lines_laid_out_alike_are_not_parsed(tmp_path):
    """Only the lines that differ, and those whose mentions are looked at."""
    lines = [
        b'{"itext":%d,"a":%d,"b":%d,"entity_id_predicted":"Q%d","x":1.5}' % (k // 9, k, k + 3, k % 50)
        for k in range(999)
    ]
    lines[500] = b'{"b":7,"itext":3,"a":4}'
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join(lines))
    parsed: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spaneval.loaders.json_lines._line_block", lambda *_: pytest.fail("lines are parsed"))
        patch.setattr("spaneval.loaders.mentions.Mentions.keep", lambda *_: None)
        patch.setattr("spaneval.loaders.plain_lines.parse", lambda raw: parsed.append(raw) or orjson.loads(raw))
        read(path)
    assert [lines[500]] == parsed


def test_mentions_are_sampled_alike_however_many_there_are(tmp_path):
    """A sample of the documents, as small as if the lines had been parsed piece by piece."""
    rows = [
        {"itext": k // 3, "a": k % 40, "b": 50, "entity_id_predicted": None, "mention": f"m{k}"} for k in range(9000)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    found = read(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LineReader, "read", lambda *_: None)
        assert read(path) == found


def test_the_first_rows_of_a_file_are_parsed(tmp_path):
    """Learning how lines are laid out takes longer than parsing a few; what comes of it is the same."""
    lines = [b'{"itext":0,"a":%d,"b":%d,"entity_id_predicted":"Q1"}\n' % (k, k + 3) for k in range(60)]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(lines))
    found = read(path)
    parsed: list[bytes] = []
    line_block = json_lines._line_block
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, 500)
        patch.setattr("spaneval.loaders.predictions.FEW_ROWS", 20)
        patch.setattr(json_lines, "_line_block", lambda data, *x: parsed.append(data) or line_block(data, *x))
        assert read(path) == found
    assert 20 <= b"".join(parsed).count(b"\n") < 40

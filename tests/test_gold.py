"""Gold: files, folders, documents and annotations."""

# ruff: noqa: E501 - asserts read `expected == actual`; a table of cases has one case a line

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import documents

from spaneval.corpus import Corpus
from spaneval.loaders import gold as module
from spaneval.loaders.gold import gold_from_documents, gold_from_frame, load_gold
from spaneval.problems import Note, Problems

in_files = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
plain_columns = module.plain_columns


def whole(corpus: Corpus) -> dict[str, Any]:
    """All that can matter to a result."""
    d = corpus.documents
    return {
        "rows": [
            (doc, a, b, None if i < 0 else corpus.ids[i])
            for doc, a, b, i in zip(
                corpus.doc.tolist(), corpus.a.tolist(), corpus.b.tolist(), corpus.id.tolist(), strict=True
            )
        ],
        "ids": corpus.ids,
        "ignored": None if corpus.is_ignored is None else corpus.is_ignored.tolist(),
        "doc_id": d.doc_id,
        "itext": d.itext,
        "length": d.length.tolist(),
        "scope": None if d.scope is None else d.scope.tolist(),
        "annotated": d.is_annotated.tolist(),
        "hash": d.text_hash.tolist(),
        "texts": d.texts,
        "position": d.position.tolist(),
    }


def load(*paths: Path | str, notes: list[Note] | None = None, keep_texts: bool = True) -> Corpus:
    problems = Problems(None)
    corpus = load_gold(
        [str(p) for p in paths], problems=problems, notes=[] if notes is None else notes, keep_texts=keep_texts
    )
    assert [] == [str(problem) for problem in problems.kept]
    return corpus


def memory(data: Any) -> Corpus:
    problems = Problems(None)
    corpus = gold_from_documents(data, problems=problems, notes=[])
    assert [] == [str(problem) for problem in problems.kept]
    return corpus


def messages(*paths: Path | str) -> list[str]:
    """What is wrong, as a user sees it, with the names of files but not their folders."""
    problems = Problems(None)
    load_gold([str(p) for p in paths], problems=problems, notes=[])
    folder = f"{Path(str(paths[0])).parent}{os.sep}"
    return [str(problem).replace(folder, "") for problem in problems.kept]


@pytest.fixture
def said(tmp_path: Path) -> Any:
    """What is wrong with one file `g.gt.json`, given as JSON text or as a value."""

    def said(content: Any) -> str:
        path = tmp_path / "g.gt.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return "\n".join(messages(path))

    return said


@contextmanager
def carefully() -> Iterator[None]:
    """No batch is plain before it was read value by value."""
    asked = []

    def plain(data: list[Any]) -> Any:
        asked.append(data)
        return None if len(asked) % 2 else plain_columns(data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "plain_columns", plain)
        yield


# --- laws ------------------------------------------------------------------------------------------------------------


@in_files
@given(st.lists(st.one_of(documents(is_plain=True), documents())))
def test_plain_and_careful_reading_give_one_corpus(tmp_path, data):
    path = tmp_path / "g.gt.json"
    path.write_text(json.dumps(data))
    quick, quick_memory = load(path), memory(data)
    with carefully():
        slow = load(path)
    with carefully():
        slow_memory = memory(data)

    assert whole(slow) == whole(quick)
    assert whole(slow) == whole(quick_memory) == whole(slow_memory)


@given(st.lists(documents(is_plain=True)))
def test_usual_documents_are_plain(data):
    """
    The strategy of the law above covers both ways of reading.
    """
    assert plain_columns(data) is not None


@in_files
@given(st.lists(documents(), min_size=1), st.integers(1, 300), st.integers(1, 3))
def test_files_and_size_of_batches_do_not_matter(tmp_path, data, size, per_file):
    (tmp_path / "all.json").write_text(json.dumps(data))
    folder = tmp_path / str(abs(hash((json.dumps(data), size, per_file))))
    folder.mkdir(exist_ok=True)
    for k in range(0, len(data), per_file):
        (folder / f"{k:04}.gt.json").write_text(json.dumps(data[k : k + per_file] if per_file > 1 else data[k]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", size)
        several = whole(load(folder))
    expected = whole(load(tmp_path / "all.json"))
    assert expected | {"position": 0} == several | {"position": 0}


@pytest.mark.parametrize("kept", [1, 3, 50])
def test_a_sample_of_texts_is_taken_by_the_keys_of_documents(kept):
    """
    One document in every so many, a power of two; the smaller sample is a part of the larger one.
    """
    data = [{"itext": 7 * k, "text": f"text {k}", "ground_truth": []} for k in range(200)]
    samples = []
    for most in (kept, 10 * kept):
        builder = module._Builder(Problems(), [], keep_texts=False, fields=())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "SAMPLED_TEXTS", most)
            builder.add_file(module._File("x", data, b""))
            samples.append(builder.finish().documents.texts)
    small, large = samples

    assert len(small) <= kept
    assert small.items() <= large.items()
    assert large.items() <= {k: document["text"] for k, document in enumerate(data)}.items()


# --- files -----------------------------------------------------------------------------------------------------------

DOCUMENT = {"text": "abcdefgh", "ground_truth": [{"itext": 0, "a": 1, "b": 3, "entity_id": "Q1"}]}


def test_a_folder_stands_for_its_files_by_parts_of_their_paths(tmp_path):
    """
    `a/z` comes before `a.b` though `.` is smaller than `/`; capital letters first; other names are not gold.
    """
    for name in (
        "b.gt.json",
        "a/z.gt.json",
        "a.b/c.gt.json",
        "B.gt.json",
        "a10.gt.json.gz",
        "a9.gt.json",
        "é.gt.json",
        "x.json",
        "notes.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        raw = json.dumps(DOCUMENT).encode()
        path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    names = [os.path.relpath(file, tmp_path) for file in load(tmp_path).documents.files]
    assert [
        "B.gt.json",
        "a/z.gt.json",
        "a.b/c.gt.json",
        "a10.gt.json.gz",
        "a9.gt.json",
        "b.gt.json",
        "é.gt.json",
    ] == names


def test_flags_come_in_the_order_given(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(DOCUMENT))
    assert ["b.json", "a.json"] == [
        Path(x).name for x in load(tmp_path / "b.json", tmp_path / "a.json").documents.files
    ]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(DOCUMENT).encode(),
        b"\xef\xbb\xbf" + json.dumps([DOCUMENT]).encode() + b"\n\n",
        json.dumps(DOCUMENT, indent=2).replace("\n", "\r\n").encode(),
        gzip.compress(json.dumps(DOCUMENT).encode()),
        gzip.compress(b"\xef\xbb\xbf" + json.dumps([DOCUMENT]).encode()),
    ],
    ids=range(5),
)
@pytest.mark.parametrize("name", ["x.gt.json", "a b [x] é𝔸", "x.gt.json.gz"])
def test_forms_of_a_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert [(0, 1, 3, ("Q1",))] == whole(load(path))["rows"]


def test_line_separators_inside_a_text_are_characters(tmp_path):
    path = tmp_path / "x.gt.json"
    path.write_text(
        json.dumps({"text": "a\u2028b\r\n𝔸", "ground_truth": [{"a": 5, "b": 6}]}, ensure_ascii=False), encoding="utf-8"
    )
    assert [6] == load(path).documents.length.tolist()


def test_folders_and_files_that_are_no_gold(tmp_path):
    (tmp_path / "none").mkdir()
    assert (
        "none: no *.gt.json file found in this folder or below, expected one or more\nhint: gold files end in .gt.json"
        in messages(tmp_path / "none")[0]
    )
    (tmp_path / "good.gt.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "folder.gt.json").mkdir()
    assert ["a folder, expected a gold file"] == [m.split(": ")[1].split("\n")[0] for m in messages(tmp_path)]
    (tmp_path / "folder.gt.json").rmdir()
    os.symlink(tmp_path / "nowhere", tmp_path / "link.gt.json")
    assert ["cannot be read: No such file or directory"] == [m.split(": ", 1)[1] for m in messages(tmp_path)]


def test_a_file_given_twice(tmp_path):
    (tmp_path / "good.gt.json").write_text(json.dumps(DOCUMENT))
    assert "good.gt.json: given twice (also as " in messages(tmp_path, tmp_path / "good.gt.json")[0]


def test_a_link_that_leads_back_up_is_followed_once(tmp_path):
    (tmp_path / "good.gt.json").write_text(json.dumps(DOCUMENT))
    os.symlink(tmp_path, tmp_path / "loop")
    assert 1 == len(load(tmp_path).documents)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "g.gt.json:1:1: not valid JSON: it is empty"),
        (b'{"text": "x"', "g.gt.json:1:13: not valid JSON: it ends in the middle of a value"),
        (b'[{"text": "x",\n"ground_truth": [],}]', "g.gt.json:2:19: not valid JSON: trailing comma is not allowed"),
        (b'{"text": "\xe9"}', "g.gt.json:1:11: not UTF-8: byte 0xE9"),
        ("{}".encode("utf-16"), "g.gt.json:1:1: not UTF-8: the file starts with the byte order mark of UTF-16"),
        (b'{"text": "\x00"}', "not valid JSON: a NUL byte"),
        (b'{"a": NaN}', "not valid JSON: unexpected character"),
        (b'{"a": Infinity}', "not valid JSON: unexpected character"),
        (b"\x1f\x8b\x08", "g.gt.json: not a sound gzip stream"),
        (b"3", "g.gt.json:1: document 0: expected a document object, found 3"),
        (b'[{"ground_truth": []},\n"x"]', "g.gt.json:2: document 1: expected a document object, found 'x'"),
    ],
)
def test_broken_files(said, content, message):
    assert message in said(content)


# --- documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"text": "x"}, "g.gt.json:1: document 0: no 'ground_truth' (found: text)\nhint: `[]` means annotated with nothing found, `null` means not annotated"),
        ({"text": "x", "groundtruth": []}, "no 'ground_truth' (found: text, groundtruth)\nhint: is 'groundtruth' meant?"),
        ({"ground_truth": {}}, "document 0, ground_truth: 'ground_truth' is an object, expected a list or null"),
        ({"ground_truth": "x"}, "document 0, ground_truth: 'ground_truth' is 'x', expected a list or null"),
        ({"text": 3, "ground_truth": []}, "document 0, text: 'text' is 3, expected a string"),
        ({"text": 3.5, "ground_truth": []}, "document 0, text: 'text' is 3.5, expected a string"),
        ({"doc_id": True, "ground_truth": []}, "document 0, doc_id: 'doc_id' is true, expected text or an integer"),
        ({"itext": 0.5, "ground_truth": []}, "document 0, itext: 'itext' is 0.5, expected text or an integer"),
        ({"text": "abc", "evaluation_span": [0, 4], "ground_truth": []}, "evaluation_span is [0, 4], expected [a, b] with 0 <= a <= b within the text (3 characters)"),
        ({"evaluation_span": [2, 1], "ground_truth": []}, "evaluation_span is [2, 1], expected [a, b] with 0 <= a <= b"),
        ({"evaluation_span": [True, 1], "ground_truth": []}, "evaluation_span is [true, 1], expected [a, b]"),
        ({"evaluation_span": [0], "ground_truth": []}, "evaluation_span is [0], expected [a, b]"),
        ({"evaluation_span": 3, "ground_truth": []}, "evaluation_span is 3, expected [a, b]"),
        ({"ground_truth": [{"itext": 0, "a": 0, "b": 1}, {"itext": 1, "a": 0, "b": 1}]}, "annotations of one document carry itext 0 and 1\nhint: put `itext` on the document"),
        ({"itext": "", "ground_truth": [{"itext": 0, "a": 0, "b": 1}, {"itext": 1, "a": 0, "b": 1}]}, "annotations of one document carry itext 0 and 1"),
    ],
)  # fmt: skip
def test_documents_that_cannot_be_used(said, document, message):
    assert message in said(document)


def test_null_and_empty_ground_truth_mean_no_annotations():
    corpus = memory([{"ground_truth": None}, {"ground_truth": []}])
    assert ([], [False, True]) == (whole(corpus)["rows"], corpus.documents.is_annotated.tolist())


def test_a_text_may_be_absent_or_null():
    assert [-1, -1, 0] == memory(
        [{"ground_truth": []}, {"text": None, "ground_truth": []}, {"text": "", "ground_truth": []}]
    ).documents.length.tolist()


def test_itext_of_a_document_wins_over_that_of_its_annotations():
    gold = [{"a": 0, "b": 1, "itext": 3}, {"a": 0, "b": 1, "itext": 4}]
    assert ["7"] == memory([{"itext": 7, "ground_truth": gold}]).documents.itext
    assert ["3", None, "3"] == memory(
        [{"ground_truth": gold[:1]}, {"ground_truth": []}, {"itext": "", "ground_truth": [{"a": 0, "b": 1}, gold[0]]}]
    ).documents.itext


def test_keys_of_documents_are_text():
    data = [{"doc_id": value, "itext": value, "ground_truth": []} for value in (0, "0", 0.0, 2**70, "", None, "x")]
    expected = ["0", "0", "0", str(2**70), None, None, "x"]
    assert (expected, expected) == (memory(data).documents.doc_id, memory(data).documents.itext)


def test_evaluation_span_may_be_empty_and_as_long_as_the_text():
    assert [[0, 3], [2, 2], [-1, -1]] == whole(
        memory([{"text": "abc", "evaluation_span": span, "ground_truth": []} for span in ([0, 3], [2.0, 2], None)])
    )["scope"]


# --- annotations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ({"b": 1}, "document 0, ground_truth[0]: no 'a' (found: b)"),
        ({"a": 1}, "no 'b' (found: a)"),
        ({}, "no 'a' (found: nothing)"),
        ({"a": 0, "b": None}, "'b' is null, expected an integer within 64 bits"),
        ({"a": 0, "b": 1.5}, "'b' is 1.5, expected an integer within 64 bits"),
        ({"a": False, "b": 1}, "'a' is false, expected an integer within 64 bits"),
        ({"a": 0, "b": "1"}, "'b' is '1', expected an integer within 64 bits"),
        ({"a": 0, "b": 2**63}, "'b' is 9223372036854775808, expected an integer within 64 bits"),
        ({"a": 0, "b": 10**40}, "'b' is 1" + "0" * 40 + ", expected an integer within 64 bits"),
        ({"a": -1, "b": 1}, "span [-1, 1) starts before the text\nhint: offsets count from 0"),
        ({"a": 2, "b": 1}, "span end must be greater than its start (a=2, b=1)\nhint: ends are exclusive"),
        ({"a": 1, "b": 1}, "span end must be greater than its start (a=1, b=1)\nhint: ends are exclusive"),
        ({"a": 1, "b": 9}, "span [1, 9) ends after the text (8 characters)\nhint: offsets count Unicode code points; these may count UTF-16 units or bytes"),
        ({"a": 1, "b": 7}, "span [1, 7) is not wholly inside the evaluation_span [0, 6)\nhint: widen evaluation_span"),
        ({"a": 0, "b": 1, "entity_id": 0.5}, "entity_id is 0.5, expected text, an integer, null or a list of these"),
        ({"a": 0, "b": 1, "entity_id": True}, "entity_id is true, expected text, an integer, null or a list of these"),
        ({"a": 0, "b": 1, "entity_id": {"id": 3}}, "entity_id is an object, expected"),
        ({"a": 0, "b": 1, "entity_id": ["Q1", ["Q2"]]}, "entity_id is a list, expected"),
        ({"a": 0, "b": 1, "ignore": 1}, "'ignore' is 1, expected true or false"),
        ({"a": 0, "b": 1, "itext": []}, "'itext' is a list, expected text or an integer"),
        (3, "document 0, ground_truth[0]: expected an annotation object, found 3"),
    ],
)  # fmt: skip
def test_annotations_that_cannot_be_used(said, annotation, message):
    assert message in said({"text": "abcdefgh", "evaluation_span": [0, 6], "ground_truth": [annotation]})


def test_every_problem_names_its_line(said):
    text = b"""[
      {"text": "abc", "ground_truth": [{"a": 0, "b": 1}]},
      {"text": "abc",
       "ground_truth": [
         {"a": 0, "b": 1, "note": "[{"},
         {"a": 0, "b": 9},
         {"a": 0}
       ], "x": {"ground_truth": [1]}},
      {"text": "abc", "itext": [], "ground_truth": []}
    ]"""
    assert ["g.gt.json:6", "g.gt.json:7", "g.gt.json:9"] == [
        line.split(": ")[0] for line in said(text).split("\n") if line.startswith("g.gt.json")
    ]


def test_ids_in_all_their_forms():
    values = [7157, 7157.0, "7157", "", None, [], ["Q2", "Q1", "Q2", ""], [3, "3", 3.0], "NA"]
    rows = whole(memory([{"ground_truth": [{"a": 0, "b": 1, "entity_id": value} for value in values]}]))["rows"]
    assert [("7157",)] * 3 + [None] * 3 + [("Q1", "Q2"), ("3",), ("NA",)] == [row[3] for row in rows]


@pytest.mark.parametrize("written", ["9007199254740993", "9007199254740993.0", "18446744073709551616", "1" * 400])
def test_ids_of_any_size_are_exact(tmp_path, written):
    path = tmp_path / "x.gt.json"
    path.write_text(f'{{"ground_truth": [{{"a": 0, "b": 1, "entity_id": {written}}}], "itext": {written}}}')
    corpus = load(path)
    assert [(written.removesuffix(".0"),)] == corpus.ids
    assert [written.removesuffix(".0")] == corpus.documents.itext


def test_offsets_of_64_bits_without_text():
    end = 2**63 - 1
    assert [(0, end - 1, end, None), (0, 0, 3, None)] == whole(
        memory([{"ground_truth": [{"a": end - 1, "b": end}, {"a": 0.0, "b": 3}]}])
    )["rows"]


def test_ignored_annotations():
    gold = [{"a": 0, "b": 1, "ignore": value} for value in (True, False, None)] + [{"a": 0, "b": 1}]
    assert [True, False, False, False] == whole(memory([{"ground_truth": gold}]))["ignored"]
    assert whole(memory([{"ground_truth": gold[1:]}]))["ignored"] is None


# --- near misses -----------------------------------------------------------------------------------------------------


def test_ids_under_another_name(said):
    gold = [{"a": 0, "b": 1, "kb_id": "Q1"}]
    assert "g.gt.json: no annotation has 'entity_id' (found: a, b, kb_id)\nhint: rename 'kb_id' to 'entity_id'" == said(
        {"ground_truth": gold}
    )


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            {"ground_truth": [{"a": 0, "b": 1, "ignored": True}]},
            "annotations carry 'ignored', which is not read; 'ignore'",
        ),
        ({"ground_truth": [{"a": 0, "b": 1, "id": "T1"}]}, "if 'id' names the entity, rename it to 'entity_id'"),
        (
            {"ground_truth": [], "evaluation_spans": [0, 1]},
            "documents carry 'evaluation_spans', which is not read; 'evaluation_span'",
        ),
        ({"ground_truth": [], "docid": "x"}, "documents carry 'docid', which is not read; 'doc_id'"),
    ],
)
def test_keys_that_are_nearly_ours_get_a_note(document, words):
    notes: list[Note] = []
    gold_from_documents([document], problems=Problems(), notes=notes)
    assert words in "\n".join(note.message for note in notes)


# --- in memory -------------------------------------------------------------------------------------------------------


def test_one_document_may_be_given_alone():
    assert 1 == len(memory(DOCUMENT).documents)


def test_a_data_frame_has_a_row_for_each_annotation():
    frame = pd.DataFrame(
        {
            "itext": [1, 0, 1],
            "a": [0, 1, 5.0],
            "b": [1, 2, 6.0],
            "entity_id": ["Q1", np.nan, None],
            "ignore": [True, False, False],
        }
    )
    corpus = gold_from_frame(frame, problems=Problems(), notes=[])
    assert [(0, 0, 1, ("Q1",)), (0, 5, 6, None), (1, 1, 2, None)] == whole(corpus)["rows"]
    assert ["1", "0"] == corpus.documents.itext
    by_name = gold_from_frame(frame.rename(columns={"itext": "doc_id"}), problems=Problems(), notes=[])
    assert ["1", "0"] == by_name.documents.doc_id


def test_keys_of_a_data_frame_are_text():
    frame = pd.DataFrame({"itext": [1, "1", 1.0], "a": [0, 1, 2], "b": [1, 2, 3]})
    assert ["1"] == gold_from_frame(frame, problems=Problems(), notes=[]).documents.itext


def test_a_data_frame_without_keys():
    problems = Problems()
    gold_from_frame(pd.DataFrame({"a": [0], "b": [1]}), problems=problems, notes=[])
    assert "gold needs a column 'itext' or 'doc_id' (found: a, b)" == str(problems.kept[0])


def test_problems_in_memory_have_no_file():
    problems = Problems()
    gold_from_documents([{"ground_truth": [{"a": 0}]}, 3], problems=problems, notes=[])
    assert ["document 0, ground_truth[0]: no 'b' (found: a)", "document 1: expected a document object, found 3"] == [
        str(p).split("\n")[0] for p in problems.kept
    ]


def test_texts_of_numpy_are_texts():
    import numpy as np

    import spaneval

    gold = [
        {"doc_id": np.str_("d"), "text": np.str_("abcd"), "ground_truth": [{"a": 0, "b": 3, "entity_id": np.str_("A")}]}
    ]
    result = spaneval.evaluate(gold, [{"doc_id": "d", "a": 0, "b": 3, "entity_id_predicted": np.str_("A")}], ci=False)

    assert 1 == result.counts["n_id_correct"]

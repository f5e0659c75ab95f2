"""
Bad input on the command line: exit code 3, nothing on standard output, a message with place, found, expected, remedy.

One test for each line of the contract that says "error"; and what looks odd but is none.
"""

from __future__ import annotations

# ruff: noqa: E501 - a table of cases has one case a line
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spaneval.cli import main

GOLD = {"text": "TP53 induces apoptosis", "ground_truth": [{"itext": 0, "a": 5, "b": 12, "entity_id": "PEL.000003"}]}
ROW = {"itext": 0, "a": 5, "b": 12, "entity_id_predicted": "PEL.000003"}
LINE = json.dumps(ROW)


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """
    Score files in an empty current folder.

    The result takes contents by name (bytes, text, or a value that becomes JSON), where `g.gt.json` and `out.jsonl` are
    good ones unless given, and then further arguments.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(files: dict[str, Any] | None = None, *args: str, gt: str = "g.gt.json", pred: str = "out.jsonl") -> Ended:
        for name, content in ({"g.gt.json": GOLD, "out.jsonl": LINE} | (files or {})).items():
            raw = (
                content
                if isinstance(content, bytes)
                else (content if isinstance(content, str) else json.dumps(content)).encode()
            )
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(raw)
        capsys.readouterr()
        code = main(["score", "--gt", gt, "--pred", pred, "--no-ci", "-f", "json", *args])
        return Ended(code, *capsys.readouterr())

    return run


def assert_refused(ended: Ended, *words: str) -> None:
    """No score, no traceback, a remedy, and all of `words` in the message."""
    assert (3, "") == (ended.code, ended.out)
    assert "Traceback" not in ended.err
    assert ended.err.startswith("error: ")
    assert "\nhint: " in ended.err
    for word in words:
        assert word in ended.err


def gold_with(annotation: Any, **more: Any) -> dict[str, Any]:
    return GOLD | {"ground_truth": [annotation]} | more


# --- gold ------------------------------------------------------------------------------------------------------------

BAD_GOLD = [
    ("not JSON", "x", ["g.gt.json:1:1: not valid JSON"]),
    ("empty", "", ["g.gt.json:1:1: not valid JSON: it is empty"]),
    ("cut short", json.dumps(GOLD)[:-3], ["g.gt.json:1:", "it ends in the middle of a value", "hint: the file may have been cut short"]),
    ("not UTF-8", b'{"text": "\xe9"}', ["g.gt.json:1:11: not UTF-8: byte 0xE9", "hint: save the file as UTF-8"]),
    ("UTF-16", json.dumps(GOLD).encode("utf-16"), ["g.gt.json:1:1: not UTF-8", "iconv -f UTF-16"]),
    ("NUL", b'{"text": "\x00"}', ["g.gt.json:1:", "a NUL byte", "hint: remove it"]),
    ("no document", 3, ["g.gt.json:1: document 0: expected a document object, found 3"]),
    ("key misspelt", {"text": "x", "groundtruth": []}, ["g.gt.json:1: document 0: no 'ground_truth' (found: text, groundtruth)", "hint: is 'groundtruth' meant?", "`[]` means"]),
    ("no ground_truth", {"text": "x"}, ["no 'ground_truth' (found: text)", "hint: `[]` means annotated with nothing found"]),
    ("no list", {"ground_truth": 3}, ["'ground_truth' is 3, expected a list or null"]),
    ("text", {"text": 3, "ground_truth": []}, ["'text' is 3, expected a string"]),
    ("a missing", gold_with({"b": 3}), ["g.gt.json:1: document 0, ground_truth[0]: no 'a' (found: b)", "hint: "]),
    ("fraction", gold_with({"a": 0.5, "b": 3}), ["'a' is 0.5, expected an integer within 64 bits"]),
    ("boolean", gold_with({"a": True, "b": 3}), ["'a' is true, expected an integer"]),
    ("infinite", '{"ground_truth": [{"a": 0, "b": 1e999}]}', ["'b' is 1e999, expected an integer"]),
    ("Infinity", '{"ground_truth": [{"a": 0, "b": Infinity}]}', ["g.gt.json:1:33: not valid JSON"]),
    ("negative", gold_with({"a": -1, "b": 3}), ["span [-1, 3) starts before the text", "hint: offsets count from 0"]),
    ("reversed", gold_with({"a": 3, "b": 1}), ["span end must be greater than its start (a=3, b=1)", "hint: "]),
    ("no span", gold_with({"a": 3, "b": 3}), ["span end must be greater than its start (a=3, b=3)", "hint: "]),
    ("beyond the text", gold_with({"a": 3, "b": 23}), ["span [3, 23) ends after the text (22 characters)", "UTF-16 units or bytes"]),
    ("64 bits", gold_with({"a": 3, "b": 2**63}), ["'b' is 9223372036854775808, expected an integer within 64 bits"]),
    ("id object", gold_with({"a": 0, "b": 3, "entity_id": {}}), ["entity_id is an object, expected text, an integer, null or a list"]),
    ("id fraction", gold_with({"a": 0, "b": 3, "entity_id": 1.5}), ["entity_id is 1.5, expected"]),
    ("id boolean", gold_with({"a": 0, "b": 3, "entity_id": False}), ["entity_id is false, expected"]),
    ("ignore", gold_with({"a": 0, "b": 3, "ignore": "yes"}), ["'ignore' is 'yes', expected true or false"]),
    ("outside evaluation_span", gold_with({"a": 0, "b": 3}, evaluation_span=[1, 9]), ["span [0, 3) is not wholly inside the evaluation_span [1, 9)", "hint: "]),
    ("evaluation_span", GOLD | {"evaluation_span": [0, 99]}, ["evaluation_span is [0, 99], expected [a, b] with 0 <= a <= b within the text (22 characters)"]),
    ("two itext", {"ground_truth": [{"itext": 0, "a": 0, "b": 1}, {"itext": 1, "a": 0, "b": 1}]}, ["carry itext 0 and 1", "hint: put `itext` on the document"]),
    ("doc_id twice", [GOLD | {"doc_id": "x"}, GOLD | {"doc_id": "x"}], ["g.gt.json: document 1 of g.gt.json has the doc_id 'x', which document 0", "hint: a doc_id names one document"]),
    ("position claimed", [GOLD | {"itext": 1}, {"ground_truth": []}], ["g.gt.json: document 1 has no itext, and its position 1 is the itext of document 0", "hint: give the document an `itext`"]),
    ("near id key", gold_with({"a": 0, "b": 1, "kb_id": "Q1"}), ["g.gt.json: no annotation has 'entity_id' (found: a, b, kb_id)", "hint: rename"]),
    ("gzip", gzip.compress(json.dumps(GOLD).encode(), mtime=0)[:-4], ["g.gt.json: not a sound gzip stream", "hint: "]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), [case[1:] for case in BAD_GOLD], ids=[case[0] for case in BAD_GOLD])
def test_gold_that_cannot_be_used(run, content, words):
    assert_refused(run({"g.gt.json": content}), *words)


def test_folders_that_hold_no_gold(run):
    Path("empty").mkdir()
    words = ["empty: no *.gt.json file found in this folder or below", "hint: gold files end in .gt.json"]
    assert_refused(run({}, gt="empty"), *words)


def test_a_folder_in_place_of_a_file(run):
    """
    What cannot be read even by root.
    """
    Path("gold/x.gt.json").mkdir(parents=True)
    assert_refused(run({"gold/y.gt.json": GOLD}, gt="gold"), "gold/x.gt.json: a folder, expected a gold file", "hint: ")
    Path("preds").mkdir()
    assert_refused(run({}, pred="preds"), "preds: no file in this folder, expected prediction files", "hint: ")
    Path("map.csv").mkdir()
    ended = run({}, "--id-map", "map.csv")
    assert (ended.code, ended.out) in ((3, ""), (2, ""))
    assert "map.csv" in ended.err


def test_paths_that_do_not_exist_are_wrong_use(run):
    for named in ({"gt": "none.gt.json"}, {"pred": "none.jsonl"}):
        ended = run({}, **named)
        assert (2, "") == (ended.code, ended.out)
        assert "none" in ended.err
    ended = run({}, "--id-map", "none.csv")
    assert (2, "") == (ended.code, ended.out)


def test_shared_itext_that_is_forced_names_both_files(run):
    words = [
        "gold/b.gt.json: document 0 of gold/b.gt.json has the itext 0",
        "gold/a.gt.json",
        "hint: --doc-key position",
    ]
    assert_refused(run({"gold/a.gt.json": GOLD, "gold/b.gt.json": GOLD}, "--doc-key", "itext", gt="gold"), *words)


# --- rows ------------------------------------------------------------------------------------------------------------

TWO = [GOLD, {"text": "second text", "ground_truth": []}]
BAD_ROWS = [
    ("not JSON", LINE + "\nx\n", ["out.jsonl:2:1: not valid JSON", "  2 | x\n    | ^", "hint: one JSON object per line"]),
    ("last line cut", LINE + "\n" + LINE[:30], ["out.jsonl:2:30: not valid JSON: it ends in the middle of a value", "hint: "]),
    ("not UTF-8", LINE.encode() + b'\n{"mention": "\xe9"}', ["out.jsonl:2:14: not UTF-8: byte 0xE9", "hint: save the file as UTF-8"]),
    ("NUL", b'{"itext": 0, "a": 1, "b": \x00}', ["out.jsonl:1:", "a NUL byte", "hint: "]),
    ("no object", LINE + "\n[]\n", ["out.jsonl:2: expected an object per row, found a list"]),
    ("key misspelt", {"itext": 0, "start": 1, "end": 3}, ["out.jsonl:1: no field 'a' (found: itext, start, end)", "hint: --field a=start --field b=end"]),
    ("a missing", {"itext": 0, "b": 3}, ["out.jsonl:1: no field 'a' (found: itext, b)", "hint: "]),
    ("b null", ROW | {"b": None}, ["out.jsonl:1: 'b' is empty", "hint: "]),
    ("fraction", ROW | {"a": 0.5}, ["out.jsonl:1: 'a' is 0.5, expected an integer within 64 bits"]),
    ("boolean", ROW | {"a": True}, ["'a' is true, expected an integer"]),
    ("text", ROW | {"a": "5"}, ["'a' is '5', expected an integer"]),
    ("infinite", LINE.replace("12", "1e999"), ["'b' is 1e999, expected an integer"]),
    ("Infinity", LINE.replace("12", "Infinity"), ["out.jsonl:1:", "not valid JSON"]),
    ("negative", ROW | {"a": -1}, ["span [-1, 12) starts before the text", "hint: offsets count from 0"]),
    ("reversed", ROW | {"b": 1}, ["span end must be greater than its start (a=5, b=1)", "hint: "]),
    ("no span", ROW | {"b": 5}, ["span end must be greater than its start (a=5, b=5)", "hint: "]),
    ("beyond the text", ROW | {"b": 23}, ["out.jsonl:1: span [5, 23) ends after the text of document 0 (22 characters)", "hint: offsets count Unicode code points"]),
    ("64 bits", ROW | {"b": 2**63}, ["'b' is 9223372036854775808, expected an integer within 64 bits"]),
    ("unknown document", ROW | {"itext": 7}, ["out.jsonl:1: 1 row is of a document that the ground truth does not hold, such as itext 7 (known: 0 to 1)", "hint: --unknown-docs count"]),
    ("no itext", {"a": 1, "b": 3}, ["out.jsonl:1: no 'itext' (found: a, b); with several gold documents it cannot be guessed", "hint: --field itext=NAME"]),
    ("itext", ROW | {"itext": 0.5}, ["'itext' is 0.5, expected an integer or text"]),
    ("id object", ROW | {"entity_id_predicted": {}}, ["'entity_id_predicted' is an object, expected one id"]),
    ("id list", ROW | {"entity_id_predicted": ["Q1"]}, ["'entity_id_predicted' is a list, expected one id"]),
    ("id fraction", ROW | {"entity_id_predicted": 0.5}, ["'entity_id_predicted' is 0.5, expected one id"]),
    ("id boolean", ROW | {"entity_id_predicted": True}, ["'entity_id_predicted' is true, expected one id"]),
    ("near id key", {"itext": 0, "a": 5, "b": 12, "entity_id": "x"}, ["out.jsonl: no row has 'entity_id_predicted' (found: a, b, entity_id, itext)", "hint: --field entity_id_predicted=entity_id"]),
    ("half a_abs", ROW | {"a_abs": 3}, ["'a_abs' without 'b_abs', expected both or neither"]),
    ("no rows", '{\n"x": 1}', ["out.jsonl: an object with the keys x, expected JSON Lines, a list of rows, or a report"]),
    ("gzip", gzip.compress(LINE.encode(), mtime=0)[:-4], ["out.jsonl: not a sound gzip stream", "hint: "]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), [case[1:] for case in BAD_ROWS], ids=[case[0] for case in BAD_ROWS])
def test_rows_that_cannot_be_used(run, content, words):
    assert_refused(run({"g.gt.json": TWO, "out.jsonl": content}), *words)


BAD_TABLES = [
    ("x.csv", 'itext,a,b\n0,5,"12\n', ["x.csv:2: a double quote is opened and never closed", "hint: close it"]),
    ("x.csv", "itext,a,b\n0,5\n", ["x.csv:2: 2 cells found, 3 expected, as in line 1"]),
    ("x.csv", "itext,a,b\n0,5,12.5\n", ["x.csv:2: 'b' is '12.5', expected an integer"]),
    ("x.csv", "itext,a,b\n0,5,1e9\n", ["x.csv:2: 'b' is '1e9', expected an integer"]),
    ("x.csv", "itext,a,b\n0,5,\x00\n", ["x.csv:2:5: a NUL byte, expected text", "hint: remove it"]),
    ("x.csv", "itext;a;b\n0;5;12\n", ["x.csv:1: cells are separated by ';'", "hint: save the file as CSV with commas"]),
    ("x.csv", "itext,a,a\n0,5,12\n", ["x.csv:1: two columns are named 'a'", "hint: "]),
    (
        "x.csv",
        "itext,a,b,id\n0,5,12,Q1\n",
        ["x.csv: no row has 'entity_id_predicted'", "hint: --field entity_id_predicted=id"],
    ),
    ("x.tsv", 'itext\ta\tb\n0\t"5"\t12\n', ["x.tsv:2: 'a' is '\"5\"', expected an integer"]),
    ("x.json", [ROW, ROW | {"b": 1}], ["x.json:1: row 2: span end must be greater than its start"]),
    ("x.parquet", b"PAR1", ["x.parquet: not a sound Parquet file", "hint: "]),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD_TABLES)
def test_other_formats_that_cannot_be_used(run, name, content, words):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    assert_refused(run({name: content}, pred=name), *words)


def test_rows_without_a_score_where_one_is_needed(run):
    words = ["out.jsonl:1: no score, but --min-score needs a number in every row", "hint: --field score=NAME"]
    assert_refused(run({}, "--min-score", "0.5"), *words)


def test_mentions_that_fit_another_order_of_the_files(run):
    first, second = GOLD, {"text": "some other text", "ground_truth": []}
    row = {"itext": 0, "a": 5, "b": 10, "mention": "other"}
    files = {"gold/1.gt.json": first, "gold/2.gt.json": second, "out.jsonl": row}
    order = "--gt gold/2.gt.json --gt gold/1.gt.json"
    assert_refused(
        run(files, gt="gold"),
        "only 0 of 1 mentions of the rows agree",
        f"hint: number the documents so with the gold files in this order: {order}",
    )


def test_the_first_ten_bad_rows_are_shown(run):
    ended = run({"out.jsonl": "\n".join([json.dumps(ROW | {"a": 12})] * 25)})
    assert_refused(ended, "out.jsonl:1: ", "out.jsonl:10: ", "… and 15 more; see `spaneval validate`")
    assert ended.err.count("error: ") == 10


def test_every_bad_row_can_be_skipped_and_counts(run):
    """
    The good row is matched; the other four count as predictions.
    """
    rows = "\n".join([LINE, json.dumps(ROW | {"b": 99}), json.dumps(ROW | {"a": True}), "x", json.dumps({"itext": 0})])
    ended = run({"out.jsonl": rows}, "--on-bad-row", "skip")
    report = json.loads(ended.out)
    assert (0, 5, 1, 4, 3) == (
        ended.code,
        *(report[n] for n in ("n_predicted", "n_matched", "n_bad_rows", "n_predicted_with_id")),
    )


# --- id maps ---------------------------------------------------------------------------------------------------------

BAD_MAPS = [
    (
        "conflict",
        "predicted_id,kb_id\nx,1\ny,2\nx,3\n",
        ["map.csv:4: 'x' maps to '3', but line 2 maps it to '1'", "hint: "],
    ),
    ("empty and full", "predicted_id,kb_id\nx,1\nx,\n", ["map.csv:3: 'x' maps to", "line 2", "hint: "]),
    ("columns", "foo,bar\nx,1\n", ["map.csv:1: ", "foo", "bar", "hint: "]),
    ("NUL", "predicted_id,kb_id\nx,\x00\n", ["map.csv:2:3: a NUL byte"]),
    ("cells", "predicted_id,kb_id\nx\n", ["map.csv:2: 1 cell found, 2 expected"]),
    ("quote", 'predicted_id,kb_id\n"x,1\n', ["map.csv:2: a double quote is opened and never closed"]),
]


@pytest.mark.parametrize("flag", ["--id-map", "--gold-id-map"])
@pytest.mark.parametrize(("content", "words"), [case[1:] for case in BAD_MAPS], ids=[case[0] for case in BAD_MAPS])
def test_maps_that_cannot_be_used(run, flag, content, words):
    assert_refused(run({"map.csv": content}, flag, "map.csv"), *words)


# --- wrong use -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ("--no-such-option",),
        ("--match", "overlp"),
        ("--min-score", "x"),
        ("--field", "a"),
        ("--field", "c=start"),
        ("--null-is-nil",),
        ("--pred-format", "xml"),
    ],
)
def test_wrong_use_is_exit_code_2(run, args):
    ended = run({}, *args)
    assert (2, "") == (ended.code, ended.out)
    assert "Traceback" not in ended.err
    assert ended.err.startswith("error: ")


# --- what is no error ------------------------------------------------------------------------------------------------

ROWS = [ROW, ROW | {"a": 0, "b": 4, "entity_id_predicted": "x\u2028y"}]
CSV = "itext,a,b,entity_id_predicted\n0,5,12,PEL.000003\n0,0,4,x\u2028y\n"
LINES = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)
FINE = [
    ("out.jsonl", LINES),
    ("out.jsonl", LINES + "\n"),
    ("out.jsonl", "\ufeff" + LINES.replace("\n", "\r\n\r\n") + "\r\n"),
    ("a b.jsonl", "\n\n" + LINES + "\n \n"),
    ("[1].jsonl", LINES),
    ("Genübersicht-𝔸.jsonl", LINES),
    ("out.gz", gzip.compress(LINES.encode(), mtime=0)),
    ("no-ending", gzip.compress(CSV.encode(), mtime=0)),
    ("out.json", json.dumps(ROWS)),
    ("out.json", json.dumps({"entities": ROWS}, indent=2)),
    ("out.json", json.dumps({"entities": ROWS, "ground_truth": [GOLD["ground_truth"]]})),
    ("out.csv", "\ufeff" + CSV.replace("\n", "\r\n")),
    ("out.csv", CSV.rstrip("\n")),
    ("out.tsv", CSV.replace(",", "\t")),
    ("shards/1.jsonl", LINES),
]


@pytest.mark.parametrize(("name", "content"), FINE)
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_odd_input_that_is_fine(run, monkeypatch, name, content, way):
    """
    One of two predictions is right, in every form.
    """
    pred = "shards" if name.startswith("shards") else name
    if way == "stdin":
        raw = content if isinstance(content, bytes) else content.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        pred = "-"
    ended = run({name: content}, pred=pred)
    report = json.loads(ended.out)
    assert (0, 2, 1, 1) == (ended.code, report["n_predicted"], report["n_matched"], report["n_id_correct"])


def test_parquet_is_fine(run):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame(ROWS).to_parquet("out.parquet")
    assert 2 == json.loads(run({}, pred="out.parquet").out)["n_predicted"]


def test_shards_add_up(run):
    ended = run({"1.jsonl": json.dumps(ROWS[1])}, "--pred", "1.jsonl")
    assert 2 == json.loads(ended.out)["n_predicted"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.json", "x"])
@pytest.mark.parametrize("content", ["", "\n"])
def test_no_predictions_at_all_are_fine(run, name, content):
    report = json.loads(run({name: content}, pred=name).out)
    assert (0, 1, None) == (report["n_predicted"], report["n_gold"], report["precision"])


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + json.dumps([GOLD], indent=2).replace("\n", "\r\n"),
        gzip.compress(json.dumps(GOLD).encode(), mtime=0),
        GOLD | {"text": None},
        GOLD | {"text": "TP53\u2028induces apoptosis", "evaluation_span": [5, 12]},
    ],
    ids=range(4),
)
@pytest.mark.parametrize("name", ["g.gt.json", "ein Ördner [1]/sub/ä b.gt.json"])
def test_odd_gold_that_is_fine(run, name, content):
    ended = run({name: content}, gt=name.split("/")[0])
    assert (0, 1) == (ended.code, json.loads(ended.out)["n_matched"])


def test_names_of_any_letters_under_the_c_locale(tmp_path):
    """
    In a process of its own, as the locale is read at its start.
    """
    folder = tmp_path / "Prüf [1] 𝔸"
    folder.mkdir()
    (folder / "é.gt.json").write_text(json.dumps(GOLD))
    (folder / "ä b.jsonl").write_text(LINES + "\n{}", encoding="utf-8")
    args = [
        sys.executable,
        "-m",
        "spaneval",
        "score",
        "--no-ci",
        "-f",
        "json",
        "--gt",
        str(folder),
        "--pred",
        str(folder / "ä b.jsonl"),
    ]
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    refused = subprocess.run(args, env=environment, capture_output=True, check=False)
    assert (3, b"") == (refused.returncode, refused.stdout)
    assert "ä b.jsonl:3: no field 'a'" in refused.stderr.decode()
    skipped = subprocess.run([*args, "--on-bad-row", "skip"], env=environment, capture_output=True, check=False)
    assert (0, 3) == (skipped.returncode, json.loads(skipped.stdout)["n_predicted"])


def test_gold_may_come_through_a_pipe_and_need_careful_reading(tmp_path):
    """
    A pipe can be read once only, also where a number has to be looked at twice.
    """
    raw = json.dumps(gold_with({"a": 5.0, "b": 12, "entity_id": 10**30})).encode()
    reading, writing = os.pipe()
    os.write(writing, raw)
    os.close(writing)
    (tmp_path / "out.jsonl").write_text(LINE)
    args = [sys.executable, "-m", "spaneval", "score", "--no-ci", "-f", "json", "--gt", f"/dev/fd/{reading}"]
    ended = subprocess.run(
        [*args, "--pred", str(tmp_path / "out.jsonl")], pass_fds=[reading], capture_output=True, check=False
    )
    os.close(reading)
    assert (0, 1) == (ended.returncode, json.loads(ended.stdout)["n_matched"]), ended.stderr


def test_closed_standard_input_is_said_in_words(tmp_path):
    (tmp_path / "g.gt.json").write_text(json.dumps(GOLD))
    args = f"{sys.executable} -m spaneval score --no-ci --gt {tmp_path}/g.gt.json --pred - <&-"
    ended = subprocess.run(["sh", "-c", args], capture_output=True, check=False)
    assert (3, b"") == (ended.returncode, ended.stdout)
    assert b"<stdin>: cannot be read" in ended.stderr

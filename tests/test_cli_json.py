"""`spaneval json` in a shell: formats, files, gates, comparisons, and bad input with exit code 3."""

from __future__ import annotations

# ruff: noqa: E501 - a table of cases has one case a line
import csv
import gzip
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from latex import rows_of

from spaneval.cli import main
from spaneval.loaders import json_documents

DATA = Path(__file__).parent.parent / "data" / "json"
SAMPLE = ("json", "--labels", str(DATA / "labels"), "--schemas", str(DATA / "schemas"))
V1, V2 = (f"{name}={DATA / 'results' / name}" for name in ("v1", "v2"))
CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases"))
HANDED = CASES / "records" / "docubench"
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def sample(capsys: pytest.CaptureFixture[str]) -> Run:
    """Score systems of the sample data, with few resamples."""

    def run(*args: str, systems: tuple[str, ...] = (V1,)) -> Ended:
        given = [x for one in systems for x in ("--results", one)]
        code = main([*SAMPLE, *given, "--resamples", "50", *args])
        return Ended(code, *capsys.readouterr())

    return run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """
    Score files in an empty current folder.

    The result takes contents by name (bytes, or a value that becomes JSON) where one good document is there unless
    given otherwise, and further arguments; None takes a file away.
    """
    monkeypatch.chdir(tmp_path)
    good = {"labels/x.json": {"a": 1}, "results/x.json": {"a": 1}, "schemas/x.json": {"properties": {"a": {}}}}

    def run(
        files: dict[str, Any] | None = None,
        *args: str,
        results: str = "results",
        schemas: str = "schemas",
        labels: str = "labels",
    ) -> Ended:
        for name, content in (good | (files or {})).items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            if content is not None:
                Path(name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        code = main(["json", "--labels", labels, "--results", results, "--schemas", schemas, "--no-ci", *args])
        return Ended(code, *capsys.readouterr())

    return run


def test_the_table_of_one_system(sample: Run) -> None:
    """
    Inputs, every measure with its counts, macro averages, the fields with most wrong values.
    """
    ended = sample()
    lines = ended.out.splitlines()

    assert ended.code == 0
    assert lines[0].endswith("5 documents, 48 values")
    assert lines[2].startswith("v1 ")
    assert lines[2].endswith("39 values")
    assert any(line.startswith("F1              0.736") and "64 / 87" in line for line in lines)
    assert "items[].lots[].quantity      2       1           1        0       0" in lines
    assert "note: v1: no result for 1 document (memo-1), counted as empty; --skip-missing leaves them out" in ended.err


def test_several_systems_are_compared(sample: Run) -> None:
    """
    One row each, then differences with their intervals and tests.
    """
    ended = sample(systems=(V1, V2))

    assert ended.code == 0
    assert "5 documents, 48 gold values; baseline v1" in ended.out
    assert "system      F1   95 % interval " in ended.out
    assert "\n  Row F1: How well were rows found, as one number?\n" in ended.out
    assert "\n  macro F1: plain mean of the F1 of documents\n" in ended.out
    assert "p (Holm)" in ended.out
    assert "note: v2: 1 value is not counted, because the schema allows no such key: confidence" in ended.err


def test_the_json_report_has_the_keys_of_the_contract(sample: Run) -> None:
    """
    Of the whole, a system, a document and an array.
    """
    report = json.loads(sample("-f", "json", systems=(V1, V2)).out)
    one = report["systems"]["v1"]
    document = one["documents"]["invoice-1"]

    assert report["schema"] == "spaneval.json/1"
    assert {"score", "n_documents", "documents", "rows", "agreement", "counts", "intervals", "resampling"} <= set(one)
    assert set(one["rows"]) == {"precision", "recall", "f1", "perfect_rate"}
    assert set(one["counts"]) == {"gold", "predicted", "equal"}
    assert (one["score"], one["n_documents"]) == (64 / 87, 5)
    assert document["arrays"][0] == {"path": "items", "score": 2 * 5 / 15, "weight": 15, "n_gold": 3, "n_predicted": 2}
    assert document["fields"] == {"score": 10 / 12, "weight": 12}
    assert report["comparison"]["schema"] == "spaneval.compare/1"


def test_the_json_report_of_the_benchmark(sample: Run) -> None:
    """
    The score of a system is the plain mean; what leaves say is null.
    """
    report = json.loads(sample("-f", "json", "--profile", "docubench").out)
    one = report["systems"]["v1"]
    scores = [document["score"] for document in one["documents"].values()]

    assert one["score"] == sum(scores) / 5
    assert (one["rows"], one["agreement"], one["counts"]) == (None, None, None)
    assert one["documents"]["letter-1"]["score"] == 1.0


@pytest.mark.parametrize("profile", ["native", "docubench"])
@pytest.mark.parametrize("systems", [(V1,), (V1, V2)], ids=["one", "two"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format(sample: Run, form: str, systems: tuple[str, ...], profile: str) -> None:
    """
    Each can be read by what reads that format, with documents and without.
    """
    for more in ((), ("--per-document",), ("--no-ci",)):
        ended = sample("-f", form, "--profile", profile, *more, systems=systems)
        assert (ended.code, ended.out[-1]) == (0, "\n")
        if form == "json":
            assert list(json.loads(ended.out)["systems"]) == ["v1", "v2"][: len(systems)]
        elif form == "jsonl":
            assert all(json.loads(line)["system"] in ("v1", "v2") for line in ended.out.splitlines())
        elif form == "csv":
            assert len({len(row) for row in csv.reader(io.StringIO(ended.out))}) == 1
        elif form == "latex":
            assert all(rows_of(table) for table in re.split(r"\n(?=\\begin)", ended.out))


@pytest.mark.parametrize(
    ("profile", "meaning"),
    [("native", "score: F1; weight: leaves of both sides"), ("docubench", "weight: by which the score of a document")],
)
def test_documents_say_what_their_columns_mean(sample: Run, profile: str, meaning: str) -> None:
    """
    Once, below the last system.
    """
    for form in ("table", "markdown", "latex"):
        shown = sample("--per-document", "--profile", profile, "-f", form, systems=(V1, V2)).out

        assert shown.count(meaning) == 1


def test_documents_in_csv(sample: Run) -> None:
    """
    A row for the document, one for the leaves outside of arrays, one for each array.
    """
    table = list(csv.DictReader(io.StringIO(sample("-f", "csv", "--per-document").out)))
    rows = [row for row in table if row["document"] == "invoice-1"]

    assert [(row["part"], row["path"]) for row in rows] == [
        ("", ""),
        ("fields", ""),
        ("array", "items"),
        ("array", "items[].lots"),
    ]
    assert [int(row["weight"]) for row in rows] == [35, 12, 15, 8]


def test_decisions_as_a_file(sample: Run, tmp_path: Path) -> None:
    """
    With several systems each row says whose it is.
    """
    one, two = tmp_path / "one.csv", tmp_path / "two.jsonl"
    sample("--decisions", str(one))
    sample("--decisions", str(two), systems=(V1, V2))
    first = next(csv.DictReader(io.StringIO(one.read_text(encoding="utf-8"))))
    last = json.loads(two.read_text(encoding="utf-8").splitlines()[-1])

    assert list(first) == ["document", "path", "field", "gold", "extracted", "decision", "reason"]
    assert list(last) == ["system", *first]
    assert (last["system"], last["path"], last["decision"]) == ("v2", "[2].tags[0]", "tp")


def test_a_saved_run_is_compared_like_a_fresh_one(
    sample: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    `compare` and `diff` take it.
    """
    files = [str(tmp_path / name) for name in ("v1.json", "v2.json.gz")]
    sample("--save", files[0])
    sample("--save", files[1], systems=(V2,))
    fresh = json.loads(sample("-f", "json", systems=(V1, V2)).out)["comparison"]

    assert main(["compare", f"v1={files[0]}", f"v2={files[1]}", "-f", "json", "--resamples", "50"]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert saved["systems"] == fresh["systems"]
    assert main(["diff", f"v1={files[0]}", f"v2={files[1]}", "-q"]) == 0
    assert "fixed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (("--fail-under", "f1=0.9"), 1, "gate: v1 f1 0.736 >= 0.9: missed"),
        (("--fail-under", "f1=0.7"), 0, "gate: v2 f1 0.928 >= 0.7: met"),
        (
            ("--fail-on-regression", "row_f1", "--baseline", "v2"),
            1,
            "gate: row_f1 v1 0.818 vs v2 1.000, allowed drop 0: missed",
        ),
        (("--fail-under", "score=0.9", "--profile", "docubench"), 1, "gate: v1 score 0.801 >= 0.9: missed"),
        (
            ("--fail-on-regression", "score", "--profile", "docubench"),
            0,
            "gate: score v2 0.961 vs v1 0.801, allowed drop 0: met",
        ),
    ],
)
def test_gates_hold_every_system(sample: Run, args: tuple[str, ...], code: int, line: str) -> None:
    """
    Each says of which system it speaks.
    """
    ended = sample(*args, systems=(V1, V2))

    assert ended.code == code
    assert line in ended.err.splitlines()


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("-m", "f1"), "--measure does nothing: it is for a comparison, and there is one system"),
        (("--baseline", "v1"), "--baseline does nothing: it is for a comparison, and there is one system"),
        (
            ("--baseline", "v1", "-m", "f1"),
            "--baseline and --measure do nothing: they are for a comparison, and there is one system",
        ),
    ],
)
def test_options_of_a_comparison_are_told_to_do_nothing_for_one_system(
    sample: Run, args: tuple[str, ...], names: str
) -> None:
    """
    They may stand in a file of options, so they are no mistake.
    """
    ended = sample(*args)

    assert ended.code == 0
    assert f"note: {names}\n" in ended.err
    assert "do nothing" not in sample(*args, systems=(V1, V2)).err


def test_a_gate_of_one_system_needs_no_name(sample: Run) -> None:
    """
    As in `score`.
    """
    assert "gate: f1 0.736 >= 0.7: met" in sample("--fail-under", "f1=0.7").err.splitlines()


@pytest.mark.parametrize(
    ("args", "systems", "message"),
    [
        (("--save", "x.json"), (V1, V2), "--save is for one system; give one --results"),
        (("--fail-on-regression", "f1"), (V1,), "--fail-on-regression needs a second system"),
        (
            ("--fail-under", "link_f1=0.5"),
            (V1,),
            "no measure 'link_f1'; there are precision, recall, f1, row_precision",
        ),
        (("--fail-under", "f1=0.5", "--profile", "docubench"), (V1,), "no measure 'f1'"),
        (("-m", "score"), (V1, V2), "no measure 'score'"),
        (("--significant",), (V1, V2), "--significant needs --fail-on-regression MEASURE"),
        (("--baseline", "v3"), (V1, V2), "--baseline: no system is named 'v3'"),
        (("--profile", "docubench", "--ordered", "items"), (V1,), "--ordered is for the native reading"),
        (("--profile", "docubench", "--normalize", "text"), (V1,), "--normalize is for the native reading"),
        (("--profile", "docubench", "--decisions", "x.csv"), (V1,), "--decisions is for the native reading"),
        (
            ("--profile", "docubench", "--pairing", "optimal"),
            (V1,),
            "--pairing optimal: --profile docubench pairs rows greedily",
        ),
        (("--normalize", "number"), (V1,), "the rule number needs a tolerance"),
        (("--decisions", "x.txt"), (V1,), "--decisions: 'x.txt' names no known format"),
        ((), (V1, V1), "two systems are named 'v1'"),
        ((), ("v1=nowhere",), "'nowhere' does not exist"),
        (("-o", str(DATA / "labels" / "memo-1.json")), (V1,), "inputs are never written over"),
    ],
)
def test_wrong_use(
    sample: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    systems: tuple[str, ...],
    message: str,
) -> None:
    """
    Exit code 2, before anything is read.
    """
    monkeypatch.chdir(tmp_path)
    ended = sample(*args, systems=systems)

    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_one_schema_for_all_documents(run: Run) -> None:
    """
    A file instead of a folder.
    """
    files = {
        "labels/y.json": {"a": 2},
        "results/y.json": {"a": 2},
        "schemas/x.json": None,
        "s.json": {"properties": {"a": {}}},
    }
    ended = run(files, "-f", "json", schemas="s.json")

    assert json.loads(ended.out)["systems"]["results"]["counts"] == {"gold": 2, "predicted": 2, "equal": 2}


def test_a_suffix_in_capitals_is_one(run: Run) -> None:
    """
    No file is left out in silence, nor one that leads nowhere.
    """
    assert "1 / 1" in run({"labels/x.json": None, "labels/x.JSON": {"a": 1}}).out
    Path("results/y.json").symlink_to("nowhere.json")

    assert "error: results/y.json: a result of document 'y', which has no label" in run().err


def test_of_many_unknown_results_the_first_are_described(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    And all are counted; the nearest name is looked for no more often than it is shown.
    """
    asked = []
    monkeypatch.setattr(json_documents, "nearest", lambda name, names, n: asked.append(name) or [])
    files = {f"results/other {k:02}.json": {} for k in range(30)}
    ended = run(files)

    assert (3, 10) == (ended.code, len(asked))
    assert "other 09" in ended.err
    assert "20 more" in ended.err

    asked.clear()
    ended = run({f"labels/n{k:02}.json": {} for k in range(30)} | {"other/x.json": {}}, results="other")

    assert (3, 10) == (ended.code, len(asked))
    assert "no schema for document 'n09'" in ended.err
    assert "20 more" in ended.err


def test_labels_in_the_place_of_schemas_are_told(run: Run) -> None:
    """
    They are taken for schemas that say nothing, and every array for one value.
    """
    ended = run({"labels/x.json": {"a": [1, 2]}, "results/x.json": {"a": [1, 2]}}, schemas="labels")

    assert ended.code == 0
    assert "note: 1 of 1 documents has a schema without any keyword of JSON Schema" in ended.err
    for schema in ({}, {"$schema": "https://json-schema.org/draft/2020-12/schema"}, {"properties": {}}):
        ended = run({"labels/x.json": {"a": 1}, "results/x.json": {"a": 1}, "schemas/x.json": schema})
        assert "keyword" not in ended.err


def test_files_may_be_packed(run: Run) -> None:
    """
    `x.json.gz` is the document x.
    """
    ended = run({"results/x.json": None, "results/x.json.gz": gzip.compress(b'{"a": 1}')}, "-f", "json")

    assert json.loads(ended.out)["systems"]["results"]["score"] == 1.0


def test_a_system_has_the_name_of_its_folder(run: Run) -> None:
    """
    Dots and all.
    """
    ended = run({"results/v1.2/x.json": {"a": 1}}, "-f", "json", results="results/v1.2/")

    assert list(json.loads(ended.out)["systems"]) == ["v1.2"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"labels/x.json": b'{"a": 1,\n "a": 2}'}, "error: labels/x.json:2: the key 'a' occurs twice in one object (first on line 1)"),
        ({"results/x.json": b'{"a": NaN}'}, "error: results/x.json:1:7: not valid JSON"),
        ({"results/x.json": b'{"a": 1} {}'}, "error: results/x.json:1:10: not valid JSON: a second value after the first"),
        ({"results/x.json": b'{"a": '}, "error: results/x.json:1:7: not valid JSON: it ends in the middle of a value"),
        ({"results/x.json": b""}, "error: results/x.json:1:1: not valid JSON: it is empty"),
        ({"labels/x.json": b"\xff"}, "error: labels/x.json:1:1: not UTF-8"),
        ({"labels/x.json": b"[" * 9999 + b"]" * 9999}, "error: labels/x.json: lists and objects nest in more than 100 levels"),
        ({"schemas/x.json": b"{"}, "error: schemas/x.json:1:2: not valid JSON"),
        ({"schemas/x.json": []}, "error: schemas/x.json: not a JSON Schema: an object is expected"),
        ({"schemas/x.json": {"$ref": "#/x"}}, "error: schemas/x.json: the reference '#/x' at #/$ref leads nowhere in this file"),
        ({"schemas/x.json": {"$ref": "http://x/y"}}, "leads out of this file, and nothing is fetched"),
        ({"results/x.json": None, "results/X.json": {}}, "error: results/X.json: a result of document 'X', which has no label\nhint: did you mean 'x'? names differ where case, or the way accents are written, differs; --unknown-docs drop"),
        ({"schemas/x.json": None, "schemas/X.json": {}}, "hint: did you mean 'X'? names differ where case, or the way accents are written, differs; a file instead of a folder is the schema of all"),
        ({"labels/é.json": {}, "schemas/é.json": {}, "results/e\u0301.json": {}}, "hint: did you mean 'é'? names differ where case, or the way accents are written, differs;"),
        ({"results/x2.json": {}}, "hint: did you mean 'x'? --unknown-docs drop leaves such results out"),
        ({"schemas/x.json": None, "schemas/x1.json": {}}, "error: schemas: no schema for document 'x', which has a label\nhint: did you mean 'x1'? a file instead of a folder is the schema of all documents"),
        ({"labels/x.json": None}, "error: labels: no *.json file in this folder, where labels are expected"),
        ({"results/x.json.gz": gzip.compress(b"{}")}, "error: results/x.json: document 'x' has two files, the other one is x.json.gz"),
        ({"results/x.json.gz": b"no gzip", "results/x.json": None}, "error: results/x.json.gz"),
        ({"results/x.json": None}, "error: results: no *.json file in this folder, where results are expected"),
    ],
)  # fmt: skip
def test_bad_input(run: Run, files: dict[str, Any], message: str) -> None:
    """
    Exit code 3, nothing on standard output, the file and what is wrong with it.
    """
    ended = run(files)

    assert (ended.code, ended.out) == (3, "")
    assert message in ended.err


def test_files_where_folders_are_expected(run: Run) -> None:
    """
    Labels and results are folders.
    """
    ended = run(None, labels="labels/x.json")

    assert ended.code == 3
    assert "error: labels/x.json: a file, where a folder of labels is expected" in ended.err


def test_ten_problems_are_shown_and_all_are_counted(run: Run) -> None:
    """
    As everywhere.
    """
    ended = run({f"results/n{k}.json": {} for k in range(12)})

    assert ended.err.count("which has no label") == 10
    assert "2 more" in ended.err


def test_unknown_results_can_be_left_out(run: Run) -> None:
    """
    A note says how many.
    """
    ended = run({"results/y.json": {}, "schemas/z.json": {}}, "--unknown-docs", "drop")

    assert ended.code == 0
    assert "note: results: results of 1 document without a label are left out" in ended.err
    assert "note: 1 schema without a label not used: z" in ended.err


@pytest.mark.skipif(not HANDED.is_dir(), reason="the handed cases are not here")
def test_handed_scores_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Every document of every system, and the mean of each system, to the last bit.
    """
    expected = json.loads((HANDED / "expected.json").read_text())
    results = [x for name in expected["systems"] for x in ("--results", f"{name}={HANDED / 'results' / name}")]
    inputs = ["--labels", str(HANDED / "labels"), "--schemas", str(HANDED / "schemas")]

    assert main(["json", *inputs, *results, "--profile", "docubench", "-f", "json", "--no-ci", "--no-test", "-q"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    assert {name: one["score"] for name, one in found.items()} == expected["aggregates"]
    assert {
        (name, document): one["final"]
        for name, of_system in expected["scores"].items()
        for document, one in of_system.items()
    } == {(name, document): x["score"] for name, one in found.items() for document, x in one["documents"].items()}

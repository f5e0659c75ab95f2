"""
`spaneval records` on the command line: every format, every file, every message.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from console_blocks import ROOT
from test_reports_golden import compare

from spaneval.cli import main
from spaneval.kinds import DECISIONS
from spaneval.profiles.easyrpa import FILES

DATA = ROOT / "data" / "records"
GOLD, MODEL, RULES = (str(DATA / f"{name}.jsonl") for name in ("gold", "model", "rules"))

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*args: Any) -> SimpleNamespace:
        code = main(["records", *map(str, args)])
        out, err = capsysbinary.readouterr()
        return SimpleNamespace(code=code, out=out.decode(), err=err.decode())

    return run


def report(run: Run, *args: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*args, "-f", "json", "-q").out)
    return found


def cells(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_the_table_shows_both_ways_to_count(run: Run):
    """
    The five decisions, and FP + FPFN and FN + FPFN as exact-match scoring names them.
    """
    done = run(GOLD, MODEL)

    assert (0, "note: 1 field absent from predicted records, counted as empty\n") == (done.code, done.err)
    for line in (
        "TP              18   the value of the gold",
        "FP + FPFN        7   extracted facts that the gold does not have",
        "FN + FPFN        4   gold facts that were not extracted",
    ):
        assert line in done.out.splitlines()
    assert "signature   of:records|key:id|normalize:exact|ci:doc-bootstrap.10000|seed:1234|gt:6d." in done.out


def test_a_narrow_terminal_gets_meanings_below(run: Run, monkeypatch: pytest.MonkeyPatch):
    """
    And numbers are never cut.
    """
    monkeypatch.setattr("spaneval.cli.console.is_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.setenv("COLUMNS", "60")
    out = run(GOLD, MODEL, "--color", "never").out

    assert "\n  Recall: Of the values in the gold, how many were extracted\n    right?\n" in out
    assert "Recall          0.818   [0.652, 0.958]   18 / 22\n" in out


@pytest.mark.parametrize("format_", ["table", "json", "jsonl", "csv", "markdown", "latex"])
@pytest.mark.parametrize("options", [(), ("--per-document",), ("--average", "macro"), ("--profile", "easyrpa")])
def test_every_format_shows_the_same_numbers(run: Run, format_: str, options: tuple[str, ...]):
    """
    Precision is 18 of 25 in all of them, and the same command prints the same bytes.
    """
    done = run(GOLD, MODEL, "-f", format_, *options, "--no-ci")

    assert done.code == 0
    assert done.out == run(GOLD, MODEL, "-f", format_, *options, "--no-ci").out
    if format_ == "csv" and "--per-document" in options:
        assert "18 / 25" not in done.out
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert (18, 6) == (sum(int(row["tp"]) for row in rows), len(rows))
    else:
        assert ("18 / 25" if format_ in ("table", "markdown", "latex") else "0.72") in done.out
    if format_ == "latex":
        assert "\\begin{tabular}" in done.out


def test_json_lines_have_measures_fields_means_and_records(run: Run):
    """
    In this order, told apart by their keys.
    """
    out = run(GOLD, MODEL, "-f", "jsonl", "--per-document", "--average", "macro", "--over", "field").out
    rows = [json.loads(line) for line in out.splitlines()]
    kinds = [next(key for key in ("macro_over", "measure", "field", "document") if key in row) for row in rows]

    assert ["measure"] * 5 + ["field"] * 4 + ["macro_over"] * 4 + ["document"] * 6 == kinds
    assert {"field", "tp", "precision", "support"} <= rows[5].keys()


def test_csv_has_the_measures_of_all_fields_and_of_each(run: Run):
    """
    The cell of the field is empty in those of all.
    """
    rows = list(csv.DictReader(io.StringIO(run(GOLD, MODEL, "-f", "csv").out)))
    found = {(row["field"], row["measure"]): row["value"] for row in rows}

    assert ("0.72", "0.5") == (found["", "precision"], found["hours", "precision"])
    assert ("", "records_correct") in found
    assert ("hours", "records_correct") not in found
    macro = run(GOLD, MODEL, "-f", "csv", "--average", "macro", "--no-ci").out.splitlines()
    assert "macro over records,,records_correct,0.3333333333333333,,,,," in macro


def test_latex_tables_are_whole(run: Run):
    """
    One for measures, decisions, fields, means and records.
    """
    out = run(GOLD, MODEL, "-f", "latex", "--per-document", "--average", "macro", "--no-ci").out

    assert out.count("\\begin{tabular}") == out.count("\\end{tabular}") == 5


def test_standard_input_is_either_side(run: Run, monkeypatch: pytest.MonkeyPatch):
    """
    Once.
    """
    for sides in (("-", MODEL), (GOLD, "-")):
        raw = Path(GOLD if sides[0] == "-" else MODEL).read_bytes()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(raw)), isatty=lambda: False))

        assert report(run, *sides)["counts"]["tp"] == 18
    done = run("-", "-")
    assert done.code == 2
    assert "error: standard input (-) can be read only once\n" in done.err


def test_decisions_are_a_table_of_their_own(run: Run, tmp_path: Path):
    """
    From which every count follows.
    """
    run(GOLD, MODEL, "--decisions", "all.csv", "-q")
    rows = cells(tmp_path / "all.csv")
    counts = report(run, GOLD, MODEL)["counts"]

    assert counts == {label: sum(row["decision"] == label for row in rows) for label in DECISIONS}
    expected = {
        "document": "m4", "path": "hours", "field": "hours", "gold": "4", "extracted": "4", "decision": "fpfn",
        "reason": "a number is not text",
    }  # fmt: skip
    assert expected in rows
    run(GOLD, MODEL, "--decisions", "all.jsonl.gz", "-q")
    assert len(gzip.decompress((tmp_path / "all.jsonl.gz").read_bytes()).splitlines()) == len(rows) == 28


def test_saved_runs_are_compared(run: Run, capsysbinary: pytest.CaptureFixture[bytes]):
    """
    As those of spans.
    """
    run(GOLD, RULES, "--save", "rules.json", "-q")
    run(GOLD, MODEL, "--save", "model.json.gz", "-q")

    assert main(["compare", "rules.json", "model.json.gz", "-f", "json", "-q"]) == 0
    comparison = json.loads(capsysbinary.readouterr().out)
    assert comparison["systems"][1]["measures"]["recall"]["value"] == 18 / 22


def test_the_reports_of_easyrpa_are_five_files(run: Run, tmp_path: Path):
    """
    In a folder that is made for them.
    """
    done = run(GOLD, MODEL, "--profile", "easyrpa", "--reports", "out", "-q")

    assert done.code == 0
    assert sorted(FILES) == sorted(path.name for path in (tmp_path / "out").iterdir())
    overall, *fields = cells(tmp_path / "out" / "field_focused.csv")
    assert ["(all fields)", "asset", "due", "hours", "parts"] == [row["field"] for row in (overall, *fields)]
    assert ("18", "3", "0", "3", "4") == tuple(overall[label] for label in DECISIONS)
    assert (22, 25, 28) == tuple(int(overall[x]) for x in ("gold", "extracted", "total"))
    assert (0.75, 7 / 22, 0.5) == tuple(float(overall[x]) for x in ("accuracy", "rework", "automation_efficiency"))
    focused = json.loads((tmp_path / "out" / "field_focused.json").read_text())
    assert focused["overall"]["precision"] == 18 / 25
    assert focused["fields"]["hours"]["fpfn"] == 2
    details = cells(tmp_path / "out" / "field_focused_documents.csv")
    assert len(details) == len(focused["documents"]) == 28
    expected = {"id": "m2", "field": "due", "gold": "", "extract": "2026-11-30", "decision": "False positive"}
    assert expected == details[6]
    assert expected | {"gold": None} == focused["documents"][6]


def test_the_values_analysis_has_a_row_for_each_document(run: Run, tmp_path: Path):
    """
    Raw columns are those that are not compared; they and the id give way to the columns of a field.
    """
    Path("gold.csv").write_text("id,total,page,total.gold\nd1,5,1,x\nd2,,2,y\n")
    Path("pred.csv").write_text("id,total,model\nd1,6,m\n")
    run("gold.csv", "pred.csv", "--fields", "total", "--profile", "easyrpa", "--reports", tmp_path, "-q")
    rows = cells(tmp_path / "field_values_analysis.csv")

    assert rows == [
        {
            "id": "d1", "model": "m", "page": "1", "document.total.gold": "x", "total.gold": "5",
            "total.extracted": "6", "total.decision": "False positive. False negative",
        },
        {
            "id": "d2", "model": "", "page": "2", "document.total.gold": "y", "total.gold": "",
            "total.extracted": "", "total.decision": "True negative",
        },
    ]  # fmt: skip
    many = json.loads((tmp_path / "field_values_analysis.json").read_text())["documents"]
    assert list(rows[0]) == list(many[0])


def test_fields_with_many_values_are_lists_in_the_values_analysis(run: Run, tmp_path: Path):
    """
    In JSON; in CSV the decisions stand in one cell.
    """
    run(GOLD, MODEL, "--profile", "easyrpa", "--reports", tmp_path / "out", "-q")
    rows = cells(tmp_path / "out" / "field_values_analysis.csv")
    third = json.loads((tmp_path / "out" / "field_values_analysis.json").read_text())["documents"][2]

    assert (["stem"], ["stem", "packing"]) == (third["parts.gold"], third["parts.extracted"])
    assert third["parts.decision"] == ["True positive", "False positive"]
    assert rows[2]["parts.decision"] == "True positive; False positive"
    assert rows[2]["parts.extracted"] == '["stem", "packing"]'


def test_all_files_are_written_or_none(run: Run, tmp_path: Path):
    """
    A folder in the way of one of them stops all, and a folder that was made for the reports goes again.
    """
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / FILES[3]).mkdir()
    done = run(GOLD, MODEL, "--profile", "easyrpa", "--reports", "out", "-o", "report.txt", "-q")

    assert done.code == 3
    assert f"error: out/{FILES[3]}: cannot be written" in done.err
    assert [FILES[3]] == [path.name for path in (tmp_path / "out").iterdir()]
    assert not (tmp_path / "report.txt").exists()


def test_a_new_folder_is_taken_away_where_nothing_can_be_written(run: Run, tmp_path: Path, monkeypatch):
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    done = run(GOLD, MODEL, "--profile", "easyrpa", "--reports", "out", "-q")

    assert done.code == 3
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made(run: Run, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.makedirs", fail)
    done = run(GOLD, MODEL, "--profile", "easyrpa", "--reports", "out", "-q")

    assert (3, "error: out: cannot be written: no space left on device\n") == (done.code, done.err)


GATES = [
    (("--fail-under", "f1=0.5"), 0, "gate: f1 0.766 >= 0.5: met"),
    (("--fail-under", "recall=0.9"), 1, "gate: recall 0.818 >= 0.9: missed"),
    (("--fail-under", "records_correct=0.5"), 1, "gate: records_correct 0.333 >= 0.5: missed"),
    (
        ("--fail-under", "automation_efficiency=0.5", "--profile", "easyrpa"),
        0,
        "gate: automation_efficiency 0.500 >= 0.5: met",
    ),
    (("--fail-under", "precision=0.5", "--average", "macro"), 0, "gate: macro precision 0.728 >= 0.5: met"),
]


@pytest.mark.parametrize(("options", "code", "line"), GATES)
def test_gates(run: Run, options: tuple[str, ...], code: int, line: str):
    """
    On the measures of fields.
    """
    done = run(GOLD, MODEL, *options, "-q", "--no-ci")

    assert (code, f"{line}\n") == (done.code, done.err)


def test_a_gate_that_cannot_be_decided(run: Run):
    Path("gold.json").write_text('{"r": {"a": "x"}}')
    Path("pred.json").write_text("{}")
    done = run("gold.json", "pred.json", "--fail-under", "precision=0.5", "-q")

    assert done.code == 4
    assert "undecided: nothing was extracted; the gold has 1 value" in done.err


USAGE = [
    ((GOLD,), "Missing argument 'PRED'"),
    ((GOLD, "nowhere.jsonl"), "'nowhere.jsonl' does not exist."),
    ((GOLD, MODEL, "--key", ""), "--key: the name of the field is empty"),
    ((GOLD, MODEL, "--fields", "asset,,due"), "'asset,,due' is not of the form FIELD,FIELD, such as asset,due"),
    ((GOLD, MODEL, "--fields", "id"), "--fields: 'id' holds the ids that records are paired by; it is not compared"),
    ((GOLD, MODEL, "--normalize", "dates"), "there is no rule 'dates'; did you mean 'date'?"),
    ((GOLD, MODEL, "--normalize", "text", "--normalize", "date"), "all fields cannot have two rules, text and date"),
    ((GOLD, MODEL, "--profile", "rpa"), "'rpa' is not one of 'exact', 'easyrpa'."),
    ((GOLD, MODEL, "--reports", "out"), "--reports needs --profile easyrpa, whose reports these are"),
    ((GOLD, MODEL, "--over", "field"), "--over needs --average macro"),
    ((GOLD, MODEL, "--profile", "easyrpa", "--reports", GOLD), "is a file; the name of a folder is expected"),
    ((GOLD, MODEL, "--profile", "easyrpa", "--reports", "a/b"), "'a/b': the folder 'a' does not exist"),
    ((GOLD, MODEL, "--profile", "easyrpa", "--reports", ""), "the name of the folder is empty"),
    (
        (GOLD, MODEL, "--decisions", "x.txt"),
        "--decisions: 'x.txt' names no known format; its end must be one of .jsonl",
    ),
    ((GOLD, MODEL, "-o", "x.csv", "--decisions", "x.csv"), "--decisions: 'x.csv' is also the file of --output"),
    ((GOLD, MODEL, "-o", GOLD), "is an input; inputs are never written over"),
    ((GOLD, MODEL, "--fail-under", "accuracy=1"), "a gate on accuracy needs --profile easyrpa"),
    ((GOLD, MODEL, "--fail-under", "link_f1=1"), "no measure 'link_f1'"),
]


@pytest.mark.parametrize(("args", "message"), USAGE)
def test_messages_for_wrong_use(run: Run, args: tuple[str, ...], message: str):
    """
    Exit code 2, before anything is read or written.
    """
    done = run(*args)

    assert (2, "") == (done.code, done.out)
    assert message in done.err
    assert list(Path().iterdir()) == []


def test_messages_for_bad_input_have_file_and_line(run: Run):
    """
    Exit code 3, and nothing on standard output.
    """
    Path("pred.jsonl").write_text('{"id": "m1", "asset": 1, "asset": 2}\n{"asset": "x"}\n')
    done = run(GOLD, "pred.jsonl")

    assert (3, "") == (done.code, done.out)
    assert "error: pred.jsonl:1: the key 'asset' occurs twice in one object" in done.err
    assert "error: pred.jsonl:2: a record without 'id', its id (found: asset)" in done.err


def test_more_problems_than_are_shown_are_counted(run: Run):
    """
    `spaneval validate` does not read records and is not named.
    """
    Path("pred.jsonl").write_text("{}\n" * 30)

    assert run(GOLD, "pred.jsonl").err.splitlines()[-1] == "… and 20 more"


def test_reports_do_not_overwrite_an_input(run: Run, tmp_path: Path):
    """
    Whatever it is called.
    """
    (tmp_path / FILES[0]).write_text("id,a\nr,x\n")
    done = run(FILES[0], MODEL, "--profile", "easyrpa", "--reports", ".")

    assert done.code == 2
    assert f"--reports ({FILES[0]}): './{FILES[0]}' is an input; inputs are never written over" in done.err


def test_rules_and_strict_checks(run: Run):
    """
    With a tolerance of a tenth, the hours of m4 and m5 are right; --strict refuses numbers.
    """
    counts = report(run, GOLD, MODEL, "--normalize", "hours=number:0.1")["counts"]

    assert (20, 2) == (counts["tp"], counts["fpfn"])
    done = run(GOLD, MODEL, "--strict")
    assert done.code == 3
    assert "gold.jsonl:1: record 'm1': the field 'hours' is 2; --strict wants text or null" in done.err


@pytest.mark.parametrize("format_", ["table", "markdown", "csv", "jsonl", "latex"])
def test_report_is_as_in_its_golden_file(run: Run, format_: str):
    """
    Layout and words are what was last agreed to; see `test_reports_golden` for how to renew the files.
    """
    sides = [str(Path(path).relative_to(ROOT)) for path in (GOLD, MODEL)]
    Path("data").symlink_to(ROOT / "data")
    options = ("--profile", "easyrpa", "--average", "macro", "--per-document", "-q", "--resamples", "200")
    out = run(*sides, *options, "-f", format_).out

    compare(f"records.{format_}.txt", out.encode())

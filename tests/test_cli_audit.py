"""`spaneval audit` in a shell: formats, files, gates, notes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from latex import rows_of
from reviews import record, write_db, write_schema

from spaneval.cli import main
from spaneval.records.review import audit
from spaneval.reports import Style
from spaneval.reports.audit import render

DATA = Path(__file__).parent.parent / "data" / "audit"
SAMPLE = ("audit", str(DATA / "reviews.sqlite"), "--schema", str(DATA / "schema.json"), "-q")
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
PROFILES = ("audited", "documented", "ecoextract")


def shown(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    """Standard output of an audit of the sample data."""
    assert main([*SAMPLE, *args]) == code
    return capsys.readouterr().out


def test_the_table_says_what_each_number_means(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Measures, records, fields, decisions, audit rows; the signature comes last.
    """
    lines = shown(capsys).splitlines()
    heads = [line.split()[0] for before, line in zip(["", *lines], lines, strict=False) if not before]

    assert lines[0] == f"database   {DATA}/reviews.sqlite   4 of 5 documents counted, 9 records, 11 audit rows"
    assert heads == ["database", "reading", "measure", "records", "field", "fields", "audit", "left", "signature"]
    assert (
        "Perfect records       0.500   [0.000, 0.667]     3 / 6   Of the records found, how many needed no edit?"
        in lines
    )
    assert "day       major         0.833       1       5          0        0            0           1" in lines
    assert "taken back             2   the first row of a field whose final value is what the model wrote" in lines


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_every_reading(capsys: pytest.CaptureFixture[str], form: str, profile: str) -> None:
    """
    The same numbers everywhere, and the same bytes twice.
    """
    args = ("-f", form, "--profile", profile, "--digits", "6")
    out = shown(capsys, *args)
    value = json.loads(shown(capsys, "-f", "json", "--profile", profile))["field_precision"]

    assert out == shown(capsys, *args)
    assert (f"{value}" if form in ("json", "jsonl", "csv") else f"{value:.6f}") in out
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_latex_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Each tabular by itself; meanings stand in comments.
    """
    tables = [rows_of(f"{part.strip()}\n") for part in shown(capsys, "-f", "latex", "--per-document").split("\n\n")]

    assert [rows[0][0] for rows in tables] == ["measure", "records", "field", "fields", "audit rows", "document"]


def test_csv_has_one_kind_of_row(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Measures, or documents whose counts add up to them.
    """
    measures = list(csv.DictReader(io.StringIO(shown(capsys, "-f", "csv"))))
    documents = list(csv.DictReader(io.StringIO(shown(capsys, "-f", "csv", "--per-document"))))

    assert [row["numerator"] for row in measures if row["measure"] == "field_agreement"] == ["32"]
    assert sum(int(row["tp"]) + int(row["tn"]) for row in documents) == 32
    assert [row["document"] for row in documents] == ["1", "2", "3", "5"]
    assert "perfect_record_rate: no record was found" in documents[-1]["undefined"]


def test_json_lines_hold_measures_fields_and_documents(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Told apart by their first key.
    """
    rows = [json.loads(line) for line in shown(capsys, "-f", "jsonl", "--per-document").splitlines()]
    first = [next(iter(row)) for row in rows]

    assert first == ["measure"] * 10 + ["field"] * 6 + ["document"] * 4
    assert rows[12] == {
        "field": "day", "severity": "major", "accuracy": 5 / 6, "edits": 1,
        "tp": 5, "fp": 0, "fn": 0, "tn": 0, "fpfn": 1,
    }  # fmt: skip


def test_decisions_are_the_source_of_the_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """
    One row per field of each found record, with both values.
    """
    target = tmp_path / "decisions.csv"
    counts = json.loads(shown(capsys, "-f", "json", "--decisions", str(target)))["counts"]
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))

    assert len(rows) == 36
    assert counts == {name: sum(row["decision"] == name for row in rows) for name in counts}
    assert {"path": "r6.place", "gold": "", "extracted": "Row 6", "decision": "fp"}.items() <= rows[27].items()
    assert [row["path"] for row in rows if row["reason"]] == ["r3.note", "r7.note"]


@pytest.mark.parametrize("option", ["--decisions", "--save"])
def test_what_needs_decisions_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str) -> None:
    """
    The other readings count audit rows.
    """
    assert main([*SAMPLE, "--profile", "documented", option, str(tmp_path / "x.jsonl")]) == 2
    err = capsys.readouterr().err

    assert f"error: {option} needs --profile audited; documented counts audit rows and decides nothing" in err


def test_a_saved_run_is_taken_by_compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """
    Packed or not.
    """
    for name in ("a.json", "b.json.gz"):
        shown(capsys, "--save", str(tmp_path / name))

    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json.gz"), "--no-ci", "-q"]) == 0
    assert "Perfect records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("gate", "code", "verdict"),
    [
        ("perfect_record_rate=0.5", 0, "gate: perfect_record_rate 0.500 >= 0.5: met"),
        ("detection_f1=0.81", 1, "gate: detection_f1 0.800 >= 0.81: missed"),
    ],
)
def test_gates(capsys: pytest.CaptureFixture[str], gate: str, code: int, verdict: str) -> None:
    """
    As everywhere, on standard error.
    """
    assert main([*SAMPLE, "--no-ci", "--fail-under", gate]) == code
    assert verdict in capsys.readouterr().err


def test_a_gate_that_cannot_be_decided_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    """
    A review without a record says nothing.
    """
    assert main([*SAMPLE, "--no-ci", "--documents", "5", "--fail-under", "perfect_record_rate=0.5"]) == 4
    assert "undecided: no record was found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("link_f1=0.5", "no measure 'link_f1'"),
        ("major_edit_rate=0.5", "the lower major_edit_rate, the better"),
        ("avg_edits_per_document=2", "the lower avg_edits_per_document, the better"),
    ],
)
def test_gates_on_what_is_no_measure_of_reviews(capsys: pytest.CaptureFixture[str], gate: str, message: str) -> None:
    """
    Measures of spans, and those that should be low.
    """
    assert main([*SAMPLE, "--fail-under", gate]) == 2
    assert message in capsys.readouterr().err


def test_agreement_is_no_measure_of_the_other_readings(capsys: pytest.CaptureFixture[str]) -> None:
    """
    They do not look at final values.
    """
    assert main([*SAMPLE, "--profile", "documented", "--no-ci", "--fail-under", "field_agreement=0.5"]) == 2
    assert "field_agreement" in capsys.readouterr().err


def test_required_can_be_read_in_two_ways(capsys: pytest.CaptureFixture[str]) -> None:
    """
    `count` is required and may be null.
    """
    literal, strict = (json.loads(shown(capsys, "-f", "json", "--required", x)) for x in ("literal", "non-nullable"))

    assert (4, 0) == (literal["major_edits"], literal["minor_edits"])
    assert (3, 1) == (strict["major_edits"], strict["minor_edits"])


def test_notes_go_to_standard_error_and_into_json(capsys: pytest.CaptureFixture[str]) -> None:
    """
    What was counted otherwise than one may think.
    """
    assert main([*SAMPLE[:-1], "-f", "json", "--profile", "documented"]) == 0
    out, err = capsys.readouterr()

    assert [note["code"] for note in json.loads(out)["notes"]] == ["edits-of-other-columns", "edits-of-deleted-records"]
    assert "note: 1 audit row of columns that are no field (record_id): counted as edited fields" in err
    assert "note: 1 audit row of deleted records: counted beside all of their fields" in err


@pytest.mark.parametrize("name", ["db.sqlite", "schema.json", "db.sqlite-wal"])
def test_inputs_are_never_written_over(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """
    The log of the database is one of them.
    """
    monkeypatch.chdir(tmp_path)
    write_db(Path("db.sqlite"))
    write_schema(Path("schema.json"))
    Path("db.sqlite-wal").touch()

    assert main(["audit", "db.sqlite", "--schema", "schema.json", "-o", name]) == 2
    assert "inputs are never written over" in capsys.readouterr().err


def test_a_database_without_anything(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """
    Every number is undefined, with its reason, in every format and reading.
    """
    db, schema = write_db(tmp_path / "db.sqlite"), write_schema(tmp_path / "s.json")
    for profile in PROFILES:
        for form in FORMATS:
            assert main(["audit", db, "--schema", schema, "-f", form, "--profile", profile, "--per-document"]) == 0
            out, err = capsys.readouterr()

            assert ("no record was found" in out) == (form != "csv")  # which has one row per document here
            assert "note: the database has no document, so that there is nothing to count" in err


def test_a_narrow_terminal_gets_meanings_below(tmp_path: Path) -> None:
    """
    Numbers are never cut.
    """
    db = write_db(tmp_path / "db.sqlite", [(1, "t")], [record("a", 1, "Ann")])
    result = audit(db, write_schema(tmp_path / "s.json"), ci=False)
    text = render(result, "table", Style(width=80)).decode()

    assert "\n  Detection precision: Of the records that the model extracted, how many are" in text
    assert max(map(len, text.split("\n\n")[2].splitlines())) <= 100


def test_names_that_would_steer_a_terminal(tmp_path: Path) -> None:
    """
    Fields and documents are shown with escapes.
    """
    fields = {"name": {}, "place": {}, "size": {}}
    db = write_db(tmp_path / "db.sqlite", [(1, "t")], [record("a", 1, "Ann")], [("a", "x\x1b[31m", "v", "t")])
    result = audit(db, write_schema(tmp_path / "s.json", properties=fields), profile="documented", ci=False)
    text = render(result, "table", Style()).decode()

    assert "x\\x1b[31m" in text
    assert "\x1b" not in text

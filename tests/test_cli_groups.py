"""`--by` and `--average` on the command line, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from console_blocks import ROOT, check_page

from spaneval.cli import main
from spaneval.kinds import SPANS
from spaneval.measures import default_measures

DATA = Path(__file__).parent.parent / "data"
SCORE = (
    "score", "--gt", str(DATA / "ground_truth"), "--pred", str(DATA / "predictions" / "linker-v2.jsonl"),
    "--id-map", str(DATA / "id_map.csv"), "-q", "--resamples", "200",
)  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    """What is printed: the result, or the error."""
    assert code == main([*SCORE, *args])
    out, err = capsys.readouterr()
    return out if code == 0 else err


def block(text: str, title: str) -> list[list[str]]:
    """The rows of a table, cells split at three blanks, from its title to the next empty line."""
    lines = text.split("\n\n")
    [found] = [x for x in lines if x.startswith(title)]
    return [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in found.splitlines()[1:]]


def test_table_shows_a_row_per_group(capsys: pytest.CaptureFixture[str]):
    """
    Lengths of the sample: 8, 13 and 2 annotations.
    """
    heading, *rows = block(run(capsys, "--by", "length"), "By length")

    assert heading[:5] == ["gold", "predicted", "matched", "comparable", "correct"]
    assert [["5–9", "8", "7", "6"], ["10–19", "13", "12", "12"], ["20–39", "2", "3", "2"]] == [row[:4] for row in rows]


def test_table_of_scores_has_no_gold(capsys: pytest.CaptureFixture[str]):
    """
    Only what predictions alone can say.
    """
    heading, *_ = block(run(capsys, "--by", "score"), "By score")

    assert heading == ["predicted", "matched", "comparable", "correct", "Precision", "Entity accuracy"]


def test_json_holds_groups_with_all_counts_and_measures(capsys: pytest.CaptureFixture[str]):
    """
    Several fields in the order given; counts add up to the total.
    """
    report = json.loads(run(capsys, "-f", "json", "--by", "namespace", "--by", "document"))

    assert ["namespace", "document"] == list(report["groups"])
    for groups in report["groups"].values():
        assert report["n_matched"] == sum(group["n_matched"] for group in groups.values())
        for group in groups.values():
            assert {*SPANS.columns, *(m.name for m in default_measures(has_nil=False))} <= set(group)


def test_csv_has_one_long_row_per_number(capsys: pytest.CaptureFixture[str]):
    """
    Totals, groups and macro averages are told apart by columns.
    """
    rows = list(csv.DictReader(io.StringIO(run(capsys, "-f", "csv", "--by", "file", "--average", "macro"), newline="")))
    kinds = {(row["average"], row["by"], row["group"] != "") for row in rows}

    assert {("micro", "", False), ("micro", "file", True), ("macro", "file", False)} == kinds
    assert {"4"} == {row["n"] for row in rows if row["average"] == "macro" and row["measure"] == "f1"}


def test_markdown_tables_keep_their_columns(capsys: pytest.CaptureFixture[str]):
    """
    Also with bars in the name of a group.
    """
    text = run(capsys, "-f", "markdown", "--by", "namespace", "--average", "macro")
    for table in (x for x in text.split("\n\n") if x.startswith("| ")):
        assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1


def test_macro_average_says_how_many_were_left_out(capsys: pytest.CaptureFixture[str]):
    """
    One of nine documents has neither gold nor predictions.
    """
    text = run(capsys, "--average", "macro")
    rows = {row[0]: row[1:] for row in block(text, "Macro average")}

    assert "plain mean over 9 documents" in text
    assert ["8", "1"] == rows["F1"][-2:]


def test_macro_average_counts_documents_that_only_rows_name(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """
    And says so.
    """
    rows = tmp_path / "more.jsonl"
    rows.write_text('{"itext": 99, "a": 0, "b": 3, "entity_id_predicted": "kb::C1"}\n')
    text = run(capsys, "--pred", str(rows), "--unknown-docs", "count", "--average", "macro")

    assert "plain mean over 10 documents, 1 of them not in the gold" in text


def test_macro_of_groups_says_why_there_is_no_interval(capsys: pytest.CaptureFixture[str]):
    """
    Below the table.
    """
    assert "intervals are computed of means over documents" in run(capsys, "--average", "macro", "--by", "length")


def test_the_page_of_groups_shows_what_is_printed(tmp_path: Path):
    """
    Its commands are run.
    """
    assert sum(check_page(ROOT / "docs" / "groups.md", tmp_path).values()) == 4


def test_result_is_the_same_every_time(capsys: pytest.CaptureFixture[str]):
    """
    Byte for byte.
    """
    args = ("-f", "json", "--by", "namespace", "--by", "score")

    assert run(capsys, *args) == run(capsys, *args)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--by", "tpye"), 3, "no annotation and no row has 'tpye'"),
        (("--by", "socre"), 3, "is 'score' meant"),
        (("--by", ""), 2, "empty"),
        (("--average", "macor"), 2, "Did you mean 'macro'"),
        (("--average", "macro", "--by", "file", "--by", "length"), 2, "of file and length"),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], args: tuple[str, ...], code: int, message: str):
    """
    A field that nothing has is a matter of the input; the rest of the command line.
    """
    assert message in run(capsys, *args, code=code)


NO_PAIR = "no pair was matched between 0 gold annotations and 1 prediction, so there are no ids to compare"


@pytest.mark.parametrize("how", [["--by", "document"], ["--per-document"]])
@pytest.mark.parametrize("format_", ["table", "markdown", "latex"])
def test_what_is_undefined_in_a_row_has_a_reason_below(
    capsys: pytest.CaptureFixture[str], format_: str, how: list[str]
):
    """
    Document 2 has no gold and one prediction in the first version.
    """
    first = str(DATA / "predictions" / "linker-v1.jsonl")
    assert (
        main(["score", "--gt", str(DATA / "ground_truth"), "--pred", first, "-q", "--no-ci", "-f", format_, *how]) == 0
    )

    text = capsys.readouterr().out
    assert "Recall of 2 undefined: no gold annotation is counted; 1 prediction is counted" in text
    assert f"Entity accuracy of 2 undefined: {NO_PAIR}" in text


def test_json_documents_have_reasons(capsys: pytest.CaptureFixture[str]):
    """
    Exactly the measures without a value, in JSON, JSON Lines and CSV alike.
    """
    report = json.loads(run(capsys, "--per-document", "-f", "json"))
    lines = [json.loads(x) for x in run(capsys, "--per-document", "-f", "jsonl").splitlines()]
    rows = list(csv.DictReader(io.StringIO(run(capsys, "--per-document", "-f", "csv"), newline="")))
    names = [measure.name for measure in default_measures(has_nil=False)]

    assert any(x["undefined"] for x in report["documents"])
    for x in report["documents"]:
        assert [name for name in names if x[name] is None] == list(x["undefined"])
        assert all(x["undefined"].values())
    assert report["documents"] == [x for x in lines if "measure" not in x]
    for x, row in zip(report["documents"], rows, strict=True):
        assert bool(x["undefined"]) == bool(row["undefined"])
        assert all(name in row["undefined"] for name in x["undefined"])


def test_groups_say_why_there_is_no_interval(capsys: pytest.CaptureFixture[str]):
    """
    A group in one document has none; JSON says so beside the intervals, CSV and JSON Lines in `undefined`.
    """
    group = json.loads(run(capsys, "--by", "document", "-f", "json"))["groups"]["document"]["0"]
    [row] = [
        x for x in map(json.loads, run(capsys, "--by", "document", "-f", "jsonl").splitlines())
        if (x.get("group"), x["measure"]) == ("0", "f1")
    ]  # fmt: skip

    assert group["intervals"]["f1"] is None
    assert group["resampling"]["undefined"]["f1"] == "there is one document; an interval needs at least two"
    assert row["value"] is not None
    assert row["undefined"] == group["resampling"]["undefined"]["f1"]


def test_compared_groups_have_reasons(capsys: pytest.CaptureFixture[str]):
    """
    For values and for intervals; systems are named where they differ.
    """
    args = ["compare", "--gt", str(DATA / "ground_truth"), "--by", "document", "-q", "--resamples", "20", "--no-test"]
    args += [f"{v}={DATA / 'predictions' / f'linker-{v}.jsonl'}" for v in ("v1", "v2")]
    for format_ in ("table", "markdown", "latex"):
        assert main([*args, "-f", format_]) == 0
        text = " ".join(capsys.readouterr().out.replace("\\", "").split())

        assert "Entity accuracy of 2 (v1)" in text
        assert "intervals of " in text
        assert "undefined: there is one document; an interval needs at least two" in text
    assert main([*args, "-f", "json"]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]["document"]

    for entries in groups.values():
        for entry in (x for of_system in entries.values() for x in of_system.values()):
            assert entry["undefined"] or (entry["value"] is not None and entry["interval"])

"""`--by` and `--average` on the command line, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from console_blocks import ROOT, check_page

from spaneval.cli import main
from spaneval.counts import COLUMNS
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
            assert {*COLUMNS, *(m.name for m in default_measures(has_nil=False))} <= set(group)


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

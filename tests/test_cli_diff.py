"""`spaneval diff` on the command line: what changed, with texts, from predictions and saved runs."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from latex import rows_of
from test_cli_compare import FORMATS, folder, refused, run, save, without_files
from test_reports_golden import compare as compare_golden
from versions import GOLD

from spaneval.reports.changes import in_context

__all__ = ["folder"]  # a fixture

DIFF = ("diff", "--gt", "gold.gt.json", "v1.jsonl", "v2.jsonl", "-q")


@pytest.mark.parametrize("format_", FORMATS)
def test_diff_is_as_in_its_golden_file(folder: Path, capsys: pytest.CaptureFixture[str], format_: str):
    """
    The two versions of `versions`.
    """
    code, out, err = run(capsys, *DIFF, "-f", format_)

    assert (code, err) == (0, "")
    compare_golden(f"diff.{format_}.txt", out.encode())


def test_jsonl_has_one_object_per_change(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    A text of several lines stays on one: JSON escapes its ends.
    """
    lines = run(capsys, *DIFF, "-f", "jsonl")[1].splitlines()
    rows = [json.loads(line) for line in lines]

    assert [row["text"] for row in rows] == ["regulates", "MDM2", "MDM2", "TP53", "p21_WAF1", "Nothing"]
    assert rows[3]["before"] == "MDM2 binds\n"
    assert {"fates", "document", "a", "b", "gold_id", "old", "new", "before", "text", "after"} == set(rows[0])


def test_csv_has_the_same_rows(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Flat, several fates joined by a bar, nothing for what is not there.
    """
    rows = list(csv.DictReader(io.StringIO(run(capsys, *DIFF, "-f", "csv")[1], newline="")))

    assert len(rows) == 6
    assert (rows[1]["fates"], rows[1]["old_outcome"], rows[1]["old_a"], rows[1]["new_a"]) == (
        "fixed|found",
        "missed",
        "",
        "15",
    )
    assert (rows[5]["old_outcome"], rows[5]["new_outcome"]) == ("spurious", "")


@pytest.mark.parametrize("format_", FORMATS)
def test_saved_runs_give_the_same_bytes(folder: Path, capsys: pytest.CaptureFixture[str], format_: str):
    """
    With gold for the texts.
    """
    save(capsys, "v1")
    save(capsys, "v2", "--no-ci")
    fresh = without_files(run(capsys, *DIFF, "-f", format_))
    saved = ("diff", "--gt", "gold.gt.json", "v1.json", "v2.json", "-q", "-f", format_)
    mixed = ("diff", "--gt", "gold.gt.json", "v1.jsonl", "v2.json", "-q", "-f", format_)

    assert without_files(run(capsys, *saved)) == fresh
    assert without_files(run(capsys, *mixed)) == fresh


def test_header_shows_the_files_of_old_and_new(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Their names alone would not tell.
    """
    _, out, _ = run(capsys, *DIFF)

    assert out.splitlines()[:5] == [
        "ground truth   gold.gt.json",
        "old            v1.jsonl       6 spans",
        "new            v2.jsonl       7 spans",
        "",
        "3 documents, 6 gold annotations",
    ]


def test_texts_come_from_gold_cut_otherwise(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Texts are found by the digest of their document, not by its number.
    """
    save(capsys, "v1")
    save(capsys, "v2")
    (folder / "cut").mkdir()
    for k, document in enumerate(GOLD):
        (folder / "cut" / f"{9 - k}.gt.json").write_text(json.dumps(document))

    assert (
        run(capsys, "diff", "--gt", "cut", "v1.json", "v2.json", "-q", "-f", "jsonl")[1]
        == (run(capsys, *DIFF, "-f", "jsonl")[1])
    )


def test_without_gold_there_are_no_texts(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The numbers are the same.
    """
    save(capsys, "v1")
    save(capsys, "v2")
    _, out, _ = run(capsys, "diff", "v1.json", "v2.json", "-q", "-f", "jsonl")

    assert {json.loads(line)["text"] for line in out.splitlines()} == {None}
    assert run(capsys, "diff", "v1.json", "v2.json", "-q", "-f", "json") == run(capsys, *DIFF, "-f", "json")


def test_maps_of_old_and_new(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Without names, the versions are called old and new; a name of one's own is what the map goes by.
    """
    (folder / "map.csv").write_text("predicted_id,kb_id\nkb::C1,G1\n")
    more = ("--unmapped", "keep", "-f", "json", "-q")
    _, one, _ = run(capsys, *DIFF[:-1], "--id-map", "old=map.csv", *more)
    _, two, _ = run(capsys, *DIFF[:3], "a=v1.jsonl", "v2.jsonl", "--id-map", "a=map.csv", *more)
    code, _, err = run(capsys, *DIFF, "--id-map", "v1=map.csv")

    assert json.loads(one)["fates"]["comparability_gained"] == 0
    assert one == two
    assert (code, "no system is named 'v1'; there are 'old', 'new'" in err) == (2, True)


def test_versions_that_do_not_fit_together_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    As in `compare`.
    """
    save(capsys, "v1", "--nil", "NIL")

    assert "was counted with nil" in refused(capsys, "diff", "--gt", "gold.gt.json", "v1.json", "v2.jsonl", "-q")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["v1.jsonl"], "Missing argument"),
        (["v1.jsonl", "v2.jsonl", "v3.jsonl"], "Got unexpected extra argument"),
        (["v1.jsonl", "new=v3.jsonl"], "'v3.jsonl' does not exist."),
        (["same=v1.jsonl", "same=v2.jsonl"], "two systems are named 'same'"),
        (["v1.jsonl", "v2.jsonl", "-o", "v1.jsonl"], "'v1.jsonl' is an input"),
    ],
)
def test_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    Exit code 2.
    """
    code, out, err = run(capsys, "diff", "--gt", "gold.gt.json", *args)

    assert (code, out) == (2, "")
    assert message in err


def test_gold_is_needed_for_predictions(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Saved runs can do without.
    """
    code, _, err = run(capsys, "diff", "v1.jsonl", "v2.jsonl")

    assert code == 2
    assert "Missing option '--gt'" in err


def test_context_is_one_line() -> None:
    """
    Dots where the text goes on; a long surface is shortened in its middle.
    """
    row = {"a": 40, "before": "x" * 30, "text": "y" * 100, "after": "."}
    shown = in_context(row)

    assert shown == "…" + "x" * 30 + "⟦" + "y" * 30 + " … " + "y" * 30 + "⟧."
    assert in_context({"a": 2, "before": "a ", "text": "b", "after": ""}) == "a ⟦b⟧"


def test_markdown_renders_as_tables(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Each table has as many cells in every row as in its heading, and a text cannot end it.
    """
    _, out, _ = run(capsys, *DIFF, "-f", "markdown")
    tables = [block.splitlines() for block in out.split("\n\n") if block.startswith("|")]

    assert len(tables) == 3
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
        assert re.fullmatch(r"\|( -{3}:? \|)+", table[1])
    assert "p21\\_WAF1" in out
    assert "\\& p21" in out
    assert "MDM2 binds\\\\n⟦TP53⟧" in out


def test_latex_is_one_sound_tabular(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The table of outcomes; all else is comments.
    """
    heading, *rows = rows_of(run(capsys, *DIFF, "-f", "latex")[1])

    assert heading[0] == "old \\ new"
    assert heading[-1] == rows[-1][0] == "all"
    assert rows[-1][-1] == "6"


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs a TeX")
def test_latex_compiles(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    In a plain article with booktabs.
    """
    out = run(capsys, *DIFF, "-f", "latex")[1]
    text = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{out}\n\\end{{document}}\n"
    (folder / "page.tex").write_text(text)
    done = subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "page.tex"], check=False)

    assert done.returncode == 0

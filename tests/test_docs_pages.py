"""
The pages of docs/ are true: examples run, links lead somewhere, keys and modules exist.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from console_blocks import ROOT, agrees, blocks, check_page, commands

import spaneval
from spaneval.records.decisions import COLUMNS
from spaneval.runs import run_of
from spaneval.saved_runs import to_json

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
PROSE = [page for page in sorted(DOCS.glob("*.md")) if page.name != "measures.md"]


def names(pages: list[Path]) -> list[str]:
    return [page.name for page in pages]


def evaluation(**options: Any) -> spaneval.Evaluation:
    data = ROOT / "data"
    pred = data / "predictions" / "linker-v2.jsonl"
    return spaneval.evaluate(data / "ground_truth", pred, id_map=data / "id_map.csv", resamples=50, **options)


def first_column(page: str, heading: str) -> list[str]:
    """The names in back-quotes in the first column of the table under a heading."""
    text = (DOCS / page).read_text(encoding="utf-8").split(f"\n{heading}\n", 1)[1]
    rows = re.split(r"\n#+ ", text)[0].splitlines()
    return [name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize("name", ["formats.md", "pitfalls.md"])
def test_examples_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """
    Samples are written to files, commands and Python examples are run.
    """
    counts = check_page(DOCS / name, tmp_path)

    assert sum(counts.values()) >= 8


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_to_files(page: Path) -> None:
    """
    Every relative link of a page names a file of the project.
    """
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_the_index_links_every_page() -> None:
    """
    A page that nothing leads to is not read.
    """
    linked = re.findall(r"\]\((\w+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8"))

    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} == set(linked)


@pytest.mark.parametrize("page", PROSE, ids=names(PROSE))
def test_one_sentence_stands_on_a_line(page: Path) -> None:
    """
    So that a difference shows the sentence that changed; tables and lists of short phrases aside.
    """
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "*", "<!--"))]

    assert [line for line in lines if re.search(r"[a-z`)][.?!] [A-Z`]", line)] == []


def test_json_keys_are_those_of_the_report() -> None:
    """
    The table of docs/formats.md names every key, in the order of the report, and no other.
    """
    documented = first_column("formats.md", "### JSON")
    written = list(evaluation(by="length", average="macro").to_dict(per_document=True))

    assert written == documented


def test_json_keys_of_a_comparison_are_those_documented() -> None:
    """
    Of the whole and of one measure.
    """
    result = evaluation(by="length")
    comparison = spaneval.compare({"v1": result, "v2": result}, by="length", resamples=20).to_dict()

    assert set(comparison) | set(comparison["systems"][1]["measures"]["f1"]) == set(
        first_column("formats.md", "### JSON of `compare`")
    )


def test_json_keys_of_a_diff_are_those_documented() -> None:
    """
    Of the report, and of a line of JSON Lines.
    """
    data = ROOT / "data"
    old = spaneval.evaluate(data / "ground_truth", data / "predictions" / "linker-v1.jsonl", ci=False)
    changes = spaneval.diff(old, evaluation())

    assert list(changes.to_dict()) == first_column("formats.md", "### JSON of `diff`")
    assert list(next(changes.rows())) == first_column("formats.md", "### JSON Lines of `score`, `compare` and `diff`")


def test_keys_of_a_saved_run_are_those_documented() -> None:
    """
    In their order.
    """
    assert list(json.loads(to_json(run_of(evaluation())))) == first_column(
        "formats.md", "### Saved runs: `score --save FILE`"
    )


def test_columns_of_pairs_are_those_written() -> None:
    """
    The table of docs/formats.md names the columns in their order.
    """
    documented = first_column("formats.md", "### `--pairs FILE`")

    assert list(evaluation().pairs.columns) == documented


def test_columns_of_decisions_are_those_written() -> None:
    """
    In their order; the name of a system is only there where there are several.
    """
    assert ["system", *COLUMNS] == first_column("formats.md", "### `--decisions FILE`")


def test_json_keys_of_documents_are_those_documented() -> None:
    """
    The tables of docs/json.md name every key of a report and of a system, in their order, and no other.
    """
    data = ROOT / "data" / "json"
    results = {name: data / "results" / name for name in ("v1", "v2")}
    report = spaneval.evaluate_json(data / "labels", results, data / "schemas", resamples=20).to_dict()
    text = (DOCS / "json.md").read_text(encoding="utf-8").split("\n### JSON\n", 1)[1].split("\nEach system has\n")
    of_report, of_system = (
        [name for row in part.split("\n## ")[0].splitlines() if row.startswith("| `")
         for name in re.findall(r"`(\w+)`", row.split("|")[1])] for part in text
    )  # fmt: skip

    assert [*report, "comparison"] == of_report
    assert list(report["systems"]["v1"]) == of_system


def test_json_samples_are_json() -> None:
    """
    In every page.
    """
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.kind == "json":
                json.loads(block.body)
            elif block.kind == "jsonl":
                [json.loads(line) for line in block.body.splitlines()]
            elif block.kind == "csv":
                assert len({len(row) for row in csv.reader(block.body.splitlines())}) == 1


def test_changelog_says_how_scores_changed() -> None:
    """
    Every released version has the heading Scores first, and the newest is the installed one.
    """
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\d[^\]]*)\].*\n+### (\w+)$", text, re.M)

    assert {"Scores"} == {heading for _, heading in versions}
    assert versions[0][0] == spaneval.__version__


def test_blocks_are_found_with_their_files() -> None:
    """
    The reader of examples itself.
    """
    found = list(blocks("<!-- file: a.csv -->\n```csv\nx\n```\n\n```console\n$ echo 1\n1\n$ true\n```\n"))

    assert [(block.kind, block.name) for block in found] == [("csv", "a.csv"), ("console", None)]
    assert commands(found[1].body) == [("echo 1", "1\n"), ("true", "")]
    assert agrees("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not agrees("a\n...\nd\n", "a\nb\n")

"""
docs/json.md is true: its examples run, and its tables of six systems are what the handed results come to.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from console_blocks import ROOT, check_page

from spaneval.comparison import Comparison
from spaneval.records.documents import JsonEvaluation, evaluate_json
from spaneval.reports import Style
from spaneval.reports.comparison import render

PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
README = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
CASES = Path(os.environ.get("SPANEVAL_CASES", ROOT.parent / "shared" / "cases")) / "records" / "docubench"
SYSTEMS = sorted(path.name for path in (CASES / "results").glob("*"))


def evaluated(**options: object) -> JsonEvaluation:
    results = {name: CASES / "results" / name for name in SYSTEMS}
    return evaluate_json(CASES / "labels", results, CASES / "schemas", **options)


def rows(text: str) -> list[list[str]]:
    """Cells of the lines of a Markdown table."""
    return [
        [cell.strip() for cell in line.strip("| \n").split("|")] for line in text.splitlines() if line.startswith("|")
    ]


def test_examples_print_what_the_page_shows(tmp_path: Path) -> None:
    """
    Files are written, commands and Python examples are run.
    """
    assert sum(check_page(ROOT / "docs" / "json.md", tmp_path).values()) >= 7


@pytest.mark.parametrize("system", ["v1", "v2"])
def test_the_sample_data_is_what_its_readme_says(system: str) -> None:
    """
    Gold, predicted and equal leaves of each document and of all.
    """
    data = ROOT / "data" / "json"
    one = evaluate_json(data / "labels", {system: data / "results" / system}, data / "schemas", ci=False).systems[
        system
    ]
    found = {name: [str(x.counts[y]) for y in ("gold", "predicted", "equal")] for name, x in one.documents.items()}
    found["total"] = [str(one.counts[y]) for y in ("gold", "predicted", "equal")]
    table = README.split(f"--results data/json/results/{system}\n", 1)[1].strip().split("\n\n")[0]

    assert {row[0]: row[1:4] for row in rows(table)[2:]} == found


@pytest.mark.skipif(not SYSTEMS, reason="the handed cases are not here")
def test_six_systems_in_both_readings() -> None:
    """
    Every number of the table.
    """
    table = PAGE.split("### Six systems in both readings", 1)[1].split("Two things move", 1)[0]
    theirs, ours, alike = (
        evaluated(profile="docubench"),
        evaluated(),
        evaluated(normalize="docubench", ci=False),
    )
    found = []
    for name in SYSTEMS:
        x, y, z = (one.systems[name] for one in (theirs, ours, alike))
        ends = [x.intervals["score"], y.intervals["f1"]]
        means = [one.means.means["f1"].value for one in (y, z) if one.means is not None]
        intervals = ["[{:.3f}, {:.3f}]".format(*pair) for pair in ends if pair is not None]
        numbers = [f"{value:.3f}" for value in (x.score, y.score, means[0], z.score, means[1])]
        found.append([name, numbers[0], intervals[0], numbers[1], intervals[1], *numbers[2:]])

    assert rows(table)[2:] == found


@pytest.mark.skipif(not SYSTEMS, reason="the handed cases are not here")
def test_the_comparison_of_six_systems() -> None:
    """
    As it is printed; and two systems that no test tells apart.
    """
    comparison: Comparison = evaluated().compare(["f1"], baseline="docupipe_standard")
    shown = render(comparison, "table", Style()).decode()
    printed = re.search(r"^measure.*?(?=\n\n)", shown, re.M | re.S)
    theirs = evaluated(profile="docubench").compare(baseline="docupipe_standard")

    assert printed is not None
    assert f"```text\n{printed[0]}\n```" in PAGE
    for one, measure in ((comparison, "f1"), (theirs, "score")):
        p = one.entries["docupipe_high"][measure].p_corrected
        assert p is not None
        assert p > 0.05


def test_the_keys_of_the_report_are_named() -> None:
    """
    Those that the page speaks of are there.
    """
    report = evaluate_json({"d": {"a": 1}}, {"s": {"d": {}}}, {"d": {}}).to_dict()
    one = json.loads(json.dumps(report))["systems"]["s"]

    assert {"score", "rows", "agreement", "counts", "macro", "by_field", "intervals", "documents"} <= set(one)

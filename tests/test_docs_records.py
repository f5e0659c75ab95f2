"""
docs/records.md and the records of data/README.md are true: examples run, and every stated number is counted.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from console_blocks import ROOT, blocks, check_page

import spaneval
from spaneval.kinds import DECISIONS
from spaneval.record_measures import registry
from spaneval.values.fields import Decision
from spaneval.values.normalise import RULES

PAGE = ROOT / "docs" / "records.md"
TEXT = PAGE.read_text(encoding="utf-8")
README = (ROOT / "data" / "README.md").read_text(encoding="utf-8").split("\n## Records\n", 1)[1].split("\n## ")[0]


def part(heading: str) -> str:
    """The text below a heading, up to the next one."""
    return re.split(r"^#+ ", TEXT.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def tables(text: str) -> list[list[list[str]]]:
    """All tables of a text: the cells of their rows without back-quotes, title rows left out."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [
        [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in one.splitlines()[2:]]
        for one in found
    ]


def example(name: str) -> list[dict[str, Any]]:
    """The records of one file of the example."""
    body = next(block.body for block in blocks(TEXT) if block.name == name)
    return [json.loads(line) for line in body.splitlines()]


def evaluation(**options: Any) -> spaneval.RecordEvaluation:
    """The example through the front door."""
    return spaneval.evaluate_records(
        example("gold.jsonl"), example("model.jsonl"), profile="easyrpa", ci=False, **options
    )


def of_data(name: str, **options: Any) -> spaneval.RecordEvaluation:
    folder = ROOT / "data" / "records"
    return spaneval.evaluate_records(
        folder / "gold.jsonl", folder / f"{name}.jsonl", profile="easyrpa", ci=False, **options
    )


def test_examples_print_what_the_page_shows(tmp_path: Path):
    """
    Samples are written to files, commands and Python examples are run.
    """
    counts = check_page(PAGE, tmp_path)

    assert counts["file"] == 2
    assert counts["console"] >= 4
    assert counts["pycon"] == 2


def test_the_five_decisions_are_named_as_in_the_program():
    (rows,) = tables(part("### Step 1: decide"))

    assert [(row[0], row[3]) for row in rows] == [(x.label, x.words) for x in Decision]


def test_counts_of_step_2_are_those_of_the_example():
    """
    Per field, and of all.
    """
    found = evaluation()
    (rows,) = tables(part("### Step 2: count"))
    stated = {name: dict(zip(DECISIONS, map(int, numbers), strict=True)) for name, *numbers in rows}

    assert stated.pop("all") == {label: found.counts[label] for label in DECISIONS}
    assert stated == found.field_counts
    assert [row["document"] for row in found.documents() if row["n_records_correct"]] == ["r1"]


def test_measures_of_step_3_are_those_of_the_example():
    """
    All of the registry, in its order.
    """
    found = evaluation()
    (rows,) = tables(part("### Step 3: divide"))

    assert [row[0] for row in rows] == list(found.measures)
    for name, fraction, value in rows:
        assert fraction == "{}/{}".format(*found.fractions[name])
        assert value == f"{found.measures[name]:.3f}"


def test_rules_are_those_of_the_program():
    (rows,) = tables(part("## What is equal"))

    assert {row[0].partition(":")[0] for row in rows} == set(RULES)


def test_json_keys_are_those_of_the_report():
    """
    In the order of the report.
    """
    (rows,) = tables(part("### JSON"))
    documented = [name.strip("` ") for row in rows for name in row[0].split(",")]
    written = list(evaluation(average="macro").to_dict(per_document=True))

    assert written == documented


@pytest.mark.parametrize(("name", "number"), [("rules", 0), ("model", 1)])
def test_sample_records_are_those_worked_out_by_hand(name: str, number: int):
    """
    Record by record, in total, and every measure.
    """
    found = of_data(name)
    rows = tables(README)[number]
    stated = {record: list(map(int, numbers[:5])) for record, *numbers in rows}
    documents = {row["document"]: [row[label] for label in DECISIONS] for row in found.documents()}

    assert stated.pop("total") == [found.counts[label] for label in DECISIONS]
    assert stated == documents
    for measure, *fractions in tables(README)[2]:
        assert fractions[number] == "{}/{}".format(*found.fractions[measure])
    assert [row[0] for row in tables(README)[2]] == list(registry(evaluation().document_counts.kind))


def test_sample_records_with_a_rule():
    """
    As the last sentence says.
    """
    found = of_data("model", normalize="hours=number:0.1")

    assert (20, 2) == (found.counts["tp"], found.counts["fpfn"])
    assert ["m1", "m4", "m6"] == [row["document"] for row in found.documents() if row["n_records_correct"]]

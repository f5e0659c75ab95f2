"""
docs/measures.md is true: its example is counted as it says, and every number follows from the counts.
"""

import csv
import json
import re
from typing import Any

import numpy as np
import pytest
from console_blocks import ROOT, blocks

import spaneval
from spaneval.counts import Counts
from spaneval.kinds import SPANS, STATIC, Kind
from spaneval.measure import Measure
from spaneval.measures import MEASURES, measures_of
from spaneval.reports.measures import render

PAGE = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")


def part(heading: str) -> str:
    """The text below a heading, up to the next one."""
    return re.split(r"^#+ ", PAGE.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def table(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without back-quotes, title row left out."""
    rows = [line for line in part(heading).splitlines() if line.startswith("| ")]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in rows[1:]]


def example(name: str) -> str:
    """The content of one file of the example."""
    return next(block.body for block in blocks(PAGE) if block.name == name)


def gold() -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = json.loads(example("relations.gt.json"))
    return documents


def predictions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in example("linker.jsonl").splitlines()]


def stated_counts() -> Counts:
    """The table of step 3, one row per document."""
    columns = {name: np.array(list(map(int, numbers[:-1]))) for name, *numbers in table("### Step 3: count")}
    return Counts.from_columns(3, **columns)


def test_offsets_of_the_example_are_those_of_its_words():
    texts = {document["itext"]: document["text"] for document in gold()}
    assert [row["mention"] for row in predictions()] == [
        texts[row["itext"]][row["a"] : row["b"]] for row in predictions()
    ]
    cut = [document["text"][g["a"] : g["b"]] for document in gold() for g in document["ground_truth"]]
    expected = ["inhibits", "lowers", "expressed in", "binds", "activates", "scaffolds", "recruits", "repairs"]
    assert expected == cut


def test_totals_are_the_sums_of_the_documents():
    stated = {name: int(numbers[-1]) for name, *numbers in table("### Step 3: count")}
    assert dict.fromkeys(SPANS.columns, 0) | stated == stated_counts().totals()


def test_counts_of_gold_and_predictions_are_those_of_the_example():
    """
    As far as they can be counted without pairing.
    """
    counts = stated_counts()
    for document in gold():
        ids = [annotation["entity_id"] for annotation in document["ground_truth"]]
        pred = [row["entity_id_predicted"] for row in predictions() if row["itext"] == document["itext"]]
        expected = {
            "n_gold": len(ids),
            "n_predicted": len(pred),
            "n_gold_with_id": len(ids) - ids.count(None),
            "n_predicted_with_id": len(pred) - pred.count(None),
            "n_gold_nil": ids.count("NEW"),
            "n_predicted_nil": pred.count("NEW"),
        }
        assert expected == {name: counts[name][document["itext"]] for name in expected}


def test_outcomes_of_step_2_are_the_counts_of_step_3():
    rows = table("### Step 2: compare ids")
    counts = stated_counts()
    columns = {
        "n_matched": {"correct", "wrong", "no_gold_id", "no_predicted_id", "unmapped", "minted"},
        "n_id_comparable": {"correct", "wrong"},
        "n_id_correct": {"correct"},
        "n_no_gold_id": {"no_gold_id"},
        "n_no_predicted_id": {"no_predicted_id"},
        "n_unmapped": {"unmapped"},
        "n_minted": {"minted"},
    }
    for name, outcomes in columns.items():
        expected = [sum(row[0] == str(k) and row[-1] in outcomes for row in rows) for k in range(3)]
        assert expected == counts[name].tolist(), name


@pytest.mark.parametrize("row", table("### Step 4: divide"), ids=lambda row: row[0])
def test_measures_of_step_4_follow_from_the_counts(row: list[str]):
    name, fraction, value = row
    totals = stated_counts().totals()
    top, bottom = MEASURES[name].fraction(totals)
    assert fraction == f"{top}/{bottom}"
    assert value == f"{MEASURES[name].value(totals):.4f}"
    assert f" = {value}." in part(f"#### `{name}`")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_is_described_as_in_the_registry(measure: Measure):
    text = part(f"#### `{measure.name}`")
    assert f"\n{measure.question}\n" in text
    assert f"* Formula: `{measure.formula}`\n" in text
    assert f"* Undefined when: {measure.undefined}.\n" in text
    assert f"* Source: {measure.source}.\n" in text
    assert "\nRead beside it: " in text


def test_every_measure_stands_in_step_4_in_its_order():
    assert list(MEASURES) == [row[0] for row in table("### Step 4: divide")]


def test_glossary_names_every_count_in_its_order():
    assert list(SPANS.columns) == [row[0] for row in table("## Counts")]


def test_one_sentence_stands_on_a_line():
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.M | re.S)
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "#", "* Source"))]
    assert [] == [line for line in lines if re.search(r"[a-z`)][.?!] [A-Z`]", line)]


def evaluate(**options: Any) -> spaneval.Evaluation:
    """The example through the front door."""
    return spaneval.evaluate(gold(), predictions(), resamples=100, **options)


def id_map() -> dict[str, str]:
    return dict(csv.reader(example("id_map.csv").splitlines()[1:]))


@pytest.mark.parametrize("kind", [kind for kind in STATIC.values() if kind != SPANS], ids=lambda kind: kind.name)
def test_page_holds_the_registries_of_all_else(kind: Kind):
    """
    As `spaneval measures --of KIND -f markdown` prints them, and every count that they are made of.
    """
    assert render(list(measures_of(kind).values()), "markdown").decode() in PAGE
    heading = {"records": "## Records", "audit": "## Reviewed records"}.get(kind.name, "## JSON documents")
    explained = {name for row in table(heading) for name in re.findall(r"\w+", row[0])}
    assert set(kind.columns) - {"score", "documents"} <= explained


def test_page_names_every_measure_of_classes():
    """
    Those of a matrix, and those of each class.
    """
    named = {name.replace("CLASS", "a") for row in table("## Classes") for name in re.findall(r"[\w:]+", row[0])}
    assert set(spaneval.classify({"1": "a"}, {"1": "a"}, ci=False).measures) == named


def test_counting_the_example_gives_the_stated_table():
    result = evaluate(id_map=id_map(), nil=["NEW"])
    assert stated_counts().table.tolist() == result.document_counts.table.tolist()
    totals = stated_counts().totals()
    assert totals == dict(result.counts)
    assert {name: measure.value(totals) for name, measure in MEASURES.items()} == dict(result.measures)


def test_the_report_of_the_example_holds_the_stated_values():
    report = evaluate(id_map=id_map(), nil=["NEW"]).to_dict()
    expected = {row[0]: row[2] for row in table("### Step 4: divide")}
    assert expected == {name: f"{report[name]:.4f}" for name in expected}


@pytest.mark.parametrize("options", [{"nil": ["NEW"]}, {}], ids=["nil", "plain"])
def test_the_example_without_the_map(options: dict[str, Any]):
    """
    The numbers stay when `NEW` is an id like any other.
    """
    result = evaluate(**options)
    stated = {name: int(total) for name, total in table("### The same without the map")}
    assert stated == {name: result.counts[name] for name in stated}
    assert 1.0 == result.measures["entity_accuracy"]
    assert stated_counts().totals()["n_predicted"] == result.counts["n_predicted"]

"""
The sample data is what its README says: offsets, and every number that was worked out by hand.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import spaneval

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")

COUNTS = {
    "gold": "n_gold",
    "predicted": "n_predicted",
    "matched": "n_matched",
    "comparable": "n_id_comparable",
    "correct": "n_id_correct",
    "ignored": "n_ignored_pairs",
    "out of scope": "n_out_of_scope",
}
"""Columns of the tables and the counts that they state."""


def gold_documents() -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = []
    for path in sorted((DATA / "ground_truth").glob("*.gt.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        documents += content if isinstance(content, list) else [content]
    return documents


def rows(name: str) -> list[dict[str, Any]]:
    lines = (DATA / "predictions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def section(heading: str) -> str:
    """The text under `### heading`, up to the next heading."""
    return re.split(r"\n##+ ", README.split(f"\n{heading}\n", 1)[1])[0]


def table(text: str, first: str) -> list[dict[str, str]]:
    """The table whose first column is called `first`, as one dict per row."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {first} |"))
    names = cells(lines[start])
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append(dict(zip(names, cells(line), strict=True)))
    return found


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def score(name: str, *, mapped: bool, **options: Any) -> Any:
    id_map = DATA / "id_map.csv" if mapped else None
    return spaneval.evaluate(
        DATA / "ground_truth", DATA / "predictions" / f"{name}.jsonl", id_map=id_map, ci=False, **options
    )


SECTIONS = {
    "### linker-v1": ("linker-v1", False),
    "### linker-v2 with the map": ("linker-v2", True),
    "### linker-v2 without the map": ("linker-v2", False),
}


@pytest.mark.parametrize("heading", SECTIONS)
def test_totals_are_those_worked_out_by_hand(heading: str) -> None:
    """
    The row `total` of each table.
    """
    name, mapped = SECTIONS[heading]
    total = table(section(heading), "document")[-1]
    counts = score(name, mapped=mapped).counts

    assert total["document"] == "total"
    assert {COUNTS[c]: int(total[c]) for c in COUNTS} == {n: counts[n] for n in COUNTS.values()}


@pytest.mark.parametrize("heading", ["### linker-v1", "### linker-v2 with the map"])
def test_documents_are_those_worked_out_by_hand(heading: str) -> None:
    """
    The row of each document, which is scored alone here.
    """
    name, mapped = SECTIONS[heading]
    id_map = DATA / "id_map.csv" if mapped else None
    by_hand = table(section(heading), "document")[:-1]
    documents = gold_documents()

    assert len(documents) == len(by_hand)
    for number, (document, line) in enumerate(zip(documents, by_hand, strict=True)):
        own = [row | {"itext": 0} for row in rows(name) if row["itext"] == number]
        counts = spaneval.evaluate([document], own, id_map=id_map, doc_key="position", ci=False).counts
        stated = {COUNTS[c]: int(line[c]) for c in COUNTS}

        assert str(number) == line["document"]
        assert stated == {n: counts[n] for n in COUNTS.values()}


@pytest.mark.parametrize("heading", ["### linker-v1", "### linker-v2 with the map"])
def test_documents_add_up_to_the_total(heading: str) -> None:
    """
    The tables themselves are right sums.
    """
    *documents, total = table(section(heading), "document")

    for column in COUNTS:
        assert int(total[column]) == sum(int(line[column]) for line in documents)


@pytest.mark.parametrize("heading", SECTIONS)
def test_measures_are_the_stated_fractions(heading: str) -> None:
    """
    Each measure as a fraction, as a rounded value, or undefined.
    """
    name, mapped = SECTIONS[heading]
    measures = score(name, mapped=mapped).measures

    stated = table(section(heading), "measure")
    assert len(stated) == 7
    for line in stated:
        value = measures[line["measure"]]
        if line["value"] == "undefined":
            assert value is None
            continue
        above, below = line["fraction"].split("/")
        assert float(Fraction(int(above), int(below))) == value
        assert line["value"] == f"{value:.3f}"


def test_counts_with_id_and_reasons_are_those_in_the_prose() -> None:
    """
    22 and 18, 22 and 21, and the reasons of the three and the twenty pairs that cannot be compared.
    """
    v1 = score("linker-v1", mapped=False)
    v2 = score("linker-v2", mapped=True)
    bare = score("linker-v2", mapped=False)

    assert (v1.counts["n_gold_with_id"], v1.counts["n_predicted_with_id"]) == (22, 18)
    assert (v2.counts["n_gold_with_id"], v2.counts["n_predicted_with_id"]) == (22, 21)
    assert reasons(v2) == {"unmapped": 1, "no_gold_id": 1, "no_predicted_id": 1}
    assert reasons(bare) == {"minted": 18, "no_gold_id": 1, "no_predicted_id": 1}


def reasons(result: Any) -> dict[str, int]:
    """Reasons that occur, with their counts."""
    return {reason: n for reason, n in result.to_dict()["not_comparable"].items() if n}


@pytest.mark.parametrize("line", table(README, "options"), ids=lambda line: line["options"])
def test_other_options_give_the_stated_counts(line: dict[str, str]) -> None:
    """
    The last table: exact matching, the greedy rule, unmapped ids counted as wrong.
    """
    who, flags = line["options"].split(", ")
    flag, value = shlex.split(flags.strip("`"))
    name = "linker-" + who.split()[0]
    counts = score(name, mapped="map" in who, **{flag.removeprefix("--"): value}).counts

    assert int(line["matched"]) == counts["n_matched"]
    assert int(line["comparable"]) == counts["n_id_comparable"]
    assert int(line["correct"]) == counts["n_id_correct"]


@pytest.mark.parametrize("line", table(README, "linker"), ids=lambda line: line["linker"])
def test_nil_measures_are_the_stated_fractions(line: dict[str, str]) -> None:
    """
    The measures that `--nil NEW` adds, beside seven that stay.
    """
    mapped = "map" in line["linker"]
    name = "linker-" + line["linker"].split()[0]
    measures = score(name, mapped=mapped, nil=["NEW"]).measures
    usual = score(name, mapped=mapped).measures

    assert measures.items() >= usual.items()
    assert set(measures) - set(usual) == set(line) - {"linker"}
    for measure in sorted(set(line) - {"linker"}):
        stated = line[measure]
        assert measures[measure] == (None if stated == "undefined" else float(Fraction(stated)))


def test_offsets_of_the_gold_show_their_mentions() -> None:
    """
    `text[a:b]` is the mention, and lies in the part that was annotated.
    """
    annotations = 0
    for document in gold_documents():
        start, end = document.get("evaluation_span", (0, len(document["text"])))
        for hit in document["ground_truth"]:
            annotations += 1
            assert hit["mention"] == document["text"][hit["a"] : hit["b"]]
            assert start <= hit["a"] < hit["b"] <= end

    assert annotations == 24


def test_every_file_starts_at_itext_0() -> None:
    """
    Folders in which each file counts from 0 are the normal case, so the sample is one.
    """
    for path in sorted((DATA / "ground_truth").glob("*.gt.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        documents = content if isinstance(content, list) else [content]
        for position, document in enumerate(documents):
            assert {hit["itext"] for hit in document["ground_truth"]} <= {position}
            assert "doc_id" not in document


@pytest.mark.parametrize(("name", "n_rows"), [("linker-v1", 21), ("linker-v2", 24)])
def test_offsets_of_the_predictions_show_their_mentions(name: str, n_rows: int) -> None:
    """
    The rows number documents over all files, and `text[a:b]` is the mention.
    """
    texts = [document["text"] for document in gold_documents()]

    assert n_rows == len(rows(name))
    for row in rows(name):
        assert row["mention"] == texts[row["itext"]][row["a"] : row["b"]]


def test_the_map_gives_each_cluster_one_target() -> None:
    """
    19 clusters, and not `kb::C0021`, which is there to be missing.
    """
    with (DATA / "id_map.csv").open(encoding="utf-8", newline="") as file:
        clusters = [line["predicted_id"] for line in csv.DictReader(file)]

    assert len(clusters) == len(set(clusters)) == 19
    assert "kb::C0021" not in clusters

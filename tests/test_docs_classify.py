"""
docs/classify.md, and what data/README.md and docs/sources.md say of classes: examples run, every number is counted.
"""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path

import pytest
from console_blocks import ROOT, blocks, check_page

import spaneval
from spaneval.records.class_scores import PER_CLASS

PAGE = (ROOT / "docs" / "classify.md").read_text(encoding="utf-8")
README = (ROOT / "data" / "README.md").read_text(encoding="utf-8").split("\n## Classes\n", 1)[1].split("\n## ")[0]
SOURCES = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8").split("\n## EasyRPA, classification\n", 1)[1]


def tables(text: str) -> list[list[list[str]]]:
    """All tables of a text: the cells of their rows without back-quotes, title rows left out."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [
        [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in one.splitlines()[2:]]
        for one in found
    ]


def value(formula: str) -> float:
    """What a formula of the pages comes to."""
    for sign, operator in (("√", "sqrt"), ("·", "*")):
        formula = formula.replace(sign, operator)
    formula = re.sub(r"sqrt\(", "sqrt (", formula)
    found: float = eval(formula, {"sqrt": sqrt})
    return found


def example(folder: Path) -> spaneval.Classification:
    """That of the page."""
    for block in blocks(PAGE):
        if block.name:
            (folder / block.name).write_text(block.body, encoding="utf-8")
    return spaneval.classify(folder / "gold.csv", folder / "sorter.jsonl", ci=False)


def of_data(**options: str) -> spaneval.Classification:
    folder = ROOT / "data" / "classes"
    return spaneval.classify(folder / "gold.csv", folder / "triage.jsonl", ci=False, **options)


def test_examples_print_what_the_page_shows(tmp_path: Path):
    """
    Samples are written to files, commands and Python are run.
    """
    counts = check_page(ROOT / "docs" / "classify.md", tmp_path)

    assert {"file": 2, "console": 3, "pycon": 1} == counts


def test_the_worked_example_is_counted_right(tmp_path: Path):
    """
    The matrix, the fractions of each class, the numbers of all.
    """
    result = example(tmp_path)
    matrix, classes, whole = tables(PAGE)[:3]

    assert [[name, *map(str, row), str(sum(row))] for name, row in zip(
        result.classes, result.confusion.cells.tolist(), strict=True
    )] == matrix[:-1]  # fmt: skip
    assert [
        [name, *("{}/{}".format(*result.fractions[f"{part}:{name}"]) for part in PER_CLASS)] for name in result.classes
    ] == classes
    for names, _, formula in whole:
        name = names.split("`")[0]
        shown = result.measures["accuracy" if name == "micro" else name]
        assert value(formula) == pytest.approx(shown), name


def test_keys_of_the_report_are_those_documented(tmp_path: Path):
    """
    In their order.
    """
    section = PAGE.split("\n## Output\n", 1)[1]
    documented = re.findall(
        r"`(\w+)`", "\n".join(row.split("|")[1] for row in section.splitlines() if row[:3] == "| `")
    )

    assert list(example(tmp_path).to_dict()) == documented


def test_the_sample_data_is_counted_right():
    """
    Every table of data/README.md.
    """
    result = of_data()
    cells, classes, whole = tables(README)
    frame = result.to_frame()

    assert 30 == sum(int(n) for _, _, n, _ in cells)
    for actual, predicted, n, _ in cells:
        assert int(n) == frame.loc[actual, predicted]
    for name, support, predicted, *fractions in classes:
        assert (int(support), int(predicted)) == (result.counts[f"actual:{name}"], result.counts[f"predicted:{name}"])
        assert fractions == ["{}/{}".format(*result.fractions[f"{part}:{name}"]) for part in PER_CLASS]
    for name, formula, shown in whole:
        assert value(formula) == pytest.approx(result.measures[name])
        assert f"{result.measures[name]:.3f}" == shown
    assert f"{of_data(positive='invoice').measures['cohen_kappa']:.3f}" == "0.648"


def test_the_page_on_the_source_has_the_right_numbers():
    """
    Recall as worded, recall as meant.
    """
    result = of_data()
    for formula, shown in re.findall(r"([0-9]+ / \([0-9 +]+\)) = ([0-9.]+)", SOURCES.split("\n## ")[0]):
        assert f"{value(formula):.3f}" == shown

    assert f"{result.measures['recall:invoice']:.3f}" == "0.818"
    assert f"{result.measures['precision:invoice']:.3f}" == "0.750"

"""
docs/comparing.md is true: its tables are what the tool prints, and what it says of them is in them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console_blocks import CASES, ROOT, blocks, check_cases, check_page

from spaneval.significance import correct

PATH = ROOT / "docs" / "comparing.md"
PAGE = PATH.read_text(encoding="utf-8")
PROSE = re.sub(r"^```.*?^```$", "", PAGE, flags=re.M | re.S)


def console(command: str) -> str:
    """The first console block that holds a command."""
    return next(block.body for block in blocks(PAGE) if block.kind == "console" and command in block.body)


def table(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, title row left out."""
    text = re.split(r"^#+ ", PAGE.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def test_examples_print_what_the_page_shows(tmp_path: Path) -> None:
    """
    All commands on the sample data, and the Python examples.
    """
    counts = check_page(PATH, tmp_path)

    assert counts["console"] >= 8
    assert counts["pycon"] == 1


@pytest.mark.skipif(not (CASES / "elevant").is_dir(), reason="the cases of real linkers are not here")
def test_the_table_of_real_linkers_is_what_the_tool_prints(tmp_path: Path) -> None:
    """
    Three linkers on KORE 50, run again.
    """
    assert check_cases(PATH, tmp_path) == 1


def test_numbers_in_the_text_stand_in_the_tables() -> None:
    """
    Values, differences and p of the text are those that the tool printed; the table of smallest p and alpha aside.
    """
    shown = "".join(block.body for block in blocks(PAGE))
    text = PROSE.replace("\n".join(PROSE.split("### When there are few documents")[1].split("###")[:1]), "")
    numbers = set(re.findall(r"(?<![\w.])[01]\.\d{3,4}(?!\d)", text))

    assert len(numbers) > 15
    assert {x for x in numbers if not re.search(rf"(?<!\d){re.escape(x)}(?!\d)", shown)} == set()


def test_every_column_is_explained() -> None:
    """
    The first table names the columns in their order, and shows the cells of F1 of v2.
    """
    block = console("spaneval compare")
    (header,) = [line for line in block.splitlines() if line.startswith("measure")]
    rows = table("## Two versions of one linker")
    line = block.split("\nF1 ")[1].splitlines()[1]

    assert re.split(r"  +", header)[2:] == [row[0].strip("`") for row in rows]
    for cell in (row[1] for row in rows):
        assert all(part in line for part in cell.split(" to ")), cell


def test_smallest_p_by_the_number_of_documents() -> None:
    """
    Two of 2**D swaps are always extreme; Holm multiplies the smallest p by the number of tests.
    """
    for documents, *stated in table("### When there are few documents"):
        p = 2 / 2 ** int(documents)
        holm = [float(correct([p] + [1.0] * (n - 1), "holm").p_values[0] or 0) for n in (1, 5, 10)]

        assert [f"{x:.4f}" for x in holm] == stated


def test_what_diff_adds_up_to() -> None:
    """
    The differences that the page works out from the cells are those that the tool prints.
    """
    block = console("spaneval diff")
    for name, _, working in table("## What changed: `diff`"):
        sum_, result = working.split(" = ")
        terms = re.findall(r"([+-]?) ?(\d+)", sum_)

        assert sum(-int(x) if sign == "-" else int(x) for sign, x in terms) == int(result)
        assert re.search(rf"^{name.strip('`')} .* {re.escape(result)}$", block, re.M)


def test_the_gate_of_the_workflow_is_one_that_is_run() -> None:
    """
    The command of the GitHub job stands in a console example, with what it prints.
    """
    (workflow,) = [block.body for block in blocks(PAGE) if block.kind == "yaml"]
    (command,) = re.findall(r"run: (spaneval .*)", workflow)

    assert f"$ {command} -q; echo" in console("--fail-on-regression")

"""
docs/audit.md and the reviews of data/README.md are true: examples run, and every stated number is counted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from console_blocks import ROOT, check_page

import spaneval
from spaneval.kinds import REVIEW
from spaneval.record_measures import registry

PAGE = ROOT / "docs" / "audit.md"
TEXT = PAGE.read_text(encoding="utf-8")
README = (
    (ROOT / "data" / "README.md").read_text(encoding="utf-8").split("\n## Reviewed records\n", 1)[1].split("\n## ")[0]
)
PROFILES = ("audited", "documented", "ecoextract")


def part(heading: str) -> str:
    """The text below a heading, up to the next one."""
    return re.split(r"^#+ ", TEXT.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def tables(text: str) -> list[list[list[str]]]:
    """All tables of a text: the cells of their rows without back-quotes, title rows left out."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [
        [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in one.splitlines()[2:]]
        for one in found
    ]


def sample(**options: str) -> spaneval.Audit:
    folder = ROOT / "data" / "audit"
    return spaneval.audit(str(folder / "reviews.sqlite"), str(folder / "schema.json"), ci=False, **options)


def test_examples_print_what_the_page_shows(tmp_path: Path) -> None:
    """
    Commands and Python examples are run.
    """
    counts = check_page(PAGE, tmp_path)

    assert counts == {"console": 3, "pycon": 1}


def test_measures_are_the_stated_fractions() -> None:
    """
    Of the worked example, with the rounded value; no measure is left out.
    """
    result = sample()
    (rows,) = tables(part("### Step 3: divide"))

    assert [row[0] for row in rows] == [name for name in registry(REVIEW) if name in {row[0] for row in rows}]
    assert {row[0] for row in rows} == set(registry(REVIEW))
    for name, fraction, value in rows:
        assert fraction == "{}/{}".format(*result.fractions[name])
        assert value == f"{float(Fraction(fraction)):.3f}"


@pytest.mark.parametrize("profile", PROFILES)
def test_readings_differ_as_stated(profile: str) -> None:
    """
    Numbers of the page and of data/README.md, side by side.
    """
    result = sample(profile=profile)
    at = 1 + PROFILES.index(profile)
    values = {name: str(value) for name, value in result.to_dict().items()}
    values |= {name: "{}/{}".format(*fraction) for name, fraction in result.fractions.items()}
    for row in tables(part("## Three readings"))[1]:
        assert row[at] == ", ".join(values[name.strip()] for name in row[0].split(",")), row
    for row in tables(README)[1]:
        assert row[at] == values.get(row[0], ""), row


def test_documents_are_those_worked_out_by_hand() -> None:
    """
    Document by document, and in total.
    """
    result = sample()
    names = ("records_found", "human_added", "deleted", "edited_fields")
    stated = {row[0]: list(map(int, row[1:5])) for row in tables(README)[0]}

    assert stated.pop("total") == [result.counts[name] for name in names]
    assert stated == {row["document"]: [row[name] for name in names] for row in result.documents()}


def test_json_keys_are_those_of_the_report() -> None:
    """
    Each is in the table, and no other.
    """
    (rows,) = tables(part("## JSON"))
    documented = [name.strip() for row in rows for name in row[0].split(",")]

    assert sorted(documented) == sorted(sample().to_dict(per_document=True))
    assert set(sample(profile="documented").to_dict()) < set(documented)

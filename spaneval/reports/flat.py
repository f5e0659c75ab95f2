"""The measures of any result as rows for programs, unrounded: objects for JSON Lines, cells for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from spaneval.reports.reasons import why

if TYPE_CHECKING:
    from spaneval.scores import Result

COLUMNS: Final = ("measure", "value", "low", "high", "numerator", "denominator", "undefined")
"""What `cells` gives."""


def objects(result: Result) -> Iterator[dict[str, Any]]:
    """Every measure as an object."""
    for name, value in result.measures.items():
        top, bottom = result.fractions[name]
        ends = result.intervals.get(name)
        yield {
            "measure": name,
            "value": value,
            "interval": ends and list(ends),
            "numerator": top,
            "denominator": bottom,
            "undefined": why(result, name),
        }


def cells(result: Result) -> Iterator[list[Any]]:
    """Every measure as a row; None is an empty cell."""
    for name, value in result.measures.items():
        low, high = result.intervals.get(name) or (None, None)
        yield [name, value, low, high, *result.fractions[name], why(result, name)]

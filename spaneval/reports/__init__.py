"""
Results as text: one module per format, loaded when it is asked for.

A report is a view of an `Evaluation` and computes nothing that could differ from another report.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal, Protocol, cast

from spaneval.frozen import Frozen
from spaneval.reports.text import PLAIN, Paint

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

Format = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]


class Style(Frozen):
    """
    How a report looks; no choice here changes a number in JSON or CSV.

    Args:
        per_document: Whether every document is shown, too.
        digits: Decimal places in reports for people.
        paint: Colours of reports for people.
        width: Columns of the terminal that a table is for; None is as wide as needed. Numbers are never cut.

    """

    per_document: bool = False
    digits: int = 3
    paint: Paint = PLAIN
    width: int | None = None


class _Report(Protocol):
    def render(self, evaluation: Evaluation, style: Style) -> bytes: ...


def render(evaluation: Evaluation, format: Format, style: Style | None = None) -> bytes:  # noqa: A002 - the option's name
    """
    An evaluation as UTF-8 text that ends in a line feed.

    Args:
        evaluation: What is shown.
        format: `table` for people, `markdown` for a pull-request comment, `latex` for a paper, `json`, `jsonl` and
            `csv` for programs.
        style: How it looks.

    """
    report = cast("_Report", importlib.import_module(f"spaneval.reports.{format}"))
    return report.render(evaluation, style or Style())

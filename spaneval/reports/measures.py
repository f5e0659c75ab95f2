"""The registry of measures as text for people, as Markdown or as JSON; nothing is said here that is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spaneval.kinds import SPANS
from spaneval.measure import Measure
from spaneval.reports import json
from spaneval.reports.text import PLAIN, Align, Paint, line, utf8, widths

SCHEMA = "spaneval.measures/1"

_INDENT = "  "
_LEFT: tuple[Align, ...] = ("left", "left", "left")
_AVERAGE = "All are micro averages: counts are summed over the documents, and divided once."


def render(measures: Sequence[Measure], format: str, paint: Paint = PLAIN, *, is_whole: bool = False) -> bytes:  # noqa: A002 - the option's name
    """
    Measures as UTF-8 text that ends in a line feed.

    Args:
        measures: Those to show.
        format: `table`, `markdown` or `json`.
        paint: Colours of the table.
        is_whole: Whether the table shows all about each measure, and not one line; the other formats always do.

    """
    if format == "json":
        return json.dump({"schema": SCHEMA, "measures": [to_dict(measure) for measure in measures]})
    if format == "markdown":
        lines = _markdown(measures)
    else:
        lines = _whole(measures, paint) if is_whole else _overview(measures, paint)
    return utf8("".join(f"{text}\n" for text in lines))


def to_dict(measure: Measure) -> dict[str, Any]:
    """All that the registry holds of a measure."""
    return {
        "name": measure.name,
        "label": measure.label,
        "question": measure.question,
        "formula": measure.formula,
        "numerator": dict(measure.numerator),
        "denominator": dict(measure.denominator),
        "undefined": measure.undefined,
        "source": measure.source,
        "is_cost": measure.is_cost,
        "needs_nil": measure.needs_nil,
    }


def _overview(measures: Sequence[Measure], paint: Paint) -> Iterator[str]:
    """One line for each, with aligned columns."""
    heading, *rows = [["measure", "formula", "question"], *([m.name, m.formula, m.question] for m in measures)]
    columns = widths([heading, *rows])
    yield paint.bold(line(heading, columns, _LEFT))
    for row in rows:
        yield line(row, columns, _LEFT)
    yield ""
    of = "" if measures[0].kind == SPANS else f"--of {measures[0].kind.name} "
    yield paint.dim(f"{_AVERAGE} `spaneval measures {of}NAME` tells when one is undefined, and its source.")
    costs = [measure.name for measure in measures if measure.is_cost]
    if costs:
        yield paint.dim(f"The lower, the better: {', '.join(costs)}.")
    nil = [measure.name for measure in measures if measure.needs_nil]
    if nil:
        yield paint.dim(f"Reported where --nil names ids: {', '.join(nil)}.")


def _whole(measures: Sequence[Measure], paint: Paint) -> Iterator[str]:
    for k, measure in enumerate(measures):
        if k:
            yield ""
        of = "" if measure.kind == SPANS else f", of {measure.kind.name}"
        yield f"{paint.bold(measure.name)}   {paint.dim(measure.label + of)}"
        rows = [[_INDENT + name, text] for name, text in _facts(measure)]
        columns = widths(rows)
        yield from (line(row, columns, _LEFT) for row in rows)


def _facts(measure: Measure) -> Iterator[tuple[str, str]]:
    yield "question", measure.question
    yield "formula", measure.formula
    yield "undefined", f"when {measure.undefined}"
    yield "source", measure.source
    if measure.is_cost:
        yield "better", "the lower"
    if measure.needs_nil:
        yield "reported", "where --nil names ids"


def _markdown(measures: Sequence[Measure]) -> Iterator[str]:
    """A GitHub table; the registry holds nothing that would be markup."""
    yield "| measure | question | formula | undefined when | source |"
    yield "|---|---|---|---|---|"
    for measure in measures:
        cells = (f"`{measure.name}`", measure.question, f"`{measure.formula}`", measure.undefined, measure.source)
        yield f"| {' | '.join(cells)} |"

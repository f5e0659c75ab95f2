"""Groups and macro averages: tables for people without layout, and one long list of numbers for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from spaneval.measure import Terms
from spaneval.measures import MEASURES
from spaneval.problems import counted
from spaneval.reports.content import DOCUMENT_COUNTS, DOCUMENT_MEASURES
from spaneval.reports.reasons import Why, sentences, why
from spaneval.reports.text import interval, interval_title, number, printable

if TYPE_CHECKING:
    from spaneval.averages import Macro
    from spaneval.evaluation import Evaluation
    from spaneval.groups import Group
    from spaneval.reports import Style

LONG_COLUMNS: Final = (
    "average", "by", "group", "measure", "value", "low", "high", "numerator", "denominator", "n", "n_undefined",
    "undefined",
)  # fmt: skip
"""Keys of `long_rows`."""

_ABOUT = {
    "score": "predictions only: gold annotations have no score",
    "gold_frequency": "gold annotations only: how often the gold id occurs",
    "length": "in characters",
    "namespace": "of the gold id; of spurious predictions that of the translated id",
}


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table of text.

    Args:
        title: What it shows.
        about: What must be known to read it; "" where nothing must.
        heading: Titles of the columns; the first column is text, the others are numbers.
        rows: The cells.
        remarks: What must be known of single numbers.

    """

    title: str
    about: str
    heading: list[str]
    rows: list[list[str]]
    remarks: list[str] = field(default_factory=list)


def tables(evaluation: Evaluation, style: Style) -> Iterator[Table]:
    """One table for each field that was grouped by, then one of macro averages if they were asked for."""
    for by, groups in evaluation.groups.items():
        yield _groups(by, groups, style)
    if evaluation.macro is not None:
        yield _macro(evaluation, evaluation.macro, style)


def _groups(by: str, groups: dict[str, Group], style: Style) -> Table:
    counts = [name for name in DOCUMENT_COUNTS if all(group.counts[name] is not None for group in groups.values())]
    measures = list(DOCUMENT_MEASURES)
    if by in ("score", "gold_frequency"):
        one_sided = {"score": ("precision", "entity_accuracy"), "gold_frequency": ("recall", "entity_accuracy")}
        measures = list(one_sided[by])
    heading = ["", *(name.removeprefix("n_").removeprefix("id_") for name in counts)]
    heading += [MEASURES[name].label for name in measures]
    rows = [
        [
            printable(value),
            *(str(group.counts[name]) for name in counts),
            *(number(group.measures[name], style.digits) for name in measures),
        ]
        for value, group in groups.items()
    ]
    reasons = [
        Why(MEASURES[name].label, printable(value), group.undefined[name])
        for name in measures
        for value, group in groups.items()
        if name in group.undefined
    ]
    return Table(f"By {printable(by)}", _ABOUT.get(by, ""), heading, rows, sentences(reasons))


def _macro(evaluation: Evaluation, macro: Macro, style: Style) -> Table:
    """The means, how many values each is of, and how many were left out."""
    means = macro.means
    n = max(mean.n + mean.n_undefined for mean in means.values())
    over = f"groups by {printable(macro.over)}"
    if macro.over == "document":
        over = counted(n, "document")
        n_unknown = n - evaluation.n_documents
        over += f", {n_unknown} of them not in the gold" if n_unknown else ""
    title = interval_title(evaluation.resampling) if any(mean.interval for mean in means.values()) else ""
    heading = ["", "mean", *([title] if title else []), "defined", "left out"]
    rows = [
        [
            MEASURES[name].label,
            number(mean.value, style.digits),
            *([interval(mean.interval, style.digits)] if title else []),
            str(mean.n),
            str(mean.n_undefined),
        ]
        for name, mean in means.items()
    ]
    reasons = {} if evaluation.resampling is None else {mean.why_no_interval: None for mean in means.values()}
    remarks = [f"without interval: {reason}" for reason in reasons if reason]
    undefined = {found: None for name in means if (found := macro.why_undefined(name))}
    remarks += [f"without value: {reason}" for reason in undefined]
    return Table("Macro average", f"plain mean over {over}", heading, rows, remarks)


def long_rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """
    Every number of the evaluation, of its groups and of its macro averages: one row each, all with `LONG_COLUMNS`.

    None is a number that is undefined, or that there is none of.
    """
    for name, value in evaluation.measures.items():
        top, bottom = evaluation.fractions[name]
        reason = why(evaluation, name)
        yield _long("micro", "", "", name, value, evaluation.intervals.get(name), top, bottom, reason)
    for by, groups in evaluation.groups.items():
        for value_of, group in groups.items():
            yield from _long_group(by, value_of, group)
    if evaluation.macro is not None:
        for name, mean in evaluation.macro.means.items():
            reason = evaluation.macro.why_undefined(name) or mean.why_no_interval
            row = _long("macro", evaluation.macro.over, "", name, mean.value, mean.interval, None, None, reason)
            yield row | {"n": mean.n, "n_undefined": mean.n_undefined}


def _long_group(by: str, value_of: str, group: Group) -> Iterator[dict[str, Any]]:
    intervals = {} if group.resampled is None else group.resampled.intervals
    for name, value in group.measures.items():
        top, bottom = (_sum(terms, group.counts) for terms in (MEASURES[name].numerator, MEASURES[name].denominator))
        yield _long("micro", by, value_of, name, value, intervals.get(name), top, bottom, group.why(name))


def _sum(terms: Terms, counts: Mapping[str, int | None]) -> int | None:
    """The sum of columns; None where the field cannot divide one of them into groups."""
    parts = [None if (n := counts[column]) is None else factor * n for column, factor in terms.items()]
    return None if None in parts else sum(part for part in parts if part is not None)


def _long(
    average: str, by: str, group: str, measure: str, value: float | None, ends: tuple[float, float] | None,
    top: int | None, bottom: int | None, reason: str | None,
) -> dict[str, Any]:  # fmt: skip
    low, high = ends or (None, None)
    cells = (average, by, group, measure, value, low, high, top, bottom, None, None, reason)
    return dict(zip(LONG_COLUMNS, cells, strict=True))

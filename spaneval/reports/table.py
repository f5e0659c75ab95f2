"""The report for people: aligned columns, each number with its meaning; never cut, no blanks at the ends of lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spaneval.reports import content, groups
from spaneval.reports.text import Align, Paint, line, utf8, widths

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style

_INDENT = "  "


def render(evaluation: Evaluation, style: Style) -> bytes:
    """The whole report; the signature comes last."""
    blocks = [
        _inputs(evaluation),
        _measures(evaluation, style),
        *(_grid(table, style.paint) for table in groups.tables(evaluation, style)),
        *(_aside(aside, style.paint) for aside in content.asides(evaluation)),
        _remarks(evaluation, style),
        _documents(evaluation, style) if style.per_document else [],
        [style.paint.dim(f"signature   {evaluation.signature}")],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return utf8(f"{text}\n")


def _inputs(evaluation: Evaluation) -> list[str]:
    rows = content.inputs(evaluation)
    return [line(row, widths(rows), ("left", "left", "left")) for row in rows]


def _measures(evaluation: Evaluation, style: Style) -> list[str]:
    """All sections with common columns, under one heading."""
    sections = content.sections(evaluation, style)
    has_intervals = bool(content.interval_title(evaluation))
    rows = [_cells(row, has_intervals) for section in sections for row in section.rows]
    heading = ["", "value", *([content.interval_title(evaluation)] if has_intervals else []), "counts"]
    columns = widths([heading, *rows])
    aligned: list[Align] = ["left", "right", *(["left"] if has_intervals else []), "right", "left"]  # type: ignore[list-item] # a literal
    lines = [line(heading, columns, aligned)]
    for section in sections:
        lines.append(f"{style.paint.bold(section.title)}   {style.paint.dim(section.about)}")
        for row in section.rows:
            text = line(_cells(row, has_intervals), columns, aligned)
            lines.append(text if row.is_defined else style.paint.yellow(text))
    return lines


def _cells(row: content.Row, has_intervals: bool) -> list[str]:
    return [_INDENT + row.label, row.value, *([row.interval] if has_intervals else []), row.counts, row.meaning]


def _grid(table: groups.Table, paint: Paint) -> list[str]:
    """A table under a line that says what it shows."""
    rows = [table.heading, *([_INDENT + row[0], *row[1:]] for row in table.rows)]
    columns = widths(rows)
    aligned: list[Align] = ["left", *(["right"] * (len(columns) - 1))]  # type: ignore[list-item] # a literal
    title = paint.bold(table.title) + (f"   {paint.dim(table.about)}" if table.about else "")
    return [title, *(line(row, columns, aligned) for row in rows), *(_INDENT + remark for remark in table.remarks)]


def _aside(aside: content.Asides, paint: Paint) -> list[str]:
    rows = [[_INDENT + item.label, item.number, item.meaning] for item in aside.items]
    columns = widths(rows)
    return [paint.bold(aside.title), *(line(row, columns, ("left", "right", "left")) for row in rows)]


def _remarks(evaluation: Evaluation, style: Style) -> list[str]:
    return list(_remark_lines(evaluation, style))


def _remark_lines(evaluation: Evaluation, style: Style) -> Iterator[str]:
    for subject, text in content.remarks(evaluation, style):
        yield f"{style.paint.bold(subject)}"
        for part in text.splitlines():
            yield _INDENT + part


def _documents(evaluation: Evaluation, style: Style) -> list[str]:
    rows = content.documents(evaluation, style)
    columns = widths(rows)
    aligned: list[Align] = ["left", *(["right"] * (len(columns) - 1))]  # type: ignore[list-item] # a literal
    heading, *lines = [line(row, columns, aligned) for row in rows]
    return [style.paint.bold(heading), *lines, *(_INDENT + reason for reason in content.document_reasons(evaluation))]

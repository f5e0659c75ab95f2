"""The report for people: aligned columns, each number with its meaning; never cut, no blanks at the ends of lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from spaneval.reports import content, groups
from spaneval.reports.text import Align, input_lines, interval_title, line, names_and_numbers, utf8, widths, wrapped

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style

_INDENT = "  "


def render(evaluation: Evaluation, style: Style) -> bytes:
    """The whole report; the signature comes last."""
    blocks = [
        input_lines(content.inputs(evaluation)),
        *_measures(evaluation, style),
        *(_grid(table, style) for table in groups.tables(evaluation, style)),
        *(_aside(aside, style) for aside in content.asides(evaluation)),
        list(_remarks(evaluation, style)),
        _documents(evaluation, style) if style.per_document else [],
        [style.paint.dim(f"signature   {evaluation.signature}")],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return utf8(f"{text}\n")


def _measures(evaluation: Evaluation, style: Style) -> list[list[str]]:
    """All sections with common columns, under one heading; what measures mean below, where there is no room beside."""
    sections = content.sections(evaluation, style)
    title = interval_title(evaluation.resampling)
    has_intervals = bool(title)
    rows = [_cells(row, has_intervals) for section in sections for row in section.rows]
    heading = ["", "value", *([title] if has_intervals else []), "counts"]
    columns = widths([heading, *rows])
    aligned: list[Align] = ["left", "right", *(["left"] if has_intervals else []), "right", "left"]  # type: ignore[list-item] # a literal
    is_narrow = style.width is not None and max(len(line(row, columns, aligned)) for row in rows) > style.width
    lines = [line(heading, columns, aligned)]
    for section in sections:
        lines += _title(section.title, section.about, style)
        for row in section.rows:
            cells = _cells(row, has_intervals)
            text = line(cells[:-1] if is_narrow else cells, columns, aligned)
            lines.append(text if row.is_defined else style.paint.yellow(text))
    if not is_narrow:
        return [lines]
    meanings = [f"{row.label}: {row.meaning}" for section in sections for row in section.rows]
    return [
        lines,
        [style.paint.dim(text) for meaning in meanings for text in wrapped(meaning, style.width, rest=_INDENT)],
    ]


def _title(title: str, about: str, style: Style) -> list[str]:
    """A heading, and beside it what it means, or below it where there is no room."""
    bold, dim = style.paint.bold, style.paint.dim
    if not about:
        return [bold(title)]
    if style.width is None or len(f"{title}   {about}") <= style.width:
        return [f"{bold(title)}   {dim(about)}"]
    return [bold(title), *map(dim, wrapped(about, style.width, first=_INDENT * 2, rest=_INDENT * 2))]


def _cells(row: content.Row, has_intervals: bool) -> list[str]:
    return [_INDENT + row.label, row.value, *([row.interval] if has_intervals else []), row.counts, row.meaning]


def _grid(table: groups.Table, style: Style) -> list[str]:
    """A table under a line that says what it shows."""
    rows = [table.heading, *([_INDENT + row[0], *row[1:]] for row in table.rows)]
    columns = widths(rows)
    lines = [line(row, columns, names_and_numbers(table.heading)) for row in rows]
    return [*_title(table.title, table.about, style), *lines, *_below(table.remarks, style)]


def _below(remarks: Iterable[str], style: Style) -> Iterator[str]:
    """What must be known of a table, right below it."""
    for remark in remarks:
        yield from wrapped(remark, style.width, first=_INDENT, rest=_INDENT * 2)


def _aside(aside: content.Asides, style: Style) -> list[str]:
    rows = [[_INDENT + item.label, item.number] for item in aside.items]
    columns, lines = widths(rows), [style.paint.bold(aside.title)]
    for row, item in zip(rows, aside.items, strict=True):
        start = line([*row, ""], columns, ("left", "right"))
        lines += wrapped(item.meaning, style.width, first=f"{start}   ", rest=_INDENT * 2)
    return lines


def _remarks(evaluation: Evaluation, style: Style) -> Iterator[str]:
    for subject, text in content.remarks(evaluation, style):
        yield from map(style.paint.bold, wrapped(subject, style.width))
        for part in text.splitlines():
            yield from wrapped(part, style.width, first=_INDENT, rest=_INDENT)


def _documents(evaluation: Evaluation, style: Style) -> list[str]:
    rows = content.documents(evaluation, style)
    columns = widths(rows)
    heading, *lines = [line(row, columns, names_and_numbers(rows[0])) for row in rows]
    return [style.paint.bold(heading), *lines, *_below(content.document_reasons(evaluation), style)]

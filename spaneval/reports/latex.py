"""A bare booktabs tabular: no document around it, everything else as comments below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from spaneval.reports import content, groups
from spaneval.reports.page import Grid, Page
from spaneval.reports.text import Align, input_comments, interval_title, names_and_numbers, printable, utf8

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style

_ESCAPES: Final = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def escaped(text: str) -> str:
    """Text that LaTeX shows as it is; letters beyond ASCII stay."""
    return "".join(_ESCAPES.get(character, character) for character in printable(text))


def tabular(grid: Grid, comments: Iterable[str]) -> bytes:
    """
    One table and comments.

    Args:
        grid: The table; its groups are parted by rules.
        comments: What else is to be known, one line each.

    """
    sides = "".join("r" if side == "right" else "l" for side in grid.aligned)
    lines = [f"\\begin{{tabular}}{{{sides}}}", r"\toprule", _row(grid.heading)]
    for group in grid.groups:
        lines += [r"\midrule", *map(_row, group)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {printable(comment)}" for comment in comments]
    return utf8("".join(f"{line}\n" for line in lines))


def as_latex(page: Page) -> bytes:
    """A tabular for each table; what else the page says stands as comments below the first."""
    first, *rest = [grid.without_meanings() for grid in page.grids]
    comments = [*first.remarks, *input_comments(page.inputs), page.facts]
    comments += [f"{remark.subject}: {' '.join(remark.text.split())}" for remark in page.remarks]
    tables = [tabular(first, [*comments, f"signature {page.signature}"])]
    tables += [tabular(grid, [*([grid.title] if grid.title else []), *grid.remarks]) for grid in rest]
    return b"\n".join(tables)


def _row(cells: Iterable[str]) -> str:
    """Cells between ampersands; one that starts with a bracket or a star would be taken for an option of the row."""
    first, *rest = map(escaped, cells)
    if first.startswith(("[", "*")):
        first = f"{{{first[0]}}}{first[1:]}"
    return f"{' & '.join([first, *rest])} \\\\"


def render(evaluation: Evaluation, style: Style) -> bytes:
    """The measures, or with `per_document` the documents in their place; a further tabular for each field of groups."""
    grid = _documents(evaluation, style) if style.per_document else _measures(evaluation, style)
    reasons = content.document_reasons(evaluation) if style.per_document else []
    return b"\n".join([tabular(grid, [*reasons, *_comments(evaluation, style)]), *_groups(evaluation, style)])


def _groups(evaluation: Evaluation, style: Style) -> Iterator[bytes]:
    for table in groups.tables(evaluation, style):
        comments = [": ".join(filter(None, (table.title, table.about))), *table.remarks]
        yield tabular(Grid(table.heading, names_and_numbers(table.heading), [table.rows]), comments)


def _measures(evaluation: Evaluation, style: Style) -> Grid:
    title = interval_title(evaluation.resampling)
    heading = ["measure", "value", *([title] if title else []), "counts"]
    groups = [
        [[row.label, row.value, *([row.interval] if title else []), row.counts] for row in section.rows]
        for section in content.sections(evaluation, style)
    ]
    aligned: list[Align] = ["left", "right", "left", "right"] if title else ["left", "right", "right"]
    return Grid(heading, aligned, groups)


def _documents(evaluation: Evaluation, style: Style) -> Grid:
    heading, *rows = content.documents(evaluation, style)
    return Grid(heading, names_and_numbers(heading), [rows])


def _comments(evaluation: Evaluation, style: Style) -> Iterator[str]:
    """What the other reports for people show around the measures."""
    yield from input_comments(content.inputs(evaluation))
    for section in content.sections(evaluation, style):
        yield f"{section.title}: {section.about}"
    for aside in content.asides(evaluation):
        yield aside.title
        yield from (f"{item.number} {item.label}: {item.meaning}" for item in aside.items)
    for subject, text in content.remarks(evaluation, style):
        yield f"{subject}: {' '.join(text.split())}"
    yield f"signature {evaluation.signature}"

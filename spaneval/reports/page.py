"""
A page of tables and remarks for people, laid out as aligned text or as Markdown; `latex` lays out one of its tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from spaneval.reports import markdown
from spaneval.reports.text import NARROW, Align, Input, input_lines, line, shortened, utf8, widths, wrapped

if TYPE_CHECKING:
    from spaneval.reports import Style

_SHORTEST: Final = 9
"""Characters that are left of a name at least."""


class Remark(NamedTuple):
    """
    What it is about, and what must be known.

    Args:
        subject: Stands before it.
        text: One paragraph.
        is_list: Whether it lists names, which a table wraps however much room there is.

    """

    subject: str
    text: str
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """
    A table of text.

    Args:
        heading: Titles of the columns.
        aligned: Side of each column on which its text stands.
        groups: Rows that belong together.
        title: What it shows; "" where that is plain.
        remarks: What must be known of single numbers, right below.
        names: Number of the column of names, which may be shortened where there is no room; None without one.

    """

    heading: list[str]
    aligned: list[Align]
    groups: list[list[list[str]]]
    title: str = ""
    remarks: list[str] = field(default_factory=list)
    names: int | None = None

    @property
    def rows(self) -> Iterator[list[str]]:
        """All rows without the heading."""
        return (row for group in self.groups for row in group)

    def fits(self, width: int | None) -> bool:
        """Whether so many columns of a terminal are enough; None is as wide as needed."""
        return width is None or self._width() <= width

    def narrowed(self, width: int | None) -> Grid:
        """Meanings below the table where there is no room for them beside it."""
        return self if self.fits(width) else self.without_meanings()

    def without_meanings(self) -> Grid:
        """The same without the column of meanings, which become remarks."""
        if self.heading[-1] != "meaning":
            return self
        meanings = [f"{row[0].strip()}: {row[-1]}" for row in self.rows if row[-1]]
        groups = [[row[:-1] for row in group] for group in self.groups]
        remarks = [*self.remarks, *meanings]
        return replace(self, heading=self.heading[:-1], aligned=self.aligned[:-1], groups=groups, remarks=remarks)

    def _width(self) -> int:
        rows = [self.heading, *self.rows]
        return max(len(line(row, widths(rows), self.aligned)) for row in rows)


@dataclass(frozen=True, slots=True)
class Page:
    """
    All that a report for people says.

    Args:
        facts: What was read, above everything.
        grids: The tables.
        remarks: What must be known of the numbers, below.
        examples: Lines with text of the corpus, below the tables.
        signature: Comes last.
        inputs: The files that were read, above all.

    """

    facts: str
    grids: list[Grid]
    remarks: list[Remark]
    signature: str
    examples: list[Remark] = field(default_factory=list)
    inputs: Sequence[Input] = ()


def as_table(page: Page, style: Style) -> bytes:
    """Aligned columns, numbers never cut, no blanks at the ends of lines."""
    paint, width = style.paint, style.width
    blocks = [
        input_lines(page.inputs),
        wrapped(page.facts, width, rest="  "),
        *(_table(grid, style) for grid in page.grids),
        [
            line
            for x in page.examples
            for line in (paint.bold(x.subject), *wrapped(x.text, width, first="  ", rest="  "))
        ],
        [line for remark in page.remarks for line in _remark(remark, width)],
        [paint.dim(f"signature   {page.signature}")],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return utf8(f"{text}\n")


def _remark(remark: Remark, width: int | None) -> list[str]:
    text = f"{remark.subject}: {remark.text}"
    return wrapped(text, min(NARROW, width or NARROW) if remark.is_list else width, rest="  ")


def _table(grid: Grid, style: Style) -> list[str]:
    rows = [grid.heading, *grid.rows]
    columns = widths(rows)
    excess = 0 if style.width is None else max(len(line(row, columns, grid.aligned)) for row in rows) - style.width
    if excess > 0 and grid.names is not None:
        k = grid.names
        names = shortened([row[k] for row in rows], max(_SHORTEST, columns[k] - excess))
        rows = [[*row[:k], name, *row[k + 1 :]] for row, name in zip(rows, names, strict=True)]
        columns = widths(rows)
    heading, *lines = [line(row, columns, grid.aligned) for row in rows]
    title = [style.paint.bold(grid.title)] if grid.title else []
    remarks = (part for remark in grid.remarks for part in wrapped(remark, style.width, first="  ", rest="    "))
    return [*title, style.paint.bold(heading), *lines, *remarks]


def as_markdown(page: Page) -> bytes:
    """GitHub tables, remarks as lists; fit for a pull-request comment."""
    blocks = [
        markdown.input_lines(page.inputs),
        [markdown.inline(page.facts)],
        *(_markdown(grid) for grid in page.grids),
        [f"- **{markdown.inline(x.subject)}**: {markdown.inline(x.text)}" for x in page.examples],
        [f"- **{markdown.inline(x.subject)}**: {markdown.inline(x.text)}" for x in page.remarks],
        [f"<sub>{markdown.code(page.signature)}</sub>"],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return utf8(f"{text}\n")


def _markdown(grid: Grid) -> list[str]:
    title = [f"**{markdown.inline(grid.title)}**", ""] if grid.title else []
    sides = ["---:" if side == "right" else "---" for side in grid.aligned]
    rows = [markdown.table_row([markdown.inline(cell) for cell in row]) for row in (grid.heading, *grid.rows)]
    remarks = ["", *(f"- {markdown.inline(remark)}" for remark in grid.remarks)] if grid.remarks else []
    return [*title, rows[0], markdown.table_row(sides), *rows[1:], *remarks]

"""
Rows on their way from files to columns: blocks of them, and lines that are not parsed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spaneval.corpus import IntArray
from spaneval.frozen import Frozen
from spaneval.problems import Problem

Progress = Callable[[int], None]
Watch = Callable[[bytes, str, int], None]
"""Called with JSON as it is written, the name of its file, and the line it starts on."""


class Broken(NamedTuple):
    """Stands for a row that is not even readable, and words the problem when it is asked for."""

    describe: Callable[[], Problem]


class Block(Frozen):
    """
    Rows of one piece of a file, or of data in memory.

    Args:
        rows: What stands in each row, normally a dict; `Broken` where it cannot be read.
        file: Name of the file; None in memory.
        first: Line of the first row, from 1; number of the row where a format has no lines.
        lines: Line of each row where lines are not consecutive.
        exact: Gives row k again with numbers kept as they are written; None if they are exact already.
        line_of: Gives the line of row k where rows are numbered but the format has lines.
        has_lines: Whether `first` and `lines` are lines rather than row numbers.
        is_text: Whether the format has no numbers, only strings of digits.
        columns: Names of the columns, in the first block of a format that has them.

    """

    rows: list[Any]
    file: str | None
    first: int
    lines: list[int] | None = None
    exact: Callable[[int], Any] | None = None
    line_of: Callable[[int], int | None] | None = None
    has_lines: bool = True
    is_text: bool = False
    columns: list[str] | None = None

    def number(self, k: int) -> int:
        """Line of row k, or its number."""
        return self.first + k if self.lines is None else self.lines[k]


class WholeLines(NamedTuple):
    """
    Lines of a JSON Lines file that nobody has parsed yet.

    Args:
        data: The lines.
        file: Name of the file.
        first: Line of the file on which they start, from 1.
        ends: Where in `data` the line ends stand, int64 of shape (N,).

    """

    data: bytes
    file: str
    first: int
    ends: IntArray


class Source(NamedTuple):
    """Rows to come, and the gold that a linker's report says it saw (`ground_truth`, by document)."""

    blocks: Iterator[Block | WholeLines]
    echo: list[Any] | None = None

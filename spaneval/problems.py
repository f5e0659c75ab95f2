"""
Problems and notes: what is wrong with an input, where, and what to do; what a reader of the numbers should know.

A problem makes a run fail. A note is printed beside the result. Both are gathered while the rooms do their work, so
that one run shows the first ten problems instead of one, and `spaneval validate` shows all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spaneval.exceptions import InputError
from spaneval.frozen import Frozen

SHOWN = 10
"""Problems kept by a run that scores; `spaneval validate` keeps all."""


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """`1 document`, `2 documents`."""
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


class Problem(NamedTuple):
    """
    One reason why an input cannot be used.

    Args:
        message: What was found and what was expected.
        file: Name of the file as the user gave it; None for data handed over in memory.
        line: Line in the file, from 1.
        column: Column in the line, from 1, in characters.
        excerpt: The line itself, shown with a caret under `column`.
        hint: The remedy, where one is likely.
        kind: The exception raised when this is the first problem of a run.

    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    hint: str | None = None
    kind: type[InputError] = InputError

    @property
    def place(self) -> str:
        """`FILE:LINE:COLUMN`, as far as each is known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        if self.excerpt is not None:
            gutter = f"  {self.line} | " if self.line is not None else "  | "
            text += f"\n{gutter}{self.excerpt}"
            if self.column is not None:
                text += "\n" + " " * (len(gutter) - 2) + "| " + " " * (self.column - 1) + "^"
        if self.hint:
            text += f"\nhint: {self.hint}"
        return text


class Problems:
    """
    Collects problems: the first `limit` are kept, all are counted.

    Args:
        limit: How many to keep; None keeps all.

    """

    def __init__(self, limit: int | None = SHOWN) -> None:
        self.limit = limit
        self.kept: list[Problem] = []
        self.total = 0

    def add(self, problem: Problem) -> None:
        """Keep `problem` if there is room; count it in any case."""
        if self.wants_more:
            self.kept.append(problem)
        self.total += 1

    def add_uncounted(self, count: int) -> None:
        """Count `count` problems more that were not worth describing one by one."""
        self.total += count

    @property
    def wants_more(self) -> bool:
        """Whether a further problem would be kept, so that its description is worth making."""
        return self.limit is None or len(self.kept) < self.limit

    def raise_if_any(self) -> None:
        """
        Raise the problems gathered so far.

        Raises:
            InputError: Of the kind of the first problem.

        """
        if self.total:
            raise self.kept[0].kind(self.kept, self.total)


class Note(Frozen):
    """
    Something that a reader of the numbers should know; never a reason to fail.

    Args:
        code: Stable name for programs, in words joined by hyphens.
        count: How many rows, annotations, documents or ids it speaks of; 0 where counting makes no sense.
        message: One sentence for people.

    """

    code: str
    count: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        return {"code": self.code, "count": self.count, "message": self.message}

"""What reports for people share: names made printable, numbers, colours and aligned columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from spaneval.frozen import Frozen
from spaneval.problems import counted

UNDEFINED = "undefined"

Align = Literal["left", "right"]

_NAMED_CONTROLS = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def printable(text: str, *, keep: str = "") -> str:
    """
    Text that any terminal shows and that cannot steer it.

    Args:
        text: As it came from a file or the command line; what is no text and control characters become escapes.
        keep: Control characters that stay, such as the line feeds of a message of several lines.

    """
    if text.isprintable():
        return text
    return "".join(character if character in keep else _escaped(character) for character in mended(text))


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x20 or 0x7F <= code <= 0x9F:
        return _NAMED_CONTROLS.get(character) or f"\\x{code:02x}"
    return character


def utf8(text: str) -> bytes:
    """Text as UTF-8, whatever it holds; see `mended`."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return mended(text).encode()


def mended(text: str) -> str:
    """
    Text without surrogates.

    The system hands over bytes of a file name as surrogates where the locale cannot read them: those that are UTF-8
    become the text that they stand for, all others escapes such as `\\xe9`.
    """
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")


def number(value: float | None, digits: int) -> str:
    """A measure for people; what has no value says so."""
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def interval(bounds: tuple[float, float] | None, digits: int) -> str:
    """Both ends of an interval for people."""
    return UNDEFINED if bounds is None else f"[{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"


def interval_title(resampling: Mapping[str, Any] | None) -> str:
    """The heading of a column of intervals; "" without them."""
    return f"{100 * float(resampling['level']):g} % interval" if resampling else ""


def part_of(n: int, n_read: int, noun: str) -> str:
    """`2 spans`, or `2 of 3 spans counted` where some of those read are not counted."""
    return counted(n, noun) if n == n_read else f"{n} of {counted(n_read, noun)} counted"


NARROW: Final = 100
"""Columns at which long lists of names are wrapped, however wide the output may be."""


def wrapped(text: str, width: int | None, *, first: str = "", rest: str = "") -> list[str]:
    """
    Text in lines of at most `width` characters, as far as words allow; one line if `width` is None.

    Args:
        text: Without line feeds.
        width: Columns there are.
        first: Stands before the first line.
        rest: Stands before the others.

    """
    if width is None or len(first) + len(text) <= width:
        return [first + text]
    import textwrap  # standard output that is no terminal has no width

    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def shortened(texts: Sequence[str], width: int) -> list[str]:
    """
    Texts cut in the middle to `width` characters, or to as many as keep different ones apart.

    Args:
        texts: On one line each.
        width: At least 5.

    """
    wanted = len(set(texts))
    for size in range(max(width, 5), max(map(len, texts), default=0)):
        short = [_cut(text, size) for text in texts]
        if len(set(short)) == wanted:
            return short
    return list(texts)


def _cut(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


class Paint(Frozen):
    """Colours for a terminal; never the only carrier of what is said."""

    is_on: bool = False

    def bold(self, text: str) -> str:
        """For headings."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """For what explains."""
        return self._wrap("2", text)

    def red(self, text: str) -> str:
        """For errors."""
        return self._wrap("31", text)

    def yellow(self, text: str) -> str:
        """For what has no value, and notes."""
        return self._wrap("33", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_on and text else text


PLAIN = Paint(is_on=False)


def names_and_numbers(heading: Sequence[str]) -> list[Align]:
    """Sides of the columns of a table whose first column holds names and whose others hold numbers."""
    right: list[Align] = ["right"]
    return ["left", *right * (len(heading) - 1)]


def widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The width in characters that each column needs; rows may be of different lengths."""
    n_columns = max(map(len, rows), default=0)
    return [max((len(row[k]) for row in rows if k < len(row)), default=0) for k in range(n_columns)]


def line(cells: Sequence[str], columns: Sequence[int], aligned: Sequence[Align], *, gap: str = "   ") -> str:
    """
    Cells padded to `columns`, without blanks at the end and never cut.

    Args:
        cells: Plain text; colours are added to finished lines, because they have no width.
        columns: Width of each column in characters.
        aligned: Side of each column on which its text stands.
        gap: What stands between two columns.

    """
    padded = [
        cell.rjust(width) if side == "right" else cell.ljust(width)
        for cell, width, side in zip(cells, columns, aligned, strict=False)
    ]
    return gap.join(padded).rstrip()


class Input(NamedTuple):
    """One line of a header: what it is ("" if as in the line before), the file, and what was found in it."""

    kind: str
    name: str
    facts: str = ""


def input_lines(inputs: Sequence[Input]) -> list[str]:
    """The header in aligned columns."""
    return [line(row, widths(inputs), ("left", "left", "left")) for row in inputs]


def input_comments(inputs: Iterable[Input]) -> Iterator[str]:
    """The header in sentences, each with its kind."""
    kind = ""
    for row in inputs:
        kind = row.kind or kind
        yield f"{kind}: {row.name}" + (f", {row.facts}" if row.facts else "")

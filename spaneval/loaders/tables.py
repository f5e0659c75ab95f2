"""
Delimited text, read strictly and line by line; and bytes from a file, a pipe or a gzip stream.

CSV is RFC 4180: a cell in double quotes may hold delimiters, line ends and doubled quotes; outside of such a cell a
quote is a letter like any other. TSV has no quoting at all. Only a line feed, or carriage return and line feed, ends a
line. Lines are read one by one, so that every message has its line; the `csv` module reads records with quotes in them.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO, Literal, NamedTuple

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.utf8 import BOM, UTF16, utf8_problem, utf16_problem
from spaneval.problems import Problem, Problems, counted

Delimiter = Literal[",", "\t"]

_GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1
_BUFFER = 1 << 18


class Record(NamedTuple):
    """One record: the line where it starts, from 1, and its cells."""

    line: int
    cells: list[str]


def guess_delimiter(first_line: str) -> Delimiter | None:
    """
    What separates the cells of a header.

    Args:
        first_line: The first line that is not blank.

    Returns:
        A tab if there is one, else a comma; None if only semicolons separate anything.

    """
    if "\t" in first_line:
        return "\t"
    return None if ";" in first_line and "," not in first_line else ","


def display_name(path: str) -> str:
    """What messages call the file at `path`."""
    return "<stdin>" if path == "-" else path


def read_delimited(
    raw: Iterable[bytes] | BinaryIO,
    *,
    name: str,
    delimiter: Delimiter,
    problems: Problems,
    on_broken: Callable[[Problem], None] | None = None,
) -> Iterator[Record]:
    """
    The records of a CSV or TSV file, header first.

    Blank lines and a byte order mark are skipped. A record that cannot be read, or whose number of cells is not that of
    the header, is a problem and left out; reading goes on behind it. Without a readable header it stops.

    Args:
        raw: Lines of bytes with their line ends, such as an open binary file.
        name: Name of the file in messages.
        delimiter: `,` reads CSV, a tab reads TSV.
        problems: Receives what is wrong, as `FormatError`.
        on_broken: Receives the first problem of each record below the header that is left out, instead of `problems`. A
            quote that is never closed takes all that follows with it, and so is a problem of the file all the same.

    Yields:
        The header, then every sound record.

    Cost: memory for one record at a time.

    """
    lines = _Lines(raw, name, problems)
    header: Record | None = None
    for text in lines:
        line = lines.number
        if delimiter not in text and not text.strip(" \t\r\n"):
            continue
        cells = _cells(text, lines, delimiter)
        if cells is None:
            if header is None:
                return
        elif header is None:
            header = Record(line, cells)
            yield header
            if on_broken is not None:
                lines.problems = Problems(limit=None)
            continue
        elif len(cells) == len(header.cells):
            yield Record(line, cells)
            continue
        else:
            _report_width(Record(line, cells), header, name, lines.problems)
        if on_broken is not None:
            first = lines.problems.kept[0]
            lines.problems.kept.clear()
            if lines.is_unclosed:
                problems.add(first)
            else:
                on_broken(first)


def _report_width(record: Record, header: Record, name: str, problems: Problems) -> None:
    found, expected = len(record.cells), len(header.cells)
    hint = (
        "a cell that holds a comma needs double quotes around it"
        if found > expected
        else "the line may have been cut short"
    )
    message = f"{counted(found, 'cell')} found, {expected} expected, as in line {header.line}"
    problems.add(Problem(message, name, record.line, hint=hint, kind=FormatError))


class _Malformed(Exception):  # noqa: N818 - never leaves this module
    """A record breaks the rules of its format: message and hint."""


def _cells(text: str, lines: _Lines, delimiter: Delimiter) -> list[str] | None:
    """The cells of the record that starts with `text`; None, and a problem, if it cannot be read."""
    line, n_bad = lines.number, lines.n_bad - lines.is_bad
    try:
        if delimiter == "," and '"' in text:
            cells = _quoted_cells(text, lines)
        else:
            text = text.removesuffix("\n").removesuffix("\r")
            cells = (_unquoted(text) if "\r" in text and delimiter == "," else text).split(delimiter)
    except _Malformed as malformed:
        message, hint = malformed.args
        lines.problems.add(Problem(message, lines.name, line, hint=hint, kind=FormatError))
        return None
    return cells if lines.n_bad == n_bad else None


def _unquoted(text: str) -> str:
    """The text itself, if it may stand outside of quotes."""
    if "\r" in text:
        raise _Malformed(
            "a carriage return inside a cell without quotes",
            "lines end with LF or CRLF; save the file with one of these",
        )
    return text


def _quoted_cells(text: str, lines: _Lines) -> list[str]:
    """The cells of a CSV record with quotes in it; takes further lines while a quoted cell is open."""
    import csv  # JSON does without

    limit = csv.field_size_limit(sys.maxsize)  # of the whole process, so it is put back
    try:
        return next(csv.reader(chain((text,), lines), strict=True))
    except csv.Error as error:
        message = str(error)
    finally:
        csv.field_size_limit(limit)
    if "end of data" in message:
        lines.is_unclosed = True
        raise _Malformed("a double quote is opened and never closed", "close it, or write it twice inside quotes")
    if "new-line character" in message:
        return [_unquoted("\r")]
    raise _Malformed(
        "expected ',' or the end of the line after a quoted cell",
        'a double quote inside a quoted cell is written twice: ""',
    )


class _Lines:
    """
    Decoded lines with their line ends, numbered from 1.

    A line that is no text is reported, counted, and handed on as well as it can be read, so that the reader keeps its
    place; the record that it belongs to is not to be used.
    """

    def __init__(self, raw: Iterable[bytes], name: str, problems: Problems) -> None:
        self._raw = iter(raw)
        self.name = name
        self.problems = problems
        self.number = 0
        self.n_bad = 0
        self.is_bad = False
        self.is_unclosed = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        raw = next(self._raw)
        self.number += 1
        self.is_bad = False
        if self.number == 1:
            raw = self._opening(raw)
        if b"\0" in raw:
            self._report_nul(raw)
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            self._report(utf8_problem(raw, error.start, self.name, self.number))
            return raw.decode(errors="replace")

    def _opening(self, raw: bytes) -> bytes:
        """The first line without a byte order mark; nothing follows one of UTF-16."""
        if raw.startswith(UTF16):
            self._report(utf16_problem(raw, self.name))
            raise StopIteration
        return raw.removeprefix(BOM)

    def _report_nul(self, raw: bytes) -> None:
        is_utf16 = raw.count(0) * 3 > len(raw)  # half of the bytes of ASCII text in UTF-16
        column = len(raw[: raw.index(0)].decode(errors="replace")) + 1
        hint = "it looks like UTF-16: iconv -f UTF-16LE -t UTF-8 FILE" if is_utf16 else "remove it"
        message = "a NUL byte, expected text"
        self._report(Problem(message, self.name, self.number, column, hint=hint, kind=FormatError))

    def _report(self, problem: Problem) -> None:
        self.n_bad += not self.is_bad
        self.is_bad = True
        self.problems.add(problem)


def open_bytes(path: str) -> BinaryIO:
    """
    The content of a file, unpacked if it is gzip.

    Gzip is recognised by its first two bytes, without seeking, so a pipe will do.

    Args:
        path: The file; `-` is standard input, which stays open when the result is closed.

    Returns:
        A buffered stream. Reading from it raises `FormatError` where a gzip stream is broken.

    Raises:
        InputError: If the file cannot be opened or read; names the reason that the system gives.

    """
    name = display_name(path)
    stream: BinaryIO | None = None
    if path == "-" and sys.stdin is None:
        raise InputError([Problem("cannot be read: it is closed", name, hint="pipe the rows in, or name a file")])
    try:
        stream = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 - closed by Prepended
        head = stream.read(2)
    except OSError as error:
        if stream is not None and path != "-":
            stream.close()
        raise InputError([_unreadable(name, error)]) from error
    source: BinaryIO = io.BufferedReader(Prepended(head, stream, name), _BUFFER)
    return io.BufferedReader(_Unpacked(source, name), _BUFFER) if head == _GZIP else source


def _unreadable(name: str, error: OSError) -> Problem:
    hint = "name a file in it" if isinstance(error, IsADirectoryError) else None
    return Problem(f"cannot be read: {error.strerror or error}", name, hint=hint)


class Prepended(io.RawIOBase):
    """The bytes `head`, then those of `stream`."""

    def __init__(self, head: bytes, stream: BinaryIO, name: str) -> None:
        self._head = memoryview(head)
        self._stream = stream
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the io module hands over a memoryview
        if len(self._head):
            data, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
            buffer[: len(data)] = data
            return len(data)
        with self._named():
            size: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]  # every binary stream has it
        return size

    def readall(self) -> bytes:
        head, self._head = self._head, memoryview(b"")
        with self._named():
            return bytes(head) + self._stream.read()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError([_unreadable(self._name, error)]) from error

    def close(self) -> None:
        if not self.closed and self._stream is not getattr(sys.stdin, "buffer", None):
            self._stream.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """The content of a gzip stream."""

    def __init__(self, source: BinaryIO, name: str) -> None:
        import gzip  # few inputs are packed

        self._source = source
        self._file = gzip.GzipFile(fileobj=source, mode="rb")
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # as above
        try:
            return self._file.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            problem = Problem(
                f"not a sound gzip stream: {error}",
                self._name,
                hint="the file may have been cut short; gzip -t FILE checks it",
                kind=FormatError,
            )
            raise FormatError([problem]) from error

    def close(self) -> None:
        self._file.close()
        self._source.close()
        super().close()

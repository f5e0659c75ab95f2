"""
JSON Lines → whole lines, and these parsed to blocks of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, Final

import numpy as np
import orjson

from spaneval.loaders.blocks import Block, Broken, Progress, Watch, WholeLines
from spaneval.loaders.json_text import BOM, json_problem, parse, parse_exactly

CHUNK: Final = 1 << 16
"""Bytes parsed at once; this many stay in the processor's cache."""
AT_ONCE: Final = 1 << 20
"""Bytes read at once, which may become columns without being parsed."""
_NEWLINE, _RETURN, _OPEN, _CLOSE = b"\n\r{}"


def json_lines(
    file: BinaryIO, name: str, progress: Progress | None, watch: Watch | None
) -> Iterator[Block | WholeLines]:
    """The lines of a file, many at a time; where `watch` sees them first, as blocks."""
    line = 1
    with file:
        for chunk in _whole_lines(file, CHUNK if watch else AT_ONCE):
            data = chunk.removeprefix(BOM) if line == 1 else chunk
            if watch:
                watch(data, name, line)
                yield _line_block(data, name, line)
                line += data.count(b"\n")
            else:
                ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE)
                yield WholeLines(data, name, line, ends)
                line += len(ends)
            if progress:
                progress(len(chunk))


def _whole_lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The content cut into pieces of about `size` bytes that end with a line."""
    kept: list[bytes] = []
    while chunk := file.read(size):
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            kept.append(chunk)
            continue
        yield b"".join((*kept, chunk[:cut]))
        kept = [chunk[cut:]] if cut < len(chunk) else []
    if kept:
        yield b"".join(kept)


def parsed(lines: WholeLines) -> Iterator[Block]:
    """The rows of lines, in blocks of about `CHUNK` bytes."""
    data, line, start = lines.data, lines.first, 0
    while start < len(data):
        end = data.find(b"\n", start + CHUNK - 1) + 1 or len(data)
        piece = data[start:end]
        yield _line_block(piece, lines.file, line)
        line += piece.count(b"\n")
        start = end


def _line_block(data: bytes, name: str, line: int) -> Block:
    """The rows of whole lines, parsed in one go where every line holds one flat object."""
    data = data.rstrip(b"\r\n ")
    if _is_flat(data):
        try:
            rows = orjson.loads(b"[" + data.replace(b"\n", b",\n") + b"]")
        except orjson.JSONDecodeError:
            return _block_line_by_line(data, name, line)
        return Block(rows, name, line, exact=_Lines(data))
    return _block_line_by_line(data, name, line)


class _Lines:
    """The rows of a block with numbers kept as they are written; split only when one is asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines: list[bytes] = []

    def __call__(self, k: int) -> Any:
        """Row k."""
        self.lines = self.lines or self.data.split(b"\n")
        return parse_exactly(self.lines[k])


def _is_flat(data: bytes) -> bool:
    """
    Whether every line starts with the only opening brace in it, and ends with a closing one.

    If such lines, joined by a comma before each line end, are JSON, then each was one object: no string goes over a
    line end, so the last brace closes what the only opening one began.
    """
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    if data[:1] != b"{" or data[-1:] != b"}" or np.count_nonzero(letters == _OPEN) != len(ends) + 1:
        return False
    last = letters[ends - 1]
    if (last == _RETURN).any():
        last = np.where(last == _RETURN, letters[ends - 2], last)
    return bool((last == _CLOSE).all() and (letters[ends + 1] == _OPEN).all())


def _block_line_by_line(data: bytes, name: str, line: int) -> Block:
    rows: list[Any] = []
    lines: list[int] = []
    texts: list[bytes] = []
    for number, written in enumerate(data.split(b"\n"), start=line):
        text = written.rstrip(b" \t\r")
        if not text:
            continue
        try:
            rows.append(parse(text))
        except ValueError:
            rows.append(Broken(partial(json_problem, text, name, first_line=number, is_line=True)))
        lines.append(number)
        texts.append(text)
    return Block(rows, name, line, lines, exact=lambda k: parse_exactly(texts[k]))

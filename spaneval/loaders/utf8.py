"""Bytes that are not the UTF-8 that they should be."""

from __future__ import annotations

from spaneval.exceptions import FormatError
from spaneval.problems import Problem

BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16."""


def utf16_problem(raw: bytes, file: str, line: int = 1) -> Problem:
    """The problem of a file that starts with a byte order mark of UTF-16."""
    message = f"not UTF-8: the file starts with the byte order mark of UTF-16, {raw[:2].hex(' ').upper()}"
    hint = "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"
    return Problem(message, file, line, 1, hint=hint, kind=FormatError)


def utf8_problem(raw: bytes, start: int, file: str, first_line: int = 1) -> Problem:
    """
    The problem of the byte at `start`.

    Args:
        raw: One line or more.
        start: Where decoding failed.
        file: Name of the file.
        first_line: Line of the file on which `raw` starts, from 1.

    """
    if first_line == 1 and raw.startswith(UTF16):
        return utf16_problem(raw, file)
    byte = raw[start : start + 1]
    line_start = raw.rfind(b"\n", 0, start) + 1
    column = len(raw[line_start:start].decode(errors="replace")) + 1
    hint = "save the file as UTF-8"
    if first_line == 1 and b"\0" in raw[:start]:
        hint = "this is no text file, but a database, a workbook or the like: is it the one that was meant?"
    elif byte >= b"\xa0":
        hint += f"; in Latin-1 this byte is {byte.decode('latin-1')!r}: iconv -f LATIN1 -t UTF-8 FILE"
    line = first_line + raw.count(b"\n", 0, start)
    return Problem(f"not UTF-8: byte 0x{byte[0]:02X}", file, line, column, hint=hint, kind=FormatError)

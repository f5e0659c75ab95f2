"""
JSON text, read strictly: where it is broken, where in the file a value stands, and numbers that floats cannot hold.

orjson reads fast and exactly what JSON allows; the standard library helps where a message or an exact number needs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import orjson

from spaneval.exceptions import FormatError
from spaneval.loaders.scalars import NumberText
from spaneval.problems import Problem

BOM = b"\xef\xbb\xbf"
EXCERPT = 100
"""Characters of a broken line that a message shows."""

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_float=NumberText, parse_int=NumberText)
_REASONS = (
    ("surrogate", "a lone half of a surrogate pair (\\ud800 to \\udfff), which no Unicode text can hold"),
    ("unexpected end", "it ends in the middle of a value"),
    ("EOF", "it ends in the middle of a value"),
)


def parse_exactly(raw: bytes) -> Any:
    """Parse JSON with every number that is not a small integer kept as `NumberText`."""
    return json.loads(raw.decode(), parse_float=NumberText, parse_int=_int_or_text)


def _int_or_text(text: str) -> int | NumberText:
    return int(text) if len(text) < 19 else NumberText(text)


def json_problem(raw: bytes, file: str, *, first_line: int = 1, is_line: bool = False) -> Problem:
    """
    Why `raw` is not JSON, and where.

    Args:
        raw: The text that orjson refused; a whole file, or one line of it.
        file: Name of the file.
        first_line: Line of the file on which `raw` starts.
        is_line: Whether the file holds one value a line.

    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return not_utf8(raw, error, file, first_line=first_line)
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        line, column = error.lineno, error.colno
        reason = _reason(error.msg)
    else:
        line, column, reason = 1, 1, "more than one value"
    hint = "one JSON object per line is expected; `jq -c . FILE` rewrites pretty-printed JSON" if is_line else None
    lines = text.split("\n")
    excerpt = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    shown, caret = _window(excerpt, column)
    return Problem(
        f"not valid JSON: {reason}",
        file=file,
        line=first_line + line - 1,
        column=caret if shown is excerpt else None,
        excerpt=shown,
        hint=hint,
        kind=FormatError,
    )


def _reason(message: str) -> str:
    plain = message.split(": line ")[0]
    for word, reason in _REASONS:
        if word in plain:
            return reason
    return plain


def _window(line: str, column: int) -> tuple[str, int]:
    if len(line) <= EXCERPT:
        return line, column
    start = max(0, column - EXCERPT // 2)
    return "…" + line[start : start + EXCERPT] + "…", column - start + 1


def not_utf8(raw: bytes, error: UnicodeDecodeError, file: str, *, first_line: int = 1) -> Problem:
    """The problem of text that is not UTF-8."""
    line = first_line + raw.count(b"\n", 0, error.start)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        hint = "the file starts like UTF-16; `iconv -f UTF-16 -t UTF-8 FILE` converts it"
    else:
        hint = "if the file is Latin-1, `iconv -f LATIN1 -t UTF-8 FILE` converts it"
    message = f"not UTF-8: byte 0x{raw[error.start]:02x} ({error.reason})"
    return Problem(message, file=file, line=line, hint=hint, kind=FormatError)


def locate(raw: bytes, path: Sequence[str | int]) -> int | None:
    """
    The line, from 1, on which the value at `path` starts.

    Args:
        raw: Valid JSON.
        path: Keys and indices from the root; a part that does not exist ends the walk at its parent.

    Returns:
        The line; None if `raw` is not readable as JSON by the standard library.

    """
    text = raw.decode("utf-8-sig", errors="replace")
    at = _skip(text, 0)
    try:
        for part in path:
            found = _member(text, at, part) if isinstance(part, str) else _item(text, at, part)
            if found is None:
                break
            at = found
    except (ValueError, IndexError, RecursionError):
        return None
    return text.count("\n", 0, at) + 1


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _member(text: str, at: int, key: str) -> int | None:
    """Where the value of the last `key` of the object at `at` starts."""
    found = None
    if text[at] != "{":
        return None
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            found = at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    """Where item `index` of the list at `at` starts."""
    if text[at] != "[":
        return at if index == 0 else None
    at = _skip(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
    return None if text[at] == "]" else at

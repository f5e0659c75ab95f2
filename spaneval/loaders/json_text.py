"""
JSON text, read strictly: where it is broken, where in the file a value stands, and numbers that floats cannot hold.

orjson reads fast and exactly what JSON allows; the standard library helps where a message or an exact number needs it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from spaneval.exceptions import FormatError
from spaneval.loaders.scalars import NumberText
from spaneval.loaders.utf8 import BOM, utf8_problem
from spaneval.problems import Problem

__all__ = ["BOM", "EXCERPT", "Lines", "is_huge", "json_problem", "parse", "parse_exactly", "without_huge"]

EXCERPT = 100
"""Characters of a broken line that a message shows."""

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_float=NumberText, parse_int=NumberText)
_HUGE = "number is infinity"  # what orjson says of numbers beyond a float, which JSON allows
_STRING_OR_NUMBER = re.compile(
    r'"(?:[^"\\]|\\.)*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL
)  # fmt: skip
_REASONS = (
    ("surrogate", "a lone half of a surrogate pair (\\ud800 to \\udfff), which no Unicode text can hold"),
    ("unexpected end", "it ends in the middle of a value"),
    ("EOF", "it ends in the middle of a value"),
    ("zero-length", "it is empty"),
    ("unexpected content after", "a second value after the first"),
    ("depth", "it is nested too deeply"),
)


def parse(raw: bytes) -> Any:
    """
    Parse JSON; numbers that no float can hold become `NumberText`.

    Raises:
        ValueError: If it is not JSON.

    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if not is_huge(error):
            raise
        orjson.loads(without_huge(raw.decode()))  # it has not seen what comes behind the number
        return parse_exactly(raw)


def is_huge(error: orjson.JSONDecodeError) -> bool:
    """Whether orjson stopped at a number beyond any float, which JSON allows."""
    return error.msg.startswith(_HUGE)


def without_huge(text: str) -> str:
    """The same, letter under letter, with a small number for each that no float holds, so that orjson reads it all."""
    return _STRING_OR_NUMBER.sub(_small, text)


def _small(found: re.Match[str]) -> str:
    part = found[0]
    if part[0] == '"' or math.isfinite(float(part)):
        return part
    return "0".ljust(len(part))


def parse_exactly(raw: bytes) -> Any:
    """
    Parse JSON with every number that is not a small integer kept as `NumberText`.

    Raises:
        ValueError: If it is not JSON.

    """
    try:
        return json.loads(raw.decode(), parse_float=NumberText, parse_int=_int_or_text, parse_constant=_refuse)
    except RecursionError:
        return orjson.loads(raw)  # nests deeper than the standard library follows; numbers are as floats hold them


def _int_or_text(text: str) -> int | NumberText:
    return int(text) if len(text) < 19 else NumberText(text)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def json_problem(raw: bytes, file: str, *, first_line: int = 1, is_line: bool = False) -> Problem:
    """
    Why `raw` is not JSON, and where.

    Args:
        raw: The text that `parse` refused; a whole file, or one line of it.
        file: Name of the file.
        first_line: Line of the file on which `raw` starts.
        is_line: Whether the file holds one value a line.

    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return utf8_problem(raw, error.start, file, first_line)
    reason, line, column = _first_error(raw, text)
    lines = text.split("\n")
    excerpt = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    shown, caret = _window(excerpt, column)
    where = "" if shown is excerpt else f" (column {column})"
    return Problem(
        f"not valid JSON: {reason}{where}",
        file=file,
        line=first_line + line - 1,
        column=caret if shown is excerpt else None,
        excerpt=shown,
        hint=_hint(reason, is_line=is_line),
        kind=FormatError,
    )


def _first_error(raw: bytes, text: str) -> tuple[str, int, int]:
    """Reason, line and column of what is not JSON."""
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        found: json.JSONDecodeError = error
        if is_huge(error):
            try:
                orjson.loads(without_huge(text))
            except orjson.JSONDecodeError as other:
                found = other
        is_nul = "\0" in text[found.pos - 1 : found.pos + 1]  # orjson stops at it or behind it
        return "a NUL byte" if is_nul else _reason(found.msg), found.lineno, found.colno
    return "more than one value", 1, 1


def _hint(reason: str, *, is_line: bool) -> str:
    if reason == "a NUL byte":
        return "remove it; a file with many is UTF-16: iconv -f UTF-16LE -t UTF-8 FILE"
    if is_line or "a second value" in reason:
        return "one JSON object per line is expected; `jq -c . FILE` rewrites pretty-printed JSON"
    if "middle of a value" in reason:
        return "the file may have been cut short; write it again"
    return "JSON has double quotes, no comments, no trailing commas, no NaN or Infinity; `jq . FILE` checks it"


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


class Lines:
    """
    The lines on which values of a JSON text start; what was walked over once is not walked over again.

    Args:
        raw: Valid JSON.

    """

    def __init__(self, raw: bytes) -> None:
        self._text = raw.decode("utf-8-sig", errors="replace")
        self._members: dict[int, dict[str, int]] = {}
        self._items: dict[int, tuple[list[int], Iterator[int]]] = {}
        self._at, self._line = 0, 1

    def __call__(self, path: Sequence[str | int]) -> int | None:
        """
        The line, from 1, on which the value at `path` starts; None where the standard library cannot follow.

        Args:
            path: Keys and indices from the root; a part that does not exist ends the walk at its parent. A value that
                is no list counts as its own item 0.

        """
        at = self._skip(0)
        try:
            for part in path:
                found = self._member(at, part) if isinstance(part, str) else self._item(at, part)
                if found is None:
                    break
                at = found
        except (ValueError, IndexError, RecursionError):
            return None
        return self._line_of(at)

    def _line_of(self, at: int) -> int:
        if at < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match else at

    def _behind(self, at: int) -> int:
        """The place behind the value at `at` and the blanks that follow it."""
        _, at = _DECODER.raw_decode(self._text, at)
        return self._skip(at)

    def _member(self, at: int, key: str) -> int | None:
        """Where the value of the last `key` of the object at `at` starts."""
        if self._text[at] != "{":
            return None
        if at not in self._members:
            self._members[at] = dict(self._members_of(at))
        return self._members[at].get(key)

    def _members_of(self, at: int) -> Iterator[tuple[str, int]]:
        at = self._skip(at + 1)
        while self._text[at] != "}":
            name, at = _DECODER.raw_decode(self._text, at)
            at = self._skip(self._skip(at) + 1)
            yield name, at
            at = self._behind(at)
            if self._text[at] == ",":
                at = self._skip(at + 1)

    def _item(self, at: int, index: int) -> int | None:
        """Where item `index` of the list at `at` starts."""
        if self._text[at] != "[":
            return at if index == 0 else None
        found, rest = self._items.setdefault(at, ([], self._items_of(at)))
        while len(found) <= index:
            following = next(rest, None)
            if following is None:
                return None
            found.append(following)
        return found[index]

    def _items_of(self, at: int) -> Iterator[int]:
        at = self._skip(at + 1)
        while self._text[at] != "]":
            yield at
            at = self._behind(at)
            if self._text[at] == ",":
                at = self._skip(at + 1)

"""
One JSON file as one value, read strictly: no key twice in an object, no NaN, nothing behind the value.

orjson says whether it is JSON at all; the standard library then reads integers of any size as they are, and sees keys
that occur twice, of which orjson silently takes the last.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.json_depth import DEEPEST, is_too_deep
from spaneval.loaders.json_text import BOM, is_huge, json_problem, without_huge
from spaneval.loaders.scalars import BAD, Bad, NumberText
from spaneval.loaders.tables import open_bytes
from spaneval.loaders.utf8 import utf8_problem
from spaneval.problems import Problem, Problems

_SHORT = 20
"""Characters of a number that is surely not beyond a decimal."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]|\n|-?[0-9][0-9.eE+-]*')


class _TwiceError(ValueError):
    """A key occurs twice."""


class _HugeError(ValueError):
    """A number that no float can hold."""


def read_strictly(name: str, problems: Problems) -> Any | Bad:
    """
    The value of a JSON file.

    Args:
        name: The file; gzip is unpacked.
        problems: Gets what is wrong with it.

    Returns:
        Plain values; BAD if the file cannot be used.

    """
    try:
        with open_bytes(name) as file:
            raw = file.read()
    except InputError as error:
        for problem in error.problems:
            problems.add(problem)
        return BAD
    return parse_strictly(raw, name, problems)


def parse_strictly(
    raw: bytes,
    name: str,
    problems: Problems,
    *,
    first_line: int = 1,
    is_line: bool = False,
    keeps_numbers: bool = False,
) -> Any | Bad:
    """
    The value of a JSON text.

    Args:
        raw: The text; a byte-order mark is skipped.
        name: Name of the file, for messages.
        problems: Gets what is wrong with it.
        first_line: Line of the file on which `raw` starts.
        is_line: Whether the file holds one value a line.
        keeps_numbers: Whether a number with a point or an exponent stays as it is written, as `NumberText`.

    Returns:
        Plain values; BAD if it cannot be used.

    """
    raw = raw.removeprefix(BOM)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        problems.add(utf8_problem(raw, error.start, name, first_line))
        return BAD
    refusal = _refusal(raw)
    has_huge = refusal is not None and is_huge(refusal)  # which may be an integer
    if has_huge:
        refusal = _refusal(without_huge(text).encode())
    if refusal is not None and "depth" not in refusal.msg:
        problems.add(_not_json(raw, name, first_line, is_line=is_line))
        return BAD
    decoder = _EXACT if keeps_numbers else _FINITE if has_huge else _PLAIN
    try:
        value = decoder.decode(text)
    except _TwiceError:
        for problem in _twice(text, name, first_line):
            problems.add(problem)
        return BAD
    except RecursionError:
        problems.add(_too_deep(name))
        return BAD
    except json.JSONDecodeError:  # deeper than orjson follows
        problems.add(_not_json(raw, name, first_line, is_line=is_line))
        return BAD
    except ValueError:  # also what Python says of integers of thousands of digits
        problems.add(_huge(text, name, first_line, _is_beyond if keeps_numbers else _is_huge))
        return BAD
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and is_too_deep(value):
        problems.add(_too_deep(name))
        return BAD
    return value


def _refusal(raw: bytes) -> orjson.JSONDecodeError | None:
    """What orjson says of a text that it does not take."""
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return error
    return None


def _not_json(raw: bytes, name: str, first_line: int, *, is_line: bool) -> Problem:
    problem = json_problem(raw, name, first_line=first_line, is_line=is_line)
    if is_line or problem.hint is None or "per line" not in problem.hint:
        return problem
    return problem._replace(hint="one JSON value per file is expected")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _HugeError
    return value


def _as_written(text: str) -> NumberText:
    if _is_beyond(text):
        raise _HugeError
    return NumberText(text)


_PLAIN = json.JSONDecoder(object_pairs_hook=_unique)
_FINITE = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite)
_EXACT = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_as_written)


def _too_deep(name: str) -> Problem:
    hint = "the file may have been written by a program that went round in circles"
    return Problem(f"lists and objects nest in more than {DEEPEST} levels", name, hint=hint, kind=FormatError)


def _twice(text: str, name: str, first_line: int) -> Iterator[Problem]:
    """Each key that an object has already."""
    objects: list[dict[str, int] | None] = []
    line, before = first_line, ""
    for part in _TOKEN.findall(text):
        if part == "\n":
            line += 1
            continue
        if part in "{[":
            objects.append({} if part == "{" else None)
        elif part in "}]":
            objects.pop()
        elif part == ":" and (keys := objects[-1]) is not None:
            key = json.loads(before)
            if key in keys:
                message = (
                    f"the key '{key}' occurs twice in one object (first on line {keys[key]}), so it has two values"
                )
                yield Problem(message, name, line, hint="remove one of them", kind=FormatError)
            keys.setdefault(key, line)
        before = part


def _huge(text: str, name: str, first_line: int, is_it: Callable[[str], bool]) -> Problem:
    """The first number that cannot be read."""
    line = first_line
    for part in _TOKEN.findall(text):
        line += part == "\n"
        if part[0] in "-0123456789" and is_it(part):
            break
    shown = part if len(part) <= 40 else f"{part[:40]}…"
    how = "small" if "e-" in part.lower() else "large"
    return Problem(f"the number {shown} is too {how} to be compared", name, line, kind=FormatError)


def _is_huge(part: str) -> bool:
    """Whether a number is one that no float holds, or an integer too long for Python."""
    return math.isinf(float(part)) if _has_fraction(part) else _is_beyond(part)


def _is_beyond(part: str) -> bool:
    """Whether a number is none that a decimal can hold, with an exponent of 18 digits, or an integer too long."""
    if len(part) <= _SHORT:
        return False
    try:
        return (Decimal(part) if _has_fraction(part) else int(part)) is None
    except (ValueError, InvalidOperation):
        return True


def _has_fraction(part: str) -> bool:
    return not part.removeprefix("-").isdigit()

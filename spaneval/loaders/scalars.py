"""
Single values of JSON, CSV and data frames, read strictly: integers stay integers, ids are text.

`BAD` is returned for a value that must not be used; the caller knows the file and the line and words the problem.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import Enum
from numbers import Integral
from operator import itemgetter
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

INT64_MAX: Final = 2**63 - 1
MAX_DIGITS: Final = 1000
"""Digits of the largest integer accepted as an id: far beyond any real id, far below what would stall a run."""


class Bad(Enum):
    """The one value `BAD`."""

    BAD = 0


BAD: Final = Bad.BAD


class NumberText(str):
    """A JSON number as it is written, kept as text because a float could not hold it exactly."""

    __slots__ = ()


class Vocabulary(dict[Any, int]):
    """Gives each distinct value the next code when it is first looked up."""

    def __missing__(self, value: Any) -> int:
        code = self[value] = len(self)
        return code

    def codes(self, values: list[Any]) -> NDArray[np.int32]:
        """The code of each value, int32 of shape (N,)."""
        return np.fromiter(map(self.__getitem__, values), dtype=np.int32, count=len(values))

    def codes_of_runs(self, values: list[Any]) -> NDArray[np.int32]:
        """The same, quicker where most values are integers equal to the one before."""
        if set(map(type, values)) != {int}:
            return self.codes(values)
        try:
            numbers = np.array(values, dtype=np.int64)
        except OverflowError:
            return self.codes(values)
        starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
        lengths = np.diff(starts, append=len(numbers))
        return np.repeat(self.codes(numbers[starts].tolist()), lengths)


def field_values(rows: list[Any], name: str) -> list[Any]:
    """One field of all rows, None where a row does not have it."""
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:
        return [row.get(name) for row in rows]


def integral(value: Any) -> int | Literal[Bad.BAD]:
    """
    The integer that `value` is: an int, an integral float such as `10.0`, or a `NumberText` that is integral.

    Booleans, fractions, infinities, text and None are BAD.
    """
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return BAD
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else BAD
    if isinstance(value, NumberText):
        return _integral_text(value)
    return BAD


def _integral_text(text: str) -> int | Literal[Bad.BAD]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return BAD
    if not number.is_finite() or number.adjusted() > MAX_DIGITS or number != number.to_integral_value():
        return BAD
    return int(number)


def offset(value: Any, *, from_text: bool = False) -> int | Literal[Bad.BAD]:
    """
    The offset that `value` is: an integer within 64 bits.

    Args:
        value: A JSON value, a cell, or an element of a data frame.
        from_text: Whether the format has no numbers (CSV, TSV), so that a string of digits is one.

    """
    if from_text and isinstance(value, str):
        digits = value[1:] if value[:1] == "-" else value
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 20 else BAD
    number = integral(value)
    return number if number is not BAD and -INT64_MAX <= number <= INT64_MAX else BAD


def text_id(value: Any) -> str | Literal[Bad.BAD] | None:
    """
    The id, or document key, that `value` is: text letter by letter, an integral number as its digits, None for none.

    `""` and missing values are no id; a fraction, a boolean, a list or an object is BAD.
    """
    if value is None:
        return None
    if isinstance(value, str) and not isinstance(value, NumberText):
        return value or None
    if isinstance(value, float) and value != value:
        return None
    number = integral(value)
    return BAD if number is BAD else str(number)


def describe(value: Any, width: int = 60) -> str:
    """How `value` is shown in a message: as JSON would write it, shortened."""
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, NumberText):
        shown = str(value)
    elif isinstance(value, dict):
        shown = "an object"
    elif isinstance(value, list | tuple):
        shown = "a list"
    else:
        shown = repr(value)
    return shown if len(shown) <= width else shown[: width - 1] + "…"

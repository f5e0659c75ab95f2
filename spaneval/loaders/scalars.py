"""
Single values of JSON, CSV and data frames, read strictly: integers stay integers, ids are text.

`BAD` is returned for a value that must not be used; the caller knows the file and the line and words the problem.
"""

from __future__ import annotations

import math
import re
import sys
from enum import Enum
from numbers import Integral, Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from decimal import Decimal

    from numpy.typing import NDArray

INT64_MAX: Final = 2**63 - 1
MAX_DIGITS: Final = 1000
"""Digits of the largest integer accepted as an id: far beyond any real id, far below what would stall a run."""


_TOO_LONG = 10 ** (MAX_DIGITS + 1)
_INTEGRAL_CELL = re.compile(r"(-?[0-9]{1,30})(?:\.0{1,30})?")
_NUMBER_CELL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


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
    if isinstance(value, NumberText) or _is_decimal(value):
        return _integral_decimal(value)
    if isinstance(value, Real):  # numpy's floats are not all float
        number = float(value)
        return int(number) if number.is_integer() else BAD
    return BAD


def _is_decimal(value: Any) -> bool:
    """Whether it is a decimal number, without loading what makes these: if nobody has, there is none."""
    module = sys.modules.get("decimal")
    return module is not None and isinstance(value, module.Decimal)


def _integral_decimal(value: str | Decimal) -> int | Literal[Bad.BAD]:
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(value)
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
        from_text: Whether the format has no numbers (CSV, TSV), so that a string of digits is one; so is one with a
            fraction of zeros, which data frames write.

    """
    if from_text and isinstance(value, str):
        found = _INTEGRAL_CELL.fullmatch(value)
        number: int | Literal[Bad.BAD] = int(found[1]) if found else BAD
    else:
        number = integral(value)
    return number if number is not BAD and -INT64_MAX <= number <= INT64_MAX else BAD


def number(value: Any, *, from_text: bool = False) -> float | Literal[Bad.BAD]:
    """
    The finite number that `value` is, such as a score; anything else is BAD.

    Args:
        value: A JSON value, a cell, or an element of a data frame.
        from_text: Whether the format has no numbers, so that a string may be one.

    """
    if isinstance(value, bool) or not (isinstance(value, Real | NumberText) or _is_decimal(value)):
        is_number = from_text and isinstance(value, str) and _NUMBER_CELL.fullmatch(value)
        if not is_number:
            return BAD
    try:
        found = float(value)
    except OverflowError:
        return BAD
    return found if math.isfinite(found) else BAD


def is_missing(value: Any) -> bool:
    """Whether a value is none: None, an empty string, or a NaN, as which data frames write missing values."""
    return value is None or (isinstance(value, str) and not value) or (isinstance(value, float) and value != value)


def text_id(value: Any) -> str | Literal[Bad.BAD] | None:
    """
    The id, or document key, that `value` is: text letter by letter, an integral number as its digits, None for none.

    `""` and missing values are no id; a fraction, a boolean, a list or an object is BAD.
    """
    if type(value) is str or value is None:
        return value or None
    if isinstance(value, NumberText):
        digits = value.removeprefix("-")
        if digits.isdigit():  # as JSON writes an integer, so of any size
            return str(value) if digits != "0" else digits
    elif isinstance(value, str):
        return str(value) or None
    if isinstance(value, float) and value != value:
        return None
    number = integral(value)
    return BAD if number is BAD or abs(number) >= _TOO_LONG else str(number)


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
        try:
            shown = repr(value)
        except ValueError:  # an integer of more digits than Python writes
            shown = "an integer of thousands of digits"
    return shown if len(shown) <= width else shown[: width - 1] + "…"

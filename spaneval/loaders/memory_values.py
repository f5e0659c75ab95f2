"""Values of records that are handed over in memory, numpy's and pandas' among them → plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import numpy as np

from spaneval.loaders.json_depth import DEEPEST
from spaneval.loaders.scalars import NumberText
from spaneval.problems import Problem, Problems

_LONG: Final = 10**1000
"""An integer that may be too long to be written."""


class _StrangeError(Exception):
    """A value that no JSON file could hold: what it is."""


def plain_fields(fields: Mapping[Any, Any], record: str, problems: Problems) -> dict[str, Any]:
    """
    The fields of one record with plain values; NaN, NaT and NA, as which data frames write missing values, are null.

    Args:
        fields: Values by name.
        record: Its id, for messages.
        problems: Gets values that no JSON file could hold, and two fields of one name, such as 2 and "2".

    """
    found: dict[str, Any] = {}
    if (strange := _strange_text(record)) is not None:
        problems.add(Problem(f"the id '{record}' of a record is {strange}, expected text or an integer"))
    for name, value in fields.items():
        try:
            key = _text(str(name))
            if key in found:
                raise _StrangeError("there twice, under names that are written alike")
            found[key] = _plain(value)
        except _StrangeError as error:
            message = f"record '{record}': the field '{name}' is {error}, expected a JSON value"
            problems.add(Problem(message))
    return found


def _plain(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int):
        return _integer(value) if type(value) is int and abs(value) >= _LONG else value
    if isinstance(value, np.longdouble):
        return _number(Decimal(str(value)))
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist(), depth) if value.dtype.kind != "M" else _moments(value.astype(str).tolist())
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, Mapping | list | tuple):
        if depth == DEEPEST:
            raise _StrangeError(f"of lists and objects that nest in more than {DEEPEST} levels")
        if isinstance(value, Mapping):
            return _members(value, depth + 1)
        return [_plain(item, depth + 1) for item in value]
    if type(value).__name__ == "NAType" or _is_nat(value):
        return None
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise _StrangeError(f"of the type {type(value).__name__}")


def _members(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    found = {_text(str(name)): _plain(item, depth) for name, item in value.items()}
    if len(found) < len(value):
        raise _StrangeError("an object with two members whose names are written alike")
    return found


def _text(value: str) -> str:
    """A text that UTF-8 can hold."""
    if (strange := _strange_text(value)) is not None:
        raise _StrangeError(strange)
    return value


def _strange_text(value: str) -> str | None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return "text with a lone half of a surrogate pair"
    return None


def _integer(value: int) -> int:
    """An integer that Python writes."""
    try:
        str(value)
    except ValueError as error:
        raise _StrangeError("an integer of thousands of digits") from error
    return value


def _is_nat(value: Any) -> bool:
    """Whether a value is pandas' missing moment; alone among moments, that is not equal to itself."""
    return isinstance(value, datetime) and value != value


def _moments(texts: Any) -> Any:
    """Dates of numpy as text."""
    if isinstance(texts, list):
        return [_moments(text) for text in texts]
    return None if texts == "NaT" else texts


def _number(value: float | Decimal) -> Any:
    if isinstance(value, Decimal):  # which may be beyond any float
        if value.is_infinite():
            raise _StrangeError(str(value))
        return None if value.is_nan() else NumberText(value)
    if value != value:
        return None
    if not math.isfinite(value):
        raise _StrangeError(str(value))
    return value


def rows_of_frame(frame: Any, key: str) -> Iterator[dict[str, Any]]:
    """
    The rows of a data frame as dicts.

    A column of floats without a fraction is one of integers: pandas has no other way to leave one out. The index is a
    column if it is named as the key and no column is.

    """
    if key not in frame.columns and frame.index.name == key:
        frame = frame.reset_index()
    columns = {str(name): _column(frame[name]) for name in frame.columns}
    for k in range(len(frame)):
        yield {name: values[k] for name, values in columns.items()}


def _column(series: Any) -> list[Any]:
    values = series.astype(object).where(series.notna(), None).tolist()
    is_float = getattr(series.dtype, "kind", "") == "f"
    if is_float and all(x is None or (math.isfinite(x) and float(x).is_integer()) for x in values):
        return [None if x is None else int(x) for x in values]
    return list(values)

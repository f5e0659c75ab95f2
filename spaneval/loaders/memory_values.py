"""Values of records that are handed over in memory, numpy's and pandas' among them → plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from spaneval.loaders.scalars import NumberText
from spaneval.problems import Problem, Problems


class _StrangeError(Exception):
    """A value that no JSON file could hold: what it is."""


def plain_fields(fields: Mapping[str, Any], record: str, problems: Problems) -> dict[str, Any]:
    """
    The fields of one record with plain values; NaN, NaT and NA, as which data frames write missing values, are null.

    Args:
        fields: Values by name.
        record: Its id, for messages.
        problems: Gets values that no JSON file could hold.

    """
    found: dict[str, Any] = {}
    for name, value in fields.items():
        try:
            found[name] = _plain(value)
        except _StrangeError as error:
            message = f"record '{record}': the field '{name}' is {error}, expected a JSON value"
            problems.add(Problem(message))
    return found


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist()) if value.dtype.kind != "M" else _moments(value.astype(str).tolist())
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if type(value).__name__ == "NAType" or value != value:  # a comparison of NA is NA, which is no bool
        return None
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise _StrangeError(f"of the type {type(value).__name__}")


def _moments(texts: Any) -> Any:
    """Dates of numpy as text."""
    if isinstance(texts, list):
        return [_moments(text) for text in texts]
    return None if texts == "NaT" else texts


def _number(value: float | Decimal) -> Any:
    if value != value:
        return None
    if not math.isfinite(value):
        raise _StrangeError(str(value))
    return value if isinstance(value, float) else NumberText(value)


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

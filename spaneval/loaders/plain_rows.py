"""
Rows whose values are all plain → lists and columns of them, without a look at each.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import repeat
from operator import contains, itemgetter
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import FloatArray, IntArray
from spaneval.loaders.scalars import field_values

ID_TYPES: Final = frozenset({int, str, type(None)})
"""Types of plain predicted ids."""


class Values(NamedTuple):
    """What N plain rows say: document keys and ids as they are, offsets as int64 of shape (N,)."""

    keys: list[Any]
    a: IntArray
    b: IntArray
    ids: list[Any]


def plain_values(
    rows: list[Any], name: Mapping[str, str], key_field: str, key_types: Collection[type], *, is_text: bool = False
) -> Values | None:
    """
    What rows say whose values are all of the usual types and whose spans are all possible; else None.

    Args:
        rows: What stands in each row.
        name: Our names of fields to those of the rows.
        key_field: Our name of the field with the document key.
        key_types: Types that it may have.
        is_text: Whether the format has no numbers, only strings of digits.

    """
    try:
        if any(map(contains, rows, repeat(name["a_abs"]))) or any(map(contains, rows, repeat(name["b_abs"]))):
            return None
        a, b = list(map(itemgetter(name["a"]), rows)), list(map(itemgetter(name["b"]), rows))
        if is_text:
            a, b = _integers(a), _integers(b)
        if set(map(type, a)) - {int} or set(map(type, b)) - {int}:
            return None
        starts, ends = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
        if not ((starts >= 0) & (starts < ends)).all():
            return None
        keys = field_values(rows, name[key_field])
        ids = field_values(rows, name["entity_id_predicted"])
    except (KeyError, TypeError, AttributeError, OverflowError):
        return None
    if set(map(type, keys)) - set(key_types) or set(map(type, ids)) - ID_TYPES or "" in keys:
        return None
    return Values(keys, starts, ends, ids)


def plain_scores(rows: list[Any], name: str) -> FloatArray | None:
    """The scores of rows, if all are finite numbers; else None."""
    try:
        scores = [row[name] for row in rows]
        if set(map(type, scores)) - {int, float}:
            return None
        found = np.array(scores, dtype=np.float64)
    except (KeyError, OverflowError):
        return None
    return found if np.isfinite(found).all() else None


def _integers(cells: list[Any]) -> list[Any]:
    """Cells as integers, if all are plain digits; else as they are."""
    letters = "".join(cells)
    is_plain = letters.isascii() and letters.isdigit() and "" not in cells and max(map(len, cells)) < 19
    return list(map(int, cells)) if is_plain else cells

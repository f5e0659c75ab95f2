"""Columns made of parts that were read one after another, and values that stand for the same id."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spaneval.corpus import CodeArray, IntArray

T = TypeVar("T", bound=Hashable)


class Coded(NamedTuple):
    """Distinct values in order, and the code of each raw value; -1 for those that are none."""

    values: list[Any]
    code_of: CodeArray


def narrow(offsets: IntArray) -> Any:
    """Offsets in 32 bits where they fit, so that parts that wait for the rest take half the room."""
    fits = not offsets.size or offsets.max() <= np.iinfo(np.int32).max
    return offsets.astype(np.int32) if fits else offsets


def joined(parts: Sequence[Any]) -> Any:
    """One array of all parts."""
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def coded(raw: Iterable[T | None]) -> Coded:
    """
    The distinct values in order, so that codes do not depend on what was read first.

    Args:
        raw: Values that may be equal; None and empty ones get -1.

    """
    normal = list(raw)
    values = sorted({value for value in normal if value})  # type: ignore[type-var]  # texts, or tuples of texts
    code: dict[Any, int] = {value: k for k, value in enumerate(values)}
    return Coded(values, np.array([code.get(value, -1) for value in normal], dtype=np.int32))

"""
Equal and unequal leaves of many pairs of rows at once: blocks of a matrix, or only those pairs that share a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from spaneval.pairing.row_contents import Content, Nearness

if TYPE_CHECKING:
    from spaneval.corpus import BoolArray, IntArray

BLOCK: Final = 1 << 22
"""Cells of the matrix looked at together."""

NO_GOLD, NO_PREDICTED = -1, -2
"""Places of a leaf that a row lacks; never equal."""


class Edges(NamedTuple):
    """
    Pairs that share a leaf, sorted by (left, right).

    Args:
        left, right: Numbers of the two rows, int64 of shape (E,).
        equal, unequal: Leaves, int64 of shape (E,).

    """

    left: IntArray
    right: IntArray
    equal: IntArray
    unequal: IntArray


class Similarity:
    """
    Compares the rows of two lists.

    Args:
        gold, predicted: The rows.
        near: Tolerances by path code.
        nested: Equal and unequal leaves of the nested arrays of a pair.

    """

    def __init__(
        self,
        gold: Sequence[Content],
        predicted: Sequence[Content],
        near: Mapping[int, Nearness],
        nested: Callable[[Content, Content], tuple[int, int]],
    ) -> None:
        self.gold, self.predicted, self._nested = gold, predicted, nested
        self.shape = len(gold), len(predicted)
        left, right = ({path for row in rows for path in row.leaves} for rows in (gold, predicted))
        paths = sorted(left & right)
        self.near = [near.get(path) for path in paths]
        codes = [_column(gold, path, NO_GOLD) for path in paths]
        self.place = [_column(predicted, path, NO_PREDICTED) for path in paths]
        self.low, self.high = [*codes], [*codes]
        for c, nearness in enumerate(self.near):
            if nearness is not None:
                _, self.low[c], self.high[c] = _windows(codes[c], nearness)
                self.place[c], _, _ = _windows(self.place[c], nearness)
        self.n_gold = np.fromiter((len(row.leaves) for row in gold), np.int64, len(gold))
        self.n_predicted = np.fromiter((len(row.leaves) for row in predicted), np.int64, len(predicted))
        self.gold_size = np.fromiter((row.size for row in gold), np.int64, len(gold))
        self.predicted_size = np.fromiter((row.size for row in predicted), np.int64, len(predicted))
        self.is_nested = any(row.arrays for row in gold) and any(row.arrays for row in predicted)

    @cached_property
    def _present(self) -> tuple[BoolArray, BoolArray]:
        """Which rows have the leaves that both sides know, rows by paths."""
        sides = ((self.low, NO_GOLD), (self.place, NO_PREDICTED))
        gold, predicted = (np.array([column != absent for column in side], np.bool_) for side, absent in sides)
        return gold.reshape(-1, self.shape[0]).T, predicted.reshape(-1, self.shape[1]).T

    @property
    def is_uniform(self) -> bool:
        """Whether all rows of both sides have the same leaves and no nested arrays, so that only values differ."""
        n_paths = len(self.low)
        is_flat = not any(row.arrays for row in chain(self.gold, self.predicted))
        return is_flat and bool(
            (self.n_gold == n_paths).all()
            and (self.n_predicted == n_paths).all()
            and all(part.all() for part in self._present)
        )

    @cached_property
    def is_constant(self) -> list[bool]:
        """Of each path that both sides know, whether all pairs are equal there."""
        return [
            bool(low.max() <= place.min() and place.max() <= high.min() and low.min() >= 0)
            for low, high, place in zip(self.low, self.high, self.place, strict=True)
        ]

    def block(self, rows: slice) -> tuple[IntArray, IntArray]:
        """Equal and unequal leaves of some gold rows with all predicted rows, int64 of shape (rows, m)."""
        gold, predicted = self._present
        equal = np.zeros((len(self.n_gold[rows]), self.shape[1]), np.int64)
        for nearness, low, high, place in zip(self.near, self.low, self.high, self.place, strict=True):
            if nearness is None:
                equal += low[rows, None] == place
            else:
                equal += (low[rows, None] <= place) & (place <= high[rows, None]) & (low[rows, None] >= 0)
        unequal = self.n_gold[rows, None] + self.n_predicted - equal
        if gold.all() and predicted.all():
            unequal -= len(self.low)
        else:
            unequal -= (gold[rows].astype(np.float32) @ predicted.T.astype(np.float32)).astype(np.int64)
        if self.is_nested:
            holders = [j for j, row in enumerate(self.predicted) if row.arrays]
            for i, row in enumerate(self.gold[rows]):
                for j in holders if row.arrays else ():
                    inner = self._nested(row, self.predicted[j])
                    equal[i, j] += inner[0]
                    unequal[i, j] += inner[1]
        return equal, unequal

    def blocks(self) -> Iterator[tuple[slice, IntArray, IntArray]]:
        """The whole matrix: gold rows, equal and unequal leaves."""
        step = max(1, BLOCK // self.shape[1])
        for first in range(0, self.shape[0], step):
            rows = slice(first, min(first + step, self.shape[0]))
            yield rows, *self.block(rows)

    def count_shared(self, *, without_constant: bool = False) -> int:
        """How many leaves all pairs share in total: no less than pairs that share one."""
        return sum(int((last - first).sum()) for _, _, first, last in self._joins(without_constant=without_constant))

    def edges(self, *, without_constant: bool = False) -> Edges:
        """The pairs that share a leaf; `without_constant`: one whose path is not constant."""
        m = self.shape[1]
        parts = [_expand(*join, m) for join in self._joins(without_constant=without_constant)]
        n_plain = sum(map(len, parts[: -1 if self.is_nested else None]))
        pairs = np.concatenate([*parts, np.zeros(0, np.int64)])
        order = np.argsort(pairs, kind="stable")
        is_first = np.ones(len(pairs), np.bool_)
        is_first[1:] = pairs[order][1:] != pairs[order][:-1]
        first = np.flatnonzero(is_first)
        equal = np.add.reduceat((order < n_plain).astype(np.int64), first) if len(first) else first
        left, right = np.divmod(pairs[order[first]], m)
        equal += sum(self.is_constant) if without_constant else 0
        unequal = self.n_gold[left] + self.n_predicted[right] - equal - self._common(left, right)
        if self.is_nested:
            self._add_nested(left, right, equal, unequal)
        keep = equal > 0
        return Edges(left[keep], right[keep], equal[keep], unequal[keep])

    def _common(self, left: IntArray, right: IntArray) -> IntArray:
        """Leaves that both rows of a pair have, equal or not."""
        gold, predicted = self._present
        common = np.zeros(len(left), np.int64)
        for c in range(len(self.low)):
            common += gold[left, c] & predicted[right, c]
        return common

    def _add_nested(self, left: IntArray, right: IntArray, equal: IntArray, unequal: IntArray) -> None:
        for k, (i, j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            if self.gold[i].arrays and self.predicted[j].arrays:
                inner = self._nested(self.gold[i], self.predicted[j])
                equal[k] += inner[0]
                unequal[k] += inner[1]

    def _joins(self, *, without_constant: bool) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
        """Per path, gold rows, predicted rows in some order, and the stretch of these that each gold row meets."""
        for c, place in enumerate(self.place):
            if without_constant and self.is_constant[c]:
                continue
            gold = np.flatnonzero(self.low[c] >= 0)
            predicted = np.argsort(place, kind="stable")
            ordered = place[predicted]
            first = np.searchsorted(ordered, self.low[c][gold])
            yield gold, predicted, first, np.searchsorted(ordered, self.high[c][gold], "right")
        if self.is_nested:
            yield self._inner_join

    @cached_property
    def _inner_join(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The same for leaves of nested rows, all paths together."""
        known: dict[tuple[int, int], int] = {}
        gold, gold_leaf = _inner(self.gold, known)
        predicted, predicted_leaf = _inner(self.predicted, known)
        order = np.argsort(predicted_leaf, kind="stable")
        ordered = predicted_leaf[order]
        first, last = (np.searchsorted(ordered, gold_leaf, side) for side in ("left", "right"))
        return gold, predicted[order], first, last


def _column(rows: Sequence[Content], path: int, absent: int) -> IntArray:
    return np.fromiter((row.leaves.get(path, absent) for row in rows), np.int64, len(rows))


def _windows(codes: IntArray, nearness: Nearness) -> tuple[IntArray, IntArray, IntArray]:
    """Place, lowest and highest close place of each code; what is absent stays as it is."""
    distinct, inverse = np.unique(codes, return_inverse=True)
    table = [nearness.window(code) if code >= 0 else (code,) * 3 for code in distinct.tolist()]
    place, low, high = np.array(table, np.int64).reshape(-1, 3).T[:, inverse.reshape(-1)]
    return place, low, high


def _inner(rows: Sequence[Content], known: dict[tuple[int, int], int]) -> tuple[IntArray, IntArray]:
    """Row and number of each leaf of nested rows."""
    pairs = [(k, known.setdefault(leaf, len(known))) for k, row in enumerate(rows) for leaf in row.inner]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _expand(gold: IntArray, predicted: IntArray, first: IntArray, last: IntArray, width: int) -> IntArray:
    """A stretch of predicted rows per gold row as numbers of pairs."""
    count = last - first
    start = np.repeat(first - (np.cumsum(count) - count), count)
    return np.repeat(gold, count) * width + predicted[start + np.arange(int(count.sum()))]

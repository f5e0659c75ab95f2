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
        self.has_positions = any(bag.is_ordered for row in gold for bag in row.arrays.values())

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
            left, right = self._inner_pairs(rows)
            inner = self._compare_inner(left, right)
            equal[left - rows.start, right] += inner[0]
            unequal[left - rows.start, right] += inner[1]
        return equal, unequal

    def blocks(self) -> Iterator[tuple[slice, IntArray, IntArray]]:
        """The whole matrix: gold rows, equal and unequal leaves."""
        step = max(1, BLOCK // self.shape[1])
        for first in range(0, self.shape[0], step):
            rows = slice(first, min(first + step, self.shape[0]))
            yield rows, *self.block(rows)

    def count_shared(self, *, without_constant: bool = False) -> int:
        """How many leaves all pairs share in total, nested ones left out: no less than pairs that share one."""
        return sum(int((last - first).sum()) for _, _, first, last in self._joins(without_constant=without_constant))

    def count_inner(self) -> int:
        """The same for leaves of nested rows: no less than pairs whose nested rows have to be paired."""
        if not self.is_nested:
            return 0
        if self.has_positions:
            return self.shape[0] * self.shape[1]
        _, _, first, last = self._inner_join
        return int((last - first).sum())

    def edges(self, *, without_constant: bool = False) -> Edges:
        """The pairs that share a leaf; `without_constant`: one whose path is not constant."""
        m = self.shape[1]
        plain = [_expand(*join, m) for join in self._joins(without_constant=without_constant)]
        pairs, equal = np.unique(np.concatenate([*plain, np.zeros(0, np.int64)]), return_counts=True)
        if self.is_nested:
            left, right = self._inner_pairs(slice(0, self.shape[0]))
            inner = left * m + right
            both = np.union1d(pairs, inner)
            count = np.zeros(len(both), np.int64)
            count[np.searchsorted(both, pairs)] = equal
            pairs, equal = both, count
        equal = equal + (sum(self.is_constant) if without_constant else 0)
        ends = np.divmod(pairs, m)
        unequal = self.n_gold[ends[0]] + self.n_predicted[ends[1]] - equal - self._common(*ends)
        if self.is_nested:
            at = np.searchsorted(pairs, inner)
            more = self._compare_inner(left, right)
            equal[at] += more[0]
            unequal[at] += more[1]
        keep = equal > 0
        return Edges(ends[0][keep], ends[1][keep], equal[keep], unequal[keep])

    def _common(self, left: IntArray, right: IntArray) -> IntArray:
        """Leaves that both rows of a pair have, equal or not."""
        gold, predicted = self._present
        common = np.zeros(len(left), np.int64)
        for c in range(len(self.low)):
            common += gold[left, c] & predicted[right, c]
        return common

    def _inner_pairs(self, rows: slice) -> tuple[IntArray, IntArray]:
        """Pairs of some gold rows whose nested rows share a leaf, or are paired by position."""
        if self.has_positions:
            gold = [i for i in range(rows.start, rows.stop) if self.gold[i].arrays]
            predicted = [j for j, row in enumerate(self.predicted) if row.arrays]
            left, right = np.meshgrid(np.array(gold, np.int64), np.array(predicted, np.int64), indexing="ij")
            return left.ravel(), right.ravel()
        gold_row, predicted_row, first, last = self._inner_join
        some = slice(*np.searchsorted(gold_row, [rows.start, rows.stop]))
        pairs = _expand(gold_row[some], predicted_row, first[some], last[some], self.shape[1])
        left, right = np.divmod(np.unique(pairs), self.shape[1])
        return left, right

    def _compare_inner(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """Equal and unequal leaves of nested rows."""
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        scores = np.array([self._nested(self.gold[i], self.predicted[j]) for i, j in pairs], np.int64).reshape(-1, 2)
        return scores[:, 0], scores[:, 1]

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

    @cached_property
    def _inner_join(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The same for leaves of nested rows, all paths together; gold rows ascend."""
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

"""The first interval of many that reaches beyond a point, while intervals are taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spaneval.corpus import IntArray

BLOCK = 512
"""Ends per block: for 100,000 ends the blocks and one block take about the same time to look through."""

TAKEN = np.iinfo(np.int64).min


class Shelf:
    """
    Right ends in a fixed order, with the largest end of each block at hand.

    Args:
        end: int64 of shape (S,); copied.

    """

    def __init__(self, end: IntArray) -> None:
        n_blocks = -(-len(end) // BLOCK)
        self._end = np.full((n_blocks, BLOCK), TAKEN)
        self._end.ravel()[: len(end)] = end
        self._flat = self._end.ravel()
        self._top = self._end.max(axis=1)

    def first(self, point: int, lo: int, hi: int) -> int:
        """The first place from `lo` on and before `hi` whose end lies beyond `point`; -1 if there is none."""
        block = lo // BLOCK
        place = self._first_in(point, lo, min(hi, (block + 1) * BLOCK))
        if place >= 0 or (block + 1) * BLOCK >= hi:
            return place
        beyond = self._top[block + 1 : -(-hi // BLOCK)] > point
        k = int(beyond.argmax())
        if not beyond[k]:
            return -1
        lo = (block + 1 + k) * BLOCK
        return self._first_in(point, lo, min(hi, lo + BLOCK))

    def _first_in(self, point: int, lo: int, hi: int) -> int:
        if lo >= hi:
            return -1
        beyond = self._flat[lo:hi] > point
        k = int(beyond.argmax())
        return lo + k if beyond[k] else -1

    def take(self, place: int) -> None:
        """Take the interval at `place` away."""
        self._flat[place] = TAKEN
        block = place // BLOCK
        self._top[block] = self._end[block].max()

    def free(self, lo: int, hi: int) -> IntArray:
        """Places from `lo` on and before `hi` that nobody took, counted from `lo`."""
        return np.flatnonzero(self._flat[lo:hi] != TAKEN)

"""
Confusion matrices: how often which class was taken for which, what follows from that, and what luck would do to it.

Everything that is measured depends on the margins alone: of each class, how many objects are right, actual, predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from spaneval.corpus import FloatArray, IntArray
from spaneval.draws import ByteArray, document_weights

BLOCK_CELLS: Final = 1 << 20
"""Numbers that are drawn at once; those of one resample at least."""

MOST_DRAWN: Final = 4096
"""Objects up to which each is drawn by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """
    A confusion matrix.

    Args:
        classes: Names of the K classes, all different, in the order of rows and columns.
        cells: How many objects of the class of a row were taken for that of a column, int64 of shape (K, K).

    """

    classes: tuple[str, ...]
    cells: IntArray

    @classmethod
    def of(cls, classes: Sequence[str], actual: IntArray, predicted: IntArray) -> Confusion:
        """
        The matrix of N objects.

        Args:
            classes: Names of the classes.
            actual: Class of each object as a place in `classes`, of shape (N,).
            predicted: What it was taken for.

        """
        k = len(classes)
        cells = np.bincount(actual * k + predicted, minlength=k * k).astype(np.int64, copy=False)
        return cls(tuple(classes), cells.reshape(k, k))

    @property
    def n(self) -> int:
        """Objects."""
        return int(self.cells.sum())

    @property
    def margins(self) -> Margins:
        """Those of the matrix itself."""
        return Margins(self.cells.diagonal(), self.cells.sum(axis=1), self.cells.sum(axis=0))

    def collapsed(self, positive: str, rest: str) -> Confusion:
        """The matrix of one class against all others together, which are called `rest`."""
        is_rest = np.array([int(name != positive) for name in self.classes])
        cells = np.zeros((2, 2), dtype=np.int64)
        np.add.at(cells, np.ix_(is_rest, is_rest), self.cells)
        return Confusion((positive, rest), cells)


class Margins(NamedTuple):
    """
    Sums of one matrix, or of many at once.

    Args:
        right: Objects of each class that got it, int64 of shape (..., K).
        actual: Objects of each class.
        predicted: Objects that were taken for each class.

    """

    right: IntArray
    actual: IntArray
    predicted: IntArray

    @property
    def n(self) -> IntArray:
        """All objects, of shape (...)."""
        total: IntArray = self.actual.sum(axis=-1)
        return total


def cohen_kappa(margins: Margins) -> FloatArray:
    """
    How much of the agreement that chance leaves over was reached.

    With c of n objects right, `(n·c - Σ actual·predicted) / (n² - Σ actual·predicted)`.

    Returns:
        float64 of shape (...); NaN where both sides hold one and the same class only, so that chance leaves nothing.

    Source: Cohen 1960, A coefficient of agreement for nominal scales, doi 10.1177/001316446002000104.
    """
    by_chance = (margins.actual * margins.predicted).sum(axis=-1)
    n = margins.n
    return _ratio(n * margins.right.sum(axis=-1) - by_chance, n * n - by_chance)


def matthews(margins: Margins) -> FloatArray:
    """
    The correlation of actual and predicted classes.

    With c of n objects right, `(n·c - Σ actual·predicted) / √((n² - Σ actual²)·(n² - Σ predicted²))`, which for two
    classes is the coefficient of Matthews 1975.

    Returns:
        float64 of shape (...); NaN where either side holds one class only, so that nothing varies.

    Source: Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient,
    doi 10.1016/j.compbiolchem.2004.09.006.
    """
    n = margins.n
    top = n * margins.right.sum(axis=-1) - (margins.actual * margins.predicted).sum(axis=-1)
    varied = [(n * n - (side * side).sum(axis=-1)).astype(np.float64) for side in (margins.actual, margins.predicted)]
    return _ratio(top, np.sqrt(varied[0] * varied[1]))


def _ratio(top: IntArray, bottom: IntArray | FloatArray) -> FloatArray:
    """One by the other, NaN where that is 0/0; internal, no report shows a NaN."""
    result: FloatArray = np.full(np.shape(bottom), np.nan)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result


def resampled(
    confusion: Confusion, *, resamples: int, rng: np.random.Generator, objects: IntArray | None = None
) -> Iterator[Margins]:
    """
    Margins of resamples: n of the n objects drawn with replacement, again and again.

    Objects in one cell are alike, so that their numbers in a resample are multinomial with the shares of the cells, and
    no object needs to be drawn by itself. Few objects are drawn by themselves all the same, where they are known: with
    the draws of `spaneval.resampling`, so that a classifier has the same intervals alone and beside others.

    Args:
        confusion: The matrix.
        resamples: How many, R.
        rng: Source of randomness.
        objects: Cell of each object, row · K + column, int64 of shape (n,), in the order in which they are resampled.

    Yields:
        Margins of blocks of resamples, of shape (B, K); R in all, whatever the size of a block.

    Cost: R draws for each cell that is not empty, of some 100 ns; or for each of few objects, of some 20 ns.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 5 (bootstrap of proportions).
    """
    k, n = len(confusion.classes), confusion.n
    used = np.flatnonzero(confusion.cells)
    rows, columns = np.divmod(used, k)
    across = np.lexsort((rows, columns))
    diagonal = np.flatnonzero(rows == columns)
    if objects is None or n > MOST_DRAWN:
        size = max(1, BLOCK_CELLS // max(1, len(used), k))
        blocks = _by_cell(confusion.cells.ravel()[used], resamples, rng, size)
    else:
        size = max(1, BLOCK_CELLS // max(n, k))
        blocks = _by_object(objects, document_weights(n, resamples, rng, size))
    for drawn in blocks:
        right = np.zeros((len(drawn), k), dtype=np.int64)
        right[:, rows[diagonal]] = drawn[:, diagonal]
        yield Margins(right, _summed(drawn, rows, k), _summed(drawn[:, across], columns[across], k))


def _by_cell(numbers: IntArray, resamples: int, rng: np.random.Generator, size: int) -> Iterator[IntArray]:
    """Objects in each cell that is not empty, int64 of shape (B, U)."""
    n = int(numbers.sum())
    for start in range(0, resamples, size):
        yield rng.multinomial(n, numbers / n, size=min(size, resamples - start))


def _by_object(objects: IntArray, weights: Iterable[ByteArray]) -> Iterator[IntArray]:
    """The same from how often each object is drawn."""
    order = np.argsort(objects, kind="stable")
    _, starts = np.unique(objects[order], return_index=True)
    for block in weights:
        yield np.add.reduceat(block[:, order], starts, axis=1, dtype=np.int64)


def _summed(drawn: IntArray, classes: IntArray, k: int) -> IntArray:
    """Sums over the cells of each class, which stand side by side, as int64 of shape (B, K)."""
    found, starts = np.unique(classes, return_index=True)
    sums = np.zeros((len(drawn), k), dtype=np.int64)
    sums[:, found] = np.add.reduceat(drawn, starts, axis=1)
    return sums

"""
Large arrays: the best pairing of many rows that differ, and the greedy one.

Two solvers of the assignment problem, both exact: a matrix of all pairs, or the pairs that share a leaf where these are
few. A path at which all rows are equal makes every pair share a leaf but tells nothing; where all rows have the same
leaves, it is left out, and rows that share nothing else are paired in order of content at the end.

Where looking for the first one of the best pairings would take longer than `EFFORT`, the solver's choice stands. It
knows rows in order of content, so it does not depend on their order either.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np

from spaneval.exceptions import InputError
from spaneval.pairing.canonical import first_optimal
from spaneval.pairing.optimum import FLOAT_EXACT, Solution, solve
from spaneval.problems import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spaneval.corpus import IntArray
    from spaneval.pairing.row_similarity import Edges, Similarity

MEMORY: Final = 4 << 30
"""Bytes that pairing may take."""

CELL_BYTES: Final = 24
"""Bytes per pair of a matrix while it is solved."""

SHARED_BYTES: Final = 120
"""Bytes per leaf that two rows share while the pairs that share one are listed and solved."""

INNER_BYTES: Final = 400
"""Bytes per pair of rows with nested arrays that share a leaf: what became of them is remembered."""

SPARSE: Final = 16
"""A list costs less than a matrix where at most every sixteenth pair is on it."""

SMALL: Final = 1 << 14
"""Pairs for which a matrix costs next to nothing."""

EFFORT: Final = 2_000_000_000
"""Gold rows times pairs that a best pairing may hold, up to which the first one is looked for (some 20 seconds)."""


def best_pairs(similarity: Similarity, *, whole_first: bool, name: str) -> list[tuple[int, int]]:
    """
    The best pairing.

    Args:
        similarity: The rows, in order of content.
        whole_first: Whether pairs that are equal as a whole come first; else there must be none.
        name: The array, for messages.

    Returns:
        Pairs of numbers of rows.

    Raises:
        InputError: If it would take too much memory.

    """
    n, m = similarity.shape
    n_inner = similarity.count_inner()
    if n_inner * INNER_BYTES > MEMORY:
        _refuse(similarity, n_inner, n_inner * INNER_BYTES, name)
    if n * m <= SMALL:
        return _by_matrix(similarity, whole_first=whole_first, name=name)
    n_shared = similarity.count_shared() + n_inner
    list_bytes, matrix_bytes = n_shared * SHARED_BYTES, n * m * CELL_BYTES
    if list_bytes <= MEMORY and (n_shared * SPARSE <= n * m or matrix_bytes > MEMORY):
        edges = similarity.edges()
        weight = _Aims(similarity, whole_first=whole_first, name=name).weigh(edges)
        return _by_list(edges.left, edges.right, weight)
    if matrix_bytes <= MEMORY:
        return _by_matrix(similarity, whole_first=whole_first, name=name)
    if not similarity.is_uniform or similarity.count_shared(without_constant=True) * SHARED_BYTES > MEMORY:
        _refuse(similarity, n_shared, min(list_bytes, matrix_bytes), name)
    return _without_constant(similarity, whole_first=whole_first, name=name)


def greedy_pairs(similarity: Similarity) -> list[tuple[int, int]]:
    """
    Pairs one after another: most equal leaves, then fewest unequal ones, then by content.

    Each gold row waits with the best pair that it could have when it was last looked at. Pairs only get fewer, so the
    best of all that wait is the next one unless its predicted row is taken; then the row is looked at again.

    Cost: one row of the matrix per look, memory for one block of it.
    """
    radix = int(similarity.gold_size.max() + similarity.predicted_size.max()) + 1
    is_taken = np.zeros(similarity.shape[1], np.bool_)
    waiting: list[tuple[int, int, int]] = []
    for rows, equal, unequal in similarity.blocks():
        keys = np.where(equal > 0, equal * radix - unequal, 0)
        best = keys.argmax(axis=1)
        top = keys[np.arange(len(best)), best]
        waiting.extend(zip((-top).tolist(), range(rows.start, rows.stop), best.tolist(), strict=True))
    heapify(waiting)
    found = []
    while waiting and waiting[0][0] < 0:
        _, i, j = waiting[0]
        if not is_taken[j]:
            found.append((i, j))
            is_taken[j] = True
            heappop(waiting)
            continue
        equal, unequal = similarity.block(slice(i, i + 1))
        key = np.where((equal[0] > 0) & ~is_taken, equal[0] * radix - unequal[0], 0)
        j = int(key.argmax())
        heapreplace(waiting, (-int(key[j]), i, j))
    return found


class _Aims:
    """All aims in one whole number per pair, held by float64; 0 for what is no pair."""

    def __init__(self, similarity: Similarity, *, whole_first: bool, name: str) -> None:
        gold, predicted = similarity.gold_size, similarity.predicted_size
        self.gold, self.predicted = gold, predicted
        self.n_pairs = min(similarity.shape)
        self.radix = self.n_pairs * int(gold.max() + predicted.max()) + 1
        largest = self.radix * int(min(gold.max(), predicted.max()))
        self.whole = self.n_pairs * largest + 1 if whole_first else 0
        if self.n_pairs * (largest + self.whole) > 4 * FLOAT_EXACT:
            _refuse(similarity, similarity.count_shared() + similarity.count_inner(), 0, name)

    def weigh(self, edges: Edges) -> IntArray:
        """Weights of listed pairs."""
        whole = (edges.equal == self.gold[edges.left]) & (edges.equal == self.predicted[edges.right])
        return self._weight(edges.equal, edges.unequal, whole)

    def weigh_block(self, rows: slice, equal: IntArray, unequal: IntArray) -> IntArray:
        """Weights of a block of the matrix."""
        whole = (equal == self.gold[rows, None]) & (equal == self.predicted)
        return self._weight(equal, unequal, whole)

    def _weight(self, equal: IntArray, unequal: IntArray, whole: NDArray[np.bool_]) -> IntArray:
        weight = equal * self.radix - unequal
        if self.whole:
            weight += self.whole * whole
        weight *= equal > 0
        return weight


def _by_matrix(similarity: Similarity, *, whole_first: bool, name: str) -> list[tuple[int, int]]:
    aims = _Aims(similarity, whole_first=whole_first, name=name)
    by_right = np.empty(similarity.shape[::-1])
    for rows, equal, unequal in similarity.blocks():
        by_right[:, rows] = aims.weigh_block(rows, equal, unequal).T
    return _solved(by_right)


def _solved(by_right: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The first best choice from a matrix of weights, predicted rows by gold rows."""
    solution = solve(by_right)
    left, right = [], []
    step = max(1, (1 << 22) // by_right.shape[1])
    for first in range(0, len(by_right), step):
        part = by_right[first : first + step]
        tight = part == solution.dual_left + solution.dual_right[first : first + step, None]
        j, i = np.nonzero(tight & (part > 0))
        left.append(i)
        right.append(first + j)
    return _first(np.concatenate(left), np.concatenate(right), solution)


def _first(left: IntArray, right: IntArray, solution: Solution) -> list[tuple[int, int]]:
    """The first best choice among tight pairs."""
    if len(left) * len(solution.dual_left) > EFFORT:
        mate = np.asarray(solution.mate)
        taken = np.flatnonzero(mate >= 0)
        return list(zip(taken.tolist(), mate[taken].tolist(), strict=True))
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    chosen = first_optimal(left, right, *solution)
    return list(zip(left[chosen].tolist(), right[chosen].tolist(), strict=True))


def _by_list(left: IntArray, right: IntArray, weight: IntArray) -> list[tuple[int, int]]:
    """The first best choice from a list of pairs, sorted by (left, right)."""
    if not len(left):
        return []
    rows, left = np.unique(left, return_inverse=True)
    columns, right = np.unique(right, return_inverse=True)
    solution = _solve_list(left, right, weight, (len(rows), len(columns)))
    tight = solution.dual_left[left] + solution.dual_right[right] == weight
    found = _first(left[tight], right[tight], solution)
    return [(int(rows[i]), int(columns[j])) for i, j in found]


def _solve_list(left: IntArray, right: IntArray, weight: IntArray, shape: tuple[int, int]) -> Solution:
    """
    Scipy's sparse assignment (LAPJVsp), and the smallest left duals that fit it.

    Each left end has a right end of its own to go without a mate. Duals by Bellman-Ford, all pairs at once: see
    `optimum._left_duals`.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n, m = shape
    lone = np.arange(n)
    values = np.concatenate([weight + 1.0, np.ones(n)])
    ends = np.concatenate([left, lone]), np.concatenate([right, m + lone])
    rows, columns = min_weight_full_bipartite_matching(csr_array((values, ends), shape=(n, m + n)), maximize=True)
    mate = np.full(n, -1)
    mate[rows] = np.where(columns < m, columns, -1)
    holder = np.full(m, n)
    holder[mate[mate >= 0]] = np.flatnonzero(mate >= 0)
    paid = np.zeros(n + 1, np.int64)
    is_mate = mate[left] == right
    paid[left[is_mate]] = weight[is_mate]
    via = holder[right]
    gain = weight - paid[via]
    first = np.flatnonzero(np.concatenate([[True], left[1:] != left[:-1]]))
    dual = np.zeros(n + 1, np.int64)
    while True:
        asked = np.maximum(np.maximum.reduceat(gain + dual[via], first), dual[:n])
        if np.array_equal(asked, dual[:n]):
            break
        dual[:n] = asked
    return Solution(mate, dual[:n], (paid - dual)[holder])


def _without_constant(similarity: Similarity, *, whole_first: bool, name: str) -> list[tuple[int, int]]:
    """
    Rows that all have the same leaves, and share some of them all.

    As many pairs as can be belong to every best pairing then, and all have the same number of leaves, equal or not; so
    what counts is equal leaves at the other paths, and the rest is filled up.
    """
    edges = similarity.edges(without_constant=True)
    edges = edges._replace(equal=edges.equal - sum(similarity.is_constant))
    n_pairs = min(similarity.shape)
    weight = edges.equal.copy()
    if whole_first:
        n_paths = len(similarity.low)
        weight += (n_pairs * n_paths + 1) * (edges.equal == n_paths - sum(similarity.is_constant))
    found = _by_list(edges.left, edges.right, weight)
    left = np.setdiff1d(np.arange(similarity.shape[0]), [i for i, _ in found])
    right = np.setdiff1d(np.arange(similarity.shape[1]), [j for _, j in found])
    return found + list(zip(left.tolist(), right.tolist(), strict=False))


def _refuse(similarity: Similarity, n_shared: int, n_bytes: int, name: str) -> NoReturn:
    n, m = similarity.shape
    would = f"take about {n_bytes / 2**30:,.1f} GiB of memory, more than the {MEMORY / 2**30:g} GiB that it may take"
    if not n_bytes:
        would = "need larger numbers than it counts exactly"
    message = (
        f"{name + ': ' if name else ''}{n:,} gold rows and {m:,} predicted rows differ, with up to "
        f"{min(n_shared, n * m):,} candidate pairs: the best pairing would {would}"
    )
    hint = "pair the most similar rows first, --pairing greedy, or rows by position, --ordered PATH"
    raise InputError([Problem(message, hint=hint)])

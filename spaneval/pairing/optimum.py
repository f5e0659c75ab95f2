"""
The exact optimum of one cluster, and the canonical one among all that are as good.

Both solvers give an optimal matching and optimal duals; the canonical choice then needs only the tight edges, those
whose weight the duals reach exactly: a matching is optimal if and only if it consists of tight edges and covers every
end whose dual is positive.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spaneval.pairing.canonical import first_optimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spaneval.corpus import IntArray

SPARSE = 8
"""Up to this many edges per end a cluster counts as sparse: paths are short, and a loop beats a matrix."""

LOOP_STEPS = 300_000
"""Edges times ends of the smaller side up to which our own solver is fast enough (a fifth of a second)."""

DENSE_CELLS = 1 << 23
"""Largest matrix handed to scipy, 64 MiB."""

FLOAT_EXACT = 1 << 50
"""Bound of a total for scipy's float64: distances and duals are differences of totals, and 2**53 leaves them room."""


class Solution(NamedTuple):
    """
    An optimal matching with its certificate.

    Args:
        mate: Right end of each left end, -1 where it has none. dual_left, dual_right: Duals >= 0; their sum is at
            least the weight of each edge, equal on the matching, and they are 0 where an end has no mate.

    """

    mate: Sequence[int] | IntArray
    dual_left: NDArray[Any]
    dual_right: NDArray[Any]


def pack(levels: Sequence[NDArray[np.integer]], n_pairs: int, limit: int) -> tuple[IntArray, int]:
    """
    As many leading levels as fit, in one weight per edge.

    The digit of a level holds its total over `n_pairs` edges, so that no carry ever reaches a more important one.

    Returns:
        Weights whose totals stay below `limit`, int64, and the number of levels that they hold.

    """
    weight = np.zeros(len(levels[0]), np.int64)
    bound = 1
    for used, level in enumerate(levels):
        radix = n_pairs * int(level.max(initial=0)) + 1
        if bound * radix > limit:
            return weight, used
        bound *= radix
        weight = weight * radix + level
    return weight, len(levels)


def best_edges(left: IntArray, right: IntArray, levels: Sequence[NDArray[np.integer]]) -> IntArray:
    """
    The canonical optimum of one cluster.

    Args:
        left, right: Ends of each edge, int64 of shape (E,), numbered from 0 without gaps; sorted by (left, right).
        levels: Aims, the first one most important, integers >= 0 of shape (E,).

    Returns:
        Numbers of the chosen edges, sorted.

    """
    n, m = int(left.max()) + 1, int(right.max()) + 1
    levels = _distinct([*levels])
    is_sparse = len(left) <= SPARSE * (n + m) or len(left) * min(n, m) <= LOOP_STEPS
    room = FLOAT_EXACT // (4 * min(n, m) ** 2)  # beside one level, a stage counts the ends that must be covered
    fits = n * m <= DENSE_CELLS and all(int(level.max()) < room for level in levels)
    solve = _staged if fits and not is_sparse else _at_once
    return solve(left, right, levels, (n, m))


def _distinct(levels: list[NDArray[np.integer]]) -> list[NDArray[np.integer]]:
    """Without levels that decide nothing: those that are 0 everywhere or equal an earlier one."""
    kept: list[NDArray[np.integer]] = []
    for level in levels:
        if level.any() and not any(np.array_equal(level, other) for other in kept):
            kept.append(level)
    return kept


def _at_once(
    left: IntArray, right: IntArray, levels: Sequence[NDArray[np.integer]], shape: tuple[int, int]
) -> IntArray:
    """All levels in one weight of whatever size, by our own solver."""
    weight = [0] * len(left)
    for level in levels:
        radix = min(shape) * int(level.max()) + 1
        weight = [w * radix + x for w, x in zip(weight, level.tolist(), strict=True)]
    solution = augment(left.tolist(), right.tolist(), weight, shape)
    slack = solution.dual_left[left] + solution.dual_right[right] - np.array(weight, object)
    tight = np.flatnonzero(slack == 0)
    return tight[first_optimal(left[tight], right[tight], *solution)]


def _staged(left: IntArray, right: IntArray, levels: Sequence[NDArray[np.integer]], shape: tuple[int, int]) -> IntArray:
    """
    Groups of levels one after another, by scipy's solver.

    A stage keeps its tight edges, and the next one has first of all to cover the ends that must be covered.
    """
    edges = np.arange(len(left))
    must: list[NDArray[np.integer]] = []
    while levels:
        weight, used = pack([*must, *levels], min(shape), FLOAT_EXACT)
        solution = _dense(left[edges], right[edges], weight, shape)
        slack = solution.dual_left[left[edges]] + solution.dual_right[right[edges]] - weight
        is_tight = slack == 0
        edges = edges[is_tight]
        levels = [level[is_tight] for level in levels[used - len(must) :]]
        must_left, must_right = solution.dual_left[left[edges]] > 0, solution.dual_right[right[edges]] > 0
        must = [must_left.astype(np.int8) + must_right]
    return edges[first_optimal(left[edges], right[edges], *solution)]


def _dense(left: IntArray, right: IntArray, weight: IntArray, shape: tuple[int, int]) -> Solution:
    """One stage: its edges as a matrix."""
    by_right = np.zeros(shape[::-1], np.int64)
    by_right[right, left] = weight
    return solve(by_right)


def solve(by_right: NDArray[Any]) -> Solution:
    """
    Scipy's assignment, and the smallest left duals that fit it.

    Args:
        by_right: Weights of shape (m, n), right ends by left ends, 0 where there is no edge. Whole numbers, int64 or
            float64, whose totals stay below `FLOAT_EXACT`.

    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(_costs(by_right.T))
    is_edge = by_right[columns, rows] > 0
    rows, columns = rows[is_edge], columns[is_edge]
    mate = np.full(by_right.shape[1], -1)
    mate[rows] = columns
    paid = by_right[columns, rows]
    dual_left, dual_right = _left_duals(by_right, mate), np.zeros(len(by_right), by_right.dtype)
    dual_right[columns] = paid - dual_left[rows]
    return Solution(mate, dual_left, dual_right)


def _costs(weight: NDArray[Any]) -> NDArray[Any]:
    """
    What an assignment of the smaller side loses against the largest weight of each of its ends, of weight's shape and
    type.

    Same optimum as the weights; scipy's search, which starts from zero duals, is up to four times faster from here.
    """
    n, m = weight.shape
    cost: NDArray[Any] = weight.max(axis=int(n <= m), keepdims=True) - weight
    if n == m:
        cost -= cost.min(axis=0)
    return cost


def _left_duals(by_right: NDArray[Any], mate: IntArray) -> NDArray[Any]:
    """
    The smallest left duals of an optimal matching: longest paths in the graph of exchanges.

    A right end without mate has dual 0, so a left end needs the weight between them; one with mate passes on what its
    own left end needs. Bellman-Ford, one left end at a time, forwards and backwards in turn (Yen 1970), vectorised
    over those that it presses on: where spans nest, paths run along the order, and few rounds do. Pairs that are no
    edge weigh 0 here; they ask for nothing, since a dual is at least 0 and at most the weight of its edge.

    Args:
        by_right: Weights of shape (m, n), 0 where there is no edge.
        mate: Right end of each left end, -1 for none.

    """
    is_free = np.ones(len(by_right), np.bool_)
    is_free[mate[mate >= 0]] = False
    dual: NDArray[Any] = by_right[is_free].max(axis=0, initial=0)
    order = np.flatnonzero(mate >= 0)
    passed_on = np.full(len(dual), -1, dual.dtype)
    while True:
        waiting = order[dual[order] != passed_on[order]]
        if not len(waiting):
            return dual
        for k in waiting.tolist():
            passed_on[k] = dual[k]
            pressure = by_right[mate[k]]
            np.maximum(dual, pressure + (dual[k] - pressure[k]), out=dual)
        order = order[::-1]


def augment(left: Sequence[int], right: Sequence[int], weight: Sequence[int], shape: tuple[int, int]) -> Solution:
    """
    Maximum weight matching by shortest augmenting paths, with whole numbers of any size.

    Grows from the smaller side. Source: the Hungarian method with Dijkstra's algorithm on reduced costs, Edmonds & Karp
    1972; ends without mate are allowed, at a dual of 0.

    Cost: one search per end of the smaller side, each over the edges that it reaches.
    """
    n, m = shape
    if n > m:
        flipped = augment(right, left, weight, (m, n))
        mate = [-1] * n
        for k, taker in enumerate(flipped.mate):
            if taker >= 0:
                mate[taker] = k
        return Solution(mate, flipped.dual_right, flipped.dual_left)
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for taker, r, w in zip(left, right, weight, strict=True):
        neighbours[taker].append((r, w))
    search = _Search(neighbours, m)
    for root in range(n):
        search.add(root)
    return Solution(search.mate, np.array(search.dual_left, object), np.array(search.dual_right, object))


class _Search:
    """The state of `augment`: a matching of the left ends added so far, optimal for them, with its duals."""

    def __init__(self, neighbours: list[list[tuple[int, int]]], m: int) -> None:
        self.neighbours = neighbours
        self.mate = [-1] * len(neighbours)
        self.holder = [-1] * m
        self.dual_left = [0] * len(neighbours)
        self.dual_right = [0] * m

    def add(self, root: int) -> None:
        """One more left end: the cheapest path to a free right end, or to a left end that had better go without."""
        dual_left, dual_right, holder = self.dual_left, self.dual_right, self.holder
        dual_left[root] = max(0, max(w - dual_right[r] for r, w in self.neighbours[root]))
        came_from: dict[int, int] = {}
        distance: dict[int, int] = {}
        reached = [(root, 0)]
        settled: dict[int, int] = {}
        heap: list[tuple[int, int]] = []
        left, so_far = root, 0
        best, dropped, goal = dual_left[root], root, -1
        while True:
            if so_far + dual_left[left] < best:
                best, dropped, goal = so_far + dual_left[left], left, -1
            base = so_far + dual_left[left]
            for r, w in self.neighbours[left]:
                step = base + dual_right[r] - w
                if step < distance.get(r, best) and step < best:
                    distance[r], came_from[r] = step, left
                    if holder[r] < 0:
                        best, goal = step, r
                    else:
                        heappush(heap, (step, r))
            while heap and (heap[0][1] in settled or heap[0][0] >= best):
                heappop(heap)
            if not heap:
                break
            so_far, r = heappop(heap)
            settled[r] = so_far
            left = holder[r]
            reached.append((left, so_far))
        for left, so_far in reached:
            dual_left[left] -= max(0, best - so_far)
        for r, so_far in settled.items():
            dual_right[r] += max(0, best - so_far)
        self._flip(root, dropped, goal, came_from)

    def _flip(self, root: int, dropped: int, goal: int, came_from: dict[int, int]) -> None:
        """Exchange the edges along the path from `root` to the free right end `goal`, or to `dropped`."""
        right = goal
        if goal < 0:
            right, self.mate[dropped] = self.mate[dropped], -1
            if dropped == root:
                return
        while True:
            left = came_from[right]
            before, self.mate[left] = self.mate[left], right
            self.holder[right] = left
            if left == root:
                return
            right = before

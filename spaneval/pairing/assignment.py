"""
One-to-one choice among candidate pairs, best in one order of aims; knows nothing of what is paired.

Candidates are edges of a bipartite graph, left to right. Aims come as levels: the sum of the first level over the
chosen edges is made as large as it can be, then that of the second, and so on. What is then still open goes to the
canonical choice: left numbers in ascending order, each the smallest right number that still allows the optimum, none
being last.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from spaneval.pairing.optimum import best_edges, pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from spaneval.corpus import BoolArray, IntArray

SMALL_SIDE = 4
"""Clusters of up to this many a side are solved together, by trying all their matchings (209 for 4 by 4)."""

SMALL_WEIGHT = 1 << 58
"""Bound of a packed weight there, so that sums and the mark for what is no edge stay within int64."""

BATCH = 1 << 20
"""Sums held at once."""


def choose(left: IntArray, right: IntArray, cluster: IntArray, levels: Sequence[NDArray[np.integer]]) -> IntArray:
    """
    The best one-to-one choice of edges.

    Args:
        left: Left end of each edge, int64 of shape (E,), numbers from 0.
        right: Right end of each edge, likewise.
        cluster: int64 of shape (E,): edges that share an end share their cluster.
        levels: Aims, the first one most important: integers >= 0 of shape (E,) each. An edge with 0
            in all levels may be left out.

    Returns:
        Numbers of the chosen edges, int64, in no particular order.

    Cost: numpy over all edges for edges and stars on their own and for small clusters, a loop over the others.

    """
    order, is_star, is_single = _by_degree(left, right)
    chosen = [np.flatnonzero(is_single)]
    left, right, cluster, is_star = left[order], right[order], cluster[order], is_star[order]
    levels = [level[order] for level in levels]
    chosen.append(order[_stars(left, right, levels, is_star)])
    rest = np.flatnonzero(~is_star)
    rest = rest[np.argsort(cluster[rest], kind="stable")]
    found = _clusters(left[rest], right[rest], cluster[rest], [level[rest] for level in levels])
    return np.concatenate([*chosen, order[rest[found]]])


def _by_degree(left: IntArray, right: IntArray) -> tuple[IntArray, BoolArray, BoolArray]:
    """
    Edges sorted by (left, right), without the single ones; which edges belong to a star; which are alone at both ends.

    A star is an end all of whose neighbours have no other neighbour.
    """
    n_left, n_right = np.bincount(left)[left], np.bincount(right)[right]
    is_single = (n_left == 1) & (n_right == 1)
    is_star = _all_at(left, n_right == 1) | _all_at(right, n_left == 1)
    order = np.flatnonzero(~is_single)
    return order[np.lexsort((right[order], left[order]))], is_star, is_single


def _all_at(end: IntArray, holds: BoolArray) -> BoolArray:
    """Per edge, whether the claim holds for all edges at the same end."""
    fails = np.zeros(int(end.max(initial=-1)) + 1, np.bool_)
    fails[end[~holds]] = True
    return ~fails[end]


def _stars(left: IntArray, right: IntArray, levels: Sequence[NDArray[np.integer]], is_star: BoolArray) -> IntArray:
    """The best edge of each star; edges are sorted by (left, right), so the first of equals is the canonical one."""
    at = np.flatnonzero(is_star)
    left, right = left[at], right[at]
    n_left = np.bincount(left)
    centre = np.where(n_left[left] > 1, left, len(n_left) + right)
    keys, levels = [centre], [level[at] for level in levels]
    while levels:
        weight, used = pack(levels, 1, 1 << 63)
        keys.append(-weight)
        levels = levels[used:]
    order = np.lexsort(keys[::-1])
    centre = centre[order]
    is_first = np.ones(len(at), np.bool_)
    is_first[1:] = centre[1:] != centre[:-1]
    return at[order[is_first]]


def _clusters(left: IntArray, right: IntArray, cluster: IntArray, levels: Sequence[NDArray[np.integer]]) -> IntArray:
    """Chosen edges of clusters that need a solver; edges sorted by (cluster, left, right)."""
    if not len(left):
        return left
    first = np.flatnonzero(np.concatenate([[True], cluster[1:] != cluster[:-1]]))
    last = np.append(first[1:], len(cluster))
    number = np.repeat(np.arange(len(first)), last - first)
    left, n_left = _local(left, number, len(first))
    right, n_right = _local(right, number, len(first))
    weight, used = pack(levels, SMALL_SIDE, SMALL_WEIGHT)
    is_small = (n_left <= SMALL_SIDE) & (n_right <= SMALL_SIDE) & (used == len(levels))
    found: list[IntArray] = []
    for n, m in sorted(set(zip(n_left[is_small].tolist(), n_right[is_small].tolist(), strict=True))):
        these = np.flatnonzero(is_small & (n_left == n) & (n_right == m))
        found.extend(_small(left, right, weight, number, these, (n, m)))
    for k in np.flatnonzero(~is_small).tolist():
        part = slice(first[k], last[k])
        found.append(first[k] + best_edges(left[part], right[part], [level[part] for level in levels]))
    return np.concatenate(found)


def _local(end: IntArray, number: IntArray, n_clusters: int) -> tuple[IntArray, IntArray]:
    """Ends numbered from 0 in each cluster, in their order, and how many each cluster has."""
    order = np.lexsort((end, number))
    sorted_end, sorted_number = end[order], number[order]
    is_new = np.ones(len(end), np.bool_)
    is_new[1:] = (sorted_end[1:] != sorted_end[:-1]) | (sorted_number[1:] != sorted_number[:-1])
    count = np.bincount(sorted_number[is_new], minlength=n_clusters)
    local = np.empty(len(end), np.int64)
    local[order] = np.cumsum(is_new) - 1 - (np.cumsum(count) - count)[sorted_number]
    return local, count


def _small(
    left: IntArray, right: IntArray, weight: IntArray, number: IntArray, these: IntArray, shape: tuple[int, int]
) -> Iterator[IntArray]:
    """Chosen edges of clusters of one shape: the first best one of all matchings, tried in canonical order."""
    n, m = shape
    table = _matchings(n, m)
    for some in np.array_split(these, 1 + len(these) * len(table) // BATCH):
        place = np.full(int(number[-1]) + 1, -1)
        place[some] = np.arange(len(some))
        edges = np.flatnonzero(place[number] >= 0)
        at = (place[number[edges]], left[edges], right[edges])
        matrix = np.full((len(some), n, m + 1), -SMALL_WEIGHT)
        matrix[:, :, m] = 0
        matrix[at] = weight[edges]
        sums = sum(matrix[:, k, table[:, k]] for k in range(n))
        best = table[np.argmax(sums, axis=1)]
        yield edges[best[at[0], at[1]] == at[2]]


@cache
def _matchings(n: int, m: int) -> IntArray:
    """All matchings of n lefts with m rights, int64 of shape (K, n); m means none. In canonical order."""
    rows: list[tuple[int, ...]] = [()]
    for _ in range(n):
        rows = list(chain.from_iterable(((*row, k) for k in range(m + 1) if k == m or k not in row) for row in rows))
    return np.array(rows, np.int64).reshape(-1, n)

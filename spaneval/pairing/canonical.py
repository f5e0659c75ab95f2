"""The canonical one among all optimal matchings of a cluster."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from spaneval.corpus import IntArray

FEW_EDGES = 500
"""Up to this many tight edges, trying costs less than finding out what cannot be tried."""


def first_optimal(
    left: IntArray,
    right: IntArray,
    mate: Sequence[int] | IntArray,
    dual_left: NDArray[Any],
    dual_right: NDArray[Any],
) -> IntArray:
    """
    The matching that is first in canonical order among all optimal ones.

    Args:
        left, right: Ends of the tight edges, int64 of shape (T,), sorted by (left, right).
        mate: Any optimal matching: right end of each left end, -1 for none.
        dual_left, dual_right: Optimal duals; an end must have a mate where its dual is positive.

    Returns:
        Numbers of the chosen edges, sorted.

    Optimal matchings are the circulations of a small flow network, in which every end that may go without a mate is
    also connected to one outside node. A left end can take a right end if and only if a path leads from the right end
    back to it: the two lie on one cycle, and turning the cycle round gives the other optimum.

    """
    exchange = _Exchange(left, right, mate, dual_left, dual_right)
    options: list[list[int]] = [[] for _ in range(len(dual_left))]
    for taker, r in _worth_trying(exchange, left, right):
        options[taker].append(r)
    for taker, rights in enumerate(options):
        dead: set[int] = set()
        for r in rights:
            if exchange.mate[taker] == r or exchange.turn(taker, r, dead):
                break
        exchange.fix(taker)
    return np.flatnonzero(np.array(exchange.mate)[left] == right)


def _worth_trying(exchange: _Exchange, left: IntArray, right: IntArray) -> Iterator[tuple[int, int]]:
    """
    Edges that belong to some optimal matching: those of the given one, and those on a cycle.

    On a cycle is what lies in one strongly connected component, and turning cycles round leaves the components as
    they are.
    """
    if len(left) > FEW_EDGES:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        tail, head = exchange.arcs(left, right)
        graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(exchange.outside + 1,) * 2)
        _, label = connected_components(graph, directed=True, connection="strong")
        is_mate = np.array(exchange.mate)[left] == right
        keep = is_mate | (label[left] == label[exchange.n + right])
        left, right = left[keep], right[keep]
    return zip(left.tolist(), right.tolist(), strict=True)


class _Exchange:
    """
    The network of exchanges: left ends 0 to n - 1, right ends from n on, one node outside.

    An arc leads from a left end to a right end that it could take, from a right end to the left end that holds it, and
    between the outside and the ends that are, or may be, without a mate. Left ends that are fixed are taken out.
    """

    def __init__(
        self,
        left: IntArray,
        right: IntArray,
        mate: Sequence[int] | IntArray,
        dual_left: NDArray[Any],
        dual_right: NDArray[Any],
    ) -> None:
        self.n, self.outside = len(dual_left), len(dual_left) + len(dual_right)
        self.mate = [int(r) for r in mate]
        self.holder = [-1] * len(dual_right)
        for taker, r in enumerate(self.mate):
            if r >= 0:
                self.holder[r] = taker
        self.may_lose = [*(dual_left == 0), *(dual_right == 0)]
        self.takes: list[set[int]] = [set() for _ in range(self.n)]
        for taker, r in zip(left.tolist(), right.tolist(), strict=True):
            self.takes[taker].add(self.n + r)
        self.fixed: set[int] = set()

    def arcs(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """All arcs, tails and heads."""
        mate, may_lose = np.array(self.mate), np.array(self.may_lose)
        paired = np.flatnonzero(mate >= 0)
        lone = np.flatnonzero(mate < 0)
        held = self.n + mate[paired]
        free = np.setdiff1d(np.arange(self.n, self.outside), held)
        is_open = mate[left] != right
        loser, loss = paired[may_lose[paired]], held[may_lose[held]]
        tail = [left[is_open], held, free, loser, np.full(len(lone) + len(loss), self.outside)]
        head = [self.n + right[is_open], paired, np.full(len(free) + len(loser), self.outside), lone, loss]
        return np.concatenate(tail), np.concatenate(head)

    def _heads(self, node: int) -> set[int]:
        """The nodes that an arc leads to from `node`; of a left end, its own mate too."""
        if node == self.outside:
            lone = {taker for taker, r in enumerate(self.mate) if r < 0}
            return lone | {self.n + r for r, by in enumerate(self.holder) if by >= 0 and self.may_lose[self.n + r]}
        if node >= self.n:
            holder = self.holder[node - self.n]
            return {self.outside if holder < 0 else holder}
        return self.takes[node] | {self.outside} if self.mate[node] >= 0 and self.may_lose[node] else self.takes[node]

    def fix(self, left: int) -> None:
        """Take a left end out, with its mate."""
        self.fixed.add(left)
        if self.mate[left] >= 0:
            self.fixed.add(self.n + self.mate[left])

    def turn(self, left: int, right: int, dead: set[int]) -> bool:
        """Give `right` to `left` if an optimum allows it beside all that is fixed; `dead` collects what is no help."""
        start = self.n + right
        if start in self.fixed or start in dead:
            return False
        own, other = self.mate[left], self.holder[right]
        if own >= 0 and other >= 0 and self.n + own in self.takes[other]:
            self.mate[left], self.mate[other], self.holder[right], self.holder[own] = right, own, left, other
            return True
        came_from = {start: left}
        dead.add(start)
        queue = deque([start])
        while queue:
            node = queue.popleft()
            heads = self._heads(node)
            if left in heads:
                self._turn_round(node, left, came_from)
                return True
            fresh = heads - dead - self.fixed
            dead |= fresh
            came_from.update(dict.fromkeys(fresh, node))
            queue.extend(fresh)
        return False

    def _turn_round(self, last: int, left: int, came_from: dict[int, int]) -> None:
        """Exchange the edges along the cycle that ends `last`, `left`."""
        path = [left, last]
        while path[-1] != left:
            path.append(came_from[path[-1]])
        arcs = list(zip(path[1:], path[:-1], strict=True))
        for tail, head in arcs:
            if self.n <= tail < self.outside and head < self.n:
                self.mate[head] = self.holder[tail - self.n] = -1
            elif tail == self.outside and head >= self.n:
                self.holder[head - self.n] = -1
        for tail, head in arcs:
            if tail < self.n and head != self.outside:
                self.mate[tail], self.holder[head - self.n] = head - self.n, tail

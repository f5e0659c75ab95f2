"""
First come, first served: the rule of the source.

Predictions in document order, each takes the first gold row of its own list of preferences that is still free. Whoever
comes first for all rows that they could take can be served at once; so predictions are served in rounds, many documents
together, and only a crowd goes one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spaneval.pairing.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from spaneval.corpus import BoolArray, IntArray
    from spaneval.pairing.layout import Side

ROUNDS = 6
"""Rounds before the rest of a chunk goes one by one: those few that are left then cost less in a loop."""


def serve(left: IntArray, preference: IntArray, right: IntArray) -> IntArray:
    """
    Serve left ends in ascending order from their lists.

    Args:
        left: Left end of each edge, int64 of shape (E,), numbers from 0.
        preference: Smaller goes first; no two edges of one left end are equal.
        right: Right end of each edge.

    Returns:
        Numbers of the edges taken.

    """
    order = np.lexsort((preference, left))
    left, right = left[order], right[order]
    edges = np.arange(len(order))
    first_come = np.zeros(int(right.max(initial=-1)) + 1, np.int64)
    is_served, is_taken = np.zeros(int(left.max(initial=-1)) + 1, np.bool_), np.zeros(len(first_come), np.bool_)
    found = []
    for _ in range(ROUNDS):
        if not len(edges):
            break
        who, what = left[edges], right[edges]
        first_come[what[::-1]] = who[::-1]  # the last write stays: the first comer
        heads = np.flatnonzero(np.concatenate([[True], who[1:] != who[:-1]]))
        heads = heads[first_come[what[heads]] == who[heads]]
        found.append(edges[heads])
        is_served[who[heads]] = is_taken[what[heads]] = True
        edges = edges[~(is_served[who] | is_taken[what])]
    found.append(_one_by_one(edges, left, right))
    taken: IntArray = order[np.concatenate(found)]
    return taken


def _one_by_one(edges: IntArray, left: IntArray, right: IntArray) -> IntArray:
    """What the rounds left over."""
    served: set[int] = set()
    taken: set[int] = set()
    found = []
    for edge, who, what in zip(edges.tolist(), left[edges].tolist(), right[edges].tolist(), strict=True):
        if who not in served and what not in taken:
            served.add(who)
            taken.add(what)
            found.append(edge)
    return np.array(found, np.int64)


def serve_crowd(
    gold: Side, pred: Side, is_counted: BoolArray, agrees: Callable[[int, IntArray], BoolArray], *, overlap: bool
) -> IntArray:
    """
    Serve the predictions of one large cluster without listing its candidate pairs.

    Args:
        gold, pred: The rows of the cluster in document order.
        is_counted: Of the gold rows.
        agrees: Whether a prediction agrees with gold rows, all as positions.
        overlap: Whether overlapping spans match, or identical ones only.

    Returns:
        Per prediction its gold row, as a position in `gold`; -1 for none.

    Cost: O(sqrt(n)) per prediction in numpy, and as many looks at ids as there are free rows at the span that it gets.

    """
    shelves = [_Stock(gold, pred, np.flatnonzero(kind), overlap=overlap) for kind in (is_counted, ~is_counted)]
    mate = np.full(len(pred.row), -1)
    for p, start in enumerate(pred.start.tolist()):
        for stock in shelves:
            at_gold = stock.serve(p, start, agrees)
            if at_gold >= 0:
                mate[p] = at_gold
                break
    return mate


class _Stock:
    """The gold rows of one kind, counted or not, in document order, and who can reach which."""

    def __init__(self, gold: Side, pred: Side, at: IntArray, *, overlap: bool) -> None:
        span = gold.span[at]
        self.at, self.shelf = at, Shelf(gold.end[at])
        self.after = np.searchsorted(span, span, side="right").tolist()
        if overlap:
            self.lo, self.hi = [0] * len(pred.row), np.searchsorted(gold.start[at], pred.end).tolist()
        else:
            self.lo = np.searchsorted(span, pred.span).tolist()
            self.hi = np.searchsorted(span, pred.span, side="right").tolist()

    def serve(self, p: int, start: int, agrees: Callable[[int, IntArray], BoolArray]) -> int:
        """Take the first free row for prediction `p`, or one at the same span that agrees; -1 if there is none."""
        place = self.shelf.first(start, self.lo[p], self.hi[p])
        if place < 0:
            return -1
        if self.after[place] - place > 1:
            free = place + self.shelf.free(place, self.after[place])
            place = int(free[agrees(p, self.at[free]).argmax()])
        self.shelf.take(place)
        return int(self.at[place])

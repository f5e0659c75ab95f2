"""
Crowds: clusters so large that their candidate pairs are never listed.

What must be the largest possible is so (identical pairs, counted ones among them, then counted other pairs, then all
pairs); the rest is a sweep that follows the canonical order as far as one-step exchanges allow.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from spaneval.pairing.shelf import Shelf

if TYPE_CHECKING:
    from spaneval.corpus import BoolArray, IntArray
    from spaneval.pairing.layout import Side

TRIES = 8
"""Gold rows that a prediction looks at for something earlier than what it has; bounds the sweep at O(n log n)."""


def sweep(gold: Side, pred: Side, is_counted: BoolArray, *, overlap: bool) -> IntArray:
    """
    Pair one large cluster.

    1. At each span as many identical pairs as there can be, counted gold first.
    2. What is left overlaps without being identical. A sweep over right ends finds the largest number of pairs, once
       with the counted gold only and once with all; both together give a matching with the largest number of all
       pairs among those with the largest number of counted ones (`_both`).
    3. Predictions in canonical order: each looks at the first gold rows in canonical order (at most `TRIES` of those
       that overlap it and are not held by an earlier prediction) and takes one if a single exchange keeps all
       numbers: the row is free and as counted as its own; or its holder can take its own row; or it has none, and the
       holder goes without.
    4. Rows that only ids tell apart are handed out in canonical order.

    Args:
        gold, pred: The rows of the cluster, in canonical order.
        is_counted: Of the gold rows, bool.
        overlap: Whether to go on after step 1.

    Returns:
        Per prediction its gold row, as a position in `gold`; -1 for none.

    Cost: O(n log n) time, O(n) memory.

    """
    mate = _identical(gold, pred, is_counted)
    if overlap:
        free_gold = np.ones(len(gold.row), np.bool_)
        free_gold[mate[mate >= 0]] = False
        g, p = np.flatnonzero(free_gold), np.flatnonzero(mate < 0)
        some_gold, some_pred = _rows(gold, g), _rows(pred, p)
        found = _early(some_gold, some_pred, is_counted[g], _largest(some_gold, some_pred, is_counted[g]))
        mate[p] = np.where(found >= 0, g[found] if len(g) else -1, -1)
    return _in_order(mate, gold.span * 2 + ~is_counted, pred.span)


def _rows(side: Side, at: IntArray) -> Side:
    return type(side)(*(column[at] for column in side))


def _identical(gold: Side, pred: Side, is_counted: BoolArray) -> IntArray:
    """Step 1: at each span the last predictions stay free, and the last gold rows after the counted ones."""
    mate = np.full(len(pred.row), -1)
    by_use = np.lexsort((~is_counted, gold.span))
    place = _place(pred.span)
    first = np.searchsorted(gold.span, pred.span)
    n_gold = np.searchsorted(gold.span, pred.span, side="right") - first
    is_paired = place < n_gold
    mate[is_paired] = by_use[first[is_paired] + place[is_paired]]
    return mate


def _place(group: IntArray) -> IntArray:
    """Place of each row among the rows of its group; groups are sorted."""
    return np.arange(len(group)) - np.searchsorted(group, group)


def _largest(gold: Side, pred: Side, is_counted: BoolArray) -> IntArray:
    """Step 2."""
    everything = _by_right_ends(gold, pred)
    if is_counted.all():
        return everything
    at = np.flatnonzero(is_counted)
    counted = _by_right_ends(_rows(gold, at), pred)
    return _both(np.where(counted >= 0, at[counted] if len(at) else -1, -1), everything, len(gold.row))


def _by_right_ends(gold: Side, pred: Side) -> IntArray:
    """
    A largest one-to-one choice of overlapping pairs; per prediction its gold row, -1 for none.

    All spans by right end: each that is still free takes, of the free spans of the other side that start before its
    end, the one that ends first. Equal ends: the later start first, then gold, then the later row.
    """
    n = len(gold.row)
    start, end = np.concatenate([gold.start, pred.start]), np.concatenate([gold.end, pred.end])
    is_pred = np.arange(len(start)) >= n
    order = np.lexsort((-np.arange(len(start)), is_pred, -start, end))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order))
    starts, turns, row_at = start.tolist(), turn.tolist(), order.tolist()
    arrivals = np.argsort(start, kind="stable").tolist()
    mate = [-1] * len(start)
    waiting: tuple[list[int], list[int]] = ([], [])
    arrived = 0
    for row, right in zip(row_at, end[order].tolist(), strict=True):
        while arrived < len(arrivals) and starts[arrivals[arrived]] < right:
            other = arrivals[arrived]
            heappush(waiting[other >= n], turns[other])
            arrived += 1
        if mate[row] >= 0:
            continue
        others = waiting[row < n]
        while others and (mate[row_at[others[0]]] >= 0 or others[0] < turns[row]):
            heappop(others)
        if others:
            other = row_at[heappop(others)]
            mate[row], mate[other] = other, row
    return np.array(mate[n:], np.int64)


def _both(counted: IntArray, everything: IntArray, n_gold: int) -> IntArray:
    """
    A matching that covers all gold of `counted` and all predictions of `everything`, a largest matching.

    Source: Mendelsohn & Dulmage 1958. A gold row that only the first matching covers takes its prediction from there;
    the gold row that loses it does the same, until one is reached that the first matching does not cover either.
    """
    mate, holder, wanted = everything.tolist(), [-1] * n_gold, [-1] * n_gold
    for p, g in enumerate(mate):
        if g >= 0:
            holder[g] = p
    for p, g in enumerate(counted.tolist()):
        if g >= 0:
            wanted[g] = p
    for g in [g for g in range(n_gold) if wanted[g] >= 0 and holder[g] < 0]:
        row = g
        while row >= 0 and wanted[row] >= 0:
            mate[wanted[row]], row = row, mate[wanted[row]]
    return np.array(mate, np.int64)


def _early(gold: Side, pred: Side, is_counted: BoolArray, found: IntArray) -> IntArray:
    """Step 3: `found` moved towards the canonical choice."""
    mate, holder = found.tolist(), [-1] * len(gold.row)
    for p, g in enumerate(mate):
        if g >= 0:
            holder[g] = p
    counted, starts, ends = is_counted.tolist(), gold.start.tolist(), gold.end.tolist()
    shelf = Shelf(gold.end)
    in_reach = np.searchsorted(gold.start, pred.end).tolist()
    spans = list(zip(pred.start.tolist(), pred.end.tolist(), strict=True))
    for p, own in enumerate(mate):
        row = -1
        for _ in range(TRIES):
            row = shelf.first(spans[p][0], row + 1, in_reach[p])
            if row < 0 or row == own:
                break
            other = holder[row]
            if other < 0:
                may_take = own >= 0 and counted[row] == counted[own]
            else:
                may_take = own < 0 or (starts[own] < spans[other][1] and spans[other][0] < ends[own])
            if may_take:
                mate[p], holder[row] = row, p
                if other >= 0:
                    mate[other] = own
                if own >= 0:
                    holder[own] = other
                break
        if mate[p] >= 0:
            shelf.take(mate[p])
    return np.array(mate, np.int64)


def _in_order(mate: IntArray, gold_kind: IntArray, pred_kind: IntArray) -> IntArray:
    """
    Step 4: among equal predictions the first one has the first gold row, and of equal gold rows the first ones are
    taken.

    Both kinds are numbers that equal rows share; the rows of a kind are in canonical order.
    """
    is_paired = mate >= 0
    rows = np.lexsort((np.arange(len(gold_kind)), gold_kind))
    kind = gold_kind[mate[is_paired]]
    order = np.argsort(kind, kind="stable")
    taken = np.empty(len(kind), np.int64)
    taken[order] = rows[np.searchsorted(gold_kind[rows], kind[order]) + _place(kind[order])]
    key = np.full(len(mate), len(gold_kind))
    key[is_paired] = taken
    key = key[np.lexsort((key, pred_kind))]
    return np.where(key < len(gold_kind), key, -1)

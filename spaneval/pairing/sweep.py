"""
Crowds: clusters so large that their candidate pairs are never listed.

What must be the largest possible is so (identical pairs, counted ones among them, then counted other pairs, then all
pairs), and so are the agreeing ones among the identical pairs, up to limits that only thousands of different ids at
one span reach (`_agreeing`). The rest is a sweep that follows the canonical order as far as one-step exchanges allow.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spaneval.pairing.layout import CHUNK, ranges
from spaneval.pairing.shelf import Shelf

if TYPE_CHECKING:
    from spaneval.corpus import BoolArray, IntArray
    from spaneval.pairing.layout import Side
    from spaneval.pairing.spans import Agreement

AGREEING = 2
COMPARABLE = 1

TRIES = 8
"""Gold rows that a prediction looks at for something earlier than what it has; bounds the sweep at O(n log n)."""

NEAR = 64
"""Predicted ids that each gold id at a span is compared with first; where all agree, the usual case, also last."""

ASKED = 1 << 26
"""Pairs of ids that are compared at one span if need be; all of them up to 8,192 different ids a side."""

KEPT = 1 << 23
"""Agreeing pairs of ids that are kept of one span; all of them up to 2,896 different ids a side."""


class Contents(NamedTuple):
    """
    What tells apart rows of one span.

    Args:
        is_counted: Of the gold rows, bool.
        gold_rank, pred_rank: As in `Spans`, of the rows of each side.
        agreement: What ids say of pairs of rows. Comparability is taken to be a matter of each row alone: a pair is
            comparable where its gold row is comparable with something and its prediction is, too.

    """

    is_counted: BoolArray
    gold_rank: IntArray
    pred_rank: IntArray
    agreement: Agreement


def sweep(gold: Side, pred: Side, contents: Contents, *, overlap: bool) -> IntArray:
    """
    Pair one large cluster.

    1. At each span as many identical pairs as there can be, counted gold first; of the counted ones as many agreeing
       ones as there can be, then comparable ones (`_identical`). Which rows of a span stay free for step 2 makes no
       difference to it: they have one span, and how many of them count is settled by the numbers.
    2. What is left overlaps without being identical. A sweep over right ends finds the largest number of pairs, once
       with the counted gold only and once with all; both together give a matching with the largest number of all
       pairs among those with the largest number of counted ones (`_both`).
    3. Predictions in canonical order: each looks at the first gold rows in canonical order (at most `TRIES` of those
       that overlap it and are not held by an earlier prediction) and takes one if a single exchange keeps all
       numbers: the row is free and as counted as its own; or its holder can take its own row; or it has none, and the
       holder goes without.
    4. Of the pairs of steps 2 and 3, rows that only ids tell apart are handed out in canonical order.

    Args:
        gold, pred: The rows of the cluster, in canonical order.
        contents: What tells apart rows of one span.
        overlap: Whether to go on after step 1.

    Returns:
        Per prediction its gold row, as a position in `gold`; -1 for none.

    Cost: O(n log n) time, O(n) memory; for more than `NEAR` different ids at one span that do not all find an agreeing
    one near their place in canonical order, one comparison per pair of them, up to `ASKED`.

    """
    mate = _identical(gold, pred, contents)
    if not overlap:
        return mate
    free_gold = np.ones(len(gold.row), np.bool_)
    free_gold[mate[mate >= 0]] = False
    g, p = np.flatnonzero(free_gold), np.flatnonzero(mate < 0)
    if not len(g) or not len(p):
        return mate
    some_gold, some_pred, is_counted = _rows(gold, g), _rows(pred, p), contents.is_counted[g]
    found = _early(some_gold, some_pred, is_counted, _largest(some_gold, some_pred, is_counted))
    found = _in_order(found, some_gold.span * 2 + ~is_counted, some_pred.span)
    mate[p] = np.where(found >= 0, g[found], -1)
    return mate


def _rows(side: Side, at: IntArray) -> Side:
    return type(side)(*(column[at] for column in side))


def _identical(gold: Side, pred: Side, contents: Contents) -> IntArray:
    """
    Step 1.

    Rows of one span and one rank are alike, so that ids are compared once for all of them. Agreeing pairs come first
    (`_agreeing`). What is left is handed out in canonical order, the first gold row with the first prediction and so
    on: comparable rows among themselves, which makes a comparable pair of each that can be; then all counted rows;
    then ignored ones.
    """
    mate = np.full(len(pred.row), -1)
    is_free, is_counted = np.ones(len(gold.row), np.bool_), contents.is_counted

    def settle(at_gold: IntArray, at_pred: IntArray) -> None:
        mate[at_pred] = at_gold
        is_free[at_gold] = False

    def hand_out(may_gold: BoolArray, may_pred: BoolArray) -> None:
        g, p = np.flatnonzero(may_gold & is_free), np.flatnonzero(may_pred & (mate < 0))
        place, first = _place(pred.span[p]), np.searchsorted(gold.span[g], pred.span[p])
        is_paired = place < np.searchsorted(gold.span[g], pred.span[p], side="right") - first
        settle(g[(first + place)[is_paired]], p[is_paired])

    alike = (
        _alike(np.flatnonzero(is_counted), gold.span, contents.gold_rank),
        _alike(np.arange(len(pred.row)), pred.span, contents.pred_rank),
    )
    at_gold, at_pred, *comparable = _agreeing(gold, pred, *alike, contents.agreement)
    settle(at_gold, at_pred)
    may_gold = np.zeros(len(gold.row), np.bool_)
    may_gold[is_counted] = np.repeat(comparable[0], alike[0].size)
    hand_out(may_gold, np.repeat(comparable[1], alike[1].size))
    everything = np.ones(len(pred.row), np.bool_)
    hand_out(is_counted, everything)
    hand_out(~is_counted, everything)
    return mate


class _Alike(NamedTuple):
    """
    Runs of rows that share span and rank, sorted by both; int64.

    Args:
        rows: Positions of the rows, by run.
        first: Where in `rows` each run begins.
        size: Rows of each run.
        span: Span of each run.

    """

    rows: IntArray
    first: IntArray
    size: IntArray
    span: IntArray

    def members(self, run: IntArray, n: IntArray) -> IntArray:
        """The first `n[0]` rows of run `run[0]`, then `n[1]` rows of `run[1]`, and so on; no row twice."""
        order = np.argsort(run, kind="stable")
        before = np.cumsum(n[order]) - n[order]
        lo = np.empty(len(run), np.int64)
        lo[order] = self.first[run[order]] + before - before[np.searchsorted(run[order], run[order])]
        return self.rows[ranges(lo, lo + n)[1]]


def _alike(rows: IntArray, span: IntArray, rank: IntArray) -> _Alike:
    """The runs of some rows in canonical order."""
    span, rank = span[rows], rank[rows]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (span[1:] != span[:-1]) | (rank[1:] != rank[:-1])
    first = np.flatnonzero(is_new)
    return _Alike(rows, first, np.diff(np.append(first, len(rows))), span[first])


def _agreeing(
    gold: Side, pred: Side, gold_runs: _Alike, pred_runs: _Alike, agreement: Agreement
) -> tuple[IntArray, IntArray, BoolArray, BoolArray]:
    """
    As many agreeing identical pairs as there can be.

    A largest flow between the runs of a span that agree (`_flow`). Which do is asked twice: each gold run and the
    `NEAR` predicted runs around its own place in canonical order, in proportion; then, at spans where rows of the
    smaller side are left, all runs, or as many around its place as `ASKED` allows. Of these a gold run keeps the
    agreeing ones, or as many of the nearest as `KEPT` allows. Beyond these two limits there may be fewer agreeing
    pairs than possible. A span with one run a side leaves no choice and is not asked about.

    Returns:
        Gold rows and their predictions; whether each gold run and each predicted run is comparable with anything that
        it was asked about.

    """
    gold_row, pred_row = gold.row[gold_runs.rows[gold_runs.first]], pred.row[pred_runs.rows[pred_runs.first]]
    comparable = np.zeros(len(gold_runs.span), np.bool_), np.zeros(len(pred_runs.span), np.bool_)
    lo = np.searchsorted(gold_runs.span, gold_runs.span)
    n_gold = np.searchsorted(gold_runs.span, gold_runs.span, side="right") - lo
    place = np.arange(len(lo)) - lo
    first = np.searchsorted(pred_runs.span, gold_runs.span)
    n_pred = np.searchsorted(pred_runs.span, gold_runs.span, side="right") - first
    n_spans = int(max(gold.span[-1], pred.span[-1])) + 1
    room = np.zeros((2, n_spans), np.int64)
    np.add.at(room[0], gold_runs.span, gold_runs.size)
    np.add.at(room[1], pred_runs.span, pred_runs.size)
    runs = np.flatnonzero((n_pred > 0) & (n_gold * n_pred > 1))
    found: list[tuple[IntArray, IntArray, IntArray]] = []
    for asked in (NEAR, ASKED // n_gold):
        width = np.minimum(n_pred, np.maximum(asked, NEAR))
        centre = place * n_pred // n_gold
        start = first + np.clip(centre - width // 2, 0, n_pred - width)
        edges: list[tuple[IntArray, IntArray]] = []
        for some in np.split(runs, np.flatnonzero(np.diff(np.cumsum(width[runs]) // CHUNK)) + 1):
            owner, right = ranges(start[some], start[some] + width[some])
            left = some[owner]
            ids = agreement(gold_row[left], pred_row[right])
            comparable[0][left[ids >= COMPARABLE]] = comparable[1][right[ids >= COMPARABLE]] = True
            left, right = left[ids >= AGREEING], right[ids >= AGREEING]
            far = np.abs(right - first[left] - centre[left])
            edges.append(_nearest(left, right, far, np.maximum(KEPT // n_gold, 1)))
        left, right = (np.concatenate(ends) for ends in zip(*edges, strict=True))
        left, right, n = _flow(left, right, gold_runs.size, pred_runs.size)
        paired = np.zeros(n_spans, np.int64)
        np.add.at(paired, gold_runs.span[left], n)
        is_open = paired < room.min(axis=0)
        is_last = width >= n_pred if asked is NEAR else np.ones(len(width), np.bool_)
        is_done = is_last[left] | ~is_open[gold_runs.span[left]]
        found.append((left[is_done], right[is_done], n[is_done]))
        runs = runs[is_open[gold_runs.span[runs]] & ~is_last[runs]]
        if not len(runs):
            break
    left, right, n = (np.concatenate(column) for column in zip(*found, strict=True))
    return gold_runs.members(left, n), pred_runs.members(right, n), *comparable


def _nearest(owner: IntArray, other: IntArray, far: IntArray, most: IntArray) -> tuple[IntArray, IntArray]:
    """Of each owner, in ascending order, at most `most[owner]` pairs, those that are the least far."""
    if not np.any(_place(owner) >= most[owner]):
        return owner, other
    order = np.lexsort((other, far, owner))
    keep = np.sort(order[_place(owner) < most[owner]])
    return owner[keep], other[keep]


def _flow(
    left: IntArray, right: IntArray, left_size: IntArray, right_size: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """
    How many rows of one run go with how many of another, as many as possible in total.

    Args:
        left, right: Runs that may go together, sorted by (left, right).
        left_size, right_size: Rows of each run.

    Returns:
        Both runs and the number of pairs, where there are any.

    """
    most = np.minimum(left_size[left], right_size[right])
    is_alone = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1) if len(left) else most > 0
    if is_alone.all():
        return left, right, most
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import maximum_flow

    lefts, at_left = np.unique(left[~is_alone], return_inverse=True)
    rights, at_right = np.unique(right[~is_alone], return_inverse=True)
    source, target = len(lefts) + len(rights), len(lefts) + len(rights) + 1
    at_rights = len(lefts) + np.arange(len(rights))
    tail = np.concatenate([np.full(len(lefts), source), at_left, at_rights])
    head = np.concatenate([np.arange(len(lefts)), len(lefts) + at_right, np.full(len(rights), target)])
    room = np.concatenate([left_size[lefts], most[~is_alone], right_size[rights]]).astype(np.int32)
    graph = csr_array(coo_array((room, (tail, head)), shape=(target + 1,) * 2))
    flow = coo_array(maximum_flow(graph, source, target).flow)
    is_pair = (flow.data > 0) & (flow.row < len(lefts)) & (flow.col < source)
    return (
        np.concatenate([left[is_alone], lefts[flow.row[is_pair]]]),
        np.concatenate([right[is_alone], rights[flow.col[is_pair] - len(lefts)]]),
        np.concatenate([most[is_alone], flow.data[is_pair]]).astype(np.int64),
    )


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

"""
Spans of both sides on one number line: sorting, clusters, candidate pairs.

Every document gets its own stretch of the line, so that documents need no loop: a span is two whole numbers, and
spans of different documents never meet. Everything here is numpy over the whole corpus.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spaneval.corpus import BoolArray, CodeArray, IntArray

CHUNK = 1 << 18
"""Candidate pairs looked at together; bounds the memory, 20 MiB at this size."""


class Spans(NamedTuple):
    """
    The spans of one side, in any row order; S rows.

    Args:
        doc: Number of the document, integers of shape (S,), not negative.
        a: First code point, int64 of shape (S,).
        b: One past the last code point, int64 of shape (S,), a < b.
        rank: Place of the row's content among equal spans, int64 of shape (S,): id as text, no id last. Rows with equal
            span and equal rank are interchangeable.

    """

    doc: CodeArray | IntArray
    a: IntArray
    b: IntArray
    rank: IntArray


class Line(NamedTuple):
    """
    Rows of both sides, sorted by (document, a, b), gold before predictions at one span; N rows.

    Args:
        key: Start and length of each row, packed, int64 of shape (N,); sorted.
        row: Row number, int64 of shape (N,); predictions count on from `n_gold`.
        n_gold: Number of gold rows.
        shift: Bits of the length in `key`.

    """

    key: IntArray
    row: IntArray
    n_gold: int
    shift: int

    def take(self, keep: BoolArray) -> Line:
        """The rows where `keep` holds."""
        return self._replace(key=self.key[keep], row=self.row[keep])


class Side(NamedTuple):
    """
    Rows of one side that take part in clusters, sorted along the line; int64 of shape (S,) each.

    Args:
        start, end: The span on the line.
        span: Number of the distinct span, shared by both sides.
        cluster: Number of the cluster, non-decreasing.
        row: Row number of its own side.

    """

    start: IntArray
    end: IntArray
    span: IntArray
    cluster: IntArray
    row: IntArray

    def part(self, first: int, last: int) -> Side:
        """The rows of clusters `first` to `last`, the last one excluded."""
        lo, hi = np.searchsorted(self.cluster, (first, last))
        return Side(*(column[lo:hi] for column in self))


class Candidates(NamedTuple):
    """
    All candidate pairs, as ranges of neighbours; each pair is in exactly one range.

    Two spans overlap when one starts inside the other, so that sorted starts give all overlaps without a search tree
    and without a single miss to throw away.

    Args:
        gold_lo, gold_hi: Per gold row, the predictions that start inside it, from its own start on.
        pred_lo, pred_hi: Per prediction, the gold rows that start inside it, after its own start.

    """

    gold_lo: IntArray
    gold_hi: IntArray
    pred_lo: IntArray
    pred_hi: IntArray

    def per_cluster(self, gold: Side, pred: Side, n_clusters: int) -> IntArray:
        """Number of candidate pairs of each cluster, int64 of shape (n_clusters,)."""
        total = np.zeros(n_clusters, np.int64)
        np.add.at(total, gold.cluster, self.gold_hi - self.gold_lo)
        np.add.at(total, pred.cluster, self.pred_hi - self.pred_lo)
        return total

    def expand(self) -> tuple[IntArray, IntArray]:
        """All pairs: positions in the gold side and in the prediction side, int64 of shape (E,) each."""
        gold, pred = ranges(self.gold_lo, self.gold_hi)
        pred_too, gold_too = ranges(self.pred_lo, self.pred_hi)
        return np.concatenate([gold, gold_too]), np.concatenate([pred, pred_too])


def ranges(lo: IntArray, hi: IntArray) -> tuple[IntArray, IntArray]:
    """Every (k, x) with lo[k] <= x < hi[k]."""
    counts = hi - lo
    owner = np.repeat(np.arange(len(lo)), counts)
    shift = lo - (np.cumsum(counts) - counts)
    return owner, np.arange(len(owner)) + shift[owner]


def lay_out(gold: Spans, pred: Spans) -> Line:
    """
    Both sides on one line; rows at one span in row order, gold first.

    Cost: one adaptive sort, which for sorted sides is a merge.
    """
    key, shift = _keys(gold, pred)
    row = np.argsort(key, kind="stable")
    return Line(key[row], row, len(gold.a), shift)


def _keys(gold: Spans, pred: Spans) -> tuple[IntArray, int]:
    """
    Start on the line and length of every row, in one int64, and the bits that the length takes.

    Where documents times longest document do not fit, the place of a boundary among all boundaries serves as well.
    """
    sides = [side for side in (gold, pred) if len(side.a)]
    room = max(int(side.b.max()) for side in sides) + 1
    n_docs = max(int(side.doc.max()) for side in sides) + 1
    shift = max(int((side.b - side.a).max()) for side in sides).bit_length()
    if n_docs * room >= 1 << (63 - shift):
        return _rank_keys(gold, pred)
    key = np.empty(len(gold.a) + len(pred.a), np.int64)
    for side, out in ((gold, key[: len(gold.a)]), (pred, key[len(gold.a) :])):
        np.multiply(side.doc, np.int64(room), out=out, dtype=np.int64)
        out += side.a
        out <<= shift
        out |= side.b - side.a
    return key, shift


def _rank_keys(gold: Spans, pred: Spans) -> tuple[IntArray, int]:
    """Like `_keys`, from the dense rank of (document, boundary); fits up to 2**30 rows."""
    doc = np.concatenate([gold.doc, pred.doc, gold.doc, pred.doc]).astype(np.int64)
    place = np.concatenate([gold.a, pred.a, gold.b, pred.b])
    order = np.lexsort((place, doc))
    doc, place = doc[order], place[order]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.concatenate([[0], np.cumsum((doc[1:] != doc[:-1]) | (place[1:] != place[:-1]))])
    start, end = np.split(rank, 2)
    shift = int((end - start).max()).bit_length()
    return start << shift | (end - start), shift


def by_span(line: Line) -> BoolArray:
    """Where a new span begins, bool of shape (N,)."""
    is_new = np.ones(len(line.key), np.bool_)
    np.not_equal(line.key[1:], line.key[:-1], out=is_new[1:])
    return is_new


def by_reach(line: Line) -> BoolArray:
    """Where a new cluster of overlapping spans begins, bool of shape (N,): no earlier span reaches over the start."""
    start, end = _bounds(line)
    is_new = np.ones(len(start), np.bool_)
    np.greater_equal(start[1:], np.maximum.accumulate(end, out=end)[:-1], out=is_new[1:])
    return is_new


def couples(line: Line, is_new: BoolArray) -> IntArray:
    """Positions of rows that, with the next row, make up a group of one gold row and one prediction."""
    is_last = np.ones(len(is_new), np.bool_)
    is_last[:-1] = is_new[1:]
    at = np.flatnonzero(is_new[:-1] & ~is_last[:-1] & is_last[1:])
    both_sides: IntArray = at[(line.row[at] < line.n_gold) != (line.row[at + 1] < line.n_gold)]
    return both_sides


def in_canonical_order(line: Line, rank: IntArray, is_ignored: BoolArray | None) -> Line:
    """
    The same line with the rows of one side at one span sorted by content, counted before ignored.

    Args:
        line: Rows at one span in row order.
        rank: Ranks of gold, then of predictions, int64 of shape (G + P,).
        is_ignored: Of the gold rows, or None if there is none.

    """
    is_new = by_span(line)
    is_alone = is_new.copy()
    is_alone[:-1] &= is_new[1:]
    at = np.flatnonzero(~is_alone)
    row = line.row[at]
    last = np.zeros(len(at), np.bool_)
    if is_ignored is not None:
        is_gold = row < line.n_gold
        last[is_gold] = is_ignored[row[is_gold]]
    order = np.lexsort((row, last, rank[row], row >= line.n_gold, line.key[at]))
    sorted_rows = line.row.copy()
    sorted_rows[at] = row[order]
    return line._replace(row=sorted_rows)


def squares(line: Line) -> BoolArray:
    """Rows at spans with as many gold rows as predictions, bool of shape (N,)."""
    span = np.cumsum(by_span(line)) - 1
    n_rows = np.bincount(span)
    n_pred = np.bincount(span[line.row >= line.n_gold], minlength=len(n_rows))
    is_square: BoolArray = (n_rows == 2 * n_pred)[span]
    return is_square


def two_sided(line: Line, is_new: BoolArray) -> tuple[Side, Side]:
    """Gold and predictions of the clusters that hold both; a cluster begins where `is_new`, numbers count from 0."""
    cluster = np.cumsum(is_new) - 1
    is_pred = line.row >= line.n_gold
    n_rows = np.bincount(cluster)
    n_pred = np.bincount(cluster[is_pred], minlength=len(n_rows))
    is_kept = (n_pred > 0) & (n_pred < n_rows)
    keep = is_kept[cluster]
    cluster = (np.cumsum(is_kept) - 1)[cluster[keep]]
    line, is_pred = line.take(keep), is_pred[keep]
    start, end = _bounds(line)
    span = np.cumsum(by_span(line)) - 1
    gold, pred = (
        Side(start[at], end[at], span[at], cluster[at], line.row[at] - first)
        for at, first in ((~is_pred, 0), (is_pred, line.n_gold))
    )
    return gold, pred


def _bounds(line: Line) -> tuple[IntArray, IntArray]:
    """Start and end on the line of each row, int64 of shape (N,) each."""
    start = line.key >> line.shift
    return start, start + (line.key & ((1 << line.shift) - 1))


def overlapping(gold: Side, pred: Side) -> Candidates:
    """All pairs that share a character."""
    return Candidates(
        np.searchsorted(pred.start, gold.start),
        np.searchsorted(pred.start, gold.end),
        np.searchsorted(gold.start, pred.start, side="right"),
        np.searchsorted(gold.start, pred.end),
    )


def identical(gold: Side, pred: Side) -> Candidates:
    """All pairs with one span."""
    none = np.zeros(len(pred.span), np.int64)
    return Candidates(np.searchsorted(pred.span, gold.span), np.searchsorted(pred.span, gold.span, "right"), none, none)


def chunks(per_cluster: IntArray, limit: int) -> Iterator[tuple[int, int]]:
    """Runs of clusters, (first, last excluded), of about `CHUNK` pairs; a cluster of more than `limit` stands alone."""
    number = np.cumsum(per_cluster) // CHUNK
    is_large = per_cluster > limit
    cut = (number[1:] != number[:-1]) | is_large[1:] | is_large[:-1]
    edges = [0, *(np.flatnonzero(cut) + 1).tolist(), len(per_cluster)]
    yield from pairwise(edges)

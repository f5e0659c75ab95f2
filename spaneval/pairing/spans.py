"""
Which prediction found which gold annotation: one-to-one pairs of spans, inside each document.

Most of a corpus needs no choice: spans that one annotation and one prediction share, pairs that touch only each
other. That is settled by sorting, over the whole corpus at once. What is left falls into clusters; small ones are
solved exactly and together, larger ones one by one, and crowds are swept. See docs/architecture.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from spaneval.pairing.assignment import choose
from spaneval.pairing.greedy import serve, serve_crowd
from spaneval.pairing.layout import (
    Candidates,
    Line,
    Side,
    Spans,
    by_reach,
    by_span,
    chunks,
    couples,
    identical,
    in_canonical_order,
    lay_out,
    overlapping,
    squares,
    two_sided,
)
from spaneval.pairing.sweep import AGREEING, COMPARABLE, Contents, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from spaneval.corpus import BoolArray, IntArray
    from spaneval.options import Assignment, Match

__all__ = ["Agreement", "Pairing", "Spans", "pair_spans"]

CROWD = 4_000_000
"""Candidate pairs above which a cluster is swept instead of solved; from the contract (docs/measures.md)."""

QUEUE = 1 << 16
"""Candidate pairs above which a cluster under `greedy` is served without listing them: the same pairs, sooner."""


class Agreement(Protocol):
    """What the ids of gold rows and predictions say of each other."""

    def __call__(self, gold: IntArray, pred: IntArray, /) -> NDArray[np.int8]:
        """
        Of pairs of rows, int64 of one length each.

        Returns:
            0 where the two cannot be compared, 1 where they can and differ, 2 where they agree.

        """


class Pairing(NamedTuple):
    """
    One-to-one pairs of rows.

    Args:
        gold: Gold rows that have a prediction, int64, ascending.
        pred: The prediction of each.
        n_swept: Number of clusters that were too large for the exact optimum.

    """

    gold: IntArray
    pred: IntArray
    n_swept: int


def pair_spans(
    gold: Spans,
    pred: Spans,
    agreement: Agreement,
    *,
    is_ignored: BoolArray | None = None,
    match: Match = "overlap",
    assignment: Assignment = "exact-first",
) -> Pairing:
    """
    Pair gold annotations and predictions, each used at most once.

    Args:
        gold: The gold annotations. pred: The predictions, in documents numbered like those of gold. agreement: What
            ids say of a pair; only asked where it can decide. is_ignored: Gold rows that count nowhere, bool of shape
            (G,). match: `overlap`, at least one shared character, or `exact`, both boundaries equal. assignment:
            `exact-first`: the best pairing in the order of `_levels`, then the canonical one, so that rows can come
            in any order. `greedy`: predictions in document order, each takes the first free annotation that matches;
            equal spans go by row.

    Cost: numpy over all rows, 0.4 s for a million annotations and predictions; more only where spans crowd.

    """
    if not len(gold.a) or not len(pred.a):
        return Pairing(np.empty(0, np.int64), np.empty(0, np.int64), 0)
    pairing = _Pairer(gold, pred, agreement, is_ignored)
    if assignment == "greedy":
        pairing.greedy(match)
    else:
        pairing.exact_first(match)
    return pairing.result()


class _Pairer:
    """The pairs found so far, and what is needed to find more."""

    def __init__(self, gold: Spans, pred: Spans, agreement: Agreement, is_ignored: BoolArray | None) -> None:
        self.gold, self.pred, self.agreement = gold, pred, agreement
        self.is_ignored = is_ignored if is_ignored is not None and is_ignored.any() else None
        self.mate = np.full(len(gold.a), -1)
        self.n_swept = 0

    def result(self) -> Pairing:
        """The pairs by gold row."""
        rows = np.flatnonzero(self.mate >= 0)
        return Pairing(rows, self.mate[rows], self.n_swept)

    def exact_first(self, match: Match) -> None:
        """Settle what is clear, then solve the clusters."""
        line = lay_out(self.gold, self.pred)
        line = self._without_couples(line, by_span(line))
        line = in_canonical_order(line, np.concatenate([self.gold.rank, self.pred.rank]), self.is_ignored)
        if match == "exact":
            self._solve(line, overlap=False)
            return
        is_square = squares(line)
        self._solve(line.take(is_square), overlap=False)
        self._solve(line.take(~is_square), overlap=True)

    def greedy(self, match: Match) -> None:
        """Serve predictions in document order, many clusters together."""
        overlap = match == "overlap"
        for g, p, candidates, is_crowd in self._parts(lay_out(self.gold, self.pred), overlap=overlap, crowd=QUEUE):
            if is_crowd:
                self._serve_crowd(g, p, overlap=overlap)
            else:
                at_gold, at_pred = candidates.expand()
                taken = serve(at_pred, self._preference(g, p, at_gold, at_pred), at_gold)
                self.mate[g.row[at_gold[taken]]] = p.row[at_pred[taken]]

    def _without_couples(self, line: Line, is_new: BoolArray) -> Line:
        """Settle the groups of one gold row and one prediction, and leave them out."""
        at = couples(line, is_new)
        first, second = line.row[at], line.row[at + 1]
        self.mate[np.minimum(first, second)] = np.maximum(first, second) - line.n_gold
        keep = np.ones(len(line.key), np.bool_)
        keep[at] = keep[at + 1] = False
        return line.take(keep)

    def _solve(self, line: Line, *, overlap: bool) -> None:
        """The optimum of each cluster, or its sweep."""
        for g, p, candidates, is_crowd in self._parts(line, overlap=overlap, crowd=CROWD):
            if is_crowd:
                self.n_swept += 1
                mate = sweep(g, p, self._contents(g, p), overlap=overlap)
                at_pred = np.flatnonzero(mate >= 0)
                at_gold = mate[at_pred]
            else:
                at_gold, at_pred = candidates.expand()
                levels = self._levels(g, p, at_gold, at_pred)
                best = choose(at_pred, at_gold, g.cluster[at_gold] - g.cluster[0], levels)
                at_gold, at_pred = at_gold[best], at_pred[best]
            self.mate[g.row[at_gold]] = p.row[at_pred]

    def _parts(self, line: Line, *, overlap: bool, crowd: int) -> Iterator[tuple[Side, Side, Candidates, bool]]:
        """
        Settle pairs that touch only each other, and cut the rest into chunks of clusters.

        Where only identical spans match, a span is a cluster. One of more than `crowd` candidate pairs stands alone.
        """
        cut, find = (by_reach, overlapping) if overlap else (by_span, identical)
        line = self._without_couples(line, cut(line))
        gold, pred = two_sided(line, cut(line))
        if not len(gold.row):
            return
        per_cluster = find(gold, pred).per_cluster(gold, pred, int(gold.cluster[-1]) + 1)
        for first, last in chunks(per_cluster, crowd):
            g, p = gold.part(first, last), pred.part(first, last)
            yield g, p, find(g, p), bool(per_cluster[first] > crowd)

    def _levels(self, gold: Side, pred: Side, at_gold: IntArray, at_pred: IntArray) -> list[NDArray[np.integer]]:
        """
        The aims of `exact-first`, the first one most important, one value per candidate pair.

        Identical spans: number; with counted annotations; of these agreeing; comparable. Other spans: with counted
        annotations; number; shared characters; of the counted, agreeing; comparable.
        """
        rows = gold.row[at_gold], pred.row[at_pred]
        same = gold.span[at_gold] == pred.span[at_pred]
        counted = self._is_counted(rows[0])
        ids = self.agreement(*rows)
        agreeing, comparable = counted & (ids >= AGREEING), counted & (ids >= COMPARABLE)
        shared = np.minimum(self.gold.b[rows[0]], self.pred.b[rows[1]])
        shared -= np.maximum(self.gold.a[rows[0]], self.pred.a[rows[1]])
        shared[same] = 0
        of_same = [same, same & counted, same & agreeing, same & comparable]
        of_other = [~same & counted, ~same, shared, ~same & agreeing, ~same & comparable]
        return [level.astype(np.int8) if level.dtype == np.bool_ else level for level in of_same + of_other]

    def _contents(self, gold: Side, pred: Side) -> Contents:
        """What tells rows of one span apart."""
        ranks = self.gold.rank[gold.row], self.pred.rank[pred.row]
        return Contents(self._is_counted(gold.row), *ranks, self.agreement)

    def _preference(self, gold: Side, pred: Side, at_gold: IntArray, at_pred: IntArray) -> IntArray:
        """Order in which `greedy` looks at annotations: counted ones, by span, agreeing ones, by row."""
        n = len(gold.row)
        rows = gold.row[at_gold], pred.row[at_pred]
        value = ~self._is_counted(rows[0]) * n + np.searchsorted(gold.span, gold.span)[at_gold]
        value = value * 2 + (self.agreement(*rows) < AGREEING)
        return value * n + at_gold

    def _serve_crowd(self, gold: Side, pred: Side, *, overlap: bool) -> None:
        def agrees(p: int, at_gold: IntArray) -> BoolArray:
            is_agreeing: BoolArray = self.agreement(gold.row[at_gold], np.full(len(at_gold), pred.row[p])) >= AGREEING
            return is_agreeing

        mate = serve_crowd(gold, pred, self._is_counted(gold.row), agrees, overlap=overlap)
        at_pred = np.flatnonzero(mate >= 0)
        self.mate[gold.row[mate[at_pred]]] = pred.row[at_pred]

    def _is_counted(self, gold_rows: IntArray) -> BoolArray:
        """Whether annotations count."""
        if self.is_ignored is None:
            return np.ones(len(gold_rows), np.bool_)
        return ~self.is_ignored[gold_rows]

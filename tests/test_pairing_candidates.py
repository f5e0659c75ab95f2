"""Candidate pairs from sorted starts, against an interval tree (the package intervaltree, tests only)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from intervaltree import Interval, IntervalTree

from spaneval.pairing.layout import Spans, by_reach, lay_out, overlapping, two_sided

SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(1, 15)), min_size=1, max_size=25)


def side(spans: list[tuple[int, int, int]]) -> Spans:
    doc, a, n = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    return Spans(doc, a, a + n, np.zeros(len(a), np.int64))


def found(gold: Spans, pred: Spans) -> set[tuple[int, int]]:
    """Every candidate pair of rows, as the ranges of `Candidates` say."""
    line = lay_out(gold, pred)
    gold_side, pred_side = two_sided(line, by_reach(line))
    ranges = overlapping(gold_side, pred_side)
    pairs = [(g, p) for g, (lo, hi) in enumerate(zip(*ranges[:2], strict=True)) for p in range(lo, hi)]
    pairs += [(g, p) for p, (lo, hi) in enumerate(zip(*ranges[2:4], strict=True)) for g in range(lo, hi)]
    assert len(set(pairs)) == len(pairs)
    return {(int(gold_side.row[g]), int(pred_side.row[p])) for g, p in pairs}


@given(SPANS, SPANS)
def test_every_overlap_is_found_once(gold_spans, pred_spans):
    gold, pred = side(gold_spans), side(pred_spans)
    expected = set()
    for document in range(3):
        tree = IntervalTree(
            Interval(a, b, row)  # the row as data: a tree is a set, and two rows may have one span
            for row, (d, a, b) in enumerate(zip(gold.doc.tolist(), gold.a.tolist(), gold.b.tolist(), strict=True))
            if d == document
        )
        for p, (d, a, b) in enumerate(zip(pred.doc.tolist(), pred.a.tolist(), pred.b.tolist(), strict=True)):
            expected |= {(hit.data, p) for hit in tree.overlap(a, b)} if d == document else set()

    assert expected == found(gold, pred)

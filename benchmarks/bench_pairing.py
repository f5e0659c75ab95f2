"""
Pairing of a million spans, 20 % of them nested, and of 200,000 spans in one crowd.

Run: pytest benchmarks/bench_pairing.py
"""

from __future__ import annotations

import numpy as np
import pytest

from spaneval.pairing.spans import Spans, pair_spans


def ordinary(n: int, seed: int = 0) -> tuple[Spans, Spans]:
    """Documents of 25 annotations; of the predictions 70 % are identical, 15 % shifted, 15 % elsewhere."""
    rng = np.random.default_rng(seed)
    doc = np.arange(n) // 25
    a = np.arange(n) % 25 * 100 + rng.integers(0, 60, n)
    b = a + rng.integers(4, 30, n)
    is_inner = rng.random(n) < 0.2
    a[1:][is_inner[1:]], b[1:][is_inner[1:]] = a[:-1][is_inner[1:]] + 1, b[:-1][is_inner[1:]] - 1
    kind = rng.random(n)
    shift = np.where(kind < 0.7, 0, np.where(kind < 0.85, rng.integers(1, 10, n), 3_000))
    return _side(doc, a, np.maximum(b, a + 1)), _side(doc, a + shift, np.maximum(b, a + 1) + shift)


def crowd(n: int, depth: int = 2_000) -> tuple[Spans, Spans]:
    """Chains of nested spans, gold and predictions in turn, and one prediction over everything."""
    k = np.arange(n)
    a = k // depth * 4 * depth + k % depth
    b = a + 2 * depth - 2 * (k % depth)
    gold, pred = k % 2 == 0, k % 2 == 1
    a_pred, b_pred = np.append(a[pred], 0), np.append(b[pred], b.max() + 1)
    return _side(0 * a[gold], a[gold], b[gold]), _side(0 * a_pred, a_pred, b_pred)


def _side(doc, a, b) -> Spans:
    order = np.lexsort((b, a, doc))
    return Spans(*(np.ascontiguousarray(c[order]) for c in (doc, a, b)), np.zeros(len(a), np.int64))


def agreement(gold, pred):
    """Half of the pairs agree."""
    return ((gold + pred) % 2 + 1).astype(np.int8)


@pytest.mark.parametrize("assignment", ["exact-first", "greedy"])
@pytest.mark.parametrize(("corpus", "n"), [(ordinary, 1_000_000), (crowd, 200_000)])
def test_pairing(benchmark, corpus, n, assignment):
    """Overlap mode."""
    gold, pred = corpus(n)
    result = benchmark(pair_spans, gold, pred, agreement, assignment=assignment)
    assert len(result.gold) > 0.4 * n

"""Counts of an ordinary corpus and an ordinary linker, for tests of statistics and their benchmarks."""

from __future__ import annotations

import numpy as np

from spaneval.corpus import IntArray
from spaneval.counts import Counts


def ordinary_counts(gold: IntArray, rng: np.random.Generator, *, recall: float = 0.8, most_spurious: int = 8) -> Counts:
    """
    Counts of one system, with minted and missing ids.

    Args:
        gold: Annotations of each document, of shape (D,).
        rng: Source of everything else.
        recall: Share of the annotations that are matched.
        most_spurious: Predictions of a document that match nothing, at the most.

    """
    matched = rng.binomial(gold, recall)
    predicted = matched + rng.integers(0, most_spurious + 1, len(gold))
    comparable = rng.binomial(matched, 0.7)
    return Counts.from_columns(
        len(gold),
        n_gold=gold,
        n_predicted=predicted,
        n_matched=matched,
        n_id_comparable=comparable,
        n_id_correct=rng.binomial(comparable, 0.8),
        n_gold_with_id=gold,
        n_predicted_with_id=predicted,
        n_minted=matched - comparable,
    )

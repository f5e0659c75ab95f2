"""Intervals and tests of every kind of counts, against listing all that may happen in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from spaneval.class_measures import margins
from spaneval.corpus import IntArray
from spaneval.entries import scoreboard
from spaneval.kinds import DOCUBENCH, FIELDS, LEAVES, REVIEW, SPANS, Kind
from spaneval.measure import Measure
from spaneval.measures import measures_of
from spaneval.resampling import paired_bootstrap
from spaneval.significance import permutation_tests

KINDS = [SPANS, FIELDS, LEAVES, DOCUBENCH, REVIEW, margins(["a", "b"])]
SIZES = [2, 6, 1 << 24, 1 << 31, 1 << 45]


def counts(kind: Kind, n_documents: int, below: int, seed: int) -> IntArray:
    """Two systems; a third of the counts is 0, so that measures are undefined in some documents and swaps."""
    rng = np.random.default_rng(seed)
    table = rng.integers(below, size=(n_documents, 2, len(kind.columns)))
    table[rng.random(table.shape) < 1 / 3] = 0
    if kind == DOCUBENCH:  # billionths, and documents
        table[..., 0] %= 10**9 + 1
        table[..., 1] = rng.integers(2, size=table.shape[:2])
    return table


def fraction(measure: Measure, counts: IntArray) -> Fraction | None:
    """A measure of summed counts, exactly."""
    totals: Any = dict(zip(measure.kind.columns, counts.sum(axis=0).tolist(), strict=True))
    return None if measure.value(totals) is None else Fraction(*measure.fraction(totals))


@pytest.mark.parametrize("below", SIZES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_p_and_documents_won_are_those_of_all_swaps_in_fractions(kind: Kind, below: int):
    """
    Negative terms, costs, undefined swaps, and counts whose products need more than 64 bits.
    """
    measures = list(measures_of(kind).values())
    table = counts(kind, 5, below, seed=below % 1000)
    (_, found) = permutation_tests(table, measures, rng=np.random.default_rng(0))

    for measure in measures:
        pairs = []
        for swap in product([0, 1], repeat=5):
            at = np.array(swap)
            pairs.append([fraction(measure, table[np.arange(5), side]) for side in (at, 1 - at)])
        base, system = pairs[0]
        deltas = [None if x is None or y is None else abs(y - x) for x, y in pairs]
        if base is None or system is None:
            assert found[measure.name].p is None
        else:
            least = abs(system - base) * (1 - Fraction(1, 10**12))
            assert sum(x is None or x >= least for x in deltas) / 32 == found[measure.name].p
            assert deltas.count(None) == found[measure.name].n_undefined_swaps
        alone = [[fraction(measure, table[[d], side]) for side in (0, 1)] for d in range(5)]
        signs = [None if x is None or y is None else (y > x) - (y < x) for x, y in alone]
        better = -1 if measure.is_cost else 1
        expected = (signs.count(better), signs.count(0), signs.count(-better), signs.count(None))
        assert expected == scoreboard(measure, table[:, 1], table[:, 0])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_intervals_are_quantiles_of_all_resamples(kind: Kind):
    """
    4**4 resamples of four documents, listed; both ends of value and difference stand at their share of them.
    """
    measures = list(measures_of(kind).values())
    table = counts(kind, 4, 9, seed=2)
    found = paired_bootstrap(table, measures, resamples=20_000, level=0.8, rng=np.random.default_rng(1))
    sums = np.stack([table[list(drawn)].sum(axis=0) for drawn in product(range(4), repeat=4)])

    for measure in measures:
        base, system = measure.values(sums[:, 0]), measure.values(sums[:, 1])
        for values, intervals in ((system, found.systems[1]), (system - base, found.deltas[1])):
            ends = intervals.intervals[measure.name]
            if ends is None:
                continue
            assert abs(np.isnan(values).mean() - intervals.left_out[measure.name]) < 0.02
            defined = values[~np.isnan(values)]
            for end, share in zip(ends, (0.1, 0.9), strict=True):
                assert (defined < end - 1e-12).mean() - 0.02 < share < (defined <= end + 1e-12).mean() + 0.02

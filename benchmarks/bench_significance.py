"""
The statistics of a comparison: 5 systems, 5 measures, 10,000 resamples and 10,000 swaps, for corpora of several sizes.

Aim: 3 s for 10,000 documents on two cores and at most 300 MiB beyond scoring; 30 s for 100,000 documents.

Measured on a shared Intel Xeon with AVX-512, numpy 2.4, OpenBLAS with one thread, 2026-11-29, intervals and tests
together: 400 documents 0.2 s, 10,000 documents 0.8 s of CPU time (0.8 to 2 s elapsed, as busy as the machine was),
100,000 documents 10 to 12 s (16 to 22 s elapsed); the process grew by 26 MiB and, for 100,000 documents, by 71 MiB.
"""

from __future__ import annotations

import numpy as np
import pytest
from ordinary import ordinary_counts
from pytest_benchmark.fixture import BenchmarkFixture

from spaneval.corpus import IntArray
from spaneval.measures import get_measure
from spaneval.resampling import paired_bootstrap
from spaneval.significance import mcnemar_exact, permutation_tests

MEASURES = [get_measure(name) for name in ("precision", "recall", "f1", "entity_accuracy", "link_f1")]


def systems_counts(n_documents: int, n_systems: int = 5) -> IntArray:
    """Counts of systems on an ordinary corpus, 25 annotations a document; int64 of shape (D, S, C)."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 50, n_documents)
    return np.stack([ordinary_counts(gold, rng).table for _ in range(n_systems)], axis=1)


@pytest.mark.parametrize("n_documents", [400, 10_000, 100_000])
def test_intervals_of_differences(benchmark: BenchmarkFixture, n_documents: int) -> None:
    """Each system and its difference to the first."""
    table = systems_counts(n_documents)
    benchmark.pedantic(lambda: paired_bootstrap(table, MEASURES, rng=np.random.default_rng(0)), rounds=2)


@pytest.mark.parametrize("n_documents", [13, 400, 10_000, 100_000])
def test_permutation_tests(benchmark: BenchmarkFixture, n_documents: int) -> None:
    """Four systems against the first; with 13 documents all swaps."""
    table = systems_counts(n_documents)
    benchmark.pedantic(lambda: permutation_tests(table, MEASURES, rng=np.random.default_rng(0)), rounds=2)


@pytest.mark.parametrize("n_cases", [1_000, 1_000_000, 100_000_000])
def test_mcnemar(benchmark: BenchmarkFixture, n_cases: int) -> None:
    """Close to the middle, where most terms are added."""
    benchmark(mcnemar_exact, n_cases // 2 - 10, n_cases // 2 + 10)

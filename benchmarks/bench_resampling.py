"""
Bootstrap intervals: 10,000 resamples of all default measures, for corpora of several sizes.

Aim, on one thread: 3 s for 40,000 documents, 0.1 s for 400, and less than 200 MiB.

Measured on a shared Intel Xeon with AVX-512, numpy 2.4, OpenBLAS with one thread, 2026-11-29: 400 documents 0.05 s,
4,000 documents 0.18 s, 40,000 documents 1.7 s, 100,000 documents 5 s; the whole process held 53, 53, 64 and 81 MiB.
"""

from __future__ import annotations

import numpy as np
import pytest
from ordinary import ordinary_counts
from pytest_benchmark.fixture import BenchmarkFixture

from spaneval.counts import Counts
from spaneval.draws import resample_sums
from spaneval.measures import default_measures
from spaneval.resampling import bootstrap


def corpus_counts(n_documents: int) -> Counts:
    """Counts of an ordinary corpus, 25 annotations a document."""
    rng = np.random.default_rng(0)
    return ordinary_counts(rng.integers(0, 50, n_documents), rng)


@pytest.mark.parametrize("n_documents", [400, 4_000, 40_000, 100_000])
def test_intervals(benchmark: BenchmarkFixture, n_documents: int) -> None:
    """All default measures; the size of an ordinary run."""
    counts, measures = corpus_counts(n_documents), default_measures(has_nil=False)
    benchmark.pedantic(bootstrap, (counts, measures), {"seed": 1234}, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("block_cells", [1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22])
@pytest.mark.parametrize("n_documents", [400, 40_000, 100_000])
def test_size_of_blocks(benchmark: BenchmarkFixture, n_documents: int, block_cells: int) -> None:
    """What the size of a block is chosen by: nine columns, 1,000 resamples."""
    counts = np.random.default_rng(0).integers(0, 50, (n_documents, 9))

    def sums() -> None:
        resample_sums(counts, resamples=1_000, rng=np.random.default_rng(0), block_cells=block_cells)

    benchmark.pedantic(sums, rounds=3, warmup_rounds=1)

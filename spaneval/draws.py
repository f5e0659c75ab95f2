"""
Documents drawn with replacement: how often each comes up, and the sums of their counts, exactly.

The hot path of all resampling; it knows whole numbers and nothing of what they count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import exp, factorial, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from spaneval.corpus import IntArray

ByteArray = NDArray[np.uint8]

BLOCK_CELLS = 1 << 21  # weights held at once, some 20 MiB; measured in benchmarks/bench_resampling.py
_SLACK = 3.0  # standard deviations between the mean of the Poisson total and D; 1 of 740 resamples is drawn again
_FLOAT32_EXACT = 1 << 24  # float32 holds every integer up to here


def resample_sums(
    counts: IntArray, *, resamples: int, rng: np.random.Generator, block_cells: int = BLOCK_CELLS
) -> IntArray:
    """
    Sums of counts over documents drawn with replacement: random weights times counts, exactly.

    Args:
        counts: What to sum, sums of absolute values below 2**53 even after weighting; int64 of shape (D, ...).
        resamples: How many times D documents are drawn, R.
        rng: Source of randomness.
        block_cells: Weights held at once; at least the D of one resample. The result does not depend on it.

    Returns:
        int64 of shape (R, ...).

    Cost: R × D bytes are drawn and multiplied; for each weight of a block 10 bytes are held, 14 beyond 2**24.
    """
    n_documents = len(counts)
    flat = counts.reshape(n_documents, prod(counts.shape[1:]))
    sums = np.zeros((resamples, flat.shape[1]), dtype=np.int64)
    if n_documents and flat.shape[1]:
        product = ExactProduct(flat)
        done = 0
        for weights in document_weights(n_documents, resamples, rng, max(1, block_cells // n_documents)):
            sums[done : done + len(weights)] = product(weights)
            done += len(weights)
    return sums.reshape(resamples, *counts.shape[1:])


class ExactProduct:
    """
    Weights times counts in floating point, where every product is an exact integer.

    Sums of non-negative integers in float32 are exact below 2**24, in any order: partial sums are no larger than the
    result. A sum that is too large shows itself, because rounding never brings it back below 2**24. So the fast
    product is tried where the totals allow it, and the block is computed again in float64 in the rare case of need.

    Where counts are negative, a partial sum may be larger than the result. With weights of 0 and 1 none exceeds the sum
    of absolute values, so the fast product is as good; with other weights it is not tried.

    Args:
        counts: int64 of shape (D, K), totals of absolute values below 2**53 even after weighting; K is at least 1.
        are_bits: Whether all weights are 0 or 1.

    """

    def __init__(self, counts: IntArray, *, are_bits: bool = False) -> None:
        self.counts = counts.astype(np.float64)
        fits = np.abs(counts).sum(axis=0).max() < _FLOAT32_EXACT and (are_bits or counts.min(initial=0) >= 0)
        self.small_counts = counts.astype(np.float32) if fits else None

    def __call__(self, weights: ByteArray) -> IntArray:
        """Weights, uint8 of shape (B, D), times the counts, (D, K), as int64 of shape (B, K)."""
        if self.small_counts is not None:
            sums = weights.astype(np.float32) @ self.small_counts
            if sums.max() < _FLOAT32_EXACT:
                return sums.astype(np.int64)
        return (weights.astype(np.float64) @ self.counts).astype(np.int64)


def document_weights(
    n_documents: int, resamples: int, rng: np.random.Generator, block_rows: int
) -> Iterator[ByteArray]:
    """
    How often each document is drawn, for every resample: exactly multinomial(D; 1/D, …, 1/D).

    Drawing D indices and counting them costs more than 10 ns each. Instead: independent Poisson weights, given that
    their total is T, are distributed as the counts of T uniform draws, whatever the mean (the factor of the mean
    cancels). So the weights start as Poisson with a mean a little below 1, rows with T > D are thrown away, and the
    D - T draws that are missing are made one by one. Conditioning on T keeps the law exact, because T of D draws and
    the D - T others are independent and uniform. Few documents have a mean of 0: then all draws are made one by one.

    Three generators are split off `rng`, one for each kind of draw, so that every kind is consumed row after row and
    the weights do not depend on `block_rows`.

    Args:
        n_documents: D, at least 1.
        resamples: How many rows to give in all.
        rng: Source of randomness.
        block_rows: Rows drawn at once.

    Yields:
        uint8 of shape (B, D) with B ≤ `block_rows`; each row sums to D. A weight beyond 255 has a probability below
        10**-500.

    Source: for weights w with sum T, the product of exp(-m) m**w / w! is proportional to T! / (D**T · product of w!).
    Resampling vectors are multinomial: Efron & Tibshirani 1993, chapter 20.
    """
    byte_rng, tail_rng, draw_rng = rng.spawn(3)
    poisson = _PoissonBytes(max(0.0, 1 - _SLACK / sqrt(n_documents)))
    while resamples:
        weights = poisson.draw((min(block_rows, resamples), n_documents), byte_rng, tail_rng)
        missing = n_documents - weights.sum(axis=1, dtype=np.int64)
        weights, missing = weights[missing >= 0], missing[missing >= 0]
        if not len(weights):
            continue
        rows = np.repeat(np.arange(len(weights)), missing)
        columns = draw_rng.integers(n_documents, size=len(rows))
        np.add.at(weights.reshape(-1), rows * n_documents + columns, np.uint8(1))
        resamples -= len(weights)
        yield weights


class _PoissonBytes:
    """
    Poisson numbers with a mean below 1, drawn from one random byte each.

    Of the 256 values of a byte, the first floor(256 · p(0)) stand for 0, the next floor(256 · p(1)) for 1, and so on.
    The few that are left over stand for the rest of the probabilities, from which a second number is then drawn.
    """

    def __init__(self, mean: float) -> None:
        # p(25) < 1e-25 is below the resolution of a double in [0, 1)
        p = np.array([exp(-mean) * mean**k / factorial(k) for k in range(25)])
        share = np.floor(256 * p)
        ends = np.cumsum(share).astype(int)
        self.starts = list(takewhile(lambda start: start < ends[-1], ends.tolist()))
        self.tail = int(ends[-1])
        rest = np.cumsum(256 * p - share)
        self.tail_cdf = rest / rest[-1] if self.tail < 256 else rest

    def draw(self, shape: tuple[int, int], byte_rng: np.random.Generator, tail_rng: np.random.Generator) -> ByteArray:
        """uint8 of the given shape; each row consumes both generators after the row before it."""
        rows, n = shape
        words = byte_rng.integers(1 << 64, size=(rows, -(-n // 8)), dtype=np.uint64)
        codes = words.astype("<u8", copy=False).view(np.uint8)[:, :n]
        numbers = np.zeros(shape, dtype=np.uint8)
        for start in self.starts:
            numbers += codes >= start
        if self.tail < 256:
            places = np.flatnonzero(codes >= self.tail)
            drawn = np.searchsorted(self.tail_cdf, tail_rng.random(len(places)), side="right")
            numbers.reshape(-1)[places] = drawn
        return numbers

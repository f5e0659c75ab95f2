"""
Whether a difference between systems may be luck: counts and measures in, p-values out, and corrections for many tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, ldexp, lgamma, log, log1p, pi, sqrt
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, IntArray
from spaneval.draws import BLOCK_CELLS, ByteArray, ExactProduct
from spaneval.exceptions import MeasureError
from spaneval.measure import Measure
from spaneval.resampling import check_systems, differences, totals_of, used_columns, why_no_difference

Correction = Literal["holm", "bh", "none"]

TRIALS = 10_000
MOST_ENUMERATED = 13  # documents; 2**13 swaps are the last power of 2 below TRIALS

_RELATIVE_TOLERANCE = 1e-12  # of "at least as large"; `differences` errs by less than 1e-15
_MOST_IN_INTEGERS = 1000  # cases; then integers take some milliseconds, and 2**-1000 is still a float


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """
    What the paired permutation test says of one system and one measure.

    Args:
        p: Two-sided p-value, in (0, 1]; None where the measure is undefined for the system or the baseline.
        n_trials: How many swaps were looked at: those drawn, or all of them.
        is_exact: Whether they are all swaps that there are.
        n_undefined_swaps: Swaps that left the measure undefined for either; they count as extreme. 0 without a p.
        reason: Why there is no p; None where there is one.

    """

    p: float | None
    n_trials: int
    is_exact: bool
    n_undefined_swaps: int
    reason: str | None


def permutation_tests(
    table: IntArray,
    measures: Sequence[Measure],
    *,
    baseline: int = 0,
    trials: int = TRIALS,
    rng: np.random.Generator,
    block_cells: int = BLOCK_CELLS,
) -> list[dict[str, PermutationTest]]:
    """
    Paired permutation tests over documents of several systems against a baseline (approximate randomisation).

    If a system is no better and no worse than the baseline, it is chance which of the two counted what in a document.
    So both rows of a document are swapped with probability 1/2, each document on its own, and p is the share of swaps
    whose difference is at least as large, in either direction, as the one seen: b of n swaps give (b + 1) / (n + 1),
    because the difference seen is one that swaps could have given. With few documents all swaps are enumerated instead,
    the one that changes nothing among them, and p is b / 2**D.

    All systems and measures see the same swaps: a p does not depend on what else is tested. Documents whose rows are
    equal count as documents here, although swapping them changes nothing.

    Args:
        table: Counts, int64 of shape (D, S, C): S systems on the same documents, columns as in the measures' kind.
        measures: What to test.
        baseline: Which of the systems the others are tested against.
        trials: Random swaps drawn; not used with up to `MOST_ENUMERATED` documents.
        rng: Source of randomness; its own stream is drawn from, no generator is spawned.
        block_cells: Swaps × documents held at once; at least one swap. The result does not depend on it.

    Returns:
        The tests by measure, one entry per system; that of the baseline is empty.

    Raises:
        MeasureError: If `trials` is impossible.
        ValueError: If the table has another shape or `baseline` is not one of the systems.

    Cost: a (trials, D) by (D, S × used columns) product in blocks; 5 bytes for each cell of a block. Measured in
    benchmarks/bench_significance.py.
    Source: Noreen 1989, Computer-Intensive Methods for Testing Hypotheses, chapter 2; Riezler & Maxwell 2005, On some
    pitfalls in automatic evaluation and significance testing for MT, aclanthology.org/W05-0908.
    """
    if trials < 1:
        raise MeasureError(f"{trials} trials; expected 1 or more")
    check_systems(table, baseline)
    n_documents, n_systems, _ = table.shape
    is_exact = n_documents <= MOST_ENUMERATED
    n_trials = 2**n_documents if is_exact else trials
    others = [k for k in range(n_systems) if k != baseline]
    result: list[dict[str, PermutationTest]] = [{} for _ in range(n_systems)]
    if not others or not measures:
        return result
    tallies = [_Tally.of(measure, table, others, baseline) for measure in measures]
    block_rows = max(1, block_cells // max(n_documents, len(others) * table.shape[2]))
    swaps = _swaps(n_documents, n_trials, None if is_exact else rng, block_rows)
    for system, base in _swapped_sums(table, others, baseline, used_columns(measures), swaps):
        for tally in tallies:
            tally.add(system, base)
    totals = totals_of(table, measures)
    for tally in tallies:
        for position, k in enumerate(others):
            reason = why_no_difference(tally.measure, totals[k], totals[baseline])
            n_extreme, n_undefined = int(tally.n_extreme[position]), int(tally.n_undefined[position])
            p = n_extreme / n_trials if is_exact else (n_extreme + 1) / (n_trials + 1)
            result[k][tally.measure.name] = PermutationTest(
                None if reason else p, n_trials, is_exact, 0 if reason else n_undefined, reason
            )
    return result


@dataclass(frozen=True, slots=True)
class _Tally:
    """
    How many swaps were extreme in one measure, by system.

    Args:
        measure: The measure.
        least: What an absolute difference has to reach to be extreme, float64 of shape (S - 1,).
        n_extreme: Swaps that reach it or are undefined, int64 of shape (S - 1,).
        n_undefined: Swaps in which the measure is undefined for either, int64 of shape (S - 1,).

    """

    measure: Measure
    least: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    n_extreme: IntArray
    n_undefined: IntArray

    @classmethod
    def of(cls, measure: Measure, table: IntArray, others: Sequence[int], baseline: int) -> _Tally:
        totals = table.sum(axis=0)
        seen = differences(measure, totals[others], np.broadcast_to(totals[baseline], totals[others].shape))
        zeros = np.zeros(len(others), dtype=np.int64)
        return cls(measure, np.abs(seen) * (1 - _RELATIVE_TOLERANCE), zeros, zeros.copy())

    def add(self, system: IntArray, baseline: IntArray) -> None:
        """Counts of both after a block of swaps, int64 of shape (B, S - 1, C)."""
        delta = differences(self.measure, system, baseline)
        is_undefined: BoolArray = np.isnan(delta)
        self.n_undefined[:] += is_undefined.sum(axis=0)
        self.n_extreme[:] += ((np.abs(delta) >= self.least) | is_undefined).sum(axis=0)


def _swapped_sums(
    table: IntArray, others: Sequence[int], baseline: int, used: Sequence[int], swaps: Iterator[ByteArray]
) -> Iterator[tuple[IntArray, IntArray]]:
    """
    Summed counts after swaps, block by block: of each other system, and of the baseline that it was swapped with.

    A swap adds baseline minus system to the system and takes it from the baseline, so that one product tells both.

    Yields:
        Twice int64 of shape (B, S - 1, C); columns that are not used stay as they were.

    """
    moves = (table[:, [baseline]] - table[:, others])[..., used]
    product = ExactProduct(moves.reshape(len(table), len(others) * len(used)), are_bits=True)
    totals = table.sum(axis=0)
    for swap in swaps:
        moved = np.zeros((len(swap), len(others), table.shape[2]), dtype=np.int64)
        moved[..., used] = product(swap).reshape(len(swap), len(others), len(used))
        yield totals[others] + moved, totals[baseline] - moved


def _swaps(n_documents: int, n_trials: int, rng: np.random.Generator | None, block_rows: int) -> Iterator[ByteArray]:
    """
    Which documents are swapped: one bit for each trial and document, all 2**D of them where there is no generator.

    Yields:
        uint8 of shape (B, D), 0 or 1, with B ≤ `block_rows`; each row takes whole words from the generator, so the
        rows do not depend on `block_rows`.

    """
    for start in range(0, n_trials, block_rows):
        stop = min(start + block_rows, n_trials)
        if rng is None:
            words = np.arange(start, stop, dtype=np.uint64)[:, np.newaxis]
        else:
            words = rng.integers(1 << 64, size=(stop - start, -(-n_documents // 64)), dtype=np.uint64)
        as_bytes = words.astype("<u8", copy=False).view(np.uint8)
        yield np.unpackbits(as_bytes, axis=1, count=n_documents, bitorder="little")


class Corrected(NamedTuple):
    """
    P-values corrected for being many.

    Args:
        p_values: In the order of the tests; None where a test has no p.
        n_tests: How many tests have one: what was corrected for.

    """

    p_values: list[float | None]
    n_tests: int


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """
    P-values times the number of hypotheses that are left, from the smallest on, never falling and at most 1.

    Rejecting those at most alpha keeps the probability of one false rejection or more at alpha, whatever the tests have
    to do with each other. A test without a p stays None and is not counted.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    return _among_defined(p_values, _holm)


def _holm(ascending: list[float]) -> list[float]:
    result, largest = [], 0.0
    for n_left, p in zip(range(len(ascending), 0, -1), ascending, strict=True):
        largest = min(1.0, max(largest, n_left * p))
        result.append(largest)
    return result


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """
    P-values times the number of tests, over their rank, never falling and at most 1.

    Rejecting those at most alpha keeps the expected share of false ones among the rejections at alpha, if the tests are
    independent or positively dependent. A test without a p stays None and is not counted.

    Source: Benjamini & Hochberg 1995, Controlling the false discovery rate, Journal of the Royal Statistical Society B
    57; the dependence: Benjamini & Yekutieli 2001, Annals of Statistics 29.
    """
    return _among_defined(p_values, _benjamini_hochberg)


def _benjamini_hochberg(ascending: list[float]) -> list[float]:
    n = len(ascending)
    result, smallest = [], 1.0
    for rank in range(n, 0, -1):
        smallest = min(smallest, ascending[rank - 1] * n / rank)
        result.append(smallest)
    return result[::-1]


def _among_defined(
    p_values: Sequence[float | None], correction: Callable[[list[float]], list[float]]
) -> list[float | None]:
    """A correction of ascending p-values, applied to those that there are, in their places."""
    order = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    result: list[float | None] = [None] * len(p_values)
    for (_, k), corrected in zip(order, correction([p for p, _ in order]), strict=True):
        result[k] = corrected
    return result


CORRECTIONS: Mapping[Correction, Callable[[Sequence[float | None]], list[float | None]]] = MappingProxyType(
    {"holm": holm, "bh": benjamini_hochberg, "none": list}
)
"""Every correction by name."""


def correct(p_values: Sequence[float | None], method: Correction = "holm") -> Corrected:
    """
    P-values of all tests of a table, corrected together.

    Args:
        p_values: One for each test; None where a test has no p.
        method: `holm`, `bh` (Benjamini & Hochberg) or `none`, which changes nothing.

    Returns:
        The corrected values and how many tests they were corrected for.

    Raises:
        MeasureError: If there is no such method.

    """
    if method not in CORRECTIONS:
        raise MeasureError(f"no correction {method!r}; there are {', '.join(CORRECTIONS)}")
    return Corrected(CORRECTIONS[method](p_values), sum(p is not None for p in p_values))


def mcnemar_exact(n_only_first: int, n_only_second: int) -> float:
    """
    Two-sided p-value for two systems judged right or wrong on the same cases.

    Cases on which both agree say nothing. Of the n others, as many as a fair coin would give are right in the first
    system only: p is twice the probability that Binomial(n, 1/2) is at most the smaller of both numbers.

    Args:
        n_only_first: Cases that only the first system gets right.
        n_only_second: Cases that only the second system gets right.

    Returns:
        A probability, with a relative error below 1e-12; 1 where the numbers are equal, so also for 0 and 0: without a
        case that tells the systems apart nothing speaks against luck. Below 1e-308 digits are lost, and then it is 0.

    Raises:
        ValueError: If a number is negative.

    Cost: milliseconds up to 1,000 cases; then some 5 · sqrt(n) steps.
    Source: McNemar 1947, Note on the sampling error of the difference between correlated proportions, Psychometrika 12,
    with the binomial distribution in place of its approximation.
    """
    k, larger = sorted((n_only_first, n_only_second))
    if k < 0:
        raise ValueError(f"{k} cases; expected 0 or more")
    n = k + larger
    if larger - k <= 1:
        return 1.0
    if n <= _MOST_IN_INTEGERS:
        return 2 * sum(comb(n, i) for i in range(k + 1)) / (1 << n)
    return 2 * _fair_binomial(k, n) * _tail_over_last(k, n)


def _tail_over_last(k: int, n: int) -> float:
    """The probability of up to k heads in n tosses of a fair coin over that of exactly k, for k < n / 2."""
    tail, term = 1.0, 1.0
    for i in range(k, 0, -1):
        term *= i / (n - i + 1)
        if term < 1e-18 * tail:
            break
        tail += term
    return tail


def _fair_binomial(k: int, n: int) -> float:
    """
    The probability of k heads in n tosses of a fair coin, for k < n / 2.

    Logarithms of factorials of large n have lost the digits that matter when they are subtracted, so what cancels in
    Stirling's formula is left out beforehand.

    Source: Loader 2000, Fast and accurate computation of binomial probabilities.
    """
    if k == 0:
        return ldexp(1.0, -n)
    d = (n - 2 * k) / n
    if d < 0.5:
        divergence = sum(d ** (2 * j) / (2 * j * (2 * j - 1)) for j in range(1, 30))
    else:
        divergence = ((1 - d) * log(2 * k / n) + (1 + d) * log1p(d)) / 2
    error = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    return exp(error - n * divergence) * sqrt(n / (2 * pi * k * (n - k)))


def _stirling_error(n: int) -> float:
    """log(n!) minus Stirling's formula for it."""
    if n < 16:
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi)
    m = n * n
    # coefficients B(2j) / (2j (2j - 1)); the next term is below 1e-15 / 9
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / m) / m) / m) / m) / n

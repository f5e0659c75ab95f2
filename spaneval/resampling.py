"""
What luck would do to a measure: counts and measures in, intervals out.

The document is the unit, because the mentions of one text are not independent of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from spaneval.corpus import FloatArray, IntArray
from spaneval.counts import Counts
from spaneval.draws import resample_sums
from spaneval.exceptions import MeasureError
from spaneval.measure import Measure
from spaneval.options import LEVEL, RESAMPLES

_INT64_FACTOR = 1 << 31  # int64 holds the product of any two integers below


@dataclass(frozen=True, slots=True)
class Intervals:
    """
    Intervals of several measures, or of the differences of two systems in them, over the same resamples.

    Args:
        intervals: Both ends by measure; None where the interval is undefined.
        undefined: Why, by measure, for those without an interval.
        left_out: By measure, the share of resamples in which it is undefined; empty where nothing was resampled.

    """

    intervals: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap(Intervals):
    """
    The intervals of one system.

    Args:
        resamples: How many resamples were asked for.
        level: Share of the resampled values inside the interval.
        seed: What the resamples were drawn from.

    """

    resamples: int
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """
    The intervals of several systems, and of their differences to one of them, over the same resamples.

    Args:
        systems: Intervals of the measures, one entry per system.
        deltas: Intervals of system minus baseline, one entry per system; that of the baseline is empty.
        resamples: How many resamples were asked for.
        level: Share of the resampled values inside the interval.

    """

    systems: list[Intervals]
    deltas: list[Intervals]
    resamples: int
    level: float


def bootstrap(
    counts: Counts, measures: Sequence[Measure], *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int
) -> Bootstrap:
    """
    Percentile intervals of measures, by resampling documents.

    All measures see the same resamples. A resample in which a measure is undefined is left out of its interval. A
    measure that is undefined for the counts themselves has no interval.

    Args:
        counts: One row per document, D of them.
        measures: What to compute.
        resamples: How often D documents are drawn with replacement.
        level: Share of the resampled values inside the interval.
        seed: Fixes the resamples; 0 is a seed like any other.

    Returns:
        The intervals; none of them is defined with fewer than two documents.

    Raises:
        MeasureError: If `resamples` or `level` is impossible.

    Cost: about `resamples` × D × 5 ns, see benchmarks/bench_resampling.py, and 10 bytes for each weight of a block.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13 (percentile interval).
    """
    check_parameters(resamples, level)
    result = Bootstrap(resamples=resamples, level=level, seed=seed)
    if len(counts) < 2:
        add_too_few(result, [measure.name for measure in measures], len(counts))
        return result
    totals = counts.totals()
    sums = resample_counts(counts.table, measures, resamples=resamples, rng=np.random.default_rng(seed))
    for measure in measures:
        add_interval(result, measure.name, measure.values(sums), level, measure.why_undefined(totals))
    return result


def paired_bootstrap(
    table: IntArray,
    measures: Sequence[Measure],
    *,
    baseline: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: np.random.Generator,
) -> PairedBootstrap:
    """
    Percentile intervals of several systems' measures and of their differences, from the same resampled documents.

    A difference is taken inside each resample, so what makes a document hard for both systems cancels. A resample in
    which a measure is undefined for either system is left out of the interval of its difference. A measure that is
    undefined for the counts of either system has no interval of the difference.

    Args:
        table: Counts, int64 of shape (D, S, C): S systems on the same documents, columns as in the measures' kind.
        measures: What to compute.
        baseline: Which of the systems the others are compared with.
        resamples: How often D documents are drawn with replacement.
        level: Share of the resampled values inside the interval.
        rng: Source of randomness. A new generator of the seed S gives each system the intervals that `bootstrap` gives
            it with that seed. Only generators that it spawns are drawn from; its own stream is left as it is.

    Returns:
        The intervals; none of them is defined with fewer than two documents.

    Raises:
        MeasureError: If `resamples` or `level` is impossible.
        ValueError: If the table has another shape or `baseline` is not one of the systems.

    Cost: that of `bootstrap`, with a product of S times as many columns; see benchmarks/bench_significance.py.
    Source: Koehn 2004, Statistical significance tests for machine translation evaluation, aclanthology.org/W04-3250
    (paired resampling of documents); Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    check_parameters(resamples, level)
    check_systems(table, baseline)
    n_documents, n_systems, _ = table.shape
    result = PairedBootstrap(
        [Intervals() for _ in range(n_systems)], [Intervals() for _ in range(n_systems)], resamples, level
    )
    others = [k for k in range(n_systems) if k != baseline]
    if n_documents < 2:
        for intervals in result.systems + [result.deltas[k] for k in others]:
            add_too_few(intervals, [measure.name for measure in measures], n_documents)
        return result
    totals = totals_of(table, measures)
    sums = resample_counts(table, measures, resamples=resamples, rng=rng)
    for measure in measures:
        values = measure.values(sums)
        for k in range(n_systems):
            reason = measure.why_undefined(totals[k])
            add_interval(result.systems[k], measure.name, values[:, k], level, reason)
        for k in others:
            delta = differences(measure, sums[:, k], sums[:, baseline])
            reason = why_no_difference(measure, totals[k], totals[baseline])
            add_interval(result.deltas[k], measure.name, delta, level, reason)
    return result


def add_too_few(result: Intervals, names: Sequence[str], n: int, noun: str = "document") -> None:
    """Enter for measures of these names that none has an interval, because there are fewer than two documents."""
    found = f"there is one {noun}" if n else f"there is no {noun}"
    for name in names:
        result.intervals[name] = None
        result.undefined[name] = f"{found}; an interval needs at least two"


def add_interval(result: Intervals, name: str, values: FloatArray, level: float, reason: str | None) -> None:
    """Enter the interval of resampled values, unless there is a reason why there is none."""
    interval = None if reason else percentile_interval(values, level)
    result.intervals[name] = interval
    result.left_out[name] = float(np.mean(np.isnan(values)))
    if interval is None:
        result.undefined[name] = reason or f"undefined in each of the {len(values)} resamples"


def check_parameters(resamples: int, level: float) -> None:
    """
    Whether intervals can be computed with these.

    Raises:
        MeasureError: If not.

    """
    if resamples < 1:
        raise MeasureError(f"{resamples} resamples; expected 1 or more")
    if not 0 < level < 1:
        raise MeasureError(f"level {level}; expected a number between 0 and 1, as 0.95")


def check_systems(table: IntArray, baseline: int) -> None:
    """
    Whether a table holds systems side by side and the baseline is one of them.

    Raises:
        ValueError: If not.

    """
    if table.ndim != 3:
        raise ValueError(f"counts of shape {table.shape}; expected (documents, systems, columns)")
    if not 0 <= baseline < table.shape[1]:
        raise ValueError(f"baseline {baseline} of {table.shape[1]} systems; expected 0 or more and less than that")


def differences(measure: Measure, system: IntArray, baseline: IntArray) -> FloatArray:
    """
    A measure of one system minus that of another, for many sums at once.

    The two fractions are brought to one denominator in integers, so that the result has a relative error below 1e-15.
    Subtracting their values would lose digits where the difference is small, and equal differences, as 8/10 - 7/10
    and 3/10 - 2/10, would not be equal.

    Args:
        measure: What to compute.
        system: Summed counts, int64 of shape (..., C), columns as in the kind of the measures.
        baseline: The other system's, of the same shape.

    Returns:
        float64 of shape (...), NaN where the measure is undefined for either; internal, no report shows a NaN.

    """
    is_defined = ~np.isnan(measure.values(system)) & ~np.isnan(measure.values(baseline))
    result = np.full(is_defined.shape, np.nan)
    parts = [part[is_defined] for counts in (system, baseline) for part in measure.fractions(counts)]
    if max(int(np.abs(part).max(initial=0)) for part in parts) >= _INT64_FACTOR:
        parts = [part.astype(object) for part in parts]
    top, bottom, baseline_top, baseline_bottom = parts
    result[is_defined] = (top * baseline_bottom - baseline_top * bottom) / (bottom * baseline_bottom)
    return result


def totals_of(table: IntArray, measures: Sequence[Measure]) -> list[dict[str, int]]:
    """
    Summed counts of each system, by column.

    Args:
        table: Counts, int64 of shape (D, S, C): S systems on the same documents, columns as in the measures' kind.
        measures: All of one kind; without any there is nothing to name the columns by, and nothing is told.

    """
    if not measures:
        return [{} for _ in range(table.shape[1])]
    return [Counts(table[:, k], measures[0].kind).totals() for k in range(table.shape[1])]


def why_no_difference(measure: Measure, system: Mapping[str, int], baseline: Mapping[str, int]) -> str | None:
    """Why the totals of two systems have no difference in a measure, and on which side; None where they have one."""
    sides = {"the system": measure.why_undefined(system), "the baseline": measure.why_undefined(baseline)}
    reasons = [f"undefined for {side}: {reason}" for side, reason in sides.items() if reason]
    return "; ".join(reasons) or None


def percentile_interval(values: FloatArray, level: float) -> tuple[float, float] | None:
    """
    The (1 - level) / 2 and (1 + level) / 2 quantiles of the defined values.

    Quantiles interpolate linearly between order statistics (definition 7 of Hyndman & Fan 1996, numpy's default).

    Args:
        values: float64 of shape (R,), NaN where undefined.
        level: Share of the values inside the interval.

    Returns:
        Both ends; None if no value is defined.

    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def resample_counts(
    table: IntArray, measures: Sequence[Measure], *, resamples: int, rng: np.random.Generator
) -> IntArray:
    """
    Summed counts of every resample, as far as `measures` use them.

    Args:
        table: Counts, int64 of shape (D, C), or (D, S, C) for S systems that then share the resamples.
        measures: Only columns that one of them uses enter the product; the others stay 0 in the result.
        resamples: How many, R.
        rng: Source of randomness.

    Returns:
        int64 of shape (R, C) or (R, S, C), for `Measure.values`.

    """
    used = used_columns(measures)
    sums = np.zeros((resamples, *table.shape[1:]), dtype=np.int64)
    sums[..., used] = resample_sums(table[..., used], resamples=resamples, rng=rng)
    return sums


def used_columns(measures: Sequence[Measure]) -> list[int]:
    """Positions of all columns that one of the measures uses, ascending."""
    return sorted({measure.kind.position(column) for measure in measures for column in measure.columns})

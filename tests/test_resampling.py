import itertools
import tracemalloc
from collections import Counter
from math import factorial, prod

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from ordinary import ordinary_counts

from spaneval import draws
from spaneval.counts import Counts
from spaneval.draws import resample_sums
from spaneval.exceptions import MeasureError
from spaneval.kinds import SPANS
from spaneval.measures import MEASURES, default_measures, get_measure
from spaneval.resampling import (
    bootstrap,
    differences,
    paired_bootstrap,
    percentile_interval,
    resample_counts,
    why_no_difference,
)

LEAST_P = 1e-4
"""A right sampler fails a chi-square test with one fixed seed with this probability."""


def random_counts(n_documents: int, seed: int) -> Counts:
    """Counts as of an ordinary corpus; all pairs comparable but for some minted ones."""
    rng = np.random.default_rng(seed)
    return ordinary_counts(rng.integers(0, 40, n_documents), rng)


def drawn_weights(n_documents: int, resamples: int, seed: int = 0) -> np.ndarray:
    """How often each document is drawn: the sums of an identity matrix."""
    return resample_sums(np.eye(n_documents, dtype=np.int64), resamples=resamples, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("slack", [3.0, 0.5, 0.0], ids=["one by one", "few one by one", "most rejected"])
@pytest.mark.parametrize("n_documents", [2, 3, 4])
def test_weights_are_distributed_as_all_ways_to_draw(n_documents: int, slack: float, monkeypatch: pytest.MonkeyPatch):
    """
    All D**D ways to draw D documents are listed; their shares are the exact distribution of the weights.
    """
    monkeypatch.setattr(draws, "_SLACK", slack)
    resamples = 40_000
    ways = itertools.product(range(n_documents), repeat=n_documents)
    exact = Counter(tuple(np.bincount(way, minlength=n_documents).tolist()) for way in ways)
    drawn = Counter(tuple(row) for row in drawn_weights(n_documents, resamples).tolist())
    assert set(exact) >= set(drawn)
    expected = [resamples * n / n_documents**n_documents for n in exact.values()]
    p = scipy.stats.chisquare([drawn[weights] for weights in exact], expected).pvalue
    assert p > LEAST_P


def test_two_weights_of_many_are_jointly_multinomial():
    """
    With 60 documents most weights come from bytes; the first and the last are trinomial together.
    """
    n, resamples = 60, 60_000
    weights = drawn_weights(n, resamples)[:, [0, -1]]
    cells = list(itertools.product(range(4), repeat=2))
    exact = [
        factorial(n) / (factorial(i) * factorial(j) * factorial(n - i - j)) * (1 - 2 / n) ** (n - i - j) / n ** (i + j)
        for i, j in cells
    ]
    drawn = Counter(tuple(row) for row in weights.tolist())
    observed = [drawn[cell] for cell in cells]
    expected = [resamples * p for p in exact]
    observed.append(resamples - sum(observed))
    expected.append(resamples - sum(expected))
    assert scipy.stats.chisquare(observed, expected).pvalue > LEAST_P


@pytest.mark.parametrize("mean", [0.0, 0.05, 0.6321, 0.85, 0.97, 0.999])
def test_bytes_give_poisson_numbers(mean: float):
    """
    Up to 4 each number is a cell of its own; 5 and more, which only the left-over bytes can give, are one.
    """
    n = 2_000_000
    rngs = np.random.default_rng(0).spawn(2)
    numbers = draws._PoissonBytes(mean).draw((20, n // 20), rngs[0], rngs[1])
    observed = np.bincount(np.minimum(numbers, 5).ravel(), minlength=6)
    expected = n * np.append(scipy.stats.poisson.pmf(range(5), mean), scipy.stats.poisson.sf(4, mean))
    is_possible = expected > 0
    assert 0 == observed[~is_possible].sum()
    assert scipy.stats.chisquare(observed[is_possible], expected[is_possible]).pvalue > LEAST_P or mean == 0


@pytest.mark.parametrize("n_documents", [1, 2, 9, 10, 17, 255, 256, 1000])
def test_every_resample_draws_as_many_documents_as_there_are(n_documents: int):
    weights = drawn_weights(n_documents, 300)
    assert {n_documents} == set(weights.sum(axis=1).tolist())


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 500), st.integers(0, 5))
def test_sums_do_not_depend_on_the_size_of_blocks(n_documents: int, resamples: int, block_cells: int, seed: int):
    counts = np.arange(n_documents * 2, dtype=np.int64).reshape(n_documents, 2)
    expected = resample_sums(counts, resamples=resamples, rng=np.random.default_rng(seed))
    actual = resample_sums(counts, resamples=resamples, rng=np.random.default_rng(seed), block_cells=block_cells)
    assert expected.tolist() == actual.tolist()


@pytest.mark.parametrize("size", [3, 2**20, 2**24 - 1, 2**24 + 1, 2**40 + 1])
def test_sums_are_exact_for_large_counts(size: int):
    """
    Odd numbers around and beyond 2**24, where float32 has gaps; checked with the weights in integers.
    """
    n = 50
    counts = np.array([[size + 2 * k, k] for k in range(n)], dtype=np.int64)
    expected = drawn_weights(n, 200, seed=4) @ counts
    actual = resample_sums(counts, resamples=200, rng=np.random.default_rng(4))
    assert expected.tolist() == actual.tolist()


def test_a_sum_that_outgrows_float32_in_a_resample_is_exact_too():
    """
    The total is just below 2**24, but one document holds nearly all of it and is drawn several times.
    """
    counts = np.array([[2**24 - 101]] + [[1]] * 99, dtype=np.int64)
    expected = drawn_weights(100, 500, seed=1) @ counts
    actual = resample_sums(counts, resamples=500, rng=np.random.default_rng(1))
    assert expected.tolist() == actual.tolist()
    assert expected.max() > 3 * 2**24


def test_systems_stacked_side_by_side_share_their_resamples():
    first, second = random_counts(30, 1).table, random_counts(30, 2).table
    measures = default_measures(has_nil=False)
    rng = np.random.default_rng(5)
    both = resample_counts(np.stack([first, second], axis=1), measures, resamples=50, rng=rng)
    assert (50, 2, len(SPANS.columns)) == both.shape
    for k, table in enumerate([first, second]):
        alone = resample_counts(table, measures, resamples=50, rng=np.random.default_rng(5))
        assert alone.tolist() == both[:, k].tolist()


def test_only_columns_that_are_used_are_summed():
    sums = resample_counts(
        random_counts(5, 0).table, [get_measure("recall")], resamples=3, rng=np.random.default_rng(0)
    )
    used = np.flatnonzero(sums.any(axis=0)).tolist()
    assert sorted(SPANS.position(column) for column in ("n_matched", "n_gold")) == used


def test_no_documents_and_no_columns_have_sums_of_nothing():
    rng = np.random.default_rng(0)
    assert [[0, 0]] * 3 == resample_sums(np.zeros((0, 2), dtype=np.int64), resamples=3, rng=rng).tolist()
    assert (3, 0) == resample_sums(np.zeros((4, 0), dtype=np.int64), resamples=3, rng=rng).shape


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("name", ["precision", "f1", "entity_accuracy", "link_f1"])
def test_interval_agrees_with_scipy(name: str, level: float):
    """
    Both ends differ by chance only: a quantile of 10,000 values has a standard error of some 0.7 % of the width.
    """
    counts, measure = random_counts(80, 7), get_measure(name)

    def statistic(rows: np.ndarray, axis: int) -> np.ndarray:
        return measure.values(counts.table[rows].sum(axis=axis - 1 if axis < 0 else axis))

    theirs = scipy.stats.bootstrap(
        (np.arange(80),),
        statistic,
        n_resamples=10_000,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(11),
    ).confidence_interval
    ours = bootstrap(counts, [measure], level=level, seed=3).intervals[name]
    assert ours == pytest.approx(tuple(theirs), abs=0.05 * (theirs.high - theirs.low))


def test_ends_of_the_interval_by_exhaustion():
    """
    Three documents with 1, 2 and 3 of 4 found. The sums of 27 draws are 3 (once), 4 (3), 5 (6), 6 (7), 7 (6), 8 (3),
    9 (once), over 12. Shares up to 3: 0.037, up to 4: 0.148; so at level 0.8 the ends are 4/12 and 8/12.
    """
    counts = Counts.from_columns(3, n_gold=np.array([4, 4, 4]), n_matched=np.array([1, 2, 3]))
    actual = bootstrap(counts, [get_measure("recall")], level=0.8, seed=0).intervals
    assert {"recall": (4 / 12, 8 / 12)} == actual


def test_equal_documents_leave_nothing_to_chance():
    counts = Counts.from_columns(40, n_gold=np.full(40, 7), n_matched=np.full(40, 3))
    assert {"recall": (3 / 7, 3 / 7)} == bootstrap(counts, [get_measure("recall")], seed=0).intervals


def test_interval_holds_the_measure_and_widens_with_the_level():
    counts = random_counts(100, 3)
    measure = get_measure("f1")
    narrow = bootstrap(counts, [measure], level=0.5, seed=1).intervals["f1"]
    wide = bootstrap(counts, [measure], level=0.99, seed=1).intervals["f1"]
    value = measure.value(counts.totals())
    assert narrow is not None
    assert wide is not None
    assert value is not None
    assert wide[0] < narrow[0] < value < narrow[1] < wide[1]


def test_same_seed_same_interval_and_zero_is_a_seed():
    counts, measures = random_counts(50, 0), default_measures(has_nil=True)
    zero, again, one = (bootstrap(counts, measures, resamples=500, seed=seed) for seed in (0, 0, 1))
    assert zero == again
    assert zero.intervals != one.intervals
    assert (500, 0.95, 0) == (zero.resamples, zero.level, zero.seed)


def test_measures_share_the_resamples():
    """Whether another measure is asked for changes nothing."""
    counts = random_counts(50, 0)
    alone = bootstrap(counts, [get_measure("recall")], resamples=500, seed=0)
    among = bootstrap(counts, default_measures(has_nil=False), resamples=500, seed=0)
    assert alone.intervals["recall"] == among.intervals["recall"]


def test_share_left_out_where_a_resample_is_undefined():
    """
    One of 3 documents has predictions: a resample without it, (2/3)**3 of all, has no precision.
    """
    counts = Counts.from_columns(3, n_predicted=np.array([4, 0, 0]), n_matched=np.array([1, 0, 0]))
    actual = bootstrap(counts, [get_measure("precision")], seed=0)
    assert {"precision": (0.25, 0.25)} == actual.intervals
    assert actual.left_out["precision"] == pytest.approx(8 / 27, abs=0.02)
    assert {} == actual.undefined


def test_an_undefined_measure_has_no_interval_even_if_some_resamples_have_a_value():
    """
    A resample without the document that holds the minted pair has a link F1 of 0, which says nothing.
    """
    counts = Counts.from_columns(
        2,
        n_matched=np.array([1, 0]),
        n_minted=np.array([1, 0]),
        n_gold_with_id=np.array([1, 1]),
        n_predicted_with_id=np.array([1, 1]),
    )
    actual = bootstrap(counts, [get_measure("link_f1")], seed=0)
    assert {"link_f1": None} == actual.intervals
    assert {"link_f1": get_measure("link_f1").why_undefined(counts.totals())} == actual.undefined
    assert actual.left_out["link_f1"] == pytest.approx(3 / 4, abs=0.02)


def test_a_measure_that_no_resample_defines_has_no_interval():
    """
    100 documents, the one with a prediction is missed by the only resample.
    """
    counts = Counts.from_columns(100, n_predicted=np.eye(1, 100, dtype=np.int64)[0])
    seed = next(seed for seed in range(100) if drawn_weights(100, 1, seed)[0, 0] == 0)
    actual = bootstrap(counts, [get_measure("precision")], resamples=1, seed=seed)
    assert {"precision": None} == actual.intervals
    assert {"precision": "undefined in each of the 1 resamples"} == actual.undefined
    assert {"precision": 1.0} == actual.left_out


@pytest.mark.parametrize(("n_documents", "found"), [(0, "there is no document"), (1, "there is one document")])
def test_too_few_documents(n_documents: int, found: str):
    actual = bootstrap(random_counts(n_documents, 0), default_measures(has_nil=True), seed=0)
    assert dict.fromkeys(MEASURES) == actual.intervals
    assert dict.fromkeys(MEASURES, f"{found}; an interval needs at least two") == actual.undefined
    assert {} == actual.left_out


def test_quantiles_interpolate_between_defined_values():
    """
    Of 0, 1, 2, 3, 4 the quantiles 0.05 and 0.95 lie at 0.2 and 3.8.
    """
    values = np.array([4.0, np.nan, 0.0, 1.0, 3.0, 2.0, np.nan])
    assert percentile_interval(values, 0.9) == pytest.approx((0.2, 3.8))
    assert None is percentile_interval(np.array([np.nan]), 0.9)


@pytest.mark.parametrize(
    ("resamples", "level", "expected"),
    [
        (0, 0.95, "0 resamples; expected 1 or more"),
        (10, 0.0, "level 0.0; expected a number between 0 and 1, as 0.95"),
        (10, 95, "level 95; expected a number between 0 and 1, as 0.95"),
    ],
)
def test_impossible_parameters(resamples: int, level: float, expected: str):
    with pytest.raises(MeasureError) as error:
        bootstrap(random_counts(3, 0), [get_measure("f1")], resamples=resamples, level=level, seed=0)
    assert expected == str(error.value)


def test_memory_is_bounded_by_the_block():
    counts = random_counts(20_000, 0)
    tracemalloc.start()
    bootstrap(counts, default_measures(has_nil=False), resamples=400, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20


def test_law_of_multinomial_weights_is_what_the_docstring_says():
    """
    Poisson weights given their total T: T! / (D**T · product of w!), whatever the mean; here D = 3, T = 2.
    """
    for mean in (0.3, 0.9):
        joint = {
            w: prod(float(scipy.stats.poisson.pmf(k, mean)) for k in w)
            for w in itertools.product(range(3), repeat=3)
            if sum(w) == 2
        }
        given_total = {w: p / sum(joint.values()) for w, p in joint.items()}
        expected = {w: factorial(2) / (3**2 * prod(map(factorial, w))) for w in joint}
        assert given_total == pytest.approx(expected)


def random_systems(n_documents: int, n_systems: int) -> np.ndarray:
    """Systems on the same gold that find most of the same spans; int64 of shape (D, S, C)."""
    rng = np.random.default_rng(n_documents)
    first = random_counts(n_documents, 0)
    tables = [first.table]
    for _ in range(n_systems - 1):
        lost, spurious = rng.binomial(first["n_matched"], 0.1), rng.integers(0, 3, n_documents)
        columns = {name: first[name] for name in ("n_gold", "n_gold_with_id")}
        columns["n_matched"] = first["n_matched"] - lost
        columns["n_predicted"] = columns["n_predicted_with_id"] = first["n_predicted"] - lost + spurious
        columns["n_id_comparable"] = np.minimum(first["n_id_comparable"], columns["n_matched"])
        columns["n_id_correct"] = rng.binomial(columns["n_id_comparable"], 0.75)
        columns["n_minted"] = columns["n_matched"] - columns["n_id_comparable"]
        tables.append(Counts.from_columns(n_documents, **columns).table)
    return np.stack(tables, axis=1)


def paired(table: np.ndarray, *names: str, seed: int = 0, **options):
    measures = [get_measure(name) for name in names] or default_measures(has_nil=False)
    return paired_bootstrap(table, measures, rng=np.random.default_rng(seed), **options)


def test_difference_of_two_systems_by_exhaustion():
    """
    Three documents of 4 gold annotations; the baseline finds 1, 2, 3, the system 2, 2, 3, so 1, 0 and 0 more. Of 27
    draws 8 miss the first document, 12 hold it once, 6 twice, 1 three times; shares up to 0: 0.296, up to 1: 0.741, up
    to 2: 0.963. At level 0.8 the ends are the quantiles 0.1 and 0.9: 0/12 and 2/12; those of the systems by themselves
    are wider than that.
    """
    sides = [Counts.from_columns(3, n_gold=np.full(3, 4), n_matched=np.array(n)).table for n in ([1, 2, 3], [2, 2, 3])]
    actual = paired(np.stack(sides, axis=1), "recall", level=0.8)
    assert {"recall": (0.0, 2 / 12)} == actual.deltas[1].intervals
    assert {"recall": (4 / 12, 8 / 12)} == actual.systems[0].intervals
    assert {} == actual.deltas[0].intervals == actual.deltas[0].left_out == actual.deltas[0].undefined


@pytest.mark.parametrize("name", ["precision", "f1", "entity_accuracy", "link_f1"])
def test_interval_of_a_difference_agrees_with_scipy(name: str):
    """
    Both ends differ by chance only: a quantile of 10,000 values has a standard error of some 0.7 % of the width.
    """
    table, measure = random_systems(80, 2), get_measure(name)

    def statistic(system: np.ndarray, baseline: np.ndarray, axis: int) -> np.ndarray:
        return measure.values(table[system, 1].sum(axis=axis - 1)) - measure.values(
            table[baseline, 0].sum(axis=axis - 1)
        )

    theirs = scipy.stats.bootstrap(
        (np.arange(80), np.arange(80)),
        statistic,
        n_resamples=10_000,
        paired=True,
        vectorized=True,
        axis=-1,
        method="percentile",
        rng=np.random.default_rng(11),
    ).confidence_interval
    ours = paired(table, name).deltas[1].intervals[name]
    assert ours == pytest.approx(tuple(theirs), abs=0.05 * (theirs.high - theirs.low))


def test_intervals_of_each_system_are_those_of_a_run_by_itself():
    """With the same seed and the same documents, comparing changes no interval."""
    table, measures = random_systems(40, 3), default_measures(has_nil=False)
    side_by_side = paired(table, seed=5, resamples=300)
    for k in range(3):
        alone = bootstrap(Counts(table[:, k]), measures, resamples=300, seed=5)
        assert alone.intervals == side_by_side.systems[k].intervals
        assert alone.left_out == side_by_side.systems[k].left_out


def test_a_paired_difference_is_known_better_than_two_systems():
    """Most spans are found by both: the interval of the difference is narrower than that of either system."""
    actual = paired(random_systems(100, 2), "recall")
    widths = [i.intervals["recall"] for i in (actual.deltas[1], actual.systems[0], actual.systems[1])]
    delta, first, second = (high - low for low, high in (ends or (0.0, 0.0) for ends in widths))
    assert 0 < delta < min(first, second)


def test_a_system_does_not_differ_from_itself():
    actual = paired(random_systems(30, 1)[:, [0, 0]], "f1", "entity_accuracy")
    assert {"f1": (0.0, 0.0), "entity_accuracy": (0.0, 0.0)} == actual.deltas[1].intervals


def test_swapping_system_and_baseline_negates_the_difference():
    table = random_systems(50, 2)
    forth, back = paired(table), paired(table, baseline=1)
    for name, ends in forth.deltas[1].intervals.items():
        assert ends is not None
        assert back.deltas[0].intervals[name] == pytest.approx((-ends[1], -ends[0]))
    assert forth.systems == back.systems
    assert forth.deltas[1].left_out == back.deltas[0].left_out


def test_differences_do_not_depend_on_other_systems_or_measures():
    table = random_systems(50, 4)
    all_of_them, two = paired(table, resamples=200), paired(table[:, [3, 0]], "f1", baseline=1, resamples=200)
    assert all_of_them.deltas[3].intervals["f1"] == two.deltas[0].intervals["f1"]


def test_same_seed_same_differences_and_zero_is_a_seed():
    table = random_systems(50, 2)
    zero, again, one = (paired(table, resamples=200, seed=seed) for seed in (0, 0, 1))
    assert zero == again
    assert zero.deltas != one.deltas
    assert (200, 0.95) == (zero.resamples, zero.level)


def test_a_resample_undefined_for_either_is_left_out_of_the_difference():
    """
    Of 3 documents the system predicts in the first, the baseline in the second: (2/3)**3 of all resamples miss the one,
    as many the other, (1/3)**3 both. 8/27 + 8/27 - 1/27 = 15/27 are left out of the difference, 8/27 of each system.
    """
    sides = [
        Counts.from_columns(3, n_predicted=np.array(n) * 4, n_matched=np.array(n) * m).table
        for n, m in (([0, 1, 0], 1), ([1, 0, 0], 3))
    ]
    actual = paired(np.stack(sides, axis=1), "precision")
    assert {"precision": (0.5, 0.5)} == actual.deltas[1].intervals
    assert actual.deltas[1].left_out["precision"] == pytest.approx(15 / 27, abs=0.02)
    assert actual.systems[1].left_out["precision"] == pytest.approx(8 / 27, abs=0.02)
    assert {} == actual.deltas[1].undefined


def test_a_difference_to_an_undefined_measure_has_no_interval_but_a_reason():
    table = random_systems(10, 2)
    table[:, 0] = Counts.from_columns(10, n_gold=np.full(10, 2)).table
    actual = paired(table, "precision", "recall", resamples=100)
    why = "no prediction is counted; the gold has 20 annotations"
    assert actual.deltas[1].intervals["precision"] is None
    assert {"precision": f"undefined for the baseline: {why}"} == actual.deltas[1].undefined
    assert {"precision": why} == actual.systems[0].undefined
    assert actual.systems[1].intervals["precision"] is not None
    assert actual.deltas[1].intervals["recall"] is not None
    assert {"precision": 1.0, "recall": 0.0} == actual.deltas[1].left_out


def test_a_difference_that_no_resample_defines_has_no_interval():
    """
    Two documents, one with predictions of each system; in the only resample one of them is drawn twice.
    """
    sides = [Counts.from_columns(2, n_predicted=np.array(n)).table for n in ([1, 0], [0, 1])]
    seed = next(seed for seed in range(100) if drawn_weights(2, 1, seed)[0, 0] != 1)
    actual = paired(np.stack(sides, axis=1), "precision", resamples=1, seed=seed)
    assert {"precision": None} == actual.deltas[1].intervals
    assert {"precision": "undefined in each of the 1 resamples"} == actual.deltas[1].undefined


@pytest.mark.parametrize(("n_documents", "found"), [(0, "there is no document"), (1, "there is one document")])
def test_too_few_documents_for_differences(n_documents: int, found: str):
    actual = paired(random_systems(n_documents, 2), "f1")
    reason = {"f1": f"{found}; an interval needs at least two"}
    for intervals in (*actual.systems, actual.deltas[1]):
        assert ({"f1": None}, reason, {}) == (intervals.intervals, intervals.undefined, intervals.left_out)
    assert {} == actual.deltas[0].intervals


def test_systems_that_do_not_fit_a_comparison():
    table = random_systems(3, 2)
    with pytest.raises(ValueError, match=r"^counts of shape \(3, 20\); expected \(documents, systems, columns\)$"):
        paired(table[:, 0])
    for baseline in (-1, 2):
        with pytest.raises(ValueError, match=rf"^baseline {baseline} of 2 systems; expected 0 or more and less than"):
            paired(table, baseline=baseline)
    with pytest.raises(MeasureError, match=r"^0 resamples; expected 1 or more$"):
        paired(table, resamples=0)


def sums_of(**columns: list[int]) -> np.ndarray:
    """Sums as of a block of resamples."""
    return Counts.from_columns(len(next(iter(columns.values()))), **{k: np.array(v) for k, v in columns.items()}).table


def test_differences_that_are_equal_are_equal():
    """
    8/10 - 7/10 and 3/10 - 2/10 are both 1/10, which subtracting values misses, on either side.
    """
    first = sums_of(n_matched=[8, 3, 5], n_gold=[10, 10, 0])
    second = sums_of(n_matched=[7, 2, 5], n_gold=[10, 10, 1])
    actual = differences(get_measure("recall"), first, second)
    assert [0.1, 0.1] == actual[:2].tolist()
    assert np.isnan(actual[2])
    assert 8 / 10 - 7 / 10 > 0.1 > 3 / 10 - 2 / 10


@pytest.mark.parametrize("n", [2**20, 2**31 - 1, 2**31, 2**33, 2**52])
def test_differences_of_large_counts_are_exact(n: int):
    """
    1/2 + 1/n - 1/2 to the last digit, with numerators beyond what int64 holds from 2**31 on.
    """
    first = sums_of(n_matched=[n // 2 + 1], n_predicted=[n // 2 * 2])
    second = sums_of(n_matched=[n // 2], n_predicted=[n // 2 * 2])
    assert [1 / (n // 2 * 2)] == pytest.approx(differences(get_measure("precision"), first, second), rel=1e-15)


def test_difference_of_single_totals():
    """Shape (C,) gives one number: 2 · 3 / (4 + 5) - 2 · 1 / (2 + 5) = 42/63 - 18/63."""
    first = sums_of(n_matched=[3], n_predicted=[4], n_gold=[5])[0]
    second = sums_of(n_matched=[1], n_predicted=[2], n_gold=[5])[0]
    assert 24 / 63 == float(differences(get_measure("f1"), first, second))


def test_reason_why_there_is_no_difference_names_the_side():
    recall = get_measure("recall")
    none, some = (dict.fromkeys(SPANS.columns, n) for n in (0, 1))
    assert why_no_difference(recall, some, some) is None
    why = recall.why_undefined(none)
    assert f"undefined for the system: {why}" == why_no_difference(recall, none, some)
    assert f"undefined for the baseline: {why}" == why_no_difference(recall, some, none)
    assert f"undefined for the system: {why}; undefined for the baseline: {why}" == why_no_difference(
        recall, none, none
    )

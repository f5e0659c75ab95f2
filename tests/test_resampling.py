import itertools
import tracemalloc
from collections import Counter
from math import factorial, prod

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from spaneval import resampling
from spaneval.counts import COLUMNS, Counts, column_position
from spaneval.exceptions import MeasureError
from spaneval.measures import MEASURES, default_measures, get_measure
from spaneval.resampling import bootstrap, percentile_interval, resample_counts, resample_sums

LEAST_P = 1e-4
"""A right sampler fails a chi-square test with one fixed seed with this probability."""


def random_counts(n_documents: int, seed: int) -> Counts:
    """Counts as of an ordinary corpus; all pairs comparable but for some minted ones."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 40, n_documents)
    matched = rng.binomial(gold, 0.8)
    predicted = matched + rng.integers(0, 9, n_documents)
    comparable = rng.binomial(matched, 0.7)
    return Counts.from_columns(
        n_documents,
        n_gold=gold,
        n_predicted=predicted,
        n_matched=matched,
        n_id_comparable=comparable,
        n_id_correct=rng.binomial(comparable, 0.8),
        n_gold_with_id=gold,
        n_predicted_with_id=predicted,
        n_minted=matched - comparable,
    )


def drawn_weights(n_documents: int, resamples: int, seed: int = 0) -> np.ndarray:
    """How often each document is drawn: the sums of an identity matrix."""
    return resample_sums(np.eye(n_documents, dtype=np.int64), resamples=resamples, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("slack", [3.0, 0.5, 0.0], ids=["one by one", "few one by one", "most rejected"])
@pytest.mark.parametrize("n_documents", [2, 3, 4])
def test_weights_are_distributed_as_all_ways_to_draw(n_documents: int, slack: float, monkeypatch: pytest.MonkeyPatch):
    """
    All D**D ways to draw D documents are listed; their shares are the exact distribution of the weights.
    """
    monkeypatch.setattr(resampling, "_SLACK", slack)
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
    numbers = resampling._PoissonBytes(mean).draw((20, n // 20), rngs[0], rngs[1])
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
    assert (50, 2, len(COLUMNS)) == both.shape
    for k, table in enumerate([first, second]):
        alone = resample_counts(table, measures, resamples=50, rng=np.random.default_rng(5))
        assert alone.tolist() == both[:, k].tolist()


def test_only_columns_that_are_used_are_summed():
    sums = resample_counts(
        random_counts(5, 0).table, [get_measure("recall")], resamples=3, rng=np.random.default_rng(0)
    )
    used = np.flatnonzero(sums.any(axis=0)).tolist()
    assert sorted(column_position(column) for column in ("n_matched", "n_gold")) == used


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

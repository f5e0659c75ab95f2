import itertools
import tracemalloc
from fractions import Fraction
from math import comb, inf

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from ordinary import ordinary_counts

from spaneval.counts import Counts
from spaneval.exceptions import MeasureError
from spaneval.kinds import SPANS
from spaneval.measure import Measure
from spaneval.measures import default_measures, get_measure
from spaneval.significance import (
    MOST_ENUMERATED,
    Corrected,
    PermutationTest,
    benjamini_hochberg,
    correct,
    holm,
    mcnemar_exact,
    permutation_tests,
)

LEAST_P = 1e-4
"""A right test fails a statistical check with one fixed seed with this probability."""

MEASURES = [get_measure(name) for name in ("precision", "recall", "f1", "entity_accuracy", "link_f1")]


def random_systems(n_documents: int, n_systems: int, seed: int, size: int = 40) -> np.ndarray:
    """Systems on the same gold, each a little better than the one before; int64 of shape (D, S, C)."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, size, n_documents)
    systems = (ordinary_counts(gold, rng, recall=0.7 + 0.02 * k, most_spurious=size // 4) for k in range(n_systems))
    return np.stack([counts.table for counts in systems], axis=1)


def two_systems(**columns: tuple[list[int], list[int]]) -> np.ndarray:
    """Baseline and system from columns, each given for both; int64 of shape (D, 2, C)."""
    n_documents = len(next(iter(columns.values()))[0])
    sides = [
        Counts.from_columns(n_documents, **{name: np.array(pair[side]) for name, pair in columns.items()}).table
        for side in (0, 1)
    ]
    return np.stack(sides, axis=1)


def run(table: np.ndarray, *names: str, seed: int = 0, trials: int = 10_000, baseline: int = 0):
    """The tests of some measures, or of all of `MEASURES`, from a seed."""
    measures = [get_measure(name) for name in names] or MEASURES
    return permutation_tests(table, measures, baseline=baseline, trials=trials, rng=np.random.default_rng(seed))


def test_two_documents_by_hand():
    """
    4 gold annotations in each; the baseline finds 1 and 2, the system 3 and 3: (6 - 3) / 8 = 3/8.
    Swapping the first gives (3+1) - (1+2) = -1 … of 8: 4 - 5 = -1/8; the second 5 - 4 = 1/8; both -3/8.
    2 of 4 swaps are as large.
    """
    table = two_systems(n_gold=([4, 4], [4, 4]), n_matched=([1, 2], [3, 3]))
    baseline, system = run(table, "recall")
    assert {} == baseline
    assert {"recall": PermutationTest(2 / 4, 4, True, 0, None)} == system


def test_three_documents_with_undefined_swaps_by_hand():
    """
    Precision. The system predicts in documents 1 (1 of 1 right) and 2 (1 of 2), the baseline only in 3 (0 of 1):
    2/3 - 0 = 2/3. Swapped documents: none 2/3; 1: 1/2 - 1/2 = 0; 2: 1/1 - 1/3 = 2/3; 3: the baseline predicts nothing.
    The other four are their mirror images. So 2 + 2 are as large and 2 are undefined: 6 of 8.
    """
    table = two_systems(n_predicted=([0, 0, 1], [1, 2, 0]), n_matched=([0, 0, 0], [1, 1, 0]))
    assert {"precision": PermutationTest(6 / 8, 8, True, 2, None)} == run(table, "precision")[1]


def test_four_documents_by_hand():
    """
    10 gold annotations in each; the system finds 1, 1, 1 more and 1 less: 2 of 40. Signs of the four ones decide: the
    sum is ±4 (2 of 16), ±2 (8 of 16) or 0 (6 of 16). 10 of 16 are as large as 2.
    """
    table = two_systems(n_gold=([10] * 4, [10] * 4), n_matched=([5, 5, 5, 5], [6, 6, 6, 4]))
    assert {"recall": PermutationTest(10 / 16, 16, True, 0, None)} == run(table, "recall")[1]


def test_a_document_with_equal_rows_counts_but_changes_no_p():
    """The four documents above and one in which both find the same: 20 of 32."""
    table = two_systems(n_gold=([10] * 5, [10] * 5), n_matched=([5, 5, 5, 5, 9], [6, 6, 6, 4, 9]))
    assert {"recall": PermutationTest(20 / 32, 32, True, 0, None)} == run(table, "recall")[1]


def exact_value(measure: Measure, totals: np.ndarray) -> Fraction | None:
    """A measure in rational numbers; None where it is undefined."""
    by_column = dict(zip(SPANS.columns, totals.tolist(), strict=True))
    return None if measure.value(by_column) is None else Fraction(*measure.fraction(by_column))


def enumerated(table: np.ndarray, measure: Measure) -> tuple[Fraction | None, int]:
    """P and the number of undefined swaps by listing all swaps one by one, in rational numbers."""

    def difference(swap: tuple[int, ...]) -> Fraction | None:
        documents = np.arange(len(table))
        values = [exact_value(measure, table[documents, side].sum(axis=0)) for side in (swap, 1 - np.array(swap))]
        return None if values[0] is None or values[1] is None else values[0] - values[1]

    swaps = [difference(swap) for swap in itertools.product([1, 0], repeat=len(table))]
    seen = swaps[0]
    if seen is None:
        return None, 0
    n_undefined = sum(delta is None for delta in swaps)
    n_large = sum(delta is not None and abs(delta) >= abs(seen) for delta in swaps)
    return Fraction(n_large + n_undefined, len(swaps)), n_undefined


@settings(max_examples=60)
@given(st.integers(1, 6), st.integers(2, 12), st.integers(0, 10**6))
def test_exact_p_is_that_of_all_swaps_in_rational_numbers(n_documents: int, size: int, seed: int):
    """
    Small counts have many equal differences, which floating point must not tell apart, and undefined swaps.
    """
    table = random_systems(n_documents, 2, seed, size)
    for name, test in run(table)[1].items():
        p, n_undefined = enumerated(table, get_measure(name))
        assert (None if p is None else float(p), n_undefined) == (test.p, test.n_undefined_swaps)


def test_small_differences_that_are_equal_are_as_large():
    """
    Precision, half of all predictions right. Document 1: 100,000 predictions each, system one more and baseline one
    less than half right; document 2: 2 · k predictions of the system alone, half right. With N = 100,000:
    1/2 + 1/(N + 2k) - (1/2 - 1/N) unswapped, 1/2 + 1/N - (1/2 - 1/(N + 2k)) when the second is swapped: the same, but
    not in floating point, where subtracting values leaves a relative error of 1e-11. All four swaps are as large.
    """
    n, measure = 100_000, get_measure("precision")
    n_told_apart = 0
    for k in range(1, 50):
        table = two_systems(n_predicted=([n, 0], [n, 2 * k]), n_matched=([n // 2 - 1, 0], [n // 2 + 1, k]))
        assert 1.0 == run(table, "precision")[1]["precision"].p
        unswapped, swapped = table.sum(axis=0), np.stack([table[0, 0] + table[1, 1], table[0, 1] + table[1, 0]])
        deltas = [float(np.diff(measure.values(sums))[0]) for sums in (unswapped, swapped)]
        n_told_apart += abs(deltas[1]) < abs(deltas[0]) * (1 - 1e-12)
    assert n_told_apart


def indexed_statistic(table: np.ndarray, measure: Measure):
    """The difference as scipy wants it: of two samples of row numbers into both systems' rows on top of each other."""
    rows = np.concatenate([table[:, 1], table[:, 0]])

    def statistic(system: np.ndarray, baseline: np.ndarray, axis: int) -> np.ndarray:
        return measure.values(rows[system].sum(axis=axis - 1)) - measure.values(rows[baseline].sum(axis=axis - 1))

    return (np.arange(len(table)), np.arange(len(table)) + len(table)), statistic


@pytest.mark.parametrize("n_documents", [5, 9])
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_exact_p_agrees_with_scipy(measure: Measure, n_documents: int):
    table = random_systems(n_documents, 2, seed=n_documents)
    data, statistic = indexed_statistic(table, measure)
    theirs = scipy.stats.permutation_test(
        data, statistic, permutation_type="samples", vectorized=True, n_resamples=inf, axis=-1
    )
    ours = run(table)[1][measure.name]
    assert theirs.pvalue == pytest.approx(ours.p, abs=1e-12)
    assert 2**n_documents == ours.n_trials == len(theirs.null_distribution)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_random_p_agrees_with_scipy(measure: Measure):
    """
    Both have a standard error of sqrt(p (1 - p) / 10,000), scipy's is twice that of one side; four times it is chance.
    """
    table = random_systems(60, 2, seed=4)
    data, statistic = indexed_statistic(table, measure)
    theirs = scipy.stats.permutation_test(
        data,
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=10_000,
        batch=1_000,
        axis=-1,
        rng=np.random.default_rng(7),
    ).pvalue
    ours = run(table)[1][measure.name]
    assert not ours.is_exact
    assert ours.p == pytest.approx(theirs, abs=4 * np.sqrt(3 * theirs * (1 - theirs) / 10_000) + 1e-3)


def test_random_p_agrees_with_all_swaps():
    """
    Nine documents differ and five are empty for both: 14 are too many to enumerate, but the swaps of nine are all.
    """
    table = random_systems(9, 2, seed=3)
    padded = np.concatenate([table, np.zeros((5, *table.shape[1:]), dtype=np.int64)])
    exact, drawn = run(table)[1], run(padded)[1]
    assert (True, False) == (exact["f1"].is_exact, drawn["f1"].is_exact)
    for name, test in exact.items():
        assert test.p is not None
        assert drawn[name].p == pytest.approx(test.p, abs=4 * np.sqrt(test.p * (1 - test.p) / 10_000) + 1e-4)


def test_up_to_thirteen_documents_are_enumerated():
    last, beyond = run(random_systems(13, 2, 0), "f1")[1]["f1"], run(random_systems(14, 2, 0), "f1")[1]["f1"]
    assert 13 == MOST_ENUMERATED
    assert (2**13, True) == (last.n_trials, last.is_exact)
    assert (10_000, False) == (beyond.n_trials, beyond.is_exact)


def test_enumerated_p_needs_no_seed():
    table = random_systems(10, 2, 0)
    assert run(table, seed=0) == run(table, seed=1)


def test_the_smallest_p_of_random_swaps():
    """
    The system finds everything and the baseline nothing in 40 documents: no swap drawn is as large, so (0 + 1) / 200.
    """
    table = two_systems(n_gold=([5] * 40, [5] * 40), n_matched=([0] * 40, [5] * 40))
    assert {"recall": PermutationTest(1 / 200, 199, False, 0, None)} == run(table, "recall", trials=199)[1]


def test_undefined_random_swaps_are_extreme_and_counted():
    """
    20 documents, two with predictions, one of each system: half of all swaps leave one of them without any.
    """
    columns = {"n_predicted": ([1, 0] + [0] * 18, [0, 4] + [0] * 18), "n_matched": ([1] + [0] * 19, [0, 1] + [0] * 18)}
    test = run(two_systems(**columns), "precision")[1]["precision"]
    assert test.n_undefined_swaps == pytest.approx(5_000, abs=4 * 50)
    assert 1.0 == test.p


@pytest.mark.parametrize("n_documents", [1, 2, 13, 14, 100])
def test_a_system_against_itself_has_p_1(n_documents: int):
    table = random_systems(n_documents, 1, seed=2)[:, [0, 0]]
    assert {1.0} == {test.p for test in run(table, "recall", "f1")[1].values()}


def test_one_document_says_nothing():
    """Not swapped and swapped are equally large."""
    table = two_systems(n_gold=([4], [4]), n_matched=([0], [4]))
    assert {"recall": PermutationTest(1.0, 2, True, 0, None)} == run(table, "recall")[1]


@pytest.mark.parametrize("n_documents", [12, 50])
def test_swapping_system_and_baseline_keeps_p(n_documents: int):
    table = random_systems(n_documents, 2, seed=5)
    assert run(table)[1] == run(table[:, ::-1])[1] == run(table, baseline=1)[0]


def test_p_does_not_depend_on_other_systems_or_measures_or_their_order():
    """All tests of a table see the same swaps."""
    table = random_systems(70, 4, seed=6)
    tests = run(table)
    assert tests[2]["f1"] == run(table[:, [0, 2]], "f1")[1]["f1"]
    order = [3, 0, 2, 1]
    turned = run(table[:, order], *[measure.name for measure in MEASURES[::-1]], baseline=1)
    assert [tests[k] for k in order] == turned
    assert {} == turned[1]


@pytest.mark.parametrize("n_documents", [10, 14, 64, 65, 200])
@pytest.mark.parametrize("block_cells", [1, 300, 7_000])
def test_p_does_not_depend_on_the_size_of_blocks(n_documents: int, block_cells: int):
    table = random_systems(n_documents, 3, seed=7)
    whole, pieces = (
        permutation_tests(table, MEASURES, trials=300, rng=np.random.default_rng(0), **blocks)
        for blocks in ({}, {"block_cells": block_cells})
    )
    assert whole == pieces


def test_same_seed_same_p_and_zero_is_a_seed():
    table = random_systems(50, 2, seed=8)
    assert run(table, seed=0) == run(table, seed=0)
    assert run(table, seed=0) != run(table, seed=1)


@pytest.mark.parametrize("size", [2**20, 2**24 - 1, 2**31 + 1, 2**40 + 1])
def test_swaps_of_large_counts_are_exact(size: int):
    """
    Odd numbers around and beyond 2**24, where float32 has gaps, and 2**31, where products leave int64. All differences
    but those of no swap and all swaps are smaller by one annotation or more: 2 of 2**10.
    """
    n = 10
    gold = [size + 20 + 2 * k for k in range(n)]
    table = two_systems(n_gold=(gold, gold), n_matched=([size + k for k in range(n)], [size + k + 1 for k in range(n)]))
    assert 2 / 2**n == run(table, "recall")[1]["recall"].p


def test_negative_and_positive_changes_beyond_float32_cancel_exactly():
    """
    The system finds 2**25 more in one document, 2**25 - 1 less in another, 1 less in a third: 0 in sum, so p is 1; with
    one annotation less in the baseline, that is 1, as large as ±1 but not as 0.
    """
    big, gold = 2**25, [2**27] * 3
    zero = two_systems(n_gold=(gold, gold), n_matched=([0, big, 1], [big, 1, 0]))
    assert 1.0 == run(zero, "recall")[1]["recall"].p
    one = two_systems(n_gold=(gold, gold), n_matched=([0, big, 0], [big, 1, 0]))
    p, _ = enumerated(one, get_measure("recall"))
    assert p is not None
    assert float(p) == run(one, "recall")[1]["recall"].p


def test_large_changes_for_the_better_are_exact():
    """
    The system finds 2**25 + 1 more in one document, which float32 does not hold, and 1 more in another. No swap gives a
    sum above 2**24, only sums far below 0: 2 of 4 are as large.
    """
    gold = [2**27, 2**27]
    table = two_systems(n_gold=(gold, gold), n_matched=([0, 0], [2**25 + 1, 1]))
    assert 2 / 4 == run(table, "recall")[1]["recall"].p


def null_p_values(n_documents: int, n_simulated: int, trials: int, size: int) -> np.ndarray:
    """P of F1 for pairs of systems that only chance tells apart; documents differ in length and difficulty."""
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(n_simulated):
        gold = rng.integers(0, size, n_documents) + 1
        ease = rng.random(n_documents)
        table = np.zeros((n_documents, 2, len(SPANS.columns)), dtype=np.int64)
        for side in (0, 1):
            matched = rng.binomial(gold, ease)
            columns = {
                "n_gold": gold,
                "n_matched": matched,
                "n_predicted": matched + rng.integers(0, size, n_documents),
            }
            table[:, side] = Counts.from_columns(n_documents, **columns).table
        tests = permutation_tests(table, [get_measure("f1")], trials=trials, rng=rng)
        p_values.append(tests[1]["f1"].p)
    return np.array(p_values)


def test_random_p_is_uniform_if_only_chance_tells_the_systems_apart():
    """
    Of 99 swaps and the pair itself each is as likely to be the largest: p is uniform on 0.01, 0.02, …, 1. Counts of
    some hundred thousand leave hardly any equal differences. Chi-square over 20 cells of 5 values.
    """
    p_values = null_p_values(20, 2_000, trials=99, size=10_000)
    cells = np.bincount((np.round(p_values * 100).astype(int) - 1) // 5, minlength=20)
    assert scipy.stats.chisquare(cells).pvalue > LEAST_P


def test_exact_p_is_uniform_if_only_chance_tells_the_systems_apart():
    """
    2**7 swaps come in pairs of opposite sign: p is uniform on the 64 multiples of 2/128. Chi-square over 16 cells of 4.
    """
    p_values = null_p_values(7, 2_000, trials=99, size=10_000)
    cells = np.bincount((np.round(p_values * 64).astype(int) - 1) // 4, minlength=16)
    assert scipy.stats.chisquare(cells).pvalue > LEAST_P


@pytest.mark.parametrize("n_documents", [6, 20])
def test_p_is_never_small_too_often(n_documents: int):
    """
    With counts below 4 many differences are equal; p is then no longer uniform, but p <= alpha still has at most the
    probability alpha. Four standard errors of 1,500 simulations are allowed for.
    """
    p_values = null_p_values(n_documents, 1_500, trials=99, size=3)
    for alpha in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75):
        assert np.mean(p_values <= alpha + 1e-12) <= alpha + 4 * np.sqrt(alpha * (1 - alpha) / 1_500)


def test_undefined_measures_have_no_p_but_a_reason_that_names_the_side():
    table = two_systems(n_gold=([2, 3], [2, 3]), n_predicted=([0, 0], [1, 1]), n_matched=([0, 0], [1, 1]))
    why = "no prediction is counted; the gold has 5 annotations"
    assert {"precision": PermutationTest(None, 4, True, 0, f"undefined for the baseline: {why}")} == run(
        table, "precision"
    )[1]
    assert f"undefined for the system: {why}" == run(table[:, ::-1], "precision")[1]["precision"].reason
    both = run(table[:, [0, 0]], "precision")[1]["precision"].reason
    assert f"undefined for the system: {why}; undefined for the baseline: {why}" == both


def test_no_documents_have_no_p():
    test = run(random_systems(0, 2, 0), "recall")[1]["recall"]
    assert (None, 1, 0) == (test.p, test.n_trials, test.n_undefined_swaps)
    assert test.reason is not None


def test_a_baseline_alone_has_no_tests():
    assert [{}] == run(random_systems(5, 1, 0))
    assert [{}, {}] == permutation_tests(random_systems(5, 2, 0), [], rng=np.random.default_rng(0))


def test_impossible_parameters():
    table, measures, rng = random_systems(3, 2, 0), MEASURES, np.random.default_rng(0)
    with pytest.raises(MeasureError, match=r"^0 trials; expected 1 or more$"):
        permutation_tests(table, measures, trials=0, rng=rng)
    with pytest.raises(ValueError, match=r"^baseline 2 of 2 systems; expected 0 or more and less than that$"):
        permutation_tests(table, measures, baseline=2, rng=rng)
    with pytest.raises(ValueError, match=r"^counts of shape \(3, 20\); expected \(documents, systems, columns\)"):
        permutation_tests(table[:, 0], measures, rng=rng)


def test_memory_is_bounded_by_the_block():
    table = random_systems(20_000, 3, 0)
    tracemalloc.start()
    permutation_tests(table, MEASURES, trials=400, rng=np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20


def test_holm_by_hand():
    """
    0.005 · 4 = 0.02, 0.01 · 3 = 0.03, 0.03 · 2 = 0.06, and 0.04 · 1 may not fall below that.
    """
    assert [0.03, 0.06, 0.06, 0.02] == pytest.approx(holm([0.01, 0.04, 0.03, 0.005]))


def test_benjamini_hochberg_by_hand():
    """
    0.04 · 4/4 = 0.04, 0.03 · 4/3 = 0.04, 0.01 · 4/2 = 0.02, 0.005 · 4/1 = 0.02.
    """
    assert [0.02, 0.04, 0.04, 0.02] == pytest.approx(benjamini_hochberg([0.01, 0.04, 0.03, 0.005]))


def test_example_of_benjamini_and_hochberg():
    """
    The 15 p-values of their paper, section 4.1: at 0.05 their procedure rejects four, controlling every single error
    (there Bonferroni's, here Holm's) rejects three.
    """
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p_values += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000]
    assert 4 == sum(p is not None and p <= 0.05 for p in benjamini_hochberg(p_values))
    assert 3 == sum(p is not None and p <= 0.05 for p in holm(p_values))


P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.05, 1.0])), min_size=1, max_size=7)


@given(P_VALUES)
def test_benjamini_hochberg_agrees_with_scipy(p_values: list[float]):
    assert scipy.stats.false_discovery_control(p_values, method="bh").tolist() == pytest.approx(
        benjamini_hochberg(p_values), rel=1e-12
    )


@given(P_VALUES)
def test_holm_is_bonferroni_over_every_set_of_hypotheses(p_values: list[float]):
    """
    The closure principle: a hypothesis falls when Bonferroni rejects every set that holds it.
    """
    n = range(len(p_values))
    sets = [chosen for size in n for chosen in itertools.combinations(n, size + 1)]
    expected = [max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if k in s) for k in n]
    assert expected == pytest.approx(holm(p_values), rel=1e-12)


@pytest.mark.parametrize("method", ["holm", "bh", "none"])
@given(p_values=P_VALUES)
def test_corrections_keep_the_order_and_lie_between_p_and_1(method, p_values: list[float]):
    corrected, n_tests = correct(p_values, method)
    assert len(p_values) == n_tests
    for (p, after), (q, other) in itertools.product(zip(p_values, corrected, strict=True), repeat=2):
        assert p * (1 - 1e-12) <= after <= 1
        assert p > q or after <= other


def test_tests_without_a_p_are_not_counted():
    """Two of four have a p: 0.01 · 2 and 0.03 · 1."""
    assert ([None, 0.03, None, 0.02], 2) == correct([None, 0.03, None, 0.01], "holm")
    assert ([None, 0.03, None, 0.02], 2) == correct([None, 0.03, None, 0.01], "bh")
    assert ([None, 0.03, None, 0.01], 2) == correct([None, 0.03, None, 0.01], "none")
    assert ([None], 0) == correct([None])
    assert ([], 0) == correct([])


def test_an_unknown_correction_is_an_error():
    with pytest.raises(MeasureError, match=r"^no correction 'bonferroni'; there are holm, bh, none$"):
        correct([0.5], "bonferroni")  # type: ignore[arg-type] # what a user may type


def test_uncorrected_values_are_a_copy():
    p_values = [0.5, None]
    assert Corrected(p_values, 1) == correct(p_values, "none")
    assert correct(p_values, "none").p_values is not p_values


def test_mcnemar_by_hand():
    """
    1 against 5: 2 · (1 + 6) / 2**6 = 14/64. 0 against 4: 2 / 16. Nothing, or as much on both sides, is no sign at all.
    """
    assert 14 / 64 == mcnemar_exact(1, 5)
    assert 2 / 16 == mcnemar_exact(4, 0)
    assert {1.0} == {mcnemar_exact(k, k) for k in (0, 1, 2, 700)} | {mcnemar_exact(k, k + 1) for k in (0, 1, 700)}


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_agrees_with_scipy(first: int, second: int):
    expected = scipy.stats.binomtest(first, first + second).pvalue if first + second else 1.0
    actual = mcnemar_exact(first, second)
    if expected < 1e-290:  # scipy gives 0 from some 1e-299 on, so the sum is taken in integers
        n, least = first + second, min(first, second)
        expected = float(Fraction(2 * sum(comb(n, k) for k in range(least + 1)), 1 << n))
    assert expected == pytest.approx(actual, rel=1e-10, abs=1e-305)
    assert mcnemar_exact(second, first) == actual


def binomial_in_integers(k: int, n: int) -> float:
    """Twice the probability of at most k of n, the terms in integers with 600 binary digits."""
    term = comb(n, k)
    shift = max(0, term.bit_length() - 600)
    term >>= shift
    total = 0
    while term:
        total += term
        term = term * k // (n - k + 1)
        k -= 1
    return float(Fraction(2 * total << shift, 1 << n))


@pytest.mark.parametrize("n", [999, 1000, 1001, 1002, 1500, 4001, 20_000, 100_000])
def test_mcnemar_is_accurate_for_many_cases(n: int):
    """
    From the middle out to 18 times sqrt(n), where p is some 1e-280.
    """
    for deviation in (1, 2, 3, 0.1 * n**0.5, n**0.5, 4 * n**0.5, 9 * n**0.5, 15 * n**0.5, 17.5 * n**0.5):
        k = max(0, int(n / 2 - deviation))
        assert binomial_in_integers(k, n) == pytest.approx(mcnemar_exact(k, n - k), rel=1e-12, abs=0)


@pytest.mark.parametrize(("k", "n"), [(1, 1002), (7, 1003), (15, 1050), (16, 1050)])
def test_mcnemar_is_accurate_for_few_against_many(k: int, n: int):
    """The edge of what a float holds: p is some 1e-280."""
    assert binomial_in_integers(k, n) == pytest.approx(mcnemar_exact(k, n - k), rel=1e-12, abs=0)


def test_mcnemar_of_hundred_million_cases():
    """
    The normal approximation with correction for continuity is off by less than 1 / n there: z = 19,999 / 10,000.
    """
    expected = 2 * scipy.stats.norm.sf(19_999 / 10_000)
    assert expected == pytest.approx(mcnemar_exact(49_990_000, 50_010_000), rel=1e-6)


def test_mcnemar_beyond_what_a_float_holds():
    assert 0.0 == mcnemar_exact(0, 1200)
    assert 2.0**-1001 == mcnemar_exact(0, 1002)


def test_mcnemar_of_negative_numbers_is_an_error():
    with pytest.raises(ValueError, match=r"^-1 cases; expected 0 or more$"):
        mcnemar_exact(3, -1)


def test_measures_of_a_report_can_all_be_tested():
    """No measure of the registry needs what a table of counts does not hold."""
    measures = default_measures(has_nil=True)
    tests = permutation_tests(random_systems(20, 2, 0), measures, trials=50, rng=np.random.default_rng(0))
    assert [measure.name for measure in measures] == list(tests[1])


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=30).filter(
        lambda p: any(x is not None for x in p)
    )
)
def test_corrections_agree_with_statsmodels(p_values):
    """Holm and Benjamini & Hochberg, over the tests that have a p."""
    from statsmodels.stats.multitest import multipletests

    for ours, theirs in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        expected = iter(multipletests([p for p in p_values if p is not None], method=theirs)[1])
        assert [p if p is None else pytest.approx(next(expected), abs=1e-15) for p in p_values] == ours(p_values)

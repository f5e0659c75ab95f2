"""
Confusion matrices: numbers by hand, by law, and against definitions that share no code with ours.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from spaneval.class_measures import class_measures, margins
from spaneval.kinds import labels
from spaneval.records.class_scores import PER_CLASS, ClassScores
from spaneval.records.confusion import Confusion, resampled
from spaneval.resampling import percentile_interval

Matrix = list[list[int]]

matrices = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)


def confusion(matrix: Matrix, names: str = "abcdefgh") -> Confusion:
    return Confusion(tuple(names[: len(matrix)]), np.array(matrix, dtype=np.int64))


def objects(matrix: Matrix) -> list[tuple[int, int]]:
    """Actual and predicted class of each object."""
    return [(k, j) for k, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]


def oracle(matrix: Matrix) -> dict[str, Fraction | None]:
    """Counted object by object, in exact fractions."""
    pairs = objects(matrix)

    def share(part: int, whole: int) -> Fraction | None:
        return Fraction(part, whole) if whole else None

    found = {"accuracy": share(sum(x == y for x, y in pairs), len(pairs))}
    for k, name in enumerate("abcdefgh"[: len(matrix)]):
        both = sum(x == y == k for x, y in pairs)
        actual, predicted = sum(x == k for x, _ in pairs), sum(y == k for _, y in pairs)
        found[f"precision:{name}"] = share(both, predicted)
        found[f"recall:{name}"] = share(both, actual)
        found[f"f1:{name}"] = share(2 * both, actual + predicted)
    for part in PER_CLASS:
        values = [x for name, x in found.items() if name.startswith(f"{part}:") and x is not None]
        found[f"macro_{part}"] = sum(values, Fraction(0)) / len(values) if values else None
    return found


def covariance(matrix: Matrix) -> float | None:
    """The correlation of Gorodkin 2004 as it is defined: covariances of indicators, summed over the classes."""
    pairs = np.array(objects(matrix)).reshape(-1, 2)
    x, y = (np.eye(len(matrix))[pairs[:, side]] for side in (0, 1))

    def cov(one: Any, other: Any) -> float:
        return float(((one - one.mean(axis=0)) * (other - other.mean(axis=0))).sum())

    if len(set(pairs[:, 0].tolist())) < 2 or len(set(pairs[:, 1].tolist())) < 2:
        return None
    return cov(x, y) / sqrt(cov(x, x) * cov(y, y))


def near(expected: float | Fraction | None) -> Any:
    return None if expected is None else pytest.approx(float(expected), abs=1e-12)


@given(matrices)
def test_fractions_are_those_counted_object_by_object(matrix: Matrix):
    """
    Accuracy, each class, and means over the classes that have a value.
    """
    scores = ClassScores(confusion(matrix))

    assert {name: near(value) for name, value in oracle(matrix).items()} == {
        name: value for name, value in scores.measures.items() if name not in ("cohen_kappa", "matthews")
    }


@given(matrices.filter(lambda matrix: sum(map(sum, matrix)) > 0))
def test_matthews_is_the_correlation_of_indicators(matrix: Matrix):
    """
    By the definition with covariances instead of sums.
    """
    assert near(covariance(matrix)) == ClassScores(confusion(matrix)).measures["matthews"]


@given(matrices.filter(lambda matrix: len(matrix) > 1))
def test_kappa_is_that_of_statsmodels(matrix: Matrix):
    """
    Wherever chance leaves something over.
    """
    kappa = ClassScores(confusion(matrix)).measures["cohen_kappa"]
    if kappa is not None:
        assert cohens_kappa(np.array(matrix), return_results=False) == near(kappa)


@given(st.tuples(*[st.integers(0, 30)] * 4))
def test_two_classes_have_the_formulas_of_textbooks(cells: tuple[int, int, int, int]):
    """
    Matthews 1975 from TP, FN, FP and TN.
    """
    tp, fn, fp, tn = cells
    scores = ClassScores(confusion([[tp, fn], [fp, tn]]))
    bottom = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)

    assert near((tp * tn - fp * fn) / sqrt(bottom) if bottom else None) == scores.measures["matthews"]
    assert near(Fraction(tp, tp + fp) if tp + fp else None) == scores.measures["precision:a"]


@given(matrices, st.randoms(use_true_random=False))
def test_the_names_of_classes_change_nothing(matrix: Matrix, random: Any):
    """
    Rows and columns moved together give the same numbers, to the last bit; means and correlations among them.
    """
    order = list(range(len(matrix)))
    random.shuffle(order)
    moved = [[matrix[k][j] for j in order] for k in order]
    one, other = ClassScores(confusion(matrix)), ClassScores(confusion(moved))

    assert one.measures["cohen_kappa"] == other.measures["cohen_kappa"]
    assert one.measures["matthews"] == other.measures["matthews"]
    assert [one.measures[f"macro_{x}"] for x in PER_CLASS] == [other.measures[f"macro_{x}"] for x in PER_CLASS]


@given(matrices)
def test_a_perfect_classifier_has_ones(matrix: Matrix):
    """
    Exactly 1, wherever there is a value.
    """
    diagonal = [[n if k == j else 0 for j, n in enumerate(row)] for k, row in enumerate(matrix)]
    values = set(ClassScores(confusion(diagonal)).measures.values())

    assert values <= {1.0, None}


@given(matrices)
def test_swapping_sides_swaps_precision_and_recall(matrix: Matrix):
    """
    And leaves kappa and the correlation as they are.
    """
    swapped = [list(column) for column in zip(*matrix, strict=True)]
    one, other = ClassScores(confusion(matrix)).measures, ClassScores(confusion(swapped)).measures

    assert [one["precision:a"], one["recall:a"]] == [other["recall:a"], other["precision:a"]]
    assert near(one["cohen_kappa"]) == other["cohen_kappa"]
    assert near(one["matthews"]) == other["matthews"]


@given(matrices)
def test_collapsing_sums_cells(matrix: Matrix):
    """
    One class against the rest: TP, FN, FP and TN.
    """
    found = confusion(matrix).collapsed("a", "rest")
    tp, row, column = matrix[0][0], sum(matrix[0]), sum(r[0] for r in matrix)
    n = sum(map(sum, matrix))

    assert ("a", "rest") == found.classes
    assert [[tp, row - tp], [column - tp, n - row - column + tp]] == found.cells.tolist()


@given(matrices)
def test_both_layouts_of_counts_have_the_same_measures(matrix: Matrix):
    """
    From all cells, as runs are saved, and from margins.
    """
    found = confusion(matrix)
    cells = dict(zip(labels(found.classes).columns, found.cells.ravel().tolist(), strict=True))
    sums = ClassScores(found).counts
    for one, other in zip(class_measures(labels(found.classes)), class_measures(margins(found.classes)), strict=True):
        assert (one.name, one.fraction(cells)) == (other.name, other.fraction(sums))
        assert one.why_undefined(cells) == other.why_undefined(sums)


def test_names_of_classes_may_hold_anything():
    """
    A colon, an equals sign, the name of a column.
    """
    names = ("n", "right:n", "a=b", "")
    found = class_measures(margins(names))

    assert [f"f1:{name}" for name in names] == [measure.name for measure in found if measure.name.startswith("f1")]


def test_one_class_only_leaves_nothing_to_chance():
    """
    Kappa and correlation are 0/0; accuracy is 1.
    """
    scores = ClassScores(confusion([[5, 0], [0, 0]]))

    assert scores.measures["accuracy"] == 1.0
    assert scores.undefined["cohen_kappa"] == (
        "gold and predictions hold the one class 'a', so chance leaves nothing over"
    )
    assert scores.undefined["matthews"] == (
        "the gold holds the one class 'a' and the predictions hold the one class 'a', so nothing varies"
    )


def test_a_class_never_predicted_and_one_never_actual():
    """
    b is 2 of 5 and never predicted: precision undefined, recall 0. c is predicted once and never actual.
    """
    scores = ClassScores(confusion([[2, 0, 1], [2, 0, 0], [0, 0, 0]]))

    assert (None, 0.0, 0.0) == tuple(scores.measures[f"{part}:b"] for part in PER_CLASS)
    assert (0.0, None, 0.0) == tuple(scores.measures[f"{part}:c"] for part in PER_CLASS)
    assert scores.undefined["precision:b"] == "nothing was taken for 'b'; 2 objects are in the gold"
    assert scores.undefined["recall:c"] == "nothing is 'c' in the gold; 1 object was taken for it"
    assert scores.measures["macro_precision"] == pytest.approx((2 / 4 + 0 / 1) / 2)
    assert scores.measures["macro_recall"] == pytest.approx((2 / 3 + 0 / 2) / 2)


def test_resamples_hold_all_objects_and_only_used_cells():
    """
    Margins of each add up to n; a class without objects gets none.
    """
    found = confusion([[3, 0, 1], [0, 4, 0], [0, 0, 0]])
    blocks = list(resampled(found, resamples=50, rng=np.random.default_rng(0)))
    right, actual, predicted = (np.concatenate(parts) for parts in zip(*blocks, strict=True))

    assert (50, 3) == right.shape
    assert {8} == set(actual.sum(axis=1).tolist()) == set(predicted.sum(axis=1).tolist())
    assert actual[:, 2].max() == 0 == right[:, 2].max()
    assert (right <= np.minimum(actual, predicted)).all()
    assert predicted[:, 2].max() > 0


CELLS = [[3, 1], [2, 4]]
DRAWN = {"by cell": None, "by object": np.array([k * 2 + j for k, j in objects(CELLS)])}


@pytest.mark.parametrize("drawn", DRAWN)
def test_resamples_do_not_depend_on_the_size_of_blocks(drawn: str, monkeypatch: pytest.MonkeyPatch):
    """
    One by one or all at once.
    """
    scores = ClassScores(confusion(CELLS))
    whole = scores.bootstrap(resamples=40, level=0.9, seed=3, objects=DRAWN[drawn])
    monkeypatch.setattr("spaneval.records.confusion.BLOCK_CELLS", 1)

    assert whole == scores.bootstrap(resamples=40, level=0.9, seed=3, objects=DRAWN[drawn])


def test_cells_and_objects_are_drawn_alike():
    """
    Of a hundred objects, each of the two ways has the same means and spread of every margin.
    """
    matrix = [[30, 5, 0], [0, 25, 5], [15, 0, 20]]
    codes = np.array([k * 3 + j for k, j in objects(matrix)])
    ways = []
    for drawn in (None, codes):
        blocks = resampled(confusion(matrix), resamples=5000, rng=np.random.default_rng(2), objects=drawn)
        ways.append(np.concatenate([np.concatenate(block, axis=1) for block in blocks]))

    for one in ways:
        expected = np.concatenate([np.diagonal(matrix), np.sum(matrix, axis=1), np.sum(matrix, axis=0)])
        assert one.mean(axis=0) == pytest.approx(expected, abs=0.35)
        assert one.var(axis=0) == pytest.approx(expected * (1 - expected / 100), rel=0.1)


def test_intervals_are_those_of_resampled_objects():
    """
    Against drawing objects one by one: the ends differ by no more than luck, a few thousandths of 4000 resamples.
    """
    matrix = [[30, 5, 0], [4, 20, 6], [1, 2, 12]]
    pairs = np.array(objects(matrix))
    rng = np.random.default_rng(7)
    values: dict[str, list[float]] = {
        name: [] for name in ("accuracy", "cohen_kappa", "matthews", "macro_f1", "recall:c")
    }
    for _ in range(4000):
        drawn = Counter(map(tuple, pairs[rng.integers(len(pairs), size=len(pairs))].tolist()))
        scores = ClassScores(confusion([[drawn[k, j] for j in range(3)] for k in range(3)])).measures
        for name, found in values.items():
            found.append(np.nan if scores[name] is None else scores[name])  # type: ignore[arg-type] # not None here
    ours = ClassScores(confusion(matrix)).bootstrap(resamples=20_000, level=0.95, seed=1)

    for name, found in values.items():
        assert percentile_interval(np.array(found), 0.95) == pytest.approx(ours.intervals[name], abs=0.02), name


@pytest.mark.parametrize(("matrix", "reason"), [([[0]], "there is no object"), ([[1]], "there is one object")])
def test_an_interval_needs_two_objects(matrix: Matrix, reason: str):
    """
    As one of documents does.
    """
    found = ClassScores(confusion(matrix)).bootstrap(resamples=10, level=0.95, seed=0)

    assert {None} == set(found.intervals.values())
    assert {f"{reason}; an interval needs at least two"} == set(found.undefined.values())
    assert set(found.intervals) == set(ClassScores(confusion(matrix)).measures)


def test_a_thousand_classes():
    """
    Each predicted right twice and wrong once: no table of a million columns is made.
    """
    k = 1000
    place = np.arange(k)
    cells = np.zeros((k, k), dtype=np.int64)
    cells[place, place] = 2
    cells[place, (place + 1) % k] = 1
    scores = ClassScores(Confusion(tuple(f"c{x:03}" for x in range(k)), cells))
    found = scores.bootstrap(resamples=20, level=0.95, seed=0)

    assert scores.measures["accuracy"] == scores.measures["macro_recall"] == pytest.approx(2 / 3)
    assert 3 * k + 6 == len(scores.measures) == len(found.intervals)
    low, high = found.intervals["accuracy"] or (0, 0)
    assert 0.6 < low < 2 / 3 < high < 0.7

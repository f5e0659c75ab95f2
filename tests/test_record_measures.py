"""Measures of records: formulas by hand, for one sum and for many, and what is said where they are undefined."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.counts import Counts
from spaneval.exceptions import MeasureError
from spaneval.kinds import FIELDS, LEAVES, REVIEW, SPANS, Kind
from spaneval.measure import Measure
from spaneval.measures import any_measure, get_measure, measures_of
from spaneval.resampling import bootstrap, differences
from spaneval.significance import permutation_tests

KINDS = (FIELDS, LEAVES, REVIEW)
EVERY = [measure for kind in KINDS for measure in measures_of(kind).values()]


def totals(kind: Kind, **given_: int) -> dict[str, int]:
    """Counts of a kind; those not given are 0."""
    assert set(given_) <= set(kind.columns)
    return dict.fromkeys(kind.columns, 0) | given_


def value(name: str, kind: Kind, **given_: int) -> float | None:
    """One measure of counts."""
    return get_measure(name, kind).value(totals(kind, **given_))


def test_fields_by_hand():
    """
    The five rows of the EasyRPA table, one of each decision.
    """
    one = dict.fromkeys(("tp", "fp", "fn", "tn", "fpfn"), 1)

    assert value("precision", FIELDS, **one) == 1 / 3
    assert value("recall", FIELDS, **one) == 1 / 3
    assert value("f1", FIELDS, **one) == 2 / 6
    assert value("accuracy", FIELDS, **one) == 2 / 5
    assert value("rework", FIELDS, **one) == 2 / 3
    assert value("automation_efficiency", FIELDS, **one) == -1 / 3
    assert value("agreement", FIELDS, **one) == 1 / 4


def test_leaves_by_hand():
    """
    8 gold values, 6 in the results, 4 equal; 3 rows against 2, both paired, one perfect, with 2 values of 5 right.
    """
    one = {"gold": 8, "predicted": 6, "equal": 4}
    rows = {
        "rows_gold": 3,
        "rows_predicted": 2,
        "rows_paired": 2,
        "rows_perfect": 1,
        "tp": 2,
        "fp": 1,
        "fn": 1,
        "fpfn": 1,
    }

    assert value("precision", LEAVES, **one) == 4 / 6
    assert value("recall", LEAVES, **one) == 4 / 8
    assert value("f1", LEAVES, **one) == 8 / 14
    assert value("row_precision", LEAVES, **rows) == 1.0
    assert value("row_recall", LEAVES, **rows) == 2 / 3
    assert value("row_f1", LEAVES, **rows) == 4 / 5
    assert value("perfect_rate", LEAVES, **rows) == 1 / 2
    assert value("agreement", LEAVES, **rows) == 2 / 5


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_automation_efficiency_is_recall_less_rework(tp: int, fp: int, fn: int, tn: int, fpfn: int):
    """
    The identity of the contract, where there is a gold value.
    """
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn, "fpfn": fpfn}
    sums = totals(FIELDS, **counts)
    efficiency, recall, rework = (get_measure(x, FIELDS) for x in ("automation_efficiency", "recall", "rework"))
    if recall.value(sums) is None:
        assert efficiency.value(sums) is None
        assert rework.value(sums) is None
    else:
        assert Fraction(*efficiency.fraction(sums)) == Fraction(*recall.fraction(sums)) - Fraction(
            *rework.fraction(sums)
        )


@pytest.mark.parametrize("measure", EVERY, ids=lambda m: f"{m.kind.name}-{m.name}")
def test_no_counts_give_a_reason_and_no_value(measure: Measure):
    """
    0 / 0 is undefined, and it is said why.
    """
    nothing = totals(measure.kind)

    assert measure.value(nothing) is None
    assert measure.why_undefined(nothing)
    assert np.isnan(measure.values(np.zeros(len(measure.kind.columns), dtype=np.int64)))


@pytest.mark.parametrize("measure", EVERY, ids=lambda m: f"{m.kind.name}-{m.name}")
def test_registry_is_complete(measure: Measure):
    """
    Names that can be typed, columns that exist, a source; formulas with names of columns only.
    """
    assert measure.name.isidentifier()
    assert set(measure.columns) <= set(measure.kind.columns)
    assert measure.label
    assert measure.question.endswith("?")
    assert measure.source
    assert all(column in measure.formula for column in measure.columns)


@given(st.data())
def test_arrays_give_what_totals_give(data: st.DataObject):
    """
    One formula, whether for one sum or for many.
    """
    measure = data.draw(st.sampled_from(EVERY))
    row = data.draw(st.lists(st.integers(0, 9), min_size=len(measure.kind.columns), max_size=len(measure.kind.columns)))
    one = measure.value(dict(zip(measure.kind.columns, row, strict=True)))
    many = measure.values(np.array([row, row], dtype=np.int64))

    assert all(np.isnan(many)) if one is None else many.tolist() == [one, one]


def test_formula_tells_factors_and_signs():
    """
    As a reader would write it.
    """
    assert get_measure("f1", FIELDS).formula == "2 · tp / (2 · tp + fp + fn + 2 · fpfn)"
    assert get_measure("automation_efficiency", FIELDS).formula == "(tp - fp - fpfn) / (tp + fn + fpfn)"
    assert get_measure("f1").formula == "2 · n_matched / (n_predicted + n_gold)"


def test_names_are_looked_up_in_their_kind():
    """
    A measure of records is none of spans, and the message offers those of the kind.
    """
    with pytest.raises(MeasureError, match="no measure 'rework'"):
        get_measure("rework", SPANS)
    with pytest.raises(MeasureError, match="did you mean row_recall"):
        get_measure("row_recal", LEAVES)
    assert any_measure("rework") == "rework"
    assert any_measure("f1:fan") == "f1:fan"
    with pytest.raises(MeasureError, match="no measure 'reword'"):
        any_measure("reword")


def test_kind_knows_its_columns_only():
    """
    A wrong name is an error, as in counts.
    """
    assert FIELDS.position("fp") == 1
    with pytest.raises(KeyError, match="n_gold"):
        FIELDS.position("n_gold")
    with pytest.raises(ValueError, match=r"counts of shape \(2, 3\); expected \(documents, 7\)"):
        Counts(np.zeros((2, 3), dtype=np.int64), FIELDS)


def test_counts_of_two_kinds_are_not_merged():
    """
    Their columns mean different things.
    """
    with pytest.raises(ValueError, match="counts of records and of json cannot be merged"):
        Counts.from_columns(1, FIELDS) + Counts.from_columns(1, LEAVES)


def test_negative_numerators_are_resampled_and_tested_exactly():
    """
    Automation efficiency may be below 0; its interval and its test agree with sums of whole documents.
    """
    measure = get_measure("automation_efficiency", FIELDS)
    rows = np.zeros((4, 2, len(FIELDS.columns)), dtype=np.int64)
    rows[:, 0, :5] = [[1, 3, 0, 0, 0], [0, 4, 1, 0, 1], [2, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    rows[:, 1, :5] = [[1, 0, 0, 0, 0], [0, 0, 1, 0, 1], [2, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    low, high = bootstrap(Counts(rows[:, 0], FIELDS), [measure], resamples=2000, seed=1).intervals[measure.name] or (
        0,
        0,
    )
    delta = differences(measure, rows[:, 1].sum(axis=0), rows[:, 0].sum(axis=0))
    (_, tests) = permutation_tests(rows, [measure], rng=np.random.default_rng(0))

    assert -2.5 <= low < high <= 1.0
    assert float(delta) == pytest.approx(7 / 6)
    # of 16 swaps, those that move both documents that differ, or neither, are as extreme
    assert tests[measure.name].p == 8 / 16

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.exceptions import MeasureError
from spaneval.kinds import SPANS
from spaneval.measure import Measure
from spaneval.measures import MEASURES, default_measures, get_measure

DEFAULT = ["precision", "recall", "f1", "entity_accuracy", "link_precision", "link_recall", "link_f1"]
NIL = ["entity_accuracy_in_kb", "nil_precision", "nil_recall", "nil_f1"]

totals_of_any_corpus = st.lists(st.integers(0, 9), min_size=len(SPANS.columns), max_size=len(SPANS.columns)).map(
    lambda numbers: dict(zip(SPANS.columns, numbers, strict=True))
)


def totals(**columns: int) -> dict[str, int]:
    """Totals with the given columns, the others 0."""
    assert set() == columns.keys() - set(SPANS.columns)
    return dict.fromkeys(SPANS.columns, 0) | columns


def by_name(names: list[str], of: dict[str, int]) -> dict[str, float | None]:
    return {name: get_measure(name).value(of) for name in names}


def test_names_and_their_order():
    assert DEFAULT + NIL == list(MEASURES)
    assert DEFAULT == [measure.name for measure in default_measures(has_nil=False)]
    assert DEFAULT + NIL == [measure.name for measure in default_measures(has_nil=True)]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_is_described(measure: Measure):
    texts = (measure.label, measure.question, measure.formula, measure.undefined, measure.source)
    assert all(texts)
    assert [] == [text for text in texts if "\n" in text]
    assert measure.question.endswith("?")
    assert set(measure.columns) <= set(SPANS.columns)


def test_formula_is_written_in_names_of_counts():
    assert "n_matched / n_predicted" == get_measure("precision").formula
    assert "2 · n_matched / (n_predicted + n_gold)" == get_measure("f1").formula


def test_values_by_hand():
    """
    10 gold annotations, 8 of them with an id; 6 predictions, 5 with an id; 4 pairs, 3 of them comparable, 2 correct.
    precision 4/6, recall 4/10, F1 8/16; accuracy 2/3; link precision 2/5, link recall 2/8, link F1 4/13.
    """
    counts = totals(
        n_gold=10,
        n_predicted=6,
        n_matched=4,
        n_id_comparable=3,
        n_id_correct=2,
        n_gold_with_id=8,
        n_predicted_with_id=5,
        n_unmapped=1,
    )
    assert dict(zip(DEFAULT, [4 / 6, 0.4, 0.5, 2 / 3, 0.4, 0.25, 4 / 13], strict=True)) == by_name(DEFAULT, counts)
    assert (8, 16) == get_measure("f1").fraction(counts)


def test_nil_values_by_hand():
    """
    5 comparable pairs, 3 with a gold id in the knowledge base, 2 of these correct: 2/3.
    Of 4 NIL predictions 1 is right, of 2 gold NIL: precision 1/4, recall 1/2, F1 2/6.
    """
    counts = totals(
        n_id_comparable=5,
        n_id_correct=3,
        n_in_kb_comparable=3,
        n_in_kb_correct=2,
        n_gold_nil=2,
        n_predicted_nil=4,
        n_nil_correct=1,
    )
    assert dict(zip(NIL, [2 / 3, 0.25, 0.5, 2 / 6], strict=True)) == by_name(NIL, counts)


def test_link_measures_are_zero_when_ids_are_comparable_and_wrong():
    counts = totals(n_matched=1, n_id_comparable=1, n_gold_with_id=1, n_predicted_with_id=1, n_minted=3)
    assert [0.0, 0.0, 0.0] == [get_measure(f"link_{name}").value(counts) for name in ("precision", "recall", "f1")]


def test_link_measures_are_zero_when_nothing_was_matched():
    counts = totals(n_gold=1, n_predicted=1, n_gold_with_id=1, n_predicted_with_id=1)
    assert 0.0 == get_measure("link_f1").value(counts)
    assert None is get_measure("entity_accuracy").value(counts)


@pytest.mark.parametrize("reason", ["n_unmapped", "n_minted"])
def test_link_measures_are_undefined_when_no_pair_was_translated(reason: str):
    counts = totals(n_gold=1, n_predicted=1, n_matched=1, n_gold_with_id=1, n_predicted_with_id=1, **{reason: 1})
    names = [name for name in MEASURES if name.startswith(("link", "nil"))]
    assert dict.fromkeys(names) == by_name(names, counts)


@pytest.mark.parametrize(
    ("name", "counts", "expected"),
    [
        (
            "precision",
            totals(n_gold=3, n_out_of_scope=2, n_ignored_pairs=1),
            "no prediction is counted (2 out of scope, 1 paired with ignored annotations); the gold has 3 annotations",
        ),
        ("precision", totals(n_gold=1), "no prediction is counted; the gold has 1 annotation"),
        ("recall", totals(n_predicted=2), "no gold annotation is counted; 2 predictions are counted"),
        (
            "recall",
            totals(n_predicted=1, n_ignored_pairs=4),
            "no gold annotation is counted (4 ignored and paired); 1 prediction is counted",
        ),
        ("f1", totals(), "neither a gold annotation nor a prediction is counted"),
        (
            "entity_accuracy",
            totals(n_gold=400, n_predicted=500, n_matched=375, n_minted=357, n_no_predicted_id=18),
            (
                "none of the 375 matched pairs has comparable ids: 357 minted, 18 without a predicted id;"
                " an id map (--id-map) would translate minted ids"
            ),
        ),
        (
            "entity_accuracy",
            totals(n_gold=2, n_predicted=2, n_matched=2, n_unmapped=1, n_no_gold_id=1),
            (
                "none of the 2 matched pairs has comparable ids: 1 unmapped, 1 without a gold id; an id map that holds"
                " the unmapped ids, --unmapped keep or --unmapped wrong would decide them"
            ),
        ),
        (
            "entity_accuracy",
            totals(n_gold=1, n_predicted=1, n_matched=1, n_no_gold_id=1),
            "the one matched pair has no comparable ids: 1 without a gold id",
        ),
        (
            "entity_accuracy",
            totals(n_gold=1, n_predicted=5),
            "no pair was matched between 1 gold annotation and 5 predictions, so there are no ids to compare",
        ),
        ("link_precision", totals(n_gold=1), "no prediction is counted; the gold has 1 annotation"),
        ("link_precision", totals(n_predicted=3), "none of the 3 predictions carries an id"),
        ("link_precision", totals(n_predicted=1), "the one prediction carries no id"),
        (
            "link_precision",
            totals(n_predicted=1, n_gold=1, n_matched=1, n_predicted_with_id=1, n_minted=1),
            "the one matched pair has no comparable ids: 1 minted; an id map (--id-map) would translate minted ids",
        ),
        ("link_recall", totals(n_predicted=1), "no gold annotation is counted; 1 prediction is counted"),
        ("link_recall", totals(n_gold=2), "none of the 2 gold annotations carries an id"),
        ("link_recall", totals(n_gold=1), "the one gold annotation carries no id"),
        (
            "link_f1",
            totals(n_gold=2, n_predicted=3),
            "none of the 2 gold annotations carries an id, and none of the 3 predictions carries an id",
        ),
        (
            "entity_accuracy_in_kb",
            totals(n_id_comparable=2),
            "no comparable pair has a gold id in the knowledge base: 2 comparable pairs, all with gold NIL",
        ),
        (
            "entity_accuracy_in_kb",
            totals(n_matched=1, n_no_gold_id=1),
            "the one matched pair has no comparable ids: 1 without a gold id",
        ),
        ("nil_precision", totals(n_gold_nil=1), "no prediction claims NIL; the gold has 1 NIL annotation"),
        ("nil_recall", totals(n_predicted_nil=1), "no gold annotation is NIL; 1 prediction claims NIL"),
        ("nil_f1", totals(), "no gold annotation is NIL and no prediction claims NIL"),
    ],
)
def test_why_undefined(name: str, counts: dict[str, int], expected: str):
    assert None is get_measure(name).value(counts)
    assert expected == get_measure(name).why_undefined(counts)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(totals_of_any_corpus)
def test_value_fraction_reason_and_arrays_agree(measure: Measure, counts: dict[str, int]):
    value = measure.value(counts)
    in_array = measure.values(np.array([[list(counts.values())]], dtype=np.int64))
    assert (1, 1) == in_array.shape
    assert (value is None) == bool(measure.why_undefined(counts))
    if value is None:
        assert math.isnan(in_array[0, 0])
    else:
        assert float(Fraction(*measure.fraction(counts))) == value == in_array[0, 0]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(totals_of_any_corpus, st.data())
def test_value_depends_on_the_named_columns_only(measure: Measure, counts: dict[str, int], data: st.DataObject):
    other = data.draw(totals_of_any_corpus) | {column: counts[column] for column in measure.columns}
    assert measure.value(counts) == measure.value(other)


def test_condition_of_link_measures_is_looked_at_in_every_sum():
    """
    First sum: a minted pair and nothing comparable, undefined. Second: the minted pair was not drawn, 0 of 2.
    """
    sums = np.zeros((2, len(SPANS.columns)), dtype=np.int64)
    sums[:, SPANS.position("n_predicted_with_id")] = 2
    sums[0, SPANS.position("n_minted")] = 1
    values = get_measure("link_precision").values(sums)
    assert [True, False] == np.isnan(values).tolist()
    assert 0.0 == values[1]


def test_registry_cannot_be_changed_by_accident():
    with pytest.raises(TypeError):
        MEASURES["precision"] = MEASURES["recall"]  # type: ignore[index] # that this fails is the test


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("precison", "no measure 'precison'; did you mean precision"),
        ("Link-F1", "no measure 'Link-F1'; did you mean link_f1"),
        ("xyzzy", "no measure 'xyzzy'; there are precision, recall, f1, "),
    ],
)
def test_unknown_measure_offers_the_nearest(name: str, expected: str):
    with pytest.raises(MeasureError) as error:
        get_measure(name)
    assert expected == str(error.value)[: len(expected)]

"""Macro averages: by hand, and their intervals against a plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_groups import GOLD, ROWS

import spaneval
from spaneval.averages import mean, mean_intervals
from spaneval.draws import resample_sums
from spaneval.resampling import Bootstrap


def macro(**options: Any) -> Any:
    return spaneval.evaluate(GOLD, ROWS, average="macro", **{"ci": False, **options}).macro


def test_mean_over_documents_by_hand():
    """
    Precision: 2/3 in document 0, 1/2 in document 1, undefined in document 2. Recall: 2/3, 1/1. F1: 4/6, 2/3.
    Entity accuracy: 1/2 in document 0 only, since the pair of document 1 has no gold id.
    """
    means = macro().means

    assert (2 / 3 + 1 / 2) / 2 == means["precision"].value
    assert (2 / 3 + 1) / 2 == means["recall"].value
    assert 2 / 3 == means["f1"].value
    assert 1 / 2 == means["entity_accuracy"].value
    assert (2, 1) == (means["precision"].n, means["precision"].n_undefined)
    assert (1, 2) == (means["entity_accuracy"].n, means["entity_accuracy"].n_undefined)


def test_documents_that_only_rows_name_are_documents():
    """
    Their precision is 0, their recall undefined.
    """
    rows = [*ROWS, {"itext": 9, "a": 0, "b": 1, "entity_id_predicted": "RO.1"}]
    means = spaneval.evaluate(GOLD, rows, average="macro", unknown_docs="count", ci=False).macro.means

    assert (2 / 3 + 1 / 2 + 0) / 3 == pytest.approx(means["precision"].value, abs=1e-15)
    assert (2, 2) == (means["recall"].n, means["recall"].n_undefined)


def test_mean_over_groups_by_hand():
    """
    Recall by type: noun 0/1, verb 2/2, none 1/1. Precision: noun 0/1, verb 2/2, none 1/2.
    """
    found = macro(by="type")

    assert found.over == "type"
    assert 2 / 3 == found.means["recall"].value
    assert 0.5 == found.means["precision"].value


def test_groups_of_one_side_have_no_mean_of_the_other():
    """
    Frequencies group gold only: there is no precision, and that is said.
    """
    found = macro(by="gold_frequency")

    assert found.means["precision"].value is None
    assert found.means["precision"].n_undefined == 3
    assert "undefined in each of the 3 groups by gold_frequency" in found.why_undefined("precision")
    assert found.why_undefined("recall") is None


def test_mean_over_document_groups_is_that_over_documents():
    """
    With its interval.
    """
    assert macro(ci=True).means == macro(ci=True, by="document").means


def test_means_over_groups_say_why_they_have_no_interval():
    """
    None is not silence.
    """
    means = macro(by="type", ci=True).means.values()

    assert {(None, "intervals are computed of means over documents, not over groups")} == {
        (x.interval, x.why_no_interval) for x in means
    }


def test_several_fields_have_no_common_mean():
    """
    Which groups would it be over?
    """
    with pytest.raises(ValueError, match="groups of one field, not of type and length"):
        macro(by=["type", "length"])


def test_average_that_does_not_exist_is_an_error():
    """
    With the two that do.
    """
    with pytest.raises(ValueError, match="expected 'micro' or 'macro'"):
        spaneval.evaluate(GOLD, ROWS, average="macr")


def test_json_holds_value_and_numbers():
    """
    Keys of the contract, and what the mean is over.
    """
    report = spaneval.evaluate(GOLD, ROWS, average="macro", ci=False).to_dict()

    assert report["macro_over"] == "document"
    assert {"value": 0.5, "n": 1, "n_undefined": 2}.items() <= report["macro"]["entity_accuracy"].items()
    assert "macro" not in spaneval.evaluate(GOLD, ROWS, ci=False).to_dict()


def test_mean_of_nothing_is_undefined():
    """
    Not 0.
    """
    found = mean([None, float("nan")])

    assert (None, 0, 2) == (found.value, found.n, found.n_undefined)


def test_intervals_are_those_of_a_plain_loop():
    """
    The weights of the bootstrap, the mean of the defined values of each resample, its quantiles.
    """
    rng = np.random.default_rng(3)
    values = rng.random(30)
    values[[2, 7]] = np.nan
    settings = Bootstrap(resamples=500, level=0.9, seed=11)
    weights = resample_sums(np.eye(30, dtype=np.int64), resamples=500, rng=np.random.default_rng(11))
    defined = ~np.isnan(values)
    means = [np.average(values[defined], weights=w[defined]) for w in weights]

    [found] = mean_intervals([values], settings)

    assert found == pytest.approx(np.quantile(means, [0.05, 0.95]), abs=1e-12)


def test_one_document_has_no_interval():
    """
    With that reason.
    """
    one = spaneval.evaluate(GOLD[:1], ROWS[:3], average="macro").macro.means["f1"]

    assert one.interval is None
    assert "one document" in one.why_no_interval


def test_large_values_of_one_measure_cost_another_no_digits():
    """
    Costs have no upper bound, and efficiency may be negative: each measure is added up on a scale of its own.
    The ends are the means of -3.5, -3.5, 0.25 and of 1, 1, 0.25: three times the same are 1 of 27 resamples, below 5 %.
    """
    efficiency, cost, nothing = np.array([-3.5, 0.25, 1.0]), np.array([2.0, np.nan, 3e9]), np.full(3, np.nan)
    settings = Bootstrap(resamples=500, level=0.9, seed=11)

    alone = [mean_intervals([one], settings)[0] for one in (efficiency, cost, nothing)]

    assert alone == mean_intervals([efficiency, cost, nothing], settings)
    assert alone[0] == (-2.25, 0.75)
    assert alone[2] is None

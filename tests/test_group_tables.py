"""Groups of several systems: saved runs against fresh ones, laws, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_groups import GOLD, ROWS
from test_laws import MODES, corpora

import spaneval
from spaneval.group_tables import OF_SAVED, group_tables
from spaneval.grouping import NONE
from spaneval.groups import PREDICTION_COLUMNS
from spaneval.kinds import SPANS
from spaneval.runs import Run, run_of
from spaneval.saved_runs import from_json, to_json
from spaneval.significance import holm

FEWER = [x for x in ROWS if x["a"] != 0]


def saved(evaluation: spaneval.Evaluation) -> Run:
    """What comes back from a file."""
    return from_json(to_json(run_of(evaluation)), "run.json")


def both(rows: Any, others: Any, gold: Any = GOLD, **options: Any) -> dict[str, spaneval.Evaluation]:
    return {name: spaneval.evaluate(gold, x, ci=False, **options) for name, x in (("v1", rows), ("v2", others))}


@settings(max_examples=150)
@given(corpora(), MODES, st.sampled_from(["skip", "keep", "wrong"]), st.booleans(), st.booleans())
def test_a_saved_run_has_the_groups_of_a_fresh_one(
    corpus: Any, mode: str, unmapped: str, has_map: bool, null_is_nil: bool
):
    """
    By every field that it holds, in every count that a measure needs.
    """
    gold, rows = corpus
    gold[0].pop("evaluation_span", None)
    rows = [*rows, {"itext": 9, "a": 1, "b": 2, "entity_id_predicted": "kb::C1"}, {"itext": 0, "a": 5, "b": 5}]
    rows += [{"itext": None, "a": 5, "b": 6, "entity_id_predicted": "PEL.1"}, {"itext": 0, "a": 90, "b": 99}]
    rows.append({"itext": 0, "a": 70, "b": 75, "entity_id_predicted": "kb::C2"})
    evaluation = spaneval.evaluate(
        gold, rows, match=mode, by=OF_SAVED, ci=False, doc_key="itext", unknown_docs="count", on_bad_row="skip",
        nil=["NEW", "NIL"], null_is_nil=null_is_nil, unmapped=unmapped,
        id_map={"PEL.1": "PEL.2", "kb::C2": "RO.7", "RO.7": "RO.7"} if has_map else None,
    )  # fmt: skip
    for field in OF_SAVED:
        fresh = group_tables({"x": run_of(evaluation)}, field)
        again = group_tables({"x": saved(evaluation)}, field)

        assert list(fresh.tables) == list(again.tables), field
        assert fresh.absent == again.absent
        for value, table in fresh.tables.items():
            assert table.sum(axis=(0, 1)).tolist() == again.tables[value].sum(axis=(0, 1)).tolist(), (field, value)


@settings(max_examples=50)
@given(corpora(), corpora())
def test_tables_add_up_to_the_totals_of_each_system(corpus: Any, other: Any):
    """
    But for ignored pairs and predictions out of scope, which no measure needs.
    """
    gold, rows = corpus
    others = [x for x in other[1] if x["itext"] < len(gold)]
    gold.append({"itext": 7, "ground_truth": [{"a": 0, "b": 1, "entity_id": None, "type": "x"}]})
    for x in [*rows, *others]:
        x["type"] = "x"
    systems = both(rows, others, gold, by=[*OF_SAVED, "type"], doc_key="itext")
    for field in (*OF_SAVED, "type"):
        found = group_tables({name: run_of(x) for name, x in systems.items()}, field)
        sums = sum((table.sum(axis=0) for table in found.tables.values()), np.zeros((2, len(SPANS.columns)), np.int64))
        for k, evaluation in enumerate(systems.values()):
            for column, n in zip(SPANS.columns, sums[k].tolist(), strict=True):
                if column in ("n_ignored_pairs", "n_out_of_scope") or column in found.absent:
                    assert n == 0
                else:
                    assert evaluation.counts[column] == n, (field, column)


def test_entries_of_a_group_by_hand():
    """
    Verbs: v1 finds both of two, v2 the second only: recall 1 and 1/2, and a p of 1 from the two swaps of one document.
    """
    comparison = spaneval.compare(both(ROWS, FEWER, by="type"), by="type", measures=["recall"])
    entries = {name: x["recall"] for name, x in comparison.groups["type"]["verb"].items()}

    assert (1.0, 0.5, -0.5) == (entries["v1"].value, entries["v2"].value, entries["v2"].delta)
    assert entries["v2"].test.p == 1.0
    assert entries["v2"].interval is None
    assert "one document" in entries["v2"].interval_reason


def test_one_correction_over_all_tests():
    """
    Those of the whole and of every group.
    """
    comparison = spaneval.compare(both(ROWS, FEWER, by="length"), by="length", ci=False)
    tables = [comparison.entries, *comparison.groups["length"].values()]
    tests = [x for table in tables for x in table["v2"].values() if x.test.p is not None]

    assert comparison.test["n_tests"] == len(tests)
    assert holm([x.test.p for x in tests]) == [x.p_corrected for x in tests]


def test_groups_change_nothing_but_the_correction():
    """
    The whole is as it was.
    """
    systems = both(ROWS, FEWER, by="length")
    plain = spaneval.compare(systems).to_dict()
    grouped = spaneval.compare(systems, by="length").to_dict()

    assert "groups" not in plain
    assert {"5–9", "40+", "1–4", "20–39"} == set(grouped["groups"]["length"])
    for one, other in zip(plain["systems"], grouped["systems"], strict=True):
        for name, entry in one["measures"].items():
            assert entry | {"p_corrected": None} == other["measures"][name] | {"p_corrected": None}


def test_groups_of_gold_only_have_measures_of_gold_only():
    """
    The field cannot divide predictions.
    """
    systems = both(ROWS, FEWER, by="gold_frequency")
    comparison = spaneval.compare(systems, by="gold_frequency", test=False, ci=False)

    assert ["recall", "entity_accuracy"] == list(comparison.groups["gold_frequency"]["1"]["v1"])
    assert PREDICTION_COLUMNS == group_tables({k: run_of(x) for k, x in systems.items()}, "gold_frequency").absent


def test_documents_are_those_of_the_same_text():
    """
    A run saved over the same gold in another order calls them by other numbers.
    """
    gold = [{"ground_truth": [{"a": k, "b": k + 1, "entity_id": "X1"}]} for k in range(3)]
    rows = [{"itext": 0, "a": 0, "b": 1}]
    turned = [{"itext": 2, "a": 0, "b": 1}, {"itext": 0, "a": 2, "b": 3}]
    systems = {
        "v1": saved(spaneval.evaluate(gold, rows, ci=False)),
        "v2": saved(spaneval.evaluate(gold[::-1], turned, ci=False)),
    }
    groups = spaneval.compare(systems, by="document", measures=["recall"], ci=False, test=False).groups["document"]

    assert {"0": (1, 1), "1": (0, 0), "2": (0, 1)} == {
        name: tuple(int(entries[x]["recall"].value) for x in ("v1", "v2")) for name, entries in groups.items()
    }


def test_rows_name_field_and_group():
    """
    For CSV and data frames.
    """
    comparison = spaneval.compare(both(ROWS, FEWER, by="type"), by="type", measures=["f1"], ci=False, test=False)
    rows = comparison.group_rows()

    assert [("type", "noun"), ("type", "verb"), ("type", NONE)] == list(
        dict.fromkeys((x["by"], x["group"]) for x in rows)
    )
    assert {"v1", "v2"} == {x["system"] for x in rows}


def test_a_saved_run_does_not_know_types():
    """
    What it can be grouped by is named.
    """
    systems = both(ROWS, FEWER, by="type")
    with pytest.raises(spaneval.FormatError, match="v2 is a saved run, which does not hold the 'type'"):
        spaneval.compare({"v1": systems["v1"], "v2": saved(systems["v2"])}, by="type")


def test_a_saved_run_does_not_know_gold_ids_after_a_map():
    """
    Grouping by those before it would be another grouping.
    """
    systems = {k: saved(x) for k, x in both(ROWS, FEWER, gold_id_map={"RO.1": "RO.2"}).items()}
    with pytest.raises(spaneval.FormatError, match="gold id map"):
        spaneval.compare(systems, by="namespace")
    assert spaneval.compare(systems, by="document", test=False, ci=False).groups


def test_scores_of_systems_are_not_compared():
    """
    A score of one says nothing about that of another.
    """
    systems = both(ROWS, FEWER, by="score")
    with pytest.raises(spaneval.MeasureError, match="scale of its own"):
        spaneval.compare(systems, by="score")


def test_gold_in_other_groups_cannot_be_compared():
    """
    The same annotations with other types.
    """
    turned = [d | {"ground_truth": [x | {"type": "noun"} for x in d["ground_truth"]]} for d in GOLD]
    systems = {
        "v1": spaneval.evaluate(GOLD, ROWS, by="type", ci=False),
        "v2": spaneval.evaluate(turned, ROWS, by="type", ci=False),
    }
    with pytest.raises(spaneval.AlignmentError, match="not in the same groups by 'type'"):
        spaneval.compare(systems, by="type")

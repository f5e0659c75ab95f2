"""What changed between two versions: every annotation in one cell, every spurious prediction counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cases import CASES
from test_laws import ASSIGNMENTS, MODES, corpora, spans
from versions import GOLD, V1, V2, row

import spaneval
from spaneval.changes import COMPARABLE, INCOMPARABLE, MATCHED, MEANINGS, Diff
from spaneval.outcomes import Fate
from spaneval.runs import run_of
from spaneval.saved_runs import from_json, to_json


def scored(rows: Any, gold: Any = GOLD, **options: Any) -> spaneval.Evaluation:
    return spaneval.evaluate(gold, rows, ci=False, **options)


def diff(old: Any = V1, new: Any = V2, gold: Any = GOLD, **options: Any) -> Diff:
    return spaneval.diff(scored(old, gold, **options), scored(new, gold, **options))


def test_cells_worked_out_by_hand():
    """
    The table of `versions`, row by row.
    """
    assert diff().to_dict()["cells"] == {
        "correct": {"correct": 1, "wrong": 1},
        "wrong": {"wrong": 1},
        "minted": {"correct": 1},
        "missed": {"correct": 1, "no_predicted_id": 1},
    }


def test_fates_worked_out_by_hand():
    """
    MDM2 of document 0 is fixed and found, TP53 of document 1 fixed and comparable; `regulates` is
    wrong with another id.
    """
    assert diff().fates == {
        "fixed": 2,
        "broken": 1,
        "found": 2,
        "lost": 0,
        "id_changed": 1,
        "comparability_gained": 1,
        "comparability_lost": 0,
        "new_spurious": 0,
        "spurious_gone": 1,
    }


def test_backwards_every_fate_is_its_opposite():
    """
    What was fixed is broken, what was found is lost.
    """
    there, back = diff().fates, diff(V2, V1).fates
    opposites = {
        "fixed": "broken",
        "found": "lost",
        "comparability_gained": "comparability_lost",
        "new_spurious": "spurious_gone",
        "id_changed": "id_changed",
    }

    assert {there[a]: back[b] for a, b in opposites.items()} == {back[b]: there[a] for a, b in opposites.items()}
    assert all(there[a] == back[b] and there[b] == back[a] for a, b in opposites.items())


def test_common_pairs_and_mcnemar_worked_out_by_hand():
    """
    Comparable in both: TP53 and `regulates` of document 0, MDM2 of document 1. One is right in v1 only, none in v2
    only, and a coin that falls once says nothing: p = 1.
    """
    found = diff()

    assert (found.n_common, found.n_only_old_correct, found.n_only_new_correct) == (3, 1, 0)
    assert found.mcnemar_p == 1.0


def test_mcnemar_of_six_to_none():
    """
    Six annotations that only v2 gets right: p = 2 · (1/2)^6.
    """
    gold = [{"ground_truth": [{"a": k, "b": k + 1, "entity_id": "A"} for k in range(6)]}]
    old, new = ([{"a": k, "b": k + 1, "entity_id_predicted": x} for k in range(6)] for x in "BA")

    assert diff(old, new, gold).mcnemar_p == 2 / 64


def test_keys_of_the_report():
    """
    Those of the contract, and what they are for.
    """
    report = diff().to_dict()

    assert report["schema"] == "spaneval.diff/1"
    assert {"cells", "spurious", "fates", "mcnemar_p", "n_common"} <= set(report)
    assert report["spurious"] == {"old_only": 1, "both": 1, "new_only": 0}
    assert report["counts"]["n_id_correct"] == {"old": 2, "new": 3}


def test_a_version_against_itself():
    """
    Nothing changes, and McNemar's p is 1.
    """
    found = diff(V1, V1[::-1])

    assert set(found.fates.values()) == {0}
    assert found.cells.sum() == found.cells.trace() == 6
    assert list(found.rows()) == []
    assert found.mcnemar_p == 1.0


def test_rows_in_context():
    """
    One per change, in the order of documents and text; the line feed of the text is in the surroundings.
    """
    texts = {digest: document["text"] for digest, document in digests().items()}
    rows = list(diff().rows(texts))
    shown = [(x["document"], x["text"], x["fates"]) for x in rows]

    assert shown == [
        ("0", "regulates", ["id_changed"]),
        ("0", "MDM2", ["fixed", "found"]),
        ("1", "MDM2", ["broken"]),
        ("1", "TP53", ["fixed", "comparability_gained"]),
        ("1", "p21_WAF1", ["found"]),
        ("2", "Nothing", ["spurious_gone"]),
    ]
    assert rows[3] == {
        "fates": ["fixed", "comparability_gained"],
        "document": "1",
        "a": 11,
        "b": 15,
        "gold_id": "G1",
        "old": {"outcome": "minted", "predicted_id": "kb::C1", "translated_id": None, "a": 11, "b": 15},
        "new": {"outcome": "correct", "predicted_id": "G1", "translated_id": "G1", "a": 11, "b": 15},
        "before": "MDM2 binds\n",
        "text": "TP53",
        "after": " & p21_WAF1.",
    }
    assert rows[1]["old"] == {"outcome": "missed", "predicted_id": None, "translated_id": None}
    assert rows[5]["old"] == {"outcome": "spurious", "predicted_id": "X", "translated_id": "X"}
    assert rows[5]["new"] is None


@pytest.mark.parametrize("is_saved", [False, True])
def test_ids_are_called_as_in_the_ledger(is_saved: bool):
    """
    As written and as translated, of annotations and of spurious predictions, from saved runs, too.
    """
    maps = {"kb::C1": "G1", "G1": "G1", "G2": "G2", "X": "Y"}
    old, new = (spaneval.evaluate(GOLD, rows, ci=False, id_map=maps) for rows in (V1, []))
    before, after = (from_json(to_json(run_of(x)), "x") if is_saved else run_of(x) for x in (old, new))
    sides = [(x["document"], x["old"]) for x in spaneval.diff(before, after).rows() if x["old"]]
    found = {
        (document, side["a"], side["predicted_id"], side["translated_id"]) for document, side in sides if "a" in side
    }
    spurious = {(side["predicted_id"], side["translated_id"]) for _, side in sides if side["outcome"] == "spurious"}
    ledger = [x for x in old.rows() if x["predicted_id"] is not None]

    assert ("1", 11, "kb::C1", "G1") in found
    assert found == {
        (x["document"], x["a"], x["predicted_id"], x["translated_id"]) for x in ledger if x["outcome"] != "spurious"
    }
    assert spurious == {("R3", None), ("X", "Y")}


def digests() -> dict[str, dict[str, Any]]:
    """Documents by digest."""
    found = scored(V1).document_digests.tolist()
    return {f"{digest:016x}": document for digest, document in zip(found, GOLD, strict=True)}


def test_without_texts_rows_have_no_context():
    """
    A saved run holds no text.
    """
    assert {x["text"] for x in diff().rows()} == {None}


def test_documents_are_listed_by_number():
    """
    10 after 9, whatever the digests say.
    """
    gold = [{"itext": k, "ground_truth": [{"a": 0, "b": 1 + k, "entity_id": "A"}]} for k in range(12)]
    rows = [row(k, 0, 1 + k, "A") for k in range(12)]

    assert [x["document"] for x in diff([], rows, gold).rows()] == [str(k) for k in range(12)]


def test_of_two_spurious_predictions_at_a_span_the_one_with_another_id_is_gone():
    """
    [5, 10) was spurious twice, as R3 and as R4; R3 is still there.
    """
    old = [row(1, 5, 10, "R3"), row(1, 5, 10, "R4")]
    rows = list(diff(old, [row(1, 5, 10, "R3")]).rows())

    assert [(x["fates"], x["old"]["predicted_id"]) for x in rows] == [(["spurious_gone"], "R4")]


def test_spurious_predictions_are_a_multiset_of_spans():
    """
    Three at one span before, two after, whatever their ids: one is gone.
    """
    old = [row(1, 5, 10, "R3"), row(1, 5, 10, "R3"), row(1, 5, 10, "R4")]
    found = diff(old, [row(1, 5, 10, "R3"), row(1, 5, 10, "R5")])

    assert found.spurious == (1, 2, 0)
    assert len(list(found.rows())) == 1


def test_equal_annotations_are_paired_by_what_became_of_them():
    """
    Two annotations of one entity at one span, one found: which of the two has no meaning.
    """
    gold = [{"ground_truth": [{"a": 0, "b": 4, "entity_id": "A"}] * 2}]
    one = [{"a": 0, "b": 4, "entity_id_predicted": "A"}]

    assert diff(one, one, gold).to_dict()["cells"] == {"correct": {"correct": 1}, "missed": {"missed": 1}}


def test_every_fate_has_a_meaning_and_every_outcome_a_place():
    """
    A new outcome cannot be forgotten.
    """
    assert set(diff().fates) == set(MEANINGS)
    assert sorted((*COMPARABLE, *INCOMPARABLE, Fate.MISSED)) == list(Fate)
    assert sorted(MATCHED) == [fate for fate in Fate if fate != Fate.MISSED]


def assert_adds_up(found: Diff) -> None:
    """The cells sum to every count of both versions, so also to every difference."""
    for run, sums in ((found.old, found.cells.sum(axis=1)), (found.new, found.cells.sum(axis=0))):
        totals = run.counts.totals()
        n_spurious = found.spurious.both + (found.spurious.old_only if run is found.old else found.spurious.new_only)

        assert totals["n_gold"] == sums.sum()
        assert totals["n_matched"] == sum(sums[fate] for fate in MATCHED)
        assert totals["n_id_comparable"] == sum(sums[fate] for fate in COMPARABLE)
        assert totals["n_id_correct"] == sums[Fate.CORRECT]
        assert all(totals[f"n_{fate.label}"] == sums[fate] for fate in INCOMPARABLE)
        assert totals["n_predicted"] == totals["n_matched"] + n_spurious + totals["n_bad_rows"]
    fates, rows = found.fates, list(found.rows())
    listed = Counter(name for x in rows for name in x["fates"])
    assert {name: listed[name] for name in fates} == fates
    assert fates["fixed"] - fates["broken"] == found.cells.sum(axis=0)[0] - found.cells.sum(axis=1)[0]
    n_changed = int(found.cells.sum() - found.cells.trace()) + fates["id_changed"]
    assert len(rows) == n_changed + fates["new_spurious"] + fates["spurious_gone"]


@settings(max_examples=300)
@given(corpora(), st.lists(spans(), min_size=3, max_size=3), MODES, ASSIGNMENTS, st.sampled_from(["skip", "wrong"]))
def test_cells_add_up_to_every_count(corpus, others, mode, assignment, unmapped):
    """
    On any corpus, with ignored annotations, evaluation spans, NIL ids and a map.
    """
    gold, old = corpus
    new = [row(d, a, b, entity) for d, found in enumerate(others[: len(gold)]) for a, b, entity in found]
    options = {"match": mode, "assignment": assignment, "doc_key": "itext", "nil": ["NEW"], "unmapped": unmapped}

    assert_adds_up(diff(old, new, gold, id_map={"RO.7": "PEL.1", "PEL.1": "PEL.1"}, **options))


def test_cells_add_up_with_bad_rows_and_unknown_documents():
    """
    Both are predictions that match nothing; bad rows have no span and stand in no line.
    """
    more = [row(9, 0, 4, "X"), row(0, 4, 0, "X"), {"a": 2, "b": 1}]
    found = diff([*V1, *more], [*V2, more[0], more[0]], unknown_docs="count", on_bad_row="skip")

    assert_adds_up(found)
    assert found.fates["new_spurious"] == 1
    assert found.counts["n_bad_rows"] == (2, 0)


BENCHMARKS = ("kore50", "oke-2016-eval", "wiki-fair")
LINKERS = ("ambiverse", "baseline", "dbpedia_spotlight")


@pytest.mark.skipif(not (CASES / "elevant").is_dir(), reason="the handed cases are not here")
@pytest.mark.parametrize("corpus_name", BENCHMARKS)
@pytest.mark.parametrize("mode", ["exact", "overlap"])
def test_cells_of_real_linkers_add_up(corpus_name: str, mode: str):
    """
    Each against each.
    """
    folder = CASES / "elevant"
    runs = [
        scored(
            folder / f"{linker}.{corpus_name}.pred.jsonl", folder / f"{corpus_name}.gt.json", match=mode, nil=["<NIL>"]
        )
        for linker in LINKERS
    ]
    for old in runs:
        for new in runs:
            assert_adds_up(spaneval.diff(old, new))

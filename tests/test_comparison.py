"""Systems side by side: worked out by hand, against all swaps, and laws that hold for any systems."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_laws import corpora, spans
from versions import GOLD, V1, V2, row

import spaneval
from spaneval.comparison import Comparison
from spaneval.entries import scoreboard
from spaneval.exceptions import AlignmentError, FormatError, MeasureError
from spaneval.kinds import SPANS
from spaneval.measures import MEASURES
from spaneval.runs import run_of
from spaneval.saved_runs import to_json

FEW = {"resamples": 200, "trials": 200}


def scored(rows: Any, gold: Any = GOLD, **options: Any) -> spaneval.Evaluation:
    return spaneval.evaluate(gold, rows, ci=False, **options)


def compared(old: Any = V1, new: Any = V2, gold: Any = GOLD, **parameters: Any) -> Comparison:
    return spaneval.compare({"v1": scored(old, gold), "v2": scored(new, gold)}, **(FEW | parameters))


def test_values_and_differences_worked_out_by_hand():
    """
    From the totals in `versions`: v1 has 6 gold, 6 predicted, 4 matched, 3 comparable, 2 correct; v2 6, 7, 6, 5, 3.
    """
    found = compared()
    expected = {
        "precision": (4 / 6, 6 / 7, 6 / 7 - 4 / 6),
        "recall": (4 / 6, 1.0, 2 / 6),
        "f1": (8 / 12, 12 / 13, 12 / 13 - 8 / 12),
        "entity_accuracy": (2 / 3, 3 / 5, 3 / 5 - 2 / 3),
        "link_f1": (4 / 12, 6 / 12, 2 / 12),
    }

    for name, (old, new, delta) in expected.items():
        assert found.entries["v1"][name].value == old
        assert found.entries["v2"][name].value == new
        assert found.entries["v2"][name].delta == pytest.approx(delta, rel=1e-15)
        assert found.entries["v1"][name].delta is None
        assert found.entries["v1"][name].test is None


def test_p_of_recall_worked_out_by_hand():
    """
    v2 finds one annotation more in documents 0 and 1, and document 2 has none. Of the four swaps of the first two, the
    difference is +2, 0, 0, -2 annotations; two of four are as large as that seen: p = 1/2.
    """
    test = compared().entries["v2"]["recall"].test

    assert test is not None
    assert (test.p, test.is_exact, test.n_trials, test.n_undefined_swaps) == (0.5, True, 8, 0)


@pytest.mark.parametrize("name", ["precision", "f1", "entity_accuracy", "link_f1"])
def test_p_is_the_share_of_all_swaps(name: str):
    """
    Every swap of the three documents, in fractions. Link F1 of v1 has a comparable pair under every swap.
    """
    tables = [run_of(scored(rows)).counts for rows in (V1, V2)]
    measure = MEASURES[name]

    def delta(swap: tuple[int, ...]) -> Fraction | None:
        sums = [{c: sum(int(tables[k ^ s][c][d]) for d, s in enumerate(swap)) for c in measure.columns} for k in (0, 1)]
        if any(measure.value(x) is None for x in sums):
            return None
        old, new = (Fraction(*measure.fraction(x)) for x in sums)
        return new - old

    swaps = [delta(swap) for swap in itertools.product((0, 1), repeat=3)]
    seen = swaps[0]
    extreme = [x for x in swaps if x is None or (seen is not None and abs(x) >= abs(seen))]
    test = compared().entries["v2"][name].test

    assert test is not None
    assert test.p == len(extreme) / 8
    assert test.n_undefined_swaps == sum(x is None for x in swaps)


def test_documents_won_tied_and_lost_by_hand():
    """
    Recall: v2 wins documents 0 and 1; document 2 has no gold, so there is no recall. Precision: 2/2 against 3/3 is a
    tie, 2/3 against 3/4 is won, and v2 predicts nothing in document 2. Accuracy: 1/2 against 2/3, 1/1 against 1/2.
    """
    entries = compared().entries["v2"]

    assert entries["recall"].scoreboard == (2, 0, 0, 1)
    assert entries["precision"].scoreboard == (1, 1, 0, 1)
    assert entries["entity_accuracy"].scoreboard == (1, 0, 1, 1)


def test_tiny_differences_between_documents_are_no_ties():
    """
    1/N and 1/(N+1) differ by 1e-14 for N of ten million; fractions know which is larger.
    """
    n = 10_000_019
    tables = np.zeros((2, 1, len(SPANS.columns)), dtype=np.int64)
    tables[0, 0, :3], tables[1, 0, :3] = (n, n, 1), (n + 1, n + 1, 1)

    assert scoreboard(MEASURES["recall"], tables[0], tables[1]) == (1, 0, 0, 0)


def test_common_pairs_by_hand():
    """
    Comparable in both: TP53 and `regulates` of document 0, MDM2 of document 1; v1 has two right, v2 one.
    """
    found = compared()

    assert (found.common.n, found.common.n_correct) == (3, {"v1": 2, "v2": 1})
    assert found.to_dict()["common"]["accuracy"] == {"v1": 2 / 3, "v2": 1 / 3}
    assert found.common_delta("v2") == -1 / 3


def test_common_pairs_are_common_to_all_systems():
    """
    A third system that finds one annotation leaves that one.
    """
    third = scored([row(0, 0, 4, "G7")])
    found = spaneval.compare({"a": scored(V1), "b": scored(V2), "c": third}, **FEW)

    assert (found.common.n, found.common.n_correct) == (1, {"a": 1, "b": 1, "c": 0})


def test_undefined_stays_undefined():
    """
    A system whose ids are all minted: no accuracy, no difference, no p, and the correction counts fewer tests.
    """
    minted = [x | {"entity_id_predicted": "kb::C1"} for x in V2]
    found = compared(new=minted)
    entry = found.entries["v2"]["entity_accuracy"].to_dict()

    assert "none of the 6 matched pairs has comparable ids" in entry.pop("undefined")
    assert {entry[key] for key in ("value", "interval", "delta", "delta_interval", "p", "p_corrected")} == {None}
    assert (entry["won"], entry["tied"], entry["lost"], entry["n_undefined"]) == (0, 0, 0, 3)
    assert found.test is not None
    assert found.test["n_tests"] == 3
    assert found.common.accuracy("v1") is None


def test_one_document_has_no_interval_and_says_why():
    """
    The values and the exact test stand.
    """
    entry = compared(V1[:2], V2[:3], GOLD[:1]).entries["v2"]["recall"]

    assert (entry.interval, entry.delta_interval) == (None, None)
    assert entry.to_dict()["undefined"] == "there is one document; an interval needs at least two"
    assert entry.test is not None
    assert entry.test.p == 1.0


@settings(max_examples=30)
@given(corpora())
def test_a_system_against_itself(corpus):
    """
    No difference, p of 1, every document tied.
    """
    gold, rows = corpus
    found = spaneval.compare({"a": scored(rows, gold), "b": scored(rows[::-1], gold)}, resamples=50, trials=50)

    for entry in found.entries["b"].values():
        board = entry.scoreboard
        assert board is not None
        assert (board.won, board.lost) == (0, 0)
        if entry.value is None:
            assert entry.delta is None
            continue
        assert entry.delta == 0
        assert entry.delta_interval in (None, (0, 0))
        assert entry.test is not None
        assert entry.test.p == entry.p_corrected == 1


@settings(max_examples=30)
@given(corpora(), st.lists(spans(), min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_order_changes_nothing_but_order(corpus, others, rng):
    """
    Systems, documents, annotations and rows in another order: each system's numbers stay, given one baseline.
    """
    gold, rows = corpus
    new = [row(d, a, b, entity) for d, found in enumerate(others[: len(gold)]) for a, b, entity in found]
    systems = {"a": rows, "b": new, "c": [*rows, *new]}
    there = spaneval.compare(
        {name: scored(x, gold, doc_key="itext") for name, x in systems.items()}, resamples=50, trials=50
    )
    mixed = rng.sample(gold, len(gold))
    back = {name: scored(rng.sample(systems[name], len(systems[name])), mixed, doc_key="itext") for name in "cba"}
    again = spaneval.compare(back, baseline="a", resamples=50, trials=50)

    assert list(again.runs) == ["c", "b", "a"]
    assert {name: again.entries[name] for name in "abc"} == there.entries
    assert again.common.n_correct == there.common.n_correct
    assert again.signature == there.signature


def test_intervals_are_those_of_score():
    """
    The same documents in the same order, from the same seed: `score` and `compare` print one interval.
    """
    alone = spaneval.evaluate(GOLD, V2, resamples=200, seed=5)
    beside = compared(seed=5, test=False)

    assert {name: beside.entries["v2"][name].interval for name in ("precision", "recall", "f1", "link_f1")} == {
        name: alone.intervals[name] for name in ("precision", "recall", "f1", "link_f1")
    }


def test_a_p_does_not_depend_on_what_else_is_compared():
    """
    Nor does an interval; the correction does.
    """
    many, one = compared(), compared(measures=["recall"])

    assert one.entries["v2"]["recall"].test == many.entries["v2"]["recall"].test
    assert one.entries["v2"]["recall"].delta_interval == many.entries["v2"]["recall"].delta_interval
    assert one.entries["v2"]["recall"].p_corrected != many.entries["v2"]["recall"].p_corrected


def test_corrections():
    """
    Holm over the whole table, or nothing.
    """
    raw = {name: x.test.p for name, x in compared().entries["v2"].items() if x.test and x.test.p is not None}
    smallest = min(raw, key=raw.__getitem__)
    holm = compared().entries["v2"][smallest].p_corrected
    none = compared(correction="none").entries["v2"][smallest].p_corrected

    assert holm == min(1.0, 5 * raw[smallest])
    assert none == raw[smallest]


def test_documents_that_one_system_invented_count_for_both():
    """
    The union of documents: the other system has nothing there, which is a document without its value.
    """
    extra = [{"itext": 9, "a": 0, "b": 3, "entity_id_predicted": "X"}]
    options = {"unknown_docs": "count"}
    found = spaneval.compare({"v1": scored([*V1, *extra], **options), "v2": scored(V2, **options)}, **FEW)

    assert found.n_documents == 4
    assert found.entries["v1"]["precision"].fraction == (4, 7)
    assert found.entries["v2"]["precision"].scoreboard == (1, 1, 0, 2)


def test_undefined_swaps_are_counted():
    """
    v1 finds one annotation in document 0 and v2 one in document 1: swapping one of the two documents leaves one system
    without any matched pair, so without accuracy. Two of four swaps, which count as extreme.
    """
    gold = [{"itext": k, "ground_truth": [{"a": 0, "b": 4, "entity_id": "A"}]} for k in range(2)]
    test = compared([row(0, 0, 4, "A")], [row(1, 0, 4, "B")], gold).entries["v2"]["entity_accuracy"].test

    assert test is not None
    assert (test.n_undefined_swaps, test.p) == (2, 1.0)


def test_keys_of_the_report():
    """
    Those of the contract; more are welcome.
    """
    report = compared().to_dict()
    keys = {"schema", "signature", "baseline", "n_documents", "test", "systems", "common", "notes"}
    measure = {"value", "interval", "delta", "delta_interval", "p", "p_corrected", "won", "tied", "lost", "n_undefined"}

    assert keys <= set(report)
    assert {"name", "trials", "exact", "correction", "n_tests"} <= set(report["test"])
    assert {"n", "accuracy"} <= set(report["common"])
    assert [system["name"] for system in report["systems"]] == ["v1", "v2"]
    assert set(SPANS.columns) <= set(report["systems"][0])
    assert measure <= set(report["systems"][1]["measures"]["f1"])
    assert report["systems"][0]["measures"]["f1"]["delta"] is None
    assert report["systems"][0]["measures"]["f1"]["p"] is None
    assert "NaN" not in json.dumps(report)


def test_signature_names_test_and_correction():
    """
    Beside all that a run has.
    """
    signature = compared(seed=3, level=0.9, correction="bh").signature

    assert "|ci:doc-bootstrap.200|level:0.9|test:perm.exact|corr:bh.5|seed:3|gt:3d." in signature
    assert "map:" not in compared(V1, V2).signature
    assert "|ci:none|gt:" in compared(ci=False, test=False).signature


def test_data_frame():
    """
    One row per measure and system and for common pairs; integers stay integers, what is undefined is missing.
    """
    frame = compared().to_frame()
    recall = frame[(frame["measure"] == "recall") & (frame["system"] == "v2")].iloc[0]

    assert len(frame) == 5 * 2 + 2
    assert (recall["value"], recall["won"], recall["numerator"], recall["p"]) == (1.0, 2, 6, 0.5)
    assert frame["delta"].isna().sum() == 6
    assert str(frame["won"].dtype) == "Int64"
    assert frame.iloc[-1]["measure"] == "common_accuracy"
    assert frame.iloc[-1]["value"] == 1 / 3


def test_measures_by_name():
    """
    In the order asked for, each once; an unknown one offers the nearest.
    """
    found = compared(measures=["recall", "link_recall", "recall"])

    assert [measure.name for measure in found.measures] == ["recall", "link_recall"]
    with pytest.raises(MeasureError, match="did you mean recall"):
        compared(measures=["recal"])


def test_measures_of_nil_are_compared_where_nil_is_named():
    """
    They come after the five.
    """
    systems = {name: scored(rows, nil=["X"]) for name, rows in (("v1", V1), ("v2", V2))}
    names = [measure.name for measure in spaneval.compare(systems, **FEW).measures]

    assert names[5:] == ["entity_accuracy_in_kb", "nil_precision", "nil_recall", "nil_f1"]


def test_saved_runs_serve_as_well(tmp_path: Path):
    """
    From a path, a run or an evaluation: one report.
    """
    path = tmp_path / "v1.json"
    path.write_bytes(to_json(run_of(spaneval.evaluate(GOLD, V1, seed=9))))
    fresh = compared()
    saved = spaneval.compare({"v1": path, "v2": run_of(scored(V2))}, **FEW)

    assert saved.to_dict() == fresh.to_dict()


def test_what_cannot_be_compared():
    """
    Nothing, an unknown baseline, a broken file, other gold.
    """
    with pytest.raises(ValueError, match="nothing to compare"):
        spaneval.compare({})
    with pytest.raises(ValueError, match="no system is named 'v3'; there are 'v1', 'v2'"):
        compared(baseline="v3")
    with pytest.raises(FormatError, match="not a saved run"):
        spaneval.compare({"v1": __file__.replace("test_comparison.py", "golden/report_ordinary.csv.txt")})
    with pytest.raises(AlignmentError, match="v2 was scored on gold"):
        spaneval.compare({"v1": scored(V1), "v2": scored(V2[:3], GOLD[:1])})


def test_note_says_when_systems_are_judged_on_other_pairs():
    """
    Not where all are judged alike.
    """
    assert [note.code for note in compared().notes] == ["comparable-pairs-differ"]
    assert "v1 3 of 4, v2 5 of 6" in compared().notes[0].message
    assert compared(V1, V1).notes == []


def test_results_show_themselves_in_a_line() -> None:
    """
    In an interpreter, where the arrays behind them would fill the screen.
    """
    results = [spaneval.classify({"a": "x", "b": "y"}, {"a": "x", "b": label}, ci=False) for label in "xy"]

    assert repr(spaneval.compare(dict(zip("pq", results, strict=True)))) == "Comparison(p, q; baseline p: accuracy)"
    assert repr(spaneval.diff(*results)).startswith("Diff(fixed=1, broken=0, ")

"""
Records scored against gold records: the vectors of the source, the options, and laws.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaneval.exceptions import AlignmentError, InputError
from spaneval.kinds import DECISIONS
from spaneval.profiles.easyrpa import details, files, values_analysis
from spaneval.records.fields import RecordEvaluation, evaluate_records, measures_of, support
from spaneval.runs import Run
from spaneval.values.normalise import RuleError

CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases"))
VECTORS = CASES / "records" / "fields" / "vectors.json"
GIVEN: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8")) if VECTORS.exists() else {}

FIELDS = ("asset", "due")
GOLD: dict[str, dict[str, Any]] = {
    "r1": {"asset": "A7", "due": "2026-11-10"},
    "r2": {"asset": "B2", "due": None},
    "r3": {"asset": "C9", "due": "2026-11-12"},
}
CANDIDATE: dict[str, dict[str, Any]] = {
    "r1": {"asset": "A7", "due": "2026-11-10"},
    "r2": {"asset": "B3", "due": "2026-11-11"},
    "r3": {"asset": None, "due": None},
}
EMPTY: dict[str, dict[str, Any]] = {record: dict.fromkeys(FIELDS) for record in GOLD}


def score(gold: Any, predictions: Any, **options: Any) -> RecordEvaluation:
    return evaluate_records(gold, predictions, **({"ci": False} | options))


def exact(found: RecordEvaluation) -> tuple[Any, ...]:
    """TP, FP, FN as exact-match scoring counts them; P, R, F1; whole records, records."""
    counts, measures = found.counts, found.measures
    facts = (counts["tp"], counts["fp"] + counts["fpfn"], counts["fn"] + counts["fpfn"])
    ratios = tuple(measures[name] for name in ("precision", "recall", "f1"))
    return (*facts, *ratios, counts["n_records_correct"], counts["n_records"])


@pytest.mark.parametrize(
    ("gold", "predictions", "expected"),
    [
        (GOLD, CANDIDATE, (2, 2, 3, 2 / 4, 2 / 5, 4 / 9, 1, 3)),
        (GOLD, GOLD, (5, 0, 0, 1.0, 1.0, 1.0, 3, 3)),
        (GOLD, EMPTY, (0, 0, 5, None, 0.0, 0.0, 0, 3)),
        (EMPTY, EMPTY, (0, 0, 0, None, None, None, 3, 3)),
        (EMPTY, CANDIDATE, (0, 4, 0, 0.0, None, 0.0, 1, 3)),
    ],
    ids=["candidate", "perfect", "empty", "all null", "all invented"],
)
@pytest.mark.parametrize("strict", [False, True])
def test_the_vectors_of_exact_match_scoring(gold: Any, predictions: Any, expected: tuple[Any, ...], strict: bool):
    """
    Worked out in the source, with whole records that include what is absent.
    """
    assert expected == exact(score(gold, predictions, fields=FIELDS, strict=strict))


def test_the_five_rows_of_easyrpa():
    """
    One of each decision: P 1/3, R 1/3, accuracy 2/5, rework 2/3, automation efficiency -1/3.
    """
    name = "John Smith"
    gold = {f"d{k}": {"invoice_sender": x} for k, x in enumerate([name, name, name, None, None])}
    extracted = {f"d{k}": {"invoice_sender": x} for k, x in enumerate([name, None, f"Name:{name}", name, None])}
    found = score(gold, extracted, profile="easyrpa")
    expected = {
        "precision": 1 / 3, "recall": 1 / 3, "accuracy": 2 / 5, "rework": 2 / 3, "automation_efficiency": -1 / 3,
    }  # fmt: skip

    assert dict.fromkeys(DECISIONS, 1) == {label: found.counts[label] for label in DECISIONS}
    assert expected == {measure: found.measures[measure] for measure in expected}


@pytest.mark.skipif(not GIVEN, reason="the handed cases are not here")
@pytest.mark.parametrize("name", GIVEN.get("seed004", {}))
def test_handed_vectors_of_exact_match_scoring(name: str):
    """
    As worked out by the source's own code; bad input is an error there and here.
    """
    case = GIVEN["seed004"][name]
    expected = case["expected"]
    if "error" in expected:
        with pytest.raises(InputError):
            score(case["gold"], case["candidate"], fields=case["fields"], strict=True)
        return
    found = exact(score(case["gold"], case["candidate"], fields=case["fields"], strict=True))
    keys = ("tp", "fp", "fn", "precision", "recall", "f1", "whole_records", "records")

    assert expected == pytest.approx({key: x for key, x in zip(keys, found, strict=True) if key in expected}, abs=1e-15)


@pytest.mark.skipif(not GIVEN, reason="the handed cases are not here")
@pytest.mark.parametrize("name", [x for x, case in GIVEN.get("seed003", {}).items() if "expected" in case])
def test_handed_vectors_of_easyrpa(name: str):
    """
    Overall, per field, and decision by decision.
    """
    case = GIVEN["seed003"][name]
    found = score(case["gold"], case["extracted"], fields=case["fields"], profile="easyrpa")
    stated = {"": case["expected"]["overall"]} | case["expected"]["fields"]
    for field, values in stated.items():
        counts = found.field_counts[field] if field else found.counts
        measures = found.field_measures[field] if field else found.measures

        assert [values[x.upper()] for x in DECISIONS] == [counts[x] for x in DECISIONS]
        assert values["gold"] == support(counts)
        for measure in ("precision", "recall", "accuracy", "rework", "automation_efficiency"):
            assert values[measure] == pytest.approx(measures[measure], abs=1e-15), (field, measure)
    rows = {(row["document"], row["field"], row["decision"].upper()) for row in found.decisions.rows()}
    assert rows == {(doc, field, decision) for doc, field, _, _, decision in case["expected"]["decisions"]}


def test_records_and_fields_are_those_of_both_sides():
    """
    r1 is paired; r2 is in the gold only: FN; r3 in the predictions only: FP. The field z is the predictions' own.
    """
    gold = {"r1": {"a": "x"}, "r2": {"a": "y"}}
    found = score(gold, {"r1": {"a": "x", "z": 1}, "r3": {"z": 2}})

    assert ["a", "z"] == list(found.fields)
    assert {"tp": 1, "fp": 2, "fn": 1, "tn": 2, "fpfn": 0} == found.to_dict()["counts"]
    absent = {"gold_records": 1, "predicted_records": 1, "gold_fields": 2, "predicted_fields": 1}
    assert absent == found.absent.to_dict()
    assert [
        "1 gold record without a prediction (r2), scored as if nothing had been extracted",
        "1 predicted record not in the gold (r3), scored as if the gold had no value there",
        "1 field absent from predicted records, counted as empty",
        "2 fields absent from gold records, counted as empty",
    ] == [note.message for note in found.notes]
    assert ["r1", "r2", "r3"] == [row["document"] for row in found.documents()]


def test_fields_that_are_given_are_the_only_ones():
    """
    In their order; the key is never one of them.
    """
    assert ["due", "asset"] == list(score(GOLD, CANDIDATE, fields=["due", "asset"]).fields)
    assert {"asset"} == set(score(GOLD, CANDIDATE, fields="asset").field_counts)
    with pytest.raises(InputError, match="the field 'id' holds the ids"):
        score(GOLD, CANDIDATE, fields=["id"])


def test_a_field_that_no_record_has_is_told():
    """
    It may be misspelt.
    """
    (note,) = [note for note in score(GOLD, CANDIDATE, fields=["aset"]).notes if note.code == "unknown-field"]

    assert note.message == "no record has the field 'aset', which counts as empty; did you mean 'asset'?"
    assert score(GOLD, CANDIDATE, fields=["aset"]).counts["tn"] == 3


def test_records_without_anything_in_common_are_told():
    """
    The key may be another one.
    """
    notes = {note.code: note.message for note in score({"1": {"a": 1}}, {"x": {"a": 1}}).notes}

    assert "no record is on both sides" in notes["no-common-record"]
    assert "such as '1' and 'x'; does --key name the id?" in notes["no-common-record"]
    endless = {note.code: note.message for note in score({"1": {"a": 1}}, {"x" * 400: {"a": 1}}).notes}
    assert len(endless["no-common-record"]) < 200


def test_a_field_with_a_list_has_a_decision_for_each_value():
    """
    Equal ones pair first, whatever their order; paths are those of the gold list, or of the extracted one.
    """
    gold = {"r": {"tags": ["a", "b", "b", "c"], "n": 1}}
    found = score(gold, {"r": {"tags": ["b", "x", "a", "b", "y"], "n": [1, 2]}})
    rows = [(row["path"], row["gold"], row["extracted"], row["decision"]) for row in found.decisions.rows()]

    assert rows == [
        ("n", 1, 1, "tp"),
        ("n[1]", None, 2, "fp"),
        ("tags[0]", "a", "a", "tp"),
        ("tags[1]", "b", "b", "tp"),
        ("tags[2]", "b", "b", "tp"),
        ("tags[3]", "c", "x", "fpfn"),
        ("tags[4]", None, "y", "fp"),
    ]
    assert support(found.field_counts["tags"]) == 4


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((), {"fpfn": 4}),
        ("text", {"tp": 1, "fpfn": 3}),
        (["total=number:0.01"], {"tp": 1, "fpfn": 3}),
        (["date", "total=number:0.01", "asset=text"], {"tp": 3, "fpfn": 1}),
        (["docubench"], {"tp": 3, "fpfn": 1}),
    ],
)
def test_rules_are_applied_to_both_sides(rules: Any, expected: dict[str, int]):
    """
    Of all fields or of one.
    """
    gold = {"r": {"asset": "pump  A7", "total": 1.05, "due": "2026-11-10", "code": "a-1"}}
    predictions = {"r": {"asset": "Pump A7", "total": "1.04", "due": "20261110", "code": "A1"}}
    counts = score(gold, predictions, normalize=rules).to_dict()["counts"]

    assert expected == {name: n for name, n in counts.items() if n}


def test_rules_are_told_with_the_result():
    """
    In JSON and in the signature.
    """
    found = score(GOLD, GOLD, normalize=["text", "due=date"])

    assert found.to_dict()["normalize"] == "text,due=date"
    assert "normalize:text,due=date" in found.signature
    of_two = score(GOLD, GOLD, fields=["due", "asset"], strict=True, profile="easyrpa").signature
    assert of_two.startswith(
        "of:records|profile:easyrpa|key:id|fields-of:asset,due|strict:true|normalize:exact|ci:none|"
    )


def test_a_rule_for_a_field_that_is_not_compared():
    """
    Would change nothing, which is not what was meant.
    """
    with pytest.raises(InputError, match="--normalize names the field 'duo', which is not compared") as raised:
        score(GOLD, GOLD, normalize="duo=date")

    assert "did you mean 'due'?" in str(raised.value)
    with pytest.raises(RuleError):
        score(GOLD, GOLD, normalize="dates")


def test_where_one_side_is_a_table_all_is_text(tmp_path: Path):
    """
    7 in JSON is 7 in CSV, and 1.50 is 1.50 as it is written.
    """
    (tmp_path / "gold.jsonl").write_text('{"id": 1, "n": 7, "x": 1.50, "b": true, "e": null}\n')
    (tmp_path / "pred.csv").write_text("id,n,x,b,e\n1,7,1.50,true,\n")
    sides = (tmp_path / "gold.jsonl", tmp_path / "pred.csv")
    for gold, predictions in (sides, sides[::-1]):
        found = score(gold, predictions)

        assert (3, 1) == (found.counts["tp"], found.counts["tn"])
        (note,) = found.notes
        side = "the gold comes" if gold.suffix == ".csv" else "the predictions come"
        what = "3 numbers and booleans of the other side are compared as written"
        assert note.message == f"{side} as a table, which knows only text: {what}"
    both = score(tmp_path / "pred.csv", tmp_path / "pred.csv")
    assert (3, 1, []) == (both.counts["tp"], both.counts["tn"], both.notes)


def test_lists_against_a_table_are_told(tmp_path: Path):
    """
    A cell is one value, whatever stands in it; a list of one value can be equal to it.
    """
    (tmp_path / "gold.jsonl").write_text('{"id": 1, "parts": ["x", "y"]}\n{"id": 2, "parts": ["z"]}\n')
    (tmp_path / "pred.csv").write_text('id,parts\n1,"[""x"", ""y""]"\n2,z\n')
    found = score(tmp_path / "gold.jsonl", tmp_path / "pred.csv")

    assert (1, 1, 1) == (found.counts["tp"], found.counts["fn"], found.counts["fpfn"])
    (note,) = found.notes
    assert note.message.startswith(
        "the predictions come as a table, whose cells hold one value each: 1 list of several"
    )
    assert note.message.endswith(" (parts) cannot be right as a whole; JSON Lines hold lists")


def test_records_of_one_side_are_named(tmp_path: Path):
    """
    The first three, whatever the order of the files.
    """
    gold = {name: {"a": "x"} for name in ("r5", "r1", "r4", "r2", "r3")}
    (note,) = score(gold, {"r5": {"a": "x"}}).notes
    assert note.message.startswith("4 gold records without a prediction (r1, r2, r3 and 1 more), scored")


def test_a_system_that_wrote_nothing_missed_everything(tmp_path: Path):
    """
    An empty file of predictions is no error; empty gold is.
    """
    (tmp_path / "none.jsonl").write_text("")
    found = score(GOLD, tmp_path / "none.jsonl")

    assert (0.0, None) == (found.measures["recall"], found.measures["precision"])
    with pytest.raises(InputError, match=r"none\.jsonl: no record in the gold, so nothing can be compared"):
        score(tmp_path / "none.jsonl", GOLD)
    with pytest.raises(InputError, match="the records have no fields to compare"):
        score({"r1": {}}, {"r1": {}})


STRICT = {
    "a record is missing": (
        {**CANDIDATE, "r3": None},
        "record 'r3' of the gold is not in the predictions; --strict wants the same records in both",
    ),
    "a record more": (
        {**CANDIDATE, "r9": CANDIDATE["r1"]},
        "record 'r9' of the predictions is not in the gold; --strict wants the same records in both",
    ),
    "a field is missing": (
        {**CANDIDATE, "r1": {"asset": "A7"}},
        "record 'r1' lacks 'due'; --strict wants exactly the fields asset, due",
    ),
    "a field more": (
        {**CANDIDATE, "r1": {**CANDIDATE["r1"], "note": "x"}},
        "record 'r1' has 'note'; --strict wants exactly the fields asset, due",
    ),
    "both": (
        {**CANDIDATE, "r1": {"asset": "A7", "note": "x"}},
        "record 'r1' lacks 'due' and has 'note' as well; --strict wants exactly the fields asset, due",
    ),
    "a number": (
        {**CANDIDATE, "r1": {"asset": 7, "due": None}},
        "record 'r1': the field 'asset' is 7; --strict wants text or null\nhint: write it as text, such as \"7\"",
    ),
    "a blank": (
        {**CANDIDATE, "r1": {"asset": " ", "due": None}},
        "the field 'asset' is ' ', a blank text; --strict wants text or null\nhint: null says that there is no value",
    ),
    "a list": (
        {**CANDIDATE, "r1": {"asset": ["A7"], "due": None}},
        "record 'r1': the field 'asset' is a list; --strict wants text or null",
    ),
}


@pytest.mark.parametrize("case", STRICT)
def test_messages_of_the_strict_checks(case: str, tmp_path: Path):
    """
    With the line of the record; without --strict all of these are scored.
    """
    predictions, message = STRICT[case]
    predictions = {record: fields for record, fields in predictions.items() if fields is not None}
    lines = [json.dumps({"id": record} | fields) for record, fields in predictions.items()]
    path = tmp_path / "pred.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as raised:
        score(GOLD, path, fields=FIELDS, strict=True)

    assert message in str(raised.value)
    line = {"a record is missing": None, "a record more": 4}.get(case, 1)
    assert line == raised.value.problems[0].line
    assert isinstance(raised.value, AlignmentError) == ("record is" in case or "record more" in case)
    assert score(GOLD, path, fields=FIELDS).counts["n_records"] == len(predictions.keys() | GOLD.keys())


def test_strict_without_fields_wants_those_of_both_sides():
    """
    All that some record has.
    """
    assert exact(score(GOLD, CANDIDATE, strict=True)) == exact(score(GOLD, CANDIDATE))
    with pytest.raises(InputError, match="record 'r2' lacks 'note'"):
        score(GOLD, {**CANDIDATE, "r1": {**CANDIDATE["r1"], "note": "x"}}, strict=True)


@pytest.mark.parametrize(("name", "value"), [("profile", "rpa"), ("average", "mean"), ("over", "fields")])
def test_choices_that_do_not_exist(name: str, value: str):
    with pytest.raises(ValueError, match=f"{name} is '{value}'; expected"):
        score(GOLD, GOLD, **{name: value})


def test_json_report_has_the_keys_of_the_contract():
    """
    Counts five ways, measures at the top, the same per field with support; the profile adds three.
    """
    report = score(GOLD, CANDIDATE).to_dict()

    assert report["schema"] == "spaneval.records/1"
    assert {"tp": 2, "fp": 1, "fn": 2, "tn": 0, "fpfn": 1} == report["counts"]
    assert (3, 1) == (report["n_records"], report["n_records_correct"])
    due = report["fields"]["due"]
    assert {"tp": 1, "fp": 1, "fn": 1, "tn": 0, "fpfn": 0} == {label: due[label] for label in DECISIONS}
    assert (0.5, 0.5, 0.5, 2) == tuple(due[name] for name in ("precision", "recall", "f1", "support"))
    assert "accuracy" not in report
    of_profile = score(GOLD, CANDIDATE, profile="easyrpa").to_dict()
    assert {"accuracy", "rework", "automation_efficiency"} <= of_profile.keys() & of_profile["fields"]["due"].keys()
    json.dumps(report, allow_nan=False)


def test_undefined_measures_have_reasons():
    """
    Never a number for 0/0.
    """
    assert score(EMPTY, CANDIDATE).undefined == {"recall": "the gold has no value; 4 values were extracted"}


def test_macro_averages_over_records_and_fields():
    """
    By hand: precision of r1 is 2/2, of r2 0/2, of r3 undefined; of asset 1/2, of due 1/2.
    """
    by_record = score(GOLD, CANDIDATE, average="macro").macro
    by_field = score(GOLD, CANDIDATE, average="macro", over="field").macro

    assert by_record is not None
    assert by_field is not None
    precision = by_record.means["precision"]
    assert ("record", 0.5, 2, 1) == (by_record.over, precision.value, precision.n, precision.n_undefined)
    assert by_field.over == "field"
    assert by_field.means["recall"].value == pytest.approx(float(Fraction(1, 3) + Fraction(1, 2)) / 2)
    assert "records_correct" not in by_field.means
    assert score(GOLD, CANDIDATE).macro is None


def test_intervals_are_of_all_measures():
    """
    A bootstrap over records, in the order of their ids.
    """
    found = evaluate_records(GOLD, CANDIDATE, resamples=200)
    turned = evaluate_records(dict(reversed(GOLD.items())), CANDIDATE, resamples=200)

    assert set(found.intervals) == {measure.name for measure in measures_of("exact")}
    assert found.intervals == turned.intervals
    assert found.resampling is not None
    assert found.resampling["resamples"] == 200


def test_data_in_every_form_gives_the_same_report(tmp_path: Path):
    """
    Lists, frames, files: not a byte differs but for what the files are called.
    """
    rows = [{"id": record} | fields for record, fields in GOLD.items()]
    (tmp_path / "gold.json").write_text(json.dumps(GOLD))
    expected = score(GOLD, CANDIDATE).to_dict()
    for gold in (rows, pd.DataFrame(rows), tmp_path / "gold.json"):
        assert expected == score(gold, CANDIDATE).to_dict()


def test_run_of_an_evaluation():
    """
    What compare and diff take: gold values in the order of record and path, and values without gold.
    """
    run = score(GOLD, CANDIDATE).run()

    assert isinstance(run, Run)
    assert len(run.annotations.doc) == 5
    assert len(run.spurious.doc) == 1
    other = score(GOLD, {"r3": {"asset": "C9"}, "x": {"due": "y"}}).run()
    assert run.gold == other.gold
    assert run.annotations.is_aligned(other.annotations)
    assert run.counting == other.counting


def test_paths_of_gold_values_do_not_depend_on_the_system():
    """
    Else two systems could not be compared value by value.
    """
    gold = {"r": {"tags": ["a", None, "b"], "n": 1}}
    runs = [score(gold, {"r": x}).run() for x in ({"tags": "b", "n": [2, 1]}, {"tags": ["b", "a", "c"]}, {})]

    assert all(run.annotations.is_aligned(runs[0].annotations) for run in runs)


def test_repr_names_the_numbers():
    assert repr(score(EMPTY, CANDIDATE)).startswith(
        "RecordEvaluation(3 records, 2 fields: precision=0, recall=undefined"
    )


VALUES = st.sampled_from([None, "", "a", "b", 1, 1.0, True, ["a"], ["a", "b"], ["b", "b"], []])
RECORDS = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.dictionaries(st.sampled_from("fg"), VALUES, max_size=2),
    max_size=4,
)


@settings(max_examples=60)
@given(RECORDS.filter(bool), RECORDS, st.randoms())
def test_laws_of_records(gold: dict[str, Any], predictions: dict[str, Any], random: Any):
    """
    Order changes nothing; counts per field and per record add up to the whole; a second count agrees; both sides turned
    around swap FP with FN.
    """

    def shuffled(records: dict[str, Any]) -> dict[str, Any]:
        items = [(record, dict(random.sample(list(fields.items()), len(fields)))) for record, fields in records.items()]
        return dict(random.sample(items, len(items)))

    found = score(gold, predictions, fields=["f", "g"], profile="easyrpa")
    counts = found.to_dict()["counts"]

    assert (
        found.to_dict() == score(shuffled(gold), shuffled(predictions), fields=["f", "g"], profile="easyrpa").to_dict()
    )
    assert counts == {x: sum(one[x] for one in found.field_counts.values()) for x in DECISIONS}
    assert counts == {x: sum(one[x] for one in found.documents()) for x in DECISIONS}
    rows = list(found.decisions.rows())
    assert counts == dict.fromkeys(DECISIONS, 0) | Counter(row["decision"] for row in rows)
    wrong = {row["document"] for row in rows if row["decision"] not in ("tp", "tn")}
    assert found.counts["n_records_correct"] == len(gold.keys() | predictions.keys()) - len(wrong)
    recall, rework, efficiency = (found.measures[x] for x in ("recall", "rework", "automation_efficiency"))
    if recall is not None and rework is not None:
        assert efficiency == pytest.approx(recall - rework)
    if predictions:
        turned = score(predictions, gold, fields=["f", "g"]).to_dict()["counts"]
        assert counts == turned | {"fp": turned["fn"], "fn": turned["fp"]}


def test_names_that_mean_something_in_the_reports_of_easyrpa_give_way():
    """
    However many fields are called like a column, and whatever they hold, no column is lost.
    """
    beside = {"field": "F", "document.field": "G", "x.decision": [1, 2], "document.a.gold": "H", "a.gold": "I"}
    gold = {"r1": {"a": "x"} | beside}
    evaluation = evaluate_records(gold, gold, fields="a", profile="easyrpa", ci=False)
    (detail,), (analysis,) = details(evaluation), values_analysis(evaluation)
    texts = {name: b"".join(chunks) for name, chunks in files(evaluation)}

    assert ("a", "F", "G") == (detail["field"], detail["document.document.field"], detail["document.field"])
    assert ("I", "H", "x") == (analysis["document.document.a.gold"], analysis["document.a.gold"], analysis["a.gold"])
    assert b'"[1, 2]"' in texts["field_values_analysis.csv"]


def test_digests_tell_numbers_from_text(tmp_path: Path):
    """
    Gold with 1.5 is not gold with "1.5"; read from a file or handed over, it is the same gold.
    """
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "r1", "a": 1.5, "b": [0.5, {"c": 2.5}], "d": "x"}\n{"id": "r2"}')

    def digest(gold: Any) -> str:
        return str(evaluate_records(gold, gold, ci=False).to_dict()["digests"]["gold"])

    same = {"r1": {"a": 1.5, "b": [0.5, {"c": 2.5}], "d": "x"}, "r2": {}}
    other = {"r1": {"a": "1.5", "b": [0.5, {"c": 2.5}], "d": "x"}, "r2": {}}
    third = {"r1": {"a": 1.5, "b": [0.5, {"c": "2.5"}], "d": "x"}, "r2": {}}
    assert digest(path) == digest(same)
    assert 3 == len({digest(gold) for gold in (same, other, third)})

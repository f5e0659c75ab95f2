"""
The registries of measures of records: named fields, JSON leaves, reviewed records; classes get theirs when asked for.

What the sources of these formulas say, and where they contradict each other, is in docs/sources.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from spaneval.kinds import DOCUBENCH, FIELDS, LEAVES, REVIEW, Kind
from spaneval.measure import Measure, Terms, Totals
from spaneval.problems import counted

_VAN_RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd ed., chapter 7"
EASYRPA = ("accuracy", "rework", "automation_efficiency")
"""Measures of fields that only the profile `easyrpa` shows."""

_EASYRPA = "EasyRPA documentation, Analysis of result"
_DOCUBENCH = "DocuBench docs/scoring.md, counted over leaves instead of averaged"
_ECOEXTRACT = "EcoExtract ACCURACY.md"
_JACCARD = "Jaccard 1912, The distribution of the flora in the alpine zone: equal of all that is on either side"

_GOLD: Terms = {"tp": 1, "fn": 1, "fpfn": 1}
_EXTRACTED: Terms = {"tp": 1, "fp": 1, "fpfn": 1}
_BOTH: Terms = {"tp": 2, "fp": 1, "fn": 1, "fpfn": 2}
_PRESENT: Terms = {"tp": 1, "fp": 1, "fn": 1, "fpfn": 1}
_COMPARED: Terms = {"tp": 1, "fp": 1, "fn": 1, "tn": 1, "fpfn": 1}


def _because(text: str) -> Callable[[Totals], str]:
    """A reason that needs no counts."""
    return lambda _: text


def _nothing_extracted(totals: Totals) -> str:
    n = totals["fn"]
    return f"nothing was extracted; the gold has {counted(n, 'value')}"


def _no_gold_value(totals: Totals) -> str:
    n = totals["fp"]
    return f"the gold has no value; {counted(n, 'value')} {'was' if n == 1 else 'were'} extracted"


_NEITHER = "neither the gold nor the extraction has a value"


def _field(name: str, label: str, question: str, undefined: str, source: str, top: Terms, bottom: Terms,
           explain: Callable[[Totals], str], *, is_cost: bool = False) -> Measure:  # fmt: skip
    return Measure(
        name=name, label=label, question=question, undefined=undefined, source=source, numerator=top,
        denominator=bottom, explain=explain, kind=FIELDS, is_cost=is_cost,
    )  # fmt: skip


_FIELD_MEASURES = (
    _field(
        "precision", "Precision", "Of the values that were extracted, how many are right?",
        "nothing was extracted", _VAN_RIJSBERGEN, {"tp": 1}, _EXTRACTED, _nothing_extracted,
    ),
    _field(
        "recall", "Recall", "Of the values in the gold, how many were extracted right?",
        "the gold has no value", _VAN_RIJSBERGEN, {"tp": 1}, _GOLD, _no_gold_value,
    ),
    _field(
        "f1", "F1", "How well do extracted and gold values cover each other, as one number?",
        "neither side has a value", _VAN_RIJSBERGEN, {"tp": 2}, _BOTH, _because(_NEITHER),
    ),
    _field(
        "agreement", "Agreement", "Of the fields with a value on either side, how many are equal?",
        "neither side has a value", _JACCARD, {"tp": 1}, _PRESENT, _because(_NEITHER),
    ),
    _field(
        "records_correct", "Whole records", "How many records are right in every field, absences included?",
        "there is no record", "exact-match scoring of whole records",
        {"n_records_correct": 1}, {"n_records": 1}, _because("there is no record"),
    ),
    _field(
        "accuracy", "Accuracy", "Of all compared fields, how many are right, absences included?",
        "no field is compared", _EASYRPA, {"tp": 1, "tn": 1}, _COMPARED, _because("no field is compared"),
    ),
    _field(
        "rework", "Rework", "How many wrong values must a person correct, for each value in the gold?",
        "the gold has no value", _EASYRPA, {"fp": 1, "fpfn": 1}, _GOLD, _no_gold_value,
        is_cost=True,
    ),
    _field(
        "automation_efficiency", "Automation efficiency", "Right values less wrong ones, for each value in the gold?",
        "the gold has no value", _EASYRPA, {"tp": 1, "fp": -1, "fpfn": -1}, _GOLD, _no_gold_value,
    ),
)  # fmt: skip


def _no_predicted_leaf(totals: Totals) -> str:
    n = totals["gold"]
    return f"the results have no value; the labels have {counted(n, 'value')}"


def _no_gold_leaf(totals: Totals) -> str:
    n = totals["predicted"]
    return f"the labels have no value; the results have {counted(n, 'value')}"


def _leaf(name: str, label: str, question: str, undefined: str, source: str, top: Terms, bottom: Terms,
          explain: Callable[[Totals], str]) -> Measure:  # fmt: skip
    return Measure(
        name=name, label=label, question=question, undefined=undefined, source=source, numerator=top,
        denominator=bottom, explain=explain, kind=LEAVES,
    )  # fmt: skip


_LEAF_MEASURES = (
    _leaf(
        "precision", "Precision", "Of the values in the results, how many are right?",
        "the results have no value", _VAN_RIJSBERGEN, {"equal": 1}, {"predicted": 1}, _no_predicted_leaf,
    ),
    _leaf(
        "recall", "Recall", "Of the values in the labels, how many were extracted right?",
        "the labels have no value", _VAN_RIJSBERGEN, {"equal": 1}, {"gold": 1}, _no_gold_leaf,
    ),
    _leaf(
        "f1", "F1", "How well do labels and results cover each other, as one number?",
        "neither side has a value", _DOCUBENCH, {"equal": 2}, {"gold": 1, "predicted": 1},
        _because("neither labels nor results have a value"),
    ),
    _leaf(
        "row_precision", "Row precision", "Of the rows in the results, how many have a partner in the labels?",
        "the results have no row", _VAN_RIJSBERGEN, {"rows_paired": 1}, {"rows_predicted": 1},
        _because("the results have no row"),
    ),
    _leaf(
        "row_recall", "Row recall", "Of the rows in the labels, how many have a partner in the results?",
        "the labels have no row", _VAN_RIJSBERGEN, {"rows_paired": 1}, {"rows_gold": 1},
        _because("the labels have no row"),
    ),
    _leaf(
        "row_f1", "Row F1", "How well were rows found, as one number?",
        "neither side has a row", _VAN_RIJSBERGEN, {"rows_paired": 2}, {"rows_gold": 1, "rows_predicted": 1},
        _because("neither labels nor results have a row"),
    ),
    _leaf(
        "perfect_rate", "Perfect rows", "Of the paired rows, how many are right in every value?",
        "no row is paired", _ECOEXTRACT, {"rows_perfect": 1}, {"rows_paired": 1}, _because("no row is paired"),
    ),
    _leaf(
        "agreement", "Agreement", "Of the values of paired rows on either side, how many are equal?",
        "no row is paired", _JACCARD, {"tp": 1}, _PRESENT, _because("no paired row has a value"),
    ),
)  # fmt: skip


_DOCUBENCH_MEASURES = (
    Measure(
        name="score", label="DocuBench score", question="How similar are results and labels, as DocuBench sees it?",
        undefined="there is no document", source="DocuBench docs/scoring.md: mean of the scores of documents",
        numerator={"score": 1}, denominator={"documents": 10**9}, explain=_because("there is no document"),
        kind=DOCUBENCH,
    ),
)  # fmt: skip


def _review(
    name: str, label: str, question: str, undefined: str, top: Terms, bottom: Terms, *, is_cost: bool = False
) -> Measure:
    return Measure(
        name=name, label=label, question=question, undefined=undefined, source=_ECOEXTRACT, numerator=top,
        denominator=bottom, explain=_because(undefined), kind=REVIEW, is_cost=is_cost,
    )  # fmt: skip


_CORRECT_FIELDS: Terms = {"total_fields": 1, "deleted_fields": -1, "edited_fields": -1}

_REVIEW_MEASURES = (
    _review(
        "detection_precision", "Detection precision", "Of the records that the model extracted, how many are real?",
        "the model extracted no record", {"records_found": 1}, {"model_extracted": 1},
    ),
    _review(
        "detection_recall", "Detection recall", "Of the real records, how many did the model find?",
        "there is no real record", {"records_found": 1}, {"records_found": 1, "human_added": 1},
    ),
    _review(
        "detection_f1", "Detection F1", "How well were records found, as one number?",
        "there is no record", {"records_found": 2}, {"model_extracted": 1, "records_found": 1, "human_added": 1},
    ),
    _review(
        "perfect_record_rate", "Perfect records", "Of the records found, how many needed no edit?",
        "no record was found", {"records_found": 1, "records_with_edits": -1}, {"records_found": 1},
    ),
    _review(
        "field_agreement", "Field agreement", "Of the fields of found records, how many are right?",
        "no field is compared", {"tp": 1, "tn": 1}, _COMPARED,
    ),
    _review(
        "field_precision", "Field precision", "Of all fields that the model filled in, how many are right?",
        "the model extracted no field", _CORRECT_FIELDS, {"total_fields": 1},
    ),
    _review(
        "field_recall", "Field recall", "Of all fields of real records, how many did the model get right?",
        "there is no real record", _CORRECT_FIELDS, {"true_fields": 1},
    ),
    _review(
        "field_f1", "Field F1", "How well were fields extracted, as one number?",
        "there is no field", {column: 2 * x for column, x in _CORRECT_FIELDS.items()},
        {"total_fields": 1, "true_fields": 1},
    ),
    _review(
        "major_edit_rate", "Major edits", "Of the edits, how many concern a field that identifies or is required?",
        "nothing was edited", {"major_edits": 1}, {"major_edits": 1, "minor_edits": 1}, is_cost=True,
    ),
    _review(
        "avg_edits_per_document", "Edits per document", "How many fields does a person correct in one document?",
        "no document was reviewed", {"edited_fields": 1}, {"documents": 1}, is_cost=True,
    ),
)  # fmt: skip


def _named(measures: tuple[Measure, ...]) -> Mapping[str, Measure]:
    return MappingProxyType({measure.name: measure for measure in measures})


_REGISTRIES = {
    FIELDS.name: _named(_FIELD_MEASURES),
    LEAVES.name: _named(_LEAF_MEASURES),
    DOCUBENCH.name: _named(_DOCUBENCH_MEASURES),
    REVIEW.name: _named(_REVIEW_MEASURES),
}


def registry(kind: Kind) -> Mapping[str, Measure]:
    """Every measure of a kind of records by name, in the order of reports."""
    if kind.name in _REGISTRIES:
        return _REGISTRIES[kind.name]
    from spaneval.class_measures import class_measures

    return _named(class_measures(kind))

"""
The two reports of EasyRPA on an extraction model: field focused, and field values analysis.

Its formulas are those of the registry of fields; its words for decisions are `Decision.words`. Each report is written
as CSV and as JSON; the field focused one has two tables, and so two CSV files.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from spaneval.kinds import DECISIONS
from spaneval.records.decisions import shown, text_of
from spaneval.records.fields import support
from spaneval.reports import csv, json
from spaneval.values.fields import Decision

if TYPE_CHECKING:
    from spaneval.output import Chunks
    from spaneval.records.fields import RecordEvaluation

MEASURES: Final = ("precision", "recall", "accuracy", "rework", "automation_efficiency")
"""The measures of the reports, in their order."""

FILES: Final = (
    "field_focused.csv",
    "field_focused_documents.csv",
    "field_focused.json",
    "field_values_analysis.csv",
    "field_values_analysis.json",
)
"""Names of the files of both reports."""

OVERALL: Final = "(all fields)"
"""Stands where the name of a field does, in the row for all of them."""

_DETAILS: Final = ("field", "gold", "extract", "decision")


def statistics(evaluation: RecordEvaluation) -> list[dict[str, Any]]:
    """The first table of the field focused report: one row for all fields, then one for each."""
    measures = {measure.name: measure for measure in evaluation.registry}
    rows = []
    for name, counts in [(OVERALL, evaluation.counts), *evaluation.field_counts.items()]:
        row: dict[str, Any] = {"field": name} | {label: counts[label] for label in DECISIONS}
        extracted = counts["tp"] + counts["fp"] + counts["fpfn"]
        row |= {"gold": support(counts), "extracted": extracted, "total": sum(counts[label] for label in DECISIONS)}
        rows.append(row | {measure: measures[measure].value(counts) for measure in MEASURES})
    return rows


def details(evaluation: RecordEvaluation) -> Iterator[dict[str, Any]]:
    """The second one: every decision, with the metadata of its document."""
    names = _metadata_names(evaluation, _DETAILS)
    table = evaluation.decisions
    for record, rows in _by_document(evaluation):
        metadata = _metadata(evaluation, record, names)
        for k in rows:
            yield {
                **metadata,
                "field": table.fields[int(table.field[k])],
                "gold": table.gold[k],
                "extract": table.extracted[k],
                "decision": Decision(int(table.decision[k])).words,
            }


def values_analysis(evaluation: RecordEvaluation) -> Iterator[dict[str, Any]]:
    """
    One row per document: its metadata, and for each field the gold value, the extracted one and the decision.

    A field with many values has a list of each.
    """
    of_fields = [f"{name}.{part}" for name in evaluation.fields for part in ("gold", "extracted", "decision")]
    names = _metadata_names(evaluation, of_fields)
    table = evaluation.decisions
    for record, rows in _by_document(evaluation):
        row = _metadata(evaluation, record, names)
        for field, some in groupby(rows, key=lambda k: int(table.field[k])):
            name, decided = table.fields[field], list(some)
            row[f"{name}.gold"] = evaluation.gold.values.get(record, {}).get(name)
            row[f"{name}.extracted"] = evaluation.predictions.values.get(record, {}).get(name)
            words = [Decision(int(table.decision[k])).words for k in decided]
            row[f"{name}.decision"] = words[0] if len(words) == 1 else words
        yield row


def _by_document(evaluation: RecordEvaluation) -> Iterator[tuple[str, list[int]]]:
    """Each record with the numbers of its decisions, which stand together."""
    documents = evaluation.decisions.doc.tolist()
    for doc, rows in groupby(range(len(documents)), key=documents.__getitem__):
        yield evaluation.decisions.documents[doc], list(rows)


def _metadata_names(evaluation: RecordEvaluation, taken: Iterable[str]) -> dict[str, str]:
    """
    What the id, and fields that are not compared, are called.

    Names that mean something in the report give way: they get `document.` in front, once more where that is taken, too.
    """
    others = sorted((evaluation.gold.fields | evaluation.predictions.fields).difference(evaluation.fields))
    given = (evaluation.key, *others)
    reserved = set(taken)
    free = {name: name for name in given if name not in reserved}
    reserved |= free.keys()
    names = {}
    for name in given:
        called = free.get(name, name)
        while name not in free and called in reserved:
            called = f"document.{called}"
        reserved.add(called)
        names[name] = called
    return names


def _metadata(evaluation: RecordEvaluation, record: str, names: Mapping[str, str]) -> dict[str, Any]:
    """The id and what both sides say beside the compared fields; the gold has the last word."""
    found: dict[str, Any] = dict.fromkeys(names.values())
    for side in (evaluation.predictions, evaluation.gold):
        for name, value in side.values.get(record, {}).items():
            if name in names:
                found[names[name]] = value
    return found | {names[evaluation.key]: record}


def files(evaluation: RecordEvaluation) -> list[tuple[str, Chunks]]:
    """
    Both reports as files.

    Returns:
        Names, as in `FILES`, and the bytes.

    """
    numbers = statistics(evaluation)
    overall, *fields = numbers
    del overall["field"]
    focused = {
        "overall": overall,
        "fields": {row["field"]: {name: x for name, x in row.items() if name != "field"} for row in fields},
        "documents": [_shown(row) for row in details(evaluation)],
    }
    analysis = {"documents": [_shown(row) for row in values_analysis(evaluation)]}
    decisions = {f"{name}.decision" for name in evaluation.fields}
    contents: list[Chunks] = [
        _csv([{"field": OVERALL} | overall, *fields]),
        _csv(details(evaluation)),
        [json.dump(focused)],
        _csv(values_analysis(evaluation), decisions),
        [json.dump(analysis)],
    ]
    return list(zip(FILES, contents, strict=True))


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: shown(value) for name, value in row.items()}


def _csv(rows: Iterable[Mapping[str, Any]], decisions: Container[str] = ()) -> Iterator[bytes]:
    return csv.dump(_lines(rows, decisions))


def _lines(rows: Iterable[Mapping[str, Any]], decisions: Container[str]) -> Iterator[Sequence[Any]]:
    """A header and the cells; several decisions stand in one cell, as lists of values do."""
    header: list[str] = []
    for row in rows:
        if not header:
            header = list(row)
            yield header
        yield [_cell(row[name], is_decision=name in decisions) for name in header]


def _cell(value: Any, *, is_decision: bool) -> Any:
    if isinstance(value, list) and is_decision:
        return "; ".join(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else text_of(value)

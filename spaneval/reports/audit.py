"""What the review of a database says of the model, in every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from spaneval.kinds import DECISIONS
from spaneval.problems import counted
from spaneval.reports import csv, flat, json, jsonl, scores
from spaneval.reports.page import Grid, Page
from spaneval.reports.reasons import Why, sentences
from spaneval.reports.text import Align, Input, names_and_numbers, number, printable

if TYPE_CHECKING:
    from spaneval.records.review import Audit
    from spaneval.reports import Format, Style

READINGS: Final = {
    "audited": "what stands there in the end, against what the model wrote",
    "documented": "every audit row counts, fields are those of the schema (EcoExtract, ACCURACY.md)",
    "ecoextract": "every audit row counts, every column but five is a field (EcoExtract, calculate_accuracy)",
}
DOCUMENT_COUNTS: Final = ("records_found", "human_added", "deleted", "records_with_edits", "edited_fields")
DOCUMENT_MEASURES: Final = ("detection_f1", "perfect_record_rate", "field_f1")

_TITLES: Final = dict(zip(DOCUMENT_COUNTS, ("found", "missed", "invented", "with errors", "wrong fields"), strict=True))
_FATES: Final = {
    "errors": ("errors", "the first row of a field whose final value is not what the model wrote"),
    "taken_back": ("taken back", "the first row of a field whose final value is what the model wrote"),
    "later": ("later rows", "of a field that was corrected before"),
    "other_columns": ("other columns", "that are no field of the schema"),
    "of_deleted": ("deleted records", "which count as invented, whatever was corrected"),
    "of_added": ("added records", "which a person wrote"),
}
_LABELS: Final = {
    "tp": "right", "tn": "both empty", "fp": "invented", "fn": "missed", "fpfn": "different",
}  # fmt: skip
_MEANINGS: Final = {
    "tp": "the same value",
    "tn": "no value, and none in the end",
    "fp": "a value that is empty in the end",
    "fn": "no value where there is one in the end",
    "fpfn": "another value than in the end",
}


def render(audit: Audit, format: Format, style: Style, inputs: list[Input] | None = None) -> bytes:  # noqa: A002 - the option's name
    """
    An audit as UTF-8 text that ends in a line feed.

    Args:
        audit: What is shown.
        format: As in `spaneval.reports.render`.
        style: How it looks.
        inputs: The files that were read, for people; those that the audit names if None.

    """
    if format == "json":
        return json.dump(audit.to_dict(per_document=style.per_document))
    if format == "jsonl":
        return b"".join(jsonl.dump(_objects(audit, style)))
    if format == "csv":
        return b"".join(csv.dump(_documents_flat(audit) if style.per_document else _measures_flat(audit)))
    shown = replace(_page(audit, style), inputs=_inputs(audit) if inputs is None else inputs)
    return scores.laid_out(shown, format, style)


def _inputs(audit: Audit) -> list[Input]:
    review, n_fields = audit.review, len(audit.schema.fields)
    n_major = len(audit.schema.major(audit.required) & set(audit.schema.fields))
    reviewed = f"{len(review.documents)} of {counted(review.n_documents, 'document')} counted"
    records = counted(audit.tally.verified_records, "record")
    return [
        Input("database", printable(review.name), f"{reviewed}, {records}, {counted(len(review.edits), 'audit row')}"),
        Input("schema", printable(audit.schema.name), f"{counted(n_fields, 'field')}, {n_major} of them major"),
    ]


def _page(audit: Audit, style: Style) -> Page:
    grids = [scores.measures_grid(audit, style), _records(audit), _fields(audit, style)]
    if audit.decisions is not None:
        grids += [_decisions(audit), _audit_rows(audit)]
    if style.per_document and audit.review.documents:
        grids.append(_documents(audit, style))
    return Page(
        facts=f"reading {audit.profile}: {READINGS[audit.profile]}",
        grids=[grid.narrowed(style.width) for grid in grids],
        remarks=list(scores.remarks(audit)),
        signature=audit.signature,
    )


def _records(audit: Audit) -> Grid:
    """How many records came to what."""
    counts = audit.counts
    is_audited = audit.decisions is not None
    what = "a wrong field" if is_audited else "an audit row, deleted ones among them"
    n_perfect = counts["records_found"] - counts["records_with_edits"]
    rows = [
        ("extracted", counts["model_extracted"], "by the model"),
        ("found", counts["records_found"], "extracted and kept"),
        ("invented", counts["deleted"], "extracted, and deleted by a person"),
        ("missed", counts["human_added"], "added by a person" + (", and kept" if is_audited else "")),
        ("perfect", n_perfect, "found, without a wrong field" if is_audited else "found, less those with audit rows"),
        ("with errors", counts["records_with_edits"], f"with {what}"),
        ("with major errors", counts["records_with_major_edit"], "in a field that is unique or required"),
    ]
    groups = [[[name, str(n), meaning] for name, n, meaning in rows]]
    return Grid(["records", "number", "meaning"], ["left", "right", "left"], groups)


def _fields(audit: Audit, style: Style) -> Grid:
    """One row per field; columns that are no field and were corrected come last."""
    tally, major = audit.tally, audit.schema.major(audit.required)
    has_decisions = audit.decisions is not None
    heading = ["field", "severity", "accuracy", "wrong" if has_decisions else "audit rows"]
    aligned: list[Align] = ["left", "left", "right", "right"]
    if has_decisions:
        heading += [_LABELS[label] for label in DECISIONS]
        aligned += ["right"] * len(DECISIONS)
    known = dict.fromkeys([*(tally.column_accuracy or audit.schema.fields), *tally.column_edits])
    rows = []
    for name in known:
        value = number(tally.column_accuracy[name], style.digits) if name in tally.column_accuracy else "no field"
        decisions = [str(n) for n in audit.field_decisions[name].values()] if has_decisions else []
        edits = str(tally.column_edits.get(name, 0))
        rows.append([printable(name), "major" if name in major else "minor", value, edits, *decisions])
    if not tally.column_accuracy:
        rows = [[name, severity, "undefined", *rest] for name, severity, _, *rest in rows]
    return Grid(heading, aligned, [rows], remarks=_field_remarks(audit), names=0)


def _field_remarks(audit: Audit) -> list[str]:
    counts = audit.counts
    if audit.decisions is None:
        of = "1 - audit rows / records extracted"
        return [f"accuracy: {of}"] if counts["model_extracted"] else ["accuracy undefined: no record was extracted"]
    if not counts["records_found"]:
        return ["accuracy undefined: no record was found"]
    return ["accuracy: right or both empty, of all found records"]


def _decisions(audit: Audit) -> Grid:
    """The five decisions over all fields, each with its meaning."""
    counts = audit.counts
    rows = [[label, name, str(counts[name]), _MEANINGS[name]] for name, label in _LABELS.items()]
    return Grid(["fields", "decision", "number", "meaning"], ["left", "left", "right", "left"], [rows])


def _audit_rows(audit: Audit) -> Grid:
    """How the audit rows became errors."""
    rows = [[_FATES[fate][0], str(n), _FATES[fate][1]] for fate, n in audit.tally.fates.items()]
    return Grid(["audit rows", "number", "meaning"], ["left", "right", "left"], [rows])


def _documents(audit: Audit, style: Style) -> Grid:
    """One row per document."""
    labels = {measure.name: measure.label for measure in audit.registry}
    titles = list(_TITLES.values())
    if audit.decisions is None:
        titles[-1] = "audit rows"
    heading = ["document", *titles, *(labels[name] for name in DOCUMENT_MEASURES)]
    documents = audit.documents()
    rows = [
        [
            printable(str(row["document"])),
            *(str(row[name]) for name in DOCUMENT_COUNTS),
            *(number(row[name], style.digits) for name in DOCUMENT_MEASURES),
        ]
        for row in documents
    ]
    reasons = [
        Why(labels[name], printable(str(row["document"])), row["undefined"][name])
        for name in DOCUMENT_MEASURES
        for row in documents
        if name in row["undefined"]
    ]
    return Grid(heading, names_and_numbers(heading), [rows], remarks=sentences(reasons))


def _objects(audit: Audit, style: Style) -> Iterator[dict[str, Any]]:
    """One per measure, then one per field, then, with `per_document`, one per document."""
    yield from flat.objects(audit)
    tally = audit.tally
    major = audit.schema.major(audit.required)
    for name in dict.fromkeys([*tally.column_accuracy, *tally.column_edits]):
        yield {
            "field": name,
            "severity": "major" if name in major else "minor",
            "accuracy": tally.column_accuracy.get(name),
            "edits": tally.column_edits.get(name, 0),
        } | audit.field_decisions.get(name, {})
    yield from audit.documents() if style.per_document else []


def _measures_flat(audit: Audit) -> Iterator[list[Any]]:
    yield list(flat.COLUMNS)
    yield from flat.cells(audit)


def _documents_flat(audit: Audit) -> Iterator[list[Any]]:
    columns = [name for name in audit.counts if audit.decisions is not None or name not in DECISIONS]
    yield ["document", *columns, *audit.measures, "undefined"]
    for row in audit.documents():
        *values, reasons = row.values()
        yield [*values, csv.together(reasons)]

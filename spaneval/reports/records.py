"""Records scored against gold records, in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from spaneval.kinds import DECISIONS
from spaneval.problems import counted
from spaneval.record_measures import EASYRPA
from spaneval.records.fields import support
from spaneval.reports import csv, flat, json, jsonl, scores
from spaneval.reports.page import Grid, Page
from spaneval.reports.reasons import Why, sentences
from spaneval.reports.text import Input, names_and_numbers, number, printable

if TYPE_CHECKING:
    from spaneval.records.fields import RecordEvaluation
    from spaneval.reports import Format, Style

DOCUMENT_MEASURES: Final = ("precision", "recall", "f1")

_TITLES: Final = {"tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "fpfn": "FPFN"}
_MEANINGS: Final = {
    "tp": "the value of the gold",
    "fp": "a value where the gold has none",
    "fn": "no value where the gold has one",
    "tn": "no value, as in the gold",
    "fpfn": "another value than that of the gold",
}
_IN_FIELDS: Final = ("precision", "recall", "f1")


def render(evaluation: RecordEvaluation, format: Format, style: Style) -> bytes:  # noqa: A002 - the option's name
    """
    An evaluation as UTF-8 text that ends in a line feed.

    Args:
        evaluation: What is shown.
        format: As in `spaneval.reports.render`.
        style: How it looks.

    """
    if format == "json":
        return json.dump(evaluation.to_dict(per_document=style.per_document))
    if format == "jsonl":
        return b"".join(jsonl.dump(_objects(evaluation, style)))
    if format == "csv":
        return b"".join(csv.dump(_documents_flat(evaluation) if style.per_document else _measures_flat(evaluation)))
    return scores.laid_out(_page(evaluation, style), format, style)


def _page(evaluation: RecordEvaluation, style: Style) -> Page:
    grids = [scores.measures_grid(evaluation, style), _decisions(evaluation, style), _fields(evaluation, style)]
    if (macro := scores.macro_grid(evaluation, style)) is not None:
        grids.append(macro)
    if style.per_document:
        grids.append(_documents(evaluation, style))
    rules = "" if str(evaluation.comparators) == "exact" else f", compared by {printable(str(evaluation.comparators))}"
    n_fields = counted(len(evaluation.fields), "field")
    return Page(
        facts=f"{counted(evaluation.counts['n_records'], 'record')}, {n_fields}{rules}",
        grids=grids,
        remarks=list(scores.remarks(evaluation)),
        signature=evaluation.signature,
        inputs=_inputs(evaluation),
    )


def _inputs(evaluation: RecordEvaluation) -> list[Input]:
    sides = (("gold", evaluation.gold), ("predictions", evaluation.predictions))
    return [
        Input(kind, printable(side.name or "(in memory)"), counted(len(side), "record")) for kind, side in sides
    ]  # fmt: skip


def _decisions(evaluation: RecordEvaluation, style: Style) -> Grid:
    """The five decisions over all fields; below them the two counts that exact-match scoring calls FP and FN."""
    counts = evaluation.counts
    rows = [[_TITLES[label], str(counts[label]), _MEANINGS[label]] for label in DECISIONS]
    sums = [
        ["FP + FPFN", str(counts["fp"] + counts["fpfn"]), "extracted facts that the gold does not have"],
        ["FN + FPFN", str(counts["fn"] + counts["fpfn"]), "gold facts that were not extracted"],
    ]
    return Grid(["decision", "number", "meaning"], ["left", "right", "left"], [rows, sums]).narrowed(style.width)


def _fields(evaluation: RecordEvaluation, style: Style) -> Grid:
    """One row per field, with its support: how many values the gold has."""
    names = [*_IN_FIELDS, *(EASYRPA if evaluation.profile == "easyrpa" else ())]
    labels = {measure.name: measure.label for measure in evaluation.registry}
    heading = ["field", "support", *(labels[name] for name in names), *_TITLES.values(), "FP + FPFN", "FN + FPFN"]
    rows = []
    for field, counts in evaluation.field_counts.items():
        values = evaluation.field_measures[field]
        row = [printable(field), str(support(counts)), *(number(values[name], style.digits) for name in names)]
        row += [str(counts[label]) for label in DECISIONS]
        rows.append([*row, str(counts["fp"] + counts["fpfn"]), str(counts["fn"] + counts["fpfn"])])
    reasons = [
        Why(labels[m.name], printable(field), why)
        for m in evaluation.field_registry
        if m.name in names
        for field, counts in evaluation.field_counts.items()
        if (why := m.why_undefined(counts))
    ]
    return Grid(heading, names_and_numbers(heading), [rows], remarks=sentences(reasons), names=0)


def _documents(evaluation: RecordEvaluation, style: Style) -> Grid:
    """One row per record."""
    labels = {measure.name: measure.label for measure in evaluation.registry}
    heading = ["record", *_TITLES.values(), "right", *(labels[name] for name in DOCUMENT_MEASURES)]
    documents = evaluation.documents()
    rows = [
        [
            printable(row["document"]),
            *(str(row[label]) for label in DECISIONS),
            "yes" if row["n_records_correct"] else "no",
            *(number(row[name], style.digits) for name in DOCUMENT_MEASURES),
        ]
        for row in documents
    ]
    reasons = [
        Why(labels[name], printable(row["document"]), row["undefined"][name])
        for name in DOCUMENT_MEASURES
        for row in documents
        if name in row["undefined"]
    ]
    return Grid(heading, names_and_numbers(heading), [rows], remarks=sentences(reasons), names=0)


def _objects(evaluation: RecordEvaluation, style: Style) -> Iterator[Mapping[str, Any]]:
    """Measures, which have the key `measure`; then fields, with `field`; macro averages; with per_document records."""
    yield from flat.objects(evaluation)
    for field, counts in evaluation.field_counts.items():
        yield {"field": field} | counts | evaluation.field_measures[field] | {"support": support(counts)}
    if evaluation.macro is not None:
        for name, mean in evaluation.macro.means.items():
            yield {"macro_over": evaluation.macro.over, "measure": name} | mean.to_dict()
    if style.per_document:
        yield from evaluation.documents()


def _measures_flat(evaluation: RecordEvaluation) -> Iterator[list[Any]]:
    """The measures of all fields, then of each, then macro averages; the cell of the field is empty in those of all."""
    yield ["average", "field", *flat.COLUMNS]
    for row in flat.cells(evaluation):
        yield ["micro", None, *row]
    for field, counts in evaluation.field_counts.items():
        for m in evaluation.field_registry:
            yield ["micro", field, m.name, m.value(counts), None, None, *m.fraction(counts), m.why_undefined(counts)]
    macro = evaluation.macro
    if macro is not None:
        for name, mean in macro.means.items():
            ends = mean.interval or (None, None)
            yield [f"macro over {macro.over}s", None, name, mean.value, *ends, None, None, macro.why_undefined(name)]


def _documents_flat(evaluation: RecordEvaluation) -> Iterator[list[Any]]:
    yield ["document", *evaluation.counts, *evaluation.measures, "undefined"]
    for row in evaluation.documents():
        *values, reasons = row.values()
        yield [*values, csv.together(reasons)]

"""JSON documents of one system or several, scored, in every format; a comparison stands below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from spaneval.problems import counted
from spaneval.records.json_systems import DocumentScore, document_dict
from spaneval.records.leaf_decisions import LeafScore
from spaneval.reports import comparison as compared
from spaneval.reports import csv, flat, json, jsonl, scores
from spaneval.reports.page import Grid, Page, Remark
from spaneval.reports.text import Align, Input, interval, interval_title, names_and_numbers, number, printable

if TYPE_CHECKING:
    from spaneval.comparison import Comparison
    from spaneval.records.documents import JsonEvaluation
    from spaneval.records.json_systems import JsonSystem
    from spaneval.reports import Format, Style

_MOST_FIELDS: Final = 10
_SHOWN: Final = ("precision", "recall", "f1", "row_f1", "perfect_rate", "agreement")
_READINGS: Final = {
    "native": "leaves are counted; rows meet by what they hold",
    "docubench": "the scores of the DocuBench benchmark, its special cases included",
}
_WEIGHTS: Final = {
    "native": "score: F1; weight: leaves of both sides, by which the score of a document is the mean of its parts",
    "docubench": (
        "weight: by which the score of a document is the mean of its parts; of an array the rows of the longer side "
        "times the mean leaves of a row of the label, of the rest the leaves compared"
    ),
}


def render(
    evaluation: JsonEvaluation,
    comparison: Comparison | None,
    format: Format,  # noqa: A002 - the option's name
    style: Style,
) -> bytes:
    """
    An evaluation as UTF-8 text that ends in a line feed.

    Args:
        evaluation: What is shown.
        comparison: Its systems side by side; None for one system.
        format: As in `spaneval.reports.render`.
        style: How it looks.

    """
    if format == "json":
        return json.dump(evaluation.to_dict() | ({"comparison": comparison.to_dict()} if comparison else {}))
    if format == "jsonl":
        return b"".join(jsonl.dump(_objects(evaluation, style)))
    if format == "csv":
        return b"".join(csv.dump(_documents_flat(evaluation) if style.per_document else _measures_flat(evaluation)))
    shown = scores.laid_out(_page(evaluation, style), format, style)
    return shown + (b"\n" + compared.render(comparison, format, style) if comparison else b"")


def _page(evaluation: JsonEvaluation, style: Style) -> Page:
    systems = list(evaluation.systems.values())
    is_native = evaluation.profile == "native"
    plain = is_native and len(systems) == 1
    grids = [scores.measures_grid(systems[0], style) if plain else _systems(evaluation, style)]
    if plain:
        means = scores.macro_grid(systems[0], style, systems[0].means)
        grids += [grid for grid in (means, _fields(systems[0])) if grid is not None]
    if style.per_document:
        grids += [_documents(one, systems, style) for one in systems]
    return Page(
        facts=_facts(evaluation),
        grids=grids,
        remarks=[remark for one in systems for remark in _remarks(one, systems)],
        signature=evaluation.signature,
        inputs=_inputs(evaluation),
    )


def _facts(evaluation: JsonEvaluation) -> str:
    counting = evaluation.counting
    text = (
        f"{counted(len(evaluation.names), 'document')}; reading {evaluation.profile}: {_READINGS[evaluation.profile]}"
    )
    if evaluation.profile == "docubench":
        return text
    text += ", the best choice as a whole" if counting["pairing"] == "optimal" else ", one pair after another"
    text += f"; by position: {printable(', '.join(counting['ordered']))}" if counting["ordered"] else ""
    return text + ("" if counting["normalize"] == "exact" else f"; compared by {printable(counting['normalize'])}")


def _inputs(evaluation: JsonEvaluation) -> list[Input]:
    sources, n = evaluation.sources, evaluation.n_labels
    left_out = "" if n == len(evaluation.names) else f", {len(evaluation.names)} of them scored"
    first = next(iter(evaluation.systems.values()))
    values = f", {counted(first.counts['gold'], 'value')}" if first.is_native else ""
    found = [
        Input("labels", printable(sources["labels"]), f"{counted(n, 'document')}{left_out}{values}"),
        Input("schemas", printable(sources["schemas"])),
    ]
    for name, one in evaluation.systems.items():
        facts = counted(one.counts["predicted"], "value") if one.is_native else ""
        found.append(Input(printable(name), printable(one.source), facts))
    return found


def _systems(evaluation: JsonEvaluation, style: Style) -> Grid:
    """One row per system: its score, and in the native reading what stands beside it."""
    systems = list(evaluation.systems.values())
    has_intervals = systems[0].bootstrap is not None
    key = "f1" if systems[0].is_native else "score"
    known = {measure.name: measure for measure in systems[0].registry}
    labels = {name: measure.label for name, measure in known.items()}
    others = [name for name in _SHOWN if name != key] if systems[0].is_native else []
    title = [interval_title(systems[0].resampling)] if has_intervals else []
    heading = ["system", labels[key], *title, *(labels[name] for name in others)]
    aligned: list[Align] = ["left", "right", *(["left"] if has_intervals else []), *["right" for _ in others]]  # type: ignore[list-item] # literals
    if systems[0].is_native:
        heading, aligned = [*heading, "macro F1"], [*aligned, "right"]
    rows = []
    for one in systems:
        row = [printable(one.name), number(one.score, style.digits)]
        row += [interval(one.intervals.get(key), style.digits)] if has_intervals else []
        row += [number(one.measures[name], style.digits) for name in others]
        row += [number(one.means.means["f1"].value, style.digits)] if one.means is not None else []
        rows.append(row)
    meanings = [f"{labels[name]}: {known[name].question}" for name in (key, *others)]
    meanings += ["macro F1: plain mean of the F1 of documents"] if systems[0].is_native else []
    return Grid(heading, aligned, [rows], remarks=meanings, names=0)


def _fields(one: JsonSystem) -> Grid | None:
    """The fields with most wrong leaves."""
    wrong = {name: sum(n for label, n in counts.items() if label != "tp") for name, counts in one.by_field.items()}
    worst = sorted((name for name, n in wrong.items() if n), key=lambda name: (-wrong[name], name))
    if not worst:
        return None
    rows = []
    for name in worst[:_MOST_FIELDS]:
        counts = one.by_field[name]
        support = str(counts["tp"] + counts["fn"] + counts["fpfn"])
        rows.append([printable(name), support, *(str(counts[label]) for label in ("tp", "fpfn", "fn", "fp"))])
    heading = ["field", "gold", "equal", "different", "missed", "extra"]
    more = len(worst) - _MOST_FIELDS
    remarks = (
        [f"{counted(more, 'further field')} with wrong values; --decisions FILE has every one"] if more > 0 else []
    )
    return Grid(
        heading, names_and_numbers(heading), [rows], title="Fields with most wrong values", remarks=remarks, names=0
    )


def _documents(one: JsonSystem, systems: Sequence[JsonSystem], style: Style) -> Grid:
    """One row per document, and one for each array in it."""
    heading = ["document", "score", "weight", "gold rows", "result rows"]
    groups = []
    for name, document in one.documents.items():
        rows = [[printable(name), number(document.score, style.digits), _weight(document), "", ""]]
        rows.append(
            ["  outside of arrays", number(document.fields.score, style.digits), _plain(document.fields.weight)]
        )
        rows[-1] += ["", ""]
        for part in document.arrays:
            path = printable(part.path or "(the document)")
            score, weight = number(part.score, style.digits), _plain(part.weight)
            rows.append([f"  {path}", score, weight, str(part.n_gold), str(part.n_predicted)])
        groups.append(rows)
    title = f"Documents, {printable(one.name)}" if len(systems) > 1 else "Documents"
    remarks = [_WEIGHTS["native" if one.is_native else "docubench"]] if one is systems[-1] else []
    return Grid(heading, names_and_numbers(heading), groups, title=title, remarks=remarks, names=0)


def _weight(document: DocumentScore) -> str:
    return _plain(sum(part.weight for part in document.arrays) + document.fields.weight)


def _plain(weight: float) -> str:
    return f"{weight:.6g}"


def _remarks(one: JsonSystem, systems: Sequence[JsonSystem]) -> Iterator[Remark]:
    for remark in scores.remarks(one):
        subject = f"{printable(one.name)}, {remark.subject}" if len(systems) > 1 else remark.subject
        yield remark._replace(subject=subject)


def _objects(evaluation: JsonEvaluation, style: Style) -> Iterator[Mapping[str, Any]]:
    """Measures, with `system` and `measure`; macro averages, with `macro_over`; fields; with per_document documents."""
    for name, one in evaluation.systems.items():
        for row in flat.objects(one):
            yield {"system": name} | row
        if one.means is not None:
            for measure, mean in one.means.means.items():
                yield {"system": name, "macro_over": "document", "measure": measure} | mean.to_dict()
        for field, counts in one.by_field.items():
            yield {"system": name, "field": field} | counts
        if style.per_document:
            for document, score in one.documents.items():
                yield {"system": name, "document": document} | document_dict(score)


def _measures_flat(evaluation: JsonEvaluation) -> Iterator[list[Any]]:
    yield ["system", *flat.COLUMNS]
    for name, one in evaluation.systems.items():
        for row in flat.cells(one):
            yield [name, *row]


def _documents_flat(evaluation: JsonEvaluation) -> Iterator[list[Any]]:
    """One row per document and part: the document (empty part), the leaves outside of arrays, each array."""
    yield [
        "system",
        "document",
        "part",
        "path",
        "score",
        "weight",
        "n_gold",
        "n_predicted",
        "gold",
        "predicted",
        "equal",
    ]
    for name, one in evaluation.systems.items():
        for document, score in one.documents.items():
            weight = sum(part.weight for part in score.arrays) + score.fields.weight
            counts: Sequence[Any] = [None] * 3
            if isinstance(score, LeafScore):
                counts = [score.counts[x] for x in ("gold", "predicted", "equal")]
            yield [name, document, None, None, score.score, weight, None, None, *counts]
            fields = [name, document, "fields", None, score.fields.score, score.fields.weight, None, None]
            yield [*fields, *_leaves(score.fields)]
            for x in score.arrays:
                part = [name, document, "array", x.path, x.score, x.weight, x.n_gold, x.n_predicted]
                yield [*part, *_leaves(x)]


def _leaves(part: Any) -> list[Any]:
    return [getattr(part, column, None) for column in ("gold", "predicted", "equal")]

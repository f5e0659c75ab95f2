"""What a report for people says, line by line and without layout; `table` and `markdown` lay it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spaneval.measures import MEASURES
from spaneval.problems import counted
from spaneval.reports.reasons import Why, by_reason, sentences
from spaneval.reports.text import NARROW, Input, interval, number, part_of, printable, wrapped

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style

SECTIONS: dict[str, tuple[str, ...]] = {
    "Detection": ("precision", "recall", "f1"),
    "Entity agreement": ("entity_accuracy",),
    "End to end": ("link_precision", "link_recall", "link_f1"),
    "NIL": ("entity_accuracy_in_kb", "nil_precision", "nil_recall", "nil_f1"),
}
"""Every measure of the registry stands in one section."""

INCOMPARABLE = {
    "no_gold_id": "the gold carries no id",
    "no_predicted_id": "the prediction carries no id",
    "unmapped": "the id map does not hold the predicted id",
    "minted": "the predicted id is a cluster id of the linker and stands untranslated",
}

DOCUMENT_COUNTS = ("n_gold", "n_predicted", "n_matched", "n_id_comparable", "n_id_correct")
DOCUMENT_MEASURES = ("precision", "recall", "f1", "entity_accuracy", "link_f1")

_INDENT = "  "  # of remarks in tables
_MATCHED = {"overlap": "at least one shared character", "exact": "both boundaries equal"}


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: all cells as text."""

    label: str
    value: str
    interval: str
    counts: str
    meaning: str
    is_defined: bool


@dataclass(frozen=True, slots=True)
class Section:
    """Measures that answer one question."""

    title: str
    about: str
    rows: list[Row]


class Aside(NamedTuple):
    """Something that was counted and is no measure."""

    label: str
    number: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Asides:
    """A heading and what stands below it."""

    title: str
    items: list[Aside]


def inputs(evaluation: Evaluation) -> list[Input]:
    """The header: files as the user named them; what was found in all of a kind stands beside the first."""
    kinds = (
        ("ground truth", evaluation.gold_names, [_gold_facts(evaluation)]),
        ("predictions", evaluation.pred_names, [_pred_facts(evaluation)]),
        ("id map", [m.name for m in evaluation.maps], [counted(len(m.targets), "id") for m in evaluation.maps]),
        (
            "gold id map",
            [m.name for m in evaluation.gold_maps],
            [counted(len(m.targets), "id") for m in evaluation.gold_maps],
        ),
    )
    return [
        Input(kind if k == 0 else "", printable(name), facts[k] if k < len(facts) else "")
        for kind, names, facts in kinds
        for k, name in enumerate(names)
    ]


def _gold_facts(evaluation: Evaluation) -> str:
    documents = counted(evaluation.n_documents, "document")
    return f"{documents}, {part_of(evaluation.counts['n_gold'], len(evaluation.corpus), 'annotation')}"


def _pred_facts(evaluation: Evaluation) -> str:
    rows = evaluation.predictions
    spans = part_of(evaluation.counts["n_predicted"], len(rows) + rows.n_below_score + len(rows.bad), "span")
    n_empty = evaluation.n_documents_without_predictions
    return f"{spans}, none in {counted(n_empty, 'document')}" if n_empty else spans


def sections(evaluation: Evaluation, style: Style) -> list[Section]:
    """The measures that the evaluation has, in sections."""
    about = {
        "Detection": f"one-to-one, {_MATCHED[evaluation.options.match]}",
        "Entity agreement": f"{evaluation.counts['n_id_comparable']} of "
        f"{counted(evaluation.counts['n_matched'], 'matched span')} with comparable ids",
        "End to end": "span found and id right",
        "NIL": "not in the knowledge base: " + ", ".join(map(printable, evaluation.options.nil)),
    }
    present = {title: [name for name in names if name in evaluation.measures] for title, names in SECTIONS.items()}
    return [
        Section(title, about[title], [_row(evaluation, name, style) for name in names])
        for title, names in present.items()
        if names
    ]


def _row(evaluation: Evaluation, name: str, style: Style) -> Row:
    value = evaluation.measures[name]
    top, bottom = evaluation.fractions[name]
    return Row(
        label=MEASURES[name].label,
        value=number(value, style.digits),
        interval=interval(evaluation.intervals.get(name), style.digits) if evaluation.resampling else "",
        counts=f"{top} / {bottom}",
        meaning=MEASURES[name].question,
        is_defined=value is not None,
    )


def asides(evaluation: Evaluation) -> Iterator[Asides]:
    """What is not comparable and what was counted specially, each only where there is any."""
    if evaluation.not_comparable:
        n_pairs = sum(evaluation.not_comparable.values())
        yield Asides(
            f"not comparable: {n_pairs} of {counted(evaluation.counts['n_matched'], 'matched span')}",
            [
                Aside(reason.replace("_", " "), str(count), INCOMPARABLE[reason])
                for reason, count in evaluation.not_comparable.items()
            ],
        )
    special = list(_special(evaluation))
    if special:
        yield Asides("counted apart", special)


def _special(evaluation: Evaluation) -> Iterator[Aside]:
    unknown = "left out" if evaluation.options.unknown_docs == "ignore" else "counted as spurious"
    meanings = {
        "n_ignored_pairs": ("ignored pairs", "predictions paired with ignored annotations: neither right nor wrong"),
        "n_out_of_scope": ("out of scope", "predictions outside the annotated part of their text: left out"),
        "n_bad_rows": ("bad rows", "rows that could not be read: counted as predictions that match nothing"),
        "n_unknown_docs_rows": ("unknown documents", f"rows whose document is not in the gold: {unknown}"),
    }
    for name, (label, meaning) in meanings.items():
        count = evaluation.counts.get(name, 0)
        if count:
            yield Aside(label, str(count), meaning)


def remarks(evaluation: Evaluation, style: Style) -> Iterator[tuple[str, str]]:
    """Names of measures and what must be known of them: why they are undefined, or how their interval came about."""
    for labels, reason in _grouped(evaluation.undefined):
        yield f"{labels} undefined", reason
    if not evaluation.resampling:
        return
    reasons: dict[str, str] = evaluation.resampling["undefined"]
    for labels, reason in _grouped({k: why for k, why in reasons.items() if k not in evaluation.undefined}):
        yield f"interval of {labels} undefined", reason
    left_out = "; ".join(_left_out(evaluation, evaluation.resampling))
    if left_out:
        text = f"resamples in which a measure is undefined: {left_out}"
        yield "left out of intervals", "\n".join(wrapped(text, NARROW - len(_INDENT)))


def _left_out(evaluation: Evaluation, resampling: dict[str, Any]) -> Iterator[str]:
    """How many resamples, and of which measures: each number once."""
    labels: dict[int, list[str]] = {}
    for name, share in resampling["left_out"].items():
        if share and evaluation.intervals[name] is not None:
            labels.setdefault(round(share * resampling["resamples"]), []).append(MEASURES[name].label)
    for n, shared in sorted(labels.items()):
        yield f"{n} of {resampling['resamples']} for {', '.join(shared)}"


def _grouped(reasons: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Labels of measures that share a reason, and the reason."""
    for reason, names in by_reason(reasons).items():
        yield ", ".join(MEASURES[name].label for name in names), reason


def documents(evaluation: Evaluation, style: Style) -> list[list[str]]:
    """A heading and one row per document: its name, its counts and its measures."""
    measures = [name for name in DOCUMENT_MEASURES if name in evaluation.measures]
    heading = ["document", *(name.removeprefix("n_").removeprefix("id_") for name in DOCUMENT_COUNTS)]
    heading += [MEASURES[name].label for name in measures]
    return [heading, *(_document(row, measures, style) for row in evaluation.documents())]


def document_reasons(evaluation: Evaluation) -> list[str]:
    """Why numbers of documents are undefined, as far as `documents` shows them."""
    rows = evaluation.documents()
    reasons = [
        Why(MEASURES[name].label, printable(str(row["document"])), row["undefined"][name])
        for name in DOCUMENT_MEASURES
        for row in rows
        if name in row["undefined"]
    ]
    return sentences(reasons)


def _document(row: dict[str, Any], measures: list[str], style: Style) -> list[str]:
    counts = [str(row[name]) for name in DOCUMENT_COUNTS]
    values = [number(row[name], style.digits) for name in measures]
    return [printable(str(row["document"])), *counts, *values]

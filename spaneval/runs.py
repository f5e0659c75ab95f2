"""
A scored system as comparisons need it: counts per document, the outcome of every annotation, and the spurious spans.

Documents stand in the order of their digests, annotations in that of document, span and ids, never in row order; so two
runs over the same gold hold the same annotations in the same places, however the gold was cut into files. Where equal
annotations stand at one span, their order is that of what became of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.class_measures import MARGINS, PARTS, margins
from spaneval.corpus import CodeArray, IntArray
from spaneval.counts import Counts
from spaneval.exceptions import AlignmentError, FormatError
from spaneval.groups import Cells, cells
from spaneval.kinds import CLASSES, SPANS, Kind, classes_of
from spaneval.outcomes import Annotations, Extras, Fate, Spurious, Values, either
from spaneval.problems import Problem
from spaneval.signature import SCORES, document_order, gold_digest, map_digest, without_intervals

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

_OF_SYSTEM: Final = ("fields",)
"""What may differ by system: how its rows are written, or the fields of its records."""


@dataclass(frozen=True)
class Run:
    """
    One scored system.

    Args:
        signature: Of the evaluation, without what only concerns intervals.
        counting: The options that can change a count, the digest of the gold id maps, and the `scores` number.
        gold: Digest of the gold.
        predictions: Digest of the rows.
        id_map: Digest of the id maps; "" without any.
        documents: Digest of each gold document, ascending, as 16 hexadecimal digits, equal ones by their keys; then the
            keys of documents that only rows name, ascending, after a `?`.
        names: The keys of the documents, for reports.
        counts: Counts per document.
        annotations: What became of each counted annotation, or gold value.
        spurious: Predictions without a partner, those out of scope left out; or values where the gold has none.
        cells: Counts per document and group by the fields that the evaluation was grouped by; not saved.

    """

    signature: str
    counting: dict[str, Any]
    gold: str
    predictions: str
    id_map: str
    documents: list[str]
    names: list[str]
    counts: Counts
    annotations: Annotations | Values
    spurious: Spurious | Extras
    cells: dict[str, Cells] = field(default_factory=dict)

    @property
    def spans(self) -> tuple[Annotations, Spurious]:
        """
        Annotations and spurious predictions of a run of spans.

        Raises:
            FormatError: If it is a run of records.

        """
        if isinstance(self.annotations, Annotations) and isinstance(self.spurious, Spurious):
            return self.annotations, self.spurious
        message = f"a run of {self.counts.kind.name} has no groups; only runs of spans have"
        raise FormatError([Problem(message, hint="compare such runs as a whole, without --by", kind=FormatError)])

    @property
    def n_gold_documents(self) -> int:
        """Documents of the gold; the others are those that only rows name."""
        return sum(not digest.startswith("?") for digest in self.documents)


def run_of(evaluation: Evaluation) -> Run:
    """The run of an evaluation."""
    digests, names = evaluation.document_digests, evaluation.document_names
    n_gold = len(digests)
    order = document_order(digests, names)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    gold_maps = map_digest(m.targets for m in evaluation.gold_maps) if evaluation.gold_maps else ""
    options = evaluation.options.to_dict()
    counting = options | {"nil": sorted(options["nil"]), "gold_id_map": gold_maps, "scores": SCORES}
    return Run(
        signature=without_intervals(evaluation.signature),
        counting=counting,
        gold=gold_digest(digests),
        predictions=evaluation.pred_digest,
        id_map=map_digest(m.targets for m in evaluation.maps) if evaluation.maps else "",
        documents=[f"{digests[d]:016x}" if d < n_gold else f"?{names[d]}" for d in order.tolist()],
        names=[names[d] for d in order.tolist()],
        counts=Counts(evaluation.document_counts.table[order]),
        annotations=_annotations(evaluation, place),
        spurious=_spurious(evaluation, place),
        cells={by: _placed(cells(evaluation, by), place) for by in evaluation.by},
    )


def _placed(found: Cells, place: CodeArray) -> Cells:
    """Cells with documents numbered as in the run."""
    return replace(found, doc=place[found.doc].astype(np.int64))


def _annotations(evaluation: Evaluation, place: CodeArray) -> Annotations:
    corpus, scored, pairs, ids = evaluation.corpus, evaluation.scored, evaluation.pairs_by_row, evaluation.ids
    fate = np.full(len(corpus), Fate.MISSED, dtype=np.int8)
    fate[pairs.gold] = pairs.outcome
    partner = np.full(len(corpus), -1, dtype=np.int64)
    partner[pairs.gold] = pairs.pred
    gold_texts = [*("|".join(x) for x in ids.gold_ids), ""]
    written, translated = _pred_texts(evaluation)
    pred_rank = _rank(either(translated, written))
    pred_code = np.append(scored.id, -1)[partner]
    pred_a, pred_b = np.append(scored.a, -1)[partner], np.append(scored.b, -1)[partner]
    rows = np.arange(len(corpus)) if corpus.is_ignored is None else np.flatnonzero(~corpus.is_ignored)
    gold_rank, doc = _rank(gold_texts)[corpus.id], place[corpus.doc]
    keys = (ids.pred_rank[pred_code], pred_b, pred_a, pred_rank[pred_code], fate, gold_rank, corpus.b, corpus.a, doc)
    rows = rows[np.lexsort([key[rows] for key in keys])]
    return Annotations(
        doc=place[corpus.doc[rows]],
        a=corpus.a[rows].astype(np.int64),
        b=corpus.b[rows].astype(np.int64),
        ids=[gold_texts[code] for code in corpus.id[rows].tolist()],
        fate=fate[rows],
        predicted=[written[code] for code in pred_code[rows].tolist()],
        translated=[translated[code] for code in pred_code[rows].tolist()],
        pred_a=pred_a[rows].astype(np.int64),
        pred_b=pred_b[rows].astype(np.int64),
    )


def _spurious(evaluation: Evaluation, place: CodeArray) -> Spurious:
    scored, ids, (written, translated) = evaluation.scored, evaluation.ids, _pred_texts(evaluation)
    is_spurious = np.ones(len(scored.doc), np.bool_)
    is_spurious[evaluation.pairs_by_row.pred] = False
    if scored.is_out_of_scope is not None:
        is_spurious &= ~scored.is_out_of_scope
    rows = np.flatnonzero(is_spurious)
    rank = _rank(either(translated, written))
    keys = (ids.pred_rank[scored.id], rank[scored.id], scored.b, scored.a, place[scored.doc])
    rows = rows[np.lexsort([key[rows] for key in keys])]
    return Spurious(
        place[scored.doc[rows]],
        scored.a[rows].astype(np.int64),
        scored.b[rows].astype(np.int64),
        [written[code] for code in scored.id[rows].tolist()],
        [translated[code] for code in scored.id[rows].tolist()],
    )


def _pred_texts(evaluation: Evaluation) -> tuple[list[str], list[str]]:
    """Each predicted id as written and as compared, "" where it is not; the last entry is for none."""
    ids = evaluation.ids
    return [*ids.pred_ids, ""], [*(text or "" for text in ids.translated), ""]


def _rank(texts: Sequence[str]) -> IntArray:
    place = {text: k for k, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def check_comparable(runs: Mapping[str, Run]) -> None:
    """
    Refuse runs that were not counted alike, over the same annotations.

    Args:
        runs: By name, the first of which the others are held against.

    Raises:
        AlignmentError: If gold, options of counting or the `scores` number differ; both values are shown.

    """
    (first, base), *others = runs.items()
    for name, run in others:
        _check_kind(name, run, first, base)
        check_gold(name, run, base.gold, base.n_gold_documents, f"as {first} was")
        check_counting(name, run, dict.fromkeys(run.counting) | base.counting, f"{first} with")
        _check_aligned(name, run, first, base)


def _check_kind(name: str, run: Run, first: str, base: Run) -> None:
    """Runs of spans and runs of records have nothing in common."""
    if run.counts.kind.name != base.counts.kind.name:
        message = f"{name} is a run of {run.counts.kind.name}, {first} one of {base.counts.kind.name}"
        raise AlignmentError([Problem(message, hint="compare runs of one command", kind=AlignmentError)])


def check_gold(name: str, run: Run, gold: str, n_documents: int, whose: str) -> None:
    """
    Refuse a run over other gold.

    Args:
        name: What the run is called.
        run: The run.
        gold: Digest of the gold that it should be over.
        n_documents: How many documents that gold has.
        whose: Where that gold comes from, to end a sentence.

    Raises:
        AlignmentError: If it differs; both values are shown.

    """
    if run.gold != gold:
        found, expected = f"{run.n_gold_documents}d.{run.gold[:8]}", f"{n_documents}d.{gold[:8]}"
        message = f"{name} was scored on gold gt:{found}, not on gt:{expected} {whose}"
        same = "the same gold" if run.counts.kind == SPANS else "the same gold, by the same fields"
        hint = f"score both on {same}; it may have changed since a run was saved"
        raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])


def check_counting(name: str, run: Run, counting: Mapping[str, Any], whose: str) -> None:
    """
    Refuse a run that was counted with other options.

    Args:
        name: What the run is called.
        run: The run.
        counting: Options that it should have been counted with, as in `Run.counting`.
        whose: Where these come from, to stand before a value.

    Raises:
        AlignmentError: If one differs; both values are shown.

    """
    for key, value in counting.items():
        if key not in _OF_SYSTEM and run.counting.get(key) != value:
            message = f"{name} was counted with {key} {_shown(run.counting.get(key))}, {whose} {_shown(value)}"
            hint = f"score both with the same {'version of spaneval' if key == 'scores' else 'options'}"
            raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])


def _shown(value: Any) -> str:
    return "none" if value in (None, "", []) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _check_aligned(name: str, run: Run, first: str, base: Run) -> None:
    """Runs over the same gold hold the same annotations in the same places; a saved run that does not is broken."""
    n = base.n_gold_documents
    if run.documents[:n] != base.documents[:n] or not run.annotations.is_aligned(base.annotations):
        message = f"{name} and {first} hold different parts of the same gold, so one of the files was changed"
        raise AlignmentError([Problem(message, hint="save both runs again", kind=AlignmentError)])


def kind_of(runs: Sequence[Run]) -> Kind:
    """What measures of runs of one kind are computed from: their columns, or the margins over all of their classes."""
    kind = runs[0].counts.kind
    return margins(all_classes(runs)) if kind.name == CLASSES else kind


def all_classes(runs: Sequence[Run]) -> list[str]:
    """Every class that any of these runs of classes knows, in text order."""
    return sorted({name for kind in {run.counts.kind for run in runs} for name in classes_of(kind)})


def stacked(runs: Sequence[Run]) -> IntArray:
    """
    Counts of all runs over the union of their documents.

    Returns:
        int64 of shape (D, S, C): the gold documents in their order, then those that only rows name, in key order;
        columns as in `kind_of`. A system without a row for a document still has that document's gold.

    """
    n_gold, kind = runs[0].n_gold_documents, kind_of(runs)
    extra = sorted({key for run in runs for key in run.documents[n_gold:]})
    table = np.zeros((n_gold + len(extra), len(runs), len(kind.columns)), dtype=np.int64)
    place = {key: n_gold + k for k, key in enumerate(extra)}
    for k, run in enumerate(runs):
        rows = [*range(n_gold), *(place[key] for key in run.documents[n_gold:])]
        table[rows, k] = _margins(run, kind) if kind.name == MARGINS else run.counts.table
    return table


def _margins(run: Run, kind: Kind) -> IntArray:
    """The cells of a run of classes as margins of `kind`, which may have more classes; int64 of shape (D, C)."""
    classes = classes_of(run.counts.kind)
    cells = run.counts.table.reshape(len(run.counts), len(classes), len(classes))
    place = {column: k for k, column in enumerate(kind.columns)}
    result = np.zeros((len(cells), len(kind.columns)), dtype=np.int64)
    result[:, 0] = run.counts.table.sum(axis=1)
    parts = (cells.diagonal(axis1=1, axis2=2), cells.sum(axis=2), cells.sum(axis=1))
    for part, values in zip(PARTS, parts, strict=True):
        result[:, [place[f"{part}:{name}"] for name in classes]] = values
    return result

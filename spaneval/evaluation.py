"""
The main path: load → translate → pair → count → measure.

`evaluate` reads top to bottom; each step is a room of its own. An `Evaluation` keeps pairs and verdicts, so that every
report is a view of it and never a second computation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, Corpus, IntArray, Place, Predictions
from spaneval.counting import Pairs, Side, count, out_of_scope
from spaneval.counts import Counts
from spaneval.frozen import Frozen
from spaneval.inputs import (
    Progress,
    ReadAhead,
    TextsOf,
    check_given,
    names_of,
    paused_gc,
    read_gold,
    read_maps,
    read_predictions,
)
from spaneval.measure import Measure
from spaneval.measures import default_measures
from spaneval.nearest import nearest
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES, Options
from spaneval.pairing.documents import Aligned, align, n_named
from spaneval.pairing.spans import Pairing, Spans, pair_spans
from spaneval.problems import Note, Problems, counted
from spaneval.scores import Result
from spaneval.signature import UIntArray, document_digests, document_order, rows_digest, signature
from spaneval.values.id_notes import id_notes
from spaneval.values.ids import Ids, translate

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.averages import Average, Macro
    from spaneval.groups import Group
    from spaneval.inputs import Gold, Map, Rows
    from spaneval.loaders.id_map import IdMap
    from spaneval.loaders.rows import RowFormat
    from spaneval.resampling import Bootstrap
    from spaneval.runs import Run

# What only some runs need is imported where it is needed: the program starts in the time that numpy takes to load.

SCHEMA = "spaneval.score/1"
NOT_COMPARABLE = ("no_gold_id", "no_predicted_id", "unmapped", "minted")


class Scored(NamedTuple):
    """
    The predictions that are scored: those of a readable row, in a document that counts.

    Args:
        row: Row in `Predictions` of each; None if all rows are scored.
        doc: Document, int32 of shape (S,); those from D on are not in the gold.
        a, b: Span, of shape (S,).
        id: Code into `Predictions.ids`, int32 of shape (S,).
        is_out_of_scope: Unpaired and not inside the evaluation span; None where no document has one.

    """

    row: IntArray | None
    doc: CodeArray
    a: IntArray
    b: IntArray
    id: CodeArray
    is_out_of_scope: BoolArray | None = None


class Evaluation(Frozen, Result):
    """
    One system scored against the gold.

    Args:
        corpus: The gold.
        predictions: The rows as read.
        options: How they were counted.
        ids: What each id stands for.
        scored: The predictions that took part.
        pairs_by_row: Pairs of rows of `corpus` and `scored`, with their outcomes.
        document_counts: Counts per document, in the order of `document_names`.
        document_key: What documents are told apart by: `doc_id`, `itext` or `position`.
        document_names: The keys of the gold documents, then of documents that only rows name.
        document_digests: Digest of each gold document, uint64 of shape (D,).
        n_unknown_docs_rows: Rows whose document is not in the gold.
        notes: What a reader should know.
        bootstrap: Intervals of the measures; None if they were not asked for.
        signature: What makes the numbers reproducible, in one line.
        maps, gold_maps: The id maps of both sides, in order.
        gold_names, pred_names: The inputs as they were given.
        bad_doc: Document of each bad row that is counted, int32 of shape (B,).
        bad_has_id: Whether it had an id, bool of shape (B,).
        by: The fields whose groups are reported.
        average: `macro` if macro averages are reported, too.

    """

    corpus: Corpus
    predictions: Predictions
    options: Options
    ids: Ids
    scored: Scored
    pairs_by_row: Pairs
    document_counts: Counts
    document_key: str
    document_names: list[str]
    document_digests: UIntArray
    n_unknown_docs_rows: int
    notes: list[Note]
    bootstrap: Bootstrap | None
    signature: str
    maps: list[IdMap]
    gold_maps: list[IdMap]
    gold_names: list[str]
    pred_names: list[str]
    bad_doc: CodeArray
    bad_has_id: BoolArray
    by: tuple[str, ...] = ()
    average: Average = "micro"

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={'undefined' if x is None else f'{x:.4g}'}" for name, x in self.measures.items())
        return f"Evaluation({self.counts['n_gold']} gold, {self.counts['n_predicted']} predicted: {values})"

    @cached_property
    def pred_digest(self) -> str:
        """Digest of the prediction rows."""
        return rows_digest(self.predictions)

    @property
    def n_documents(self) -> int:
        """Documents of the gold."""
        return len(self.corpus.documents)

    @cached_property
    def has_row(self) -> BoolArray:
        """Whether there is a row for each gold document, bool of shape (D,)."""
        result = np.zeros(len(self.document_names), np.bool_)
        result[self.scored.doc] = True
        result |= self.document_counts["n_bad_rows"] > 0
        return result[: self.n_documents]

    @property
    def n_documents_without_predictions(self) -> int:
        """Gold documents for which there is no row."""
        return int((~self.has_row).sum())

    @cached_property
    def counts(self) -> dict[str, int]:
        """Sums over all documents, by names of `spaneval.kinds.SPANS`."""
        return self.document_counts.totals() | {"n_unknown_docs_rows": self.n_unknown_docs_rows}

    @property
    def registry(self) -> tuple[Measure, ...]:
        """The measures in order; those of NIL where NIL ids were named."""
        return default_measures(has_nil=bool(self.options.nil))

    @property
    def not_comparable(self) -> dict[str, int]:
        """Pairs that are not comparable, by reason; reasons that do not occur are left out."""
        return {reason: n for reason in NOT_COMPARABLE if (n := self.counts[f"n_{reason}"])}

    @cached_property
    def groups(self) -> dict[str, dict[str, Group]]:
        """Counts and measures of the groups of each field of `by`; see `spaneval.groups`."""
        if not self.by:
            return {}
        from spaneval.groups import group_by

        return {field: group_by(self, field) for field in self.by}

    @cached_property
    def macro(self) -> Macro | None:
        """Macro averages over the groups of the field of `by`, else over documents; None if they were not asked for."""
        if self.average == "micro" or not self.by or self.by[0] == "document":
            return super().macro
        from spaneval.averages import macro_over_groups

        return macro_over_groups(self, self.by[0], self.registry)

    def run(self) -> Run:
        """What comparisons need of it; `spaneval.saved_runs.to_json` saves that."""
        from spaneval.runs import run_of

        return run_of(self)

    @property
    def resampling_order(self) -> IntArray:
        """Documents as they are resampled: by digest, so that intervals do not depend on the order of files."""
        return document_order(self.document_digests, self.document_names)

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """
        The JSON report.

        Args:
            per_document: Whether to add a list `documents` with the counts and measures of each.

        Returns:
            Plain values; nothing is rounded, and None stands for undefined.

        """
        counts, measures = self.counts, self.measures
        report: dict[str, Any] = {"schema": SCHEMA, "signature": self.signature}
        report |= {
            "document_key": self.document_key,
            "n_documents": self.n_documents,
            "n_documents_without_predictions": self.n_documents_without_predictions,
        }
        report |= {name: counts[name] for name in ("n_gold", "n_predicted", "n_matched")}
        report["match_mode"] = self.options.match
        report |= {name: measures[name] for name in ("precision", "recall", "f1")}
        report |= {name: counts[name] for name in ("n_id_comparable", "n_id_correct")}
        report["entity_accuracy"] = measures["entity_accuracy"]
        report |= {name: counts[name] for name in ("n_gold_with_id", "n_predicted_with_id")}
        report |= {name: value for name, value in measures.items() if name not in report}
        if self.options.nil:
            nil = ("n_gold_nil", "n_predicted_nil", "n_nil_correct", "n_in_kb_comparable", "n_in_kb_correct")
            report |= {name: counts[name] for name in nil}
        report |= {
            name: counts[name] for name in ("n_ignored_pairs", "n_out_of_scope", "n_bad_rows", "n_unknown_docs_rows")
        }
        report["not_comparable"] = self.not_comparable
        report["undefined"] = self.undefined
        report["intervals"] = {name: ends and list(ends) for name, ends in self.intervals.items()}
        report["resampling"] = self.resampling
        if self.by:
            report["groups"] = {
                field: {value: group.to_dict() for value, group in groups.items()}
                for field, groups in self.groups.items()
            }
        if self.macro is not None:
            report["macro_over"] = self.macro.over
            report["macro"] = {name: one.to_dict() for name, one in self.macro.means.items()}
        report["options"] = self.options.to_dict()
        report["notes"] = [note.to_dict() for note in self.notes]
        if per_document:
            report["documents"] = self.documents()
        return report

    def documents(self) -> list[dict[str, Any]]:
        """Counts and measures of each document, in order, and why those without a value have none."""
        gold = self.corpus.documents
        result = []
        for d, (name, row) in enumerate(zip(self.document_names, self.document_counts.table.tolist(), strict=True)):
            counts = dict(zip(self.counts, row, strict=True))
            file = gold.files[gold.file[d]] if d < len(gold) else None
            measures = {measure.name: measure.value(counts) for measure in self.registry}
            reasons = {m.name: m.why_undefined(counts) for m in self.registry if measures[m.name] is None}
            result.append({"document": name, "file": file} | counts | measures | {"undefined": reasons})
        return result

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every pair, missed annotation and spurious prediction; see `spaneval.ledger`."""
        from spaneval import ledger

        return ledger.rows(self)

    @property
    def pairs(self) -> pd.DataFrame:
        """The same as a data frame."""
        import pandas as pd

        from spaneval import ledger

        frame = pd.DataFrame(list(self.rows()), columns=list(ledger.COLUMNS))
        return frame.astype(dict.fromkeys(ledger.INTEGERS, "Int64"))

    def place_of(self, pred: int) -> Place:
        """File and line of a scored prediction."""
        return self.predictions.places[pred if self.scored.row is None else int(self.scored.row[pred])]


def evaluate(
    gold: Gold,
    predictions: Rows,
    *,
    id_map: Map | Sequence[Map] | None = None,
    gold_id_map: Map | Sequence[Map] | None = None,
    id_map_columns: tuple[str, str] | None = None,
    pred_format: RowFormat | None = None,
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    by: str | Sequence[str] = (),
    average: Average = "micro",
    keep_texts: bool = True,
    progress: Progress | None = None,
    options: Options | None = None,
    **changes: Any,
) -> Evaluation:
    """
    Score predictions against gold.

    Args:
        gold: Path or paths of gold files and folders; or documents `{"text", "ground_truth", …}`; or a data frame with
            a row per annotation and the columns `itext` or `doc_id`, `a`, `b`, `entity_id`; or the `corpus` of another
            evaluation, which is not read again.
        predictions: Path or paths of files with rows; or rows `{"itext", "a", "b", "entity_id_predicted"}`; or a data
            frame of such rows.
        id_map: Translates predicted ids: a path, a mapping, a data frame, or several, applied one after another.
        gold_id_map: Translates gold ids, likewise.
        id_map_columns: Columns of the maps, from and to.
        pred_format: Format of the prediction files; None tells it by content and name.
        ci: Whether to compute intervals.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.
        by: Fields whose groups are reported: `document`, `file`, `namespace` of the gold id, `length` in characters,
            `score`, `gold_frequency`, or any key of annotations and rows, such as `type`.
        average: `macro` adds means over documents, or over the groups of the one field of `by`.
        keep_texts: Whether texts are kept, so that `rows` and `pairs` can show them.
        progress: Called now and then with the stage, the bytes read and None.
        options: How to count.
        **changes: Single options of `Options`, such as `match="exact"` or `nil=["NEW"]`, over `options`.

    Returns:
        Counts, measures, intervals, pairs and notes.

    Raises:
        InputError: If an input cannot be used; it holds the first problems.
        ValueError: If an option has a value that does not exist.

    """
    check_given(gold, predictions)
    seed = index(seed)  # None would draw other resamples in every run
    chosen = _options(options, changes)
    fields, kept, wanted = _fields(by, average)
    problems, notes = Problems(), cast("list[Note]", [])
    with paused_gc():
        maps = read_maps(id_map, id_map_columns, problems)
        gold_maps = read_maps(gold_id_map, id_map_columns, problems)
        with ReadAhead(predictions, chosen, pred_format, wanted) as ahead:
            corpus = read_gold(gold, problems, notes, keep_texts=keep_texts, progress=progress, fields=kept)
            problems.raise_if_any()
            digests = document_digests(corpus)  # now, while the rows may still be read
            rows = read_predictions(
                predictions, corpus, chosen, pred_format, problems, notes, progress, ahead=ahead, fields=wanted
            )
        problems.raise_if_any()
        texts = TextsOf(gold, corpus)
        aligned = align(corpus, rows, chosen, problems=problems, notes=notes, all_texts=texts)
        problems.raise_if_any()
    ids = translate(corpus.ids, rows.ids, maps=maps, gold_maps=gold_maps, options=chosen)
    scored = scored_rows(rows, aligned)
    pairing = pair(corpus, scored, ids, chosen)
    pairs = _judged(corpus, scored, pairing, ids)
    scope = out_of_scope(corpus.documents.scope, scored.doc, scored.a, scored.b, pairs.pred)
    scored = scored._replace(is_out_of_scope=scope)
    counts = count(
        len(aligned.names),
        len(corpus.documents),
        Side(corpus.doc, corpus.id, None if corpus.is_ignored is None else ~corpus.is_ignored),
        Side(scored.doc, scored.id, None if scope is None else ~scope),
        pairs,
        ids,
        bad_doc=aligned.bad_doc,
        bad_has_id=aligned.bad_has_id,
        n_named_documents=n_named(aligned.names),
    )
    counted = ~pairs.is_ignored
    notes += id_notes(
        ids,
        corpus.id[pairs.gold[counted]],
        scored.id[pairs.pred[counted]],
        pairs.outcome[counted],
        maps=maps,
        gold_maps=gold_maps,
        options=chosen,
    )
    registry = default_measures(has_nil=bool(chosen.nil))
    ordered = Counts(counts.table[document_order(digests, aligned.names)])
    resampled = None
    if ci:
        from spaneval.resampling import bootstrap

        resampled = bootstrap(ordered, registry, resamples=resamples, level=level, seed=seed)
    result = Evaluation(
        corpus=corpus,
        predictions=rows,
        options=chosen,
        ids=ids,
        scored=scored,
        pairs_by_row=pairs,
        document_counts=counts,
        document_key=aligned.numbering,
        document_names=aligned.names,
        n_unknown_docs_rows=aligned.n_unknown,
        notes=notes,
        bootstrap=resampled,
        document_digests=digests,
        signature=signature(
            digests,
            chosen,
            [m.targets for m in maps],
            [m.targets for m in gold_maps],
            interval={"resamples": resamples, "level": level, "seed": seed} if ci else None,
        ),
        maps=maps,
        gold_maps=gold_maps,
        gold_names=names_of(gold),
        pred_names=names_of(predictions),
        bad_doc=aligned.bad_doc,
        bad_has_id=aligned.bad_has_id,
        by=fields,
        average=average,
    )
    result.groups  # noqa: B018 - now, so that a field that nothing has is an error here
    notes += _notes(result, pairing)
    return result


class _Fields(NamedTuple):
    """The fields that are grouped by, and what must be kept of annotations and of rows for them."""

    by: tuple[str, ...]
    of_gold: Sequence[str]
    of_rows: Sequence[str]


def _fields(by: str | Sequence[str], average: Average) -> _Fields:
    if not by and average == "micro":
        return _Fields((), (), ())
    from spaneval.averages import grouped_fields
    from spaneval.grouping import gold_fields, row_fields

    fields = grouped_fields(by, average)
    return _Fields(fields, gold_fields(fields), row_fields(fields))


def _options(options: Options | None, changes: Mapping[str, Any]) -> Options:
    values = (options or Options()).to_dict() | dict(changes)
    unknown = set(values) - set(Options().to_dict())
    if unknown:
        first = sorted(unknown)[0]
        near = nearest(first, Options().to_dict(), 1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; options are {', '.join(Options().to_dict())}"
        raise TypeError(f"evaluate() has no option {first!r}{meant}")
    nil = values["nil"]
    values["nil"] = (nil,) if isinstance(nil, str) else tuple(nil)
    return Options(**values)


def scored_rows(rows: Predictions, aligned: Aligned) -> Scored:
    """The rows that take part, with their documents."""
    if aligned.kept is None:
        return Scored(None, aligned.doc, rows.a, rows.b, rows.id)
    kept = np.flatnonzero(aligned.kept)
    return Scored(kept, aligned.doc, rows.a[kept], rows.b[kept], rows.id[kept])


def pair(corpus: Corpus, scored: Scored, ids: Ids, options: Options) -> Pairing:
    """Pair annotations and predictions one to one."""
    gold_id, pred_id = corpus.id, scored.id
    return pair_spans(
        Spans(corpus.doc, corpus.a, corpus.b, ids.gold_rank[gold_id]),
        Spans(scored.doc, scored.a, scored.b, ids.pred_rank[pred_id]),
        lambda gold, pred: ids.agreement(gold_id[gold], pred_id[pred]),
        is_ignored=corpus.is_ignored,
        match=options.match,
        assignment=options.assignment,
    )


def _judged(corpus: Corpus, scored: Scored, pairing: Pairing, ids: Ids) -> Pairs:
    outcome = ids.outcome(corpus.id[pairing.gold], scored.id[pairing.pred])
    ignored = np.zeros(len(pairing.gold), np.bool_) if corpus.is_ignored is None else corpus.is_ignored[pairing.gold]
    return Pairs(pairing.gold, pairing.pred, outcome, ignored)


def _notes(result: Evaluation, pairing: Pairing) -> list[Note]:
    """Notes that speak of documents, rows and pairs rather than of ids."""
    notes = []

    def note(code: str, n: int, message: str) -> None:
        if n:
            notes.append(Note(code, n, message))

    n = result.n_documents_without_predictions
    n_missed = int(result.document_counts["n_gold"][: result.n_documents][~result.has_row].sum())
    message = f"{counted(n, 'gold document')} without any prediction, with {counted(n_missed, 'annotation')}"
    note("documents-without-predictions", n, message)
    annotated = result.corpus.documents.is_annotated
    silent = np.flatnonzero(~annotated)
    n = int(np.isin(result.scored.doc, silent).sum()) if len(silent) else 0
    note(
        "predictions-on-null-gold",
        n,
        f"{counted(n, 'prediction')} in documents whose ground_truth is null, which a linker writes for 'not"
        " annotated'; they count as spurious, `spaneval score --pairs FILE` lists them",
    )
    n = result.predictions.n_below_score
    note("below-min-score", n, f"{counted(n, 'row')} below --min-score {result.options.min_score} left out")
    n = result.counts["n_bad_rows"]
    note(
        "bad-rows",
        n,
        f"{counted(n, 'bad row')} counted as predictions that match nothing; `spaneval validate` lists them",
    )
    n = result.n_unknown_docs_rows
    how = (
        "counted as spurious; `spaneval score --pairs FILE` lists them"
        if result.options.unknown_docs == "count"
        else "left out"
    )
    note("unknown-documents", n, f"{counted(n, 'row')} of documents that the ground truth does not hold, {how}")
    n = pairing.n_swept
    note(
        "swept-clusters",
        n,
        f"{counted(n, 'crowd')} of more than 4,000,000 candidate pairs: numbers of pairs are the maximum, who is paired"
        " with whom was settled by a sweep",
    )
    return notes

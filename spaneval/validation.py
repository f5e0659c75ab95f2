"""
`spaneval validate`: read everything as a run that scores would, score nothing, and list what is wrong or suspicious.

A problem keeps a run from scoring. A suspicious fact does not; it is what people find out too late: mentions that are
not the text at their offsets, spans with blanks at their edges, annotations, rows or keys given twice, documents on one
side only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spaneval.corpus import Corpus, IntArray, Predictions
from spaneval.evaluation import Scored, pair, scored_rows
from spaneval.inputs import Progress, paused_gc, read_gold, read_maps, read_predictions
from spaneval.loaders.id_map import IdMap
from spaneval.loaders.rows import RowFormat
from spaneval.options import Options
from spaneval.pairing.documents import align
from spaneval.problems import Note, Problem, Problems
from spaneval.values.id_notes import id_notes
from spaneval.values.ids import Ids, translate

if TYPE_CHECKING:
    from spaneval.inputs import Gold, Map, Rows

SHOWN = 5
"""Examples that one fact names."""


@dataclass(frozen=True, slots=True)
class Fact:
    """
    Something suspicious.

    Args:
        code: Stable name for programs.
        count: How often it was seen.
        message: What was seen, in one sentence.
        examples: The first places, as text.

    """

    code: str
    count: int
    message: str
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = (
            [f"… and {self.count - len(self.examples)} more"]
            if self.examples and self.count > len(self.examples)
            else []
        )
        return "\n".join([self.message, *(f"  {line}" for line in (*self.examples, *more))])

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        return {"code": self.code, "count": self.count, "message": self.message, "examples": list(self.examples)}


@dataclass(frozen=True, slots=True)
class Validation:
    """
    What was found.

    Args:
        problems: Everything that keeps the inputs from being scored.
        facts: Everything suspicious.

    """

    problems: list[Problem]
    facts: list[Fact]

    @property
    def n_problems(self) -> int:
        """How many problems there are; 0 means that the inputs can be scored."""
        return len(self.problems)


def validate(
    gold: Gold | None = None,
    predictions: Rows | None = None,
    *,
    id_map: Map | Sequence[Map] | None = None,
    gold_id_map: Map | Sequence[Map] | None = None,
    id_map_columns: tuple[str, str] | None = None,
    pred_format: RowFormat | None = None,
    progress: Progress | None = None,
    options: Options | None = None,
) -> Validation:
    """
    List every problem and every suspicious fact.

    Args:
        gold, predictions, id_map, gold_id_map, id_map_columns, pred_format, progress, options: As of
            `spaneval.evaluate`; gold and predictions may be left out, and what needs both is then not looked at.

    Returns:
        What was found, in the order of the inputs.

    """
    run = _Run(Problems(limit=None), options or Options())
    with paused_gc():
        run.maps = read_maps(id_map, id_map_columns, run.problems)
        run.gold_maps = read_maps(gold_id_map, id_map_columns, run.problems)
        keys = _DoubleKeys()
        if not _is_nothing(gold):
            run.corpus = read_gold(
                gold, run.problems, run.notes, keep_texts=True, progress=progress, watch=keys, fields=("mention",)
            )
        if not _is_nothing(predictions):
            run.rows = read_predictions(
                predictions,
                run.corpus,
                run.options,
                pred_format,
                run.problems,
                run.notes,
                progress,
                watch=keys,
                fields=("mention",),
            )
        facts = [*keys.facts(), *run.facts()]
    return Validation(run.problems.kept, facts)


def _is_nothing(source: Any) -> bool:
    return source is None or (isinstance(source, list | tuple) and not source)


class _DoubleKeys:
    """Looks for keys that one JSON object has twice; readers take the last, other programs may take the first."""

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[str] = []

    def __call__(self, raw: bytes, file: str, line: int) -> None:
        """Look at whole lines of JSON, or at a whole file."""
        text = raw.decode("utf-8", "replace")
        for number, piece in enumerate(text.split("\n"), start=line):
            if not self._look(piece, file, number):
                self._look(text, file, line)
                return

    def _look(self, text: str, file: str, line: int) -> bool:
        """Whether `text` is JSON, or blank."""
        doubles: list[str] = []

        def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
            if len({key for key, _ in items}) < len(items):
                doubles.append(next(key for key, n in Counter(key for key, _ in items).items() if n > 1))
            return dict(items)

        try:
            if text.strip():
                json.loads(text, object_pairs_hook=pairs)
        except (ValueError, RecursionError):
            return False
        self.count += len(doubles)
        for key in doubles:
            if len(self.examples) < SHOWN:
                self.examples.append(f"{file}:{line}: '{key}'")
        return True

    def facts(self) -> Iterator[Fact]:
        """What was seen."""
        if self.count:
            message = f"{_n(self.count, 'JSON object')} with a key given twice; the last value is taken"
            yield Fact("double-keys", self.count, message, tuple(self.examples))


@dataclass
class _Run:
    """What was read so far, and the questions about it."""

    problems: Problems
    options: Options
    notes: list[Note] = field(default_factory=list)
    maps: list[IdMap] = field(default_factory=list)
    gold_maps: list[IdMap] = field(default_factory=list)
    corpus: Corpus | None = None
    rows: Predictions | None = None

    def facts(self) -> Iterator[Fact]:
        """Everything suspicious, gold first."""
        if self.corpus is not None:
            yield from self._gold_facts(self.corpus)
        if self.rows is not None:
            yield from self._row_facts(self.rows)
        if self.corpus is not None and self.rows is not None:
            yield from self._facts_of_both(self.corpus, self.rows)
        for note in self.notes:
            if note.code == "document-numbering":
                continue  # how it is, and nothing to be wary of
            yield Fact(note.code, note.count, note.message)

    def _gold_facts(self, corpus: Corpus) -> Iterator[Fact]:
        documents = corpus.documents
        columns = [corpus.doc, corpus.a, corpus.b, corpus.id]
        yield from _fact(
            "repeated-annotations",
            _repeated(columns),
            "annotation repeating another of the same span and id; each counts",
            lambda k: _annotation(corpus, k),
        )
        blanks = [
            k for k in range(len(corpus)) if _has_blank_edge(_text(corpus, corpus.doc[k], corpus.a[k], corpus.b[k]))
        ]
        yield from _fact(
            "blank-edges",
            blanks,
            "annotation with a blank at an edge",
            lambda k: f"{_annotation(corpus, k)} {_text(corpus, corpus.doc[k], corpus.a[k], corpus.b[k])!r}",
        )
        differing = dict(_differing_mentions(corpus))
        yield from _fact(
            "gold-mentions-differ",
            list(differing),
            "annotation with a mention that is not the text at its offsets",
            lambda k: f"{_annotation(corpus, k)}: {differing[k]}",
        )
        n = _n_nested(corpus)
        if n:
            yield Fact("nested-annotations", n, f"{_n(n, 'annotation')} inside another one of the document")
        for code, numbers, what in (
            ("no-text", np.flatnonzero(documents.length < 0), "document without text, so offsets cannot be checked"),
            (
                "null-gold",
                np.flatnonzero(~documents.is_annotated),
                "document with a ground_truth of null: not annotated",
            ),
        ):
            yield from _fact(code, numbers.tolist(), what, lambda d: _document(corpus, d))

    def _row_facts(self, rows: Predictions) -> Iterator[Fact]:
        yield from _fact(
            "repeated-predictions",
            _repeated([rows.key, rows.a, rows.b, rows.id]),
            "prediction repeating another of the same document, span and id, to be counted as spurious",
            lambda k: _place(rows, k),
        )

    def _facts_of_both(self, corpus: Corpus, rows: Predictions) -> Iterator[Fact]:
        texts = corpus.documents.texts
        aligned = align(corpus, rows, self.options, problems=self.problems, notes=self.notes, all_texts=lambda: texts)
        scored = scored_rows(rows, aligned)
        numbers = np.arange(len(rows)) if scored.row is None else scored.row
        yield from self._surface_facts(corpus, rows, scored, numbers)
        has_row = np.zeros(len(aligned.names), np.bool_)
        has_row[scored.doc] = True
        silent = np.flatnonzero(~has_row[: len(corpus.documents)])
        yield from _fact(
            "documents-without-predictions",
            silent.tolist(),
            "gold document without any prediction",
            lambda d: _document(corpus, d),
        )
        if not self.problems.total:
            yield from self._pairing_facts(corpus, rows, scored)

    def _surface_facts(self, corpus: Corpus, rows: Predictions, scored: Scored, numbers: IntArray) -> Iterator[Fact]:
        mentions = rows.fields.get("mention", [])
        differing, blank = [], []
        for k, row in enumerate(numbers.tolist()):
            surface = _text(corpus, scored.doc[k], scored.a[k], scored.b[k])
            if surface is None:
                continue
            if _has_blank_edge(surface):
                blank.append((row, repr(surface)))
            mention = mentions[row] if mentions else None
            if isinstance(mention, str) and mention and mention != surface:
                differing.append((row, f"mention {mention!r}, text {surface!r}"))
        for code, found, what in (
            ("mentions-differ", differing, "prediction with a mention that is not the text at its offsets"),
            ("blank-edge-predictions", blank, "prediction with a blank at an edge"),
        ):
            shown = dict(found)
            yield from _fact(code, list(shown), what, lambda row, shown=shown: f"{_place(rows, row)}: {shown[row]}")

    def _pairing_facts(self, corpus: Corpus, rows: Predictions, scored: Scored) -> Iterator[Fact]:
        ids = translate(corpus.ids, rows.ids, maps=self.maps, gold_maps=self.gold_maps, options=self.options)
        best = pair(corpus, scored, ids, self.options)
        n = _n_differing(corpus, scored, ids, self.options)
        if n:
            message = f"{_n(n, 'pair')} of greedy and exact-first assignment differ (--assignment)"
            yield Fact("assignments-differ", n, message)
        outcomes = ids.outcome(corpus.id[best.gold], scored.id[best.pred])
        for note in id_notes(
            ids,
            corpus.id[best.gold],
            scored.id[best.pred],
            outcomes,
            maps=self.maps,
            gold_maps=self.gold_maps,
            options=self.options,
        ):
            yield Fact(note.code, note.count, note.message)


def _n_differing(corpus: Corpus, scored: Scored, ids: Ids, options: Options) -> int:
    """Pairs of one assignment that the other does not have; the larger number of both directions."""
    found = [
        set(zip(*(x.tolist() for x in pair(corpus, scored, ids, options._replace(assignment=name))[:2]), strict=True))
        for name in ("exact-first", "greedy")
    ]
    return max(len(found[0] - found[1]), len(found[1] - found[0]))


def _fact(code: str, where: Sequence[Any], what: str, describe: Any) -> Iterator[Fact]:
    if len(where):
        yield Fact(code, len(where), _n(len(where), what), tuple(describe(k) for k in where[:SHOWN]))


def _n(count: int, what: str) -> str:
    """`1 annotation that …`, `2 annotations that …`."""
    if count == 1:
        return f"1 {what}"
    words = what.split(" ")
    noun = 1 if words[0] in ("JSON", "gold") else 0
    words[noun] += "s"
    return f"{count} {' '.join(words)}"


def _repeated(columns: Sequence[Any]) -> list[int]:
    """Rows that equal an earlier one in all columns."""
    if not len(columns[0]):
        return []
    order = np.lexsort(columns[::-1])
    same = np.ones(len(order) - 1, np.bool_)
    for column in columns:
        sorted_column = column[order]
        same &= sorted_column[1:] == sorted_column[:-1]
    return sorted(order[1:][same].tolist())


def _n_nested(corpus: Corpus) -> int:
    """Annotations that lie inside a longer one, or one of equal span, of their document."""
    order = np.lexsort((-corpus.b, corpus.a, corpus.doc))
    doc, b = corpus.doc[order].astype(np.int64), corpus.b[order].astype(np.int64)
    if not len(b):
        return 0
    n, doc_now, end = 0, -1, -1
    for d, e in zip(doc.tolist(), b.tolist(), strict=True):
        if d != doc_now:
            doc_now, end = d, e
        elif e <= end:
            n += 1
        else:
            end = e
    return n


def _differing_mentions(corpus: Corpus) -> Iterator[tuple[int, str]]:
    """Annotations whose `mention` is not the text, and both."""
    for k, mention in enumerate(corpus.fields.get("mention", ())):
        surface = _text(corpus, corpus.doc[k], corpus.a[k], corpus.b[k])
        if isinstance(mention, str) and mention and surface is not None and mention != surface:
            yield k, f"mention {mention!r}, text {surface!r}"


def _text(corpus: Corpus, doc: Any, a: Any, b: Any) -> str | None:
    text = corpus.documents.texts.get(int(doc))
    return None if text is None else text[int(a) : int(b)]


def _has_blank_edge(surface: str | None) -> bool:
    return bool(surface) and (surface[0].isspace() or surface[-1].isspace())  # type: ignore[index]  # not empty here


def _document(corpus: Corpus, d: int) -> str:
    documents = corpus.documents
    name = documents.doc_id[d] or documents.itext[d]
    where = f"{documents.files[int(documents.file[d])]}: document {documents.position[d]}"
    return where if name in (None, str(documents.position[d])) else f"{where} ({name})"


def _annotation(corpus: Corpus, k: int) -> str:
    return f"{_document(corpus, int(corpus.doc[k]))}: [{corpus.a[k]}, {corpus.b[k]})"


def _place(rows: Predictions, k: int) -> str:
    place = rows.places[k]
    where = f"{place.file or 'row'}:{place.line}"
    return f"{where}: [{rows.a[k]}, {rows.b[k]})"

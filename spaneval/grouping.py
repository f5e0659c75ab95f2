"""
Which group everything belongs to: a field → a code for each annotation, prediction and bad row.

A matched prediction belongs to the group of its annotation, so one code per annotation and one per prediction is all
that counting needs. What a field cannot place belongs to the group `(none)`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from spaneval.corpus import FloatArray, IntArray
from spaneval.exceptions import FormatError
from spaneval.loaders.scalars import BAD, integral, is_missing, number
from spaneval.nearest import nearest
from spaneval.problems import Problem

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

NONE: Final = "(none)"
LENGTHS: Final = MappingProxyType({1: "1–4", 5: "5–9", 10: "10–19", 20: "20–39", 40: "40+"})
"""Groups of `length` by the fewest characters."""
FREQUENCIES: Final = MappingProxyType({1: "1", 2: "2–5", 6: "6–20", 21: "21+"})
"""Groups of `gold_frequency` by the least frequency."""

Side = Literal["both", "predictions", "gold"]
_DIGITS: Final = "0123456789"


class Grouping(NamedTuple):
    """
    The groups of one field.

    Args:
        values: Their names, in the order of reports.
        gold: Group of each annotation, int64 of shape (G,); where only predictions are grouped, not used.
        pred: Group of each scored prediction, int64 of shape (S,). That of a matched one is only used where predictions
            alone are grouped.
        bad: Group of each bad row, int64 of shape (B,); not used where only gold is grouped.
        side: Whether annotations and predictions are grouped, or one of the two.

    """

    values: list[str]
    gold: IntArray
    pred: IntArray
    bad: IntArray
    side: Side = "both"


def grouping(evaluation: Evaluation, field: str) -> Grouping:
    """
    The groups of a field.

    Args:
        evaluation: What is grouped.
        field: One of `FIELDS`, or a key of annotations or rows that was kept.

    Raises:
        FormatError: If neither an annotation nor a row has such a key, or a score is no number.

    """
    return FIELDS.get(field, _by_key(field))(evaluation)


def _by_document(evaluation: Evaluation) -> Grouping:
    names = np.array(evaluation.document_names, dtype=object)
    docs = (evaluation.corpus.doc, evaluation.scored.doc, evaluation.bad_doc)
    return _coded(*(names[doc].tolist() for doc in docs), always=evaluation.document_names)


def _by_file(evaluation: Evaluation) -> Grouping:
    """The gold file; documents that only rows name are in none."""
    documents = evaluation.corpus.documents
    n_extra = len(evaluation.document_names) - len(documents)
    names = np.array([documents.files[k] for k in documents.file] + [None] * n_extra, dtype=object)
    docs = (evaluation.corpus.doc, evaluation.scored.doc, evaluation.bad_doc)
    return _coded(*(names[doc].tolist() for doc in docs), always=documents.files)


def _by_namespace(evaluation: Evaluation) -> Grouping:
    """Ids as they are compared; an annotation with ids of several namespaces is in the group of all of them."""
    ids, options = evaluation.ids, evaluation.options
    unsaid = namespace(min(options.nil)) if options.null_is_nil else None  # what a prediction without id claims
    gold = np.array([*(namespaces(x) for x in ids.gold_translated), None], dtype=object)
    pred = np.array([*(None if x is None else namespace(x) for x in ids.translated), unsaid], dtype=object)
    n_bad = len(evaluation.bad_doc)
    return _coded(gold[evaluation.corpus.id].tolist(), pred[evaluation.scored.id].tolist(), [None] * n_bad)


def namespace(id_: str) -> str:
    """All of an id before its final digits; `(digits)` for an id that is nothing else."""
    return id_.rstrip(_DIGITS) or "(digits)"


def namespaces(ids: Iterable[str]) -> str:
    """The namespaces of an annotation's ids, each once, joined by `|` in code-point order."""
    return "|".join(sorted({namespace(x) for x in ids}))


def _by_length(evaluation: Evaluation) -> Grouping:
    corpus, scored = evaluation.corpus, evaluation.scored
    gold, pred = (binned(side.b - side.a, LENGTHS) for side in (corpus, scored))
    return _coded(gold, pred, [None] * len(evaluation.bad_doc), order=list(LENGTHS.values()))


def _by_gold_frequency(evaluation: Evaluation) -> Grouping:
    corpus = evaluation.corpus
    rows = np.arange(len(corpus)) if corpus.is_ignored is None else np.flatnonzero(~corpus.is_ignored)
    found = frequencies(evaluation.ids.gold_translated, np.bincount(corpus.id[rows] + 1)[1:].tolist())
    gold = binned(np.array([*found, 0], dtype=np.int64)[corpus.id], FREQUENCIES)
    made = _coded(gold, [], [], order=list(FREQUENCIES.values()))
    return made._replace(pred=np.zeros(len(evaluation.scored.doc), np.int64), side="gold")


def frequencies(ids: Sequence[tuple[str, ...]], times: Sequence[int]) -> list[int]:
    """
    How often the gold id of each code occurs among the counted annotations.

    Args:
        ids: The ids of each code, as compared.
        times: How many counted annotations have the code; those of the last codes may be missing, and are 0.

    Returns:
        Of several acceptable ids, the frequency of the most frequent; at least 1.

    """
    occurrences: Counter[str] = Counter()
    for several, n in zip(ids, times, strict=False):
        for id_ in several:
            occurrences[id_] += n
    return [max(1, *(occurrences[id_] for id_ in several)) for several in ids]


def binned(numbers: IntArray, bins: MappingProxyType[int, str] | dict[int, str]) -> list[str | None]:
    """The name of the bin of each number, where bins go by their least number; None below the first."""
    names = np.array([None, *bins.values()], dtype=object)
    found: list[str | None] = names[np.searchsorted(list(bins), numbers, side="right")].tolist()
    return found


def _by_score(evaluation: Evaluation) -> Grouping:
    """
    Tenths of the scores of the predictions that count.

    The edges are scores that occur: the k-th is the least one that k tenths of the predictions do not exceed
    (definition 1 of Hyndman & Fan 1996). So equal scores are always in one group, and where edges are equal there are
    fewer than ten groups.
    """
    scored = evaluation.scored
    scores = _scores(evaluation)
    is_counted = ~np.isnan(scores)
    if scored.is_out_of_scope is not None:
        is_counted &= ~scored.is_out_of_scope
    is_counted[evaluation.pairs_by_row.pred[evaluation.pairs_by_row.is_ignored]] = False
    names, edges = tenths(scores[is_counted])
    place = np.clip(np.searchsorted(edges[1:], scores, side="left"), 0, max(len(names) - 1, 0))
    shown = np.array([*names, None], dtype=object)
    pred = shown[np.where(np.isnan(scores), len(names), place)].tolist()
    made = _coded([], pred, [None] * len(evaluation.bad_doc), order=names)
    return made._replace(gold=np.zeros(len(evaluation.corpus), np.int64), side="predictions")


def tenths(scores: FloatArray) -> tuple[list[str], FloatArray]:
    """
    Names of the tenths of some scores, as `[0.1, 0.4]`, `(0.4, 0.55]`, and the edges between them.

    Args:
        scores: float64 of shape (N,), finite.

    Returns:
        Up to ten names, none without scores; and the edges, one more than names, the lowest score first.

    """
    if not len(scores):
        return [], np.zeros(0)
    ordered = np.sort(scores)
    upper = ordered[[-(-k * len(ordered) // 10) - 1 for k in range(1, 11)]]  # the ceiling, in integers
    edges = np.concatenate([ordered[:1], np.unique(upper)])
    texts = [_number_text(x) for x in edges.tolist()]
    names = [f"{'(' if k else '['}{low}, {high}]" for k, (low, high) in enumerate(pairwise(texts))]
    return names, edges


def _scores(evaluation: Evaluation) -> FloatArray:
    """The score of each scored prediction, NaN where there is none."""
    rows, column = evaluation.scored.row, evaluation.predictions.fields.get("score")
    if column is None or (column and not _has(evaluation, "score")):
        raise _no_such_key(evaluation, "score")
    kept = column if rows is None else [column[row] for row in rows.tolist()]
    result = np.full(len(kept), np.nan)
    for k, value in enumerate(kept):
        if is_missing(value):
            continue
        found = number(value, from_text=True)
        if found is BAD:
            place = evaluation.place_of(k)
            message = f"the score {value!r} is no number, which --by score needs"
            raise FormatError([Problem(message, place.file, place.line if place.has_lines else None, kind=FormatError)])
        result[k] = found
    return result


def _by_key(field: str) -> Callable[[Evaluation], Grouping]:
    """A key of annotations and rows, whatever its values are."""

    def make(evaluation: Evaluation) -> Grouping:
        corpus, rows = evaluation.corpus, evaluation.predictions
        if len(corpus) + len(rows) and not _has(evaluation, field):
            raise _no_such_key(evaluation, field)
        if field in corpus.keys and field not in corpus.fields:
            raise ValueError(f"the gold was read without {field!r}; read it with by={field!r}")
        gold = corpus.fields.get(field) or [None] * len(corpus)
        pred = rows.fields.get(field) or [None] * len(rows)
        if evaluation.scored.row is not None:
            pred = [pred[row] for row in evaluation.scored.row.tolist()]
        return _coded([*map(_text, gold)], [*map(_text, pred)], [None] * len(evaluation.bad_doc))

    return make


def _has(evaluation: Evaluation, field: str) -> bool:
    """Whether a row, or an annotation where that matters, has the key."""
    theirs = evaluation.options.fields.get(field, field)
    is_in_gold = field != "score" and field in evaluation.corpus.keys
    return is_in_gold or theirs in evaluation.predictions.seen_fields


def _no_such_key(evaluation: Evaluation, field: str) -> FormatError:
    """What to say of a field that nothing has, with the nearest of all keys that were seen."""
    seen = evaluation.predictions.seen_fields | (frozenset() if field == "score" else evaluation.corpus.keys)
    what = "row" if field == "score" else "annotation and no row"
    near = nearest(field, sorted({*seen, *FIELDS}), 1)
    hint = f"--field score=NAME names the field; found: {', '.join(sorted(seen))}" if field == "score" else None
    if near and near[0] != field:
        hint = f"is '{near[0]}' meant?"
    found = "" if hint else f" (found: {', '.join(sorted(seen)) or 'nothing'})"
    return FormatError([Problem(f"--by {field}: no {what} has '{field}'{found}", hint=hint, kind=FormatError)])


def _text(value: Any) -> str | None:
    """A value as the name of a group: text as it is, integral numbers as their digits, anything else as JSON."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return str(value)
    found = integral(value)
    if found is not BAD:
        return str(found)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _number_text(value: float) -> str:
    """The shortest text that is the number."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _coded(
    gold: Sequence[str | None],
    pred: Sequence[str | None],
    bad: Sequence[str | None],
    *,
    order: Sequence[str] | None = None,
    always: Iterable[str] = (),
) -> Grouping:
    """
    Groups by name, None being `(none)`.

    Args:
        gold, pred, bad: The group of each annotation, prediction and bad row.
        order: The order of the names, if it is not that of `in_order`.
        always: Groups that are there even if nothing belongs to them.

    """
    named = [[NONE if x is None else x for x in side] for side in (gold, pred, bad)]
    found = {*always}.union(*named)
    values = in_order(found) if order is None else [x for x in (*order, NONE) if x in found]
    code = {value: k for k, value in enumerate(values)}
    gold_code, pred_code, bad_code = (np.array([code[x] for x in side], dtype=np.int64) for side in named)
    return Grouping(values, gold_code, pred_code, bad_code)


def in_order(names: Iterable[str]) -> list[str]:
    """Names that are numbers by their size, then the others in code-point order, `(none)` last."""

    def key(name: str) -> tuple[bool, bool, int, str]:
        is_number = name.isascii() and name.isdigit() and len(name) < 20
        return name == NONE, not is_number, int(name) if is_number else 0, name

    return sorted(names, key=key)


FIELDS: Final[MappingProxyType[str, Callable[[Evaluation], Grouping]]] = MappingProxyType(
    {
        "document": _by_document,
        "file": _by_file,
        "namespace": _by_namespace,
        "length": _by_length,
        "score": _by_score,
        "gold_frequency": _by_gold_frequency,
    }
)
"""Fields that mean something of their own; any other is a key of annotations and rows."""


ALWAYS: Final = ("document", "file")
"""Fields whose groups are there even if nothing belongs to them."""


def row_fields(by: Iterable[str]) -> tuple[str, ...]:
    """The keys of the rows that have to be kept for these fields."""
    return tuple(field for field in dict.fromkeys(by) if field not in FIELDS or field == "score")


def gold_fields(by: Iterable[str]) -> tuple[str, ...]:
    """The keys of the annotations that have to be kept for these fields."""
    return tuple(field for field in dict.fromkeys(by) if field not in FIELDS)

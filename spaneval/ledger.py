"""
The ledger: every pair, every missed annotation and every spurious prediction, as rows with their spans, texts and ids.

It is a view of an evaluation; nothing is decided here. Rows stand in document order, in each document by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.values.ids import Outcome

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

COLUMNS: Final = (
    "document",
    "file",
    "outcome",
    "gold_a",
    "gold_b",
    "gold_text",
    "gold_id",
    "a",
    "b",
    "text",
    "predicted_id",
    "translated_id",
    "pred_file",
    "pred_line",
)
"""Keys of a row. `outcome` is that of the pair, or `ignored`, `missed`, `spurious`, `out_of_scope`."""

INTEGERS: Final = ("gold_a", "gold_b", "a", "b", "pred_line")
"""Those of `COLUMNS` that hold integers."""


def rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """The rows, each with all `COLUMNS`; None where a side is missing, and a list where a gold id has alternatives."""
    corpus, scored, pairs = evaluation.corpus, evaluation.scored, evaluation.pairs_by_row
    is_paired_gold = np.zeros(len(corpus), np.bool_)
    is_paired_gold[pairs.gold] = True
    is_paired_pred = np.zeros(len(scored.doc), np.bool_)
    is_paired_pred[pairs.pred] = True
    missed = ~is_paired_gold if corpus.is_ignored is None else ~is_paired_gold & ~corpus.is_ignored
    gold = np.concatenate([pairs.gold, np.flatnonzero(missed)])
    pred = np.concatenate([pairs.pred, np.full(int(missed.sum()), -1)])
    spurious = np.flatnonzero(~is_paired_pred)
    gold = np.concatenate([gold, np.full(len(spurious), -1)])
    pred = np.concatenate([pred, spurious])
    verdict = [_verdict(evaluation, k) for k in range(len(pairs))]
    verdict += ["missed"] * int(missed.sum())
    out = scored.is_out_of_scope
    verdict += ["spurious" if out is None or not out[p] else "out_of_scope" for p in spurious.tolist()]
    has_gold = gold >= 0
    doc = np.where(has_gold, _at(corpus.doc, gold), _at(scored.doc, pred))
    a = np.where(has_gold, _at(corpus.a, gold), _at(scored.a, pred))
    b = np.where(has_gold, _at(corpus.b, gold), _at(scored.b, pred))
    for k in np.lexsort((~has_gold, b, a, doc)).tolist():
        yield _row(evaluation, int(doc[k]), int(gold[k]), int(pred[k]), verdict[k])


def _at(values: Any, index: Any) -> Any:
    """`values[index]`, anything where the index is -1."""
    return values[index] if len(values) else np.zeros(len(index), dtype=np.int64)


def _verdict(evaluation: Evaluation, k: int) -> str:
    pairs = evaluation.pairs_by_row
    return "ignored" if pairs.is_ignored[k] else Outcome(int(pairs.outcome[k])).label


def _row(evaluation: Evaluation, doc: int, gold: int, pred: int, verdict: str) -> dict[str, Any]:
    documents, ids = evaluation.corpus.documents, evaluation.ids
    text = documents.texts.get(doc)
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row["document"] = evaluation.document_names[doc]
    row["file"] = documents.files[documents.file[doc]] if doc < len(documents) else None
    row["outcome"] = verdict
    if gold >= 0:
        corpus = evaluation.corpus
        row["gold_a"], row["gold_b"] = int(corpus.a[gold]), int(corpus.b[gold])
        row["gold_text"] = _surface(text, row["gold_a"], row["gold_b"])
        code = int(corpus.id[gold])
        row["gold_id"] = None if code < 0 else _one_or_list(corpus.ids[code])
    if pred >= 0:
        scored = evaluation.scored
        row["a"], row["b"] = int(scored.a[pred]), int(scored.b[pred])
        row["text"] = _surface(text, row["a"], row["b"])
        code = int(scored.id[pred])
        row["predicted_id"] = None if code < 0 else ids.pred_ids[code]
        row["translated_id"] = None if code < 0 else ids.translated[code]
        place = evaluation.place_of(pred)
        row["pred_file"], row["pred_line"] = place.file, place.line
    return row


def _surface(text: str | None, a: int, b: int) -> str | None:
    return None if text is None else text[a:b]


def _one_or_list(ids: tuple[str, ...]) -> str | list[str]:
    return ids[0] if len(ids) == 1 else list(ids)


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for formats without lists: several gold ids are joined by `|`."""
    gold_id = row["gold_id"]
    return dict(row) | {"gold_id": "|".join(gold_id) if isinstance(gold_id, list) else gold_id}

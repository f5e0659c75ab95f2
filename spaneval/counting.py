"""
Pairs and codes → counts per document, for spans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.counts import Counts
from spaneval.values.ids import Ids, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Side(NamedTuple):
    """
    Annotations or predictions as far as they are counted.

    Args:
        doc: Document of each row, int32 of shape (N,).
        id: Id code of each row, int32 of shape (N,).
        is_counted: False for ignored annotations and predictions out of scope, bool of shape (N,); None if all count.

    """

    doc: CodeArray
    id: CodeArray
    is_counted: BoolArray | None = None


class Pairs(NamedTuple):
    """
    Who was paired with whom, and what came of it.

    Args:
        gold: Row of the annotation, int64 of shape (K,), ascending.
        pred: Row of the prediction among those scored, int64 of shape (K,).
        outcome: Values of `Outcome`, int8 of shape (K,).
        is_ignored: Whether the annotation is ignored, so that the pair counts nowhere, bool of shape (K,).

    """

    gold: IntArray
    pred: IntArray
    outcome: NDArray[np.int8]
    is_ignored: BoolArray

    def __len__(self) -> int:
        return len(self.gold)


def out_of_scope(
    scope: IntArray | None, doc: CodeArray, a: IntArray, b: IntArray, paired: IntArray
) -> BoolArray | None:
    """
    Which predictions are out of scope: unpaired, and not wholly inside the evaluation span of their document.

    Args:
        scope: Evaluation span by gold document, int64 of shape (D, 2), (-1, -1) where there is none; None without any.
        doc, a, b: Document and span of each prediction, shape (P,).
        paired: Rows of the predictions that are paired.

    Returns:
        bool of shape (P,); None where no document has an evaluation span.

    """
    if scope is None:
        return None
    has_scope = np.append(scope[:, 0] >= 0, False)
    number = np.minimum(doc, len(scope))  # documents that are not in the gold have no evaluation span
    bounds = np.concatenate([scope, [[-1, -1]]])[number]
    result: BoolArray = has_scope[number] & ((a < bounds[:, 0]) | (b > bounds[:, 1]))
    result[paired] = False
    return result


def count(
    n_documents: int,
    n_gold_documents: int,
    gold: Side,
    pred: Side,
    pairs: Pairs,
    ids: Ids,
    *,
    bad_doc: CodeArray,
    bad_has_id: BoolArray,
    n_named_documents: int | None = None,
) -> Counts:
    """
    Count everything, document by document.

    Args:
        n_documents: All documents, those that are not in the gold last.
        n_gold_documents: Those of the gold.
        gold: The annotations; ignored ones do not count.
        pred: The predictions; those out of scope, or paired with an ignored annotation, do not count.
        pairs: Pairs of rows of both.
        ids: What the id codes stand for.
        bad_doc: Document of each row that could not be read.
        bad_has_id: Whether it had an id.
        n_named_documents: Those that gold or rows name; only these can be unknown. None if all are.

    """

    def per_document(doc: CodeArray, chosen: BoolArray | None = None) -> IntArray:
        return np.bincount(doc if chosen is None else doc[chosen], minlength=n_documents).astype(np.int64, copy=False)

    counted = ~pairs.is_ignored
    is_pred_counted = np.ones(len(pred.doc), np.bool_) if pred.is_counted is None else pred.is_counted.copy()
    is_pred_counted[pairs.pred[pairs.is_ignored]] = False
    gold_doc, gold_id = (
        (gold.doc, gold.id) if gold.is_counted is None else (gold.doc[gold.is_counted], gold.id[gold.is_counted])
    )
    pred_doc, pred_id = pred.doc[is_pred_counted], pred.id[is_pred_counted]
    pair_doc = gold.doc[pairs.gold]
    outcome_cell = pair_doc[counted].astype(np.int64) * len(Outcome) + pairs.outcome[counted]
    by_outcome = np.bincount(outcome_cell, minlength=n_documents * len(Outcome)).reshape(-1, len(Outcome)).T
    comparable = by_outcome[Outcome.CORRECT] + by_outcome[Outcome.WRONG]
    is_nil_gold = _chosen(ids.is_nil_gold, gold.id[pairs.gold]) & counted
    is_nil_pred = _chosen(ids.is_nil_pred, pred.id[pairs.pred])
    nil_correct = per_document(pair_doc, is_nil_gold & (pairs.outcome == Outcome.CORRECT))
    nil_wrong = per_document(pair_doc, is_nil_gold & (pairs.outcome == Outcome.WRONG))
    claims = (pred_id >= 0) | ids.is_nil_pred[pred_id]
    return Counts.from_columns(
        n_documents,
        n_gold=per_document(gold_doc),
        n_predicted=per_document(pred_doc) + per_document(bad_doc),
        n_matched=per_document(pair_doc, counted),
        n_id_comparable=comparable,
        n_id_correct=by_outcome[Outcome.CORRECT],
        n_gold_with_id=per_document(gold_doc, gold_id >= 0),
        n_predicted_with_id=per_document(pred_doc, claims) + per_document(bad_doc, bad_has_id),
        n_ignored_pairs=per_document(pair_doc, pairs.is_ignored),
        n_out_of_scope=per_document(pred.doc[:0] if pred.is_counted is None else pred.doc[~pred.is_counted]),
        n_bad_rows=per_document(bad_doc),
        n_no_gold_id=by_outcome[Outcome.NO_GOLD_ID],
        n_no_predicted_id=by_outcome[Outcome.NO_PREDICTED_ID],
        n_unmapped=by_outcome[Outcome.UNMAPPED],
        n_minted=by_outcome[Outcome.MINTED],
        n_unknown_docs_rows=_between(
            n_gold_documents, n_named_documents, per_document(pred.doc) + per_document(bad_doc)
        ),
        n_gold_nil=per_document(gold_doc, _chosen(ids.is_nil_gold, gold_id)),
        n_predicted_nil=per_document(pred_doc, _chosen(ids.is_nil_pred, pred_id)),
        n_nil_correct=per_document(pair_doc, is_nil_pred & counted & (pairs.outcome == Outcome.CORRECT)),
        n_in_kb_comparable=comparable - nil_wrong - nil_correct,
        n_in_kb_correct=by_outcome[Outcome.CORRECT] - nil_correct,
    )


def _chosen(is_nil: BoolArray, id: CodeArray) -> BoolArray:  # noqa: A002 - as in `Side`
    """Which rows have an id that is NIL; quick where no id is."""
    return is_nil[id] if is_nil.any() else np.zeros(len(id), np.bool_)


def _between(first: int, end: int | None, rows: IntArray) -> IntArray:
    """Rows of the documents from `first` on and before `end`, 0 for the others."""
    result = np.zeros_like(rows)
    result[first:end] = rows[first:end]
    return result

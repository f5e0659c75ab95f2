"""
The recommended reading of a review: what stands there in the end, against what the model wrote.

Each field of each found record gets one of five decisions. What the model wrote is the value of the earliest audit row
of that field, or the final value where there is none; so it does not matter how often a person corrected a field, and a
correction that was taken back is no error. Records that were deleted are invented ones, records that a person added are
missing ones, and those that a person added and deleted again never were.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from spaneval.corpus import BoolArray, IntArray
from spaneval.counts import Counts
from spaneval.kinds import REVIEW
from spaneval.loaders.audit_db import Review
from spaneval.records.decisions import Decisions
from spaneval.values.fields import Decision

EMPTY: Final = frozenset((None, "", "[]", "{}"))
"""Texts of a value that is not there, all of them one value."""

FATES: Final = ("errors", "taken_back", "later", "other_columns", "of_deleted", "of_added")
"""
What an audit row is: that of an error, of a value that came back, one after the first of its field, of a column that is
no field, of a record that was deleted, of one that a person added.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """
    What was counted.

    Args:
        counts: Per reviewed document.
        verified_records: Records of these documents.
        column_edits: Corrections by column, for columns that have any.
        column_accuracy: By field; None where there is no record to tell.
        decisions: One per field of each found record; None where final values were not looked at.
        fates: How many audit rows came to what; empty where they were just counted.

    """

    counts: Counts
    verified_records: int
    column_edits: dict[str, int]
    column_accuracy: dict[str, float | None]
    decisions: Decisions | None = None
    fates: dict[str, int] = field(default_factory=dict)


def decide(final: str | None, original: str | None) -> Decision:
    """The decision on what stands there in the end and what the model wrote, both as text."""
    if final in EMPTY:
        return Decision.TN if original in EMPTY else Decision.FP
    if original in EMPTY:
        return Decision.FN
    return Decision.TP if final == original else Decision.FPFN


def tally(review: Review, major: frozenset[str]) -> Tally:
    """
    Count errors, not corrections.

    Args:
        review: What was reviewed.
        major: Fields whose errors are major.

    """
    found = np.flatnonzero(review.is_found)
    originals, fates = _originals(review, found)
    decisions = _decisions(review, found, originals, fates)
    n_fields, n_documents, doc = len(review.fields), len(review.documents), review.doc
    is_wrong = ~decisions.is_right.reshape(len(found), n_fields)
    is_major = np.array([name in major for name in review.fields], dtype=np.bool_)

    def per_document(of: BoolArray | IntArray) -> IntArray:
        return np.bincount(doc[of], minlength=n_documents)

    def of_found(numbers: Any) -> IntArray:
        return np.bincount(doc[found], weights=numbers, minlength=n_documents).astype(np.int64)

    extracted, deleted = per_document(~review.is_added), per_document(~review.is_added & review.is_deleted)
    added = per_document(review.is_added & ~review.is_deleted)
    counts = Counts.from_columns(
        n_documents,
        kind=REVIEW,
        documents=np.ones(n_documents, dtype=np.int64),
        model_extracted=extracted,
        human_added=added,
        deleted=deleted,
        records_found=extracted - deleted,
        records_with_edits=of_found(is_wrong.any(axis=1)),
        records_with_major_edit=of_found(is_wrong[:, is_major].any(axis=1)),
        total_fields=extracted * n_fields,
        true_fields=(extracted - deleted + added) * n_fields,
        deleted_fields=deleted * n_fields,
        edited_fields=of_found(is_wrong.sum(axis=1)),
        major_edits=of_found(is_wrong[:, is_major].sum(axis=1)),
        minor_edits=of_found(is_wrong[:, ~is_major].sum(axis=1)),
        **decisions.by_document(),
    )
    wrong = dict(zip(review.fields, is_wrong.sum(axis=0).tolist(), strict=True))
    return Tally(
        counts,
        verified_records=int(extracted.sum() + added.sum()),
        column_edits={name: n for name, n in wrong.items() if n},
        column_accuracy={name: (len(found) - n) / len(found) if len(found) else None for name, n in wrong.items()},
        decisions=decisions,
        fates=fates,
    )


def _originals(review: Review, found: IntArray) -> tuple[dict[int, str | None], dict[str, int]]:
    """What the model wrote where it was corrected, by number of the decision; and fates of audit rows."""
    n_fields, is_added = len(review.fields), review.is_added.tolist()
    first = {record: k * n_fields for k, record in enumerate(found.tolist())}
    column = {name: k for k, name in enumerate(review.fields)}
    originals: dict[int, str | None] = {}
    fates: Counter[str] = Counter()
    for record, name, original in review.edits:
        if is_added[record]:
            fates["of_added"] += 1
        elif record not in first:
            fates["of_deleted"] += 1
        elif name not in column:
            fates["other_columns"] += 1
        elif (place := first[record] + column[name]) in originals:
            fates["later"] += 1
        else:
            originals[place] = original
    return originals, {fate: fates[fate] for fate in FATES}


def _decisions(review: Review, found: IntArray, originals: dict[int, str | None], fates: dict[str, int]) -> Decisions:
    """The table, record by record; sets the fates that need final values."""
    n_fields = len(review.fields)
    final = list(chain.from_iterable(review.values[record] for record in found.tolist()))
    extracted = final.copy()
    is_empty = np.fromiter(map(EMPTY.__contains__, final), dtype=np.bool_, count=len(final))
    decision: NDArray[np.int8] = np.where(is_empty, Decision.TN, Decision.TP).astype(np.int8)
    reason: list[str | None] = [None] * len(final)
    for k, original in originals.items():
        extracted[k] = original
        one = decide(final[k], original)
        decision[k] = one
        reason[k] = "corrected, and taken back" if one.is_right else None
        fates["taken_back" if one.is_right else "errors"] += 1
    starts = [f"{review.ids[record]}." for record in found.tolist()]
    return Decisions(
        documents=review.documents,
        fields=review.fields,
        doc=np.repeat(review.doc[found], n_fields).astype(np.int32),
        field=np.tile(np.arange(n_fields, dtype=np.int32), len(found)),
        path=[start + name for start in starts for name in review.fields],
        gold=final,
        extracted=extracted,
        decision=decision,
        reason=reason,
    )

"""
The readings of EcoExtract: every correction of a record of the model counts, whatever became of the record.

`documented` has the formulas of its ACCURACY.md, with the fields of the schema. `ecoextract` has what its code returns:
there, every column of the table of records is a field, but for five. Special cases are kept: corrections of deleted
records count, and of columns that are no field; a correction that was taken back counts, and so does taking it back; a
record that a person added and deleted again counts as missed; field F1 has no value where no field is right.

Source: EcoExtract, ACCURACY.md, and its function calculate_accuracy (version 0.1.20).
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from spaneval.corpus import BoolArray, FloatArray, IntArray
from spaneval.counts import Counts
from spaneval.kinds import REVIEW
from spaneval.loaders.audit_db import Review
from spaneval.measure import Measure, Totals
from spaneval.profiles.audited import Tally
from spaneval.record_measures import registry

NO_FIELDS: Final = ("id", "document_id", "record_id", "added_by_user", "deleted_by_user")
"""Columns of `records` that the code does not take for fields."""


def fields_of(review: Review, *, as_coded: bool) -> tuple[str, ...]:
    """The fields: those of the schema, or those that the code takes for fields."""
    if not as_coded:
        return review.fields
    return tuple(column for column in review.columns if column not in NO_FIELDS)


def tally(review: Review, major: frozenset[str], *, as_coded: bool) -> Tally:
    """
    Count as EcoExtract does.

    Args:
        review: What was reviewed.
        major: Fields whose corrections are major.
        as_coded: Whether all columns are fields, but for `NO_FIELDS`.

    """
    fields = fields_of(review, as_coded=as_coded)
    n_documents, doc = len(review.documents), review.doc

    def per_document(chosen: IntArray | BoolArray) -> IntArray:
        return np.bincount(doc[chosen], minlength=n_documents)

    is_model = ~review.is_added
    edits = [edit for edit in review.edits if is_model[edit.record]]
    record = np.array([edit.record for edit in edits], dtype=np.int64)
    is_major = np.array([edit.column in major for edit in edits], dtype=np.bool_)
    extracted, deleted = per_document(is_model), per_document(is_model & review.is_deleted)
    added = per_document(review.is_added)
    counts = Counts.from_columns(
        n_documents,
        kind=REVIEW,
        documents=np.ones(n_documents, dtype=np.int64),
        model_extracted=extracted,
        human_added=added,
        deleted=deleted,
        records_found=extracted - deleted,
        records_with_edits=per_document(np.unique(record)),
        records_with_major_edit=per_document(np.unique(record[is_major])),
        total_fields=extracted * len(fields),
        true_fields=(extracted - deleted + added) * len(fields),
        deleted_fields=deleted * len(fields),
        edited_fields=per_document(record),
        major_edits=per_document(record[is_major]),
        minor_edits=per_document(record[~is_major]),
    )
    column_edits = Counter(edit.column for edit in edits)
    n_extracted = int(is_model.sum())
    accuracy: dict[str, float | None] = {}
    if n_extracted:
        accuracy = {name: 1 - column_edits[name] / n_extracted for name in fields}
    order = [*fields, *sorted(column_edits.keys() - set(fields))]
    return Tally(counts, len(doc), {name: column_edits[name] for name in order if column_edits[name]}, accuracy)


class _HarmonicMean(Measure):
    """Field F1 as the harmonic mean of precision and recall, which needs both of them, and one above 0."""

    @property
    def _parts(self) -> tuple[Measure, Measure]:
        known = registry(REVIEW)
        return known["field_precision"], known["field_recall"]

    def value(self, totals: Totals) -> float | None:
        precision, recall = (part.value(totals) for part in self._parts)
        if precision is None or recall is None or precision + recall <= 0:
            return None
        return 2 * precision * recall / (precision + recall)

    def why_undefined(self, totals: Totals) -> str | None:
        if self.value(totals) is not None:
            return None
        missing = [f"{x.label.lower()} is undefined ({why})" for x in self._parts if (why := x.why_undefined(totals))]
        return " and ".join(missing) or "no field is right, so that the harmonic mean has no value"

    def values(self, counts: IntArray) -> FloatArray:
        precision, recall = (part.values(counts) for part in self._parts)
        result: FloatArray = np.full(precision.shape, np.nan)
        total = precision + recall
        with np.errstate(invalid="ignore"):  # NaN where one is undefined
            np.divide(2 * precision * recall, total, out=result, where=total > 0)
        return result


def measures() -> tuple[Measure, ...]:
    """The measures of these readings, in order; agreement of fields needs final values and is not among them."""
    known = registry(REVIEW)
    plain = {name: getattr(known["field_f1"], name) for name in Measure._fields}
    undefined = "no field is right, or field precision or field recall is undefined"
    f1 = _HarmonicMean(**plain | {"undefined": undefined})
    return tuple(f1 if name == "field_f1" else x for name, x in known.items() if name != "field_agreement")

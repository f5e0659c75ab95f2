"""
What is counted: the named columns of a table of counts, for spans and for each kind of records.

Counts, measures, intervals, tests, gates and saved runs are the same for all kinds; only the columns differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Kind(NamedTuple):
    """
    One kind of thing that is counted.

    Args:
        name: As in saved runs.
        columns: Names of the columns of `spaneval.counts.Counts.table`, in order.

    """

    name: str
    columns: tuple[str, ...]

    def position(self, column: str) -> int:
        """
        Where a column stands.

        Raises:
            KeyError: If there is no such column.

        """
        try:
            return self.columns.index(column)
        except ValueError:
            raise KeyError(column) from None


SPANS = Kind(
    "spans",
    (
        "n_gold",
        "n_predicted",
        "n_matched",
        "n_id_comparable",
        "n_id_correct",
        "n_gold_with_id",
        "n_predicted_with_id",
        "n_ignored_pairs",
        "n_out_of_scope",
        "n_bad_rows",
        "n_unknown_docs_rows",
        "n_no_gold_id",
        "n_no_predicted_id",
        "n_unmapped",
        "n_minted",
        "n_gold_nil",
        "n_predicted_nil",
        "n_nil_correct",
        "n_in_kb_comparable",
        "n_in_kb_correct",
    ),
)
"""
Spans with ids; docs/measures.md says what each column counts.

Every pair of counted annotations is in `n_matched` and has one outcome, so that `n_matched` is the sum of
`n_id_comparable` (correct or wrong), `n_no_gold_id`, `n_no_predicted_id`, `n_unmapped` and `n_minted`.
"""

DECISIONS = ("tp", "fp", "fn", "tn", "fpfn")
"""The five decisions on a compared field, as columns."""

FIELDS = Kind("records", (*DECISIONS, "n_records", "n_records_correct"))
"""Named fields of records that are paired by their id; a record is a document."""

LEAVES = Kind(
    "json",
    (
        "gold",
        "predicted",
        "equal",
        "tp",
        "fp",
        "fn",
        "fpfn",
        "rows_gold",
        "rows_predicted",
        "rows_paired",
        "rows_perfect",
    ),
)
"""
Leaves of JSON documents: `gold`, `predicted` and `equal` count all of them; the decisions those of paired rows alone.
"""

DOCUBENCH = Kind("docubench", ("score", "documents"))
"""Scores of JSON documents as DocuBench computes them, in billionths so that sums are exact; and how many there are."""

REVIEW = Kind(
    "audit",
    (
        *DECISIONS,
        "documents",
        "model_extracted",
        "human_added",
        "deleted",
        "records_found",
        "records_with_edits",
        "records_with_major_edit",
        "total_fields",
        "true_fields",
        "deleted_fields",
        "edited_fields",
        "major_edits",
        "minor_edits",
    ),
)
"""Records that a person reviewed; the decisions are those on the fields of found records."""


STATIC = {kind.name: kind for kind in (SPANS, FIELDS, LEAVES, DOCUBENCH, REVIEW)}
"""The kinds whose columns do not depend on the input, by name."""

CLASSES = "classes"
"""Name of the kinds that `labels` makes."""


def labels(classes: Sequence[str]) -> Kind:
    """
    Cells of a confusion matrix, one column for each: actual class × predicted class, row by row.

    Args:
        classes: Names of the K classes, in order.

    Returns:
        A kind of K × K columns; column k·K + j counts what is k and was taken for j.

    """
    return Kind(CLASSES, tuple(f"{actual}\x1f{predicted}" for actual in classes for predicted in classes))


def classes_of(kind: Kind) -> tuple[str, ...]:
    """The classes of a kind that `labels` made, in order."""
    return tuple(dict.fromkeys(column.partition("\x1f")[0] for column in kind.columns))


def unit_of(kind: Kind) -> str:
    """What people call that which has one row of counts, resampled and swapped as a whole."""
    return {FIELDS.name: "record", CLASSES: "object"}.get(kind.name, "document")

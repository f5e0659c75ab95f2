"""
One row of integers per document, in named columns: all that intervals, tests and groups need to know.

A measure is a function of the sum of such rows, so adding rows is exact and does not depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spaneval.corpus import IntArray

COLUMNS: tuple[str, ...] = (
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
)
"""The columns of `Counts.table`, in order; docs/measures.md says what each counts."""

_POSITION = {column: k for k, column in enumerate(COLUMNS)}


def column_position(column: str) -> int:
    """
    Where a column stands in `COLUMNS`.

    Raises:
        KeyError: If there is no such column.

    """
    return _POSITION[column]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """
    What was counted in each document.

    Every pair of counted annotations is in `n_matched` and has one outcome, so that `n_matched` is the sum of
    `n_id_comparable` (correct or wrong), `n_no_gold_id`, `n_no_predicted_id`, `n_unmapped` and `n_minted`.

    Args:
        table: One row per document, int64 of shape (D, C), columns as in `COLUMNS`.

    Raises:
        ValueError: If the table has another shape.

    """

    table: IntArray

    def __post_init__(self) -> None:
        if self.table.ndim != 2 or self.table.shape[1] != len(COLUMNS):
            raise ValueError(f"counts of shape {self.table.shape}; expected (documents, {len(COLUMNS)})")

    @classmethod
    def from_columns(cls, n_documents: int, **columns: IntArray) -> Counts:
        """
        Counts from single columns; those not given are 0.

        Args:
            n_documents: How many documents there are, D.
            columns: Integers of shape (D,), by names of `COLUMNS`.

        Raises:
            KeyError: If there is no such column.
            ValueError: If a column is not of length D.

        """
        table = np.zeros((n_documents, len(COLUMNS)), dtype=np.int64)
        for name, values in columns.items():
            if np.shape(values) != (n_documents,):
                raise ValueError(f"{name} has shape {np.shape(values)}; expected ({n_documents},)")
            table[:, column_position(name)] = values
        return cls(table)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, column: str) -> IntArray:
        """One column, int64 of shape (D,); a view. A name that is not in `COLUMNS` is a KeyError."""
        return self.table[:, column_position(column)]

    def __add__(self, other: Counts) -> Counts:
        """
        The documents of both, first those of `self`.

        This merges shards of a corpus, which share no document. Shards of one document's predictions cannot be
        merged after pairing: each would have used the same gold annotations.
        """
        return Counts(np.concatenate([self.table, other.table]))

    def totals(self) -> dict[str, int]:
        """The sum over all documents by column, as Python integers, in the order of `COLUMNS`."""
        return dict(zip(COLUMNS, self.table.sum(axis=0).tolist(), strict=True))

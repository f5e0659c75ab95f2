"""
One row of integers per document, in named columns: all that intervals, tests and groups need to know.

A measure is a function of the sum of such rows, so adding rows is exact and does not depend on their order.
"""

from __future__ import annotations

import numpy as np

from spaneval.corpus import IntArray
from spaneval.frozen import Frozen
from spaneval.kinds import SPANS, Kind


class Counts(Frozen):
    """
    What was counted in each document.

    Args:
        table: One row per document, int64 of shape (D, C).
        kind: Whose columns these are.

    Raises:
        ValueError: If the table has another shape.

    """

    table: IntArray
    kind: Kind = SPANS

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _check(self) -> None:
        n_columns = len(self.kind.columns)
        if self.table.ndim != 2 or self.table.shape[1] != n_columns:
            raise ValueError(f"counts of shape {self.table.shape}; expected (documents, {n_columns})")

    @classmethod
    def from_columns(cls, n_documents: int, /, kind: Kind = SPANS, **columns: IntArray) -> Counts:
        """
        Counts from single columns; those not given are 0.

        Args:
            n_documents: How many documents there are, D.
            kind: Whose columns these are.
            columns: Integers of shape (D,), by names of `kind.columns`.

        Raises:
            KeyError: If there is no such column.
            ValueError: If a column is not of length D.

        """
        table = np.zeros((n_documents, len(kind.columns)), dtype=np.int64)
        for name, values in columns.items():
            if np.shape(values) != (n_documents,):
                raise ValueError(f"{name} has shape {np.shape(values)}; expected ({n_documents},)")
            table[:, kind.position(name)] = values
        return cls(table, kind)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, column: str) -> IntArray:
        """One column, int64 of shape (D,); a view. A name that the kind does not have is a KeyError."""
        return self.table[:, self.kind.position(column)]

    def __add__(self, other: Counts) -> Counts:
        """
        The documents of both, first those of `self`.

        This merges shards of a corpus, which share no document. Shards of one document's predictions cannot be
        merged after pairing: each would have used the same gold annotations.
        """
        if self.kind != other.kind:
            raise ValueError(f"counts of {self.kind.name} and of {other.kind.name} cannot be merged")
        return Counts(np.concatenate([self.table, other.table]), self.kind)

    def totals(self) -> dict[str, int]:
        """The sum over all documents by column, as Python integers, in the order of the columns."""
        return dict(zip(self.kind.columns, self.table.sum(axis=0).tolist(), strict=True))

"""
What became of each piece of the gold, and what a system added: annotations and predictions, or values of records.

Runs hold these as columns in an order that does not depend on the system, so that two runs over the same gold line up
row by row. Comparisons and diffs ask both forms the same questions.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spaneval.corpus import CodeArray, IntArray
from spaneval.values.ids import Outcome


class Fate(IntEnum):
    """What became of an annotation or a gold value: the outcome of its pair, or none."""

    CORRECT = Outcome.CORRECT
    WRONG = Outcome.WRONG
    NO_GOLD_ID = Outcome.NO_GOLD_ID
    NO_PREDICTED_ID = Outcome.NO_PREDICTED_ID
    UNMAPPED = Outcome.UNMAPPED
    MINTED = Outcome.MINTED
    MISSED = 6

    @property
    def label(self) -> str:
        """As in reports: `no_gold_id`."""
        return self.name.lower()


class Annotations(NamedTuple):
    """
    Counted annotations and what became of them, N rows.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (N,), ascending.
        a, b: Span, int64 of shape (N,).
        ids: Acceptable ids of each, joined by `|` in text order; "" for none.
        fate: Values of `Fate`, int8 of shape (N,).
        predicted: The id of the prediction as written, "" for none.
        translated: The same as it is compared, "" where it is not, or for none.
        pred_a, pred_b: Span of the prediction, int64 of shape (N,); -1 where it was missed.

    """

    doc: CodeArray
    a: IntArray
    b: IntArray
    ids: list[str]
    fate: NDArray[np.int8]
    predicted: list[str]
    translated: list[str]
    pred_a: IntArray
    pred_b: IntArray

    @property
    def compared(self) -> list[str]:
        """The id that each pair was judged by: as compared, as written where it is not compared; "" for none."""
        return either(self.translated, self.predicted)

    def is_aligned(self, other: Annotations | Values) -> bool:
        """Whether the rows of both are of the same annotations."""
        return (
            isinstance(other, Annotations)
            and len(self.doc) == len(other.doc)
            and self.ids == other.ids
            and all(np.array_equal(getattr(self, part), getattr(other, part)) for part in ("doc", "a", "b"))
        )

    def row(self, k: int) -> dict[str, Any]:
        """Where one stands and its id."""
        return {"a": int(self.a[k]), "b": int(self.b[k]), "gold_id": self.ids[k] or None}

    def side(self, k: int) -> dict[str, Any]:
        """What one system made of it."""
        fate = Fate(self.fate[k])
        side: dict[str, Any] = {"outcome": fate.label, **_ids(self, k)}
        if fate != Fate.MISSED:
            side |= {"a": int(self.pred_a[k]), "b": int(self.pred_b[k])}
        return side


class Spurious(NamedTuple):
    """
    Predictions without a partner, in the order of document, span and id.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (M,).
        a, b: Span, int64 of shape (M,).
        predicted: The id as written, "" for none.
        translated: The same as it would be compared, "" where it would not, or for none.

    """

    doc: CodeArray
    a: IntArray
    b: IntArray
    predicted: list[str]
    translated: list[str]

    @property
    def compared(self) -> list[str]:
        """The id as compared, as written where it is not compared; "" for none."""
        return either(self.translated, self.predicted)

    @property
    def places(self) -> list[Hashable]:
        """Start and end of each."""
        return list(zip(self.a.tolist(), self.b.tolist(), strict=True))

    def row(self, k: int) -> dict[str, Any]:
        """Where one stands."""
        return {"a": int(self.a[k]), "b": int(self.b[k]), "gold_id": None}

    def side(self, k: int) -> dict[str, Any]:
        """What the system has there."""
        return {"outcome": "spurious", **_ids(self, k)}


def _ids(rows: Annotations | Spurious, k: int) -> dict[str, str | None]:
    """The predicted id as written and as compared, under the names of the ledger."""
    return {"predicted_id": rows.predicted[k] or None, "translated_id": rows.translated[k] or None}


def either(translated: Sequence[str], written: Sequence[str]) -> list[str]:
    """The first where it is not empty, else the second."""
    return [x or y for x, y in zip(translated, written, strict=True)]


class Values(NamedTuple):
    """
    Gold values of records and what became of them, N rows.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (N,), ascending.
        path: Where in the document each stands.
        gold: The value as text.
        fate: `CORRECT`, `WRONG` or `MISSED`, int8 of shape (N,).
        extracted: What was extracted in its place, as text; "" for nothing.

    """

    doc: CodeArray
    path: list[str]
    gold: list[str]
    fate: NDArray[np.int8]
    extracted: list[str]

    @property
    def compared(self) -> list[str]:
        """What each was judged by."""
        return self.extracted

    def is_aligned(self, other: Annotations | Values) -> bool:
        """Whether the rows of both are of the same values."""
        return (
            isinstance(other, Values)
            and np.array_equal(self.doc, other.doc)
            and self.path == other.path
            and self.gold == other.gold
        )

    def row(self, k: int) -> dict[str, Any]:
        """Where one stands and what it is."""
        return {"path": self.path[k], "gold": self.gold[k]}

    def side(self, k: int) -> dict[str, Any]:
        """What one system made of it."""
        return {"outcome": Fate(self.fate[k]).label, "extracted": self.extracted[k] or None}


class Extras(NamedTuple):
    """
    Values where the gold has none, in the order of document, path and value.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (M,).
        path: Where in the document each stands, without numbers of rows.
        extracted: The value as text.

    """

    doc: CodeArray
    path: list[str]
    extracted: list[str]

    @property
    def compared(self) -> list[str]:
        """The values."""
        return self.extracted

    @property
    def places(self) -> list[Hashable]:
        """The path of each."""
        return list(self.path)

    def row(self, k: int) -> dict[str, Any]:
        """Where one stands."""
        return {"path": self.path[k], "gold": None}

    def side(self, k: int) -> dict[str, Any]:
        """What the system has there."""
        return {"outcome": "spurious", "extracted": self.extracted[k]}

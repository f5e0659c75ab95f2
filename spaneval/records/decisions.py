"""
The table of decisions on fields: the source of every number about records.

A decision stands for one value of the gold, one that was extracted, or one of each, and says what became of it. Counts
per document and per field are sums over the table.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.kinds import DECISIONS
from spaneval.loaders.scalars import INT64_MAX, NumberText
from spaneval.values.fields import Decision

COLUMNS: Final = ("document", "path", "field", "gold", "extracted", "decision", "reason")
"""Keys of a row."""

_PLAIN: Final = (str, type(None))  # what every report says as it is


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """
    One row per decision.

    Args:
        documents: Names of the D documents, or records.
        fields: Names of the F fields.
        doc: Document of each decision, int32 of shape (N,).
        field: Field of each decision, a number in `fields`, int32 of shape (N,).
        path: Where in the document it stands, of shape (N,).
        gold: The gold value, a JSON value; None where there is none.
        extracted: What was extracted.
        decision: `Decision` of each, int8 of shape (N,).
        reason: More than the decision says, in words; None without.

    Raises:
        ValueError: If the columns are of different lengths.

    """

    documents: Sequence[str]
    fields: Sequence[str]
    doc: CodeArray
    field: CodeArray
    path: Sequence[str]
    gold: Sequence[Any]
    extracted: Sequence[Any]
    decision: NDArray[np.int8]
    reason: Sequence[str | None]

    def __post_init__(self) -> None:
        columns = (self.doc, self.field, self.path, self.gold, self.extracted, self.decision, self.reason)
        if len({len(column) for column in columns}) > 1:
            raise ValueError(f"columns of different lengths: {', '.join(str(len(column)) for column in columns)}")

    def __len__(self) -> int:
        return len(self.decision)

    @property
    def is_right(self) -> BoolArray:
        """Whether each is a TP or a TN, bool of shape (N,)."""
        right: BoolArray = np.isin(self.decision, (Decision.TP, Decision.TN))
        return right

    def by_document(self) -> dict[str, IntArray]:
        """How many there are of each decision, by its label: int64 of shape (D,)."""
        return self._sums(self.doc, len(self.documents))

    def by_field(self) -> dict[str, IntArray]:
        """The same by field: int64 of shape (F,)."""
        return self._sums(self.field, len(self.fields))

    def _sums(self, of: CodeArray, n: int) -> dict[str, IntArray]:
        cells = of.astype(np.int64) * len(DECISIONS) + self.decision
        table = np.bincount(cells, minlength=n * len(DECISIONS)).astype(np.int64).reshape(n, len(DECISIONS))
        return {label: table[:, k] for k, label in enumerate(DECISIONS)}

    def whole(self) -> BoolArray:
        """Documents in which every decision is right, absences included, bool of shape (D,)."""
        wrong = np.bincount(self.doc[~self.is_right], minlength=len(self.documents))
        whole: BoolArray = wrong == 0
        return whole

    def rows(self) -> Iterator[dict[str, Any]]:
        """All decisions as dicts with the keys `COLUMNS`, in their order."""
        columns = (self.doc.tolist(), self.field.tolist(), self.path, self.gold, self.extracted)
        documents, fields, plain = self.documents, self.fields, _PLAIN
        for doc, field, path, gold, extracted, decision, reason in zip(
            *columns, self.decision.tolist(), self.reason, strict=True
        ):
            yield {
                "document": documents[doc],
                "path": path,
                "field": fields[field],
                "gold": gold if type(gold) in plain else shown(gold),
                "extracted": extracted if type(extracted) in plain else shown(extracted),
                "decision": DECISIONS[decision],
                "reason": reason,
            }


class Builder:
    """
    Gathers decisions one by one.

    Args:
        documents: Names of the documents.
        fields: Names of the fields that are known beforehand; others are added as they come.

    """

    def __init__(self, documents: Sequence[str], fields: Sequence[str] = ()) -> None:
        self._documents = documents
        self._fields = {name: k for k, name in enumerate(fields)}
        self._numbers: list[int] = []
        self._values: list[Any] = []

    def add(
        self,
        doc: int,
        path: str,
        field: str,
        gold: Any,
        extracted: Any,
        decision: Decision,
        reason: str | None = None,
    ) -> None:
        """One decision; see `Decisions`."""
        code = self._fields.setdefault(field, len(self._fields))
        self._numbers += (doc, code, decision)
        self._values += (path, gold, extracted, reason)

    def build(self) -> Decisions:
        """The table, in the order in which decisions came."""
        numbers = np.array(self._numbers, np.int64).reshape(-1, 3)
        path, gold, extracted, reason = (self._values[k::4] for k in range(4))
        return Decisions(
            self._documents,
            list(self._fields),
            numbers[:, 0].astype(np.int32),
            numbers[:, 1].astype(np.int32),
            path,
            gold,
            extracted,
            numbers[:, 2].astype(np.int8),
            reason,
        )


def shown(value: Any) -> Any:
    """A value as JSON reports say it: a number that no float or 64-bit integer holds becomes text."""
    if isinstance(value, NumberText):
        number = float(value)
        return number if math.isfinite(number) and Decimal(repr(number)) == Decimal(value) else str(value)
    if isinstance(value, int) and not -INT64_MAX <= value <= INT64_MAX:
        return str(value)
    if isinstance(value, Decimal):
        return shown(NumberText(value))
    if isinstance(value, Mapping):
        return {str(name): shown(item) for name, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, list | tuple) else value


def flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row for formats that hold nothing but text: text as it is, other values as JSON."""
    if type(row["gold"]) in _PLAIN and type(row["extracted"]) in _PLAIN:
        return row
    return dict(row) | {name: text_of(row[name]) for name in ("gold", "extracted")}


def text_of(value: Any) -> str | None:
    """A value in one cell: text as it is, None for none, anything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(shown(value), ensure_ascii=False)

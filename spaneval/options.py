"""The options that can change a count, in one place: for the command line, the Python interface and the signature."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from spaneval.frozen import Frozen
from spaneval.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

Match = Literal["overlap", "exact"]
Assignment = Literal["exact-first", "greedy"]
DocKey = Literal["auto", "doc_id", "itext", "position"]
UnknownDocs = Literal["error", "count", "ignore"]
OnBadRow = Literal["error", "skip"]
Unmapped = Literal["skip", "keep", "wrong"]

ROW_FIELDS = ("itext", "doc_id", "a", "b", "a_abs", "b_abs", "entity_id_predicted", "score", "mention", "type")
"""Fields of a prediction row, under our names."""

RESAMPLES = 10_000
LEVEL = 0.95
DEFAULT_SEED = 1234
"""Fixed, so that the same command prints the same bytes."""

MINTED = "^kb::"
"""Regular expression of ids that a linker minted for its own clusters; from the source's knowledge-base output."""


class Options(Frozen):
    """
    How predictions are counted against gold; see docs/measures.md for each.

    Args:
        match: `overlap`, at least one shared character, or `exact`, both boundaries equal.
        assignment: `exact-first`, the best pairing in one fixed order of aims, or `greedy`, first come first served.
        doc_key: What names a document in gold and rows.
        unknown_docs: What becomes of rows whose document is not in the gold.
        on_bad_row: What becomes of rows that cannot be read.
        unmapped: What becomes of ids that the id map does not hold.
        minted: Regular expression of minted cluster ids.
        nil: Ids that mean "not in the knowledge base".
        null_is_nil: Whether a prediction without id claims NIL.
        min_score: Rows with a lower score are left out; None keeps all.
        fields: Names of row fields that differ from ours, ours to theirs.

    """

    match: Match = "overlap"
    assignment: Assignment = "exact-first"
    doc_key: DocKey = "auto"
    unknown_docs: UnknownDocs = "error"
    on_bad_row: OnBadRow = "error"
    unmapped: Unmapped = "skip"
    minted: str = MINTED
    nil: tuple[str, ...] = ()
    null_is_nil: bool = False
    min_score: float | None = None
    fields: Mapping[str, str] = MappingProxyType({})

    def _check(self) -> None:
        for name, kind in _CHOICES.items():
            value = getattr(self, name)
            if value not in get_args(kind):
                raise ValueError(f"{name} is {value!r}; expected {_choices(value, get_args(kind))}")
        if self.null_is_nil and not self.nil:
            raise ValueError("null_is_nil needs nil: name the id that a prediction without id stands for")
        if self.min_score is not None and not math.isfinite(self.min_score):
            raise ValueError(f"min_score is {self.min_score}; expected a finite number")
        for name in self.fields:
            if name not in ROW_FIELDS:
                raise ValueError(f"fields names {name!r}, which no row has; expected {_choices(name, ROW_FIELDS)}")

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        values = {name: getattr(self, name) for name in self._fields}
        return values | {"nil": list(self.nil), "fields": dict(self.fields)}


_CHOICES = {
    "match": Match,
    "assignment": Assignment,
    "doc_key": DocKey,
    "unknown_docs": UnknownDocs,
    "on_bad_row": OnBadRow,
    "unmapped": Unmapped,
}


def _choices(value: object, choices: tuple[str, ...]) -> str:
    near = nearest(str(value), choices, 1)
    return ", ".join(map(repr, choices)) + (f" (did you mean {near[0]!r}?)" if near else "")

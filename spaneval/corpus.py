"""
The one data model for spans: columns of numpy arrays, one row per annotation or prediction.

Offsets are half-open `[a, b)` in Unicode code points. Codes are int32 indices into a list of distinct values; -1 means
that there is none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spaneval.frozen import Frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]
    CodeArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]
else:  # a program that runs does without types, which take a while to load
    IntArray = CodeArray = BoolArray = FloatArray = np.ndarray


class Documents(Frozen):
    """
    The gold documents, in corpus order: D entries each.

    Args:
        files: Names of the gold files, each once, in reading order.
        file: Code of the file, int32 of shape (D,).
        position: Position of the document in its file, int32 of shape (D,).
        doc_id: `doc_id` as text, None where a document has none.
        itext: `itext` as written (on the document, else on its annotations) as text, None where it is not written.
        text_hash: Hash of the text, int64 of shape (D,); 0 where there is no text.
        length: Length of the text in code points, int64 of shape (D,); -1 where there is no text.
        scope: `evaluation_span` as int64 of shape (D, 2), (-1, -1) where there is none; None if no document has one.
        is_annotated: False where `ground_truth` is null, bool of shape (D,).
        texts: Text by document number, for as many documents as the loader was asked to keep.

    """

    files: list[str]
    file: CodeArray
    position: CodeArray
    doc_id: list[str | None]
    itext: list[str | None]
    text_hash: IntArray
    length: IntArray
    scope: IntArray | None
    is_annotated: BoolArray
    texts: dict[int, str]

    def __len__(self) -> int:
        return len(self.doc_id)


class Corpus(Frozen):
    """
    Gold: the documents and their annotations, G rows in reading order (so sorted by document).

    Args:
        documents: The documents.
        doc: Number of the document, int32 of shape (G,), non-decreasing.
        a: First code point, int64 of shape (G,).
        b: One past the last code point, int64 of shape (G,).
        id: Code into `ids`, int32 of shape (G,); -1 is no id.
        ids: Distinct gold ids: each a tuple of the acceptable ids, sorted, without repeats, never empty.
        is_ignored: bool of shape (G,), or None if no annotation is ignored.
        fields: Further keys of the annotations by name, lists of length G, as far as an option asked for them.
        keys: All keys of the annotations.

    """

    documents: Documents
    doc: CodeArray
    a: IntArray
    b: IntArray
    id: CodeArray
    ids: list[tuple[str, ...]]
    is_ignored: BoolArray | None
    fields: Mapping[str, list[Any]] = MappingProxyType({})
    keys: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.doc)


class Place(NamedTuple):
    """
    Where a row came from.

    Args:
        file: Name of the file; None in memory.
        line: Line, from 1; number of the row where the format has no lines.
        has_lines: Whether `line` is a line.

    """

    file: str | None
    line: int
    has_lines: bool


class Surfaces(NamedTuple):
    """
    What some prediction rows say of the text that they speak of; used to check which document they belong to.

    Args:
        key: Document key of each row, as text.
        a, b: Offsets, int64 of shape (S,).
        mention: The surface of each row.

    """

    key: list[str]
    a: IntArray
    b: IntArray
    mention: list[str]


class BadRows(Frozen):
    """
    Rows that could not be read, as far as they count.

    Args:
        key: Code into `Predictions.keys`, int32 of shape (N,); -1 where the key could not be read either.
        has_id: Whether an id could be read, bool of shape (N,).

    """

    key: CodeArray
    has_id: BoolArray

    def __len__(self) -> int:
        return len(self.key)


class Predictions(Frozen):
    """
    One system's rows: P readable rows in reading order.

    Args:
        key: Code into `keys` of the document key of each row, int32 of shape (P,); -1 where a row has none.
        keys: Distinct document keys as text.
        key_field: The field that the keys were read from, `itext` or `doc_id`.
        a: First code point, int64 of shape (P,).
        b: One past the last code point, int64 of shape (P,).
        id: Code into `ids`, int32 of shape (P,); -1 is no id.
        ids: Distinct predicted ids, as text.
        places: Where row k came from; see `Places`.
        bad: Rows that could not be read, where they are to be counted.
        surfaces: Mentions for the check of the documents, as far as the rows carry any.
        echo: The gold that the linker saw, from its report: (document, a, b), int64 of shape (E, 3), or None.
        fields: Further fields of the rows by name, lists of length P, as far as an option asked for them.
        seen_fields: Names of all fields of the rows, where `fields` were asked for.
        n_below_score: Rows left out by `min_score`.
        n_absolute: Rows whose offsets came from `a_abs`, `b_abs`.

    """

    key: CodeArray
    keys: list[str]
    key_field: str
    a: IntArray
    b: IntArray
    id: CodeArray
    ids: list[str]
    places: Places
    bad: BadRows
    surfaces: Surfaces | None = None
    echo: IntArray | None = None
    fields: Mapping[str, list[Any]] = MappingProxyType({})
    seen_fields: frozenset[str] = frozenset()
    n_below_score: int = 0
    n_absolute: int = 0

    def __len__(self) -> int:
        return len(self.key)


class Places:
    """
    File and line of every prediction row, kept as runs of consecutive lines.

    A run says that rows from `first_row` on came from lines from `first_line` on of one file.
    """

    def __init__(self) -> None:
        self._first_row: list[int] = []
        self._first: list[Place] = []

    def add_run(self, first_row: int, file: str | None, first_line: int, *, has_lines: bool = True) -> None:
        """Rows from `first_row` on came from `file`, lines (or rows) from `first_line` on."""
        if self._first_row:
            last = self._first[-1]
            if last.file == file and last.line + first_row - self._first_row[-1] == first_line:
                return
        self._first_row.append(first_row)
        self._first.append(Place(file, first_line, has_lines))

    def __getitem__(self, row: int) -> Place:
        k = bisect_right(self._first_row, row) - 1
        place = self._first[k]
        return place._replace(line=place.line + row - self._first_row[k])

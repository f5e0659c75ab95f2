"""
Lines of JSON Lines that are laid out alike → columns, without a parser.

Nearly every file has one layout, which its first line shows. Lines that differ are parsed; where too many do, or one is
broken, all lines are left to the reader of blocks, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.loaders.blocks import WholeLines
from spaneval.loaders.json_text import parse
from spaneval.loaders.layout import Alike, Layout, layout_at, read_alike
from spaneval.loaders.plain_rows import ID_TYPES, Values, plain_values
from spaneval.loaders.scalars import Vocabulary
from spaneval.loaders.tokens import LONGEST_TOKEN, Tokens
from spaneval.loaders.words import Text

MOST_FAILURES: Final = 8
"""Pieces in a row that are tried in vain before a file counts as one without a layout."""
LEAST_SHARE: Final = 0.5
"""Share of the lines of a piece that have to be laid out alike."""
_RETURN = b"\r"[0]


class LineColumns(NamedTuple):
    """
    What N lines say, one row each.

    Args:
        key: Code of the document key, int32 of shape (N,).
        a, b: Offsets, int64 of shape (N,).
        id: Code of the predicted id, int32 of shape (N,).
        names: Keys of the rows that are laid out alike.
        others: The other rows, parsed.
        row: Parses row k of all.

    """

    key: CodeArray
    a: IntArray
    b: IntArray
    id: CodeArray
    names: tuple[str, ...]
    others: list[Any]
    row: Callable[[int], Any]


class LineReader:
    """
    Reads pieces of files one after another, and remembers their layout, and the keys and ids as they are written.

    Args:
        name: Our names of fields to those of the rows.
        key_field: Our name of the field with the document key.
        key_types: Types that it may have.

    """

    def __init__(self, name: Mapping[str, str], key_field: str, key_types: Collection[type]) -> None:
        self.name, self.key_field, self.key_types = name, key_field, key_types
        self.a, self.b, self.key, self.id = (name[x] for x in ("a", "b", key_field, "entity_id_predicted"))
        self.tokens = {
            self.key: Tokens(key_types, allows_empty=False),
            self.id: Tokens(ID_TYPES),
        }
        self.layout: Layout | None = None
        self.failures = 0

    def read(self, lines: WholeLines, keys: Vocabulary, ids: Vocabulary) -> LineColumns | None:
        """
        What lines say; None, and nothing has changed, if they have to be read another way.

        Args:
            lines: The lines.
            keys, ids: Give the codes; the same ones in every call.

        """
        if self.failures >= MOST_FAILURES:
            return None
        data, ends = lines.data, lines.ends
        if not data.endswith(b"\n"):
            data, ends = data + b"\n", np.append(ends, len(data))
        found = self._read(data, ends, keys, ids)
        self.failures = self.failures + 1 if found is None else 0
        return found

    def _read(self, data: bytes, ends: IntArray, keys: Vocabulary, ids: Vocabulary) -> LineColumns | None:
        text = Text(data)
        found = self._alike(text, ends)
        if found is None or not text.has_utf8_lines(ends):
            return None
        layout, alike = found
        is_alike = alike.is_alike
        chosen: Any = slice(None) if is_alike.all() else np.flatnonzero(is_alike)
        numbers = {
            name: self.tokens[name].numbers(text, first[chosen], last[chosen])
            for name, (first, last) in alike.tokens.items()
        }
        row = _row_of(data, ends)
        others = self._parsed(row, np.flatnonzero(~is_alike))
        if others is None or any((x < 0).any() for x in numbers.values()):
            return None

        def codes(name: str, vocabulary: Vocabulary, values: list[Any]) -> CodeArray:
            like: CodeArray
            if name in numbers:
                like = self.tokens[name].codes(numbers[name], vocabulary)
            else:
                like = vocabulary.codes([None] * np.count_nonzero(is_alike))
            column: CodeArray = _merged(is_alike, like, vocabulary.codes(values))
            return column

        return LineColumns(
            codes(self.key, keys, others.values.keys),
            _merged(is_alike, alike.integers[self.a][chosen], others.values.a),
            _merged(is_alike, alike.integers[self.b][chosen], others.values.b),
            codes(self.id, ids, others.values.ids),
            layout.names,
            others.rows,
            row,
        )

    def _parsed(self, row: Callable[[int], Any], places: IntArray) -> _Others | None:
        """The rows that are not laid out alike; None if one of them is broken or not plain."""
        try:
            rows = [row(k) for k in places.tolist()]
        except ValueError:
            return None
        values = plain_values(rows, self.name, self.key_field, self.key_types)
        return None if values is None else _Others(rows, values)

    def _alike(self, text: Text, ends: IntArray) -> tuple[Layout, Alike] | None:
        """The lines held against the layout of those before, or else of the first of these; None if many differ."""
        for layout in (self.layout, layout_at(text.data, 0)):
            if layout is not None and self._serves(layout):
                found = self._held_against(layout, text, ends)
                if np.count_nonzero(found.is_alike) >= LEAST_SHARE * len(ends):
                    self.layout = layout
                    return layout, found
        return None

    def _serves(self, layout: Layout) -> bool:
        """Whether rows of the layout have the fields that they need, none that wins over these, and none for two."""
        names = set(layout.names)
        return (
            {self.a, self.b} <= names
            and (self.key in names or type(None) in self.key_types)
            and not names & {self.name["a_abs"], self.name["b_abs"]}
            and len({self.a, self.b, self.key, self.id}) == 4
        )

    def _held_against(self, layout: Layout, text: Text, ends: IntArray) -> Alike:
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1] + 1])
        found = read_alike(layout, text, starts, {self.a, self.b}, self.tokens.keys())
        is_alike = found.is_alike & (found.integers[self.a] < found.integers[self.b])
        for first, last in found.tokens.values():
            is_alike &= last - first <= LONGEST_TOKEN
        is_whole = found.ends == ends
        if not is_whole.all():
            is_whole |= (found.ends == ends - 1) & (text.letters[np.minimum(found.ends, text.end)] == _RETURN)
        return found._replace(is_alike=is_alike & is_whole)


class _Others(NamedTuple):
    rows: list[Any]
    values: Values


def _row_of(data: bytes, ends: IntArray) -> Callable[[int], Any]:
    """What parses one line."""

    def row(k: int) -> Any:
        return parse(data[int(ends[k - 1]) + 1 if k else 0 : int(ends[k])])

    return row


def _merged(is_first: BoolArray, first: Any, second: Any) -> Any:
    """One column of two that take turns."""
    if not len(second):
        return first
    column = np.empty(len(is_first), dtype=first.dtype)
    column[is_first], column[~is_first] = first, second
    return column

"""
One prediction row, read value by value: what it says, or why it is bad.

Blocks of rows whose values are all plain become columns without this; see `spaneval.loaders.predictions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from spaneval.exceptions import FormatError, InputError, SpanError
from spaneval.frozen import Frozen
from spaneval.loaders.blocks import Block, Broken
from spaneval.loaders.scalars import BAD, describe, is_missing, number, offset, text_id
from spaneval.options import ROW_FIELDS
from spaneval.problems import Problem

SPAN_GUESSES = {"a": ("start", "begin", "start_char", "offset"), "b": ("end", "stop", "end_char")}


class RowReading(Frozen):
    """
    How rows are to be read.

    Args:
        key_field: `itext`, `doc_id`, or None to take `doc_id` if any row has one, else `itext`.
        needs_key: Whether a row without a document key is bad.
        names: Our names of fields to those of the rows.
        min_score: Rows with a lower score are left out; then each row needs one.
        skips_bad_rows: Whether bad rows are counted instead of being problems.
        fields: Further fields to keep, under our names.

    """

    key_field: str | None = "itext"
    needs_key: bool = True
    names: Mapping[str, str] = MappingProxyType({})
    min_score: float | None = None
    skips_bad_rows: bool = False
    fields: Sequence[str] = ()

    def name_of(self, our_name: str) -> str:
        """What the rows call a field."""
        return self.names.get(our_name, our_name)


class Row(NamedTuple):
    """What one row says."""

    key: str | None
    a: int
    b: int
    id: str | None
    score: float | None
    is_absolute: bool


class BadRow(NamedTuple):
    """Why a row cannot be used, or what words it, and what of the row can be read all the same."""

    problem: Problem | Callable[[], Problem]
    key: str | None = None
    has_id: bool = False


class BelowScore(Enum):
    """The one value `BELOW_SCORE`, for a row that `min_score` leaves out."""

    BELOW_SCORE = 0


BELOW_SCORE: Final = BelowScore.BELOW_SCORE


class _Span(NamedTuple):
    a: int
    b: int
    is_absolute: bool


class RowReader:
    """
    Reads the rows of one block.

    Args:
        reading: How rows are to be read.
        key_field: `itext` or `doc_id`.
        block: The rows.

    """

    def __init__(self, reading: RowReading, key_field: str, block: Block) -> None:
        self.reading, self.key_field, self.block = reading, key_field, block
        self.name = {our_name: reading.name_of(our_name) for our_name in ROW_FIELDS}
        self.row: Mapping[str, Any] = {}
        self.k = 0

    def read(self, k: int) -> Row | BadRow | Literal[BelowScore.BELOW_SCORE]:
        """Row `k` of the block, why it is bad, or that it is left out."""
        self.k = k
        row = self.block.rows[k]
        if isinstance(row, Broken):
            return BadRow(row.describe)
        if not isinstance(row, Mapping):
            hint = 'a row is an object such as {"itext": 0, "a": 5, "b": 12, "entity_id_predicted": "Q1"}'
            return BadRow(self._problem(f"expected an object per row, found {describe(row)}", hint=hint))
        if self.block.exact is not None and any(_needs_exact(row.get(name)) for name in self.name.values()):
            row = self.block.exact(k)
        self.row = row
        return self._read()

    def _read(self) -> Row | BadRow | Literal[BelowScore.BELOW_SCORE]:
        key, entity, score, span = self._key(), self._id(), self._score(), self._span()
        threshold = self.reading.min_score
        if threshold is not None and isinstance(score, float) and score < threshold:
            return BELOW_SCORE
        if isinstance(key, Problem):
            return BadRow(key, None, isinstance(entity, str))
        for value in (span, entity, score):
            if isinstance(value, Problem):
                return BadRow(value, key, isinstance(entity, str))
        assert isinstance(span, _Span) and not isinstance(entity, Problem) and not isinstance(score, Problem)  # noqa: S101, PT018 - for mypy
        return Row(key, span.a, span.b, entity, score, span.is_absolute)

    def _key(self) -> str | Problem | None:
        name = self.name[self.key_field]
        value = self.row.get(name)
        key = text_id(value)
        if key is BAD:
            hint = "it names the document: its number or its doc_id"
            return self._problem(f"'{name}' is {describe(value)}, expected an integer or text", hint=hint)
        if key is None and self.reading.needs_key:
            what = f"no '{name}' (found: {self._found()})" if name not in self.row else f"'{name}' is empty"
            return self._problem(f"{what}; with several gold documents it cannot be guessed", hint=self._key_hint())
        return key

    def _key_hint(self) -> str:
        if "ground_truth" in self.row:
            return "this looks like gold: --gt takes the gold, --pred the rows of a linker"
        if self.key_field == "itext" and self.name["doc_id"] in self.row:
            return "rows are told apart by doc_id only if every gold document has one; else --field itext=NAME"
        return f"--field {self.key_field}=NAME names the field that says which document a row belongs to"

    def _id(self) -> str | Problem | None:
        name = self.name["entity_id_predicted"]
        entity = text_id(self.row.get(name))
        if entity is BAD:
            message = f"'{name}' is {describe(self.row[name])}, expected one id: text, an integer or null"
            return self._problem(message, hint="write the best id, as text; null where there is none")
        return entity

    def _score(self) -> float | Problem | None:
        if self.reading.min_score is None:
            return None
        value = self.row.get(self.name["score"])
        score = number(value, from_text=self.block.is_text)
        if score is BAD:
            found = "no score" if is_missing(value) else f"score {describe(value)}"
            hint = f"--field score=NAME names the field (found: {self._found()}); or leave out --min-score"
            return self._problem(f"{found}, but --min-score needs a number in every row", hint=hint)
        return score

    def _span(self) -> _Span | Problem:
        absolute = [self.name["a_abs"], self.name["b_abs"]]
        is_given = [not is_missing(self.row.get(name)) for name in absolute]
        if is_given[0] != is_given[1]:
            given, missing = absolute if is_given[0] else absolute[::-1]
            hint = "both are offsets in the document, which win over a and b"
            return self._problem(f"'{given}' without '{missing}', expected both or neither", SpanError, hint)
        ends = []
        for name in absolute if all(is_given) else [self.name["a"], self.name["b"]]:
            value = self.row.get(name)
            if is_missing(value):
                return self._missing(name)
            end = offset(value, from_text=self.block.is_text)
            if end is BAD:
                message = f"'{name}' is {describe(value)}, expected an integer within 64 bits"
                return self._problem(message, SpanError, "offsets are whole numbers of Unicode code points, from 0")
            ends.append(end)
        a, b = ends
        if a < 0:
            return self._problem(f"span [{a}, {b}) starts before the text", SpanError, "offsets count from 0")
        if b <= a:
            hint = "ends are exclusive: a span of one character is [a, a+1)"
            return self._problem(f"span end must be greater than its start (a={a}, b={b})", SpanError, hint)
        return _Span(a, b, all(is_given))

    def _missing(self, name: str) -> Problem:
        what = f"'{name}' is empty" if name in self.row else f"no field '{name}' (found: {self._found()})"
        near = [f"--field {k}={v}" for k, vs in SPAN_GUESSES.items() for v in vs if v in self.row]
        return self._problem(what, SpanError, " ".join(near) or f"--field {name}=NAME names the field")

    def _found(self) -> str:
        return ", ".join(map(str, self.row)) or "nothing"

    def _problem(self, message: str, kind: type[InputError] = FormatError, hint: str | None = None) -> Problem:
        block = self.block
        number_ = block.number(self.k)
        if block.has_lines:
            return Problem(message, block.file, number_, hint=hint, kind=kind)
        line = None if block.line_of is None else block.line_of(self.k)
        return Problem(f"row {number_}: {message}", block.file, line, hint=hint, kind=kind)


def _needs_exact(value: Any) -> bool:
    """Whether a float may stand for another number than the one written: for a larger integer, or for a fraction."""
    return type(value) is float

"""
Prediction rows → `Predictions`: columns of keys, spans and ids.

A block whose values are all plain (the rule) becomes columns at once. Any other is read row by row, with the same
result for plain rows; that is where bad rows are found and worded.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice, repeat
from operator import contains, itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BadRows, CodeArray, FloatArray, IntArray, Places, Predictions, Surfaces
from spaneval.exceptions import FormatError, InputError, SpanError
from spaneval.loaders.rows import Block, Broken, Progress, RowFormat, Source, Watch, expand, memory_rows, read_rows
from spaneval.loaders.scalars import BAD, Bad, Vocabulary, describe, field_values, integral, offset, text_id
from spaneval.problems import Note, Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

FIELDS: Final = ("itext", "doc_id", "a", "b", "a_abs", "b_abs", "entity_id_predicted", "score", "mention", "type")
"""Fields of a row that are read, under our names."""
ID_LOOKALIKES: Final = ("entity_id", "id", "kb_id")
SAMPLED_MENTIONS: Final = 20_000
"""Mentions kept for the check of the documents."""
_EXACT_FLOAT = 2.0**53  # from here on a float may stand for another integer than the one written
_NO_ID = (None, "")
_ID_TYPES = {int, str, type(None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReading:
    """
    How rows are to be read.

    Args:
        key_field: `itext`, `doc_id`, or None to take `doc_id` if any row has one, else `itext`.
        needs_key: Whether a row without a document key is bad.
        names: Our names of fields to those of the rows.
        min_score: Rows with a lower score are left out; then each row needs one.
        skips_bad_rows: Whether bad rows are counted instead of being problems.
        mentions_of: Document keys whose rows' mentions are kept for the check of the documents.
        fields: Further fields to keep, under our names.

    """

    key_field: str | None = "itext"
    needs_key: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    min_score: float | None = None
    skips_bad_rows: bool = False
    mentions_of: Container[str] = frozenset()
    fields: Sequence[str] = ()


def load_predictions(
    paths: Sequence[str],
    reading: RowReading,
    *,
    row_format: RowFormat | None = None,
    problems: Problems,
    notes: list[Note],
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Predictions:
    """
    Read prediction files.

    Args:
        paths: Files, folders of files, `-` for standard input.
        reading: How rows are read.
        row_format: The format of all of them; None tells it by content and name.
        problems: Gathers what cannot be used.
        notes: Gathers what a reader should know.
        progress: Called with the number of bytes read since the last call.
        watch: Sees every piece of JSON before it is parsed.

    Returns:
        The rows that could be read.

    """
    collector = _Collector(reading, problems)
    for path in expand(paths, problems):
        try:
            collector.add_source(read_rows(path, row_format, problems, progress, watch))
        except InputError as error:
            for problem in error.problems:
                problems.add(problem)
    return collector.finish(notes)


def predictions_from_memory(
    rows: Iterable[Mapping[str, Any]] | pd.DataFrame, reading: RowReading, *, problems: Problems, notes: list[Note]
) -> Predictions:
    """Rows in memory: mappings, or a data frame with one row per prediction."""
    collector = _Collector(reading, problems)
    collector.add_source(memory_rows(rows))
    return collector.finish(notes)


class _Row(NamedTuple):
    """What one row says, read value by value."""

    key: str | None
    a: int
    b: int
    id: str | None
    score: float | None
    is_absolute: bool


class _BadRow(NamedTuple):
    """Why a row cannot be used, and what of it can be read all the same."""

    problem: Problem
    key: str | None = None
    has_id: bool = False


class _BelowScore:
    """Stands for a row that `min_score` leaves out."""


class _Part(NamedTuple):
    """Columns of one block; keys and ids are codes into the collector's vocabularies of raw values."""

    key: CodeArray
    a: Any
    b: Any
    id: CodeArray
    score: FloatArray | None


class _Collector:
    """Gathers blocks, and makes the table of them."""

    def __init__(self, reading: RowReading, problems: Problems) -> None:
        self.reading, self.problems = reading, problems
        self.name = {field_name: reading.names.get(field_name, field_name) for field_name in FIELDS}
        self.key_field = reading.key_field or "itext"
        self.key_is_settled = reading.key_field is not None
        self.key_types = {int, str} if reading.needs_key else {int, str, type(None)}
        self.keys, self.ids = Vocabulary(), Vocabulary()
        self.wanted = np.zeros(0, dtype=np.bool_)
        self.parts: list[_Part] = []
        self.places = Places()
        self.n = self.n_below_score = self.n_absolute = 0
        self.bad_keys: list[str | None] = []
        self.bad_has_id: list[bool] = []
        self.mentions: list[tuple[str, int, int, str]] = []
        self.fields: dict[str, list[Any]] = {name: [] for name in reading.fields}
        self.echo: list[Any] | None = None
        self.has_id_field = False
        self.seen_fields: set[str] = set()
        self.first_file: str | None = None

    def add_source(self, source: Source) -> None:
        """Take all rows of a source."""
        if source.echo is not None:
            self.echo = (self.echo or []) + source.echo
        for block in source.blocks:
            self.first_file = self.first_file or block.file
            self._look_at_fields(block.rows)
            self._add_block(block)

    def _look_at_fields(self, rows: list[Any]) -> None:
        """Learn what has to be known of the names of fields, until it is known."""
        if not self.has_id_field:
            id_name = self.name["entity_id_predicted"]
            self.has_id_field = any(id_name in row for row in rows if isinstance(row, Mapping))
            if not self.has_id_field:
                self.seen_fields |= set().union(*(row for row in rows if isinstance(row, Mapping)))
        if not self.key_is_settled:
            doc_id = self.name["doc_id"]
            if any(text_id(row.get(doc_id)) not in (None, BAD) for row in rows if isinstance(row, Mapping)):
                self._switch_to_doc_id()

    def _add_block(self, block: Block) -> None:
        part = self._plain_part(block)
        if part is None:
            part = self._careful_part(block)
        elif block.lines is None:
            self.places.add_run(self.n, block.file, block.first, has_lines=block.has_lines)
        else:
            for k, line in enumerate(block.lines):
                self.places.add_run(self.n + k, block.file, line)
        self.parts.append(part)
        self.n += len(part.key)

    def _plain_part(self, block: Block) -> _Part | None:
        """Columns of rows whose values are all of the usual types and all spans possible; else None."""
        rows, name = block.rows, self.name
        try:
            if any(map(contains, rows, repeat(name["a_abs"]))):
                return None
            a, b = list(map(itemgetter(name["a"]), rows)), list(map(itemgetter(name["b"]), rows))
            if set(map(type, a)) - {int} or set(map(type, b)) - {int}:
                return None
            starts, ends = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
            if not ((starts >= 0) & (starts < ends)).all():
                return None
            keys = field_values(rows, name[self.key_field])
            ids = field_values(rows, name["entity_id_predicted"])
            scores = self._plain_scores(rows)
        except (KeyError, TypeError, AttributeError, OverflowError):
            return None
        if set(map(type, keys)) - self.key_types or set(map(type, ids)) - _ID_TYPES or "" in keys:
            return None
        if self.reading.min_score is not None and (scores is None or not (scores >= self.reading.min_score).all()):
            return None
        key, entity = self.keys.codes_of_runs(keys), self.ids.codes(ids)
        part = _Part(key, _narrow(starts), _narrow(ends), entity, scores)
        self._keep_mentions(rows, part)
        for kept_name, kept in self.fields.items():
            kept += field_values(rows, name.get(kept_name, kept_name))
        return part

    def _plain_scores(self, rows: list[Any]) -> FloatArray | None:
        if self.reading.min_score is None:
            return None
        scores = [row[self.name["score"]] for row in rows]
        return None if set(map(type, scores)) - {int, float} else np.array(scores, dtype=np.float64)

    def _keep_mentions(self, rows: list[Any], part: _Part) -> None:
        """Keep what the rows of wanted documents say of their text."""
        if len(self.mentions) >= SAMPLED_MENTIONS:
            return
        if len(self.wanted) < len(self.keys):
            n_new = len(self.keys) - len(self.wanted)
            new = list(islice(reversed(self.keys), n_new))[::-1]
            is_wanted = [str(key) in self.reading.mentions_of for key in new]
            self.wanted = np.concatenate([self.wanted, np.array(is_wanted, dtype=np.bool_)])
        name = self.name["mention"]
        for k in np.flatnonzero(self.wanted[part.key]).tolist():
            row = rows[k]
            if isinstance(mention := row.get(name), str) and mention:
                key = text_id(row.get(self.name[self.key_field]))
                self.mentions.append((str(key), int(part.a[k]), int(part.b[k]), mention))

    def _careful_part(self, block: Block) -> _Part:
        """Columns of the good rows of a block; bad ones become problems, or are counted."""
        good: list[_Row] = []
        kept: list[Any] = []
        for k, row in enumerate(block.rows):
            read = self._read_row(row, block, k)
            if isinstance(read, _Row):
                line = block.first + k if block.lines is None else block.lines[k]
                self.places.add_run(self.n + len(good), block.file, line, has_lines=block.has_lines)
                good.append(read)
                kept.append(row)
                self.n_absolute += read.is_absolute
            elif isinstance(read, _BadRow):
                self._take_bad_row(read)
            else:
                self.n_below_score += 1
        return self._part_of(good, kept)

    def _part_of(self, good: list[_Row], rows: list[Any]) -> _Part:
        scores = None
        if self.reading.min_score is not None:
            scores = np.array([row.score for row in good], dtype=np.float64)
        part = _Part(
            self.keys.codes([row.key for row in good]),
            np.array([row.a for row in good], dtype=np.int64),
            np.array([row.b for row in good], dtype=np.int64),
            self.ids.codes([row.id for row in good]),
            scores,
        )
        self._keep_mentions(rows, part)
        for name, kept in self.fields.items():
            kept += [row.get(self.name.get(name, name)) for row in rows]
        return part

    def _take_bad_row(self, bad: _BadRow) -> None:
        if self.reading.skips_bad_rows:
            self.bad_keys.append(bad.key)
            self.bad_has_id.append(bad.has_id)
        else:
            self.problems.add(bad.problem)

    def _read_row(self, row: Any, block: Block, k: int) -> _Row | _BadRow | _BelowScore:
        if isinstance(row, Broken):
            return _BadRow(row.problem)
        if not isinstance(row, Mapping):
            return _BadRow(_problem(block, k, f"expected an object per row, found {describe(row)}", FormatError))
        if block.exact is not None and any(_needs_exact(row.get(name)) for name in self.name.values()):
            row = block.exact(k)
        return _RowReader(self, row, block, k).read()

    def _switch_to_doc_id(self) -> None:
        """From now on rows are keyed by `doc_id`; those before had none, and so are bad rows."""
        self.key_is_settled, self.key_field = True, "doc_id"
        for row in range(self.n):
            place = self.places[row]
            message = "no 'doc_id', while other rows and every gold document have one"
            problem = Problem(message, place.file, place.line if place.has_lines else None, kind=FormatError)
            self._take_bad_row(_BadRow(problem, None, self._has_id(row)))
        self.parts, self.places, self.n, self.mentions = [], Places(), 0, []
        self.keys, self.wanted = Vocabulary(), np.zeros(0, dtype=np.bool_)
        self.fields = {name: [] for name in self.fields}

    def _has_id(self, row: int) -> bool:
        values = list(self.ids)
        for part in self.parts:
            if row < len(part.id):
                return values[part.id[row]] not in _NO_ID
            row -= len(part.id)
        return False

    def finish(self, notes: list[Note]) -> Predictions:
        """The table of all rows taken."""
        self._check_id_field(notes)
        if self.n_absolute:
            message = (
                f"offsets of {self.n_absolute} rows come from a_abs and b_abs; their a and b are relative to a chunk"
            )
            notes.append(Note("absolute-offsets", self.n_absolute, message))
        keys, key_of = _texts([*self.keys])
        ids, id_of = _texts([*self.ids])
        parts = self.parts
        bad_code = {key: k for k, key in enumerate(keys)}
        for key in self.bad_keys:
            if key is not None and key not in bad_code:
                bad_code[key] = len(keys)
                keys.append(key)
        fields = dict(self.fields)
        if self.reading.min_score is not None:
            fields["score"] = [score for part in parts if part.score is not None for score in part.score.tolist()]
        return Predictions(
            key=key_of[_joined([part.key for part in parts])],
            keys=keys,
            key_field=self.key_field,
            a=_joined([part.a for part in parts]),
            b=_joined([part.b for part in parts]),
            id=id_of[_joined([part.id for part in parts])],
            ids=ids,
            places=self.places,
            bad=BadRows(
                np.array([-1 if key is None else bad_code[key] for key in self.bad_keys], dtype=np.int32),
                np.array(self.bad_has_id, dtype=np.bool_),
            ),
            surfaces=_surfaces(self.mentions),
            echo=_echo(self.echo),
            fields=fields,
            n_below_score=self.n_below_score,
            n_absolute=self.n_absolute,
        )

    def _check_id_field(self, notes: list[Note]) -> None:
        ours = self.name["entity_id_predicted"]
        if self.has_id_field or not self.n + len(self.bad_keys):
            return
        found = ", ".join(sorted(map(str, self.seen_fields)))
        near: list[str] = [name for name in ID_LOOKALIKES if name in self.seen_fields]
        near += get_close_matches(ours, sorted(map(str, self.seen_fields)), 1, cutoff=0.75)
        if near:
            hint = f"--field entity_id_predicted={near[0]}"
            message = f"no row has '{ours}' (found: {found})"
            self.problems.add(Problem(message, self.first_file, hint=hint, kind=FormatError))
        else:
            message = f"no row has '{ours}' (found: {found}), so no prediction has an id and only spans are scored"
            notes.append(Note("no-predicted-ids", self.n, message))


def _needs_exact(value: Any) -> bool:
    return type(value) is float and not -_EXACT_FLOAT < value < _EXACT_FLOAT


class _RowReader:
    """Reads one row value by value."""

    def __init__(self, collector: _Collector, row: Mapping[str, Any], block: Block, k: int) -> None:
        self.collector, self.row, self.block, self.k = collector, row, block, k
        self.name, self.reading = collector.name, collector.reading

    def read(self) -> _Row | _BadRow | _BelowScore:
        """The row, why it is bad, or that it is left out."""
        key, key_problem = self._key()
        entity, id_problem = self._id()
        score, score_problem = self._score()
        if self.reading.min_score is not None and score is not None and score < self.reading.min_score:
            return _BelowScore()
        is_absolute, a, b, span_problem = self._span()
        for problem in (key_problem, span_problem, id_problem, score_problem):
            if problem is not None:
                return _BadRow(problem, key, entity is not None)
        return _Row(key, a, b, entity, score, is_absolute)

    def _key(self) -> tuple[str | None, Problem | None]:
        field_name = self.collector.key_field
        value = self.row.get(self.name[field_name])
        key = text_id(value)
        if key is BAD:
            return None, self._problem(f"'{field_name}' is {describe(value)}, expected an integer or text")
        if key is None and self.reading.needs_key:
            found = ", ".join(map(str, self.row))
            hint = f"--field {field_name}=NAME names the field that says which document a row belongs to"
            message = f"no '{field_name}' (found: {found}); with several gold documents it cannot be guessed"
            return None, self._problem(message, hint=hint)
        return key, None

    def _id(self) -> tuple[str | None, Problem | None]:
        value = self.row.get(self.name["entity_id_predicted"])
        entity = text_id(value)
        if entity is BAD:
            message = (
                f"'{self.name['entity_id_predicted']}' is {describe(value)}, expected one id: text, an integer or null"
            )
            return None, self._problem(message)
        return entity, None

    def _score(self) -> tuple[float | None, Problem | None]:
        if self.reading.min_score is None:
            return None, None
        value = self.row.get(self.name["score"])
        try:
            is_number = isinstance(value, int | float | str) and not isinstance(value, bool)
            score = float(value) if is_number else None  # type: ignore[arg-type]  # is_number has ruled out the rest
        except ValueError:
            score = None
        if score is None or score != score:
            found = "no score" if value in _NO_ID else f"score {describe(value)}"
            return None, self._problem(f"{found}, but --min-score needs a number in every row")
        return score, None

    def _span(self) -> tuple[bool, int, int, Problem | None]:
        names = [self.name["a_abs"], self.name["b_abs"]]
        is_absolute = all(self.row.get(name) not in _NO_ID for name in names)
        if not is_absolute:
            names = [self.name["a"], self.name["b"]]
        ends = []
        for name in names:
            if self.row.get(name) in _NO_ID:
                return is_absolute, 0, 0, self._missing(name)
            value = offset(self.row[name], from_text=self.block.is_text)
            if value is BAD:
                message = f"'{name}' is {describe(self.row[name])}, expected an integer within 64 bits"
                return is_absolute, 0, 0, self._problem(message, SpanError)
            ends.append(value)
        a, b = ends
        if a < 0:
            return (
                is_absolute,
                a,
                b,
                self._problem(f"span [{a}, {b}) starts before the text", SpanError, "offsets count from 0"),
            )
        if b <= a:
            message = f"span end must be greater than its start (a={a}, b={b})"
            return (
                is_absolute,
                a,
                b,
                self._problem(message, SpanError, "ends are exclusive: a span of one character is [a, a+1)"),
            )
        return is_absolute, a, b, None

    def _missing(self, name: str) -> Problem:
        found = ", ".join(map(str, self.row)) or "nothing"
        what = f"'{name}' is null" if name in self.row else f"no field '{name}' (found: {found})"
        guesses = {"a": ("start", "begin", "start_char", "offset"), "b": ("end", "stop", "end_char")}
        near = [f"--field {k}={v}" for k, vs in guesses.items() for v in vs if v in self.row]
        return self._problem(what, SpanError, " ".join(near) or None)

    def _problem(self, message: str, kind: type[InputError] = FormatError, hint: str | None = None) -> Problem:
        return _problem(self.block, self.k, message, kind, hint)


def _problem(block: Block, k: int, message: str, kind: type[InputError], hint: str | None = None) -> Problem:
    line = block.first + k if block.lines is None else block.lines[k]
    if block.has_lines:
        return Problem(message, block.file, line, hint=hint, kind=kind)
    return Problem(f"row {line}: {message}", block.file, hint=hint, kind=kind)


def _narrow(offsets: IntArray) -> Any:
    """Offsets in 32 bits where they fit, so that parts that wait for the rest take half the room."""
    fits = not offsets.size or offsets.max() <= np.iinfo(np.int32).max
    return offsets.astype(np.int32) if fits else offsets


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _texts(raw: list[Any]) -> tuple[list[str], CodeArray]:
    """Distinct values as text, in text order, and the code of each raw value; -1 for none."""
    normal: list[str | Bad | None] = [text_id(value) for value in raw]
    texts = sorted({text for text in normal if isinstance(text, str)})
    code: dict[Any, int] = {text: k for k, text in enumerate(texts)}
    return texts, np.array([code.get(text, -1) for text in normal], dtype=np.int32)


def _surfaces(mentions: list[tuple[str, int, int, str]]) -> Surfaces | None:
    if not mentions:
        return None
    key, a, b, mention = zip(*mentions, strict=True)
    return Surfaces(list(key), np.array(a, dtype=np.int64), np.array(b, dtype=np.int64), list(mention))


def _echo(documents: list[Any] | None) -> IntArray | None:
    """Spans (document, a, b) of the gold that a report repeats, by document; what cannot be read is passed over."""
    if documents is None:
        return None
    spans = [
        (k, a, b)
        for k, annotations in enumerate(documents)
        if isinstance(annotations, list)
        for x in annotations
        if isinstance(x, dict)
        if (a := integral(x.get("a"))) is not BAD and (b := integral(x.get("b"))) is not BAD
    ]
    return np.array(spans, dtype=np.int64).reshape(-1, 3)

"""
Prediction rows → `Predictions`: columns of keys, spans and ids.

Lines that are laid out alike become columns without being parsed, and a block whose values are all plain at once. Any
other is read row by row, with the same result for plain rows; that is where bad rows are found and worded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BadRows, CodeArray, FloatArray, Places, Predictions
from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.blocks import Block, Progress, Source, Watch, WholeLines
from spaneval.loaders.columns import coded, joined, narrow
from spaneval.loaders.echo import echoed_spans
from spaneval.loaders.json_lines import parsed
from spaneval.loaders.mentions import Mentions
from spaneval.loaders.plain_rows import plain_scores, plain_values
from spaneval.loaders.row_values import SPAN_GUESSES, BadRow, Row, RowReader, RowReading
from spaneval.loaders.rows import RowFormat, expand, memory_rows, read_rows
from spaneval.loaders.scalars import BAD, Vocabulary, field_values, text_id
from spaneval.nearest import nearest
from spaneval.options import ROW_FIELDS
from spaneval.problems import Note, Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.loaders.plain_lines import LineReader

__all__ = ["ID_LOOKALIKES", "RowReading", "load_predictions", "predictions_from_memory"]

ID_LOOKALIKES: Final = ("entity_id", "id", "kb_id")
_NO_ID = (None, "")

FEW_ROWS: Final = 10_000
"""Rows that are parsed first: so few take less time than to learn how the lines of a file are laid out."""


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
        self.name = {our_name: reading.name_of(our_name) for our_name in ROW_FIELDS}
        self.key_field = reading.key_field or "itext"
        self.key_is_settled = reading.key_field is not None
        self.key_types = {int, str} if reading.needs_key else {int, str, type(None)}
        self.keys, self.ids = Vocabulary(), Vocabulary()
        self.mentions = Mentions(self.name["mention"])
        self.lines: LineReader | None = None
        self.parts: list[_Part] = []
        self.places = Places()
        self.n = self.n_below_score = self.n_absolute = 0
        self.bad_keys: list[str | None] = []
        self.bad_has_id: list[bool] = []
        self.fields: dict[str, list[Any]] = {name: [] for name in reading.fields}
        self.echo: list[list[Any]] = []
        self.has_id_field = False
        self.seen_fields: set[str] = set()
        self.first_file: str | None = None

    def add_source(self, source: Source) -> None:
        """Take all rows of a source."""
        if source.echo is not None:
            self.echo.append(source.echo)
        if self.lines is not None:
            self.lines.failures = 0
        for block in source.blocks:
            self.first_file = self.first_file or block.file
            if isinstance(block, WholeLines):
                self._add_lines(block)
            elif block.columns is None:
                self._add_block(block)
            elif not self._has_spans(block, block.columns):
                return

    def _add_lines(self, lines: WholeLines) -> None:
        part = self._part_of_lines(lines)
        if part is not None:
            self._add_part(part)
            return
        for block in parsed(lines):
            self._add_block(block)

    def _add_block(self, block: Block) -> None:
        self._look_at_fields(block.rows)
        part = self._plain_part(block)
        self._add_part(self._careful_part(block) if part is None else part)

    def _add_part(self, part: _Part) -> None:
        self.parts.append(part)
        self.n += len(part.key)

    def _part_of_lines(self, lines: WholeLines) -> _Part | None:
        """Columns of lines that are not parsed, where that is possible; else None, and nothing has changed."""
        reader = self._line_reader()
        found = None if reader is None else reader.read(lines, self.keys, self.ids)
        if found is None:
            return None
        self._look_at_fields([dict.fromkeys(found.names), *found.others])
        self.places.add_run(self.n, lines.file, lines.first)
        self.mentions.keep(found.row, self.keys, found.key, found.a, found.b)
        return _Part(found.key, narrow(found.a), narrow(found.b), found.id, None)

    def _line_reader(self) -> LineReader | None:
        """Reads lines that are not parsed; None where more is wanted of rows than it tells, or not known yet what."""
        if self.lines is not None or self.n < FEW_ROWS:
            return self.lines
        if self.key_is_settled and self.reading.min_score is None and not self.fields:
            from spaneval.loaders.plain_lines import LineReader  # a small file does without

            self.lines = LineReader(self.name, self.key_field, self.key_types)
        return self.lines

    def _has_spans(self, block: Block, columns: list[str]) -> bool:
        """Whether a table has the columns of a span; if not, a problem. It may have no rows, so rows cannot tell."""
        self.seen_fields |= set(columns)
        self.has_id_field |= self.name["entity_id_predicted"] in columns
        if {self.name["a_abs"], self.name["b_abs"]} <= set(columns):
            return True
        missing = [name for name in (self.name["a"], self.name["b"]) if name not in columns]
        if missing:
            found = ", ".join(map(repr, columns)) or "no columns"
            message = f"no column {' and no column '.join(map(repr, missing))} (found: {found})"
            near = [f"--field {k}={v}" for k, names in SPAN_GUESSES.items() for v in names if v in columns]
            other = "--field a=NAME --field b=NAME name the columns of the offsets; is this a file of prediction rows?"
            hint = " ".join(near) or other
            line = 1 if block.has_lines and block.file else None
            self.problems.add(Problem(message, block.file, line, hint=hint, kind=FormatError))
        return not missing

    def _look_at_fields(self, rows: list[Any]) -> None:
        """Learn what has to be known of the names of fields, until it is known."""
        if not self.has_id_field:
            id_name = self.name["entity_id_predicted"]
            self.has_id_field = any(id_name in row for row in rows if isinstance(row, Mapping))
        if not self.has_id_field or self.fields:
            self.seen_fields |= set().union(*(row for row in rows if isinstance(row, Mapping)))
        if not self.key_is_settled:
            doc_id = self.name["doc_id"]
            if any(text_id(row.get(doc_id)) not in (None, BAD) for row in rows if isinstance(row, Mapping)):
                self._switch_to_doc_id()

    def _plain_part(self, block: Block) -> _Part | None:
        """Columns of rows whose values are all of the usual types and all spans possible; else None."""
        rows, threshold = block.rows, self.reading.min_score
        values = plain_values(rows, self.name, self.key_field, self.key_types, is_text=block.is_text)
        if values is None:
            return None
        if threshold is None:
            self._add_places(block, None)
            key, entity = self.keys.codes(values.keys), self.ids.codes(values.ids)
            return self._keep(rows, _Part(key, narrow(values.a), narrow(values.b), entity, None))
        scores = plain_scores(rows, self.name["score"])
        if scores is None:
            return None
        kept = np.flatnonzero(scores >= threshold)
        numbers = kept.tolist()
        self.n_below_score += len(rows) - len(kept)
        self._add_places(block, numbers)
        key, entity = (
            codes.codes([given[k] for k in numbers])
            for codes, given in ((self.keys, values.keys), (self.ids, values.ids))
        )
        part = _Part(key, narrow(values.a[kept]), narrow(values.b[kept]), entity, scores[kept])
        return self._keep([rows[k] for k in numbers], part)

    def _keep(self, rows: list[Any], part: _Part) -> _Part:
        """Keep what is wanted of the rows beside their columns."""
        self.mentions.keep(rows.__getitem__, self.keys, part.key, part.a, part.b)
        for name, kept in self.fields.items():
            kept += field_values(rows, self.reading.name_of(name))
        return part

    def _add_places(self, block: Block, kept: list[int] | None) -> None:
        """Note where the rows `kept` of a block came from, all rows if None."""
        if kept is None and block.lines is None:
            self.places.add_run(self.n, block.file, block.first, has_lines=block.has_lines)
            return
        for n, k in enumerate(range(len(block.rows)) if kept is None else kept):
            self.places.add_run(self.n + n, block.file, block.number(k), has_lines=block.has_lines)

    def _careful_part(self, block: Block) -> _Part:
        """Columns of the good rows of a block; bad ones become problems, or are counted."""
        reader = RowReader(self.reading, self.key_field, block)
        good: list[Row] = []
        numbers: list[int] = []
        for k in range(len(block.rows)):
            read = reader.read(k)
            if isinstance(read, Row):
                good.append(read)
                numbers.append(k)
                self.n_absolute += read.is_absolute
            elif isinstance(read, BadRow):
                self._take_bad_row(read)
            else:
                self.n_below_score += 1
        self._add_places(block, numbers)
        return self._part_of(good, [block.rows[k] for k in numbers])

    def _part_of(self, good: list[Row], rows: list[Any]) -> _Part:
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
        return self._keep(rows, part)

    def _take_bad_row(self, bad: BadRow) -> None:
        if self.reading.skips_bad_rows:
            self.bad_keys.append(bad.key)
            self.bad_has_id.append(bad.has_id)
        elif self.problems.wants_more:
            self.problems.add(bad.problem if isinstance(bad.problem, Problem) else bad.problem())
        else:
            self.problems.add_uncounted(1)

    def _switch_to_doc_id(self) -> None:
        """
        From now on rows are keyed by `doc_id`.

        Those before had none: they are bad rows, or, where there is one document only, rows without a key.
        """
        self.key_is_settled, self.key_field = True, "doc_id"
        self.bad_keys = [None] * len(self.bad_keys)
        self.keys = Vocabulary()
        if not self.reading.needs_key:
            code = self.keys[None]
            self.parts = [part._replace(key=np.full_like(part.key, code)) for part in self.parts]
            self.mentions.forget_keys(code)
            return
        if self.reading.skips_bad_rows:
            is_id = np.array([value not in _NO_ID for value in self.ids], dtype=np.bool_)
            self.bad_keys += [None] * self.n
            self.bad_has_id += is_id[joined([part.id for part in self.parts])].tolist() if self.n else []
        else:
            self._report_without_doc_id()
        self.parts, self.places, self.n, self.n_absolute = [], Places(), 0, 0
        self.mentions.forget_keys(None)
        self.fields = {name: [] for name in self.fields}

    def _report_without_doc_id(self) -> None:
        message = f"no '{self.name['doc_id']}', while other rows and every gold document have one"
        hint = "--doc-key itext or --doc-key position looks documents up by itext"
        for row in range(self.n):
            if not self.problems.wants_more:
                self.problems.add_uncounted(self.n - row)
                return
            place = self.places[row]
            line, prefix = (place.line, "") if place.has_lines else (None, f"row {place.line}: ")
            self.problems.add(Problem(prefix + message, place.file, line, hint=hint, kind=FormatError))

    def finish(self, notes: list[Note]) -> Predictions:
        """The table of all rows taken."""
        self._check_id_field(notes)
        if self.n_absolute:
            message = (
                f"offsets of {self.n_absolute} rows come from a_abs and b_abs; their a and b are relative to a chunk"
            )
            notes.append(Note("absolute-offsets", self.n_absolute, message))
        keys, key_of = coded(map(_text, self.keys))
        ids, id_of = coded(map(_text, self.ids))
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
            key=key_of[joined([part.key for part in parts])],
            keys=keys,
            key_field=self.key_field,
            a=joined([part.a for part in parts]),
            b=joined([part.b for part in parts]),
            id=id_of[joined([part.id for part in parts])],
            ids=ids,
            places=self.places,
            bad=BadRows(
                np.array([-1 if key is None else bad_code[key] for key in self.bad_keys], dtype=np.int32),
                np.array(self.bad_has_id, dtype=np.bool_),
            ),
            surfaces=self.mentions.surfaces(list(self.keys)),
            echo=echoed_spans(self.echo),
            fields=fields,
            seen_fields=frozenset(map(str, self.seen_fields)),
            n_below_score=self.n_below_score,
            n_absolute=self.n_absolute,
        )

    def _check_id_field(self, notes: list[Note]) -> None:
        """Without any id, look for a field that nearly has the name."""
        ours = self.name["entity_id_predicted"]
        if self.has_id_field or not self.seen_fields:
            return
        found = ", ".join(sorted(map(str, self.seen_fields)))
        near: list[str] = [name for name in ID_LOOKALIKES if name in self.seen_fields]
        near += nearest(ours, sorted(map(str, self.seen_fields)), 1, cutoff=0.75)
        if near:
            hint = f"--field entity_id_predicted={near[0]}"
            message = f"no row has '{ours}' (found: {found})"
            self.problems.add(Problem(message, self.first_file, hint=hint, kind=FormatError))
        elif self.n + len(self.bad_keys):
            message = (
                f"no row has '{ours}' (found: {found}), so no prediction has an id and only spans are scored; "
                "--field entity_id_predicted=NAME names the field that holds ids"
            )
            notes.append(Note("no-predicted-ids", self.n, message))


def _text(value: Any) -> str | None:
    text = text_id(value)
    return None if text is BAD else text

"""
Id maps: files and objects that say which knowledge base id a predicted id stands for.

A map is CSV, TSV, JSON (an object, or a list of objects), Parquet, a mapping or a pandas data frame. Ids are text:
where a format has numbers, a number is read as its digits. Blanks around ids are trimmed, and counted.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from spaneval.exceptions import FormatError, IdMapError, InputError
from spaneval.loaders.json_text import BOM, json_problem
from spaneval.loaders.scalars import BAD, NumberText, describe, text_id
from spaneval.loaders.tables import Delimiter, display_name, guess_delimiter, open_bytes, read_delimited
from spaneval.problems import Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

FROM_NAMES = ("predicted_id", "entity_id_predicted", "cluster_id", "from")
TO_NAMES = ("kb_id", "entity_id", "to")
"""Columns that are recognised. The first name of each list wins; two others of one list in one table are unclear."""

_PARQUET = b"PAR1"  # parquet.apache.org/docs/file-format
_JSON_START = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{\]])')
_NO_MAP = "a map that holds no ids is {} or a header alone; where ids need no map, name none"
_FIRST_LINE = re.compile(rb"[^\r\n]*\S[^\r\n]*")


@dataclass(frozen=True, slots=True)
class IdMap:
    """
    What predicted ids, or gold ids, stand for.

    Args:
        name: Name of the file as given, or of the kind of object.
        targets: Target by id. Ids whose target is empty are not held.
        n_trimmed: Cells whose blanks were trimmed.
        n_empty: Ids whose target is empty.

    """

    name: str
    targets: dict[str, str]
    n_trimmed: int = 0
    n_empty: int = 0


def parse_columns(text: str) -> tuple[str, str]:
    """
    The two columns of `--id-map-columns FROM,TO`: names, or positions from 1.

    Raises:
        ValueError: If there are not two different columns.

    """
    columns = [column.strip() for column in text.split(",")]
    if len(columns) != 2 or not all(columns):
        raise ValueError(f"'{text}' is not of the form FROM,TO, such as cluster,kb_id or 1,2")
    if columns[0] == columns[1]:
        raise ValueError(f"'{text}' names one column twice; expected FROM,TO, two different columns")
    return columns[0], columns[1]


def load_id_map(path: str, *, columns: tuple[str, str] | None = None, problems: Problems) -> IdMap:
    """
    Read a map from a file; the format is told by content and name, gzip by content.

    Two integers as `columns` are positions in a file without a header, unless its first row has these as names; a first
    row with recognised names at these positions is a header all the same, and skipped. A JSON object has no columns.

    Args:
        path: The file; `-` is standard input.
        columns: The columns to read, names or positions from 1.
        problems: Receives whatever is wrong: `IdMapError` for what the map says, `FormatError` for how it says it.

    Returns:
        The map; as far as it could be read, if there are problems.

    """
    name = display_name(path)
    try:
        with open_bytes(path) as stream:
            raw = stream.read()
    except InputError as error:
        for problem in error.problems:
            problems.add(problem)
        return IdMap(name, {})
    entries = _Entries(name, file=name, problems=problems)
    try:
        _reader(raw, name)(raw, entries, columns)
    except _Unusable as unusable:
        problems.add(Problem(unusable.message, name, unusable.line, hint=unusable.hint, kind=unusable.kind))
    return entries.to_map()


def as_id_map(
    source: IdMap | Mapping[Any, object] | str | os.PathLike[str] | pd.DataFrame,
    *,
    columns: tuple[str, str] | None = None,
    problems: Problems,
) -> IdMap:
    """
    The map that `source` is: a map, the path of one, a mapping of ids, or a data frame.

    Args:
        source: The map in any of these forms.
        columns: The columns of a file or a data frame.
        problems: As in `load_id_map`.

    Returns:
        The map.

    Raises:
        TypeError: If `source` is none of these.

    """
    if isinstance(source, IdMap):
        return source
    if isinstance(source, str | os.PathLike):
        return load_id_map(os.fspath(source), columns=columns, problems=problems)
    if isinstance(source, Mapping):
        entries = _Entries("<mapping>", unit="entry", problems=problems)
        for number, (id_, target) in enumerate(source.items(), 1):
            entries.add(number, id_, target)
        return entries.to_map()
    if "pandas" in sys.modules and isinstance(source, sys.modules["pandas"].DataFrame):
        return _from_frame(source, columns, problems)
    raise TypeError(f"an id map is a path, a mapping, a data frame or an IdMap, not {type(source).__name__}")


def _from_frame(frame: pd.DataFrame, columns: tuple[str, str] | None, problems: Problems) -> IdMap:
    entries = _Entries("<data frame>", unit="row", problems=problems)
    try:
        choice = _choose_columns([str(column) for column in frame.columns], columns)
    except _Unusable as unusable:
        problems.add(Problem(f"id map: {unusable.message}", hint=unusable.hint, kind=unusable.kind))
        return entries.to_map()
    entries.passed_over = _passed_over([str(column) for column in frame.columns], choice, columns)
    chosen = [frame.iloc[:, at] for at in choice]
    values = [column.astype(object).where(column.notna(), None).tolist() for column in chosen]
    for number, (id_, target) in enumerate(zip(*values, strict=True), 1):
        entries.add(number, id_, target)
    return entries.to_map()


class _Unusable(Exception):  # noqa: N818 - never leaves this module
    """Why a map cannot be read at all."""

    def __init__(
        self, message: str, *, hint: str | None = None, line: int | None = None, kind: type[InputError] = FormatError
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line
        self.kind = kind


class _Entries:
    """
    Gathers the entries of one map.

    Args:
        name: Name of the map.
        file: Name of the file, None for data in memory.
        unit: What entries are counted in: `line`, `row` or `entry`.
        problems: Receives what is wrong.

    """

    def __init__(self, name: str, *, file: str | None = None, unit: str = "line", problems: Problems) -> None:
        self.name = name
        self.file = file
        self.unit = unit
        self.problems = problems
        self.line_of: Callable[[int], int | None] = lambda at: at
        self._targets: dict[str, str] = {}
        self._first: dict[str, int] = {}
        self._n_trimmed = 0
        self.passed_over: list[str] = []

    def add(self, at: int, id_: object, target: object) -> None:
        """Take one entry, which stands at line, row or entry `at`."""
        id_text = self._text(at, id_, "predicted id")
        target_text = self._text(at, target, "target", of=id_text)
        if id_text is None or target_text is None:
            return
        if not id_text:
            if target_text:
                self._report(at, f"no predicted id for the target {target_text!r}", "fill in the id, or drop the row")
            return
        known = self._targets.setdefault(id_text, target_text)
        if known == target_text:
            self._first.setdefault(id_text, at)
        else:
            self._report_conflict(at, id_text, target_text)

    def to_map(self) -> IdMap:
        """The map of what was taken."""
        held = {id_: target for id_, target in self._targets.items() if target}
        return IdMap(self.name, held, self._n_trimmed, len(self._targets) - len(held))

    def report(self, at: int, message: str, hint: str | None = None) -> None:
        """Report that an entry does not have the form that it should have."""
        self._report(at, message, hint, FormatError)

    def _text(self, at: int, value: object, role: str, of: str | None = None) -> str | None:
        """The trimmed text of a value, `""` for none; None, and a problem, if it is no id."""
        text = text_id(NumberText(value) if isinstance(value, Decimal) else value) or ""
        if text is BAD:
            is_several = of is not None and isinstance(value, list | dict)
            hint = "an id has one target" if is_several else "ids are text; write this one as text"
            self.report(at, f"{describe(value)} as {_role(role, of)}, expected text or an integer", hint)
            return None
        if "\0" in text or not (text.isascii() or _is_unicode(text)):
            what = "a NUL character" if "\0" in text else "half of a surrogate pair"
            self.report(at, f"{what} in the {_role(f'{role} {text!r}', of)}, expected text", "remove it")
            return None
        trimmed = text.strip()
        self._n_trimmed += len(trimmed) != len(text)
        return trimmed

    def _report_conflict(self, at: int, id_: str, target: str) -> None:
        known, first = self._targets[id_], self._place(self._first[id_])
        message = f"{id_!r} maps to {_shown(target)}, but {first} maps it to {_shown(known)}"
        hint = "a predicted id needs one target; merge the rows or drop one"
        if self.passed_over:
            hint += f"; --id-map-columns FROM,TO reads other columns, such as {self.passed_over[0]!r}"
        self._report(at, message, hint)

    def _report(self, at: int, message: str, hint: str | None, kind: type[InputError] = IdMapError) -> None:
        has_line = self.file is not None and self.unit == "line"
        if not has_line:
            message = f"{'' if self.file else 'id map, '}{self._place(at)}: {message}"
        line = self.line_of(at) if has_line else None
        self.problems.add(Problem(message, self.file, line, hint=hint, kind=kind))

    def _place(self, at: int) -> str:
        return f"line {self.line_of(at)}" if self.unit == "line" else f"{self.unit} {at}"


def _role(role: str, of: str | None) -> str:
    """With the id whose target it is, if there is one."""
    return f"{role} of {describe(of)}" if of else role


def _is_unicode(text: str) -> bool:
    """Whether it has no lone surrogates, which JSON can write but no file can hold."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(target: str) -> str:
    return repr(target) if target else "nothing"


class _Choice(NamedTuple):
    """Indices of the two columns."""

    source: int
    target: int


def _choose_columns(header: list[str], columns: tuple[str, str] | None) -> _Choice:
    """
    Which columns of a table to read.

    Raises:
        _Unusable: If they are not there, or more than one column would do.

    """
    if columns is None:
        return _Choice(*(_recognised(header, names) for names in (FROM_NAMES, TO_NAMES)))
    if _are_positions(header, columns):
        return _Choice(*(_at_position(header, column) for column in columns))
    return _Choice(*(_named(header, column) for column in columns))


def _are_positions(header: list[str], columns: tuple[str, str]) -> bool:
    """Whether both columns are numbers, and not both names."""
    return all(map(str.isdecimal, columns)) and not all(column in header for column in columns)


def _passed_over(header: list[str], choice: _Choice, columns: tuple[str, str] | None) -> list[str]:
    """Columns with a known name that were not read because the first name of their list wins."""
    if columns is not None:
        return []
    return [name for at, name in enumerate(header) if name in (*FROM_NAMES, *TO_NAMES) and at not in choice]


def _recognised(header: list[str], names: tuple[str, ...]) -> int:
    found = [at for at, column in enumerate(header) if column in names]
    first = [at for at in found if header[at] == names[0]]
    if len(first or found) == 1:
        return (first or found)[0]
    if found:
        raise _Unusable(
            f"more than one column for {names[0]!r} (found: {_listed(header)})",
            hint="--id-map-columns FROM,TO picks two",
        )
    raise _Unusable(
        f"no column {' or '.join(map(repr, names))} (found: {_listed(header)})",
        hint="--id-map-columns FROM,TO names the columns; of a file without a header, --id-map-columns 1,2",
    )


def _named(header: list[str], column: str) -> int:
    found = [at for at, name in enumerate(header) if name == column]
    if len(found) == 1:
        return found[0]
    if column.isdecimal() and not found:
        return _at_position(header, column)
    problem = f"{len(found)} columns are called {column!r}" if found else f"no column {column!r}"
    raise _Unusable(
        f"{problem} (found: {_listed(header)})", hint="--id-map-columns FROM,TO takes names, or positions from 1"
    )


def _at_position(header: list[str], column: str) -> int:
    if 1 <= int(column) <= len(header):
        return int(column) - 1
    raise _Unusable(
        f"no column at position {column}, expected 1 to {len(header)} (found: {_listed(header)})",
        hint="--id-map-columns FROM,TO takes names, or positions from 1",
    )


def _listed(header: list[str], limit: int = 20) -> str:
    shown = ", ".join(map(repr, header[:limit]))
    return shown + (f" and {len(header) - limit} more" if len(header) > limit else "")


_Reader = Callable[[bytes, _Entries, tuple[str, str] | None], None]


def _reader(raw: bytes, name: str) -> _Reader:
    """Reads the format that content and name tell."""
    suffix = _suffix(name)
    if raw.startswith(_PARQUET) or suffix == ".parquet":
        return _read_parquet
    if _JSON_START.match(raw.removeprefix(BOM)) or suffix == ".json":
        return _read_json
    return _read_delimited


def _suffix(name: str) -> str:
    return os.path.splitext(name.lower().removesuffix(".gz"))[1]


def _read_delimited(raw: bytes, entries: _Entries, columns: tuple[str, str] | None) -> None:
    delimiter = _delimiter(raw, entries.name)
    records = read_delimited(io.BytesIO(raw), name=entries.name, delimiter=delimiter, problems=entries.problems)
    n_problems = entries.problems.total
    header = next(records, None)
    if header is None:
        if entries.problems.total == n_problems:
            raise _Unusable("the file is empty, expected a header such as predicted_id,kb_id", hint=_NO_MAP)
        return
    names = [cell.strip() for cell in header.cells]
    try:
        choice = _choose_columns(names, columns)
    except _Unusable as unusable:
        unusable.line = header.line
        raise
    entries.passed_over = _passed_over(names, choice, columns)
    if columns is not None and not _is_header(names, choice, columns):
        entries.add(header.line, header.cells[choice.source], header.cells[choice.target])
    for line, cells in records:
        entries.add(line, cells[choice.source], cells[choice.target])


def _is_header(names: list[str], choice: _Choice, columns: tuple[str, str]) -> bool:
    """Whether the first row is a header: unless it was read by position, and no known names are at these positions."""
    is_known = names[choice.source] in FROM_NAMES and names[choice.target] in TO_NAMES
    return is_known or not _are_positions(names, columns)


def _delimiter(raw: bytes, name: str) -> Delimiter:
    """What separates cells: as the content says, and where it holds both, as the name says."""
    first = _FIRST_LINE.search(raw.removeprefix(BOM))
    text = first[0].decode(errors="replace") if first else ""
    delimiter = guess_delimiter(text)
    if delimiter is None:
        raise _Unusable(
            f"cells are separated by ';' (found: {text!r}), expected ',' or a tab",
            hint="save the file as CSV with commas",
        )
    return "," if delimiter == "\t" and "," in text and _suffix(name) == ".csv" else delimiter


def _read_json(raw: bytes, entries: _Entries, columns: tuple[str, str] | None) -> None:
    raw = raw.removeprefix(BOM)
    if not raw.strip():
        raise _Unusable("the file is empty, expected an object of predicted ids and their targets", hint=_NO_MAP)
    try:
        value = json.loads(
            raw.decode(),
            object_pairs_hook=_Pairs,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=_refuse_constant,
        )
    except ValueError:
        entries.problems.add(json_problem(raw, entries.name))
        return
    except RecursionError:
        raise _Unusable("nested too deeply, expected an object of predicted ids and their targets") from None
    entries.line_of = _JsonLines(raw.decode(), is_object=isinstance(value, _Pairs))
    if isinstance(value, _Pairs):
        for at, (id_, target) in enumerate(value):
            entries.add(at, id_, {} if isinstance(target, _Pairs) else target)
    elif isinstance(value, list):
        _read_json_rows(value, entries, columns)
    else:
        raise _Unusable(
            f"{describe(value)} found, expected an object of predicted ids and their targets, or a list of objects"
        )


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that repeated keys are not lost."""


def _read_json_rows(rows: list[Any], entries: _Entries, columns: tuple[str, str] | None) -> None:
    """A list of objects: a table whose columns are all the keys."""
    for at, row in enumerate(rows):
        if not isinstance(row, _Pairs):
            entries.report(at, f"{describe(row)} found, expected an object with the two columns")
        elif len(dict(row)) < len(row):
            entries.report(at, "a key is repeated in one object", "keep one of them")
    sound = [(at, dict(row)) for at, row in enumerate(rows) if isinstance(row, _Pairs) and len(dict(row)) == len(row)]
    if not sound:
        return
    names = list(dict.fromkeys(key for _, row in sound for key in row))
    choice = _choose_columns(names, columns)
    entries.passed_over = _passed_over(names, choice, columns)
    source, target = (names[at] for at in choice)
    for at, row in sound:
        values = (row.get(source), row.get(target))
        entries.add(at, *({} if isinstance(value, _Pairs) else value for value in values))


class _JsonLines:
    """
    Lines on which the entries of a JSON text start; looked for when a message first needs one.

    Args:
        text: Valid JSON.
        is_object: Whether entries are members of an object, else items of a list.

    """

    _TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")\s*(:)?|[^\s"\[\]{},:]+|[\[\]{}]')

    def __init__(self, text: str, *, is_object: bool) -> None:
        self._text = text
        self._is_object = is_object
        self._lines: list[int] = []

    def __call__(self, at: int) -> int | None:
        if not self._lines:
            self._lines = list(self._find())
        return self._lines[at] if at < len(self._lines) else None

    def _find(self) -> Iterable[int]:
        depth, line, last = 0, 1, 0
        for token in self._TOKEN.finditer(self._text):
            line += self._text.count("\n", last, token.start())
            last = token.start()
            is_closing = token[0] in ("]", "}")
            if depth == 1 and not is_closing and (bool(token[2]) or not self._is_object):
                yield line
            depth += (token[0] in ("[", "{")) - is_closing


def _read_parquet(raw: bytes, entries: _Entries, columns: tuple[str, str] | None) -> None:
    entries.unit = "row"
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise _Unusable(
            "Parquet needs pyarrow, which is not installed", hint="pip install 'spaneval-el[parquet]'", kind=InputError
        ) from None
    try:
        table = pq.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as error:
        raise _Unusable(f"not a sound Parquet file: {str(error).splitlines()[0]}") from error
    choice = _choose_columns(table.column_names, columns)
    entries.passed_over = _passed_over(table.column_names, choice, columns)
    values = [table.column(at).to_pylist() for at in choice]
    for number, (id_, target) in enumerate(zip(*values, strict=True), 1):
        entries.add(number, id_, target)

"""
Records of named fields: JSON Lines, a JSON list, a JSON object `{id: {field: value}}`, CSV or TSV, or data in memory.

Everything is read strictly; what is wrong is told with file and line. Nothing is compared here.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import orjson

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.json_text import Lines
from spaneval.loaders.memory_values import plain_fields, rows_of_frame
from spaneval.loaders.scalars import BAD, NumberText, describe, text_id
from spaneval.loaders.strict_json import parse_strictly
from spaneval.loaders.tables import display_name, guess_delimiter, open_bytes, read_delimited
from spaneval.loaders.utf8 import BOM
from spaneval.problems import Problem, Problems

KEY: Final = "id"
"""The field that holds the id of a record, unless another one is named."""

_BLANKS: Final = " \t\r\n"
_SHOWN: Final = 8
_PLAIN: Final = frozenset((str, int, bool, type(None)))
_KEYS: Final = re.compile(rb'"[ \t\r\n]*:')
_NUMBERS: Final = re.compile(rb'"[ \t\r\n]*:[ \t\r\n]*(-?[0-9][0-9.eE+-]*)')
_LONG: Final = 18
"""Characters up to which a number that is read as a float has a fraction or an exponent, and none beyond a decimal."""

Shape = Literal["jsonl", "json", "table"]


@dataclass(slots=True)
class Records:
    """
    The records of one side.

    Args:
        name: The file as the user named it; None in memory.
        is_text: Whether its format has no numbers, only text.
        values: Fields by name, without the key, by id.
        columns: Names of the columns of a format that has them, without the key.
        lines: Line on which each record starts, where lines are known at once.
        line_of: Finds it otherwise.

    """

    name: str | None = None
    is_text: bool = False
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    lines: dict[str, int] = field(default_factory=dict)
    line_of: Callable[[str], int | None] = lambda _: None

    def __len__(self) -> int:
        return len(self.values)

    def line(self, record: str) -> int | None:
        """The line on which a record starts; None where there are none."""
        return self.lines.get(record) or self.line_of(record)

    @property
    def fields(self) -> set[str]:
        """Every field that some record has."""
        return set(self.columns).union(*self.values.values())


def load_records(source: Any, key: str, problems: Problems) -> Records:
    """
    Records in any form.

    Args:
        source: A path, `-` for standard input, or data in memory: `{id: {field: value}}`, a list of dicts, or a data
            frame with the key as a column or as its index.
        key: The field that holds the id.
        problems: Gets what is wrong.

    Raises:
        InputError: If a file cannot be opened.
        TypeError: If it is no source at all.

    """
    if isinstance(source, str | os.PathLike):
        return _load_file(os.fspath(source), key, problems)
    if source is None or isinstance(source, int | float):
        raise TypeError(f"records are {source!r}; expected a path, a dict of dicts, a list of dicts, or a data frame")
    gathered = _Gathered(Records(), key, problems)
    if hasattr(source, "iterrows"):
        if not source.columns.is_unique:
            problems.add(Problem("the data frame has several columns of one name, expected one of each"))
            return gathered.records
        for number, row in enumerate(rows_of_frame(source, key), 1):
            gathered.add(row, f"row {number}")
        gathered.records.columns = tuple(str(name) for name in source.columns if str(name) != key)
    elif isinstance(source, Mapping):
        for record, fields in source.items():
            gathered.add_named(record, fields)
    else:
        for number, row in enumerate(source, 1):
            gathered.add(row, f"row {number}")
    for record, fields in gathered.records.values.items():
        gathered.records.values[record] = plain_fields(fields, record, problems)
    return gathered.records


def _load_file(path: str, key: str, problems: Problems) -> Records:
    name = display_name(path)
    with open_bytes(path) as file:
        raw = file.read().removeprefix(BOM)
    gathered = _Gathered(Records(name), key, problems)
    if not raw.strip():
        return gathered.records
    if raw.startswith(b"PAR1"):
        message = "a Parquet file, expected JSON Lines, JSON, CSV or TSV"
        hint = "a data frame of it can be scored from Python: spaneval.evaluate_records"
        problems.add(Problem(message, name, hint=hint, kind=FormatError))
        return gathered.records
    {"jsonl": _read_lines, "json": _read_whole, "table": _read_table}[_shape(raw, name)](raw, name, gathered)
    return gathered.records


def _shape(raw: bytes, name: str) -> Shape:
    """How the records are written: content first, the name where content does not tell."""
    text = raw.lstrip()
    suffix = name.lower().removesuffix(".gz").rpartition(".")[2]
    if text[:1] not in (b"{", b"["):
        return "jsonl" if suffix in ("jsonl", "ndjson") else "json" if suffix == "json" else "table"
    lines = [line for line in text.split(b"\n") if line.strip()]
    if text[:1] == b"[" or len(lines) == 1:
        return "json"
    if _is_json(lines[0]):
        return "jsonl"
    is_row = all(line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines[1:])
    return "jsonl" if is_row or (suffix in ("jsonl", "ndjson") and not _is_json(raw)) else "json"


def _is_json(raw: bytes) -> bool:
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError:
        return False
    return True


def _read_lines(raw: bytes, name: str, gathered: _Gathered) -> None:
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        value: Any = _plain_record(line)
        if value is None:
            value = parse_strictly(
                line, name, gathered.problems, first_line=number, is_line=True, keeps_numbers=True
            )  # fmt: skip
        if value is not BAD:
            gathered.add(value, None, number)


def _plain_record(line: bytes) -> dict[str, Any] | None:
    """
    The record of a line without objects in it, and with numbers as they are written; None for any other line.

    Behind each key stand a quote and a colon, so a key that occurs twice would leave more of these than keys.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict or (line.count(b":") != len(value) and len(_KEYS.findall(line)) != len(value)):
        return None
    kinds = set(map(type, value.values()))
    if kinds <= _PLAIN:
        return value
    if list in kinds:
        if not all(_PLAIN.issuperset(map(type, items)) for items in value.values() if type(items) is list):
            return None
        kinds.remove(list)
    if float in kinds:
        kinds.remove(float)
        numbers = [name for name, number in value.items() if type(number) in (int, float)]
        texts = _NUMBERS.findall(line)
        if len(texts) != len(numbers):
            return None
        for name, text in zip(numbers, texts, strict=True):
            if type(value[name]) is float:
                if len(text) > _LONG:
                    return None
                value[name] = NumberText(text.decode())
    return value if kinds <= _PLAIN else None


def _read_whole(raw: bytes, name: str, gathered: _Gathered) -> None:
    value = parse_strictly(raw, name, gathered.problems, keeps_numbers=True)
    if value is BAD:
        return
    lines = Lines(raw)
    if isinstance(value, list):
        numbers: dict[str, int] = {}
        gathered.records.line_of = lambda record: lines((numbers[record],)) if record in numbers else None
        for k, row in enumerate(value):
            gathered.line_of = lambda k=k: lines((k,))  # type: ignore[misc] # bound now
            added = gathered.add(row, None)
            if added is not None:
                numbers[added] = k
    elif isinstance(value, dict) and _is_map(value, gathered.key):
        gathered.records.line_of = lambda record: lines((record,))
        for record, fields in value.items():
            gathered.line_of = lambda record=record: lines((record,))  # type: ignore[misc]
            gathered.add_named(record, fields)
    else:
        gathered.line_of = lambda: lines(())
        gathered.add(value, None)
        gathered.records.line_of = lambda _: lines(())


def _is_map(value: Mapping[str, Any], key: str) -> bool:
    """Whether an object holds records by their id, rather than being one."""
    if isinstance(value.get(key), str | int | float) and not isinstance(value.get(key), bool):
        return False
    return any(isinstance(fields, dict) for fields in value.values()) or not value


def _read_table(raw: bytes, name: str, gathered: _Gathered) -> None:
    problems, records = gathered.problems, gathered.records
    records.is_text = True
    first = raw.lstrip().split(b"\n")[0].decode(errors="replace")
    delimiter = guess_delimiter(first)
    if delimiter is None:
        message = f"cells are separated by ';' (found: {describe(first.strip())}), expected ',' or a tab"
        problems.add(Problem(message, name, 1, hint="save the file as CSV with commas", kind=FormatError))
        return
    rows = read_delimited(io.BytesIO(raw), name=name, delimiter=delimiter, problems=problems)
    header = next(rows, None)
    if header is None:
        return
    columns = [cell.strip(_BLANKS) for cell in header.cells]
    if not _check_columns(columns, header.line, gathered):
        return
    records.columns = tuple(column for column in columns if column != gathered.key)
    for row in rows:
        cells = [cell if cell.strip() else None for cell in row.cells]
        gathered.add(dict(zip(columns, cells, strict=True)), None, row.line)


def _check_columns(columns: list[str], line: int, gathered: _Gathered) -> bool:
    """Whether each column has a name of its own, and one of them is the key."""
    name, key = gathered.records.name, gathered.key
    message, hint = "", None
    double = next((column for column in columns if columns.count(column) > 1), None)
    if double is not None and double:
        message, hint = f"two columns are named '{double}', expected one of each name", "rename one of them"
    elif "" in columns:
        message = f"column {columns.index('') + 1} of {len(columns)} has no name in the header"
        hint = "name it, or save the file without it; data frames write their index so"
    elif key not in columns:
        message = f"no column '{key}', which holds the id of a record (found: {_listed(columns)})"
        hint = "--key NAME names the column; JSON starts with { or ["
    if message:
        gathered.problems.add(Problem(message, name, line, hint=hint, kind=FormatError))
    return not message


def _listed(names: Iterable[Any]) -> str:
    listed = [str(name) for name in names]
    more = len(listed) - _SHOWN
    return (", ".join(listed[:_SHOWN]) + (f" and {more} more" if more > 0 else "")) or "none"


@dataclass(slots=True)
class _Gathered:
    """Records as they come, each checked: an object, with an id, which no other has."""

    records: Records
    key: str
    problems: Problems
    line_of: Callable[[], int | None] = lambda: None
    _places: dict[str, str] = field(default_factory=dict)

    def add(self, row: Any, place: str | None, line: int | None = None) -> str | None:
        """A record that holds its own id; the id, if it can be used."""
        if not isinstance(row, Mapping):
            self._report(f"{describe(row)}, expected a record: an object of fields", place, line)
            return None
        if self.key not in row:
            hint = "--key NAME names the field that holds it"
            message = f"a record without '{self.key}', its id (found: {_listed(row)})"
            self._report(message, place, line, hint)
            return None
        record = text_id(row[self.key])
        if record is BAD or record is None:
            found = describe(row[self.key]) if record is BAD else "nothing"
            message = f"the id '{self.key}' of a record is {found}, expected text or an integer"
            self._report(message, place, line)
            return None
        fields = dict(row)
        del fields[self.key]
        return self._keep(record, fields, place, line)

    def add_named(self, given: Any, fields: Any) -> None:
        """A record under its id."""
        record = text_id(given)
        if record is BAD or record is None:
            self._report(f"the id of a record is {describe(given)}, expected text or an integer", None, None)
        elif not isinstance(fields, Mapping):
            hint = "a record is an object of fields; {} is one without any"
            self._report(f"record '{record}' is {describe(fields)}, expected an object", None, None, hint)
        elif text_id(fields.get(self.key)) not in (None, record):
            hint = f"--key NAME names another field, if '{self.key}' is not the id"
            message = f"record '{record}' calls itself {describe(fields[self.key])} in '{self.key}'"
            self._report(message, None, None, hint)
        else:
            self._keep(record, {name: x for name, x in fields.items() if name != self.key}, None, None)

    def _keep(self, record: str, fields: dict[str, Any], place: str | None, line: int | None) -> str | None:
        if record in self.records.values:
            first = self.records.line(record)
            where = self._places.get(record) or (f"line {first}" if first else "")
            message = f"record '{record}' occurs twice" + (f" (first in {where})" if where else "")
            hint = "give each record an id of its own; --key NAME names another field that holds it"
            self._report(message, place, line, hint)
            return None
        self.records.values[record] = fields
        if line is not None:
            self.records.lines[record] = line
        if place is not None:
            self._places[record] = place
        return record

    def _report(self, message: str, place: str | None, line: int | None, hint: str | None = None) -> None:
        if not self.problems.wants_more:
            self.problems.add_uncounted(1)
            return
        line = line if line is not None or self.records.name is None else self.line_of()
        where = f"{place}: " if place else ""
        self.problems.add(Problem(where + message, self.records.name, line, hint=hint, kind=InputError))

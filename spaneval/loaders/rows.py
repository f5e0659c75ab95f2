"""
Prediction files of every format → blocks of rows as they were written.

A block is a few hundred to a few thousand rows in reading order. Formats are told apart by content first, by name where
content does not tell.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple

import numpy as np
import orjson

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.json_text import BOM, json_problem, parse_exactly
from spaneval.loaders.scalars import describe
from spaneval.loaders.tables import Prepended, display_name, guess_delimiter, open_bytes, read_delimited
from spaneval.problems import Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

RowFormat = Literal["jsonl", "json", "csv", "tsv", "parquet"]

CHUNK: Final = 1 << 16
"""Bytes of JSON Lines parsed at once; this many stay in the processor's cache."""
BLOCK: Final = 5_000
"""Rows of a block where the format is not read by bytes."""
_HEAD: Final = 1 << 16
_NEWLINE, _RETURN, _OPEN, _CLOSE = b"\n\r{}"

Progress = Callable[[int], None]
Watch = Callable[[bytes, str, int], None]
"""Called with JSON as it is written, the name of its file, and the line it starts on."""


class Broken(NamedTuple):
    """Stands for a row that is not even readable."""

    problem: Problem


@dataclass(slots=True)
class Block:
    """
    Rows of one piece of a file, or of data in memory.

    Args:
        rows: What stands in each row, normally a dict; `Broken` where it cannot be read.
        file: Name of the file; None in memory.
        first: Line of the first row, from 1; number of the row where a format has no lines.
        lines: Line of each row where lines are not consecutive.
        exact: Gives row k again with numbers kept as they are written; None if they are exact already.
        has_lines: Whether `first` and `lines` are lines rather than row numbers.
        is_text: Whether the format has no numbers, only strings of digits.

    """

    rows: list[Any]
    file: str | None
    first: int
    lines: list[int] | None = None
    exact: Callable[[int], Any] | None = None
    has_lines: bool = True
    is_text: bool = False


class Source(NamedTuple):
    """Rows to come, and the gold that a linker's report says it saw (`ground_truth`, by document)."""

    blocks: Iterator[Block]
    echo: list[Any] | None = None


def expand(paths: Sequence[str], problems: Problems) -> list[str]:
    """The prediction files that `paths` stand for: a folder stands for the files directly in it, in name order."""
    names: list[str] = []
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            names.append(path)
            continue
        inside = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
        if not inside:
            hint = "give the file with the rows, or a folder that holds such files"
            problems.add(Problem("no file in this folder", file=path, hint=hint))
        names += inside
    seen: set[str] = set()
    for name in names:
        real = name if name == "-" else os.path.realpath(name)
        if real in seen:
            problems.add(Problem("given twice; its rows would count twice", file=display_name(name)))
        seen.add(real)
    return names


def read_rows(
    path: str,
    row_format: RowFormat | None,
    problems: Problems,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Source:
    """
    The rows of one file.

    Args:
        path: The file; `-` is standard input.
        row_format: The format; None tells it by content and name.
        problems: Gathers what is wrong with the file as a whole; broken rows come as `Broken`.
        progress: Called with the number of bytes read since the last call.
        watch: Sees every piece of JSON before it is parsed.

    Raises:
        InputError: If the file cannot be opened.

    """
    name = display_name(path)
    stream = open_bytes(path)
    head = stream.read(_HEAD)
    file = io.BufferedReader(Prepended(head, stream, name), CHUNK)
    found = row_format or _detect(head, name)
    if found == "jsonl":
        return Source(_json_lines(file, name, progress, watch))
    if found == "parquet":
        return Source(_parquet(file, name))
    if found == "json":
        return _json(file, name, problems, watch)
    return Source(_delimited(file, name, "\t" if found == "tsv" else ",", problems))


def _detect(head: bytes, name: str) -> RowFormat:
    if head[:4] == b"PAR1":
        return "parquet"
    named = _by_name(name)
    text = head.removeprefix(BOM).lstrip(b" \t\r\n")
    if text[:1] == b"[":
        return "json"
    if text[:1] == b"{":
        return _lines_or_whole(text, is_cut=len(head) >= _HEAD, named=named)
    if named:
        return named
    delimiter = guess_delimiter(text.split(b"\n")[0].decode(errors="replace"))
    return "tsv" if delimiter == "\t" else "csv"


def _by_name(name: str) -> RowFormat | None:
    stem = name.removesuffix(".gz")
    formats: dict[str, RowFormat] = {
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
        ".json": "json",
        ".csv": "csv",
        ".tsv": "tsv",
        ".tab": "tsv",
        ".parquet": "parquet",
    }
    return formats.get(os.path.splitext(stem)[1].lower())


def _lines_or_whole(text: bytes, *, is_cut: bool, named: RowFormat | None) -> RowFormat:
    """JSON Lines and one JSON object start alike: a first line that is a whole object, other than a report, tells."""
    first, newline, rest = text.partition(b"\n")
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        if not newline and is_cut:  # a first line longer than what was looked at
            return "json" if b'"entities"' in first[:2000] or named == "json" else "jsonl"
        return "jsonl" if named != "json" and rest.lstrip()[:1] == b"{" else "json"
    return "json" if isinstance(value.get("entities"), list) else "jsonl"


def _json_lines(file: BinaryIO, name: str, progress: Progress | None, watch: Watch | None) -> Iterator[Block]:
    line = 1
    with file:
        for chunk in _whole_lines(file):
            data = chunk.removeprefix(BOM) if line == 1 else chunk
            if watch:
                watch(data, name, line)
            yield _line_block(data, name, line)
            line += data.count(b"\n")
            if progress:
                progress(len(chunk))


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """The content cut into pieces that end with a line."""
    kept: list[bytes] = []
    while chunk := file.read(CHUNK):
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            kept.append(chunk)
            continue
        yield b"".join((*kept, chunk[:cut]))
        kept = [chunk[cut:]] if cut < len(chunk) else []
    if kept:
        yield b"".join(kept)


def _line_block(data: bytes, name: str, line: int) -> Block:
    """The rows of whole lines, parsed in one go where every line holds one flat object."""
    data = data.rstrip(b"\r\n ")
    if _is_flat(data):
        try:
            rows = orjson.loads(b"[" + data.replace(b"\n", b",") + b"]")
        except orjson.JSONDecodeError:
            pass
        else:
            return Block(rows, name, line, exact=lambda k: parse_exactly(data.split(b"\n")[k]))
    return _block_line_by_line(data, name, line)


def _is_flat(data: bytes) -> bool:
    """
    Whether every line starts with the only opening brace in it and ends with the only closing one.

    Then joining lines by commas cannot make two objects of one line, nor one object of two.
    """
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    n = len(ends) + 1
    if np.count_nonzero(letters == _OPEN) != n or np.count_nonzero(letters == _CLOSE) != n:
        return False
    last = letters[ends - 1]
    if (last == _RETURN).any():
        last = np.where(last == _RETURN, letters[ends - 2], last)
    return bool(
        data[:1] == b"{" and data[-1:] == b"}" and (last == _CLOSE).all() and (letters[ends + 1] == _OPEN).all()
    )


def _block_line_by_line(data: bytes, name: str, line: int) -> Block:
    rows: list[Any] = []
    lines: list[int] = []
    texts: list[bytes] = []
    for number, text in enumerate(data.split(b"\n"), start=line):
        if not text.strip(b" \t\r"):
            continue
        try:
            rows.append(orjson.loads(text))
        except orjson.JSONDecodeError:
            rows.append(Broken(json_problem(text, name, first_line=number, is_line=True)))
        lines.append(number)
        texts.append(text)
    return Block(rows, name, line, lines, exact=lambda k: parse_exactly(texts[k]))


def _json(file: BinaryIO, name: str, problems: Problems, watch: Watch | None) -> Source:
    """A JSON list of rows, or a linker's report `{"entities": [row, …]}`."""
    with file:
        raw = file.read().removeprefix(BOM)
    nothing: Source = Source(iter(()))
    if not raw.strip():
        return nothing
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError:
        problems.add(json_problem(raw, name))
        return nothing
    if watch:
        watch(raw, name, 1)
    echo = None
    is_report = isinstance(content, dict) and isinstance(content.get("entities"), list)
    if is_report:
        rows, echo = content["entities"], content.get("ground_truth")
    elif isinstance(content, dict) and {"a", "b"} <= content.keys():
        rows = [content]
    elif isinstance(content, list):
        rows = content
    else:
        problems.add(_not_rows(content, name))
        return nothing

    @cache
    def exact_rows() -> Any:
        again = parse_exactly(raw)
        again = again["entities"] if is_report else again
        return again if isinstance(again, list) else [again]

    return Source(_slices(rows, name, lambda k: exact_rows()[k]), echo if isinstance(echo, list) else None)


def _not_rows(content: Any, name: str) -> Problem:
    found = describe(content)
    hint = None
    if isinstance(content, dict):
        found = f"an object with the keys {', '.join(content) or '(none)'}"
        if "ground_truth" in content:
            hint = "this looks like gold: --gt takes the gold, --pred the rows of a linker"
    message = f"{found}, expected JSON Lines, a list of rows, or a report with the rows under 'entities'"
    return Problem(message, file=name, hint=hint, kind=FormatError)


def _slices(rows: list[Any], name: str | None, exact: Callable[[int], Any] | None) -> Iterator[Block]:
    for start in range(0, len(rows), BLOCK):
        again = None if exact is None else lambda k, start=start: exact(start + k)
        yield Block(rows[start : start + BLOCK], name, start + 1, exact=again, has_lines=False)


def _delimited(file: BinaryIO, name: str, delimiter: Literal[",", "\t"], problems: Problems) -> Iterator[Block]:
    with file:
        records = read_delimited(file, name=name, delimiter=delimiter, problems=problems)
        header = next(records, None)
        if header is None:
            if not problems.total:
                message = "no header line, expected the names of the columns"
                problems.add(Problem(message, file=name, line=1, kind=FormatError))
            return
        columns = [cell.strip() for cell in header.cells]
        if len(columns) != len(set(columns)):
            double = next(c for c in columns if columns.count(c) > 1)
            problems.add(Problem(f"two columns are named '{double}'", file=name, line=header.line, kind=FormatError))
            return
        while some := list(islice(records, BLOCK)):
            rows = [dict(zip(columns, record.cells, strict=True)) for record in some]
            yield Block(rows, name, some[0].line, [record.line for record in some], is_text=True)


def _parquet(file: BinaryIO, name: str) -> Iterator[Block]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        hint = "pip install 'spaneval-el[parquet]'"
        raise InputError([Problem("reading Parquet needs the package pyarrow", file=name, hint=hint)]) from None
    import pyarrow

    try:
        with file:
            table = parquet.ParquetFile(io.BytesIO(file.read()))
        first = 1
        for batch in table.iter_batches(batch_size=BLOCK):
            rows = batch.to_pylist()
            yield Block(rows, name, first, has_lines=False)
            first += len(rows)
    except (pyarrow.ArrowException, OSError) as error:
        raise FormatError([Problem(f"not readable as Parquet: {error}", file=name, kind=FormatError)]) from error


def memory_rows(rows: Iterable[Any] | pd.DataFrame) -> Source:
    """Rows handed over in memory: mappings, or a data frame, whose missing values are none."""
    if not hasattr(rows, "iterrows"):
        return Source(_slices(list(rows), None, None))
    frame: Any = rows
    plain = frame.astype(object).where(frame.notna(), None)
    return Source(_slices(plain.to_dict("records"), None, None))

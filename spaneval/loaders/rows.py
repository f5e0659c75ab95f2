"""
Prediction files of every format → blocks of rows as they were written.

A block is a few hundred to a few thousand rows in reading order. Formats are told apart by content first, by name where
content does not tell.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeVar, get_args

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.blocks import Block, Broken, Progress, Source, Watch
from spaneval.loaders.json_lines import CHUNK, json_lines
from spaneval.loaders.json_text import BOM, Lines, json_problem, parse, parse_exactly
from spaneval.loaders.scalars import describe
from spaneval.loaders.tables import Prepended, Record, display_name, guess_delimiter, open_bytes, read_delimited
from spaneval.problems import Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
RowFormat = Literal["jsonl", "json", "csv", "tsv", "parquet"]

BLOCK: Final = 5_000
"""Rows of a block where the format is not read by bytes."""
_HEAD: Final = 1 << 16


def expand(paths: Sequence[str], problems: Problems) -> list[str]:
    """
    The prediction files that `paths` stand for: a folder stands for the files in it, in name order.

    Files and folders whose names start with a dot are passed over; a folder in a folder is a problem, so that no rows
    are lost in silence.
    """
    names: list[str] = []
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            names.append(path)
            continue
        try:
            entries = sorted((x for x in os.scandir(path) if not x.name.startswith(".")), key=lambda x: x.name)
        except OSError as error:
            problems.add(Problem(f"cannot be read: {error.strerror}", file=path))
            continue
        inside = [entry.path for entry in entries if not entry.is_dir()]
        for entry in entries:
            if entry.is_dir():
                hint = "name the files in it, or the folder itself, with another --pred"
                problems.add(Problem("a folder inside a folder of prediction files", file=entry.path, hint=hint))
        if not entries:
            hint = "give the file with the rows, or a folder that holds such files"
            problems.add(Problem("no file in this folder, expected prediction files", file=path, hint=hint))
        names += inside
    seen: set[str] = set()
    for name in names:
        real = name if name == "-" else os.path.realpath(name)
        if real in seen:
            hint = "name each file once; a folder already stands for all files in it"
            problems.add(Problem("given twice; its rows would count twice", file=display_name(name), hint=hint))
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
        ValueError: If there is no such format.

    """
    if row_format is not None and row_format not in get_args(RowFormat):
        raise ValueError(f"pred_format is {row_format!r}; expected one of {', '.join(get_args(RowFormat))}, or None")
    name = display_name(path)
    stream = open_bytes(path)
    head = _head(stream, wants_a_line=row_format is None)
    file = io.BufferedReader(Prepended(head, stream, name), CHUNK)
    found = row_format or _detect(head, name)
    if found != "parquet" and len(head) < _HEAD and not head.removeprefix(BOM).strip():
        file.close()
        return Source(iter(()))
    if schema := _OURS.match(head):
        file.close()
        problems.add(_not_predictions(schema[1].decode(), name))
        return Source(iter(()))
    if found == "jsonl":
        return Source(json_lines(file, name, progress, watch))
    if found == "parquet":
        return Source(_parquet(file, name))
    if found == "json":
        return _json(file, name, problems, watch)
    return Source(_delimited(file, name, "\t" if found == "tsv" else ",", problems))


def _head(stream: BinaryIO, *, wants_a_line: bool) -> bytes:
    """The first bytes; where they start a JSON object and its line is wanted, all of the line."""
    parts = [stream.read(_HEAD)]
    if wants_a_line and len(parts[0]) == _HEAD and _text(parts[0])[:1] == b"{":
        while b"\n" not in parts[-1] and (more := stream.read(_HEAD * 16)):
            parts.append(more)
    return b"".join(parts)


def _text(head: bytes) -> bytes:
    return head.removeprefix(BOM).lstrip(b" \t\r\n")


def _detect(head: bytes, name: str) -> RowFormat:
    if head[:4] == b"PAR1":
        return "parquet"
    named = _by_name(name)
    text = _text(head)
    if text[:1] == b"[":
        first, _, rest = text.partition(b"\n")
        return "jsonl" if named == "jsonl" and rest.strip() and _is_json(first) else "json"
    if text[:1] == b"{":
        return _lines_or_whole(text, named)
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


def _lines_or_whole(text: bytes, named: RowFormat | None) -> RowFormat:
    """
    JSON Lines and one JSON object start alike: a first line that is a whole object, other than a report, tells.

    A first line that is no object is that of an object on several lines, or is broken; what starts the next tells.
    """
    first, _, rest = text.partition(b"\n")
    if b'"entities"' not in first and first.rstrip().endswith(b"}"):
        return "jsonl" if named != "json" or _is_object(first) else "json"
    if b'"entities"' in first:
        return "jsonl" if _is_object(first, without="entities") else "json"
    following = rest.lstrip()[:1]
    if named == "json" or first.strip() == b"{" or (following and following in b'"}'):
        return "json"
    return "jsonl"


def _is_json(line: bytes) -> bool:
    try:
        parse(line)
    except ValueError:
        return False
    return True


def _is_object(line: bytes, without: str | None = None) -> bool:
    """Whether the line is a whole JSON object, and does not have the key `without`."""
    try:
        value = parse(line)
    except ValueError:
        return False
    return isinstance(value, dict) and without not in value


def _json(file: BinaryIO, name: str, problems: Problems, watch: Watch | None) -> Source:
    """A JSON list of rows, or a linker's report `{"entities": [row, …]}`."""
    with file:
        raw = file.read().removeprefix(BOM)
    nothing: Source = Source(iter(()))
    if not raw.strip():
        return nothing
    try:
        content = parse(raw)
    except ValueError:
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

    @cache
    def lines() -> Lines:
        return Lines(raw)

    blocks = _slices(
        rows,
        name,
        exact=lambda k: exact_rows()[k],
        line_of=lambda k: lines()(("entities", k) if is_report else (k,)),
    )
    return Source(blocks, echo if isinstance(echo, list) else None)


_OURS = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"schema"\s*:\s*"(spaneval\.\w+)')
"""How saved runs and reports of ours start."""


def _not_predictions(schema: str, name: str) -> Problem:
    """A file that this program wrote, where rows of a linker are expected."""
    if schema == "spaneval.run":
        message = "this is a saved run, as `spaneval score --save` writes it, and no file of predictions"
        hint = "`spaneval compare` and `spaneval diff` read saved runs"
    else:
        message = f"this is a report of `spaneval {schema.removeprefix('spaneval.')}`, and no file of predictions"
        hint = "give the file that the linker wrote"
    return Problem(message, file=name, hint=hint, kind=FormatError)


def _not_rows(content: Any, name: str) -> Problem:
    if isinstance(content, dict) and str(content.get("schema")).startswith("spaneval."):
        return _not_predictions(content["schema"].partition("/")[0], name)
    found = describe(content)
    hint = 'a row is an object such as {"itext": 0, "a": 5, "b": 12, "entity_id_predicted": "Q1"}'
    if isinstance(content, dict):
        found = f"an object with the keys {', '.join(content) or '(none)'}"
        if "ground_truth" in content:
            hint = "this looks like gold: --gt takes the gold, --pred the rows of a linker"
    message = f"{found}, expected JSON Lines, a list of rows, or a report with the rows under 'entities'"
    return Problem(message, file=name, hint=hint, kind=FormatError)


def _slices(
    rows: list[Any],
    name: str | None,
    exact: Callable[[int], Any] | None = None,
    line_of: Callable[[int], int | None] | None = None,
) -> Iterator[Block]:
    """Rows that are numbered through, in blocks."""
    for start in range(0, len(rows), BLOCK):
        yield Block(
            rows[start : start + BLOCK],
            name,
            start + 1,
            exact=None if exact is None else _shifted(exact, start),
            line_of=None if line_of is None else _shifted(line_of, start),
            has_lines=False,
        )


def _shifted(function: Callable[[int], T], start: int) -> Callable[[int], T]:
    return lambda k: function(start + k)


def _delimited(file: BinaryIO, name: str, delimiter: Literal[",", "\t"], problems: Problems) -> Iterator[Block]:
    rows: list[Any] = []
    lines: list[int] = []

    def on_broken(problem: Problem) -> None:
        rows.append(Broken(lambda: problem))
        lines.append(problem.line or 0)

    with file:
        records = read_delimited(file, name=name, delimiter=delimiter, problems=problems, on_broken=on_broken)
        columns = _columns(records, name, problems)
        if columns is None:
            return
        yield Block([], name, 1, is_text=True, columns=columns)
        for record in records:
            rows.append(dict(zip(columns, record.cells, strict=True)))
            lines.append(record.line)
            if len(rows) >= BLOCK:
                yield Block(rows, name, lines[0], lines, is_text=True)
                rows, lines = [], []
        if rows:
            yield Block(rows, name, lines[0], lines, is_text=True)


def _columns(records: Iterator[Record], name: str, problems: Problems) -> list[str] | None:
    """Names of the columns; None, and a problem, if there are none, or one twice."""
    n_problems = problems.total
    header = next(records, None)
    if header is None:
        if problems.total == n_problems:
            message = "no header line, expected the names of the columns"
            problems.add(Problem(message, file=name, line=1, kind=FormatError))
        return None
    columns = [cell.strip() for cell in header.cells]
    if len(columns) == 1 and ";" in columns[0]:
        message = f"cells are separated by ';' (found: {columns[0]!r}), expected ',' or a tab"
        hint = "save the file as CSV with commas"
        problems.add(Problem(message, name, header.line, hint=hint, kind=FormatError))
        return None
    if len(columns) != len(set(columns)):
        double = next(c for c in columns if columns.count(c) > 1)
        message = f"two columns are named '{double}', expected one of each name"
        problems.add(Problem(message, file=name, line=header.line, hint="rename one of them", kind=FormatError))
        return None
    return columns


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
        yield Block([], name, 1, has_lines=False, columns=table.schema_arrow.names)
        first = 1
        for batch in table.iter_batches(batch_size=BLOCK):
            rows = batch.to_pylist()
            yield Block(rows, name, first, has_lines=False)
            first += len(rows)
    except (pyarrow.ArrowException, OSError) as error:
        message = f"not a sound Parquet file: {str(error).splitlines()[0]}"
        hint = "the file may have been cut short; write it again"
        raise FormatError([Problem(message, file=name, hint=hint, kind=FormatError)]) from error


def memory_rows(rows: Iterable[Any] | pd.DataFrame) -> Source:
    """Rows handed over in memory: mappings, a linker's report, or a data frame, whose missing values are none."""
    if isinstance(rows, Mapping):
        echo = rows.get("ground_truth")
        found = rows.get("entities")
        return Source(
            _slices(found if isinstance(found, list) else [rows], None), echo if isinstance(echo, list) else None
        )
    if not hasattr(rows, "iterrows"):
        return Source(_slices(list(rows), None))
    frame: Any = rows
    plain = frame.astype(object).where(frame.notna(), None)
    header = Block([], None, 1, has_lines=False, columns=[str(name) for name in frame.columns])
    return Source(chain((header,), _slices(plain.to_dict("records"), None)))

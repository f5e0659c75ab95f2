"""The ledger: every pair, missed annotation and spurious prediction, as JSON Lines, CSV or Parquet, in pieces."""

from __future__ import annotations

import io
import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from spaneval.reports import csv, json

Rows = Iterable[Mapping[str, Any]]

FORMATS = ("jsonl", "csv", "parquet", "jsonl.gz", "csv.gz")
"""What the name of a ledger can end in."""

COLUMNS = (
    "outcome", "document", "file", "gold_a", "gold_b", "gold_text", "gold_id",
    "a", "b", "text", "predicted_id", "translated_id", "line",
)  # fmt: skip
"""The columns of a ledger without rows; with rows, theirs are taken."""

_INTEGERS = frozenset({"gold_a", "gold_b", "a", "b", "line"})
_BATCH = 50_000


def format_of(path: str) -> str | None:
    """The format that the end of a file name asks for; None if it names none of `FORMATS`."""
    name = path.lower()
    return max((suffix for suffix in FORMATS if name.endswith(f".{suffix}")), key=len, default=None)


def dump(rows: Rows, format: str) -> Iterator[bytes]:  # noqa: A002 - as in `render`
    """
    The ledger as bytes, a few thousand rows in memory at a time.

    Args:
        rows: As `Evaluation.rows` gives them, all with the same keys.
        format: One of `FORMATS`.

    """
    kind, _, is_packed = format.partition(".")
    chunks = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[kind](rows)
    return _packed(chunks) if is_packed else chunks


def _batches(rows: Rows) -> Iterator[list[Mapping[str, Any]]]:
    iterator = iter(rows)
    while batch := list(itertools.islice(iterator, _BATCH)):
        yield batch


def _jsonl(rows: Rows) -> Iterator[bytes]:
    for batch in _batches(rows):
        yield b"".join(json.dump(row, indent=False) for row in batch)


def _csv(rows: Rows) -> Iterator[bytes]:
    first, rows = _peek(rows)
    header: Iterable[Any] = first or COLUMNS
    return csv.dump(itertools.chain([header], (map(_cell, row.values()) for row in rows)))


def _peek(rows: Rows) -> tuple[Mapping[str, Any] | None, Rows]:
    """The first row, and all rows including it."""
    iterator = iter(rows)
    first = next(iterator, None)
    return first, iterator if first is None else itertools.chain([first], iterator)


def _cell(value: Any) -> Any:
    """Several acceptable ids are one cell that holds a JSON list; one id stands as it is."""
    if isinstance(value, list | tuple):
        return value[0] if len(value) == 1 else json.dump(list(value), indent=False).decode().rstrip("\n")
    return value


def _parquet(rows: Rows) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    first, rows = _peek(rows)
    columns = tuple(first or COLUMNS)
    schema = pa.schema([(name, pa.int64() if name in _INTEGERS else pa.string()) for name in columns])
    sink = _Drain()
    with pq.ParquetWriter(sink, schema) as writer:
        for batch in _batches(rows):
            table = {name: [_plain(_cell(row[name])) for row in batch] for name in columns}
            writer.write_table(pa.table(table, schema=schema))
            yield sink.take()
    yield sink.take()


def _plain(value: Any) -> Any:
    """Text that is valid UTF-8; see `spaneval.reports.json`."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


class _Drain(io.RawIOBase):
    """A file whose bytes are taken out again, for writers that want a file."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._position += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._position

    def take(self) -> bytes:
        """What was written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)

    def close(self) -> None:
        """Stay open, so that what was written last can be taken."""


def _packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Gzip without a time or a name, so that equal ledgers are equal files."""
    packer = zlib.compressobj(wbits=31)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()

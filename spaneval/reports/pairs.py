"""Long lists of rows, such as the ledger or the table of decisions, as JSON Lines, CSV or Parquet, in pieces."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaneval.output import packed
from spaneval.reports import csv, json
from spaneval.reports.text import mended

Row = Mapping[str, Any]
Rows = Iterable[Row]

FORMATS = ("jsonl", "csv", "parquet", "jsonl.gz", "csv.gz")
"""What the name of such a file can end in."""

_BATCH = 50_000


@dataclass(frozen=True, slots=True)
class Columns:
    """
    What rows look like.

    Args:
        names: The keys of every row, in order.
        integers: Those of them that hold integers; all others hold text.
        flat: Makes a row of one that holds lists or objects, for formats without these.

    """

    names: Sequence[str]
    integers: Sequence[str] = ()
    flat: Callable[[Row], Row] = dict


def format_of(path: str) -> str | None:
    """The format that the end of a file name asks for; None if it names none of `FORMATS`."""
    name = path.lower()
    return max((suffix for suffix in FORMATS if name.endswith(f".{suffix}")), key=len, default=None)


def dump(rows: Rows, format: str, columns: Columns) -> Iterator[bytes]:  # noqa: A002 - as in `render`
    """
    Rows as bytes, a few thousand in memory at a time.

    Args:
        rows: All with the keys of `columns`.
        format: One of `FORMATS`.
        columns: What they look like.

    """
    kind, _, is_packed = format.partition(".")
    chunks = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[kind](rows, columns)
    return packed(chunks) if is_packed else chunks


def _batches(rows: Rows) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while batch := list(itertools.islice(iterator, _BATCH)):
        yield batch


def _jsonl(rows: Rows, _: Columns) -> Iterator[bytes]:
    for batch in _batches(rows):
        yield b"".join(json.dump(row, indent=False) for row in batch)


def _csv(rows: Rows, columns: Columns) -> Iterator[bytes]:
    return csv.dump(itertools.chain([columns.names], (columns.flat(row).values() for row in rows)))


def _parquet(rows: Rows, columns: Columns) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = [(name, pa.int64() if name in columns.integers else pa.string()) for name in columns.names]
    schema = pa.schema(types)
    sink = _Drain()
    with pq.ParquetWriter(sink, schema) as writer:
        for batch in _batches(rows):
            plain = [columns.flat(row) for row in batch]
            table = {name: [_valid(row[name]) for row in plain] for name in columns.names}
            writer.write_table(pa.table(table, schema=schema))
            yield sink.take()
    yield sink.take()


def _valid(value: Any) -> Any:
    """Text that UTF-8 can say; see `mended`."""
    return mended(value) if isinstance(value, str) else value


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

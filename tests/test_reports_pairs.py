"""Rows in their formats, as the ledger has them."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from spaneval import ledger
from spaneval.ledger import COLUMNS
from spaneval.reports import pairs
from spaneval.reports.pairs import Columns, format_of


def dump(rows: pairs.Rows, format_: str) -> Iterator[bytes]:
    """The ledger as bytes."""
    return pairs.dump(rows, format_, Columns(COLUMNS, ledger.INTEGERS, ledger.flat))


def row(**given: Any) -> dict[str, Any]:
    """One row of the ledger."""
    return dict.fromkeys(COLUMNS) | given


ROWS = [
    row(
        outcome="correct", document="0", gold_a=0, gold_b=3, gold_id=["A", "B"], a=0, b=3, predicted_id="A", pred_line=1
    ),
    row(outcome="missed", document="1", gold_a=4, gold_b=9, gold_text='a "b",\nc', gold_id="0012"),
    row(outcome="spurious", document="1", a=5, b=2**40, text="=1+1", predicted_id="0012", pred_line=2),
]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.jsonl", "jsonl"),
        ("a.b.csv", "csv"),
        ("A.CSV.GZ", "csv.gz"),
        ("a.jsonl.gz", "jsonl.gz"),
        ("a.parquet", "parquet"),
        ("a.parquet.gz", None),
        ("a.json", None),
        ("csv", None),
        ("-", None),
    ],
)
def test_format_is_told_by_the_end_of_the_name(path: str, expected: str | None):
    """
    Case does not matter; there is no packed Parquet, because it is packed already.
    """
    assert expected == format_of(path)


def test_jsonl_is_one_object_per_row():
    """
    Values stay what they are: a list of acceptable ids is a list.
    """
    lines = b"".join(dump(ROWS, "jsonl")).decode().splitlines()

    assert [orjson.loads(line) for line in lines] == ROWS


def test_csv_has_a_header_and_one_cell_per_value():
    """
    One acceptable id stands as it is, several are joined by a bar; quotes, commas and line feeds survive.
    """
    text = b"".join(dump(ROWS, "csv")).decode()
    first, missed, spurious = csv.DictReader(io.StringIO(text, newline=""))

    assert list(COLUMNS) == list(first)
    assert first["gold_id"] == "A|B"
    assert (missed["gold_text"], missed["gold_id"], missed["predicted_id"]) == ('a "b",\nc', "0012", "")
    assert ("=1+1", str(2**40)) == (spurious["text"], spurious["b"])


@pytest.mark.parametrize("format_", ["jsonl.gz", "csv.gz"])
def test_packed_ledger_holds_the_plain_one(format_: str):
    """
    And has no time in it: equal ledgers are equal files.
    """
    packed = b"".join(dump(ROWS, format_))

    assert b"".join(dump(ROWS, format_.removesuffix(".gz"))) == gzip.decompress(packed)
    assert bytes(4) == packed[4:8]


def test_parquet_keeps_integers_and_text():
    """
    Read back with another library's eyes: columns in order, ids as text.
    """
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(io.BytesIO(b"".join(dump(ROWS, "parquet"))))

    assert list(COLUMNS) == table.column_names
    assert table["b"].to_pylist() == [3, None, 2**40]
    assert table["gold_id"].to_pylist() == ["A|B", "0012", None]


@pytest.mark.parametrize("format_", ["csv", "parquet", "jsonl"])
def test_ledger_without_rows_is_still_a_file_of_its_format(format_: str):
    """
    A header, a schema, or nothing at all.
    """
    data = b"".join(dump([], format_))
    if format_ == "parquet":
        pq = pytest.importorskip("pyarrow.parquet")

        assert list(COLUMNS) == pq.read_table(io.BytesIO(data)).column_names
    else:
        assert {"csv": ",".join(COLUMNS) + "\r\n", "jsonl": ""}[format_] == data.decode()


@pytest.mark.parametrize("format_", ["csv", "parquet", "jsonl"])
def test_text_that_utf8_cannot_say_is_escaped(format_: str):
    """
    A file name of other bytes does not stop the ledger.
    """
    data = b"".join(dump([row(file="caf\udce9")], format_))

    assert b"caf" in data


def test_rows_are_written_in_pieces():
    """
    A long ledger is never held whole.
    """
    pieces = list(dump((row(pred_line=k) for k in range(120_000)), "jsonl"))

    assert len(pieces) == 3

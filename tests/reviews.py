"""Databases of reviews for tests, made row by row."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

FIELDS = ("name", "place", "size")

DOCUMENTS = "CREATE TABLE documents (document_id INTEGER PRIMARY KEY, reviewed_at TEXT)"
RECORDS = (
    "CREATE TABLE records (id TEXT PRIMARY KEY, document_id INTEGER, record_id TEXT, name TEXT, place TEXT, size REAL, "
    "made_at TEXT, deleted_by_user TEXT, added_by_user INTEGER DEFAULT 0)"
)
EDITS = (
    "CREATE TABLE record_edits (id INTEGER PRIMARY KEY AUTOINCREMENT, record_id TEXT, column_name TEXT, "
    "original_value TEXT, edited_at TEXT)"
)


def record(key: str, document: int, *values: Any, deleted: str | None = None, added: int | None = 0) -> tuple[Any, ...]:
    """A row of `records`; values of `FIELDS`, those not given are NULL."""
    return (key, document, f"x_{key}", *values, *[None] * (len(FIELDS) - len(values)), "t", deleted, added)


def write_db(
    path: Path,
    documents: Iterable[tuple[Any, Any]] = (),
    records: Iterable[Sequence[Any]] = (),
    edits: Iterable[Sequence[Any]] = (),
    *,
    tables: Sequence[str] = (DOCUMENTS, RECORDS, EDITS),
) -> str:
    """
    A database.

    Args:
        path: Where to; what is there is written over.
        documents: `document_id` and `reviewed_at`.
        records: As `record` makes them.
        edits: Record, column, original value, time; in the order of their rows.
        tables: Statements that make the tables.

    """
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    for statement in tables:
        connection.execute(statement)
    connection.executemany("INSERT INTO documents VALUES (?, ?)", documents)
    for row in records:
        connection.execute(f"INSERT INTO records VALUES ({', '.join('?' * len(row))})", row)
    connection.executemany(
        "INSERT INTO record_edits (record_id, column_name, original_value, edited_at) VALUES (?, ?, ?, ?)", edits
    )
    connection.commit()
    connection.close()
    return str(path)


def write_schema(path: Path, **changes: Any) -> str:
    """A schema of `FIELDS`, in which `name` is unique and `place` required."""
    items = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "place": {"type": "string"}, "size": {"type": ["number", "null"]}},
        "required": ["place"],
        "x-unique-fields": ["name"],
    } | changes
    path.write_text(json.dumps({"properties": {"records": {"type": "array", "items": items}}}, indent=1))
    return str(path)

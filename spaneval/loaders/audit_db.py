"""
A database of reviewed records, as ecoextract keeps it: what the model extracted, and every correction of a person.

Three tables: `documents(document_id, reviewed_at)`, `records(id, document_id, added_by_user, deleted_by_user)` with one
more column per field, and `record_edits(record_id, column_name, original_value, edited_at)`, where `record_id` is the
`id` of a record. Values are read as text, because that is how original values are stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, IntArray
from spaneval.exceptions import FormatError
from spaneval.loaders.sqlite_copy import opened_copy
from spaneval.nearest import nearest
from spaneval.problems import Note, Problem, Problems, counted

TABLES: Final = {
    "documents": ("document_id", "reviewed_at"),
    "records": ("id", "document_id", "deleted_by_user"),
    "record_edits": ("record_id", "column_name", "original_value", "edited_at"),
}
"""The tables and the columns that each must have, beside the fields of the schema."""

_ADDED: Final = "added_by_user"
_ROW_NUMBERS: Final = ("rowid", "_rowid_", "oid")
_LAYOUT: Final = "DB is a review database with the tables documents, records and record_edits"
_FLAGS: Final = {None: False, 0: False, 1: True, "0": False, "1": True}
_SHOWN: Final = 5


class Edit(NamedTuple):
    """One correction: the number of its record in `Review`, the column, and the text that stood there before."""

    record: int
    column: str
    original: str | None


@dataclass(frozen=True, slots=True)
class Review:
    """
    The reviewed documents, R records of theirs, and the corrections of these.

    Args:
        name: The database as the user named it.
        fields: Fields of the schema, F of them.
        columns: All columns of `records`, in their order.
        documents: Ids of the reviewed documents, in order.
        doc: Number of the document of each record, int64 of shape (R,), not descending.
        ids: Id of each record.
        is_added: Whether a person added it, bool of shape (R,).
        is_deleted: Whether a person deleted it, bool of shape (R,).
        values: What each record holds in the end, one value per field; empty for those that were added or deleted.
        edits: Corrections of these records, the earliest first.
        n_documents: Documents in the database, reviewed or not.
        notes: What a reader of the numbers should know.

    """

    name: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    documents: list[str]
    doc: IntArray
    ids: list[str]
    is_added: BoolArray
    is_deleted: BoolArray
    values: list[tuple[str | None, ...]]
    edits: list[Edit]
    n_documents: int
    notes: list[Note] = field(default_factory=list)

    @property
    def is_found(self) -> BoolArray:
        """Whether the model extracted it and it stayed, bool of shape (R,)."""
        return ~(self.is_added | self.is_deleted)


def read_review(name: str, fields: Sequence[str], documents: Sequence[str] | None = None) -> Review:
    """
    Read the reviewed documents of a database.

    Args:
        name: Path of the database; it and its folder stay as they are.
        fields: Fields of the schema.
        documents: Ids of the documents that are wanted; None for all.

    Raises:
        FormatError: If it is not such a database.
        InputError: If it cannot be read, or a wanted document is not in it.

    """
    with opened_copy(name) as connection:
        reader = _Reader(connection, name, tuple(fields))
        return reader.read(None if documents is None else list(dict.fromkeys(documents)))


class _Reader:
    """Reads one database."""

    def __init__(self, connection: sqlite3.Connection, name: str, fields: tuple[str, ...]) -> None:
        self.connection, self.name, self.fields = connection, name, fields
        self.problems, self.notes = Problems(), list[Note]()

    def read(self, wanted: list[str] | None) -> Review:
        columns = self._check_tables()
        documents, n_documents = self._documents(wanted)
        rows = self._records(documents, has_added=_ADDED in columns)
        ids = [row[1] for row in rows]
        edits = self._edits(ids)
        self._note_strays()
        self.problems.raise_if_any()
        number = {document: k for k, document in enumerate(documents)}
        return Review(
            self.name,
            self.fields,
            columns,
            documents,
            np.array([number[row[0]] for row in rows], dtype=np.int64),
            ids,
            np.array([row[2] for row in rows], dtype=np.bool_),
            np.array([row[3] for row in rows], dtype=np.bool_),
            [row[4] for row in rows],
            edits,
            n_documents,
            self.notes,
        )

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        """All rows; text is decoded by SQLite's module as long as it is UTF-8, which takes a fraction of the time."""
        careful = self.connection.text_factory
        self.connection.text_factory = str
        try:
            return self.connection.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "decode to UTF-8" not in str(error):
                raise
        finally:
            self.connection.text_factory = careful
        return self.connection.execute(query).fetchall()

    # ---- tables and columns

    def _check_tables(self) -> tuple[str, ...]:
        """
        The columns of `records`.

        Raises:
            FormatError: If a table or a column is missing; all that are missing are named.

        """
        kinds = {str(name): str(kind) for name, kind in self._all("SELECT name, type FROM sqlite_master")}
        kinds |= {name.lower(): kind for name, kind in kinds.items() if name.lower() in TABLES}  # as SQLite does
        for table in TABLES:
            if kinds.get(table) != "table":
                self._no_table(table, kinds)
        self.problems.raise_if_any()
        columns = {table: self._columns(table) for table in TABLES}
        for table, needed in TABLES.items():
            for column in needed:
                if column not in columns[table]:
                    self._no_column(table, column, columns[table], _LAYOUT)
        for name in self.fields:
            if name not in columns["records"]:
                hint = "the schema is not the one of this database, or the column was never made"
                self._no_column("records", name, columns["records"], hint, what="the field of the schema ")
        self.problems.raise_if_any()
        if _ADDED not in columns["records"]:
            self._check_added(columns["records"])
        return columns["records"]

    def _check_added(self, columns: Sequence[str]) -> None:
        """
        The column may be missing, but not be there in other letters, which SQLite takes for the same name.

        Raises:
            FormatError: If it is.

        """
        if _ADDED in map(str.lower, columns):
            self._no_column("records", _ADDED, columns, _LAYOUT)
            self.problems.raise_if_any()
        near = _nearest(_ADDED, [x for x in columns if x not in {*TABLES["records"], *self.fields}])
        message = f"the table records has no column '{_ADDED}': all of its records count as the model's{near}"
        self.notes.append(Note("no-added-by-user", 0, message))

    def _columns(self, table: str) -> tuple[str, ...]:
        """As `SELECT *` names them."""
        return tuple(str(column[0]) for column in self.connection.execute(f"SELECT * FROM {table} LIMIT 0").description)  # noqa: S608 - one of TABLES

    def _no_table(self, table: str, kinds: dict[str, str]) -> None:
        if table in kinds:
            message = f"'{table}' is a {kinds[table]}; a table is expected"
        else:
            tables = [name for name, kind in kinds.items() if kind == "table" and not name.startswith("sqlite_")]
            message = f"no table '{table}' ({_listed(tables, 'there are', 'there is no table at all')})"
            message += _nearest(table, tables)
        self.problems.add(Problem(message, self.name, hint=_LAYOUT, kind=FormatError))

    def _no_column(self, table: str, column: str, columns: Sequence[str], hint: str, what: str = "") -> None:
        message = f"the table {table} has no column '{column}'"
        if what:
            message = f"{what}'{column}' is no column of the table {table}"
        taken = {*TABLES[table], _ADDED, *self.fields}
        message += (
            _nearest(column, [x for x in columns if x not in taken])
            or f" ({_listed(columns, 'there are', 'it has none')})"
        )
        self.problems.add(Problem(message, self.name, hint=hint, kind=FormatError))

    # ---- rows

    def _documents(self, wanted: list[str] | None) -> tuple[list[str], int]:
        """
        Ids of the reviewed documents among the wanted ones, in order, and how many documents there are in all.

        Raises:
            InputError: If a wanted document is not there, or an id stands twice or is NULL.

        """
        rows = self._all(
            "SELECT CAST(document_id AS TEXT), reviewed_at IS NOT NULL, CAST(reviewed_at AS TEXT) IN ('', '0') "
            "FROM documents ORDER BY document_id"
        )
        self._check_unique("documents", "document_id", [row[0] for row in rows if row[0] is not None or row[1]])
        known = {row[0]: row for row in rows}
        for name in wanted or ():
            if name not in known:
                message = f"document '{name}' is not in the database{_nearest(name, known)}"
                hint = f"--documents takes values of documents.document_id, {_listed(list(known), 'such as', 'of which there are none')}"  # noqa: E501 - one message
                self.problems.add(Problem(message, self.name, hint=hint))
        self.problems.raise_if_any()
        chosen = rows if wanted is None else [row for row in rows if row[0] in set(wanted)]
        if wanted is not None and (left := [row[0] for row in chosen if not row[1]]):
            message = f"{counted(len(left), 'document')} of --documents not reviewed, and left out: {few(left)}"
            self.notes.append(Note("unreviewed-documents", len(left), message))
        if blank := sum(bool(row[2]) for row in chosen):
            message = (
                f"{counted(blank, 'document')} with '' or 0 as reviewed_at: counted as reviewed, since it is not NULL"
            )
            self.notes.append(Note("blank-reviewed-at", blank, message))
        reviewed = [str(row[0]) for row in chosen if row[1]]
        if not reviewed:
            of = f"none of {counted(len(chosen), 'document')} is reviewed" if chosen else "the database has no document"
            message = f"{of}, so that there is nothing to count"
            self.notes.append(Note("nothing-reviewed", len(chosen), message))
        return reviewed, len(rows)

    def _records(self, documents: Iterable[str], *, has_added: bool) -> list[tuple[Any, ...]]:
        """Of the documents: document, id, whether added, whether deleted, final values."""
        added = f"r.{_ADDED}" if has_added else "0"
        cells = "".join(f", CAST(r.{_quoted(name)} AS TEXT)" for name in self.fields)
        query = (
            f"SELECT CAST(d.document_id AS TEXT), CAST(r.id AS TEXT), {added}, CAST(r.deleted_by_user AS TEXT){cells} "  # noqa: S608 - names are quoted
            "FROM records r JOIN documents d ON d.document_id = r.document_id "
            "WHERE d.reviewed_at IS NOT NULL ORDER BY d.document_id, r.id"
        )
        chosen, rows, n_blank = set(documents), [], 0
        for row in self._all(query):
            document, key, is_added, deleted = row[:4]
            if document not in chosen:
                continue
            flag = _FLAGS.get(is_added)
            if flag is None:
                message = f"record '{key}' has {_ADDED} {is_added!r}; expected 0 or NULL (the model's) or 1 (added)"
                self.problems.add(Problem(message, self.name, hint="correct the value in the database"))
            is_deleted = deleted is not None
            n_blank += is_deleted and deleted in ("", "0")
            rows.append((document, key, flag, is_deleted, () if flag or is_deleted else row[4:]))
        if n_blank:
            records = counted(n_blank, "record")
            message = f"{records} with '' or 0 as deleted_by_user: counted as deleted, since it is not NULL"
            self.notes.append(Note("blank-deleted-by-user", n_blank, message))
        self._check_unique("records", "id", [row[1] for row in rows])
        self.problems.raise_if_any()
        return rows

    def _edits(self, ids: Sequence[str]) -> list[Edit]:
        """The corrections of these records, the earliest first: by time, those of one moment in the order of rows."""
        own = {name.casefold() for name in self._columns("record_edits")}
        row = next((name for name in _ROW_NUMBERS if name not in own), None)
        query = (
            "SELECT CAST(r.id AS TEXT), CAST(e.column_name AS TEXT), CAST(e.original_value AS TEXT), "  # noqa: S608 - a constant
            f"e.edited_at IS NULL FROM record_edits e JOIN records r ON r.id = e.record_id "
            f"ORDER BY e.edited_at, e.{row}"
        )
        try:
            rows = self._all(query)
        except sqlite3.OperationalError as error:
            if f"no such column: e.{row}" not in str(error):
                raise
            message = "the rows of record_edits have no rowid, so that edits of one moment have no order"
            hint = "make the table without WITHOUT ROWID"
            raise FormatError([Problem(message, self.name, hint=hint, kind=FormatError)]) from None
        number = {key: k for k, key in enumerate(ids)}
        edits = []
        for key, column, original, is_timeless in rows:
            if key not in number:
                continue
            if column is None or is_timeless:
                what = "column_name" if column is None else "edited_at"
                message = f"an edit of record '{key}' has no {what}"
                self.problems.add(Problem(message, self.name, hint="correct or remove the row of record_edits"))
                continue
            edits.append(Edit(number[key], column, original))
        return edits

    def _check_unique(self, table: str, column: str, keys: Sequence[str | None]) -> None:
        """
        Each of the keys is there, and stands once: as text, and in the whole table as SQLite compares it.

        A second record of the same id, counted or not, would have each correction of the first as well.
        """
        hint = "ids must be different; the column should be the primary key of its table"
        if n := keys.count(None):
            message = f"{counted(n, 'row')} of {table} whose {column} is NULL"
            self.problems.add(Problem(message, self.name, hint="give the rows an id, or remove them"))
        twice: dict[str | None, int] = {}
        for group in (column, "1"):  # as SQLite compares it, and as text
            query = f"SELECT CAST({column} AS TEXT), COUNT(*) FROM {table} GROUP BY {group} HAVING COUNT(*) > 1"  # noqa: S608 - one of TABLES
            twice |= dict(self._all(query))
        for key, n in twice.items():
            if key is not None:
                self.problems.add(Problem(f"{table}.{column} '{key}' stands {n} times", self.name, hint=hint))

    def _note_strays(self) -> None:
        """Rows that belong to nothing: counted nowhere, and told."""
        strays = (
            ("record_edits", "record_id", "records", "id", "edits-without-record", "row"),
            ("records", "document_id", "documents", "document_id", "records-without-document", "row"),
        )
        for table, column, other, key, code, noun in strays:
            query = f"SELECT COUNT(*) FROM {table} x LEFT JOIN {other} y ON y.{key} = x.{column} WHERE y.{key} IS NULL"  # noqa: S608 - one query, of names above
            ((n,),) = self._all(query)
            if n:
                message = f"{counted(n, noun)} of {table} whose {column} is not in {other}: left out"
                self.notes.append(Note(code, n, message))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def few(names: Sequence[str]) -> str:
    """The first names of a list, for a message."""
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _listed(names: Sequence[str], words: str, none: str) -> str:
    return f"{words} {few(names)}" if names else none


def _nearest(name: str, names: Iterable[str]) -> str:
    folded = {other.casefold(): other for other in names}
    near = nearest(name.casefold(), folded, n=1)
    return f"; did you mean '{folded[near[0]]}'?" if near else ""

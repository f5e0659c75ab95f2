"""Reviews that cannot be used: exit code 3, nothing on standard output, a message with the place and a remedy."""

from __future__ import annotations

# ruff: noqa: E501 - a table of cases has one case a line
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reviews import DOCUMENTS, EDITS, RECORDS, record, write_db, write_schema

from spaneval.cli import main
from spaneval.loaders.audit_db import _Reader
from spaneval.loaders.review_schema import admits_null, read_review_schema
from spaneval.loaders.sqlite_copy import opened_copy


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good database and a good schema is the current one."""
    monkeypatch.chdir(tmp_path)
    write_db(Path("db.sqlite"), [(1, "t"), (2, None)], [record("a", 1, "Ann", "Bern", 1)], [("a", "name", "x", "t")])
    write_schema(Path("schema.json"))
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What the tool says when it refuses."""
    code = main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci", *args])
    out, err = capsys.readouterr()

    assert code == 3
    assert out == ""
    assert "Traceback" not in err
    return err


TABLES = [
    ([], "no table 'documents' (there is no table at all)"),
    ([DOCUMENTS.replace("TABLE documents", "TABLE document"), RECORDS, EDITS], "no table 'documents' (there are document, "),
    ([DOCUMENTS.replace("TABLE documents", "TABLE document"), RECORDS, EDITS], "did you mean 'document'?"),
    ([DOCUMENTS, RECORDS], "no table 'record_edits' (there are documents, records)"),
    ([DOCUMENTS, RECORDS, EDITS.replace("TABLE record_edits", "TABLE edits"), "CREATE VIEW record_edits AS SELECT * FROM edits"], "'record_edits' is a view; a table is expected"),
    ([DOCUMENTS.replace("reviewed_at", "Reviewed_At"), RECORDS, EDITS], "the table documents has no column 'reviewed_at'; did you mean 'Reviewed_At'?"),
    ([DOCUMENTS, RECORDS.replace("deleted_by_user", "deleted"), EDITS], "the table records has no column 'deleted_by_user'; did you mean 'deleted'?"),
    ([DOCUMENTS, RECORDS.replace(" place ", " plaice "), EDITS], "the field of the schema 'place' is no column of the table records; did you mean 'plaice'?"),
    ([DOCUMENTS, RECORDS, EDITS.replace("edited_at", "at")], "the table record_edits has no column 'edited_at'"),
    ([DOCUMENTS, RECORDS, EDITS.replace("INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT PRIMARY KEY").replace("edited_at TEXT)", "edited_at TEXT) WITHOUT ROWID")], "the rows of record_edits have no rowid"),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "message"), TABLES)
def test_tables_and_columns_that_are_missing(
    capsys: pytest.CaptureFixture[str], tables: list[str], message: str
) -> None:
    """
    The nearest is named, or what there is.
    """
    Path("db.sqlite").unlink()
    with closing(sqlite3.connect("db.sqlite")) as connection:
        for statement in (
            [*tables, "CREATE INDEX i ON documents (document_id)"] if "documents (" in "".join(tables) else tables
        ):
            connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")
    err = refused(capsys)

    assert message in err
    assert err.startswith("error: db.sqlite: ")
    assert "hint: " in err


def test_all_that_is_missing_is_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """
    A schema of another database has many fields that are none here.
    """
    write_schema(Path("schema.json"), properties={"species": {}, "name": {}, "plaze": {}}, required=[])
    err = refused(capsys)

    assert "the field of the schema 'species' is no column of the table records (there are id, document_id, " in err
    assert "the field of the schema 'plaze' is no column of the table records; did you mean 'place'?" in err
    assert err.count("error: ") == 2


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "UPDATE records SET added_by_user = 2",
            "record 'a' has added_by_user 2; expected 0 or NULL (the model's) or 1",
        ),
        ("UPDATE records SET added_by_user = 'yes'", "record 'a' has added_by_user 'yes'"),
        ("UPDATE record_edits SET edited_at = NULL", "an edit of record 'a' has no edited_at"),
        ("UPDATE record_edits SET column_name = NULL", "an edit of record 'a' has no column_name"),
    ],
)
def test_rows_that_cannot_be_counted(capsys: pytest.CaptureFixture[str], statement: str, message: str) -> None:
    """
    Whose they are, what was found and what was expected.
    """
    with closing(sqlite3.connect("db.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()

    assert message in refused(capsys)


def test_ids_that_stand_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Corrections of either would count for both.
    """
    tables = [x.replace(" PRIMARY KEY", "", 1) for x in (DOCUMENTS, RECORDS)]
    write_db(Path("db.sqlite"), [(1, "t"), (1, "t")], tables=[*tables, EDITS])

    assert "documents.document_id '1' stands 2 times" in refused(capsys)
    write_db(Path("db.sqlite"), [(1, "t")], [record("a", 1), record("a", 1)], tables=[*tables, EDITS])

    assert "records.id 'a' stands 2 times" in refused(capsys)


@pytest.mark.parametrize(
    ("kind", "first", "second"), [("TEXT", "a", "a"), ("TEXT COLLATE NOCASE", "a", "A"), ("", 1, 1.0), ("", 1, "1")]
)
@pytest.mark.parametrize("document", [1, 2])
def test_ids_that_sqlite_takes_for_one(
    capsys: pytest.CaptureFixture[str], kind: str, first: Any, second: Any, document: int
) -> None:
    """
    Each correction of the first would count twice, or for both; also where the second is not reviewed.

    A correction of 1 is none of '1' in a column without a type, but both have one name.
    """
    tables = [DOCUMENTS, RECORDS.replace("id TEXT PRIMARY KEY", f"id {kind}", 1), EDITS]
    records = [record(first, 1, "x"), record(second, document, "x")]
    write_db(Path("db.sqlite"), [(1, "t"), (2, None)], records, [(first, "name", "y", "t")], tables=tables)

    assert f"records.id '{first}' stands 2 times" in refused(capsys)


@pytest.mark.parametrize(
    ("documents", "records", "message"),
    [
        ([(None, "t")], [], "1 row of documents whose document_id is NULL"),
        ([(None, "t"), (None, "t")], [], "2 rows of documents whose document_id is NULL"),
        ([("1", "t")], [record(None, 1, "x")], "1 row of records whose id is NULL"),  # type: ignore[arg-type] # SQLite takes it
    ],
)
def test_rows_without_an_id(
    capsys: pytest.CaptureFixture[str], documents: list[Any], records: list[Any], message: str
) -> None:
    """
    SQLite lets a primary key be NULL that is no integer; such a document was counted as one named 'None'.
    """
    tables = [DOCUMENTS.replace("INTEGER PRIMARY", "TEXT PRIMARY"), RECORDS, EDITS]
    write_db(Path("db.sqlite"), documents, records, tables=tables)

    assert f"error: db.sqlite: {message}" in refused(capsys)


def test_a_row_without_an_id_that_counts_nowhere_is_none_of_our_business() -> None:
    """
    A document that was not reviewed.
    """
    tables = [DOCUMENTS.replace("INTEGER PRIMARY", "TEXT PRIMARY"), RECORDS, EDITS]
    write_db(Path("db.sqlite"), [(None, None), ("1", "t")], [record("a", 1)], tables=tables)

    assert main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"]) == 0


def test_added_by_user_in_other_letters_is_not_taken_for_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Else what people added would silently count as the model's; another name that is close is offered in the note.
    """
    for name, code in (("Added_by_User", 3), ("added_by_users", 0)):
        tables = [DOCUMENTS, RECORDS.replace("added_by_user", name), EDITS]
        write_db(Path("db.sqlite"), [(1, "t")], [record("a", 1, "x", added=1)], tables=tables)

        assert main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"]) == code
        assert f"has no column 'added_by_user'{': all' if code == 0 else ''}" in (err := capsys.readouterr().err)
        assert f"did you mean '{name}'?" in err


def test_zeros_that_are_not_null_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """
    As the source has it, what is not NULL is reviewed, or deleted; whoever wrote 0 may have meant otherwise.
    """
    records = [record("a", 1, deleted="0"), record("b", 1, deleted=""), record("c", 1, deleted="t")]
    write_db(Path("db.sqlite"), [(1, 0), (2, ""), (3, "t")], records)

    assert main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"]) == 0
    err = capsys.readouterr().err
    assert "2 documents with '' or 0 as reviewed_at: counted as reviewed, since it is not NULL" in err
    assert "2 records with '' or 0 as deleted_by_user: counted as deleted, since it is not NULL" in err


def test_other_columns_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """
    `Name` may well be the field `name`. Names that are stored as bytes are text.
    """
    edits = [("a", "Name", "y", "t"), ("a", b"name", "y", "t"), ("a", "oth\x1ber", "y", "t")]
    write_db(Path("db.sqlite"), [(1, "t")], [record("a", 1, "x")], edits)

    assert main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"]) == 0
    out, err = capsys.readouterr()
    assert r"2 audit rows of columns that are no field (Name, oth\x1ber): left out" in err
    assert "errors                 1" in out


def test_strays_are_found_without_an_index(tmp_path: Path) -> None:
    """
    Row by row, thirty thousand audit rows against as many records would take minutes.
    """
    tables = [DOCUMENTS, RECORDS.replace(" PRIMARY KEY", ""), EDITS]
    n = 30_000
    edits = [(f"r{k + 7}", "name", "y", "t") for k in range(n)]
    db = write_db(tmp_path / "db.sqlite", [(1, "t")], [record(f"r{k}", 1, "x") for k in range(n)], edits, tables=tables)
    steps = []
    with opened_copy(db) as connection:
        connection.set_progress_handler(lambda: steps.append(1), 1_000_000)
        review = _Reader(connection, db, ("name",)).read(None)

    assert ["edits-without-record"] == [note.code for note in review.notes]
    assert len(review.edits) == n - 7
    assert len(steps) < 100


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("3", "document '3' is not in the database"),
        ("one", "document 'one' is not in the database"),
        ("1,01", "document '01' is not in the database; did you mean '1'?"),
    ],
)
def test_documents_that_are_not_there(capsys: pytest.CaptureFixture[str], documents: str, message: str) -> None:
    """
    Ids are what stands in the database; such as would do are named.
    """
    err = refused(capsys, "--documents", documents)

    assert message in err
    assert "hint: --documents takes values of documents.document_id, such as 1, 2" in err


def test_documents_without_a_name_are_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    """
    An option that is misspelt is no bad input.
    """
    assert main(["audit", "db.sqlite", "--schema", "schema.json", "--documents", "1,,2"]) == 2
    assert "--documents: '1,,2' is not of the form ID,ID, such as 1,2" in capsys.readouterr().err


def nested(*keys: str, leaf: Any = None) -> str:
    """`leaf` below keys."""
    value = leaf
    for key in reversed(keys):
        value = {key: value}
    return json.dumps(value, indent=1)


SCHEMAS: list[tuple[str | bytes, str]] = [
    ("", "schema.json:1:1: not valid JSON: it is empty"),
    ("[]", "schema.json:1: the schema is a list without anything in it; expected an object with 'properties'"),
    ('{"type":\n object}', "schema.json:2:2: not valid JSON"),
    ('{"type": 1,\n "type": 2}', "schema.json:2: the key 'type' occurs twice in one object"),
    ('{"minimum": NaN}', "schema.json:1:13: not valid JSON"),
    ('{"a": 1} {"b": 2}', "not valid JSON: a second value after the first"),
    (b"\xff\xfe{", "not UTF-8"),
    (nested("properties", "rows", leaf=1), "schema.json:2: properties has no 'records' (found: rows); expected properties.records.items"),
    (nested("properties", "records", leaf={"type": "array"}), "schema.json:3: properties.records has no 'items' (found: type)"),
    (nested("properties", "records", "items", leaf={"$ref": "#/x"}), "hint: references are not followed here"),
    (nested("properties", "records", "items", "properties", leaf={}), "schema.json:5: properties.records.items.properties is an object without anything in it; expected an object with a key per field"),
    (nested("properties", "records", "items", "properties", leaf=["name"]), "properties.records.items.properties is a list; expected"),
    (nested("properties", "records", "items", leaf={"properties": {"name": {}}, "required": True}), "schema.json:8: properties.records.items.required is a boolean; expected a list of names of fields"),
    (nested("properties", "records", "items", leaf={"properties": {"name": {}}, "x-unique-fields": ["name", 1]}), "properties.records.items.x-unique-fields is a list; expected a list of names"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), SCHEMAS)
def test_schemas_that_cannot_be_used(capsys: pytest.CaptureFixture[str], content: str | bytes, message: str) -> None:
    """
    With the line, what is missing, and what there is.
    """
    Path("schema.json").write_bytes(content if isinstance(content, bytes) else content.encode())

    assert message in refused(capsys)


def test_database_and_schema_the_wrong_way_round(capsys: pytest.CaptureFixture[str]) -> None:
    """
    The message says which is which.
    """
    assert main(["audit", "schema.json", "--schema", "db.sqlite"]) == 3
    assert "error: db.sqlite" in capsys.readouterr().err
    write_schema(Path("other.json"))

    assert main(["audit", "schema.json", "--schema", "other.json"]) == 3
    assert "DB is the database, --schema the JSON schema" in capsys.readouterr().err


@pytest.mark.parametrize("make", [lambda p: p.mkdir(), lambda p: p.write_bytes(b"")])
def test_folder_and_empty_file(capsys: pytest.CaptureFixture[str], make: Callable[[Path], Any]) -> None:
    """
    Neither is a database, and neither becomes one.
    """
    Path("db.sqlite").unlink()
    make(Path("db.sqlite"))

    assert "a SQLite database is expected" in refused(capsys)


def test_unknown_names_in_the_schema_are_notes() -> None:
    """
    They change no count of fields, so they are told and not refused.
    """
    schema = read_review_schema(write_schema(Path("schema.json"), required=["plaze"], **{"x-unique-fields": ["nom"]}))
    (note,) = schema.notes()

    assert note.code == "unknown-schema-fields"
    assert "required and x-unique-fields name 'nom', 'plaze', which properties lacks" in note.message


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, True),
        ({"type": "null"}, True),
        ({"type": "string", "nullable": True}, True),
        ({}, True),
        (True, True),
        (False, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, False),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, False),
        ({"enum": ["a", None]}, True),
        ({"enum": ["a"]}, False),
        ({"const": None}, True),
        ({"const": "a"}, False),
        ({"$ref": "#/x"}, False),
    ],
)
def test_types_that_admit_null(spec: Any, answer: bool) -> None:
    """
    In the ways in which schemas say it.
    """
    assert answer == admits_null(spec)


@pytest.mark.parametrize("seed", range(60))
def test_bytes_at_random_are_a_message_at_most(capsys: pytest.CaptureFixture[str], seed: int) -> None:
    """
    A damaged database is bad input or, where only a value was hit, a database; never a bug.
    """
    rng, raw = random.Random(seed), bytearray(Path("db.sqlite").read_bytes())
    for _ in range(rng.choice([1, 5, 20, 100])):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    Path("db.sqlite").write_bytes(raw[: rng.randrange(len(raw))] if seed % 6 == 0 else raw)
    code = main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"])
    out, err = capsys.readouterr()

    assert code in (0, 3)
    assert bool(out) == (code == 0)
    assert code == 0 or err.startswith("error: db.sqlite: ")


def test_names_of_tables_have_no_case() -> None:
    """
    As in SQLite.
    """
    tables = [DOCUMENTS.replace("documents", "Documents"), RECORDS.replace("TABLE records", "TABLE RECORDS"), EDITS]
    write_db(Path("db.sqlite"), [(1, "t")], [record("a", 1)], tables=tables)

    assert main(["audit", "db.sqlite", "--schema", "schema.json", "--no-ci"]) == 0

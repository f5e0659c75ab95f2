"""A database is read as it is, whoever has it open, and nothing in its folder changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reviews import record, write_db, write_schema

from spaneval.exceptions import FormatError, InputError
from spaneval.loaders import sqlite_copy
from spaneval.loaders.sqlite_copy import TRIES, opened_copy


def snapshot(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Name, size, time and content of everything in a folder, and the time of the folder itself."""
    found: dict[str, tuple[Any, ...]] = {".": (folder.stat().st_mtime_ns,)}
    for path in sorted(folder.iterdir()):
        status = path.stat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[path.name] = (status.st_size, status.st_mtime_ns, status.st_ino, status.st_mode, digest)
    return found


def audited(db: Path, schema: Path) -> subprocess.CompletedProcess[str]:
    """The tool as a process of its own: closing a file lets go of the locks that this process has on it."""
    arguments = ["audit", str(db), "--schema", str(schema), "-f", "csv", "--per-document", "--no-ci"]
    return subprocess.run([sys.executable, "-m", "spaneval", *arguments], capture_output=True, text=True, check=False)


def without_temporary() -> dict[str, str]:
    """The environment without what names a temporary folder."""
    return {name: value for name, value in os.environ.items() if name not in sqlite_copy._VARIABLES}


def found_records(done: subprocess.CompletedProcess[str]) -> str:
    heading, row = (line.split(",") for line in done.stdout.splitlines()[:2])
    return row[heading.index("records_found")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a reviewed document of one record, and nothing else."""
    folder = tmp_path / "reviews"
    folder.mkdir()
    write_db(folder / "db.sqlite", [(1, "t")], [record("a", 1, "Ann", "Bern", 1.5)])
    return folder


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    return Path(write_schema(tmp_path / "schema.json"))


def test_a_database_at_rest_stays_as_it_is(folder: Path, schema: Path) -> None:
    """
    Bytes, names, sizes, times; no file comes or goes.
    """
    before = snapshot(folder)
    done = audited(folder / "db.sqlite", schema)

    assert found_records(done) == "1"
    assert before == snapshot(folder)


def test_rows_that_still_stand_in_the_log_are_counted(folder: Path, schema: Path) -> None:
    """
    A writer in WAL mode has the database open and has not moved its rows into it yet.
    """
    db = folder / "db.sqlite"
    with closing(sqlite3.connect(db)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        for key in "bcd":
            writer.execute("INSERT INTO records VALUES (?, 1, 'x', 'N', 'P', 1, 't', NULL, 0)", key)
        writer.commit()
        before = snapshot(folder)
        done = audited(db, schema)

        assert (folder / "db.sqlite-wal").stat().st_size > 0
        assert {"db.sqlite", "db.sqlite-wal", "db.sqlite-shm"} == set(before) - {"."}
        assert found_records(done) == "4"
        assert before == snapshot(folder)


def test_a_log_that_was_left_behind_is_read(folder: Path, schema: Path, tmp_path: Path) -> None:
    """
    The writer died: there is a log, but no `-shm` file; opening the database in place would make one.
    """
    db, other = folder / "db.sqlite", tmp_path / "crashed"
    other.mkdir()
    with closing(sqlite3.connect(db)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO records VALUES ('b', 1, 'x', 'N', 'P', 1, 't', NULL, 0)")
        writer.commit()
        for name in ("db.sqlite", "db.sqlite-wal"):
            shutil.copyfile(folder / name, other / name)
    before = snapshot(other)

    assert found_records(audited(other / "db.sqlite", schema)) == "2"
    assert before == snapshot(other)


def half_written(folder: Path) -> sqlite3.Connection:
    """A writer in the middle of a transaction that has written some pages already, so that a journal is there."""
    db = folder / "db.sqlite"
    rows = [record(f"r{k:05}", 1, "N" * 200, "P", 1) for k in range(2000)]
    write_db(db, [(1, "t")], rows)
    writer = sqlite3.connect(db, isolation_level=None)
    writer.execute("PRAGMA cache_size = 2")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE records SET name = 'M', deleted_by_user = 'now'")
    return writer


def test_a_transaction_under_way_does_not_count(folder: Path, schema: Path) -> None:
    """
    Some pages of the database are new, the old ones stand in the rollback journal: the copy is as before.
    """
    db = folder / "db.sqlite"
    with closing(half_written(folder)):
        before = snapshot(folder)

        assert b"now" in db.read_bytes()
        assert (folder / "db.sqlite-journal").stat().st_size > 0
        assert found_records(audited(db, schema)) == "2000"
        assert before == snapshot(folder)


def test_a_journal_that_was_left_behind_is_rolled_back_in_the_copy_only(
    folder: Path, schema: Path, tmp_path: Path
) -> None:
    """
    The writer died in its transaction. SQLite would repair the database in place; here it stays as it is.
    """
    other = tmp_path / "crashed"
    other.mkdir()
    with closing(half_written(folder)):
        for name in ("db.sqlite", "db.sqlite-journal"):
            shutil.copyfile(folder / name, other / name)
    before = snapshot(other)

    assert found_records(audited(other / "db.sqlite", schema)) == "2000"
    assert before == snapshot(other)


def test_an_exclusive_writer_does_not_keep_readers_out(folder: Path, schema: Path) -> None:
    """
    A copy needs no lock of SQLite.
    """
    with closing(sqlite3.connect(folder / "db.sqlite", isolation_level=None)) as writer:
        writer.execute("PRAGMA locking_mode = EXCLUSIVE")
        writer.execute("BEGIN EXCLUSIVE")
        before = snapshot(folder)

        assert found_records(audited(folder / "db.sqlite", schema)) == "1"
        assert before == snapshot(folder)


def test_a_read_only_folder_is_enough(folder: Path, schema: Path) -> None:
    """
    Neither the database nor its folder can be written to.
    """
    db = folder / "db.sqlite"
    db.chmod(0o444)
    folder.chmod(0o555)
    try:
        before = snapshot(folder)

        assert found_records(audited(db, schema)) == "1"
        assert before == snapshot(folder)
    finally:
        folder.chmod(0o755)


def test_a_link_leads_to_the_log_of_its_target(folder: Path, schema: Path, tmp_path: Path) -> None:
    """
    SQLite keeps the log beside the file, not beside the link.
    """
    link = tmp_path / "link.sqlite"
    link.symlink_to(folder / "db.sqlite")
    with closing(sqlite3.connect(folder / "db.sqlite")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO records VALUES ('b', 1, 'x', 'N', 'P', 1, 't', NULL, 0)")
        writer.commit()

        assert found_records(audited(link, schema)) == "2"


def test_the_copy_is_removed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whether the work succeeds or not.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with opened_copy(str(folder / "db.sqlite")) as connection:
        assert len(list(temporary.iterdir())) == 1
        assert connection.execute("SELECT id FROM records").fetchall() == [("a",)]
    with pytest.raises(ZeroDivisionError), opened_copy(str(folder / "db.sqlite")):
        raise ZeroDivisionError

    assert list(temporary.iterdir()) == []


def test_the_copy_cannot_be_written_to(folder: Path) -> None:
    """
    A query that would is a bug.
    """
    with pytest.raises(InputError, match="readonly"), opened_copy(str(folder / "db.sqlite")) as connection:
        connection.execute("DELETE FROM records")


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int], None]], list[int]]:
    """Has something happen after each file that is copied; the result counts the files."""

    def during(happen: Callable[[int], None]) -> list[int]:
        copied: list[int] = []
        plain = shutil.copyfileobj

        def copy(source: Any, target: Any, length: int) -> None:
            plain(source, target, length)
            copied.append(1)
            happen(len(copied))

        monkeypatch.setattr(sqlite_copy.shutil, "copyfileobj", copy)
        monkeypatch.setattr(sqlite_copy.time, "sleep", lambda _: None)
        return copied

    return during


def test_a_database_that_changes_is_copied_again(folder: Path, meanwhile: Any) -> None:
    """
    Once it stays as it is, what was written is there.
    """
    db = folder / "db.sqlite"

    def write_once(n: int) -> None:
        if n == 1:
            with closing(sqlite3.connect(db)) as writer:
                writer.execute("INSERT INTO records VALUES ('b', 1, 'x', 'N', 'P', 1, 't', NULL, 0)")
                writer.commit()

    copied = meanwhile(write_once)
    with opened_copy(str(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM records").fetchone() == (2,)
    assert len(copied) == 2


def test_a_database_that_never_rests_is_an_error(folder: Path, meanwhile: Any) -> None:
    """
    After a bounded number of tries.
    """
    db = folder / "db.sqlite"
    copied = meanwhile(lambda n: os.utime(db, ns=(n, n)))
    with pytest.raises(InputError) as caught, opened_copy(str(db)):
        pass

    assert f"{db}: it changed each of the {TRIES} times that it was copied" in str(caught.value)
    assert "hint: try again once nobody writes to it" in str(caught.value)
    assert len(copied) == TRIES


def test_a_log_that_appears_while_the_database_is_copied_is_not_missed(folder: Path, meanwhile: Any) -> None:
    """
    The files are looked at together, before and after.
    """
    db = folder / "db.sqlite"
    writer = sqlite3.connect(db)

    def write_to_log(n: int) -> None:
        if n == 1:
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("INSERT INTO records VALUES ('b', 1, 'x', 'N', 'P', 1, 't', NULL, 0)")
            writer.commit()

    meanwhile(write_to_log)
    with closing(writer), opened_copy(str(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM records").fetchone() == (2,)


def test_bytes_that_changed_within_a_tick_of_the_clock_are_noticed(
    folder: Path, meanwhile: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Sizes and times are equal, the bytes are not: they are held against each other.
    """
    db = folder / "db.sqlite"
    marks = sqlite_copy._marks(str(db), str(db))
    monkeypatch.setattr(sqlite_copy, "_marks", lambda *_: marks)

    def scribble(n: int) -> None:
        if n == 1:
            raw = bytearray(db.read_bytes())
            raw[60:64] = b"\0\0\0\7"  # the user version
            db.write_bytes(raw)

    copied = meanwhile(scribble)
    with opened_copy(str(db)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)
    assert len(copied) == 2


def test_a_database_in_the_temporary_folder_is_copied_to_another(folder: Path, tmp_path: Path) -> None:
    """
    Not even a trial whether one may write there is made in it: its time stays.
    """
    other, schema = tmp_path / "other", tmp_path / "schema.json"
    other.mkdir()
    write_schema(schema)
    before = snapshot(folder)
    code = "import sys; from spaneval.loaders import sqlite_copy; from spaneval.cli import program; sqlite_copy._FOLDERS = [sys.argv.pop(1)]; program()"  # noqa: E501 - one program
    arguments = ["audit", str(folder / "db.sqlite"), "--schema", str(schema), "-f", "json", "--no-ci"]
    for place, expected in ((other, 0), (folder, 3)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(place), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**without_temporary(), "TMPDIR": str(folder)},
        )
        assert (expected, before) == (done.returncode, snapshot(folder))

    assert "it stands in the only one" in done.stderr
    assert "hint: set TMPDIR to another folder" in done.stderr
    assert list(other.iterdir()) == []


def test_queries_keep_nothing_in_files(folder: Path) -> None:
    """
    SQLite would sort large tables in a file of its own, perhaps in the folder of the original.
    """
    with opened_copy(str(folder / "db.sqlite")) as connection:
        assert (2,) == connection.execute("PRAGMA temp_store").fetchone()


def test_a_transaction_over_several_databases_is_refused(folder: Path) -> None:
    """
    To undo it, SQLite would look for the other databases in the folder of the original.
    """
    magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    (folder / "db.sqlite-journal").write_bytes(magic + bytes(504) + b"other-super" + magic)
    with (
        pytest.raises(InputError, match="a transaction over several databases"),
        opened_copy(str(folder / "db.sqlite")),
    ):
        pass


def torn(folder: Path) -> bytes:
    """A database of several pages, the second half of which is missing."""
    write_db(folder / "big.sqlite", [(1, "t")], [record(f"r{k}", 1, "N" * 100, "P", 1) for k in range(500)])
    raw = (folder / "big.sqlite").read_bytes()
    return raw[: len(raw) // 2]


def scrambled(folder: Path) -> bytes:
    """A database with a page in which nothing makes sense."""
    write_db(folder / "big.sqlite", [(1, "t")], [record(f"r{k}", 1, "N" * 100, "P", 1) for k in range(500)])
    raw = bytearray((folder / "big.sqlite").read_bytes())
    raw[4096:8192] = b"\xff" * 4096
    return bytes(raw)


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        (b"", "the file is empty; a SQLite database is expected", "check where the reviews are kept"),
        (b"id,name\n1,a\n", "it starts with 'id,name", "--schema the JSON schema"),
        (b"id\0\xff\xfe\n1,a\n", "it starts with bytes 69 64 00 FF", "an encrypted database has to be decrypted first"),
        (b'{"properties": {}}', 'it starts with \'{"properties":', "DB is the database, --schema the JSON schema"),
        (b"\x1f\x8b\x08rest", "it is packed with gzip", "gunzip"),
        (b"PK\x03\x04rest", "it is a ZIP archive", "unzip"),
        (b"PRAGMA foreign_keys=OFF;\n", "it is SQL text", "sqlite3 NEW.db < FILE"),
        (b"\x37\x7f\x06\x82rest", "it is the write-ahead log of a database", "without '-wal'"),
        (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7rest", "it is the rollback journal of a database", "without '-journal'"),
        (b"SQLite format 3\0" + b"x" * 200, "a damaged SQLite database: file is not a database; it may be", "backup"),
        (torn, "a damaged SQLite database", "audit a backup"),
        (scrambled, "a damaged SQLite database", "audit a backup"),
    ],
)
def test_what_is_no_database_says_so(folder: Path, content: Any, message: str, remedy: str) -> None:
    """
    What was found, what was expected, and what may help; never an error of SQLite as it is.
    """
    path = folder / "other.sqlite"
    path.write_bytes(content(folder) if callable(content) else content)
    before = snapshot(folder)
    with pytest.raises(FormatError) as caught, opened_copy(str(path)):
        pass

    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert remedy in str(caught.value).partition("hint: ")[2]
    assert before == snapshot(folder)


def test_a_folder_and_a_pipe_are_no_databases(folder: Path) -> None:
    """
    Nothing waits for a pipe that nobody writes to.
    """
    os.mkfifo(folder / "pipe")
    for path, message in ((folder, "it is a folder"), (folder / "pipe", "it is not a regular file")):
        with pytest.raises(FormatError, match=message), opened_copy(str(path)):
            pass


def test_a_full_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    With the remedy; the error is not taken for one of standard output.
    """

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sqlite_copy.shutil, "copyfileobj", full)
    with pytest.raises(InputError, match="No space left on device\nhint: set TMPDIR"):  # noqa: SIM117 - one line too long
        with opened_copy(str(folder / "db.sqlite")):
            pass


def test_a_journal_that_goes_while_it_is_copied_makes_another_try(folder: Path, meanwhile: Any) -> None:
    """
    The transaction ended between a look at the folder and the copy.
    """
    db, journal = folder / "db.sqlite", folder / "db.sqlite-journal"
    journal.write_bytes(b"")
    copied = meanwhile(lambda n: journal.unlink() if n == 1 else None)
    with opened_copy(str(db)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM records").fetchone() == (1,)
    assert len(copied) == 2


def test_a_database_that_goes_while_it_is_copied_is_told(folder: Path, meanwhile: Any) -> None:
    """
    With its name.
    """
    db = folder / "db.sqlite"
    meanwhile(lambda n: db.unlink())
    with pytest.raises(InputError, match=r"db.sqlite: cannot be read: it was removed while it was copied"):  # noqa: SIM117 - one line too long
        with opened_copy(str(db)):
            pass


@pytest.mark.parametrize("name", ["db.sqlite", "db.sqlite-wal"])
def test_what_may_not_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """
    The database, or its log.
    """
    (folder / "db.sqlite-wal").touch()

    def refuse(path: Any, mode: str = "r") -> Any:
        if str(path).endswith(name):
            raise PermissionError(13, "Permission denied")
        return open(path, mode)

    monkeypatch.setattr(sqlite_copy, "open", refuse, raising=False)
    with pytest.raises(InputError, match=f"{name}: cannot be read: Permission denied"):  # noqa: SIM117 - one line too long
        with opened_copy(str(folder / "db.sqlite")):
            pass


def test_a_copy_that_would_not_fit_is_not_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A disk that is full stops whoever else writes to it.
    """
    nearly_full = shutil._ntuple_diskusage(10**9, 10**9 - 4096, 4096)
    monkeypatch.setattr(sqlite_copy.shutil, "disk_usage", lambda _: nearly_full)
    monkeypatch.setattr(sqlite_copy.shutil, "copyfileobj", pytest.fail)
    message = r"a copy of it takes [0-9,]+ bytes, and there are 4,096 left in .*\nhint: set TMPDIR"
    with pytest.raises(InputError, match=message), opened_copy(str(folder / "db.sqlite")):
        pass


def test_a_last_page_that_is_cut_is_told(folder: Path) -> None:
    """
    SQLite takes what is missing for zeros, and a check of all pages finds nothing: texts would lose their end.
    """
    whole = (folder / "db.sqlite").read_bytes()
    (folder / "db.sqlite").write_bytes(whole[:-100])
    with pytest.raises(FormatError, match=f"damaged SQLite database: it has {len(whole) - 100} bytes of {len(whole)}"):  # noqa: SIM117 - one line too long
        with opened_copy(str(folder / "db.sqlite")):
            pass


def test_no_temporary_folder_at_all_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Each that was tried, with its reason and the remedy.
    """
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    monkeypatch.setattr(sqlite_copy, "_VARIABLES", ())
    monkeypatch.setattr(sqlite_copy, "_FOLDERS", (str(folder / "db.sqlite"),))
    message = r"cannot be copied to a temporary folder: /nowhere/at/all: No such file or directory; .*db.sqlite: Not a directory\nhint: set TMPDIR"  # noqa: E501 - one message
    with pytest.raises(InputError, match=message), opened_copy(str(folder / "db.sqlite")):
        pass

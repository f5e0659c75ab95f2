"""
A SQLite database that somebody may be writing to: copied to a private folder, and opened there.

Opening it in place would leave `-wal` and `-shm` files behind, or miss rows that still stand in the log. The copy takes
the write-ahead log along, and the rollback journal: if a writer is in the middle of a transaction, or died in one,
SQLite undoes it in the copy as it would in place.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final, NamedTuple

from spaneval.exceptions import FormatError, InputError
from spaneval.problems import Problem

TRIES: Final = 5
"""How often a database is copied that changes meanwhile."""

_SUFFIXES: Final = ("", "-wal", "-journal")
_HEADER: Final = b"SQLite format 3\0"
_JOURNAL: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # starts a journal, and ends one that names a super-journal
_PAUSE_S: Final = 0.05
_BLOCK: Final = 1 << 20
_KINDS: Final = (
    (b"\x1f\x8b", "it is packed with gzip", "unpack it first: gunzip FILE"),
    (b"PK\x03\x04", "it is a ZIP archive", "unpack it first: unzip FILE"),
    (b"\x37\x7f\x06", "it is the write-ahead log of a database", "name the database, without '-wal'"),
    (_JOURNAL, "it is the rollback journal of a database", "name the database, without '-journal'"),
)
_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")
_FOLDERS: Final = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 - a new folder is made in one of them
_TEXTS: Final = (b"PRAGMA", b"BEGIN TRANSACTION", b"CREATE TABLE", b"--")


class _Mark(NamedTuple):
    """What moves when a file is written to."""

    inode: int
    size: int
    modified: int
    changed: int


@contextmanager
def opened_copy(path: str) -> Iterator[sqlite3.Connection]:
    """
    A connection to a copy of the database, which is removed afterwards.

    Nothing in the folder of the database changes, whether a writer has it open or not.

    Args:
        path: The database; a link leads to the file whose log and journal are copied along.

    Yields:
        A connection that refuses to write. Text that is not UTF-8 comes with surrogates.

    Raises:
        FormatError: If it is not a SQLite database, or a damaged one; also while the connection is used.
        InputError: If it cannot be read, or keeps changing while it is copied.

    """
    _check_kind(path)
    with _private_folder(path) as folder:
        copy = os.path.join(folder, "copy.sqlite")
        _copy(path, copy)
        try:
            with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                connection.text_factory = _text
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA query_only = ON")
                connection.execute("PRAGMA temp_store = MEMORY")  # else it may sort in the folder of the original
                _check_pages(connection, path, copy)
                yield connection
        except sqlite3.DatabaseError as error:
            raise _damaged(path, str(error)) from error
        except UnicodeDecodeError as error:  # Python reads names, and messages of SQLite that hold some, as UTF-8
            raise _damaged(path, "a name in it is not UTF-8") from error


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _check_kind(path: str) -> None:
    """Refuse what is no SQLite database, before it is copied."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise _refused(path, "it is a folder; a SQLite database is expected", "name the file in it")
        if not stat.S_ISREG(status.st_mode):
            raise _refused(path, "it is not a regular file; a SQLite database is expected", "write it to a file first")
        with open(path, "rb") as file:
            head = file.read(64)
    except OSError as error:
        raise _unreadable(path, error) from error
    if head.startswith(_HEADER):
        return
    if not head:
        raise _refused(path, "the file is empty; a SQLite database is expected", "check where the reviews are kept")
    for magic, what, remedy in _KINDS:
        if head.startswith(magic):
            raise _refused(path, f"not a SQLite database: {what}", remedy)
    if head.lstrip().startswith(_TEXTS):
        raise _refused(path, "not a SQLite database: it is SQL text", "make a database of it: sqlite3 NEW.db < FILE")
    shown = head[:16].decode("latin-1")
    what = repr(shown) if "".join(shown.split()).isprintable() else f"bytes {head[:8].hex(' ').upper()}"
    remedy = "an encrypted database has to be decrypted first; DB is the database, --schema the JSON schema"
    raise _refused(path, f"not a SQLite database: it starts with {what} instead of 'SQLite format 3'", remedy)


def _private_folder(path: str) -> tempfile.TemporaryDirectory[str]:
    """
    A folder that nobody else may read, removed when it is left; never in the folder of the database.

    `tempfile` alone would try out each temporary folder by writing to it, and one may be where the database lives.
    """
    home = os.path.dirname(os.path.realpath(path))
    tried: dict[str, OSError] = {}
    for folder in filter(None, dict.fromkeys([tempfile.tempdir, *map(os.environ.get, _VARIABLES), *_FOLDERS])):
        try:
            if not os.path.samefile(folder, home):
                return tempfile.TemporaryDirectory(prefix="spaneval-", dir=os.path.abspath(folder))
        except OSError as error:
            tried[folder] = error
    if not tried:
        message = f"a copy of it is made in a temporary folder, but it stands in the only one ({home})"
    else:
        reasons = "; ".join(f"{folder}: {error.strerror or error}" for folder, error in tried.items())
        message = f"it cannot be copied to a temporary folder: {reasons}"
    raise InputError([Problem(message, path, hint="set TMPDIR to another folder, one with room for a copy")])


def _copy(path: str, copy: str) -> None:
    """Copy the database, its log and its journal as they were at one moment."""
    original = os.path.realpath(path)  # SQLite, too, keeps log and journal beside the file, not beside a link to it
    for attempt in range(TRIES):
        if attempt:
            time.sleep(_PAUSE_S * attempt)
        if _copied(path, original, copy):
            _check_journal(path, copy)
            return
    message = f"it changed each of the {TRIES} times that it was copied"
    raise InputError([Problem(message, path, hint="try again once nobody writes to it, or audit a backup of it")])


def _copied(path: str, original: str, copy: str) -> bool:
    """Whether all files could be copied without one of them changing meanwhile."""
    before = _marks(path, original)
    _check_room(path, os.path.dirname(copy), sum(mark.size for mark in before if mark is not None))
    for suffix, mark in zip(_SUFFIXES, before, strict=True):
        target = copy + suffix
        if mark is None:
            if os.path.exists(target):  # of a try before
                os.unlink(target)
            continue
        try:
            source = open(original + suffix, "rb")  # noqa: SIM115 - closed below
        except FileNotFoundError:  # the transaction ended
            return False
        except OSError as error:
            raise _unreadable(path + suffix, error) from error
        with source:
            try:
                with open(target, "wb") as file:
                    shutil.copyfileobj(source, file, _BLOCK)
            except OSError as error:
                raise _no_room(path, error) from error
    # Times have steps of some milliseconds, so that the bytes, too, are held against each other.
    is_same = all(mark is None or _is_equal(original + s, copy + s) for s, mark in zip(_SUFFIXES, before, strict=True))
    return is_same and _marks(path, original) == before


def _check_room(path: str, folder: str, needed: int) -> None:
    """Refuse a copy that would not fit, rather than fill a disk that others write to."""
    free = shutil.disk_usage(folder).free + sum(entry.stat().st_size for entry in os.scandir(folder))
    if needed > free:
        message = f"a copy of it takes {needed:,} bytes, and there are {free:,} left in {os.path.dirname(folder)}"
        raise InputError([Problem(message, path, hint="set TMPDIR to a folder with room for a copy")])


def _marks(path: str, original: str) -> list[_Mark | None]:
    marks: list[_Mark | None] = []
    for suffix in _SUFFIXES:
        try:
            status = os.stat(original + suffix)
        except FileNotFoundError:
            marks.append(None)
        except OSError as error:
            raise _unreadable(path + suffix, error) from error
        else:
            marks.append(_Mark(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    if marks[0] is None:
        raise InputError([Problem("cannot be read: it was removed while it was copied", path)])
    return marks


def _is_equal(first: str, second: str) -> bool:
    """Whether two files hold the same bytes."""
    try:
        with open(first, "rb") as a, open(second, "rb") as b:
            while True:
                block = a.read(_BLOCK)
                if block != b.read(_BLOCK):
                    return False
                if not block:
                    return True
    except FileNotFoundError:
        return False


def _check_journal(path: str, copy: str) -> None:
    """
    Refuse a journal that is part of a transaction over several databases.

    To undo it SQLite would look for the others, by their names, in the folder of the original, and might tidy up there.
    """
    try:
        with open(f"{copy}-journal", "rb") as file:
            is_live = file.read(len(_JOURNAL)) == _JOURNAL
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(_JOURNAL)))
            is_part = is_live and file.read() == _JOURNAL and file.tell() > len(_JOURNAL)
    except FileNotFoundError:
        return
    if is_part:
        message = "a transaction over several databases is under way"
        raise InputError([Problem(message, path, hint="try again once it is finished, or audit a backup")])


def _check_pages(connection: sqlite3.Connection, path: str, copy: str) -> None:
    """Refuse a damaged database, also one that was torn while it was copied; reads every page once."""
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise _damaged(path, " ".join(found[0].split()) if found else "it has no pages")
    (n_pages,), (page_size,) = (connection.execute(f"PRAGMA {x}").fetchone() for x in ("page_count", "page_size"))
    size, needed = os.path.getsize(copy), n_pages * page_size
    is_logged = os.path.exists(f"{copy}-wal") and os.path.getsize(f"{copy}-wal")  # the last page may stand in the log
    if size < needed and not is_logged:  # SQLite takes what the last page lacks for zeros
        raise _damaged(path, f"it has {size} bytes of {needed}")


def _damaged(path: str, reason: str) -> FormatError:
    if "encrypted or is not a database" in reason or "file is not a database" in reason:
        reason += "; it may be encrypted"
    hint = "`sqlite3 FILE .recover` saves what can be read; or audit a backup"
    return _refused(path, f"a damaged SQLite database: {reason}", hint)


def _refused(path: str, message: str, hint: str) -> FormatError:
    return FormatError([Problem(message, path, hint=hint, kind=FormatError)])


def _unreadable(path: str, error: OSError) -> InputError:
    return InputError([Problem(f"cannot be read: {error.strerror or error}", path)])


def _no_room(path: str, error: OSError) -> InputError:
    message = f"cannot be copied to the temporary folder: {error.strerror or error}"
    return InputError([Problem(message, path, hint="set TMPDIR to a folder with room for a copy")])

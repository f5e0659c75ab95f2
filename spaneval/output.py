"""
Results are written whole or not at all.

A regular file is first written beside its final place and then renamed, so that nobody ever sees half of it and a
failed run leaves the old one as it was. Devices, pipes and standard output cannot be replaced and are written directly.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from spaneval.exceptions import SpanevalError
from spaneval.frozen import Frozen

STDOUT = "-"
"""The path that stands for standard output."""

Chunks = Iterable[bytes]

_OPEN_STREAM = r"/(dev|proc/self)/((?P<name>stdout|stderr)|fd/(?P<number>[0-9]+))$"


class OutputError(SpanevalError, OSError):
    """A result could not be written; says where and why."""

    def __init__(self, path: str, reason: str) -> None:
        name = "standard output" if path == STDOUT else path
        super().__init__(f"{name}: cannot be written: {reason}")


class Output(NamedTuple):
    """What is to be written where: `STDOUT` or a path, and the bytes in pieces of any size."""

    path: str
    chunks: Chunks


class _Staged(Frozen):
    """A finished file that waits for its name."""

    path: str
    temporary: str
    target: str


def write_whole(path: str, chunks: Chunks) -> None:
    """
    Write one result; see `write_all`.

    Raises:
        OutputError: If it cannot be written; a regular file is then as it was before.
        BrokenPipeError: If the reader of a pipe has gone.

    """
    write_all([Output(path, chunks)])


def write_all(outputs: Sequence[Output]) -> None:
    """
    Write all results or, where they are regular files, none.

    Files are staged first, then devices and pipes are written, then the files get their names. A reader that closes
    its pipe early has seen enough; this does not hold back the files.

    Args:
        outputs: The results; symbolic links are followed, modes of existing files are kept.

    Raises:
        OutputError: If one cannot be written; every regular file is then as it was before.
        BrokenPipeError: If the reader of a pipe has gone; the files are there.

    """
    staged: list[_Staged] = []
    broken_pipe: BrokenPipeError | None = None
    try:
        for output in outputs:
            if is_replaceable(output.path):
                _stage(output, staged)
        for output in outputs:
            if not is_replaceable(output.path):
                try:
                    _write_directly(output)
                except BrokenPipeError as error:
                    broken_pipe = error
        while staged:
            _rename(staged[0])
            staged.pop(0)
    finally:
        for file in staged:
            with suppress(OSError):
                os.unlink(file.temporary)
    if broken_pipe is not None:
        raise broken_pipe


def is_replaceable(path: str) -> bool:
    """Whether `path` is, or will be, a regular file; not an open stream, a device, a pipe or a folder."""
    if path == STDOUT or re.match(_OPEN_STREAM, path):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _stage(output: Output, staged: list[_Staged]) -> None:
    """Write the bytes beside their final place; the file is entered in `staged` first, as a signal can end all."""
    try:
        target = os.path.realpath(output.path)
        temporary = os.path.join(os.path.dirname(target), f".spaneval-{os.urandom(8).hex()}.tmp")
        mode = _mode_of(target)
        staged.append(_Staged(output.path, temporary, target))
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "wb") as file:
            file.writelines(output.chunks)
        if mode is not None:
            os.chmod(temporary, mode)
    except OSError as error:
        raise OutputError(output.path, reason_of(error)) from error


def _mode_of(target: str) -> int | None:
    """Permissions of the file that will be replaced; None if there is none."""
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(0, "the file is write-protected")
    return mode


def _write_directly(output: Output) -> None:
    """Write to standard output, a device or a pipe."""
    try:
        if output.path == STDOUT:
            _write_stdout(output.chunks)
        else:
            with open(_opened(output.path), "wb") as file:
                file.writelines(output.chunks)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(output.path, reason_of(error)) from error


def _opened(path: str) -> str | int:
    """
    The path itself, or a copy of the open stream that it names.

    To open `/dev/stdout` anew would cut off what a redirected shell has already written to the same file.
    """
    stream = re.match(_OPEN_STREAM, path)
    if not stream:
        return path
    if sys.stdout is not None:
        sys.stdout.flush()
    return os.dup({"stdout": 1, "stderr": 2}.get(stream["name"]) or int(stream["number"]))


def _write_stdout(chunks: Chunks) -> None:
    if sys.stdout is None:
        raise OSError(0, "it is closed")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(chunks)
    sys.stdout.buffer.flush()


def _rename(file: _Staged) -> None:
    try:
        os.replace(file.temporary, file.target)
    except OSError as error:
        raise OutputError(file.path, reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """What the system said, in its own words and lower case."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Gzip without a time or a name, so that equal content gives equal files."""
    import zlib

    packer = zlib.compressobj(wbits=31)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()

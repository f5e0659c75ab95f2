"""Checks before the work starts that results can go where they should: an input is never written over."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import click

from spaneval.cli.config import configuration_of
from spaneval.cli.types import STDIN
from spaneval.output import STDOUT, is_replaceable


def check_targets(targets: dict[str, str | None], inputs: Sequence[str]) -> None:
    """
    Refuse to write over an input or the configuration that was read, and two results in one file.

    Args:
        targets: Option and path of each result; None where it was not asked for.
        inputs: Files and folders that will be read; `STDIN` is the file that standard input comes from, if it is one.

    Raises:
        click.UsageError: If a result cannot go there.

    """
    ctx = click.get_current_context(silent=True)
    configuration = configuration_of(ctx).source if ctx else None
    streams = [option for option, path in targets.items() if path == STDOUT]
    if len(streams) > 1:
        raise click.UsageError(f"{streams[1]}: standard output is where {streams[0]} goes", ctx)
    files = {option: path for option, path in targets.items() if path is not None and is_replaceable(path)}
    taken: dict[str, str] = {}
    for option, path in files.items():
        other = taken.setdefault(os.path.realpath(path), option)
        if other != option:
            raise click.UsageError(f"{option}: '{path}' is also the file of {other}", ctx)
        if os.path.exists(path) and _is_among(path, inputs):
            raise click.UsageError(f"{option}: '{path}' is an input; inputs are never written over", ctx)
        if configuration is not None and os.path.exists(path) and _is_among(path, [configuration]):
            message = f"{option}: '{path}' is the configuration file that was read; inputs are never written over"
            raise click.UsageError(message, ctx)


def _is_among(path: str, inputs: Iterable[str]) -> bool:
    """Whether `path` is one of the files, or in one of the folders, under any name."""
    status = os.stat(path)
    return any(os.path.samestat(status, other) for name in inputs for other in _files(name))


def _files(name: str) -> Iterator[os.stat_result]:
    """The file itself, or every file below a folder."""
    if name == STDIN:
        with suppress(OSError):  # it is closed
            status = os.fstat(0)
            if stat.S_ISREG(status.st_mode):
                yield status
    names: Iterable[str] = [name]
    if os.path.isdir(name):
        names = (os.path.join(folder, file) for folder, _, files in os.walk(name, followlinks=True) for file in files)
    for file in names:
        try:
            yield os.stat(file)
        except OSError:
            continue


def rows_format(option: str, path: str | None) -> str | None:
    """
    The format of `spaneval.reports.pairs` that the name of a file asks for; JSON Lines for a pipe or a device.

    Args:
        option: The option that names the file.
        path: The file; None where it was not asked for.

    Raises:
        click.UsageError: If the name asks for nothing known.

    """
    if path is None:
        return None
    from spaneval.reports.pairs import FORMATS, format_of

    ctx = click.get_current_context(silent=True)
    found = format_of(path)
    if found is None and path != STDOUT and not is_replaceable(path):
        return "jsonl"
    if found is None:
        known = ", ".join(f".{suffix}" for suffix in FORMATS)
        raise click.UsageError(f"{option}: '{path}' names no known format; its end must be one of {known}", ctx)
    if found == "parquet":
        from importlib.util import find_spec

        if find_spec("pyarrow") is None:
            raise click.UsageError(f"{option}: Parquet needs pyarrow: pip install 'spaneval-el[parquet]'", ctx)
    return found

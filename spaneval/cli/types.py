"""Kinds of option values: paths that exist, names with a near miss, numbers in a range, pairs of names."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from spaneval.nearest import nearest
from spaneval.output import STDOUT, is_replaceable

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
    _Words = click.Choice[str]
else:  # older versions of click know no type arguments
    ParamType = click.ParamType
    _Words = click.Choice

STDIN = "-"

_Param = click.Parameter | None
_Ctx = click.Context | None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """` Did you mean 'overlap'?` if one of `words` is near, else nothing."""
    near = nearest(word, list(words), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


class Choice(_Words):
    """One of a few words; a miss is answered with the nearest."""

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> str:
        """The word itself."""
        if value not in self.choices:
            known = ", ".join(f"'{choice}'" for choice in self.choices)
            self.fail(f"'{value}' is not one of {known}.{did_you_mean(str(value), self.choices)}", param, ctx)
        return str(value)


class InputPath(click.Path):
    """
    A file or folder that exists.

    Args:
        stdin: Whether `-` stands for standard input.

    """

    def __init__(self, *, stdin: bool = False) -> None:
        super().__init__()
        self.stdin = stdin

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> str:
        """The path as given."""
        path = os.fspath(value)
        if self.stdin and path == STDIN:
            return str(path)
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            self.fail(f"'{path}' does not exist.{_near_file(path)}", param, ctx)
        except (OSError, ValueError) as error:
            self.fail(f"'{path}' cannot be reached: {getattr(error, 'strerror', None) or error}", param, ctx)
        return str(path)


def _near_file(path: str) -> str:
    """The existing file whose name is nearest, if the folder exists."""
    folder, name = os.path.split(path.rstrip(os.sep))
    try:
        near = nearest(name, os.listdir(folder or os.curdir), n=1, cutoff=0.75)
    except OSError:
        return ""
    return f" Did you mean '{os.path.join(folder, near[0])}'?" if near else ""


class OutputPath(click.Path):
    """A file that can be written as far as one can tell beforehand; its folder must be there."""

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> str:
        """The path as given."""
        path = str(os.fspath(value))
        if path == STDOUT:
            return path
        if not path:
            self.fail("the name of the file is empty", param, ctx)
        try:
            folder = os.path.dirname(os.path.realpath(path))
        except (OSError, ValueError) as error:
            is_gone = isinstance(error, FileNotFoundError)
            why = "the working directory does not exist any more" if is_gone else str(error)
            self.fail(f"'{path}': {why}", param, ctx)
        if not os.path.isdir(folder):
            link = " that it links to" if os.path.islink(path) else ""
            shown = folder if link else os.path.dirname(path) or folder
            self.fail(f"'{path}': the folder '{shown}'{link} does not exist", param, ctx)
        if os.path.isdir(path) or path.endswith(os.sep):
            self.fail(f"'{path}' is a folder; the name of a file is expected", param, ctx)
        if is_replaceable(path) and not os.access(path if os.path.exists(path) else folder, os.W_OK):
            self.fail(f"'{path}' is write-protected", param, ctx)
        return path


class Integer(click.IntRange):
    """A whole number in a range, plainly written."""

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> Any:
        """The number."""
        if isinstance(value, str) and not re.fullmatch(r"[+-]?[0-9]+", value):
            self.fail(f"'{value}' is not a whole number", param, ctx)
        return super().convert(value, param, ctx)


class Number(ParamType):
    """
    A finite number, not below `low` and not above `high`; with `is_open`, not equal to them either.

    click's own ranges let NaN through.
    """

    name = "number"

    def __init__(self, low: float = -math.inf, high: float = math.inf, *, is_open: bool = False) -> None:
        self.low, self.high, self.is_open = low, high, is_open

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> float:
        """The number."""
        try:
            result = float(value)
        except ValueError:
            self.fail(f"'{value}' is not a number", param, ctx)
        if not math.isfinite(result):
            self.fail(f"'{value}' is not a finite number", param, ctx)
        is_inside = self.low < result < self.high if self.is_open else self.low <= result <= self.high
        if not is_inside:
            self.fail(f"'{value}' is not between {self.low:g} and {self.high:g}", param, ctx)
        return result


class Pattern(ParamType):
    """A regular expression."""

    name = "regex"

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> str:
        """The expression as given."""
        try:
            re.compile(value)
        except re.error as error:
            self.fail(f"'{value}' is not a regular expression: {error}", param, ctx)
        return str(value)


class FieldName(ParamType):
    """
    `OURS=THEIRS`: what a field of the rows is called.

    Args:
        ours: The names on the left that make sense.

    """

    name = "ours=theirs"

    def __init__(self, ours: tuple[str, ...]) -> None:
        self.ours = ours

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> tuple[str, str]:
        """Our name and theirs."""
        if isinstance(value, tuple):
            return value
        ours, equals, theirs = value.partition("=")
        if not (ours and equals and theirs):
            self.fail(f"'{value}' is not of the form OURS=THEIRS, such as a=start", param, ctx)
        if ours not in self.ours:
            swapped = f" Did you mean '{theirs}={ours}'?" if theirs in self.ours else did_you_mean(ours, self.ours)
            self.fail(f"there is no field '{ours}'; there are {', '.join(self.ours)}.{swapped}", param, ctx)
        return ours, theirs


class Names(ParamType):
    """
    Names with commas between them.

    Args:
        form: What is expected, for a message.

    """

    name = "names"

    def __init__(self, form: str) -> None:
        self.form = form

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> tuple[str, ...]:
        """Each name once."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in value.split(",")]
        if not all(names):
            self.fail(f"'{value}' is not of the form {self.form}", param, ctx)
        return tuple(dict.fromkeys(names))


class ColumnPair(ParamType):
    """`FROM,TO`: two columns by name or position."""

    name = "from,to"

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> tuple[str, str]:
        """Both columns as given."""
        if isinstance(value, tuple):
            return value
        from spaneval.loaders.id_map import parse_columns  # loads numpy

        try:
            return parse_columns(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class MeasureName(ParamType):
    """The name of a measure."""

    name = "measure"

    def convert(self, value: Any, param: _Param, ctx: _Ctx) -> str:
        """The name itself."""
        from spaneval.exceptions import MeasureError
        from spaneval.measures import any_measure

        try:
            return any_measure(value)
        except MeasureError as error:
            self.fail(str(error), param, ctx)

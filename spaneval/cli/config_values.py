"""A value of the configuration, checked against its option and handed on as click will convert it."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import click

from spaneval.cli.types import Number

_STANDARD_STREAM = "-"
_TRUTHS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class MisfitError(ValueError):
    """Why a value is not one of an option; completes a sentence that starts with the key."""


class Key(NamedTuple):
    """An option by one of its long names; `no-ci` is the inverse of `ci`."""

    option: click.Option
    is_inverse: bool

    @property
    def name(self) -> str:
        """As click calls the option."""
        return str(self.option.name)


def from_toml(key: Key, value: Any, folder: str) -> Any:
    """A value of the file as click will convert it; paths are relative to the folder of the file."""
    option = key.option
    if option.is_flag:
        if not isinstance(value, bool):
            raise MisfitError(f"{shown(value)} is not a boolean; expected true or false")
        return value is not key.is_inverse
    if not option.multiple:
        return _rebased(option, _scalar(option, value, ""), folder)
    if not isinstance(value, list):
        example = f", such as [{shown(value)}]" if not isinstance(value, dict) else ""
        raise MisfitError(f"{shown(value)} is not a list; expected a list of {_expected(option)}s{example}")
    return [_rebased(option, _scalar(option, item, " in the list"), folder) for item in value]


def _scalar(option: click.Option, value: Any, where: str) -> Any:
    """A single value of the right type that the option can take; whether a path exists is asked when it is used."""
    is_right = isinstance(value, _types(option)) and not isinstance(value, bool)
    if not is_right:
        raise MisfitError(f"{shown(value)}{where} is not a {_expected(option)}{_choices(option)}")
    if isinstance(value, str) and "\0" in value:
        raise MisfitError(f"the string{where} holds a NUL character")
    return _convertible(option, value)


def _convertible(option: click.Option, value: Any) -> Any:
    """The value itself, if the option can take it."""
    if not _is_path(option):
        try:
            option.type.convert(value, None, None)
        except click.BadParameter as error:
            raise MisfitError(error.message) from error
        except OverflowError as error:
            raise MisfitError(f"{value} is too large") from error
    return value


def _types(option: click.Option) -> tuple[type, ...]:
    """What the option is in TOML."""
    return {"whole number": (int,), "number": (int, float)}.get(_expected(option), (str,))


def _expected(option: click.Option) -> str:
    if isinstance(option.type, click.types.IntParamType):
        return "whole number"
    return "number" if isinstance(option.type, Number | click.types.FloatParamType) else "string"


def _choices(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return f"; expected one of {', '.join(repr(choice) for choice in option.type.choices)}"
    return ""


def _is_path(option: click.Option) -> bool:
    return isinstance(option.type, click.Path | click.File)


def _rebased(option: click.Option, value: Any, folder: str) -> Any:
    """A path of the file as seen from the working directory; a type such as `NAME=FILE` does it with `rebase`."""
    if not _is_path(option) or not value or value == _STANDARD_STREAM:
        return value
    rebase = getattr(option.type, "rebase", None)
    return os.path.join(folder, value) if rebase is None else rebase(value, folder)


def shown(value: Any) -> str:
    """Nearly as TOML has it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str) else str(value)


def takes(key: Key, text: str) -> bool:
    """Whether an option can take the text of a variable."""
    try:
        from_text(key, text)
    except MisfitError:
        return False
    return True


def from_text(key: Key, text: str) -> Any:
    """A value of a variable as click will convert it."""
    option = key.option
    if option.is_flag:
        truth = _TRUTHS.get(text.strip().lower())
        if truth is None:
            raise MisfitError(f"'{text}' is neither true nor false; expected one of {', '.join(_TRUTHS)}")
        return truth is not key.is_inverse
    if option.multiple:
        return [_convertible(option, item) for item in option.type.split_envvar_value(text)]
    return _convertible(option, text)

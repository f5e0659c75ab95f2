"""
Options from outside the command line: `[tool.spaneval]` of the nearest pyproject.toml, and `SPANEVAL_*` variables.

A flag beats the environment, which beats the file, which beats what is built in. Both sources are checked here, in
their own words, and then handed to click as the defaults of the command, so that a flag wins without further ado.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from spaneval.cli.config_values import Key, MisfitError, from_text, from_toml, shown, takes
from spaneval.cli.console import Console
from spaneval.cli.types import did_you_mean
from spaneval.nearest import nearest

FILE = "pyproject.toml"
TABLE = "tool.spaneval"
PREFIX = "SPANEVAL_"
ABOUT_FILES = ("config", "no-config")
"""Options of the group that choose the file; they have variables, too, and cannot stand in a file."""

OTHERS = frozenset({"SPANEVAL_CASES", "SPANEVAL_REGOLD", "SPANEVAL_VENV"})
"""Variables of the tests and scripts of this project; they are no options."""

_STATE = "spaneval.cli.config"
_POSITION = r" \(at line (\d+), column (\d+)\)$"
_MENTION = rb"""tool['"]?[ \t]*(\.[ \t]*['"]?spaneval|\]|=)"""
"""What a file has to hold somewhere if it has a table of ours, however that is written."""


class ConfigError(click.UsageError):
    """A file or a variable that says what no option can take."""


Keys = Mapping[str, Key]
Fit = Callable[[Key], Any]


class _Setting(NamedTuple):
    """What one option is given, as click will convert it, and by whom."""

    option: str
    value: Any
    origin: str


class Configuration:
    """
    What a command was given beside its flags.

    Args:
        args: The arguments of the command.

    Attributes:
        file: The file that was read and has our table; None if there was none.
        source: The file that was looked into, whether it has our table or not.
        values: By the name that click gives the option.
        origins: Who gave each value, in the words of messages.
        notes: What could not be used here and is no mistake.

    """

    def __init__(self, args: Sequence[str] = ()) -> None:
        self.args = args
        self.file: str | None = None
        self.source: str | None = None
        self.values: dict[str, Any] = {}
        self.origins: dict[str, str] = {}
        self.notes: list[str] = []

    def take(self, settings: Iterable[_Setting]) -> None:
        """Settings of one table or of the environment; they beat those taken before."""
        seen: dict[str, str] = {}
        for option, value, origin in settings:
            if option in seen:
                raise ConfigError(f"{origin}: the same option as {seen[option]}; give one of the two")
            seen[option] = origin
            self.values[option], self.origins[option] = value, origin


class Commands:
    """The commands of a group and their options, each loaded when it is asked for."""

    def __init__(self, ctx: click.Context) -> None:
        self._ctx = ctx
        self._keys: dict[str, Keys] = {}

    def names(self) -> list[str]:
        """Every command."""
        group = self._ctx.command
        return group.list_commands(self._ctx) if isinstance(group, click.Group) else []

    def keys(self, command: str) -> Keys:
        """The options of a command by their long names, without the dashes in front."""
        if command not in self._keys:
            group = self._ctx.command
            found = group.get_command(self._ctx, command) if isinstance(group, click.Group) else None
            self._keys[command] = _keys_of(found) if found else {}
        return self._keys[command]

    def having(self, key: str) -> dict[str, Key]:
        """The commands that have an option, with it."""
        return {name: self.keys(name)[key] for name in self.names() if key in self.keys(name)}

    def all_keys(self) -> list[str]:
        """The options of all commands."""
        return list(dict.fromkeys(key for name in self.names() for key in self.keys(name)))


def _keys_of(command: click.Command) -> dict[str, Key]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    return {
        name[2:]: Key(option, is_inverse)
        for option in options
        for names, is_inverse in ((option.opts, False), (option.secondary_opts, True))
        for name in names
        if name.startswith("--")
    }


def configure(
    ctx: click.Context, command: str, args: Sequence[str], console: Console, *, wants_help: bool = False
) -> None:
    """
    Give the command of a group its values from the file and the environment.

    Args:
        ctx: That of the group, with its options `config` and `no_config`.
        command: The command that is about to be parsed.
        args: Its arguments.
        console: For warnings.
        wants_help: Whether help was asked for, which a mistake in a file must not prevent.

    Raises:
        ConfigError: If a file or a variable cannot be used.

    """
    configuration = Configuration(args=tuple(args))  # click will use up the list
    commands = Commands(ctx)
    try:
        _read_file(configuration, ctx, command, commands, console)
        _read_environment(configuration, command, commands, console)
    except ConfigError as error:
        if not wants_help:
            raise
        console.warning(error.format_message())
    ctx.meta[_STATE] = configuration
    ctx.default_map = {command: configuration.values}


def configuration_of(ctx: click.Context) -> Configuration:
    """What the command of a context was given beside its flags."""
    found: Configuration | None = ctx.meta.get(_STATE)
    return found or Configuration()


def origin_of(ctx: click.Context | None, param: click.Parameter) -> str | None:
    """Who gave a value that is neither a flag nor built in, in the words of messages: a variable, or file and key."""
    if ctx is None or param.name is None:
        return None
    configuration = configuration_of(ctx)
    source = ctx.get_parameter_source(param.name)
    if source is None and param.name in configuration.origins:  # some versions of click tell only once it is converted
        is_flag = param.name in ctx.command.make_parser(ctx).parse_args(list(configuration.args))[0]
        return None if is_flag else configuration.origins[param.name]
    return configuration.origins.get(param.name) if source is ParameterSource.DEFAULT_MAP else None


# The file


def _read_file(
    configuration: Configuration, ctx: click.Context, command: str, commands: Commands, console: Console
) -> None:
    """The values of the file that was named or is nearest, if there is one and it has our table."""
    named, is_wanted = _chosen_file(ctx)
    path = named or (nearest_file() if is_wanted else None)
    if path is None:
        return
    configuration.source = path
    try:
        table = _table(_document(path), path, is_named=named is not None)
    except _UnreadableError as error:
        if named is not None:
            raise ConfigError(str(error)) from error
        console.warning(f"{error}; no configuration is read from it (--no-config does without)")
        return
    if table is None:
        return
    configuration.file = path
    shared, own = _parts(table, path, command, commands)
    configuration.take(_shared(shared, path, command, commands, configuration.notes))
    configuration.take(own)


class _UnreadableError(Exception):
    """A file that cannot be read or is no TOML."""


def _chosen_file(ctx: click.Context) -> tuple[str | None, bool]:
    """The file that a flag or a variable names, None for the nearest or none; and whether any is read."""
    flags = [ctx.params.get(key.replace("-", "_")) for key in ABOUT_FILES]
    named, is_unwanted = flags if any(flags) else [_variable_of_group(ctx, key) for key in ABOUT_FILES]
    if named and is_unwanted:
        names = [f"--{key}" if any(flags) else variable_of(key) for key in ABOUT_FILES]
        raise ConfigError(f"{' and '.join(names)} exclude each other")
    return named or None, not is_unwanted


def _variable_of_group(ctx: click.Context, key: str) -> Any:
    """The value of the variable for an option of the group; None if it is not set."""
    text = os.environ.get(variable_of(key))
    if not text:
        return None
    option = _keys_of(ctx.command)[key]
    try:
        value = from_text(option, text)
        return value if option.option.is_flag else option.option.type.convert(value, None, None)
    except (MisfitError, click.BadParameter) as error:
        why = error.message if isinstance(error, click.BadParameter) else error
        raise ConfigError(f"{variable_of(key)}: {why}") from error


def nearest_file() -> str | None:
    """The pyproject.toml of the working directory or the nearest folder above, relative to the working directory."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return None
    way = ""
    while not os.path.isfile(os.path.join(way, FILE)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder, way = parent, os.path.join(way, os.pardir)
    return os.path.join(way, FILE)


def _document(path: str) -> dict[str, Any]:
    """A file as TOML; empty where it cannot hold our table, so that no run parses other people's files."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
        if b"spaneval" not in raw or not re.search(_MENTION, raw):
            return {}
        import tomllib

        return tomllib.loads(raw.decode())
    except OSError as error:
        raise _UnreadableError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _UnreadableError(f"{path}: not valid TOML: it is not UTF-8") from error
    except RecursionError as error:
        raise _UnreadableError(f"{path}: not valid TOML: it is nested too deeply") from error
    except ValueError as error:
        at = re.search(_POSITION, str(error))
        place = f"{path}:{at[1]}:{at[2]}" if at else path
        raise _UnreadableError(f"{place}: not valid TOML: {re.sub(_POSITION, '', str(error))}") from error


def _table(document: dict[str, Any], path: str, *, is_named: bool) -> dict[str, Any] | None:
    """Our table of a file; None if there is none and nobody said that there is."""
    tool = document.get("tool", {})
    table = tool.get("spaneval") if isinstance(tool, dict) else None
    if table is None:
        if is_named:
            raise ConfigError(f"{path}: there is no table [{TABLE}] in it")
        return None
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {TABLE} is {shown(table)}; expected a table [{TABLE}]")
    return table


def _parts(table: dict[str, Any], path: str, command: str, commands: Commands) -> tuple[dict[str, Any], list[_Setting]]:
    """The keys for all commands, and the settings of the command's own table; every other table is checked, too."""
    names = commands.names()
    own: list[_Setting] = []
    for name, part in table.items():
        if name in names and isinstance(part, dict):
            settings = list(_own(part, path, name, commands))
            Configuration().take(settings)
            own = settings if name == command else own
    return {key: value for key, value in table.items() if not (key in names and isinstance(value, dict))}, own


def _own(part: dict[str, Any], path: str, command: str, commands: Commands) -> Iterator[_Setting]:
    """The settings of `[tool.spaneval.COMMAND]`."""
    keys = commands.keys(command)
    for given, value in part.items():
        origin = f"{path}: [{TABLE}.{command}] {given}"
        key = given.replace("_", "-")
        if key not in keys:
            elsewhere = [name for name in commands.having(key) if name != command]
            also = f" It is one of {', '.join(elsewhere)}." if elsewhere else did_you_mean(key, keys)
            raise ConfigError(f"{origin}: {command} has no such option.{also}")
        try:
            yield _Setting(keys[key].name, from_toml(keys[key], value, os.path.dirname(path)), origin)
        except MisfitError as error:
            raise ConfigError(f"{origin}: {error}") from error


def _shared(part: dict[str, Any], path: str, command: str, commands: Commands, notes: list[str]) -> Iterator[_Setting]:
    """The settings of `[tool.spaneval]` itself for a command, which need not have all of the options."""
    for given, value in part.items():
        origin = f"{path}: [{TABLE}] {given}"
        key = given.replace("_", "-")
        having = commands.having(key)
        if not having:
            raise ConfigError(f"{origin}: {_no_such_key(given, value, commands)}")
        folder = os.path.dirname(path)
        yield from _chosen(having, command, partial(from_toml, value=value, folder=folder), origin, notes)


def _no_such_key(given: str, value: Any, commands: Commands) -> str:
    """What is wrong with a key that no option has."""
    names = commands.names()
    if given in names:
        return f"{shown(value)} is not a table; expected [{TABLE}.{given}]"
    if isinstance(value, dict):
        near = did_you_mean(given, names) or f" There are: {', '.join(names)}."
        return f"there is no such command.{near}"
    near = did_you_mean(given.replace("_", "-"), commands.all_keys())
    return f"there is no such option.{near}"


def _chosen(having: Mapping[str, Key], command: str, fit: Fit, origin: str, notes: list[str]) -> Iterator[_Setting]:
    """
    A value for all commands, as one of them takes it.

    A value that some command can take is right, even where the one at hand cannot: `format = "csv"` is not for
    `validate`, which then keeps its default and says so.
    """
    fits: dict[str, Any] = {}
    misfits: dict[str, MisfitError] = {}
    for name, key in having.items():
        try:
            fits[name] = fit(key)
        except MisfitError as error:
            misfits[name] = error
    if not fits:
        why = misfits.get(command) or next(iter(misfits.values()))
        raise ConfigError(f"{origin}: {why}") from why
    if command in fits:
        yield _Setting(having[command].name, fits[command], origin)
    elif command in misfits:
        notes.append(f"{origin}: not for {command}, which keeps its default: {misfits[command]}")


# The environment


def _read_environment(configuration: Configuration, command: str, commands: Commands, console: Console) -> None:
    """The values of variables for the options of the command; one that is nearly ours is worth a warning."""
    configuration.take(_variables(command, commands, configuration.notes, console))


def _variables(command: str, commands: Commands, notes: list[str], console: Console) -> Iterator[_Setting]:
    for variable in sorted(os.environ):
        text = os.environ[variable]
        if not variable.startswith(PREFIX) or variable in OTHERS or not text:
            continue
        key = variable.removeprefix(PREFIX).replace("_", "-").lower()
        if variable != variable.upper() or (key not in commands.keys(command) and not commands.having(key)):
            _warn_of(variable, commands, console)
        elif key in commands.keys(command):
            having = {command: commands.keys(command)[key]}
            with_others = having if takes(having[command], text) else commands.having(key)
            yield from _chosen(with_others, command, partial(from_text, text=text), variable, notes)


def variable_of(key: str) -> str:
    """`SPANEVAL_ID_MAP` of `id-map`."""
    return PREFIX + key.replace("-", "_").upper()


def _warn_of(variable: str, commands: Commands, console: Console) -> None:
    """An unknown variable may be somebody else's, unless its name is nearly that of one of ours."""
    ours = {variable_of(key): None for key in (*commands.all_keys(), *ABOUT_FILES)}
    name = variable.upper().removeprefix(PREFIX)
    if PREFIX + name in ours:
        if variable != PREFIX + name:
            console.warning(f"{variable}: not read; did you mean {PREFIX}{name}?")
        return
    for command in commands.names():
        inner = PREFIX + name.removeprefix(f"{command.upper()}_")
        if inner != PREFIX + name and inner in ours:
            console.warning(f"{variable}: not read; did you mean {inner}, which is for all commands?")
            return
    near = nearest(name, [other.removeprefix(PREFIX) for other in ours], n=1, cutoff=0.75)
    if near:
        console.warning(f"{variable}: not read; did you mean {PREFIX}{near[0]}?")

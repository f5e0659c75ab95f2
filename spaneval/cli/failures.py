"""Every way in which a run can end, and the exit code that says so."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from spaneval.cli.config import origin_of
from spaneval.cli.console import Console
from spaneval.cli.group import cli
from spaneval.cli.types import did_you_mean
from spaneval.exceptions import InputError, MeasureError
from spaneval.output import STDOUT, OutputError, reason_of
from spaneval.reports.text import printable

DONE = 0
WRONG_USE = 2
UNUSABLE = 3
BUG = 70
INTERRUPTED = 130

_NAMESAKE = r"(?i)spaneval-\d.*\.(dist|egg)-info$"
_PROGRAM = "spaneval"
_COMPLETE = "_SPANEVAL_COMPLETE"


def run(args: Sequence[str]) -> int:
    """Run a command line and return its exit code; nothing is raised."""
    _speak_utf8()
    console = Console()
    try:
        code = _guarded(args, console)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as end:  # a signal; the reader of standard output may have gone with what sent it
        _discard_stdout()
        return int(end.code or DONE)
    return _close_stdout(console, code)


def _guarded(args: Sequence[str], console: Console) -> int:
    """Run, and turn what was raised into a message and a code."""
    try:
        return _invoke(args, console)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _wrong_use(error, console)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        return DONE
    except Exception as error:  # noqa: BLE001 - the last place where a bug can be told from a bad input
        if console.traceback:
            import traceback  # only a bug needs it

            console.plain(traceback.format_exc())
        return _failed(error, console)


def _invoke(args: Sequence[str], console: Console) -> int:
    """What click's own `main` does, without its codes for a closed pipe and an interruption."""
    namesake = _namesake()
    if namesake:
        raise click.ClickException(namesake)
    instruction = os.environ.get(_COMPLETE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, _PROGRAM, _COMPLETE, instruction)
    with cli.make_context(_PROGRAM, list(args), obj=console) as ctx:
        return cli.invoke(ctx) or DONE


def _namesake() -> str | None:
    """
    What to say if PyPI's other `spaneval`, whose files mingle with ours, is installed.

    Reads folders instead of `importlib.metadata`, which takes as long to import as click.
    """
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError):
            for name in os.listdir(folder or os.curdir):
                if name[:9].lower() == "spaneval-" and re.match(_NAMESAKE, name):
                    return (
                        "another package named 'spaneval' is installed in this environment and shares files with this "
                        f"one ({os.path.join(folder, name)}); install spaneval-el in an environment of its own"
                    )
    return None


def _wrong_use(error: click.ClickException, console: Console) -> int:
    """Say what is wrong with the command line; click's own wording for parameters is made to fit ours."""
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter) and error.param:
        name = origin_of(ctx, error.param) or max(error.param.opts, key=len)
        message = f"{name}: {error.message}"
    elif isinstance(error, click.NoSuchOption):
        message = _no_such_option(error)
    else:
        message = error.format_message()
    if isinstance(error, click.MissingParameter):
        message = " ".join(message.split())  # click gives each choice a line
    message = message if "hint:" in message else printable(message)  # a line feed in a file name is no new line
    console.error(message, hint=f"see `{ctx.command_path} --help`" if ctx and "hint:" not in message else None)
    return WRONG_USE


def _no_such_option(error: click.NoSuchOption) -> str:
    """In the same words with every version of click."""
    options = [name for param in error.ctx.command.params for name in param.opts] if error.ctx else []
    if any(error.option_name in param.opts for param in cli.params):
        return f"{error.option_name} stands before the command, as in `{_PROGRAM} {error.option_name} … score`"
    return f"No such option '{error.option_name}'.{did_you_mean(error.option_name, options)}"


def _failed(error: Exception, console: Console) -> int:
    """Say what could not be used, or that this is a bug."""
    if isinstance(error, InputError):
        console.input_error(error)
        return UNUSABLE
    if isinstance(error, MeasureError):
        console.error(str(error))
        return WRONG_USE
    if isinstance(error, OSError):
        console.error(printable(_system_error(error)))
        return UNUSABLE
    if isinstance(error, MemoryError):
        console.error("there is not enough memory for this input")
        return UNUSABLE
    console.plain(
        f"internal error: {type(error).__name__}: {error} ({_where(error)}); "
        "please report this with the command; --traceback shows details"
    )
    return BUG


def _system_error(error: OSError) -> str:
    """What the system refused; an error without a file is one of standard output."""
    if isinstance(error, OutputError):
        return str(error)
    if error.filename is None:
        return str(OutputError(STDOUT, reason_of(error)))
    return f"{os.fsdecode(error.filename)}: {reason_of(error)}"


def _where(error: Exception) -> str:
    """File and line of our code in which the error was raised."""
    import traceback  # only a bug needs it

    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(frame.filename)}:{frame.lineno}"


def _speak_utf8() -> None:
    """Under any locale; what UTF-8 cannot say is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _close_stdout(console: Console, code: int) -> int:
    """Flush now, because the interpreter would complain in its own words when it ends."""
    if sys.stdout is None:
        return code
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        if code == DONE:
            console.error(str(OutputError(STDOUT, reason_of(error))))
            return UNUSABLE
    return code


def _discard_stdout() -> None:
    """Let what is still buffered go nowhere."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)

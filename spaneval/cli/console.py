"""What a person sees beside the result: notes, errors and progress on standard error, and when there is colour."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from spaneval.reports.text import PLAIN, Paint, printable

if TYPE_CHECKING:
    from spaneval.exceptions import InputError
    from spaneval.problems import Note

_PATIENCE_S = 1.0
_REFRESH_S = 0.1
_VALIDATED = ("score", "compare", "diff")
"""Commands whose inputs `spaneval validate` reads."""


class Console:
    """
    Standard error, and the choices of the user that have nothing to do with numbers.

    Args:
        quiet: Notes and progress are not shown.
        verbose: Options that are not at their default and the time taken are shown.
        traceback: A failure shows where it came from.
        color: `auto`, `always` or `never`.
        progress: Long work on a terminal shows how far it is.
        started: Clock reading at the start, in seconds; None is now.

    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        traceback: bool = False,
        color: str = "auto",
        progress: bool = True,
        started: float | None = None,
    ) -> None:
        self.quiet, self.verbose, self.traceback = quiet, verbose, traceback
        self.color, self.progress = color, progress
        self.started = time.monotonic() if started is None else started
        self.command = ""
        """The command that runs; "" as long as none does."""

    def paint(self, stream: TextIO | None) -> Paint:
        """Colours for `stream`, None for a file: the option, then NO_COLOR, then FORCE_COLOR, then the terminal."""
        if self.color != "auto":
            return Paint(is_on=self.color == "always")
        if os.environ.get("NO_COLOR") or stream is None:
            return PLAIN
        if os.environ.get("FORCE_COLOR"):
            return Paint(is_on=True)
        return Paint(is_on=is_terminal(stream) and os.environ.get("TERM") != "dumb")

    def width(self, stream: TextIO | None) -> int | None:
        """Columns of the terminal that shows `stream`, COLUMNS first; None for anything else, which has no end."""
        if not is_terminal(stream):
            return None
        import shutil  # a pipe does without

        return shutil.get_terminal_size().columns

    def error(self, message: str, *, hint: str | None = None) -> None:
        """Print an error of one or more lines and what may help."""
        self._say(f"{self.paint(sys.stderr).red('error:')} {printable(message, keep=chr(10))}")
        if hint:
            self._say(f"hint: {printable(hint)}")

    def input_error(self, error: InputError) -> None:
        """Print the problems that the error holds and how many more there are."""
        for problem in error.problems:
            file = None if problem.file is None else printable(problem.file)  # a line feed in a name is no new line
            self.error(str(problem._replace(file=file)))
        rest = error.total - len(error.problems)
        if rest > 0:
            self._say(f"… and {rest} more" + ("; see `spaneval validate`" if self.command in _VALIDATED else ""))

    def notes(self, notes: Sequence[Note]) -> None:
        """Print what a reader of the numbers should know, unless asked to be quiet."""
        for note in notes:
            self.note(note.message)

    def note(self, message: str) -> None:
        """Print one note, unless asked to be quiet."""
        if not self.quiet:
            self._say(f"{self.paint(sys.stderr).yellow('note:')} {printable(message, keep=chr(10))}")

    def warning(self, message: str) -> None:
        """Print what may be a mistake; also to those who asked for quiet."""
        self._say(f"{self.paint(sys.stderr).yellow('warning:')} {printable(message, keep=chr(10))}")

    def detail(self, message: str) -> None:
        """Print one line for those who asked for more."""
        if self.verbose:
            self._say(printable(message))

    def plain(self, text: str) -> None:
        """Print text as it is, such as a traceback."""
        self._say(text.rstrip("\n"))

    def show_elapsed(self) -> None:
        """Print the time taken, for those who asked for more."""
        self.detail(f"elapsed: {time.monotonic() - self.started:.2f} s")

    @staticmethod
    def _say(text: str) -> None:
        """Nothing is left to be done if even standard error is closed or full."""
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"{text}\n")
                sys.stderr.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at `stream`."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


class Progress:
    """
    One line on the terminal that says how far the work is; nothing for work of less than about a second.

    Call it with a stage, the bytes done and the bytes in all (None if unknown). Leaving the block wipes the line.
    """

    def __init__(self, console: Console) -> None:
        self._is_on = console.progress and not console.quiet and is_terminal(sys.stderr)
        self._next = console.started + _PATIENCE_S
        self._is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._is_shown:
            self._write("\r\x1b[K")

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show the line if it is time for it."""
        if not self._is_on or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _REFRESH_S
        self._is_shown = True
        self._write(f"\r\x1b[Kreading {printable(stage)} {_amount(done, total)}")

    @staticmethod
    def _write(text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()


def _amount(done: int, total: int | None) -> str:
    if total:
        return f"{min(100, 100 * done // total):3d} %"
    return f"{done / 1e6:.0f} MB" if done else ""

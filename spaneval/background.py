"""
A second process that works while this one goes on.

Reading is most of a run, and gold and rows can be read at the same time. A forked process starts at once, with all that
is loaded here; where forking is not safe or not there, nothing runs ahead and everything is read in turn.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_COMPLETE = b"\nthe result is complete"
"""What the forked process writes last. Its exit status is not to be had where the parent was told to ignore SIGCHLD."""


def can_fork() -> bool:
    """Whether a fork gains anything and is safe: Linux, a second processor, and no other thread in this process."""
    if not sys.platform.startswith("linux"):
        return False
    return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1


class Background(Generic[T]):
    """
    The result of a function that a forked process computes.

    Use it as a context manager: leaving the block ends the process if it still runs. It also ends with its parent.

    Args:
        function: What to compute; its result must be picklable. It must not print.

    Raises:
        OSError: If the system has no room for another process.

    """

    def __init__(self, function: Callable[[], T]) -> None:
        self._reader, writer = os.pipe()
        parent = os.getpid()
        waiting = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # no handler of the parent may run in the child
        try:
            self._pid: int | None = os.fork()
            if not self._pid:
                _compute(function, self._reader, writer, parent)
        except OSError:
            os.close(self._reader)
            raise
        finally:
            os.close(writer)
            signal.pthread_sigmask(signal.SIG_SETMASK, waiting)

    def __enter__(self) -> Background[T]:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._end()

    def result(self) -> T | None:
        """What the function returned, once; None if it failed."""
        with os.fdopen(self._reader, "rb", closefd=False) as pipe:
            data = pipe.read()
        self._end()
        return pickle.loads(data) if data.endswith(_COMPLETE) else None  # noqa: S301 - written by our own process

    def _end(self) -> None:
        pid, self._pid = self._pid, None
        os.close(self._reader)
        with suppress(ChildProcessError):  # where SIGCHLD is ignored, nothing is left of it
            os.waitpid(pid or 0, 0)


def _compute(function: Callable[[], T], reader: int, writer: int, parent: int) -> None:
    """What the forked process does; it never returns, and leaves without the clean-up that is its parent's."""
    status = 1
    try:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        _end_with(parent)
        os.close(reader)
        _let_go_of_output(writer)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(function(), pipe, protocol=pickle.HIGHEST_PROTOCOL)
            pipe.write(_COMPLETE)
        status = 0
    finally:
        os._exit(status)


def _end_with(parent: int) -> None:
    """Have the system end this process when its parent ends, however that happens."""
    with suppress(ImportError, OSError, AttributeError):  # a system without it: the pipe breaks in the end
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _let_go_of_output(writer: int) -> None:
    """Whoever reads the output of the parent must not wait for this process, too. Input may be what is to be read."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in {1, 2} - {writer}:  # which it is if the parent has no output
        os.dup2(null, stream)

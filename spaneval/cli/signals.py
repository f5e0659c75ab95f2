"""Signals that ask a process to end: it leaves in order, so that no half-written file and no second process stays."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

_NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def ending_in_order() -> Iterator[None]:
    """
    Inside the block, SIGTERM and SIGHUP raise `SystemExit` with 128 and their number.

    A signal that whoever started us has ignored (`nohup`) or handles stays theirs.
    """
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    try:
        with suppress(ValueError):  # only the main thread may
            for number in taken:
                signal.signal(number, _end)
        yield
    finally:
        with suppress(ValueError):
            for number in taken:
                signal.signal(number, signal.SIG_DFL)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """The first signal counts; `timeout` sends two, and the second must not stop the clean-up."""
    for name in _NAMES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.exit(128 + number)

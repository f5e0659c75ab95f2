"""
The command line: parse, call the library, show.

This module and `group` import nothing heavy, so that `--help`, `--version` and completion answer at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

_INTERRUPTED = 130
_MANY_OBJECTS = 100_000
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def program() -> NoReturn:
    """
    Run the command line of this process, which ends with it.

    Nothing outlives it, so memory is not searched for garbage while modules load, and not taken down piece by piece.
    """
    gc.set_threshold(_MANY_OBJECTS)
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it is closed, or its reader has gone; `main` has told
            stream.flush()
    os._exit(code)


def main(args: Sequence[str] | None = None) -> int:
    """
    Run a command line.

    Args:
        args: Without the name of the program; those of the process if None.

    Returns:
        The exit code, see `spaneval --help`.

    """
    try:
        from spaneval.cli.signals import ending_in_order

        with ending_in_order():
            _use_one_blas_thread()
            from spaneval.cli.failures import run

            return run(sys.argv[1:] if args is None else args)
    except KeyboardInterrupt:  # while modules load; `run` answers the others
        return _INTERRUPTED
    except SystemExit as end:  # a signal
        return int(end.code or 0)


def _use_one_blas_thread() -> None:
    """Starting threads costs more than they save here; it must be said before numpy is loaded."""
    if not any(name in os.environ for name in _BLAS_THREADS):
        os.environ.update(dict.fromkeys(_BLAS_THREADS, "1"))

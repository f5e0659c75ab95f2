"""What commands write: how a report looks, the table of decisions, the run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spaneval.cli.console import Console
from spaneval.output import STDOUT, Output

if TYPE_CHECKING:
    from spaneval.reports import Style
    from spaneval.runs import Run


def style_of(given: Mapping[str, Any], console: Console) -> Style:
    """How a report looks, by the options of the command and where it goes."""
    from spaneval.reports import Style

    stream = sys.stdout if given["output"] == STDOUT else None
    shown = {name: given[name] for name in ("per_document", "digits") if name in given}
    return Style(**shown, paint=console.paint(stream), width=console.width(stream))


def decisions_output(
    path: str,
    rows: Iterable[Mapping[str, Any]],
    form: str,
    before: Sequence[str] = (),
) -> Output:
    """
    The file of `--decisions`.

    Args:
        path: Where it goes.
        rows: As `Decisions.rows` gives them, with the keys of `before` in front.
        form: As `rows_format` tells it.
        before: Keys that stand before those of a decision.

    """
    from spaneval.records.decisions import COLUMNS, flat
    from spaneval.reports.pairs import Columns, dump

    return Output(path, dump(rows, form, Columns((*before, *COLUMNS), (), flat)))


def run_output(path: str, run: Run) -> Output:
    """The file of `--save`, packed where its name asks for that."""
    from spaneval.saved_runs import as_file

    return Output(path, as_file(run, path))

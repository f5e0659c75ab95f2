"""Gates on the command line: their options, their lines on standard error, their exit codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli.completion import measure_bounds, measure_names
from spaneval.cli.console import Console
from spaneval.cli.options import Decorator
from spaneval.cli.types import ParamType
from spaneval.kinds import SPANS, Kind

if TYPE_CHECKING:
    from spaneval.gates import Check, Gate
    from spaneval.scores import Result


class GateType(ParamType):
    """
    A gate as text.

    Args:
        name: The form, for usage.
        parse: Name of the function of `spaneval.gates` that reads it.
        given: Its further arguments.

    """

    def __init__(self, name: str, parse: str, **given: Any) -> None:
        self.name, self.parse, self.given = name, parse, given

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Gate:
        """The gate."""
        from spaneval import gates  # loads numpy
        from spaneval.exceptions import MeasureError

        if isinstance(value, gates.Gate):
            return value
        try:
            gate: Gate = getattr(gates, self.parse)(value, **self.given)
        except MeasureError as error:
            self.fail(str(error), param, ctx)
        return gate


def fail_under(kind: Kind | None = SPANS, *, has_macro: bool = True) -> Decorator:
    """
    `--fail-under`.

    Args:
        kind: What the command counts; None where its measures depend on the input.
        has_macro: Whether the command has `--average macro`.

    """
    of_macro = " With --average macro the macro average is held against VALUE." if has_macro else ""
    return click.option(
        "--fail-under", type=GateType("measure=value", "floor", kind=kind), multiple=True, metavar="MEASURE=VALUE",
        shell_complete=measure_bounds if kind == SPANS else None,
        help=f"Exit with 1 if the measure is below VALUE, with 4 if it is undefined.{of_macro} Repeatable.",
    )  # fmt: skip


def fail_on_regression(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--fail-on-regression` and `--significant`."""
    function = click.option(
        "--significant", is_flag=True,
        help="Let only drops fail whose corrected p is below --alpha, too.",
    )(function)  # fmt: skip
    return click.option(
        "--fail-on-regression", type=GateType("measure[=tolerance]", "tolerance"), multiple=True,
        metavar="MEASURE[=TOLERANCE]", shell_complete=measure_names,
        help="Exit with 1 if a system is below the baseline by more than TOLERANCE (default 0), with 4 if that cannot "
        "be told. Repeatable.",
    )(function)  # fmt: skip


def check_nil(gates: Iterable[Gate], nil: Sequence[str], measures: Iterable[str] = ()) -> None:
    """
    Refuse measures of NIL, and gates on them, where no NIL id is named.

    Raises:
        click.UsageError: If there is one.

    """
    from spaneval.measures import MEASURES

    wanted = {name: name for name in measures} | {gate.measure: f"a gate on {gate.measure}" for gate in gates}
    for name, what in wanted.items():
        if name in MEASURES and MEASURES[name].needs_nil and not nil:
            message = f"{what} needs --nil ID, the id that means 'not in the knowledge base'"
            raise click.UsageError(message, click.get_current_context(silent=True))


def told_whoever_reads(gates: Iterable[Gate]) -> AbstractContextManager[None]:
    """Around the writing of reports: a reader that goes away early must not hold back the verdict of a gate."""
    return suppress(BrokenPipeError) if gates else nullcontext()


def hold(gates: Sequence[Gate], result: Result, console: Console) -> int:
    """Hold a result against the gates of `--fail-under`, print what came of it, and return the exit code."""
    if not gates:
        return 0
    from spaneval.gates import check_floors

    return show(check_floors(gates, result), console)


def show(checks: Sequence[Check], console: Console) -> int:
    """Print one line for each gate, whatever `--quiet` says, and return the exit code."""
    from spaneval.gates import exit_code
    from spaneval.reports.text import printable

    for check in checks:
        console.plain(printable(check.text))
    return exit_code(checks)

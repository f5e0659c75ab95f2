"""Gates on the command line: their options, their lines on standard error, their exit codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli.completion import measure_bounds, measure_names
from spaneval.cli.console import Console
from spaneval.cli.types import ParamType

if TYPE_CHECKING:
    from spaneval.gates import Check, Gate


class GateType(ParamType):
    """
    A gate as text.

    Args:
        name: The form, for usage.
        parse: Name of the function of `spaneval.gates` that reads it.

    """

    def __init__(self, name: str, parse: str) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Gate:
        """The gate."""
        from spaneval import gates  # loads numpy
        from spaneval.exceptions import MeasureError

        if isinstance(value, gates.Gate):
            return value
        try:
            gate: Gate = getattr(gates, self.parse)(value)
        except MeasureError as error:
            self.fail(str(error), param, ctx)
        return gate


def fail_under(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--fail-under`."""
    return click.option(
        "--fail-under", type=GateType("measure=value", "floor"), multiple=True, metavar="MEASURE=VALUE",
        shell_complete=measure_bounds,
        help="Exit with 1 if the measure is below VALUE, with 4 if it is undefined. With --average macro the macro "
        "average is held against VALUE. Repeatable.",
    )(function)  # fmt: skip


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
        if MEASURES[name].needs_nil and not nil:
            message = f"{what} needs --nil ID, the id that means 'not in the knowledge base'"
            raise click.UsageError(message, click.get_current_context(silent=True))


def show(checks: Sequence[Check], console: Console) -> int:
    """Print one line for each gate, whatever `--quiet` says, and return the exit code."""
    from spaneval.gates import exit_code
    from spaneval.reports.text import printable

    for check in checks:
        console.plain(printable(check.text))
    return exit_code(checks)

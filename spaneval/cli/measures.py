"""`spaneval measures`: what each number is, from the registry alone."""

from __future__ import annotations

import sys

import click

from spaneval.cli import options
from spaneval.cli.completion import measure_names
from spaneval.cli.console import Console
from spaneval.cli.targets import check_targets
from spaneval.cli.types import Choice
from spaneval.kinds import CLASSES, SPANS, STATIC
from spaneval.output import STDOUT, write_whole

FORMATS = ("table", "json", "markdown")

EXAMPLE = """\
\b
Example:
  spaneval measures link_f1
"""


@click.command(epilog=EXAMPLE, short_help="Tell what each measure is, and when it is undefined.")
@click.argument("name", required=False, shell_complete=measure_names)
@click.option(
    "--of", type=Choice((*STATIC, CLASSES)),
    help="What is counted: spans by score, classes by classify, docubench by json --profile docubench, all else by the "
         "command of that name.  [default: spans; with NAME, the first that has it]",
)  # fmt: skip
@options.output(FORMATS)
@options.talk()
@click.pass_context
def measures(ctx: click.Context, /, name: str | None, of: str | None, format: str, output: str) -> None:  # noqa: A002 - the option's name
    """
    Tell what each measure is: its question, its formula, when it is undefined, where it comes from.

    With NAME, all about one measure. The names are those of JSON, CSV and -m; f1:CLASS is that of a class.
    """
    from spaneval.class_measures import margins
    from spaneval.measures import get_measure, measures_of
    from spaneval.reports.measures import render

    console = ctx.ensure_object(Console)
    check_targets({"--output": output}, [])
    options.show_choices(ctx, console)
    kinds = STATIC | {CLASSES: margins([(name or "").partition(":")[2] or "CLASS"])}
    kind = kinds[of] if of else next((kind for kind in kinds.values() if name in measures_of(kind)), SPANS)
    chosen = [get_measure(name, kind)] if name is not None else list(measures_of(kind).values())
    paint = console.paint(sys.stdout if output == STDOUT else None)
    write_whole(output, [render(chosen, format, paint, is_whole=name is not None)])
    console.show_elapsed()

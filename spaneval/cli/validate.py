"""`spaneval validate`: read everything, score nothing, list what is wrong or odd."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import options
from spaneval.cli.console import Console, Progress
from spaneval.cli.targets import check_targets
from spaneval.output import STDOUT, write_whole

if TYPE_CHECKING:
    from spaneval.options import Options

UNUSABLE = 3

EXAMPLE = """\
\b
Example:
  spaneval validate --gt data/ground_truth --pred data/predictions/linker-v2.jsonl --id-map data/id_map.csv
"""


@click.command(epilog=EXAMPLE, short_help="List what is wrong with a linker's inputs; score nothing.")
@options.inputs(required=False)
@options.matching()
@options.output(("table", "json"))
@options.talk()
@click.pass_context
def validate(ctx: click.Context, /, **given: Any) -> int:
    """
    List every problem and every suspicious fact of the inputs, and score nothing.

    Exit code 3 if something cannot be used, 0 if there are suspicious facts only.
    """
    console = ctx.ensure_object(Console)
    inputs = [*given["gold"], *given["predictions"], *given["id_maps"], *given["gold_id_maps"]]
    if not inputs:
        raise click.UsageError("nothing to validate: give --gt, --pred or --id-map", ctx)
    chosen = options.options_of(given)
    check_targets({"--output": given["output"]}, inputs)
    options.show_choices(ctx, console)
    n_errors = _validate(given, chosen, console)
    console.show_elapsed()
    return UNUSABLE if n_errors else 0


def _validate(given: dict[str, Any], chosen: Options, console: Console) -> int:
    """Read, write what was found and return the number of errors."""
    from spaneval.reports import checks  # these load numpy
    from spaneval.validation import validate as find_problems

    with Progress(console) as progress:
        found = find_problems(
            gold=list(given["gold"]),
            predictions=list(given["predictions"]),
            **options.loading_of(given),
            options=chosen,
            progress=progress,
        )
    if given["format"] == "json":
        report = checks.render_json(found)
    else:
        report = checks.render_table(found, console.paint(sys.stdout if given["output"] == STDOUT else None))
    write_whole(given["output"], [report])
    return found.n_problems

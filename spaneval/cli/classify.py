"""`spaneval classify`: predicted classes against actual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, options, results
from spaneval.cli.console import Console
from spaneval.cli.targets import check_targets, rows_format
from spaneval.cli.types import InputPath
from spaneval.output import Output, write_all

if TYPE_CHECKING:
    from spaneval.records.classes import Classification

EXAMPLE = """\
\b
Example:
  spaneval classify data/classes/gold.csv data/classes/triage.jsonl --positive invoice
"""


@click.command(epilog=EXAMPLE, short_help="Score a classifier: confusion matrix, each class, kappa.")
@click.argument("gold", type=InputPath(stdin=True), metavar="GOLD")
@click.argument("predictions", type=InputPath(stdin=True), metavar="PRED")
@click.option("--positive", metavar="CLASS", help="The class that matters: all others are taken together as one.")
@click.option("--key", default="id", show_default=True, metavar="FIELD", help="The field that holds the id.")
@click.option("--label", default="label", show_default=True, metavar="FIELD", help="The field that holds the class.")
@options.uncertainty()
@gates.fail_under(None, has_macro=False)
@options.output()
@options.rows_file("--decisions", "the decision on every object")
@options.save()
@options.digits()
@options.talk()
@click.pass_context
def classify(ctx: click.Context, /, **given: Any) -> None:
    """
    Score a classifier: confusion matrix, accuracy, kappa, correlation; precision, recall and F1 of each class.

    GOLD and PRED hold rows {"id", "label"} for the same ids: JSON Lines, a JSON list, or CSV; - is standard input.
    Gates take accuracy, cohen_kappa, matthews, macro_f1 and the like, and f1:CLASS of a single class.
    """  # fmt: skip
    console = ctx.ensure_object(Console)
    _check_choices(ctx, given)
    table = rows_format("--decisions", given["decisions"])
    inputs = [given["gold"], given["predictions"]]
    check_targets({f"--{name}": given[name] for name in ("output", "decisions", "save")}, inputs)
    options.show_choices(ctx, console)
    result = _classify(given)
    result.check_measures(gate.measure for gate in given["fail_under"])
    with gates.told_whoever_reads(given["fail_under"]):
        _write(result, given, table, console)
    console.notes(result.notes)
    code = gates.hold(given["fail_under"], result, console)
    console.show_elapsed()
    ctx.exit(code)


def _check_choices(ctx: click.Context, given: dict[str, Any]) -> None:
    """
    Refuse what does not go together.

    Raises:
        click.UsageError: If something does not.

    """
    options.check_stdin(ctx, given["gold"], given["predictions"])
    for name in ("key", "label"):
        if not given[name]:
            raise click.UsageError(f"--{name}: the name of the field is empty", ctx)
    if given["key"] == given["label"]:
        raise click.UsageError(f"--key and --label are both '{given['key']}'; an id is no class", ctx)


def _classify(given: dict[str, Any]) -> Classification:
    from spaneval.records.classes import classify as run  # loads numpy

    names = ("positive", "key", "label", "ci", "resamples", "level", "seed")
    return run(given["gold"], given["predictions"], **{name: given[name] for name in names})


def _write(result: Classification, given: dict[str, Any], table: str | None, console: Console) -> None:
    """The report and the table of objects: all, or, where they are files, none."""
    from spaneval.reports.classification import render

    outputs = [Output(given["output"], [render(result, given["format"], results.style_of(given, console))])]
    if table is not None:
        outputs.append(results.decisions_output(given["decisions"], result.decisions.rows(), table))
    if given["save"] is not None:
        outputs.append(results.run_output(given["save"], result.run()))
    write_all(outputs)

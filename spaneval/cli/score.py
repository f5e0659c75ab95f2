"""`spaneval score`: one system against the gold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, grouping, options, results
from spaneval.cli.console import Console, Progress
from spaneval.cli.group import EXAMPLE
from spaneval.cli.targets import check_targets, rows_format
from spaneval.output import Output, write_all

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.options import Options


@click.command(epilog=EXAMPLE, short_help="Score an entity linker: spans, ids, both together.")
@options.inputs(required=True)
@options.matching()
@grouping.by
@grouping.average
@options.uncertainty()
@gates.fail_under()
@options.output()
@options.per_document(formats="CSV and LaTeX")
@options.rows_file("--pairs", "every pair, missed annotation and spurious prediction")
@options.save()
@options.digits()
@options.talk()
@click.pass_context
def score(ctx: click.Context, /, **given: Any) -> None:
    """Score one system: span detection, entity agreement, both together; every count explained."""
    console = ctx.ensure_object(Console)
    chosen = options.options_of(given)
    grouping.check(given)
    gates.check_nil(given["fail_under"], given["nil"])
    ledger = rows_format("--pairs", given["pairs"])
    inputs = [*given["gold"], *given["predictions"], *given["id_maps"], *given["gold_id_maps"]]
    targets = {"--output": given["output"], "--pairs": given["pairs"], "--save": given["save"]}
    check_targets(targets, inputs)
    options.show_choices(ctx, console)
    evaluation = _evaluate(given, chosen, console)
    with gates.told_whoever_reads(given["fail_under"]):
        _write(evaluation, given, ledger, console)
    console.notes(evaluation.notes)
    code = gates.hold(given["fail_under"], evaluation, console)
    console.show_elapsed()
    ctx.exit(code)


def _evaluate(given: dict[str, Any], chosen: Options, console: Console) -> Evaluation:
    from spaneval.evaluation import evaluate  # loads numpy

    with Progress(console) as progress:
        return evaluate(
            list(given["gold"]),
            list(given["predictions"]),
            **options.loading_of(given),
            options=chosen,
            ci=given["ci"],
            resamples=given["resamples"],
            level=given["level"],
            seed=given["seed"],
            by=given["by"],
            average=given["average"],
            keep_texts=given["pairs"] is not None,
            progress=progress,
        )


def _write(evaluation: Evaluation, given: dict[str, Any], ledger: str | None, console: Console) -> None:
    """The report, the ledger and the run: all, or, where they are files, none."""
    from spaneval.reports import render

    outputs = [Output(given["output"], [render(evaluation, given["format"], results.style_of(given, console))])]
    if ledger is not None:
        from spaneval.ledger import COLUMNS, INTEGERS, flat
        from spaneval.reports.pairs import Columns, dump

        columns = Columns(COLUMNS, INTEGERS, flat)
        outputs.append(Output(given["pairs"], dump(evaluation.rows(), ledger, columns)))
    if given["save"] is not None:
        outputs.append(results.run_output(given["save"], evaluation.run()))
    write_all(outputs)

"""`spaneval score`: one system against the gold."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, grouping, options
from spaneval.cli.console import Console, Progress
from spaneval.cli.group import EXAMPLE
from spaneval.cli.targets import check_targets, rows_format
from spaneval.cli.types import OutputPath
from spaneval.output import STDOUT, Output, write_all

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
@click.option("--per-document", is_flag=True, help="Show every document, too; in CSV and LaTeX instead of the totals.")
@click.option(
    "--pairs",
    type=OutputPath(),
    metavar="FILE",
    help="Write every pair, missed annotation and spurious prediction to FILE: .jsonl, .csv (also .gz) or .parquet.",
)
@click.option(
    "--save",
    type=OutputPath(),
    metavar="FILE",
    help="Save the run to FILE, which compare and diff take in place of predictions; .gz packs it.",
)
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
    with _unread(allowed=bool(given["fail_under"])):
        _write(evaluation, given, ledger, console)
    console.notes(evaluation.notes)
    code = gates.hold(given["fail_under"], evaluation, console)
    console.show_elapsed()
    ctx.exit(code)


def _unread(*, allowed: bool) -> AbstractContextManager[None]:
    """A reader of standard output that goes away early must not hold back the verdict of a gate."""
    return suppress(BrokenPipeError) if allowed else nullcontext()


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
    from spaneval.reports import Style, render

    target = given["output"]
    stream = sys.stdout if target == STDOUT else None
    style = Style(
        per_document=given["per_document"],
        digits=given["digits"],
        paint=console.paint(stream),
        width=console.width(stream),
    )
    outputs = [Output(target, [render(evaluation, given["format"], style)])]
    if ledger is not None:
        from spaneval.ledger import COLUMNS, INTEGERS, flat
        from spaneval.reports.pairs import Columns, dump

        columns = Columns(COLUMNS, INTEGERS, flat)
        outputs.append(Output(given["pairs"], dump(evaluation.rows(), ledger, columns)))
    if given["save"] is not None:
        outputs.append(Output(given["save"], _saved(evaluation, is_packed=given["save"].lower().endswith(".gz"))))
    write_all(outputs)


def _saved(evaluation: Evaluation, *, is_packed: bool) -> Iterable[bytes]:
    from spaneval.reports.pairs import packed
    from spaneval.runs import run_of
    from spaneval.saved_runs import to_json

    content = [to_json(run_of(evaluation))]
    return packed(content) if is_packed else content

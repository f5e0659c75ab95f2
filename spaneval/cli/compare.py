"""`spaneval compare`: several systems against a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, grouping, options, results, systems
from spaneval.cli.completion import measure_names
from spaneval.cli.console import Console
from spaneval.cli.systems import Named, NamedPath
from spaneval.cli.targets import check_targets
from spaneval.cli.types import Choice, Integer, MeasureName, Number
from spaneval.output import write_whole

if TYPE_CHECKING:
    from spaneval.comparison import Comparison

EXAMPLE = """\
\b
Example:
  spaneval compare --gt data/ground_truth v1=data/predictions/linker-v1.jsonl v2=data/predictions/linker-v2.jsonl --id-map v2=data/id_map.csv
"""  # noqa: E501 - one line, to be copied

CORRECTIONS = ("holm", "bh", "none")


def statistics(measures: str = "precision, recall, f1, entity_accuracy, link_f1") -> options.Decorator:
    """
    What is compared with what, and how differences are tested.

    Args:
        measures: What is compared if nothing else is said.

    """

    def decorate(function: options.F, /) -> options.F:
        for option in (
            click.option("--alpha", type=Number(0, 1, is_open=True), default=0.05, show_default=True, metavar="X",
                         help="Corrected p below X are marked."),
            click.option("--correction", type=Choice(CORRECTIONS), default="holm", show_default=True,
                         help="How p is corrected for all tests of the table: Holm, Benjamini-Hochberg, not at all."),
            click.option("--trials", type=Integer(min=1), default=10_000, show_default=True, metavar="N",
                         help="Random swaps of a test; with up to 13 documents all swaps are tried."),
            click.option("--test/--no-test", default=True, show_default=True,
                         help="Test differences: paired permutations over documents."),
            options.uncertainty(),
            click.option("-m", "--measure", "measures", type=MeasureName(), multiple=True, metavar="NAME",
                         shell_complete=measure_names,
                         help=f"What is compared; repeatable.  [default: {measures}]"),
            click.option("--baseline", metavar="NAME", help="What the others are held against.  [default: the first]"),
        ):  # fmt: skip
            function = option(function)
        return function

    return decorate


@click.command(epilog=EXAMPLE, short_help="Compare versions: differences, intervals, tests, gates.")
@click.argument(
    "given_systems", type=NamedPath(stdin=True), nargs=-1, required=True, metavar="[NAME=]FILE [NAME=]FILE..."
)
@options.gold(required=False)
@systems.id_maps()
@options.reading()
@options.matching()
@grouping.by_of_systems
@statistics()
@gates.fail_on_regression
@options.output()
@options.digits()
@options.talk()
@click.pass_context
def compare(ctx: click.Context, /, given_systems: tuple[Named, ...], **given: Any) -> None:
    """
    Compare systems on the same gold: differences to a baseline, their intervals, whether they may be luck.

    FILE is what --pred takes, or a run that --save wrote, of score, records, json, audit or classify; saved runs need
    no --gt.
    """
    console = ctx.ensure_object(Console)
    paths = systems.named(given_systems)
    if len(paths) < 2:
        raise click.UsageError("there is one system to compare; name two or more, or use `spaneval score`", ctx)
    if given["baseline"] is not None:
        systems.known(given["baseline"], paths, "--baseline")
    chosen = systems.options_of(given, paths)
    grouping.check_of_systems(given)
    check_gates(ctx, given)
    if not any(map(systems.is_saved_file, paths.values())):  # which know their NIL ids
        gates.check_nil(given["fail_on_regression"], given["nil"], given["measures"])
    check_targets({"--output": given["output"]}, systems.all_inputs(given, paths))
    options.show_choices(ctx, console)
    found = systems.read(paths, given, chosen, console)
    comparison = _compare(found.runs, given)
    with gates.told_whoever_reads(given["fail_on_regression"]):
        _write(comparison, found, given, console)
    for note in found.notes:
        console.note(note)
    console.notes(comparison.notes)
    code = _held(comparison, given, console)
    console.show_elapsed()
    ctx.exit(code)


def check_gates(ctx: click.Context, given: dict[str, Any]) -> None:
    """
    Refuse `--significant` where it has nothing to hold on to.

    Raises:
        click.UsageError: If there is no gate on regressions, or no test.

    """
    if given["significant"] and not given["fail_on_regression"]:
        raise click.UsageError("--significant needs --fail-on-regression MEASURE", ctx)
    if given["significant"] and not given["test"]:
        raise click.UsageError("--significant needs the tests that --no-test leaves out", ctx)


def _compare(runs: dict[str, Any], given: dict[str, Any]) -> Comparison:
    """The comparison; measures that only a gate names are compared, too."""
    from spaneval.comparison import compare as compare_runs
    from spaneval.comparison import default_names

    names = list(given["measures"])
    bounded = [gate.measure for gate in given["fail_on_regression"]]
    if bounded and not names:
        names = default_names(next(iter(runs.values())))
    parameters = ("by", "baseline", "ci", "test", "resamples", "level", "trials", "correction", "alpha", "seed")
    return compare_runs(runs, measures=[*names, *bounded] or None, **{name: given[name] for name in parameters})


def _write(comparison: Comparison, found: systems.Systems, given: dict[str, Any], console: Console) -> None:
    from spaneval.reports.comparison import render

    style = results.style_of(given, console)
    write_whole(given["output"], [render(comparison, given["format"], style, found.inputs)])


def _held(comparison: Comparison, given: dict[str, Any], console: Console) -> int:
    if not given["fail_on_regression"]:
        return 0
    from spaneval.gates import check_regressions

    checks = check_regressions(given["fail_on_regression"], comparison, significant=given["significant"])
    return gates.show(checks, console)

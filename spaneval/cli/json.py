"""`spaneval json`: JSON documents against labels, leaf by leaf, or as DocuBench scores them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, options, systems
from spaneval.cli.compare import check_gates, statistics
from spaneval.cli.console import Console
from spaneval.cli.results import decisions_output, run_output, style_of
from spaneval.cli.systems import Named, NamedPath
from spaneval.cli.targets import check_targets, rows_format
from spaneval.cli.types import Choice, InputPath
from spaneval.kinds import DOCUBENCH, LEAVES
from spaneval.output import Output, write_all
from spaneval.problems import Note

if TYPE_CHECKING:
    from spaneval.comparison import Comparison
    from spaneval.records.documents import JsonEvaluation

EXAMPLE = """\
\b
Example:
  spaneval json --labels data/json/labels --schemas data/json/schemas --results v1=data/json/results/v1 --results v2=data/json/results/v2
"""  # noqa: E501 - one line, to be copied


@click.command(epilog=EXAMPLE, short_help="Score JSON documents by their JSON Schema; compare systems.")
@click.option(
    "--labels",
    type=InputPath(),
    required=True,
    metavar="DIR",
    help="The gold: a folder of <document>.json files.",
)
@click.option(
    "--results",
    type=NamedPath(),
    multiple=True,
    required=True,
    metavar="[NAME=]DIR",
    help='What a system extracted: a folder of the same; an envelope {"data": …} is opened. Repeatable.',
)
@click.option(
    "--schemas",
    type=InputPath(),
    required=True,
    metavar="PATH",
    help="JSON Schemas: a folder of the same, or one file for all documents.",
)
@click.option(
    "--profile",
    type=Choice(("native", "docubench")),
    default="native",
    show_default=True,
    help="Count leaves, or give the scores of the DocuBench benchmark.",
)
@click.option(
    "--ordered",
    multiple=True,
    metavar="PATH",
    help="An array whose rows meet by position, such as items or items.parts. Repeatable.",
)
@click.option(
    "--pairing",
    type=Choice(("optimal", "greedy")),
    help="Which rows meet: the best choice as a whole, or one pair after another.  [default: optimal]",
)
@options.normalize()
@click.option(
    "--skip-missing",
    is_flag=True,
    help="Leave out documents for which a system has no result, instead of counting it as empty.",
)
@click.option(
    "--unknown-docs",
    type=Choice(("error", "drop")),
    default="error",
    show_default=True,
    help="Results of documents without a label: stop, or leave them out.",
)
@statistics("precision, recall, f1, row_f1, agreement; score with --profile docubench")
@gates.fail_under(None, has_macro=False)
@gates.fail_on_regression
@options.output()
@options.per_document()
@options.rows_file("--decisions", "what became of every leaf")
@options.save("Save the run of one system to FILE, which compare and diff take")
@options.digits()
@options.talk()
@click.pass_context
def json(ctx: click.Context, /, results: tuple[Named, ...], **given: Any) -> None:
    """
    Score JSON documents by their JSON Schema: leaves, rows of arrays in any order, every wrong leaf with its path.

    With several systems they are compared, too: differences to a baseline, their intervals, whether they may be luck.
    """  # fmt: skip
    console = ctx.ensure_object(Console)
    paths = systems.named([Named(one.name or _folder(one.path), one.path) for one in results])
    _check_choices(ctx, given, paths)
    table = rows_format("--decisions", given["decisions"])
    targets = {f"--{name}": given[name] for name in ("output", "decisions", "save")}
    check_targets(targets, [given["labels"], *paths.values(), given["schemas"]])
    options.show_choices(ctx, console)
    evaluation = _evaluate(given, paths)
    comparison = _compare(evaluation, given) if len(paths) > 1 else None
    with gates.told_whoever_reads([*given["fail_under"], *given["fail_on_regression"]]):
        _write(evaluation, comparison, given, table, console)
    console.notes(evaluation.notes)
    console.notes(comparison.notes if comparison is not None else _idle(given))
    code = _held(evaluation, comparison, given, console)
    console.show_elapsed()
    ctx.exit(code)


def _check_choices(ctx: click.Context, given: dict[str, Any], paths: Mapping[str, str]) -> None:
    """
    Refuse what does not go together.

    Raises:
        click.UsageError: If something does not.

    """
    for name, path in paths.items():
        if path == "-":
            raise click.UsageError(f"--results: a folder is expected for '{name}', not standard input", ctx)
    if given["baseline"] is not None:
        systems.known(given["baseline"], paths, "--baseline")
    if given["fail_on_regression"] and len(paths) == 1:
        raise click.UsageError("--fail-on-regression needs a second system: --results NAME=DIR", ctx)
    check_gates(ctx, given)
    _check_profile(ctx, given)
    if given["save"] is not None and len(paths) > 1:
        raise click.UsageError("--save is for one system; give one --results", ctx)
    from spaneval.exceptions import MeasureError
    from spaneval.measures import get_measure

    kind = DOCUBENCH if given["profile"] == "docubench" else LEAVES
    for name in [*given["measures"], *(gate.measure for key in _GATES for gate in given[key])]:
        try:
            get_measure(name, kind)
        except MeasureError as error:
            raise click.UsageError(str(error), ctx) from error


_GATES = ("fail_under", "fail_on_regression")


def _check_profile(ctx: click.Context, given: dict[str, Any]) -> None:
    if given["profile"] != "docubench":
        return
    for name in ("ordered", "normalize", "decisions", "save"):
        if given[name]:
            raise click.UsageError(f"--{name} is for the native reading; --profile docubench has its own rules", ctx)
    if given["pairing"] == "optimal":
        raise click.UsageError(
            "--pairing optimal: --profile docubench pairs rows greedily, as that benchmark does", ctx
        )


def _evaluate(given: dict[str, Any], paths: Mapping[str, str]) -> JsonEvaluation:
    from spaneval.records.documents import evaluate_json  # loads numpy

    names = (
        "profile", "pairing", "ordered", "normalize", "skip_missing", "unknown_docs", "ci", "resamples", "level",
        "seed",
    )  # fmt: skip
    chosen = {name: given[name] for name in names}
    return evaluate_json(given["labels"], dict(paths), given["schemas"], **chosen)


def _compare(evaluation: JsonEvaluation, given: dict[str, Any]) -> Comparison:
    """The comparison; measures that only a gate names are compared, too."""
    from spaneval.comparison import default_names

    names = list(given["measures"])
    bounded = [gate.measure for gate in given["fail_on_regression"]]
    if bounded and not names and evaluation.profile == "native":
        names = default_names(next(iter(evaluation.systems.values())).run())
    parameters = ("baseline", "ci", "test", "resamples", "level", "trials", "correction", "alpha", "seed")
    return evaluation.compare([*names, *bounded] or None, **{name: given[name] for name in parameters})


def _idle(given: dict[str, Any]) -> list[Note]:
    """What is given for a comparison where there is none; it may come from a file of options, so it is no mistake."""
    names = [f"--{name}" for name, key in (("baseline", "baseline"), ("measure", "measures")) if given[key]]
    if not names:
        return []
    does = "do nothing: they are" if len(names) > 1 else "does nothing: it is"
    return [Note("no-comparison", 0, f"{' and '.join(names)} {does} for a comparison, and there is one system")]


def _write(
    evaluation: JsonEvaluation,
    comparison: Comparison | None,
    given: dict[str, Any],
    table: str | None,
    console: Console,
) -> None:
    """The report and all other files: all, or, where they are files, none."""
    from spaneval.reports.json_scores import render

    style = style_of(given, console)
    outputs = [Output(given["output"], [render(evaluation, comparison, given["format"], style)])]
    if table is not None:
        before = ("system",) if len(evaluation.systems) > 1 else ()
        outputs.append(decisions_output(given["decisions"], _decisions(evaluation), table, before))
    if given["save"] is not None:
        outputs.append(run_output(given["save"], next(iter(evaluation.systems.values())).run()))
    write_all(outputs)


def _decisions(evaluation: JsonEvaluation) -> Iterator[dict[str, Any]]:
    """What became of every leaf; with several systems, of each of them."""
    several = len(evaluation.systems) > 1
    for name, one in evaluation.systems.items():
        for row in one.decisions.rows() if one.decisions is not None else ():
            yield {"system": name, **row} if several else row


def _held(evaluation: JsonEvaluation, comparison: Comparison | None, given: dict[str, Any], console: Console) -> int:
    """Hold every system against the gates."""
    if not given["fail_under"] and not given["fail_on_regression"]:
        return 0
    from spaneval.gates import check_floors, check_regressions

    checks = []
    for name, one in evaluation.systems.items():
        prefix = f"gate: {name} " if len(evaluation.systems) > 1 else "gate: "
        for check in check_floors(given["fail_under"], one):
            checks.append(replace(check, system=name, text=prefix + check.text.removeprefix("gate: ")))
    if comparison is not None and given["fail_on_regression"]:
        checks += check_regressions(given["fail_on_regression"], comparison, significant=given["significant"])
    return gates.show(checks, console)


def _folder(path: str) -> str:
    """What a system is called whose folder nobody named."""
    return os.path.basename(os.path.abspath(path))

"""`spaneval audit`: a model, measured by the corrections of its reviewers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, options, results
from spaneval.cli.console import Console
from spaneval.cli.targets import check_targets, rows_format
from spaneval.cli.types import Choice, InputPath, Names
from spaneval.kinds import REVIEW
from spaneval.output import Output, write_all

if TYPE_CHECKING:
    from spaneval.records.review import Audit

PROFILES = ("audited", "documented", "ecoextract")
REQUIRED = ("literal", "non-nullable")

EXAMPLE = """\
\b
Example:
  spaneval audit data/audit/reviews.sqlite --schema data/audit/schema.json
"""


@click.command(epilog=EXAMPLE, short_help="Measure a model by the corrections of its reviewers.")
@click.argument("db", type=InputPath(), metavar="DB")
@click.option(
    "--schema",
    type=InputPath(),
    required=True,
    metavar="FILE",
    help="JSON schema of the records: properties.records.items.",
)
@click.option(
    "--documents",
    type=Names("ID,ID, such as 1,2"),
    metavar="ID,ID",
    help="Documents that count, by document_id.  [default: all that are reviewed]",
)
@click.option(
    "--profile",
    type=Choice(PROFILES),
    default="audited",
    show_default=True,
    help="How to count: final values against the original ones; the formulas that EcoExtract documents, in which "
    "every audit row counts; or what its code returns.",
)
@click.option(
    "--required",
    type=Choice(REQUIRED),
    default="literal",
    show_default=True,
    help="Required fields whose edits are major: all of them, or those that must not be null.",
)
@options.uncertainty()
@gates.fail_under(REVIEW, has_macro=False)
@options.output()
@options.per_document()
@options.rows_file("--decisions", "the decision on every field of every found record")
@options.save("Save the run to FILE, for compare and diff with reviews that end in the same values")
@options.digits()
@options.talk()
@click.pass_context
def audit(ctx: click.Context, /, **given: Any) -> None:
    """
    Measure a model by what reviewers corrected: records found, fields right, how severe.

    DB is a SQLite database as EcoExtract keeps it; it is copied, and nothing in its folder changes.
    """
    console = ctx.ensure_object(Console)
    table = rows_format("--decisions", given["decisions"])
    for option in ("decisions", "save"):
        if given[option] is not None and given["profile"] != "audited":
            message = f"--{option} needs --profile audited; {given['profile']} counts audit rows and decides nothing"
            raise click.UsageError(message, ctx)
    original = os.path.realpath(given["db"])
    inputs = [given["db"], given["schema"], *(original + end for end in ("-wal", "-journal", "-shm"))]
    targets = {"--output": given["output"], "--decisions": given["decisions"], "--save": given["save"]}
    check_targets(targets, inputs)
    options.show_choices(ctx, console)
    result = _audit(given)
    with gates.told_whoever_reads(given["fail_under"]):
        _write(result, given, table, console)
    console.notes(result.notes)
    code = gates.hold(given["fail_under"], result, console)
    console.show_elapsed()
    ctx.exit(code)


def _audit(given: dict[str, Any]) -> Audit:
    from spaneval.records.review import audit as run  # loads numpy

    names = ("documents", "profile", "required", "ci", "resamples", "level", "seed")
    return run(given["db"], given["schema"], **{name: given[name] for name in names})


def _write(result: Audit, given: dict[str, Any], table: str | None, console: Console) -> None:
    """The report, the table of decisions and the run: all, or, where they are files, none."""
    from spaneval.reports.audit import render

    outputs = [Output(given["output"], [render(result, given["format"], results.style_of(given, console))])]
    if table is not None and result.decisions is not None:
        outputs.append(results.decisions_output(given["decisions"], result.decisions.rows(), table))
    if given["save"] is not None:
        outputs.append(results.run_output(given["save"], result.run()))
    write_all(outputs)

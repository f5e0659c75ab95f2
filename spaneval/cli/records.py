"""`spaneval records`: extracted records against gold records, field by field."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import gates, options, results
from spaneval.cli.console import Console
from spaneval.cli.targets import check_targets, rows_format
from spaneval.cli.types import Choice, InputPath, Names
from spaneval.kinds import FIELDS
from spaneval.output import Output, OutputError, reason_of, write_all
from spaneval.record_measures import EASYRPA

if TYPE_CHECKING:
    from spaneval.records.fields import RecordEvaluation

EXAMPLE = """\
\b
Example:
  spaneval records data/records/gold.jsonl data/records/model.jsonl
"""


class OutputFolder(click.Path):
    """A folder that is there, or can be made because the one around it is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path as given."""
        path = str(os.fspath(value))
        parent = os.path.dirname(os.path.abspath(path))
        if not path:
            self.fail("the name of the folder is empty", param, ctx)
        if os.path.exists(path) and not os.path.isdir(path):
            self.fail(f"'{path}' is a file; the name of a folder is expected", param, ctx)
        if not os.path.isdir(parent):
            self.fail(f"'{path}': the folder '{os.path.dirname(path)}' does not exist", param, ctx)
        if not os.access(path if os.path.isdir(path) else parent, os.W_OK):
            self.fail(f"'{path}' is write-protected", param, ctx)
        return path


@click.command(epilog=EXAMPLE, short_help="Score records of named fields, field by field.")
@click.argument("gold", type=InputPath(stdin=True), metavar="GOLD")
@click.argument("predictions", type=InputPath(stdin=True), metavar="PRED")
@click.option(
    "--key", default="id", show_default=True, metavar="FIELD", help="The field that holds the id of a record."
)
@click.option(
    "--fields",
    metavar="FIELD,FIELD",
    type=Names("FIELD,FIELD, such as asset,due"),
    default=(),
    help="The fields to compare, in order.  [default: all that a record of either side has]",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Stop unless both sides have the same records, and these exactly the fields, each with text or null.",
)
@options.normalize()
@click.option(
    "--profile",
    type=Choice(("exact", "easyrpa")),
    default="exact",
    show_default=True,
    help="easyrpa adds accuracy, rework and automation efficiency.",
)
@click.option(
    "--reports",
    type=OutputFolder(),
    metavar="DIR",
    help="Write EasyRPA's reports, field focused and field values analysis, to DIR as CSV and JSON; needs --profile "
    "easyrpa.",
)
@click.option(
    "--average",
    type=Choice(("micro", "macro")),
    default="micro",
    show_default=True,
    help="Also show plain means over records or fields.",
)
@click.option(
    "--over",
    type=Choice(("record", "field")),
    default="record",
    show_default=True,
    help="What the means of --average macro are over.",
)
@options.uncertainty()
@gates.fail_under(FIELDS)
@options.output()
@options.per_document("record")
@options.rows_file("--decisions", "the decision on every field of every record")
@options.save()
@options.digits()
@options.talk()
@click.pass_context
def records(ctx: click.Context, /, **given: Any) -> None:
    """
    Score extracted records, field by field: five decisions, precision, recall, F1, whole records right.

    GOLD and PRED are JSON Lines, a JSON object {id: {field: value}} or list of records, or CSV; - is standard input.
    """  # fmt: skip
    console = ctx.ensure_object(Console)
    _check_choices(ctx, given)
    table = rows_format("--decisions", given["decisions"])
    check_targets(_targets(given), [given["gold"], given["predictions"]])
    options.show_choices(ctx, console)
    evaluation = _evaluate(given)
    with gates.told_whoever_reads(given["fail_under"]):
        _write(evaluation, given, table, console)
    console.notes(evaluation.notes)
    code = gates.hold(given["fail_under"], evaluation, console)
    console.show_elapsed()
    ctx.exit(code)


def _check_choices(ctx: click.Context, given: dict[str, Any]) -> None:
    """
    Refuse what does not go together.

    Raises:
        click.UsageError: If something does not.

    """
    options.check_stdin(ctx, given["gold"], given["predictions"])
    if not given["key"]:
        raise click.UsageError("--key: the name of the field is empty", ctx)
    if given["key"] in given["fields"]:
        message = f"--fields: '{given['key']}' holds the ids that records are paired by; it is not compared"
        raise click.UsageError(message, ctx)
    if given["over"] != "record" and given["average"] == "micro":
        raise click.UsageError("--over needs --average macro", ctx)
    if given["profile"] == "easyrpa":
        return
    if given["reports"] is not None:
        raise click.UsageError("--reports needs --profile easyrpa, whose reports these are", ctx)
    for gate in given["fail_under"]:
        if gate.measure in EASYRPA:
            raise click.UsageError(f"a gate on {gate.measure} needs --profile easyrpa", ctx)


def _targets(given: dict[str, Any]) -> dict[str, str | None]:
    """Every file that will be written, by its option."""
    targets = {f"--{name}": given[name] for name in ("output", "decisions", "save")}
    if given["reports"] is not None:
        from spaneval.profiles.easyrpa import FILES

        targets |= {f"--reports ({name})": os.path.join(given["reports"], name) for name in FILES}
    return targets


def _evaluate(given: dict[str, Any]) -> RecordEvaluation:
    from spaneval.records.fields import evaluate_records  # loads numpy

    names = (
        "key", "fields", "strict", "normalize", "profile", "ci", "resamples", "level", "seed", "average", "over",
    )  # fmt: skip
    return evaluate_records(given["gold"], given["predictions"], **{name: given[name] for name in names})


def _write(evaluation: RecordEvaluation, given: dict[str, Any], table: str | None, console: Console) -> None:
    """The report and all other files: all, or, where they are files, none."""
    from spaneval.reports.records import render

    outputs = [Output(given["output"], [render(evaluation, given["format"], results.style_of(given, console))])]
    if table is not None:
        outputs.append(results.decisions_output(given["decisions"], evaluation.decisions.rows(), table))
    if given["save"] is not None:
        outputs.append(results.run_output(given["save"], evaluation.run()))
    if given["reports"] is None:
        write_all(outputs)
    else:
        from spaneval.profiles.easyrpa import files

        reports = [Output(os.path.join(given["reports"], name), chunks) for name, chunks in files(evaluation)]
        _write_in_folder(given["reports"], [*outputs, *reports])


def _write_in_folder(folder: str, outputs: Sequence[Output]) -> None:
    """Write all; a folder that was made for that goes again if it cannot be done."""
    is_new = not os.path.isdir(folder)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise OutputError(folder, reason_of(error)) from error
    try:
        write_all(outputs)
    finally:
        if is_new:
            with suppress(OSError):  # it holds the reports
                os.rmdir(folder)

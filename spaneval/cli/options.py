"""Options that commands share: the same name and meaning in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, get_args

import click

from spaneval import options as choices
from spaneval.cli.config import configuration_of, origin_of
from spaneval.cli.console import Console
from spaneval.cli.types import STDIN, ColumnPair, FieldName, InputPath, Integer, Number, OutputPath, Pattern
from spaneval.cli.types import Choice as OneOf
from spaneval.options import MINTED, ROW_FIELDS, Options

F = TypeVar("F", bound=Callable[..., Any])


class Decorator(Protocol):
    """Adds options to a command."""

    def __call__(self, function: F, /) -> F:
        """The same function, with options."""


PRED_FORMATS = ("auto", "jsonl", "json", "csv", "tsv", "parquet")
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")


def _together(*options: Decorator) -> Decorator:
    """Several options as one decorator, shown in this order."""

    def decorate(function: F, /) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _literal(choice: Any) -> OneOf:
    return OneOf(get_args(choice))


def inputs(*, required: bool) -> Decorator:
    """
    Gold, predictions and id maps.

    Args:
        required: Whether gold and predictions must both be given.

    """
    return _together(
        gold(required=required),
        click.option(
            "--pred", "predictions", type=InputPath(stdin=True), multiple=True, required=required, metavar="FILE",
            help="Predictions of one system; - is standard input. Repeatable for shards.",
        ),
        click.option(
            "--id-map", "id_maps", type=InputPath(), multiple=True, metavar="CSV",
            help="Translates predicted ids. Repeatable: maps are applied one after another.",
        ),
        reading(),
    )  # fmt: skip


def gold(*, required: bool) -> Decorator:
    """The gold."""
    return click.option(
        "--gt", "gold", type=InputPath(), multiple=True, required=required, metavar="PATH",
        help="Ground truth: a file, or a folder of *.gt.json files. Repeatable.",
    )  # fmt: skip


def reading() -> Decorator:
    """Maps of gold ids, and how maps and rows are written."""
    return _together(
        click.option(
            "--gold-id-map", "gold_id_maps", type=InputPath(), multiple=True, metavar="CSV",
            help="Translates gold ids. Repeatable.",
        ),
        click.option(
            "--id-map-columns", type=ColumnPair(), metavar="FROM,TO",
            help="Columns of the id maps, by name or position.  [default: predicted_id,kb_id and the like]",
        ),
        click.option(
            "--pred-format", type=OneOf(PRED_FORMATS), default="auto", show_default=True,
            help="Format of the predictions.",
        ),
        click.option(
            "--field", "fields", type=FieldName(ROW_FIELDS), multiple=True, callback=_field_names,
            metavar="OURS=THEIRS", help="What a field of the rows is called, such as a=start. Repeatable.",
        ),
    )  # fmt: skip


def _field_names(ctx: click.Context, param: click.Parameter, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for ours, theirs in pairs:
        if names.setdefault(ours, theirs) != theirs:
            raise click.BadParameter(f"'{ours}' is given two names, '{names[ours]}' and '{theirs}'", ctx, param)
    return names


def matching() -> Decorator:
    """What counts: see `Options`."""
    return _together(
        click.option(
            "--match", type=_literal(choices.Match), default="overlap", show_default=True,
            help="When two spans can be paired: one shared character, or both boundaries equal.",
        ),
        click.option(
            "--assignment", type=_literal(choices.Assignment), default="exact-first", show_default=True,
            help="Which pairs are made: the best in one fixed order of aims, or first come first served.",
        ),
        click.option(
            "--doc-key", type=_literal(choices.DocKey), default="auto", show_default=True,
            help="What names a document in gold and rows.",
        ),
        click.option(
            "--unknown-docs", type=_literal(choices.UnknownDocs), default="error", show_default=True,
            help="Rows whose document is not in the gold: stop, count as spurious, leave out.",
        ),
        click.option(
            "--on-bad-row", type=_literal(choices.OnBadRow), default="error", show_default=True,
            help="Rows that cannot be read: stop, or count as predictions that match nothing.",
        ),
        click.option(
            "--unmapped", type=_literal(choices.Unmapped), default="skip", show_default=True,
            help="Ids that the id map does not hold: not comparable, stand as they are, wrong.",
        ),
        click.option(
            "--minted", type=Pattern(), default=MINTED, show_default=True, metavar="REGEX",
            help="Cluster ids that a linker minted: not comparable unless a map translates them.",
        ),
        click.option(
            "--nil", multiple=True, metavar="ID",
            help="An id that means 'not in the knowledge base', on either side. Repeatable.",
        ),
        click.option("--null-is-nil", is_flag=True, help="A prediction without id claims NIL; needs --nil."),
        click.option("--min-score", type=Number(), metavar="X", help="Leave out rows with a score below X."),
    )  # fmt: skip


def normalize() -> Decorator:
    """Rules by which values of records are compared."""
    return click.option(
        "--normalize", multiple=True, metavar="[FIELD=]RULE", callback=_known_rules,
        help="Compare values of both sides by a rule, of all fields or of one: text (case and white space), "
        "number:TOL, date (ISO 8601), docubench, exact. Repeatable.  [default: exact]",
    )  # fmt: skip


def _known_rules(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> Sequence[str]:
    """Rules that exist."""
    if value:
        from spaneval.values.fields import Comparators
        from spaneval.values.normalise import RuleError

        try:
            Comparators.parse(value)
        except RuleError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return value


def uncertainty() -> Decorator:
    """Bootstrap intervals."""
    return _together(
        click.option("--ci/--no-ci", default=True, show_default=True, help="Intervals: a bootstrap over documents."),
        click.option(
            "--resamples", type=Integer(min=1), default=10_000, show_default=True, metavar="N",
            help="Resamples drawn.",
        ),
        click.option(
            "--level", type=Number(0, 1, is_open=True), default=0.95, show_default=True, metavar="X",
            help="Share of the resamples inside an interval.",
        ),
        click.option(
            "--seed", type=Integer(min=0), default=1234, show_default=True, metavar="N",
            help="Seed of the resampling; 0 is a seed.",
        ),
    )  # fmt: skip


def output(formats: Sequence[str] = FORMATS) -> Decorator:
    """Where the result goes and in which form."""
    return _together(
        click.option(
            "-f", "--format", type=OneOf(formats), default=formats[0], show_default=True, help="Form of the result.",
        ),
        click.option(
            "-o", "--output", type=OutputPath(), default="-", metavar="FILE",
            help="Write the result to FILE, whole or not at all.  [default: standard output]",
        ),
    )  # fmt: skip


def per_document(noun: str = "document", formats: str = "CSV") -> Decorator:
    """
    Whether every document is shown.

    Args:
        noun: What a document is called.
        formats: Those that show documents in place of totals.

    """
    return click.option(
        "--per-document", is_flag=True, help=f"Show every {noun}, too; in {formats} instead of the totals.",
    )  # fmt: skip


def rows_file(name: str, what: str) -> Decorator:
    """
    A file of rows beside the report; see `spaneval.cli.targets.rows_format`.

    Args:
        name: The option.
        what: What stands in the file.

    """
    return click.option(
        name, type=OutputPath(), metavar="FILE",
        help=f"Write {what} to FILE: .jsonl, .csv (also .gz) or .parquet.",
    )  # fmt: skip


def save(what: str = "Save the run to FILE, which compare and diff take in place of predictions") -> Decorator:
    """
    A file for the run.

    Args:
        what: What can be done with it.

    """
    return click.option("--save", type=OutputPath(), metavar="FILE", help=f"{what}; .gz packs it.")


def digits() -> Decorator:
    """How exact reports for people are."""
    return click.option(
        "--digits", type=Integer(0, 15), default=3, show_default=True, metavar="N",
        help="Decimal places, for people only.",
    )  # fmt: skip


def talk() -> Decorator:
    """What is said beside the result; these options go to the `Console`."""
    return _together(
        _told(
            "--color",
            "color",
            type=OneOf(("auto", "always", "never")),
            default="auto",
            show_default=True,
            help="Colours.",
        ),
        _told("--no-progress", "no_progress", is_flag=True, help="Show no progress."),
        _told("-q", "--quiet", "quiet", is_flag=True, help="Show no notes and no progress."),
        _told(
            "-v", "--verbose", "verbose", is_flag=True, help="Show options that are not at their default, and the time."
        ),
        _told("--traceback", "traceback", is_flag=True, help="Show where a failure came from."),
    )


def _told(*names: str, **settings: Any) -> Decorator:
    """An option that is kept in the console, `no_x` as `x`; early, so that a failure to parse the others knows it."""
    name = names[-1].removeprefix("no_")

    def keep(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
        setattr(ctx.ensure_object(Console), name, not value if name != names[-1] else value)

    return click.option(*names, expose_value=False, is_eager=True, callback=keep, **settings)


def options_of(given: dict[str, Any]) -> Options:
    """
    The `Options` among the values of a command.

    Raises:
        click.UsageError: If they do not go together.

    """
    if "" in given["nil"]:
        message = "--nil: '' is no id; a prediction without id claims NIL with --nil ID --null-is-nil"
        raise click.UsageError(message, _context())
    if given["null_is_nil"] and not given["nil"]:
        raise click.UsageError("--null-is-nil needs --nil ID, the id that such a prediction claims", _context())
    if given["id_map_columns"] and not (given["id_maps"] or given["gold_id_maps"]):
        raise click.UsageError("--id-map-columns needs --id-map or --gold-id-map", _context())
    if given["predictions"].count("-") > 1:
        raise click.UsageError("--pred: standard input (-) can be read only once", _context())
    try:
        return Options(**{name: given[name] for name in Options._fields})
    except ValueError as error:
        raise click.UsageError(str(error), _context()) from error


def loading_of(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `evaluate` and `validate` that say what is read, beside gold and predictions."""
    return {
        "id_map": list(given["id_maps"]),
        "gold_id_map": list(given["gold_id_maps"]),
        "id_map_columns": given["id_map_columns"],
        "pred_format": None if given["pred_format"] == "auto" else given["pred_format"],
    }


def check_stdin(ctx: click.Context, *paths: str) -> None:
    """
    Refuse to read standard input twice.

    Raises:
        click.UsageError: If it is named more than once.

    """
    if paths.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once", ctx)


def _context() -> click.Context | None:
    return click.get_current_context(silent=True)


def show_choices(ctx: click.Context, console: Console) -> None:
    """Print, for those who asked for more, each option that is not at its default and who set it."""
    default = click.core.ParameterSource.DEFAULT
    configuration = configuration_of(ctx)
    for note in configuration.notes:
        console.note(note)
    if configuration.file is not None:
        console.detail(f"configuration: {configuration.file}")
    for param in ctx.command.params:
        if not isinstance(param, click.Option) or not param.name or ctx.get_parameter_source(param.name) is default:
            continue
        origin = origin_of(ctx, param)
        if param.expose_value or origin:  # what the console was told by a flag speaks for itself
            value = ctx.params[param.name] if param.expose_value else configuration.values[param.name]
            console.detail(f"option: {_shown(param, value)} ({origin or 'flag'})")


def _shown(param: click.Parameter, value: Any) -> str:
    """The option as it would be typed, nearly."""
    if isinstance(value, bool):
        names = param.opts if value else param.secondary_opts
        return max(names, key=len) if names else f"{max(param.opts, key=len)} {str(value).lower()}"
    if isinstance(value, dict):
        value = tuple(f"{key}={item}" for key, item in value.items())
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{max(param.opts, key=len)} {text}"

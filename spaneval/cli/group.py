"""The command `spaneval` itself; its subcommands are imported when they are called."""

from __future__ import annotations

import importlib
from typing import Any

import click

from spaneval._version import VERSION
from spaneval.cli.config import configure
from spaneval.cli.console import Console
from spaneval.cli.types import InputPath
from spaneval.nearest import nearest

HELP = frozenset({"-h", "--help"})

COMMANDS = {
    "score": "spaneval.cli.score",
    "compare": "spaneval.cli.compare",
    "diff": "spaneval.cli.diff",
    "validate": "spaneval.cli.validate",
    "records": "spaneval.cli.records",
    "json": "spaneval.cli.json",
    "audit": "spaneval.cli.audit",
    "classify": "spaneval.cli.classify",
    "measures": "spaneval.cli.measures",
    "completion": "spaneval.cli.completion",
}
"""Name of each command and the module that holds a function of that name."""

EXIT_CODES = """\
\b
Exit codes:
  0    done; every gate is met
  1    a gate is missed
  2    wrong use: an option, or a file that does not exist
  3    an input could not be used, or a result could not be written
  4    a gate cannot be decided: its measure is undefined
  70   a bug in spaneval
  130  interrupted
"""

EXAMPLE = """\
\b
Example:
  spaneval score --gt data/ground_truth --pred data/predictions/linker-v2.jsonl --id-map data/id_map.csv
"""


class LazyGroup(click.Group):
    """A group that knows the names of its commands and loads them on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it; an unknown name is answered with the nearest one, a known one gets its configuration."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            near = nearest(name, COMMANDS, n=1)
            offer = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command '{name}'. {offer}", ctx)
        found, command, rest = super().resolve_command(ctx, args)
        if found and not ctx.resilient_parsing:
            console = ctx.ensure_object(Console)
            console.command = found
            configure(ctx, found, rest, console, wants_help=not HELP.isdisjoint(rest))
        return found, command, rest

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Two paragraphs that keep their lines."""
        for text in (EXIT_CODES, EXAMPLE):
            formatter.write_paragraph()
            formatter.write_text(text)


def _print_version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"spaneval {VERSION}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    name="spaneval",
    context_settings={"help_option_names": sorted(HELP, key=len), "max_content_width": 100},
    no_args_is_help=False,
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option(
    "--config", type=InputPath(), metavar="FILE",
    help="Read [tool.spaneval] of FILE instead of the nearest pyproject.toml.",
)  # fmt: skip
@click.option(
    "--no-config", is_flag=True,
    help="Read no file. Variables such as SPANEVAL_FORMAT still hold.",
)  # fmt: skip
def cli(config: str | None, no_config: bool) -> None:
    """
    Tell whether a linker, an extractor or a classifier got better.

    Results go to standard output; notes, progress and errors go to standard error.
    Options can also be set by SPANEVAL_* variables and in [tool.spaneval] of pyproject.toml; a flag always wins.
    """

"""`spaneval completion`: the line that makes a shell complete; and what it completes beside commands and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import options
from spaneval.cli.console import Console
from spaneval.cli.types import Choice

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LINES = {
    "bash": 'eval "$(_SPANEVAL_COMPLETE=bash_source spaneval)"',
    "zsh": 'eval "$(_SPANEVAL_COMPLETE=zsh_source spaneval)"',
    "fish": "_SPANEVAL_COMPLETE=fish_source spaneval | source",
}
"""What a shell has to run; the script behind it is click's own."""

FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/spaneval.fish"}
"""Where each shell looks for such a line."""

EXAMPLE = """\
\b
Example:
  spaneval completion bash >> ~/.bashrc
"""


@click.command(epilog=EXAMPLE, short_help="Print the line that lets a shell complete commands.")
@click.argument("shell", type=Choice(tuple(LINES)), metavar="bash|zsh|fish")
@options.talk()
@click.pass_context
def completion(ctx: click.Context, /, shell: str) -> None:
    """
    Print the line that makes a shell complete commands, options, choices, measures and files.

    A new shell knows it once the line stands in the file that the note names.
    """
    console = ctx.ensure_object(Console)
    options.show_choices(ctx, console)
    click.echo(LINES[shell])
    console.note(f"the line belongs in {FILES[shell]}")


def measure_names(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For `shell_complete` of an argument or option that takes the name of a measure."""
    return _measures(incomplete, end="", of=ctx.params.get("of"))


def measure_bounds(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For `shell_complete` of an option that takes `MEASURE=NUMBER`; nothing once the `=` is there."""
    return _measures(incomplete, end="=")


FIELDS = {
    "document": "every document",
    "file": "every gold file",
    "type": "a key of annotations and rows",
    "namespace": "of the gold id",
    "length": "in characters",
    "score": "tenths of the predictions",
    "gold_frequency": "how often the gold id occurs",
}
"""Fields that groups can be made by, beside any other key; told here, because `spaneval.grouping` loads numpy."""


def group_fields(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For `shell_complete` of `--by`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=what) for name, what in FIELDS.items() if name.startswith(incomplete)]


def group_fields_of_systems(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The same for several systems, which have no score in common."""
    return [item for item in group_fields(ctx, param, incomplete) if item.value != "score"]


def _measures(incomplete: str, **more: Any) -> list[CompletionItem]:
    """Names from the registry, which needs no numpy."""
    from click.shell_completion import CompletionItem

    from spaneval.kinds import SPANS, STATIC
    from spaneval.measures import measures_of

    kind = STATIC.get(more.get("of") or "", SPANS)
    return [
        CompletionItem(f"{name}{more['end']}", help=measure.question)
        for name, measure in measures_of(kind).items()
        if name.startswith(incomplete)
    ]

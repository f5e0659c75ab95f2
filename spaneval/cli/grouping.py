"""Options for what numbers are divided by and averaged over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from spaneval.cli.completion import group_fields, group_fields_of_systems
from spaneval.cli.types import Choice


def by(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--by`."""
    return click.option(
        "--by", multiple=True, metavar="FIELD", shell_complete=group_fields,
        help="Also show groups: document, file, namespace (of the gold id), length, score (tenths), gold_frequency, "
        "or any key of annotations and rows, such as type. Repeatable.",
    )(function)  # fmt: skip


def by_of_systems(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--by` for several systems."""
    return click.option(
        "--by", multiple=True, metavar="FIELD", shell_complete=group_fields_of_systems,
        help="Also compare groups: document, file, namespace (of the gold id), length, gold_frequency, or any key of "
        "annotations and rows, such as type. Saved runs know document, namespace, length, gold_frequency. Repeatable.",
    )(function)  # fmt: skip


def average(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--average`."""
    return click.option(
        "--average", type=Choice(("micro", "macro")), default="micro", show_default=True,
        help="Also show plain means over documents, or over the groups of --by.",
    )(function)  # fmt: skip


def check(given: dict[str, Any]) -> None:
    """
    Refuse what does not go together.

    Raises:
        click.UsageError: If macro averages would have to be over several fields, or a field has no name.

    """
    fields = list(dict.fromkeys(given["by"]))
    _check_names(fields)
    ctx = click.get_current_context(silent=True)
    if given["average"] == "macro" and len(fields) > 1:
        raise click.UsageError(f"--average macro is over the groups of one --by, not of {' and '.join(fields)}", ctx)


def check_of_systems(given: dict[str, Any]) -> None:
    """
    Refuse fields that several systems cannot be compared by.

    Raises:
        click.UsageError: If there is one.

    """
    _check_names(given["by"])
    if "score" in given["by"]:
        message = (
            "--by score: each system has scores of its own, on a scale of its own; see `spaneval score --by score`"
        )
        raise click.UsageError(message, click.get_current_context(silent=True))


def _check_names(fields: Iterable[str]) -> None:
    if "" in fields:
        raise click.UsageError("--by: the name of the field is empty", click.get_current_context(silent=True))

"""What `validate` found, as text for people or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spaneval.problems import counted
from spaneval.reports import json
from spaneval.reports.text import PLAIN, Paint, printable, utf8

if TYPE_CHECKING:
    from spaneval.problems import Problem
    from spaneval.validation import Validation

SCHEMA = "spaneval.validate/1"


def render_table(validation: Validation, paint: Paint = PLAIN) -> bytes:
    """Every error, then every suspicious fact, then one line that counts them."""
    lines = [*_lines(validation, paint), _summary(validation)]
    return utf8("".join(f"{line}\n" for line in lines))


def _lines(validation: Validation, paint: Paint) -> Iterator[str]:
    for problem in validation.problems:
        yield f"{paint.red('error:')} {printable(str(problem), keep=chr(10))}"
    rest = validation.n_problems - len(validation.problems)
    if rest > 0:
        yield f"… and {rest} more of the same kinds"
    for fact in validation.facts:
        yield f"{paint.yellow('suspicious:')} {printable(str(fact), keep=chr(10))}"


def _summary(validation: Validation) -> str:
    errors = counted(validation.n_problems, "error") if validation.n_problems else "no errors"
    facts = counted(len(validation.facts), "suspicious fact") if validation.facts else "no suspicious facts"
    return f"{errors}, {facts}"


def render_json(validation: Validation) -> bytes:
    """The same for programs."""
    return json.dump(
        {
            "schema": SCHEMA,
            "n_errors": validation.n_problems,
            "errors": [_problem(problem) for problem in validation.problems],
            "facts": [fact.to_dict() for fact in validation.facts],
        }
    )


def _problem(problem: Problem) -> dict[str, Any]:
    names = ("file", "line", "column", "message", "hint")
    return {name: getattr(problem, name) for name in names}

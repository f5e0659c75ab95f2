"""How deeply a JSON value nests; measured without recursion, so that what follows it can be followed safely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from spaneval.exceptions import FormatError
from spaneval.problems import Problem

DEEPEST: Final = 100
"""Levels of lists and objects that a document or schema may have; real ones have fewer than twenty."""


def is_too_deep(value: Any) -> bool:
    """Whether lists and objects nest in more than `DEEPEST` levels."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for one in level
            if isinstance(one, Mapping | list)
            for child in (one.values() if isinstance(one, Mapping) else one)
            if isinstance(child, Mapping | list)
        ]
        if not level:
            return False
    return True


def check_depth(value: Any, name: str = "a JSON value") -> None:
    """
    Refuse what nests too deeply.

    Args:
        value: A JSON value.
        name: What it is called.

    Raises:
        FormatError: If it does.

    """
    if is_too_deep(value):
        raise FormatError([Problem(f"{name} nests lists and objects in more than {DEEPEST} levels", kind=FormatError)])

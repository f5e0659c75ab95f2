"""Names that a misspelt one may stand for."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, names: Iterable[str], n: int = 1, cutoff: float = 0.6) -> list[str]:
    """
    The names that are most like one, the nearest first.

    Args:
        name: What was written.
        names: What there is.
        n: How many at most.
        cutoff: How like they must be, from 0 to 1, by the ratio of `difflib`.

    """
    from difflib import get_close_matches  # only a run that offers something needs it

    return get_close_matches(name, list(names), n, cutoff)

"""Why numbers of a breakdown are undefined: each reason once, with the measures and the groups that it holds for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from spaneval.scores import Result

_MOST_PLACES: Final = 8
_ONE = {
    "the one matched pair has no": "none of the n matched pairs has",
    "the one prediction carries no": "none of the n predictions carries an",
    "the one gold annotation carries no": "none of the n gold annotations carries an",
}
"""What reasons say where a number is 1, and what they say of any other."""
_NUMBER = re.compile(r"\b[0-9]+( (?:gold |NIL )?(?:annotation|prediction)| comparable pair)?(?:s| is| are|s are)?\b")

_VALUES = re.compile(r"\b[1-9][0-9]* values?( was| were)?\b")
"""Numbers of values, of which a reason for several fields says that there are some."""


class Why(NamedTuple):
    """The reason why one number has no value."""

    measure: str
    place: str
    reason: str


class Line(NamedTuple):
    """What has no value, and why."""

    subject: str
    reason: str


def legend(reasons: Iterable[Why]) -> Iterator[Line]:
    """
    One line for each reason, in the order in which they come.

    Reasons that differ in numbers only are one, which then says `n`, or names no number: they stand in the table.
    """
    kinds: dict[str, dict[str, list[str]]] = {}
    words: dict[str, set[str]] = {}
    for measure, place, reason in reasons:
        flat = " ".join(reason.split())
        kind = _kind(flat)
        words.setdefault(kind, set()).add(flat)
        kinds.setdefault(kind, {}).setdefault(measure, []).append(place)
    for kind, places in kinds.items():
        texts = words[kind]
        yield Line(subject(places), texts.pop() if len(texts) == 1 else kind)


def why(result: Result, name: str) -> str | None:
    """Why a measure has no value, or else no interval; None where it has what was asked for."""
    of_intervals: dict[str, str] = (result.resampling or {}).get("undefined", {})
    return result.undefined.get(name) or of_intervals.get(name)


def sentences(reasons: Iterable[Why]) -> list[str]:
    """The same as remarks below a table."""
    return [f"{found.subject} undefined: {found.reason}" for found in legend(reasons)]


def by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """
    Measures that share a reason.

    Args:
        reasons: Why, by measure.

    Returns:
        The measures by reason, both in the order in which they come.

    """
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    return names


def _kind(reason: str) -> str:
    """A reason without its numbers."""
    for one, several in _ONE.items():
        reason = reason.replace(one, several)
    reason = _VALUES.sub(lambda found: "values were" if found[1] else "values", reason)
    return _NUMBER.sub(_without_number, reason)


def _without_number(found: re.Match[str]) -> str:
    noun, whole = found[1], found[0]
    if noun is None:
        return re.sub("[0-9]+", "n", whole)
    return f"n{noun}s" + (" are" if whole.endswith((" is", " are")) else "")


def subject(places: Mapping[str, list[str]]) -> str:
    """`Precision, F1 of a, b; Recall of a`: measures of the same places stand together."""
    return "; ".join(f"{', '.join(measures)} of {of}" for of, measures in _by_places(places).items())


def _by_places(places: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Measures by the places that they share."""
    measures: dict[str, list[str]] = {}
    for measure, listed in places.items():
        more = len(listed) - _MOST_PLACES
        shown = ", ".join(listed if more <= 1 else listed[:_MOST_PLACES])
        measures.setdefault(f"{shown} and {more} more" if more > 1 else shown, []).append(measure)
    return measures

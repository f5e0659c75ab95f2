"""
The rules of `--normalize`: what one value of a record is compared as.

A value becomes a key; equal keys are equal values, and None stands for every empty value. Rules change texts, or read
numbers and dates in them; what a rule does not understand is compared exactly. Nothing is ever read as a boolean.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final, Literal

from spaneval.loaders.scalars import NumberText
from spaneval.nearest import nearest

RuleName = Literal["exact", "docubench", "text", "number", "date"]

RULES: Final = {
    "exact": "values as they are",
    "docubench": "numbers to six decimals; text without white space, case and punctuation, as DocuBench compares",
    "text": "text in Unicode's compatibility form, without case, white space collapsed",
    "number": "number:TOL takes numbers, also those written as text, as equal that differ by at most TOL",
    "date": "text that is an ISO 8601 date, or date and time, as that day or moment",
}
"""Names of rules and what they do; `number` needs its tolerance."""

WIDEST: Final = 1000
"""Decimal places, before and behind the point, in which numbers are held against a tolerance; beyond, only equal ones
agree."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_WIDE = Context(prec=2 * WIDEST + 2)
_DATE = re.compile(
    r"(?P<year>[0-9]{4})(?:(?P<dash>-?)(?:(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"|W(?P<week>[0-9]{2})(?P=dash)(?P<weekday>[1-7])|(?P<ordinal>[0-9]{3})))"
)
_SPACE, _MARKS = re.compile(r"\s"), re.compile(r"\W")


class RuleError(ValueError):
    """A rule that does not exist, or lacks what it needs."""


@dataclass(frozen=True, slots=True)
class Rule:
    """
    One rule.

    Args:
        name: One of `RULES`.
        tolerance: Of `number`: how far two numbers may be apart; exact, as it was written.

    """

    name: RuleName = "exact"
    tolerance: Decimal | None = None

    def __str__(self) -> str:
        return self.name if self.tolerance is None else f"{self.name}:{self.tolerance:f}"


EXACT: Final = Rule()
_PLAIN: Final = {"exact": EXACT, "docubench": Rule("docubench"), "text": Rule("text"), "date": Rule("date")}


def rule(text: str) -> Rule:
    """
    The rule of `text`, `date` or `number:0.01`.

    Raises:
        RuleError: If there is no such rule; the message offers the nearest.

    """
    name, colon, bound = text.partition(":")
    if name == "number":
        return Rule("number", _tolerance(text, bound if colon else None))
    if text in _PLAIN:
        return _PLAIN[text]
    if name in RULES:
        raise RuleError(f"'{text}': the rule {name} takes nothing after a colon")
    near = nearest(name, RULES, n=1)
    offer = f"did you mean '{_written(near[0])}'?" if near else f"there are {', '.join(map(_written, RULES))}"
    raise RuleError(f"there is no rule '{text}'; {offer}")


def _written(name: str) -> str:
    return "number:TOL" if name == "number" else name


def _tolerance(text: str, bound: str | None) -> Decimal:
    if not bound:
        raise RuleError(f"'{text}': the rule number needs a tolerance, such as number:0.01 or number:0")
    found = number_in(bound)
    if found is None:
        raise RuleError(f"'{text}': '{bound}' is not a number, expected a tolerance such as 0.01")
    if found < 0:
        raise RuleError(f"'{text}': a tolerance is how far two numbers may be apart; expected 0 or more")
    if not _is_within(found):
        raise RuleError(f"'{text}': a tolerance has at most {WIDEST} decimal places")
    return abs(found)


def key_of(value: Any, rule: Rule = EXACT, *, nfc: bool = False) -> Hashable:
    """
    What a value is compared as.

    Args:
        value: A JSON value. Numbers are int, float or `NumberText`, a JSON number as it is written; a float stands for
            the shortest decimal that reads as it.
        rule: How.
        nfc: Whether canonically equivalent texts (NFC and NFD) are equal whatever the rule.

    Returns:
        None for what is empty: null, `""`, and lists and objects that hold nothing but empty values. Equal keys are
        equal values. A number is an int or a Decimal, 1 and 1.0 the same; in objects, an empty member is no member.

    """
    if value is None:
        return None
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, NumberText):
        return _number_key(Decimal(value), rule)
    if isinstance(value, str):
        return _text_key(unicodedata.normalize("NFC", value) if nfc else value, rule)
    if isinstance(value, int):
        return _number_key(Decimal(value), rule) if rule.name == "docubench" else value
    if isinstance(value, float):
        return _number_key(Decimal(repr(value)), rule)
    if isinstance(value, Decimal):
        return _number_key(value, rule)
    if isinstance(value, Mapping):
        members = ((str(name), key_of(item, rule, nfc=nfc)) for name, item in value.items())
        found = tuple(sorted(((name, key) for name, key in members if key is not None), key=lambda x: x[0]))
        return ("object", found) if found else None
    items = tuple(key_of(item, rule, nfc=nfc) for item in value)
    return ("list", items) if any(item is not None for item in items) else None


def _number_key(number: Decimal, rule: Rule) -> Hashable:
    if rule.name == "docubench" and math.isfinite(rounded := round(float(number), 6)):
        return Decimal(repr(rounded))
    return number


def _text_key(text: str, rule: Rule) -> Hashable:
    if rule.name == "text":
        text = plain_text(text)
    elif rule.name == "docubench":
        text = _MARKS.sub("", _SPACE.sub("", text).lower())
    elif rule.name == "number":
        number = number_in(text)
        return text or None if number is None else number
    elif rule.name == "date":
        return date_in(text) or text or None
    return text or None


def plain_text(text: str) -> str:
    """Unicode's compatibility form (NFKC), without case, white space collapsed; signs and points stay what they are."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).casefold().split())


def number_in(text: str) -> Decimal | None:
    """The number that a text is, white space around it aside: digits, a point, an exponent, and no separators."""
    stripped = text.strip()
    if not _NUMBER.fullmatch(stripped):
        return None
    try:
        return Decimal(stripped)
    except InvalidOperation:  # pragma: no cover - more digits than memory
        return None


def _is_within(number: Decimal) -> bool:
    """Whether a number has no digit beyond `WIDEST` places on either side of the point."""
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -WIDEST and number.adjusted() < WIDEST


def is_near(x: int | Decimal, y: int | Decimal, tolerance: Decimal) -> bool:
    """Whether two numbers differ by at most the tolerance; exact, so that 1.05 and 1.04 differ by 0.01 and not more."""
    if x == y:
        return True
    x, y = Decimal(x), Decimal(y)
    return _is_within(x) and _is_within(y) and abs(_WIDE.subtract(x, y)) <= tolerance


def date_in(text: str) -> Hashable:
    """
    The day, or the moment, that a text is in ISO 8601; None for any other text.

    Days are calendar dates, week dates and ordinal dates, with dashes or without. A moment is a day, `T` and a time;
    one with an offset is compared with others as in UTC, one without is never equal to one with. Midnight without an
    offset is the day itself, as data frames write it.
    """
    stripped = text.strip()
    day, letter, time = stripped.partition("T")
    found = _DATE.fullmatch(day)
    try:
        on = found and _day(found)
        if not on:
            return None
        if not letter:
            return ("date", on)
        if not re.match("[01][0-9]|2[0-3]", time):
            return None
        moment = datetime.fromisoformat(f"{on.isoformat()}T{time}")
        if moment.tzinfo is None:
            return ("date", on) if moment.time() == datetime.min.time() else ("moment", moment)
        return ("moment in UTC", moment.astimezone(UTC))
    except (ValueError, OverflowError):  # no such day or time
        return None


def _day(found: re.Match[str]) -> date:
    year = int(found["year"])
    if found["week"]:
        return date.fromisocalendar(year, int(found["week"]), int(found["weekday"]))
    if found["ordinal"]:
        on = date(year, 1, 1) + timedelta(int(found["ordinal"]) - 1)
        if on.year != year:
            raise ValueError(f"no day {found['ordinal']} in {year}")
        return on
    return date(year, int(found["month"]), int(found["day"]))

"""
The checks of `spaneval records --strict`: the same records on both sides, exactly the fields, one text or null in each.

Without them, what is missing counts as empty and is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from spaneval.exceptions import AlignmentError, InputError
from spaneval.loaders.records import Records
from spaneval.loaders.scalars import NumberText, describe
from spaneval.problems import Note, Problem, Problems, counted

_SHOWN = 8
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Absent:
    """
    What one side does not have and the other one has.

    Args:
        gold_records: Records of the predictions that the gold does not have.
        predicted_records: Records of the gold without a prediction.
        gold_fields: Fields that gold records lack, over all of these.
        predicted_fields: The same of the predictions.

    """

    gold_records: int
    predicted_records: int
    gold_fields: int
    predicted_fields: int

    def to_dict(self) -> dict[str, int]:
        """As in the JSON report."""
        return {name: getattr(self, name) for name in self.__slots__}


def absent(gold: Records, predictions: Records, fields: Sequence[str]) -> Absent:
    """What is missing on either side."""
    return Absent(
        len(predictions.values.keys() - gold.values.keys()),
        len(gold.values.keys() - predictions.values.keys()),
        _lacking(gold, fields),
        _lacking(predictions, fields),
    )


def _lacking(records: Records, fields: Sequence[str]) -> int:
    return sum(name not in values for values in records.values.values() for name in fields)


def absence_notes(found: Absent, gold: Records, predictions: Records) -> list[Note]:
    """What a reader should know of it, with the first ids."""
    unpredicted = _first(gold, predictions)
    unknown = _first(predictions, gold)
    told = (
        (
            "records-without-prediction",
            found.predicted_records,
            "gold record",
            f"without a prediction ({unpredicted}), scored as if nothing had been extracted",
        ),
        (
            "records-without-gold",
            found.gold_records,
            "predicted record",
            f"not in the gold ({unknown}), scored as if the gold had no value there",
        ),
        ("absent-predicted-fields", found.predicted_fields, "field", "absent from predicted records, counted as empty"),
        ("absent-gold-fields", found.gold_fields, "field", "absent from gold records, counted as empty"),
    )
    return [Note(code, n, f"{counted(n, noun)} {what}") for code, n, noun, what in told if n]


def _first(some: Records, other: Records) -> str:
    """Some ids that the other side does not have, in their order as text."""
    lacking = some.values.keys() - other.values.keys()
    shown = ", ".join(nsmallest(_NAMED, lacking))
    return shown if len(lacking) <= _NAMED else f"{shown} and {len(lacking) - _NAMED} more"


def check_strictly(gold: Records, predictions: Records, fields: Sequence[str], key: str, problems: Problems) -> None:
    """
    The checks of the source of exact-match scoring.

    Args:
        gold: The gold.
        predictions: The predictions.
        fields: The fields that every record must have, and no other.
        key: The field that holds the id, for messages.
        problems: Gets what is wrong.

    """
    _check_ids(gold, predictions, "the gold", "predictions", problems)
    _check_ids(predictions, gold, "the predictions", "gold", problems)
    for records in (gold, predictions):
        for record, values in records.values.items():
            _check_names(records, record, values, fields, problems)
            for name in fields:
                if name in values:
                    _check_value(records, record, name, values[name], problems)


def _check_ids(some: Records, other: Records, of: str, without: str, problems: Problems) -> None:
    for record in some.values:
        if record not in other.values:
            message = f"record '{record}' of {of} is not in the {without}; --strict wants the same records in both"
            line = some.line(record) if problems.wants_more else None
            problems.add(Problem(message, some.name, line, kind=AlignmentError))


def _check_names(
    records: Records, record: str, values: Iterable[str], fields: Sequence[str], problems: Problems
) -> None:
    present = set(values)
    lacking = [name for name in fields if name not in present]
    more = sorted(present.difference(fields))
    if lacking or more:
        said = [f"lacks {_listed(lacking)}"] if lacking else []
        said += [f"has {_listed(more)} as well"] if more and lacking else [f"has {_listed(more)}"] if more else []
        message = f"record '{record}' {' and '.join(said)}; --strict wants exactly the fields {', '.join(fields)}"
        line = records.line(record) if problems.wants_more else None
        problems.add(Problem(message, records.name, line, kind=InputError))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def _check_value(records: Records, record: str, name: str, value: Any, problems: Problems) -> None:
    is_text = isinstance(value, str) and not isinstance(value, NumberText)
    if value is None or (is_text and value.strip()):
        return
    found = f"{describe(value)}, a blank text" if is_text else describe(value)
    hint = "null says that there is no value" if is_text else 'write it as text, such as "7"'
    message = f"record '{record}': the field '{name}' is {found}; --strict wants text or null"
    line = records.line(record) if problems.wants_more else None
    problems.add(Problem(message, records.name, line, hint=hint, kind=InputError))

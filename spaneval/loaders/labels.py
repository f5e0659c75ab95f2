"""
The class of each object: records of one field that must be there and must be text.

Files, ids and their messages are those of `spaneval.loaders.records`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from spaneval.exceptions import AlignmentError, FormatError
from spaneval.loaders.records import Records, load_records
from spaneval.loaders.scalars import BAD, describe, text_id
from spaneval.problems import Problem, Problems, counted

LABEL: Final = "label"
"""The field that holds the class of an object, unless another one is named."""

SEPARATOR: Final = "\x1f"
"""Stands between two classes in the columns of counts, so no class can hold it."""

_SHOWN: Final = 5
_LABEL_HINT: Final = "--label NAME names the field that holds it"


@dataclass(frozen=True, slots=True)
class Labels:
    """
    The classes of one side.

    Args:
        records: Where they come from.
        values: Class of each object by its id, in the order of the file.

    """

    records: Records
    values: dict[str, str]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str | None:
        """The file as the user named it; None in memory."""
        return self.records.name


def load_labels(source: Any, problems: Problems, *, key: str, label: str) -> Labels:
    """
    Classes in any form.

    Args:
        source: A path, `-` for standard input, or data in memory: `{id: class}`, `{id: {label: class}}`, a list of
            dicts, a data frame, or a series with the ids as its index.
        problems: Gets what is wrong.
        key: The field that holds the id.
        label: The field that holds the class; an integer counts as its digits.

    Raises:
        InputError: If a file cannot be opened.
        TypeError: If it is no source at all.

    """
    records = load_records(_as_records(source, key, label), key, problems)
    values: dict[str, str] = {}
    if records.columns and label not in records.columns and label != key:
        message = f"no column '{label}', which holds the class of an object (found: {', '.join(records.columns)})"
        problems.add(Problem(message, records.name, hint=_LABEL_HINT, kind=FormatError))
        return Labels(records, values)
    known: dict[str, str] = {}
    for record, fields in records.values.items():
        given = fields.get(label)
        if type(given) is str and given in known:
            values[record] = known[given]  # so that a million objects share the text of their class
            continue
        name = text_id(given)
        if isinstance(name, str) and name.strip() and SEPARATOR not in name:
            values[record] = known.setdefault(name, name)
        elif problems.wants_more:
            problems.add(_bad_label(records, record, fields, label))
        else:
            problems.add_uncounted(1)
    return Labels(records, values)


def _as_records(source: Any, key: str, label: str) -> Any:
    """Classes by id as rows, in which an id of a series may occur twice; anything else as it is."""
    if not hasattr(source, "items") or hasattr(source, "iterrows"):
        return source
    items = list(source.items())
    if any(isinstance(value, Mapping) for _, value in items):
        return source
    return [{key: given, label: value} for given, value in items]


def _bad_label(records: Records, record: str, fields: Mapping[str, Any], label: str) -> Problem:
    hint = None
    if label not in fields:
        others = ", ".join(fields) or "none"
        message = f"record '{record}' has no '{label}', its class (found: {others})"
        hint = _LABEL_HINT
    else:
        value = fields[label]
        name = text_id(value)
        if name is BAD:
            found = f"the label of record '{record}' is {describe(value)}"
            message = f"{found}, expected text or an integer"
        elif name is None or not name.strip():
            is_null = value is None and not records.is_text
            message = f"the label of record '{record}' is {'null' if is_null else 'blank'}, expected a class"
            hint = "objects that belong nowhere need a class of their own, such as 'other'"
        else:
            message = f"the label of record '{record}' holds the control character U+001F, expected text"
    return Problem(message, records.name, records.line(record), hint=hint)


def check_same_ids(gold: Labels, predictions: Labels, problems: Problems) -> None:
    """
    Report ids that only one side has, and a gold without any.

    Args:
        gold: What is.
        predictions: What was predicted.
        problems: Gets at most one problem for each side, which names the first ids.

    """
    if not len(gold.records):
        hint = 'a row holds the id of an object and its class, such as {"id": "1", "label": "invoice"}'
        problems.add(Problem("no row, expected the class of each object", gold.name, hint=hint))
        return
    missing = _only_in(gold, predictions)
    if missing:
        n = len(missing)
        message = f"{counted(n, 'id')} of the gold {_are(n)} missing in the predictions: {_listed(gold, missing)}"
        hint = "every object of the gold needs a predicted class"
        problems.add(Problem(message, predictions.name, hint=hint, kind=AlignmentError))
    extra = _only_in(predictions, gold)
    if extra:
        message = f"{counted(len(extra), 'id')} {_are(len(extra))} not in the gold: {_listed(predictions, extra)}"
        hint = "leave out the rows of objects without a known class"
        line = predictions.records.line(extra[0])
        problems.add(Problem(message, predictions.name, line, hint=hint, kind=AlignmentError))


def _only_in(one: Labels, other: Labels) -> list[str]:
    return [record for record in one.records.values if record not in other.records.values]


def _listed(side: Labels, ids: Sequence[str]) -> str:
    """The first ids, each with its line."""
    shown = []
    for record in ids[:_SHOWN]:
        line = side.records.line(record)
        place = f" ({side.name}:{line})" if side.name is not None and line is not None else ""
        shown.append(f"'{record}'{place}")
    more = len(ids) - _SHOWN
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _are(n: int) -> str:
    return "is" if n == 1 else "are"

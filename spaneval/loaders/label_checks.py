"""
Labels against their own schema, by the `jsonschema` library: what does not fit is told, never a reason to stop.

What is told is in terms of JSON, and the same whatever the order of files, keys and rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from spaneval.problems import Note

if TYPE_CHECKING:
    from spaneval.loaders.json_documents import JsonDocuments

_NAMED: Final = 3
"""Labels that a note names."""
_MOST: Final = 1000
"""Violations of one label that are counted."""
_LONGEST: Final = 80
"""Characters of a place or a message."""
_WIDEST: Final = 40
"""Characters of a value in a message."""

_ENDLESS: Final = "its references never come to an end"


def label_notes(documents: JsonDocuments) -> list[Note]:
    """Which labels violate their schema, and which schemas cannot say so because they are no valid JSON Schema."""
    named: list[str] = []
    silent: list[str] = []
    n_violations, n_unchecked, checked = 0, 0, {}
    first = ""
    for name in documents.names:
        schema = documents.schemas.get(name)
        if schema is None or name not in documents.labels:
            continue
        if id(schema) not in checked:
            checked[id(schema)] = _validator(schema.content)
        validator, why = checked[id(schema)]
        if validator is not None and _says_nothing(validator, schema.content):
            silent.append(name)
        found: list[tuple[str, str]] = []
        if validator is not None:
            found, why = _violations(validator, documents.labels[name])
        if why:
            n_unchecked += 1
            first = first or f"{name} ({why})"
        if found:
            n_violations += len(found)
            place, message = min(found)
            named.append(f"{name} at {place}: {message}")
    notes = []
    if named:
        more = "; …" if len(named) > _NAMED else ""
        n, places = len(named), f"{n_violations} place{'s' * (n_violations > 1)}"
        message = (
            f"{n} of {len(documents.labels)} labels violate{'s' * (n == 1)} {'its' if n == 1 else 'their'} own schema "
            f"in {places}: {'; '.join(named[:_NAMED])}{more}"
        )
        notes.append(Note("labels-violate-schema", n_violations, message))
    if n_unchecked:
        message = f"labels not checked, because their schema is no valid JSON Schema: {n_unchecked}, first {first}"
        notes.append(Note("labels-not-checked", n_unchecked, message))
    if silent:
        more = ", …" if len(silent) > _NAMED else ""
        have = "has a schema" if len(silent) == 1 else "have schemas"
        message = (
            f"{len(silent)} of {len(documents.labels)} documents {have} without any keyword of JSON Schema, such as "
            f"type or properties ({', '.join(silent[:_NAMED])}{more}): each key is one value then; are the schemas "
            "what they should be?"
        )
        notes.append(Note("schemas-say-nothing", len(silent), message))
    return notes


def _says_nothing(validator: Any, schema: Any) -> bool:
    """Whether something stands in a schema, and none of it is a keyword; as in a label taken for a schema."""
    keywords = {*validator.VALIDATORS, "definitions", "nullable"}
    return isinstance(schema, dict) and bool(schema) and not any(x in keywords or x[:1] == "$" for x in schema)


def _validator(schema: Any) -> tuple[Any, str]:
    """A validator, or why there is none."""
    import jsonschema
    import referencing
    from jsonschema.validators import validator_for

    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        return None, f"at {_pointer(map(str, error.absolute_path))}: {_said(error)}"
    except (re.error, RecursionError) as error:
        return None, _failed(error)
    return kind(schema, registry=referencing.Registry()), ""


def _violations(validator: Any, label: Any) -> tuple[list[tuple[str, str]], str]:
    """Places and what is wrong there; and why, if the label cannot be checked."""
    from referencing.exceptions import Unresolvable

    try:
        return list(_told(islice(validator.iter_errors(label), _MOST))), ""
    except (re.error, RecursionError, ArithmeticError, Unresolvable) as error:  # floats do not reach, two have one $id
        return [], _failed(error)


def _failed(error: Exception) -> str:
    return _ENDLESS if isinstance(error, RecursionError) else _short(str(error))


def _told(errors: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Rows are shown as `*`, because their order is of no importance."""
    for error in errors:
        yield _pointer("*" if isinstance(step, int) else step for step in error.absolute_path), _said(error)


def _pointer(steps: Iterable[str]) -> str:
    return _short("#" + "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps))


def _said(error: Any) -> str:
    """A message in which values stand as in JSON, and a list or an object that is wrong as what it is."""
    if error.validator is None:
        return f"nothing is allowed here, and there is {_written(error.instance)}"
    message, given, wanted = error.message, repr(error.instance), error.validator_value
    start = ""
    if message.startswith(given):
        start, message = _written(error.instance), message[len(given) :]
    if error.validator == "type" and isinstance(wanted, list):
        message = message.replace(", ".join(map(repr, wanted)), " or ".join(map(_as_json, wanted)))
    return _short(start + message.replace(repr(wanted), _as_json(wanted)))


def _written(value: Any) -> str:
    if value and isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return _short(_as_json(value), _WIDEST)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(message: str, most: int = _LONGEST) -> str:
    flat = " ".join(message.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"

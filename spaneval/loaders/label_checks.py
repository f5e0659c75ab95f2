"""Labels against their own schema, by the `jsonschema` library: what does not fit is told, never a reason to stop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from spaneval.problems import Note

if TYPE_CHECKING:
    from spaneval.loaders.json_documents import JsonDocuments

_NAMED: Final = 3
"""Labels that a note names."""
_MOST: Final = 1000
"""Violations of one label that are counted."""


def label_notes(documents: JsonDocuments) -> list[Note]:
    """Which labels violate their schema, and which schemas cannot say so because they are no valid JSON Schema."""
    named: list[str] = []
    n_violations, n_unchecked, checked = 0, 0, {}
    first = ""
    for name, label in documents.labels.items():
        schema = documents.schemas.get(name)
        if schema is None:
            continue
        if id(schema) not in checked:
            checked[id(schema)] = _validator(schema.content)
        validator, why = checked[id(schema)]
        if validator is None:
            n_unchecked += 1
            first = first or f"{name} ({why})"
            continue
        found = list(_violations(validator, label))
        n_violations += len(found)
        named += [f"{name} at {one}" for one in found[:1]]
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
    return notes


def _validator(schema: Any) -> tuple[Any, str]:
    """A validator, or why there is none."""
    import jsonschema
    import referencing
    from jsonschema.validators import validator_for

    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        return None, f"at {_shown(error.absolute_path)} {_short(error.message)}"
    except (re.error, RecursionError) as error:
        return None, _short(str(error))
    return kind(schema, registry=referencing.Registry()), ""


def _violations(validator: Any, label: Any) -> Iterator[str]:
    try:
        for error in islice(validator.iter_errors(label), _MOST):
            yield f"{_shown(error.absolute_path)}: {_short(error.message)}"
    except (re.error, RecursionError) as error:
        yield f"#: it cannot be checked: {_short(str(error))}"


def _shown(path: Any) -> str:
    """Keys and indices as a JSON pointer."""
    return _short("#" + "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path))


def _short(message: str) -> str:
    flat = " ".join(message.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"

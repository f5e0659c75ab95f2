"""The JSON schema of reviewed records: which fields there are, and which of them identify a record or are required."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from spaneval.exceptions import FormatError
from spaneval.loaders.json_text import BOM, Lines
from spaneval.loaders.strict_json import parse_strictly
from spaneval.loaders.tables import open_bytes
from spaneval.nearest import nearest
from spaneval.problems import Note, Problem, Problems

Required = Literal["literal", "non-nullable"]

_WAY: Final = ("properties", "records", "items", "properties")
_SEVERE: Final = ("x-unique-fields", "required")
_FORM: Final = "expected properties.records.items with properties, required and x-unique-fields"


@dataclass(frozen=True, slots=True)
class ReviewSchema:
    """
    What the schema says of one record.

    Args:
        name: The file as the user named it.
        fields: Names of the fields, in the order of the schema.
        unique: Fields that tell records apart (`x-unique-fields`), as written.
        required: Fields that must be there (`required`), as written.
        nullable: Fields whose type admits null.

    """

    name: str
    fields: tuple[str, ...]
    unique: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    nullable: frozenset[str] = frozenset()

    def major(self, required: Required = "literal") -> frozenset[str]:
        """
        The fields whose edits are major: those that identify a record, and those that are required.

        Args:
            required: `literal` takes `required` as written; `non-nullable` leaves out what may be null, because a
                schema for a model often has to list every field.

        """
        strictly = self.required if required == "literal" else [x for x in self.required if x not in self.nullable]
        return frozenset((*self.unique, *strictly))

    def notes(self, required: Required = "literal") -> list[Note]:
        """What a reader of the numbers should know of it."""
        notes = []
        known = set(self.fields)
        unknown = [name for name in dict.fromkeys((*self.unique, *self.required)) if name not in known]
        if unknown:
            shown = ", ".join(map(repr, unknown[:3])) + (", …" if len(unknown) > 3 else "")
            near = nearest(unknown[0], self.fields, n=1)
            offer = f"; did the schema mean {near[0]!r}?" if near else ""
            message = f"{self.name}: required and x-unique-fields name {shown}, which properties lacks{offer}"
            notes.append(Note("unknown-schema-fields", len(unknown), message))
        if known <= self.major(required):
            remedy = "; --required non-nullable leaves out those that may be null" if required == "literal" else ""
            message = f"{self.name}: no edit can be minor, because every field is unique or required{remedy}"
            notes.append(Note("no-minor-fields", len(known), message))
        return notes


def read_review_schema(name: str) -> ReviewSchema:
    """
    Read the schema strictly.

    Raises:
        FormatError: If it is not JSON, or says nothing of the fields of records.
        InputError: If it cannot be read.

    """
    problems = Problems()
    with open_bytes(name) as file:
        raw = file.read().removeprefix(BOM)
    content = parse_strictly(raw, name, problems)
    problems.raise_if_any()
    record: Any = content
    for depth, key in enumerate(_WAY):
        if not isinstance(record, Mapping) or key not in record:
            raise _lacks(name, raw, record, depth)
        parent, record = record, record[key]
    if not isinstance(record, Mapping) or not record:
        raise _problem(name, raw, _WAY, f"{'.'.join(_WAY)} {_shown(record)}; expected an object with a key per field")
    unique, required = (_names(name, raw, parent, key) for key in _SEVERE)
    nullable = frozenset(field for field, spec in record.items() if admits_null(spec))
    return ReviewSchema(name, tuple(record), unique, required, nullable)


def admits_null(spec: Any) -> bool:
    """Whether a JSON Schema lets a value be null; references are not followed, and count as not letting it."""
    if isinstance(spec, bool) or not isinstance(spec, Mapping):
        return spec is not False
    kinds = spec.get("type")
    is_typed = kinds is not None and not spec.get("nullable")
    if is_typed and "null" not in (kinds if isinstance(kinds, list) else [kinds]):
        return False
    for key in ("anyOf", "oneOf"):
        if isinstance(spec.get(key), list) and not any(map(admits_null, spec[key])):
            return False
    if isinstance(spec.get("allOf"), list) and not all(map(admits_null, spec["allOf"])):
        return False
    if isinstance(spec.get("enum"), list) and None not in spec["enum"]:
        return False
    return "$ref" not in spec and spec.get("const") is None


def _names(name: str, raw: bytes, record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of names of fields; none where the key is missing."""
    value = record.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        path = (*_WAY[:-1], key)
        raise _problem(name, raw, path, f"{'.'.join(path)} {_shown(value)}; expected a list of names of fields")
    return tuple(dict.fromkeys(value))


def _lacks(name: str, raw: bytes, parent: Any, depth: int) -> FormatError:
    place = ".".join(_WAY[:depth]) or "the schema"
    key = _WAY[depth]
    if not isinstance(parent, Mapping):
        return _problem(name, raw, _WAY[:depth], f"{place} {_shown(parent)}; expected an object with '{key}'")
    found = ", ".join(map(str, list(parent)[:6])) or "nothing"
    hint = None
    if "$ref" in parent:
        hint = "references are not followed here; write out what it refers to"
    return _problem(name, raw, _WAY[:depth], f"{place} has no '{key}' (found: {found}); {_FORM}", hint)


def _problem(name: str, raw: bytes, path: Sequence[str | int], message: str, hint: str | None = None) -> FormatError:
    return FormatError([Problem(message, name, Lines(raw)(path), hint=hint, kind=FormatError)])


def _shown(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    if isinstance(value, dict | list) and not value:
        return f"is {kinds[type(value)]} without anything in it"
    return f"is {kinds.get(type(value), 'a number')}"

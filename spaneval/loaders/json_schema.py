"""
JSON Schema as far as scoring needs it: which values are objects, which are rows, which are one leaf.

`$ref`, `$defs`, `anyOf`, `oneOf` and `allOf` are followed when the data gets there, so that recursive schemas end where
the data ends. All that may describe a value is taken together: a property is whatever one of the alternatives says.
References are resolved by the `referencing` library, inside the file alone; nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spaneval.exceptions import FormatError
from spaneval.problems import Problem, Problems

if TYPE_CHECKING:
    from referencing._core import Resolver

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ALTERNATIVES: Final = ("allOf", "anyOf", "oneOf")
_BRANCHES: Final = ("then", "else")
_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS: Final = (*_ALTERNATIVES, "prefixItems")
_SINGLES: Final = (
    *_BRANCHES, "if", "not", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties",
    "additionalItems", "unevaluatedItems",
)  # fmt: skip
_NAMES: Final = (*_REFERENCES, "$id", "$schema", "$anchor", "$dynamicAnchor")
_SHAPES: Final = ((_MAPS, Mapping, "an object"), (_LISTS, list, "a list"), (_NAMES, str, "a text"))
_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")


class _Part(NamedTuple):
    """One of the schemas that describe a value, and what its references are relative to."""

    schema: Any
    resolver: Resolver[Any]


class Node:
    """
    What is known of one value.

    Args:
        parts: The schemas that describe it, references and alternatives not yet followed.

    """

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._given = parts

    @cached_property
    def _parts(self) -> list[_Part]:
        return _followed(self._given)

    @property
    def identity(self) -> frozenset[int]:
        """The same for nodes that the same schemas describe, which tells where a recursive schema comes back."""
        return frozenset(id(part.schema) for part in self._parts)

    @cached_property
    def _types(self) -> set[str]:
        found: set[str] = set()
        for schema, _ in self._parts:
            kind = schema.get("type")
            if isinstance(kind, str):
                found.add(kind)
            elif isinstance(kind, list):
                found.update(map(str, kind))
            else:
                found |= {"object"} if any(key in schema for key in ("properties", "patternProperties")) else set()
                found |= {"array"} if any(key in schema for key in ("items", "prefixItems")) else set()
        return found

    @property
    def is_object(self) -> bool:
        """Whether an object here is one of the schema's, so that its members are looked at one by one."""
        return "object" in self._types

    @property
    def is_array(self) -> bool:
        """Whether a list here holds rows."""
        return "array" in self._types

    @property
    def is_open(self) -> bool:
        """Whether nothing is said of the value, neither by `type` nor by `properties` or `items`."""
        return not self._types

    @cached_property
    def properties(self) -> dict[str, Node]:
        """The members that the schema names, in its order."""
        parts: dict[str, list[_Part]] = {}
        for schema, resolver in self._parts:
            for key, one in _mapping(schema.get("properties")).items():
                parts.setdefault(key, []).append(_Part(one, resolver))
        return {key: Node(found) for key, found in parts.items()}

    def member(self, key: str) -> Node | None:
        """
        What is known of a member of an object.

        Returns:
            A node, that of any value where the schema says nothing of the key; None where it allows no such key.

        """
        if key in self.properties:
            return self.properties[key]
        return self._other_member(key)

    def _other_member(self, key: str) -> Node | None:
        matched = [
            _Part(one, resolver)
            for schema, resolver in self._parts
            for pattern, one in _mapping(schema.get("patternProperties")).items()
            if _matches(pattern, key)
        ]
        if matched:
            return Node(matched)
        return self._additional

    @cached_property
    def _additional(self) -> Node | None:
        """Members that are not named: explicit permission weighs more than a ban, and a ban more than silence."""
        said = [_Part(x.schema[key], x.resolver) for x in self._parts for key in _OTHERS if key in x.schema]
        allowed = [part for part in said if part.schema is not False]
        return None if said and not allowed else Node([part for part in allowed if isinstance(part.schema, Mapping)])

    @cached_property
    def prefix(self) -> list[Node]:
        """Items of a list that are described by their place, as in a tuple."""
        parts: list[list[_Part]] = []
        for schema, resolver in self._parts:
            for k, one in enumerate(_prefix_of(schema)):
                if k == len(parts):
                    parts.append([])
                parts[k].append(_Part(one, resolver))
        return [Node(found) for found in parts]

    @cached_property
    def items(self) -> Node:
        """The other items of a list, which are rows."""
        found = []
        for schema, resolver in self._parts:
            one = schema.get("additionalItems" if isinstance(schema.get("items"), list) else "items")
            if isinstance(one, Mapping):
                found.append(_Part(one, resolver))
        return Node(found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _prefix_of(schema: Mapping[str, Any]) -> list[Any]:
    """`prefixItems`, which were a list under `items` before 2020."""
    for key in ("prefixItems", "items"):
        if isinstance(schema.get(key), list):
            found: list[Any] = schema[key]
            return found
    return []


def _matches(pattern: str, key: str) -> bool:
    try:
        return re.search(pattern, key) is not None
    except re.error:
        return False


def _followed(given: Sequence[_Part]) -> list[_Part]:
    """The schemas themselves and all that they refer to, or have as alternatives, each once."""
    found: dict[int, _Part] = {}
    waiting = list(reversed(given))
    while waiting:
        schema, resolver = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in found:
            continue
        resolver = _inside(schema, resolver)
        found[id(schema)] = _Part(schema, resolver)
        further = [_Part(one, resolver) for key in _ALTERNATIVES for one in _sequence(schema.get(key))]
        further += [_Part(schema[key], resolver) for key in _BRANCHES if key in schema]
        for key in _REFERENCES:
            if isinstance(schema.get(key), str):
                target = resolver.lookup(schema[key])
                further.insert(0, _Part(target.contents, target.resolver))
        waiting += reversed(further)
    return list(found.values())


def _sequence(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _inside(schema: Mapping[str, Any], resolver: Resolver[Any]) -> Resolver[Any]:
    """References below an `$id` are relative to it."""
    if not isinstance(schema.get("$id"), str):
        return resolver
    return resolver.in_subresource(_resource(schema))


def _resource(schema: Any) -> Any:
    import referencing
    import referencing.exceptions
    from referencing.jsonschema import DRAFT202012

    try:
        return referencing.Resource.from_contents(schema, default_specification=DRAFT202012)
    except (referencing.exceptions.CannotDetermineSpecification, AttributeError, TypeError):
        return DRAFT202012.create_resource(schema)


def schema_of(content: Any, name: str | None, problems: Problems) -> Node | None:
    """
    The root of a schema whose references all lead somewhere.

    Args:
        content: The JSON value.
        name: Its file; None for one in memory.
        problems: Gets what is wrong with it, with a JSON pointer.

    Returns:
        The root; None if the schema cannot be used.

    """
    if not isinstance(content, Mapping):
        message = 'not a JSON Schema: an object is expected, such as {"type": "object", "properties": …}'
        problems.add(Problem(message, name, kind=FormatError))
        return None
    known = set[int]()
    found = list(_misshapen(content, "#", name, known))
    if not found:
        import referencing

        registry: Any = referencing.Registry()
        root = registry.resolver_with_root(_resource(content))
        found = list(_wrong_references(content, root, name, known))
    for problem in found:
        problems.add(problem)
    return None if found else Node([_Part(content, root)])


def _misshapen(content: Any, at: str, name: str | None, known: set[int]) -> Iterator[Problem]:
    """Keywords that do not hold schemas, or names, where they must; `known` are schemas that were looked at."""
    waiting: list[tuple[str, Any]] = [(at, content)]
    while waiting:
        pointer, schema = waiting.pop()
        if id(schema) in known:
            continue
        known.add(id(schema))
        if isinstance(schema, bool):
            continue
        if not isinstance(schema, Mapping):
            yield _misfit(pointer, "an object", name)
            continue
        for keys, kind, expected in _SHAPES:
            for key in keys:
                if key in schema and not isinstance(schema[key], kind):
                    yield _misfit(f"{pointer}/{key}", expected, name)
        waiting += reversed([(f"{pointer}/{step}", one) for step, one in _below(schema)])


def _misfit(pointer: str, expected: str, name: str | None) -> Problem:
    return Problem(f"not a JSON Schema: at {pointer} {expected} is expected", name, kind=FormatError)


def _wrong_references(
    content: Mapping[str, Any], root: Resolver[Any], name: str | None, known: set[int]
) -> Iterator[Problem]:
    """References that cannot be used; what they lead to is looked at, wherever it stands."""
    waiting: list[tuple[str, Any, Resolver[Any]]] = [("#", content, root)]
    seen = set[int]()
    while waiting:
        pointer, schema, resolver = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        resolver = root if pointer == "#" else _inside(schema, resolver)
        further = [(f"{pointer}/{step}", one, resolver) for step, one in _below(schema)]
        for key in _REFERENCES:
            target = _target(schema[key], f"{pointer}/{key}", resolver, name) if key in schema else None
            if isinstance(target, Problem):
                yield target
            elif target is not None:
                misshapen = list(_misshapen(target.contents, schema[key], name, known))
                yield from misshapen
                further += [] if misshapen else [(schema[key], target.contents, target.resolver)]
        waiting += reversed(further)


def _below(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas inside a schema, with the rest of their pointers."""
    for key in _MAPS:
        for step, one in _mapping(schema.get(key)).items():
            yield f"{key}/{step.replace('~', '~0').replace('/', '~1')}", one
    for key in (*_LISTS, "items"):
        for k, one in enumerate(_sequence(schema.get(key))):
            yield f"{key}/{k}", one
    for key in (*_SINGLES, "items"):
        if key in schema and not isinstance(schema[key], list):
            yield key, schema[key]


def _target(reference: str, pointer: str, resolver: Resolver[Any], name: str | None) -> Any:
    """What a reference leads to, or why that cannot be used."""
    import referencing.exceptions

    hint = None
    try:
        found: Any = resolver.lookup(reference)
        if isinstance(found.contents, Mapping | bool):
            return found
        where = "leads to what is no schema; an object is expected there"
    except (referencing.exceptions.Unresolvable, ValueError, TypeError, KeyError, IndexError):
        is_inside = reference.startswith("#")
        where = "leads nowhere in this file" if is_inside else "leads out of this file, and nothing is fetched"
        hint = None if is_inside else "copy what it refers to below $defs, and refer to it as #/$defs/NAME"
    except AttributeError:  # `items` as a list, where the library expects a schema
        where = "cannot be followed by the rules of the draft of this schema, 2020-12 if it names none"
        hint = 'name the draft, such as "$schema": "https://json-schema.org/draft/2019-09/schema"'
    return Problem(f"the reference {reference!r} at {pointer} {where}", name, hint=hint, kind=FormatError)

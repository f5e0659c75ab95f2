"""
One JSON document under its schema, as plain leaves and arrays of rows.

A leaf is a value that is compared as one. Lists and objects that the schema does not describe, or describes as
something else, are leaves, too: what was extracted is counted wherever it stands. What is empty is no leaf: null, `""`,
and lists and objects that hold nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple

from spaneval.loaders.json_schema import Node
from spaneval.values.fields import Comparator, Comparators

Path = tuple[str | int, ...]
"""Keys of objects, and places in tuples."""

ROWS: Final = "[]"
"""Marks in the name of a field that what follows is found in each row."""

_PLAIN: Final = re.compile(r"[^\s.\[\]\"']+")


class Leaf(NamedTuple):
    """
    One value that is not empty.

    Args:
        value: As it was read.
        key: What it is compared as.

    """

    value: Any
    key: Hashable


class Row(NamedTuple):
    """
    One item of an array that is not empty.

    Args:
        number: Its place in the list, from 0.
        part: What it holds.

    """

    number: int
    part: Part


@dataclass(slots=True)
class Part:
    """
    A document, or one row of an array.

    Args:
        leaves: Those that stand in no array of it, by their paths from here; the row itself is at `()`.
        arrays: Its arrays that have rows, by their paths from here.

    """

    leaves: dict[Path, Leaf] = field(default_factory=dict)
    arrays: dict[Path, list[Row]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing."""
        return not self.leaves and not self.arrays


class Reader:
    """
    Takes documents apart.

    Args:
        root: The schema.
        comparators: What the values of each field are compared as, by `field_name`.

    """

    def __init__(self, root: Node, comparators: Comparators) -> None:
        self._root, self._comparators = root, comparators
        self._fields: dict[tuple[str, Path], tuple[str, Comparator]] = {}
        self.arrays: set[str] = set()
        """Names of the arrays that were met."""
        self.outside: Counter[str] = Counter()
        """Values that the schema does not allow (`additionalProperties: false`) and that are not counted, by field."""

    @property
    def fields(self) -> list[str]:
        """Names of the fields that were met."""
        return [name for name, _ in self._fields.values()]

    def read(self, document: Any) -> Part:
        """
        The leaves and rows of a document.

        Args:
            document: A JSON value, not nested beyond `spaneval.loaders.json_depth.DEEPEST`.

        """
        part = Part()
        self._add(part, "", self._root, document, (), is_top=True)
        return part

    def field(self, inside: str, path: Path) -> tuple[str, Comparator]:
        """Name of the field at `path` of the rows of `inside`, and what compares its values."""
        found = self._fields.get((inside, path))
        if found is None:
            name = inside + shown_path(path, is_inside=bool(inside))
            found = self._fields[inside, path] = (name, self._comparators[plain_name(name)])
        return found

    def _add(self, part: Part, inside: str, node: Node, value: Any, path: Path, *, is_top: bool = False) -> None:
        """Put a value where it belongs; `is_top` for a document or a row, of which an open schema still takes keys."""
        if isinstance(value, Mapping) and (node.is_object or (is_top and node.is_open)):
            for key, one in value.items():
                self._add_member(part, inside, node.member(key), one, (*path, key))
        elif isinstance(value, list) and (node.is_array or (is_top and node.is_open)):
            for k, one in enumerate(value[: len(node.prefix)]):
                self._add(part, inside, node.prefix[k], one, (*path, k))
            self._add_rows(part, inside, node, value, path)
        else:
            key = self.field(inside, path)[1].key(value)
            if key is not None:
                part.leaves[path] = Leaf(value, key)

    def _add_member(self, part: Part, inside: str, node: Node | None, value: Any, path: Path) -> None:
        if node is not None:
            self._add(part, inside, node, value, path)
        elif self.field(inside, path)[1].key(value) is not None:
            self.outside[self.field(inside, path)[0]] += 1

    def _add_rows(self, part: Part, inside: str, node: Node, items: list[Any], path: Path) -> None:
        """Rows without any value are as good as absent."""
        name = array_name(inside, path) + ROWS
        self.arrays.add(array_name(inside, path))
        rows = []
        for number, item in enumerate(items[len(node.prefix) :], start=len(node.prefix)):
            row = Part()
            self._add(row, name, node.items, item, (), is_top=True)
            if not row.is_empty:
                rows.append(Row(number, row))
        if rows:
            part.arrays[path] = rows


def array_name(inside: str, path: Path) -> str:
    """Name of the array at `path` of the rows of `inside`: `items`, `items[].parts`; "" for a document that is one."""
    return inside + shown_path(path, is_inside=bool(inside))


def schema_arrays(root: Node) -> list[str]:
    """Names of the arrays that a schema describes, in its order; where it comes back to itself, it is not followed."""
    return list(dict.fromkeys(_arrays_below(root, "", (), frozenset())))


def _arrays_below(node: Node, inside: str, path: Path, above: frozenset[frozenset[int]]) -> Iterator[str]:
    if node.identity in above:
        return
    above |= {node.identity}
    for k, one in enumerate(node.prefix):
        yield from _arrays_below(one, inside, (*path, k), above)
    if node.is_array:
        name = array_name(inside, path)
        yield name
        yield from _arrays_below(node.items, name + ROWS, (), above)
    for key, one in node.properties.items():
        yield from _arrays_below(one, inside, (*path, key), above)


def shown_path(path: Path, *, is_inside: bool = False) -> str:
    """
    A path as text: `total.net`, `["odd.key"]`, `pair[0]`.

    Args:
        path: The path.
        is_inside: Whether something stands before it.

    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text or is_inside else step
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text


def plain_name(name: str) -> str:
    """The name of a field or array without marks of rows, as options name it: `items.price` for `items[].price`."""
    return name.replace(ROWS, "").removeprefix(".")


def step_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """What paths are sorted by: places before keys."""
    return tuple((0, step, "") if isinstance(step, int) else (1, 0, step) for step in path)


def content_order(key: Hashable) -> tuple[Any, ...]:
    """
    What keys of leaves are sorted by, whatever their types; equal keys give equal orders.

    Args:
        key: As `Comparator.key` makes it.

    """
    if key is None:
        return (0,)
    if isinstance(key, bool):
        return (1, key)
    if isinstance(key, int | Decimal):
        return (2, key)
    if isinstance(key, str):
        return (3, key)
    if isinstance(key, tuple):
        return (4, tuple(content_order(one) for one in key))
    return (5, type(key).__name__, str(key))

"""
JSON objects that are laid out alike: the same keys in the same order with the same blanks, and one plain value each.

What is verified against a layout needs no parser: between literals that are the same to the byte stand values that
`spaneval.loaders.words` has seen to be numbers, null, true, false, or strings without escapes. Anything else, however
sound it may be, is not like the layout and left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, IntArray
from spaneval.loaders.words import Text

LONGEST_LITERAL: Final = 128
"""Bytes between two values; words are read this far beyond a place."""
_BLANK = rb"[ \t\r\n]*"
_FIELD = re.compile(rb'(%(b)s[{,]%(b)s"([^"\\\x00-\x1f]*)"%(b)s:%(b)s)("[^"\\]*"|[-+.\w]+)' % {b"b": _BLANK})
_CLOSING = re.compile(_BLANK + rb"\}")


class Layout(NamedTuple):
    """
    How objects are laid out.

    Args:
        names: The keys, in order, each once.
        literals: What stands before each value, and after the last one.

    """

    names: tuple[str, ...]
    literals: tuple[bytes, ...]


class Alike(NamedTuple):
    """
    What N objects of one layout say.

    Args:
        is_alike: Whether each is laid out so; if not, the other columns say nothing of it.
        ends: One past each object.
        integers: Values of the fields that are to be natural numbers, each int64 of shape (N,).
        tokens: Where the values of other fields start, and one past them.

    """

    is_alike: BoolArray
    ends: IntArray
    integers: dict[str, IntArray]
    tokens: dict[str, tuple[IntArray, IntArray]]


def layout_at(data: bytes, start: int) -> Layout | None:
    """The layout of the object that starts at a byte; None if it is no flat object with distinct keys."""
    literals: list[bytes] = []
    names: list[bytes] = []
    at = start
    while found := _FIELD.match(data, at):
        if (found[1].lstrip()[:1] == b"{") != (at == start) or len(found[1]) > LONGEST_LITERAL:
            return None
        literals.append(found[1])
        names.append(found[2])
        at = found.end()
    closing = _CLOSING.match(data, at)
    if not names or closing is None or len(closing[0]) > LONGEST_LITERAL or len(set(names)) < len(names):
        return None
    try:
        return Layout(tuple(name.decode() for name in names), (*literals, closing[0]))
    except UnicodeDecodeError:
        return None


def read_alike(
    layout: Layout, text: Text, starts: IntArray, integers: Collection[str], tokens: Collection[str]
) -> Alike:
    """
    Read the objects that start at `starts`, as far as they are laid out alike.

    Args:
        layout: What they are held against.
        text: What they stand in.
        starts: First byte of each.
        integers: Names of fields whose values have to be natural numbers of at most eight digits.
        tokens: Names of fields whose values are wanted as they are written.

    """
    at = starts
    is_alike = np.ones(len(at), dtype=np.bool_)
    found = Alike(is_alike, at, {}, {})
    for name, literal in zip(layout.names, layout.literals, strict=False):
        is_alike &= text.has(literal, at)
        at = np.minimum(at + len(literal), text.end)  # those that are not alike may have gone astray
        if name in integers:
            found.integers[name], ends = text.integers(at)
        else:
            ends = text.value_ends(at)
            if name in tokens:
                found.tokens[name] = at, ends
        is_alike &= ends > at
        at = np.minimum(ends, text.end)
    is_alike &= text.has(layout.literals[-1], at)
    return found._replace(ends=at + len(layout.literals[-1]))

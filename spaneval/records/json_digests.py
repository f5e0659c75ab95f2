"""
JSON documents as text that is the same for the same content, from which digests are made.

The order of files and keys changes nothing, nor that of rows, where these are not paired by position.
"""

from __future__ import annotations

import json
from collections.abc import Container, Hashable, Mapping
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from spaneval.signature import gold_digest, record_digests
from spaneval.values.leaves import ROWS, Part, array_name, plain_name, shown_path


def content_text(value: Any, ordered: Container[str] = ()) -> str:
    """
    A document as text.

    Args:
        value: A JSON value, or a document taken apart.
        ordered: Arrays in which the order of rows counts, by `plain_name`.

    """
    return _dumped(_of_part("", value, ordered) if isinstance(value, Part) else value)


def results_digest(results: Mapping[str, Any], ordered: Container[str] = ()) -> str:
    """Sixteen hexadecimal digits that depend on all results by document; see `content_text`."""
    return gold_digest(record_digests(list(results), [content_text(one, ordered) for one in results.values()]))


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _of_part(inside: str, part: Part, ordered: Container[str]) -> list[Any]:
    """Leaves as they are compared, and digests of rows, in an order that depends on what they hold."""
    leaves = sorted([shown_path(path), _of_key(leaf.key)] for path, leaf in part.leaves.items())
    arrays = []
    for path, rows in part.arrays.items():
        name = array_name(inside, path)
        digests = [_digest(_of_part(name + ROWS, row.part, ordered)) for row in rows]
        if plain_name(name) in ordered:
            arrays.append([name, *(f"{row.number} {one}" for row, one in zip(rows, digests, strict=True))])
        else:
            arrays.append([name, *sorted(digests)])
    return [leaves, sorted(arrays)]


def _digest(value: Any) -> str:
    """Of a row: text in text would grow with every level."""
    return blake2b(_dumped(value).encode(), digest_size=8).hexdigest()


def _of_key(key: Hashable) -> str:
    """A key as text, equal for equal keys."""
    if isinstance(key, bool) or key is None:
        return str(key)
    if isinstance(key, int | Decimal):
        sign, digits, exponent = Decimal(key).as_tuple()
        text = "".join(map(str, digits)).lstrip("0")
        plain = text.rstrip("0")
        return f"number {sign if plain else 0} {plain}e{exponent + len(text) - len(plain) if plain else 0}"  # type: ignore[operator] # finite
    if isinstance(key, str):
        return f"text {key}"
    return f"({','.join(map(_of_key, key))})" if isinstance(key, tuple) else f"{type(key).__name__} {key}"

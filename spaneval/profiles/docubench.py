"""
The scorer of the DocuBench benchmark, reproduced to the last bit, its special cases included.

Written from its rules, R1 to R10 in docs/json.md. What the benchmark does with its values is kept even where another
reading would be better: row order can change a score, `-5.00` equals `500`, true equals 1. The native reading of
`spaneval json` mends that; this one makes numbers comparable with published ones.

Source: DocuBench, docs/scoring.md (DocuPipe 2026).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import IntArray
from spaneval.exceptions import InputError
from spaneval.loaders.json_depth import check_depth
from spaneval.problems import Problem

MOST_PAIRS: Final = 100_000_000
"""Pairs of a label row and a result row that an array may have: all are compared, and each takes some bytes."""

_BLANK, _NOT_WORD = re.compile(r"\s"), re.compile(r"\W")
_CHUNK: Final = 1 << 16


class ArrayScore(NamedTuple):
    """
    One array of the schema.

    Args:
        path: Keys from the root, joined by dots; "" for the root itself.
        score: Similarity of the paired items, over the longer side.
        weight: What it weighs in the document.
        n_gold, n_predicted: Items of the label and of the result.

    """

    path: str
    score: float
    weight: float
    n_gold: int
    n_predicted: int


class FieldsScore(NamedTuple):
    """
    All leaves outside of arrays.

    Args:
        score: Equal leaves over compared ones; 1.0 where there is none.
        weight: Compared leaves: those that are not empty on both sides.
        correct: Equal ones among them.

    """

    score: float
    weight: int
    correct: int


class DocubenchScore(NamedTuple):
    """
    One document.

    Args:
        score: Weighted mean of the parts.
        arrays: Each array of the schema, in its order.
        fields: The rest.
        per_item: Mean of the leaves of a label item, for each array.

    """

    score: float
    arrays: list[ArrayScore]
    fields: FieldsScore
    per_item: list[float]


def score_document(label: Any, result: Any, schema: Any) -> DocubenchScore:
    """
    Score one result against its label.

    Args:
        label: The gold, a JSON value.
        result: What was extracted; {} for a missing one.
        schema: The JSON Schema, as it is written: references are not followed.

    Raises:
        InputError: If one of them nests too deeply, or two arrays are too long to compare every pair of items.

    """
    for value in (label, result, schema):
        check_depth(value)
    gold, predicted = _normalized(_stripped(label)), _normalized(_stripped(result))
    arrays, per_item = [], []
    for path in _array_paths(schema, ()):
        array, leaves = _score_array(".".join(path), _items(gold, path), _items(predicted, path))
        arrays.append(array)
        per_item.append(leaves)
    fields = _score_fields(_without_arrays(schema), gold, predicted)
    return DocubenchScore(_weighted(arrays, fields), arrays, fields, per_item)


def billionths(scores: Sequence[float]) -> IntArray:
    """Scores as the column `score`, int64 of shape (D,)."""
    return np.rint(np.array(scores, np.float64) * 1e9).astype(np.int64)


def _weighted(arrays: Sequence[ArrayScore], fields: FieldsScore) -> float:
    """R10; the order of additions decides about the last bit."""
    if not arrays:
        return fields.score
    total, weight = 0.0, 0.0
    for part_score, part_weight in [*((x.score, x.weight) for x in arrays), (fields.score, fields.weight)]:
        total += part_score * part_weight
        weight += part_weight
    return total / weight if weight else 1.0


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _stripped(value: Any) -> Any:
    """R1: no entry of an object is empty; items of a list stay, and so does null."""
    if isinstance(value, Mapping):
        entries = ((key, _stripped(one)) for key, one in value.items())
        return {key: one for key, one in entries if one is None or not _is_empty(one)}
    return [_stripped(one) for one in value] if isinstance(value, list) else value


def _normalized(value: Any) -> Any:
    """R2 and R3."""
    if isinstance(value, str):
        return _NOT_WORD.sub("", _BLANK.sub("", value).lower())
    if isinstance(value, dict):
        return {key: _normalized(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_normalized(one) for one in value]
    return value if value is None or isinstance(value, bool) else _rounded(value)


def _rounded(value: float) -> float:
    try:
        return round(float(value), 6)
    except OverflowError:  # an integer beyond floats, on which the benchmark stops
        return value


def _is_array(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def _array_paths(node: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """R4: all values of the schema are walked, whatever keyword they stand under."""
    if not isinstance(node, Mapping):
        return
    if _is_array(node):
        yield path
        return
    for key, value in node.items():
        yield from _array_paths(value, path if key == "properties" else (*path, key))


def _items(value: Any, path: Sequence[str]) -> list[Any]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []


def _without_arrays(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    return {
        key: _without_arrays(value)
        for key, value in node.items()
        if not (isinstance(value, Mapping) and _is_array(value))
    }


def _score_fields(schema: Any, gold: Any, predicted: Any) -> FieldsScore:
    """R9."""
    total = correct = 0
    for x, y in _compared(schema, gold, predicted):
        if not (_is_empty(x) and _is_empty(y)):
            total += 1
            correct += x == y
    return FieldsScore(correct / total if total else 1.0, total, correct)


def _compared(schema: Any, gold: Any, predicted: Any) -> Iterator[tuple[Any, Any]]:
    """Both sides of every leaf that the schema knows outside of arrays."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    for key, node in properties.items() if isinstance(properties, Mapping) else ():
        x = gold.get(key) if isinstance(gold, dict) else None
        y = predicted.get(key) if isinstance(predicted, dict) else None
        if isinstance(node, Mapping) and node.get("type") == "object" and "properties" in node:
            yield from _compared(node, x, y)
        else:
            yield x, y


def _score_array(path: str, gold: Sequence[Any], predicted: Sequence[Any]) -> tuple[ArrayScore, float]:
    """R7 and R8; also the mean of the leaves of a gold item."""
    n, m = len(gold), len(predicted)
    left, right = [_leaves(item) for item in gold], [_leaves(item) for item in predicted]
    per_item = sum(max(1, len(leaves)) for leaves in left) / n if n else 1.0
    longer = max(n, m)
    weight = longer * per_item
    if not n or not m:
        return ArrayScore(path, 0.0 if longer else 1.0, weight, n, m), per_item
    total = 0.0
    for similarity in _greedy(path, left, right):
        total += similarity
    return ArrayScore(path, total / longer, weight, n, m), per_item


def _leaves(item: Any) -> dict[str, Any]:
    """R5: the leaves of an item that are not empty, by their dotted keys."""
    found: dict[str, Any] = {}
    _gather(item, "", found)
    return {key: value for key, value in found.items() if not _is_empty(value)}


def _gather(value: Any, key: str, found: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for name, one in value.items():
            _gather(one, f"{key}.{name}" if key else name, found)
    else:
        found[key] = json.dumps(value, sort_keys=True) if isinstance(value, list) else value


def _greedy(path: str, left: Sequence[dict[str, Any]], right: Sequence[dict[str, Any]]) -> Iterator[float]:
    """
    Similarities of the chosen pairs, in the order in which they are chosen.

    Pairs without similarity, which come last, are left out: they add nothing.
    """
    ranks, values = _similarities(path, left, right)
    order = np.argsort(-ranks, axis=None, kind="stable")
    is_free = np.ones(ranks.shape[0], np.bool_), np.ones(ranks.shape[1], np.bool_)
    n_left = min(ranks.shape)
    for start in range(0, len(order), _CHUNK):
        i, j = np.divmod(order[start : start + _CHUNK], ranks.shape[1])
        is_open = is_free[0][i] & is_free[1][j]
        for k, at in zip(i[is_open].tolist(), j[is_open].tolist(), strict=True):
            if not (is_free[0][k] and is_free[1][at]):
                continue
            similarity = values[ranks[k, at]]
            if similarity == 0.0:
                return
            is_free[0][k] = is_free[1][at] = False
            yield similarity
            n_left -= 1
            if not n_left:
                return


def _similarities(
    path: str, left: Sequence[dict[str, Any]], right: Sequence[dict[str, Any]]
) -> tuple[IntArray, list[float]]:
    """
    R6 for every pair: the rank of its similarity, of shape (n, m), and the value of each rank, ascending.

    Cost: for each key that occurs, one pass over an (n, m) table of small integers.
    """
    n, m = len(left), len(right)
    if n * m > MOST_PAIRS:
        message = f"array '{path}' has {n} gold and {m} predicted items; at most {MOST_PAIRS} pairs can be compared"
        raise InputError([Problem(message, hint="the native reading compares only items that share a value")])
    sizes = np.array([len(x) for x in left])[:, None] + np.array([len(x) for x in right])
    small = np.int16 if sizes.max() < 1 << 15 else np.int32
    union, equal = sizes.astype(small), np.zeros((n, m), small)
    for key in dict.fromkeys(key for item in left for key in item):
        codes: dict[Any, int] = {}
        x = np.array([codes.setdefault(item[key], len(codes)) if key in item else -1 for item in left])
        y = np.array([codes.get(item[key], -2) if key in item else -1 for item in right])
        union -= (x != -1)[:, None] & (y != -1)
        equal += (x != -1)[:, None] & (x[:, None] == y)
    most = int(union.max())
    table = [[(e / u if u else 1.0) if e <= u else 0.0 for u in range(most + 1)] for e in range(int(equal.max()) + 1)]
    values = sorted({value for row in table for value in row})
    place = {value: k for k, value in enumerate(values)}
    rank_of = np.array([[place[value] for value in row] for row in table])
    ranks = np.empty((n, m), np.int16 if len(values) < 1 << 15 else np.int32)
    for k in range(n):
        ranks[k] = rank_of[equal[k], union[k]]
    return ranks, values

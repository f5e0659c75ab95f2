"""
The smallest array whose score depends on the order of its rows, where pairs are taken as DocuBench takes them.

Its scorer sorts pairs by similarity and keeps the order of rows among equals, so which of two equally similar pairs
goes first is an accident, and decides what is left for the other rows.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from spaneval.pairing.rows import Row, pair_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spaneval.pairing.rows import RowPairing

EMPTY = ""

Item = tuple[str, ...]

LABEL: list[Item] = [("a", "a"), ("a", EMPTY)]
"""Two rows of two fields, of three values, one of which is the empty one."""

RESULT: list[Item] = [("a", "b"), ("b", "a")]


def similarity(x: Item, y: Item) -> float:
    """Equal leaves among those that are not empty on both sides; 1 if there is none."""
    compared = [(a, b) for a, b in zip(x, y, strict=True) if a or b]
    return sum(a == b for a, b in compared) / len(compared) if compared else 1.0


def score(label: Sequence[Item], result: Sequence[Item]) -> float:
    """Similarities of the pairs taken, over the rows of the longer side."""
    pairs = [(similarity(x, y), i, j) for i, x in enumerate(label) for j, y in enumerate(result)]
    total, left, right = 0.0, set[int](), set[int]()
    for similar, i, j in sorted(pairs, key=lambda pair: -pair[0]):
        if i not in left and j not in right:
            total += similar
            left.add(i)
            right.add(j)
    return total / max(len(label), len(result))


def scores(label: Sequence[Item], result: Sequence[Item]) -> set[float]:
    """Scores of all orders of rows on both sides."""
    return {score(x, y) for x in permutations(label) for y in permutations(result)}


def arrays(n_label: int, n_result: int, n_fields: int, values: str) -> Iterator[tuple[list[Item], list[Item]]]:
    """All pairs of arrays of a size; a blank in `values` is the empty value."""
    rows = list(product([value.strip() for value in values], repeat=n_fields))
    for label in product(rows, repeat=n_label):
        for result in product(rows, repeat=n_result):
            yield list(label), list(result)


def coded(items: Sequence[Item]) -> list[Row]:
    """The same rows as codes."""
    return [Row({path: ord(value) for path, value in enumerate(item) if value}) for item in items]


def test_shuffling_two_rows_moves_the_score() -> None:
    """
    aa is half equal to ab and to ba; a- is half equal to ab and not at all to ba.

    aa-ab first leaves a- with ba: (0.5 + 0) / 2. aa-ba first leaves a- with ab: (0.5 + 0.5) / 2.
    """
    assert 0.25 == score(LABEL, RESULT)
    assert 0.5 == score(LABEL, RESULT[::-1])


@pytest.mark.parametrize(
    ("n_label", "n_result", "n_fields", "values"),
    [
        (1, 3, 2, " ab"),  # one row has nothing to leave over
        (3, 1, 2, " ab"),
        (2, 2, 1, " abc"),  # rows of one field are equal or not
        (3, 3, 1, " ab"),
        (2, 2, 2, "ab"),  # two rows of two fields need three values, the empty one among them or not
        (2, 2, 2, " a"),
    ],
)
def test_no_smaller_array_does(n_label: int, n_result: int, n_fields: int, values: str) -> None:
    """All arrays with fewer rows, with fewer fields, or with fewer values, have one score in any order."""
    assert all(len(scores(*each)) == 1 for each in arrays(n_label, n_result, n_fields, values))


@pytest.mark.parametrize("values", [" ab", "abc"])
def test_some_arrays_of_this_size_do(values: str) -> None:
    """With three values there are such arrays, whether one of them is empty or not."""
    moved = [each for each in arrays(2, 2, 2, values) if len(scores(*each)) > 1]
    assert moved
    assert ((LABEL, RESULT) in moved) == (" " in values)


@pytest.mark.parametrize("how", ["optimal", "greedy"])
def test_our_pairs_stay_as_they_are(how: RowPairing) -> None:
    """Neither pairing depends on the order of rows, in any of these arrays."""
    for label, result in arrays(2, 2, 2, " ab"):
        found = set()
        for x in permutations(label):
            for y in permutations(result):
                pairs = pair_rows(coded(x), coded(y), how)
                found.add(tuple(sorted((x[i], y[j]) for i, j in zip(pairs.gold, pairs.predicted, strict=True))))
        assert 1 == len(found)

"""
Rows of two JSON arrays to one-to-one pairs, in whatever order they come.

Aims, the first one most important: pairs of rows that are equal as a whole; equal leaves in total; as few unequal
leaves as can be inside pairs; then content. Equal leaves of a pair are those of the rows and those of their nested
arrays, whose rows are paired by the same aims; unequal are leaves that differ, or that one of the two lacks. Rows
without partner count nowhere, nested ones neither. A pair with nothing equal is no pair, so a row without leaves never
has a partner.

Steps, cheapest first: rows that are equal as a whole; a few rows, by trying; the rest as an assignment problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from spaneval.pairing.row_contents import Bag, Content, Nearness, Reader, Row, Tolerance

__all__ = ["Nearness", "Row", "RowPairing", "RowPairs", "Tolerance", "pair_rows"]

RowPairing: TypeAlias = Literal["optimal", "greedy"]

TRIALS = 512
"""Sets of taken rows up to which trying costs less than arrays do (6 by 6)."""

FEW = 400
"""Pairs up to which greedy pairing compares rows one by one."""


class RowPairs(NamedTuple):
    """
    Pairs of rows, in order of the gold rows.

    Args:
        gold: Number of the gold row of each pair.
        predicted: Number of its predicted row.
        arrays: Per pair, the pairs inside each nested array that both rows have, by path code.

    """

    gold: list[int]
    predicted: list[int]
    arrays: list[Mapping[int, RowPairs]]


def pair_rows(
    gold: Sequence[Row],
    predicted: Sequence[Row],
    how: RowPairing = "optimal",
    *,
    is_ordered: bool = False,
    ordered: Container[int] = (),
    tolerances: Mapping[int, Tolerance | Nearness] | None = None,
    name: str = "",
) -> RowPairs:
    """
    Pair the rows of an array one to one.

    Args:
        gold: Rows of the gold array.
        predicted: Rows of the predicted array.
        how: `optimal`: the aims above. `greedy`: pairs one after another, the one with most equal leaves first, among
            these that with fewest unequal ones, then by content. Nested arrays are paired in the same way.
        is_ordered: Pair this array by position: all rows that have a counterpart, equal or not, if both have leaves.
        ordered: Path codes of nested arrays to pair by position.
        tolerances: By path code, numbers that count as equal when close. The first aim then is the number of pairs
            that are equal as a whole in this sense. A `Nearness` made of a tolerance serves many arrays.
        name: The array, for messages.

    Returns:
        The pairs. They depend on what rows hold, not on the order of rows or keys; only where rows are equal as a
        whole, earlier ones come first. Where some of the best pairings are equally good, it is the first one in order
        of content: gold rows in ascending order, each with the smallest predicted row that still allows the optimum,
        none being last. For thousands of rows that differ, see `row_matching`.

    Raises:
        InputError: If the pairing would take too much memory; before it starts.

    """
    near = {path: t if isinstance(t, Nearness) else Nearness(t) for path, t in (tolerances or {}).items()}
    reader = Reader(ordered, near)
    pairer = _Pairer(how, near, name)
    return pairer.pairs(reader.bag(gold, is_ordered=is_ordered), reader.bag(predicted, is_ordered=is_ordered))


class _Pairer:
    """Pairs arrays, and remembers what became of nested ones."""

    def __init__(self, how: RowPairing, near: Mapping[int, Nearness], name: str) -> None:
        self.how, self.near, self.name = how, near, name
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def pairs(self, gold: Bag, predicted: Bag) -> RowPairs:
        """The pairs of two arrays, and those inside each pair."""
        found = sorted((gold.order[i], predicted.order[j], i, j) for i, j in self._match(gold, predicted))
        inside = [self._inside(gold.rows[i], predicted.rows[j]) for _, _, i, j in found]
        return RowPairs([i for i, _, _, _ in found], [j for _, j, _, _ in found], inside)

    def _inside(self, gold: Content, predicted: Content) -> Mapping[int, RowPairs]:
        if not gold.arrays or not predicted.arrays:
            return {}
        return {
            path: self.pairs(gold.arrays[path], predicted.arrays[path])
            for path in sorted(gold.arrays)
            if path in predicted.arrays
        }

    def _match(self, gold: Bag, predicted: Bag) -> list[tuple[int, int]]:
        """Pairs, numbers of rows in order of content."""
        if gold.is_ordered:
            both = enumerate(zip(gold.rows, predicted.rows, strict=False))
            return [(k, k) for k, (row, other) in both if row.size and other.size]
        found, left, right = _same(gold.rows, predicted.rows)
        if left and right:
            rest = self._rest([gold.rows[i] for i in left], [predicted.rows[j] for j in right])
            found += [(left[i], right[j]) for i, j in rest]
        return found

    def _rest(self, gold: list[Content], predicted: list[Content]) -> list[tuple[int, int]]:
        """Pairs among rows none of which is settled."""
        n, m = len(gold), len(predicted)
        few = n * m <= FEW if self.how == "greedy" else n == 1 or n << m <= TRIALS
        if not few:
            from spaneval.pairing.row_matching import best_pairs, greedy_pairs
            from spaneval.pairing.row_similarity import Similarity

            similarity = Similarity(gold, predicted, self.near, self._nested)
            if self.how == "greedy":
                return greedy_pairs(similarity)
            return best_pairs(similarity, whole_first=bool(self.near), name=self.name)
        scores = [[self._compare(x, y) for y in predicted] for x in gold]
        if self.how == "greedy":
            return _greedy(scores)
        return _first_best(self._weights(scores, gold, predicted))

    def _weights(
        self, scores: list[list[tuple[int, int]]], gold: list[Content], predicted: list[Content]
    ) -> list[list[int]]:
        """All aims in one whole number per pair, 0 for what is no pair."""
        n_pairs = min(len(gold), len(predicted))
        radix = n_pairs * max(unequal for line in scores for _, unequal in line) + 1
        weights = [[equal * radix - unequal if equal else 0 for equal, unequal in line] for line in scores]
        if self.near:
            whole = n_pairs * max(map(max, weights)) + 1
            for x, line, score in zip(gold, weights, scores, strict=True):
                for j, y in enumerate(predicted):
                    if score[j][0] == x.size == y.size:
                        line[j] += whole
        return weights

    def _compare(self, gold: Content, predicted: Content) -> tuple[int, int]:
        """Equal and unequal leaves of a pair."""
        both = gold.leaves.keys() & predicted.leaves.keys()
        if self.near:
            equal = sum(self._is_equal(path, gold.leaves[path], predicted.leaves[path]) for path in both)
        else:
            equal = len(gold.items & predicted.items)
        unequal = len(gold.leaves) + len(predicted.leaves) - len(both) - equal
        if gold.arrays and predicted.arrays:
            inner = self._nested(gold, predicted)
            return equal + inner[0], unequal + inner[1]
        return equal, unequal

    def _is_equal(self, path: int, value: int, other: int) -> bool:
        return value == other or (path in self.near and self.near[path].is_close(value, other))

    def _nested(self, gold: Content, predicted: Content) -> tuple[int, int]:
        """Equal and unequal leaves of the nested arrays of a pair."""
        equal = unequal = 0
        for path, bag in gold.arrays.items():
            other = predicted.arrays.get(path)
            if other is not None:
                more = self._compare_bags(bag, other)
                equal, unequal = equal + more[0], unequal + more[1]
        return equal, unequal

    def _compare_bags(self, gold: Bag, predicted: Bag) -> tuple[int, int]:
        if gold.code == predicted.code:
            return gold.size, 0
        if not gold.is_ordered and gold.shared.isdisjoint(predicted.shared):
            return 0, 0
        known = self._known.get((gold.code, predicted.code))
        if known is None:
            scores = [self._compare(gold.rows[i], predicted.rows[j]) for i, j in self._match(gold, predicted)]
            known = sum(equal for equal, _ in scores), sum(unequal for _, unequal in scores)
            self._known[gold.code, predicted.code] = known
        return known


def _same(gold: list[Content], predicted: list[Content]) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """
    Pairs of rows that are equal as a whole, and the rows left on either side.

    They are part of every best pairing where no row is equal to another one within tolerances only; which of the
    equal rows stay does not matter. Greedy pairing takes them, too: neither row has more equal leaves, or fewer
    unequal ones, with any other.
    """
    holders: dict[object, list[int]] = defaultdict(list)
    for j, row in enumerate(predicted):
        holders[row.key].append(j)
    mixed = _mixed(gold, predicted)
    found, left, taken = [], [], set()
    at: dict[object, Iterator[int]] = {key: iter(rows) for key, rows in holders.items()}
    for i, row in enumerate(gold):
        j = next(at.get(row.key, iter(())), -1) if row.size and row.coarse not in mixed else -1
        if j >= 0:
            found.append((i, j))
            taken.add(j)
        elif row.size:
            left.append(i)
    return found, left, [j for j, row in enumerate(predicted) if row.size and j not in taken]


def _mixed(gold: list[Content], predicted: list[Content]) -> set[object]:
    """Coarse keys that rows of more than one content share."""
    first: dict[object, object] = {}
    return {
        row.coarse
        for rows in (gold, predicted)
        for row in rows
        if row.coarse is not row.key and first.setdefault(row.coarse, row.key) != row.key
    }


def _first_best(weight: list[list[int]]) -> list[tuple[int, int]]:
    """The first one of the best choices, by trying them: rows by columns, 0 where there is no pair."""
    n = len(weight)
    firsts = [line.index(max(line)) for line in weight]
    takers = [(i, j) for i, j in enumerate(firsts) if weight[i][j]]
    if len({j for _, j in takers}) == len(takers):
        return takers
    known: dict[tuple[int, int], tuple[int, int]] = {}

    def best(i: int, taken: int) -> tuple[int, int]:
        """Weight of the best choice for the rows from i on, and the column that row i takes first in it."""
        if i == n:
            return 0, -1
        state = i, taken
        if state not in known:
            top, column = best(i + 1, taken)[0], -1
            for j in reversed(range(len(weight[i]))):
                if weight[i][j] and not taken >> j & 1:
                    total = weight[i][j] + best(i + 1, taken | 1 << j)[0]
                    if total >= top:
                        top, column = total, j
            known[state] = top, column
        return known[state]

    found, taken = [], 0
    for i in range(n):
        j = best(i, taken)[1]
        if j >= 0:
            found.append((i, j))
            taken |= 1 << j
    return found


def _greedy(scores: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Pairs one after another, the most similar one first."""
    candidates = sorted(
        (-equal, unequal, i, j) for i, line in enumerate(scores) for j, (equal, unequal) in enumerate(line) if equal
    )
    found: list[tuple[int, int]] = []
    left, right = set[int](), set[int]()
    for _, _, i, j in candidates:
        if i not in left and j not in right:
            found.append((i, j))
            left.add(i)
            right.add(j)
    return found

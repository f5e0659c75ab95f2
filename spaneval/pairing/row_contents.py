"""
Rows of JSON arrays as the pairing sees them: codes of leaves, nested arrays, and what makes two rows the same.

Everything here depends on what rows hold, never on the order in which rows or keys came.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

Number: TypeAlias = int | float | Decimal | Fraction
Key: TypeAlias = tuple[Any, ...]
Leaf: TypeAlias = tuple[int, int]


class Row(NamedTuple):
    """
    One row of an array.

    Args:
        leaves: Value code by path code, without empty leaves. Both codes are >= 0 and are ranks in an order of
            paths and values, so that ties are settled by content; equal values, and no others, share their code.
        arrays: Rows of nested arrays, by path code. A path code stands for one place of the whole schema: a leaf of a
            nested row never shares it with a leaf of another array.

    """

    leaves: Mapping[int, int]
    arrays: Mapping[int, Sequence[Row]] = MappingProxyType({})


class Tolerance(NamedTuple):
    """
    Numbers at one path that count as equal when they lie close together.

    Args:
        values: The number of each value code that is a number; any other code equals only itself.
        within: Largest difference, itself included. Differences are exact, those of floats too.

    """

    values: Mapping[int, Number]
    within: Number


class Nearness:
    """
    A tolerance as whole numbers: which stretch of the sorted numbers each number is close to.

    Also `chain`: numbers that are connected by steps within the tolerance share it, so that rows in different chains
    are never close.
    """

    def __init__(self, tolerance: Tolerance) -> None:
        exact = {code: Fraction(value) for code, value in tolerance.values.items()}
        within = Fraction(tolerance.within)
        scale = lcm(within.denominator, *(value.denominator for value in exact.values()))
        whole = {code: int(value * scale) for code, value in exact.items()}
        numbers, step = sorted(set(whole.values())), int(within * scale)
        self._count = len(numbers)
        low, high, chain = [0] * self._count, [0] * self._count, [0] * self._count
        first = 0
        for k, number in enumerate(numbers):
            while number - numbers[first] > step:
                first += 1
            low[k] = first
            chain[k] = k if first == k else chain[k - 1]
        last = self._count - 1
        for k in reversed(range(self._count)):
            while numbers[last] - numbers[k] > step:
                last -= 1
            high[k] = last
        place = {number: k for k, number in enumerate(numbers)}
        self._known = {code: (place[number], low[place[number]], high[place[number]]) for code, number in whole.items()}
        self._chain = {code: chain[at] for code, (at, _, _) in self._known.items()}

    def window(self, code: int) -> tuple[int, int, int]:
        """Place of a value, and the first and last place that are close to it."""
        other = self._count + code
        return self._known.get(code, (other, other, other))

    def chain(self, code: int) -> int:
        """A number that close values share."""
        return self._chain.get(code, self._count + code)

    def is_close(self, code: int, other: int) -> bool:
        """Whether two values count as equal."""
        _, low, high = self.window(code)
        return low <= self.window(other)[0] <= high


class Content:
    """
    One row, read.

    Args:
        leaves: Value code by path code.
        items: The same as pairs.
        arrays: Nested arrays by path code.
        key: The same for rows that are equal as a whole, and for no others; sorts by content.
        coarse: The same for rows that are equal within tolerances, and perhaps for others.
        size: Leaves, those of nested rows included.
        inner: Leaves of nested rows, within tolerances: what two rows must share to have nested leaves in common.

    """

    __slots__ = ("arrays", "coarse", "inner", "items", "key", "leaves", "size")

    def __init__(self, leaves: Mapping[int, int], arrays: dict[int, Bag], key: Key, coarse: Key) -> None:
        self.leaves, self.arrays, self.key, self.coarse = leaves, arrays, key, coarse
        self.items: frozenset[Leaf] = frozenset(key[0])
        self.size = len(leaves)
        self.inner = NOTHING
        if arrays:
            self.size += sum(bag.size for bag in arrays.values())
            self.inner = NOTHING.union(*(bag.shared for bag in arrays.values()))


class Bag:
    """
    The rows of one array.

    Args:
        rows: In order of content; as they came where position counts.
        order: Which row each of them was.
        is_ordered: Whether position counts.

    """

    __slots__ = ("_shared", "coarse", "code", "is_ordered", "key", "order", "rows", "size")

    def __init__(self, rows: list[Content], order: Sequence[int], *, is_ordered: bool) -> None:
        self.rows, self.order, self.is_ordered = rows, order, is_ordered
        self.size = sum(row.size for row in rows)
        self.key: Key = ()
        self.coarse: Key = ()
        self.code = -1
        self._shared: frozenset[Leaf] | None = None

    @property
    def shared(self) -> frozenset[Leaf]:
        """All leaves of all rows, within tolerances."""
        if self._shared is None:
            self._shared = NOTHING.union(*(row.coarse[0] for row in self.rows), *(row.inner for row in self.rows))
        return self._shared


NOTHING: Final[frozenset[Leaf]] = frozenset()


class Reader:
    """
    Reads rows, and numbers nested arrays so that equal ones share their number.

    Args:
        ordered: Path codes of nested arrays whose rows are told apart by position.
        near: Tolerances by path code.

    """

    def __init__(self, ordered: Container[int], near: Mapping[int, Nearness]) -> None:
        self.ordered, self.near = ordered, near
        self._codes: dict[Key, int] = {}

    def bag(self, rows: Sequence[Row], *, is_ordered: bool) -> Bag:
        """The rows of one array."""
        contents = [self._content(row) for row in rows]
        if is_ordered:
            return Bag(contents, range(len(contents)), is_ordered=True)
        order = sorted(range(len(contents)), key=lambda k: contents[k].key)
        return Bag([contents[k] for k in order], order, is_ordered=False)

    def _content(self, row: Row) -> Content:
        arrays = {path: self._nested(path, rows) for path, rows in row.arrays.items()} if row.arrays else {}
        leaves = tuple(sorted(row.leaves.items()))
        held = sorted((path, bag.key) for path, bag in arrays.items() if bag.size)
        key = (leaves, tuple(held))
        if not self.near:
            return Content(row.leaves, arrays, key, key)
        near = self.near
        coarse = tuple((p, near[p].chain(v)) if p in near else (p, v) for p, v in leaves)
        coarsely = sorted((path, bag.coarse) for path, bag in arrays.items() if bag.size)
        return Content(row.leaves, arrays, key, (coarse, tuple(coarsely)))

    def _nested(self, path: int, rows: Sequence[Row]) -> Bag:
        bag = self.bag(rows, is_ordered=path in self.ordered)
        bag.key = _joined(bag, lambda row: row.key)
        bag.coarse = _joined(bag, lambda row: row.coarse) if self.near else bag.key
        bag.code = self._codes.setdefault(bag.key, len(self._codes))
        return bag


def _joined(bag: Bag, part: Callable[[Content], Key]) -> Key:
    """The keys of rows that hold anything: sorted, or with their positions where these count."""
    if bag.is_ordered:
        return tuple((k, part(row)) for k, row in enumerate(bag.rows) if row.size)
    return tuple(sorted(part(row) for row in bag.rows if row.size))

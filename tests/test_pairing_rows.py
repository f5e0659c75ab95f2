"""`pair_rows` against trying every matching, with nested arrays and tolerances, and through every solver."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.exceptions import InputError
from spaneval.pairing import row_matching, rows
from spaneval.pairing.rows import Nearness, Row, RowPairing, RowPairs, Tolerance, pair_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NESTED = 10
"""Path code of the nested arrays of the tests; their leaves are at 11 and 12."""

NUMBER = 2
"""Path code of the leaf that has a tolerance."""

SOLVERS = ["as they are", "matrix", "list", "constant left out"]

ROUNDS = 400


def set_solver(solver: str, patch: pytest.MonkeyPatch) -> None:
    """Send small arrays through the solvers of large ones."""
    if solver == "as they are":
        return
    patch.setattr(rows, "TRIALS", 0)
    patch.setattr(rows, "FEW", 0)
    if solver == "matrix":
        return
    patch.setattr(row_matching, "SMALL", 0)
    patch.setattr(row_matching, "SPARSE", 0)
    if solver == "constant left out":
        patch.setattr(row_matching, "CELL_BYTES", 1 << 40)


# ---------------------------------------------------------------------------------------------------------------------
# An oracle: the definition, word by word


def size(row: Row) -> int:
    """Leaves of a row."""
    return len(row.leaves) + sum(size(inner) for array in row.arrays.values() for inner in array)


def sorting_key(row: Row, ordered: Sequence[int] = ()) -> tuple[Any, ...]:
    """Content of a row; nested rows that hold nothing are none."""
    arrays = []
    for path, inner in sorted(row.arrays.items()):
        keys = [(k * (path in ordered), sorting_key(each, ordered)) for k, each in enumerate(inner) if size(each)]
        if keys:
            arrays.append((path, tuple(sorted(keys))))
    return tuple(sorted(row.leaves.items())), tuple(arrays)


class Oracle:
    """Best pairings by trying all of them; greedy ones by looking through what is left after every pair."""

    def __init__(
        self, near: Mapping[int, Tolerance] | None = None, ordered: Sequence[int] = (), how: RowPairing = "optimal"
    ) -> None:
        self.near, self.ordered, self.how = near or {}, ordered, how

    def is_equal(self, path: int, value: int, other: int) -> bool:
        """Whether two values count as equal."""
        if value == other or path not in self.near:
            return value == other
        values, within = self.near[path]
        return value in values and other in values and abs(Fraction(values[value]) - Fraction(values[other])) <= within

    def compare(self, x: Row, y: Row) -> tuple[int, int]:
        """Equal and unequal leaves of a pair."""
        both = x.leaves.keys() & y.leaves.keys()
        equal = sum(self.is_equal(path, x.leaves[path], y.leaves[path]) for path in both)
        unequal = len(x.leaves.keys() | y.leaves.keys()) - equal
        for path in x.arrays.keys() & y.arrays.keys():
            for i, j in self.pairs(x.arrays[path], y.arrays[path], is_ordered=path in self.ordered):
                inner = self.compare(x.arrays[path][i], y.arrays[path][j])
                equal, unequal = equal + inner[0], unequal + inner[1]
        return equal, unequal

    def pairs(
        self, gold: Sequence[Row], predicted: Sequence[Row], *, is_ordered: bool = False
    ) -> list[tuple[int, int]]:
        """The first of the best pairings, or the greedy one."""
        if is_ordered:
            both = enumerate(zip(gold, predicted, strict=False))
            return [(k, k) for k, (x, y) in both if size(x) and size(y)]
        if self.how == "greedy":
            return self.greedy(gold, predicted)
        left = sorted(range(len(gold)), key=lambda k: sorting_key(gold[k], self.ordered))
        right = sorted(range(len(predicted)), key=lambda k: sorting_key(predicted[k], self.ordered))
        scores = {
            (i, j): self.compare(gold[left[i]], predicted[right[j]])
            for i in range(len(left))
            for j in range(len(right))
        }
        sizes = [size(gold[k]) for k in left], [size(predicted[k]) for k in right]

        def rank(mates: tuple[int, ...]) -> tuple[Any, ...]:
            chosen = [(i, j) for i, j in enumerate(mates) if j < len(right)]
            whole = sum(scores[i, j][0] == sizes[0][i] == sizes[1][j] for i, j in chosen)
            return -whole, -sum(scores[p][0] for p in chosen), sum(scores[p][1] for p in chosen), mates

        options = [
            mates
            for mates in matchings(len(left), len(right))
            if all(j == len(right) or scores[i, j][0] for i, j in enumerate(mates))
        ]
        best = min(options, key=rank)
        return sorted((left[i], right[j]) for i, j in enumerate(best) if j < len(right))

    def greedy(self, gold: Sequence[Row], predicted: Sequence[Row]) -> list[tuple[int, int]]:
        """One pair after another."""
        options = [
            (-equal, unequal, sorting_key(x, self.ordered), sorting_key(y, self.ordered), i, j)
            for i, x in enumerate(gold)
            for j, y in enumerate(predicted)
            for equal, unequal in [self.compare(x, y)]
            if equal
        ]
        found = []
        while options:
            *_, i, j = min(options)
            found.append((i, j))
            options = [option for option in options if option[-2] != i and option[-1] != j]
        return sorted(found)


@cache
def matchings(n: int, m: int) -> list[tuple[int, ...]]:
    """Right ends of n left ends, m for none."""
    return sorted({tuple(j if j < m else m for j in mates) for mates in permutations(range(m + n), n)})


def contents(gold: Sequence[Row], predicted: Sequence[Row], pairs: Sequence[tuple[int, int]]) -> list[Any]:
    """Pairs by content, since rows that are equal as a whole are one."""
    return sorted((sorting_key(gold[i]), sorting_key(predicted[j])) for i, j in pairs)


def found(gold: Sequence[Row], predicted: Sequence[Row], *options: Any, **more: Any) -> list[tuple[int, int]]:
    """Pairs of `pair_rows`."""
    pairs = pair_rows(gold, predicted, *options, **more)
    assert pairs.gold == sorted(set(pairs.gold))
    assert len(pairs.predicted) == len(set(pairs.predicted)) == len(pairs.gold) == len(pairs.arrays)
    return list(zip(pairs.gold, pairs.predicted, strict=True))


def totals(oracle: Oracle, gold: Sequence[Row], predicted: Sequence[Row], pairs: RowPairs) -> tuple[int, int]:
    """Equal and unequal leaves of pairs, as a scorer would count them."""
    equal = unequal = 0
    for i, j, inside in zip(pairs.gold, pairs.predicted, pairs.arrays, strict=True):
        plain = oracle.compare(Row(gold[i].leaves), Row(predicted[j].leaves))
        assert set(inside) == set(gold[i].arrays) & set(predicted[j].arrays)
        nested = [totals(oracle, gold[i].arrays[p], predicted[j].arrays[p], inner) for p, inner in inside.items()]
        equal += plain[0] + sum(part[0] for part in nested)
        unequal += plain[1] + sum(part[1] for part in nested)
    return equal, unequal


# ---------------------------------------------------------------------------------------------------------------------
# Random rows


def random_rows(
    rng: np.random.Generator, most: int, *, is_nested: bool, n_values: int = 3, missing: float = 0.2
) -> list[Row]:
    """Few paths and few values, so that ties abound."""
    result = []
    for _ in range(rng.integers(0, most + 1)):
        leaves = {p: int(rng.integers(n_values)) for p in range(4) if rng.random() > missing}
        inner = random_inner(rng) if is_nested and rng.random() < 0.8 else None
        result.append(Row(leaves, {NESTED: inner} if inner is not None else {}))
    return result


def random_inner(rng: np.random.Generator) -> list[Row]:
    """Rows of a nested array, some of them empty."""
    return [Row({p: int(rng.integers(2)) for p in (11, 12) if rng.random() < 0.8}) for _ in range(rng.integers(0, 4))]


def shuffled(rng: np.random.Generator, some: Sequence[Row]) -> list[Row]:
    """The same rows and keys in another order."""

    def mixed(items: Mapping[int, Any]) -> dict[int, Any]:
        keys = list(items)
        return {keys[k]: items[keys[k]] for k in rng.permutation(len(keys)).tolist()}

    again = [Row(mixed(r.leaves), {p: shuffled(rng, inner) for p, inner in mixed(r.arrays).items()}) for r in some]
    return [again[k] for k in rng.permutation(len(again)).tolist()]


# ---------------------------------------------------------------------------------------------------------------------
# By hand


def test_order_of_the_aims() -> None:
    """
    Rows that are equal as a whole come first, although the other pairing has more equal leaves.

    Gold A = {0: 1}, B = {0: 1, 1: 1, 2: 1}; predicted C = {0: 1}, D = {1: 1, 2: 1}. Pairs A-C, B-D: 1 + 2 equal.
    With C = A as a whole and D = {0: 2}: A-C alone, although B-C has one equal leaf as well.
    """
    gold = [Row({0: 1, 1: 1, 2: 1}), Row({0: 1})]
    assert [(0, 1), (1, 0)] == found(gold, [Row({0: 1}), Row({1: 1, 2: 1})])
    assert [(1, 0)] == found(gold, [Row({0: 1}), Row({0: 2})])


def test_whole_rows_come_before_equal_leaves() -> None:
    """
    Gold A = {0: 1}, B = {0: 1, 1: 1, 2: 1, 3: 1}, predicted C = {0: 1}, D = {0: 1, 4: 1, 5: 1}.

    A-C and B-D: 1 + 1 equal. The other way round: 1 + 1 as well, but no whole row.
    """
    gold = [Row({0: 1, 1: 1, 2: 1, 3: 1}), Row({0: 1})]
    assert [(0, 0), (1, 1)] == found(gold, [Row({0: 1, 4: 1, 5: 1}), Row({0: 1})])


def test_fewest_unequal_leaves_settle_ties() -> None:
    """One leaf is equal in both pairs, but one predicted row has a spurious leaf."""
    assert [(0, 1)] == found([Row({0: 1})], [Row({0: 1, 1: 0}), Row({0: 1})])
    assert [(0, 1)] == found([Row({0: 1, 1: 5})], [Row({0: 1, 1: 0, 2: 0}), Row({0: 1, 1: 6})])


def test_nothing_equal_is_no_pair() -> None:
    """Neither rows without a common value nor empty rows pair; by position, the former do."""
    assert [] == found([Row({0: 1}), Row({})], [Row({0: 2}), Row({})])
    assert [(0, 0)] == found([Row({0: 1}), Row({})], [Row({0: 2}), Row({}), Row({})], is_ordered=True)
    assert [] == found([], [Row({0: 2})])


def test_first_row_goes_first_among_equal_rows() -> None:
    """Where rows are equal as a whole, earlier ones are taken, on both sides."""
    assert [(0, 1), (1, 2)] == found([Row({0: 1})] * 3, [Row({1: 1}), Row({0: 1}), Row({0: 1})])


def test_pairs_inside_pairs() -> None:
    """Nested rows are told with the numbers that they have in their own arrays."""
    gold = [Row({0: 1}, {NESTED: [Row({11: 0}), Row({11: 1, 12: 1})]}), Row({0: 1})]
    predicted = [Row({0: 2}), Row({0: 1}, {NESTED: [Row({11: 1, 12: 0}), Row({11: 3}), Row({11: 0})]})]
    pairs = pair_rows(gold, predicted)
    inner = RowPairs([0, 1], [2, 0], [{}, {}])
    assert RowPairs([0], [1], [{NESTED: inner}]) == pairs


def test_order_of_nested_rows_counts_only_where_asked() -> None:
    """The same nested rows in another order: one whole row, unless position counts."""
    gold = [Row({0: 1}, {NESTED: [Row({11: 0}), Row({11: 1})]})]
    predicted = [Row({0: 1}, {NESTED: [Row({11: 1}), Row({11: 0})]}), Row({0: 1}, {NESTED: [Row({11: 0})]})]
    assert [(0, 0)] == found(gold, predicted)
    assert [(0, 1)] == found(gold, predicted, ordered={NESTED})


def test_whole_rows_within_tolerance_are_as_many_as_can_be() -> None:
    """
    Gold 10 and 11, predicted 10 and 9, one apart is close: 10-9 and 11-10 are two whole rows, 10-10 leaves none.
    """
    near = {0: Tolerance({0: 9, 1: 10, 2: 11}, 1)}
    assert [(0, 1), (1, 0)] == found([Row({0: 1}), Row({0: 2})], [Row({0: 1}), Row({0: 0})], tolerances=near)
    again = {0: Nearness(near[0])}
    assert [(0, 1), (1, 0)] == found([Row({0: 1}), Row({0: 2})], [Row({0: 1}), Row({0: 0})], tolerances=again)
    assert [(0, 0)] == found([Row({0: 1}), Row({0: 2})], [Row({0: 1}), Row({0: 0})])


def test_tolerances_are_exact() -> None:
    """0.1 and 0.2 as decimals are 0.1 apart; as floats 0.3 - 0.2 is less than 0.1 but 0.4 - 0.3 is not more."""
    values = {k: Fraction(k, 10) for k in range(5)}
    assert Nearness(Tolerance(values, Fraction(1, 10))).is_close(3, 4)
    assert not Nearness(Tolerance(values, Fraction(99, 1000))).is_close(3, 4)
    assert Nearness(Tolerance({0: 0.5, 1: 0.75}, 0.25)).is_close(0, 1)
    assert not Nearness(Tolerance({0: 0.1 + 0.2, 1: 0.3}, 0)).is_close(0, 1)


# ---------------------------------------------------------------------------------------------------------------------
# Against the oracle


@pytest.mark.parametrize("kind", ["plain", "nested", "nested by position"])
@pytest.mark.parametrize("solver", SOLVERS[:3])
def test_best_of_all_matchings(kind: str, solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pairs as those of the first best matching, by content; nested ones add up to the best."""
    set_solver(solver, monkeypatch)
    rng = np.random.default_rng(1)
    ordered = [NESTED] if kind == "nested by position" else []
    oracle = Oracle(ordered=ordered)
    for _ in range(ROUNDS):
        gold, predicted = (random_rows(rng, 4, is_nested=kind != "plain") for _ in range(2))
        expected = oracle.pairs(gold, predicted)
        pairs = pair_rows(gold, predicted, ordered=ordered)
        assert contents(gold, predicted, expected) == contents(
            gold, predicted, list(zip(pairs.gold, pairs.predicted, strict=True))
        )
        scores = [oracle.compare(gold[i], predicted[j]) for i, j in expected]
        assert (sum(e for e, _ in scores), sum(u for _, u in scores)) == totals(oracle, gold, predicted, pairs)


@pytest.mark.parametrize("is_nested", [False, True])
@pytest.mark.parametrize("solver", SOLVERS[:3])
def test_best_of_all_matchings_within_tolerances(solver: str, is_nested: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with numbers that are close to neighbours; code 6 is no number."""
    set_solver(solver, monkeypatch)
    rng = np.random.default_rng(2)
    near = {
        NUMBER: Tolerance({k: Fraction(k, 10) for k in range(6)}, Fraction(1, 10)),
        11: Tolerance({0: 1.0, 1: 1.5}, 0.5),
    }
    oracle = Oracle(near)
    for _ in range(ROUNDS):
        gold, predicted = (
            [
                Row({p: int(rng.integers(7)) if p == NUMBER else v % 2 for p, v in row.leaves.items()}, row.arrays)
                for row in random_rows(rng, 4, is_nested=is_nested)
            ]
            for _ in range(2)
        )
        expected = oracle.pairs(gold, predicted)
        pairs = found(gold, predicted, tolerances=near)
        assert contents(gold, predicted, expected) == contents(gold, predicted, pairs)


@pytest.mark.parametrize("n_constant", [1, 2])
@pytest.mark.parametrize("is_near", [False, True])
def test_constant_paths_can_be_left_out(n_constant: int, is_near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows have the same paths, and some values never change: as good as trying all matchings."""
    rng = np.random.default_rng(3)
    near = {NUMBER: Tolerance({k: k for k in range(3)}, 1)} if is_near else {}
    oracle = Oracle(near)
    asked = 0
    original = row_matching._without_constant

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        return original(*args, **options)

    monkeypatch.setattr(row_matching, "_without_constant", counted)
    set_solver("constant left out", monkeypatch)
    for _ in range(ROUNDS):
        gold, predicted = (
            [
                Row({p: 0 if 4 - n_constant <= p else int(rng.integers(4)) for p in range(4)})
                for _ in range(rng.integers(0, 5))
            ]
            for _ in range(2)
        )
        monkeypatch.setattr(row_matching, "SHARED_BYTES", 1)
        monkeypatch.setattr(row_matching, "MEMORY", len(gold) * len(predicted) * n_constant)
        try:
            pairs = pair_rows(gold, predicted, tolerances=near)
        except InputError:
            continue
        expected = (
            RowPairs(*map(list, zip(*oracle.pairs(gold, predicted), strict=True)), [{}] * len(pairs.gold))
            if pairs.gold
            else pairs
        )
        assert whole(oracle, gold, predicted, expected) == whole(oracle, gold, predicted, pairs)
        assert totals(oracle, gold, predicted, expected) == totals(oracle, gold, predicted, pairs)
    assert asked > 50


def whole(oracle: Oracle, gold: Sequence[Row], predicted: Sequence[Row], pairs: RowPairs) -> int:
    """Pairs that are equal as a whole."""
    both = zip(pairs.gold, pairs.predicted, strict=True)
    return sum(oracle.compare(gold[i], predicted[j])[1] == 0 for i, j in both)


@pytest.mark.parametrize("solver", SOLVERS[:2])
@pytest.mark.parametrize("kind", ["plain", "near", "nested", "nested by position"])
def test_greedy_takes_the_most_similar_pair_that_is_left(
    solver: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same pairs as a list that is looked through again after every pair."""
    set_solver(solver, monkeypatch)
    rng = np.random.default_rng(4)
    near = {NUMBER: Tolerance({k: k for k in range(3)}, 1)} if kind == "near" else {}
    ordered = [NESTED] if kind == "nested by position" else []
    oracle = Oracle(near, ordered, "greedy")
    for _ in range(ROUNDS // 2):
        gold, predicted = (random_rows(rng, 6, is_nested="nested" in kind) for _ in range(2))
        expected = contents(gold, predicted, oracle.pairs(gold, predicted))
        pairs = found(gold, predicted, "greedy", tolerances=near, ordered=ordered)
        assert expected == contents(gold, predicted, pairs)


@pytest.mark.parametrize("how", ["optimal", "greedy"])
@pytest.mark.parametrize("n_values", [2, 6])
def test_larger_arrays_are_the_same_by_matrix_and_by_list(
    how: str, n_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 rows a side, through three ways to the same pairs."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        gold, predicted = (
            [Row({p: int(rng.integers(n_values)) for p in range(4) if rng.random() < 0.9}) for _ in range(60)]
            for _ in range(2)
        )
        ways = []
        for solver in SOLVERS[:3]:
            with monkeypatch.context() as patch:
                set_solver(solver, patch)
                ways.append(contents(gold, predicted, found(gold, predicted, how)))
        assert ways[0] == ways[1] == ways[2]


# ---------------------------------------------------------------------------------------------------------------------
# Laws

leaves = st.fixed_dictionaries({}, optional={path: st.integers(0, 2) for path in range(4)})
inner = st.lists(
    st.builds(Row, st.fixed_dictionaries({}, optional={path: st.integers(0, 1) for path in (11, 12)})), max_size=4
)
some_rows = st.lists(st.builds(Row, leaves, st.fixed_dictionaries({}, optional={NESTED: inner})), max_size=9)


@given(some_rows, some_rows, st.integers(0, 1 << 32), st.sampled_from(["optimal", "greedy"]), st.booleans())
def test_order_of_rows_and_keys_never_matters(
    gold: list[Row], predicted: list[Row], seed: int, how: str, is_near: bool
) -> None:
    """Shuffling rows, nested rows and keys leaves the pairs as they are, by content."""
    rng = np.random.default_rng(seed)
    near = {NUMBER: Tolerance({k: k for k in range(3)}, 1)} if is_near else {}
    other_gold, other_predicted = shuffled(rng, gold), shuffled(rng, predicted)
    expected = contents(gold, predicted, found(gold, predicted, how, tolerances=near))
    again = found(other_gold, other_predicted, how, tolerances=near)
    assert expected == contents(other_gold, other_predicted, again)


@given(some_rows)
def test_rows_pair_with_themselves(some: list[Row]) -> None:
    """All rows that hold anything are whole."""
    pairs = pair_rows(some, some[::-1])
    assert [k for k, row in enumerate(some) if size(row)] == pairs.gold
    assert (sum(map(size, some)), 0) == totals(Oracle(), some, some[::-1], pairs)


@given(some_rows, some_rows)
def test_greedy_is_never_better(gold: list[Row], predicted: list[Row]) -> None:
    """The best pairing has at least as many whole rows, and with as many of them at least as many equal leaves."""
    oracle = Oracle()
    best, greedy = (pair_rows(gold, predicted, how) for how in ("optimal", "greedy"))
    assert totals(oracle, gold, predicted, best)[0] >= totals(oracle, gold, predicted, greedy)[0]


# ---------------------------------------------------------------------------------------------------------------------
# Sizes


def test_many_rows_most_of_them_equal() -> None:
    """20,000 rows with a constant; every hundredth differs in one of three values."""
    gold = [Row({0: 0, 1: k, 2: k, 3: k}) for k in range(20_000)]
    predicted = [Row({0: 0, 1: k, 2: k, 3: k + (k % 100 == 0)}) for k in reversed(range(20_000))]
    pairs = pair_rows(gold, predicted)
    assert list(range(20_000)) == pairs.gold
    assert list(reversed(range(20_000))) == pairs.predicted


def test_impossible_sizes_are_told_before_they_begin() -> None:
    """Thirty thousand rows that differ, of few values: each is a candidate of a third of all others."""
    gold = [Row({0: 0, 1: k % 3, 2: k}) for k in range(30_000)]
    predicted = [Row({0: 0, 1: k % 3, 3: k}) for k in range(30_000)]
    with pytest.raises(InputError) as caught:
        pair_rows(gold, predicted, name="lines")
    assert (
        "lines: 30,000 gold rows and 30,000 predicted rows differ, with up to 900,000,000 candidate pairs: "
        "the best pairing would take about 20.1 GiB of memory, more than the 4 GiB that it may take\n"
        "hint: pair the most similar rows first, --pairing greedy, or rows by position, --ordered PATH"
    ) == str(caught.value)


def test_impossible_sizes_of_nested_arrays_are_told_as_well() -> None:
    """Four thousand rows whose nested rows all share a leaf: sixteen million nested pairings."""
    gold = [Row({0: k}, {NESTED: [Row({11: 0, 12: k})]}) for k in range(4_000)]
    predicted = [Row({0: k}, {NESTED: [Row({11: 0, 12: k + 1})]}) for k in range(4_000)]
    with pytest.raises(InputError, match=r"^4,000 gold rows and 4,000 predicted rows differ, .* about 6.0 GiB"):
        pair_rows(gold, predicted)


def test_numbers_that_are_too_large_for_the_solver_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """All aims are one number, which has to stay exact."""
    set_solver("matrix", monkeypatch)
    monkeypatch.setattr(row_matching, "FLOAT_EXACT", 1)
    with pytest.raises(InputError, match="the best pairing would need larger numbers than it counts exactly"):
        pair_rows([Row({0: 0, 1: 1})] * 2, [Row({0: 0, 1: 2})])


@pytest.mark.parametrize("solver", SOLVERS[1:3])
def test_choice_of_the_solver_is_as_good_and_does_not_depend_on_order(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the first one of the best pairings is not looked for, it is one of the best, always the same."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        gold, predicted = (random_rows(rng, 30, is_nested=False) for _ in range(2))
        best = totals(Oracle(), gold, predicted, pair_rows(gold, predicted))
        with monkeypatch.context() as patch:
            set_solver(solver, patch)
            patch.setattr(row_matching, "EFFORT", 0)
            pairs = pair_rows(gold, predicted)
            assert best == totals(Oracle(), gold, predicted, pairs)
            others = shuffled(rng, gold), shuffled(rng, predicted)
            expected = contents(gold, predicted, list(zip(pairs.gold, pairs.predicted, strict=True)))
            assert expected == contents(*others, found(*others))

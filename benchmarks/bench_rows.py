"""
Pairing of the rows of JSON arrays: small ones by the thousand, and large ones.

Run: pytest benchmarks/bench_rows.py
"""

from __future__ import annotations

import numpy as np
import pytest

from spaneval.pairing.rows import Row, pair_rows


def side(columns) -> list[Row]:
    """Rows from columns of value codes."""
    return [Row(dict(enumerate(values))) for values in np.stack(columns, axis=1).tolist()]


def spoiled(n: int, n_values: list[int], wrong: float, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Columns of as many distinct values each; on the predicted side some are wrong, and rows are shuffled."""
    rng = np.random.default_rng(seed)
    gold = [rng.integers(0, k, n) for k in n_values]
    predicted = [np.where(rng.random(n) < wrong, rng.integers(0, k, n), c) for k, c in zip(n_values, gold, strict=True)]
    order = rng.permutation(n)
    return side(gold), side([column[order] for column in predicted])


def unique(n: int) -> tuple[list[Row], list[Row]]:
    """Every value occurs once on each side; a third of them are wrong."""
    gold, predicted = [np.arange(n)] * 4, []
    rng = np.random.default_rng(0)
    for column in gold:
        predicted.append(np.where(rng.random(n) < 1 / 3, column + n, column))
    order = rng.permutation(n)
    return side(gold), side([column[order] for column in predicted])


def nested(n: int) -> tuple[list[Row], list[Row]]:
    """Each row holds two rows of a nested array, of few values."""
    sides = spoiled(n, [1, 100, 100], 0.3), spoiled(2 * n, [1_000, 1_000], 0.3, seed=1)
    return tuple(
        [
            Row(
                row.leaves,
                {10: [Row({11: x, 12: y}) for x, y in (r.leaves.values() for r in inner[2 * k : 2 * k + 2])]},
            )
            for k, row in enumerate(outer)
        ]
        for outer, inner in zip(*sides, strict=True)
    )


CASES = {
    "unique values": lambda: unique(5_000),
    "a constant and three columns": lambda: spoiled(5_000, [1, 1_000, 1_000, 1_000], 0.3),
    "few values": lambda: spoiled(5_000, [4] * 6, 0.4),
    "two currencies": lambda: spoiled(5_000, [2, 50, 50, 50], 0.4),
    "50,000 rows, mostly equal": lambda: spoiled(50_000, [1, 50_000, 1_000, 1_000], 0.01),
    "50,000 rows that differ": lambda: spoiled(50_000, [1, 5_000, 5_000, 5_000], 0.4),
    "1,000 rows with nested ones": lambda: nested(1_000),
    "20 rows": lambda: spoiled(20, [1, 20, 20, 20], 0.1),
    "20 rows that differ": lambda: spoiled(20, [1, 20, 20, 20], 0.5),
}


@pytest.mark.parametrize("how", ["optimal", "greedy"])
@pytest.mark.parametrize("case", CASES)
def test_rows(benchmark, case, how):
    """One array."""
    gold, predicted = CASES[case]()
    result = benchmark.pedantic(pair_rows, (gold, predicted, how), rounds=100 if len(gold) < 100 else 2)
    assert len(result.gold) > 0.5 * len(gold)

"""
One table of counts of several systems, the whole or a group, and what luck would do to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spaneval.corpus import IntArray
from spaneval.entries import Column, Entry
from spaneval.measure import Measure
from spaneval.resampling import PairedBootstrap, paired_bootstrap
from spaneval.significance import Correction, PermutationTest, correct, permutation_tests


class Sheet(NamedTuple):
    """
    One table of counts and what luck would do to it.

    Args:
        table: Counts, int64 of shape (D, S, C).
        measures: What was computed.
        resampled: Intervals; None without.
        tests: One entry per system, by measure; empty for the baseline and without tests.

    """

    table: IntArray
    measures: list[Measure]
    resampled: PairedBootstrap | None
    tests: list[dict[str, PermutationTest]]

    @property
    def swaps(self) -> dict[str, Any] | None:
        """How many swaps its tests looked at, and whether these are all; None without a test."""
        test = next((test for of_system in self.tests for test in of_system.values()), None)
        return None if test is None else {"trials": test.n_trials, "exact": test.is_exact}

    def column(self, k: int, baseline: int, corrected: Mapping[str, float | None]) -> dict[str, Entry]:
        """The entries of one system."""
        column = Column(self.table, k, baseline, self.resampled, self.tests[k], corrected)
        return {measure.name: column.entry(measure) for measure in self.measures}


def bootstrapped(
    table: IntArray, measures: Sequence[Measure], baseline: int, resamples: int, level: float, seed: int
) -> PairedBootstrap:
    """The intervals, from the resamples of a seed."""
    rng = np.random.default_rng(seed)
    return paired_bootstrap(table, measures, baseline=baseline, resamples=resamples, level=level, rng=rng)


def about_resamples(resampled: PairedBootstrap, names: Sequence[str], baseline: str, seed: int) -> dict[str, Any]:
    """Method and parameters, and by system and measure the share of resamples that had no value."""
    deltas = dict(zip(names, resampled.deltas, strict=True))
    return {
        "method": "paired percentile bootstrap",
        "unit": "document",
        "level": resampled.level,
        "resamples": resampled.resamples,
        "seed": seed,
        "left_out": {name: x.left_out for name, x in zip(names, resampled.systems, strict=True)},
        "left_out_of_delta": {name: x.left_out for name, x in deltas.items() if name != baseline},
    }


def permuted(
    table: IntArray, measures: Sequence[Measure], baseline: int, trials: int, seed: int
) -> list[dict[str, PermutationTest]]:
    """The tests, by system and measure, from the swaps of a seed."""
    rng = np.random.default_rng([seed, 1])  # another stream than that of the resamples
    return permutation_tests(table, measures, baseline=baseline, trials=trials, rng=rng)


def about_tests(
    whole: Sheet, parts: Mapping[str, Mapping[str, Sheet]], correction: Correction, seed: int
) -> dict[str, Any] | None:
    """What the tests have in common, and how many swaps those of each group looked at; None without any."""
    if whole.swaps is None:
        return None
    sheets = [whole, *(part for of_field in parts.values() for part in of_field.values())]
    groups = {by: {value: x.swaps for value, x in of_field.items() if x.swaps} for by, of_field in parts.items()}
    every = [test for part in sheets for of_system in part.tests for test in of_system.values()]
    return {
        "name": "paired permutation test over documents, two-sided",
        **whole.swaps,
        **({"groups": groups} if parts else {}),
        "correction": correction,
        "n_tests": sum(test.p is not None for test in every),
        "seed": seed,
    }


def correct_all(
    tests: Sequence[Mapping[str, PermutationTest]], measures: Sequence[Measure], correction: Correction
) -> list[dict[str, float | None]]:
    """Corrected p by system and measure; one correction over all tests of the table."""
    places = [(k, measure.name) for measure in measures for k in range(len(tests)) if measure.name in tests[k]]
    values = correct([tests[k][name].p for k, name in places], correction).p_values
    result: list[dict[str, float | None]] = [{} for _ in tests]
    for (k, name), p in zip(places, values, strict=True):
        result[k][name] = p
    return result

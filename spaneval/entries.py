"""
One cell of a comparison: a measure of one system, its difference to the baseline, and the documents that it wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spaneval.corpus import IntArray
from spaneval.counts import Counts
from spaneval.measure import Measure
from spaneval.resampling import Intervals, PairedBootstrap, differences
from spaneval.significance import PermutationTest


class Scoreboard(NamedTuple):
    """Documents in which a system is better, equal or worse than the baseline, and those without a value for either."""

    won: int
    tied: int
    lost: int
    n_undefined: int


@dataclass(frozen=True)
class Entry:
    """
    One measure of one system.

    Args:
        value: None where it is undefined.
        reason: Why it is.
        fraction: Numerator and denominator.
        interval: Both ends; None where it is undefined or was not asked for.
        interval_reason: Why the interval is undefined where the value is not.
        delta: Value minus that of the baseline; None for the baseline, and where either is undefined.
        delta_interval: Both ends, from the same resamples for both.
        test: The paired permutation test; None for the baseline and where no tests were asked for.
        p_corrected: Its p after the correction for all tests of the table.
        scoreboard: Documents won, tied and lost; None for the baseline.

    """

    value: float | None
    reason: str | None
    fraction: tuple[int, int]
    interval: tuple[float, float] | None
    interval_reason: str | None
    delta: float | None = None
    delta_interval: tuple[float, float] | None = None
    test: PermutationTest | None = None
    p_corrected: float | None = None
    scoreboard: Scoreboard | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        board = dict.fromkeys(Scoreboard._fields) if self.scoreboard is None else self.scoreboard._asdict()
        return {
            "value": self.value,
            "interval": self.interval and list(self.interval),
            "delta": self.delta,
            "delta_interval": self.delta_interval and list(self.delta_interval),
            "p": None if self.test is None else self.test.p,
            "p_corrected": self.p_corrected,
            **board,
            "n_undefined_swaps": None if self.test is None else self.test.n_undefined_swaps,
            "numerator": self.fraction[0],
            "denominator": self.fraction[1],
            "undefined": self.reason or self.interval_reason,
        }


class Column(NamedTuple):
    """One system, number `k` of `table`, and what was found of it."""

    table: IntArray
    k: int
    baseline: int
    resampled: PairedBootstrap | None
    tests: Mapping[str, PermutationTest]
    corrected: Mapping[str, float | None]

    def entry(self, measure: Measure) -> Entry:
        """One measure."""
        name, totals = measure.name, Counts(self.table[:, self.k], measure.kind).totals()
        own, deltas = self._intervals()
        entry = Entry(
            value=measure.value(totals),
            reason=measure.why_undefined(totals),
            fraction=measure.fraction(totals),
            interval=own.intervals.get(name),
            interval_reason=own.undefined.get(name),
        )
        if self.k == self.baseline:
            return entry
        sums = self.table.sum(axis=0)
        delta = float(differences(measure, sums[self.k], sums[self.baseline]))
        return replace(
            entry,
            delta=None if np.isnan(delta) else delta,
            delta_interval=deltas.intervals.get(name),
            test=self.tests.get(name),
            p_corrected=self.corrected.get(name),
            scoreboard=scoreboard(measure, self.table[:, self.k], self.table[:, self.baseline]),
        )

    def _intervals(self) -> tuple[Intervals, Intervals]:
        """Of the values and of their differences; empty without resamples."""
        if self.resampled is None:
            return Intervals(), Intervals()
        return self.resampled.systems[self.k], self.resampled.deltas[self.k]


def scoreboard(measure: Measure, system: IntArray, baseline: IntArray) -> Scoreboard:
    """
    Documents in which a system is better, equal or worse.

    Args:
        measure: What decides; `differences` has the right sign, however small they are.
        system, baseline: Counts per document, int64 of shape (D, C).

    """
    delta = differences(measure, system, baseline)
    won, tied, lost = int((delta > 0).sum()), int((delta == 0).sum()), int((delta < 0).sum())
    if measure.is_cost:
        won, lost = lost, won
    return Scoreboard(won, tied, lost, len(delta) - won - tied - lost)

"""
Several systems on the same gold, side by side: values, differences to a baseline, intervals, tests, documents won.

Everything rests on the counts per document of each run, so saved runs serve as well as fresh ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spaneval.changes import COMPARABLE, check_aligned
from spaneval.corpus import IntArray
from spaneval.counts import COLUMNS, Counts
from spaneval.measures import Measure, default_measures, get_measure
from spaneval.problems import Note
from spaneval.resampling import DEFAULT_SEED, LEVEL, RESAMPLES, Intervals, differences, paired_bootstrap
from spaneval.runs import Fate, Run, as_run, check_comparable
from spaneval.significance import TRIALS, Correction, PermutationTest, correct, permutation_tests

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.evaluation import Evaluation

SCHEMA = "spaneval.compare/1"
DEFAULT_MEASURES = ("precision", "recall", "f1", "entity_accuracy", "link_f1")
_TIE = 1e-12
"""Relative difference below which a document is a tie."""


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
        interval: Both ends; None where it is undefined or was not asked for.
        delta: Value minus that of the baseline; None for the baseline, and where either is undefined.
        delta_interval: Both ends, from the same resamples for both.
        test: The paired permutation test; None for the baseline and where no tests were asked for.
        p_corrected: Its p after the correction for all tests of the table.
        scoreboard: Documents won, tied and lost; None for the baseline.

    """

    value: float | None
    reason: str | None
    interval: tuple[float, float] | None
    delta: float | None = None
    delta_interval: tuple[float, float] | None = None
    test: PermutationTest | None = None
    p_corrected: float | None = None
    scoreboard: Scoreboard | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        board = self.scoreboard or Scoreboard(0, 0, 0, 0)
        return {
            "value": self.value,
            "interval": self.interval and list(self.interval),
            "delta": self.delta,
            "delta_interval": self.delta_interval and list(self.delta_interval),
            "p": None if self.test is None else self.test.p,
            "p_corrected": self.p_corrected,
            **(board._asdict() if self.scoreboard else dict.fromkeys(Scoreboard._fields)),
            "n_undefined_swaps": None if self.test is None else self.test.n_undefined_swaps,
            "undefined": self.reason,
        }


@dataclass(frozen=True)
class Comparison:
    """
    Systems against a baseline.

    Args:
        runs: By name, in the order given.
        baseline: Name of the baseline.
        measures: What was compared, in order.
        entries: By system and measure.
        common: Annotations for which every system has a comparable pair, and how many of them each has right.
        n_documents: Documents of the gold and those that only rows name.
        test: Name, trials, exactness, correction and number of tests.
        resampling: Method, level, resamples, seed, shares left out; None without intervals.
        alpha: Level of the marks.
        notes: What a reader should know.

    """

    runs: dict[str, Run]
    baseline: str
    measures: tuple[Measure, ...]
    entries: dict[str, dict[str, Entry]]
    common: Common
    n_documents: int
    test: dict[str, Any] | None
    resampling: dict[str, Any] | None
    alpha: float
    notes: list[Note]

    @property
    def signature(self) -> str:
        """That of the baseline's run, with the test and the correction; maps differ by system and are left out."""
        parts = [part for part in self.runs[self.baseline].signature.split("|") if not part.startswith(_PER_SYSTEM)]
        at = next(k for k, part in enumerate(parts) if part.startswith("gt:"))
        extra = []
        if self.resampling:
            extra += [f"ci:doc-bootstrap.{self.resampling['resamples']}"]
            extra += [f"level:{self.resampling['level']}"] if self.resampling["level"] != LEVEL else []
        if self.test:
            extra += [f"test:perm.{self.test['trials']}", f"corr:{self.test['correction']}.{self.test['n_tests']}"]
        if self.resampling or self.test:
            extra += [f"seed:{(self.resampling or self.test or {})['seed']}"]
        return "|".join([*parts[:at], *extra, *parts[at:]])

    def to_dict(self) -> dict[str, Any]:
        """The JSON report; nothing is rounded, and None stands for undefined."""
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "baseline": self.baseline,
            "n_documents": self.n_documents,
            "test": self.test,
            "resampling": self.resampling,
            "alpha": self.alpha,
            "systems": [self._system(name) for name in self.runs],
            "common": {"n": self.common.n, "accuracy": {name: self.common.accuracy(name) for name in self.runs}},
            "notes": [note.to_dict() for note in self.notes],
        }

    def _system(self, name: str) -> dict[str, Any]:
        run = self.runs[name]
        measures = {measure: entry.to_dict() for measure, entry in self.entries[name].items()}
        return {"name": name, "signature": run.signature, **run.counts.totals(), "measures": measures}

    def to_frame(self) -> pd.DataFrame:
        """One row per system and measure, columns as the keys of the JSON report."""
        import pandas as pd

        rows = [
            {"measure": measure.name, "system": name, **self.entries[name][measure.name].to_dict()}
            for measure in self.measures
            for name in self.runs
        ]
        return pd.DataFrame(rows)


_PER_SYSTEM = ("map:", "gold-map:", "ci:", "seed:", "level:")


class Common(NamedTuple):
    """Annotations for which every system has a comparable pair: how many, and how many each system has right."""

    n: int
    n_correct: dict[str, int]

    def accuracy(self, name: str) -> float | None:
        """Share of the common annotations that a system has right; None without any."""
        return self.n_correct[name] / self.n if self.n else None


def compare(
    systems: Mapping[str, Evaluation | Run | str | os.PathLike[str]],
    *,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    ci: bool = True,
    test: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    trials: int = TRIALS,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = DEFAULT_SEED,
) -> Comparison:
    """
    Compare systems on the same gold.

    Args:
        systems: Evaluations, runs or paths of saved runs by name, at least one.
        baseline: Name of the one the others are held against; None takes the first.
        measures: Names of measures; None takes those of the contract (docs/measures.md), with NIL ids also theirs.
        ci: Whether to compute intervals.
        test: Whether to test differences.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval.
        trials: Swaps of the permutation test.
        correction: How p-values are corrected for all tests of the table.
        alpha: Level of the marks.
        seed: Of resamples and swaps; 0 is a seed.

    Raises:
        AlignmentError: If the runs were not counted alike, over the same gold.
        MeasureError: If a measure does not exist.
        ValueError: If there is no run, or none of the name of the baseline.

    """
    runs = {name: as_run(system) for name, system in systems.items()}
    if not runs:
        raise ValueError("nothing to compare; give at least one system")
    base = next(iter(runs)) if baseline is None else baseline
    if base not in runs:
        raise ValueError(f"no system is named {base!r}; there are {', '.join(map(repr, runs))}")
    ordered = {base: runs[base]} | dict(runs)
    check_comparable(ordered)
    for run in runs.values():
        check_aligned(runs[base], run)
    chosen = _measures(runs[base], measures)
    names = list(runs)
    table = stacked([runs[name] for name in names])
    position = names.index(base)
    intervals, deltas, resampling = _intervals(
        table, chosen, position, ci=ci, resamples=resamples, level=level, seed=seed
    )
    tests: list[dict[str, PermutationTest]] = [{} for _ in names]
    if test and len(names) > 1:
        rng = np.random.default_rng([seed, 1])  # another stream than that of the resamples
        tests = permutation_tests(table, chosen, baseline=position, trials=trials, rng=rng)
    corrected = _corrected(tests, chosen, correction)
    entries = {
        name: {
            measure.name: _entry(table, k, position, measure, intervals[k], deltas[k], tests[k], corrected[k])
            for measure in chosen
        }
        for k, name in enumerate(names)
    }
    first = next((x for one in tests for x in one.values()), None)
    about = None
    if first is not None:
        about = {
            "name": "paired permutation test over documents, two-sided",
            "trials": first.n_trials,
            "exact": first.is_exact,
            "correction": correction,
            "n_tests": sum(x.p is not None for one in tests for x in one.values()),
            "seed": seed,
        }
    return Comparison(
        runs=dict(runs),
        baseline=base,
        measures=chosen,
        entries=entries,
        common=common_pairs(runs),
        n_documents=len(table),
        test=about,
        resampling=resampling,
        alpha=alpha,
        notes=_notes(runs),
    )


def _measures(run: Run, names: Sequence[str] | None) -> tuple[Measure, ...]:
    if names is not None:
        return tuple(get_measure(name) for name in dict.fromkeys(names))
    of_nil = [m for m in default_measures(has_nil=True) if m.needs_nil] if run.counting.get("nil") else []
    return (*(get_measure(name) for name in DEFAULT_MEASURES), *of_nil)


def stacked(runs: Sequence[Run]) -> IntArray:
    """
    Counts of all runs over the union of their documents.

    Returns:
        int64 of shape (D, S, C): the gold documents in their order, then those that only rows name, in key order. A
        system without a row for a document still has that document's gold.

    """
    n_gold = runs[0].n_gold_documents
    extra = sorted({key for run in runs for key in run.documents[n_gold:]})
    table = np.zeros((n_gold + len(extra), len(runs), len(COLUMNS)), dtype=np.int64)
    place = {key: n_gold + k for k, key in enumerate(extra)}
    for k, run in enumerate(runs):
        rows = [*range(n_gold), *(place[key] for key in run.documents[n_gold:])]
        table[rows, k] = run.counts.table
    return table


def _intervals(
    table: IntArray,
    measures: Sequence[Measure],
    baseline: int,
    *,
    ci: bool,
    resamples: int,
    level: float,
    seed: int,
) -> tuple[list[Intervals], list[Intervals], dict[str, Any] | None]:
    if not ci:
        nothing = [Intervals() for _ in range(table.shape[1])]
        return nothing, nothing, None
    rng = np.random.default_rng(seed)
    found = paired_bootstrap(table, measures, baseline=baseline, resamples=resamples, level=level, rng=rng)
    about = {
        "method": "paired percentile bootstrap",
        "unit": "document",
        "level": level,
        "resamples": resamples,
        "seed": seed,
        "left_out": [x.left_out for x in found.systems],
    }
    return found.systems, found.deltas, about


def _corrected(
    tests: Sequence[Mapping[str, PermutationTest]], measures: Sequence[Measure], correction: Correction
) -> list[dict[str, float | None]]:
    """Corrected p by system and measure; one correction over all tests of the table."""
    places = [(k, measure.name) for measure in measures for k in range(len(tests)) if measure.name in tests[k]]
    values = correct([tests[k][name].p for k, name in places], correction).p_values
    result: list[dict[str, float | None]] = [{} for _ in tests]
    for (k, name), p in zip(places, values, strict=True):
        result[k][name] = p
    return result


def _entry(
    table: IntArray,
    k: int,
    baseline: int,
    measure: Measure,
    intervals: Intervals,
    deltas: Intervals,
    tests: Mapping[str, PermutationTest],
    corrected: Mapping[str, float | None],
) -> Entry:
    name = measure.name
    totals = Counts(table[:, k]).totals()
    value, reason = measure.value(totals), measure.why_undefined(totals)
    if k == baseline:
        return Entry(value, reason, intervals.intervals.get(name))
    sums = table.sum(axis=0)
    delta = float(differences(measure, sums[k], sums[baseline]))
    return Entry(
        value,
        reason,
        intervals.intervals.get(name),
        None if np.isnan(delta) else delta,
        deltas.intervals.get(name),
        tests.get(name),
        corrected.get(name),
        scoreboard(measure, table[:, k], table[:, baseline]),
    )


def scoreboard(measure: Measure, system: IntArray, baseline: IntArray) -> Scoreboard:
    """
    Documents in which a system is better, equal or worse.

    Args:
        measure: What decides.
        system, baseline: Counts per document, int64 of shape (D, C).

    """
    delta = differences(measure, system, baseline)
    slack = _TIE * np.maximum(1.0, np.nan_to_num(np.abs(measure.values(baseline))))
    is_undefined = np.isnan(delta)
    won, lost = int((delta > slack).sum()), int((delta < -slack).sum())
    n_undefined = int(is_undefined.sum())
    return Scoreboard(won, len(delta) - won - lost - n_undefined, lost, n_undefined)


def common_pairs(runs: Mapping[str, Run]) -> Common:
    """Annotations for which every run has a comparable pair, and how many of them each has right."""
    fates = {name: run.annotations.fate for name, run in runs.items()}
    is_common = np.logical_and.reduce([np.isin(fate, COMPARABLE) for fate in fates.values()])
    n_correct = {name: int((fate[is_common] == Fate.CORRECT).sum()) for name, fate in fates.items()}
    return Common(int(is_common.sum()), n_correct)


def _notes(runs: Mapping[str, Run]) -> list[Note]:
    """What a reader should know of the systems that differ in what can be compared."""
    shares = {
        name: (totals["n_id_comparable"], totals["n_matched"])
        for name, totals in ((name, run.counts.totals()) for name, run in runs.items())
    }
    if len(set(shares.values())) == 1:
        return []
    listed = ", ".join(f"{name} {comparable} of {matched}" for name, (comparable, matched) in shares.items())
    message = (
        f"matched pairs with comparable ids: {listed}; entity accuracy is judged on each system's own, so read the "
        "accuracy over common pairs and link F1 beside it"
    )
    return [Note("comparable-pairs-differ", 0, message)]

"""
Several systems on the same gold, side by side: values, differences to a baseline, intervals, tests, documents won.

Everything rests on the counts per document of each run, so saved runs serve as well as fresh ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any, Final

from spaneval.changes import Common, common_pairs
from spaneval.corpus import IntArray
from spaneval.entries import Entry, Scoreboard
from spaneval.exceptions import MeasureError
from spaneval.group_tables import group_tables
from spaneval.kinds import FIELDS, LEAVES, REVIEW, SPANS, Kind
from spaneval.measure import Measure
from spaneval.measures import default_measures, get_measure
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES
from spaneval.problems import Note
from spaneval.runs import Run, check_comparable, kind_of, stacked
from spaneval.saved_runs import as_run
from spaneval.sheets import Sheet, about_resamples, about_tests, bootstrapped, correct_all, permuted
from spaneval.signature import PARTS, escaped, parts_of
from spaneval.significance import TRIALS, Correction

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.scores import Result

SCHEMA: Final = "spaneval.compare/1"
DEFAULT_MEASURES: Final = {
    SPANS: ("precision", "recall", "f1", "entity_accuracy", "link_f1"),
    FIELDS: ("precision", "recall", "f1", "agreement", "records_correct"),
    LEAVES: ("precision", "recall", "f1", "row_f1", "agreement"),
    REVIEW: ("detection_precision", "detection_recall", "detection_f1", "field_agreement", "perfect_record_rate"),
}
"""What is compared if nothing else is said; of classes, the accuracy."""
COMMON: Final = "common_accuracy"
"""What the accuracy over common pairs is called where it stands among measures."""

_PER_SYSTEM: Final = ("fields", "map", "gold-map")
"""Parts of a signature in which systems may differ."""


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
        test: Name, trials, exactness, correction and number of tests; None without tests.
        resampling: Method, level, resamples, seed, shares left out; None without intervals.
        alpha: Level of the marks.
        notes: What a reader should know.
        groups: By field and group, entries by system and measure, of the measures that the field can divide.

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
    groups: dict[str, dict[str, Entries]] = field(default_factory=dict)

    def __repr__(self) -> str:
        names = ", ".join(measure.name for measure in self.measures)
        return f"Comparison({', '.join(self.runs)}; baseline {self.baseline}: {names})"

    @property
    def kind(self) -> Kind:
        """What was counted."""
        return kind_of(list(self.runs.values()))

    @property
    def signature(self) -> str:
        """
        That of the baseline's run, with the test and the correction.

        What differs by system stands in it by name: `map:v1=none,v2=19.f17da39d`.
        """
        parts = self._shared_parts()
        at = next(k for k, part in enumerate(parts) if part.startswith("gt:"))
        extra = ["ci:none"]
        if self.resampling:
            extra = [f"ci:doc-bootstrap.{self.resampling['resamples']}"]
            extra += [f"level:{self.resampling['level']}"] if self.resampling["level"] != LEVEL else []
        if self.test:
            trials = "exact" if self.test["exact"] else self.test["trials"]
            extra += [f"test:perm.{trials}", f"corr:{self.test['correction']}.{self.test['n_tests']}"]
        if self.resampling or self.test:
            extra += [f"seed:{(self.resampling or self.test or {})['seed']}"]
        return "|".join([*parts[:at], *extra, *parts[at:]])

    def _shared_parts(self) -> list[str]:
        """The parts of the baseline's signature, those in which systems may differ for all systems."""
        by_system = {name: parts_of(run.signature) for name, run in self.runs.items()}
        parts = by_system[self.baseline]
        for key in _PER_SYSTEM:
            values = {name: found.get(key) for name, found in by_system.items()}
            if len(set(values.values())) > 1:
                listed = ",".join(f"{escaped(name)}={value or 'none'}" for name, value in values.items())
                parts = {**parts, key: listed}
        order = {key: k for k, key in enumerate(PARTS)}
        return [f"{key}:{parts[key]}" for key in sorted(parts, key=lambda key: order.get(key, len(order)))]

    def to_dict(self) -> dict[str, Any]:
        """The JSON report; nothing is rounded, and None stands for undefined."""
        groups = {
            by: {value: _plain(entries) for value, entries in groups.items()} for by, groups in self.groups.items()
        }
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "baseline": self.baseline,
            "n_documents": self.n_documents,
            "test": self.test,
            "resampling": self.resampling,
            "alpha": self.alpha,
            "systems": [self._system(name) for name in self.runs],
            "common": {
                "n": self.common.n,
                "n_correct": self.common.n_correct,
                "accuracy": {name: self.common.accuracy(name) for name in self.runs},
            },
            **({"groups": groups} if groups else {}),
            "notes": [note.to_dict() for note in self.notes],
        }

    def _system(self, name: str) -> dict[str, Any]:
        run = self.runs[name]
        measures = _plain(self.entries)[name]
        return {"name": name, "signature": run.signature, **run.counts.totals(), "measures": measures}

    def rows(self) -> list[dict[str, Any]]:
        """
        One flat row per measure and system; keys as in the JSON report, intervals as `low` and `high`.

        The accuracy over common pairs comes last, as the measure `common_accuracy`.
        """
        rows = [
            {"measure": measure.name, "system": name, **_flat(self.entries[name][measure.name].to_dict())}
            for measure in self.measures
            for name in self.runs
        ]
        nothing = dict.fromkeys(rows[0] if rows else ())
        for name in self.runs:
            fraction = {"numerator": self.common.n_correct[name], "denominator": self.common.n}
            undefined = None if self.common.n else no_common(self.kind)
            row = {"measure": COMMON, "system": name, "value": self.common.accuracy(name), "undefined": undefined}
            rows.append({**nothing, **row, "delta": self.common_delta(name), **fraction})
        return rows

    def group_rows(self) -> list[dict[str, Any]]:
        """The same for every group, after its field `by` and its name `group`."""
        return [
            {"by": by, "group": value, "measure": measure.name, "system": name, **_flat(entry.to_dict())}
            for by, groups in self.groups.items()
            for value, entries in groups.items()
            for measure in self.measures
            for name in self.runs
            if (entry := entries[name].get(measure.name)) is not None
        ]

    def common_delta(self, name: str) -> float | None:
        """Accuracy over common pairs minus that of the baseline; None for the baseline, and where there are none."""
        if name == self.baseline or not self.common.n:
            return None
        return (self.common.n_correct[name] - self.common.n_correct[self.baseline]) / self.common.n

    def to_frame(self) -> pd.DataFrame:
        """The same as a data frame; what is undefined is missing."""
        import pandas as pd

        integers = (*Scoreboard._fields, "n_undefined_swaps", "numerator", "denominator")
        floats = ("value", "low", "high", "delta", "delta_low", "delta_high", "p", "p_corrected")
        dtypes = dict.fromkeys(integers, "Int64") | dict.fromkeys(floats, "Float64")
        return pd.DataFrame(self.rows()).astype(dtypes)


def no_common(kind: Kind) -> str:
    """Why there is no accuracy over common pairs."""
    if kind == SPANS:
        return "there is no annotation for which every system has a comparable pair"
    return "there is no gold value for which every system extracted something"


Entries = dict[str, dict[str, Entry]]
"""By system and measure."""


def _plain(entries: Entries) -> dict[str, dict[str, Any]]:
    return {name: {measure: x.to_dict() for measure, x in of_system.items()} for name, of_system in entries.items()}


def _flat(entry: dict[str, Any]) -> dict[str, Any]:
    low, high = entry.pop("interval") or (None, None)
    delta_low, delta_high = entry.pop("delta_interval") or (None, None)
    value, delta = entry.pop("value"), entry.pop("delta")
    ends = {"low": low, "high": high, "delta": delta, "delta_low": delta_low, "delta_high": delta_high}
    return {"value": value, **ends, **entry}


def compare(
    systems: Mapping[str, Result | Run | str | os.PathLike[str]],
    *,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    by: str | Sequence[str] = (),
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
        systems: Results of scoring, runs or paths of saved runs by name, at least one.
        baseline: Name of the one the others are held against; None takes the first.
        measures: Names of measures; None takes those of the contract (docs/measures.md), with NIL ids also theirs.
        by: Fields whose groups are compared, too. Evaluations must have been made with them; saved runs know
            `document`, `namespace`, `length` and `gold_frequency`.
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
        InputError: If a saved run cannot be read, or a run cannot be grouped as asked for.
        MeasureError: If a measure does not exist or needs NIL ids and there are none, or a parameter is impossible.
        ValueError: If there is no run, or none of the name of the baseline.

    """
    seed = index(seed)  # None would draw other resamples in every run
    if not 0 < alpha < 1:
        raise MeasureError(f"alpha {alpha}; expected a number between 0 and 1, as 0.05")
    runs = {name: as_run(system) for name, system in systems.items()}
    base = _baseline(runs, baseline)
    check_comparable({base: runs[base]} | runs)
    kind = kind_of(list(runs.values()))
    names = default_names(runs[base]) if measures is None else measures
    check_nil(names, runs[base])
    chosen = tuple(get_measure(name, kind) for name in dict.fromkeys(names))
    table, position = stacked(list(runs.values())), list(runs).index(base)
    grouped = {one: group_tables(runs, one) for one in dict.fromkeys([by] if isinstance(by, str) else by)}

    def sheet(table: IntArray, absent: frozenset[str] = frozenset()) -> Sheet:
        known = [measure for measure in chosen if absent.isdisjoint(measure.columns)]
        resampled = bootstrapped(table, known, position, resamples, level, seed) if ci else None
        tests = permuted(table, known, position, trials, seed) if test else [{} for _ in runs]
        return Sheet(table, known, resampled, tests)

    whole = sheet(table)
    parts = {
        one: {value: sheet(x, found.absent) for value, x in found.tables.items()} for one, found in grouped.items()
    }
    sheets = [whole, *(part for of_field in parts.values() for part in of_field.values())]
    tests = [of_system for part in sheets for of_system in part.tests]
    corrected = iter(correct_all(tests, chosen, correction))  # one correction over all that is printed

    def entries(part: Sheet) -> Entries:
        return {name: part.column(k, position, next(corrected)) for k, name in enumerate(runs)}

    return Comparison(
        runs=runs,
        baseline=base,
        measures=chosen,
        entries=entries(whole),
        groups={one: {value: entries(part) for value, part in of_field.items()} for one, of_field in parts.items()},
        common=common_pairs(runs),
        n_documents=len(table),
        test=about_tests(whole, parts, correction, seed),
        resampling=None if whole.resampled is None else about_resamples(whole.resampled, list(runs), base, seed),
        alpha=alpha,
        notes=_notes(runs, chosen),
    )


def _baseline(runs: Mapping[str, Run], name: str | None) -> str:
    if not runs:
        raise ValueError("nothing to compare; give at least one system")
    base = next(iter(runs)) if name is None else name
    if base not in runs:
        raise ValueError(f"no system is named {base!r}; there are {', '.join(map(repr, runs))}")
    return base


def default_names(run: Run) -> list[str]:
    """Names of the measures that are compared if nothing else is said; with NIL ids also theirs."""
    of_nil = [m.name for m in default_measures(has_nil=True) if m.needs_nil] if run.counting.get("nil") else []
    return [*DEFAULT_MEASURES.get(run.counts.kind, ("accuracy",)), *of_nil]


def check_nil(names: Sequence[str], run: Run) -> None:
    """
    Refuse measures of NIL where no NIL id is named.

    Raises:
        MeasureError: If there is one.

    """
    for name in names if run.counts.kind == SPANS else ():
        if get_measure(name).needs_nil and not run.counting.get("nil"):
            raise MeasureError(f"{name} needs --nil ID, the id that means 'not in the knowledge base'")


def _notes(runs: Mapping[str, Run], measures: Sequence[Measure]) -> list[Note]:
    """What a reader should know of systems that differ in what can be compared."""
    if any(run.counts.kind != SPANS for run in runs.values()):
        return _field_notes(runs) if any("tn" in measure.columns for measure in measures) else []
    totals = {name: run.counts.totals() for name, run in runs.items()}
    shares = {name: (x["n_id_comparable"], x["n_matched"]) for name, x in totals.items()}
    if len(set(shares.values())) == 1:
        return []
    listed = ", ".join(f"{name} {comparable} of {matched}" for name, (comparable, matched) in shares.items())
    message = (
        f"matched pairs with comparable ids: {listed}; entity accuracy is judged on each system's own, so read the "
        "accuracy over common pairs and link F1 beside it"
    )
    return [Note("comparable-pairs-differ", 0, message)]


def _field_notes(runs: Mapping[str, Run]) -> list[Note]:
    """A field that one system alone names is right wherever it is empty, which only measures with `tn` see."""
    fields = {name: set(run.counting.get("fields", [])) for name, run in runs.items()}
    partly = sorted(set.union(*fields.values()) - set.intersection(*fields.values()))
    if not partly:
        return []
    listed = ", ".join(f"{name} {len(of_run)}" for name, of_run in fields.items())
    message = (
        f"fields compared: {listed}; {', '.join(map(repr, partly))} not for all, and a field that is empty on both "
        "sides is right, so score all with the same --fields before you compare accuracy"
    )
    return [Note("fields-differ", len(partly), message)]

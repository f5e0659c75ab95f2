"""
Macro averages: the plain mean of a measure over documents, or over groups.

Every one weighs the same, however much was counted in it. Those in which the measure is undefined have no part in the
mean; how many they are is told beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, fsum
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from spaneval.corpus import FloatArray
from spaneval.draws import resample_sums
from spaneval.measure import Measure
from spaneval.resampling import Bootstrap, percentile_interval

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.scores import Result

Average = Literal["micro", "macro"]

_EXACT_BITS: Final = 52  # of the sums that `resample_sums` adds up without rounding


@dataclass(frozen=True, slots=True)
class Mean:
    """
    The mean of one measure.

    Args:
        value: Of those that are defined; None if none is.
        n: How many are defined.
        n_undefined: How many are not, and are left out.
        interval: Both ends; None where it is undefined or was not asked for.
        why_no_interval: Why it is undefined; None where there is one, or none was asked for.

    """

    value: float | None
    n: int
    n_undefined: int
    interval: tuple[float, float] | None = None
    why_no_interval: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        return {
            "value": self.value,
            "n": self.n,
            "n_undefined": self.n_undefined,
            "interval": self.interval and list(self.interval),
            "why_no_interval": self.why_no_interval,
        }


@dataclass(frozen=True, slots=True)
class Macro:
    """
    Macro averages of all measures.

    Args:
        over: `document`, or the field whose groups are averaged over.
        means: By name of the measure.

    """

    over: str
    means: dict[str, Mean]

    def why_undefined(self, name: str) -> str | None:
        """Why there is no mean; None where there is one."""
        if self.means[name].value is not None:
            return None
        return f"undefined in each of the {self.means[name].n_undefined} {plural(self.over)} that it is averaged over"


def grouped_fields(by: str | Sequence[str], average: Average) -> tuple[str, ...]:
    """
    The fields that are grouped by, each once.

    Raises:
        ValueError: If there is no such average, or macro averages would have to be over several fields.

    """
    fields = tuple(dict.fromkeys([by] if isinstance(by, str) else by))
    if average not in get_args(Average):
        raise ValueError(f"average is {average!r}; expected 'micro' or 'macro'")
    if average == "macro" and len(fields) > 1:
        raise ValueError(f"macro averages are over the groups of one field, not of {' and '.join(fields)}")
    return fields


def plural(over: str) -> str:
    """`documents`, or `groups by type`."""
    return "documents" if over == "document" else f"groups by {over}"


def macro_over_documents(evaluation: Result, measures: Sequence[Measure]) -> Macro:
    """
    Means over all documents: those of the gold, and those that only rows name, alike.

    Intervals come from the resampled documents of the other intervals, if the evaluation has any.
    """
    order = evaluation.resampling_order
    values = {m.name: m.values(evaluation.document_counts.table)[order] for m in measures}
    if evaluation.bootstrap is None:
        return Macro("document", {name: mean(one.tolist()) for name, one in values.items()})
    found = mean_intervals(list(values.values()), evaluation.bootstrap)
    means = {}
    for (name, one), interval in zip(values.items(), found, strict=True):
        plain = mean(one.tolist())
        why = None if interval else _why_no_interval(plain, len(one))
        means[name] = Mean(plain.value, plain.n, plain.n_undefined, interval, why)
    return Macro("document", means)


def _why_no_interval(plain: Mean, n_documents: int) -> str:
    if plain.value is None:
        return "the measure is undefined in every document"
    return "there is one document; an interval needs at least two" if n_documents == 1 else "no resample has a value"


def macro_over_groups(evaluation: Evaluation, by: str, measures: Sequence[Measure]) -> Macro:
    """Means over the groups of a field, `(none)` among them; there are no intervals of these."""
    why = None
    if evaluation.bootstrap is not None:
        why = "intervals are computed of means over documents, not over groups"
    means = {}
    for measure in measures:
        plain = mean(group.measures[measure.name] for group in evaluation.groups[by].values())
        means[measure.name] = Mean(plain.value, plain.n, plain.n_undefined, None, why)
    return Macro(by, means)


def mean(values: Iterable[float | None]) -> Mean:
    """The mean of those values that are neither None nor NaN, rounded once, so that their order changes nothing."""
    listed = list(values)
    defined = [x for x in listed if x is not None and x == x]
    value = fsum(defined) / len(defined) if defined else None
    return Mean(value, len(defined), len(listed) - len(defined))


def mean_intervals(columns: Sequence[FloatArray], settings: Bootstrap) -> list[tuple[float, float] | None]:
    """
    Percentile intervals of means over documents, all from the same resamples.

    The mean of a resample is that of its defined values; resamples without any are left out.

    Args:
        columns: The values of each measure, float64 of shape (D,), NaN where undefined.
        settings: How many resamples of which seed, and the level; with the same seed the documents drawn are those of
            `spaneval.resampling.bootstrap`.

    Returns:
        Both ends for each measure; None with fewer than two documents or without a defined value.

    Cost: one (R, D) by (D, 2 × measures) product. Values are added up as integers that share 52 bits with the number of
    documents, so that sums are exact and the same on every machine.
    """
    n_documents = len(columns[0]) if columns else 0
    if n_documents < 2:
        return [None] * len(columns)
    values = np.stack(columns, axis=1)
    is_defined = ~np.isnan(values)
    largest = [ceil(x) for x in np.abs(np.where(is_defined, values, 0.0)).max(axis=0, initial=1.0).tolist()]
    bits = _EXACT_BITS - n_documents.bit_length()
    scale = np.array([2.0 ** max(0, bits - (x - 1).bit_length()) for x in largest])  # of each measure
    fixed = np.rint(np.where(is_defined, values, 0.0) * scale).astype(np.int64)
    rng = np.random.default_rng(settings.seed)
    sums = resample_sums(np.stack([fixed, is_defined.astype(np.int64)], axis=1), resamples=settings.resamples, rng=rng)
    top, n_defined = sums[:, 0], sums[:, 1]
    means = np.full(top.shape, np.nan)
    np.divide(top, n_defined * scale, out=means, where=n_defined > 0)
    return [percentile_interval(means[:, k], settings.level) for k in range(len(columns))]

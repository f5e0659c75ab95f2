"""
What follows from a confusion matrix: every number by name, why it is undefined, and its interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from spaneval.averages import Mean, mean
from spaneval.class_measures import class_measures, margins
from spaneval.records.confusion import Confusion, cohen_kappa, matthews, resampled
from spaneval.resampling import Bootstrap, add_interval, add_too_few

if TYPE_CHECKING:
    from spaneval.corpus import FloatArray, IntArray
    from spaneval.measure import Measure

PER_CLASS: Final = ("precision", "recall", "f1")
"""What is measured of each class; `f1:NAME` is that of one."""


class Overall(NamedTuple):
    """A number of the whole matrix that is no fraction of sums of its cells."""

    label: str
    question: str


OVERALL: Final = {
    "cohen_kappa": Overall("Cohen's kappa", "How much of the agreement that chance leaves over was reached?"),
    "matthews": Overall("Matthews correlation", "How closely do actual and predicted classes go together?"),
    "macro_precision": Overall("Macro precision", "What is the mean precision of the classes that have one?"),
    "macro_recall": Overall("Macro recall", "What is the mean recall of the classes that have one?"),
    "macro_f1": Overall("Macro F1", "What is the mean F1 of the classes that have one?"),
}
"""Such numbers by name, in the order of reports."""


class ClassScores:
    """
    The numbers of a confusion matrix.

    Args:
        confusion: The matrix.

    """

    def __init__(self, confusion: Confusion) -> None:
        self.confusion = confusion
        self.registry: tuple[Measure, ...] = class_measures(margins(confusion.classes))
        columns = self.registry[0].kind.columns
        values = np.concatenate([[confusion.n], *confusion.margins])
        self.counts: dict[str, int] = dict(zip(columns, values.tolist(), strict=True))
        """The margins of the matrix by column of `spaneval.class_measures.margins`."""
        found = {measure.name: measure.value(self.counts) for measure in self.registry}
        self.means = {part: mean(found[f"{part}:{name}"] for name in confusion.classes) for part in PER_CLASS}
        """Means over classes of precision, recall and F1; those that are undefined are left out and counted."""
        self.measures = self._measures(found, self.means)
        """Every number by name; None where it is undefined."""
        self.undefined = self._reasons()
        """Why a number is undefined, for those that are."""

    def _measures(self, found: Mapping[str, float | None], means: Mapping[str, Mean]) -> dict[str, float | None]:
        whole = {"cohen_kappa": cohen_kappa(self.confusion.margins), "matthews": matthews(self.confusion.margins)}
        of_matrix = {name: None if np.isnan(value) else float(value) for name, value in whole.items()}
        of_means = {f"macro_{part}": one.value for part, one in means.items()}
        return {"accuracy": found["accuracy"], **of_matrix, **of_means, **found}

    def _reasons(self) -> dict[str, str]:
        reasons = {measure.name: measure.why_undefined(self.counts) for measure in self.registry}
        actual, predicted = map(self._only_class, (self.confusion.margins.actual, self.confusion.margins.predicted))
        if actual is not None and actual == predicted:
            reasons["cohen_kappa"] = f"gold and predictions hold the one class {actual}, so chance leaves nothing over"
        sides = {"the gold holds": actual, "the predictions hold": predicted}
        told = [f"{side} the one class {name}" for side, name in sides.items() if name is not None]
        if told:
            reasons["matthews"] = f"{' and '.join(told)}, so nothing varies"
        return {name: reason for name in self.measures if (reason := reasons.get(name)) is not None}

    def _only_class(self, side: IntArray) -> str | None:
        """The class of all objects of a side, if they have but one."""
        return f"'{self.confusion.classes[int(side.argmax())]}'" if np.count_nonzero(side) == 1 else None

    def bootstrap(self, *, resamples: int, level: float, seed: int, objects: IntArray | None = None) -> Bootstrap:
        """
        Percentile intervals of all numbers, by resampling objects.

        All numbers see the same resamples. A resample in which a number is undefined is left out of its interval; a
        mean over classes is that of the classes that have a value in the resample.

        Args:
            resamples: How often all objects are drawn with replacement, R.
            level: Share of the resampled values inside an interval.
            seed: Fixes the resamples; 0 is a seed like any other.
            objects: Cell of each object; see `spaneval.records.confusion.resampled`.

        Cost: see `spaneval.records.confusion.resampled`; 12 bytes are held for each class and resample.
        """
        result = Bootstrap(resamples=resamples, level=level, seed=seed)
        if self.confusion.n < 2:
            add_too_few(result, list(self.measures), self.confusion.n, "object")
            return result
        sums, whole = self._resampled(resamples, np.random.default_rng(seed), objects)
        accuracy, *of_classes = self.registry
        values = {"accuracy": accuracy.values(sums)} | whole
        found = Bootstrap(resamples=resamples, level=level, seed=seed)
        totals = {part: np.zeros((2, resamples)) for part in PER_CLASS}
        for measure in of_classes:
            one = measure.values(sums)
            add_interval(found, measure.name, one, level, self.undefined.get(measure.name))
            is_defined = ~np.isnan(one)
            totals[measure.name.partition(":")[0]] += np.where(is_defined, one, 0.0), is_defined
        values |= {f"macro_{part}": total / n for part, (total, n) in totals.items()}
        for name, one in values.items():
            add_interval(result, name, one, level, self.undefined.get(name))
        for part in ("intervals", "undefined", "left_out"):
            getattr(result, part).update(getattr(found, part))
        return result

    def _resampled(
        self, resamples: int, rng: np.random.Generator, objects: IntArray | None
    ) -> tuple[IntArray, dict[str, FloatArray]]:
        """Margins of all resamples in the columns of the measures, and what these cannot be asked for."""
        is_small = self.confusion.n < 1 << 30  # so that twice a number is an int32, too
        size = (resamples, len(self.counts))
        sums = np.empty(size, dtype=np.int32 if is_small else np.int64, order="F")
        whole: dict[str, list[FloatArray]] = {"cohen_kappa": [], "matthews": []}
        start = 0
        for block in resampled(self.confusion, resamples=resamples, rng=rng, objects=objects):
            stop = start + len(block.right)
            np.concatenate([block.n[:, np.newaxis], *block], axis=1, out=sums[start:stop], casting="same_kind")
            whole["cohen_kappa"].append(cohen_kappa(block))
            whole["matthews"].append(matthews(block))
            start = stop
        return sums, {name: np.concatenate(parts) for name, parts in whole.items()}

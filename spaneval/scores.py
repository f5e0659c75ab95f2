"""What follows from counts per document, whatever was counted: measures, intervals, macro averages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spaneval.measure import Measure
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES

if TYPE_CHECKING:
    from spaneval.averages import Average, Macro
    from spaneval.corpus import IntArray
    from spaneval.counts import Counts
    from spaneval.resampling import Bootstrap
    from spaneval.runs import Run
    from spaneval.signature import UIntArray


class Result:
    """
    Anything that has counts per document and measures of them.

    A subclass has `document_counts`, `registry` (its measures in order), `bootstrap` (None without intervals),
    `average`, and `resampling_order`.
    """

    document_counts: Counts
    bootstrap: Bootstrap | None
    average: Average

    @property
    def registry(self) -> tuple[Measure, ...]:
        """The measures, in order."""
        raise NotImplementedError

    @property
    def resampling_order(self) -> IntArray:
        """Documents as they are resampled, so that intervals do not depend on the order of files."""
        raise NotImplementedError

    def run(self) -> Run:
        """What comparisons need of it; `spaneval.saved_runs.to_json` saves that."""
        raise NotImplementedError

    @cached_property
    def counts(self) -> dict[str, int]:
        """Sums over all documents, by column."""
        return self.document_counts.totals()

    @cached_property
    def measures(self) -> dict[str, float | None]:
        """Every measure by name; None where it is undefined."""
        return {measure.name: measure.value(self.counts) for measure in self.registry}

    @property
    def fractions(self) -> dict[str, tuple[int, int]]:
        """Numerator and denominator of every measure."""
        return {measure.name: measure.fraction(self.counts) for measure in self.registry}

    @property
    def undefined(self) -> dict[str, str]:
        """Why a measure is undefined, for those that are."""
        reasons = {measure.name: measure.why_undefined(self.counts) for measure in self.registry}
        return {name: reason for name, reason in reasons.items() if reason is not None}

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """Both ends of the interval of every measure; empty if intervals were not asked for."""
        return {} if self.bootstrap is None else self.bootstrap.intervals

    @property
    def resampling(self) -> dict[str, Any] | None:
        """How the intervals came about; None if they were not asked for."""
        if self.bootstrap is None:
            return None
        return {
            "method": "percentile bootstrap",
            "unit": "document",
            "level": self.bootstrap.level,
            "resamples": self.bootstrap.resamples,
            "seed": self.bootstrap.seed,
            "left_out": self.bootstrap.left_out,
            "undefined": self.bootstrap.undefined,
        }

    def document_rows(self, names: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Counts and measures of each document, by name, and why those without a value have none."""
        columns = self.document_counts.kind.columns
        for name, row in zip(names, self.document_counts.table.tolist(), strict=True):
            counts = dict(zip(columns, row, strict=True))
            measures = {measure.name: measure.value(counts) for measure in self.registry}
            reasons = {m.name: m.why_undefined(counts) for m in self.registry if measures[m.name] is None}
            yield {"document": name} | counts | measures | {"undefined": reasons}

    @cached_property
    def macro(self) -> Macro | None:
        """Macro averages over documents; None if they were not asked for."""
        if self.average == "micro":
            return None
        from spaneval.averages import macro_over_documents

        return macro_over_documents(self, self.registry)


class Scores(Result):
    """
    Counts of records and what follows from them.

    Args:
        document_counts: Counts per document, in the order of `document_names`.
        document_names: What each document is called.
        registry: The measures, in order.
        order: Documents as they are resampled, int64 of shape (D,).
        bootstrap: Intervals of the measures; None if they were not asked for.
        average: `macro` if macro averages are reported, too.

    """

    def __init__(
        self,
        document_counts: Counts,
        document_names: Sequence[str],
        registry: Sequence[Measure],
        order: IntArray,
        bootstrap: Bootstrap | None,
        average: Average = "micro",
    ) -> None:
        self.document_counts, self.document_names = document_counts, list(document_names)
        self.bootstrap, self.average = bootstrap, average
        self._registry, self._order = tuple(registry), order

    @property
    def registry(self) -> tuple[Measure, ...]:
        """The measures, in order."""
        return self._registry

    @property
    def resampling_order(self) -> IntArray:
        """Documents as they are resampled."""
        return self._order


def score_counts(
    counts: Counts,
    names: Sequence[str],
    measures: Sequence[Measure],
    *,
    digests: UIntArray | None = None,
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    average: Average = "micro",
) -> Scores:
    """
    Measures of counts, with intervals.

    Args:
        counts: One row per document.
        names: What each document is called, all different.
        measures: What to compute, of the kind of `counts`.
        digests: Digest of each gold document, which come first; documents are then resampled in the order of runs, so
            that `compare` has the same intervals. None takes the order of their names.
        ci: Whether to compute intervals.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.
        average: `macro` adds means over documents.

    Raises:
        MeasureError: If `resamples` or `level` is impossible.

    """
    import numpy as np

    from spaneval.counts import Counts
    from spaneval.resampling import bootstrap
    from spaneval.signature import document_order

    order = document_order(np.zeros(0, np.uint64) if digests is None else digests, names)
    resampled = None
    if ci:
        ordered = Counts(counts.table[order], counts.kind)
        resampled = bootstrap(ordered, measures, resamples=resamples, level=level, seed=seed)
    return Scores(counts, names, measures, order, resampled, average)

"""
Counts and measures per group: the counting of documents again, with groups in the place of documents.

Every annotation, prediction and bad row is counted in one cell of document × group. Added up over documents the cells
are the counts of a group; one by one they are what its intervals and tests rest on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.corpus import IntArray
from spaneval.counting import Pairs, Side, count
from spaneval.counts import Counts
from spaneval.grouping import ALWAYS, Grouping, grouping
from spaneval.kinds import SPANS
from spaneval.measure import Measure
from spaneval.measures import default_measures
from spaneval.pairing.documents import n_named
from spaneval.resampling import Intervals, bootstrap

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

GOLD_COLUMNS: Final = frozenset({"n_gold", "n_gold_with_id", "n_gold_nil"})
"""Counts of annotations, which groups of predictions do not have."""
PREDICTION_COLUMNS: Final = frozenset(
    {"n_predicted", "n_predicted_with_id", "n_predicted_nil", "n_out_of_scope", "n_bad_rows", "n_unknown_docs_rows"}
)
"""Counts of predictions, which groups of gold do not have."""
ABSENT: Final = {"both": frozenset[str](), "predictions": GOLD_COLUMNS, "gold": PREDICTION_COLUMNS}
"""By the side that is grouped: the columns that its groups do not have."""
_OTHER: Final = {"predictions": "gold annotations", "gold": "spurious predictions"}


@dataclass(frozen=True, slots=True)
class Group:
    """
    What was counted in one group.

    Args:
        counts: By names of `spaneval.kinds.SPANS`; None for a count that the field cannot divide into groups.
        measures: Every measure by name; None where it is undefined.
        undefined: Why, for those that are.
        resampled: Intervals over the documents in which the group occurs; None if they were not asked for.

    """

    counts: dict[str, int | None]
    measures: dict[str, float | None]
    undefined: dict[str, str]
    resampled: Intervals | None = None

    def __getitem__(self, name: str) -> int | float | None:
        """A count or a measure by its name."""
        return self.counts[name] if name in self.counts else self.measures[name]

    def why(self, name: str) -> str | None:
        """Why a measure has no value, or else no interval; None where it has what was asked for."""
        of_interval = {} if self.resampled is None else self.resampled.undefined
        return self.undefined.get(name) or of_interval.get(name)

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report."""
        result: dict[str, Any] = {**self.counts, **self.measures, "undefined": self.undefined}
        if self.resampled is not None:
            ends = self.resampled.intervals
            result["intervals"] = {name: pair and list(pair) for name, pair in ends.items()}
            result["resampling"] = {"left_out": self.resampled.left_out, "undefined": self.resampled.undefined}
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """
    Counts per document and group, cells without anything left out.

    Args:
        field: What the groups are made by.
        values: Names of the groups, V of them, in the order of reports.
        absent: Columns that are not divided into these groups, and 0 in `counts`.
        why: What a measure of an absent column says.
        group: Group of each cell, int64 of shape (N,).
        doc: Document of each cell, int64 of shape (N,).
        counts: One row per cell.

    """

    field: str
    values: list[str]
    absent: frozenset[str]
    why: str
    group: IntArray
    doc: IntArray
    counts: Counts

    def take(self, rows: IntArray) -> Cells:
        """Some of the cells."""
        counts = Counts(self.counts.table[rows])
        return Cells(self.field, self.values, self.absent, self.why, self.group[rows], self.doc[rows], counts)

    def group_of(self, measures: Sequence[Measure], resampled: Intervals | None = None) -> Group:
        """Counts and measures, where all cells are of one group."""
        totals = self.counts.totals()
        known = [measure for measure in measures if self.absent.isdisjoint(measure.columns)]
        undefined = {m.name: self.why for m in measures if m not in known}
        undefined |= {m.name: reason for m in known if (reason := m.why_undefined(totals)) is not None}
        return Group(
            {name: None if name in self.absent else n for name, n in totals.items()},
            {m.name: m.value(totals) if m in known else None for m in measures},
            {m.name: undefined[m.name] for m in measures if m.name in undefined},
            resampled,
        )


def cells(evaluation: Evaluation, by: str) -> Cells:
    """
    Counts per document and group.

    Args:
        evaluation: What is grouped.
        by: The field; see `spaneval.grouping.grouping`.

    Raises:
        FormatError: If neither an annotation nor a row has such a key, or a score is no number.

    """
    made = grouping(evaluation, by)
    gold, pred, pairs = _rows(evaluation, made)
    n_values = max(1, len(made.values))
    corpus, scored, no_rows = evaluation.corpus, evaluation.scored, made.side == "gold"
    bad_doc = evaluation.bad_doc[:0] if no_rows else evaluation.bad_doc
    code_of_pair = made.pred[pred[pairs.pred]] if made.side == "predictions" else made.gold[gold[pairs.gold]]
    gold_code, pred_code = made.gold[gold], made.pred[pred]
    gold_code[pairs.gold] = code_of_pair
    pred_code[pairs.pred] = code_of_pair
    parts = [
        corpus.doc[gold].astype(np.int64) * n_values + gold_code,
        scored.doc[pred].astype(np.int64) * n_values + pred_code,
        bad_doc.astype(np.int64) * n_values + made.bad[: len(bad_doc)],
    ]
    keys, cell = np.unique(np.concatenate(parts), return_inverse=True)
    gold_cell, pred_cell, bad_cell = np.split(cell.astype(np.int32), np.cumsum([len(part) for part in parts[:2]]))
    ignored, out = corpus.is_ignored, scored.is_out_of_scope
    counts = count(
        len(keys),
        int(np.searchsorted(keys, len(corpus.documents) * n_values)),
        Side(gold_cell, corpus.id[gold], None if ignored is None else ~ignored[gold]),
        Side(pred_cell, scored.id[pred], None if out is None else ~out[pred]),
        pairs,
        evaluation.ids,
        bad_doc=bad_cell,
        bad_has_id=evaluation.bad_has_id[: len(bad_doc)],
        n_named_documents=int(np.searchsorted(keys, n_named(evaluation.document_names) * n_values)),
    )
    absent = ABSENT[made.side]
    counts.table[:, [name in absent for name in SPANS.columns]] = 0
    why = f"{by} does not group {_OTHER.get(made.side, '')}"
    return Cells(by, made.values, absent, why, keys % n_values, keys // n_values, counts)


def _rows(evaluation: Evaluation, made: Grouping) -> tuple[IntArray, IntArray, Pairs]:
    """
    The annotations and the predictions that are counted, and their pairs in terms of these.

    Where one side only is grouped, the other one takes part as far as it is paired.
    """
    pairs = evaluation.pairs_by_row
    gold, pred = np.arange(len(evaluation.corpus)), np.arange(len(evaluation.scored.doc))
    if made.side == "predictions":
        return pairs.gold, pred, Pairs(np.arange(len(pairs)), pairs.pred, pairs.outcome, pairs.is_ignored)
    if made.side == "gold":
        return gold, pairs.pred, Pairs(pairs.gold, np.arange(len(pairs)), pairs.outcome, pairs.is_ignored)
    return gold, pred, pairs


def group_by(evaluation: Evaluation, by: str) -> dict[str, Group]:
    """
    An evaluation in groups.

    Intervals come from resamples of the documents in which a group occurs, with the settings of those of the
    evaluation, if it has any.

    Args:
        evaluation: What is grouped.
        by: The field; see `spaneval.grouping.grouping`.

    Returns:
        The groups by name, in the order of reports.

    Raises:
        FormatError: If neither an annotation nor a row has such a key, or a score is no number.

    """
    measures = default_measures(has_nil=bool(evaluation.options.nil))
    found = cells(evaluation, by)
    rank = np.argsort(evaluation.resampling_order)
    by_group = np.lexsort((rank[found.doc], found.group))
    ends = np.searchsorted(found.group[by_group], np.arange(len(found.values) + 1))
    groups: dict[str, Group] = {}
    for k, value in enumerate(found.values):
        rows = by_group[ends[k] : ends[k + 1]]
        if not len(rows) and by not in ALWAYS:  # only matched predictions name it, which are in other groups
            continue
        part = found.take(rows)
        groups[value] = part.group_of(measures, _resampled(evaluation, part, measures))
    return groups


def _resampled(evaluation: Evaluation, part: Cells, measures: Sequence[Measure]) -> Intervals | None:
    settings = evaluation.bootstrap
    if settings is None:
        return None
    known = [m for m in measures if part.absent.isdisjoint(m.columns)]
    found = bootstrap(part.counts, known, resamples=settings.resamples, level=settings.level, seed=settings.seed)
    intervals = {m.name: found.intervals.get(m.name) for m in measures}
    undefined = {m.name: found.undefined.get(m.name, part.why) for m in measures if intervals[m.name] is None}
    return Intervals(intervals, undefined, dict(found.left_out))

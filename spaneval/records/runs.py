"""
Runs of records: what `compare` and `diff` need of a scored system, from its table of decisions.

Gold values stand in the order of document, path and value, never in that of rows or files; so two systems scored
against the same gold hold the same values in the same places.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from spaneval.corpus import CodeArray, IntArray
from spaneval.counts import Counts
from spaneval.outcomes import Extras, Fate, Values
from spaneval.records.decisions import Decisions, text_of
from spaneval.runs import Run
from spaneval.signature import SCORES, UIntArray, document_order, gold_digest, without_intervals
from spaneval.values.fields import Decision

FATES: Final = {Decision.TP: Fate.CORRECT, Decision.FPFN: Fate.WRONG, Decision.FN: Fate.MISSED}
"""What a decision makes of the gold value."""

_NUMBERS = re.compile(r"\[\+?[0-9]+\]")


def record_run(
    counts: Counts,
    decisions: Decisions,
    digests: UIntArray,
    *,
    signature: str,
    counting: Mapping[str, Any],
    predictions: str,
) -> Run:
    """
    The run of a system that was scored on records.

    Args:
        counts: Counts per document, D of them.
        decisions: Every decision; its documents are those of `counts`, first the G of the gold, then those that only
            the extraction has.
        digests: Digest of each document of the gold, uint64 of shape (G,), which depends on its name and its values.
        signature: Of the scores.
        counting: The options that can change a count.
        predictions: Digest of what was extracted.

    """
    names, n_gold = list(decisions.documents), len(digests)
    order = document_order(digests, names)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Run(
        signature=without_intervals(signature),
        counting={**counting, "scores": SCORES},
        gold=gold_digest(digests),
        predictions=predictions,
        id_map="",
        documents=[f"{digests[d]:016x}" if d < n_gold else f"?{names[d]}" for d in order.tolist()],
        names=[names[d] for d in order.tolist()],
        counts=Counts(counts.table[order], counts.kind),
        annotations=_values(decisions, place),
        spurious=_extras(decisions, place),
    )


def _values(decisions: Decisions, place: CodeArray) -> Values:
    kept = np.flatnonzero(np.isin(decisions.decision, list(FATES)))
    fates = np.zeros(len(Decision), dtype=np.int8)
    fates[list(FATES)] = list(FATES.values())
    path = [decisions.path[k] for k in kept.tolist()]
    gold, extracted = (_texts(column, kept) for column in (decisions.gold, decisions.extracted))
    of = place[decisions.doc[kept]]
    rows = _sorted(of, path, gold, fates[decisions.decision[kept]].tolist(), extracted)
    path, gold, fate, extracted = rows
    return Values(np.sort(of), path, gold, np.array(fate, np.int8), extracted)


def _extras(decisions: Decisions, place: CodeArray) -> Extras:
    """Numbers of rows leave the path: which row of the extraction it was means nothing to another system."""
    kept = np.flatnonzero(decisions.decision == Decision.FP)
    of = place[decisions.doc[kept]]
    path = [_NUMBERS.sub("[]", decisions.path[k]) for k in kept.tolist()]
    path, extracted = _sorted(of, path, _texts(decisions.extracted, kept))
    return Extras(np.sort(of), path, extracted)


def _texts(values: Sequence[Any], kept: IntArray) -> list[str]:
    """Some of the values as text."""
    return [x if type(x := values[k]) is str else text_of(x) or "" for k in kept.tolist()]


def _sorted(of: CodeArray, *columns: Sequence[Any]) -> list[list[Any]]:
    """Columns in the order of document, then of the first, second and further column; each document is sorted alone."""
    order = np.argsort(of, kind="stable")
    rows = list(zip(*columns, strict=True))
    rows = [rows[k] for k in order.tolist()]
    bounds = [0, *(np.flatnonzero(np.diff(of[order])) + 1).tolist(), len(rows)]
    for start, end in itertools.pairwise(bounds):
        rows[start:end] = sorted(rows[start:end])
    return [[row[k] for row in rows] for k in range(len(columns))]

"""
Runs of records: what `compare` and `diff` need of a scored system, from its table of decisions.

Gold values stand in the order of document, path and value, never in that of rows or files; so two systems scored
against the same gold hold the same values in the same places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from spaneval.counts import Counts
from spaneval.outcomes import Extras, Fate, Values
from spaneval.records.decisions import Decisions, text_of
from spaneval.runs import Run
from spaneval.signature import SCORES, UIntArray, document_order, gold_digest
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
        signature: Of the scores, without what only concerns intervals.
        counting: The options that can change a count.
        predictions: Digest of what was extracted.

    """
    names, n_gold = list(decisions.documents), len(digests)
    order = document_order(digests, names)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Run(
        signature=signature,
        counting={**counting, "scores": SCORES},
        gold=gold_digest(digests),
        predictions=predictions,
        id_map="",
        documents=[f"{digests[d]:016x}" if d < n_gold else f"?{names[d]}" for d in order.tolist()],
        names=[names[d] for d in order.tolist()],
        counts=Counts(counts.table[order], counts.kind),
        annotations=_values(decisions, place.tolist()),
        spurious=_extras(decisions, place.tolist()),
    )


def _values(decisions: Decisions, place: Sequence[int]) -> Values:
    rows = sorted(
        (
            place[doc],
            decisions.path[k],
            text_of(decisions.gold[k]) or "",
            int(FATES[Decision(decision)]),
            text_of(decisions.extracted[k]) or "",
        )
        for k, (doc, decision) in enumerate(zip(decisions.doc.tolist(), decisions.decision.tolist(), strict=True))
        if decision in FATES
    )
    doc, path, gold, fate, extracted = (list(column) for column in zip(*rows, strict=True)) if rows else [[]] * 5
    return Values(np.array(doc, np.int32), path, gold, np.array(fate, np.int8), extracted)


def _extras(decisions: Decisions, place: Sequence[int]) -> Extras:
    """Numbers of rows leave the path: which row of the extraction it was means nothing to another system."""
    rows = sorted(
        (place[doc], _NUMBERS.sub("[]", decisions.path[k]), text_of(decisions.extracted[k]) or "")
        for k, (doc, decision) in enumerate(zip(decisions.doc.tolist(), decisions.decision.tolist(), strict=True))
        if decision == Decision.FP
    )
    doc, path, extracted = (list(column) for column in zip(*rows, strict=True)) if rows else [[]] * 3
    return Extras(np.array(doc, np.int32), path, extracted)

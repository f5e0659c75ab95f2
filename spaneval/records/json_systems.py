"""The results of one system on JSON documents, scored: what reports and comparisons read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.averages import Macro, macro_over_documents
from spaneval.kinds import DECISIONS, LEAVES
from spaneval.profiles.docubench import DocubenchScore
from spaneval.records.decisions import Decisions
from spaneval.records.leaf_decisions import LeafScore
from spaneval.records.runs import record_run
from spaneval.runs import Run
from spaneval.scores import Scores
from spaneval.signature import UIntArray

DocumentScore = LeafScore | DocubenchScore

_IN_JSON: Final = tuple(label for label in DECISIONS if label != "tn")
_ROWS: Final = {"precision": "row_precision", "recall": "row_recall", "f1": "row_f1", "perfect_rate": "perfect_rate"}


class Origin(NamedTuple):
    """
    What makes the numbers of a system reproducible.

    Args:
        signature: In one line.
        counting: The options that can change a number.
        labels: Digests of the labels, uint64 of shape (D,).

    """

    signature: str
    counting: Mapping[str, Any]
    labels: UIntArray


class JsonSystem(Scores):
    """
    One system.

    Args:
        name: What it is called.
        scores: Counts per document and what follows from them.
        documents: The score of each document, in the order of names.
        decisions: The table that every number comes from; None in the profile `docubench`, which decides nothing.
        origin: What makes the numbers reproducible.
        digest: Of the results.
        source: Where the results were read.

    """

    def __init__(
        self,
        name: str,
        scores: Scores,
        *,
        documents: Mapping[str, DocumentScore],
        decisions: Decisions | None,
        origin: Origin,
        digest: str,
        source: str,
    ) -> None:
        super().__init__(
            scores.document_counts,
            list(documents),
            scores.registry,
            scores.resampling_order,
            scores.bootstrap,
        )
        self.name, self.documents, self.decisions = name, documents, decisions
        self.origin, self.digest, self.source = origin, digest, source

    def __repr__(self) -> str:
        shown = "undefined" if self.score is None else f"{self.score:.4g}"
        return f"JsonSystem({self.name}: score={shown}, {len(self.documents)} documents)"

    @property
    def is_native(self) -> bool:
        """Whether leaves were counted."""
        return self.decisions is not None

    @cached_property
    def measures(self) -> dict[str, float | None]:
        """Every measure by name; the mean of the profile `docubench` exactly, which counts hold to nine decimals."""
        if self.is_native:
            return {measure.name: measure.value(self.counts) for measure in self.registry}
        total = 0.0
        for one in self.documents.values():  # added up as the benchmark does it
            total += one.score or 0.0
        return {"score": total / len(self.documents) if self.documents else None}

    @property
    def score(self) -> float | None:
        """F1 over all leaves; in the profile `docubench` the plain mean of the documents."""
        return self.measures["f1" if self.is_native else "score"]

    @cached_property
    def means(self) -> Macro | None:
        """Means of the measures over documents; None in the profile `docubench`, whose score is one."""
        return macro_over_documents(self, self.registry) if self.is_native else None

    @cached_property
    def by_field(self) -> dict[str, dict[str, int]]:
        """How many there are of each decision, by field, in the order of names."""
        if self.decisions is None:
            return {}
        columns = {label: column.tolist() for label, column in self.decisions.by_field().items()}
        found = {name: {x: columns[x][k] for x in _IN_JSON} for k, name in enumerate(self.decisions.fields)}
        return dict(sorted(found.items()))

    def run(self) -> Run:
        """What comparisons need of it."""
        nothing = Decisions(self.document_names, [], *_NO_DECISIONS)
        return record_run(
            self.document_counts,
            self.decisions or nothing,
            self.origin.labels,
            signature=self.origin.signature,
            counting=self.origin.counting,
            predictions=self.digest,
        )

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report; nothing is rounded, and None stands for undefined."""
        report: dict[str, Any] = {"score": self.score, "n_documents": len(self.documents)}
        report |= self._native() if self.is_native else {"rows": None, "agreement": None, "counts": None}
        report["undefined"] = self.undefined
        report["intervals"] = {name: ends and list(ends) for name, ends in self.intervals.items()}
        report["resampling"] = self.resampling
        report["documents"] = {name: document_dict(one) for name, one in self.documents.items()}
        return report

    def _native(self) -> dict[str, Any]:
        measures, totals = self.measures, self.counts
        report: dict[str, Any] = {name: measures[name] for name in ("precision", "recall", "f1")}
        report["rows"] = {name: measures[of] for name, of in _ROWS.items()}
        report["agreement"] = measures["agreement"]
        report["counts"] = {name: totals[name] for name in ("gold", "predicted", "equal")}
        report["row_counts"] = {name: totals[name] for name in LEAVES.columns if name.startswith("rows_")}
        report["row_decisions"] = {name: totals[name] for name in _IN_JSON}
        if self.means is not None:
            report["macro"] = {name: one.to_dict() for name, one in self.means.means.items()}
        report["by_field"] = self.by_field
        return report


_NO_DECISIONS: Final[Any] = (np.zeros(0, np.int32), np.zeros(0, np.int32), (), (), (), np.zeros(0, np.int8), ())


def document_dict(one: DocumentScore) -> dict[str, Any]:
    """One document as in the JSON report."""
    arrays = [
        {"path": x.path, "score": x.score, "weight": x.weight, "n_gold": x.n_gold, "n_predicted": x.n_predicted}
        for x in one.arrays
    ]
    report = {"score": one.score, "arrays": arrays, "fields": {"score": one.fields.score, "weight": one.fields.weight}}
    if isinstance(one, LeafScore):
        report["counts"] = {name: one.counts[name] for name in ("gold", "predicted", "equal")}
    return report

"""
What changed between two versions, annotation by annotation: old outcome × new outcome, and the spurious spans.

The cells add up to the difference of every count, since every counted annotation stands in exactly one cell.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.kinds import CLASSES, SPANS, Kind, labels
from spaneval.outcomes import Annotations, Fate, Values
from spaneval.runs import Run, all_classes, check_comparable
from spaneval.saved_runs import as_run
from spaneval.significance import mcnemar_exact

if TYPE_CHECKING:
    from spaneval.scores import Result

SCHEMA: Final = "spaneval.diff/1"
COMPARABLE: Final = (Fate.CORRECT, Fate.WRONG)
INCOMPARABLE: Final = (Fate.NO_GOLD_ID, Fate.NO_PREDICTED_ID, Fate.UNMAPPED, Fate.MINTED)
MATCHED: Final = (*COMPARABLE, *INCOMPARABLE)
NOT_CORRECT: Final = (Fate.WRONG, Fate.MISSED, *INCOMPARABLE)

CONTEXT: Final = 30
"""Characters of the text that are shown before and after a surface."""

CHANGES: Final = {
    "fixed": (NOT_CORRECT, (Fate.CORRECT,)),
    "broken": ((Fate.CORRECT,), NOT_CORRECT),
    "found": ((Fate.MISSED,), MATCHED),
    "lost": (MATCHED, (Fate.MISSED,)),
    "comparability_gained": (INCOMPARABLE, COMPARABLE),
    "comparability_lost": (COMPARABLE, INCOMPARABLE),
}
"""Named groups of cells: old outcomes, new outcomes. A cell may belong to several."""

MEANINGS: Final = {
    "fixed": "not right → right",
    "broken": "right → not right",
    "found": "missed → span found",
    "lost": "span found → missed",
    "id_changed": "wrong → wrong with another id",
    "comparability_gained": "ids not comparable → comparable",
    "comparability_lost": "ids comparable → not comparable",
    "new_spurious": "spurious in the new version only",
    "spurious_gone": "spurious in the old version only",
}

VALUE_MEANINGS: Final = {
    "fixed": "not right → right",
    "broken": "right → not right",
    "found": "missed → something extracted",
    "lost": "something extracted → missed",
    "value_changed": "wrong → wrong with another value",
    "new_spurious": "extracted without gold in the new version only",
    "spurious_gone": "extracted without gold in the old version only",
}
"""The same for values of records."""

CLASS_MEANINGS: Final = {
    "fixed": "not right → right",
    "broken": "right → not right",
    "value_changed": "wrong → wrong with another class",
}
"""The same for objects, each of which has a class in both versions."""


class SpuriousCounts(NamedTuple):
    """Spurious predictions as a multiset of (document, a, b): in the old version only, in both, in the new one only."""

    old_only: int
    both: int
    new_only: int


@dataclass(frozen=True)
class Diff:
    """
    Two versions side by side.

    Args:
        old, new: The runs.
        cells: Annotations by old fate and new fate, int64 of shape (7, 7), in the order of `Fate`.
        spurious: Predictions without a partner.
        n_id_changed: Annotations that are wrong in both with different ids.
        mcnemar_p: Exact two-sided p of McNemar's test (McNemar 1947) on right or wrong over the common pairs.

    """

    old: Run
    new: Run
    cells: IntArray
    spurious: SpuriousCounts
    n_id_changed: int
    mcnemar_p: float

    def __repr__(self) -> str:
        return f"Diff({', '.join(f'{name}={n}' for name, n in self.fates.items())})"

    @property
    def fates(self) -> dict[str, int]:
        """How many annotations, or predictions, changed in each named way."""
        counts = {name: int(self.cells[np.ix_(before, after)].sum()) for name, (before, after) in CHANGES.items()}
        counts |= {"id_changed": self.n_id_changed, "value_changed": self.n_id_changed}
        counts |= {"new_spurious": self.spurious.new_only, "spurious_gone": self.spurious.old_only}
        return {name: counts[name] for name in self.meanings}

    @property
    def kind(self) -> Kind:
        """What was counted in both versions; a class may be known to one of them alone."""
        kind = self.old.counts.kind
        return kind if kind == self.new.counts.kind else labels(all_classes([self.old, self.new]))

    @property
    def meanings(self) -> dict[str, str]:
        """What each named change means, for what was counted."""
        return {SPANS.name: MEANINGS, CLASSES: CLASS_MEANINGS}.get(self.kind.name, VALUE_MEANINGS)

    @property
    def n_only_old_correct(self) -> int:
        """Common pairs that only the old version has right."""
        return int(self.cells[Fate.CORRECT, Fate.WRONG])

    @property
    def n_only_new_correct(self) -> int:
        """Common pairs that only the new version has right."""
        return int(self.cells[Fate.WRONG, Fate.CORRECT])

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """What was counted in the old and in the new version; counts that are 0 in both are left out."""
        old, new = (Counter(run.counts.totals()) for run in (self.old, self.new))
        return {name: (old[name], new[name]) for name in self.kind.columns if old[name] or new[name]}

    @property
    def n_common(self) -> int:
        """Annotations with a comparable pair in both versions."""
        return int(self.cells[np.ix_(COMPARABLE, COMPARABLE)].sum())

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON report; cells that are 0 are left out."""
        cells = {
            old.label: {new.label: n for new in Fate if (n := int(self.cells[old, new]))}
            for old in Fate
            if self.cells[old].any()
        }
        return {
            "schema": SCHEMA,
            "signatures": {"old": self.old.signature, "new": self.new.signature},
            "cells": cells,
            "spurious": self.spurious._asdict(),
            "fates": self.fates,
            "mcnemar_p": self.mcnemar_p,
            "n_common": self.n_common,
            "counts": {name: {"old": old, "new": new} for name, (old, new) in self.counts.items()},
        }

    def rows(self, texts: Mapping[str, str] | None = None) -> Iterator[dict[str, Any]]:
        """
        One row per changed annotation, then one per spurious prediction that only one version has.

        Args:
            texts: Text by document digest, to show surfaces in context.

        """
        known = texts or {}
        yield from _annotation_rows(self.old, self.new, known)
        yield from _spurious_rows(self.old, self.new, known)


def diff(old: Result | Run | str | os.PathLike[str], new: Result | Run | str | os.PathLike[str]) -> Diff:
    """
    What changed between two versions scored on the same gold.

    Args:
        old, new: Results of scoring, runs, or paths of saved runs.

    Raises:
        InputError: If a saved run cannot be read.
        AlignmentError: If gold, options of counting or the `scores` number differ.

    """
    old, new = as_run(old), as_run(new)
    check_comparable({"the old run": old, "the new run": new})
    before, after = old.annotations.fate, new.annotations.fate
    cells = np.bincount(before.astype(np.int64) * len(Fate) + after, minlength=len(Fate) ** 2)
    cells = cells.reshape(len(Fate), len(Fate)).astype(np.int64)
    first, second = Counter(_spurious_places(old)), Counter(_spurious_places(new))
    spurious = SpuriousCounts((first - second).total(), (first & second).total(), (second - first).total())
    p = mcnemar_exact(int(cells[Fate.CORRECT, Fate.WRONG]), int(cells[Fate.WRONG, Fate.CORRECT]))
    return Diff(old, new, cells, spurious, int(_is_id_changed(old.annotations, new.annotations).sum()), p)


def _spurious_places(run: Run) -> list[tuple[str, Hashable]]:
    """Document and place of every spurious prediction."""
    documents = [run.documents[d] for d in run.spurious.doc.tolist()]
    return list(zip(documents, run.spurious.places, strict=True))


def _is_id_changed(old: Annotations | Values, new: Annotations | Values) -> BoolArray:
    both = (old.fate == Fate.WRONG) & (new.fate == Fate.WRONG)
    differs = np.array([x != y for x, y in zip(old.compared, new.compared, strict=True)], dtype=np.bool_)
    result: BoolArray = both & differs
    return result


def _names_of(before: Fate, after: Fate, *, changed: str | None) -> list[str]:
    names = [name for name, (olds, news) in CHANGES.items() if before in olds and after in news]
    return [*names, changed] if changed else names


def _annotation_rows(old: Run, new: Run, texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    before, after = old.annotations, new.annotations
    changed_id, label = _is_id_changed(before, after), "id_changed" if old.counts.kind == SPANS else "value_changed"
    changed = np.flatnonzero((before.fate != after.fate) | changed_id)
    for k in changed[_in_reading_order(old, before.doc[changed])].tolist():
        names = _names_of(Fate(before.fate[k]), Fate(after.fate[k]), changed=label if changed_id[k] else None)
        d, row = int(before.doc[k]), before.row(k)
        yield {
            "fates": names,
            "document": old.names[d],
            **row,
            "old": before.side(k),
            "new": after.side(k),
            **_context(texts.get(old.documents[d]), row),
        }


def _in_reading_order(run: Run, doc: CodeArray) -> IntArray:
    """An order of rows by the keys of their documents, numbers by size; rows of one document stay in theirs."""
    by_key = sorted(range(len(run.names)), key=lambda d: natural(run.names[d]))
    rank = np.empty(len(by_key), dtype=np.int64)
    rank[by_key] = np.arange(len(by_key))
    return np.argsort(rank[doc], kind="stable")


def natural(text: str) -> list[tuple[int, str]]:
    """A key that sorts the numbers in texts by size."""
    parts = re.split(r"([0-9]+)", text)
    return [(len(part.lstrip("0")), part.lstrip("0")) if k % 2 else (-1, part) for k, part in enumerate(parts)]


def _spurious_rows(old: Run, new: Run, texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Those that only one version has; of several at one span, those that differ in their ids come first."""
    for name, run, other in (("spurious_gone", old, new), ("new_spurious", new, old)):
        unshared = np.array(_unshared(run, other), dtype=np.int64)
        for k in unshared[_in_reading_order(run, run.spurious.doc[unshared])].tolist():
            d, row, side = int(run.spurious.doc[k]), run.spurious.row(k), run.spurious.side(k)
            yield {
                "fates": [name],
                "document": run.names[d],
                **row,
                "old": side if run is old else None,
                "new": side if run is new else None,
                **_context(texts.get(run.documents[d]), row),
            }


def _unshared(run: Run, other: Run) -> list[int]:
    """Rows of `run.spurious` without a partner at the same span of `other`; equal ids are partners first."""
    spans, ids = _spurious_places(run), run.spurious.compared
    left = Counter(_spurious_places(other))
    same = Counter(zip(_spurious_places(other), other.spurious.compared, strict=True))
    rest = []
    for k, (span, predicted) in enumerate(zip(spans, ids, strict=True)):
        if same[span, predicted]:
            same[span, predicted] -= 1
            left[span] -= 1
        else:
            rest.append(k)
    unshared = []
    for k in rest:
        if left[spans[k]]:
            left[spans[k]] -= 1
        else:
            unshared.append(k)
    return unshared


def _context(text: str | None, row: Mapping[str, Any]) -> dict[str, Any]:
    """The surface of a span, and what stands before and after it; nothing for values of records, which have no text."""
    if "a" not in row:
        return {}
    if text is None:
        return {"before": None, "text": None, "after": None}
    a, b = row["a"], row["b"]
    return {"before": text[max(0, a - CONTEXT) : a], "text": text[a:b], "after": text[b : b + CONTEXT]}


class Common(NamedTuple):
    """Annotations for which every system has a comparable pair: how many, and how many each system has right."""

    n: int
    n_correct: dict[str, int]

    def accuracy(self, name: str) -> float | None:
        """Share of the common annotations that a system has right; None without any."""
        return self.n_correct[name] / self.n if self.n else None


def common_pairs(runs: Mapping[str, Run]) -> Common:
    """Annotations for which every run has a comparable pair, and how many of them each has right."""
    fates = {name: run.annotations.fate for name, run in runs.items()}
    is_common = np.logical_and.reduce([np.isin(fate, COMPARABLE) for fate in fates.values()])
    n_correct = {name: int((fate[is_common] == Fate.CORRECT).sum()) for name, fate in fates.items()}
    return Common(int(is_common.sum()), n_correct)

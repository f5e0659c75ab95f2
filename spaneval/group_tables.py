"""
Groups of several systems: counts per document of each group, from fresh or saved runs.

A fresh run knows its cells of document × group. A saved run holds what four fields need: document, namespace, length
and gold frequency. Other fields cannot be told from it, which is an error and no guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, IntArray
from spaneval.counts import Counts
from spaneval.exceptions import AlignmentError, FormatError, MeasureError
from spaneval.grouping import FREQUENCIES, LENGTHS, NONE, binned, frequencies, in_order, namespace, namespaces
from spaneval.groups import ABSENT, Cells
from spaneval.kinds import SPANS
from spaneval.outcomes import Fate
from spaneval.problems import Problem
from spaneval.runs import Run, stacked

OF_SAVED: Final = ("document", "namespace", "length", "gold_frequency")
"""Fields that a saved run can be grouped by."""
_UNDIVIDED: Final = [SPANS.position(name) for name in ("n_ignored_pairs", "n_out_of_scope")]
"""Counts that no measure needs, and that a saved run does not divide."""


class GroupTables(NamedTuple):
    """
    Counts of several systems in the groups of one field.

    Args:
        tables: By group, in the order of reports: int64 of shape (D, S, C), the documents in which the group occurs.
        absent: Columns that the field does not divide, 0 in the tables.

    """

    tables: dict[str, IntArray]
    absent: frozenset[str]


def group_tables(runs: Mapping[str, Run], field: str) -> GroupTables:
    """
    Counts per document of each group, of all runs over the union of their documents.

    Args:
        runs: Of the same gold, by name.
        field: One of `spaneval.grouping.FIELDS`, or a key that a fresh run was grouped by.

    Raises:
        AlignmentError: If the gold is not in the same groups for all.
        FormatError: If a run cannot be grouped so.
        MeasureError: If the field is the score, which systems do not share.

    """
    if field == "score":
        raise MeasureError("systems are not compared by score: each has scores of its own, on a scale of its own")
    if field == "document":
        return _documents(list(runs.values()))
    _check_spans(runs, field)
    found = [cells_of(run, field, name) for name, run in runs.items()]
    values = in_order({cells.values[k] for cells in found for k in set(cells.group.tolist())})
    fixed = {"length": LENGTHS, "gold_frequency": FREQUENCIES}.get(field)
    if fixed is not None:
        values = [x for x in (*fixed.values(), NONE) if x in values]
    places = _places(list(runs.values()))
    tables = {value: _table(found, places, value) for value in values}
    for table in tables.values():
        n_gold = table[:, :, SPANS.position("n_gold")]
        if (n_gold != n_gold[:, :1]).any():
            message = f"the gold of {' and '.join(runs)} is not in the same groups by '{field}'"
            hint = "score all systems on the same gold files"
            raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])
    return GroupTables({value: table for value, table in tables.items() if table.any()}, found[0].absent)


def _check_spans(runs: Mapping[str, Run], field: str) -> None:
    """Values of records have no field of their own."""
    for name, run in runs.items():
        if run.counts.kind != SPANS:
            message = f"{name} is a run of {run.counts.kind.name}, which cannot be grouped by '{field}'"
            hint = "runs of records, JSON documents, audits and classes can be grouped by document"
            raise FormatError([Problem(message, hint=hint, kind=FormatError)])


def _documents(runs: Sequence[Run]) -> GroupTables:
    """Each document under the name that the first run gives it."""
    n_gold = runs[0].n_gold_documents
    extra = sorted({key for run in runs for key in run.documents[n_gold:]})
    names = [*runs[0].names[:n_gold], *(key.removeprefix("?") for key in extra)]
    table = stacked(runs)
    if runs[0].counts.kind == SPANS:
        table[:, :, _UNDIVIDED] = 0
    rows: dict[str, list[int]] = {name: [] for name in in_order(names)}
    for d, name in enumerate(names):
        rows[name].append(d)
    return GroupTables({name: table[ds] for name, ds in rows.items() if table[ds].any()}, frozenset())


def _places(runs: Sequence[Run]) -> list[IntArray]:
    """The number of each document of each run among the documents of all: gold first, then the others by key."""
    n_gold = runs[0].n_gold_documents
    extra = sorted({key for run in runs for key in run.documents[n_gold:]})
    place = {key: n_gold + k for k, key in enumerate(extra)}
    return [np.array([*range(n_gold), *(place[key] for key in run.documents[n_gold:])], dtype=np.int64) for run in runs]


def _table(found: Sequence[Cells], places: Sequence[IntArray], value: str) -> IntArray:
    """One group, of the documents in which any system has it."""
    parts = []
    for cells, place in zip(found, places, strict=True):
        rows = np.flatnonzero(cells.group == cells.values.index(value)) if value in cells.values else np.arange(0)
        parts.append((place[cells.doc[rows]], cells.counts.table[rows]))
    documents = np.unique(np.concatenate([doc for doc, _ in parts]))
    table = np.zeros((len(documents), len(found), len(SPANS.columns)), dtype=np.int64)
    for k, (doc, counts) in enumerate(parts):
        table[np.searchsorted(documents, doc), k] = counts
    table[:, :, _UNDIVIDED] = 0
    return table


def cells_of(run: Run, field: str, name: str) -> Cells:
    """
    The cells of a run: those that it brings along, else from the outcomes that it holds.

    Raises:
        FormatError: If it holds nothing by which to group so.

    """
    if field in run.cells:
        return run.cells[field]
    if field not in OF_SAVED:
        hint = f"a saved run can be grouped by {', '.join(OF_SAVED)}; name the prediction file itself"
        message = f"{name} is a saved run, which does not hold the '{field}' of its annotations"
        raise FormatError([Problem(message, hint=hint, kind=FormatError)])
    if run.counting.get("gold_id_map"):
        message = f"{name} is a saved run with a gold id map, whose translated gold ids it does not hold"
        raise FormatError([Problem(message, hint="name the prediction file itself", kind=FormatError)])
    return _from_outcomes(run, field)


def _from_outcomes(run: Run, field: str) -> Cells:
    """Counted outcome by outcome; what is left of a document, its bad rows, is in no group."""
    gold, spurious = _groups_of(run, field)
    values = in_order({*gold, *spurious, NONE})
    code = {value: k for k, value in enumerate(values)}
    n = len(values)
    found, extra = run.spans
    keys = np.concatenate(
        [
            found.doc.astype(np.int64) * n + np.array([code[x] for x in gold], dtype=np.int64),
            extra.doc.astype(np.int64) * n + np.array([code[x] for x in spurious], dtype=np.int64),
            np.arange(len(run.documents), dtype=np.int64) * n + code[NONE],
        ]
    )
    places, cell = np.unique(keys, return_inverse=True)
    table = np.zeros((len(places), len(SPANS.columns)), dtype=np.int64)
    for name, is_counted in _marks(run).items():
        table[:, SPANS.position(name)] = np.bincount(cell[: len(is_counted)][is_counted], minlength=len(places))
    _add_rest(run, table, places // n, (places % n) == code[NONE])
    absent = ABSENT["gold" if field == "gold_frequency" else "both"]
    table[:, [name in absent for name in SPANS.columns]] = 0
    return Cells(field, values, absent, "", places % n, places // n, Counts(table))


def _add_rest(run: Run, table: IntArray, doc: IntArray, is_none: BoolArray) -> None:
    """Give what the outcomes of a document do not add up to, to its cell of no group."""
    sums = np.zeros_like(run.counts.table)
    np.add.at(sums, doc, table)
    table[is_none] += (run.counts.table - sums)[doc[is_none]]
    table[:, _UNDIVIDED] = 0


def _groups_of(run: Run, field: str) -> tuple[list[str], list[str]]:
    """The group of each annotation and of each spurious prediction."""
    found, extra = run.spans
    if field == "length":
        both = (binned(x.b - x.a, LENGTHS) for x in (found, extra))
        gold, spurious = ([NONE if x is None else x for x in names] for names in both)
        return gold, spurious
    ids = [_translated(text, run) for text in found.ids]
    if field == "namespace":
        return [namespaces(x) if x else NONE for x in ids], _namespaces_of_spurious(run)
    distinct = sorted(set(ids) - {()})
    position = {one: k for k, one in enumerate(distinct)}
    times = np.bincount([position[x] for x in ids if x], minlength=len(distinct)).tolist()
    names = dict(zip(distinct, binned(np.array(frequencies(distinct, times), np.int64), FREQUENCIES), strict=True))
    return [names.get(x) or NONE for x in ids], [NONE] * len(extra.doc)


def _translated(text: str, run: Run) -> tuple[str, ...]:
    """The ids of an annotation as compared: those that mean NIL are one."""
    nil = run.counting.get("nil") or []
    return tuple(sorted({min(nil) if x in nil else x for x in text.split("|")})) if text else ()


def _namespaces_of_spurious(run: Run) -> list[str]:
    (_, extra), nil = run.spans, run.counting.get("nil") or []
    unsaid = namespace(min(nil)) if run.counting.get("null_is_nil") else NONE
    pairs = zip(extra.predicted, extra.translated, strict=True)
    return [namespace(translated) if translated else NONE if written else unsaid for written, translated in pairs]


def _marks(run: Run) -> dict[str, BoolArray]:
    """For each column what counts in it, bool over annotations and then spurious predictions."""
    (found, extra), nil = run.spans, run.counting.get("nil") or []
    fate, n_extra = found.fate, len(run.spurious.doc)
    claims_nil = {min(nil, default=None), "" if run.counting.get("null_is_nil") else None} - {None}
    predicted: list[Any] = [None if x == Fate.MISSED else text for text, x in zip(found.compared, fate, strict=True)]
    predicted += extra.compared
    claims = np.array([bool(x) or x in claims_nil for x in predicted], dtype=np.bool_)
    nil_pred = np.array([x is not None and x in claims_nil for x in predicted], dtype=np.bool_)
    nil_gold = np.array([any(x in nil for x in _translated(text, run)) for text in found.ids], dtype=np.bool_)
    is_compared = np.isin(fate, (Fate.CORRECT, Fate.WRONG))
    is_spurious = np.concatenate([np.zeros(len(fate), np.bool_), np.ones(n_extra, np.bool_)])
    doc = np.concatenate([found.doc, extra.doc])
    is_matched = fate != Fate.MISSED
    return {
        "n_gold": np.ones(len(fate), np.bool_),
        "n_matched": is_matched,
        "n_predicted": np.concatenate([is_matched, is_spurious[len(fate) :]]),
        "n_id_comparable": is_compared,
        "n_id_correct": fate == Fate.CORRECT,
        "n_gold_with_id": np.array([bool(x) for x in found.ids], dtype=np.bool_),
        "n_predicted_with_id": claims,
        "n_no_gold_id": fate == Fate.NO_GOLD_ID,
        "n_no_predicted_id": fate == Fate.NO_PREDICTED_ID,
        "n_unmapped": fate == Fate.UNMAPPED,
        "n_minted": fate == Fate.MINTED,
        "n_unknown_docs_rows": is_spurious & (doc >= run.n_gold_documents),
        "n_gold_nil": nil_gold,
        "n_predicted_nil": nil_pred,
        "n_nil_correct": nil_pred[: len(fate)] & (fate == Fate.CORRECT),
        "n_in_kb_comparable": is_compared & ~nil_gold,
        "n_in_kb_correct": (fate == Fate.CORRECT) & ~nil_gold,
    }

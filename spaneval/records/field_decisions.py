"""Records of both sides, paired by their id → the table of decisions → counts per record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from spaneval.counts import Counts
from spaneval.kinds import FIELDS
from spaneval.loaders.records import Records
from spaneval.loaders.scalars import NumberText
from spaneval.records.decisions import Builder, Decisions
from spaneval.signature import UIntArray, record_digests
from spaneval.values.fields import Comparators, Decision, decide, pair_values, reason
from spaneval.values.normalise import key_of

_encoder: Final = json.JSONEncoder(sort_keys=True)
_SCALARS: Final = frozenset((str, NumberText, int, bool))


def decide_records(gold: Records, predictions: Records, fields: Sequence[str], comparators: Comparators) -> Decisions:
    """
    The decision on every field of every record of either side.

    Args:
        gold: The gold.
        predictions: The predictions.
        fields: The fields to compare.
        comparators: How their values are compared.

    Returns:
        The records of the gold in the order of their ids, then those that only the predictions have; in each, fields in
        their order.

    """
    ids = [*sorted(gold.values), *sorted(predictions.values.keys() - gold.values.keys())]
    table = Builder(ids, fields)
    nothing: dict[str, Any] = {}
    chosen = [(name, comparators[name]) for name in fields]
    for doc, record in enumerate(ids):
        left, right = gold.values.get(record, nothing), predictions.values.get(record, nothing)
        for name, comparator in chosen:
            x, y = left.get(name), right.get(name)
            if x is None and y is None:
                table.add(doc, name, name, None, None, Decision.TN)
                continue
            if type(x) is type(y) and type(x) in _SCALARS and x == y:  # what is written alike is equal by any rule
                table.add(doc, name, name, x, y, Decision.TN if comparator.key(x) is None else Decision.TP)
                continue
            if not isinstance(x, list) and not isinstance(y, list):
                decision = decide(x, y, comparator)
                table.add(doc, name, name, x, y, decision, reason(decision, x, y, comparator))
                continue
            many, others = _many(x), _many(y)
            keys = [[comparator.key(value) for value in values] for values in (many, others)]
            for pair in pair_values(keys[0], keys[1], comparator):
                one = None if pair.gold < 0 else many[pair.gold]
                other = None if pair.extracted < 0 else others[pair.extracted]
                path = _path(name, x, pair.gold) if pair.gold >= 0 else _path(name, y, pair.extracted)
                table.add(doc, path, name, one, other, pair.decision, reason(pair.decision, one, other, comparator))
    return table.build()


def _path(name: str, value: Any, k: int) -> str:
    """Where a value stands on its side: the path of a gold value is the same for every system."""
    return f"{name}[{k}]" if isinstance(value, list) and k >= 0 else name


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def count_decisions(decisions: Decisions) -> Counts:
    """Decisions, records and whole records right, per record."""
    n = len(decisions.documents)
    whole = decisions.whole()
    records = {"n_records": np.ones(n, np.int64), "n_records_correct": whole.astype(np.int64)}
    return Counts.from_columns(n, kind=FIELDS, **decisions.by_document(), **records)


def digests(records: Records, fields: Iterable[str]) -> UIntArray:
    """
    Digest of each record with its values, in the order of ids, uint64; the order of fields changes nothing.

    Args:
        records: The records of one side.
        fields: The fields that count.

    """
    names, wanted = sorted(records.values), sorted(fields)
    return record_digests(names, (_content(records.values[name], wanted) for name in names))


def _content(values: Mapping[str, Any], fields: Sequence[str]) -> str:
    """What a record holds, as JSON with numbers as they are written; what is empty is absent."""
    return _written({name: value for name in fields if (value := values.get(name)) is not None and _is_there(value)})


def _written(value: Any) -> str:
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, Mapping):
        if _SCALARS.issuperset(map(type, value.values())) and NumberText not in map(type, value.values()):
            return _encoder.encode(value)
        return f"{{{', '.join(f'{_encoder.encode(name)}: {_written(value[name])}' for name in sorted(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return _encoder.encode(value)


def _is_there(value: Any) -> bool:
    return value != "" if isinstance(value, str) else key_of(value) is not None

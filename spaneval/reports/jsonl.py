"""JSON Lines: one object per measure, then with `per_document` one per document; nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spaneval.reports import json

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style


def render(evaluation: Evaluation, style: Style) -> bytes:
    """Measures, told from documents by the key `measure`; documents have the keys of the JSON report."""
    rows = [*_measures(evaluation), *(evaluation.documents() if style.per_document else [])]
    return b"".join(dump(rows))


def _measures(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    for name, value in evaluation.measures.items():
        numerator, denominator = evaluation.fractions[name]
        interval = evaluation.intervals.get(name)
        yield {
            "measure": name,
            "value": value,
            "interval": interval and list(interval),
            "numerator": numerator,
            "denominator": denominator,
            "undefined": evaluation.undefined.get(name),
        }


def dump(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One line per row."""
    return (json.dump(row, indent=False) for row in rows)

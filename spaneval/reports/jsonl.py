"""JSON Lines: one object per measure, group and macro average, then one per document; nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spaneval.reports import flat, groups, json

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style


def render(evaluation: Evaluation, style: Style) -> bytes:
    """
    Measures; then those of groups, which have the keys `by` and `group`, and macro averages; then, with `per_document`,
    documents, which have no key `measure`.
    """
    documents = evaluation.documents() if style.per_document else []
    return b"".join(dump([*flat.objects(evaluation), *_groups(evaluation), *documents]))


def _groups(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """The long rows of groups and macro averages, with both ends of an interval in one list."""
    for row in groups.long_rows(evaluation):
        if row["by"]:
            low, high = row.pop("low"), row.pop("high")
            yield row | {"interval": None if low is None else [low, high]}


def dump(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One line per row."""
    return (json.dump(row, indent=False) for row in rows)

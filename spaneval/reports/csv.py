"""
The CSV report (RFC 4180): one row per measure, or with `per_document` one row per document.

One file holds one kind of row. Nothing is rounded; an empty cell is a number that is undefined or was not asked for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spaneval.reports import flat, groups
from spaneval.reports.reasons import by_reason
from spaneval.reports.text import utf8

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style


def render(evaluation: Evaluation, style: Style) -> bytes:
    """Measures in long form, or the table of documents with the names of the JSON report as columns."""
    rows = _measures(evaluation)
    if style.per_document:
        rows = _documents(evaluation)
    elif evaluation.groups or evaluation.macro is not None:
        rows = _groups(evaluation)
    return b"".join(dump(rows))


def _measures(evaluation: Evaluation) -> Iterator[Iterable[Any]]:
    yield flat.COLUMNS
    yield from flat.cells(evaluation)


def _groups(evaluation: Evaluation) -> Iterator[Iterable[Any]]:
    """The same in longer rows that say of which group, and whether of a macro average."""
    yield groups.LONG_COLUMNS
    for row in groups.long_rows(evaluation):
        yield row.values()


def _documents(evaluation: Evaluation) -> Iterator[Iterable[Any]]:
    yield "document", "file", *evaluation.counts, *evaluation.measures, "undefined"
    for row in evaluation.documents():
        *values, reasons = row.values()
        yield *values, together(reasons)


def together(reasons: Mapping[str, str]) -> str | None:
    """Reasons by measure in one cell, each once: `precision, f1: …; recall: …`; None without any."""
    names = by_reason({name: " ".join(reason.split()) for name, reason in reasons.items()})
    return "; ".join(f"{', '.join(listed)}: {reason}" for reason, listed in names.items()) or None


def dump(rows: Iterable[Iterable[Any]], *, size: int = 1 << 16) -> Iterator[bytes]:
    """
    Rows as CSV in pieces of about `size` characters.

    None is an empty cell.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    for row in rows:
        writer.writerow(row)
        if buffer.tell() >= size:
            yield utf8(buffer.getvalue())
            buffer.seek(0)
            buffer.truncate()
    yield utf8(buffer.getvalue())

"""
The gold that a linker's report repeats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spaneval.corpus import IntArray
from spaneval.loaders.scalars import BAD, offset


def echoed_spans(reports: list[list[Any]]) -> IntArray | None:
    """Spans (document, a, b) of the gold that each report repeats, by document; what cannot be read is passed over."""
    if not reports:
        return None
    spans = [
        (k, a, b)
        for documents in reports
        for k, document in enumerate(documents)
        for x in _annotations(document)
        if isinstance(x, dict)
        if (a := offset(x.get("a"))) is not BAD and (b := offset(x.get("b"))) is not BAD
    ]
    return np.array(spans, dtype=np.int64).reshape(-1, 3)


def _annotations(document: Any) -> list[Any]:
    """The annotations of one document of a report's gold."""
    if isinstance(document, dict):
        document = document.get("ground_truth")
    return document if isinstance(document, list) else []

"""The JSON report: every key in a fixed order, nothing rounded, never a NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spaneval.reports.text import mended

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style


def render(evaluation: Evaluation, style: Style) -> bytes:
    """The report as one indented object."""
    return dump(evaluation.to_dict(per_document=style.per_document))


def dump(value: Any, *, indent: bool = True) -> bytes:
    """
    JSON of any result, with a line feed at its end.

    File names may hold bytes that are no UTF-8, which JSON cannot say; these are written as escapes.
    """
    options = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        return orjson.dumps(value, option=options)
    except TypeError:
        return orjson.dumps(_without_surrogates(value), option=options)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value

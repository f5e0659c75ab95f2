"""
Gold documents whose values are all plain → columns, without a look at each annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.loaders.gold_values import is_scope
from spaneval.loaders.scalars import Vocabulary, field_values

if TYPE_CHECKING:
    from spaneval.loaders.gold_cut import Cut


class GoldColumns(NamedTuple):
    """
    What D plain documents with N annotations say.

    Args:
        counts: Number of annotations of each document.
        a, b: Their offsets, int64 of shape (N,).
        codes: Gives the codes of their ids, as these are written, in a vocabulary.
        is_ignored: bool of shape (N,), or None if no annotation says so.
        itext: The itext that the annotations of each document carry.
        keys: All keys of the annotations.

    """

    counts: list[int]
    a: IntArray
    b: IntArray
    codes: Callable[[Vocabulary], CodeArray]
    is_ignored: BoolArray | None
    itext: list[Any]
    keys: Collection[str]


_KEY_TYPES = {int, str, type(None)}
_ID_TYPES = {int, str, tuple, type(None)}


def plain_columns(documents: list[Any]) -> GoldColumns | None:
    """
    The columns of documents whose values are all of the usual types and all spans possible; else None.

    Usual: integers for offsets, text, integer or null for ids and keys, a list of texts for several ids.
    """
    try:
        lists = [document["ground_truth"] for document in documents]
        if set(map(type, lists)) - {list, type(None)}:
            return None
        annotations = list(chain.from_iterable([x for x in lists if x]))
        if set(map(type, annotations)) - {dict}:
            return None
        a, b = list(map(itemgetter("a"), annotations)), list(map(itemgetter("b"), annotations))
        if set(map(type, a)) - {int} or set(map(type, b)) - {int}:
            return None
        starts, ends = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    except (KeyError, TypeError, OverflowError):
        return None
    counts = [len(x) if x else 0 for x in lists]
    keys: set[str] = set().union(*annotations)
    ids, ignore, itext = _optional(annotations, keys)
    if not _are_plain(ids, ignore) or not _are_possible(documents, counts, starts, ends):
        return None
    if itext is not None and not _one_itext_each(documents, counts, itext):
        return None
    is_ignored = None if ignore is None else np.array(ignore, dtype=np.bool_)
    written = [None] * len(documents) if itext is None else _of_first(itext, counts)
    return GoldColumns(counts, starts, ends, lambda ids_: ids_.codes(ids), is_ignored, written, keys)


def cut_columns(cut: Cut) -> GoldColumns | None:
    """The columns of documents whose annotations were cut out, if all is plain and all spans possible; else None."""
    documents, counts = cut.documents, cut.counts
    if not _are_possible(documents, counts, cut.a, cut.b):
        return None
    itext: list[Any] = [None] * len(documents)
    if (tokens := cut.tokens.get("itext")) is not None:
        ends = np.cumsum(counts)
        is_new = np.diff(tokens.numbers, prepend=tokens.numbers[:1]) != 0
        is_new[ends[ends < len(is_new)]] = False
        several = np.searchsorted(ends, np.flatnonzero(is_new), side="right")
        if any(documents[k].get("itext") in (None, "") for k in several.tolist()):
            return None
        first = tokens.numbers[np.minimum(ends - counts, len(tokens.numbers) - 1)].tolist()
        itext = [tokens.values[k] if n else None for n, k in zip(counts, first, strict=True)]
    ignored = cut.tokens.get("ignore")
    return GoldColumns(
        counts,
        cut.a,
        cut.b,
        cut.codes,
        None if ignored is None else np.array(ignored.values, dtype=np.bool_)[ignored.numbers],
        itext,
        cut.keys,
    )


def _optional(annotations: list[Any], keys: set[str]) -> tuple[list[Any], list[Any] | None, list[Any] | None]:
    ids = field_values(annotations, "entity_id") if "entity_id" in keys else [None] * len(annotations)
    if list in map(type, ids):
        ids = [tuple(x) if type(x) is list else x for x in ids]
    ignore = [x.get("ignore", False) for x in annotations] if "ignore" in keys else None
    itext = field_values(annotations, "itext") if "itext" in keys else None
    return ids, ignore, itext


def _are_plain(ids: list[Any], ignore: list[Any] | None) -> bool:
    types = set(map(type, ids))
    if types - _ID_TYPES:
        return False
    if tuple in types and {type(y) for x in ids if type(x) is tuple for y in x} - {str}:
        return False
    return ignore is None or not set(map(type, ignore)) - {bool}


def _are_possible(documents: list[Any], counts: list[int], a: IntArray, b: IntArray) -> bool:
    """Whether texts, keys and scopes are of the usual types, and all spans inside text and scope."""
    texts = [document.get("text", "") for document in documents]
    if set(map(type, texts)) - {str}:
        return False
    if {type(document.get(key)) for document in documents for key in ("itext", "doc_id")} - _KEY_TYPES:
        return False
    no_end = np.iinfo(np.int64).max
    length = np.array([len(d["text"]) if "text" in d else no_end for d in documents], dtype=np.int64)
    low, high = np.zeros_like(length), length
    spans = {k: d["evaluation_span"] for k, d in enumerate(documents) if d.get("evaluation_span") is not None}
    if not all(is_scope(span, int(length[k])) for k, span in spans.items()):
        return False
    if spans:
        low[list(spans)], high[list(spans)] = np.array(list(spans.values())).T
    return bool(((a < b) & (a >= np.repeat(low, counts)) & (b <= np.repeat(high, counts))).all())


def _one_itext_each(documents: list[Any], counts: list[int], itext: list[Any]) -> bool:
    if set(map(type, itext)) - _KEY_TYPES:
        return False
    ends = accumulate(counts)
    return all(
        d.get("itext") not in (None, "") or len(set(itext[end - n : end])) <= 1
        for d, n, end in zip(documents, counts, ends, strict=True)
    )


def _of_first(values: list[Any], counts: list[int]) -> list[Any]:
    """The value of the first annotation of each document; None where there is none."""
    return [values[end - n] if n else None for n, end in zip(counts, accumulate(counts), strict=True)]

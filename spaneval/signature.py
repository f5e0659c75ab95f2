"""
The signature: one line that makes a number reproducible and comparable.

Digests are of what was read, not of bytes: the order of files, documents, annotations and map rows, and the way they
are written down, change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

try:  # the same function; hashlib loads OpenSSL first, which takes as long as many a corpus
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from spaneval._version import VERSION
from spaneval.corpus import CodeArray, Corpus, IntArray, Predictions
from spaneval.options import LEVEL, MINTED, Options

SCORES: Final = 1
"""Raised with every entry under **Scores** in the changelog."""

PARTS: Final = (
    "of", "profile", "key", "fields-of", "strict", "normalize", "pairing", "ordered", "required", "positive",
    "match", "assign", "unmapped", "nil", "doc-key", "unknown-docs", "on-bad-row", "min-score", "null-is-nil", "minted",
    "fields", "ci", "level", "seed", "gt", "map", "gold-map", "scores", "v",
)  # fmt: skip
"""Names of the parts of a signature, in their order."""

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UIntArray = NDArray[np.uint64]
else:
    UIntArray = np.ndarray

_OF_INTERVALS: Final = ("ci:", "level:", "seed:")


def document_digests(corpus: Corpus) -> UIntArray:
    """
    64 bits per document, uint64 of shape (D,), that depend on the document and its annotations.

    A document counts with its `doc_id`, its text, its evaluation span and its annotations (span, ids, ignored or not).
    Annotations are mixed into 64 bits each, added up per document and mixed again: sums know no order.
    """
    ids = _hashed("\x1f".join(x) for x in corpus.ids)
    row = _mix(corpus.a) ^ _mix(corpus.b, 1) ^ _mix(np.append(ids, np.uint64(0))[corpus.id], 2)
    if corpus.is_ignored is not None:
        row ^= corpus.is_ignored.astype(np.uint64)
    documents = corpus.documents
    total = _sums(_mix(row), corpus.doc, len(documents))
    names = _hashed(x or "" for x in documents.doc_id) if any(documents.doc_id) else _hashed([""])
    total = total ^ _mix(documents.text_hash, 3) ^ _mix(names, 4)
    if documents.scope is not None:
        total ^= _mix(documents.scope[:, 0], 5) ^ _mix(documents.scope[:, 1], 6)
    return _mix(total)


def _sums(values: UIntArray, doc: CodeArray, n_documents: int) -> UIntArray:
    """Sum of the values of each document, modulo 2**64; `doc` is non-decreasing."""
    bounds = np.searchsorted(doc, np.arange(n_documents + 1))
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    total: UIntArray = running[bounds[1:]] - running[bounds[:-1]]
    return total


def document_order(digests: UIntArray, names: Sequence[str]) -> IntArray:
    """
    The order in which documents are resampled and saved, whatever the order of the files.

    Args:
        digests: Digest of each gold document, of shape (D,).
        names: Keys of the gold documents, then of documents that only rows name.

    Returns:
        The gold documents by digest, equal ones by key, then the others by key; int64.

    """
    n_gold = len(digests)
    order = np.argsort(digests, kind="stable")
    if (np.diff(digests[order]) == 0).any():
        order = np.array(sorted(order.tolist(), key=lambda d: (int(digests[d]), names[d])), dtype=np.int64)
    extra = sorted(range(n_gold, len(names)), key=names.__getitem__)
    return np.concatenate([order, np.array(extra, dtype=np.int64)]).astype(np.int64)


def rows_digest(rows: Predictions) -> str:
    """Sixteen hexadecimal digits that depend on the readable rows, in any order."""
    keys, ids = _hashed([*rows.keys, ""]), _hashed([*rows.ids, ""])
    mixed = _mix(rows.a) ^ _mix(rows.b, 1) ^ _mix(keys[rows.key], 2) ^ _mix(ids[rows.id], 3)
    return f"{int(_mix(mixed).sum(dtype=np.uint64)):016x}"


def gold_digest(documents: UIntArray) -> str:
    """Sixteen hexadecimal digits that depend on the digests of all documents, in any order."""
    return f"{int(documents.sum(dtype=np.uint64)):016x}"


def map_digest(targets: Iterable[Mapping[str, str]]) -> str:
    """Sixteen hexadecimal digits that depend on what the maps translate, and on the order of the maps."""
    digest = blake2b(digest_size=8)
    for one in targets:
        digest.update(b"\x1e")
        for key in sorted(one):
            digest.update(f"{key}\x1f{one[key]}\x1f".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def counts_digest(table: IntArray) -> str:
    """16 hexadecimal digits for a table of counts."""
    return blake2b(table.astype("<i8").tobytes(), digest_size=8).hexdigest()


def _hashed(texts: Iterable[str]) -> UIntArray:
    digests = (blake2b(x.encode("utf-8", "surrogatepass"), digest_size=8).digest() for x in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _mix(values: IntArray | UIntArray, salt: int = 0) -> UIntArray:
    """SplitMix64's finaliser (Steele, Lea & Flood 2014), which spreads every bit of 64 over all."""
    x = values.astype(np.uint64) + np.uint64((salt + 1) * 0x9E3779B97F4A7C15 % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def signature(
    documents: UIntArray,
    options: Options,
    maps: Sequence[Mapping[str, str]],
    gold_maps: Sequence[Mapping[str, str]],
    *,
    interval: Mapping[str, Any] | None,
) -> str:
    """
    The signature of one run: what can change a number stands in it when it is not at its default.

    Args:
        documents: Digest of each gold document.
        options: The options of counting.
        maps: The id maps, in order.
        gold_maps: The maps of gold ids, in order.
        interval: `resamples`, `seed`, `level` and `source` of the intervals; None without intervals.

    """
    parts = {
        "match": options.match,
        "assign": options.assignment,
        "unmapped": options.unmapped,
        "nil": ",".join(sorted(options.nil)) or "none",
    }
    defaults = Options()
    for name in ("doc_key", "unknown_docs", "on_bad_row", "min_score", "null_is_nil"):
        if getattr(options, name) != getattr(defaults, name):
            parts[name.replace("_", "-")] = str(getattr(options, name)).lower()
    if options.minted != MINTED:
        parts["minted"] = options.minted
    if options.fields:
        parts["fields"] = ",".join(f"{ours}={theirs}" for ours, theirs in sorted(options.fields.items()))
    parts |= _of_intervals(interval)
    parts["gt"] = _gold_part(documents)
    for name, chain in (("map", maps), ("gold-map", gold_maps)):
        if chain:
            parts[name] = f"{len(chain[0])}.{map_digest(chain)[:8]}"
    return _line(parts)


def record_signature(
    kind: str, options: Mapping[str, str], documents: UIntArray, *, interval: Mapping[str, Any] | None
) -> str:
    """
    The signature of scores of records.

    Args:
        kind: Name of the command.
        options: What can change a number and is not at its default, by its name in `PARTS`.
        documents: Digest of each document of the gold, see `record_digests`.
        interval: `resamples`, `seed` and `level` of the intervals; None without intervals.

    """
    order = {name: k for k, name in enumerate(PARTS)}
    chosen = {name: options[name] for name in sorted(options, key=order.__getitem__)}
    return _line({"of": kind, **chosen, **_of_intervals(interval), "gt": _gold_part(documents)})


def record_digests(names: Sequence[str], contents: Iterable[str]) -> UIntArray:
    """
    64 bits per document of records, uint64 of shape (D,), that depend on its name and its content.

    Args:
        names: What each document is called.
        contents: Its gold as text that says the same of the same gold, such as JSON with sorted keys.

    """
    return _mix(_mix(_hashed(names)) ^ _mix(_hashed(contents), 1))


def _of_intervals(interval: Mapping[str, Any] | None) -> dict[str, str]:
    if interval is None:
        return {"ci": "none"}
    level = {} if interval["level"] == LEVEL else {"level": str(interval["level"])}
    return {"ci": f"doc-bootstrap.{interval['resamples']}", **level, "seed": str(interval["seed"])}


def _gold_part(documents: UIntArray) -> str:
    return f"{len(documents)}d.{gold_digest(documents)[:8]}"


def _line(parts: Mapping[str, str]) -> str:
    """All parts, and what the numbers were made by."""
    whole = {**parts, "scores": str(SCORES), "v": VERSION}
    return "|".join(f"{name}:{escaped(value)}" for name, value in whole.items())


def parts_of(text: str) -> dict[str, str]:
    """The parts of a signature by name, as they stand there."""
    return dict(part.partition(":")[::2] for part in text.split("|"))


def without_intervals(text: str) -> str:
    """A signature without what only concerns intervals, as runs hold it."""
    return "|".join(part for part in text.split("|") if not part.startswith(_OF_INTERVALS))


def escaped(value: str) -> str:
    """Keeps `|` and line ends out of the one line."""
    return value.replace("\\", "\\\\").replace("|", "\\p").replace("\n", "\\n")

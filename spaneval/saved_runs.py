"""
Runs as files: JSON with a schema, the same bytes for the same run, and checked when it is read.

A saved run that was cut short or changed by hand must not become a number, so everything that the file says twice is
held against itself: the digest of the gold, and the counts against the outcomes that they count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import orjson

from spaneval.corpus import CodeArray, IntArray
from spaneval.counts import Counts
from spaneval.exceptions import FormatError
from spaneval.kinds import CLASSES, FIELDS, LEAVES, REVIEW, SPANS, STATIC, Kind, labels
from spaneval.loaders.tables import open_bytes
from spaneval.loaders.utf8 import BOM
from spaneval.outcomes import Annotations, Extras, Fate, Spurious, Values
from spaneval.output import packed, write_whole
from spaneval.problems import Problem
from spaneval.reports import json
from spaneval.runs import Run
from spaneval.signature import counts_digest

if TYPE_CHECKING:
    from spaneval.scores import Result

SCHEMA: Final = "spaneval.run/1"
HEAD_SIZE: Final = 200
"""Bytes of a file that tell whether it is a saved run."""

Translations = Mapping[str, str | None]
"""What ids are compared as that are not compared as they are written."""

_COMMANDS: Final = {FIELDS.name: "records", LEAVES.name: "json", REVIEW.name: "audit", CLASSES: "classify"}
"""Which command saves runs of a kind; those of spans are saved by `score`."""
_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"schema"\s*:\s*"spaneval\.')
_MOST_DOCUMENTS = np.iinfo(np.int32).max


def to_json(run: Run) -> bytes:
    """The run as a file; the same run gives the same bytes."""
    content = {
        "schema": SCHEMA,
        "kind": run.counts.kind.name,
        "signature": run.signature,
        "counting": run.counting,
        "gold": run.gold,
        "predictions": run.predictions,
        "id_map": run.id_map,
        "documents": run.documents,
        "names": run.names,
        "counts": dict(zip(run.counts.kind.columns, run.counts.table.T.tolist(), strict=True)),
        "counts_digest": counts_digest(run.counts.table),
        "fates": [fate.label for fate in Fate],
        "annotations": _plain(run.annotations),
        "spurious": _plain(run.spurious),
        "translated": _translations(run),
    }
    return json.dump(content, indent=False)


def as_file(run: Run, path: str) -> Iterable[bytes]:
    """What a file of that name holds: the run, packed if the name ends in `.gz`."""
    content = [to_json(run)]
    return packed(content) if path.lower().endswith(".gz") else content


def save(system: Result | Run, path: str | os.PathLike[str]) -> None:
    """
    Write a run to a file, whole or not at all, which `compare` and `diff` take in place of the result.

    Args:
        system: The result of scoring, or its run.
        path: The file; it is packed if its name ends in `.gz`.

    Raises:
        OutputError: If it cannot be written.

    """
    name = os.fspath(path)
    write_whole(name, as_file(as_run(system), name))


def _plain(columns: Annotations | Values | Spurious | Extras) -> dict[str, list[Any]]:
    """Columns as lists; translated ids are told once for each id, by `_translations`."""
    values = columns._asdict()
    values.pop("translated", None)
    return {name: x if isinstance(x, list) else x.tolist() for name, x in values.items()}


def _translations(run: Run) -> dict[str, str | None]:
    """What each id is compared as that is not compared as it is written, in text order; None where it is not at all."""
    pairs = {
        pair
        for side in (run.annotations, run.spurious)
        if isinstance(side, Annotations | Spurious)
        for pair in zip(side.predicted, side.translated, strict=True)
        if pair[0] != pair[1]
    }
    return {written: translated or None for written, translated in sorted(pairs)}


def is_saved_run(head: bytes) -> bool:
    """
    Whether a file whose first `HEAD_SIZE` bytes are these is a saved run rather than prediction rows.

    A report of ours is taken for one, too, so that `from_json` says what it is.
    """
    return _HEAD.match(head) is not None


def as_run(system: Result | Run | str | os.PathLike[str]) -> Run:
    """
    The run that `system` is: the result of scoring, a run, or the path of a saved one.

    Raises:
        InputError: If the file cannot be read or is no saved run.

    """
    if isinstance(system, Run):
        return system
    if isinstance(system, str | os.PathLike):
        name = os.fspath(system)
        with open_bytes(name) as file:
            return from_json(file.read(), name)
    return system.run()


class _Broken(Exception):  # noqa: N818 - never leaves this module
    """What is wrong with a saved run."""


def from_json(raw: bytes, file: str) -> Run:
    """
    A saved run.

    Args:
        raw: The content of the file.
        file: What messages call it.

    Raises:
        FormatError: If it is no saved run, broken, or of a version that this program does not read.

    """
    content: dict[str, Any] = {}
    try:
        content |= _content(raw)
        return _run(content)
    except _Broken as error:
        kind = content.get("kind")
        command = _COMMANDS.get(kind, "score") if isinstance(kind, str) else "score"
        hint = f"save it again with `spaneval {command} --save FILE`"
        raise FormatError([Problem(str(error), file, hint=hint, kind=FormatError)]) from error


def _content(raw: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(raw.removeprefix(BOM))
    except orjson.JSONDecodeError as error:
        if not is_saved_run(raw[:HEAD_SIZE]):
            raise _Broken(f"not a saved run: expected an object with schema {SCHEMA}") from error
        raise _Broken(f"a broken saved run: it is not valid JSON, or was cut short: {error}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, str):
        raise _Broken(f"not a saved run: expected an object with schema {SCHEMA}")
    if schema != SCHEMA:
        kind = "a run of another version" if schema.startswith("spaneval.run/") else "not a saved run"
        raise _Broken(f"{kind}: schema {schema}, expected {SCHEMA}")
    return cast("dict[str, Any]", content)


def _run(content: Mapping[str, Any]) -> Run:
    texts = {name: _value(content, name, str) for name in ("signature", "gold", "predictions", "id_map")}
    if "|gt:" not in texts["signature"]:
        raise _Broken("a broken saved run: its signature names no gold")
    documents = _texts(content, "documents")
    _check_documents(documents, texts["gold"])
    n = len(documents)
    translations = _value(content, "translated", dict)
    if not all(text is None or isinstance(text, str) for text in translations.values()):
        raise _Broken("a broken saved run: 'translated' holds something other than text")
    if content.get("fates") != [fate.label for fate in Fate]:
        raise _Broken("a broken saved run: 'fates' are not those of this version")
    kind = _kind(_value(content, "kind", str), _value(content, "counts", dict))
    annotations, spurious = _value(content, "annotations", dict), _value(content, "spurious", dict)
    run = Run(
        **texts,
        counting=_value(content, "counting", dict),
        documents=documents,
        names=_texts(content, "names", n),
        counts=_counts(_value(content, "counts", dict), kind, n),
        annotations=_annotations(annotations, n, translations) if kind == SPANS else _values(annotations, n),
        spurious=_spurious(spurious, n, translations) if kind == SPANS else _extras(spurious, n),
    )
    _check_sums(run)
    if _value(content, "counts_digest", str) != counts_digest(run.counts.table):
        raise _Broken("a broken saved run: 'counts' are not those that were saved")
    return run


def _value(content: Mapping[str, Any], name: str, kind: type) -> Any:
    if not isinstance(content.get(name), kind):
        raise _Broken(f"a broken saved run: '{name}' is missing or of another type")
    return content[name]


def _texts(content: Mapping[str, Any], name: str, n: int | None = None) -> list[str]:
    values = cast("list[str]", _value(content, name, list))
    if not all(isinstance(x, str) for x in values):
        raise _Broken(f"a broken saved run: '{name}' holds something other than text")
    _check_length(name, len(values), n)
    return values


def _integers(content: Mapping[str, Any], name: str, n: int | None = None, *, low: int = 0, below: int) -> IntArray:
    """A column of integers from `low` up to `below`."""
    values = _value(content, name, list)
    if not all(type(x) is int for x in values):
        raise _Broken(f"a broken saved run: '{name}' holds something other than integers")
    _check_length(name, len(values), n)
    if values and not low <= min(values) <= max(values) < below:
        found = min(values) if min(values) < low else max(values)
        raise _Broken(f"a broken saved run: '{name}' holds {found}, expected {low} or more and less than {below}")
    return np.array(values, dtype=np.int64)


def _check_length(name: str, found: int, expected: int | None) -> None:
    if expected is not None and found != expected:
        raise _Broken(f"a broken saved run: '{name}' has {found} entries, expected {expected}")


def _check_documents(documents: list[str], gold: str) -> None:
    """Digests come first, ascending, and add up to that of the gold; no other document stands twice."""
    n_gold = sum(not x.startswith("?") for x in documents)
    digests, extra = documents[:n_gold], documents[n_gold:]
    are_digests = all(re.fullmatch("[0-9a-f]{16}", x) for x in digests)
    if not are_digests or digests != sorted(digests) or len(set(extra)) != len(extra):
        raise _Broken("a broken saved run: 'documents' are not in order")
    if f"{sum(int(x, 16) for x in digests) % 2**64:016x}" != gold:
        raise _Broken("a broken saved run: its documents are not those of its gold")


def _kind(name: str, columns: Mapping[str, Any]) -> Kind:
    """What was counted; classes are known by the columns alone."""
    if name in STATIC:
        return STATIC[name]
    cells = [column.split("\x1f") for column in columns]
    classes = list(dict.fromkeys(cell[0] for cell in cells))
    if name != CLASSES or not classes or labels(classes).columns != tuple(columns):
        raise _Broken(f"a broken saved run: it counts '{name}', which this version does not know")
    return labels(classes)


def _counts(columns: Mapping[str, Any], kind: Kind, n: int) -> Counts:
    unknown = sorted(set(columns) - set(kind.columns))
    if unknown:
        raise _Broken(f"a broken saved run: there is no count '{unknown[0]}'")
    missing = [name for name in kind.columns if name not in columns]
    if missing:
        raise _Broken(f"a broken saved run: its counts lack '{missing[0]}'")
    table = np.zeros((n, len(kind.columns)), dtype=np.int64)
    for k, name in enumerate(kind.columns):
        table[:, k] = _integers(columns, name, n, below=2**53 // max(n, 1))  # so that resampled sums are exact
    return Counts(table, kind)


def _doc(columns: Mapping[str, Any], n_documents: int) -> CodeArray:
    doc = _integers(columns, "doc", below=min(n_documents, _MOST_DOCUMENTS)).astype(np.int32)
    if (np.diff(doc) < 0).any():
        raise _Broken("a broken saved run: 'doc' is not ascending")
    return doc


def _translated(predicted: list[str], translations: Translations) -> list[str]:
    """What each id is compared as, "" where it is not."""
    return [translations.get(x, x) or "" for x in predicted]


def _annotations(columns: Mapping[str, Any], n_documents: int, translations: Translations) -> Annotations:
    doc = _doc(columns, n_documents)
    n, no_end = len(doc), 2**63
    predicted = _texts(columns, "predicted", n)
    fate = _integers(columns, "fate", n, below=len(Fate)).astype(np.int8)
    result = Annotations(
        doc=doc,
        a=_integers(columns, "a", n, below=no_end),
        b=_integers(columns, "b", n, below=no_end),
        ids=_texts(columns, "ids", n),
        fate=fate,
        predicted=predicted,
        translated=_translated(predicted, translations),
        pred_a=_integers(columns, "pred_a", n, low=-1, below=no_end),
        pred_b=_integers(columns, "pred_b", n, low=-1, below=no_end),
    )
    is_missed = fate == Fate.MISSED
    if ((result.pred_a < 0) != is_missed).any() or ((result.pred_b < 0) != is_missed).any():
        raise _Broken("a broken saved run: a missed annotation has a partner, or a found one has none")
    return result


def _spurious(columns: Mapping[str, Any], n_documents: int, translations: Translations) -> Spurious:
    doc = _doc(columns, n_documents)
    n, no_end = len(doc), 2**63
    a, b = _integers(columns, "a", n, below=no_end), _integers(columns, "b", n, below=no_end)
    predicted = _texts(columns, "predicted", n)
    return Spurious(doc, a, b, predicted, _translated(predicted, translations))


def _values(columns: Mapping[str, Any], n_documents: int) -> Values:
    doc = _doc(columns, n_documents)
    n = len(doc)
    fate = _integers(columns, "fate", n, below=len(Fate)).astype(np.int8)
    if not np.isin(fate, _OF_VALUES).all():
        raise _Broken("a broken saved run: 'fate' holds something that becomes of no value")
    result = Values(doc, _texts(columns, "path", n), _texts(columns, "gold", n), fate, _texts(columns, "extracted", n))
    if any((x == "") != (y == Fate.MISSED) for x, y in zip(result.extracted, fate, strict=True)):
        raise _Broken("a broken saved run: a missed value has a partner, or a found one has none")
    return result


def _extras(columns: Mapping[str, Any], n_documents: int) -> Extras:
    doc = _doc(columns, n_documents)
    return Extras(doc, _texts(columns, "path", len(doc)), _texts(columns, "extracted", len(doc)))


def _check_sums(run: Run) -> None:
    """Every count that the outcomes add up to is what they add up to, document by document."""
    for name, values in _sums(run).items():
        differs = np.flatnonzero(run.counts[name] != values)
        if differs.size:
            d = int(differs[0])
            message = f"{name} of document {run.names[d]} is {run.counts[name][d]}, its outcomes add up to {values[d]}"
            raise _Broken(f"a broken saved run: {message}")


def _sums(run: Run) -> dict[str, IntArray]:
    """What the outcomes of each document add up to, by column."""
    fate, doc, counts = run.annotations.fate, run.annotations.doc, run.counts

    def per_document(documents: CodeArray) -> IntArray:
        return np.bincount(documents, minlength=len(counts)).astype(np.int64, copy=False)

    n_gold, n_equal, n_extra = (
        per_document(doc),
        per_document(doc[fate == Fate.CORRECT]),
        per_document(run.spurious.doc),
    )
    wrong, missed = per_document(doc[fate == Fate.WRONG]), per_document(doc[fate == Fate.MISSED])
    if counts.kind in (FIELDS, REVIEW):
        return {"tp": n_equal, "fp": n_extra, "fn": missed, "fpfn": wrong}
    if counts.kind == LEAVES:
        return {"gold": n_gold, "predicted": n_gold - missed + n_extra, "equal": n_equal}
    if counts.kind != SPANS:
        right = [name for name in counts.kind.columns if len(set(name.split("\x1f"))) == 1]
        n_right = sum((counts[name] for name in right), np.zeros(len(counts), np.int64))
        if (counts.table.sum(axis=1) != n_gold).any() or (n_right != n_equal).any():
            raise _Broken("a broken saved run: its confusion matrix is not that of its objects")
        return {}
    sums = {f"n_{x.label}": per_document(doc[fate == x]) for x in Fate if x not in _NO_COLUMN}
    sums |= {"n_id_correct": n_equal, "n_id_comparable": n_equal + wrong, "n_gold": n_gold}
    sums["n_matched"] = n_gold - missed
    sums["n_predicted"] = sums["n_matched"] + n_extra + counts["n_bad_rows"]
    return sums


_OF_VALUES: Final = (Fate.CORRECT, Fate.WRONG, Fate.MISSED)
"""What may become of a value."""

_NO_COLUMN: Final = _OF_VALUES

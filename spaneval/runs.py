"""
A scored system as comparisons need it, and as it is saved: counts per document, the outcome of every annotation, and
the spurious spans.

Documents stand in the order of their digests, annotations in that of document, span and ids, never in row order; so two
runs over the same gold hold the same annotations in the same places, however the gold was cut into files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from spaneval.corpus import CodeArray, IntArray
from spaneval.counts import COLUMNS, Counts
from spaneval.exceptions import AlignmentError, FormatError
from spaneval.loaders.tables import open_bytes
from spaneval.problems import Problem
from spaneval.signature import SCORES, gold_digest, map_digest
from spaneval.values.ids import Outcome

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation

SCHEMA: Final = "spaneval.run/1"


class Fate(IntEnum):
    """What became of an annotation: the outcome of its pair, or none."""

    CORRECT = Outcome.CORRECT
    WRONG = Outcome.WRONG
    NO_GOLD_ID = Outcome.NO_GOLD_ID
    NO_PREDICTED_ID = Outcome.NO_PREDICTED_ID
    UNMAPPED = Outcome.UNMAPPED
    MINTED = Outcome.MINTED
    MISSED = 6

    @property
    def label(self) -> str:
        """As in reports: `no_gold_id`."""
        return self.name.lower()


class Annotations(NamedTuple):
    """
    Counted annotations and what became of them, N rows.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (N,), ascending.
        a, b: Span, int64 of shape (N,).
        ids: Acceptable ids of each, joined by `|` in text order; "" for none.
        fate: Values of `Fate`, int8 of shape (N,).
        predicted: The id that the pair was judged by, "" for none.
        pred_a, pred_b: Span of the prediction, int64 of shape (N,); -1 where it was missed.

    """

    doc: CodeArray
    a: IntArray
    b: IntArray
    ids: list[str]
    fate: NDArray[np.int8]
    predicted: list[str]
    pred_a: IntArray
    pred_b: IntArray

    def __len__(self) -> int:
        return len(self.doc)


class Spurious(NamedTuple):
    """
    Predictions without a partner, in the order of document, span and id.

    Args:
        doc: Number of the document in `Run.documents`, int32 of shape (M,).
        a, b: Span, int64 of shape (M,).
        predicted: The id as compared, "" for none.

    """

    doc: CodeArray
    a: IntArray
    b: IntArray
    predicted: list[str]


@dataclass(frozen=True)
class Run:
    """
    One scored system.

    Args:
        signature: Of the evaluation, without what only concerns intervals.
        counting: The options that can change a count, and the `scores` number.
        gold: Digest of the gold.
        predictions: Digest of the rows.
        id_map: Digest of the id maps; "" without any.
        documents: Digest of each gold document, ascending, as 16 hexadecimal digits; then the keys of documents that
            only rows name, after a `?`.
        names: The keys of the documents, for reports.
        counts: Counts per document.
        annotations: What became of each counted annotation.
        spurious: Predictions without a partner, those out of scope left out.

    """

    signature: str
    counting: dict[str, Any]
    gold: str
    predictions: str
    id_map: str
    documents: list[str]
    names: list[str]
    counts: Counts
    annotations: Annotations
    spurious: Spurious

    @property
    def n_gold_documents(self) -> int:
        """Documents of the gold; the others are those that only rows name."""
        return sum(not digest.startswith("?") for digest in self.documents)


def run_of(evaluation: Evaluation) -> Run:
    """The run of an evaluation."""
    digests = evaluation.document_digests
    n_gold, names = len(digests), evaluation.document_names
    extra = sorted(range(n_gold, len(names)), key=names.__getitem__)
    order = np.concatenate([np.argsort(digests, kind="stable"), np.array(extra, dtype=np.int64)]).astype(np.int64)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Run(
        signature=evaluation.signature,
        counting=evaluation.options.to_dict() | {"scores": SCORES},
        gold=gold_digest(digests),
        predictions=evaluation.pred_digest,
        id_map=map_digest(m.targets for m in evaluation.maps) if evaluation.maps else "",
        documents=[f"{digests[d]:016x}" if d < n_gold else f"?{names[d]}" for d in order.tolist()],
        names=[names[d] for d in order.tolist()],
        counts=Counts(evaluation.document_counts.table[order]),
        annotations=_annotations(evaluation, place),
        spurious=_spurious(evaluation, place),
    )


def _annotations(evaluation: Evaluation, place: CodeArray) -> Annotations:
    corpus, scored, pairs, ids = evaluation.corpus, evaluation.scored, evaluation.pairs_by_row, evaluation.ids
    fate = np.full(len(corpus), Fate.MISSED, dtype=np.int8)
    fate[pairs.gold] = pairs.outcome
    partner = np.full(len(corpus), -1, dtype=np.int64)
    partner[pairs.gold] = pairs.pred
    gold_texts = [*("|".join(x) for x in ids.gold_ids), ""]
    pred_texts = [*_compared(evaluation), ""]
    pred_rank = _rank(pred_texts)
    pred_code = np.append(scored.id, -1)[partner]
    pred_a, pred_b = np.append(scored.a, -1)[partner], np.append(scored.b, -1)[partner]
    rows = np.arange(len(corpus)) if corpus.is_ignored is None else np.flatnonzero(~corpus.is_ignored)
    gold_rank, doc = _rank(gold_texts)[corpus.id], place[corpus.doc]
    keys = (pred_b, pred_a, pred_rank[pred_code], fate, gold_rank, corpus.b, corpus.a, doc)
    rows = rows[np.lexsort([key[rows] for key in keys])]
    return Annotations(
        doc=place[corpus.doc[rows]],
        a=corpus.a[rows].astype(np.int64),
        b=corpus.b[rows].astype(np.int64),
        ids=[gold_texts[code] for code in corpus.id[rows].tolist()],
        fate=fate[rows],
        predicted=[pred_texts[code] for code in pred_code[rows].tolist()],
        pred_a=pred_a[rows].astype(np.int64),
        pred_b=pred_b[rows].astype(np.int64),
    )


def _spurious(evaluation: Evaluation, place: CodeArray) -> Spurious:
    scored, texts = evaluation.scored, [*_compared(evaluation), ""]
    is_spurious = np.ones(len(scored.doc), np.bool_)
    is_spurious[evaluation.pairs_by_row.pred] = False
    if scored.is_out_of_scope is not None:
        is_spurious &= ~scored.is_out_of_scope
    rows = np.flatnonzero(is_spurious)
    keys = (_rank(texts)[scored.id], scored.b, scored.a, place[scored.doc])
    rows = rows[np.lexsort([key[rows] for key in keys])]
    return Spurious(
        place[scored.doc[rows]],
        scored.a[rows].astype(np.int64),
        scored.b[rows].astype(np.int64),
        [texts[code] for code in scored.id[rows].tolist()],
    )


def _compared(evaluation: Evaluation) -> list[str]:
    """The text of each predicted id as it is compared; as it is written where it is not compared."""
    ids = evaluation.ids
    return [text or written for text, written in zip(ids.translated, ids.pred_ids, strict=True)]


def _rank(texts: Sequence[str]) -> IntArray:
    place = {text: k for k, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def to_json(run: Run) -> bytes:
    """The run as a file; the same run gives the same bytes."""
    columns = np.flatnonzero(run.counts.table.any(axis=0))
    content = {
        "schema": SCHEMA,
        "signature": run.signature,
        "counting": run.counting,
        "gold": run.gold,
        "predictions": run.predictions,
        "id_map": run.id_map,
        "documents": run.documents,
        "names": run.names,
        "counts": {COLUMNS[c]: run.counts.table[:, c].tolist() for c in columns.tolist()},
        "annotations": _plain(run.annotations) | {"fate": run.annotations.fate.tolist()},
        "fates": [fate.label for fate in Fate],
        "spurious": _plain(run.spurious),
    }
    return orjson.dumps(content) + b"\n"


def _plain(columns: Annotations | Spurious) -> dict[str, list[Any]]:
    return {name: x if isinstance(x, list) else x.tolist() for name, x in columns._asdict().items()}


def is_saved_run(head: bytes) -> bool:
    """Whether a file that starts so is a saved run rather than prediction rows."""
    return head.lstrip()[:40].replace(b" ", b"").startswith(b'{"schema":"spaneval.run/')


def from_json(raw: bytes, file: str) -> Run:
    """
    A saved run.

    Raises:
        FormatError: If it is broken, or of a version that this program does not read.

    """
    try:
        content = orjson.loads(raw)
        if content["schema"] != SCHEMA:
            message = f"a saved run of schema {content['schema']}, expected {SCHEMA}"
            raise FormatError([Problem(message, file, hint="save it again with this version", kind=FormatError)])
        counts = {name: np.array(values, dtype=np.int64) for name, values in content["counts"].items()}
        return Run(
            **{name: content[name] for name in ("signature", "counting", "gold", "predictions", "id_map")},
            documents=content["documents"],
            names=content["names"],
            counts=Counts.from_columns(len(content["documents"]), **counts),
            annotations=Annotations(**_arrays(content["annotations"])),
            spurious=Spurious(**_arrays(content["spurious"])),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        hint = "save it again with `spaneval score --save FILE`"
        raise FormatError([Problem(f"a broken saved run: {error}", file, hint=hint, kind=FormatError)]) from error


_DTYPES = {"doc": np.int32, "fate": np.int8}


def _arrays(columns: Mapping[str, list[Any]]) -> dict[str, Any]:
    texts = ("ids", "predicted")
    return {k: v if k in texts else np.array(v, dtype=_DTYPES.get(k, np.int64)) for k, v in columns.items()}


def as_run(system: Evaluation | Run | str | os.PathLike[str]) -> Run:
    """
    The run that `system` is: an evaluation, a run, or the path of a saved one.

    Raises:
        InputError: If the file cannot be read or is no saved run.

    """
    if isinstance(system, Run):
        return system
    if isinstance(system, str | os.PathLike):
        name = os.fspath(system)
        with open_bytes(name) as file:
            return from_json(file.read(), name)
    return run_of(system)


def check_comparable(runs: Mapping[str, Run]) -> None:
    """
    Refuse runs that were not counted alike.

    Args:
        runs: By name, the first of which the others are held against.

    Raises:
        AlignmentError: If gold, options of counting or the `scores` number differ; both values are shown.

    """
    (first, base), *others = runs.items()
    for name, run in others:
        if run.gold != base.gold:
            message = f"{name} was scored on other gold than {first}: {run.gold[:8]}, not {base.gold[:8]}"
            hint = "score both on the same gold; `--gt` may have changed since a run was saved"
            raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])
        for key, value in base.counting.items():
            if run.counting.get(key) != value:
                message = f"{name} was counted with {key} {run.counting.get(key)!r}, {first} with {value!r}"
                hint = "score both with the same options"
                raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])

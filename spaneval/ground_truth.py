"""
The interface of the linker's own `ground_truth` module, on this engine: a linker can import this one instead.

Four names with the signatures of the original. Pairing is greedy in document order, as its text says. What its code
gets wrong is not repeated: spans are used up per document and per annotation, minted ids without a map are not
comparable, and an inverted or empty predicted span matches nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from spaneval.evaluation import evaluate
from spaneval.loaders.gold import load_gold
from spaneval.loaders.id_map import IdMap
from spaneval.problems import Problems

__all__ = ["GroundTruthScore", "GtSpan", "load_ground_truth_spans", "score_predictions_against_ground_truth"]

MATCH_MODES: Final = ("overlap", "exact")


@dataclass(frozen=True)
class GtSpan:
    """
    One annotation: a character range in a document, and its id.

    Args:
        itext: Number of the document.
        a: First code point.
        b: One past the last code point.
        entity_id: The id, a tuple where several are right, None where there is none.

    Raises:
        ValueError: If the span is empty or inverted.

    """

    itext: int
    a: int
    b: int
    entity_id: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.b <= self.a:
            raise ValueError(f"span end must exceed start, got a={self.a} b={self.b}")


@dataclass(frozen=True)
class GroundTruthScore:
    """
    Detection, and entity accuracy over the spans that were detected.

    Args:
        n_gold: Annotations.
        n_predicted: Predictions, those included that cannot be read.
        n_matched: Pairs of both.
        match_mode: `overlap` or `exact`.
        n_id_comparable: Pairs with ids that can be compared; 0 means that entity accuracy is undefined, not zero.
        n_id_correct: Pairs with equal ids.

    """

    n_gold: int
    n_predicted: int
    n_matched: int
    match_mode: str
    n_id_comparable: int
    n_id_correct: int

    @property
    def precision(self) -> float | None:
        """Matched over predicted; None without predictions."""
        return self.n_matched / self.n_predicted if self.n_predicted else None

    @property
    def recall(self) -> float | None:
        """Matched over gold; None without gold."""
        return self.n_matched / self.n_gold if self.n_gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None where one of them is None or both are 0."""
        if not (self.precision and self.recall):
            return None
        return 2 * self.n_matched / (self.n_predicted + self.n_gold)

    @property
    def entity_accuracy(self) -> float | None:
        """Correct over comparable; None where nothing is comparable."""
        return self.n_id_correct / self.n_id_comparable if self.n_id_comparable else None

    def to_jsonable(self) -> dict[str, Any]:
        """All numbers by name."""
        return {
            "n_gold": self.n_gold,
            "n_predicted": self.n_predicted,
            "n_matched": self.n_matched,
            "match_mode": self.match_mode,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "n_id_comparable": self.n_id_comparable,
            "n_id_correct": self.n_id_correct,
            "entity_accuracy": self.entity_accuracy,
        }


def load_ground_truth_spans(path: str | os.PathLike[str]) -> list[GtSpan]:
    """
    The annotations of one `*.gt.json` file, a document or a list of them.

    A document without `itext` has its position in the file. `ignore` and `evaluation_span` take no effect here.

    Raises:
        InputError: A ValueError; if the file cannot be used.
        ValueError: If an `itext` is not a number.

    """
    problems = Problems()
    corpus = load_gold([os.path.expanduser(os.fspath(path))], problems=problems, notes=[])
    problems.raise_if_any()
    documents = corpus.documents
    number = [int(p if itext is None else itext) for itext, p in zip(documents.itext, documents.position, strict=True)]
    ids = [*(x[0] if len(x) == 1 else x for x in corpus.ids), None]
    columns = (corpus.doc.tolist(), corpus.a.tolist(), corpus.b.tolist(), corpus.id.tolist())
    return [GtSpan(number[doc], a, b, ids[code]) for doc, a, b, code in zip(*columns, strict=True)]


def score_predictions_against_ground_truth(
    predictions: Sequence[Mapping[str, Any]],
    gold: Iterable[GtSpan],
    *,
    match_mode: str = "overlap",
    predicted_id_to_kb_in: Mapping[str, str] | None = None,
) -> GroundTruthScore:
    """
    Greedy one-to-one span matching within each document.

    Args:
        predictions: Rows with `itext`, `a`, `b` and `entity_id_predicted`. A row without `itext` belongs to document 0;
            one that cannot be read, or whose document has no annotation, matches nothing.
        gold: The annotations.
        match_mode: `overlap`, at least one shared character, or `exact`, both boundaries equal.
        predicted_id_to_kb_in: What predicted ids stand for; ids that it does not hold are not comparable. Without it,
            minted ids (`kb::…`) are not.

    Raises:
        ValueError: If `match_mode` is neither.

    """
    if match_mode not in MATCH_MODES:
        raise ValueError(f"match_mode must be one of {MATCH_MODES}, got {match_mode!r}")
    counts = evaluate(
        _documents(gold),
        [_row(row) for row in predictions],
        id_map=None if predicted_id_to_kb_in is None else _id_map(predicted_id_to_kb_in),
        ci=False,
        match=match_mode,
        assignment="greedy",
        doc_key="itext",
        unknown_docs="count",
        on_bad_row="skip",
    ).counts
    names = ("n_gold", "n_predicted", "n_matched", "n_id_comparable", "n_id_correct")
    return GroundTruthScore(match_mode=match_mode, **{name: counts[name] for name in names})


def _documents(gold: Iterable[GtSpan]) -> list[dict[str, Any]]:
    documents: dict[int, dict[str, Any]] = {}
    for span in gold:
        document = documents.setdefault(span.itext, {"itext": span.itext, "ground_truth": []})
        ids = list(span.entity_id) if isinstance(span.entity_id, tuple) else span.entity_id
        document["ground_truth"].append({"a": span.a, "b": span.b, "entity_id": ids})
    return list(documents.values())


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with all that is asked of it; digits in text are numbers here, as they are to the original."""
    keys = ("a", "b", "a_abs", "b_abs", "entity_id_predicted")
    return {"itext": _number(row.get("itext")) or 0} | {key: _number(row[key]) for key in keys if key in row}


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def _id_map(targets: Mapping[str, str]) -> IdMap:
    held = {str(key): str(target) for key, target in targets.items() if target not in (None, "")}
    return IdMap("predicted_id_to_kb_in", held, 0, len(targets) - len(held))

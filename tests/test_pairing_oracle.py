"""`pair_spans` against trying every matching, on many small documents and through every solver."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import oracles
import pytest

from spaneval.pairing import assignment, canonical, greedy, layout, optimum, shelf, spans, sweep
from spaneval.pairing.spans import Pairing, Spans, pair_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spaneval.corpus import IntArray
    from spaneval.options import Assignment, Match

IDS: list[tuple[str, ...]] = [(), ("A",), ("B",), ("C",), ("A", "B"), ("B", "C")]
DOCUMENTS = 5_000


class Text(NamedTuple):
    """One document."""

    golds: list[oracles.Gold]
    preds: list[oracles.Pred]


def random_text(rng: np.random.Generator, most: int = 6, width: int = 9) -> Text:
    """A crowded document: offsets from a small range, spans drawn anew, repeated, and copied from the other side."""

    def draw_span() -> tuple[int, int]:
        a = int(rng.integers(0, width))
        return a, a + int(rng.integers(1, width))

    pool = [draw_span() for _ in range(int(rng.integers(1, 8)))]
    golds = [
        (*pool[rng.integers(len(pool))], IDS[rng.integers(len(IDS))], bool(rng.random() < ignored))
        for ignored in [float(rng.choice([0, 0.3, 0.8]))]
        for _ in range(rng.integers(0, most + 1))
    ]
    preds = [
        (*pool[rng.integers(len(pool))], [None, "A", "B", "C"][rng.integers(4)])
        for _ in range(rng.integers(0, most + 1))
    ]
    return Text(golds, preds)


def columns(texts: list[Text], side: int) -> tuple[Spans, list[tuple[int, oracles.Gold | oracles.Pred]]]:
    """One side of all documents as columns, and its rows."""
    rows = [(k, row) for k, text in enumerate(texts) for row in text[side]]
    if side == 0:
        ranked = sorted({row[2] for _, row in rows}, key=lambda ids: (not ids, "|".join(ids)))
    else:
        ranked = sorted({row[2] for _, row in rows}, key=lambda i: (i is None, i or ""))
    table = np.array([(k, row[0], row[1], ranked.index(row[2])) for k, row in rows], np.int64).reshape(-1, 4)
    return Spans(*(column.copy() for column in table.T)), rows


def paired(
    texts: list[Text], match: Match, assignment: Assignment, *, order: np.random.Generator | None = None
) -> list[list[tuple[oracles.Gold, oracles.Pred]]]:
    """Pairs by document, as rows; `order` shuffles the rows first."""
    (gold, gold_rows), (pred, pred_rows) = columns(texts, 0), columns(texts, 1)
    if order is not None:
        g, p = order.permutation(len(gold_rows)), order.permutation(len(pred_rows))
        gold, gold_rows = Spans(*(c[g] for c in gold)), [gold_rows[k] for k in g]
        pred, pred_rows = Spans(*(c[p] for c in pred)), [pred_rows[k] for k in p]

    def agreement(g: IntArray, p: IntArray) -> NDArray[np.int8]:
        pairs = zip(g.tolist(), p.tolist(), strict=True)
        return np.array([oracles.comparison(gold_rows[a][1], pred_rows[b][1]) for a, b in pairs], np.int8)

    ignored = np.array([row[3] for _, row in gold_rows], np.bool_)
    result = pair_spans(gold, pred, agreement, is_ignored=ignored, match=match, assignment=assignment)
    assert_one_to_one(result)
    found: list[list[tuple[oracles.Gold, oracles.Pred]]] = [[] for _ in texts]
    for g, p in zip(result.gold.tolist(), result.pred.tolist(), strict=True):
        assert gold_rows[g][0] == pred_rows[p][0]
        found[gold_rows[g][0]].append((gold_rows[g][1], pred_rows[p][1]))
    return [sorted(pairs, key=oracles.pair_order) for pairs in found]


def assert_one_to_one(result: Pairing) -> None:
    """Every row at most once, gold rows ascending."""
    assert np.all(result.gold[1:] > result.gold[:-1])
    assert len(result.pred) == len(np.unique(result.pred))


def set_path(path: str, patch: pytest.MonkeyPatch) -> None:
    """Lower the constants so that small documents take the way of large ones."""
    if path in ("loop", "dense", "stages", "components"):
        patch.setattr(assignment, "SMALL_SIDE", 0)
    if path in ("dense", "stages"):
        patch.setattr(optimum, "SPARSE", 0)
        patch.setattr(optimum, "LOOP_STEPS", 0)
    if path == "stages":
        patch.setattr(optimum, "FLOAT_EXACT", 1 << 11)
    if path in ("components", "stages"):
        patch.setattr(canonical, "FEW_EDGES", 0)
    if path == "batches":
        patch.setattr(assignment, "SMALL_SIDE", 5)
        patch.setattr(assignment, "BATCH", 5_000)
        patch.setattr(layout, "CHUNK", 40)
    if path in ("sweep", "tries"):
        patch.setattr(spans, "CROWD", 0)
        patch.setattr(spans, "QUEUE", 0)
        patch.setattr(shelf, "BLOCK", 2)
    if path == "tries":
        patch.setattr(sweep, "TRIES", 1)
    if path == "one by one":
        patch.setattr(greedy, "ROUNDS", 0)


@cache
def asked(match: Match, assignment: Assignment) -> tuple[list[Text], list[oracles.Answer]]:
    """Documents and the answers of the oracle; one seed for each pair of options."""
    texts = [random_text(np.random.default_rng([len(match), len(assignment), k])) for k in range(DOCUMENTS)]
    answer = oracles.greedy if assignment == "greedy" else oracles.exact_first
    return texts, [answer(*text, match) for text in texts]


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("path", ["as it is", "batches", "loop", "components", "dense", "stages"])
def test_exact_first_is_the_optimum_and_the_canonical_one(path: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    The whole vector of aims, and the very pairs, through every solver.
    """
    set_path(path, monkeypatch)
    texts, answers = asked(match, "exact-first")
    for text, expected, pairs in zip(texts, answers, paired(texts, match, "exact-first"), strict=True):
        assert (expected.vector, expected.pairs) == (oracles.vector(pairs), pairs), text


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("path", ["as it is", "one by one", "sweep"])
def test_greedy_is_the_rule_of_the_source(path: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    The very pairs, in rounds, one by one, and without listing candidates.
    """
    set_path(path, monkeypatch)
    texts, answers = asked(match, "greedy")
    for text, expected, pairs in zip(texts, answers, paired(texts, match, "greedy"), strict=True):
        assert expected.pairs == pairs, text


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("path", ["sweep", "tries"])
def test_a_sweep_keeps_the_maxima(path: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    Identical pairs, counted ones, other counted pairs and all pairs are as many as there can be.
    """
    set_path(path, monkeypatch)
    texts, answers = asked(match, "exact-first")
    found = paired(texts, match, "exact-first")
    for text, expected, pairs in zip(texts, answers, found, strict=True):
        assert oracles.maxima(expected.vector) == oracles.maxima(oracles.vector(pairs)), text
    assert found == paired(texts, match, "exact-first", order=np.random.default_rng(4))

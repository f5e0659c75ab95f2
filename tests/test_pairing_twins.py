"""Many annotations and predictions of one span, in clusters that are swept: ids are looked at inside a span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import oracles
import pytest
from test_pairing_oracle import IDS, Text, asked, paired, random_text

from spaneval import evaluate
from spaneval.pairing import spans, sweep

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.options import Match

LARGE = 2_100
"""Twins a side that make a crowd without lowering any constant: 4.4 million candidate pairs."""

LIMITS = ["as they are", "one round", "two rounds"]


def scored(gold: list[Any], predicted: list[Any], **options: Any) -> Evaluation:
    """One document, all of whose annotations and predictions are `[0, 4)`."""
    annotations = [{"a": 0, "b": 4, "entity_id": ids} for ids in gold]
    rows = [{"itext": 0, "a": 0, "b": 4, "entity_id_predicted": id_} for id_ in predicted]
    return evaluate([{"text": "Bonn", "ground_truth": annotations}], rows, ci=False, **options)


def two_ids(n: int) -> Evaluation:
    """Either id of each annotation, so that the order of ids is another one on each side."""
    ids = [[f"Q{k:05}", f"A{k:05}"] for k in range(n)]
    return scored(ids, [pair[k % 2] for k, pair in enumerate(ids)])


def mapped(n: int) -> Evaluation:
    """A map that turns the order of ids round."""
    targets = {f"m{k:05}": f"Q{n - k:05}" for k in range(n)}
    return scored(list(targets.values()), list(targets), id_map=targets)


def one_more(n: int, match: Match) -> Evaluation:
    """One prediction more, whose id comes first."""
    ids = [f"Q{k:05}" for k in range(n)]
    return scored(ids, ["A", *ids], match=match)


def set_limits(limits: str, patch: pytest.MonkeyPatch) -> None:
    """Sweep every cluster."""
    patch.setattr(spans, "CROWD", 0)
    if limits == "one round":
        patch.setattr(sweep, "CHUNK", 40)
    if limits == "two rounds":
        patch.setattr(sweep, "NEAR", 1)


@pytest.mark.parametrize("n", [2, 3, 200, LARGE])
@pytest.mark.parametrize("score", [two_ids, mapped, lambda n: one_more(n, "overlap"), lambda n: one_more(n, "exact")])
def test_perfect_output_on_one_span_is_perfect(score: Any, n: int, monkeypatch: pytest.MonkeyPatch):
    """
    By hand: each annotation has a prediction that agrees.
    """
    if n < LARGE:
        monkeypatch.setattr(spans, "CROWD", 0)
    result = score(n)
    assert (n, n, n) == tuple(result.counts[name] for name in ("n_matched", "n_id_comparable", "n_id_correct"))
    assert 1 == result.measures["entity_accuracy"]
    assert ["swept-clusters"] == [note.code for note in result.notes if note.code == "swept-clusters"]


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("limits", LIMITS)
def test_identical_pairs_of_a_sweep_are_the_best_ones(limits: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    All of 1a to 1d are the optimum of the oracle, also beside other spans; so are the maxima; rows in any order.
    """
    set_limits(limits, monkeypatch)
    texts, answers = asked(match, "exact-first")
    found = paired(texts, match, "exact-first")
    for text, expected, pairs in zip(texts, answers, found, strict=True):
        value = oracles.vector(pairs)
        assert oracles.maxima(expected.vector) == oracles.maxima(value), text
        assert expected.vector[:4] == value[:4], text
    assert found == paired(texts, match, "exact-first", order=np.random.default_rng(8))


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("limits", LIMITS)
def test_single_spans_are_the_optimum(limits: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    Up to 6 rows a side at one span: the whole vector of aims is that of the oracle.
    """
    set_limits(limits, monkeypatch)
    rng = np.random.default_rng(9)
    texts = [
        Text(
            [(0, 3, IDS[rng.integers(len(IDS))], bool(rng.random() < 0.2)) for _ in range(rng.integers(1, 7))],
            [(0, 3, [None, "A", "B", "C"][rng.integers(4)]) for _ in range(rng.integers(1, 7))],
        )
        for _ in range(500)
    ]
    for text, pairs in zip(texts, paired(texts, match, "exact-first"), strict=True):
        assert oracles.exact_first(*text, match).vector == oracles.vector(pairs), text


@pytest.mark.parametrize("match", ["overlap", "exact"])
@pytest.mark.parametrize("limits", LIMITS)
def test_predicting_the_gold_agrees_everywhere(limits: str, match: Match, monkeypatch: pytest.MonkeyPatch):
    """
    One of the acceptable ids of each annotation of the random documents.
    """
    set_limits(limits, monkeypatch)
    rng = np.random.default_rng(10)
    texts = [
        Text(text.golds, [(g[0], g[1], g[2][rng.integers(len(g[2]))] if g[2] else None) for g in text.golds])
        for text in (random_text(rng, most=12) for _ in range(1_000))
    ]
    for text, pairs in zip(texts, paired(texts, match, "exact-first"), strict=True):
        assert len(text.golds) == sum(g[:2] == p[:2] for g, p in pairs), text
        n_counted = sum(1 for g in text.golds if g[2] and not g[3])
        agreeing = sum(oracles.comparison(g, p) == 2 for g, p in pairs if not g[3])
        if not any(g[3] for g in text.golds):
            assert n_counted == agreeing, text
        assert agreeing == oracles.vector(pairs)[2]


@pytest.mark.parametrize("asked_limit", [0, 1 << 12])
def test_limits_bound_what_is_compared_and_kept(asked_limit: int, monkeypatch: pytest.MonkeyPatch):
    """
    Where little may be compared or kept, pairs are still as many as there can be, and ids in one order still agree.
    """
    monkeypatch.setattr(spans, "CROWD", 0)
    monkeypatch.setattr(sweep, "ASKED", asked_limit)
    monkeypatch.setattr(sweep, "KEPT", 1)
    assert 200 == one_more(200, "overlap").counts["n_id_correct"]
    assert 200 == mapped(200).counts["n_matched"]


def test_of_many_agreeing_ids_the_nearest_are_kept():
    """
    By hand: owner 0 keeps 2 of 3, owner 3 its only one.
    """
    owner, other, far = np.array([0, 0, 0, 3]), np.array([0, 1, 2, 5]), np.array([2, 1, 0, 7])
    kept = sweep._nearest(owner, other, far, np.full(4, 2))
    assert [[0, 0, 3], [1, 2, 5]] == [ends.tolist() for ends in kept]

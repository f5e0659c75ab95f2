"""Clusters too large for an oracle: solvers against each other, certificates, and limits of time and memory."""

from __future__ import annotations

import numpy as np
import pytest

from spaneval.pairing import assignment, optimum, spans
from spaneval.pairing.optimum import best_edges
from spaneval.pairing.shelf import Shelf
from spaneval.pairing.spans import Pairing, Spans, pair_spans


def crowd(rng: np.random.Generator, n: int, width: int) -> tuple[Spans, np.ndarray]:
    """Spans of one document, and their ids; -1 is no id."""
    a = rng.integers(0, width, n)
    ids = rng.integers(-1, 3, n)
    return Spans(np.zeros(n, np.int32), a, a + rng.integers(1, width // 2, n), np.where(ids < 0, 9, ids)), ids


def pair(gold: tuple[Spans, np.ndarray], pred: tuple[Spans, np.ndarray], **options) -> Pairing:
    """Pair two sides by their ids."""

    def agreement(g, p):
        x, y = gold[1][g], pred[1][p]
        return ((x >= 0) & (y >= 0)).astype(np.int8) * (1 + (x == y)).astype(np.int8)

    return pair_spans(gold[0], pred[0], agreement, **options)


@pytest.mark.parametrize("shape", [(30, 30), (60, 41), (100, 130), (300, 300)])
def test_scipy_in_stages_and_our_own_solver_choose_the_same_edges(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
):
    """
    Whole numbers of any size in one go against float64 in stages, on a crowded document.
    """
    rng = np.random.default_rng(shape)
    gold, pred = crowd(rng, shape[0], 200), crowd(rng, shape[1], 200)
    ignored = rng.random(shape[0]) < 0.2
    monkeypatch.setattr(optimum, "LOOP_STEPS", 0)
    staged = pair(gold, pred, is_ignored=ignored)
    monkeypatch.setattr(optimum, "DENSE_CELLS", 0)
    at_once = pair(gold, pred, is_ignored=ignored)
    assert (at_once.gold.tolist(), at_once.pred.tolist()) == (staged.gold.tolist(), staged.pred.tolist())


@pytest.mark.parametrize("shape", [(25, 40), (40, 25), (50, 50)])
def test_the_duals_prove_the_optimum(shape: tuple[int, int]):
    """
    Weak duality: no matching weighs more than the duals sum up to; the matching found weighs as much.
    """
    rng = np.random.default_rng(shape)
    left, right = np.nonzero(rng.random(shape) < 0.3)
    weight = rng.integers(1, 50, len(left))
    for mate, u, v in (
        optimum.augment(left.tolist(), right.tolist(), weight.tolist(), shape),
        optimum._dense(left, right, weight, shape),
    ):
        assert np.all(u >= 0)
        assert np.all(v >= 0)
        assert np.all(u[left] + v[right] >= weight)
        assert u.sum() + v.sum() == weight[np.asarray(mate)[left] == right].sum()


def test_levels_too_large_for_float_are_solved_by_our_own_solver(monkeypatch: pytest.MonkeyPatch):
    """
    Two edges of 2**60 and 2**60 - 1: float64 cannot tell them apart.
    """
    monkeypatch.setattr(optimum, "SPARSE", 0)
    monkeypatch.setattr(optimum, "LOOP_STEPS", 0)
    left, right = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    level = np.array([2**60 - 1, 2**60, 2**60, 2**60 + 2])
    assert [1, 2] == best_edges(left, right, [level - np.array([0, 0, 0, 2])]).tolist()
    assert [0, 3] == best_edges(left, right, [level]).tolist()


def chain(n: int, m: int) -> tuple[tuple[Spans, np.ndarray], tuple[Spans, np.ndarray]]:
    """Annotations [10k, 10k + 10), predictions shifted by 5: each overlaps two by 5 characters."""

    def side(k: int, start: int) -> tuple[Spans, np.ndarray]:
        a = np.arange(k) * 10 + start
        return Spans(np.zeros(k, np.int32), a, a + 10, np.zeros(k, np.int64)), np.full(k, -1)

    return side(n, 0), side(m, 5)


def test_a_long_chain_is_solved_exactly():
    """
    With one annotation more than predictions every one of them could stay alone: the canonical choice is the last one.
    """
    result = pair(*chain(3_001, 3_000))
    assert (list(range(3_000)), 0) == (result.gold.tolist(), result.n_swept)
    assert list(range(3_000)) == result.pred.tolist()


def test_one_prediction_over_everything_costs_little():
    """
    2,000 annotations with a prediction inside each (6 of 10 characters), and one over all, which shares 10 with each:
    it takes the place of one of the others, in canonical order that of the first.
    """
    a = np.arange(2_000) * 10
    zeros, none = np.zeros(2_001, np.int64), np.full(2_001, -1)
    gold = Spans(zeros[1:], a, a + 10, zeros[1:]), none[1:]
    pred = Spans(zeros, np.append(a + 2, 0), np.append(a + 8, 20_000), zeros), none
    result = pair(gold, pred)
    assert [2_000, *range(1, 2_000)] == result.pred.tolist()


def nested(depth: int) -> tuple[tuple[Spans, np.ndarray], tuple[Spans, np.ndarray]]:
    """Spans nested in each other, gold and predictions in turn."""
    a, zeros = np.arange(depth), np.zeros(depth, np.int64)
    gold = Spans(zeros, 2 * a, 10 * depth - 2 * a, zeros), zeros - 1
    return gold, (Spans(zeros, 2 * a + 1, 10 * depth - 2 * a - 1, zeros), zeros - 1)


def test_a_crowd_is_swept_and_counted_as_such():
    """
    2,100 spans a side, all overlapping: 4.4 million candidates. Outermost goes with outermost.
    """
    result = pair(*nested(2_100))
    assert (list(range(2_100)), 1) == (result.pred.tolist(), result.n_swept)


@pytest.mark.parametrize("match", ["overlap", "exact"])
def test_greedy_pairs_are_the_same_with_and_without_listing_candidates(match, monkeypatch: pytest.MonkeyPatch):
    """
    A crowded document of 400 spans a side, with twins and ignored annotations.
    """
    rng = np.random.default_rng(5)
    gold, pred = crowd(rng, 400, 60), crowd(rng, 400, 60)
    ignored = rng.random(400) < 0.2
    listed = pair(gold, pred, is_ignored=ignored, assignment="greedy", match=match)
    monkeypatch.setattr(spans, "QUEUE", 0)
    served = pair(gold, pred, is_ignored=ignored, assignment="greedy", match=match)
    assert (listed.gold.tolist(), listed.pred.tolist()) == (served.gold.tolist(), served.pred.tolist())


def test_a_shelf_finds_the_first_end_beyond_a_point():
    """
    Against a plain search, over several blocks, while intervals are taken away.
    """
    rng = np.random.default_rng(6)
    ends = rng.integers(0, 1_000, 1_500)
    shelf = Shelf(ends)
    for _ in range(1_000):
        point, lo, hi = int(rng.integers(0, 1_000)), *sorted(rng.integers(0, 1_501, 2).tolist())
        expected = next((k for k in range(lo, hi) if ends[k] > point), -1)
        assert expected == shelf.first(point, lo, hi)
        if expected >= 0:
            shelf.take(expected)
            ends[expected] = -1


def test_no_edges_no_choice():
    """
    The choice among nothing is nothing.
    """
    none = np.empty(0, np.int64)
    assert [] == assignment.choose(none, none, none, [none]).tolist()

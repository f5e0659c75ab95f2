"""
Answers worked out the slow way, from the words of the contract; shares no code with the package.

Everything is a plain tuple: an annotation is (a, b, ids, is_ignored) with a sorted tuple of acceptable ids, empty for
none; a prediction is (a, b, id) with None for no id.
"""

from __future__ import annotations

from typing import NamedTuple

Gold = tuple[int, int, tuple[str, ...], bool]
Pred = tuple[int, int, str | None]
Vector = tuple[int, ...]


class Answer(NamedTuple):
    """The best vector of aims, and the pairs of the canonical choice, sorted."""

    vector: Vector
    pairs: list[tuple[Gold, Pred]]


def comparison(gold: Gold, pred: Pred) -> int:
    """0 not comparable, 1 comparable and wrong, 2 agreeing."""
    if not gold[2] or pred[2] is None:
        return 0
    return 2 if pred[2] in gold[2] else 1


def matches(gold: Gold, pred: Pred, match: str) -> bool:
    """Whether two spans can be paired."""
    if match == "exact":
        return gold[:2] == pred[:2]
    return gold[0] < pred[1] and pred[0] < gold[1]


def vector(pairs: list[tuple[Gold, Pred]]) -> Vector:
    """The aims 1a to 1d and 2a to 2e of `exact-first`, in their order."""
    same = [(g, p) for g, p in pairs if g[:2] == p[:2]]
    other = [(g, p) for g, p in pairs if g[:2] != p[:2]]
    counted_same = [comparison(g, p) for g, p in same if not g[3]]
    counted_other = [comparison(g, p) for g, p in other if not g[3]]
    return (
        len(same),
        len(counted_same),
        sum(c == 2 for c in counted_same),
        sum(c >= 1 for c in counted_same),
        len(counted_other),
        len(other),
        sum(min(g[1], p[1]) - max(g[0], p[0]) for g, p in other),
        sum(c == 2 for c in counted_other),
        sum(c >= 1 for c in counted_other),
    )


def gold_order(gold: Gold) -> tuple[object, ...]:
    """Canonical order of annotations: no id last, counted before ignored."""
    return gold[0], gold[1], not gold[2], "|".join(gold[2]), gold[3]


def pred_order(pred: Pred) -> tuple[object, ...]:
    """Canonical order of predictions: no id last."""
    return pred[0], pred[1], pred[2] is None, pred[2] or ""


def exact_first(golds: list[Gold], preds: list[Pred], match: str) -> Answer:
    """Try every matching of one document; of the best ones keep the first in canonical order."""
    golds, preds = sorted(golds, key=gold_order), sorted(preds, key=pred_order)
    options = [[k for k, g in enumerate(golds) if matches(g, p, match)] for p in preds]
    best: tuple[Vector, Vector] | None = None

    def extend(choice: tuple[int, ...]) -> None:
        nonlocal best
        if len(choice) < len(preds):
            for k in options[len(choice)]:
                if k not in choice:
                    extend((*choice, k))
            extend((*choice, len(golds)))
            return
        value = vector([(golds[k], p) for k, p in zip(choice, preds, strict=True) if k < len(golds)])
        key = value, tuple(-k for k in choice)
        if best is None or key > best:
            best = key

    extend(())
    assert best is not None
    pairs = [(golds[-k], p) for k, p in zip(best[1], preds, strict=True) if -k < len(golds)]
    return Answer(best[0], sorted(pairs, key=pair_order))


def greedy(golds: list[Gold], preds: list[Pred], match: str) -> Answer:
    """The rule of the source, word by word."""
    free = sorted(range(len(golds)), key=lambda k: (golds[k][:2], k))
    pairs = []
    for p in sorted(preds, key=lambda p: p[:2]):
        for ignored in (False, True):
            found = [k for k in free if golds[k][3] is ignored and matches(golds[k], p, match)]
            if found:
                at_span = [k for k in found if golds[k][:2] == golds[found[0]][:2]]
                agreeing = [k for k in at_span if comparison(golds[k], p) == 2]
                taken = (agreeing or at_span)[0]
                free.remove(taken)
                pairs.append((golds[taken], p))
                break
    return Answer(vector(pairs), sorted(pairs, key=pair_order))


def pair_order(pair: tuple[Gold, Pred]) -> tuple[object, ...]:
    """Any fixed order of pairs by content."""
    return (*gold_order(pair[0]), *pred_order(pair[1]))


def maxima(value: Vector) -> Vector:
    """The part of the aims that is kept where a cluster is swept."""
    return value[0], value[1], value[4], value[0] + value[5]

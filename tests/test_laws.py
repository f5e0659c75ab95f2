"""
The laws of scoring, on any small corpus: what must hold whatever the spans and ids are.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import spaneval

IDS = st.sampled_from(["PEL.1", "PEL.2", "RO.7", "NEW", None])
SHORT = st.integers(1, 7)


@st.composite
def spans(draw: st.DrawFn, ids: Any = IDS, max_size: int = 7) -> list[tuple[int, int, Any]]:
    """Spans in a short text, so that nesting, repeats and shared boundaries are the rule."""
    found = draw(st.lists(st.tuples(st.integers(0, 12), SHORT, ids), max_size=max_size))
    return [(a, a + n, entity) for a, n, entity in found]


@st.composite
def corpora(draw: st.DrawFn, *, plain: bool = False) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """
    Gold documents and rows; `plain` leaves out ignored annotations, evaluation spans and alternative ids.
    """
    n = draw(st.integers(1, 3))
    gold, rows = [], []
    alternatives = st.one_of(IDS, st.lists(st.sampled_from(["PEL.1", "PEL.2", "RO.7"]), max_size=2))
    for d in range(n):
        annotations = [
            {"a": a, "b": b, "entity_id": entity} for a, b, entity in draw(spans(IDS if plain else alternatives))
        ]
        document: dict[str, Any] = {"itext": d, "ground_truth": annotations}
        if not plain:
            for annotation in annotations:
                annotation["ignore"] = draw(st.booleans()) and draw(st.booleans())
            if draw(st.booleans()):
                low = min((x["a"] for x in annotations), default=3)
                document["evaluation_span"] = [low, max((x["b"] for x in annotations), default=9)]
        gold.append(document)
        rows += [{"itext": d, "a": a, "b": b, "entity_id_predicted": entity} for a, b, entity in draw(spans())]
    return gold, rows


def score(gold: Any, rows: Any, **options: Any) -> spaneval.Evaluation:
    return spaneval.evaluate(gold, rows, **{"ci": False, "doc_key": "itext", **options})


def perfect(gold: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The gold as predictions: one of the acceptable ids of each annotation."""

    def one(entity: Any) -> Any:
        return (entity[0] if entity else None) if isinstance(entity, list) else entity

    return [
        {"itext": d["itext"], "a": x["a"], "b": x["b"], "entity_id_predicted": one(x["entity_id"])}
        for d in gold
        for x in d["ground_truth"]
    ]


MODES = st.sampled_from(["overlap", "exact"])
ASSIGNMENTS = st.sampled_from(["exact-first", "greedy"])


@settings(max_examples=300)
@given(corpora(), MODES, st.randoms(use_true_random=False))
def test_order_of_rows_annotations_and_documents_changes_nothing(corpus, mode, rng):
    gold, rows = corpus
    result = score(gold, rows, match=mode, nil=["NEW"])
    mixed_rows = rng.sample(rows, len(rows))
    mixed_gold = [d | {"ground_truth": rng.sample(d["ground_truth"], len(d["ground_truth"]))} for d in gold]
    again = score(rng.sample(mixed_gold, len(mixed_gold)), mixed_rows, match=mode, nil=["NEW"])

    assert result.counts == again.counts
    assert result.signature == again.signature
    assert pairs_shown(result) == pairs_shown(again)


def pairs_shown(result: spaneval.Evaluation) -> list[tuple[str, ...]]:
    """The ledger without the rows that the predictions came from."""
    shown = [{k: v for k, v in row.items() if k not in ("file", "pred_file", "pred_line")} for row in result.rows()]
    return sorted(tuple(map(str, row.values())) for row in shown)


@settings(max_examples=300)
@given(corpora(), MODES)
def test_predicting_the_gold_scores_1(corpus, mode):
    gold, _ = corpus
    assert_perfect(score(gold, perfect(gold), match=mode))


@settings(max_examples=200)
@given(corpora(plain=True), MODES)
def test_predicting_the_gold_scores_1_under_greedy(corpus, mode):
    """
    Without ignored annotations and alternative ids: first come first served, a prediction of an ignored annotation may
    take a counted one at the same span, and an alternative may be taken by the prediction that another one needs.
    """
    gold, _ = corpus
    assert_perfect(score(gold, perfect(gold), match=mode, assignment="greedy"))


def assert_perfect(result: spaneval.Evaluation) -> None:
    """Every measure over something is 1."""
    for name in ("precision", "recall", "f1", "entity_accuracy", "link_f1"):
        assert result.measures[name] == (1.0 if result.fractions[name][1] else None), name


@settings(max_examples=300)
@given(corpora())
def test_overlap_mode_has_the_identical_pairs_of_exact_mode(corpus):
    """As many, and as many agreeing ones among them."""
    gold, rows = corpus
    identical = {}
    for mode in ("exact", "overlap"):
        shown = [r for r in score(gold, rows, match=mode).rows() if None not in (r["gold_a"], r["a"])]
        same = [r for r in shown if (r["gold_a"], r["gold_b"]) == (r["a"], r["b"])]
        identical[mode] = len(same), sum(r["outcome"] == "correct" for r in same)

    assert identical["exact"] == identical["overlap"]


@settings(max_examples=200)
@given(corpora(), MODES, ASSIGNMENTS, st.integers(1, 10**12))
def test_moving_all_offsets_changes_nothing(corpus, mode, assignment, by):
    gold, rows = corpus
    moved_gold = []
    for d in gold:
        moved = d | {"ground_truth": [x | {"a": x["a"] + by, "b": x["b"] + by} for x in d["ground_truth"]]}
        if "evaluation_span" in d:
            moved["evaluation_span"] = [x + by for x in d["evaluation_span"]]
        moved_gold.append(moved)
    moved_rows = [x | {"a": x["a"] + by, "b": x["b"] + by} for x in rows]
    options = {"match": mode, "assignment": assignment}

    assert score(gold, rows, **options).counts == score(moved_gold, moved_rows, **options).counts


@settings(max_examples=200)
@given(corpora(), MODES, ASSIGNMENTS)
def test_counts_of_a_corpus_are_the_sum_of_those_of_its_documents(corpus, mode, assignment):
    gold, rows = corpus
    whole = score(gold, rows, match=mode, assignment=assignment).counts
    parts = [
        score([d], [x for x in rows if x["itext"] == d["itext"]], match=mode, assignment=assignment).counts
        for d in gold
    ]

    assert whole == {name: sum(part[name] for part in parts) for name in whole}


@settings(max_examples=300)
@given(corpora(plain=True), MODES)
def test_swapping_gold_and_predictions_swaps_precision_and_recall(corpus, mode):
    gold, rows = corpus
    there = score(gold, rows, match=mode)
    back = score(*swapped(gold, rows), match=mode)

    assert (there.measures["precision"], there.measures["recall"]) == (
        back.measures["recall"],
        back.measures["precision"],
    )
    assert there.counts["n_id_correct"] == back.counts["n_id_correct"]
    assert there.counts["n_id_comparable"] == back.counts["n_id_comparable"]


@settings(max_examples=200)
@given(corpora(plain=True), MODES)
def test_a_swap_keeps_the_matched_pairs_of_greedy(corpus, mode):
    gold, rows = corpus
    there = score(gold, rows, match=mode, assignment="greedy").counts["n_matched"]

    assert there == score(*swapped(gold, rows), match=mode, assignment="greedy").counts["n_matched"]


def swapped(gold: list[dict[str, Any]], rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Each side in the place of the other."""
    by_document = {
        d["itext"]: [
            {"a": x["a"], "b": x["b"], "entity_id": x["entity_id_predicted"]} for x in rows if x["itext"] == d["itext"]
        ]
        for d in gold
    }
    return [{"itext": d["itext"], "ground_truth": by_document[d["itext"]]} for d in gold], perfect(gold)


@settings(max_examples=200)
@given(corpora(), MODES, ASSIGNMENTS, IDS)
def test_a_prediction_that_overlaps_nothing_raises_no_ratio(corpus, mode, assignment, entity):
    gold, rows = corpus
    before = score(gold, rows, match=mode, assignment=assignment).measures
    far = {"itext": 0, "a": 1000, "b": 1003, "entity_id_predicted": entity}
    after = score(gold, [*rows, far], match=mode, assignment=assignment).measures

    for name, value in before.items():
        if value is not None:
            assert after[name] is not None, name
            assert after[name] <= value, name


@settings(max_examples=200)
@given(corpora(), MODES, ASSIGNMENTS)
def test_the_ledger_adds_up_to_the_counts(corpus, mode, assignment):
    """Every annotation and every prediction stands in one row, under the outcome that it was counted as."""
    result = score(*corpus, match=mode, assignment=assignment)
    rows, counts = list(result.rows()), result.counts
    by_outcome = {name: sum(r["outcome"] == name for r in rows) for name in {r["outcome"] for r in rows}}
    paired = ("correct", "wrong", "no_gold_id", "no_predicted_id", "unmapped", "minted")

    assert counts["n_matched"] == sum(by_outcome.get(name, 0) for name in paired)
    assert counts["n_id_correct"] == by_outcome.get("correct", 0)
    assert counts["n_gold"] == counts["n_matched"] + by_outcome.get("missed", 0)
    assert counts["n_predicted"] == counts["n_matched"] + by_outcome.get("spurious", 0)
    assert counts["n_ignored_pairs"] == by_outcome.get("ignored", 0)
    assert counts["n_out_of_scope"] == by_outcome.get("out_of_scope", 0)


def test_a_thousand_random_documents_do_not_depend_on_how_files_are_cut(tmp_path):
    """One file with all documents, or one file each, or gold and rows in shards."""
    import json

    rng = random.Random(5)
    gold, rows = [], []
    for d in range(200):
        annotations = [
            {"itext": d, "a": a, "b": a + rng.randint(1, 9), "entity_id": f"PEL.{rng.randint(1, 5)}"}
            for a in rng.sample(range(80), 6)
        ]
        gold.append({"ground_truth": annotations})
        rows += [
            {"itext": d, "a": a, "b": a + rng.randint(1, 9), "entity_id_predicted": f"PEL.{rng.randint(1, 5)}"}
            for a in rng.sample(range(80), 6)
        ]
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    (tmp_path / "one" / "all.gt.json").write_text(json.dumps(gold))
    for d, document in enumerate(gold):
        (tmp_path / "many" / f"{d:03}.gt.json").write_text(json.dumps(document))
    shards = []
    for k in range(3):
        shards.append(tmp_path / f"rows{k}.jsonl")
        shards[-1].write_text("".join(json.dumps(x) + "\n" for x in rows[k::3]))
    whole = tmp_path / "rows.jsonl"
    whole.write_text("".join(json.dumps(x) + "\n" for x in rows))
    one = spaneval.evaluate(tmp_path / "one", whole, resamples=200)
    many = spaneval.evaluate(tmp_path / "many", shards[::-1], resamples=200)

    assert one.counts == many.counts
    assert one.intervals == many.intervals
    assert one.signature == many.signature

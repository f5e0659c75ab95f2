"""`pair_spans`: each aim in a tiny document, and the laws of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pairing_oracle import IDS, Text, columns, paired, random_text

from spaneval.pairing.spans import Spans, pair_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spaneval.corpus import IntArray
    from spaneval.options import Assignment, Match

ASSIGNMENTS = ["exact-first", "greedy"]
MATCHES = ["overlap", "exact"]


def gold(a: int, b: int, ids: str = "", *, ignore: bool = False) -> oracles.Gold:
    """An annotation; ids are single letters."""
    return a, b, tuple(sorted(ids)), ignore


def pairs_of(
    golds: list[oracles.Gold], preds: list[oracles.Pred], assignment: Assignment = "exact-first"
) -> set[tuple[int, int]]:
    """Pairs of one document in overlap mode, as (gold, prediction) by place in the lists."""
    found = paired([Text(golds, preds)], "overlap", assignment)[0]
    return {(golds.index(g), preds.index(p)) for g, p in found}


def test_identical_spans_come_before_more_pairs():
    """
    [0,4) [4,9) against [0,9) [4,9): overlap alone could pair both; 4-9 is found exactly, so 0-9 gets 0-4.
    With gold 4-9 only, the identical prediction has it, and 0-9 goes without.
    """
    preds = [(0, 9, None), (4, 9, None)]
    assert {(0, 0), (1, 1)} == pairs_of([gold(0, 4), gold(4, 9)], preds)
    assert {(0, 1)} == pairs_of([gold(4, 9)], preds)


def test_an_exact_pair_is_never_broken_for_a_second_pair():
    """
    Gold 0-5 and 5-9, predictions 0-5 and 3-5. Two pairs would need 0-5 for 3-5, and 0-5 then has nothing: one pair
    stays.
    """
    assert {(0, 0)} == pairs_of([gold(0, 5), gold(5, 9)], [(0, 5, None), (3, 5, None)])


def test_of_twins_the_counted_one_is_found():
    """
    Two annotations at 0-5, the first one ignored though its id agrees: the prediction takes the counted one.
    """
    assert {(1, 0)} == pairs_of([gold(0, 5, "A", ignore=True), gold(0, 5, "B")], [(0, 5, "A")])


def test_of_twins_the_agreeing_one_is_found_and_else_a_comparable_one():
    """
    Annotations A, B, no id at 0-5. Prediction B takes B; C takes A, the first comparable one.
    """
    golds = [gold(0, 5), gold(0, 5, "A"), gold(0, 5, "B")]
    assert {(2, 0)} == pairs_of(golds, [(0, 5, "B")])
    assert {(1, 0)} == pairs_of(golds, [(0, 5, "C")])


def test_counted_pairs_come_before_shared_characters():
    """
    0-9 overlaps the ignored 0-8 by 8 and the counted 8-12 by 1: the counted one is taken.
    """
    assert {(1, 0)} == pairs_of([gold(0, 8, ignore=True), gold(8, 12)], [(0, 9, None)])


def test_more_pairs_come_before_shared_characters():
    """
    Gold 0-6, 6-8. Prediction 1-7 shares 5 and 1, prediction 0-5 shares 5 and 0: both are paired, with 1 + 5 characters.
    """
    assert {(1, 0), (0, 1)} == pairs_of([gold(0, 6), gold(6, 8)], [(1, 7, None), (0, 5, None)])


def test_shared_characters_come_before_ids():
    """
    2-8 shares 2 with 0-4 whose id agrees and 4 with 4-9 whose id does not.
    """
    assert {(1, 0)} == pairs_of([gold(0, 4, "A"), gold(4, 9, "B")], [(2, 8, "A")])


def test_ids_decide_between_equal_shares():
    """
    2-6 shares 2 with 0-4 and with 4-8: the agreeing one, else the comparable one, else the first one.
    """
    assert {(1, 0)} == pairs_of([gold(0, 4, "B"), gold(4, 8, "A")], [(2, 6, "A")])
    assert {(1, 0)} == pairs_of([gold(0, 4), gold(4, 8, "B")], [(2, 6, "A")])
    assert {(0, 0)} == pairs_of([gold(0, 4), gold(4, 8)], [(2, 6, "A")])


def test_touching_is_not_overlap():
    """
    0-4 and 4-8 share no character.
    """
    assert set() == pairs_of([gold(0, 4)], [(4, 8, None)])
    assert set() == pairs_of([gold(0, 4)], [(4, 8, None)], "greedy")


def test_greedy_lets_a_partial_prediction_take_an_exact_span():
    """
    0-9 comes first and takes 4-9; the identical prediction finds it used.
    """
    assert {(0, 0)} == pairs_of([gold(4, 9)], [(0, 9, None), (4, 9, None)], "greedy")


def test_greedy_prefers_an_agreeing_twin_and_counted_before_ignored():
    """
    At the first span in document order the agreeing one of the twins; an ignored one only when no counted one is free.
    """
    golds = [gold(0, 3, "A", ignore=True), gold(1, 4, "A"), gold(1, 4, "B"), gold(2, 5, "C")]
    assert {(2, 0), (1, 1)} == pairs_of(golds[:3], [(0, 9, "B"), (1, 9, "C")], "greedy")
    assert {(1, 0), (0, 1)} == pairs_of(golds[:2], [(0, 9, "B"), (1, 9, "A")], "greedy")


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("match", MATCHES)
def test_an_empty_side_has_no_pairs(match: Match, assignment: Assignment):
    """
    No gold, no predictions, neither.
    """
    one = Text([gold(0, 4)], [(0, 4, None)])
    for text in (Text(one.golds, []), Text([], one.preds), Text([], [])):
        assert [[]] == paired([text], match, assignment)


def test_same_offsets_in_two_documents_are_two_spans():
    """
    A span used up in one document is still free in the next.
    """
    text = Text([gold(0, 4, "A")], [(0, 4, "A")])
    for assignment in ASSIGNMENTS:
        assert [[(text.golds[0], text.preds[0])]] * 2 == paired([text, text], "overlap", assignment)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("match", MATCHES)
def test_moving_all_offsets_changes_nothing_up_to_the_end_of_64_bits(match: Match, assignment: Assignment):
    """
    Offsets just below 2**63 do not fit the packed keys and are ranked instead; stretching keeps greedy pairs.
    """
    texts = [random_text(np.random.default_rng([7, k])) for k in range(300)]
    shift = 2**63 - 1 - 20

    def moved(golds: list[oracles.Gold], preds: list[oracles.Pred]) -> Text:
        return Text(
            [(a + shift, b + shift, *x) for a, b, *x in golds], [(a + shift, b + shift, x) for a, b, x in preds]
        )

    expected = [
        list(zip(*moved([g for g, _ in pairs], [p for _, p in pairs]), strict=True))
        for pairs in paired(texts, match, assignment)
    ]
    assert expected == paired([moved(*text) for text in texts], match, assignment)


def test_shared_characters_beyond_any_fixed_weight_stay_exact():
    """
    Spans of 2**61 characters that differ by one: 0 takes the annotation that shares one character more.
    """
    long = 2**61
    golds = [gold(0, long), gold(1, long + 1), gold(2, long + 5, "A")]
    preds = [(1, long, None), (2, long + 4, "B"), (0, long + 3, "A")]
    expected = oracles.exact_first(golds, preds, "overlap")
    assert [expected.pairs] == paired([Text(golds, preds)], "overlap", "exact-first")


spans_drawn = st.tuples(st.integers(0, 8), st.integers(1, 8)).map(lambda x: (x[0], x[0] + x[1]))
golds_drawn = st.lists(
    st.builds(lambda span, ids, ignored: (*span, ids, ignored), spans_drawn, st.sampled_from(IDS), st.booleans()),
    max_size=6,
)
preds_drawn = st.lists(
    st.builds(lambda span, i: (*span, i), spans_drawn, st.sampled_from([None, "A", "B"])), max_size=6
)
texts_drawn = st.builds(Text, golds_drawn, preds_drawn)


@settings(deadline=None, max_examples=200)
@given(texts_drawn, st.sampled_from(MATCHES), st.sampled_from(ASSIGNMENTS))
def test_the_oracle_agrees(text: Text, match: Match, assignment: Assignment):
    """
    Against trying every matching, and the rule of the source, on what hypothesis finds.
    """
    oracle = oracles.greedy if assignment == "greedy" else oracles.exact_first
    assert [oracle(*text, match).pairs] == paired([text], match, assignment)


@settings(deadline=None, max_examples=200)
@given(st.lists(texts_drawn, max_size=4), st.sampled_from(MATCHES), st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(texts: list[Text], match: Match, seed: int):
    """
    Exact-first never looks at row order.
    """
    shuffled = paired(texts, match, "exact-first", order=np.random.default_rng(seed))
    assert paired(texts, match, "exact-first") == shuffled


@settings(deadline=None, max_examples=200)
@given(st.lists(texts_drawn, max_size=4), st.sampled_from(MATCHES), st.sampled_from(ASSIGNMENTS))
def test_a_corpus_is_the_sum_of_its_documents(texts: list[Text], match: Match, assignment: Assignment):
    """
    Documents know nothing of each other.
    """
    alone = [paired([text], match, assignment)[0] for text in texts]
    assert alone == paired(texts, match, assignment)


@settings(deadline=None, max_examples=200)
@given(texts_drawn, st.sampled_from(MATCHES), st.sampled_from(ASSIGNMENTS))
def test_swapping_the_sides_keeps_the_number_of_pairs(text: Text, match: Match, assignment: Assignment):
    """
    Without ignored annotations.
    """
    golds = [(a, b, ids, False) for a, b, ids, _ in text.golds]
    as_gold = [(a, b, (i,) if i else (), False) for a, b, i in text.preds]
    as_pred = [(a, b, ids[0] if ids else None) for a, b, ids, _ in golds]
    straight, swapped = paired([Text(golds, text.preds), Text(as_gold, as_pred)], match, assignment)
    assert len(straight) == len(swapped)


@settings(deadline=None, max_examples=200)
@given(golds_drawn, st.sampled_from(MATCHES), st.sampled_from(ASSIGNMENTS), st.randoms())
def test_predicting_the_gold_pairs_every_annotation_with_itself(golds, match, assignment, random):
    """
    Under exact-first all pairs are identical and all ids agree; greedy only finds them all.
    """
    golds = [(a, b, ids[:1], False) for a, b, ids, _ in golds]
    preds = [(a, b, ids[0] if ids else None) for a, b, ids, _ in golds]
    random.shuffle(preds)
    found = paired([Text(golds, preds)], match, assignment)[0]
    if assignment == "exact-first":
        assert sorted(((g, (g[0], g[1], g[2][0] if g[2] else None)) for g in golds), key=oracles.pair_order) == found
    assert len(golds) == len(found)


@settings(deadline=None, max_examples=200)
@given(texts_drawn)
def test_overlap_finds_as_many_identical_and_agreeing_pairs_as_exact(text: Text):
    """
    The first four aims are those of exact mode.
    """
    exact, overlap = (oracles.vector(paired([text], match, "exact-first")[0]) for match in ("exact", "overlap"))
    assert exact[:4] == overlap[:4]


def test_row_numbers_are_those_of_the_caller():
    """
    Rows out of order, documents too: results name rows as given, gold ascending.
    """
    texts = [Text([gold(0, 4), gold(6, 9)], [(6, 9, None), (0, 3, None)])]
    (g, _), (p, _) = columns(texts, 0), columns(texts, 1)

    def nothing(gold: IntArray, pred: IntArray) -> NDArray[np.int8]:
        return np.zeros(len(gold), np.int8)

    g = Spans(g.doc.astype(np.int32), g.a, g.b, g.rank)
    result = pair_spans(g, p, nothing)
    assert ([0, 1], [1, 0], 0) == (result.gold.tolist(), result.pred.tolist(), result.n_swept)

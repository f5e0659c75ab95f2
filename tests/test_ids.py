"""What ids stand for: every row of the table of outcomes, by hand and against an oracle written from it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.id_map import IdMap
from spaneval.options import Options
from spaneval.values.ids import Outcome, translate

CORRECT, WRONG, NO_GOLD_ID, NO_PREDICTED_ID, UNMAPPED, MINTED = Outcome


def codes(*values):
    return np.array(values, dtype=np.int32)


def outcome(gold, pred, *, maps=None, gold_maps=(), **options):
    """The outcome of one pair of ids; `gold` is a tuple, a text or None, maps are dictionaries."""
    gold = (gold,) if isinstance(gold, str) else gold
    ids = translate(
        [gold] if gold else [],
        [pred] if pred is not None else [],
        maps=[IdMap("m", targets) for targets in maps or ()],
        gold_maps=[IdMap("g", targets) for targets in gold_maps],
        options=Options(**options),
    )
    return Outcome(ids.outcome(codes(0 if gold else -1), codes(-1 if pred is None else 0))[0])


NIL = {"nil": ("NIL", "NEW")}
NULL = {"nil": ("NIL",), "null_is_nil": True}
MAP = [{"kb::C1": "Q1", "kb::C2": "Q2"}]


@pytest.mark.parametrize(
    ("expected", "gold", "pred", "options"),
    [
        (NO_GOLD_ID, None, "Q1", {}),
        (NO_GOLD_ID, None, None, {}),
        (NO_GOLD_ID, None, None, NULL),
        (NO_GOLD_ID, None, "kb::C1", {}),
        (NO_GOLD_ID, None, "NIL", NIL),
        (NO_PREDICTED_ID, "Q1", None, {}),
        (NO_PREDICTED_ID, "NIL", None, NIL),
        (CORRECT, "NIL", None, NULL),
        (WRONG, "Q1", None, NULL),
        (CORRECT, "NIL", "NEW", NIL),
        (WRONG, "Q1", "NEW", NIL),
        (WRONG, "NIL", "Q1", NIL),
        (CORRECT, ("NIL", "Q1"), "NEW", NIL),
        (CORRECT, ("NIL", "Q1"), "Q1", NIL),
        (CORRECT, "NEW", "NEW", {}),
        (CORRECT, "NIL", "kb::C1", {"maps": [{"kb::C1": "NEW"}], **NIL}),
        (CORRECT, "NIL", "NEW", {"maps": [{"NEW": "Q1"}], **NIL}),
        (CORRECT, "NIL", "NEW", {"maps": MAP, "unmapped": "wrong", **NIL}),
        (CORRECT, "NIL", "kb::NIL", {"nil": ("NIL", "kb::NIL")}),
        (CORRECT, "Q0", "NEW", {"gold_maps": [{"Q0": "NIL"}], **NIL}),
        (CORRECT, "NIL", "NEW", {"gold_maps": [{"NIL": "Q0"}], **NIL}),
        (UNMAPPED, "Q1", "kb::C3", {"maps": MAP}),
        (UNMAPPED, "Q1", "Q1", {"maps": MAP}),
        (UNMAPPED, "Q1", "Q1", {"maps": [{}]}),
        (WRONG, "Q1", "Q1", {"maps": MAP, "unmapped": "wrong"}),
        (WRONG, "Q1", "kb::C3", {"maps": MAP, "unmapped": "wrong"}),
        (CORRECT, "Q1", "Q1", {"maps": MAP, "unmapped": "keep"}),
        (WRONG, "Q1", "Q2", {"maps": MAP, "unmapped": "keep"}),
        (MINTED, "Q1", "kb::C3", {"maps": MAP, "unmapped": "keep"}),
        (MINTED, "Q1", "kb::C1", {}),
        (MINTED, "kb::C1", "kb::C1", {}),
        (CORRECT, "kb::C1", "kb::C1", {"maps": [{"kb::C1": "kb::C1"}]}),
        (WRONG, "Q1", "kb::C1", {"minted": "^x"}),
        (MINTED, "Q1", "Q1", {"minted": "1$"}),
        (CORRECT, "Q1", "kb::C1", {"maps": MAP}),
        (WRONG, "Q1", "kb::C2", {"maps": MAP}),
        (CORRECT, ("Q0", "Q1"), "kb::C1", {"maps": MAP}),
        (WRONG, ("Q0", "Q1"), "kb::C2", {"maps": MAP}),
        (CORRECT, "Q9", "kb::C1", {"maps": [*MAP, {"Q1": "Q9"}]}),
        (CORRECT, "Q2", "kb::C2", {"maps": [*MAP, {"Q1": "Q9"}]}),
        (UNMAPPED, "Q9", "Q1", {"maps": [*MAP, {"Q1": "Q9"}]}),
        (CORRECT, "Q9", "Q1", {"maps": [*MAP, {"Q1": "Q9"}], "unmapped": "keep"}),
        (CORRECT, "Q0", "Q9", {"gold_maps": [{"Q0": "Q1"}, {"Q1": "Q9"}]}),
        (CORRECT, "Q5", "Q5", {"gold_maps": [{"Q0": "Q1"}]}),
        (CORRECT, ("Q0", "Q5"), "Q9", {"gold_maps": [{"Q0": "Q9"}]}),
        (WRONG, "q1", "Q1", {}),
    ],
)
def test_the_first_row_of_the_table_that_applies(expected, gold, pred, options):
    assert expected is outcome(gold, pred, **options)


def test_labels_are_the_names_of_the_contract():
    assert ["correct", "wrong", "no_gold_id", "no_predicted_id", "unmapped", "minted"] == [o.label for o in Outcome]


def test_agreement_is_2_correct_1_wrong_0_not_comparable():
    ids = translate([("Q1",)], ["Q1", "Q2", "kb::C1"], options=Options())
    assert [2, 1, 0, 0, 0] == ids.agreement(codes(0, 0, 0, 0, -1), codes(0, 1, 2, -1, 0)).tolist()


def test_tables_end_with_the_entry_of_no_id():
    ids = translate(
        [("b",), ("a", "z"), ("a", "NIL")], ["y", "NIL", "kb::1", "x"], options=Options(nil=("NIL",), null_is_nil=True)
    )
    assert [2, 1, 0, 3] == ids.gold_rank.tolist()
    assert [3, 0, 1, 2, 4] == ids.pred_rank.tolist()
    assert [False, False, True, False] == ids.is_nil_gold.tolist()
    assert [False, True, False, False, True] == ids.is_nil_pred.tolist()
    assert ["y", "NIL", None, "x"] == ids.translated
    assert [np.int64] * 2 == [ids.gold_rank.dtype, ids.pred_rank.dtype]


def test_gold_alternatives_that_become_one_id_are_one():
    ids = translate([("a", "b"), ("b", "c")], [], gold_maps=[IdMap("g", {"a": "b", "c": "a"})], options=Options())
    assert [("b",), ("a", "b")] == ids.gold_translated


def test_a_pattern_that_is_none_is_refused():
    message = "--minted: '(' is not a regular expression: missing ), unterminated subpattern at position 0"
    with pytest.raises(ValueError, match=re.escape(message)):
        translate([], [], options=Options(minted="("))


def test_null_is_nil_without_nil_is_refused():
    with pytest.raises(ValueError, match="null_is_nil needs nil"):
        translate([], [], options=Options(null_is_nil=True))


def test_no_pairs_and_no_ids():
    ids = translate([], [], options=Options())
    assert [] == ids.outcome(codes(), codes()).tolist()
    assert [NO_GOLD_ID] == ids.outcome(codes(-1), codes(-1)).tolist()


IDS = st.sampled_from(["a", "b", "c", "NIL", "NEW", "kb::1", "kb::2"])
MAPS = st.lists(st.dictionaries(IDS, IDS, max_size=4), max_size=2)
OPTIONS = st.builds(
    Options,
    unmapped=st.sampled_from(["skip", "keep", "wrong"]),
    nil=st.sampled_from([("NIL",), ("NEW", "NIL")]),
    null_is_nil=st.booleans(),
) | st.builds(Options, unmapped=st.sampled_from(["skip", "keep", "wrong"]))


def through(id_, maps):
    for targets in maps:
        id_ = targets.get(id_, id_)
    return id_


def oracle(gold, pred, maps, gold_maps, options):
    """The table of the contract, row by row."""
    if gold is None:
        return NO_GOLD_ID
    accepted = {through(id_, gold_maps) for id_ in gold}
    gold_is_nil = any(id_ in options.nil for id_ in accepted | set(gold))
    if pred is None:
        if not options.null_is_nil:
            return NO_PREDICTED_ID
        return CORRECT if gold_is_nil else WRONG
    is_held = bool(maps) and pred in maps[0]
    is_dropped = bool(maps) and not is_held and options.unmapped != "keep"
    text = pred if is_dropped else through(pred, maps)
    if pred in options.nil or text in options.nil:
        return CORRECT if gold_is_nil else WRONG
    if is_dropped:
        return WRONG if options.unmapped == "wrong" else UNMAPPED
    if text == pred and not is_held and pred.startswith("kb::"):
        return MINTED
    real = {through(id_, gold_maps) for id_ in gold if id_ not in options.nil}
    return CORRECT if text in real else WRONG


@given(
    st.lists(st.sets(IDS, min_size=1, max_size=3).map(lambda ids: tuple(sorted(ids))), unique=True, max_size=5),
    st.lists(IDS, unique=True),
    MAPS,
    MAPS,
    OPTIONS,
)
def test_outcomes_are_those_of_the_table(gold_ids, pred_ids, maps, gold_maps, options):
    ids = translate(
        gold_ids,
        pred_ids,
        maps=[IdMap("m", targets) for targets in maps],
        gold_maps=[IdMap("g", targets) for targets in gold_maps],
        options=options,
    )
    pairs = [(g, p) for g in range(-1, len(gold_ids)) for p in range(-1, len(pred_ids))]
    expected = [
        oracle(None if g < 0 else gold_ids[g], None if p < 0 else pred_ids[p], maps, gold_maps, options)
        for g, p in pairs
    ]
    gold, pred = codes(*(g for g, _ in pairs)), codes(*(p for _, p in pairs))
    assert expected == ids.outcome(gold, pred).tolist()

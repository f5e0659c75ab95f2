"""
Five decisions on fields, and fields with many values.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.scalars import NumberText
from spaneval.values.fields import Comparator, Comparators, Decision, decide, pair_values, reason, written
from spaneval.values.normalise import RuleError, rule

EXACT = Comparator()
NEAR = Comparator(rule("number:1"))


@pytest.mark.parametrize(
    ("gold", "extracted", "label", "words"),
    [
        ("John Smith", "John Smith", "tp", "True positive"),
        ("John Smith", None, "fn", "False negative"),
        ("John Smith", "Name:John Smith", "fpfn", "False positive. False negative"),
        (None, "John Smith", "fp", "False positive"),
        (None, "", "tn", "True negative"),
    ],
)
def test_the_five_decisions_of_the_source(gold: Any, extracted: Any, label: str, words: str):
    """
    The table of EasyRPA, with its words.
    """
    found = decide(gold, extracted, EXACT)

    assert (label, words) == (found.label, found.words)
    assert found.is_right == (label in ("tp", "tn"))


def counted(gold: list[Any], extracted: list[Any], comparator: Comparator = EXACT) -> Counter[str]:
    pairs = pair_values([comparator.key(x) for x in gold], [comparator.key(x) for x in extracted], comparator)
    return Counter(pair.decision.label for pair in pairs)


@pytest.mark.parametrize(
    ("gold", "extracted", "expected"),
    [
        (["a", "b"], ["b", "a"], {"tp": 2}),
        (["a", "a"], ["a"], {"tp": 1, "fn": 1}),
        (["a"], ["a", "a", "a"], {"tp": 1, "fp": 2}),
        (["a", "b", "c"], ["c", "x"], {"tp": 1, "fpfn": 1, "fn": 1}),
        (["a"], ["x", "y"], {"fpfn": 1, "fp": 1}),
        ([], [], {"tn": 1}),
        ([None, ""], [None], {"tn": 1}),
        (["a", None], [None, "a"], {"tp": 1}),
        ([1, True], [1.0, "1"], {"tp": 1, "fpfn": 1}),
    ],
)
def test_fields_with_many_values(gold: list[Any], extracted: list[Any], expected: dict[str, int]):
    """
    Equal values one to one as a multiset, the rest as FPFN, then FN or FP.
    """
    assert expected == counted(gold, extracted)


def test_with_a_tolerance_as_many_values_agree_as_can():
    """
    1 could take 2, but then 2.9 would be left without a partner: 1 takes 0.1, 2.9 takes 2.
    """
    assert {"tp": 2} == counted([1, 2.9], [2, 0.1], NEAR)
    assert {"tp": 2} == counted([2.9, 1], [0.1, 2], NEAR)


def test_with_a_tolerance_identical_values_find_each_other():
    """
    Where the number of pairs is the same either way.
    """
    keys = [NEAR.key(x) for x in (1, 2)]
    pairs = pair_values(keys, keys[::-1], NEAR)

    assert [(0, 1), (1, 0)] == [(pair.gold, pair.extracted) for pair in pairs]


@given(
    st.lists(st.integers(0, 6) | st.sampled_from(["a", "b"]), max_size=4),
    st.lists(st.integers(0, 6) | st.sampled_from(["a", "b"]), max_size=4),
    st.sampled_from([EXACT, NEAR]),
)
def test_no_choice_has_more_equal_pairs(gold: list[Any], extracted: list[Any], comparator: Comparator):
    """
    Against all ways to pair; what is left is FPFN as far as both sides last, then FN or FP.
    """
    padded = [*extracted, *([None] * len(gold))]
    best = max(
        sum(y is not None and comparator.equal(x, y) for x, y in zip(gold, order, strict=False))
        for order in permutations(padded, len(gold))
    )
    found = counted(gold, extracted, comparator)
    left, right = len(gold) - best, len(extracted) - best

    assert best == found["tp"]
    assert (min(left, right), max(0, left - right), max(0, right - left)) == (found["fpfn"], found["fn"], found["fp"])
    assert found["tn"] == (not gold and not extracted)


@given(st.permutations([1, 1.5, 2, 2.5, "x", None]), st.permutations([0, 1, 2.2, "x", "y"]))
def test_order_of_values_changes_no_count(gold: list[Any], extracted: list[Any]):
    """
    With and without a tolerance.
    """
    for comparator in (EXACT, NEAR):
        in_order = counted([1, 1.5, 2, 2.5, "x", None], [0, 1, 2.2, "x", "y"], comparator)

        assert in_order == counted(gold, extracted, comparator)


def test_tolerance_reaches_into_lists_and_objects():
    """
    But text in them stays text.
    """
    assert NEAR.equal({"a": [1, "x"]}, {"a": [2.0, "x"]})
    assert not NEAR.equal({"a": [1, "x"]}, {"a": [2.5, "x"]})
    assert not NEAR.equal({"a": 1}, {"b": 1})
    assert not NEAR.equal([1], [1, 1])
    assert not NEAR.equal(1, "x")
    assert not NEAR.equal(True, 1)
    assert not NEAR.equal(True, False)
    assert not NEAR.equal({"a": [True]}, {"a": [False]})
    assert NEAR.equal({"a": [True, 1]}, {"a": [True, 2]})
    assert Comparator(rule("number:0")).tolerance is None
    assert Decimal(1) == NEAR.tolerance


def test_scalars_as_text_are_compared_as_they_are_written():
    """
    For files that hold nothing but text.
    """
    text = Comparator(as_text=True)

    assert text.equal("1.50", NumberText("1.50"))
    assert not text.equal("1.5", NumberText("1.50"))
    assert text.equal("true", True)
    assert text.equal("7", 7)
    assert ["1", {"a": "false"}, None, "x"] == written([1, {"a": False}, None, "x"])


@pytest.mark.parametrize(
    ("gold", "extracted", "comparator", "expected"),
    [
        ("A7", "A7 ", EXACT, "they differ in white space at the ends"),
        ("A7", "a7", EXACT, "they differ in case"),
        ("7", 7, EXACT, "text is not a number"),
        (True, "true", EXACT, "a boolean is not text"),
        ("A7", "B7", EXACT, None),
        ("10.5", "10.50", EXACT, "they would be equal by number:0"),
        ("10.5", "10.51", EXACT, None),
        ("2026-01-02T00:00:00", "2026-01-02", EXACT, "they would be equal by date"),
        ("2026-01-02", "2026-01-03", Comparator(rule("date")), None),
        ("A7", "A7", EXACT, None),
        (1, 1.0, EXACT, None),
        (1, 2, NEAR, "equal by number:1"),
        ("A7", None, EXACT, None),
    ],
)
def test_reasons_are_words_where_there_is_something_to_say(
    gold: Any, extracted: Any, comparator: Comparator, expected: str | None
):
    """
    What a person would see only by looking twice.
    """
    assert expected == reason(decide(gold, extracted, comparator), gold, extracted, comparator)


def test_rules_per_field():
    """
    A rule of its own goes before that of all.
    """
    found = Comparators.parse(["text", "total=number:0.01", "a=b=exact", "due=text"])

    assert str(rule("number:0.01")) == str(found["total"].rule)
    assert str(found["a=b"].rule) == "exact"
    assert str(found["other"].rule) == "text"
    assert str(found) == "text,a=b=exact,total=number:0.01"
    assert str(Comparators()) == "exact"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["text", "date"], "all fields cannot have two rules, text and date"),
        (["a=text", "a=date"], "the field 'a' cannot have two rules, text and date"),
        (["=text"], "'=text' is not of the form FIELD=RULE, such as total=number:0.01"),
        (["a=txt"], "there is no rule 'txt'; did you mean 'text'?"),
    ],
)
def test_messages_for_rules_that_do_not_go_together(texts: list[str], message: str):
    """
    The same rule twice is no contradiction.
    """
    with pytest.raises(RuleError) as raised:
        Comparators.parse(texts)

    assert message == str(raised.value)
    assert str(Comparators.parse(["a=text", "a=text"])) == "exact,a=text"


def test_decisions_have_the_names_of_their_columns():
    """
    In the order of the counts.
    """
    assert ["tp", "fp", "fn", "tn", "fpfn"] == [x.label for x in Decision]

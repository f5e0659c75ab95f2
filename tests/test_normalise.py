"""
The rules of --normalize, on single values.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.scalars import NumberText
from spaneval.values.normalise import EXACT, RuleError, is_near, key_of, plain_text, rule

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
RULES = st.sampled_from(["exact", "docubench", "text", "number:0", "date"])


@pytest.mark.parametrize("empty", [None, "", [], {}, [None, ""], {"a": None}, {"a": [{}]}])
def test_empty_values_have_no_key(empty: Any):
    """
    Absent, null, "", [] and {} are one; what holds nothing else, too.
    """
    assert key_of(empty) is None


@pytest.mark.parametrize("value", [" ", 0, 0.0, False, "null", "--", [0]])
def test_what_looks_empty_is_a_value(value: Any):
    """
    A blank, zero, false and dashes say something.
    """
    assert key_of(value) is not None


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (1, 1.0, True),
        (1, NumberText("1.00"), True),
        (0.1, NumberText("0.10"), True),
        (Decimal("0.1"), 0.1, True),
        (0.1 + 0.2, 0.3, False),
        (2**53, 2**53 + 1, False),
        (NumberText("9007199254740993.5"), NumberText("9007199254740993.25"), False),
        (NumberText("1e400"), NumberText("10e399"), True),
        (0.0, -0.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        ("true", True, False),
        ("A7", "a7", False),
        ("A7", "A7 ", False),
        ("\u00e9", "e\u0301", False),
        ([1, 2], [2, 1], False),
        ([1], [1.0], True),
        ({"a": 1, "b": None}, {"a": 1.0}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": "x"}, ["x"], False),
        (["boolean", True], True, False),
    ],
)
def test_exact_comparison_knows_types(x: Any, y: Any, expected: bool):
    """
    1 is 1.0 and no boolean and no text; strings are equal character by character.
    """
    assert expected == (key_of(x) == key_of(y))


def test_nfc_and_nfd_are_equal_where_that_is_asked_for():
    """
    In the json command.
    """
    assert key_of("e\u0301", nfc=True) == key_of("\u00e9", nfc=True)
    assert key_of({"a": ["e\u0301"]}, nfc=True) == key_of({"a": ["\u00e9"]}, nfc=True)
    assert key_of("ﬁ", nfc=True) != key_of("fi", nfc=True)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("Pump  A7\n", " pump a7", True),
        ("STRASSE", "straße", True),
        ("ﬁn", "FIN", True),
        ("５", "5", True),
        ("a\u00a0b", "a b", True),
        ("-5.00", "5.00", False),
        ("5.00", "500", False),
        ("1/12/2024", "11/2/2024", False),
        ("€50", "$50", False),
        (" ", None, True),
        ("5", 5, False),
    ],
)
def test_text_forgives_case_and_white_space_and_nothing_else(x: Any, y: Any, expected: bool):
    """
    Signs and decimal points are kept.
    """
    assert expected == (key_of(x, rule("text")) == key_of(y, rule("text")))


@given(st.text())
def test_plain_text_is_settled_at_once(text: str):
    """
    The rule applied twice changes nothing more.
    """
    once = plain_text(text)

    assert once == plain_text(once)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("A-7", "a 7", True),
        ("-5.00", "500", True),
        ("a_b", "ab", False),
        (1.0000004, 1, True),
        (1.000001, 1, False),
        (True, 1, False),
        ("--", None, True),
        ("5", 5, False),
        (NumberText("1e999"), NumberText("2e999"), False),
    ],
)
def test_docubench_compares_as_that_benchmark(x: Any, y: Any, expected: bool):
    """
    Numbers to six decimals, text without case, white space and marks but for the underscore.
    """
    assert expected == (key_of(x, rule("docubench")) == key_of(y, rule("docubench")))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("20261110", "2026-11-10"),
        ("2026-W46-2", "2026-11-10"),
        ("2026W462", "2026-11-10"),
        ("2026-314", "2026-11-10"),
        (" 2026-11-10 ", "2026-11-10"),
        ("2026-11-10T00:00:00", "2026-11-10"),
        ("2026-11-10T09:00+01:00", "2026-11-10T08:00Z"),
        ("20261110T0900", "2026-11-10T09:00:00"),
    ],
)
def test_dates_of_iso_8601_are_days_and_moments(x: str, y: str):
    """
    However they are written.
    """
    assert key_of(x, rule("date")) == key_of(y, rule("date"))
    assert key_of(x) != key_of(y)


@pytest.mark.parametrize(
    "text",
    ["10/11/2026", "10.11.2026", "2026-13-01", "2026-02-30", "2026-1110", "2026-11", "2026-366", "2026-000",
     "2026-W60-1", "2026-11-10 00:00", "2026-11-10T24:00", "2026-11-10T", "2026-11-10Tx", "0000-01-01", "", "Nov 10"],
)  # fmt: skip
def test_what_is_no_iso_date_stays_text(text: str):
    """
    Day-first and month-first cannot be told apart, so neither is read.
    """
    assert (text or None) == key_of(text, rule("date"))


def test_moments_with_and_without_an_offset_are_never_equal():
    """
    Nothing says in which zone the other one is.
    """
    keys = {key_of(f"2026-11-10T09:00{zone}", rule("date")) for zone in ("", "Z", "+01:00")}

    assert len(keys) == 3


@pytest.mark.parametrize(
    ("x", "y", "tolerance", "expected"),
    [
        ("1.05", "1.04", "0.01", True),
        ("1.0500001", "1.04", "0.01", False),
        ("0.3", "0.1", "0.2", True),
        ("1e400", "10e399", "0.1", True),
        ("1e2000", "2e2000", "1e900", False),
        ("1e900", "0", "1e900", True),
        ("1e-999", "0", "0", False),
        ("1e-999", "0", "1e-999", True),
    ],
)
def test_tolerance_is_exact(x: str, y: str, tolerance: str, expected: bool):
    """
    In decimals: the bound itself is inside, and nothing is rounded.
    """
    assert expected == is_near(Decimal(x), Decimal(y), Decimal(tolerance))


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3), st.decimals(0, 3, places=3))
def test_tolerance_agrees_with_fractions(x: Decimal, y: Decimal, tolerance: Decimal):
    """
    Whose arithmetic is exact by another way.
    """
    assert (abs(Fraction(x) - Fraction(y)) <= Fraction(tolerance)) == is_near(x, y, tolerance)


@pytest.mark.parametrize("text", ["1,234", "1 234", "12 EUR", "٣", "1_000", "0x10", "inf", "nan", "", "-", ".", "1e"])
def test_text_that_is_no_plain_number_stays_text(text: str):
    """
    Separators mean different things in different countries.
    """
    assert (text or None) == key_of(text, rule("number:1"))


@pytest.mark.parametrize(("text", "value"), [("5", 5), (" +5.0 ", 5), ("-.5", -0.5), ("5e2", 500), ("007", 7)])
def test_text_that_is_a_number_is_one(text: str, value: float):
    """
    White space around it aside.
    """
    assert key_of(text, rule("number:0")) == key_of(value, rule("number:0"))


@given(JSON, RULES)
def test_keys_can_be_looked_up_and_are_equal_to_themselves(value: Any, name: str):
    """
    Whatever the value and the rule.
    """
    key = key_of(value, rule(name))

    assert {key: 1}[key_of(value, rule(name))] == 1


@given(JSON, JSON)
def test_exact_equality_is_that_of_python_but_for_booleans_and_empty_values(x: Any, y: Any):
    """
    An independent reading: booleans tagged, empty members taken away.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, bool):
            return ("boolean", str(value))
        if isinstance(value, dict):
            members = {name: plain(item) for name, item in value.items()}
            return {name: item for name, item in members.items() if item is not None} or None
        if isinstance(value, list):
            items = [plain(item) for item in value]
            return items if any(item is not None for item in items) else None
        return Fraction(repr(value)) if isinstance(value, float) else None if value == "" else value

    assert (plain(x) == plain(y)) == (key_of(x) == key_of(y))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("numbr:1", "there is no rule 'numbr:1'; did you mean 'number:TOL'?"),
        ("xyz", "there is no rule 'xyz'; there are exact, docubench, text, number:TOL, date"),
        ("number", "'number': the rule number needs a tolerance, such as number:0.01 or number:0"),
        ("number:", "'number:': the rule number needs a tolerance, such as number:0.01 or number:0"),
        ("number:a", "'number:a': 'a' is not a number, expected a tolerance such as 0.01"),
        ("number:inf", "'number:inf': 'inf' is not a number, expected a tolerance such as 0.01"),
        (
            "number:-1",
            "'number:-1': a tolerance is how far two numbers may be apart; expected 0 or more",
        ),
        ("number:1e9999", "'number:1e9999': a tolerance has at most 1000 decimal places"),
        ("text:1", "'text:1': the rule text takes nothing after a colon"),
    ],
)
def test_messages_for_rules_that_do_not_exist(text: str, message: str):
    """
    With the nearest, or with what is missing.
    """
    with pytest.raises(RuleError) as raised:
        rule(text)

    assert message == str(raised.value)


@pytest.mark.parametrize("text", ["exact", "docubench", "text", "date", "number:0.01", "number:0"])
def test_rules_are_shown_as_they_are_written(text: str):
    """
    So that a report can be repeated.
    """
    assert text == str(rule(text))
    assert str(rule("number:1e-3")) == "number:0.001"
    assert EXACT == rule("exact")


def test_floats_in_memory_stand_for_their_shortest_decimal():
    """
    0.1 is a tenth, not the binary fraction nearest to it.
    """
    assert key_of(0.1) == Decimal("0.1")
    assert key_of(math.pi) == key_of(NumberText("3.141592653589793"))

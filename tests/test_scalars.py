"""Single values, read strictly."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.scalars import (
    BAD,
    NumberText,
    Vocabulary,
    describe,
    integral,
    is_missing,
    number,
    offset,
    text_id,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (3.0, 3),
        (-0.0, 0),
        (np.int32(3), 3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(3), 3),
        (np.float64(3), 3),
        (Decimal("3.00"), 3),
        (Fraction(3, 1), 3),
        (NumberText("3.0"), 3),
        (NumberText("1e3"), 1000),
        (NumberText("12345678901234567890123456789012345678901.0"), 12345678901234567890123456789012345678901),
    ],
)
def test_integers(value, expected):
    assert expected == integral(value)


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, np.True_, None, "3", "", [], {}, (3,), 3 + 0j, b"3"),
        *(0.5, float("nan"), float("inf"), -float("inf"), np.float32(0.5), Fraction(1, 2)),
        *(Decimal("0.5"), Decimal("NaN"), Decimal("Infinity"), Decimal("1e5000")),
        *(NumberText("0.5"), NumberText("1e99999"), NumberText("1e-9"), NumberText("1" * 40 + ".5")),
    ],
)
def test_what_is_no_integer(value):
    assert integral(value) is BAD
    assert offset(value) is BAD


@given(st.integers())
def test_integers_of_any_size_are_exact(value):
    assert value == integral(value) == integral(NumberText(value))
    assert str(value) == text_id(value) == text_id(NumberText(f"{value}.0"))


def test_offsets_have_64_bits():
    assert (2**63 - 1, 1 - 2**63) == (offset(2**63 - 1), offset(1 - 2**63))
    assert (BAD, BAD) == (offset(2**63), offset(-(2**63)))


@pytest.mark.parametrize(("cell", "expected"), [("3", 3), ("-3", -3), ("007", 7), ("3.0", 3), ("3.", BAD), ("3.1", BAD), ("", BAD), (" 3", BAD), ("²", BAD), ("9" * 19, BAD)])  # fmt: skip  # noqa: E501
def test_offsets_of_text(cell, expected):
    assert expected == offset(cell, from_text=True)
    assert offset(cell) is BAD


def test_numbers():
    good = [(3, 3.0), (0.5, 0.5), (np.float32(0.5), 0.5), (Decimal("0.5"), 0.5), (NumberText("1e-3"), 0.001)]
    assert [x for _, x in good] == [number(x) for x, _ in good]
    for bad in (None, True, "0.5", float("nan"), float("inf"), 10**400, NumberText("1e999"), [], np.True_):
        assert number(bad) is BAD
    assert [0.5, 3.0, 0.1] == [number(x, from_text=True) for x in (".5", "3", "1e-1")]
    for bad in ("", "nan", "inf", "1_0", " 1", "0x1", "1e999", "٣"):
        assert number(bad, from_text=True) is BAD


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (float("nan"), None),
        (np.float64("nan"), None),
        ("NA", "NA"),
        ("7157.0", "7157.0"),
        (" x ", " x "),
        (7157.0, "7157"),
        (0.5, BAD),
        (True, BAD),
        ({}, BAD),
        (["Q1"], BAD),
        pytest.param(10**5000, BAD, id="huge"),
    ],
)
def test_ids(value, expected):
    assert expected == text_id(value)


def test_missing_values():
    assert [True, True, True, False, False, False] == [is_missing(x) for x in (None, "", float("nan"), 0, "0", [])]


def test_values_as_messages_show_them():
    shown = [
        describe(x) for x in (None, True, 3, 0.5, "x", [1], (1,), {"a": 1}, NumberText("1e5"), "x" * 100, 10**5000)
    ]
    expected = ["null", "true", "3", "0.5", "'x'", "a list", "a list", "an object", "1e5", "'" + "x" * 58 + "…"]
    assert [*expected, "an integer of thousands of digits"] == shown


@given(st.lists(st.one_of(st.integers(), st.text(max_size=1), st.none())))
def test_codes_tell_distinct_values_apart(values):
    vocabulary = Vocabulary()
    codes = vocabulary.codes(values).tolist()
    known = list(vocabulary)
    assert values == [known[code] for code in codes]
    assert len(known) == len(set(known)) == len(set(codes))

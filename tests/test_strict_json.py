"""
JSON files are read strictly: every message with its file and line.
"""

from __future__ import annotations

import pytest

from spaneval.loaders.scalars import BAD
from spaneval.loaders.strict_json import parse_strictly
from spaneval.problems import Problems


def read(raw: bytes) -> tuple[object, list[str]]:
    problems = Problems()
    value = parse_strictly(raw, "x.json", problems)
    return value, [str(problem).splitlines()[0] for problem in problems.kept]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'\xef\xbb\xbf{"a": [1, 2.50, null]}\r\n', {"a": [1, 2.5, None]}),
        (b"12345678901234567890123", 12345678901234567890123),
        (b'{"a": {"b": 1}, "b": {"b": ":{"}}', {"a": {"b": 1}, "b": {"b": ":{"}}),
        (b"9" * 400, int("9" * 400)),
        (b"[" * 100 + b"]" * 100, None),
    ],
)
def test_values_as_python_reads_them(raw, value):
    """
    Integers of any size stay as they are; the same key in two objects is no problem.
    """
    found, messages = read(raw)

    assert [] == messages
    assert value is None or value == found


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"a": 1,\n "b": {"c": 1,\n "c": 2}}', "x.json:3: the key 'c' occurs twice in one object (first on line 2)"),
        (b'{"a": NaN}', "x.json:1:7: not valid JSON: unexpected character"),
        (b"[Infinity]", "x.json:1:2: not valid JSON: unexpected character"),
        (b"{}\n{}", "x.json:2:1: not valid JSON: a second value after the first"),
        (b'{"a":\n', "x.json:2:1: not valid JSON: it ends in the middle of a value"),
        (b"", "x.json:1:1: not valid JSON: it is empty"),
        (b'{"a": "\xff"}', "x.json:1:8: not UTF-8: byte 0xFF"),
        (b"\xff\xfe{\x00}\x00", "x.json:1:1: not UTF-8: the file starts with the byte order mark of UTF-16"),
        (b"[1,\n1e999]", "x.json:2: the number 1e999 is too large to be compared"),
        (b"[" + b"1" * 5000 + b"]", "x.json:1: the number 1111111111111111111111111111111111111111… is too large"),
        (b"[1e999, NaN]", "x.json:1"),
        (b"[" * 101 + b"]" * 101, "x.json: lists and objects nest in more than 100 levels"),
        (b"[" * 100_000 + b"]" * 100_000, "x.json: lists and objects nest in more than 100 levels"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "x.json: lists and objects nest in more than 100 levels"),
    ],
)
def test_what_cannot_be_used_is_named(raw, message):
    """
    With the file, and the line where there is one.
    """
    value, messages = read(raw)

    assert value is BAD
    assert messages[0].startswith(message)


def test_every_duplicate_is_told():
    """
    Not only the first.
    """
    _, messages = read(b'{"a": 1, "a": 2, "b": [{"c": 1, "c": 2}], "\\u0061": 3}')

    assert 3 == len(messages)


@pytest.mark.parametrize("number", ["1e400", "9" * 400])
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('{"a": NUMBER, "b": NaN}', "not valid JSON: unexpected character"),
        ('{"a": NUMBER, "b": -Infinity}', "not valid JSON"),
        ('{"a": NUMBER, "b": "\\ud800"}', "not valid JSON: a lone half of a surrogate pair"),
        ('{"a": NUMBER, "b": 01}', "not valid JSON"),
        ('{"a": NUMBER, "a": 1}', "the key 'a' occurs twice"),
        ('{"a": NUMBER} {}', "not valid JSON: a second value after the first"),
    ],
)
def test_what_stands_behind_a_huge_number_is_read_as_strictly(raw, message, number):
    """
    The parser stops at a number beyond any float, so what follows is looked at once more.
    """
    problems = Problems()
    found = parse_strictly(raw.replace("NUMBER", number).encode(), "x.json", problems, keeps_numbers=True)

    assert found is BAD
    assert message in str(problems.kept[0])


@pytest.mark.parametrize(
    ("number", "how"),
    [
        ("1e99999999999999999999", "large"),
        ("-1.5E+99999999999999999999", "large"),
        ("1e-99999999999999999999", "small"),
    ],
)
def test_a_number_beyond_every_decimal_is_named(number, how):
    """
    An exponent of twenty digits; one of 18 is taken.
    """
    problems = Problems()
    raw = f'{{"x": 1e400,\n"a": {number}}}'.encode()

    assert parse_strictly(raw, "x.json", problems, keeps_numbers=True) is BAD
    assert f"x.json:2: the number {number} is too {how} to be compared" == str(problems.kept[0])
    assert {"a": "1e999999999999999999"} == parse_strictly(
        b'{"a": 1e999999999999999999}', "x.json", Problems(), keeps_numbers=True
    )

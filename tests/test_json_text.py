"""JSON text: exact numbers, what is broken and where, lines of values."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.json_text import Lines, json_problem, parse, parse_exactly
from spaneval.loaders.scalars import NumberText

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=2), inner, max_size=4)),
    max_leaves=20,
)


@given(values)
def test_both_parsers_agree(value):
    raw = json.dumps(value).encode()
    assert value == parse(raw) == parse_exactly(raw)


@pytest.mark.parametrize("number", ["1" * 30, "1e400", "-" + "9" * 400, "0.1000000000000000000001"])
def test_numbers_are_kept_as_written(number):
    found = parse_exactly(f"[{number}]".encode())[0]
    assert (NumberText, number) == (type(found), found)


def test_numbers_beyond_a_float_are_json():
    assert ["1e400", 3] == parse(b"[1e400, 3]")


@pytest.mark.parametrize(
    "raw", [b"NaN", b"[1e400, NaN]", b"[1e400, Infinity]", b"[1e400", b"{'a': 1}", b"01", b"\xff", b"1 2", b""]
)
def test_what_is_no_json(raw):
    for read in (parse, parse_exactly):
        with pytest.raises(ValueError, match=r"."):
            read(raw)
    assert str(json_problem(raw, "x.json")).startswith("x.json:1")


def test_deeply_nested_json_is_read_or_refused_in_words():
    deep = b"[" * 1000 + b"]" * 1000
    assert (1, 1) == (len(parse(deep)), len(parse_exactly(deep)))
    assert "it is nested too deeply" in str(json_problem(b"[" * 5000 + b"]" * 5000, "x.json"))


@pytest.mark.parametrize("words", ["depth limit exceeded", "array and object recursion depth exceeded"])
def test_every_version_of_orjson_is_understood_about_depth(words: str, monkeypatch: pytest.MonkeyPatch):
    def refuse(_raw: bytes) -> None:
        raise orjson.JSONDecodeError(words, "", 0)

    monkeypatch.setattr(orjson, "loads", refuse)

    assert "it is nested too deeply" in str(json_problem(b"[[]]", "x.json"))


def test_a_problem_shows_the_place():
    expected = "x.json:3:5: not valid JSON: unexpected character, expected a JSON value\n  3 |  1, ?]\n    |     ^"
    assert expected == str(json_problem(b"[\n\n 1, ?]", "x.json")).split("\nhint: ")[0]


def test_long_lines_are_cut_around_the_place():
    problem = json_problem(b'{"x": "' + b"y" * 300 + b'", z}', "x.jsonl", first_line=5, is_line=True)
    assert (5, None) == (problem.line, problem.column)
    assert "(column 311)" in problem.message
    assert problem.excerpt is not None
    assert problem.excerpt.startswith("…yyy")
    assert problem.excerpt.endswith('", z}…')


def test_huge_numbers_before_an_error_are_not_blamed():
    assert "x.json:2:1: not valid JSON: unexpected character" in str(json_problem(b"[1e400,\n?]", "x.json"))


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value inside."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [path] + [p for key, inner in items for p in paths(inner, (*path, key))]


@given(values, st.randoms(use_true_random=False))
def test_lines_of_all_values(value, random):
    """
    With a marker as every value, printed over several lines, the line of the marker is that of its path.
    """

    def marked(value, path=()):
        if isinstance(value, dict) and value:
            return {key: marked(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list) and value:
            return [marked(inner, (*path, k)) for k, inner in enumerate(value)]
        return repr(path)

    text = json.dumps(marked(value), indent=1)
    leaves = [path for path in paths(marked(value)) if f"{json.dumps(repr(path))}" in text]
    random.shuffle(leaves)
    lines = Lines(text.encode())
    for path in leaves:
        expected = [k for k, line in enumerate(text.split("\n"), 1) if json.dumps(repr(path)) in line]
        if len(expected) == 1:
            assert expected[0] == lines(path)


def test_lines_of_paths_that_do_not_exist():
    lines = Lines(b'\xef\xbb\xbf{"a":\n[1,\n2], "a": [\n3]}')
    assert 1 == lines(())
    assert 4 == lines(("a", 0))
    assert 3 == lines(("a", 7))
    assert 3 == lines(("a", "x"))
    assert 1 == lines(("b", 0))
    assert 1 == lines((0,))


def test_lines_of_many_values_are_found_in_one_walk():
    """
    Twenty thousand items: walking to each from the start would be two hundred million steps.
    """
    lines = Lines(orjson.dumps(list(range(20_000))).replace(b",", b",\n"))
    assert list(range(1, 20_001)) == [lines((k,)) for k in range(20_000)]


def test_what_stands_behind_a_huge_number_must_be_json():
    """
    A lone surrogate, which the standard library would take.
    """
    with pytest.raises(ValueError, match="surrogate"):
        parse(b'{"a": 1e400, "b": "\\ud800"}')

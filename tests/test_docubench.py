"""
The scorer of DocuBench: its rules one by one, and every handed pair to the last bit.
"""

from __future__ import annotations

import json
import os
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import spaneval.profiles.docubench as docubench
from spaneval.exceptions import InputError
from spaneval.profiles.docubench import score_document

CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases"))
HANDED = CASES / "records" / "docubench"
SYSTEMS = sorted(path.name for path in (HANDED / "results").glob("*"))


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def rows(**properties: Any) -> dict[str, Any]:
    return obj(rows={"type": "array", "items": obj(**properties)})


def score(label: Any, result: Any, schema: Any) -> float:
    return score_document(label, result, schema).score


@pytest.mark.skipif(not SYSTEMS, reason="the handed cases are not here")
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_handed_value_to_the_last_bit(system):
    """
    Score, arrays (score, weight, mean of leaves, lengths) and fields of each document; floats are compared by `==`.
    """
    expected = json.loads((HANDED / "expected.json").read_text())["scores"][system]
    for name, one in expected.items():
        label, schema = (json.loads((HANDED / kind / f"{name}.json").read_text()) for kind in ("labels", "schemas"))
        result = json.loads((HANDED / "results" / system / f"{name}.json").read_text())["data"]
        found = score_document(label, result, schema)
        keys = ("path", "n_label", "n_result", "score_greedy", "fields_per_item", "total")
        arrays = [
            (x.path, x.n_gold, x.n_predicted, x.score, mean, x.weight)
            for x, mean in zip(found.arrays, found.per_item, strict=True)
        ]

        assert one["final"] == found.score, name
        assert [tuple(x[key] for key in keys) for x in one["arrays"] or []] == arrays, name
        assert [one["non_array"][key] for key in ("score", "total", "correct")] == list(found.fields), name


@pytest.mark.parametrize(
    ("x", "y", "is_equal"),
    [
        ("A b-C", "abc", True),
        ("-5.00", "500", True),
        ("1/12/2024", "11/2/2024", True),
        ("€50", "$50", True),
        (True, 1, True),
        (0.1234567, 0.12345674, True),
        (0.1234567, 0.1234587, False),
        ("a_b", "ab", False),
        ("1", 1, False),
        ("é", "e\u0301", False),
        ("É", "é", True),
        (10**400, 10**400, True),
    ],
)
def test_values_that_the_benchmark_takes_as_equal(x, y, is_equal):
    """
    R2 and R3: numbers to six decimals, text without white space, case and punctuation; true is 1.
    """
    assert float(is_equal) == score({"a": x}, {"a": y}, obj(a={}))


def test_leaves_that_are_empty_on_both_sides_are_skipped():
    """
    R1 and R9: null, "", [] and {} are empty; "--" becomes empty only after empty ones were dropped.
    """
    found = score_document(
        {"a": None, "b": "--", "c": {}, "d": "x", "e": "--"},
        {"b": "", "c": [], "d": "x", "e": "y"},
        obj(a={}, b={}, c={}, d={}, e={}),
    )

    assert (0.5, 2, 1) == found.fields


def test_nothing_to_compare_is_one():
    """
    R9 and R10: 0/0 is 1.0 here, as in the benchmark's code.
    """
    assert 1.0 == score({}, {}, obj(a={"type": "string"}))
    assert 1.0 == score({}, {}, {})
    assert 1.0 == score({"rows": []}, {}, rows(a={}))


def test_extra_fields_count_in_rows_alone():
    """
    Outside of arrays the schema says what is compared; in a row it is the union of leaves.
    """
    assert 1.0 == score({"a": 1}, {"a": 1, "z": 2}, obj(a={}))
    assert 0.5 == score({"rows": [{"a": 1}]}, {"rows": [{"a": 1, "z": 2}]}, rows(a={}))


def test_a_nested_list_is_one_leaf_and_objects_are_dotted():
    """
    R5: keys of nested objects are joined by dots; the order of a nested list counts.
    """
    label = {"rows": [{"a": {"b": 1, "c": 2}, "t": [1, 2]}]}

    assert 1.0 == score(label, {"rows": [{"a.b": 1, "a.c": 2, "t": [1, 2]}]}, rows())
    assert 2 / 3 == score(label, {"rows": [{"a": {"b": 1, "c": 2}, "t": [2, 1]}]}, rows())


def test_weights_of_arrays_and_fields():
    """
    R7, R8 and R10 by hand.

    Label rows have 2 and 1 leaves, mean 1.5; three result rows, so the weight is 3 · 1.5 = 4.5. Similarities 1 and 0
    (paired because nothing else is left): score 1/3. One field, wrong: weight 1. (4.5 · 1/3 + 0) / 5.5.
    """
    label = {"rows": [{"a": 1, "b": 2}, {"a": 3}], "f": "x"}
    result = {"rows": [{"a": 9}, {"a": 1, "b": 2}, {"a": 8}], "f": "y"}
    schema = obj(f={"type": "string"}, **rows(a={}, b={})["properties"])
    found = score_document(label, result, schema)

    assert [("rows", 1 / 3, 4.5, 2, 3)] == found.arrays
    assert 4.5 * (1 / 3) / 5.5 == found.score


def test_one_empty_side_of_an_array():
    """
    R7 and R8: score 0; the weight is 1 per row where the label has none.
    """
    gone = score_document({"rows": [{"a": 1, "b": 2}]}, {}, rows(a={}))
    extra = score_document({}, {"rows": [{"a": 1, "b": 2}, {}]}, rows(a={}))

    assert [("rows", 0.0, 2.0, 1, 0)] == gone.arrays
    assert [("rows", 0.0, 2.0, 0, 2)] == extra.arrays


def test_the_smallest_example_in_which_the_order_of_rows_moves_the_score():
    """
    Label (1, 2), (1, 3); result (1, 4), (5, 2). All similarities are 1/2, but that of (1, 3) and (5, 2) is 0.

    In this order (1, 2) takes (1, 4), and 0 is left for (1, 3): 1/4. The other way round it takes (5, 2), and (1, 3)
    gets (1, 4): 1/2. Rows of one leaf are equal or not, so nothing smaller can show this.
    """
    label = {"rows": [{"a": 1, "b": 2}, {"a": 1, "b": 3}]}
    result = [{"a": 1, "b": 4}, {"a": 5, "b": 2}]
    scores = {score(label, {"rows": list(order)}, rows(a={}, b={})) for order in permutations(result)}

    assert {0.25, 0.5} == scores


def test_schemas_are_walked_as_they_are_written():
    """
    R4: a type that contains "array" is an array; what stands in a list of alternatives or behind a reference is none.
    """
    nullable = obj(rows={"type": ["array", "null"]})
    behind = {"$defs": {"r": {"type": "array"}}, **obj(rows={"$ref": "#/$defs/r"})}
    either = obj(rows={"anyOf": [{"type": "array"}, {"type": "null"}]})
    label, result = {"rows": [1, 2]}, {"rows": [2, 1]}

    assert 1.0 == score(label, result, nullable)
    assert 0.0 == score(label, result, behind)
    assert 0.0 == score(label, result, either)
    assert [""] == [x.path for x in score_document([1], [1], {"type": "array"}).arrays]


def test_arrays_in_objects_are_found_and_left_out_of_the_rest():
    """
    Their paths have dots; what stands beside them in the object is compared.
    """
    schema = obj(a=obj(b={"type": "array"}, c={"type": "string"}))
    found = score_document({"a": {"b": [1], "c": "x"}}, {"a": {"b": [1], "c": "y"}}, schema)

    assert [("a.b", 1.0, 1.0, 1, 1)] == found.arrays
    assert (0.0, 1, 0) == found.fields


@pytest.mark.parametrize("value", [None, "text", 5, [1], {"a": "not an object"}])
def test_values_of_another_shape_are_wrong_and_no_failure(value):
    """
    Labels, results and schemas of any shape are scored.
    """
    assert 0.0 == score({"a": {"b": 1}}, value, obj(a=obj(b={})))
    assert 1.0 == score({"a": {"b": 1}}, value, value if isinstance(value, dict) else {})


def test_bottomless_values_are_refused():
    """
    Instead of a stack that overflows.
    """
    deep: Any = 1
    for _ in range(2000):
        deep = [deep]
    for label, result, schema in (({"a": deep}, {}, {}), ({}, deep, {}), ({}, {}, {"not": {"enum": deep}})):
        with pytest.raises(InputError, match="more than 100 levels"):
            score_document(label, result, schema)


def test_an_array_that_is_too_long_is_refused_before_it_is_compared(monkeypatch):
    """
    The message says how long it is, and what would do.
    """
    monkeypatch.setattr(docubench, "MOST_PAIRS", 5)

    with pytest.raises(InputError, match="array 'rows' has 2 gold and 3 predicted items; at most 5 pairs"):
        score({"rows": [1, 2]}, {"rows": [1, 2, 3]}, rows())


def test_many_pairs_are_chosen_in_the_same_order(monkeypatch):
    """
    Pairs are looked at in pieces; where they are cut changes nothing.
    """
    label = {"rows": [{"a": k % 3, "b": k % 2, "c": k} for k in range(30)]}
    result = {"rows": [{"a": k % 2, "b": k % 3, "c": k * 2} for k in range(25)]}
    whole = score(label, result, rows())
    monkeypatch.setattr(docubench, "_CHUNK", 7)

    assert whole == score(label, result, rows())

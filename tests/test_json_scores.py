"""
The native reading of JSON documents: counts by hand, what it mends of the benchmark, and laws.
"""

from __future__ import annotations

import copy
import json
import os
import random
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.exceptions import InputError
from spaneval.loaders.json_documents import load_json_documents
from spaneval.pairing import row_matching
from spaneval.problems import Problems
from spaneval.profiles import docubench
from spaneval.profiles.docubench import score_document
from spaneval.records.documents import JsonEvaluation, evaluate_json

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data" / "json"
CASES = Path(os.environ.get("SPANEVAL_CASES", ROOT.parent / "shared" / "cases")) / "records" / "docubench"
HANDED = sorted(path.name for path in (CASES / "results").glob("*"))

ROW = {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}}
ROWS = {"type": "object", "properties": {"rows": {"type": "array", "items": ROW}}}


def evaluation(label: Any, result: Any, schema: Any, **options: Any) -> JsonEvaluation:
    return evaluate_json({"d": label}, {"s": {"d": result}}, {"d": schema}, **{"ci": False, **options})


def counts(label: Any, result: Any, schema: Any, **options: Any) -> tuple[int, int, int]:
    """Gold, predicted and equal leaves."""
    totals = evaluation(label, result, schema, **options).systems["s"].counts
    return totals["gold"], totals["predicted"], totals["equal"]


def wrong(label: Any, result: Any, schema: Any, **options: Any) -> list[tuple[Any, ...]]:
    """Path, both values and decision of every leaf that is not equal."""
    table = evaluation(label, result, schema, **options).systems["s"].decisions
    assert table is not None
    keys = ("path", "gold", "extracted", "decision")
    return [tuple(row[key] for key in keys) for row in table.rows() if row["decision"] != "tp"]


def sample(**options: Any) -> JsonEvaluation:
    results = {name: DATA / "results" / name for name in ("v1", "v2")}
    return evaluate_json(DATA / "labels", results, DATA / "schemas", **{"ci": False, **options})


@pytest.mark.parametrize(
    ("system", "document", "expected"),
    [
        ("v1", "invoice-1", (20, 15, 13)),
        ("v1", "invoice-2", (9, 9, 8)),
        ("v1", "letter-1", (4, 4, 3)),
        ("v1", "memo-1", (3, 0, 0)),
        ("v1", "prices-1", (12, 11, 8)),
        ("v2", "invoice-1", (20, 20, 19)),
        ("v2", "invoice-2", (9, 10, 9)),
        ("v2", "letter-1", (4, 4, 4)),
        ("v2", "memo-1", (3, 3, 2)),
        ("v2", "prices-1", (12, 12, 11)),
    ],
)
def test_the_sample_data_by_hand(system, document, expected):
    """
    Gold, predicted and equal leaves as data/README.md works them out.
    """
    found = sample().systems[system].documents[document].counts

    assert expected == (found["gold"], found["predicted"], found["equal"])


def test_totals_rows_and_agreement_of_the_sample_data():
    """
    v1: 12 rows in the labels, 10 in the results, 9 pairs, 6 of them perfect; of 21 leaves in pairs, 19 are equal.
    """
    one = sample().systems["v1"]

    assert (48, 39, 32) == tuple(one.counts[x] for x in ("gold", "predicted", "equal"))
    assert (12, 10, 9, 6) == tuple(one.counts[f"rows_{x}"] for x in ("gold", "predicted", "paired", "perfect"))
    assert float(Fraction(64, 87)) == one.score
    assert float(Fraction(19, 21)) == one.measures["agreement"]
    assert float(Fraction(18, 22)) == one.measures["row_f1"]
    assert float(Fraction(6, 9)) == one.measures["perfect_rate"]


def test_parts_add_up_to_the_document():
    """
    Weights of arrays and fields are leaves on both sides, each leaf in one part; the score is their weighted mean.
    """
    for system in sample().systems.values():
        for one in system.documents.values():
            parts = [*one.arrays, one.fields]
            assert one.counts["gold"] + one.counts["predicted"] == sum(part.weight for part in parts)
            assert one.score == pytest.approx(
                sum(part.weight * (part.score or 0) for part in parts) / sum(part.weight for part in parts)
            )


def test_the_table_of_decisions_is_the_source_of_every_count():
    """
    Gold leaves are TP + FN + FPFN, predicted ones TP + FP + FPFN, equal ones TP.
    """
    for system in sample().systems.values():
        of = {name: column.tolist() for name, column in system.decisions.by_document().items()}
        for k, one in enumerate(system.documents.values()):
            n = {name: column[k] for name, column in of.items()}
            assert one.counts["gold"] == n["tp"] + n["fn"] + n["fpfn"]
            assert one.counts["predicted"] == n["tp"] + n["fp"] + n["fpfn"]
            assert (one.counts["equal"], 0) == (n["tp"], n["tn"])


def test_every_wrong_leaf_has_its_path():
    """
    Rows of the label have their number, rows that only the result has theirs after a +.
    """
    label = {"rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4, "c": 5}]}
    result = {"rows": [{"a": 9, "b": 9}, {"a": 3, "b": 0}]}

    assert [
        ("rows[0].a", 1, None, "fn"),
        ("rows[0].b", 2, None, "fn"),
        ("rows[1].b", 4, 0, "fpfn"),
        ("rows[1].c", 5, None, "fn"),
        ("rows[+0].a", None, 9, "fp"),
        ("rows[+0].b", None, 9, "fp"),
    ] == wrong(label, result, ROWS)


def test_reasons_name_the_partner_and_what_differs():
    """
    A row that moved, a row without a partner, a type.
    """
    label, result = {"rows": [{"a": 1, "b": True}, {"a": 2}]}, {"rows": [{"a": 3}, {"a": 1, "b": "true"}]}
    table = evaluation(label, result, ROWS).systems["s"].decisions
    reasons = {row["path"]: row["reason"] for row in table.rows()}

    assert {
        "rows[0].a": None,
        "rows[0].b": "a boolean is not text; its partner is row 1 of the result",
        "rows[1].a": "no row of the result is its partner",
        "rows[+0].a": "no row of the label is its partner",
    } == reasons


def test_reasons_name_rows_in_whose_place_something_else_stands():
    """
    On either side; the rows themselves have no partner.
    """
    rows, text = {"rows": [{"a": 1}]}, {"rows": "see below"}
    tables = [evaluation(*sides, ROWS).systems["s"].decisions.rows() for sides in ((rows, text), (text, rows))]
    reasons = [{row["path"]: (row["decision"], row["reason"]) for row in table} for table in tables]

    assert {
        "rows": ("fp", "the label has rows here"),
        "rows[0].a": ("fn", "no row of the result is its partner"),
    } == reasons[0]
    assert {
        "rows": ("fn", "the result has rows here"),
        "rows[+0].a": ("fp", "no row of the label is its partner"),
    } == reasons[1]


@pytest.mark.parametrize(
    ("x", "y"),
    [("-5.00", "500"), ("1/12/2024", "11/2/2024"), ("€50", "$50"), (True, 1), ("true", True), ("1", 1), ("A", "a")],
)
def test_values_that_the_benchmark_confuses_differ(x, y):
    """
    Signs, points, slashes and currencies count; a boolean is no number, a text neither.
    """
    assert (1, 1, 0) == counts({"a": x}, {"a": y}, {"properties": {"a": {}}})
    assert (1, 1, 0) == counts({"rows": [x]}, {"rows": [y]}, ROWS)


@pytest.mark.parametrize(
    ("x", "y"), [("é", "e\u0301"), (1, 1.0), (10**20, 1e20), (0.1, 0.10), ([1, "é"], [1.0, "e\u0301"])]
)
def test_values_that_say_the_same_are_equal(x, y):
    """
    NFC and NFD are one text; 1 and 1.0 are one number.
    """
    assert (1, 1, 1) == counts({"a": x}, {"a": y}, {"properties": {"a": {}}})


def test_rows_that_the_benchmark_pairs_badly():
    """
    Whatever their order, both rows keep the leaf that they have in common; greedy pairing of the benchmark loses one.
    """
    label = {"rows": [{"a": 1, "b": 2}, {"a": 1, "b": 3}]}
    for order in permutations([{"a": 1, "b": 4}, {"a": 5, "b": 2}]):
        assert (4, 4, 2) == counts(label, {"rows": list(order)}, ROWS)
        assert score_document(label, {"rows": list(order)}, ROWS).score in (0.25, 0.5)


def test_rows_pair_as_a_whole_first():
    """
    The equal rows are one pair, though two half-equal pairs would hold as many equal leaves.
    """
    label = {"rows": [{"a": 1, "b": 1}, {"a": 2, "b": 2}]}
    found = evaluation(label, {"rows": [{"a": 1, "b": 1}, {"a": 7, "b": 7}]}, ROWS).systems["s"].counts

    assert (1, 1) == (found["rows_paired"], found["rows_perfect"])


def test_a_pair_with_nothing_equal_is_no_pair():
    """
    Its leaves are missed and extra, and the rows are not found.
    """
    found = evaluation({"rows": [{"a": 1}]}, {"rows": [{"a": 2}]}, ROWS).systems["s"]

    assert (0, 1, 1) == tuple(found.counts[f"rows_{x}"] for x in ("paired", "gold", "predicted"))
    assert found.measures["agreement"] is None
    assert found.score == 0


def test_rows_that_are_paired_by_position():
    """
    Also without anything equal, and past rows that hold nothing; nested arrays by their own name.
    """
    label, result = {"rows": [{"a": 1}, {}, {"a": 2}]}, {"rows": [{"a": 2}, {"a": 5}, {"a": 2}]}

    assert [("rows[0].a", 1, 2, "fpfn"), ("rows[+1].a", None, 5, "fp")] == wrong(label, result, ROWS, ordered="rows")
    nested = {"properties": {"rows": {"type": "array", "items": {"properties": {"k": {}, "in": {"type": "array"}}}}}}
    label = {"rows": [{"k": 1, "in": [1, 2]}, {"k": 2, "in": [3]}]}
    result = {"rows": [{"k": 2, "in": [3]}, {"k": 1, "in": [2, 1]}]}

    assert [] == wrong(label, result, nested)
    for name in ("rows.in", "rows[].in"):
        assert [("rows[0].in[0]", 1, 2, "fpfn"), ("rows[0].in[1]", 2, 1, "fpfn")] == wrong(
            label, result, nested, ordered=[name]
        )


def test_a_root_array_can_be_paired_by_position():
    """
    Its name is [].
    """
    schema = {"type": "array", "items": {"type": "integer"}}

    assert (2, 2, 2) == counts([1, 2], [2, 1], schema)
    assert (2, 2, 0) == counts([1, 2], [2, 1], schema, ordered="[]")


def test_greedy_pairing_takes_the_most_similar_pair_first():
    """
    Equal leaves: row 0 has two with each result row, row 1 one with the first and none with the second.

    Greedy pairing takes (0, 0), which comes first by content, and nothing is left for row 1; the best choice is (0, 1)
    and (1, 0).
    """
    label = {"rows": [{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 7, "c": 8}]}
    result = {"rows": [{"a": 1, "b": 2, "c": 5}, {"a": 9, "b": 2, "c": 3}]}

    assert (6, 6, 3) == counts(label, result, ROWS)
    assert (6, 6, 2) == counts(label, result, ROWS, pairing="greedy")


def test_leaves_of_unpaired_rows_are_no_part_of_agreement():
    """
    Nested ones neither.
    """
    schema = {"properties": {"r": {"type": "array", "items": {"properties": {"k": {}, "n": {"type": "array"}}}}}}
    label = {"r": [{"k": 1, "n": [1, 2]}, {"k": 2, "n": [5]}]}
    found = evaluation(label, {"r": [{"k": 1, "n": [1, 3]}]}, schema).systems["s"].counts

    assert (2, 0, 0, 0) == tuple(found[x] for x in ("tp", "fp", "fn", "fpfn"))
    assert (5, 3, 2, 1) == tuple(found[f"rows_{x}"] for x in ("gold", "predicted", "paired", "perfect"))
    assert (5, 3, 2) == tuple(found[x] for x in ("gold", "predicted", "equal"))


def test_rules_of_normalize_for_all_fields_and_for_one():
    """
    A tolerance also holds while rows are paired.
    """
    label, result = {"rows": [{"a": "X ", "b": 1.0}]}, {"rows": [{"a": "x", "b": 1.01}]}

    assert (2, 2, 0) == counts(label, result, ROWS)
    assert (2, 2, 1) == counts(label, result, ROWS, normalize="text")
    assert (2, 2, 1) == counts(label, result, ROWS, normalize="rows.b=number:0.01")
    assert (2, 2, 2) == counts(label, result, ROWS, normalize=["text", "rows[].b=number:0.01"])
    assert (2, 2, 1) == counts(label, result, ROWS, normalize="rows.a=docubench")


def test_an_envelope_is_opened_unless_the_schema_has_that_property():
    """
    `data` of an envelope may be null; a property `data` behind a reference is one, too.
    """
    schema = {"type": "object", "properties": {"a": {}}}
    own = {"$ref": "#/$defs/d", "$defs": {"d": {"properties": {"data": {"properties": {"a": {}}}}}}}

    assert (1, 1, 1) == counts({"a": 1}, {"data": {"a": 1}, "status": "ok"}, schema)
    assert (1, 0, 0) == counts({"a": 1}, {"data": None}, schema)
    assert (1, 1, 1) == counts({"data": {"a": 1}}, {"data": {"a": 1}}, own)


def test_missing_results_are_empty_or_left_out():
    """
    Left out for all systems, so that these are scored on the same documents.
    """
    labels, schemas = {"x": {"a": 1}, "y": {"a": 2}}, {"x": {}, "y": {}}
    results = {"s": {"x": {"a": 1}}, "t": {"x": {"a": 1}, "y": {"a": 2}}}
    empty = evaluate_json(labels, results, schemas, ci=False)
    left_out = evaluate_json(labels, results, schemas, ci=False, skip_missing=True)

    assert [2 / 3, 1.0] == [one.score for one in empty.systems.values()]
    assert [1.0, 1.0] == [one.score for one in left_out.systems.values()]
    assert ["x"] == left_out.names
    assert ["missing-results"] == [note.code for note in empty.notes]
    assert ["missing-results", "documents-left-out"] == [note.code for note in left_out.notes]


def test_nothing_on_either_side_is_undefined():
    """
    With a reason; only the profile of the benchmark has 1.0 there.
    """
    one = evaluation({}, {}, ROWS).systems["s"]

    assert one.score is None
    assert one.undefined["f1"] == "neither labels nor results have a value"
    assert 1.0 == evaluation({}, {}, ROWS, profile="docubench").systems["s"].score


def test_labels_that_violate_their_schema_are_told():
    """
    And scored; a schema that is no valid JSON Schema cannot check them.
    """
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    found = evaluate_json(
        {"x": {"a": 1, "b": 2}, "y": {"a": "z"}},
        {"s": {"x": {}, "y": {}}},
        {"x": schema, "y": {"type": "strng"}},
        ci=False,
    )
    notes = {note.code: note.message for note in found.notes}

    assert notes["labels-violate-schema"] == (
        '1 of 2 labels violates its own schema in 2 places: x at #/a: 1 is not of type "string"'
    )
    assert notes["labels-not-checked"].startswith(
        'labels not checked, because their schema is no valid JSON Schema: 1, first y (at #/type: "strng" is not'
    )


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "string"}, None, 'null is not of type "string"'),
        ({"type": ["string", "number"]}, True, 'true is not of type "string" or "number"'),
        ({"type": "string"}, {"b": None}, 'an object is not of type "string"'),
        ({"enum": ["x", None, True]}, False, 'false is not one of ["x", null, true]'),
        ({"const": None}, 1, "null was expected"),
        ({"uniqueItems": True}, [None, None], "a list has non-unique elements"),
        ({"minItems": 1}, [], "[] should be non-empty"),
        ({"type": "string"}, 10**50, f'1{"0" * 38}… is not of type "string"'),
    ],
)
def test_violations_are_told_in_terms_of_json(schema, value, message):
    """
    With null and true, and without the content of what is large.
    """
    found = evaluation({"a": value}, {}, {"properties": {"a": schema}})

    assert f"d at #/a: {message}" == found.notes[0].message.partition(" in 1 place: ")[2]


def test_what_is_told_of_violations_does_not_depend_on_the_order_of_rows_and_documents():
    """
    So reports stay the same to the last byte.
    """
    schema = {"properties": {"r": {"type": "array", "items": {"properties": {"k": {"type": "string"}}}}}}
    rows = [{"k": "x"}, {"k": None}, {"k": 1}]
    orders = [("xy", rows), ("yx", rows[::-1])]
    told = [
        evaluate_json({x: {"r": some} for x in names}, {"s": {x: {} for x in names}}, schema, ci=False).notes
        for names, some in orders
    ]

    assert told[0] == told[1]
    assert told[0][0].message.endswith(
        'in 4 places: x at #/r/*/k: 1 is not of type "string"; y at #/r/*/k: 1 is not of type "string"'
    )


def test_labels_that_cannot_be_checked_are_scored():
    """
    The library divides as floats, which do not reach that far; a schema may call itself by the name of another one.
    """
    draft = "https://json-schema.org/draft/2020-12/schema"
    for schema in ({"multipleOf": 0.1}, {"not": {"$id": draft, "$ref": "#/$defs/x", "$defs": {"x": {}}}}):
        found = evaluation(10**400, 10**400, schema)

        assert "labels-not-checked" == found.notes[0].code
        assert 1.0 == found.systems["s"].score


def test_a_schema_whose_alternatives_go_round_in_circles_cannot_check_labels():
    """
    It is told as such, and not as a fault of the label.
    """
    found = evaluation({"a": 1}, {"a": 1}, {"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}, {}]}}})

    assert ["labels-not-checked"] == [note.code for note in found.notes]
    assert found.notes[0].message.endswith("1, first d (its references never come to an end)")
    assert 1.0 == found.systems["s"].score


@pytest.mark.parametrize("options", [{"ordered": "row"}, {"normalize": "rows.d=text"}])
def test_names_that_occur_nowhere_are_refused(options):
    """
    The nearest is offered.
    """
    with pytest.raises(InputError, match="does not occur\nhint: did you mean 'rows"):
        counts({"rows": [{"a": 1}]}, {}, ROWS, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"profile": "x"}, "profile is 'x'; expected 'native' or 'docubench'"),
        ({"pairing": "x"}, "pairing is 'x'"),
        ({"unknown_docs": "x"}, "unknown_docs is 'x'"),
        ({"profile": "docubench", "pairing": "optimal"}, "pairs rows greedily"),
        ({"profile": "docubench", "ordered": "rows"}, "takes no ordered"),
        ({"profile": "docubench", "normalize": "text"}, "takes no normalize"),
        ({"normalize": "txt"}, "there is no rule 'txt'"),
    ],
)
def test_options_that_do_not_exist_or_do_not_go_together(options, message):
    """
    Nothing is read before.
    """
    with pytest.raises(ValueError, match=message):
        counts({}, {}, {}, **options)


@pytest.mark.parametrize("how", ["optimal", "greedy"])
def test_arrays_that_nest_as_deeply_as_they_may(how):
    """
    95 levels of arrays in arrays, and of objects with arrays, neither of which overflows the stack or the memory.
    """
    grid = {"type": "array", "items": {"$ref": "#"}}
    label: Any = 1
    result: Any = 1
    for k in range(95):
        label, result = [label, k], [k, result]

    assert (96, 96, 96) == counts(label, result, grid, pairing=how)
    tree = {"properties": {"v": {}, "kids": {"type": "array", "items": {"$ref": "#"}}}}
    label, result = {"v": 0}, {"v": 1}
    for k in range(48):
        label, result = {"v": k, "kids": [label, {"v": 9}]}, {"v": k, "kids": [{"v": 8}, result]}

    assert 97 == counts(label, result, tree, pairing=how)[0]


def test_numbers_of_any_size():
    """
    Integers beyond 64 bits are told apart, and equal to the float that is the same number.
    """
    assert (2, 2, 1) == counts({"a": 10**30, "b": 10**30}, {"a": 10**30 + 1, "b": 1e30}, {})
    assert (1, 1, 1) == counts({"a": 10**4299}, {"a": 10**4299}, {"properties": {"a": {"type": "string"}}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": float("nan")}, "document 'd' holds nan, which is no number in JSON"),
        ({"a": [float("-inf")]}, "document 'd' holds -inf, which is no number in JSON"),
        ({"a": (1, 2)}, "document 'd' holds a value of type tuple, which JSON does not have"),
        ({"a": {1: 2}}, "document 'd' has a key that is no text"),
        ({"a": [10**4300]}, "document 'd' holds an integer of too many digits to be compared"),
    ],
)
def test_data_in_memory_is_held_to_what_files_can_hold(value, message):
    """
    Labels and results alike.
    """
    for label, result in ((value, {}), ({}, value)):
        with pytest.raises(InputError, match=message):
            counts(label, result, {})


def test_bottomless_data_in_memory_is_refused():
    """
    Documents and schemas.
    """
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    with pytest.raises(InputError, match="document 'd' nests lists and objects in more than 100 levels"):
        counts({"a": deep}, {}, {})
    with pytest.raises(InputError, match="the schema nests lists and objects in more than 100 levels"):
        evaluate_json({"d": {}}, {"s": {}}, {"enum": deep}, ci=False)


def test_one_schema_in_memory_for_all_documents():
    """
    What has no key for each document is a schema itself; a folder is a system of its name.
    """
    schema = {"properties": {"r": {"type": "array"}}}
    found = evaluate_json({"x": {"r": [1, 2]}, "y": {"r": [3]}}, {"s": {"x": {"r": [2, 1]}, "y": {}}}, schema, ci=False)

    assert 4 / 5 == found.systems["s"].score
    assert ["v1"] == list(evaluate_json(DATA / "labels", DATA / "results" / "v1", DATA / "schemas", ci=False).systems)


def test_no_system_is_no_evaluation():
    """
    Instead of an empty report.
    """
    with pytest.raises(InputError, match="no results are given"):
        evaluate_json({"d": {}}, {}, {})


def test_results_say_what_they_are():
    """
    In the interpreter.
    """
    found = sample()

    assert "JsonEvaluation(native, 5 documents: v1=0.7356, v2=0.9278)" == repr(found)
    assert "JsonSystem(v1: score=0.7356, 5 documents)" == repr(found.systems["v1"])
    assert "JsonSystem(s: score=undefined, 1 documents)" == repr(evaluation({}, {}, {}).systems["s"])


def test_schemas_with_patterns_that_are_none_check_nothing():
    """
    A note says so; a pattern of members that is none matches nothing.
    """
    schema = {"properties": {"a": {"type": "string", "pattern": "("}}, "patternProperties": {"(": {"type": "array"}}}
    found = evaluation({"a": "x", "b": "y"}, {"a": "x", "b": "y"}, schema)

    assert 1.0 == found.systems["s"].score
    assert 1 == len(found.notes)


SCALARS = st.sampled_from([None, "", "x", "y", 1, 1.0, 1.4, True, "1", "é", "e\u0301"])
NESTED = st.fixed_dictionaries({}, optional={"k": SCALARS, "n": st.lists(SCALARS, max_size=3)})
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={"a": SCALARS, "o": st.fixed_dictionaries({}, optional={"x": SCALARS}), "r": st.lists(NESTED, max_size=4)},
)
SCHEMA = {
    "properties": {
        "a": {},
        "o": {"properties": {"x": {}}},
        "r": {"type": "array", "items": {"properties": {"k": {}, "n": {"type": "array"}}}},
    }
}


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same with keys of objects and items of lists in another order."""
    if isinstance(value, dict):
        keys = rng.sample(list(value), len(value))
        return {key: shuffled(value[key], rng) for key in keys}
    if isinstance(value, list):
        return [shuffled(one, rng) for one in rng.sample(value, len(value))]
    return value


def scored(labels: dict[str, Any], results: dict[str, Any], **options: Any) -> dict[str, Any]:
    schemas = dict.fromkeys(labels, SCHEMA)
    found = evaluate_json(labels, {"s": results}, schemas, **{"resamples": 50, **options})
    report = found.systems["s"].to_dict()
    return report | {"signature": found.signature, "digest": found.systems["s"].digest}


OPTIONS = st.sampled_from([{}, {"pairing": "greedy"}, {"normalize": "number:0.5"}, {"normalize": "text"}])


@given(st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=3), st.integers(0, 99), OPTIONS)
def test_no_order_changes_anything(pairs, seed, options):
    """
    Neither that of rows, nor of keys, nor of files: counts, intervals, signature and digests stay as they are.
    """
    rng = random.Random(seed)
    labels = {f"d{k}": x for k, (x, _) in enumerate(pairs)}
    results = {f"d{k}": y for k, (_, y) in enumerate(pairs)}
    others = [{name: shuffled(one[name], rng) for name in rng.sample(list(one), len(one))} for one in (labels, results)]

    assert scored(labels, results, **options) == scored(*others, **options)


@given(DOCUMENTS)
def test_a_document_is_equal_to_itself(document):
    """
    Every leaf is, and every row is perfect.
    """
    found = evaluation(document, copy.deepcopy(document), SCHEMA).systems["s"].counts

    assert found["gold"] == found["predicted"] == found["equal"]
    assert found["rows_gold"] == found["rows_paired"] == found["rows_perfect"]


@given(DOCUMENTS, DOCUMENTS)
def test_sides_can_be_exchanged(x, y):
    """
    Equal leaves stay, missed and extra ones change places.
    """
    there, back = (evaluation(a, b, SCHEMA).systems["s"].counts for a, b in ((x, y), (y, x)))

    assert there["equal"] == back["equal"]
    assert (there["gold"], there["fp"]) == (back["predicted"], back["fn"])
    assert there["rows_paired"] == back["rows_paired"]


def flat_score(label: Any, result: Any) -> int:
    """Most equal leaves over all pairings of flat rows with most whole rows: brute force."""
    left = [{k: repr(v) for k, v in row.items()} for row in label]
    right = [{k: repr(v) for k, v in row.items()} for row in result]
    if len(left) > len(right):
        left, right = right, left
    best = (-1, -1)
    for order in permutations(range(len(right)), len(left)):
        pairs = [(left[k], right[j]) for k, j in enumerate(order)]
        equal = [sum(x.get(key) == value for key, value in y.items()) for x, y in pairs]
        best = max(best, (sum(x == y and bool(x) for x, y in pairs), sum(equal)))
    return max(best[1], 0)


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), min_size=1), max_size=4),
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), min_size=1), max_size=4),
)
def test_equal_leaves_are_those_of_the_best_pairing(label, result):
    """
    Against all pairings, tried one by one.
    """
    assert flat_score(label, result) == counts({"rows": label}, {"rows": result}, ROWS)[2]


@pytest.mark.skipif(not HANDED, reason="the handed cases are not here")
@pytest.mark.parametrize("system", HANDED)
def test_real_documents_in_another_order(system):
    """
    Shuffling the rows of real results changes nothing.
    """
    labels, schemas = (
        {p.stem: json.loads(p.read_text()) for p in sorted((CASES / x).glob("*"))} for x in ("labels", "schemas")
    )
    results = {p.stem: json.loads(p.read_text())["data"] for p in sorted((CASES / "results" / system).glob("*"))}
    rng = random.Random(5)
    other = {name: shuffled(one, rng) for name, one in results.items()}
    same = [evaluate_json(labels, {"s": x}, schemas, ci=False).systems["s"] for x in (results, other)]

    assert same[0].to_dict() == same[1].to_dict()
    assert same[0].digest == same[1].digest


@pytest.mark.parametrize("profile", ["native", "docubench"])
def test_an_array_that_is_too_large_is_told_with_its_document_and_system(profile, monkeypatch):
    """
    Of thousands of documents it may be one.
    """
    monkeypatch.setattr(docubench, "MOST_PAIRS", 5)
    monkeypatch.setattr(row_matching, "MEMORY", 0)
    rows = [{"a": k, "b": k % 7} for k in range(200)]
    others = [{"a": k + 1000, "b": k % 5} for k in range(200)]

    with pytest.raises(InputError, match=r"^document 'd' of s: .*200 gold"):
        evaluation({"rows": rows}, {"rows": others}, ROWS, profile=profile)


def test_equal_schemas_of_many_documents_are_read_as_one():
    """
    Nothing else changes: not what is outside of them, nor what is told.
    """
    closed = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
    labels = {"x": {"a": "1"}, "y": {"a": 2}}
    results = {"x": {"a": "1", "b": 3}, "y": {"a": "2", "c": 4}}
    one, two = (
        evaluate_json(labels, {"s": results}, schemas, ci=False)
        for schemas in (closed, {name: copy.deepcopy(closed) for name in labels})
    )
    documents = load_json_documents(
        labels, {}, {name: copy.deepcopy(closed) for name in labels}, problems=Problems(), notes=[]
    )

    assert documents.schemas["x"] is documents.schemas["y"]
    assert one.to_dict() == two.to_dict()
    assert ["labels-violate-schema", "outside-schema"] == [note.code for note in two.notes]

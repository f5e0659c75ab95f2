"""
JSON Schema as scoring reads it: every feature of the contract, and messages of schemas that cannot be used.
"""

from __future__ import annotations

from typing import Any

import pytest

from spaneval.exceptions import InputError
from spaneval.loaders.json_schema import Node, schema_of
from spaneval.problems import Problems
from spaneval.values.fields import Comparators
from spaneval.values.leaves import Part, Reader, schema_arrays, shown_path

PARTY = {"type": "object", "properties": {"name": {"type": "string"}, "city": {"type": "string"}}}


def root(schema: Any) -> Node:
    problems = Problems()
    node = schema_of(schema, "s.json", problems)
    problems.raise_if_any()
    assert node is not None
    return node


def told(part: Part, before: str = "") -> dict[str, Any]:
    """Leaves by path; rows by their numbers."""
    found = {before + shown_path(path, is_inside=bool(before)): leaf.value for path, leaf in part.leaves.items()}
    for path, rows in part.arrays.items():
        for row in rows:
            found |= told(row.part, f"{before}{shown_path(path, is_inside=bool(before))}[{row.number}]")
    return found


def leaves(schema: Any, value: Any) -> dict[str, Any]:
    return told(Reader(root(schema), Comparators(nfc=True)).read(value))


def test_an_object_contributes_its_leaves():
    """
    Absent, null, "", [] and {} are empty, and so is what holds nothing else.
    """
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "p": PARTY, "q": PARTY, "n": {}}}
    value = {"a": "", "p": {"name": "x", "city": None}, "q": {"name": ""}, "n": {"x": [{}, ""]}}

    assert {"p.name": "x"} == leaves(schema, value)


@pytest.mark.parametrize(
    "party",
    [
        {"$ref": "#/$defs/party"},
        {"$ref": "#p"},
        {"anyOf": [{"$ref": "#/$defs/party"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/party"}]},
        {"allOf": [{"$ref": "#/$defs/party"}, {"description": "who"}]},
        {"type": ["object", "null"], "properties": PARTY["properties"]},
        {"type": "object", "nullable": True, "properties": PARTY["properties"]},
        {"properties": PARTY["properties"]},
        {"allOf": [{"properties": {"name": {}}}, {"properties": {"city": {}}}]},
        {"anyOf": [{"anyOf": [{"$ref": "#/$defs/again"}]}, {"type": "null"}]},
        {"if": {"required": ["name"]}, "then": {"$ref": "#/$defs/party"}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "patternProperties": {"^[nc]": {"type": "string"}}},
        {"type": "object"},
    ],
)
def test_objects_in_every_guise(party):
    """
    References, alternatives with null, lists of types, a missing type, parts of one object.
    """
    defs = {"party": PARTY | {"$anchor": "p"}, "again": {"$ref": "#/$defs/party"}}
    schema = {"type": "object", "properties": {"p": party}, "$defs": defs}

    assert {"p.name": "x", "p.city": "y"} == leaves(schema, {"p": {"name": "x", "city": "y"}})
    assert {} == leaves(schema, {"p": None})


@pytest.mark.parametrize(
    "array",
    [
        {"type": "array", "items": PARTY},
        {"type": ["array", "null"], "items": PARTY},
        {"anyOf": [{"type": "array", "items": {"$ref": "#/definitions/party"}}, {"type": "null"}]},
        {"items": PARTY},
        {"$ref": "#/definitions/parties"},
        {"type": "array"},
        {"type": "array", "items": True},
        {"type": "array", "items": {"type": "object"}},
        {"type": "array", "items": {"anyOf": [PARTY, {"type": "string"}]}},
    ],
)
def test_arrays_in_every_guise(array):
    """
    Rows that hold nothing are left out and keep their numbers.
    """
    defs = {"party": PARTY, "parties": {"type": "array", "items": {"$ref": "#/definitions/party"}}}
    schema = {"type": "object", "properties": {"r": array}, "definitions": defs}

    assert {"r[1].name": "x", "r[2].city": "y"} == leaves(schema, {"r": [{}, {"name": "x"}, {"city": "y"}, None]})
    assert {} == leaves(schema, {"r": None})
    assert "r" in schema_arrays(root(schema))


def test_arrays_of_arrays_and_root_arrays():
    """
    A row can be an array itself; the document, too.
    """
    grid = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}

    assert {"[0][0]": 1, "[0][1]": 2, "[1][0]": 3} == leaves(grid, [[1, 2], [3]])
    assert ["", "[]"] == schema_arrays(root(grid))
    assert {"[0]": "a", "[1]": "b"} == leaves({"type": "array", "items": {"type": "string"}}, ["a", "b"])
    assert {"[0].x": 1, "[1]": 2} == leaves({}, [{"x": 1}, 2])


def test_two_arrays_under_one_key_stay_apart():
    """
    Each has its path.
    """
    array = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"a": {"type": "object", "properties": {"x": array, "y": array}}}}

    assert {"a.x[0]": "1", "a.y[0]": "2"} == leaves(schema, {"a": {"x": ["1"], "y": ["2"]}})
    assert ["a.x", "a.y"] == schema_arrays(root(schema))


@pytest.mark.parametrize("key", ["prefixItems", "items"])
def test_places_of_a_tuple_are_fields(key):
    """
    What follows them are rows; before 2020 `items` was the list.
    """
    rest = {"items": {"type": "string"}} if key == "prefixItems" else {"additionalItems": {"type": "string"}}
    schema = {"properties": {"t": {"type": "array", key: [{"type": "number"}, PARTY], **rest}}}
    part = Reader(root(schema), Comparators()).read({"t": [1, {"name": "x"}, "y", "z"]})

    assert {("t", 0), ("t", 1, "name")} == set(part.leaves)
    assert [2, 3] == [row.number for row in part.arrays["t",]]


def test_what_the_schema_says_nothing_of_is_one_leaf():
    """
    Also a list or an object; keys of a document or row without properties are leaves of their own.
    """
    assert {"a": [1, {"b": 2}], "c": {"d": 3}} == leaves({}, {"a": [1, {"b": 2}], "c": {"d": 3}})
    assert {"a": {"b": 1}} == leaves({"properties": {"a": {"description": "anything"}}}, {"a": {"b": 1}})
    assert {"a": {"b": 1}} == leaves({"properties": {"a": {"enum": [1]}}}, {"a": {"b": 1}})


def test_values_of_another_type_are_one_leaf():
    """
    They are wrong, but they are not lost: each counts as extracted.
    """
    schema = {"properties": {"o": PARTY, "r": {"type": "array", "items": PARTY}, "s": {"type": "string"}}}

    assert {"o": "x", "r": {"name": "y"}, "s": [1]} == leaves(schema, {"o": "x", "r": {"name": "y"}, "s": [1]})
    assert {"o": ["x"], "r[0]": "y", "r[1]": [2]} == leaves(schema, {"o": ["x"], "r": ["y", [2]]})


def test_keys_beside_the_properties():
    """
    They are leaves unless `additionalProperties` is false; what is said explicitly weighs more than a ban elsewhere.
    """
    named = {"properties": {"a": {}}}

    assert {"a": 1, "z": {"y": 2}} == leaves(named, {"a": 1, "z": {"y": 2}})
    assert {"a": 1, "z": 2} == leaves(named | {"additionalProperties": True}, {"a": 1, "z": 2})
    assert {"a": 1, "z.name": "x"} == leaves(named | {"additionalProperties": PARTY}, {"a": 1, "z": {"name": "x"}})
    assert {"a": 1} == leaves(named | {"additionalProperties": False}, {"a": 1, "z": 2})
    assert {"a": 1} == leaves({"allOf": [named, {"unevaluatedProperties": False}]}, {"a": 1, "z": 2})
    assert {"a": 1, "z": 2} == leaves(
        {"anyOf": [named | {"additionalProperties": False}, {"additionalProperties": True}]}, {"a": 1, "z": 2}
    )


def test_values_outside_of_the_schema_are_counted_aside():
    """
    Empty ones are not.
    """
    reader = Reader(root({"properties": {"a": {}}, "additionalProperties": False}), Comparators())
    reader.read({"a": 1, "y": None, "z": [1]})

    assert {"z": 1} == dict(reader.outside)


def test_recursive_schemas_end_where_the_data_ends():
    """
    Also one that is nothing but itself.
    """
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"v": {}, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            }
        },
    }
    value = {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}, {"v": 4}]}

    assert {"v": 1, "kids[0].v": 2, "kids[0].kids[0].v": 3, "kids[1].v": 4} == leaves(tree, value)
    assert ["kids"] == schema_arrays(root(tree))
    assert {"a": 1} == leaves({"$ref": "#"}, {"a": 1})
    assert {"a.a": 1} == leaves({"properties": {"a": {"$ref": "#"}}}, {"a": {"a": 1}})


def test_references_relative_to_an_id():
    """
    Inside the file alone.
    """
    part = {"$id": "part", "properties": {"q": {"$ref": "#/$defs/z"}}, "$defs": {"z": {"type": "array"}}}
    schema = {"$id": "https://example.org/root", "$ref": "part", "$defs": {"p": part}}

    assert {"q[0]": 1} == leaves(schema, {"q": [1]})


@pytest.mark.parametrize("draft", ["http://json-schema.org/draft-07/schema#", "urn:unknown"])
def test_older_and_unknown_drafts(draft):
    """
    They are read as far as they say the same.
    """
    schema = {
        "$schema": draft,
        "definitions": {"r": {"type": "array"}},
        "properties": {"r": {"$ref": "#/definitions/r"}},
    }

    assert {"r[0]": 1} == leaves(schema, {"r": [1]})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("a", "b"), "a.b"),
        (("a.b", "c d", ""), '["a.b"]["c d"][""]'),
        (('q"\\', 0, "x"), '["q\\"\\\\"][0].x'),
        ((), ""),
    ],
)
def test_paths_as_text(path, text):
    """
    Keys that could be misread are quoted.
    """
    assert text == shown_path(path)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ([], "s.json: not a JSON Schema: an object is expected"),
        (None, "s.json: not a JSON Schema: an object is expected"),
        ({"properties": []}, "s.json: not a JSON Schema: at #/properties an object is expected"),
        ({"properties": {"a": 3}}, "s.json: not a JSON Schema: at #/properties/a an object is expected"),
        ({"items": {"anyOf": {}}}, "s.json: not a JSON Schema: at #/items/anyOf a list is expected"),
        ({"items": ["x"]}, "s.json: not a JSON Schema: at #/items/0 an object is expected"),
        ({"$ref": 5}, "s.json: not a JSON Schema: at #/$ref a text is expected"),
        ({"$id": 5}, "s.json: not a JSON Schema: at #/$id a text is expected"),
        ({"$schema": 5}, "s.json: not a JSON Schema: at #/$schema a text is expected"),
        (
            {"properties": {"a/b": {"$ref": "#/$defs/x"}}},
            "s.json: the reference '#/$defs/x' at #/properties/a~1b/$ref leads nowhere in this file",
        ),
        ({"$ref": "#nowhere"}, "s.json: the reference '#nowhere' at #/$ref leads nowhere in this file"),
        (
            {"items": {"$ref": "https://example.org/x.json"}},
            "s.json: the reference 'https://example.org/x.json' at #/items/$ref leads out of this file",
        ),
        (
            {"items": {"$ref": "#/title"}, "title": "x"},
            "s.json: the reference '#/title' at #/items/$ref leads to what is no schema; an object is expected there",
        ),
        (
            {"items": {"$ref": "#/components/x"}, "components": {"x": {"items": {"$ref": "#/nope"}}}},
            "s.json: the reference '#/nope' at #/components/x/items/$ref leads nowhere in this file",
        ),
        (
            {"items": {"$ref": "#/components/x"}, "components": {"x": {"properties": []}}},
            "s.json: not a JSON Schema: at #/components/x/properties an object is expected",
        ),
        (
            {"items": {"$ref": "#x"}, "not": {"items": [{}]}, "$defs": {"y": {"$anchor": "x"}}},
            "s.json: the reference '#x' at #/items/$ref cannot be followed by the rules of the draft of this schema",
        ),
        ({"$ref": "other.json#/x"}, "s.json: the reference 'other.json#/x' at #/$ref leads out of this file"),
    ],
)
def test_schemas_that_cannot_be_used(schema, message):
    """
    The file, and a JSON pointer to the place.
    """
    with pytest.raises(InputError) as caught:
        root(schema)

    assert str(caught.value.problems[0]).startswith(message)


def test_schemas_may_stand_anywhere_in_the_file():
    """
    As far as a reference leads there.
    """
    schema = {
        "properties": {"a": {"$ref": "#/components/x"}, "b": {"$ref": "#/$defs/t"}},
        "components": {"x": {"$ref": "#/components/y"}, "y": {"type": "array", "items": {"$ref": "#"}}},
        "$defs": {"t": True, "unused": {"$ref": "#/components/x"}},
    }

    assert {"a[0].a[0].b": 1} == leaves(schema, {"a": [{"a": [{"b": 1}]}]})


def test_nothing_is_fetched():
    """
    The message says so, and what to do.
    """
    with pytest.raises(InputError, match=r"and nothing is fetched\nhint: copy what it refers to below \$defs"):
        root({"$ref": "https://example.org/x.json"})


def test_lists_under_items_are_followed_where_the_draft_has_them():
    """
    As the message on such schemas advises.
    """
    draft = "https://json-schema.org/draft/2019-09/schema"
    schema = {
        "properties": {"a": {"$ref": "#x"}, "b": {"items": [{}]}},
        "$defs": {"y": {"$anchor": "x", "type": "array"}},
    }

    assert {"a[0]": 1} == leaves({"$schema": draft, **schema}, {"a": [1]})


def test_no_property_is_taken_for_a_keyword():
    """
    Fields may be called `type`, `items`, `$ref` or `properties`.
    """
    names = ("type", "items", "$ref", "properties", "enum", "anyOf")
    schema = {"properties": {name: {"type": "string"} for name in names}}

    assert dict.fromkeys(names, "x") == leaves(schema, dict.fromkeys(names, "x"))

"""The signature: what changes it, and what does not."""

from __future__ import annotations

import re

import pytest

import spaneval
from spaneval._version import VERSION

GOLD = [
    {
        "text": "A inhibits B. C.",
        "ground_truth": [{"a": 2, "b": 10, "entity_id": "RO.1"}, {"a": 0, "b": 1, "entity_id": ["X", "Y"]}],
    },
    {"text": "Nothing here.", "ground_truth": []},
]
ROWS = [{"itext": 0, "a": 2, "b": 10, "entity_id_predicted": "kb::1"}]


def signature(gold=GOLD, rows=ROWS, **options):
    return spaneval.evaluate(gold, rows, **{"resamples": 50, **options}).signature


def part(name, *args, **options):
    return dict(x.split(":", 1) for x in signature(*args, **options).split("|")).get(name)


def test_the_whole_line():
    line = signature(id_map={"kb::1": "RO.1", "kb::2": "RO.2"}, resamples=10_000)
    form = (
        r"match:overlap\|assign:exact-first\|unmapped:skip\|nil:none\|ci:doc-bootstrap\.10000\|seed:1234"
        rf"\|gt:2d\.[0-9a-f]{{8}}\|map:2\.[0-9a-f]{{8}}\|scores:1\|v:{re.escape(VERSION)}"
    )

    assert re.fullmatch(form, line)


def test_order_of_documents_and_annotations_does_not_matter():
    gold = [GOLD[1], GOLD[0] | {"ground_truth": GOLD[0]["ground_truth"][::-1]}]

    assert part("gt") == part("gt", gold, [])


@pytest.mark.parametrize(
    "change",
    [
        {"text": "A inhibits C. B."},
        {"doc_id": "d"},
        {"evaluation_span": [0, 12]},
        {"ground_truth": GOLD[0]["ground_truth"][:1]},
        {"ground_truth": [GOLD[0]["ground_truth"][0], {"a": 0, "b": 1, "entity_id": ["X"]}]},
        {"ground_truth": [GOLD[0]["ground_truth"][0], {"a": 0, "b": 1, "entity_id": ["X", "Y"], "ignore": True}]},
        {"ground_truth": [{"a": 2, "b": 9, "entity_id": "RO.1"}, GOLD[0]["ground_truth"][1]]},
        {"ground_truth": GOLD[0]["ground_truth"] * 2},
    ],
)
def test_every_change_of_the_gold_changes_its_digest(change):
    assert part("gt") != part("gt", [GOLD[0] | change, GOLD[1]], [])


def test_the_order_of_acceptable_ids_does_not_matter():
    other = [GOLD[0]["ground_truth"][0], {"a": 0, "b": 1, "entity_id": ["Y", "X"]}]

    assert part("gt") == part("gt", [GOLD[0] | {"ground_truth": other}, GOLD[1]], [])


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        ({"match": "exact"}, "match", "exact"),
        ({"assignment": "greedy"}, "assign", "greedy"),
        ({"unmapped": "wrong", "id_map": {"a": "b"}}, "unmapped", "wrong"),
        ({"nil": ["NIL", "NEW"], "null_is_nil": True}, "nil", "NEW,NIL"),
        ({"nil": ["NIL"], "null_is_nil": True}, "null-is-nil", "true"),
        ({"unknown_docs": "count"}, "unknown-docs", "count"),
        ({"on_bad_row": "skip"}, "on-bad-row", "skip"),
        ({"doc_key": "position"}, "doc-key", "position"),
        ({"minted": "^C|^D"}, "minted", r"^C\p^D"),
        ({"ci": False}, "ci", "none"),
        ({"level": 0.9}, "level", "0.9"),
        ({"seed": 0}, "seed", "0"),
    ],
)
def test_what_can_change_a_number_stands_in_it(options, name, value):
    assert value == part(name, **options)


def test_maps_in_another_order_are_other_maps():
    one, two = {"kb::1": "A", "A": "C"}, {"A": "B", "kb::1": "A"}

    assert part("map", id_map=[one, two]) != part("map", id_map=[two, one])
    assert part("map", id_map=[one]) == part("map", id_map=[dict(reversed(one.items()))])

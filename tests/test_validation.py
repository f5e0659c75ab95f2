"""`validate`: every problem and every suspicious fact, and nothing where there is none."""

from __future__ import annotations

import json

import spaneval

TEXT = "IL-6 inhibits TGF. IL-6 binds."
GOOD = {
    "text": TEXT,
    "ground_truth": [
        {"itext": 0, "a": 0, "b": 4, "entity_id": "PEL.1"},
        {"itext": 0, "a": 5, "b": 13, "entity_id": "RO.2"},
    ],
}
ROWS = [
    {"itext": 0, "a": 0, "b": 4, "entity_id_predicted": "PEL.1", "mention": "IL-6"},
    {"itext": 0, "a": 5, "b": 13, "entity_id_predicted": "RO.2", "mention": "inhibits"},
]


def facts(gold, rows=None, **options) -> dict[str, spaneval.validation.Fact]:
    found = spaneval.validate(gold, rows, **options)
    assert [] == found.problems
    return {fact.code: fact for fact in found.facts}


def test_nothing_is_suspicious_where_nothing_is():
    assert {} == facts([GOOD], ROWS)


def test_mentions_that_are_not_the_text():
    """Of predictions and of annotations; the example shows both."""
    gold = [GOOD | {"ground_truth": [GOOD["ground_truth"][0] | {"mention": "IL-8"}, GOOD["ground_truth"][1]]}]
    found = facts(gold, [ROWS[0], ROWS[1] | {"mention": "inhibit"}])

    assert 1 == found["mentions-differ"].count
    assert "mention 'inhibit', text 'inhibits'" in str(found["mentions-differ"])
    assert "mention 'IL-8', text 'IL-6'" in str(found["gold-mentions-differ"])


def test_blanks_at_edges():
    gold = [GOOD | {"ground_truth": [{"a": 4, "b": 13, "entity_id": "RO.2"}]}]
    found = facts(gold, [{"itext": 0, "a": 5, "b": 14, "entity_id_predicted": "RO.2"}])

    assert "' inhibits'" in str(found["blank-edges"])
    assert "'inhibits '" in str(found["blank-edge-predictions"])


def test_what_is_given_twice():
    gold = [GOOD | {"ground_truth": GOOD["ground_truth"] + GOOD["ground_truth"][:1]}]
    found = facts(gold, [*ROWS, ROWS[1]])

    assert 1 == found["repeated-annotations"].count
    assert 1 == found["repeated-predictions"].count


def test_keys_given_twice(tmp_path):
    """In gold and in rows, with file and line."""
    (tmp_path / "x.gt.json").write_text('{"text": "abcdefgh",\n "ground_truth": [{"a": 0, "a": 1, "b": 3}]}')
    (tmp_path / "x.jsonl").write_text('{"itext": 0, "a": 1, "b": 3}\n{"itext": 0, "a": 4, "b": 5, "b": 6}\n')
    found = facts(tmp_path / "x.gt.json", tmp_path / "x.jsonl")

    assert 2 == found["double-keys"].count
    assert "x.gt.json:1: 'a'" in str(found["double-keys"])
    assert "x.jsonl:2: 'b'" in str(found["double-keys"])


def test_nested_annotations_and_documents_on_one_side_only():
    gold = [
        GOOD | {"ground_truth": [*GOOD["ground_truth"], {"itext": 0, "a": 7, "b": 9, "entity_id": "X"}]},
        {"text": "no row", "ground_truth": []},
        {"ground_truth": None},
    ]
    found = facts(gold, ROWS)

    assert 1 == found["nested-annotations"].count
    assert 2 == found["documents-without-predictions"].count
    assert 1 == found["no-text"].count
    assert 1 == found["null-gold"].count


def test_pairs_by_which_the_assignments_differ():
    """
    Greedy gives [5, 8) to the first annotation it overlaps; exact-first to the one with that very span.
    """
    gold = [{"text": "abcdefghij", "ground_truth": [{"a": 0, "b": 8}, {"a": 5, "b": 8}]}]

    assert 1 == facts(gold, [{"itext": 0, "a": 5, "b": 8}])["assignments-differ"].count


def test_every_problem_is_listed(tmp_path):
    """Not only the first ten, and those of all inputs."""
    (tmp_path / "x.gt.json").write_text(json.dumps({"text": "abc", "ground_truth": [{"a": 2, "b": 9}]}))
    (tmp_path / "x.jsonl").write_text('{"itext": 0, "a": 3, "b": 3}\n' * 25)
    (tmp_path / "map.csv").write_text("from,to\nx,1\nx,2\n")
    found = spaneval.validate(tmp_path / "x.gt.json", tmp_path / "x.jsonl", id_map=tmp_path / "map.csv")

    assert 27 == found.n_problems == len(found.problems)


def test_one_input_alone():
    assert {} == facts([GOOD])
    assert {} == facts(None, ROWS)

"""Every note on ids: when it is given, what it says, and that order does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.id_map import IdMap
from spaneval.options import Options
from spaneval.problems import Note
from spaneval.values.id_notes import id_notes
from spaneval.values.ids import translate


def notes(pairs, *, maps=(), gold_maps=(), spare=(), **options):
    """The notes on pairs of a gold id (text, tuple or None) and a predicted id; `spare` are further predicted ids."""
    pairs = [((gold,) if isinstance(gold, str) else gold, pred) for gold, pred in pairs]
    gold_ids = list(dict.fromkeys(gold for gold, _ in pairs if gold))
    pred_ids = list(dict.fromkeys([*(pred for _, pred in pairs if pred), *spare]))
    maps = [m if isinstance(m, IdMap) else IdMap("m.csv", m) for m in maps]
    gold_maps = [IdMap("g.csv", m) for m in gold_maps]
    options = Options(**options)
    ids = translate(gold_ids, pred_ids, maps=maps, gold_maps=gold_maps, options=options)
    gold = np.array([gold_ids.index(g) if g else -1 for g, _ in pairs], dtype=np.int32)
    pred = np.array([pred_ids.index(p) if p else -1 for _, p in pairs], dtype=np.int32)
    return id_notes(ids, gold, pred, ids.outcome(gold, pred), maps=maps, gold_maps=gold_maps, options=options)


LIST = "(`spaneval score --pairs FILE` lists them)"
GIVE_MAP = "give --id-map CSV with columns predicted_id,kb_id"


def test_nothing_to_say():
    assert [] == notes([("Q1", "Q1"), ("Q2", "Q3"), (None, "Q1"), ("Q1", None)])
    assert [] == notes([])
    assert [] == notes([("Q1", "kb::C1")], maps=[{"kb::C1": "Q1"}])


def test_minted_ids_without_a_map():
    message = (
        "2 pairs not comparable: the predicted id is a minted cluster id that no id map translates, "
        f"such as 'kb::C0007'; {GIVE_MAP} {LIST}"
    )
    found = notes([("PEL.000032", "kb::C0008"), ("PEL.000033", "kb::C0007"), (None, "kb::C0001")])
    assert [Note("minted-ids", 2, message)] == found


def test_minted_ids_that_the_map_does_not_hold():
    message = (
        "1 pair not comparable: the predicted id is a minted cluster id that no id map translates, such as 'kb::C2'; "
        f"add them to the map {LIST}"
    )
    found = notes([("Q1", "kb::C1"), ("Q1", "kb::C2")], maps=[{"kb::C1": "Q1"}], unmapped="keep")
    assert [Note("minted-ids", 1, message)] == found


def test_unmapped_ids():
    message = (
        "3 pairs not comparable: the id map does not hold 2 predicted ids, such as 'kb::C2'; "
        f"add them to the map {LIST}"
    )
    pairs = [("Q1", "kb::C1"), ("Q1", "kb::C3"), ("Q2", "kb::C2"), ("Q1", "kb::C3"), (None, "kb::C4")]
    assert [Note("unmapped-ids", 3, message)] == notes(pairs, maps=[{"kb::C1": "Q1"}])
    assert [message.replace("not comparable", "counted as wrong")] == [
        note.message for note in notes(pairs, maps=[{"kb::C1": "Q1"}], unmapped="wrong")
    ]


def test_unmapped_ids_that_need_no_map():
    """Q2 is a gold id, Q8 a target; Q9 is neither."""
    pairs = [("Q1", "kb::C1"), ("Q2", "Q2"), ("Q2", "Q8"), ("Q2", "Q9")]
    message = (
        "2 pairs with an unmapped predicted id that is a knowledge base id already, such as 'Q2': "
        f"--unmapped keep lets such ids stand as they are {LIST}"
    )
    found = notes(pairs, maps=[{"kb::C1": "Q1", "kb::C8": "Q8"}])
    assert ["unmapped-ids", "unmapped-kb-ids"] == [note.code for note in found]
    assert Note("unmapped-kb-ids", 2, message) == found[1]


def test_two_id_spaces():
    message = (
        "none of 2 pairs is right, and the two sides seem to speak of different id spaces: predicted ids look like "
        f"'C10', gold ids like 'PEL.000032'; {GIVE_MAP}"
    )
    found = notes([("PEL.000032", "C9"), ("PEL.000033", "C10")])
    assert [Note("different-id-spaces", 2, message)] == found


@pytest.mark.parametrize(
    ("pairs", "options"),
    [
        ([("PEL.1", "C9"), ("C3", "C3")], {}),
        ([("PEL.1", "C9"), ("PEL.2", "PEL.3")], {}),
        ([("PEL.1", "C9")], {"maps": [{"C9": "C9"}, {"x": "PEL.1"}]}),
        ([("PEL.1", "C9")], {"spare": ["PEL.77"]}),
        ([("PEL.1", "NIL")], {"nil": ("NIL",)}),
    ],
)
def test_two_id_spaces_need_all_the_signs(pairs, options):
    assert [] == [note for note in notes(pairs, **options) if note.code == "different-id-spaces"]


@pytest.mark.parametrize(
    ("kind", "pred", "gold"),
    [
        ("prefix", "MESH:D003866", "D003866"),
        ("prefix", "D003866", "MESH:D003866"),
        ("prefix", "42", "Q42"),
        ("prefix", "http://www.wikidata.org/entity/Q42", "Q42"),
        ("prefix", "http://purl.obolibrary.org/obo/PEL_000032", "PEL.000032"),
        ("prefix", "mesh:d003866", "D003866"),
        ("separator", "PEL_000032", "PEL.000032"),
        ("separator", "pel:000032", "PEL000032"),
        ("separator", "12-3", "12.3"),
        ("case", "q42", "Q42"),
        ("case", "berlin", "Berlin"),
        ("trailing-zero", "7157.0", "7157"),
        ("trailing-zero", "7157", "7157.0"),
        ("blanks", " Q42", "Q42"),
    ],
)
def test_ids_that_would_agree(kind, pred, gold):
    found = [note for note in notes([(gold, pred), (gold, pred), ("Z1", "Z2")]) if "differ" in note.code]
    assert [(f"ids-differ-by-{kind}", 2)] == [(note.code, note.count) for note in found]
    assert f"such as predicted {pred!r} and expected {gold!r}; " in found[0].message
    assert found[0].message.startswith("2 pairs would agree but for ")


@pytest.mark.parametrize(
    ("pred", "gold"),
    [("PMID:7", "NCBI:7"), ("32", "PEL.000032"), ("1.23", "12.3"), ("C12", "GC12"), ("Q42", "Q43"), ("a", "b")],
)
def test_ids_that_are_simply_different(pred, gold):
    assert [] == [note for note in notes([(gold, pred)]) if "differ-by" in note.code]


def test_ids_that_would_agree_say_how_to_translate():
    message = (
        "1 pair would agree but for a prefix, such as predicted 'MESH:D003866' and expected 'D003866'; "
        f"--id-map translates predicted ids, --gold-id-map gold ids {LIST}"
    )
    assert [Note("ids-differ-by-prefix", 1, message)] == notes([(("D003866", "D9"), "MESH:D003866")])


def test_unmapped_ids_that_the_map_holds_but_for_a_zero_or_blanks():
    found = notes([("Q1", "7.0"), ("Q1", " 8")], maps=[{"7": "Q1", "8": "Q1"}])
    assert [("unmapped-ids", 2), ("ids-differ-by-blanks", 1), ("ids-differ-by-trailing-zero", 1)] == [
        (note.code, note.count) for note in found
    ]
    assert "such as predicted '7.0' and expected '7'; keep ids as text, a column of floats adds it" in found[2].message


def test_a_target_that_is_a_key():
    targets = {"a": "b", "b": "c", "c": "c", "x": "a"}
    message = (
        "1 ids are translated by m.csv to an id that it would translate again, such as 'a' to 'b' to 'c'; "
        "give the map once more with --id-map to follow such chains"
    )
    assert [Note("map-target-is-key", 1, message.replace("1 ids are", "1 id is"))] == notes(
        [("b", "a")], maps=[targets]
    )
    assert [] == notes([("c", "a")], maps=[targets, targets])
    assert ["map-target-is-key"] == [note.code for note in notes([("b", "x")], maps=[targets, targets])]
    assert ["map-target-is-key"] == [note.code for note in notes([("a", "b")], gold_maps=[targets])]


def test_no_target_is_a_gold_id():
    message = "no target of m.csv, such as 'R1', is a gold id, such as 'Q1'; is it the map of another knowledge base?"
    found = notes([("Q1", "kb::C1"), ("Q2", "kb::C1")], maps=[{"kb::C1": "R1", "kb::C2": "R2"}])
    assert [Note("map-targets-not-in-gold", 2, message)] == found
    assert [] == notes([("Q1", "kb::C1")], maps=[{"kb::C1": "R1", "kb::C2": "Q1"}])
    assert [] == notes([("Q1", "kb::C1")], maps=[{"kb::C1": "NIL"}], nil=("NIL",))


def test_a_map_with_its_columns_swapped():
    found = notes([("Q1", "kb::C1")], maps=[{"Q1": "kb::C1"}])
    message = (
        "no target of m.csv, such as 'kb::C1', is a gold id, such as 'Q1'; its predicted ids are gold ids, "
        "so its columns seem to be swapped: --id-map-columns FROM,TO"
    )
    assert Note("map-targets-not-in-gold", 1, message) == found[-1]


def test_nil_like_ids():
    message = (
        "'<NIL>', 'NEW' among the ids counts as an id like any other; "
        "if it means \"not in the knowledge base\", give --nil '<NIL>' --nil NEW"
    )
    pairs = [("<NIL>", "NEW"), ("Q1", "Q1")]
    assert [Note("nil-like-ids", 2, message.replace("counts as an id", "count as ids"))] == notes(pairs)
    assert [] == notes(pairs, nil=("NEW", "<NIL>"))
    found = notes([("Q1", "kb::C1"), ("Q1", "kb::C2")], maps=[{"kb::C1": "NIL", "kb::C2": "Q1"}])
    assert ["nil-like-ids"] == [note.code for note in found]


def test_blanks_trimmed_in_a_map():
    found = notes([("Q1", "kb::C1")], maps=[IdMap("m.csv", {"kb::C1": "Q1"}, n_trimmed=3)])
    assert [Note("map-blanks-trimmed", 3, "blanks around 3 cells of m.csv were trimmed")] == found


ID = st.sampled_from(["Q1", "q1", "MESH:Q1", "Q1.0", "kb::1", "kb::2", "NIL", "PEL.1", "PEL_1"])


@given(st.data(), st.lists(st.tuples(ID | st.none(), ID | st.none())), st.lists(st.dictionaries(ID, ID), max_size=2))
def test_order_of_pairs_changes_no_note(data, pairs, maps):
    assert notes(pairs, maps=maps) == notes(data.draw(st.permutations(pairs)), maps=maps)

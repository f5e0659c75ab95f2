"""Groups: each field by hand, and the law that the groups of a field add up to the total."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_laws import ASSIGNMENTS, MODES, corpora

import spaneval
from spaneval.grouping import FIELDS, NONE, in_order, tenths
from spaneval.groups import GOLD_COLUMNS, PREDICTION_COLUMNS, Group
from spaneval.kinds import SPANS

GOLD = [
    {
        "itext": 0,
        "text": "x" * 200,
        "ground_truth": [
            {"a": 0, "b": 4, "entity_id": "RO.1", "type": "verb"},
            {"a": 10, "b": 15, "entity_id": "PEL.7", "type": "verb"},
            {"a": 20, "b": 60, "entity_id": ["PEL.2", "RO.1"], "type": "noun"},
        ],
    },
    {"itext": 1, "ground_truth": [{"a": 0, "b": 9, "entity_id": None}]},
    {"itext": 2, "ground_truth": []},
]
ROWS = [
    {"itext": 0, "a": 0, "b": 4, "entity_id_predicted": "RO.1", "type": "noun", "score": 0.9},
    {"itext": 0, "a": 11, "b": 15, "entity_id_predicted": "PEL.8", "score": 0.2},
    {"itext": 0, "a": 100, "b": 120, "entity_id_predicted": "MESH:D7", "type": "noun", "score": 0.2},
    {"itext": 1, "a": 0, "b": 9, "entity_id_predicted": "PEL.2", "type": 3},
    {"itext": 1, "a": 50, "b": 51, "entity_id_predicted": None, "score": 0.5},
]


def groups(field: str, gold: Any = GOLD, rows: Any = ROWS, **options: Any) -> dict[str, Group]:
    """The groups of one field."""
    return spaneval.evaluate(gold, rows, by=field, **{"ci": False, **options}).groups[field]


def shown(found: dict[str, Group], *names: str) -> dict[str, tuple[Any, ...]]:
    """Some counts of each group."""
    names = names or ("n_gold", "n_predicted", "n_matched", "n_id_correct")
    return {value: tuple(group[name] for name in names) for value, group in found.items()}


def test_documents_are_groups_even_without_spans():
    """
    Document 0: 3 annotations, 3 rows, 2 pairs, RO.1 right. Document 1: 1 annotation, 2 rows, 1 pair. Document 2: none.
    """
    assert {"0": (3, 3, 2, 1), "1": (1, 2, 1, 0), "2": (0, 0, 0, 0)} == shown(groups("document"))


def test_documents_go_by_number():
    """
    10 comes after 9, and names after numbers.
    """
    assert ["9", "10", "a", NONE] == in_order(["a", NONE, "10", "9"])


def test_files_are_groups(tmp_path):
    """
    Two files; the rows of a document that no file holds are in none.
    """
    import json

    for d in (0, 1):
        (tmp_path / f"{d}.gt.json").write_text(json.dumps(GOLD[d]))
    rows = [*ROWS, {"itext": 7, "a": 0, "b": 1, "entity_id_predicted": "RO.1"}]
    found = groups("file", [str(tmp_path / "0.gt.json"), str(tmp_path / "1.gt.json")], rows, unknown_docs="count")

    names = [str(tmp_path / "0.gt.json"), str(tmp_path / "1.gt.json"), NONE]
    assert dict(zip(names, [(3, 3, 2, 1), (1, 2, 1, 0), (0, 1, 0, 0)], strict=True)) == shown(found)


def test_a_matched_prediction_belongs_to_the_type_of_its_annotation():
    """
    The row on RO.1 says noun, but its annotation is a verb. The spurious noun stays a noun. The row of type 3 is paired
    with an annotation without type.
    """
    expected = {"noun": (1, 1, 0, 0), "verb": (2, 2, 2, 1), NONE: (1, 2, 1, 0)}

    assert expected == shown(groups("type"))


def test_namespace_is_all_before_the_final_digits():
    """
    Two namespaces of one annotation make a group of their own; a spurious row is in that of its id, or in none.
    """
    expected = {
        "MESH:D": (0, 1, 0, 0),
        "PEL.": (1, 1, 1, 0),
        "PEL.|RO.": (1, 0, 0, 0),
        "RO.": (1, 1, 1, 1),
        NONE: (1, 2, 1, 0),
    }

    assert expected == shown(groups("namespace"))


def test_namespace_of_a_spurious_prediction_is_that_of_its_translated_id():
    """
    kb::C1 is RO.9; the map does not hold kb::C2, which so has no translated id.
    """
    rows = [{"itext": 2, "a": k, "b": k + 1, "entity_id_predicted": f"kb::C{k}"} for k in (1, 2)]
    found = groups("namespace", GOLD, rows, id_map={"kb::C1": "RO.9"})

    assert {"PEL.": 0, "PEL.|RO.": 0, "RO.": 1, NONE: 1} == {k: x["n_predicted"] for k, x in found.items()}


def test_namespaces_of_gold_are_those_after_the_gold_map():
    """
    Where ids are compared.
    """
    found = groups("namespace", GOLD, [], gold_id_map={"RO.1": "Q1", "PEL.7": "Q2", "PEL.2": "Q2"})

    assert {"Q": 3, NONE: 1} == {k: x["n_gold"] for k, x in found.items()}


def test_a_prediction_without_id_that_claims_nil_is_in_the_namespace_of_nil():
    """
    Under --null-is-nil it has a translated id: NIL.
    """
    rows = [{"itext": 2, "a": 0, "b": 1, "entity_id_predicted": None}]
    gold = [*GOLD[:2], {"itext": 2, "ground_truth": [{"a": 50, "b": 55, "entity_id": "NIL"}]}]
    found = groups("namespace", gold, rows, nil=["NIL"], null_is_nil=True)

    assert (1, 1, 0, 0) == shown(found)["NIL"]


def test_lengths_are_characters_in_five_bins():
    """
    4 and 5 characters on either side of an edge, 40 is the last bin. The row of 4 characters on the annotation of 5 is
    in its bin; of the spurious rows one has 20 characters, one 1.
    """
    expected = {"1–4": (1, 2, 1, 1), "5–9": (2, 2, 2, 0), "20–39": (0, 1, 0, 0), "40+": (1, 0, 0, 0)}

    assert expected == shown(groups("length"))


def test_gold_frequency_counts_ids_of_gold():
    """
    RO.1 occurs twice, also where it is one of two; PEL.7 once. Predictions have no frequency.
    """
    found = groups("gold_frequency")

    assert {"1": (1, 1, 0), "2–5": (2, 1, 1), NONE: (1, 1, 0)} == shown(found, "n_gold", "n_matched", "n_id_correct")
    assert found["2–5"]["recall"] == 0.5
    assert found["2–5"]["precision"] is None
    assert found["2–5"]["n_predicted"] is None
    assert found["2–5"].undefined["precision"] == "gold_frequency does not group spurious predictions"


@pytest.mark.parametrize(("n", "group"), [(1, "1"), (2, "2–5"), (5, "2–5"), (6, "6–20"), (20, "6–20"), (21, "21+")])
def test_edges_of_gold_frequency(n: int, group: str):
    """
    The edges belong to the bins that name them; ignored annotations are no occurrences.
    """
    annotations = [{"a": 2 * k, "b": 2 * k + 1, "entity_id": "X1"} for k in range(n)]
    ignored = {"a": 900, "b": 901, "entity_id": "X1", "ignore": True}
    found = groups("gold_frequency", [{"itext": 0, "ground_truth": [*annotations, ignored]}], [])

    assert {group: n} == {value: x["n_gold"] for value, x in found.items()}


def test_scores_group_predictions_only():
    """
    Scores .2, .2, .5, .9: three tenths that occur, the two .2 in one; the row without score is in none. Of the two .2
    one is paired, so precision is 1/2; there is no recall.
    """
    found = groups("score")

    expected = {"[0.2, 0.2]": (2, 1, 0), "(0.2, 0.5]": (1, 0, 0), "(0.5, 0.9]": (1, 1, 1), NONE: (1, 1, 0)}
    assert expected == shown(found, "n_predicted", "n_matched", "n_id_correct")
    assert found["[0.2, 0.2]"]["precision"] == 0.5
    assert found["[0.2, 0.2]"]["recall"] is None
    assert found["[0.2, 0.2]"]["f1"] is None
    assert found["[0.2, 0.2]"]["n_gold"] is None


def test_a_score_that_is_no_number_is_an_error():
    """
    With the row that it stands in.
    """
    with pytest.raises(spaneval.FormatError, match="'high' is no number"):
        groups("score", GOLD, [*ROWS, {"itext": 0, "a": 1, "b": 2, "score": "high"}])


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0]), min_size=1, max_size=60))
def test_tenths_are_made_of_scores_that_occur(scores: list[float]):
    """
    Every edge is a score, no tenth is empty, and one tenth more of the scores is at most at every further edge.
    """
    names, edges = tenths(np.array(scores))

    assert len(names) == len(edges) - 1 <= 10
    assert set(edges) <= set(scores)
    assert edges[-1] == max(scores)
    for low, high in list(pairwise(edges.tolist()))[1:]:
        assert any(low < x <= high for x in scores)


def test_distinct_scores_fall_into_equal_tenths():
    """
    100 scores, ten in each.
    """
    rows = [{"itext": 2, "a": k, "b": k + 1, "score": k / 100} for k in range(100)]

    assert [10] * 10 == [x["n_predicted"] for x in groups("score", GOLD, rows).values()]


@pytest.mark.parametrize("value", [None, "", float("nan")])
def test_what_is_missing_is_in_no_group(value: Any):
    """
    As data frames and tables write it.
    """
    gold = [{"itext": 0, "ground_truth": [{"a": 0, "b": 1, "entity_id": "X", "kind": value}]}]

    assert [NONE] == list(groups("kind", gold, []))


def test_values_that_are_no_text_are_named_as_json():
    """
    Numbers by their digits, so that 2 and 2.0 and the cell "2" are one group.
    """
    values = [2, 2.0, "2", 0.5, True, ["b", 1], {"k": None}]
    gold = [
        {"itext": 0, "ground_truth": [{"a": k, "b": k + 1, "kind": x, "entity_id": "X"} for k, x in enumerate(values)]}
    ]

    assert {"2": 3, "0.5": 1, '["b", 1]': 1, "true": 1, '{"k": null}': 1} == {
        value: x["n_gold"] for value, x in groups("kind", gold, []).items()
    }


def test_a_renamed_field_is_found_under_our_name():
    """
    The rows call it label.
    """
    rows = [{"itext": 2, "a": 0, "b": 1, "label": "noun"}]

    assert groups("type", GOLD, rows, fields={"type": "label"})["noun"]["n_predicted"] == 1


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("typ", "is 'type' meant"),
        ("lenght", "is 'length' meant"),
        ("zzz", r"found: a, b, entity_id, entity_id_predicted, itext, score, type"),
    ],
)
def test_a_field_that_nothing_has_is_an_error_with_the_nearest(field: str, message: str):
    """
    Rather than one group of everything.
    """
    with pytest.raises(spaneval.FormatError, match=message):
        groups(field)


def test_score_of_rows_without_scores_is_an_error():
    """
    A score of the gold would not help.
    """
    gold = [{"itext": 0, "ground_truth": [{"a": 0, "b": 1, "entity_id": "X", "score": 1}]}]
    with pytest.raises(spaneval.FormatError, match="no row has 'score'"):
        groups("score", gold, [{"itext": 0, "a": 0, "b": 1}])


def test_groups_of_nothing_are_none():
    """
    An empty prediction file over empty gold is no error.
    """
    gold = [{"itext": 0, "ground_truth": []}]

    assert [{}, {}, {}, {}] == [groups(x, gold, []) for x in ("type", "score", "gold_frequency", "length")]


@pytest.mark.parametrize("field", [*FIELDS, "type"])
def test_keys_of_json_are_those_of_the_total(field: str):
    """
    Every count and every measure, undefined ones as None.
    """
    report = spaneval.evaluate(GOLD, ROWS, by=field, ci=False).to_dict()

    for group in report["groups"][field].values():
        assert [*SPANS.columns, *spaneval.evaluate(GOLD, ROWS, ci=False).measures, "undefined"] == list(group)
        assert {name for name, x in group.items() if x is None} == {
            *group["undefined"],
            *(x for x in SPANS.columns if group[x] is None),
        }


def test_intervals_of_a_group_are_those_of_the_documents_in_which_it_occurs():
    """
    They equal those of a corpus of these documents and spans alone.
    """
    rows = [x | {"type": "noun"} for x in ROWS[:3]] + [
        {"itext": 1, "a": 2, "b": 9, "type": "noun", "entity_id_predicted": "RO.1"},
        {"itext": 2, "a": 2, "b": 9, "type": "noun", "entity_id_predicted": "RO.1"},
    ]
    gold = [{"itext": d["itext"], "ground_truth": [x | {"type": "noun"} for x in d["ground_truth"]]} for d in GOLD]
    other = {"itext": 3, "ground_truth": [{"a": 0, "b": 1, "entity_id": "RO.1", "type": "verb"}]}
    group = spaneval.evaluate([*gold, other], rows, by="type", resamples=200).groups["type"]["noun"]
    alone = spaneval.evaluate(gold, rows, resamples=200)

    assert group.resampled is not None
    assert alone.intervals == group.resampled.intervals


@pytest.mark.parametrize("by", ["type", ("type",), ["type", "type"]])
def test_fields_can_be_given_in_any_form(by: Any):
    """
    One name, or several, each once.
    """
    assert ["type"] == list(spaneval.evaluate(GOLD, ROWS, by=by, ci=False).groups)


def test_the_gold_of_another_evaluation_must_hold_the_field():
    """
    Else all annotations would be in no group.
    """
    corpus = spaneval.evaluate(GOLD, ROWS, ci=False).corpus
    with pytest.raises(ValueError, match="read without 'type'"):
        spaneval.evaluate(corpus, ROWS, ci=False, by="type")


FIELDS_WITH_TYPE = (*FIELDS, "type")


@settings(max_examples=200)
@given(corpora(), MODES, ASSIGNMENTS, st.data())
def test_groups_add_up_to_the_total(corpus: Any, mode: str, assignment: str, data: st.DataObject):
    """
    In every count that the field divides, with ignored annotations, evaluation spans, bad rows and unknown documents.
    """
    gold, rows = corpus
    kinds = st.sampled_from(["x", "y", None, 3])
    for x in [x for d in gold for x in d["ground_truth"]]:
        x["type"] = data.draw(kinds)
    for x in rows:
        x["type"], x["score"] = data.draw(kinds), data.draw(st.sampled_from([0.5, 0.25, None, 1]))
    rows = [*rows, {"itext": 9, "a": 1, "b": 2, "type": "x", "score": 1}, {"itext": 0, "a": 5, "b": 5, "type": "x"}]
    rows.append({"itext": None, "a": 5, "b": 6})
    gold[0]["ground_truth"].append({"a": 30, "b": 33, "entity_id": "PEL.9", "type": "x"})
    gold[0].pop("evaluation_span", None)
    result = spaneval.evaluate(
        gold, rows, match=mode, assignment=assignment, by=FIELDS_WITH_TYPE, ci=False, doc_key="itext",
        unknown_docs="count", on_bad_row="skip", nil=["NEW"],
    )  # fmt: skip
    absent = {"score": GOLD_COLUMNS, "gold_frequency": PREDICTION_COLUMNS}
    for field, found in result.groups.items():
        for name in SPANS.columns:
            values = [group.counts[name] for group in found.values()]
            if name in absent.get(field, ()):
                assert set(values) <= {None}, (field, name)
            else:
                assert result.counts[name] == sum(values), (field, name)


@settings(max_examples=100)
@given(corpora())
def test_document_groups_are_the_documents(corpus: Any):
    """
    The same counts and measures as the list of documents.
    """
    result = spaneval.evaluate(*corpus, by="document", ci=False, doc_key="itext")

    for document in result.documents():
        group = result.groups["document"][document["document"]]
        assert {**group.counts, **group.measures, "undefined": group.undefined} == {
            k: v for k, v in document.items() if k not in ("document", "file")
        }

"""
The linker's own interface on this engine, and the four slips of its original mended.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaneval import InputError
from spaneval.ground_truth import (
    GroundTruthScore,
    GtSpan,
    load_ground_truth_spans,
    score_predictions_against_ground_truth,
)

CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases"))


def row(a, b, entity_id, itext=0):
    return {"itext": itext, "a": a, "b": b, "entity_id_predicted": entity_id}


def counts(score: GroundTruthScore) -> tuple[int, int, int, int, int]:
    return score.n_gold, score.n_predicted, score.n_matched, score.n_id_comparable, score.n_id_correct


class TestSlips:
    """What the original's code gets wrong, each with the number that it would have given."""

    def test_equal_offsets_in_two_documents_do_not_block_each_other(self):
        """A perfect prediction over two such documents scored 0.5."""
        gold = [GtSpan(0, 3, 8, "PEL.000032"), GtSpan(1, 3, 8, "RO.0002206")]
        score = score_predictions_against_ground_truth([row(3, 8, "PEL.000032"), row(3, 8, "RO.0002206", 1)], gold)

        assert (2, 2, 2, 2, 2) == counts(score)
        assert 1.0 == score.f1

    def test_two_annotations_at_one_span_are_two(self):
        """They collapsed into one, so that the second prediction was spurious."""
        gold = [GtSpan(0, 3, 8, "PEL.000032"), GtSpan(0, 3, 8, "RO.0002206")]
        score = score_predictions_against_ground_truth([row(3, 8, "RO.0002206"), row(3, 8, "PEL.000032")], gold)

        assert (2, 2, 2, 2, 2) == counts(score)

    def test_minted_ids_without_a_map_are_not_comparable(self):
        """They counted as comparable and wrong: accuracy 0.0 where there is none."""
        score = score_predictions_against_ground_truth([row(3, 8, "kb::C0007")], [GtSpan(0, 3, 8, "PEL.000032")])

        assert (1, 1, 1, 0, 0) == counts(score)
        assert score.entity_accuracy is None

    @pytest.mark.parametrize(("a", "b"), [(7, 4), (5, 5)])
    def test_inverted_and_empty_predicted_spans_match_nothing(self, a, b):
        """An inverted span inside an annotation matched it."""
        score = score_predictions_against_ground_truth([row(a, b, "PEL.000032")], [GtSpan(0, 3, 8, "PEL.000032")])

        assert (1, 1, 0, 0, 0) == counts(score)


class TestBehaviour:
    """As the text of the original describes."""

    def test_greedy_in_document_order(self):
        """The first prediction takes the first annotation it overlaps, though the second has that span exactly."""
        gold = [GtSpan(0, 0, 10, "A"), GtSpan(0, 5, 10, "B")]
        score = score_predictions_against_ground_truth([row(5, 10, "B"), row(2, 4, "A")], gold)

        assert (2, 2, 1, 1, 1) == counts(
            score_predictions_against_ground_truth([row(2, 4, "A"), row(20, 30, "B")], gold)
        )
        assert (2, 2, 2, 2, 2) == counts(score)

    def test_duplicates_are_false_positives(self):
        score = score_predictions_against_ground_truth([row(3, 8, "A"), row(3, 8, "A")], [GtSpan(0, 3, 8, "A")])

        assert (1, 2, 1, 1, 1) == counts(score)
        assert 0.5 == score.precision

    @pytest.mark.parametrize("bad", [{}, {"a": 3}, {"a": "x", "b": 8}, {"a": None, "b": 8}, {"a": 2.5, "b": 8}])
    def test_rows_that_cannot_be_read_are_predictions_that_match_nothing(self, bad):
        score = score_predictions_against_ground_truth([bad], [GtSpan(0, 3, 8, "A")])

        assert (1, 1, 0, 0, 0) == counts(score)

    def test_a_missing_itext_is_document_0(self):
        gold = [GtSpan(0, 3, 8, "A"), GtSpan(1, 3, 8, "A")]
        rows = [{"a": 3, "b": 8, "entity_id_predicted": "A"}, {"itext": None, "a": 3, "b": 8}]

        assert (2, 2, 1, 1, 1) == counts(score_predictions_against_ground_truth(rows, gold))

    def test_rows_in_unknown_documents_are_spurious(self):
        score = score_predictions_against_ground_truth([row(3, 8, "A", 7)], [GtSpan(0, 3, 8, "A")])

        assert (1, 1, 0, 0, 0) == counts(score)

    def test_ids_are_translated_and_unmapped_ones_not_comparable(self):
        gold = [GtSpan(0, 0, 3, "PEL.1"), GtSpan(0, 5, 8, "PEL.2"), GtSpan(0, 10, 12, None)]
        rows = [row(0, 3, "kb::C1"), row(5, 8, "kb::C2"), row(10, 12, "kb::C1")]
        score = score_predictions_against_ground_truth(rows, gold, predicted_id_to_kb_in={"kb::C1": "PEL.1"})

        assert (3, 3, 3, 1, 1) == counts(score)

    def test_exact_needs_both_boundaries(self):
        score = score_predictions_against_ground_truth([row(3, 7, "A")], [GtSpan(0, 3, 8, "A")], match_mode="exact")

        assert 0 == score.n_matched

    def test_an_unknown_match_mode_is_refused(self):
        with pytest.raises(ValueError, match=r"match_mode must be one of .*'overlp'"):
            score_predictions_against_ground_truth([], [], match_mode="overlp")

    def test_no_gold_and_no_predictions(self):
        score = score_predictions_against_ground_truth([], [])

        assert (0, 0, 0, 0, 0) == counts(score)
        assert (None, None, None, None) == (score.precision, score.recall, score.f1, score.entity_accuracy)

    def test_f1_is_undefined_where_precision_and_recall_are_0(self):
        score = score_predictions_against_ground_truth([row(20, 30, "A")], [GtSpan(0, 3, 8, "A")])

        assert (0.0, 0.0, None) == (score.precision, score.recall, score.f1)

    def test_to_jsonable_has_the_keys_of_the_original(self):
        score = score_predictions_against_ground_truth([row(3, 8, "A")], [GtSpan(0, 3, 8, "B")])

        assert {
            "n_gold": 1,
            "n_predicted": 1,
            "n_matched": 1,
            "match_mode": "overlap",
            "precision": 1.0,
            "recall": 1.0,
            "f1": 1.0,
            "n_id_comparable": 1,
            "n_id_correct": 0,
            "entity_accuracy": 0.0,
        } == score.to_jsonable()


class TestLoading:
    """Annotations from a file."""

    def write(self, tmp_path, content):
        path = tmp_path / "x.gt.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def test_an_object_and_a_list(self, tmp_path):
        one = {"text": "a b c", "ground_truth": [{"itext": 4, "a": 0, "b": 1, "entity_id": 7}]}
        two = {"text": "a b c", "ground_truth": [{"a": 2, "b": 3}]}

        assert [GtSpan(4, 0, 1, "7")] == load_ground_truth_spans(self.write(tmp_path, one))
        assert [GtSpan(4, 0, 1, "7"), GtSpan(1, 2, 3, None)] == load_ground_truth_spans(
            self.write(tmp_path, [one, two])
        )

    def test_a_span_that_is_none_is_refused(self, tmp_path):
        path = self.write(tmp_path, {"ground_truth": [{"a": 3, "b": 3}]})

        with pytest.raises(InputError, match=r"x\.gt\.json:1: document 0, ground_truth\[0\]: span end must be greater"):
            load_ground_truth_spans(path)
        with pytest.raises(ValueError, match="span end must exceed start, got a=3 b=3"):
            GtSpan(0, 3, 3)


@pytest.mark.skipif(not (CASES / "spans").is_dir(), reason="the handed cases are not here")
@pytest.mark.parametrize("mode", ["exact", "overlap"])
@pytest.mark.parametrize("folder", ["elevant", "hipe", "pelinker"])
def test_real_linkers_have_the_counts_of_the_mended_original(folder, mode):
    """
    `plain` in the cases is the original's rule without its slips, computed by a brute force of its own.

    It takes the first of several annotations at one span; here one whose id agrees goes first: more ids may be right.
    """
    for name, case in json.loads((CASES / "spans" / folder / "expected.json").read_text()).items():
        gold = load_ground_truth_spans(CASES / "spans" / folder / case["gold"])
        lines = (CASES / "spans" / folder / case["pred"]).read_text(encoding="utf-8").split("\n")
        score = score_predictions_against_ground_truth([json.loads(x) for x in lines if x], gold, match_mode=mode)
        plain = case["plain"][mode]
        twins = len({(span.itext, span.a, span.b) for span in gold}) < len(gold)

        for key in ("n_gold", "n_predicted", "n_matched", "n_id_comparable"):
            assert plain[key] == getattr(score, key), (name, key)
        for key in ("precision", "recall", "f1"):
            expected = plain[key]
            assert expected == (expected and pytest.approx(getattr(score, key), rel=1e-12)), (name, key)
        assert plain["n_id_correct"] <= score.n_id_correct, name
        assert twins or plain["n_id_correct"] == score.n_id_correct, name


SPAN = st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(1, 6), st.sampled_from(["A", "B", None]))


def mended_original(rows, gold, mode):
    """The rule in the plainest words: a double loop over rows and annotations in document order."""
    used = set()
    n_matched = n_comparable = n_correct = 0
    order = sorted(range(len(gold)), key=lambda k: (gold[k].itext, gold[k].a, gold[k].b, k))
    for row_ in sorted(rows, key=lambda r: (r["itext"], r["a"], r["b"])):
        a, b, predicted = row_["a"], row_["b"], row_["entity_id_predicted"]

        def fits(k, row_=row_, a=a, b=b):
            span = gold[k]
            is_match = (span.a, span.b) == (a, b) if mode == "exact" else span.a < b and a < span.b
            return k not in used and span.itext == row_["itext"] and is_match

        free = [k for k in order if fits(k)]
        if not free:
            continue
        same_span = [k for k in free if (gold[k].a, gold[k].b) == (gold[free[0]].a, gold[free[0]].b)]
        agreeing = [k for k in same_span if predicted is not None and gold[k].entity_id == predicted]
        hit = (agreeing or same_span)[0]
        used.add(hit)
        n_matched += 1
        if predicted is not None and gold[hit].entity_id is not None:
            n_comparable += 1
            n_correct += predicted == gold[hit].entity_id
    return len(gold), len(rows), n_matched, n_comparable, n_correct


@settings(max_examples=300)
@given(st.lists(SPAN, max_size=8), st.lists(SPAN, max_size=8), st.sampled_from(["overlap", "exact"]))
def test_equals_the_mended_double_loop(gold, rows, mode):
    """On any small corpus."""
    spans = [GtSpan(itext, a, a + n, entity_id) for itext, a, n, entity_id in gold]
    rows = [row(a, a + n, entity_id, itext) for itext, a, n, entity_id in rows]

    assert mended_original(rows, spans, mode) == counts(
        score_predictions_against_ground_truth(rows, spans, match_mode=mode)
    )

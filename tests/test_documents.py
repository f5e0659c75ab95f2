"""Which prediction belongs to which text: keys, clashes, unknown documents, mentions, what a report repeats."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spaneval import evaluate
from spaneval.evaluation import Evaluation
from spaneval.exceptions import AlignmentError, InputError
from spaneval.pairing import witnesses

TEXTS = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta iota", "kappa lambda"]


def span(text: str, word: str) -> tuple[int, int]:
    return text.index(word), text.index(word) + len(word)


def document(number: int, **more: Any) -> dict[str, Any]:
    """The text of that number, its first word annotated."""
    a, b = span(TEXTS[number], TEXTS[number].split()[0])
    return {"text": TEXTS[number], "ground_truth": [{"a": a, "b": b, "entity_id": f"Q{number}"}]} | more


def row(key: Any, number: int, field: str = "itext", *, mention: bool = False) -> dict[str, Any]:
    """A perfect prediction for the text of that number."""
    a, b = span(TEXTS[number], TEXTS[number].split()[0])
    named = {"mention": TEXTS[number][a:b]} if mention else {}
    return {field: key, "a": a, "b": b, "entity_id_predicted": f"Q{number}"} | named


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write gold files, each a list of documents, into the current folder; gives their names."""
    monkeypatch.chdir(tmp_path)

    def write(*contents: list[dict[str, Any]], names: str = "abcdefgh") -> list[str]:
        for name, content in zip(names, contents, strict=False):
            Path(f"{name}.gt.json").write_text(json.dumps(content))
        return [f"{name}.gt.json" for name in names[: len(contents)]]

    return write


def score(gold: Any, rows: Any, **options: Any) -> Evaluation:
    return evaluate(gold, rows, ci=False, **options)


def refused(gold: Any, rows: Any, **options: Any) -> str:
    with pytest.raises(InputError) as raised:
        score(gold, rows, **options)
    return str(raised.value)


def numbering(result: Evaluation) -> str:
    """How documents are told apart."""
    return result.document_key


def matched(result: Evaluation) -> tuple[int, int, int]:
    return result.counts["n_gold"], result.counts["n_predicted"], result.counts["n_matched"]


# --- the three rules -------------------------------------------------------------------------------------------------


def test_doc_id_names_documents_where_all_have_one():
    """
    The itext of both rows is wrong, and is not looked at.
    """
    gold = [document(0, doc_id="x", itext=5), document(1, doc_id=7)]
    result = score(gold, [row("x", 0, "doc_id") | {"itext": 9}, row("7", 1, "doc_id") | {"itext": 9}])
    assert (2, 2, 2) == matched(result)
    assert numbering(result) == "doc_id"
    assert ["x", "7"] == result.document_names


def test_doc_id_needs_every_gold_document_or_itext_counts():
    gold = [document(0, doc_id="x"), document(1)]
    result = score(gold, [row(0, 0) | {"doc_id": "x"}, row(1, 1)])
    assert (2, 2, 2) == matched(result)
    assert "itext" in numbering(result)


def test_doc_id_of_no_row_means_itext():
    gold = [document(0, doc_id="x"), document(1, doc_id="y")]
    assert (2, 2, 2) == matched(score(gold, [row(0, 0), row(1, 1)]))


def test_rows_without_doc_id_are_bad_rows_where_others_have_one():
    gold = [document(0, doc_id="x"), document(1, doc_id="y")]
    rows = [row(0, 0), row("y", 1, "doc_id")]
    assert "row 1: no 'doc_id' (found: itext, a, b, entity_id_predicted)" in refused(gold, rows)
    result = score(gold, rows, on_bad_row="skip")
    assert (2, 2, 1) == matched(result)
    assert result.counts["n_bad_rows"] == 1


def test_itext_is_used_as_written():
    gold = [document(0, itext=10), document(1, itext="20")]
    result = score(gold, [row("20", 1), row(10.0, 0)])
    assert (2, 2, 2) == matched(result)
    assert numbering(result) == "itext"
    assert ["10", "20"] == result.document_names


def test_a_document_without_itext_takes_its_position_in_its_file(files):
    gold = files([document(0), document(1)], [document(2, itext=2), document(3, itext=9)])
    assert (4, 4, 4) == matched(score(gold, [row(0, 0), row(1, 1), row(2, 2), row(9, 3)]))


def test_files_that_each_start_at_0_are_numbered_across(files):
    gold = files([document(0, itext=0), document(1, itext=1)], [document(2, itext=0)], [document(3)])
    result = score(gold, [row(k, k) for k in range(4)])
    assert (4, 4, 4) == matched(result)
    assert numbering(result) == "position"


@pytest.mark.parametrize("order", [0, 1])
def test_a_position_that_another_document_claims_is_an_error(files, order):
    """
    Document 1 has no itext and so is 1; so is document 0, in writing.
    """
    pair = (
        [document(0, itext=1), document(1)]
        if order == 0
        else [document(0, itext=7), document(1), document(2, itext="1")]
    )
    gold = files(pair)
    message = refused(gold, [row(1, 0)])
    claimant = 0 if order == 0 else 2
    assert (
        f"a.gt.json: document 1 has no itext, and its position 1 is the itext of document {claimant} of this file"
        in message
    )
    assert "hint: give the document an `itext` of its own, beside its `text`" in message
    assert message == refused(gold, [row(1, 0)], doc_key="itext")
    assert (len(pair), 1, 1) == matched(score(gold, [row(0, 0)], doc_key="position"))


def test_a_claim_does_not_matter_where_documents_are_numbered_by_position_or_doc_id(files):
    gold = files([document(0, itext=1), document(1)], [document(2, itext=1)])
    assert (3, 3, 3) == matched(score(gold, [row(k, k) for k in range(3)]))
    named = [document(0, itext=1, doc_id="x"), document(1, doc_id="y")]
    assert (2, 2, 2) == matched(score(named, [row("x", 0, "doc_id"), row("y", 1, "doc_id")]))


def test_forced_itext_that_is_shared_names_both_files(files):
    gold = files([document(0, itext=0)], [document(1, itext="0")])
    message = refused(gold, [row(0, 0)], doc_key="itext")
    assert "b.gt.json: document 0 of b.gt.json has the itext 0, which document 0 of a.gt.json has too" in message
    assert "hint: --doc-key position" in message


def test_forced_position(files):
    gold = files([document(0, itext=10, doc_id="x"), document(1, itext=20, doc_id="y")])
    rows = [row(1, 1) | {"doc_id": "x"}, row(0, 0) | {"doc_id": "y"}]
    assert (2, 2, 2) == matched(score(gold, rows, doc_key="position"))


def test_forced_doc_id():
    gold = [document(0, doc_id="x"), document(1, doc_id="y")]
    assert (2, 1, 1) == matched(score(gold, [row("y", 1, "doc_id")], doc_key="doc_id"))
    assert "no 'doc_id' (found: itext, a, b, entity_id_predicted)" in refused(gold, [row(0, 0)], doc_key="doc_id")
    message = refused([document(0, doc_id="x"), document(1)], [row("x", 0, "doc_id")], doc_key="doc_id")
    assert "document 1 has no 'doc_id', which --doc-key doc_id needs in every document" in message
    assert "hint: give every document a doc_id" in message


@pytest.mark.parametrize("doc_key", ["auto", "itext", "position", "doc_id"])
def test_two_documents_with_one_doc_id_are_an_error(files, doc_key):
    gold = files([document(0, doc_id="x")], [document(1), document(2, doc_id="x")])
    message = refused(gold, [], doc_key=doc_key)
    assert "b.gt.json: document 1 of b.gt.json has the doc_id 'x', which document 0 of a.gt.json has too" in message
    assert "hint: a doc_id names one document; rename one of them" in message


def test_the_only_document_needs_no_key():
    for gold in ([document(0)], [document(0, itext=5)], [document(0, doc_id="x")]):
        rows = [row(None, 0), row(None, 0, "x")]
        assert (1, 2, 1) == matched(score(gold, rows))
    assert "no 'itext'" in refused([document(0), document(1)], [row(None, 0, "x")])


# --- unknown documents -----------------------------------------------------------------------------------------------


def test_a_row_of_an_unknown_document_is_an_error(files):
    gold = files([document(0), document(1)])
    Path("out.jsonl").write_text("".join(json.dumps(row(key, 0)) + "\n" for key in (0, 93, 94, 93)))
    message = refused(gold, "out.jsonl")
    assert (
        "out.jsonl:2: 3 rows are of documents that the ground truth does not hold, such as itext 93 (known: 0 to 1)"
        in message
    )
    assert "hint: --unknown-docs count scores such rows as spurious, --unknown-docs ignore leaves them out" in message


def test_the_message_names_what_would_find_them():
    gold = [document(0, itext=10), document(1, itext=20)]
    message = refused(gold, [row(0, 0), row(1, 1)])
    assert "row 1" in message
    assert "--doc-key position would find them all" in message
    assert "--doc-key itext would find them all" in refused(gold, [row(10, 0), row(20, 1)], doc_key="position")
    named = [document(0, doc_id="0", itext=0), document(1, doc_id="x", itext=1)]
    assert "would find them all" not in refused(named, [row("1", 1, "doc_id")])
    assert "without the trailing .0 they would be found" in refused(gold, [row("10.0", 0)])
    assert "(there are no gold documents)" in refused([], [row(0, 0)])


@pytest.mark.parametrize("doc_key", ["auto", "position"])
def test_unknown_documents_can_be_counted(doc_key):
    """
    Two gold documents; 93 has two rows, 94 one; one row is right.
    """
    gold = [document(0), document(1)]
    rows = [row(0, 0), row(93, 0), row(94, 0), row(93, 1)]
    result = score(gold, rows, unknown_docs="count", doc_key=doc_key)
    assert (2, 4, 1) == matched(result)
    assert result.counts["n_unknown_docs_rows"] == 3
    assert ["0", "1", "93", "94"] == result.document_names
    assert [1, 0, 2, 1] == result.document_counts["n_predicted"].tolist()
    assert [1, 1, 0, 0] == result.document_counts["n_gold"].tolist()
    assert 4 == len(result.documents())


def test_unknown_documents_can_be_ignored():
    gold = [document(0), document(1)]
    rows = [row(0, 0), row(93, 0), {"itext": 94}]
    result = score(gold, rows, unknown_docs="ignore", on_bad_row="skip")
    assert (2, 1, 1) == matched(result)
    assert (2, 0) == (result.counts["n_unknown_docs_rows"], result.counts["n_bad_rows"])
    assert ["0", "1"] == result.document_names


def test_bad_rows_of_unknown_and_unreadable_documents_have_documents_of_their_own():
    gold = [document(0), document(1)]
    rows = [row(0, 0), {"itext": 93}, {"itext": True, "entity_id_predicted": "Q1"}, 3, {"itext": 1}]
    result = score(gold, rows, unknown_docs="count", on_bad_row="skip")
    assert (2, 5, 1) == matched(result)
    assert ["0", "1", "93", "(rows without a document)"] == result.document_names
    assert [0, 1, 1, 2] == result.document_counts["n_bad_rows"].tolist()
    assert (4, 1) == (result.counts["n_bad_rows"], result.counts["n_unknown_docs_rows"])
    assert result.counts["n_predicted_with_id"] == 2


def test_documents_without_predictions_are_missed():
    result = score([document(0), document(1)], [row(0, 0)])
    assert (1, 0.5) == (result.n_documents_without_predictions, result.measures["recall"])
    assert "1 gold document without any prediction" in "\n".join(n.message for n in result.notes)


def test_predictions_on_null_gold_get_a_note():
    result = score(
        [document(0), document(1) | {"ground_truth": None}, {"ground_truth": []}], [row(0, 0), row(1, 1), row(2, 0)]
    )
    assert [("predictions-on-null-gold", 1)] == [(n.code, n.count) for n in result.notes if "null" in n.code]


# --- spans beyond the text -------------------------------------------------------------------------------------------


def test_spans_beyond_the_text_are_bad_rows(files):
    gold = files([document(0), document(1), {"ground_truth": []}])
    rows = [row(0, 0) | {"b": 11}, row(2, 0) | {"b": 99}, row(1, 1)]
    Path("out.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows))
    message = refused(gold, "out.jsonl")
    assert "out.jsonl:1: span [0, 11) ends after the text of document 0 (10 characters)" in message
    assert "hint: offsets count Unicode code points; these may count UTF-16 units or bytes" in message
    result = score(gold, "out.jsonl", on_bad_row="skip")
    assert (2, 3, 1) == matched(result)
    assert [1, 0, 0] == result.document_counts["n_bad_rows"].tolist()
    assert result.counts["n_predicted_with_id"] == 3


def test_of_many_spans_beyond_the_text_all_are_counted(files):
    gold = files([document(0)])
    with pytest.raises(InputError) as raised:
        score(gold, [row(7, 0)] * 3 + [row(0, 0) | {"b": 99}] * 25)
    assert (10, 26) == (len(raised.value.problems), raised.value.total)


# --- mentions --------------------------------------------------------------------------------------------------------


def test_mentions_that_fit_another_numbering_are_an_error():
    """
    itext is written backwards; the linker numbered by position.
    """
    gold = [document(k, itext=3 - k) for k in range(4)]
    rows = [row(k, k, mention=True) for k in range(4)]
    message = refused(gold, rows)
    assert "only 0 of 4 mentions of the rows agree with the documents they were given to" in message
    assert (
        "4 of 4 would agree with --doc-key position\nhint: number the documents so with --doc-key position" in message
    )
    assert (4, 4, 4) == matched(score(gold, rows, doc_key="position"))
    assert "would agree with --doc-key itext" in refused(
        gold, [row(3 - k, k, mention=True) for k in range(4)], doc_key="position"
    )


def test_mentions_are_compared_without_case_and_blanks_at_the_edges():
    gold = [document(k, itext=1 - k) for k in range(2)]
    rows = [row(1 - k, k) | {"mention": f" {TEXTS[k].split()[0].upper()}\n"} for k in range(2)]
    assert (2, 2, 2) == matched(score(gold, rows))


def test_most_mentions_decide():
    """
    Two of three agree with the numbering, so that it stands; one of two does not suffice.
    """
    gold = [document(k, itext=[0, 1, 4, 3, 2][k]) for k in range(5)]
    assert score(gold, [row(0, 0, mention=True), row(1, 1, mention=True), row(2, 2, mention=True)])
    assert "1 of 2 mentions" in refused(gold, [row(0, 0, mention=True), row(2, 2, mention=True)])


def test_mentions_that_nothing_fits_get_a_note():
    gold = [document(0), document(1)]
    result = score(gold, [row(0, 0) | {"mention": "nothing"}])
    assert ["surfaces-differ"] == [n.code for n in result.notes if n.code == "surfaces-differ"]
    alone = score(gold[:1], [{"a": 0, "b": 5, "mention": "nothing"}])
    assert ["surfaces-differ"] == [n.code for n in alone.notes if n.code == "surfaces-differ"]


def remedy_flags(message: str) -> list[str]:
    """The flags after `in this order:` in the hint."""
    words = shlex.split(message.split("in this order: ")[-1].split("\n")[0])
    return [word for word in words if word not in ("--gt", "--doc-key", "position")]


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (3, 1, 4, 0, 2)])
def test_another_order_of_the_files_is_named_and_works(files, order):
    """
    One document a file, each with itext 0; the linker was given the files in another order.
    """
    gold = files(*[[document(k, itext=0)] for k in range(len(order))])
    rows = [row(position, k, mention=True) for position, k in enumerate(order)]
    message = refused(gold, rows)
    assert "would agree with the gold files in this order: --gt" in message
    assert [gold[k] for k in order] == remedy_flags(message)
    assert (len(order),) * 3 == matched(score(remedy_flags(message), rows))


def test_the_order_of_files_with_written_itext_also_needs_the_key(files):
    gold = files([document(0, itext=0), document(1, itext=1)], names="b")
    Path("a b.gt.json").write_text(json.dumps([document(2, itext=2)]))
    gold += ["a b.gt.json"]
    rows = [row(0, 2, mention=True), row(1, 0, mention=True), row(2, 1, mention=True)]
    message = refused(gold, rows)
    assert "--gt 'a b.gt.json' --gt b.gt.json --doc-key position" in message
    assert (3, 3, 3) == matched(score(["a b.gt.json", "b.gt.json"], rows, doc_key="position"))


@pytest.mark.parametrize("searched", [0, 10**6])
def test_numbers_in_names_are_tried_however_many_files_there_are(tmp_path, monkeypatch, searched):
    """
    The corpus holds 10 before 9; the linker was given 9 before 10. Beyond a bound only such orders are tried.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(witnesses, "SEARCHED", searched)
    names = [f"{k}.gt.json" for k in range(8, 12)]
    for k, name in enumerate(names):
        Path(name).write_text(json.dumps([document(k, itext=0)]))
    message = refused(".", [row(k, k, mention=True) for k in range(4)])
    assert [f"./{name}" for name in names] == remedy_flags(message)


def test_many_files_in_a_strange_order_do_not_stall_the_run(tmp_path, monkeypatch):
    """
    Each file against each place would be 9 million comparisons.
    """
    monkeypatch.chdir(tmp_path)
    n = 3000
    for k in range(n):
        Path(f"{k}.gt.json").write_text(json.dumps({"text": f"text{k}", "ground_truth": []}))
    rows = [{"itext": k * 7 % n, "a": 0, "b": 1, "mention": f"text{k}"} for k in range(n)]
    assert any(note.code == "surfaces-differ" for note in score(".", rows).notes)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(range(5)))
def test_any_order_of_few_files_is_found(tmp_path, order):
    names = []
    for k in range(5):
        names.append(str(tmp_path / f"{k}.gt.json"))
        Path(names[-1]).write_text(json.dumps([document(k, itext=0)]))
    rows = [row(position, k, mention=True) for position, k in enumerate(order)]
    if sum(position == k for position, k in enumerate(order)) >= 3:
        assert score(names, rows)
    else:
        assert [names[k] for k in order] == remedy_flags(refused(names, rows))


# --- what a report repeats -------------------------------------------------------------------------------------------


def report(rows: list[dict[str, Any]], *gold: Mapping[str, Any]) -> dict[str, Any]:
    return {"entities": rows, "ground_truth": [x["ground_truth"] for x in gold]}


def test_a_report_that_repeats_other_gold_is_an_error(files):
    gold = files([document(0, itext=0)], [document(1, itext=0)], [document(3, itext=0)])
    saw = [document(3), document(1), document(0)]
    saw[1]["ground_truth"][0]["b"] += 4
    Path("out.json").write_text(json.dumps(report([row(0, 3)], *saw), indent=1))
    message = refused(gold, "out.json")
    assert "annotations that the report repeats agree with the documents they were given to" in message
    assert ["c.gt.json", "b.gt.json", "a.gt.json"] == remedy_flags(message)


def test_a_report_that_repeats_our_gold_is_fine(files):
    gold = files([document(0, itext=0)], [document(1, itext=0)])
    Path("1.json").write_text(json.dumps(report([row(0, 0)], document(0), document(1))))
    Path("2.json").write_text(json.dumps(report([row(1, 1)], document(0), document(1))))
    assert (2, 2, 2) == matched(score(gold, ["1.json", "2.json"]))


def test_a_report_that_repeats_gold_of_elsewhere_gets_a_note():
    result = score([document(0), document(1)], report([row(0, 0)], {"ground_truth": [{"a": 70, "b": 80}]}))
    assert ["surfaces-differ"] == [n.code for n in result.notes if n.code == "surfaces-differ"]


def test_alignment_errors_have_their_own_class():
    with pytest.raises(AlignmentError):
        score([document(0)], [row(7, 0)])


def test_rows_that_count_documents_from_1_are_told_so():
    """
    By their mentions where all keys are known, and by the keys alone where the last one is not.
    """
    texts = ["alpha beta gamma", "delta epsilon", "zeta eta theta"]
    gold = [{"itext": d, "text": text, "ground_truth": [{"a": 0, "b": 4}]} for d, text in enumerate(texts)]
    rows = [
        {"itext": d + 1, "a": 0, "b": 4, "entity_id_predicted": "Q1", "mention": text[:4]}
        for d, text in enumerate(texts)
    ]

    message = refused(gold, rows[:2])
    assert "only 0 of 2 mentions of the rows agree" in message
    assert "2 of 2 would agree if the rows count documents from 1" in message
    assert "hint: subtract 1 from the itext of every row" in message
    assert "the rows may count documents from 1: subtract 1 from the itext of every row" in refused(
        gold, [{key: value for key, value in row.items() if key != "mention"} for row in rows]
    )


def test_names_of_documents_under_itext_are_told_apart_from_unknown_documents():
    gold = [document(0, doc_id="n-1"), document(1, doc_id="n-2")]

    assert "--field doc_id=itext would find them all" in refused(gold, [row("n-1", 0), row("n-2", 1)])

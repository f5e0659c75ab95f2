"""Runs: what is kept of a scored system, how it is saved, and which runs may be compared."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from test_laws import ASSIGNMENTS, MODES, corpora
from versions import GOLD, V1, V2

import spaneval
from spaneval.exceptions import AlignmentError, FormatError
from spaneval.kinds import SPANS
from spaneval.outcomes import Fate
from spaneval.runs import Run, check_comparable, run_of, stacked
from spaneval.saved_runs import as_run, from_json, is_saved_run, to_json


def run(rows: Any, gold: Any = GOLD, **options: Any) -> Run:
    """Score without intervals."""
    return run_of(spaneval.evaluate(gold, rows, ci=False, **options))


def outcomes(of: Run) -> dict[tuple[str, int, int], tuple[str, str]]:
    """Outcome and id by document key and span."""
    x = of.annotations
    keys = zip([of.names[d] for d in x.doc.tolist()], x.a.tolist(), x.b.tolist(), strict=True)
    values = zip([Fate(f).label for f in x.fate.tolist()], x.compared, strict=True)
    return dict(zip(keys, values, strict=True))


def test_outcome_of_each_annotation():
    """
    As worked out in `versions`.
    """
    assert outcomes(run(V1)) == {
        ("0", 0, 4): ("correct", "G1"),
        ("0", 5, 14): ("wrong", "R2"),
        ("0", 15, 19): ("missed", ""),
        ("1", 0, 4): ("correct", "G2"),
        ("1", 11, 15): ("minted", "kb::C1"),
        ("1", 18, 26): ("missed", ""),
    }
    assert outcomes(run(V2))["1", 18, 26] == ("no_predicted_id", "")


def test_spurious_predictions_are_kept_with_their_ids():
    """
    Two in v1, in two documents.
    """
    x = run(V1)
    shown = {(x.names[d], a, b, p) for d, a, b, p, _ in zip(*x.spurious, strict=True)}

    assert shown == {("1", 5, 10, "R3"), ("2", 0, 7, "X")}


def test_translated_id_is_what_was_compared():
    """
    The map turns the minted id into a right one, and that is what the run holds.
    """
    found = outcomes(run(V1, id_map={"kb::C1": "G1"}, unmapped="keep"))

    assert found["1", 11, 15] == ("correct", "G1")


def test_order_of_documents_and_files_changes_nothing(tmp_path: Path):
    """
    Three files in another order are the same gold, and the run is the same, byte by byte.
    """
    for k, document in enumerate(reversed(GOLD)):
        (tmp_path / f"{k}.gt.json").write_text(json.dumps(document))

    assert to_json(run(V1)) == to_json(run(V1[::-1], tmp_path))


def test_equal_documents_stand_in_the_order_of_their_keys():
    """
    Without texts and annotations, documents have one digest, and the keys tell them apart.
    """
    gold = [{"itext": k, "ground_truth": []} for k in range(12)]
    rows = [{"itext": k, "a": 0, "b": 1 + k} for k in range(0, 12, 3)]

    assert to_json(run(rows, gold)) == to_json(run(rows, gold[::-1]))


@settings(max_examples=100)
@given(corpora(), MODES, ASSIGNMENTS)
def test_what_is_saved_is_read_again(corpus, mode, assignment):
    """
    On any corpus the checks of the reader hold, and nothing is lost.
    """
    gold, rows = corpus
    saved = to_json(run(rows, gold, match=mode, assignment=assignment, doc_key="itext", nil=["NEW"]))

    assert saved == to_json(from_json(saved, "run.json"))


def test_unknown_documents_and_bad_rows_are_saved():
    """
    They are documents of their own in the statistics.
    """
    rows = [*V1, {"itext": 77, "a": 0, "b": 3}, {"a": 1, "b": 0}, {"itext": 1, "a": 9, "b": 2}]
    x = run(rows, unknown_docs="count", on_bad_row="skip")

    assert x.documents[3:] == ["?(rows without a document)", "?77"]
    assert x.n_gold_documents == 3
    assert to_json(from_json(to_json(x), "run.json")) == to_json(x)


def test_run_does_not_say_how_intervals_were_drawn():
    """
    So a run saved with intervals is that of a comparison without.
    """
    with_intervals = spaneval.evaluate(GOLD, V1, resamples=50, seed=7, level=0.5)

    assert to_json(run(V1)) == to_json(run_of(with_intervals))


def test_saved_run_is_told_by_its_first_bytes():
    """
    Also after a formatter; never rows. A report is taken for one, and then refused by its schema.
    """
    assert is_saved_run(to_json(run(V1))[:60])
    assert is_saved_run(b'\xef\xbb\xbf {\n  "schema" : "spaneval.run/9"')
    assert is_saved_run(b'{"schema": "spaneval.score/1"')
    assert not is_saved_run(b'{"schema": "other/1"')
    assert not is_saved_run(b'{"itext": 0, "mention": "\\"schema\\":\\"spaneval.run/1"}')
    assert not is_saved_run(b"")


def test_saved_run_may_be_gzipped(tmp_path: Path):
    """
    As every input.
    """
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(to_json(run(V1))))

    assert to_json(as_run(path)) == to_json(run(V1))


Change = Callable[[dict[str, Any]], Any]


def setting(*keys: Any, to: Any) -> Change:
    """Sets one value deep inside."""

    def change(content: dict[str, Any]) -> None:
        *outer, last = keys
        place: Any = content
        for key in outer:
            place = place[key]
        place[last] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting("schema", to="spaneval.run/2"), "another version: schema spaneval.run/2, expected spaneval.run/1"),
        (setting("schema", to="spaneval.score/1"), "not a saved run: schema spaneval.score/1, expected spaneval.run/1"),
        (setting("schema", to=None), "not a saved run"),
        (lambda content: content.pop("counts"), "'counts' is missing or of another type"),
        (lambda content: content.pop("signature"), "'signature' is missing"),
        (setting("signature", to="match:overlap"), "its signature names no gold"),
        (setting("counting", to=[]), "'counting' is missing or of another type"),
        (setting("gold", to="0" * 16), "its documents are not those of its gold"),
        (lambda content: content["documents"].reverse(), "'documents' are not in order"),
        (setting("documents", 0, to="x"), "'documents' are not in order"),
        (setting("documents", 0, to=None), "'documents' holds something other than text"),
        (lambda content: content.pop("translated"), "'translated' is missing or of another type"),
        (lambda content: content["translated"].update(X=1), "'translated' holds something other than text"),
        (lambda content: content["names"].pop(), "'names' has 2 entries, expected 3"),
        (lambda content: content["fates"].reverse(), "'fates' are not those of this version"),
        (setting("counts", "n_gold", 0, to=-1), "'n_gold' holds -1, expected 0 or more"),
        (setting("counts", "n_gold", 0, to=2**70), "'n_gold' holds"),
        (setting("counts", "n_gold", 0, to=1.0), "'n_gold' holds something other than integers"),
        (setting("counts", "n_gold", 0, to=True), "'n_gold' holds something other than integers"),
        (setting("counts", "n_gold", to=[3]), "'n_gold' has 1 entries, expected 3"),
        (setting("counts", "n_gold", to=[9, 9, 9]), "n_gold of document"),
        (setting("counts", "n_predicted", to=[9, 9, 9]), "n_predicted of document"),
        (setting("counts", "n_golden", to=[3, 3, 0]), "there is no count 'n_golden'"),
        (setting("annotations", "fate", 0, to=7), "'fate' holds 7, expected 0 or more and less than 7"),
        (setting("annotations", "fate", 0, to=6), "a missed annotation has a partner"),
        (setting("annotations", "doc", 0, to=9), "'doc' holds 9"),
        (lambda content: content["annotations"]["doc"].reverse(), "'doc' is not ascending"),
        (lambda content: content["annotations"]["a"].pop(), "'a' has 5 entries, expected 6"),
        (setting("annotations", "ids", 0, to=5), "'ids' holds something other than text"),
        (setting("annotations", "pred_a", 0, to=-2), "'pred_a' holds -2"),
        (lambda content: [x.pop() for x in content["spurious"].values()], "n_predicted of document"),
    ],
)
def test_changed_run_is_refused(change: Change, message: str):
    """
    Everything that the file says twice has to agree.
    """
    content = json.loads(to_json(run(V1)))
    change(content)

    with pytest.raises(FormatError) as error:
        from_json(json.dumps(content).encode(), "run.json")

    assert str(error.value).startswith("run.json: ")
    assert message in str(error.value)
    assert "hint: save it again with `spaneval score --save FILE`" in str(error.value)


@pytest.mark.parametrize("name", SPANS.columns)
def test_run_that_lacks_a_count_is_refused(name: str):
    """
    A count that is 0 everywhere is written, too, so that none can be taken for 0 because it was lost.
    """
    content = json.loads(to_json(run(V1)))
    del content["counts"][name]

    with pytest.raises(FormatError, match=f"its counts lack '{name}'"):
        from_json(json.dumps(content).encode(), "run.json")


@pytest.mark.parametrize("cut", [30, 400, -2])
def test_truncated_run_is_refused(cut: int):
    """
    A disk that was full while it was copied.
    """
    with pytest.raises(FormatError, match="not valid JSON, or was cut short"):
        from_json(to_json(run(V1))[:cut], "run.json")


def test_file_of_another_kind_is_no_run():
    """
    A list of rows, rows, nothing.
    """
    for raw in (b"[]", b'{"itext": 0}\n{"itext": 1}\n', b""):
        with pytest.raises(FormatError, match="not a saved run"):
            from_json(raw, "rows.json")


def test_runs_over_other_gold_are_refused_with_both_values():
    """
    One annotation more is other gold.
    """
    other = [*GOLD[:2], GOLD[2] | {"ground_truth": [{"a": 0, "b": 7, "entity_id": "X"}]}]
    one, two = run(V1), run(V2, other)

    with pytest.raises(AlignmentError) as error:
        check_comparable({"v1": one, "v2": two})

    assert f"v2 was scored on gold gt:3d.{two.gold[:8]}, not on gt:3d.{one.gold[:8]} as v1 was" in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "exact"}, "v2 was counted with match exact, v1 with overlap"),
        ({"nil": ["NIL"]}, "v2 was counted with nil NIL, v1 with none"),
        ({"min_score": 0.0}, "v2 was counted with min_score 0.0, v1 with none"),
        ({"null_is_nil": True, "nil": ["NIL"]}, "v2 was counted with nil NIL, v1 with none"),
    ],
)
def test_runs_counted_with_other_options_are_refused_with_both_values(options: dict[str, Any], message: str):
    """
    A difference would be one of options.
    """
    scored = [x | {"score": 1.0} for x in V2]

    with pytest.raises(AlignmentError, match=message):
        check_comparable({"v1": run(V1), "v2": run(scored, **options)})


def test_runs_with_other_maps_of_gold_ids_are_refused():
    """
    They change what is right.
    """
    with pytest.raises(AlignmentError, match=r"v2 was counted with gold_id_map [0-9a-f]{16}, v1 with none"):
        check_comparable({"v1": run(V1), "v2": run(V2, gold_id_map={"G1": "G2"})})


def test_runs_of_other_rules_are_refused():
    """
    The `scores` number is raised when counting changes.
    """
    content = json.loads(to_json(run(V2)))
    content["counting"]["scores"] = 0

    with pytest.raises(AlignmentError, match="v2 was counted with scores 0, v1 with 1"):
        check_comparable({"v1": run(V1), "v2": from_json(json.dumps(content).encode(), "run.json")})


def test_option_that_only_one_run_knows_is_shown():
    """
    A later version may save an option more.
    """
    content = json.loads(to_json(run(V2)))
    content["counting"]["novel"] = "yes"
    later = from_json(json.dumps(content).encode(), "run.json")

    with pytest.raises(AlignmentError, match="v2 was counted with novel yes, v1 with none"):
        check_comparable({"v1": run(V1), "v2": later})
    with pytest.raises(AlignmentError, match="v1 was counted with novel none, v2 with yes"):
        check_comparable({"v2": later, "v1": run(V1)})


def test_names_of_fields_and_the_order_of_nil_ids_may_differ():
    """
    They are how one system writes its rows, and change no count.
    """
    renamed = [{("start" if key == "a" else key): value for key, value in x.items()} for x in V2]
    one = run(V1, nil=["A", "B"])
    two = run(renamed, nil=["B", "A"], fields={"a": "start"})

    check_comparable({"v1": one, "v2": two})


def test_run_with_moved_annotations_is_refused():
    """
    The digest of the gold says nothing of the annotations in the file, so these are compared.
    """
    content = json.loads(to_json(run(V2)))
    content["annotations"]["a"][0] += 1

    with pytest.raises(AlignmentError, match="hold different parts of the same gold"):
        check_comparable({"v1": run(V1), "v2": from_json(json.dumps(content).encode(), "run.json")})


def test_documents_are_the_union_over_systems():
    """
    A document that one system invented has no gold, and nothing of the other.
    """
    one = run([*V1, {"itext": 8, "a": 0, "b": 1}], unknown_docs="count")
    two = run([*V2, {"itext": 7, "a": 0, "b": 1}, {"itext": 7, "a": 3, "b": 4}], unknown_docs="count")
    table = stacked([one, two])

    assert table.shape[:2] == (5, 2)
    assert table[3:, :, 1].tolist() == [[0, 2], [1, 0]]
    assert np.array_equal(table[:3, 0], one.counts.table[:3])


def test_saved_run_says_once_what_an_id_is_compared_as():
    """
    Ids that are compared as they are written are not named at all; None is not compared.
    """
    whole = run(V1, id_map={"kb::C1": "G1", "G1": "G1", "G2": "G2"})
    content = json.loads(to_json(whole))

    assert content["translated"] == {"R2": None, "R3": None, "X": None, "kb::C1": "G1"}
    assert "translated" not in content["annotations"]
    assert json.loads(to_json(run(V1)))["translated"] == {"kb::C1": None}


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.jsonl", "run.csv"])
def test_saved_run_in_place_of_predictions_is_told_so(tmp_path: Path, name: str):
    """
    Told by its content, whatever the name and however it was laid out.
    """
    raw = to_json(run(V1))
    content = json.loads(raw)
    texts = [raw, json.dumps(content, indent=1).encode()]
    if name.endswith(".json"):
        texts.append(json.dumps(dict(reversed(content.items())), indent=1).encode())
    for text in texts:
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)

        with pytest.raises(FormatError) as error:
            spaneval.evaluate(GOLD, tmp_path / name)

        assert "this is a saved run, as `spaneval score --save` writes it, and no file of predictions" in str(
            error.value
        )
        assert "hint: `spaneval compare` and `spaneval diff` read saved runs" in str(error.value)


def test_report_in_place_of_predictions_is_told_so(tmp_path: Path):
    """
    Likewise a file that -o wrote.
    """
    (tmp_path / "report.json").write_text(json.dumps(spaneval.evaluate(GOLD, V1).to_dict()))

    with pytest.raises(FormatError, match="this is a report of `spaneval score`, and no file of predictions"):
        spaneval.evaluate(GOLD, tmp_path / "report.json")

"""Runs of records: what is kept of decisions, how it is saved, and what compare and diff say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spaneval
from spaneval.class_measures import margins
from spaneval.cli import main
from spaneval.counts import Counts
from spaneval.exceptions import AlignmentError, FormatError, MeasureError
from spaneval.gates import check_floors, check_regressions, floor, tolerance
from spaneval.kinds import DECISIONS, FIELDS, LEAVES, labels
from spaneval.measures import measures_of
from spaneval.outcomes import Fate
from spaneval.records.decisions import Builder, Decisions
from spaneval.records.runs import record_run
from spaneval.reports import Style
from spaneval.reports.changes import render as render_diff
from spaneval.reports.comparison import render
from spaneval.runs import Run, kind_of, stacked
from spaneval.saved_runs import from_json, to_json
from spaneval.scores import score_counts
from spaneval.signature import record_digests
from spaneval.values.fields import Comparator, decide

FIELD_NAMES = ("asset", "due")
GOLD: dict[str, dict[str, Any]] = {
    "r1": {"asset": "A7", "due": "2026-11-10"},
    "r2": {"asset": "B2", "due": None},
    "r3": {"asset": "C9", "due": "2026-11-12"},
}
OLD: dict[str, dict[str, Any]] = {
    "r1": {"asset": "A7", "due": "2026-11-10"},
    "r2": {"asset": "B3", "due": "2026-11-11"},
    "r3": {"asset": None, "due": None},
}
NEW: dict[str, dict[str, Any]] = {
    "r1": {"asset": "A7", "due": "2026-11-01"},
    "r2": {"asset": "B2", "due": None},
    "r3": {"asset": "C8", "due": None},
}


def decisions_of(gold: dict[str, dict[str, Any]], extracted: dict[str, dict[str, Any]]) -> Decisions:
    """Every field of every record, decided exactly."""
    names = [*gold, *(name for name in extracted if name not in gold)]
    builder = Builder(names, FIELD_NAMES)
    for d, name in enumerate(names):
        for field in FIELD_NAMES:
            sides = (side.get(name, {}).get(field) for side in (gold, extracted))
            values = tuple(sides)
            builder.add(d, field, field, *values, decide(*values, Comparator()))
    return builder.build()


def counts_of(decisions: Decisions) -> Counts:
    """Counts per record."""
    n = len(decisions.documents)
    ones, whole = np.ones(n, np.int64), decisions.whole().astype(np.int64)
    return Counts.from_columns(n, FIELDS, **decisions.by_document(), n_records=ones, n_records_correct=whole)


def run(extracted: dict[str, dict[str, Any]], gold: dict[str, dict[str, Any]] = GOLD) -> Run:
    """The run of one system."""
    decisions = decisions_of(gold, extracted)
    digests = record_digests(list(gold), (json.dumps(x, sort_keys=True) for x in gold.values()))
    gt = f"gt:{len(digests)}d.{'0' * 8}"
    return record_run(
        counts_of(decisions), decisions, digests, signature=f"of:records|{gt}|scores:1|v:0", counting={"key": "id"},
        predictions="",
    )  # fmt: skip


def test_gold_values_and_what_became_of_them():
    """
    Five values, in the order of digests; the invented date stands apart.
    """
    x = run(OLD)
    names = [x.names[d] for d in x.annotations.doc.tolist()]
    fates = [Fate(f).label for f in x.annotations.fate.tolist()]
    found = set(zip(names, x.annotations.path, x.annotations.gold, fates, x.annotations.extracted, strict=True))

    assert found == {
        ("r1", "asset", "A7", "correct", "A7"),
        ("r1", "due", "2026-11-10", "correct", "2026-11-10"),
        ("r2", "asset", "B2", "wrong", "B3"),
        ("r3", "asset", "C9", "missed", ""),
        ("r3", "due", "2026-11-12", "missed", ""),
    }
    assert (x.spurious.path, x.spurious.extracted) == (["due"], ["2026-11-11"])


def test_saved_run_is_the_run():
    """
    Byte by byte, and as arrays.
    """
    x = run(OLD)
    raw = to_json(x)
    y = from_json(raw, "old.run.json")

    assert raw == to_json(y)
    assert y.counts.kind == FIELDS
    assert x.counts.table.tolist() == y.counts.table.tolist()


def test_order_of_records_changes_nothing():
    """
    Neither that of the gold nor that of the extraction.
    """
    back = dict(reversed(GOLD.items()))

    assert to_json(run(OLD)) == to_json(run(dict(reversed(OLD.items())), back))


@pytest.mark.parametrize("column", [*DECISIONS[:3], "fpfn"])
def test_changed_counts_are_noticed(column: str):
    """
    What decisions add up to is not what the counts say.
    """
    content = json.loads(to_json(run(OLD)))
    content["counts"][column][0] += 1

    with pytest.raises(FormatError, match=f"x.json: a broken saved run: {column} of document r. is"):
        from_json(json.dumps(content).encode(), "x.json")


@pytest.mark.parametrize("column", ["tn", "n_records", "n_records_correct"])
def test_changed_counts_that_no_outcome_adds_up_to_are_noticed(column: str):
    """
    Whole records were what the file said they were; the hint names the command that saves such a run.
    """
    content = json.loads(to_json(run(OLD)))
    content["counts"][column][0] += 1

    with pytest.raises(FormatError) as error:
        from_json(json.dumps(content).encode(), "x.json")
    assert "x.json: a broken saved run: 'counts' are not those that were saved" in str(error.value)
    assert "hint: save it again with `spaneval records --save FILE`" in str(error.value)


def test_run_of_no_class_is_refused():
    """
    There is nothing to divide by.
    """
    content = json.loads(to_json(run(OLD))) | {"kind": "classes", "counts": {}}

    with pytest.raises(FormatError, match="it counts 'classes', which this version does not know"):
        from_json(json.dumps(content).encode(), "x.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "leaves"}, "it counts 'leaves', which this version does not know"),
        ({"kind": None}, "'kind' is missing"),
        ({"counts": {}}, "its counts lack 'tp'"),
    ],
)
def test_broken_kinds(change: dict[str, Any], message: str):
    """
    Neither another kind nor none.
    """
    content = json.loads(to_json(run(OLD))) | change

    with pytest.raises(FormatError, match=message):
        from_json(json.dumps(content).encode(), "x.json")


def test_compare_by_hand():
    """
    Old: 2 of 4 extracted right, 2 of 5 gold; new: 2 of 4 and 2 of 5, other ones.
    """
    found = spaneval.compare({"old": run(OLD), "new": run(NEW)}, ci=False)
    values = {name: {m: entry.value for m, entry in of.items()} for name, of in found.entries.items()}

    assert values["old"] == {
        "precision": 2 / 4,
        "recall": 2 / 5,
        "f1": 4 / 9,
        "agreement": 2 / 6,
        "records_correct": 1 / 3,
    }
    assert values["new"] == {
        "precision": 2 / 4,
        "recall": 2 / 5,
        "f1": 4 / 9,
        "agreement": 2 / 5,
        "records_correct": 1 / 3,
    }
    # in the place of A7, 2026-11-10 and B2 both systems extracted something
    assert (found.common.n, found.common.n_correct) == (3, {"old": 2, "new": 2})
    assert found.test is not None
    assert found.test["exact"]


def test_system_against_itself():
    """
    No difference, p 1.
    """
    found = spaneval.compare({"a": run(OLD), "b": run(OLD)}, resamples=50)

    for entry in found.entries["b"].values():
        assert entry.delta == 0
        assert entry.test is not None
        assert entry.test.p == 1


def test_diff_by_hand():
    """
    One date broken, one asset fixed, one asset found but wrong; the invented date is gone.
    """
    found = spaneval.diff(run(OLD), run(NEW))

    assert found.fates == {
        "fixed": 1, "broken": 1, "found": 1, "lost": 0, "value_changed": 0, "new_spurious": 0, "spurious_gone": 1,
    }  # fmt: skip
    rows = {(row["document"], row["path"]): row for row in found.rows()}
    assert rows["r2", "asset"]["old"] == {"outcome": "wrong", "extracted": "B3"}
    assert rows["r2", "asset"]["new"] == {"outcome": "correct", "extracted": "B2"}
    assert rows["r2", "due"]["new"] is None
    assert rows["r3", "asset"]["gold"] == "C9"
    assert "text" not in rows["r3", "asset"]


values = st.sampled_from(["A", "B", None])
records = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]), st.fixed_dictionaries({"asset": values, "due": values})
)


@settings(deadline=None)
@given(records, records, records)
def test_cells_are_the_differences_of_counts(gold: dict[str, Any], old: dict[str, Any], new: dict[str, Any]):
    """
    Every gold value stands in one cell; what was added stands beside.
    """
    runs = {"old": run(old, gold), "new": run(new, gold)}
    found = spaneval.diff(runs["old"], runs["new"])
    for column, fate in (("tp", Fate.CORRECT), ("fpfn", Fate.WRONG), ("fn", Fate.MISSED)):
        before, after = (x.counts.totals()[column] for x in runs.values())
        assert found.cells[fate].sum() == before
        assert found.cells[:, fate].sum() == after
    added = [x.counts.totals()["fp"] for x in runs.values()]
    assert added == [found.spurious.old_only + found.spurious.both, found.spurious.both + found.spurious.new_only]


def test_runs_of_other_gold_or_of_spans_are_refused():
    """
    With what each of them is.
    """
    other = run(OLD, GOLD | {"r3": {"asset": "C9", "due": None}})
    with pytest.raises(AlignmentError, match="new was scored on gold gt:3d"):
        spaneval.compare({"old": run(OLD), "new": other})
    counted = run(NEW)
    counted.counting["scores"] = 0
    with pytest.raises(
        AlignmentError, match=r"new was counted with scores 0, old with 1(.|\n)*same version of spaneval"
    ):
        spaneval.compare({"old": run(OLD), "new": counted})
    spans = spaneval.evaluate([{"text": "ab", "ground_truth": []}], [], ci=False)
    with pytest.raises(AlignmentError, match="spans is a run of spans, old one of records"):
        spaneval.compare({"old": run(OLD), "spans": spans})


def test_records_are_grouped_by_document_alone():
    """
    Other groups are made of ids and spans. r2: asset wrong, date invented against asset right.
    """
    found = spaneval.compare({"old": run(OLD), "new": run(NEW)}, by="document", measures=["precision"], ci=False)
    entries = found.groups["document"]["r2"]

    assert ["r1", "r2", "r3"] == list(found.groups["document"])
    assert ((0, 2), (1, 1)) == tuple(entries[name]["precision"].fraction for name in ("old", "new"))
    for field in ("length", "subject"):
        with pytest.raises(FormatError, match=f"old is a run of records, which cannot be grouped by '{field}'"):
            spaneval.compare({"old": run(OLD), "new": run(NEW)}, by=field)


def test_gates_know_their_kind():
    """
    Floors of records, and the measures that are the better, the lower.
    """
    counts = counts_of(decisions_of(GOLD, OLD))
    scores = score_counts(counts, list(GOLD), tuple(measures_of(FIELDS).values()), ci=False)
    (check,) = check_floors([floor("records_correct=0.5", FIELDS)], scores)
    assert str(check) == "gate: records_correct 0.333 >= 0.5: missed"
    with pytest.raises(MeasureError, match="the lower rework, the better"):
        floor("rework=0.1", FIELDS)
    with pytest.raises(MeasureError, match="no measure 'link_f1'"):
        floor("link_f1=0.1", FIELDS)
    found = spaneval.compare({"old": run(NEW), "new": run(OLD)}, measures=["rework"], ci=False)
    (check,) = check_regressions([tolerance("rework=0.01")], found)
    # old: 2 wrong of 5 gold values; new: 1 wrong, 1 invented
    assert str(check) == "gate: rework new 0.400 vs old 0.400, allowed rise 0.01: met"
    worse = run(OLD | {"r3": {"asset": "C8", "due": None}})
    found = spaneval.compare({"old": run(NEW), "new": worse}, measures=["rework"], ci=False)
    (check,) = check_regressions([tolerance("rework=0.01")], found)
    assert str(check) == "gate: rework new 0.600 vs old 0.400, allowed rise 0.01: missed"
    assert found.entries["new"]["rework"].scoreboard == (1, 1, 1, 0)


def test_classes_of_two_systems_are_joined():
    """
    A class that one system never names is a column of zeros there.
    """
    kinds = [labels(["a", "b"]), labels(["a", "b", "c"])]
    runs = []
    for kind in kinds:
        table = np.eye(len(kind.columns), dtype=np.int64)[:1]
        x = run({}, {"r1": {"asset": "a", "due": None}})
        runs.append(Run(**{**x.__dict__, "counts": Counts(table, kind)}))

    assert margins(["a", "b", "c"]) == kind_of(runs)
    # one object of class a that was taken for a: n, right, actual and predicted
    assert [[1, 1, 0, 0, 1, 0, 0, 1, 0, 0]] * 2 == stacked(runs)[0].tolist()
    assert margins(["a", "b"]) == kind_of(runs[:1])


def test_classes_that_one_version_alone_knows_are_compared_and_listed():
    """
    `diff` failed where the old version knew a class that the new one did not, and left out those of the new one.
    """
    gold = {"1": "a", "2": "a", "3": "b"}
    old, new = (spaneval.classify(gold, gold | x, ci=False) for x in ({"2": "c"}, {"3": "d", "1": "b"}))
    changes = spaneval.diff(old, new).counts

    # old: a a, a c, b b; new: a b, a a, b d
    assert {
        "a\x1fa": (1, 1), "a\x1fb": (0, 1), "a\x1fc": (1, 0), "b\x1fb": (1, 0), "b\x1fd": (0, 1),
    } == changes  # fmt: skip
    assert (3, 3) == tuple(map(sum, zip(*changes.values(), strict=True)))
    found = spaneval.compare({"old": old, "new": new}, measures=["precision:d", "recall:b"], ci=False)
    assert (0, 1) == found.entries["new"]["precision:d"].fraction
    assert ((1, 1), (0, 1)) == tuple(found.entries[name]["recall:b"].fraction for name in ("old", "new"))


def test_many_classes_are_compared_by_their_margins():
    """
    Forty classes have 1,600 cells, which took minutes; accuracy needs 121 sums.
    """
    names = [f"c{k:02}" for k in range(40)]
    gold = {f"o{k}": names[k % 40] for k in range(200)}
    runs = {name: spaneval.classify(gold, gold | {"o7": one}, ci=False) for name, one in (("x", "c00"), ("y", "c07"))}
    found = spaneval.compare(runs, ci=False)

    assert (200, 2, 121) == stacked(list(found.runs.values())).shape
    assert ((199, 200), (200, 200)) == tuple(found.entries[name]["accuracy"].fraction for name in ("x", "y"))


def test_paths_of_what_was_added_lose_their_numbers():
    """
    Which row of an extraction it was means nothing to another one.
    """
    builder = Builder(["d"])
    for k, path in enumerate(["items[0].price", "items[12].price"]):
        builder.add(0, path, "price", None, str(k), decide(None, str(k), Comparator()))
    decisions = builder.build()
    counts = Counts.from_columns(1, LEAVES, predicted=np.array([2]))
    x = record_run(counts, decisions, record_digests(["d"], ["{}"]), signature="gt:1d.0", counting={}, predictions="")

    assert x.spurious.path == ["items[].price"] * 2
    assert len(x.annotations.doc) == 0


def test_saved_run_of_leaves_counts_its_values(tmp_path: Path):
    """
    Gold, predicted and equal leaves are those of the decisions.
    """
    builder = Builder(["d"])
    for k, (gold, extracted) in enumerate([("1", "1"), ("2", "3"), ("4", None), (None, "5")]):
        builder.add(0, f"p{k}", f"p{k}", gold, extracted, decide(gold, extracted, Comparator()))
    columns = {"gold": 3, "predicted": 3, "equal": 1}
    counts = Counts.from_columns(1, LEAVES, **{name: np.array([n]) for name, n in columns.items()})
    digests = record_digests(["d"], ["{}"])
    path = tmp_path / "x.run.json"
    saved = record_run(counts, builder.build(), digests, signature="|gt:1d.0", counting={}, predictions="")
    path.write_bytes(to_json(saved))

    assert spaneval.diff(str(path), path).fates["fixed"] == 0
    path.write_bytes(path.read_bytes().replace(b'"equal":[1]', b'"equal":[2]'))
    with pytest.raises(FormatError, match="equal of document d is 2, its outcomes add up to 1"):
        spaneval.diff(str(path), path)


def test_intervals_of_a_comparison_are_those_of_the_score():
    """
    With the same seed, for every command: records and audits were resampled in another order than their runs.
    """
    data = Path(__file__).parent.parent / "data"
    chosen: dict[str, Any] = {"resamples": 200, "seed": 5}
    found: list[Any] = [
        spaneval.evaluate_records(
            data / "records" / "gold.jsonl", data / "records" / "model.jsonl", key="id", **chosen
        ),
        spaneval.audit(data / "audit" / "reviews.sqlite", data / "audit" / "schema.json", **chosen),
        spaneval.classify(data / "classes" / "gold.csv", data / "classes" / "triage.jsonl", **chosen),
        *spaneval.evaluate_json(
            data / "json" / "labels", data / "json" / "results" / "v1", data / "json" / "schemas", **chosen
        ).systems.values(),
    ]
    for one in found:
        scores = getattr(one, "scores", one) if one.__class__.__name__ in ("Audit", "JsonSystem") else one
        comparison = spaneval.compare({"it": one}, **chosen)
        for name, entry in comparison.entries["it"].items():
            assert scores.bootstrap.intervals[name] == entry.interval, (one, name)


def test_fields_that_one_system_alone_names_are_told_where_accuracy_is_compared():
    """
    A colour in one record is a field that is right wherever else it is empty: 26 of 34 in place of 21 of 28.
    """
    gold = {"1": {"a": "x"}, "2": {"a": "y"}}
    old, new = (
        spaneval.evaluate_records(gold, x, key="id", ci=False)
        for x in ({"1": {"a": "x"}, "2": {"a": "z"}}, {"1": {"a": "x", "colour": "red"}, "2": {"a": "z"}})
    )
    found = spaneval.compare({"old": old, "new": new}, measures=["accuracy"], ci=False)

    assert ((1, 2), (2, 4)) == tuple(found.entries[name]["accuracy"].fraction for name in ("old", "new"))
    message = (
        "fields compared: old 1, new 2; 'colour' not for all, and a field that is empty on both sides is right, so "
        "score all with the same --fields before you compare accuracy"
    )
    assert [message] == [note.message for note in found.notes]
    assert [] == spaneval.compare({"old": old, "new": new}, measures=["f1"], ci=False).notes


def test_swaps_of_groups_are_told():
    """
    Fifteen records are swapped at random; a group of one has two swaps, and both were looked at.
    """
    gold = {f"r{k:02}": {"asset": "a", "due": None} for k in range(15)}
    found = spaneval.compare({"x": run(gold, gold), "y": run({}, gold)}, by="document", measures=["recall"], ci=False)
    assert found.test is not None
    page = render(found, "table", Style()).decode()

    assert (10_000, False) == (found.test["trials"], found.test["exact"])
    assert {"trials": 2, "exact": True} == found.test["groups"]["document"]["r00"]
    assert "15 records, 15 gold values; baseline x" in page
    assert "p = (b + 1) / (10000 + 1); in a group of D records, up to 13, all n = 2^D swaps, p = b / n\n" in page
    assert "W/T/L: records in which the system is better, equal, worse than the baseline" in page


def test_a_diff_of_classes_speaks_of_objects():
    """
    There is no value that the gold lacks.
    """
    gold = {"1": "a", "2": "a", "3": "b"}
    changes = spaneval.diff(*(spaneval.classify(gold, gold | x, ci=False) for x in ({"2": "c"}, {})))
    page = b"".join(render_diff(changes, "table", Style())).decode()

    assert page.startswith("3 objects\n\nObjects: outcome in the old version (rows)")
    assert "common pairs: of 3 objects, 0 are right in the old version only, 1 in the new only" in page
    assert "where the gold has none" not in page
    assert {"fixed": 1, "broken": 0, "value_changed": 0} == changes.fates
    assert "What became of them\nchange          number   meaning\n" in page


@pytest.mark.parametrize(("args", "option"), [(["--gt", "gold.gt.json"], "--gt"), (["--nil", "X"], "--nil")])
def test_runs_of_records_beside_gold_or_options_of_spans(
    args: list[str], option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """
    The gold was said to have changed since the run was saved.
    """
    monkeypatch.chdir(tmp_path)
    Path("gold.gt.json").write_text('[{"text": "ab", "ground_truth": []}]')
    Path("x.json").write_bytes(to_json(run(OLD)))

    assert main(["compare", "a=x.json", "b=x.json", *args]) == 3
    assert f"error: a is a run of records, and {option} is about spans\n" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["old.json", "old.json.gz"])
def test_save_writes_what_compare_reads(tmp_path: Path, name: str):
    """
    A run or the result of scoring, packed if its name says so, and nothing else beside it.
    """
    spans = spaneval.evaluate([{"text": "ab", "ground_truth": [{"a": 0, "b": 2, "entity_id": "x"}]}], [], ci=False)
    for system in (run(OLD), spans):
        spaneval.save(system, tmp_path / name)
        found = spaneval.compare({"saved": tmp_path / name, "fresh": system}, ci=False, test=False)

        assert {entry.delta for entry in found.entries["fresh"].values()} <= {0.0, None}
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")

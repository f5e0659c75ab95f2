"""What a review says of a model: by hand, by law, and against queries that share no code with it."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reviews import DOCUMENTS, EDITS, FIELDS, record, write_db, write_schema

from spaneval.profiles.audited import decide
from spaneval.records.review import Audit, audit
from spaneval.saved_runs import from_json, to_json
from spaneval.values.fields import Decision

PROFILES = ("audited", "documented", "ecoextract")
CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases")) / "records"
EXPECTED = json.loads((CASES / "eco" / "expected.json").read_text()) if (CASES / "eco").is_dir() else {}
DATA = Path(__file__).parent.parent / "data" / "audit"


def run(folder: Path, *rows: Iterable[Any], **options: Any) -> Audit:
    """The audit of a database of documents, records and edits."""
    return audit(write_db(folder / "db.sqlite", *rows), write_schema(folder / "s.json"), **{"ci": False, **options})


def counts(result: Audit, *names: str) -> tuple[int, ...]:
    return tuple(result.counts[name] for name in names)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


# ---- the handed databases


@pytest.mark.skipif(not EXPECTED, reason="the handed cases are not here")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", EXPECTED)
def test_handed_databases_to_the_last_bit(name: str, profile: str) -> None:
    """
    Every value of every reading; `ecoextract` is what the original function returns.
    """
    case = EXPECTED[name]
    root = CASES / "eco"
    result = audit(
        str(root / case["database"]),
        str(root / case["schema"]),
        documents=case["document_ids"],
        profile=profile,
        ci=False,
    ).to_dict()
    expected = case["as_coded" if profile == "ecoextract" else profile]

    assert expected == {key: result[key] for key in expected}


@pytest.mark.skipif(not EXPECTED, reason="the handed cases are not here")
def test_a_handed_database_in_wal_mode_gives_the_same(tmp_path: Path) -> None:
    """
    Its folder stays as it is, too: it has no log, and gets none.
    """
    shutil.copyfile(CASES / "eco" / "seed_example_wal.sqlite", tmp_path / "db.sqlite")
    result = audit(str(tmp_path / "db.sqlite"), str(CASES / "eco" / "seed_example_schema.json"), ci=False).to_dict()
    expected = EXPECTED["seed_example"]["audited"]

    assert expected == {key: result[key] for key in expected}
    assert [path.name for path in tmp_path.iterdir()] == ["db.sqlite"]


# ---- by hand


def test_sample_data_as_worked_out_by_hand() -> None:
    """
    The numbers of data/README.md.
    """
    results = {
        profile: audit(str(DATA / "reviews.sqlite"), str(DATA / "schema.json"), profile=profile, ci=False).to_dict()
        for profile in PROFILES
    }
    names = ("human_added", "records_with_edits", "total_fields", "correct_fields", "major_edits", "minor_edits")

    assert [2, 3, 42, 32, 4, 0] == [results["audited"][name] for name in names]
    assert [3, 6, 42, 26, 6, 4] == [results["documented"][name] for name in names]
    assert [3, 6, 63, 44, 6, 4] == [results["ecoextract"][name] for name in names]
    assert {"errors": 4, "taken_back": 2, "later": 2, "other_columns": 1, "of_deleted": 1, "of_added": 1} == results[
        "audited"
    ]["audit_rows"]


def test_sample_database_holds_the_rows_of_its_sql() -> None:
    """
    The text is what a reader can check, the file what the tool reads.
    """
    with closing(sqlite3.connect(":memory:")) as made, closing(sqlite3.connect(f"file:{DATA}/reviews.sqlite?mode=ro&immutable=1", uri=True)) as kept:  # fmt: skip # noqa: E501
        made.executescript((DATA / "reviews.sql").read_text(encoding="utf-8"))

        assert list(made.iterdump()) == list(kept.iterdump())


def test_the_example_of_the_source(folder: Path) -> None:
    """
    12 extracted, 2 deleted, 1 added, 3 corrections in 2 records, 8 fields of which 6 are unique or required.

    All numbers that the source prints, but for the perfect records: its formula gives 8/10, its text says 7/10.
    """
    names = [f"f{k}" for k in range(8)]
    columns = "".join(f", {name} TEXT" for name in names)
    tables = (DOCUMENTS, f"CREATE TABLE records (id TEXT, document_id INTEGER{columns}, deleted_by_user, added_by_user)", EDITS)  # fmt: skip # noqa: E501
    edits = [("r0", "f6", "x", "t"), ("r0", "f7", "x", "t"), ("r1", "f0", "x", "t")]
    rows = [(f"r{k}", 1, *["v"] * 8, "t" if k in (10, 11) else None, int(k == 12)) for k in range(13)]
    db = write_db(folder / "db.sqlite", [(1, "t")], rows, edits, tables=tables)
    schema = write_schema(
        folder / "s.json",
        properties={name: {} for name in names},
        required=names[4:6],
        **{"x-unique-fields": names[:4]},
    )
    expected = {
        "model_extracted": 12, "human_added": 1, "deleted": 2, "records_with_edits": 2,
        "records_found": 10, "records_missed": 1, "records_hallucinated": 2,
        "detection_precision": 10 / 12, "detection_recall": 10 / 11, "perfect_record_rate": 8 / 10,
        "total_fields": 96, "correct_fields": 77, "field_precision": 77 / 96, "field_recall": 77 / 88,
        "major_edits": 1, "minor_edits": 2, "major_edit_rate": 1 / 3, "avg_edits_per_document": 3.0,
    }  # fmt: skip
    for profile in PROFILES:
        result = audit(db, schema, profile=profile, ci=False).to_dict()

        assert expected == {name: result[name] for name in expected}


@pytest.mark.parametrize(
    ("final", "original", "decision"),
    [
        ("a", "a", Decision.TP),
        ("a", "b", Decision.FPFN),
        (None, "b", Decision.FP),
        ("a", None, Decision.FN),
        (None, None, Decision.TN),
        ("", "[]", Decision.TN),
        ("{}", None, Decision.TN),
        ("[]", "x", Decision.FP),
        ("x", "{}", Decision.FN),
        ("0", "", Decision.FN),
        (" ", "", Decision.FN),
        ("1", "1.0", Decision.FPFN),
        ("[ ]", "[]", Decision.FN),
    ],
)
def test_decisions_on_texts(final: str | None, original: str | None, decision: Decision) -> None:
    """
    NULL, nothing, an empty list and an empty object are one empty value; all else is text.
    """
    assert decision == decide(final, original)


def test_values_are_compared_as_sqlite_writes_them(folder: Path) -> None:
    """
    Original values are text: '2.5' is what 2.5 was, and the empty list of before is the NULL of now.
    """
    rows = [record("a", 1, "Ann", None, 2.5)]
    edits = [("a", "size", "2.5", "t1"), ("a", "place", "[]", "t1"), ("a", "name", "Anne", "t1")]
    result = run(folder, [(1, "t")], rows, edits)

    assert (1, 0, 0, 1, 1) == counts(result, "tp", "fp", "fn", "tn", "fpfn")
    assert {"name": 1} == result.tally.column_edits


def test_the_earliest_row_says_what_the_model_wrote(folder: Path) -> None:
    """
    By time, whatever the order of the rows; those of one moment by their order.
    """
    edits = [
        ("a", "name", "third", "2026-01-03"),
        ("a", "name", "first", "2026-01-01"),
        ("a", "name", "second", "2026-01-01"),
    ]
    result = run(folder, [(1, "t")], [record("a", 1, "first", "Bern", 1)], edits)

    assert result.decisions is not None
    assert [row["extracted"] for row in result.decisions.rows()] == ["first", "Bern", "1.0"]
    assert {"errors": 0, "taken_back": 1, "later": 2} == {k: result.tally.fates[k] for k in ("errors", "taken_back", "later")}  # fmt: skip # noqa: E501


def test_added_and_deleted_counts_nowhere(folder: Path) -> None:
    """
    In the audited reading; EcoExtract takes it for a record that the model missed.
    """
    rows = [record("a", 1, "Ann"), record("b", 1, "Ben", added=1, deleted="t")]
    args = (folder, [(1, "t")], rows, [("b", "name", "x", "t")])

    assert (1, 0, 0) == counts(run(*args), "model_extracted", "human_added", "deleted")
    assert run(*args).tally.verified_records == 1
    assert (1, 1, 0) == counts(run(*args, profile="documented"), "model_extracted", "human_added", "deleted")
    assert run(*args, profile="ecoextract").tally.verified_records == 2


def test_what_is_missing_of_added_by_user_counts_as_the_models(folder: Path) -> None:
    """
    NULL in a row, or no such column at all; the latter is told.
    """
    result = run(folder, [(1, "t")], [record("a", 1, "Ann", added=None)])

    assert (1, 0) == counts(result, "model_extracted", "human_added")
    with closing(sqlite3.connect(folder / "db.sqlite")) as connection:
        connection.execute("ALTER TABLE records DROP COLUMN added_by_user")
    result = audit(str(folder / "db.sqlite"), str(folder / "s.json"), ci=False)

    assert (1, 0) == counts(result, "model_extracted", "human_added")
    assert ["no-added-by-user"] == [note.code for note in result.notes]


def test_only_reviewed_documents_count(folder: Path) -> None:
    """
    An empty reviewed_at is not NULL, so it counts, and that is told.
    """
    rows = [record("a", 1), record("b", 2), record("c", 3)]
    result = run(folder, [(1, "t"), (2, None), (3, "")], rows)

    assert ["1", "3"] == result.review.documents
    assert ["blank-reviewed-at"] == [note.code for note in result.notes]


def test_documents_by_id(folder: Path) -> None:
    """
    As numbers or text, each once; one that is not reviewed is left out, and that is told.
    """
    rows = [record("a", 1), record("b", 2), record("c", 3)]
    result = run(folder, [(1, "t"), (2, None), (3, "t")], rows, documents=[3, "2", "3"])

    assert ["3"] == result.review.documents
    assert ["1 document of --documents not reviewed, and left out: 2"] == [note.message for note in result.notes]


def test_rows_that_belong_to_nothing_are_told(folder: Path) -> None:
    """
    An edit of a record that is gone, a record of a document that is gone.
    """
    result = run(folder, [(1, "t")], [record("a", 1), record("b", 7)], [("z", "name", "x", "t")])

    assert ["edits-without-record", "records-without-document"] == [note.code for note in result.notes]
    assert (1, 0) == counts(result, "model_extracted", "edited_fields")


def test_severity_by_required(folder: Path) -> None:
    """
    A required field that may be null is major as written, and minor where only those count that must not be null.
    """
    db = write_db(
        folder / "db.sqlite",
        [(1, "t")],
        [record("a", 1, "Ann", "Bern", 1)],
        [("a", name, "x", "t") for name in FIELDS],
    )
    schema = write_schema(folder / "s.json", required=["place", "size"])
    literal, strict = (audit(db, schema, required=x, ci=False) for x in ("literal", "non-nullable"))

    assert (3, 0) == counts(literal, "major_edits", "minor_edits")
    assert (2, 1) == counts(strict, "major_edits", "minor_edits")
    assert ["no-minor-fields"] == [note.code for note in literal.notes]
    assert "--required non-nullable leaves out those that may be null" in literal.notes[0].message
    assert [] == strict.notes


def test_records_with_a_major_edit(folder: Path) -> None:
    """
    One record with two major edits and one with a minor one; a deleted one counts where audit rows count.
    """
    rows = [record("a", 1, "Ann", "Bern"), record("b", 1, "Ben", "Bonn", 2), record("c", 1, "Cid", deleted="t")]
    edits = [("a", "name", "x", "t"), ("a", "place", "x", "t"), ("b", "size", "1.0", "t"), ("c", "name", "x", "t")]

    assert (2, 1) == counts(run(folder, [(1, "t")], rows, edits), "records_with_edits", "records_with_major_edit")
    documented = run(folder, [(1, "t")], rows, edits, profile="documented")

    assert (3, 2) == counts(documented, "records_with_edits", "records_with_major_edit")


def test_field_f1_of_ecoextract_needs_a_right_field(folder: Path) -> None:
    """
    Three audit rows on three fields leave nothing right: precision and recall are 0 and their mean has no value.
    """
    rows, edits = [record("a", 1, "Ann", "Bern", 1)], [("a", name, "x", "t") for name in FIELDS]
    result = run(folder, [(1, "t")], rows, edits, profile="documented")

    assert (0.0, 0.0, None) == tuple(result.measures[x] for x in ("field_precision", "field_recall", "field_f1"))
    assert "no field is right" in result.undefined["field_f1"]
    assert run(folder, [(1, "t")], rows, edits).measures["field_f1"] == 0.0


def test_more_audit_rows_than_fields_make_negative_numbers_there(folder: Path) -> None:
    """
    As the formulas say: 3 fields less 4 corrections of one field is -1 right field. The audited reading has one error.
    """
    edits = [("a", "name", f"x{k}", "t") for k in range(4)]
    args = (folder, [(1, "t")], [record("a", 1, "Ann", "Bern", 1)], edits)

    assert run(*args, profile="documented").n_correct_fields == -1
    assert run(*args).n_correct_fields == 2


def test_intervals_are_of_documents(folder: Path) -> None:
    """
    The same with every order of rows; none with one document.
    """
    rows = [record(f"r{k}", k % 5, "Ann", deleted="t" if k % 3 else None) for k in range(20)]
    documents = [(k, "t") for k in range(5)]
    one, other = (
        run(folder, d, r, ci=True, resamples=300) for d, r in ((documents, rows), (documents[::-1], rows[::-1]))
    )
    single = run(folder, documents[:1], rows, ci=True, resamples=300)

    assert one.intervals == other.intervals
    assert None is not one.intervals["detection_precision"]
    assert {None} == set(single.intervals.values())


@pytest.mark.parametrize(("name", "value"), [("profile", "adjusted"), ("required", "strict")])
def test_words_that_are_none(folder: Path, name: str, value: str) -> None:
    """
    From Python; the command line has words of its own for it.
    """
    with pytest.raises(ValueError, match=f"{name} is '{value}'; expected one of"):
        run(folder, **{name: value})


# ---- against queries


QUERY = """
WITH original AS (
  SELECT r.id, r.document_id, f.value AS field,
    CASE f.value WHEN 'name' THEN r.name WHEN 'place' THEN r.place ELSE CAST(r.size AS TEXT) END AS final,
    (SELECT COUNT(*) FROM record_edits e WHERE e.record_id = r.id AND e.column_name = f.value) AS n,
    (SELECT e.original_value FROM record_edits e WHERE e.record_id = r.id AND e.column_name = f.value
     ORDER BY e.edited_at, e.rowid LIMIT 1) AS first
  FROM records r, json_each('["name", "place", "size"]') f
  JOIN documents d ON d.document_id = r.document_id
  WHERE d.reviewed_at IS NOT NULL AND r.deleted_by_user IS NULL AND COALESCE(r.added_by_user, 0) = 0
), cleaned AS (
  SELECT id, document_id, field,
    CASE WHEN final IN ('', '[]', '{}') THEN NULL ELSE final END AS final,
    CASE WHEN n = 0 THEN CASE WHEN final IN ('', '[]', '{}') THEN NULL ELSE final END
         WHEN first IN ('', '[]', '{}') THEN NULL ELSE first END AS original
  FROM original
)
SELECT document_id, field, CASE
  WHEN final IS NULL AND original IS NULL THEN 'tn' WHEN final IS NULL THEN 'fp' WHEN original IS NULL THEN 'fn'
  WHEN final = original THEN 'tp' ELSE 'fpfn' END, id
FROM cleaned
"""


def random_db(path: Path, seed: int, n_documents: int = 6) -> str:
    """Everything that the layout allows, in few values, so that all cases meet."""
    rng = random.Random(seed)
    texts = [None, "", "[]", "{}", "a", "b", "1", "1.0", "é"]
    documents = [(k, rng.choice(["t", "t", "t", "", None])) for k in range(1, n_documents + 1)]
    records = [
        record(
            f"r{k}",
            rng.randint(1, n_documents),
            rng.choice(texts),
            rng.choice(texts),
            rng.choice([None, 1, 1.0, 2.5]),
            deleted=rng.choice([None, None, None, "t", ""]),
            added=rng.choice([0, 0, None, 1]),
        )
        for k in range(rng.randint(0, 25))
    ]
    edits = [
        (f"r{rng.randint(0, 27)}", rng.choice([*FIELDS, "record_id", "gone"]), rng.choice(texts), rng.choice("123"))
        for _ in range(rng.randint(0, 60))
    ]
    return write_db(path, documents, records, edits)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_decisions_as_a_query_has_them(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    Every decision of a random database, by one query of SQLite.
    """
    folder = tmp_path_factory.mktemp("oracle")
    db = random_db(folder / "db.sqlite", seed)
    result = audit(db, write_schema(folder / "s.json"), ci=False)
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute(QUERY).fetchall()

    assert result.decisions is not None
    found = [(x["document"], x["field"], x["decision"], x["path"]) for x in result.decisions.rows()]

    assert sorted((str(d), field, decision, f"{key}.{field}") for d, field, decision, key in rows) == sorted(found)
    wrong = [row for row in rows if row[2] not in ("tp", "tn")]

    assert len(wrong) == result.counts["edited_fields"]
    assert len({row[3] for row in wrong}) == result.counts["records_with_edits"]
    assert len({row[3] for row in wrong if row[1] in ("name", "place")}) == result.counts["records_with_major_edit"]
    assert len(result.review.edits) == sum(result.tally.fates.values())


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_ecoextract_as_queries_have_it(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    The formulas of the source on counts that SQLite made.
    """
    folder = tmp_path_factory.mktemp("oracle")
    db = random_db(folder / "db.sqlite", seed)
    where = "FROM records r JOIN documents d USING (document_id) WHERE d.reviewed_at IS NOT NULL AND "
    of_model = "(r.added_by_user IS NULL OR r.added_by_user = 0)"
    with closing(sqlite3.connect(db)) as connection:

        def one(query: str) -> int:
            return int(connection.execute(query).fetchone()[0])

        model, added = one(f"SELECT COUNT(*) {where}{of_model}"), one(f"SELECT COUNT(*) {where} r.added_by_user = 1")
        deleted = one(f"SELECT COUNT(*) {where}{of_model} AND r.deleted_by_user IS NOT NULL")
        ids = f"(SELECT r.id {where}{of_model})"
        edits = one(f"SELECT COUNT(*) FROM record_edits WHERE record_id IN {ids}")
        edited = one(f"SELECT COUNT(DISTINCT record_id) FROM record_edits WHERE record_id IN {ids}")
        major = one(f"SELECT COUNT(*) FROM record_edits WHERE record_id IN {ids} AND column_name IN ('name', 'place')")
        n_documents = one("SELECT COUNT(*) FROM documents WHERE reviewed_at IS NOT NULL")
    for profile, n_fields in (("documented", 3), ("ecoextract", 4)):  # the fourth is made_at
        result = audit(db, write_schema(folder / "s.json"), profile=profile, ci=False).to_dict()
        found = model - deleted
        right = model * n_fields - deleted * n_fields - edits
        precision = right / (model * n_fields) if model else None
        recall = right / ((found + added) * n_fields) if found + added else None
        f1 = None
        if precision is not None and recall is not None and precision + recall > 0:
            f1 = 2 * precision * recall / (precision + recall)
        expected = {
            "verified_documents": n_documents,
            "model_extracted": model,
            "human_added": added,
            "deleted": deleted,
            "records_with_edits": edited,
            "correct_fields": right,
            "field_precision": precision,
            "field_recall": recall,
            "field_f1": f1,
            "detection_precision": found / model if model else None,
            "detection_recall": found / (found + added) if found + added else None,
            "perfect_record_rate": (found - edited) / found if found else None,
            "major_edits": major,
            "minor_edits": edits - major,
            "major_edit_rate": major / edits if edits else None,
            "avg_edits_per_document": edits / n_documents if n_documents else None,
        }

        assert expected == {key: result[key] for key in expected}


# ---- laws


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_documents_add_up(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    The counts of all are the sums of those of each, in every reading.
    """
    folder = tmp_path_factory.mktemp("sums")
    db, schema = random_db(folder / "db.sqlite", seed), write_schema(folder / "s.json")
    for profile in PROFILES:
        whole = audit(db, schema, profile=profile, ci=False)
        parts = [audit(db, schema, profile=profile, ci=False, documents=[x]) for x in whole.review.documents]

        assert whole.counts == {name: sum(part.counts[name] for part in parts) for name in whole.counts}  # fmt: skip
        assert [part.counts for part in parts] == [
            {name: row[name] for name in part.counts} if profile == "audited" else part.counts
            for part, row in zip(parts, whole.documents(), strict=True)
        ]


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_order_of_rows_changes_nothing(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    Documents and records in any order; audit rows too, as long as those of one field and one moment keep theirs.
    """
    folder = tmp_path_factory.mktemp("order")
    db, schema = random_db(folder / "db.sqlite", seed), write_schema(folder / "s.json")
    with closing(sqlite3.connect(db)) as connection:
        tables = [connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("documents", "records")]
        edits = connection.execute(
            "SELECT record_id, column_name, original_value, edited_at FROM record_edits"
        ).fetchall()
    rng = random.Random(seed)
    for table in tables:
        rng.shuffle(table)
    places = sorted(range(len(edits)), key=lambda k: (*edits[k][:2], edits[k][3], k))
    mixed = [key for key, _ in sorted(((k, rng.random()) for k in places), key=lambda pair: pair[1])]
    slots: dict[Any, list[int]] = {}
    for k in places:
        slots.setdefault((*edits[k][:2], edits[k][3]), []).append(k)
    shuffled = [edits[slots[(*edits[k][:2], edits[k][3])].pop(0)] for k in mixed]
    other = write_db(folder / "other.sqlite", *tables, shuffled)
    for profile in PROFILES:
        first, second = (audit(x, schema, profile=profile, ci=False).to_dict(per_document=True) for x in (db, other))
        assert {**first, "signature": ""} == {**second, "signature": ""}


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_taking_everything_back_leaves_no_error(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    Where every corrected value is what the model wrote, whatever happened in between, all found records are perfect.
    """
    folder = tmp_path_factory.mktemp("back")
    db, schema = random_db(folder / "db.sqlite", seed), write_schema(folder / "s.json")
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute(
            "SELECT record_id, column_name, original_value FROM record_edits "
            "WHERE column_name IN ('name', 'place') ORDER BY edited_at DESC, rowid DESC"
        ).fetchall()
        for key, column, original in rows:  # the earliest last
            connection.execute(f"UPDATE records SET {column} = ? WHERE id = ?", (original, key))
        connection.commit()
    result = audit(db, schema, ci=False)

    assert set() == set(result.tally.column_edits) - {"size"}


def test_an_unreviewed_document_changes_nothing(folder: Path) -> None:
    """
    Nor do its records and edits.
    """
    rows, edits = [record("a", 1, "Ann")], [("a", "name", "x", "t")]
    plain = run(folder, [(1, "t")], rows, edits).to_dict()
    other = run(folder, [(1, "t"), (2, None)], [*rows, record("b", 2, "Ben")], [*edits, ("b", "name", "x", "t")])

    assert plain == other.to_dict()


def test_the_signature_tells_reviews_apart(folder: Path) -> None:
    """
    Another value, another reading, another schema; not the order of rows, nor the name of the file.
    """
    rows = [record("a", 1, "Ann"), record("b", 1, "Ben")]
    signature = run(folder, [(1, "t")], rows).signature
    (folder / "elsewhere").mkdir()

    assert signature == run(folder / "elsewhere", [(1, "t")], rows[::-1]).signature
    assert signature != run(folder, [(1, "t")], [rows[0], record("b", 1, "Bob")]).signature
    assert signature != run(folder, [(1, "t")], rows, profile="documented").signature
    assert signature.startswith("of:audit|profile:audited|required:literal|ci:none|gt:1d.")


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_saved_runs_are_read_back(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """
    The file holds itself to be whole: what it says twice agrees, empty values of all spellings among them.
    """
    folder = tmp_path_factory.mktemp("saved")
    run = audit(random_db(folder / "db.sqlite", seed), write_schema(folder / "s.json"), ci=False).run()
    raw = to_json(run)

    assert raw == to_json(from_json(raw, "run.json"))


def test_runs_of_one_truth_can_be_compared(folder: Path) -> None:
    """
    Two models, the same records in the end: the first wrote one name wrong, the second left it out.
    """
    rows = [(1, "t")], [record("a", 1, "Ann", "Bern", 1), record("b", 1, "Ben", "", 2)]
    one = run(folder, *rows, [("a", "name", "Anne", "t")]).run()
    other = run(folder, *rows, [("a", "name", "", "t"), ("b", "place", "[]", "t")]).run()
    unlike = run(folder, rows[0], rows[1][:1]).run()

    assert one.gold == other.gold != unlike.gold
    assert one.predictions != other.predictions
    assert one.annotations.is_aligned(other.annotations)


def test_a_reading_without_decisions_has_no_run(folder: Path) -> None:
    """
    What cannot be compared value by value is not saved.
    """
    with pytest.raises(ValueError, match="the reading 'documented' decides nothing"):
        run(folder, [(1, "t")], profile="documented").run()

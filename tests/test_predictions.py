"""Prediction rows: formats, numbers, ids, bad rows."""

# ruff: noqa: E501 - a table of cases has one case a line

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import bad_rows, rows

from spaneval.corpus import Predictions
from spaneval.exceptions import InputError
from spaneval.loaders import json_lines
from spaneval.loaders import predictions as module
from spaneval.loaders import rows as rows_module
from spaneval.loaders.plain_lines import LineReader
from spaneval.loaders.predictions import RowReading, load_predictions, predictions_from_memory
from spaneval.problems import Note, Problems

Rows = list[dict[str, Any]]
in_files = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def table(p: Predictions) -> list[tuple[str | None, int, int, str | None]]:
    """The rows: key, a, b, id."""
    keys, ids = [*p.keys, None], [*p.ids, None]
    return [
        (keys[k], a, b, ids[i])
        for k, a, b, i in zip(p.key.tolist(), p.a.tolist(), p.b.tolist(), p.id.tolist(), strict=True)
    ]


def whole(p: Predictions) -> dict[str, Any]:
    """All that can matter to a result."""
    keys = [*p.keys, None]
    return {
        "rows": table(p),
        "keys": sorted(p.keys),
        "ids": p.ids,
        "key_field": p.key_field,
        "bad": sorted((str(keys[k]), has) for k, has in zip(p.bad.key.tolist(), p.bad.has_id.tolist(), strict=True)),
        "surfaces": None if p.surfaces is None else [*map(list, p.surfaces)],
        "fields": p.fields,
        "n_below_score": p.n_below_score,
        "n_absolute": p.n_absolute,
    }


def lines_of(p: Predictions) -> list[int]:
    return [p.places[k].line for k in range(len(p))]


def load(*paths: Path | str, notes: list[Note] | None = None, **reading: Any) -> Predictions:
    """The rows of files, which must be without problems."""
    problems = Problems(None)
    row_format = reading.pop("row_format", None)
    got = load_predictions(
        [str(path) for path in paths],
        RowReading(**reading),
        row_format=row_format,
        problems=problems,
        notes=[] if notes is None else notes,
    )
    assert [] == [str(problem) for problem in problems.kept]
    return got


def memory(data: Any, **reading: Any) -> Predictions:
    problems = Problems(None)
    got = predictions_from_memory(data, RowReading(**reading), problems=problems, notes=[])
    assert [] == [str(problem) for problem in problems.kept]
    return got


def messages(*paths: Path | str, **reading: Any) -> list[str]:
    """What is wrong with files, as a user sees it, with the names of files but not their folders."""
    problems = Problems(None)
    row_format = reading.pop("row_format", None)
    load_predictions([str(p) for p in paths], RowReading(**reading), row_format=row_format, problems=problems, notes=[])
    folder = f"{Path(str(paths[0])).parent}{os.sep}" if paths else ""
    return [str(problem).replace(folder, "") for problem in problems.kept]


def set_sizes(patch: pytest.MonkeyPatch, size: int) -> None:
    """Pieces of JSON Lines are of about `size` bytes."""
    patch.setattr(json_lines, "CHUNK", size)
    patch.setattr(json_lines, "AT_ONCE", size)


@contextmanager
def carefully() -> Iterator[None]:
    """No block is plain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._Collector, "_plain_part", lambda *_: None)
        patch.setattr(LineReader, "read", lambda *_: None)
        yield


def as_lines(data: list[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in data)


# --- laws ------------------------------------------------------------------------------------------------------------


@in_files
@given(st.lists(st.one_of(rows(is_plain=True), rows())), st.sampled_from([None, 2.0]))
def test_plain_and_careful_reading_give_one_table(tmp_path, data, min_score):
    """
    A block of plain rows becomes columns at once, any other row by row; nobody must be able to tell.
    """
    path = tmp_path / "rows.jsonl"
    path.write_bytes(as_lines(data))
    how = {"min_score": min_score, "fields": ("mention", "type")}

    quick, quick_memory = load(path, **how), memory(data, **how)
    with carefully():
        slow = load(path, **how)

    assert whole(slow) == whole(quick)
    assert whole(slow) == whole(quick_memory)
    assert lines_of(slow) == lines_of(quick)


@in_files
@given(st.lists(rows(is_plain=True)), st.integers(1, 200))
def test_size_of_pieces_does_not_matter(tmp_path, data, size):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(as_lines(data))
    expected, lines = whole(load(path)), lines_of(load(path))
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        patch.setattr(rows_module, "BLOCK", size)
        assert expected == whole(load(path))
        assert lines == lines_of(load(path))


@in_files
@given(st.lists(st.sampled_from(["row", "", " ", "\r"]), max_size=12), st.integers(1, 200))
def test_blank_lines_count_as_lines_wherever_a_piece_ends(tmp_path, kinds, size):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join(ROW if kind == "row" else kind.encode() for kind in kinds))
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        assert [k for k, kind in enumerate(kinds, 1) if kind == "row"] == lines_of(load(path))


def write_csv(path: Path, data: Rows, delimiter: str = ",") -> None:
    """As RFC 4180 has it; for tabs without quotes."""
    names = ["itext", "a", "b", "entity_id_predicted", "score"]
    table = [names, *([("" if row[name] is None else row[name]) for name in names] for row in data)]
    with path.open("w", encoding="utf-8", newline="") as file:
        if delimiter == ",":
            csv.writer(file, lineterminator="\n").writerows(table)
        else:
            file.writelines("\t".join(map(str, cells)) + "\n" for cells in table)


@in_files
@given(st.lists(rows(is_text=True), min_size=1), st.sampled_from([None, 0.5]))
def test_all_formats_say_the_same(tmp_path, data, min_score):
    """
    JSON Lines, a JSON list, a report, CSV, TSV, Parquet, dicts and a data frame of the same rows.
    """
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(data)
    (tmp_path / "x.jsonl").write_bytes(as_lines(data))
    (tmp_path / "x.json").write_text(json.dumps(data, indent=1))
    (tmp_path / "report.json").write_text(json.dumps({"model": "m", "entities": data}, indent=2))
    (tmp_path / "line.json").write_text(json.dumps({"entities": data}))
    write_csv(tmp_path / "x.csv", data)
    write_csv(tmp_path / "x.tsv", data, "\t")
    frame.to_parquet(tmp_path / "x.parquet")
    how = {"min_score": min_score}
    expected = whole(memory(data, **how))

    for name in ("x.jsonl", "x.json", "report.json", "line.json", "x.csv", "x.tsv", "x.parquet"):
        assert expected == whole(load(tmp_path / name, **how)), name
    assert expected == whole(memory(frame, **how))
    assert expected == whole(memory({"entities": data}, **how))


@in_files
@given(st.lists(rows(), max_size=6), st.lists(rows(), max_size=6))
def test_order_of_files_and_rows_only_orders_the_table(tmp_path, first, second):
    (tmp_path / "1.jsonl").write_bytes(as_lines(first))
    (tmp_path / "2.jsonl").write_bytes(as_lines(second))
    (tmp_path / "3.jsonl").write_bytes(as_lines([*second[::-1], *first]))

    there, back, mixed = (
        load(tmp_path / "1.jsonl", tmp_path / "2.jsonl"),
        load(tmp_path / "2.jsonl", tmp_path / "1.jsonl"),
        load(tmp_path / "3.jsonl"),
    )

    assert sorted(map(str, table(there))) == sorted(map(str, table(back))) == sorted(map(str, table(mixed)))
    assert there.ids == back.ids == mixed.ids
    assert there.keys == back.keys == mixed.keys


@in_files
@given(st.lists(st.one_of(rows().map(lambda x: (True, x)), bad_rows().map(lambda x: (False, x)))))
def test_skipping_bad_rows_leaves_the_good_ones_and_counts_the_rest(tmp_path, data):
    data = [*data, (True, json.loads(ROW))]
    (tmp_path / "all.jsonl").write_bytes(as_lines([row for _, row in data]))
    (tmp_path / "good.jsonl").write_bytes(as_lines([row for is_good, row in data if is_good]))

    everything = load(tmp_path / "all.jsonl", skips_bad_rows=True)
    n_bad = sum(not is_good for is_good, _ in data)

    assert table(load(tmp_path / "good.jsonl")) == table(everything)
    assert n_bad == len(everything.bad)
    assert n_bad == len(messages(tmp_path / "all.jsonl"))


# --- files -----------------------------------------------------------------------------------------------------------

ROW = b'{"itext": 0, "a": 1, "b": 3, "entity_id_predicted": "Q1"}'
ONE = [("0", 1, 3, "Q1")]


@pytest.mark.parametrize(
    "content",
    [
        ROW,
        ROW + b"\n",
        ROW + b"\r\n",
        b"\xef\xbb\xbf" + ROW,
        b"\n\n  \n" + ROW + b"\n\n",
        b"\r\n" + ROW + b"\r\n\r\n",
        b"  " + ROW + b"  \n\t\n",
        b"[" + ROW + b"]",
        b"\xef\xbb\xbf\n [\n" + ROW + b"\n]\n",
        b'{"entities": [' + ROW + b"]}",
        b'{"entities": [' + ROW + b"]}\n\n",
        b'{"entities": [\n' + ROW + b"\n]}",
        b'{\n  "model": "m",\n  "entities": [\n' + ROW + b"\n]}",
        b'{"text": "' + b"x" * 200_000 + b'", "entities": [' + ROW + b"]}",
        b'{"text": "' + b"x" * 200_000 + b'", "entities": [' + ROW + b"]}\n",
        b"itext,a,b,entity_id_predicted\n0,1,3,Q1\n",
        b'itext,a,b,entity_id_predicted\r\n"0","1","3","Q1"',
        b"\xef\xbb\xbfitext\ta\tb\tentity_id_predicted\n0\t1\t3\tQ1\n",
        gzip.compress(ROW, mtime=0),
        gzip.compress(b"itext,a,b,entity_id_predicted\n0,1,3,Q1\n", mtime=0),
    ],
    ids=range(20),
)
@pytest.mark.parametrize("name", ["rows", "-"])
def test_format_is_told_by_content(tmp_path, monkeypatch, content, name):
    path = tmp_path / name
    if name == "-":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert ONE == table(load("-"))
    else:
        path.write_bytes(content)
        assert ONE == table(load(path))


@pytest.mark.parametrize(
    "name", ["a b.jsonl", "[x].jsonl", "Wörter é𝔸.jsonl", "x.json", "x.csv", "x.txt", "noend", ".jsonl"]
)
def test_names_of_files_do_not_matter_where_content_tells(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ROW)
    assert ONE == table(load(path))


def test_a_list_in_the_first_line_of_json_lines_is_a_bad_row(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"[]\n" + ROW)
    assert ["x.jsonl:1: expected an object per row, found a list"] == [m.split("\n")[0] for m in messages(path)]
    assert ONE == table(load(path, skips_bad_rows=True))


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n\n", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.csv", "x.tsv", "x.jsonl.gz", "x"])
def test_an_empty_file_has_no_rows(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert [] == table(load(path))
    for row_format in ("jsonl", "json", "csv", "tsv"):
        assert [] == table(load(path, row_format=row_format))


def test_line_separators_inside_strings_end_no_line(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"itext": 0, "a": 1, "b": 3, "entity_id_predicted": "Q\u2028\u0085\x7f1"}\n' + ROW.decode(), encoding="utf-8"
    )
    got = load(path)
    assert [("0", 1, 3, "Q\u2028\u0085\x7f1"), *ONE] == table(got)
    assert [1, 2] == lines_of(got)


def test_a_long_first_row_is_no_report(tmp_path):
    path = tmp_path / "x"
    row = json.dumps({"context": "x" * 100_000} | json.loads(ROW)).encode()
    path.write_bytes(row + b"\n" + ROW + b"\n")
    assert ONE * 2 == table(load(path))
    path.write_bytes(row)
    assert ONE == table(load(path))


def test_a_folder_stands_for_its_files_in_name_order(tmp_path):
    for name in ("b.jsonl", "a.jsonl", ".hidden", "c.csv"):
        (tmp_path / name).write_bytes(ROW.replace(b"Q1", name[:1].encode()))
    (tmp_path / "c.csv").write_text("itext,a,b,entity_id_predicted\n0,1,3,c\n")
    (tmp_path / ".git").mkdir()
    assert ["a", "b", "c"] == [row[3] for row in table(load(tmp_path))]


def test_shards_of_several_formats_are_one_system(tmp_path):
    (tmp_path / "1.jsonl").write_bytes(ROW)
    (tmp_path / "2.csv").write_text("itext,a,b,entity_id_predicted\n1,5,7,Q2\n")
    got = load(tmp_path / "2.csv", tmp_path / "1.jsonl")
    assert [("1", 5, 7, "Q2"), *ONE] == table(got)
    assert [f"{tmp_path}/2.csv", f"{tmp_path}/1.jsonl"] == [got.places[k].file for k in range(2)]
    assert [2, 1] == lines_of(got)


def test_forced_format_wins(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("itext\ta\tb\tentity_id_predicted\n0\t1\t3\tQ,1\n")
    assert [("0", 1, 3, "Q,1")] == table(load(path, row_format="tsv"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", b'{"itext": 0, "a": 1, "b": 3', "x.jsonl:1:28: not valid JSON: it ends in the middle of a value"),
        ("x.jsonl", ROW + b"\n" + ROW[:20], "x.jsonl:2:21: not valid JSON: it ends in the middle of a value"),
        ("x.jsonl", ROW[:40] + b"\r\n" + ROW, "x.jsonl:1:41: not valid JSON: it ends in the middle of a value"),
        ("x.jsonl", ROW + b"\nx\n" + ROW, "x.jsonl:2:1: not valid JSON: unexpected character, expected a JSON value"),
        ("x.jsonl", ROW + b"\n" + ROW + ROW, "x.jsonl:2: not valid JSON: a second value after the first (column 58)"),
        ("x.jsonl", b'{"a": NaN}', "x.jsonl:1:7: not valid JSON: unexpected character"),
        ("x.jsonl", b'{"a": 1\x00}', "x.jsonl:1:8: not valid JSON: a NUL byte"),
        ("x.jsonl", b'{"mention": "\x00"}', "not valid JSON: a NUL byte"),
        ("x.jsonl", b'{"mention": "\\ud800"}', "a lone half of a surrogate pair"),
        ("x.jsonl", b'{"a": ' * 2000 + b"1" + b"}" * 2000, "nested too deeply"),
        ("x.jsonl", ROW + b'\n{"mention": "\xe9"}', "x.jsonl:2:14: not UTF-8: byte 0xE9\nhint: save the file as UTF-8; in Latin-1"),
        ("x.jsonl", "{}".encode("utf-16"), "x.jsonl:1:1: not UTF-8: the file starts with the byte order mark of UTF-16"),
        ("x.json", b"[" + ROW + b",\n", "x.json:2:1: not valid JSON: it ends in the middle of a value"),
        ("x.json", b'{"rows": []}', "x.json:1: no 'itext' (found: rows)"),
        ("x.json", b'{\n"rows": []}', "x.json: an object with the keys rows, expected JSON Lines, a list of rows"),
        ("x.json", b'{\n"ground_truth": []}', "hint: this looks like gold"),
        ("x.json", b'{"text": "x", "ground_truth": []}', "hint: this looks like gold"),
        ("x.json", b'[3]', "x.json:1: row 1: expected an object per row, found 3"),
        ("x.json", b"[\n" + ROW + b",\n{}]", "x.json:3: row 2: no 'itext' (found: nothing)"),
        ("x.json", b'{"entities":\n[' + ROW + b",\n\n5]}", "x.json:4: row 2: expected an object per row, found 5"),
        ("x.csv", b"itext,a,b\n0,1\n", "x.csv:2: 2 cells found, 3 expected, as in line 1"),
        ("x.csv", b'itext,a,b\n0,1,"3\n', "x.csv:2: a double quote is opened and never closed"),
        ("x.csv", b"itext,a,b\n0,1,\x00\n", "x.csv:2:5: a NUL byte, expected text"),
        ("x.csv", b"itext,a,b,a\n0,1,3,4\n", "x.csv:1: two columns are named 'a'"),
        ("x.csv", b"itext;a;b\n0;1;3\n", "x.csv:1: cells are separated by ';' (found: 'itext;a;b'), expected ',' or a tab"),
        ("x.tsv", b"itext,a,b\n0,1,3\n", "x.tsv:1: no column 'a' and no column 'b' (found: 'itext,a,b')"),
        ("x.csv", "itext,a\n".encode("utf-16"), "UTF-16"),
        ("x.parquet", b"PAR1 and no more", "x.parquet: not a sound Parquet file"),
        ("x.parquet", b"", "x.parquet: not a sound Parquet file"),
        ("x.jsonl", gzip.compress(ROW, mtime=0)[:-12], "x.jsonl: not a sound gzip stream"),
        ("x.jsonl.gz", b"\x1f\x8bnot gzip", "x.jsonl.gz: not a sound gzip stream"),
    ],
)  # fmt: skip
def test_broken_files(tmp_path, name, content, message):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    path.write_bytes(content)
    assert message in "\n".join(messages(path))


def test_a_folder_in_a_folder_is_a_problem(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(ROW)
    (tmp_path / "more").mkdir()
    assert ["a folder inside a folder of prediction files"] == [
        m.split(": ")[1].split("\n")[0] for m in messages(tmp_path)
    ]


def test_an_empty_folder_and_a_file_given_twice(tmp_path):
    (tmp_path / "none").mkdir()
    assert "no file in this folder, expected prediction files" in messages(tmp_path / "none")[0]
    (tmp_path / "x.jsonl").write_bytes(ROW)
    assert (
        "x.jsonl: given twice; its rows would count twice"
        in messages(tmp_path / "x.jsonl", tmp_path / "." / "x.jsonl")[0]
    )


def test_pretty_printed_objects_one_after_another_get_the_hint(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{\n "itext": 0\n}\n{\n "itext": 1\n}\n')
    assert "x.jsonl:4:1: not valid JSON: a second value after the first" in messages(path)[0]
    assert "jq -c ." in messages(path)[0]


# --- values ----------------------------------------------------------------------------------------------------------


def read_one(row: dict[str, Any] | bytes, **reading: Any) -> Predictions | str:
    """One row as a JSON line: the table, or the message."""
    problems = Problems(None)
    raw = row if isinstance(row, bytes) else json.dumps(row).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "open_bytes", lambda _: io.BytesIO(raw))
        got = load_predictions(["x.jsonl"], RowReading(**reading), problems=problems, notes=[])
    return str(problems.kept[0]) if problems.total else got


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("7157", "7157"),
        ("7157.0", "7157"),
        ("7.157e3", "7157"),
        ("-0", "0"),
        ("-0.0", "0"),
        ('"7157.0"', "7157.0"),
        ('"007"', "007"),
        ('"NA"', "NA"),
        ('"null"', "null"),
        ('"nan"', "nan"),
        ('" Q1 "', " Q1 "),
        ("null", None),
        ('""', None),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740993"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("1" * 400, "1" * 400),
        ("1e400", "1" + "0" * 400),
    ],
)
def test_ids_are_text_and_integers_of_any_size_exact(written, expected):
    for line in (
        b'{"itext": 0, "a": 1, "b": 3, "entity_id_predicted": %s}',
        b'{"entity_id_predicted": %s, "itext": {"x": 1}, "itext": 0, "a": 1, "b": 3}',
    ):
        got = read_one(line % written.encode())
        assert isinstance(got, Predictions), got
        assert [("0", 1, 3, expected)] == table(got)


@pytest.mark.parametrize("written", ["0.5", "true", "false", "{}", '["Q1"]', "[]", "9007199254740993.5", "1e99999"])
def test_values_that_are_no_id(written):
    got = read_one(b'{"itext": 0, "a": 1, "b": 3, "entity_id_predicted": %s}' % written.encode())
    assert str(got).startswith("x.jsonl:1: 'entity_id_predicted' is ")
    assert "expected one id: text, an integer or null\nhint: " in str(got)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("3", 3), ("3.0", 3), ("3e0", 3), ("9223372036854775807", 2**63 - 1), ("9007199254740993.0", 2**53 + 1)],
)
def test_offsets_that_are_accepted(written, expected):
    got = read_one(b'{"itext": 0, "a": 1, "b": %s}' % written.encode())
    assert [("0", 1, expected, None)] == table(got)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("true", "'b' is true, expected an integer within 64 bits"),
        ("2.5", "'b' is 2.5, expected an integer within 64 bits"),
        ('"3"', "'b' is '3', expected an integer within 64 bits"),
        ("9223372036854775808", "'b' is 9223372036854775808, expected an integer within 64 bits"),
        ("1e999", "'b' is 1e999, expected an integer within 64 bits"),
        ("[3]", "'b' is a list, expected an integer within 64 bits"),
        ("null", "'b' is empty"),
        ("1", "span end must be greater than its start (a=1, b=1)"),
        ("0", "span end must be greater than its start (a=1, b=0)"),
    ],
)
def test_offsets_that_are_not(written, message):
    got = read_one(b'{"itext": 0, "a": 1, "b": %s}' % written.encode())
    assert str(got).startswith(f"x.jsonl:1: {message}")


def test_negative_and_missing_offsets():
    assert "span [-1, 3) starts before the text\nhint: offsets count from 0" in str(
        read_one({"itext": 0, "a": -1, "b": 3})
    )
    expected = "x.jsonl:1: no field 'a' (found: itext, start, end)\nhint: --field a=start --field b=end"
    assert expected == read_one({"itext": 0, "start": 1, "end": 3})
    assert "no field 'start' (found: itext, a, b)" in str(read_one({"itext": 0, "a": 1, "b": 3}, names={"a": "start"}))


def test_infinity_in_memory_is_no_offset_and_no_score():
    problems = Problems(None)
    data = [{"itext": 0, "a": 1, "b": float("inf"), "score": 1}, {"itext": 0, "a": 1, "b": 2, "score": float("inf")}]
    predictions_from_memory(data, RowReading(min_score=0.5), problems=problems, notes=[])
    assert [
        "row 1: 'b' is inf, expected an integer within 64 bits",
        "row 2: score inf, but --min-score needs a number in every row",
    ] == [str(p).split("\n")[0] for p in problems.kept]


@pytest.mark.parametrize(("cell", "expected"), [("3", 3), ("3.0", 3), ("03", 3), ("9223372036854775807", 2**63 - 1)])
def test_digit_strings_of_csv(tmp_path, cell, expected):
    path = tmp_path / "x.csv"
    path.write_text(f"itext,a,b\n0,1,{cell}\n")
    assert [("0", 1, expected, None)] == table(load(path))


@pytest.mark.parametrize(
    "cell",
    ["", "x", "3.5", " 3", "+3", "3e0", "True", "inf", "nan", "٣", "9223372036854775808", "1_0", "0x3", "9" * 5000],
)
def test_other_strings_of_csv(tmp_path, cell):
    path = tmp_path / "x.csv"
    path.write_text(f"itext,a,b\n0,1,{cell}\n", encoding="utf-8")
    assert messages(path)[0].startswith("x.csv:2: 'b' is ")


def test_csv_ids_are_taken_letter_by_letter(tmp_path):
    path = tmp_path / "x.csv"
    cells = ["7157.0", "007", "NA", "null", "nan", " Q1", "None", ""]
    path.write_text("itext,a,b,entity_id_predicted\n" + "".join(f"0,1,3,{cell}\n" for cell in cells))
    assert [*cells[:-1], None] == [row[3] for row in table(load(path))]


def test_missing_values_of_a_data_frame_are_none():
    frame = pd.DataFrame(
        {
            "itext": [0, 0, 0, 0],
            "a": [1.0, 1, 1, 1],
            "b": pd.array([3, 3, 3, 3], dtype="Int64"),
            "entity_id_predicted": ["Q1", None, np.nan, pd.NA],
            "a_abs": [np.nan, 5, np.nan, np.nan],
            "b_abs": [np.nan, 6, np.nan, np.nan],
        }
    )
    assert [("0", 1, 3, "Q1"), ("0", 5, 6, None), ("0", 1, 3, None), ("0", 1, 3, None)] == table(memory(frame))
    numbers = pd.DataFrame(
        {
            "itext": np.array([0, 1], np.int32),
            "a": np.array([1, 1], np.float32),
            "b": [3, 3],
            "entity_id_predicted": [7157.0, np.nan],
        }
    )
    assert [("0", 1, 3, "7157"), ("1", 1, 3, None)] == table(memory(numbers))
    assert table(memory(numbers)) == table(memory(numbers.to_dict("records")))
    assert [("0", 1, 3, None)] == table(
        memory([{"itext": np.int64(0), "a": np.int32(1), "b": np.float32(3), "a_abs": float("nan"), "b_abs": None}])
    )


def test_numbers_of_parquet_are_ids(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from decimal import Decimal

    import pyarrow.parquet as pq

    ids = [Decimal("7157"), Decimal("18446744073709551616"), None]
    pq.write_table(
        pa.table(
            {"itext": [0] * 3, "a": [1] * 3, "b": [3.0] * 3, "entity_id_predicted": pa.array(ids, pa.decimal128(30, 0))}
        ),
        tmp_path / "x.parquet",
    )
    assert ["7157", "18446744073709551616", None] == [row[3] for row in table(load(tmp_path / "x.parquet"))]


# --- fields ----------------------------------------------------------------------------------------------------------


def test_absolute_offsets_win_and_a_note_says_so(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        as_lines(
            [
                {"itext": 0, "a": 0, "b": 2, "a_abs": 10, "b_abs": 12},
                {"itext": 0, "a": 0, "b": 2, "a_abs": None, "b_abs": None},
            ]
        )
    )
    notes: list[Note] = []
    assert [("0", 10, 12, None), ("0", 0, 2, None)] == table(load(path, notes=notes))
    assert ("absolute-offsets", 1) in [(note.code, note.count) for note in notes]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"a_abs": 10}, "'a_abs' without 'b_abs', expected both or neither"),
        ({"b_abs": 10}, "'b_abs' without 'a_abs', expected both or neither"),
        ({"a_abs": 10, "b_abs": None}, "'a_abs' without 'b_abs', expected both or neither"),
        ({"a_abs": 10, "b_abs": 12.5}, "'b_abs' is 12.5, expected an integer within 64 bits"),
        ({"a_abs": 12, "b_abs": 10}, "span end must be greater than its start (a=12, b=10)"),
    ],
)
def test_half_given_absolute_offsets_are_a_bad_row(extra, message):
    assert str(read_one({"itext": 0, "a": 0, "b": 2} | extra)).startswith(f"x.jsonl:1: {message}")


def test_fields_can_be_renamed(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("doc,start,end,label,p\n0,1,3,Q1,0.5\n")
    names = {"itext": "doc", "a": "start", "b": "end", "entity_id_predicted": "label", "score": "p"}
    assert ONE == table(load(path, names=names, min_score=0.5))


@pytest.mark.parametrize("near", ["entity_id", "id", "kb_id", "entity_id_pred"])
def test_a_near_key_is_offered(near):
    got = read_one({"itext": 0, "a": 1, "b": 3, near: "Q1"})
    found = ", ".join(sorted(["itext", "a", "b", near]))
    message = f"x.jsonl: no row has 'entity_id_predicted' (found: {found})"
    assert f"{message}\nhint: --field entity_id_predicted={near}" == got


def test_without_ids_and_a_near_key_there_is_a_note(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines([{"itext": 0, "a": 1, "b": 3}]))
    notes: list[Note] = []
    load(path, notes=notes)
    assert ["no-predicted-ids"] == [note.code for note in notes]
    assert notes[0].message.endswith("; --field entity_id_predicted=NAME names the field that holds ids")
    path.write_bytes(
        as_lines(
            [{"itext": 0, "a": 1, "b": 3, "entity_id": 3}, {"itext": 0, "a": 1, "b": 3, "entity_id_predicted": None}]
        )
    )
    notes.clear()
    load(path, notes=notes)
    assert [] == notes


def test_rows_below_the_score_are_left_out(tmp_path):
    path = tmp_path / "x.jsonl"
    data = [{"itext": 0, "a": k, "b": k + 1, "score": k / 4} for k in range(5)]
    path.write_bytes(as_lines(data))
    got = load(path, min_score=0.5, fields=("mention",))
    assert [2, 3, 4] == got.a.tolist()
    assert [3, 4, 5] == lines_of(got)
    assert [0.5, 0.75, 1.0] == got.fields["score"]
    assert 2 == got.n_below_score


@pytest.mark.parametrize("score", [None, "", "0.9", True, [], {"x": 1}])
def test_rows_without_a_score_are_bad_where_one_is_needed(score):
    expected = "x.jsonl:1: no score" if score in (None, "") else "x.jsonl:1: score "
    got = read_one({"itext": 0, "a": 1, "b": 3, "score": score}, min_score=0.5)
    assert str(got).startswith(expected)
    assert "but --min-score needs a number in every row" in str(got)
    assert isinstance(read_one({"itext": 0, "a": 1, "b": 3, "score": score}), Predictions)


@pytest.mark.parametrize(
    ("cell", "is_good"),
    [
        ("0.5", True),
        ("1e-1", True),
        (".5", True),
        ("inf", False),
        ("nan", False),
        ("1_0", False),
        ("", False),
        ("9" * 400, False),
    ],
)
def test_scores_of_csv(tmp_path, cell, is_good):
    path = tmp_path / "x.csv"
    path.write_text(f"itext,a,b,score\n0,1,3,{cell}\n")
    assert is_good == (not messages(path, min_score=0.0))


# --- document keys ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"), [(0, "0"), ("0", "0"), (0.0, "0"), ("00", "00"), (-1, "-1"), (2**70, str(2**70))]
)
def test_document_keys_are_text(key, expected):
    assert expected == table(read_one({"itext": key, "a": 1, "b": 3}))[0][0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (True, "'itext' is true, expected an integer or text"),
        (0.5, "'itext' is 0.5"),
        ([], "'itext' is a list"),
        (None, "'itext' is empty; with several gold documents it cannot be guessed"),
    ],
)
def test_values_that_are_no_key(key, message):
    assert str(read_one({"itext": key, "a": 1, "b": 3})).startswith(f"x.jsonl:1: {message}")


def test_a_row_without_key_is_good_where_there_is_one_document():
    got = read_one({"a": 1, "b": 3, "mention": "xy"}, needs_key=False)
    assert isinstance(got, Predictions)
    assert [(None, 1, 3, None)] == table(got)
    assert [""] == got.surfaces.key if got.surfaces else False
    assert "no 'itext' (found: a, b); with several gold documents it cannot be guessed" in str(
        read_one({"a": 1, "b": 3})
    )


FIRST = {"itext": 0, "a": 1, "b": 3, "entity_id_predicted": "Q1"}
SECOND = {"doc_id": "d", "itext": 7, "a": 1, "b": 3, "entity_id_predicted": None}


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
@pytest.mark.parametrize("size", [1, 1 << 16])
def test_rows_without_doc_id_are_bad_where_others_have_one(tmp_path, order, size):
    """
    Whatever comes first, and whether or not both are in one piece of the file.
    """
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines([{"itext": 1}, *order]))
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        got = load(path, key_field=None, skips_bad_rows=True)
        found = messages(path, key_field=None)
    assert "doc_id" == got.key_field
    assert [("d", 1, 3, None)] == table(got)
    assert [(-1, False), (-1, True)] == sorted(zip(got.bad.key.tolist(), got.bad.has_id.tolist(), strict=True))
    assert 2 == len(found)
    bad_line = 2 if order[0] is FIRST else 3
    assert any(m.startswith(f"x.jsonl:{bad_line}: no 'doc_id'") for m in found)


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
@pytest.mark.parametrize("size", [1, 1 << 16])
def test_with_one_document_a_row_needs_no_doc_id(tmp_path, order, size):
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines(order))
    with pytest.MonkeyPatch.context() as patch:
        set_sizes(patch, size)
        got = load(path, key_field=None, needs_key=False)
    assert {("d", 1, 3, None), (None, 1, 3, "Q1")} == set(table(got))


def test_doc_id_of_no_row_means_itext(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines([FIRST | {"doc_id": None}, FIRST | {"doc_id": ""}]))
    assert ONE * 2 == table(load(path, key_field=None))


# --- bad rows --------------------------------------------------------------------------------------------------------


def test_bad_rows_count_as_far_as_they_can_be_read(tmp_path):
    """
    Key and id of each: document 1 with an id; document 1 without; unreadable key with an id; nothing readable.
    """
    path = tmp_path / "x.jsonl"
    good = {"itext": 1, "a": 3, "b": 5, "entity_id_predicted": "Q1"}
    path.write_bytes(as_lines([good | {"b": 3}, {"itext": 1}, good | {"itext": True}, good]) + b"{\n")
    got = load(path, skips_bad_rows=True)
    keys = [*got.keys, None]
    assert [("1", True), ("1", False), (None, True), (None, False)] == [
        (keys[k], has) for k, has in zip(got.bad.key.tolist(), got.bad.has_id.tolist(), strict=True)
    ]
    assert [("1", 3, 5, "Q1")] == table(got)
    assert [4] == lines_of(got)


def test_broken_records_of_csv_are_bad_rows(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'itext,a,b\n0,1\n0,1,3\n0,1,"3"x\n0,\x00,\xe9\n0,5,7\n1,2,3,4\n')
    got = load(path, skips_bad_rows=True)
    assert [("0", 1, 3, None), ("0", 5, 7, None)] == table(got)
    assert [3, 6] == lines_of(got)
    assert 4 == len(got.bad)
    assert [2, 4, 5, 7] == [int(m.split(":")[1]) for m in messages(path)]


def test_a_quote_that_is_never_closed_is_no_single_bad_row(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'itext,a,b\n0,1,"3\n0,1,3\n')
    assert ["x.csv:2: a double quote is opened and never closed"] == [
        m.split("\n")[0] for m in messages(path, skips_bad_rows=True)
    ]


def test_two_objects_in_a_line_are_one_bad_row(tmp_path):
    """
    Joined by commas, the lines of a piece could hide where objects end.
    """
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"itext":0,"a":1,"b":3},{"itext":0,"a":1,"b":3}\n5\n')
    assert ([], 2) == (table(load(path, skips_bad_rows=True)), len(load(path, skips_bad_rows=True).bad))
    path.write_bytes(b'{"itext":0,"a":1,"b":3,"mention":"x}\n{y"}\n')
    assert 2 == len(load(path, skips_bad_rows=True).bad)


def test_of_many_bad_rows_ten_are_kept(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines([{"itext": 0}] * 25))
    problems = Problems()
    load_predictions([str(path)], RowReading(), problems=problems, notes=[])
    assert (10, 25) == (len(problems.kept), problems.total)
    with pytest.raises(InputError, match="no field 'a'"):
        problems.raise_if_any()


def test_huge_numbers_in_every_row_are_read_at_the_usual_pace(tmp_path):
    """
    A piece of a file is cut into lines once, not once for each row that must be read again.
    """
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        b"".join(b'{"itext":0,"a":1,"b":3,"entity_id_predicted":%d}\n' % (10**20 + k) for k in range(3000))
    )
    assert [str(10**20 + k) for k in range(3000)] == [row[3] for row in table(load(path))]


# --- what a report repeats -------------------------------------------------------------------------------------------


def test_echo_is_numbered_within_each_report(tmp_path):
    for name in ("1.json", "2.json"):
        (tmp_path / name).write_bytes(
            orjson.dumps(
                {
                    "entities": [],
                    "ground_truth": [[{"a": 1, "b": 3}], None, [{"a": 5.0, "b": 7}, {"a": 10**18, "b": 2**63}, {}, 3]],
                }
            )
        )
    got = load(tmp_path / "1.json", tmp_path / "2.json")
    assert got.echo is not None
    assert [[0, 1, 3], [2, 5, 7]] * 2 == got.echo.tolist()


def test_watch_sees_json_before_it_is_parsed(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(ROW + b"\n")
    seen: list[tuple[bytes, int]] = []
    watch: Callable[[bytes, str, int], None] = lambda raw, _, line: seen.append((raw, line))  # noqa: E731
    load_predictions([str(tmp_path / "x.jsonl")], RowReading(), problems=Problems(), notes=[], watch=watch)
    assert [(ROW + b"\n", 1)] == seen


# --- what is no file of rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [("out", b"502 Bad Gateway\n"), ("x.log", b"error: no model\n"), ("x.csv", b"foo,bar\n"), ("out", b"<a/>")],
)
def test_a_file_without_the_columns_of_spans_is_refused_though_it_has_no_rows(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)

    assert f"{name}:1: no column 'a' and no column 'b' (found: " in "\n".join(messages(tmp_path / name))


def test_a_header_with_a_near_name_for_ids_is_refused_though_it_has_no_rows(tmp_path):
    (tmp_path / "x.csv").write_text("itext,a,b,entity_id\n")

    assert "hint: --field entity_id_predicted=entity_id" in "\n".join(messages(tmp_path / "x.csv"))


def test_a_table_with_other_names_for_offsets_is_told_which_fields_to_rename(tmp_path):
    (tmp_path / "x.csv").write_text("itext,start,end,entity_id_predicted\n0,1,3,Q1\n")

    assert "hint: --field a=start --field b=end" in "\n".join(messages(tmp_path / "x.csv"))


@pytest.mark.parametrize("number", ["3.0000000000000000001", "2.9999999999999999999", "1e-400"])
def test_a_fraction_that_a_float_cannot_tell_from_an_integer_is_one_all_the_same(tmp_path, number):
    (tmp_path / "x.jsonl").write_text(f'{{"itext": 0, "a": 0, "b": {number}, "entity_id_predicted": "Q1"}}\n')

    assert f"'b' is {number}, expected an integer" in "\n".join(messages(tmp_path / "x.jsonl"))


def test_integer_ids_of_any_size_are_exact(tmp_path):
    digits = "9" * 5000
    (tmp_path / "x.jsonl").write_text(f'{{"itext": 0, "a": 0, "b": 3, "entity_id_predicted": {digits}}}\n')

    assert [digits] == load(tmp_path / "x.jsonl").ids


def test_a_first_line_of_many_pieces_is_read(tmp_path):
    row = {"itext": 0, "a": 0, "b": 3, "entity_id_predicted": "Q1", "x": "y" * 3_000_000}
    (tmp_path / "x.jsonl").write_bytes(as_lines([row, row]))

    assert 2 == len(load(tmp_path / "x.jsonl"))

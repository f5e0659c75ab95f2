"""
Records from files and from memory: every form, and every message.
"""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spaneval.exceptions import InputError
from spaneval.loaders.records import Records, load_records
from spaneval.loaders.scalars import NumberText
from spaneval.loaders.strict_json import parse_strictly
from spaneval.problems import Problems

Write = Callable[..., Path]
EXPECTED = {"r1": {"asset": "A7", "due": "2026-11-10"}, "r2": {"asset": "B2", "due": None}}

JSONL = '{"id": "r1", "asset": "A7", "due": "2026-11-10"}\n{"id": "r2", "asset": "B2", "due": null}\n'
LIST = '[{"id": "r1", "asset": "A7", "due": "2026-11-10"},\n {"id": "r2", "asset": "B2", "due": null}]'
MAP = '{"r1": {"asset": "A7", "due": "2026-11-10"},\n "r2": {"asset": "B2", "due": null}}'
CSV = "id,asset,due\nr1,A7,2026-11-10\nr2,B2,\n"
TSV = CSV.replace(",", "\t")


def load(source: Any, key: str = "id") -> Records:
    problems = Problems()
    found = load_records(source, key, problems)
    problems.raise_if_any()
    return found


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str | bytes, name: str = "records") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


FORMS = {"jsonl": JSONL, "list": LIST, "map": MAP, "csv": CSV, "tsv": TSV}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("change", ["plain", "gzip", "bom", "crlf"])
def test_every_form_gives_the_same_records(form: str, change: str, write: Write):
    """
    Told by content, whatever the file is called.
    """
    raw = FORMS[form].encode()
    raw = {
        "plain": raw, "gzip": gzip.compress(raw), "bom": b"\xef\xbb\xbf" + raw, "crlf": raw.replace(b"\n", b"\r\n"),
    }[change]  # fmt: skip
    found = load(write(raw))

    assert EXPECTED == found.values
    assert found.is_text == (form in ("csv", "tsv"))
    assert found.fields == {"asset", "due"}


@pytest.mark.parametrize("form", FORMS)
def test_records_know_their_lines(form: str, write: Write):
    """
    For messages.
    """
    found = load(write(FORMS[form]))
    header = form in ("csv", "tsv")

    assert [1 + header, 2 + header] == [found.line("r1"), found.line("r2")]


def test_standard_input(monkeypatch: pytest.MonkeyPatch):
    """
    Packed or not.
    """
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(JSONL.encode()))))
    found = load("-")

    assert (EXPECTED, "<stdin>") == (found.values, found.name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": "r1", "asset": "A7"}', {"r1": {"asset": "A7"}}),
        ('{\n "id": 1,\n "asset": "A7"\n}', {"1": {"asset": "A7"}}),
        ('{"r1": {}}', {"r1": {}}),
        ('{"id": {"asset": "A7"}}', {"id": {"asset": "A7"}}),
        ('{"r1": {"id": "r1", "asset": "A7"}}', {"r1": {"asset": "A7"}}),
        ("{}", {}),
        ("[]", {}),
        ("", {}),
        (" \n", {}),
        ('{"id": 1, "n": 1.50}\n{"id": 2, "n": 100}', {"1": {"n": NumberText("1.50")}, "2": {"n": 100}}),
        ('{"id": 10.0}', {"10": {}}),
        ('\n{"id": "a"}\n\n{"id": "b"}\n', {"a": {}, "b": {}}),
    ],
)
def test_forms_at_the_border(text: str, expected: dict[str, Any], write: Write):
    """
    One record alone, pretty-printed ones, none at all; integers are their digits as ids.
    """
    assert expected == load(write(text, "x.json")).values


def test_blank_cells_of_tables_are_empty(write: Write):
    """
    Quoted or not; a cell keeps the blanks around its text.
    """
    found = load(write('id,a,b,c\nr1,, ," x"\n'))

    assert {"r1": {"a": None, "b": None, "c": " x"}} == found.values


def test_columns_without_values_are_fields(write: Write):
    """
    A table says what fields there are even where it holds no record.
    """
    assert load(write("id,a\n")).fields == {"a"}


def test_another_key(write: Write):
    """
    In JSON and in tables.
    """
    assert {"r1": {"id": "x"}} == load(write('{"doc": "r1", "id": "x"}'), "doc").values
    assert {"r1": {"id": "x"}} == load(write("doc,id\nr1,x\n"), "doc").values


BAD = {
    "duplicate key": (
        '{"id": "r1", "a": 1, "a": 2}\n{"id": "r2"}',
        "x.jsonl:1: the key 'a' occurs twice in one object",
    ),
    "duplicate key in a map": ('{"r1": {},\n "r1": {}}', "x.jsonl:2: the key 'r1' occurs twice in one object"),
    "NaN": ('{"id": "r1"}\n{"id": "r2", "a": NaN}', "x.jsonl:2"),
    "Infinity": ('{"id": "r1", "a": Infinity}', "x.jsonl:1"),
    "trailing data": ('{"id": "r1"} {"id": "r2"}\n{"id": "r3"}', "x.jsonl:1"),
    "cut": ('{"id": "r1"}\n{"id": "r2", "a', "x.jsonl:2"),
    "duplicate id": (
        '{"id": "r1"}\n{"id": 1}\n{"id": "1"}',
        "x.jsonl:3: record '1' occurs twice (first in line 2)\nhint: give each record an id of its own; --key NAME",
    ),
    "duplicate id in a list": (
        '[{"id": "r1"},\n{"id": "r1"}]',
        "x.jsonl:2: record 'r1' occurs twice (first in line 1)",
    ),
    "no key": (
        '{"asset": "A7", "due": null}',
        "x.jsonl:1: a record without 'id', its id (found: asset, due)\nhint: --key NAME names the field that holds it",
    ),
    "no object": ('{"id": "r1"}\n7\n', "x.jsonl:2: 7, expected a record: an object of fields"),
    "a list": ('[{"id": "r1"},\n[1]]', "x.jsonl:2: a list, expected a record: an object of fields"),
    "null in a map": (
        '{"r1": {"a": 1},\n"r2": null}',
        "x.jsonl:2: record 'r2' is null, expected an object\nhint: a record is an object of fields",
    ),
    "boolean id": ('{"id": true}', "x.jsonl:1: the id 'id' of a record is true, expected text or an integer"),
    "fraction": ('{"id": 1.5}', "x.jsonl:1: the id 'id' of a record is 1.5, expected text or an integer"),
    "empty id": ('{"id": ""}', "x.jsonl:1: the id 'id' of a record is nothing, expected text or an integer"),
    "null id": ('{"id": null}', "x.jsonl:1: the id 'id' of a record is nothing, expected text or an integer"),
    "another name inside": (
        '{"r1": {"id": "r2"}}',
        "x.jsonl:1: record 'r1' calls itself 'r2' in 'id'\nhint: --key NAME names another field, if 'id' is not the id",
    ),
    "a number": ("7", "x.jsonl:1"),
}


@pytest.mark.parametrize("case", BAD)
def test_messages_for_bad_json(case: str, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """
    With file, line, what was found, what was expected, and what helps.
    """
    text, message = BAD[case]
    write(text, "x.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        load("x.jsonl")

    assert message in str(raised.value)
    assert 1 == raised.value.total


TABLES = {
    "no key": (
        "name,asset\nr1,A7\n",
        "x.csv:1: no column 'id', which holds the id of a record (found: name, asset)\nhint: --key NAME names the",
    ),
    "twice": ("id,a,a\n", "x.csv:1: two columns are named 'a', expected one of each name\nhint: rename one of them"),
    "nameless": ("id,,a\nr1,0,x\n", "x.csv:1: column 2 of 3 has no name in the header"),
    "semicolons": (
        "id;asset\nr1;A7\n",
        "x.csv:1: cells are separated by ';' (found: 'id;asset'), expected ',' or a tab",
    ),
    "short": ("id,a\nr1\n", "x.csv:2: 1 cell found, 2 expected, as in line 1"),
    "no id": ("id,a\n,x\n", "x.csv:2: the id 'id' of a record is nothing, expected text or an integer"),
    "duplicate id": ("id,a\nr1,x\nr1,y\n", "x.csv:3: record 'r1' occurs twice (first in line 2)"),
    "UTF-16": (b"\xff\xfei\x00d\x00", "x.csv:1:1: not UTF-8: the file starts with the byte order mark of UTF-16"),
    "Latin-1": (b"id,a\nr1,\xe9\n", "x.csv:2:4: not UTF-8: byte 0xE9"),
}


@pytest.mark.parametrize("case", TABLES)
def test_messages_for_bad_tables(case: str, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """
    As those of JSON.
    """
    text, message = TABLES[case]
    write(text, "x.csv")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        load("x.csv")

    assert message in str(raised.value)


def test_a_file_that_says_json_is_read_as_json(write: Write):
    """
    A message about columns would not help there.
    """
    with pytest.raises(InputError, match="not valid JSON"):
        load(write("id,a\n", "x.json"))


def test_a_broken_first_line_is_no_reason_to_take_lines_for_one_value(write: Write):
    """
    The line is named.
    """
    with pytest.raises(InputError, match=r"x\.json:1:"):
        load(write('{"id": "r1", "a": }\n{"id": "r2"}\n', "x.json"))


def test_only_the_first_problems_are_worded(write: Write):
    """
    All are counted.
    """
    with pytest.raises(InputError) as raised:
        load(write("".join(f'{{"x": {k}}}\n' for k in range(30))))

    assert (10, 30) == (len(raised.value.problems), raised.value.total)


def test_parquet_is_named(write: Write):
    """
    Rather than called text that cannot be read.
    """
    with pytest.raises(InputError, match="a Parquet file, expected JSON Lines, JSON, CSV or TSV"):
        load(write(b"PAR1\x00\x00PAR1"))


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load("nowhere.jsonl")


FRAME = pd.DataFrame({"id": ["r1", "r2"], "asset": ["A7", "B2"], "due": ["2026-11-10", None]})


@pytest.mark.parametrize(
    "source",
    [
        EXPECTED,
        [{"id": "r1", "asset": "A7", "due": "2026-11-10"}, {"id": "r2", "asset": "B2", "due": float("nan")}],
        FRAME,
        FRAME.set_index("id"),
    ],
    ids=["map", "rows", "frame", "index"],
)
def test_data_in_memory(source: Any):
    """
    The same records in every form.
    """
    found = load(source)

    assert (EXPECTED, None, False) == (found.values, found.name, found.is_text)
    assert found.line("r1") is None


def test_values_of_numpy_and_pandas_are_plain():
    """
    A column of integers with a gap is one of floats in pandas, and of integers here.
    """
    frame = pd.DataFrame(
        {
            "id": [1, 2],
            "n": [7.0, None],
            "x": [0.5, 1.0],
            "flag": [True, False],
            "day": pd.to_datetime(["2026-11-10", None]),
            "na": pd.array([1, None], dtype="Int64"),
        }
    )
    expected = {
        "1": {"n": 7, "x": 0.5, "flag": True, "day": "2026-11-10T00:00:00", "na": 1},
        "2": {"n": None, "x": 1.0, "flag": False, "day": None, "na": None},
    }
    values = load(frame).values

    assert expected == values
    assert type(values["1"]["n"]) is int
    row = {"a": np.int64(7), "b": np.array([1, 2]), "c": (1, {"x": np.float64(2)}), "d": Decimal("1.50"), "e": pd.NA}
    assert {"a": 7, "b": [1, 2], "c": [1, {"x": 2.0}], "d": "1.50", "e": None} == load({"r": row}).values["r"]
    dates = {"a": np.datetime64("2026-11-10"), "b": np.datetime64("NaT"), "c": np.array(["2026-11-10"], "M8[D]")}
    assert {"a": "2026-11-10", "b": None, "c": ["2026-11-10"]} == load({"r": dates}).values["r"]


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"r1": 7}, "record 'r1' is 7, expected an object"),
        ({1.5: {}}, "the id of a record is 1.5, expected text or an integer"),
        ([{"id": "r1"}, {"id": "r1"}], "row 2: record 'r1' occurs twice (first in row 1)"),
        ([{"x": 1}], "row 1: a record without 'id', its id (found: x)"),
        ({"r1": {"a": float("inf")}}, "record 'r1': the field 'a' is inf, expected a JSON value"),
        ({"r1": {"a": {1, 2}}}, "record 'r1': the field 'a' is of the type set, expected a JSON value"),
        ({"r1": {"a": "\ud800"}}, "record 'r1': the field 'a' is text with a lone half of a surrogate pair"),
        ({"\udfff": {}}, "of a record is text with a lone half of a surrogate pair, expected text or an integer"),
        ({"r1": {"a": {"\ud800": 1}}}, "text with a lone half of a surrogate pair"),
        ({"r1": {"a": LOOP}}, "record 'r1': the field 'a' is of lists and objects that nest in more than 100 levels"),
        ({"r1": {"a": 10**5000}}, "record 'r1': the field 'a' is an integer of thousands of digits"),
        ({"r1": {2: "x", "2": "y"}}, "record 'r1': the field '2' is there twice, under names that are written alike"),
        ({"r1": {"a": {2: "x", "2": "y"}}}, "is an object with two members whose names are written alike"),
        ({"r1": {"a": Decimal("-Infinity")}}, "record 'r1': the field 'a' is -Infinity, expected a JSON value"),
        ({"r1": {"a": pd.Series([1, 2])}}, "record 'r1': the field 'a' is of the type Series, expected a JSON value"),
        (pd.DataFrame([[1, 2]], columns=["id", "id"]), "several columns of one name"),
        (pd.DataFrame({"x": [1]}), "row 1: a record without 'id', its id (found: x)"),
    ],
)
def test_messages_for_data_in_memory(source: Any, message: str):
    """
    A row has a number instead of a line.
    """
    with pytest.raises(InputError) as raised:
        load(source)

    assert message in str(raised.value)


@pytest.mark.parametrize("source", [None, 7])
def test_what_is_no_source_at_all(source: Any):
    with pytest.raises(TypeError, match="expected a path"):
        load(source)


def test_numbers_of_any_size_and_kind_in_memory():
    """
    A decimal beyond every float is a number, as in a file; what is no number is missing, also if it signals.
    """
    row = {
        "a": Decimal("1e400"),
        "b": Decimal("sNaN"),
        "c": Decimal("NaN"),
        "d": np.longdouble("1.5"),
        "e": np.ma.masked,
    }

    assert {"a": "1E+400", "b": None, "c": None, "d": "1.5", "e": None} == load({"r": row}).values["r"]


@pytest.mark.parametrize(
    "members",
    [
        '"a": 1.50, "b": "10:30", "c": [1, "x: y", null]',
        '"a" : 1E2, "b"\t:18446744073709551616, "c":-0.0',
        '"a": true, "b": 7, "c": 0.1, "d": "\\":1.5", "e": {"f": 1.50}',
        '"a": [1.50, 2], "b": 12345678901234567890.5, "c": "1.50"',
    ],
)
def test_quickly_read_lines_are_those_that_the_strict_reader_gives(members: str, write: Write):
    """
    Numbers stay as they are written, whatever else the line holds.
    """
    line = f'{{"id": "r1", {members}}}'
    slowly = parse_strictly(line.encode(), "x.json", Problems(), keeps_numbers=True)
    del slowly["id"]
    quickly = load(write(f'{line}\n{{"id": "r2"}}')).values["r1"]

    assert (slowly, list(map(type, slowly.values()))) == (quickly, list(map(type, quickly.values())))


@pytest.mark.parametrize(
    "members", ['"a" :1, "a": 2', '"a": "\\":", "a":1', '"a": 1.5, "b": "x:y", "a": 1.5', '"a" : 1, "a" : 2']
)
def test_a_key_twice_is_seen_however_it_is_written(members: str, write: Write):
    """
    With blanks before the colon, and colons in texts.
    """
    with pytest.raises(InputError, match="the key 'a' occurs twice"):
        load(write(f'{{"id": "r1", {members}}}\n{{"id": "r2"}}'))

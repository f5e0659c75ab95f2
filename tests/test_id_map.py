"""Id maps in every format, and what is wrong with them."""

from __future__ import annotations

import builtins
import gzip
import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from spaneval.exceptions import FormatError, IdMapError, InputError
from spaneval.loaders.id_map import IdMap, as_id_map, load_id_map, parse_columns
from spaneval.problems import Problems

MAP = {"kb::C1": "PEL.1", "kb::C2": "PEL.2"}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Writes a file, reads it as a map, and returns the map and the problems as a user sees them."""
    monkeypatch.chdir(tmp_path)

    def load_content(content, name="v.csv", columns=None, kind=None):
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(raw)
        problems = Problems(None)
        id_map = load_id_map(name, columns=columns, problems=problems)
        if kind is not None:
            assert {kind} == {problem.kind for problem in problems.kept}
        return id_map, [str(problem) for problem in problems.kept]

    return load_content


def check(result, targets=MAP, n_trimmed=0, n_empty=0):
    id_map, messages = result
    assert [] == messages
    assert (targets, n_trimmed, n_empty) == (id_map.targets, id_map.n_trimmed, id_map.n_empty)


@pytest.mark.parametrize("source", ["predicted_id", "entity_id_predicted", "cluster_id", "from"])
@pytest.mark.parametrize("target", ["kb_id", "entity_id", "to"])
def test_recognised_columns(load, source, target):
    check(load(f"{target},x,{source}\nPEL.1,,kb::C1\nPEL.2,,kb::C2\n"))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("predicted_id\tkb_id\nkb::C1\tPEL.1\nkb::C2\tPEL.2\n", "v.tsv"),
        ("predicted_id\tkb_id\nkb::C1\tPEL.1\nkb::C2\tPEL.2\n", "v"),
        ("predicted_id\tkb_id\nkb::C1\tPEL.1\nkb::C2\tPEL.2\n", "v.csv"),
        ('predicted_id,kb_id,"a\tb"\nkb::C1,PEL.1,\nkb::C2,PEL.2,\n', "v.csv"),
        ('predicted_id\tkb_id\ta,b\nkb::C1\tPEL.1\t"\nkb::C2\tPEL.2\t\n', "v.tsv"),
        (json.dumps(MAP), "v.json"),
        ("\ufeff" + json.dumps(MAP, indent=1), "v.txt"),
        (json.dumps([{"predicted_id": k, "kb_id": v, "n": {"x": 1}} for k, v in MAP.items()]), "v.json"),
        (gzip.compress(b"from,to\nkb::C1,PEL.1\nkb::C2,PEL.2\n", mtime=0), "v.csv"),
        (gzip.compress(json.dumps(MAP).encode(), mtime=0), "v.json.gz"),
    ],
)
def test_formats_are_told_by_content_and_name(load, content, name):
    check(load(content, name))


def test_the_first_name_wins_over_another_known_one(load):
    check(load("cluster_id,predicted_id,entity_id,kb_id\n1,kb::C1,x,PEL.1\n2,kb::C2,y,PEL.2\n"))


def test_a_conflict_names_the_column_that_was_passed_over(load):
    _, messages = load("predicted_id,cluster_id,kb_id\na,c1,x\na,c2,y\n")
    assert [
        (
            "v.csv:3: 'a' maps to 'y', but line 2 maps it to 'x'\n"
            "hint: a predicted id needs one target; merge the rows or drop one; "
            "--id-map-columns FROM,TO reads other columns, such as 'cluster_id'"
        )
    ] == messages


def test_columns_that_were_asked_for_are_not_passed_over(load):
    _, messages = load("predicted_id,cluster_id,kb_id\na,c,x\na,c,y\n", columns=("cluster_id", "kb_id"))
    assert [True] == [message.endswith("merge the rows or drop one") for message in messages]


def test_columns_by_name(load):
    check(load("mine,yours\nPEL.1,kb::C1\nPEL.2,kb::C2\n", columns=("yours", "mine")))


def test_columns_by_position_of_a_file_without_header(load):
    check(load("x,PEL.1,kb::C1\nx,PEL.2,kb::C2\n", columns=("3", "2")))


def test_columns_by_position_skip_a_recognised_header(load):
    check(load("predicted_id,kb_id\nkb::C1,PEL.1\nkb::C2,PEL.2\n", columns=("1", "2")))


def test_columns_called_by_numbers_are_names_where_the_header_has_both(load):
    check(load("2,1\nPEL.1,kb::C1\nPEL.2,kb::C2\n", columns=("1", "2")))


def test_an_id_that_is_a_number_is_not_taken_for_a_column_name(load):
    check(load("1,PEL.1\n7,PEL.2\n", columns=("1", "2")), {"1": "PEL.1", "7": "PEL.2"})


def test_a_name_and_a_position_together_mean_that_there_is_a_header(load):
    check(load("mine,yours\nkb::C1,PEL.1\nkb::C2,PEL.2\n", columns=("mine", "2")))


def test_repeated_identical_rows_are_fine(load):
    check(load("from,to\nkb::C1,PEL.1\nkb::C2,PEL.2\nkb::C1,PEL.1\n"))


def test_blanks_are_trimmed_and_counted(load):
    check(load("from , to\n kb::C1,PEL.1 \nkb::C2,\u00a0PEL.2\n"), n_trimmed=3)


def test_an_empty_target_alone_is_not_held(load):
    check(load("from,to\nkb::C1,PEL.1\nkb::C2,PEL.2\nkb::C3,\nkb::C3, \n,\n"), n_trimmed=1, n_empty=1)


def test_cells_are_taken_letter_by_letter(load):
    check(load("from,to\n007,NA\n1.0,null\n"), {"007": "NA", "1.0": "null"})


def test_a_header_alone_is_an_empty_map(load):
    check(load("from,to\n"), {})


def test_numbers_of_json_become_their_digits(load):
    large = "9" * 400
    content = f'{{"a": 7157, "b": 7.0, "c": {large}, "d": null, "e": 1e3}}'
    check(load(content, "v.json"), {"a": "7157", "b": "7", "c": large, "e": "1000"}, n_empty=1)


CONFLICT = "\nhint: a predicted id needs one target; merge the rows or drop one"


def test_two_targets_name_both_lines(load):
    content = "predicted_id,kb_id\na,1\nkb::C0007,PEL.000032\n" + "a,1\n" * 4 + "kb::C0007,PEL.000051\n"
    _, messages = load(content, kind=IdMapError)
    assert ["v.csv:8: 'kb::C0007' maps to 'PEL.000051', but line 3 maps it to 'PEL.000032'" + CONFLICT] == messages


def test_an_empty_and_a_full_target_conflict(load):
    _, messages = load("from,to\na,\na,x\nb,y\nb,\n", kind=IdMapError)
    assert [
        "v.csv:3: 'a' maps to 'x', but line 2 maps it to nothing" + CONFLICT,
        "v.csv:5: 'b' maps to nothing, but line 4 maps it to 'y'" + CONFLICT,
    ] == messages


def test_two_targets_in_json_name_both_lines(load):
    content = '{\n "a": "1",\n "b": {"a": 1, "}": ["]"]},\n "c": null,\n "a": "2"\n}'
    _, messages = load(content, "v.json")
    assert [
        "v.json:3: an object as target of 'b', expected text or an integer\nhint: an id has one target",
        "v.json:5: 'a' maps to '2', but line 2 maps it to '1'" + CONFLICT,
    ] == messages


def test_two_targets_in_json_rows_name_both_lines(load):
    content = '[\n {"from": "a", "to": "1"},\n\n {"from": "a",\n  "to": "2"}]'
    _, messages = load(content, "v.json")
    assert ["v.json:4: 'a' maps to '2', but line 2 maps it to '1'" + CONFLICT] == messages


def test_a_target_without_id_is_a_problem(load):
    _, messages = load("from,to\n,PEL.1\n", kind=IdMapError)
    assert ["v.csv:2: no predicted id for the target 'PEL.1'\nhint: fill in the id, or drop the row"] == messages


def test_unknown_columns_are_listed_with_the_option(load):
    _, messages = load("\nmine,yours\na,b\n", kind=FormatError)
    assert [
        (
            "v.csv:2: no column 'predicted_id' or 'entity_id_predicted' or 'cluster_id' or 'from' "
            "(found: 'mine', 'yours')\n"
            "hint: --id-map-columns FROM,TO names the columns; of a file without a header, --id-map-columns 1,2"
        )
    ] == messages


def test_two_columns_that_would_do_are_unclear(load):
    _, messages = load("cluster_id,from,to\na,b,c\n", kind=FormatError)
    assert [
        (
            "v.csv:1: more than one column for 'predicted_id' (found: 'cluster_id', 'from', 'to')\n"
            "hint: --id-map-columns FROM,TO picks two"
        )
    ] == messages


BY_NAME = "\nhint: --id-map-columns FROM,TO takes names, or positions from 1"


def test_a_named_column_that_is_missing(load):
    _, messages = load("a,b\n1,2\n", columns=("a", "c"), kind=FormatError)
    assert ["v.csv:1: no column 'c' (found: 'a', 'b')" + BY_NAME] == messages


def test_a_named_column_that_is_there_twice(load):
    _, messages = load("a,b,a\n1,2,3\n", columns=("a", "b"), kind=FormatError)
    assert ["v.csv:1: 2 columns are called 'a' (found: 'a', 'b', 'a')" + BY_NAME] == messages


def test_a_position_that_does_not_exist(load):
    _, messages = load("a,b\n1,2\n", columns=("1", "3"), kind=FormatError)
    assert ["v.csv:1: no column at position 3, expected 1 to 2 (found: 'a', 'b')" + BY_NAME] == messages


def test_semicolons_are_explained(load):
    _, messages = load("from;to\na;b\n", kind=FormatError)
    assert [
        (
            "v.csv: cells are separated by ';' (found: 'from;to'), expected ',' or a tab\n"
            "hint: save the file as CSV with commas"
        )
    ] == messages


def test_an_empty_file(load):
    _, messages = load("\n", kind=FormatError)
    assert [
        (
            "v.csv: the file is empty, expected a header such as predicted_id,kb_id\n"
            "hint: a map that holds no ids is {} or a header alone; where ids need no map, name none"
        )
    ] == messages


@pytest.mark.parametrize("content", ["", " \n", "\ufeff"])
def test_an_empty_json_file(load, content):
    _, messages = load(content, "v.json", kind=FormatError)
    assert [
        (
            "v.json: the file is empty, expected an object of predicted ids and their targets\n"
            "hint: a map that holds no ids is {} or a header alone; where ids need no map, name none"
        )
    ] == messages


def test_problems_of_the_table_are_passed_on(load):
    id_map, messages = load(b"from,to\na\nb\0,c\nd,\xff\ne,f\n", kind=FormatError)
    assert {"e": "f"} == id_map.targets
    assert [
        "v.csv:2: 1 cell found, 2 expected, as in line 1\nhint: the line may have been cut short",
        "v.csv:3:2: a NUL byte, expected text\nhint: remove it",
        (
            "v.csv:4:3: not UTF-8: byte 0xFF\n"
            "hint: save the file as UTF-8; in Latin-1 this byte is 'ÿ': iconv -f LATIN1 -t UTF-8 FILE"
        ),
    ] == messages


@pytest.mark.parametrize(
    ("value", "shown", "hint"),
    [
        ("7.5", "7.5", "ids are text; write this one as text"),
        ("true", "true", "ids are text; write this one as text"),
        ("[1]", "a list", "an id has one target"),
        ("{}", "an object", "an id has one target"),
    ],
)
def test_values_that_are_no_ids(load, value, shown, hint):
    _, messages = load(f'{{"b": "x",\n"a": {value}}}', "v.json", kind=FormatError)
    assert [f"v.json:2: {shown} as target of 'a', expected text or an integer\nhint: {hint}"] == messages


def test_a_value_that_is_no_predicted_id(load):
    _, messages = load('[{"from": 1.5, "to": "x"}]', "v.json", kind=FormatError)
    assert [
        "v.json:1: 1.5 as predicted id, expected text or an integer\nhint: ids are text; write this one as text"
    ] == messages


def test_a_nul_character_in_json(load):
    _, messages = load('{"a\\u0000": "x"}', "v.json", kind=FormatError)
    assert ["v.json:1: a NUL character in the predicted id 'a\\x00', expected text\nhint: remove it"] == messages


def test_half_of_a_surrogate_pair_in_json(load):
    _, messages = load('{"é": "\\ud800"}', "v.json", kind=FormatError)
    assert [
        "v.json:1: half of a surrogate pair in the target '\\ud800' of 'é', expected text\nhint: remove it"
    ] == messages


@pytest.mark.parametrize("content", ['{"a": NaN}', '{"a": }', "[1"])
def test_what_is_not_json_is_located(load, content):
    _, messages = load(content, "v.json", kind=FormatError)
    assert 1 == len(messages)
    assert messages[0].startswith("v.json:1:")
    assert "not valid JSON" in messages[0]


def test_json_of_another_shape(load):
    _, messages = load("7", "v.json", kind=FormatError)
    assert ["v.json: 7 found, expected an object of predicted ids and their targets, or a list of objects"] == messages


def test_json_rows_of_another_shape(load):
    _, messages = load('[{"from": "a", "to": "b"},\n["c", "d"],\n{"from": "e", "from": "f"}]', "v.json")
    assert [
        "v.json:2: a list found, expected an object with the two columns",
        "v.json:3: a key is repeated in one object\nhint: keep one of them",
    ] == messages


def test_a_missing_file_is_a_problem_and_not_an_exception(tmp_path):
    problems = Problems()
    assert {} == load_id_map(str(tmp_path / "no.csv"), problems=problems).targets
    assert [f"{tmp_path / 'no.csv'}: cannot be read: No such file or directory"] == [str(p) for p in problems.kept]


def test_parquet(tmp_path, load):
    path = tmp_path / "frame"
    pd.DataFrame({"predicted_id": [7, 8, 2**62 + 1], "kb_id": ["x", None, " y"]}).to_parquet(path)
    check(load(path.read_bytes(), "v.csv"), {"7": "x", str(2**62 + 1): "y"}, n_trimmed=1, n_empty=1)


def test_conflicts_in_parquet_name_rows(tmp_path, load):
    path = tmp_path / "frame"
    pd.DataFrame({"from": ["a", "b", "a"], "to": [1.0, np.nan, 2.5]}).to_parquet(path)
    _, messages = load(path.read_bytes(), "v.parquet", kind=FormatError)
    assert [
        (
            "v.parquet: row 3: 2.5 as target of 'a', expected text or an integer\n"
            "hint: ids are text; write this one as text"
        )
    ] == messages
    pd.DataFrame({"from": ["a", "b", "a"], "to": [1.0, np.nan, 2.0]}).to_parquet(path)
    _, messages = load(path.read_bytes(), "v.parquet", kind=IdMapError)
    assert ["v.parquet: row 3: 'a' maps to '2', but row 1 maps it to '1'" + CONFLICT] == messages


def test_what_is_not_parquet(load):
    _, messages = load("from,to\n", "v.parquet", kind=FormatError)
    assert messages[0].startswith("v.parquet: not a sound Parquet file: ")


def test_parquet_without_pyarrow_names_the_extra(load, monkeypatch):
    real = builtins.__import__

    def without_pyarrow(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    _, messages = load(b"PAR1", "v.parquet", kind=InputError)
    assert [
        "v.parquet: Parquet needs pyarrow, which is not installed\nhint: pip install 'spaneval-el[parquet]'"
    ] == messages


def as_map(source, columns=None):
    problems = Problems(None)
    return as_id_map(source, columns=columns, problems=problems), [str(problem) for problem in problems.kept]


def test_a_mapping_is_a_map():
    check(as_map({**MAP, 7: Decimal("8.0"), "x": None, " y ": np.int64(3)}), {**MAP, "7": "8", "y": "3"}, 1, 1)


def test_a_map_stays_itself_and_a_path_is_read(tmp_path):
    id_map = IdMap("m", MAP)
    assert id_map is as_map(id_map)[0]
    path = tmp_path / "v.csv"
    path.write_text("from,to\nkb::C1,PEL.1\nkb::C2,PEL.2\n")
    check(as_map(path))


def test_conflicts_of_a_mapping_name_entries():
    assert ["id map, entry 2: '7' maps to 'b', but entry 1 maps it to 'a'" + CONFLICT] == as_map({7: "a", "7": "b"})[1]


def test_a_data_frame_is_a_map():
    frame = pd.DataFrame({"x": [1, 2, 3], "to": [7.0, None, 9.0], "from": ["a", "b", pd.NA]}).iloc[:2]
    check(as_map(frame), {"a": "7"}, n_empty=1)
    check(as_map(frame, columns=("3", "x")), {"a": "1", "b": "2"})


def test_a_data_frame_without_known_columns():
    _, messages = as_map(pd.DataFrame({"a": [True], "b": ["x"]}))
    assert messages[0].startswith("id map: no column 'predicted_id' or ")
    _, messages = as_map(pd.DataFrame({"from": [True], "to": ["x"]}))
    assert [
        ("id map, row 1: true as predicted id, expected text or an integer\nhint: ids are text; write this one as text")
    ] == messages


def test_another_object_is_refused():
    with pytest.raises(TypeError, match="an id map is a path, a mapping, a data frame or an IdMap, not int"):
        as_map(7)


def test_pandas_is_not_imported_for_a_mapping():
    code = (
        "import sys; from spaneval.loaders.id_map import as_id_map; from spaneval.problems import Problems; "
        "as_id_map({'a': 'b'}, problems=Problems()); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_parse_columns():
    assert ("a", "b c") == parse_columns(" a,b c ")


@pytest.mark.parametrize("text", ["a", "a,b,c", ",b", "a,", ""])
def test_parse_columns_wants_two(text):
    with pytest.raises(ValueError, match="is not of the form FROM,TO, such as cluster,kb_id or 1,2"):
        parse_columns(text)


def test_parse_columns_wants_two_different_ones():
    with pytest.raises(ValueError, match="'a,a' names one column twice"):
        parse_columns("a,a")

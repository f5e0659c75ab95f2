"""Delimited text, and bytes from files, pipes and gzip streams."""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spaneval
from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.tables import Delimiter, Record, guess_delimiter, open_bytes, read_delimited
from spaneval.problems import Problems


def read(raw: bytes, delimiter: Delimiter = ",") -> tuple[list[Record], list[str]]:
    """The records of `raw` and the problems as a user sees them."""
    problems = Problems(None)
    records = list(read_delimited(io.BytesIO(raw), name="t.csv", delimiter=delimiter, problems=problems))
    assert all(problem.kind is FormatError for problem in problems.kept)
    return records, [str(problem) for problem in problems.kept]


def cells(raw: bytes, delimiter: Delimiter = ",") -> list[list[str]]:
    """The cells of text without problems."""
    records, messages = read(raw, delimiter)
    assert [] == messages
    return [record.cells for record in records]


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b\n1,2\n",
        b"a,b\r\n1,2\r\n",
        b"a,b\n1,2",
        b"a,b\r\n1,2\r",
        b"\xef\xbb\xbfa,b\n1,2\n",
        b"\n\na,b\n  \n1,2\n\r\n",
        b'"a",b\n"1","2"\n',
    ],
)
def test_line_ends_marks_and_blank_lines_change_nothing(raw):
    assert [["a", "b"], ["1", "2"]] == cells(raw)


def test_records_know_the_line_where_they_start():
    records, _ = read(b'a,b\n\n"x\ny",2\n3,4\n')
    assert [Record(1, ["a", "b"]), Record(3, ["x\ny", "2"]), Record(5, ["3", "4"])] == records


def test_quoted_cells_hold_commas_quotes_and_line_ends():
    assert [["a", "b"], ['say "hi", then', "x\r\n\r\ny"]] == cells(b'a,b\n"say ""hi"", then","x\r\n\r\ny"\r\n')


def test_a_quote_inside_an_unquoted_cell_is_a_letter():
    assert [["a", "b"], ['5" disk', "1"]] == cells(b'a,b\n5" disk,1\n')


def test_tsv_has_no_quoting():
    assert [["a", "b"], ['"x', 'y"'], ["", ""], ["1,2", "\r3"]] == cells(b'a\tb\n"x\ty"\n\t\n1,2\t\r3\n', "\t")


def test_only_a_line_feed_ends_a_line():
    text = "a,b\nx\u2028y\x0b\x0c,z\x85\x1c\n"
    assert [["a", "b"], ["x\u2028y\x0b\x0c", "z\x85\x1c"]] == cells(text.encode())


def test_cells_may_be_larger_than_the_limit_of_the_csv_module():
    large = "x" * (csv.field_size_limit() + 1)
    assert [["a", "b"], [large, large]] == cells(f'a,b\n{large},"{large}"\n'.encode())


def test_an_unclosed_quote_is_reported_where_its_record_starts():
    records, messages = read(b'a,b\n1,2\n3,"4\n5,6\n7,8\n')
    assert [["a", "b"], ["1", "2"]] == [record.cells for record in records]
    assert [
        "t.csv:3: a double quote is opened and never closed\nhint: close it, or write it twice inside quotes"
    ] == messages


def test_letters_behind_a_closing_quote_are_reported_and_reading_goes_on():
    records, messages = read(b'a,b\n"1"x,2\n3,4\n')
    assert [["a", "b"], ["3", "4"]] == [record.cells for record in records]
    assert [
        (
            "t.csv:2: expected ',' or the end of the line after a quoted cell\n"
            'hint: a double quote inside a quoted cell is written twice: ""'
        )
    ] == messages


def test_a_lone_carriage_return_is_reported_with_the_line_ends_to_use():
    _, messages = read(b"a,b\n1\r,2\n3,4\n")
    assert [
        (
            "t.csv:2: a carriage return inside a cell without quotes\n"
            "hint: lines end with LF or CRLF; save the file with one of these"
        )
    ] == messages


def test_a_wrong_number_of_cells_is_reported_with_found_and_expected():
    records, messages = read(b"a,b\n1\n2,3\n4,5,6\n")
    assert [["a", "b"], ["2", "3"]] == [record.cells for record in records]
    assert [
        "t.csv:2: 1 cell found, 2 expected, as in line 1\nhint: the line may have been cut short",
        (
            "t.csv:4: 3 cells found, 2 expected, as in line 1\n"
            "hint: a cell that holds a comma needs double quotes around it"
        ),
    ] == messages


def test_a_nul_byte_is_reported_with_line_and_column():
    records, messages = read(b"a,b\n1,x\0yz\n3,4\n")
    assert [["a", "b"], ["3", "4"]] == [record.cells for record in records]
    assert ["t.csv:2:4: a NUL byte, expected text\nhint: remove it"] == messages


def test_latin_1_is_reported_with_the_byte_and_what_it_would_be():
    records, messages = read("a,b\n1,2\nü,é\n".encode("latin-1") + b"3,4\n")
    assert [["a", "b"], ["1", "2"], ["3", "4"]] == [record.cells for record in records]
    assert [
        (
            "t.csv:3:1: not UTF-8: byte 0xFC\n"
            "hint: save the file as UTF-8; in Latin-1 this byte is 'ü': iconv -f LATIN1 -t UTF-8 FILE"
        )
    ] == messages


def test_utf_16_is_one_problem_and_not_one_per_line():
    records, messages = read("a,b\n1,2\n".encode("utf-16"))
    assert [] == records
    assert [
        (
            "t.csv:1:1: not UTF-8: the file starts with the byte order mark of UTF-16, FF FE\n"
            "hint: save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"
        )
    ] == messages


def test_utf_16_without_a_mark_is_recognised_by_its_nul_bytes():
    records, messages = read("a,b\n1,2\n".encode("utf-16-le"))
    assert [] == records
    assert [
        "t.csv:1:2: a NUL byte, expected text\nhint: it looks like UTF-16: iconv -f UTF-16LE -t UTF-8 FILE"
    ] == messages


def test_a_bad_line_inside_a_quoted_cell_spoils_its_record_only():
    records, messages = read(b'a,b\n"x\n\xff\ny",1\n2,3\n')
    assert [["a", "b"], ["2", "3"]] == [record.cells for record in records]
    assert 1 == len(messages)


@given(
    st.lists(
        st.lists(st.text(st.sampled_from('a,"\n \tü') | st.characters(codec="utf-8", exclude_characters="\r\0"))),
        min_size=1,
    )
)
def test_what_the_csv_module_writes_is_read_back(rows):
    width = 3
    rows = [(row + ["x"] * width)[:width] for row in rows]
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    assert rows == cells(b"\n" + text.getvalue().encode())


@pytest.mark.parametrize(
    ("line", "expected"),
    [("a,b", ","), ("a\tb", "\t"), ("a\tb,c", "\t"), ("a;b", None), ("a;b,c", ","), ("a", ",")],
)
def test_guess_delimiter(line, expected):
    assert expected == guess_delimiter(line)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("content", [b"", b"x", b"a,b\n" * 200_000])
def test_files_are_unpacked_by_content(tmp_path, pack, content):
    path = tmp_path / "any.name"
    path.write_bytes(pack(content))
    with open_bytes(str(path)) as stream:
        assert content == stream.read()


def test_a_gzip_stream_of_two_members_is_read_whole(tmp_path):
    path = tmp_path / "two.gz"
    path.write_bytes(gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0))
    with open_bytes(str(path)) as stream:
        assert b"onetwo" == stream.read()


def test_a_pipe_is_read_without_seeking(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(b"a,b\n", mtime=0),))
    writer.start()
    with open_bytes(str(pipe)) as stream:
        assert [b"a,b\n"] == list(stream)
    writer.join()


def test_standard_input_stays_open(monkeypatch):
    buffer = io.BytesIO(gzip.compress(b"a,b\n", mtime=0))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))
    with open_bytes("-") as stream:
        assert b"a,b\n" == stream.read()
    assert not buffer.closed


def test_a_broken_gzip_stream_names_file_and_remedy(tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(os.urandom(1000))[:500])
    with open_bytes(str(path)) as stream, pytest.raises(FormatError) as caught:
        stream.read()
    assert (
        f"{path}: not a sound gzip stream: Compressed file ended before the end-of-stream marker was reached\n"
        "hint: the file may have been cut short; gzip -t FILE checks it"
    ) == str(caught.value)


def test_a_folder_names_the_reason(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        open_bytes(str(tmp_path))
    assert f"{tmp_path}: cannot be read: Is a directory\nhint: name a file in it" == str(caught.value)


def test_a_missing_file_names_the_reason(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        open_bytes(str(tmp_path / "no.csv"))
    assert f"{tmp_path / 'no.csv'}: cannot be read: No such file or directory" == str(caught.value)


def test_workbook_in_place_of_a_table_is_told(tmp_path: Path):
    """
    As a spreadsheet saves it: a packed folder.
    """
    path = tmp_path / "gold.xlsx"
    path.write_bytes(b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xdf\xa4\xd2lZ\x01")
    with pytest.raises(InputError, match="hint: this is no text file, but a database, a workbook or the like"):
        spaneval.evaluate_records(path, path)

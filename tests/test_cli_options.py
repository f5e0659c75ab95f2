"""Wrong use: exit code 2, one line that says what is wrong, nothing on standard output."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import pytest

from spaneval.cli import main

Run = tuple[int, str, str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with inputs that exist; what is in them does not matter here."""
    (tmp_path / "gold").mkdir()
    for name in ("gold/a.gt.json", "out.jsonl", "map.csv"):
        (tmp_path / name).write_text("[]")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *args: str) -> Run:
    """Exit code, standard output, standard error."""
    code = main(args)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


SCORE = ("score", "--gt", "gold", "--pred", "out.jsonl")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--match", "overlp"], "--match: 'overlp' is not one of 'overlap', 'exact'. Did you mean 'overlap'?"),
        (
            ["-f", "jsn"],
            "--format: 'jsn' is not one of 'table', 'json', 'jsonl', 'csv', 'markdown', 'latex'. Did you mean 'json'?",
        ),
        (["--assignment", "max"], "--assignment: 'max' is not one of 'exact-first', 'greedy'."),
        (["--resample", "5"], "No such option '--resample'. Did you mean '--resamples'?"),
        (["--pred-format", "jsnl"], "Did you mean 'jsonl'?"),
        (["--resamples", "0"], "--resamples: 0 is not in the range x>=1."),
        (["--resamples", "1e4"], "--resamples: '1e4' is not a whole number"),
        (["--resamples", "1_000"], "--resamples: '1_000' is not a whole number"),
        (["--level", "nan"], "--level: 'nan' is not a finite number"),
        (["--level", "1"], "--level: '1' is not between 0 and 1"),
        (["--level", "95"], "--level: '95' is not between 0 and 1"),
        (["--level", "high"], "--level: 'high' is not a number"),
        (["--seed", "-1"], "--seed: -1 is not in the range x>=0."),
        (["--seed", "0.5"], "--seed: '0.5' is not a whole number"),
        (["--min-score", "nan"], "--min-score: 'nan' is not a finite number"),
        (["--min-score", "inf"], "--min-score: 'inf' is not a finite number"),
        (["--digits", "-1"], "--digits: -1 is not in the range 0<=x<=15."),
        (["--minted", "("], "--minted: '(' is not a regular expression"),
        (["--null-is-nil"], "--null-is-nil needs --nil ID"),
        (["--nil", "NIL", "--nil", ""], "--nil: '' is no id; a prediction without id claims NIL with"),
        (["--pred", "no\nsuch"], "--pred: 'no\\nsuch' does not exist"),
        (["-o", "no\nsuch/report.txt"], "--output: 'no\\nsuch/report.txt': the folder 'no\\nsuch' does not exist"),
        (["--id-map-columns", "a,b"], "--id-map-columns needs --id-map or --gold-id-map"),
        (["--id-map", "map.csv", "--id-map-columns", "a"], "--id-map-columns: 'a' is not of the form FROM,TO"),
        (["--field", "a"], "--field: 'a' is not of the form OURS=THEIRS"),
        (["--field", "entity_id=id"], "Did you mean 'entity_id_predicted'?"),
        (["--field", "start=a"], "Did you mean 'a=start'?"),
        (["--field", "a=x", "--field", "a=y"], "--field: 'a' is given two names, 'x' and 'y'"),
        (["--pred", "-", "--pred", "-"], "--pred: standard input (-) can be read only once"),
        (["--pred", "out.json"], "--pred: 'out.json' does not exist. Did you mean 'out.jsonl'?"),
        (["--gt", "golf"], "--gt: 'golf' does not exist. Did you mean 'gold'?"),
        (["--gt", "-"], "--gt: '-' does not exist."),
        (["--id-map", "elsewhere/map.csv"], "--id-map: 'elsewhere/map.csv' does not exist."),
        (["-o", "no/such/report.txt"], "--output: 'no/such/report.txt': the folder 'no/such' does not exist"),
        (["-o", "gold"], "--output: 'gold' is a folder"),
        (["-o", ""], "--output: the name of the file is empty"),
        (["-o", "out.jsonl"], "--output: 'out.jsonl' is an input; inputs are never written over"),
        (["--pairs", "./out.jsonl"], "--pairs: './out.jsonl' is an input; inputs are never written over"),
        (["-o", "gold/a.gt.json"], "--output: 'gold/a.gt.json' is an input"),
        (["--id-map", "map.csv", "--pairs", "map.csv"], "--pairs: 'map.csv' is an input"),
        (["-o", "new.csv", "--pairs", "new.csv"], "--pairs: 'new.csv' is also the file of --output"),
        (["--pairs", "pairs.txt"], "--pairs: 'pairs.txt' names no known format"),
        (["--pairs", "-"], "--pairs: '-' names no known format"),
        (["--color", "sometimes"], "--color: 'sometimes' is not one of 'auto', 'always', 'never'."),
        (["more"], "Got unexpected extra argument (more)"),
    ],
)
def test_wrong_use_of_score(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    The message names the option, what was found and, where it is likely, what was meant.
    """
    code, out, err = run(capsys, *SCORE, *args)

    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert message in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing command."),
        (["scor"], "No such command 'scor'. Did you mean 'score'?"),
        (["frobnicate"], "No such command 'frobnicate'. There are: score, "),
        (["--frob"], "No such option '--frob'"),
        (["score"], "Missing option '--gt'."),
        (["score", "--gt", "gold"], "Missing option '--pred'."),
        (["validate"], "nothing to validate: give --gt, --pred or --id-map"),
        (["validate", "-f", "markdown"], "--format: 'markdown' is not one of 'table', 'json'."),
    ],
)
def test_wrong_use_of_commands(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    The same for the group and for `validate`.
    """
    code, out, err = run(capsys, *args)

    assert (code, out) == (2, "")
    assert f"error: {message}" in err


def test_hint_names_the_help_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The second line says where to read on.
    """
    _, _, err = run(capsys, *SCORE, "--level", "2")

    assert err.splitlines()[1] == "hint: see `spaneval score --help`"


def test_hard_link_to_an_input_is_an_input(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The same file under another name.
    """
    os.link(folder / "gold" / "a.gt.json", folder / "other.txt")
    code, _, err = run(capsys, *SCORE, "-o", "other.txt")

    assert code == 2
    assert "'other.txt' is an input" in err


def test_link_to_a_folder_that_is_not_there_names_that_folder(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The folder of the link is there.
    """
    there = os.path.realpath(folder / "gone")
    (folder / "gold" / "dangling").symlink_to("../gone/report.txt")
    code, _, err = run(capsys, *SCORE, "-o", "gold/dangling")

    assert code == 2
    assert f"--output: 'gold/dangling': the folder '{there}' that it links to does not exist" in err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not let a working directory be removed")
@pytest.mark.parametrize("option", ["-o", "--pairs", "--save"])
def test_removed_working_directory_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: str
):
    """
    Standard output has nothing to do with it.
    """
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    code, _, err = run(
        capsys, "score", "--gt", f"{folder}/gold", "--pred", f"{folder}/out.jsonl", option, "report.jsonl"
    )
    monkeypatch.chdir(folder)

    assert code == 2
    assert "'report.jsonl': the working directory does not exist any more" in err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_write_protected_file_is_refused_before_the_work(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    A rename would not have asked.
    """
    (folder / "report.txt").touch(mode=0o444)
    code, _, err = run(capsys, *SCORE, "-o", "report.txt")

    assert code == 2
    assert "--output: 'report.txt' is write-protected" in err


def test_wrong_use_leaves_inputs_alone(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Nothing was written before the refusal.
    """
    run(capsys, *SCORE, "-o", "out.jsonl", "--pairs", "pairs.csv")

    assert (folder / "out.jsonl").read_text() == "[]"
    assert not (folder / "pairs.csv").exists()


def test_choices_are_those_of_the_library():
    """
    `Options` and the command line cannot drift apart.
    """
    from spaneval.cli.score import score
    from spaneval.options import Options

    defaults = {param.name: param.default for param in score.params}
    ours = {name: getattr(Options(), name) for name in Options._fields}
    without_value = {"nil", "null_is_nil", "fields", "min_score"}

    assert set(ours) <= set(defaults)
    for name in set(ours) - without_value:
        assert ours[name] == defaults[name], name


def test_infinity_is_no_number_of_ours():
    """
    click's own ranges would have let NaN through.
    """
    import click

    from spaneval.cli.types import Number

    with pytest.raises(click.BadParameter):
        Number(0, 1).convert(math.nan, None, None)

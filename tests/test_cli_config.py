"""Options from pyproject.toml and the environment: what wins, what is refused and in which words."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from console_blocks import ROOT, check_page

from spaneval.cli import main
from spaneval.cli.compare import compare
from spaneval.cli.config import ABOUT_FILES, OTHERS, variable_of
from spaneval.cli.group import COMMANDS, cli
from spaneval.cli.score import score

GOLD = [{"itext": 0, "text": "TP53 binds MDM2.", "ground_truth": [{"a": 0, "b": 4, "entity_id": "G1"}]}]
ROWS = [{"itext": 0, "a": 0, "b": 4, "entity_id_predicted": "G1", "score": 0.9}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with gold and predictions, and no variables of ours."""
    for name in [name for name in os.environ if name.startswith("SPANEVAL_") and name not in OTHERS]:
        monkeypatch.delenv(name)
    (tmp_path / "gold.gt.json").write_text(json.dumps(GOLD))
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORE = ("score", "--gt", "gold.gt.json", "--pred", "out.jsonl")


def write(folder: Path, *lines: str, name: str = "pyproject.toml") -> Path:
    """A configuration of these lines."""
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class Seen:
    """What `score` was called with, and what was printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.given, self.err = capsys, dict[str, Any](), ""
        monkeypatch.setattr(score, "callback", self._keep)

    def _keep(self, **given: Any) -> None:
        self.given = given

    def __call__(self, *args: str) -> dict[str, Any]:
        """The values of the options after a run that went well."""
        assert self.fails(*args) == 0, self.err
        return self.given

    def fails(self, *args: str) -> int:
        """The exit code; standard error is kept."""
        self.given = {}
        code = main(args or SCORE)
        captured = self.capsys.readouterr()
        assert captured.out == ""
        self.err = captured.err
        return code


@pytest.fixture
def seen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(capsys, monkeypatch)


def test_flag_beats_environment_beats_file_beats_default(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    One option, given in one more place at each step.
    """
    assert seen()["seed"] == 1234
    write(folder, "[tool.spaneval]", "seed = 1")
    assert seen()["seed"] == 1
    write(folder, "[tool.spaneval]", "seed = 1", "[tool.spaneval.score]", "seed = 2")
    assert seen()["seed"] == 2
    monkeypatch.setenv("SPANEVAL_SEED", "3")
    assert seen()["seed"] == 3
    assert seen(*SCORE, "--seed", "4")["seed"] == 4


def test_zero_is_a_seed_everywhere(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    And false is a value.
    """
    write(folder, "[tool.spaneval]", "seed = 0", "ci = false", "digits = 0", "min-score = 0")
    given = seen()
    assert [given[name] for name in ("seed", "ci", "digits", "min_score")] == [0, False, 0, 0.0]

    write(folder, "[tool.spaneval]", "seed = 5")
    monkeypatch.setenv("SPANEVAL_SEED", "0")
    assert seen()["seed"] == 0


def test_values_of_every_kind(folder: Path, seen: Seen):
    """
    Choices, numbers, flags, lists, pairs of names; with dashes or underscores.
    """
    write(
        folder,
        "[tool.spaneval]",
        'match = "exact"',
        "level = 0.9",
        "min_score = 1",
        'nil = ["NIL", "NEW id"]',
        "null-is-nil = true",
        "no-ci = true",
        'field = ["a=start", "b=end"]',
        'minted = "^c"',
        "[tool.spaneval.score]",
        "per_document = true",
        'format = "json"',
    )
    given = seen()

    expected = {
        "match": "exact",
        "level": 0.9,
        "min_score": 1.0,
        "nil": ("NIL", "NEW id"),
        "null_is_nil": True,
        "ci": False,
        "fields": {"a": "start", "b": "end"},
        "minted": "^c",
        "per_document": True,
        "format": "json",
    }
    assert expected == {name: given[name] for name in expected}


def test_values_of_variables(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    Paths are separated as in PATH, other lists by blanks; what is empty is not set.
    """
    for name, value in {
        "SPANEVAL_GT": f"gold.gt.json{os.pathsep}out.jsonl",
        "SPANEVAL_PRED": "out.jsonl",
        "SPANEVAL_NIL": "NIL NEW",
        "SPANEVAL_NULL_IS_NIL": "yes",
        "SPANEVAL_NO_CI": "1",
        "SPANEVAL_FORMAT": "csv",
        "SPANEVAL_MATCH": "",
        "SPANEVAL_LEVEL": "0.5",
        "SPANEVAL_PER_DOCUMENT": "off",
    }.items():
        monkeypatch.setenv(name, value)
    given = seen("score")

    expected = {
        "gold": ("gold.gt.json", "out.jsonl"),
        "predictions": ("out.jsonl",),
        "nil": ("NIL", "NEW"),
        "null_is_nil": True,
        "ci": False,
        "format": "csv",
        "match": "overlap",
        "level": 0.5,
        "per_document": False,
    }
    assert expected == {name: given[name] for name in expected}


def test_flag_replaces_a_list(folder: Path, seen: Seen):
    """
    It does not add to it; and a flag that says no beats a yes.
    """
    write(folder, "[tool.spaneval]", 'nil = ["NIL", "NEW"]', "ci = false")
    given = seen(*SCORE, "--nil", "X", "--ci")

    assert (given["nil"], given["ci"]) == (("X",), True)


def test_paths_are_relative_to_the_file(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    From a folder below; `-` stays standard input or output, an absolute path stays what it is.
    """
    write(
        folder,
        "[tool.spaneval]",
        'gt = ["gold.gt.json"]',
        'output = "-"',
        "[tool.spaneval.score]",
        f"pred = ['{folder / 'out.jsonl'}', '-']",
        'pairs = "pairs.csv"',
    )
    (folder / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(folder / "deep" / "er")
    given = seen("score")

    assert given["gold"] == (os.path.join("..", "..", "gold.gt.json"),)
    assert given["pairs"] == os.path.join("..", "..", "pairs.csv")
    assert given["predictions"] == (str(folder / "out.jsonl"), "-")
    assert given["output"] == "-"


def test_paths_of_named_systems_are_relative_to_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """
    `NAME=FILE` keeps its name; a file whose own name holds `=` is a file.
    """
    given: dict[str, Any] = {}
    monkeypatch.setattr(compare, "callback", lambda **values: given.update(values))
    write(folder, "[tool.spaneval.compare]", 'id-map = ["new=map.csv", "map.csv", "a=b.csv", "new=maps/a=b.csv"]')
    (folder / "maps").mkdir()
    for name in ("map.csv", "a=b.csv", "maps/a=b.csv"):
        (folder / name).touch()
    monkeypatch.chdir(folder / "maps")
    code = main(["compare", "../out.jsonl", "new=../out.jsonl"])

    assert (code, capsys.readouterr().err) == (0, "")
    assert ["new=../map.csv", "../map.csv", "../a=b.csv", "new=../maps/a=b.csv"] == list(map(str, given["id_maps"]))


def test_missing_path_of_the_file_matters_only_if_it_is_used(folder: Path, seen: Seen):
    """
    And the message names file and key.
    """
    write(folder, "[tool.spaneval]", 'gt = ["golf.gt.json"]', 'id-map = ["no.csv"]', "[tool.spaneval.validate]")
    assert seen.fails("score", "--pred", "out.jsonl", "--id-map", "out.jsonl") == 2
    assert seen.err.startswith(
        "error: pyproject.toml: [tool.spaneval] gt: 'golf.gt.json' does not exist. Did you mean 'gold.gt.json'?\n"
    )
    assert seen(*SCORE, "--id-map", "out.jsonl")["id_maps"] == ("out.jsonl",)
    assert seen.fails(*SCORE, "--id-map", "map.csv") == 2
    assert seen.err.startswith("error: --id-map: 'map.csv' does not exist.")


def test_the_nearest_file_is_read_and_no_other(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    A project inside a project has its own.
    """
    write(folder, "[tool.spaneval]", "seed = 1")
    inner = folder / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    args = ("score", "--gt", "../gold.gt.json", "--pred", "../out.jsonl")

    assert seen(*args)["seed"] == 1
    write(inner, "[project]", 'name = "other"')
    assert seen(*args)["seed"] == 1234
    assert seen.err == ""


def test_config_names_a_file(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    By flag or variable; `--no-config` reads none, and a flag beats a variable.
    """
    write(folder, "[tool.spaneval]", "seed = 1")
    write(folder, "[tool.spaneval]", "seed = 2", name="other.toml")

    assert seen("--config", "other.toml", *SCORE)["seed"] == 2
    assert seen("--no-config", *SCORE)["seed"] == 1234
    monkeypatch.setenv("SPANEVAL_CONFIG", "other.toml")
    assert seen()["seed"] == 2
    assert seen("--no-config", *SCORE)["seed"] == 1234
    assert seen("--config", "pyproject.toml", *SCORE)["seed"] == 1
    monkeypatch.setenv("SPANEVAL_NO_CONFIG", "1")
    assert seen("--config", "pyproject.toml", *SCORE)["seed"] == 1
    monkeypatch.delenv("SPANEVAL_CONFIG")
    assert seen()["seed"] == 1234
    monkeypatch.setenv("SPANEVAL_SEED", "7")
    assert seen("--no-config", *SCORE)["seed"] == 7


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--config", "no.toml"], "--config: 'no.toml' does not exist."),
        (["--config", "bare.toml"], "bare.toml: there is no table [tool.spaneval] in it"),
        (["--config", "broken.toml"], "broken.toml:2:5: not valid TOML: "),
        (["--config", "latin.toml"], "latin.toml: not valid TOML: it is not UTF-8"),
        (["--config", "."], ".: cannot be read: "),
        (["--config", "bare.toml", "--no-config"], "--config and --no-config exclude each other"),
    ],
)
def test_named_file_must_be_of_use(folder: Path, seen: Seen, args: list[str], message: str):
    """
    Who names a file wants it read.
    """
    write(folder, "[tool.other]", name="bare.toml")
    write(folder, "[tool.spaneval]", "x = ", name="broken.toml")
    (folder / "latin.toml").write_bytes(b"[tool.spaneval]\nnil = ['\xe9']\n")

    assert seen.fails(*args, *SCORE) == 2
    assert seen.err.startswith(f"error: {message}")


def test_variable_names_a_file_that_does_not_exist(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    The message names the variable.
    """
    monkeypatch.setenv("SPANEVAL_CONFIG", "no.toml")

    assert seen.fails() == 2
    assert seen.err.startswith("error: SPANEVAL_CONFIG: 'no.toml' does not exist.")
    monkeypatch.setenv("SPANEVAL_NO_CONFIG", "maybe")
    assert seen.fails() == 2
    monkeypatch.setenv("SPANEVAL_CONFIG", "out.jsonl")
    assert seen.fails() == 2
    assert seen.err.startswith("error: SPANEVAL_NO_CONFIG: 'maybe' is neither true nor false;")
    monkeypatch.setenv("SPANEVAL_NO_CONFIG", "1")
    assert seen.fails() == 2
    assert seen.err == "error: SPANEVAL_CONFIG and SPANEVAL_NO_CONFIG exclude each other\n"
    assert seen("--no-config", *SCORE)["seed"] == 1234


@pytest.mark.parametrize("option", ["--config", "--no-config"])
def test_options_of_the_group_stand_before_the_command(folder: Path, seen: Seen, option: str):
    """
    The message says where they belong.
    """
    assert seen.fails(*SCORE, option) == 2
    assert seen.err.startswith(f"error: {option} stands before the command, as in `spaneval {option} … score`\n")


BROKEN = [b"x = \n", b"\xff\xfe", b"a = " + b"[" * 5000]


@pytest.mark.parametrize("content", BROKEN)
def test_broken_file_that_does_not_mention_us_is_no_business_of_ours(folder: Path, seen: Seen, content: bytes):
    """
    It is not even parsed.
    """
    (folder / "pyproject.toml").write_bytes(content)

    assert seen()["seed"] == 1234
    assert seen.err == ""


@pytest.mark.parametrize("content", BROKEN)
def test_broken_file_that_mentions_our_table_is_a_warning(folder: Path, seen: Seen, content: bytes):
    """
    The run goes on with what is built in.
    """
    (folder / "pyproject.toml").write_bytes(b"# [tool.spaneval]\n" + content)

    assert seen()["seed"] == 1234
    assert seen.err.startswith("warning: pyproject.toml")
    assert seen.err.endswith("; no configuration is read from it (--no-config does without)\n")
    assert len(seen.err.splitlines()) == 1
    assert seen("--no-config", *SCORE)
    assert seen.err == ""


@pytest.mark.parametrize("content", ["", "[project]\nname = 'x'\n", "tool = 3\n", "[tool]\nother = 1\n"])
def test_file_without_our_table_is_fine(folder: Path, seen: Seen, content: str):
    """
    Nothing is said.
    """
    write(folder, content)

    assert seen()["seed"] == 1234
    assert seen.err == ""


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["--version"], ["score", "--help"], ["measures", "-h"]])
@pytest.mark.parametrize("content", ["x = ", "[tool.spaneval]\nmetch = 1", "[tool]\nspaneval = 1"])
def test_help_survives_any_file(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], content: str):
    """
    Help is what one needs then.
    """
    write(folder, content)

    assert main(args) == 0
    assert capsys.readouterr().out


T = "[tool.spaneval]"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('metch = "exact"', f"{T} metch: there is no such option. Did you mean 'match'?"),
        ("qwertz = 1", f"{T} qwertz: there is no such option."),
        ("min_scor = 1", f"{T} min_scor: there is no such option. Did you mean 'min-score'?"),
        ("--match = 1", f"{T} --match: there is no such option. Did you mean 'match'?"),
        ("help = true", f"{T} help: there is no such option."),
        ('config = "x"', f"{T} config: there is no such option."),
        ("[tool.spaneval.scor]", f"{T} scor: there is no such command. Did you mean 'score'?"),
        ("[tool.spaneval.qwertz]", f"{T} qwertz: there is no such command. There are: score, "),
        ("score = 1", f"{T} score: 1 is not a table; expected [tool.spaneval.score]"),
        (
            'match = "overlp"',
            f"{T} match: 'overlp' is not one of 'overlap', 'exact'. Did you mean 'overlap'?",
        ),
        ("match = 1", f"{T} match: 1 is not a string; expected one of 'overlap', 'exact'"),
        ("match.x = 1", f"{T} match: a table is not a string; expected one of 'overlap', 'exact'"),
        ('seed = "1"', f"{T} seed: '1' is not a whole number"),
        ("seed = 1.0", f"{T} seed: 1.0 is not a whole number"),
        ("seed = true", f"{T} seed: true is not a whole number"),
        ("seed = -1", f"{T} seed: -1 is not in the range x>=0."),
        ('level = "0.9"', f"{T} level: '0.9' is not a number"),
        ("level = 1", f"{T} level: '1' is not between 0 and 1"),
        ("level = nan", f"{T} level: 'nan' is not a finite number"),
        (f"min-score = 1{'0' * 400}", f"{T} min-score: 1{'0' * 400} is too large"),
        ("minted = '('", f"{T} minted: '(' is not a regular expression"),
        ("minted = 2020-01-01", f"{T} minted: 2020-01-01 is not a string"),
        ("ci = 0", f"{T} ci: 0 is not a boolean; expected true or false"),
        ('null-is-nil = "no"', f"{T} null-is-nil: 'no' is not a boolean; expected true or false"),
        ('nil = "NIL"', f"{T} nil: 'NIL' is not a list; expected a list of strings, such as ['NIL']"),
        ("nil = {x = 1}", f"{T} nil: a table is not a list; expected a list of strings"),
        ("nil = [1]", f"{T} nil: 1 in the list is not a string"),
        ('nil = ["a\\u0000"]', f"{T} nil: the string in the list holds a NUL character"),
        ('gt = "gold"', f"{T} gt: 'gold' is not a list; expected a list of strings, such as ['gold']"),
        ('output = "a\\u0000"', f"{T} output: the string holds a NUL character"),
        ('field = ["a"]', f"{T} field: 'a' is not of the form OURS=THEIRS"),
        ("ci = true\nno-ci = true", f"{T} no-ci: the same option as pyproject.toml: {T} ci; give one of the two"),
        ("min-score = 1\nmin_score = 1", f"{T} min_score: the same option as pyproject.toml: {T} min-score;"),
        (
            "[tool.spaneval.validate]\nresamples = 5",
            "[tool.spaneval.validate] resamples: validate has no such option. It is one of score",
        ),
        (
            "[tool.spaneval.score]\nresample = 5",
            "[tool.spaneval.score] resample: score has no such option. Did you mean 'resamples'?",
        ),
        ("[tool.spaneval.validate]\nmatch = 5", "[tool.spaneval.validate] match: 5 is not a string; expected one of"),
        (
            '[tool.spaneval.validate]\nformat = "csv"',
            "[tool.spaneval.validate] format: 'csv' is not one of 'table', 'json'.",
        ),
        ("[tool.spaneval.validate]\nci = true", "[tool.spaneval.validate] ci: validate has no such option."),
    ],
)
def test_mistakes_in_the_file(folder: Path, seen: Seen, line: str, message: str):
    """
    File, table, key, what was found, what was expected and the nearest; also where another command is meant.
    """
    write(folder, T, line)

    assert seen.fails() == 2
    assert seen.err.startswith(f"error: pyproject.toml: {message}")
    assert len(seen.err.splitlines()) == 1


def test_table_of_ours_must_be_a_table(folder: Path, seen: Seen):
    """
    A value under our name is a mistake, not somebody else's.
    """
    write(folder, "[tool]", "spaneval = 3")

    assert seen.fails() == 2
    assert seen.err == "error: pyproject.toml: tool.spaneval is 3; expected a table [tool.spaneval]\n"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SPANEVAL_MATCH", "overlp", "'overlp' is not one of 'overlap', 'exact'. Did you mean 'overlap'?"),
        ("SPANEVAL_SEED", "x", "'x' is not a whole number"),
        (
            "SPANEVAL_CI",
            "maybe",
            "'maybe' is neither true nor false; expected one of 1, true, yes, on, 0, false, no, off",
        ),
        ("SPANEVAL_FIELD", "a", "'a' is not of the form OURS=THEIRS"),
        ("SPANEVAL_PAIRS", "no/where.csv", "'no/where.csv': the folder 'no' does not exist"),
        ("SPANEVAL_ID_MAP", "no.csv", "'no.csv' does not exist."),
        ("SPANEVAL_COLOR", "sometimes", "'sometimes' is not one of 'auto', 'always', 'never'."),
    ],
)
def test_mistakes_in_variables(
    folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
):
    """
    The message names the variable and not a flag that nobody typed.
    """
    monkeypatch.setenv(name, value)

    assert seen.fails() == 2
    assert seen.err.startswith(f"error: {name}: {message}")


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        ("SPANEVAL_FORMATS", "json", "SPANEVAL_FORMATS: not read; did you mean SPANEVAL_FORMAT?"),
        ("SPANEVAL_MACTH", "exact", "SPANEVAL_MACTH: not read; did you mean SPANEVAL_MATCH?"),
        (
            "SPANEVAL_SCORE_MATCH",
            "exact",
            "SPANEVAL_SCORE_MATCH: not read; did you mean SPANEVAL_MATCH, which is for all commands?",
        ),
        ("SPANEVAL_CONFG", "x", "SPANEVAL_CONFG: not read; did you mean SPANEVAL_CONFIG?"),
    ],
)
def test_variable_that_is_nearly_ours_is_a_warning(
    folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, name: str, value: str, warning: str
):
    """
    A misspelt one would do nothing, in silence.
    """
    monkeypatch.setenv(name, value)
    given = seen()

    assert seen.err == f"warning: {warning}\n"
    assert (given["format"], given["match"]) == ("table", "overlap")


@pytest.mark.skipif(os.name == "nt", reason="names of variables have no case there")
def test_variable_in_small_letters_is_a_warning(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    It is not read.
    """
    monkeypatch.setenv("SPANEVAL_Seed", "5")

    assert seen()["seed"] == 1234
    assert seen.err == "warning: SPANEVAL_Seed: not read; did you mean SPANEVAL_SEED?\n"


@pytest.mark.parametrize("name", [*sorted(OTHERS), "SPANEVAL_HOME_PAGE", "_SPANEVAL_COMPLETED"])
def test_other_variables_are_somebody_elses(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, name: str):
    """
    Nothing is said.
    """
    monkeypatch.setenv(name, "x")
    seen()

    assert seen.err == ""


def test_variable_for_another_command_is_left_to_it(folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch):
    """
    `validate` has no `--resamples`; a wrong value is reported where it is used.
    """
    monkeypatch.setenv("SPANEVAL_RESAMPLES", "many")

    assert main(["validate", "--gt", "gold.gt.json"]) == 0
    assert "SPANEVAL" not in seen.capsys.readouterr().err
    assert seen.fails() == 2


@pytest.mark.parametrize("is_variable", [True, False])
def test_format_that_a_command_does_not_know_is_a_note(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_variable: bool
):
    """
    `csv` is for `score`; `validate` keeps its table and says so, unless asked to be quiet.
    """
    if is_variable:
        monkeypatch.setenv("SPANEVAL_FORMAT", "csv")
    else:
        write(folder, T, 'format = "csv"')
    origin = "SPANEVAL_FORMAT" if is_variable else f"pyproject.toml: {T} format"

    assert main(["validate", "--gt", "gold.gt.json"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("no errors")
    assert err.startswith(f"note: {origin}: not for validate, which keeps its default: 'csv' is not one of")
    assert main(["validate", "--gt", "gold.gt.json", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_verbose_tells_where_each_value_came_from(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """
    Flag, environment or file; what is at its default is not shown.
    """
    write(
        folder, T, "verbose = true", 'nil = ["NIL"]', "[tool.spaneval.validate]", 'match = "exact"', 'unmapped = "keep"'
    )
    for name, value in (("MATCH", "overlap"), ("NULL_IS_NIL", "0"), ("COLOR", "never")):
        monkeypatch.setenv(f"SPANEVAL_{name}", value)
    main(["validate", "--gt", "gold.gt.json"])
    *lines, elapsed = capsys.readouterr().err.splitlines()

    assert lines == [
        "configuration: pyproject.toml",
        "option: --gt gold.gt.json (flag)",
        "option: --match overlap (SPANEVAL_MATCH)",
        "option: --unmapped keep (pyproject.toml: [tool.spaneval.validate] unmapped)",
        "option: --nil NIL (pyproject.toml: [tool.spaneval] nil)",
        "option: --null-is-nil false (SPANEVAL_NULL_IS_NIL)",
        "option: --color never (SPANEVAL_COLOR)",
        "option: --verbose (pyproject.toml: [tool.spaneval] verbose)",
    ]
    assert elapsed.startswith("elapsed: ")


def test_what_changes_counts_stands_in_the_signature_wherever_it_was_set(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """
    The report is the one of the same flags, byte for byte.
    """
    flags = ("--match", "exact", "--nil", "NIL", "--min-score", "0.5", "--unknown-docs", "ignore", "--seed", "0")
    main([*SCORE, "-q", *flags])
    expected = capsys.readouterr().out
    write(folder, T, 'match = "exact"', 'nil = ["NIL"]', "[tool.spaneval.score]", "min-score = 0.5", "seed = 9")
    monkeypatch.setenv("SPANEVAL_UNKNOWN_DOCS", "ignore")
    monkeypatch.setenv("SPANEVAL_SEED", "0")
    main([*SCORE, "-q"])
    printed = capsys.readouterr().out

    assert expected == printed
    signature = printed.split("signature   ")[1]
    for part in ("match:exact", "nil:NIL", "min-score:0.5", "unknown-docs:ignore", "seed:0"):
        assert f"|{part}|" in f"|{signature}|"


def test_help_shows_the_defaults_that_hold(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """
    Those of the file and the environment.
    """
    write(folder, T, 'match = "exact"', "resamples = 77")
    monkeypatch.setenv("SPANEVAL_LEVEL", "0.5")
    assert main(["score", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())

    for part in ("both boundaries equal. [default: exact]", "Resamples drawn. [default: 77", "[default: 0.5]"):
        assert part in text


def test_progress_can_be_switched_off_in_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """
    As by the flag `--no-progress`.
    """
    from spaneval.cli.console import Console

    for line, expected in (("", True), ("no-progress = true", False), ("no-progress = false", True)):
        write(folder, T, line)
        console = Console()
        monkeypatch.setattr(score, "callback", lambda **_given: None)
        with cli.make_context("spaneval", list(SCORE), obj=console) as ctx:
            cli.invoke(ctx)
        assert expected is console.progress


def test_every_long_option_of_every_command_can_be_configured(folder: Path):
    """
    No two options share a variable, and none is that of a test or script.
    """
    import click

    with click.Context(cli) as ctx:
        commands = {name: cli.get_command(ctx, name) for name in COMMANDS}
    for name, command in commands.items():
        assert command is not None
        for param in command.params:
            if isinstance(param, click.Option):
                keys = [key[2:] for key in (*param.opts, *param.secondary_opts) if key.startswith("--")]
                assert keys, f"{name} {param.name}"
                assert not {variable_of(key) for key in keys} & OTHERS
                assert not set(keys) & {*ABOUT_FILES, *COMMANDS}


@pytest.mark.parametrize("option", ["-o", "--pairs", "--save"])
def test_configuration_that_is_read_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str], option: str):
    """
    Whether it was named or found, and with our table or without.
    """
    contents = ("[tool.spaneval]\nseed = 1\n", "[project]\nname = 'x'\n", "[tool.spaneval")
    named = write(folder, contents[0], name="c.jsonl").read_text()
    assert main(["--config", "c.jsonl", *SCORE, option, "./c.jsonl"]) == 2
    assert named == (folder / "c.jsonl").read_text()
    assert "'./c.jsonl' is the configuration file that was read; inputs are never" in capsys.readouterr().err
    (folder / "link.jsonl").symlink_to("pyproject.toml")
    for content in contents:
        (folder / "pyproject.toml").write_text(content)
        assert main([*SCORE, option, "link.jsonl"]) == 2
        assert content == (folder / "pyproject.toml").read_text()


def test_file_that_is_not_read_may_be_written(folder: Path):
    """
    With `--no-config` it is a file like any other.
    """
    (folder / "pyproject.toml").write_text("[tool.spaneval]\n")

    assert main(["--no-config", "measures", "f1", "-f", "json", "-o", "pyproject.toml"]) == 0
    assert '"f1"' in (folder / "pyproject.toml").read_text()


def test_removed_working_directory_is_no_failure(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    There is then no file to find.
    """
    if sys.platform != "linux":
        pytest.skip("other systems do not let it be removed")
    gone = folder / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        assert main(["measures", "f1", "-f", "json"]) == 0
    finally:
        os.chdir(folder)
    assert '"f1"' in capsys.readouterr().out


def test_page_on_configuration_is_true(tmp_path: Path):
    """
    Its files are written and its commands are run.
    """
    counts = check_page(ROOT / "docs" / "configuration.md", tmp_path)

    assert counts["console"] >= 3
    assert counts["file"] >= 1

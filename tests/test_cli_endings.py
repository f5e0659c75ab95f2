"""How a run ends: exit codes, and what is said on which stream. The library is replaced by what each test needs."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_reports_golden import StandIn, ordinary

import spaneval.cli
import spaneval.evaluation
from spaneval.cli import main
from spaneval.cli.console import Console, Progress
from spaneval.exceptions import FormatError, MeasureError
from spaneval.output import OutputError
from spaneval.problems import Note, Problem

Evaluate = Callable[[Callable[..., Any]], None]
NOTE = Note("unmapped", 2, "2 ids are unmapped")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with inputs that exist, and no wish for colour in the environment."""
    for name in ("gold.gt.json", "out.jsonl"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Replace `spaneval.evaluation.evaluate`."""

    def replace(function: Callable[..., Any]) -> None:
        monkeypatch.setattr(spaneval.evaluation, "evaluate", function, raising=False)

    return replace


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that fails."""

    def fail(*_args: Any, **_named: Any) -> None:
        raise error

    return fail


def noted(*_args: Any, **_named: Any) -> StandIn:
    """An evaluation with a note."""
    evaluation = ordinary()
    evaluation.notes = [NOTE]
    return evaluation


SCORE = ("score", "--gt", "gold.gt.json", "--pred", "out.jsonl")


def test_result_is_all_of_stdout(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Notes stand on standard error.
    """
    evaluate(noted)
    code = main(SCORE)
    captured = capsys.readouterr()

    assert code == 0
    assert captured.out.startswith("ground truth")
    assert captured.err == "note: 2 ids are unmapped\n"


def test_quiet_silences_notes(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    And changes nothing on standard output.
    """
    evaluate(noted)
    main(SCORE)
    loud = capsys.readouterr().out
    main([*SCORE, "-q"])
    captured = capsys.readouterr()

    assert loud == captured.out
    assert captured.err == ""


def test_quiet_does_not_silence_errors(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    A failure is never silent.
    """
    evaluate(raising(FormatError([Problem("not valid JSON", "out.jsonl", 3)])))

    assert main([*SCORE, "-q"]) == 3
    assert capsys.readouterr().err == "error: out.jsonl:3: not valid JSON\n"


def test_input_error_shows_problems_and_counts_the_rest(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Each with its hint; nothing on standard output.
    """
    problems = [Problem("no field 'a'", "out.jsonl", k, hint="--field a=start") for k in (1, 2)]
    evaluate(raising(FormatError(problems, total=216)))

    assert main(SCORE) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "error: out.jsonl:1: no field 'a'",
        "hint: --field a=start",
        "error: out.jsonl:2: no field 'a'",
        "hint: --field a=start",
        "… and 214 more; see `spaneval validate`",
    ]


def test_text_of_an_input_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    An escape sequence inside a bad line is shown, not obeyed.
    """
    evaluate(raising(FormatError([Problem("bad", "out.jsonl", 1, 2, excerpt="\x1b[2J{")])))
    main(SCORE)

    assert "\\x1b[2J{" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        FormatError([Problem("bad", "a\nb\t.jsonl", 1, hint="mend it")]),
        PermissionError(13, "Permission denied", "a\nb\t.jsonl"),
        OutputError("a\nb\t.jsonl", "permission denied"),
    ],
)
def test_name_of_a_file_does_not_split_the_line(
    capsys: pytest.CaptureFixture[str], evaluate: Evaluate, error: Exception
):
    """
    Control characters in it are shown as escapes.
    """
    evaluate(raising(error))

    assert main(SCORE) == 3
    assert capsys.readouterr().err.startswith(r"error: a\nb\t.jsonl:")


def test_measure_error_is_wrong_use(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    A name that does not exist.
    """
    evaluate(raising(MeasureError("no measure 'f2'")))

    assert main(SCORE) == 2
    assert capsys.readouterr().err == "error: no measure 'f2'\n"


def test_system_error_names_the_file(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Whatever the system refuses about an input.
    """
    evaluate(raising(PermissionError(13, "Permission denied", "out.jsonl")))

    assert main(SCORE) == 3
    assert capsys.readouterr().err == "error: out.jsonl: permission denied\n"


def test_bug_is_one_line(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Exit code 70, because 1 would look like a missed gate.
    """
    evaluate(raising(IndexError("7")))

    assert main(SCORE) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("internal error: IndexError: 7 (test_cli_endings.py:")
    assert line.endswith("please report this with the command; --traceback shows details")


def test_traceback_shows_where_a_bug_is(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Before the line that everyone sees.
    """
    evaluate(raising(IndexError("7")))
    main([*SCORE, "--traceback"])

    assert capsys.readouterr().err.startswith("Traceback (most recent call last):")


def test_interruption(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    130, as shells expect, and no traceback.
    """
    evaluate(raising(KeyboardInterrupt()))

    assert main(SCORE) == 130
    assert capsys.readouterr().err == ""


def test_interruption_while_modules_load(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """
    The same, before there is anything that could have been begun.
    """
    monkeypatch.setattr(spaneval.cli, "_use_one_blas_thread", raising(KeyboardInterrupt()))

    assert main(SCORE) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_handlers_of_the_caller_come_back(evaluate: Evaluate, name: str):
    """
    `main` may be called from a program that goes on.
    """
    if not hasattr(signal, name):
        pytest.skip("there is no such signal")
    number = getattr(signal, name)
    inherited = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it, as nohup does
    try:
        evaluate(lambda *_args, **_named: signal.raise_signal(number))

        assert 128 + number == main(SCORE)
        assert signal.SIG_DFL == signal.getsignal(number)
    finally:
        signal.signal(number, inherited)


def test_verbose_shows_choices_and_time(capsys: pytest.CaptureFixture[str], evaluate: Evaluate):
    """
    Only what is not at its default; on standard error.
    """
    evaluate(noted)
    main([*SCORE, "-v", "-q", "--seed", "0", "--no-ci", "--field", "a=start"])
    *options, elapsed = capsys.readouterr().err.splitlines()

    assert options == [
        "option: --gt gold.gt.json (flag)",
        "option: --pred out.jsonl (flag)",
        "option: --field a=start (flag)",
        "option: --no-ci (flag)",
        "option: --seed 0 (flag)",
    ]
    assert elapsed.startswith("elapsed: ")


def test_options_reach_the_library(evaluate: Evaluate):
    """
    Each under its own name; 0 is a seed.
    """
    seen: dict[str, Any] = {}

    def spy(*args: Any, **named: Any) -> StandIn:
        seen.update(named, gold=args[0], predictions=args[1])
        return noted()

    evaluate(spy)
    more = ("--seed", "0", "--no-ci", "--nil", "NIL", "--nil", "NEW", "--null-is-nil", "--min-score", "0.5")
    main([*SCORE, *more, "--match", "exact", "--id-map-columns", "1,2", "--id-map", "out.jsonl"])
    options = seen.pop("options")
    seen.pop("progress")

    assert seen == {
        "gold": ["gold.gt.json"],
        "predictions": ["out.jsonl"],
        "id_map": ["out.jsonl"],
        "gold_id_map": [],
        "id_map_columns": ("1", "2"),
        "pred_format": None,
        "ci": False,
        "resamples": 10_000,
        "level": 0.95,
        "seed": 0,
        "by": (),
        "average": "micro",
        "keep_texts": False,
    }
    assert (options.match, options.nil, options.null_is_nil, options.min_score) == ("exact", ("NIL", "NEW"), True, 0.5)


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "environment", "stream", "expected"),
    [
        ("auto", {}, Terminal(), True),
        ("auto", {}, io.StringIO(), False),
        ("auto", {}, None, False),
        ("auto", {"NO_COLOR": "1"}, Terminal(), False),
        ("auto", {"NO_COLOR": ""}, Terminal(), True),
        ("auto", {"FORCE_COLOR": "1"}, io.StringIO(), True),
        ("auto", {"FORCE_COLOR": "1"}, None, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, Terminal(), False),
        ("always", {"NO_COLOR": "1"}, io.StringIO(), True),
        ("never", {"FORCE_COLOR": "1"}, Terminal(), False),
        ("auto", {"TERM": "dumb"}, Terminal(), False),
    ],
)
def test_colour(
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    environment: dict[str, str],
    stream: io.StringIO | None,
    expected: bool,
):
    """
    The option, then NO_COLOR (if not empty), then FORCE_COLOR, then the terminal.
    """
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert expected is Console(color=choice).paint(stream).is_on


def test_progress_waits_a_second_and_wipes_its_line(monkeypatch: pytest.MonkeyPatch):
    """
    Short work shows nothing; afterwards nothing is left.
    """
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(Console()) as progress:
        progress("gold", 1, 2)
    short = terminal.getvalue()
    with Progress(Console(started=time.monotonic() - 2)) as progress:
        progress("gold", 1, 2)
        progress("gold", 2, 2)

    assert short == ""
    assert terminal.getvalue() == "\r\x1b[Kreading gold  50 %\r\x1b[K"


@pytest.mark.parametrize("console", [Console(progress=False, started=-9e9), Console(quiet=True, started=-9e9)])
def test_progress_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, console: Console):
    """
    By `--no-progress` and by `-q`.
    """
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(console) as progress:
        progress("gold", 1, 2)

    assert terminal.getvalue() == ""


def test_no_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch):
    """
    A log file stays readable.
    """
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(Console(started=time.monotonic() - 2)) as progress:
        progress("gold", 1, 2)

    assert stream.getvalue() == ""


def test_namesake_is_refused(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch):
    """
    The other package of this name shares files with ours.
    """
    (folder / "spaneval-0.2.1.dist-info").mkdir()
    monkeypatch.syspath_prepend(folder)

    assert main(["--version"]) == 2
    err = capsys.readouterr().err
    assert "error: another package named 'spaneval' is installed in this environment" in err
    assert "spaneval-0.2.1.dist-info" in err


def test_our_own_distribution_is_no_namesake(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """
    Under any spelling that an installer gives it.
    """
    for name in ("spaneval_el-0.1.0.dist-info", "spaneval-el-0.1.0.dist-info", "spaneval_el.egg-info"):
        (folder / name).mkdir()
    monkeypatch.syspath_prepend(folder)

    assert main(["--version"]) == 0


def test_blas_threads_of_the_user_are_kept(monkeypatch: pytest.MonkeyPatch):
    """
    One thread unless the user said otherwise.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    main(["--version"])

    assert (os.environ["OMP_NUM_THREADS"], os.environ.get("OPENBLAS_NUM_THREADS")) == ("3", None)

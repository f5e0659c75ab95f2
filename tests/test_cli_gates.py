"""Gates in a shell: what a CI job sees of them, run as it runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spaneval.cli import main

DATA = Path(__file__).parent.parent / "data"
INPUTS = ("--gt", str(DATA / "ground_truth"), "--pred", str(DATA / "predictions" / "linker-v2.jsonl"))
WITH_MAP = (*INPUTS, "--id-map", str(DATA / "id_map.csv"))
SYSTEMS = [f"v{k}={DATA / 'predictions' / f'linker-v{k}.jsonl'}" for k in (1, 2)]
TO_COMPARE = ("--gt", str(DATA / "ground_truth"), "--id-map", f"v2={DATA / 'id_map.csv'}", "--no-ci")


def shell(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "spaneval", *args], capture_output=True, text=True, check=False)


def gates(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of gates on standard error."""
    return [line for line in done.stderr.splitlines() if line.startswith("gate: ")]


@pytest.mark.parametrize(
    ("given", "code", "verdicts"),
    [
        (["f1=0.8"], 0, ["met"]),
        (["f1=0.8", "link_f1=0.65"], 0, ["met", "met"]),
        (["link_f1=0.7"], 1, ["missed"]),
        (["f1=0.8", "link_f1=0.7"], 1, ["met", "missed"]),
    ],
)
def test_floor_met_and_missed(given: list[str], code: int, verdicts: list[str]):
    """
    F1 is 0.889 and link F1 0.651. Each gate has its line.
    """
    done = shell("score", *WITH_MAP, *(x for gate in given for x in ("--fail-under", gate)))

    assert code == done.returncode
    assert verdicts == [line.rsplit(": ", 1)[1] for line in gates(done)]
    assert done.stdout.startswith("ground truth")


def test_undecided_floor_has_a_code_of_its_own():
    """
    Without the map no ids can be compared.
    """
    done = shell("score", *INPUTS, "--fail-under", "entity_accuracy=0.5", "--fail-under", "f1=0.5")

    assert done.returncode == 4
    assert [": undecided: " in line for line in gates(done)] == [True, False]


def test_a_missed_gate_outweighs_an_undecided_one():
    """
    In either order.
    """
    pair = (("--fail-under", "entity_accuracy=0.5"), ("--fail-under", "f1=0.95"))
    for first, second in (pair, pair[::-1]):
        assert shell("score", *INPUTS, *first, *second).returncode == 1


def test_result_is_written_before_the_gate_fails(tmp_path: Path):
    """
    The report of a missed gate is what one wants to read.
    """
    target = tmp_path / "out.json"
    done = shell("score", *WITH_MAP, "--fail-under", "f1=1", "-f", "json", "-o", str(target))

    assert done.returncode == 1
    assert json.loads(target.read_text())["n_gold"] == 23
    assert done.stdout == ""


def test_quiet_does_not_silence_gates():
    """
    They are verdicts, not notes.
    """
    done = shell("score", *WITH_MAP, "--fail-under", "f1=1", "-q")

    assert done.stderr == "gate: f1 0.889 >= 1: missed\n"


def test_macro_averages_are_gated_where_they_are_asked_for():
    """
    The line says so.
    """
    done = shell("score", *WITH_MAP, "--average", "macro", "--fail-under", "link_f1=0.652", "--no-ci", "-q")

    assert done.returncode == 0
    assert gates(done) == ["gate: macro link_f1 0.654 >= 0.652: met"]


def test_a_reader_that_leaves_early_does_not_turn_a_missed_gate_into_a_pass():
    """
    As with `spaneval score … | head -1`.
    """
    args = [sys.executable, "-m", "spaneval", "score", *WITH_MAP, "--fail-under", "f1=1", "-f", "json"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()

    assert process.returncode == 1
    assert "gate: f1" in errors


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("link_f=0.5", "did you mean link_f1"),
        ("f1", "form MEASURE=VALUE"),
        ("f1=x", "'x' is not a number"),
        ("f1=NaN", "'NaN' is not a finite number"),
        ("nil_f1=0.5", "needs --nil ID"),
    ],
)
def test_wrong_use_of_a_floor(gate: str, message: str):
    """
    Before anything is read.
    """
    done = shell("score", *WITH_MAP, "--fail-under", gate)

    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("given", "code", "verdicts"),
    [
        (["f1"], 0, ["met"]),
        (["link_f1=0.01", "f1"], 0, ["met", "met"]),
    ],
)
def test_newer_linker_is_no_regression(given: list[str], code: int, verdicts: list[str]):
    """
    The second linker is better than the first.
    """
    done = shell("compare", *TO_COMPARE, *SYSTEMS, *(x for gate in given for x in ("--fail-on-regression", gate)))

    assert code == done.returncode, done.stderr
    assert verdicts == [line.rsplit(": ", 1)[1] for line in gates(done)]


def test_older_linker_is_a_regression(tmp_path: Path):
    """
    Results are written all the same.
    """
    target = tmp_path / "out.json"
    done = shell(
        "compare", *TO_COMPARE, *SYSTEMS[::-1], "--fail-on-regression", "link_f1=0.01", "-f", "json", "-o", str(target)
    )

    assert done.returncode == 1, done.stderr
    assert json.loads(target.read_text())["baseline"] == "v2"
    [line] = gates(done)
    assert line.startswith("gate: link_f1 v1 ")
    assert line.endswith(", allowed drop 0.01: missed")


def test_tolerance_that_covers_the_drop():
    """
    No drop is larger than 1.
    """
    assert shell("compare", *TO_COMPARE, *SYSTEMS[::-1], "--fail-on-regression", "link_f1=1").returncode == 0


def test_regression_that_is_not_significant():
    """
    With an alpha that no p is below.
    """
    args = (*TO_COMPARE, *SYSTEMS[::-1], "--fail-on-regression", "link_f1", "--significant", "--alpha", "0.000001")
    done = shell("compare", *args)

    assert done.returncode == 0, done.stderr
    assert "not below 1e-06: met" in done.stderr


def test_undecided_regression(tmp_path: Path):
    """
    A linker without predictions has no precision; its recall has dropped, which outweighs that.
    """
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    args = ("compare", *TO_COMPARE, SYSTEMS[1], str(empty))

    assert shell(*args, "--fail-on-regression", "precision").returncode == 4
    assert shell(*args, "--fail-on-regression", "precision", "--fail-on-regression", "recall").returncode == 1


@pytest.mark.parametrize("gate", ["f2", "f1=x", "f1=nan", "f1=-0.1"])
def test_wrong_use_of_a_tolerance(gate: str):
    """
    Exit code 2.
    """
    assert shell("compare", *TO_COMPARE, *SYSTEMS, "--fail-on-regression", gate).returncode == 2


def test_verbose_shows_gates_as_they_are_typed(capsys: pytest.CaptureFixture[str]):
    """
    And not as Python writes them.
    """
    assert main(["score", *WITH_MAP, "-v", "--no-ci", "--fail-under", "link_f1=0.10", "--fail-under", "f1=0"]) == 0

    assert "option: --fail-under link_f1=0.1 f1=0 (flag)" in capsys.readouterr().err

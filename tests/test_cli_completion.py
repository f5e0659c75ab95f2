"""Completion of the command line: the line to add, and what click's own protocol answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from test_cli_processes import HEAVY, imported

from spaneval.cli import main
from spaneval.cli.completion import FILES, LINES
from spaneval.cli.group import COMMANDS
from spaneval.measures import MEASURES


@pytest.mark.parametrize("shell", LINES)
def test_prints_the_line_and_nothing_else(capsys: pytest.CaptureFixture[str], shell: str):
    """
    It can be appended to the file that the note names.
    """
    assert main(["completion", shell]) == 0
    out, err = capsys.readouterr()

    assert out == f"{LINES[shell]}\n"
    assert f"_SPANEVAL_COMPLETE={shell}_source spaneval" in out
    assert err == f"note: the line belongs in {FILES[shell]}\n"
    assert main(["completion", shell, "-q"]) == 0
    assert capsys.readouterr() == (f"{LINES[shell]}\n", "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing argument 'bash|zsh|fish'. Choose from: bash, zsh, fish"),
        (["fihs"], "shell: 'fihs' is not one of 'bash', 'zsh', 'fish'. Did you mean 'fish'?"),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    Exit code 2, on one line.
    """
    assert main(["completion", *args]) == 2
    out, err = capsys.readouterr()

    assert out == ""
    assert err.startswith(f"error: {message}\n")


@pytest.mark.parametrize("shell", LINES)
def test_script_of_the_shell_is_clicks_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shell: str
):
    """
    What the line runs.
    """
    monkeypatch.setenv("_SPANEVAL_COMPLETE", f"{shell}_source")

    assert main([]) == 0
    assert f"_SPANEVAL_COMPLETE={shell}_complete" in capsys.readouterr().out


def completed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str) -> list[tuple[str, str]]:
    """Kind and text of what is offered for the last word of a line."""
    monkeypatch.setenv("_SPANEVAL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    offers = [line.partition(",") for line in out.splitlines() if line]
    return [(kind, text) for kind, _, text in offers]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("spaneval ", list(COMMANDS)),
        ("spaneval va", ["validate"]),
        ("spaneval --no", ["--no-config"]),
        ("spaneval score --ma", ["--match"]),
        ("spaneval score --no", ["--no-ci", "--no-progress"]),
        ("spaneval score --match ", ["overlap", "exact"]),
        ("spaneval score --match e", ["exact"]),
        ("spaneval --no-config score --color a", ["auto", "always"]),
        ("spaneval measures ", list(MEASURES)),
        ("spaneval measures nil_", ["nil_precision", "nil_recall", "nil_f1"]),
        ("spaneval measures f1 ", []),
        ("spaneval measures -f m", ["markdown"]),
        ("spaneval completion ", ["bash", "zsh", "fish"]),
        ("spaneval score --fail-under link_", ["link_precision=", "link_recall=", "link_f1="]),
        ("spaneval score --fail-under link_f1=", []),
        ("spaneval compare -m nil_f", ["nil_f1"]),
        ("spaneval score --by ", ["document", "file", "type", "namespace", "length", "score", "gold_frequency"]),
        ("spaneval score --by document --by na", ["namespace"]),
        ("spaneval compare a.jsonl b.jsonl --by s", []),
        ("spaneval compare a.jsonl b.jsonl --by l", ["length"]),
        ("spaneval compare a.jsonl b.jsonl --fail-on-regression rec", ["recall"]),
    ],
)
def test_commands_options_choices_and_measures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, expected: list[str]
):
    """
    Through the variables that click's scripts set.
    """
    assert [("plain", text) for text in expected] == completed(capsys, monkeypatch, words)


@pytest.mark.parametrize(
    "words", ["score --gt go", "score --pred go", "score -o go", "validate --id-map go", "diff go", "--config go"]
)
def test_files_are_left_to_the_shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str):
    """
    It knows better how to quote them.
    """
    assert [("file", "go")] == completed(capsys, monkeypatch, f"spaneval {words}")


@pytest.mark.parametrize("content", ["x =", "[tool.spaneval]\nmetch = 1", '[tool.spaneval]\nmatch = "exact"'])
def test_configuration_does_not_matter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
):
    """
    A mistake in it is no reason not to complete, and no time is lost with it.
    """
    (tmp_path / "pyproject.toml").write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPANEVAL_MACTH", "x")

    expected = [("plain", "overlap"), ("plain", "exact")]
    assert expected == completed(capsys, monkeypatch, "spaneval score --match ")


@pytest.mark.parametrize(
    "words",
    ["spaneval ", "spaneval score --", "spaneval measures n", "spaneval score --fail-under n", "spaneval compare -m n"],
)
def test_completion_imports_nothing_heavy(tmp_path: Path, words: str):
    """
    Nobody waits for a shell.
    """
    env = {
        "_SPANEVAL_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    modules = imported(tmp_path, env=env)

    assert "click" in modules
    assert set() == modules & HEAVY


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_printed_line(tmp_path: Path):
    """
    Evaluated in a shell, as its start-up file would do it.
    """
    version = subprocess.run(["bash", "-c", "echo ${BASH_VERSINFO[0]}"], capture_output=True, text=True, check=True)
    if int(version.stdout) < 5:
        pytest.skip("click needs a newer bash")
    script = """
        set -e
        eval "$(spaneval completion bash -q)"
        COMP_WORDS=(spaneval measures link_f) COMP_CWORD=2
        _spaneval_completion spaneval link_f measures
        echo "${COMPREPLY[@]}"
        complete -p spaneval
    """
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip

    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "link_f1"
    assert "_spaneval_completion spaneval" in done.stdout


def test_every_field_of_groups_is_completed():
    """
    The names stand twice, because those that do the work load numpy.
    """
    from spaneval.cli.completion import FIELDS
    from spaneval.grouping import FIELDS as KNOWN

    assert {*FIELDS} == {*KNOWN, "type"}

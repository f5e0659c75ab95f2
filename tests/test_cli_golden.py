"""Help of each command, compared byte for byte; see `test_reports_golden` for how to renew the files."""

from __future__ import annotations

import importlib.metadata
import shlex

import pytest
from test_reports_golden import compare

from spaneval.cli import main
from spaneval.cli.group import COMMANDS

CLICK = tuple(map(int, importlib.metadata.version("click").split(".")[:2]))


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str) -> str:
    """Standard output at a fixed width."""
    monkeypatch.setenv("COLUMNS", "100")
    assert main(args) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(CLICK < (8, 5), reason="older versions of click lay help out differently")
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_as_in_its_golden_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
):
    """
    Options are the interface: a change of one is seen in review.
    """
    text = shown(capsys, monkeypatch, *([command] if command else []), "--help")

    compare(f"help{'_' if command else ''}{command}.txt", text.encode())


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_ends_in_one_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str):
    """
    It can be copied: on one line, with a command that exists.
    """
    text = shown(capsys, monkeypatch, *([command] if command else []), "-h")
    *_, heading, example = text.rstrip().splitlines()

    assert heading.strip() == "Example:"
    assert ["spaneval", command or "score"] == shlex.split(example)[:2]


def test_list_of_commands_is_not_cut(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """
    What a command is for can be read in a terminal of 80 columns.
    """
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()

    assert list(COMMANDS) == [line.split()[0] for line in listed]
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


def test_help_of_the_group_lists_exit_codes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """
    One table for all commands.
    """
    text = shown(capsys, monkeypatch, "--help")
    codes = [line.split()[0] for line in text.partition("Exit codes:\n")[2].split("\n\n")[0].splitlines()]

    assert codes == ["0", "1", "2", "3", "4", "70", "130"]


def test_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """
    That of the distribution.
    """
    expected = f"spaneval {importlib.metadata.version('spaneval-el')}\n"

    assert expected == shown(capsys, monkeypatch, "--version")

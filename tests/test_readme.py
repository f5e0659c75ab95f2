"""
The README shows what the tool prints.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from console_blocks import ROOT, blocks, check_page, copy_data, run_commands

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under `## title`."""
    return re.split(r"\n## ", TEXT.split(f"\n## {title}\n", 1)[1])[0]


def two_commands() -> list[str]:
    return [block.body.strip() for block in blocks(section("Two commands")) if block.kind == "bash"]


def test_examples_print_what_the_readme_shows(tmp_path: Path) -> None:
    """
    Every console block and every Python block, run with the installed tool.
    """
    counts = check_page(README, tmp_path)

    assert counts["console"] >= 5
    assert counts["pycon"] >= 1


def test_there_are_two_commands() -> None:
    """
    One for the main job and one for the tests, each on a line of its own, as `scripts/readme-commands` finds them.
    """
    main, tests = two_commands()

    assert main.startswith("scripts/setup && .venv/bin/spaneval score ")
    assert tests == "scripts/test"


@pytest.mark.skipif(os.name == "nt", reason="the scripts are for POSIX")
def test_scripts_find_the_two_commands() -> None:
    """
    What continuous integration executes is what the README says.
    """
    done = subprocess.run([ROOT / "scripts" / "readme-commands"], capture_output=True, text=True, check=True)

    assert two_commands() == done.stdout.splitlines()


def test_the_first_command_prints_the_report(tmp_path: Path) -> None:
    """
    Its set-up aside, it is the report at the top of the README.
    """
    copy_data(tmp_path)
    command = two_commands()[0].removeprefix("scripts/setup && .venv/bin/")
    (printed,) = run_commands([command], tmp_path)

    assert f"$ {command}\n{printed}" == next(b.body for b in blocks(TEXT) if b.kind == "console")


def test_the_readme_is_short() -> None:
    """
    Less than 200 lines.
    """
    assert len(TEXT.splitlines()) < 200


def test_exit_codes_are_those_of_the_help(tmp_path: Path) -> None:
    """
    The codes of the table stand in `spaneval --help`, too.
    """
    codes = re.findall(r"^\| (\d+) \|", section("Exit codes"), re.M)
    (printed,) = run_commands(["spaneval --help"], tmp_path)

    assert codes == re.findall(r"^\s+(\d+) {2,}\S", printed, re.M)

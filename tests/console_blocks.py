"""
Runs the examples of the Markdown pages, so that what they show is what the tool prints.

* A fenced block after `<!-- file: NAME -->` is written to the file NAME.
* A `console` block holds commands after `$ ` and what they print, standard error included; a line `...` stands for
  any number of lines.
* A `pycon` block is a doctest, a `python` block is executed.
* A block after `<!-- cases: NAME -->` needs the folder NAME of the cases of real linkers (SPANEVAL_CASES), which its
  commands find as the folder NAME; it is run by `check_cases`, and left alone where the cases are not.

All blocks of a page run in order, in one folder that holds a copy of `data/`. `python tests/console_blocks.py PAGE…`
writes what the tool prints into the `console` blocks.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

CASES = Path(os.environ.get("SPANEVAL_CASES", ROOT.parent / "shared" / "cases")) / "spans"
"""Real gold and real linker output, which is no part of the project."""

_FENCE = re.compile(
    r"(?:^<!-- (?:file: (?P<name>\S+)|cases: (?P<cases>\S+)) -->\n+)?^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$",
    re.M | re.S,
)
_MARK = "\x01"


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, its text, where it stands, the file it is to be written to, and the cases it needs."""

    kind: str
    body: str
    line: int
    name: str | None
    start: int
    end: int
    cases: str | None = None


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start("body")) + 1
        yield Block(
            found["kind"], found["body"], line, found["name"], found.start("body"), found.end("body"), found["cases"]
        )


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a `console` block, each with the output that it is said to have."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return found


def run_commands(lines: list[str], folder: Path) -> list[str]:
    """What each command prints, all in one shell, so that `echo $?` and variables work."""
    script = "\n".join(f"{line}\nstatus=$?; printf '{_MARK}'; (exit $status)" for line in lines)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SPANEVAL_", "NO_COLOR", "FORCE_COLOR"))}
    environment["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        ["bash"],
        input=script.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
        timeout=300,
        check=False,
    )
    return done.stdout.decode().replace("\r\n", "\n").split(_MARK)[: len(lines)]


def agrees(stated: str, printed: str) -> bool:
    """Whether the output is the stated one, where a line `...` stands for any lines."""
    pattern = "".join("(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in stated.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def copy_data(folder: Path) -> None:
    """Put the sample data where the examples expect it."""
    shutil.copytree(ROOT / "data", folder / "data", dirs_exist_ok=True)


def has_cases(block: Block, folder: Path) -> bool:
    """Whether the cases that a block needs are here; they are linked into the folder, never copied."""
    if block.cases is None or not (CASES / block.cases).is_dir():
        return False
    link = folder / block.cases
    if not link.exists():
        link.symlink_to((CASES / block.cases).resolve(), target_is_directory=True)
    return True


def _write_sample(body: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(body, encoding="utf-8")


def check_page(path: Path, folder: Path) -> dict[str, int]:
    """
    Run all blocks of a page that need no cases.

    Returns:
        How many blocks of each kind were run.

    Raises:
        AssertionError: If one prints something else.

    """
    copy_data(folder)
    namespace: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for block in blocks(path.read_text(encoding="utf-8")):
        place = f"{path.name}:{block.line}"
        if block.cases:
            continue
        if block.name:
            _write_sample(block.body, folder / block.name)
        elif block.kind == "console":
            _check_console(block, folder, place)
        elif block.kind == "pycon":
            _check_doctest(block, folder, namespace, place)
        elif block.kind == "python":
            with chdir(folder):
                exec(compile(block.body, place, "exec"), namespace)
        else:
            continue
        kind = "file" if block.name else block.kind
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def check_cases(path: Path, folder: Path) -> int:
    """
    Run the console blocks of a page that need cases, where these are.

    Returns:
        How many were run.

    Raises:
        AssertionError: If one prints something else.

    """
    found = [x for x in blocks(path.read_text(encoding="utf-8")) if x.kind == "console" and has_cases(x, folder)]
    for block in found:
        _check_console(block, folder, f"{path.name}:{block.line}")
    return len(found)


def _check_console(block: Block, folder: Path, place: str) -> None:
    pairs = commands(block.body)
    printed = run_commands([command for command, _ in pairs], folder)
    for (command, stated), output in zip(pairs, printed, strict=True):
        assert agrees(stated, output), f"{place}: $ {command}\n--- stated\n{stated}--- printed\n{output}"


def _check_doctest(block: Block, folder: Path, namespace: dict[str, Any], place: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.body, {}, place, place, 0)
    test.globs = namespace
    report: list[str] = []
    with chdir(folder):
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
        runner.run(test, out=report.append, clear_globs=False)
    assert runner.failures == 0, "".join(report)


def rewrite(path: Path) -> None:
    """Write what the tool prints into the `console` blocks of a page; blocks with a line `...` stay as they are."""
    text = path.read_text(encoding="utf-8")
    result, done = "", 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_data(folder)
        for block in blocks(text):
            if block.name:
                _write_sample(block.body, folder / block.name)
            if block.kind == "console" and (block.cases is None or has_cases(block, folder)):
                lines = [command for command, _ in commands(block.body)]
                printed = run_commands(lines, folder)
                if "\n...\n" not in block.body:
                    shown = "".join(f"$ {command}\n{output}" for command, output in zip(lines, printed, strict=True))
                    result += text[done : block.start] + shown
                    done = block.end
    path.write_text(result + text[done:], encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        rewrite(Path(argument))

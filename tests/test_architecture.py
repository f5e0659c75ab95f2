"""The house is built as docs/architecture.md draws it: its rooms, and who knows whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from console_blocks import ROOT, blocks

import spaneval

PACKAGE = Path(spaneval.__file__).parent

FORWARD = {
    ("evaluation", "ledger"): "Evaluation.rows is a view for whoever has an Evaluation",
    ("evaluation", "runs"): "so is Evaluation.run",
    ("records.documents", "comparison"): "so is JsonEvaluation.compare",
    ("scores", "averages"): "so is Result.macro",
    ("values.fields", "pairing.assignment"): "the values of one field pair like spans and rows",
    (
        "records.json_systems",
        "profiles.docubench",
    ): "a command takes the formulas of a source, which use decisions",
    ("records.readings", "profiles.docubench"): "the same",
    ("records.review", "profiles.audited"): "the same",
    ("records.review", "profiles.ecoextract"): "the same",
    ("profiles.easyrpa", "reports.csv"): "it writes the files of another tool",
    ("profiles.easyrpa", "reports.json"): "it writes the files of another tool",
    ("saved_runs", "reports.json"): "a saved run is written as all JSON is",
}
"""What a room uses of a later one, and why."""

COMPUTING = {
    "averages", "counting", "draws", "grouping", "inputs", "loaders", "pairing", "resampling", "runs",
}  # fmt: skip
"""Rooms that reports have no business in."""


class Import(NamedTuple):
    """One module of ours that another imports when it runs."""

    module: str
    imported: str


def drawing() -> list[str]:
    """The lines of the first block of docs/architecture.md below its first line."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    body = next(block.body for block in blocks(text) if block.kind == "text")
    return body.splitlines()[1:]


def drawn_rooms() -> dict[str, int]:
    """The place of each module and folder that stands at the root, in the order of the drawing."""
    names = [found[1] for line in drawing() if (found := re.match(r"  (\w+)(?:\.py|/)(?:\s|$)", line))]
    return {name: place for place, name in enumerate(names)}


def modules() -> dict[str, Path]:
    """Every module by its name below `spaneval`; that of a package is its folder."""
    paths = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")}
    return {re.sub(r"(^|\.)__init__$", "", name) or "__init__": path for path, name in paths.items()}


def imports() -> Iterator[Import]:
    """All imports of our own modules, those inside functions as well, those for types alone not."""
    known = modules()
    for module, path in known.items():
        for node in running(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "spaneval":
                base = (node.module or "").partition(".")[2]
                for alias in node.names:
                    name = f"{base}.{alias.name}" if base else alias.name
                    yield Import(module, name if name in known else base or "__init__")


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes that are not for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from running(node)


def room(module: str) -> str:
    """The room of the root in which a module is."""
    return module.partition(".")[0]


def test_every_module_is_drawn_and_no_other():
    """
    The drawing is the house: what is drawn exists, and what exists is drawn.
    """
    built = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    }
    drawn = set()
    folder = ""
    for line in drawing():
        if found := re.match(r"( +)(\w+)/(\s|$)", line):
            folder = found[2] + "/"
        elif found := re.match(r"( +)(\w+\.py)\b", line):
            drawn.add((folder if len(found[1]) > 2 else "") + found[2])

    assert built == drawn - {"__init__.py"}


def test_a_room_depends_on_rooms_before_it():
    """
    Data walks through the house once, in the order of the drawing; what looks ahead is listed with its reason.
    """
    place = drawn_rooms()
    ahead = {
        found
        for found in imports()
        if found.module not in ("__init__", "__main__") and place[room(found.imported)] > place[room(found.module)]
    }

    assert set() == ahead - FORWARD.keys()
    assert set() == FORWARD.keys() - ahead


def test_nobody_knows_the_command_line():
    """
    The library works without it.
    """
    knowing = {found.module for found in imports() if room(found.imported) == "cli" and room(found.module) != "cli"}

    assert {"__main__"} == knowing


def test_reports_compute_nothing():
    """
    They show what results hold.
    """
    used = {found for found in imports() if room(found.module) == "reports" and room(found.imported) in COMPUTING}

    assert set() == used


@pytest.mark.parametrize("folder", ["loaders", "values", "pairing", "counts", "counting", "measures", "resampling"])
def test_what_computes_neither_prints_nor_exits_nor_reads_the_environment(folder: str):
    """
    That is for the command line.
    """
    for module, path in modules().items():
        if room(module) == folder and module != "loaders.sqlite_copy":  # which asks for the temporary folder
            text = path.read_text(encoding="utf-8")
            assert re.findall(r"^ *(?:print|exit|sys\.exit)\(|os\.(?:environ|getenv)", text, re.M) == [], module

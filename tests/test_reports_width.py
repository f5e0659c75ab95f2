"""Tables on a terminal: what gives way where there is no room, and what never does."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest
from test_reports_golden import CASES
from versions import GOLD, V1, V2

import spaneval
from spaneval.cli.console import Console
from spaneval.reports import Style, render
from spaneval.reports.comparison import render as render_comparison
from spaneval.reports.text import shortened, wrapped

NUMBER = re.compile(r"[0-9]+\.[0-9]+|undefined")


def table(width: int | None, case: str = "ordinary") -> list[str]:
    """The report, line by line."""
    return render(CASES[case](), "table", Style(width=width, per_document=True)).decode().splitlines()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [20, 60, 80, 100])
def test_numbers_are_never_cut(case: str, width: int):
    """
    Whatever the width.
    """
    wide, narrow = ("\n".join(table(x, case)) for x in (None, width))

    assert sorted(NUMBER.findall(wide)) == sorted(NUMBER.findall(narrow))


@pytest.mark.parametrize("case", CASES)
def test_questions_go_below_where_there_is_no_room_beside(case: str):
    """
    Every line then fits into 80 columns, but for the signature and the tables of documents.
    """
    lines = table(80, case)
    start = next(k for k, text in enumerate(lines) if text.startswith("Detection"))
    end = next(k for k, text in enumerate(lines) if text.startswith(("not comparable", "document ")))

    assert max(map(len, lines[start:end])) <= 80
    assert "Precision: Of the spans that the linker found, how many are in the gold?" in lines
    assert any(text.startswith("  Precision ") and not text.endswith("?") for text in lines)


def test_with_enough_room_nothing_changes():
    """
    As wide as the widest line.
    """
    assert table(None) == table(max(map(len, table(None))))


def test_names_of_systems_are_shortened_in_the_middle():
    """
    As far as they can be told apart; every number stays.
    """
    names = [f"the linker of a long name, version {k} of many" for k in (1, 2)]
    runs = dict(zip(names, (spaneval.evaluate(GOLD, rows, ci=False) for rows in (V1, V2)), strict=True))
    comparison = spaneval.compare(runs, resamples=20, by="document")
    wide, narrow = (render_comparison(comparison, "table", Style(width=x)).decode() for x in (None, 100))
    rows = [x for x in narrow.splitlines() if "…" in x]

    assert len(rows) >= 12
    assert NUMBER.findall(wide) == NUMBER.findall(narrow)
    assert any(x.startswith("By document") for x in narrow.splitlines())


def test_shortened_texts_stay_different():
    """
    The part in which they differ may be in the middle.
    """
    assert shortened(["abcdefghij", "x"], 5) == ["ab…ij", "x"]
    assert shortened(["aaaa1aaaaaaa", "aaaa2aaaaaaa"], 5) == ["aaaa1…aaaa", "aaaa2…aaaa"]
    assert shortened(["aaaaa1aaaaa", "aaaaa2aaaaa"], 5) == ["aaaaa1aaaaa", "aaaaa2aaaaa"]
    assert shortened(["same same", "same same"], 5) == ["sa…me", "sa…me"]


def test_wrapped_text_keeps_long_words():
    """
    A path or an id is not broken.
    """
    assert wrapped("see a/very-long-path", 10, first="  ", rest="    ") == ["  see", "    a/very-long-path"]
    assert wrapped("see a/very-long-path", None, first="  ") == ["  see a/very-long-path"]


def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch):
    """
    COLUMNS is for terminals; a pipe is as wide as needed.
    """

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "70")

    assert Console().width(Terminal()) == 70
    assert Console().width(io.StringIO()) is None
    assert Console().width(None) is None


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_on_a_terminal_of_80_columns():
    """
    The command itself.
    """
    import pty

    root = Path(__file__).parent.parent
    parts = ["score", "--gt", "data/ground_truth", "--pred", "data/predictions/linker-v1.jsonl", "-q", "--no-ci"]
    pid, terminal = pty.fork()
    if not pid:  # pragma: no cover - another process
        os.chdir(root)
        os.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
        os.execv(sys.executable, [sys.executable, "-m", "spaneval", *parts])
    out = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            out += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)

    assert os.waitpid(pid, 0)[1] == 0
    assert "\r\nPrecision: Of the spans that the linker found" in out.decode()

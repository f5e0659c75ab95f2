"""A strict reader of the LaTeX that reports write: one booktabs tabular, then comments; anything else is an error."""

from __future__ import annotations

import re
from itertools import pairwise

_SIGNS = {
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbackslash{}": "\\",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    "{[}": "[",
    "{*}": "*",
    **{f"\\{sign}": sign for sign in "&%$#_{}"},
}
_PIECE = re.compile("|".join(map(re.escape, _SIGNS)) + r"|&|[^\\&%$#_{}~^]")


def rows_of(text: str) -> list[list[str]]:
    """
    Heading and rows of the tabular, cell by cell, as a reader of the paper would see them.

    Raises:
        AssertionError: If something is not as it must be.

    """
    lines = text.split("\n")
    assert lines.pop() == "", "the text ends in a line feed"
    begin = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])
    assert begin, lines[0]
    end = lines.index(r"\end{tabular}")
    assert all(line.startswith("% ") for line in lines[end + 1 :]), "behind the tabular there are comments only"
    assert (lines[1], lines[end - 1]) == (r"\toprule", r"\bottomrule")
    body = lines[2 : end - 1]
    assert body[1] == r"\midrule", "a rule below the heading"
    assert all(a != b or a != r"\midrule" for a, b in pairwise(body)), "no empty group"
    assert body[-1] != r"\midrule", "no empty group"
    rows = [_cells(line) for line in body if line != r"\midrule"]
    assert {len(row) for row in rows} == {len(begin[1])}, "as many cells as columns"
    return rows


def _cells(line: str) -> list[str]:
    assert line.endswith(r" \\"), line
    content = line.removesuffix(r" \\")
    assert not content.startswith(("[", "*")), "this would be an option of the row before"
    cells, done = [""], 0
    while done < len(content):
        piece = _PIECE.match(content, done)
        assert piece, f"a sign that is not escaped: {content[done:]}"
        if piece[0] == "&":
            cells.append("")
        else:
            cells[-1] += _SIGNS.get(piece[0], piece[0])
        done = piece.end()
    return [cell.strip() for cell in cells]

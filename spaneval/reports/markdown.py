"""A GitHub table, fit for a pull-request comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from spaneval.reports import content, groups
from spaneval.reports.text import interval_title, utf8

if TYPE_CHECKING:
    from spaneval.evaluation import Evaluation
    from spaneval.reports import Style


def render(evaluation: Evaluation, style: Style) -> bytes:
    """Inputs, one table of measures, what was left out, the signature; documents folded away."""
    blocks = [
        input_lines(content.inputs(evaluation)),
        _measures(evaluation, style),
        *(_grid(table) for table in groups.tables(evaluation, style)),
        *(_aside(aside) for aside in content.asides(evaluation)),
        [f"- **{subject}**: {inline(text)}" for subject, text in content.remarks(evaluation, style)],
        _documents(evaluation, style) if style.per_document else [],
        [f"<sub>{code(evaluation.signature)}</sub>"],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return utf8(f"{text}\n")


def input_lines(inputs: Iterable[tuple[str, str, str]]) -> list[str]:
    """The header, all files of a kind together: kind ("" if as before), file and what was found in it."""
    items: dict[str, list[str]] = {}
    kind = ""
    for given, name, facts in inputs:
        kind = given or kind
        items.setdefault(kind, []).append(code(name) + (f" ({facts})" if facts else ""))
    return ["<br>".join(f"**{inline(kind)}** {', '.join(names)}" for kind, names in items.items())] if items else []


def _measures(evaluation: Evaluation, style: Style) -> list[str]:
    title = interval_title(evaluation.resampling)
    heading = ["", "value", *([title] if title else []), "counts", "meaning"]
    sides = ["---", "---:", *(["---"] if title else []), "---:", "---"]
    lines = [table_row(heading), table_row(sides)]
    for section in content.sections(evaluation, style):
        blank = [""] * (len(heading) - 2)
        lines.append(table_row([f"**{section.title}**", *blank, inline(section.about)]))
        for row in section.rows:
            interval = [row.interval] if title else []
            lines.append(table_row([row.label, row.value, *interval, row.counts, inline(row.meaning)]))
    return lines


def _grid(table: groups.Table) -> list[str]:
    about = f" {inline(table.about)}" if table.about else ""
    sides = ["---", *(["---:"] * (len(table.heading) - 1))]
    rows = [table_row([inline(row[0]), *row[1:]]) for row in table.rows]
    remarks = ["", *(f"- {inline(remark)}" for remark in table.remarks)] if table.remarks else []
    return [f"**{inline(table.title)}**{about}", "", table_row(table.heading), table_row(sides), *rows, *remarks]


def _aside(aside: content.Asides) -> list[str]:
    items = [f"- {item.number} {item.label}: {item.meaning}" for item in aside.items]
    return [f"**{aside.title}**", "", *items]


def _documents(evaluation: Evaluation, style: Style) -> list[str]:
    heading, *rows = content.documents(evaluation, style)
    sides = ["---", *(["---:"] * (len(heading) - 1))]
    table = [table_row(heading), table_row(sides), *(table_row([code(row[0]), *row[1:]]) for row in rows)]
    reasons = [f"- {inline(reason)}" for reason in content.document_reasons(evaluation)]
    below = ["", *reasons] if reasons else []
    return [f"<details><summary>{len(rows)} documents</summary>", "", *table, *below, "", "</details>"]


def table_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def code(text: str) -> str:
    """Text between back-quotes, more of them than stand in the text."""
    fence = "`" * (1 + max(_runs(text), default=0))
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _runs(text: str) -> Iterator[int]:
    """Lengths of the runs of back-quotes in `text`."""
    return (len(run) for run in "".join(c if c == "`" else " " for c in text).split())


def inline(text: str) -> str:
    """Text in which nothing is taken for markup, on one line."""
    escaped = "".join(f"\\{c}" if c in "\\`*_<>[]#~&" else c for c in text)
    return " ".join(escaped.split())

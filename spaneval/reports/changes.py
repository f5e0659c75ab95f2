"""What changed between two versions, in every format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from spaneval.changes import CONTEXT
from spaneval.kinds import CLASSES, SPANS, unit_of
from spaneval.outcomes import Fate
from spaneval.problems import counted
from spaneval.reports import csv, json, jsonl, latex, page
from spaneval.reports.comparison import p_value
from spaneval.reports.page import Grid, Page, Remark
from spaneval.reports.text import Input, input_comments, names_and_numbers, printable

if TYPE_CHECKING:
    from spaneval.changes import Diff
    from spaneval.reports import Format, Style

COLUMNS: Final = (
    "fates", "document", "a", "b", "gold_id", "old_outcome", "old_predicted_id", "old_translated_id", "old_a", "old_b",
    "new_outcome", "new_predicted_id", "new_translated_id", "new_a", "new_b", "before", "text", "after",
)  # fmt: skip
"""Columns of the CSV report of spans."""

VALUE_COLUMNS: Final = (
    "fates", "document", "path", "gold", "old_outcome", "old_extracted", "new_outcome", "new_extracted",
)  # fmt: skip
"""Those of values of records."""

_LONGEST = 60
_COUNTS: Final = ("n_gold", "n_predicted", "n_matched", "n_id_comparable", "n_id_correct", "n_bad_rows")
_ALWAYS: Final = _COUNTS[:-1]
"""Those that are shown even where they are 0 in both versions."""


def render(
    diff: Diff,
    format: Format,  # noqa: A002 - the option's name
    style: Style,
    texts: Mapping[str, str] | None = None,
    inputs: Sequence[Input] = (),
) -> Iterable[bytes]:
    """
    A diff as UTF-8 text that ends in a line feed, in pieces.

    Args:
        diff: What is shown.
        format: `json` holds the numbers, `jsonl` and `csv` every change, the others both, with the first of each kind.
        style: How it looks.
        texts: Text by document digest, to show surfaces in context.
        inputs: The files that were read, for people.

    """
    if format == "json":
        return [json.dump(diff.to_dict())]
    if format == "jsonl":
        return jsonl.dump(diff.rows(texts))
    if format == "csv":
        return csv.dump(_lines(diff, texts))
    shown = replace(_page(diff, texts), inputs=inputs)
    if format == "latex":
        return [latex.tabular(shown.grids[0], _comments(shown))]
    return [page.as_markdown(shown) if format == "markdown" else page.as_table(shown, style)]


def _lines(diff: Diff, texts: Mapping[str, str] | None) -> Iterator[Iterable[Any]]:
    columns = COLUMNS if diff.kind == SPANS else VALUE_COLUMNS
    yield columns
    for row in diff.rows(texts):
        flat = row | {"fates": "|".join(row["fates"])}
        for side in ("old", "new"):
            flat |= {f"{side}_{key}": value for key, value in (row[side] or {}).items()}
        yield [flat.get(name) for name in columns]


def _page(diff: Diff, texts: Mapping[str, str] | None) -> Page:
    documents, n = counted(diff.old.n_gold_documents, unit_of(diff.kind)), len(diff.old.annotations.doc)
    return Page(
        facts=documents if diff.kind.name == CLASSES else f"{documents}, {counted(n, _noun(diff))}",
        grids=[_cells(diff), _fates(diff), _counts(diff)],
        examples=list(_examples(diff, texts)),
        remarks=list(_remarks(diff)),
        signature=_signature(diff),
    )


def _noun(diff: Diff) -> str:
    return {SPANS.name: "gold annotation", CLASSES: "object"}.get(diff.kind.name, "gold value")


def _cells(diff: Diff) -> Grid:
    """Old outcome × new outcome, as far as they occur, with their sums."""
    fates = [fate for fate in Fate if diff.cells[fate].any() or diff.cells[:, fate].any()]
    rows = [[_name(old), *(str(diff.cells[old, new]) for new in fates), str(diff.cells[old].sum())] for old in fates]
    sums = ["all", *(str(diff.cells[:, new].sum()) for new in fates), str(diff.cells.sum())]
    heading = ["old \\ new", *map(_name, fates), "all"]
    title = f"{_noun(diff).capitalize()}s: outcome in the old version (rows), in the new version (columns)"
    return Grid(heading, names_and_numbers(heading), [rows, [sums]], title)


def _name(fate: Fate) -> str:
    return fate.label.replace("_", " ")


def _fates(diff: Diff) -> Grid:
    rows = [[name.replace("_", " "), str(n), diff.meanings[name]] for name, n in diff.fates.items()]
    several = {SPANS.name: "; an annotation may stand in two lines", CLASSES: ""}
    title = f"What became of them{several.get(diff.kind.name, '; a value may stand in two lines')}"
    return Grid(["change", "number", "meaning"], ["left", "right", "left"], [rows], title)


def _counts(diff: Diff) -> Grid:
    names = _COUNTS if diff.kind == SPANS else diff.kind.columns
    shown = {name: diff.counts.get(name, (0, 0)) for name in names if name in diff.counts or name in _ALWAYS}
    names_shown = {name: printable(name.replace("\x1f", " → ")) for name in shown}
    rows = [[names_shown[name], str(old), str(new), f"{new - old:+d}"] for name, (old, new) in shown.items()]
    return Grid(["count", "old", "new", "Δ"], ["left", "right", "right", "right"], [rows])


def _remarks(diff: Diff) -> Iterator[Remark]:
    only_old, both, only_new = diff.spurious
    if diff.kind.name != CLASSES:
        yield Remark(
            "spurious predictions" if diff.kind == SPANS else "values where the gold has none",
            f"{only_old} in the old version only, {both} in both, {only_new} in the new only",
        )
    old, new = diff.n_only_old_correct, diff.n_only_new_correct
    pairs = counted(diff.n_common, _noun(diff))
    only = f"{old} are right in the old version only, {new} in the new only"
    common = {SPANS.name: " with comparable ids in both versions", CLASSES: ""}
    both_have = " in whose place something was extracted in both versions"
    text = f"of {pairs}{common.get(diff.kind.name, both_have)}, {only}"
    yield Remark("common pairs", f"{text}; exact McNemar test, two-sided, p {_equals(p_value(diff.mcnemar_p))}")


def _signature(diff: Diff) -> str:
    old, new = diff.old.signature, diff.new.signature
    return old if old == new else f"{old} → {new}"


def _examples(diff: Diff, texts: Mapping[str, str] | None) -> Iterator[Remark]:
    """The first change of each kind, in the order of the kinds."""
    first: dict[str, dict[str, Any]] = {}
    wanted = {name for name, n in diff.fates.items() if n}
    for row in diff.rows(texts):
        for name in row["fates"]:
            first.setdefault(name, row)
        if len(first) == len(wanted):
            break
    for name in diff.meanings:
        if name in first:
            yield Remark(f"first {name.replace('_', ' ')}", _example(first[name]))


def _example(row: Mapping[str, Any]) -> str:
    if "path" in row:
        gold = "" if row["gold"] is None else f", gold {row['gold']}"
        change = " → ".join(_value(row[side]) for side in ("old", "new") if row[side])
        return printable(f"{row['document']}: {row['path']}{gold}: {change}")
    place = f"document {row['document']} [{row['a']}, {row['b']})"
    gold = f", gold {row['gold_id']}" if row["gold_id"] else ""
    change = " → ".join(_side(row[side]) for side in ("old", "new") if row[side])
    context = "" if row["text"] is None else f"  {in_context(row)}"
    return printable(f"{place}{gold}: {change}{context}")


def _value(side: Mapping[str, Any]) -> str:
    return side["outcome"] if side["extracted"] is None else f"{side['outcome']} {side['extracted']}"


def _side(side: Mapping[str, Any]) -> str:
    outcome: str = side["outcome"].replace("_", " ")
    written, translated = side["predicted_id"], side["translated_id"]
    if written is None:
        return outcome
    return f"{outcome} {written}" if translated in (None, written) else f"{outcome} {written} (translated {translated})"


def in_context(row: Mapping[str, Any]) -> str:
    """The surface in brackets between what stands around it, on one line."""
    before, text, after = row["before"], row["text"], row["after"]
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    start = "…" if row["a"] > CONTEXT else ""
    end = "…" if len(after) == CONTEXT else ""
    return f"{start}{before}⟦{text}⟧{after}{end}"


def _comments(shown: Page) -> Iterator[str]:
    """All but the table of outcomes."""
    yield from input_comments(shown.inputs)
    yield shown.facts
    _, fates, counts = shown.grids
    yield from (f"{name}: {n} ({meaning})" for name, n, meaning in fates.rows)
    yield from (f"{name}: {old} in the old version, {new} in the new, {delta}" for name, old, new, delta in counts.rows)
    yield from (f"{x.subject}: {x.text}" for x in (*shown.examples, *shown.remarks))
    yield f"signature {shown.signature}"


def _equals(p: str) -> str:
    """`= 0.0312`, or `< 0.0001`."""
    return f"< {p[1:]}" if p.startswith("<") else f"= {p}"

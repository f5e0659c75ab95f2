"""A comparison in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from spaneval.comparison import COMMON, no_common
from spaneval.kinds import CLASSES, DOCUBENCH, SPANS, unit_of
from spaneval.problems import counted
from spaneval.reports import csv, json, jsonl, scores
from spaneval.reports.page import Grid, Page, Remark
from spaneval.reports.reasons import Why, legend, sentences, subject
from spaneval.reports.text import UNDEFINED, Align, Input, interval, interval_title, number, printable
from spaneval.significance import MOST_ENUMERATED

if TYPE_CHECKING:
    from spaneval.comparison import Comparison, Entries
    from spaneval.entries import Entry
    from spaneval.reports import Format, Style

CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": ""}
_CONDITIONAL: Final = ("entity_accuracy", "agreement")
"""Measures that judge each system on its own pairs; beside them stands the accuracy over common ones."""
_SHORT: Final = {"holm": "p (Holm)", "bh": "p (BH)"}


def render(
    comparison: Comparison,
    format: Format,  # noqa: A002 - the option's name
    style: Style,
    inputs: Sequence[Input] = (),
) -> bytes:
    """
    A comparison as UTF-8 text that ends in a line feed.

    Args:
        comparison: What is shown.
        format: As in `spaneval.reports.render`.
        style: How it looks.
        inputs: The files that were read, for people.

    """
    if format == "json":
        return json.dump(comparison.to_dict())
    if format == "jsonl":
        return b"".join(jsonl.dump(_objects(comparison)))
    if format == "csv":
        rows = _flat_rows(comparison)
        return b"".join(csv.dump([list(rows[0]), *(row.values() for row in rows)]))
    shown = replace(_page(comparison, style), inputs=inputs)
    if format == "latex":
        shown = replace(shown, grids=[_spelled_out(grid) for grid in shown.grids])
    return scores.laid_out(shown, format, style)


def _spelled_out(grid: Grid) -> Grid:
    """Headings without the letter delta, which not every font of LaTeX has."""
    return replace(grid, heading=[title.replace("Δ", "difference") for title in grid.heading])


def _flat_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """All rows; where there are groups, those of the whole have none."""
    if not comparison.groups:
        return comparison.rows()
    return [{"by": None, "group": None, **row} for row in comparison.rows()] + comparison.group_rows()


def _objects(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One per measure and system, with the keys of the JSON report; then the accuracy over common pairs."""
    for measure in comparison.measures:
        for name in comparison.runs:
            yield {"measure": measure.name, "system": name, **comparison.entries[name][measure.name].to_dict()}
    for by, groups in comparison.groups.items():
        for value, entries in groups.items():
            for name, of_system in entries.items():
                for measure_name, entry in of_system.items():
                    yield {"by": by, "group": value, "measure": measure_name, "system": name, **entry.to_dict()}
    yield from ({key: row[key] for key in _OF_COMMON} for row in comparison.rows() if row["measure"] == COMMON)


_OF_COMMON: Final = ("measure", "system", "value", "delta", "numerator", "denominator", "undefined")


def _page(comparison: Comparison, style: Style) -> Page:
    documents, gold = counted(comparison.n_documents, _unit(comparison)), _gold(comparison)
    return Page(
        facts=f"{documents}{gold}; baseline {printable(comparison.baseline)}",
        grids=[_grid(comparison, style), *_group_grids(comparison, style)],
        remarks=list(_remarks(comparison)),
        signature=comparison.signature,
    )


def _unit(comparison: Comparison) -> str:
    return unit_of(comparison.runs[comparison.baseline].counts.kind)


def _gold(comparison: Comparison) -> str:
    """How many annotations or values the gold has, where these are counted and are not the documents."""
    run = comparison.runs[comparison.baseline]
    if comparison.kind == DOCUBENCH or run.counts.kind.name == CLASSES:
        return ""
    if comparison.kind == SPANS:
        return f", {counted(run.counts.totals()['n_gold'], 'gold annotation')}"
    return f", {counted(len(run.annotations.doc), 'gold value')}"


def _grid(comparison: Comparison, style: Style) -> Grid:
    """The columns that were asked for, measure by measure."""
    groups = []
    for measure in comparison.measures:
        groups.append(
            [
                [measure.label if k == 0 else "", printable(name), *_cells(comparison, name, measure.name, style)]
                for k, name in enumerate(comparison.runs)
            ]
        )
        if measure.name in _CONDITIONAL:
            groups.append(_common(comparison, style))
    heading, aligned = ["measure", "system"], ["left", "left"]
    for title, side in _columns(comparison):
        heading.append(title)
        aligned.append(side)
    return Grid(heading, aligned, groups, names=1)  # type: ignore[arg-type] # literals


def _group_grids(comparison: Comparison, style: Style) -> Iterator[Grid]:
    """One table for each field, group by group."""
    for by, groups in comparison.groups.items():
        heading, aligned = [by, "measure", "system"], ["left", "left", "left"]
        for title, side in _columns(comparison):
            heading.append(title)
            aligned.append(side)
        blocks = [
            [
                [printable(value) if k + m == 0 else "", label if k == 0 else "", *row]
                for m, (label, rows) in enumerate(_measure_rows(comparison, entries, style))
                for k, row in enumerate(rows)
            ]
            for value, entries in groups.items()
        ]
        remarks = _group_reasons(comparison, groups)
        yield Grid(heading, aligned, blocks, f"By {printable(by)}", remarks, names=2)  # type: ignore[arg-type] # literals


def _group_reasons(comparison: Comparison, groups: Mapping[str, Entries]) -> list[str]:
    """Why values of groups are undefined, then why only their intervals are."""
    values, intervals = list[Why](), list[Why]()
    systems = list(comparison.runs)
    for measure in comparison.measures:
        for group, entries in groups.items():
            found = {name: entries[name][measure.name] for name in systems if measure.name in entries[name]}
            reasons = {name: entry.reason for name, entry in found.items() if entry.reason is not None}
            values += _whys(measure.label, group, reasons, len(systems))
            only = {name: x.interval_reason for name, x in found.items() if x.interval_reason and x.reason is None}
            intervals += _whys(measure.label, group, only, len(systems))
    return sentences(values) + [
        f"intervals of {found.subject} undefined: {found.reason}" for found in legend(intervals)
    ]


def _whys(label: str, group: str, reasons: Mapping[str, str], n_systems: int) -> Iterator[Why]:
    """Where all systems share a reason, the group alone is named."""
    if len(reasons) == n_systems and len(set(reasons.values())) == 1:
        yield Why(label, printable(group), next(iter(reasons.values())))
        return
    for name, reason in reasons.items():
        yield Why(label, f"{printable(group)} ({printable(name)})", reason)


def _measure_rows(comparison: Comparison, entries: Entries, style: Style) -> Iterator[tuple[str, list[list[str]]]]:
    """The label of each measure that the group has, and a row for each system."""
    for measure in comparison.measures:
        if measure.name in entries[comparison.baseline]:
            yield (
                measure.label,
                [
                    [printable(name), *_entry_cells(comparison, name, entries[name][measure.name], style)]
                    for name in comparison.runs
                ],
            )


def _columns(comparison: Comparison) -> list[tuple[str, Align]]:
    """Titles and sides of the columns of numbers; `_cells` fills them in this order."""
    resampling, test = comparison.resampling, comparison.test
    level = interval_title(resampling)
    columns: list[tuple[str, Align]] = [("value", "right")]
    columns += [("counts", "right")] if _has_counts(comparison) else []
    columns += [(level, "left")] if resampling else []
    if len(comparison.runs) > 1:
        columns += [("Δ", "right")]
        columns += [(f"{level} of Δ", "left")] if resampling else []
        if test:
            columns += [("p", "right")]
            columns += [(_SHORT[test["correction"]], "right")] if test["correction"] in _SHORT else []
            columns += [("", "left")]
        columns += [("W/T/L", "right")]
        columns += [("no value", "right")] if _has_undefined(comparison) else []
    return columns


def _has_counts(comparison: Comparison) -> bool:
    """Whether numerator and denominator say anything to people; those of DocuBench are billionths."""
    return comparison.kind != DOCUBENCH


def _has_undefined(comparison: Comparison) -> bool:
    """Whether there is a document in which a measure has no value for a system or the baseline."""
    tables = [comparison.entries, *(x for groups in comparison.groups.values() for x in groups.values())]
    entries = [entry for table in tables for of_system in table.values() for entry in of_system.values()]
    return any(entry.scoreboard is not None and entry.scoreboard.n_undefined for entry in entries)


def _cells(comparison: Comparison, name: str, measure: str, style: Style) -> list[str]:
    return _entry_cells(comparison, name, comparison.entries[name][measure], style)


def _entry_cells(comparison: Comparison, name: str, entry: Entry, style: Style) -> list[str]:
    has_intervals = comparison.resampling is not None
    cells = [number(entry.value, style.digits)]
    cells += ["{} / {}".format(*entry.fraction)] if _has_counts(comparison) else []
    cells += [interval(entry.interval, style.digits)] if has_intervals else []
    if len(comparison.runs) == 1:
        return cells
    if name == comparison.baseline:
        return cells + ["(ref)"] + [""] * (len(_columns(comparison)) - len(cells) - 1)
    cells += [signed(entry.delta, style.digits)]
    cells += [signed_interval(entry.delta_interval, style.digits)] if has_intervals else []
    cells += _test_cells(comparison, entry)
    board = entry.scoreboard
    if board is not None:
        cells += [f"{board.won}/{board.tied}/{board.lost}"]
        cells += [str(board.n_undefined)] if _has_undefined(comparison) else []
    return cells


def _test_cells(comparison: Comparison, entry: Entry) -> list[str]:
    if not comparison.test or entry.test is None:
        return []
    corrected = [p_value(entry.p_corrected)] if comparison.test["correction"] in _SHORT else []
    return [p_value(entry.test.p), *corrected, marks(entry.p_corrected, comparison.alpha)]


def _common(comparison: Comparison, style: Style) -> list[list[str]]:
    """The accuracy over common pairs, which is judged on the same annotations for every system."""
    n_columns, rows = len(_columns(comparison)), []
    has_delta = len(comparison.runs) > 1
    for k, name in enumerate(comparison.runs):
        common = comparison.common
        cells = [number(common.accuracy(name), style.digits), f"{common.n_correct[name]} / {common.n}"]
        cells += [""] if comparison.resampling else []
        is_base = name == comparison.baseline
        cells += ["(ref)" if is_base else signed(comparison.common_delta(name), style.digits)] if has_delta else []
        label = "Accuracy over common pairs" if k == 0 else ""
        rows.append([label, printable(name), *cells, *[""] * (n_columns - len(cells))])
    return rows


def signed(value: float | None, digits: int) -> str:
    """A difference for people."""
    return UNDEFINED if value is None else f"{value:+.{digits}f}"


def signed_interval(ends: tuple[float, float] | None, digits: int) -> str:
    """Both ends of the interval of a difference, for people."""
    return UNDEFINED if ends is None else f"[{signed(ends[0], digits)}, {signed(ends[1], digits)}]"


def p_value(p: float | None) -> str:
    """A probability for people; a small one is not shown as 0."""
    if p is None:
        return UNDEFINED
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def marks(p: float | None, alpha: float) -> str:
    """One star below `alpha`, two below a fifth of it, three below a fiftieth."""
    return "" if p is None else "*" * sum(p < bound for bound in _bounds(alpha))


def _bounds(alpha: float) -> tuple[float, float, float]:
    return alpha, alpha / 5, alpha / 50


def _remarks(comparison: Comparison) -> Iterator[Remark]:
    unit = _unit(comparison)
    yield from _undefined(comparison)
    if any(measure.name in _CONDITIONAL for measure in comparison.measures):
        yield from _judged_on(comparison)
    if len(comparison.runs) > 1:
        yield Remark("Δ", f"value minus that of {printable(comparison.baseline)}")
        yield Remark("W/T/L", f"{unit}s in which the system is better, equal, worse than the baseline")
        if _has_undefined(comparison):
            yield Remark("no value", f"{unit}s in which the measure is undefined for the system or the baseline")
    yield from _tests(comparison)
    if comparison.groups:
        yield Remark("groups", f"resampled and tested over the {unit}s in which any system has the group")
    if comparison.resampling:
        n, both = counted(comparison.resampling["resamples"], "resample"), "the same for all systems"
        text = f"paired percentile bootstrap over {unit}s, {n}, {both}; each interval on its own, not simultaneous"
        yield Remark("intervals", text)


def _judged_on(comparison: Comparison) -> Iterator[Remark]:
    """What accuracy is judged on, which differs by system."""
    if comparison.kind != SPANS:
        n = counted(comparison.common.n, "gold value")
        text = f"all systems on the same {n}: those in whose place every one extracted something"
        yield Remark(
            "Accuracy over common pairs", text if comparison.common.n else f"undefined: {no_common(comparison.kind)}"
        )
        return
    totals = {name: run.counts.totals() for name, run in comparison.runs.items()}
    shares = [f"{printable(name)} {x['n_id_comparable']} of {x['n_matched']}" for name, x in totals.items()]
    own = "each system on its own matched pairs with comparable ids"
    yield Remark("Entity accuracy", f"{own}: {', '.join(shares)}")
    n = counted(comparison.common.n, "gold annotation")
    text = f"all systems on the same {n}: those for which every one has a comparable pair"
    yield Remark(
        "Accuracy over common pairs", text if comparison.common.n else f"undefined: {no_common(comparison.kind)}"
    )
    if any(measure.name == "link_f1" for measure in comparison.measures):
        yield Remark("Link F1", "all gold annotations and all predictions with an id, so it depends on no such choice")


def _undefined(comparison: Comparison) -> Iterator[Remark]:
    """Reasons, each once, with the measures and systems that it holds for."""
    values: dict[str, dict[str, list[str]]] = {}
    intervals: dict[str, dict[str, list[str]]] = {}
    for measure in comparison.measures:
        for name in comparison.runs:
            entry = comparison.entries[name][measure.name]
            if entry.reason is not None:
                values.setdefault(entry.reason, {}).setdefault(measure.label, []).append(printable(name))
            elif entry.interval_reason is not None:
                intervals.setdefault(entry.interval_reason, {}).setdefault(measure.label, []).append(printable(name))
    for reason, places in values.items():
        yield Remark(f"{subject(places)} undefined", " ".join(reason.split()))
    for reason, places in intervals.items():
        every = sum(map(len, places.values())) == len(comparison.measures) * len(comparison.runs)
        yield Remark("intervals undefined" if every else f"interval of {subject(places)} undefined", reason)
    yield from _left_out(comparison)


def _left_out(comparison: Comparison) -> Iterator[Remark]:
    """Resamples and swaps in which a measure had no value, where there were any: each number once."""
    resampling = comparison.resampling or {"left_out": {}, "left_out_of_delta": {}, "resamples": 0}
    n = resampling["resamples"]
    labels = {measure.name: measure.label for measure in comparison.measures}
    values, deltas = (_by_number(resampling[key], n, labels) for key in ("left_out", "left_out_of_delta"))
    for n_left_out in sorted({*values, *deltas}):
        parts = [subject(values[n_left_out])] if n_left_out in values else []
        parts += [f"Δ in {subject(deltas[n_left_out])}"] if n_left_out in deltas else []
        title = f"intervals that leave out {n_left_out} of {counted(n, 'resample')}, in which there is no value"
        yield Remark(title, "; ".join(parts), is_list=True)
    swaps: dict[str, dict[str, list[str]]] = {}
    for name, entries in comparison.entries.items():
        for measure, entry in entries.items():
            if entry.test is not None and entry.test.n_undefined_swaps:
                of_all = f"{entry.test.n_undefined_swaps} of {counted(entry.test.n_trials, 'swap')}"
                swaps.setdefault(of_all, {}).setdefault(labels[measure], []).append(printable(name))
    for of_all, places in swaps.items():
        text = f"{of_all} left it undefined; they count as extreme"
        yield Remark(f"p of {subject(places)}", text, is_list=True)


def _by_number(
    shares: Mapping[str, Mapping[str, float]], n: int, labels: Mapping[str, str]
) -> dict[int, dict[str, list[str]]]:
    """From shares of `n` by system and measure: by number, the systems of each measure; none and all are left out."""
    found: dict[int, dict[str, list[str]]] = {}
    for name, of_system in shares.items():
        for measure, share in of_system.items():
            if 0 < share < 1:
                places = found.setdefault(round(share * n), {})
                places.setdefault(labels[measure], []).append(printable(name))
    return found


def _tests(comparison: Comparison) -> Iterator[Remark]:
    """How p came about, and what the marks mean."""
    test = comparison.test
    if not test:
        return
    n = test["trials"]
    how = f"all {n} swaps, p = b / {n}" if test["exact"] else f"{n} random swaps, p = (b + 1) / ({n} + 1)"
    groups = [group for of_field in test.get("groups", {}).values() for group in of_field.values()]
    if not test["exact"] and any(group["exact"] for group in groups):
        how += f"; in a group of D documents, up to {MOST_ENUMERATED}, all n = 2^D swaps, p = b / n"
    yield Remark("p", f"{test['name']}; {how}".replace("documents", f"{_unit(comparison)}s"))
    if not test["n_tests"]:
        return
    n_tests = counted(test["n_tests"], "test")
    name = CORRECTIONS[test["correction"]]
    after = f"after {name} over {n_tests}" if name else f"not corrected; the table makes {n_tests}"
    stars = ", ".join(f"{'*' * (k + 1)} p < {bound:g}" for k, bound in enumerate(_bounds(comparison.alpha)))
    yield Remark("marks", f"{stars}, {after}")

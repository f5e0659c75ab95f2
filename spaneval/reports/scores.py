"""What reports for people on anything with counts and measures share: the table of measures, remarks, the layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spaneval.reports import latex, page
from spaneval.reports.page import Grid, Page, Remark
from spaneval.reports.reasons import by_reason
from spaneval.reports.text import Align, interval, interval_title, number

if TYPE_CHECKING:
    from spaneval.averages import Macro
    from spaneval.reports import Format, Style
    from spaneval.scores import Result


def laid_out(shown: Page, format: Format, style: Style) -> bytes:  # noqa: A002 - the option's name
    """A page as `table`, `markdown` or `latex`."""
    if format == "latex":
        return latex.as_latex(shown)
    return page.as_markdown(shown) if format == "markdown" else page.as_table(shown, style)


def measures_grid(result: Result, style: Style) -> Grid:
    """Every measure with its interval, its counts and, where there is room beside, its meaning."""
    resampling = result.resampling
    heading, aligned = ["measure", "value"], list[Align](["left", "right"])
    if resampling:
        heading.append(interval_title(resampling))
        aligned.append("left")
    heading, aligned = [*heading, "counts", "meaning"], [*aligned, "right", "left"]
    rows = []
    for measure in result.registry:
        top, bottom = result.fractions[measure.name]
        ends = [interval(result.intervals.get(measure.name), style.digits)] if resampling else []
        value = number(result.measures[measure.name], style.digits)
        rows.append([measure.label, value, *ends, f"{top} / {bottom}", measure.question])
    return Grid(heading, aligned, [rows]).narrowed(style.width)


def macro_grid(result: Result, style: Style, macro: Macro | None = None) -> Grid | None:
    """Macro averages, those of the result if none are given; None if they were not asked for."""
    macro = macro or result.macro
    if macro is None:
        return None
    has_intervals = any(mean.interval is not None for mean in macro.means.values())
    heading = ["measure", "mean", *([interval_title(result.resampling)] if has_intervals else []), "defined"]
    aligned: list[Align] = ["left", "right", *(["left"] if has_intervals else []), "right"]  # type: ignore[list-item] # literals
    labels = {measure.name: measure.label for measure in result.registry}
    rows = [
        [
            labels[name],
            number(mean.value, style.digits),
            *([interval(mean.interval, style.digits)] if has_intervals else []),
            f"{mean.n} of {mean.n + mean.n_undefined}",
        ]
        for name, mean in macro.means.items()
    ]
    return Grid(heading, aligned, [rows], title=f"Macro averages over {macro.over}s")


def remarks(result: Result) -> Iterator[Remark]:
    """Why measures or intervals are undefined, and what was left out of intervals."""
    labels = {measure.name: measure.label for measure in result.registry}
    for reason, names in by_reason(result.undefined).items():
        yield Remark(f"{', '.join(labels[name] for name in names)} undefined", reason)
    if result.bootstrap is None:
        return
    without = {name: why for name, why in result.bootstrap.undefined.items() if name not in result.undefined}
    for reason, names in by_reason(without).items():
        yield Remark(f"interval of {', '.join(labels[name] for name in names)} undefined", reason)
    left: dict[int, list[str]] = {}
    for name, share in result.bootstrap.left_out.items():
        if share and result.intervals[name] is not None:
            left.setdefault(round(share * result.bootstrap.resamples), []).append(labels[name])
    if left:
        parts = (f"{n} of {result.bootstrap.resamples} for {', '.join(names)}" for n, names in sorted(left.items()))
        yield Remark("left out of intervals", f"resamples in which a measure is undefined: {'; '.join(parts)}", True)

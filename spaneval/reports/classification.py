"""Predicted classes against actual ones, in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.problems import counted
from spaneval.records.class_scores import OVERALL, PER_CLASS
from spaneval.reports import csv, flat, json, jsonl, scores
from spaneval.reports.page import Grid, Page, Remark
from spaneval.reports.reasons import why
from spaneval.reports.text import Align, Input, interval, interval_title, names_and_numbers, number, printable

if TYPE_CHECKING:
    from spaneval.records.classes import Classification
    from spaneval.reports import Format, Style

MOST_CLASSES: Final = 20
"""Classes whose matrix is shown as a matrix; of more, the most frequent confusions are listed."""
MOST_CONFUSIONS: Final = 20

COLUMNS: Final = ("class", "predicted", *flat.COLUMNS)
"""Columns of the CSV report: those of a class name it; those of a cell name its row and its column."""

_LABELS: Final = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_WHY: Final = {
    "precision": "0/0 where nothing was taken for a class",
    "recall": "0/0 where nothing is of a class",
    "f1": "0/0 where nothing is of a class nor was taken for it",
}


def render(result: Classification, format: Format, style: Style) -> bytes:  # noqa: A002 - the option's name
    """
    A classification as UTF-8 text that ends in a line feed.

    Args:
        result: What is shown.
        format: As in `spaneval.reports.render`.
        style: How it looks.

    """
    if format == "json":
        return json.dump(result.to_dict())
    if format == "jsonl":
        return b"".join(jsonl.dump(_objects(result)))
    if format == "csv":
        return b"".join(csv.dump(_flat(result)))
    return scores.laid_out(_page(result, style), format, style)


def _page(result: Classification, style: Style) -> Page:
    facts = f"{counted(result.n, 'object')}, {counted(len(result.classes), 'class', 'classes')}"
    if result.positive is not None:
        positive, rest = map(printable, result.classes)
        facts = f"{counted(result.n, 'object')}; positive is '{positive}', every other class is '{rest}'"
    return Page(
        facts=facts,
        grids=[_measures(result, style), _classes(result, style), _confusion(result, style)],
        remarks=list(_remarks(result)),
        signature=result.signature,
        inputs=_inputs(result),
    )


def _inputs(result: Classification) -> list[Input]:
    sides = (("gold", result.gold), ("predictions", result.predictions))
    return [
        Input(
            kind,
            printable(side.name or "(in memory)"),
            f"{counted(len(side), 'object')} of {counted(len(set(side.values.values())), 'class', 'classes')}",
        )
        for kind, side in sides
    ]


def _title(result: Classification) -> list[str]:
    """The heading of a column of intervals; nothing without them."""
    return [interval_title(result.resampling)] if result.resampling else []


def _ends(result: Classification, name: str, style: Style) -> list[str]:
    return [interval(result.intervals.get(name), style.digits)] if result.resampling else []


def _measures(result: Classification, style: Style) -> Grid:
    """The numbers of the whole matrix."""
    accuracy = result.registry[0]
    rows = [
        [accuracy.label, "accuracy", "{} / {}".format(*result.fractions["accuracy"]), accuracy.question],
        *([one.label, name, _of_classes(result, name), one.question] for name, one in OVERALL.items()),
    ]
    shown = [
        [label, number(result.measures[name], style.digits), *_ends(result, name, style), counts, question]
        for label, name, counts, question in rows
    ]
    title = _title(result)
    aligned: list[Align] = ["left", "right", *(["left"] if title else []), "right", "left"]  # type: ignore[list-item] # literals
    return Grid(["measure", "value", *title, "counts", "meaning"], aligned, [shown]).narrowed(style.width)


def _of_classes(result: Classification, name: str) -> str:
    """How many classes a mean is of."""
    mean = result.scores.means.get(name.removeprefix("macro_"))
    return "" if mean is None else f"{mean.n} of {counted(len(result.classes), 'class', 'classes')}"


def _classes(result: Classification, style: Style) -> Grid:
    """One row per class; intervals only where there is room for them."""
    grid = _of_each(result, style, _title(result))
    if not _title(result) or grid.fits(style.width):
        return grid
    remark = "intervals of classes: in a wider terminal, or in a file (-o)"
    return replace(_of_each(result, style, []), remarks=[remark])


def _of_each(result: Classification, style: Style, title: list[str]) -> Grid:
    """How many objects there are of each class, how many were taken for it, how many of both; and its measures."""
    heading, aligned = ["class", "support", "predicted", "right"], list[Align](["left", "right", "right", "right"])
    for name in PER_CLASS:
        heading += [_LABELS[name], *title]
        aligned += ["right", *(["left"] if title else [])]  # type: ignore[list-item] # literals
    counts, rows = result.counts, []
    for name in result.classes:
        row = [printable(name), *(str(counts[f"{part}:{name}"]) for part in ("actual", "predicted", "right"))]
        for part in PER_CLASS:
            measure = f"{part}:{name}"
            row += [number(result.measures[measure], style.digits)]
            row += _ends(result, measure, style) if title else []
        rows.append(row)
    return Grid(heading, aligned, [rows], names=0)


def _confusion(result: Classification, style: Style) -> Grid:
    """The matrix, or where there is no room for it the most frequent confusions."""
    if len(result.classes) <= MOST_CLASSES:
        grid = _matrix(result)
        if grid.fits(style.width):
            return grid
    return _confusions(result)


def _matrix(result: Classification) -> Grid:
    cells = result.confusion.cells
    names = [printable(name) for name in result.classes]
    rows = [[name, *map(str, row), str(sum(row))] for name, row in zip(names, cells.tolist(), strict=True)]
    sums = ["all", *map(str, cells.sum(axis=0).tolist()), str(result.n)]
    remarks = []
    if result.positive is not None:
        (tp, fn), (fp, tn) = cells.tolist()
        remarks = [f"true positives {tp}, false negatives {fn}, false positives {fp}, true negatives {tn}"]
    heading = ["actual \\ predicted", *names, "all"]
    title = "Confusion: actual class (rows), predicted class (columns)"
    return Grid(heading, names_and_numbers(heading), [rows, [sums]], title, remarks)


def _confusions(result: Classification) -> Grid:
    """The most frequent confusions, those as frequent in the order of their classes."""
    cells = result.confusion.cells
    wrong = cells * (1 - np.eye(len(cells), dtype=np.int64))
    actual, predicted = np.nonzero(wrong)
    order = np.lexsort((predicted, actual, -wrong[actual, predicted]))[:MOST_CONFUSIONS]
    support = cells.sum(axis=1)
    rows = [
        [printable(result.classes[a]), printable(result.classes[b]), str(wrong[a, b]), f"{wrong[a, b]} / {support[a]}"]
        for a, b in zip(actual[order].tolist(), predicted[order].tolist(), strict=True)
    ]
    shown = "all of them" if len(rows) == len(actual) else f"the {len(rows)} most frequent of {len(actual)}"
    remark = f"{counted(len(actual), 'kind')} of confusion, {shown}; -f json and -f csv have the whole matrix"
    heading = ["actual", "predicted", "number", "of the actual"]
    title = "Confusions: what was taken for what"
    return Grid(heading, ["left", "left", "right", "right"], [rows], title, [remark])


def _remarks(result: Classification) -> Iterator[Remark]:
    """Why numbers are undefined, and what was left out of intervals."""
    labels = {"accuracy": result.registry[0].label, **{name: one.label for name, one in OVERALL.items()}}
    for name, label in labels.items():
        if name in result.undefined:
            yield Remark(f"{label} undefined", result.undefined[name])
    for part in PER_CLASS:
        names = [printable(name) for name in result.classes if f"{part}:{name}" in result.undefined]
        if names:
            yield Remark(f"{_LABELS[part]} undefined", f"{_WHY[part]}: {', '.join(names)}", is_list=True)
    if result.bootstrap is None:
        return
    if result.n < 2:
        yield Remark("intervals undefined", result.bootstrap.undefined["accuracy"])
        return
    left_out = {
        name: round(share * result.bootstrap.resamples)
        for name, share in result.bootstrap.left_out.items()
        if share and result.intervals[name] is not None
    }
    whole = [f"{n} for {labels[name]}" for name, n in left_out.items() if name in labels]
    most = max((n for name, n in left_out.items() if name not in labels), default=0)
    of_classes = [f"up to {most} for single classes"] if most else []
    if whole or of_classes:
        told = ", ".join([*whole, *of_classes])
        text = f"resamples in which a measure is undefined, of {result.bootstrap.resamples}: {told}"
        yield Remark("left out of intervals", text)


def _objects(result: Classification) -> Iterator[Mapping[str, Any]]:
    """Measures, those of a class with the key `class`; then each cell that is not empty, which has the key `actual`."""
    for name, value in result.measures.items():
        part, _, of = name.partition(":")
        ends = result.intervals.get(name)
        top, bottom = result.fractions.get(name, (None, None))
        yield {
            "measure": part,
            "class": of or None,
            "value": value,
            "interval": ends and list(ends),
            "numerator": top,
            "denominator": bottom,
            "undefined": why(result, name),
        }
    for actual, predicted, n in _cells(result):
        yield {"actual": actual, "predicted": predicted, "n": n}


def _flat(result: Classification) -> Iterator[list[Any]]:
    """Measures, then each cell that is not empty as a measure `n`."""
    yield list(COLUMNS)
    for name, value in result.measures.items():
        part, _, of = name.partition(":")
        low, high = result.intervals.get(name) or (None, None)
        top, bottom = result.fractions.get(name, (None, None))
        yield [of or None, None, part, value, low, high, top, bottom, why(result, name)]
    for actual, predicted, n in _cells(result):
        yield [actual, predicted, "n", n, None, None, None, None, None]


def _cells(result: Classification) -> Iterator[tuple[str, str, int]]:
    cells = result.confusion.cells
    for actual, predicted in np.argwhere(cells).tolist():
        yield result.classes[actual], result.classes[predicted], int(cells[actual, predicted])

"""
The registries of measures of classes: accuracy, and precision, recall and F1 of each class.

The formulas stand here once, for two kinds of counts: the cells of a confusion matrix, which saved runs hold, and its
margins, of which a thousand classes need three thousand instead of a million, so that scores and comparisons use them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from spaneval.kinds import Kind
from spaneval.measure import Measure, Terms, Totals
from spaneval.problems import counted

MARGINS: Final = "class margins"
"""Name of the kinds that `margins` makes."""

PARTS: Final = ("right", "actual", "predicted")
"""What is added up for each class: its diagonal cell, its row, its column."""

_VAN_RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd ed., chapter 7"
_EASYRPA = "EasyRPA documentation, Analysis of result"


class _Layout(NamedTuple):
    """Which columns add up to what: all objects, those of a class that got it, those of it, those taken for it."""

    n: Terms
    right: Mapping[str, Terms]
    actual: Mapping[str, Terms]
    predicted: Mapping[str, Terms]


def margins(classes: Sequence[str]) -> Kind:
    """
    Margins of a confusion matrix as columns: `n`, then for all K classes `right:`, then `actual:`, then `predicted:`.

    Args:
        classes: Names of the classes, in order.

    """
    return Kind(MARGINS, ("n", *(f"{part}:{name}" for part in PARTS for name in classes)))


def class_measures(kind: Kind) -> tuple[Measure, ...]:
    """
    Accuracy, and precision, recall and F1 of each class.

    Args:
        kind: As `margins` makes it, or `spaneval.kinds.labels`.

    """
    layout = _of_margins(kind) if kind.name == MARGINS else _of_cells(kind)
    return tuple(_measures(kind, layout))


def _of_margins(kind: Kind) -> _Layout:
    n, *columns = kind.columns
    size = len(columns) // 3
    names = [column.partition(":")[2] for column in columns[:size]]
    right, actual, predicted = (
        {name: {column: 1} for name, column in zip(names, columns[k * size : (k + 1) * size], strict=True)}
        for k in range(3)
    )
    return _Layout({n: 1}, right, actual, predicted)


def _of_cells(kind: Kind) -> _Layout:
    actual: defaultdict[str, dict[str, int]] = defaultdict(dict)
    predicted: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for column in kind.columns:
        row, _, of = column.partition("\x1f")
        actual[row][column] = 1
        predicted[of][column] = 1
    right = {name: {f"{name}\x1f{name}": 1} for name in actual}
    return _Layout(dict.fromkeys(kind.columns, 1), right, actual, predicted)


def _measures(kind: Kind, layout: _Layout) -> Iterator[Measure]:
    def measure(name: str, label: str, question: str, source: str, top: Terms, bottom: Terms,
                undefined: str, explain: Callable[[Totals], str]) -> Measure:  # fmt: skip
        return Measure(
            name=name, label=label, question=question, undefined=undefined, source=source, numerator=top,
            denominator=bottom, explain=explain, kind=kind,
        )  # fmt: skip

    no_object = "there is no object"
    right = {column: 1 for terms in layout.right.values() for column in terms}
    yield measure(
        "accuracy", "Accuracy", "Of all objects, how many got their class?", _EASYRPA, right, layout.n,
        no_object, lambda _: no_object,
    )  # fmt: skip
    for name, hit in layout.right.items():
        actual, predicted = layout.actual[name], layout.predicted[name]

        def never_predicted(totals: Totals, name: str = name, actual: Terms = actual) -> str:
            n = sum(totals[column] for column in actual)
            return f"nothing was taken for '{name}'; {counted(n, 'object')} {'is' if n == 1 else 'are'} in the gold"

        def never_actual(totals: Totals, name: str = name, predicted: Terms = predicted) -> str:
            n = sum(totals[column] for column in predicted)
            return f"nothing is '{name}' in the gold; {counted(n, 'object')} {'was' if n == 1 else 'were'} taken for it"

        def neither(_: Totals, name: str = name) -> str:
            return f"nothing is '{name}', and nothing was taken for it"

        yield measure(
            f"precision:{name}", f"Precision of {name}", f"Of what was taken for {name}, how much is?",
            _VAN_RIJSBERGEN, hit, predicted, f"nothing was taken for {name}", never_predicted,
        )  # fmt: skip
        yield measure(
            f"recall:{name}", f"Recall of {name}", f"Of what is {name}, how much was taken for it?",
            _VAN_RIJSBERGEN, hit, actual, f"nothing is {name}", never_actual,
        )  # fmt: skip
        yield measure(
            f"f1:{name}", f"F1 of {name}", f"How well is {name} told from the rest, as one number?",
            _VAN_RIJSBERGEN, dict.fromkeys(hit, 2), _added(actual, predicted),
            f"nothing is {name}, nor was taken for it", neither,
        )  # fmt: skip


def _added(x: Terms, y: Terms) -> Terms:
    """The sum of two sums."""
    return {column: x.get(column, 0) + y.get(column, 0) for column in (*x, *y)}

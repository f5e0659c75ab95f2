"""
The walk of `spaneval classify`: read the class of each object on both sides, count a confusion matrix, measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.counts import Counts
from spaneval.exceptions import MeasureError
from spaneval.kinds import CLASSES
from spaneval.kinds import labels as cells_of
from spaneval.loaders.labels import LABEL, Labels, check_same_ids, load_labels
from spaneval.loaders.records import KEY
from spaneval.nearest import nearest
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES
from spaneval.problems import Note, Problems
from spaneval.records.class_scores import PER_CLASS, ClassScores
from spaneval.records.confusion import Confusion
from spaneval.records.decisions import Builder, Decisions
from spaneval.resampling import Bootstrap, check_parameters
from spaneval.scores import Result
from spaneval.signature import document_order, gold_digest, record_digests, record_signature
from spaneval.values.fields import Decision
from spaneval.values.normalise import plain_text

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.corpus import IntArray
    from spaneval.measure import Measure
    from spaneval.runs import Run
    from spaneval.signature import UIntArray

SCHEMA: Final = "spaneval.classify/1"
MOST_CELLS: Final = 20_000_000
"""Objects times cells of the matrix that a run can hold: 8 bytes each."""
_SHOWN: Final = 5


_BINARY: Final = {
    (True, True): Decision.TP,
    (True, False): Decision.FN,
    (False, True): Decision.FP,
    (False, False): Decision.TN,
}
"""The decision by whether an object is positive, and whether it was taken for that."""


class Classification(Result):
    """
    Predicted classes against actual ones.

    Args:
        gold: What is.
        predictions: What was predicted, for the same ids.
        scores: The numbers of the confusion matrix; with a positive class, it is one of two classes.
        positive: The class against which all others were taken together; None where there is none.
        label: The field that holds the class.

    `bootstrap` has the intervals, None if they were not asked for; `notes` what a reader of the numbers should know.

    """

    def __init__(
        self,
        gold: Labels,
        predictions: Labels,
        scores: ClassScores,
        positive: str | None,
        label: str,
    ) -> None:
        self.gold, self.predictions = gold, predictions
        self.scores, self.positive, self.label = scores, positive, label
        self.bootstrap: Bootstrap | None = None
        self.notes: list[Note] = []
        self.average = "micro"

    def resample(self, *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int = DEFAULT_SEED) -> None:
        """Compute `bootstrap`, the intervals of all numbers; objects stand in the order of runs for that."""
        actual, predicted = self.places
        order = document_order(self.gold_digests, list(self.gold.values))
        objects = (actual * len(self.classes) + predicted)[order]
        self.bootstrap = self.scores.bootstrap(resamples=resamples, level=level, seed=seed, objects=objects)

    def __repr__(self) -> str:
        shown = ("accuracy", "cohen_kappa", "matthews", "macro_f1")
        values = ", ".join(f"{k}={'undefined' if (x := self.measures[k]) is None else f'{x:.4g}'}" for k in shown)
        return f"Classification({self.n} objects, {len(self.classes)} classes: {values})"

    @property
    def confusion(self) -> Confusion:
        """How often which class was taken for which."""
        return self.scores.confusion

    @property
    def classes(self) -> tuple[str, ...]:
        """Every class of either side in the order of their names; a positive class comes first."""
        return self.confusion.classes

    @property
    def n(self) -> int:
        """Objects."""
        return self.confusion.n

    @property
    def registry(self) -> tuple[Measure, ...]:
        """Accuracy, and precision, recall and F1 of each class."""
        return self.scores.registry

    @cached_property
    def counts(self) -> dict[str, int]:
        """The margins of the confusion matrix, by column of `spaneval.class_measures.margins`."""
        return self.scores.counts

    @cached_property
    def measures(self) -> dict[str, float | None]:
        """Every number by name; None where it is undefined."""
        return self.scores.measures

    @property
    def undefined(self) -> dict[str, str]:
        """Why a number is undefined, for those that are."""
        return self.scores.undefined

    @property
    def document_counts(self) -> Counts:  # type: ignore[override] # made when asked for: one number per object and cell
        """
        One row per object, in the order of the gold, with a column for each cell of the matrix.

        Raises:
            MeasureError: If that takes too much memory.

        """
        actual, predicted = self.places
        k = len(self.classes)
        if self.n * k * k > MOST_CELLS:
            found = f"{self.n} objects with {k} × {k} cells"
            raise MeasureError(f"{found} are too many for a run; with a positive class there are 2 × 2")
        table = np.zeros((self.n, k * k), dtype=np.int64)
        table[np.arange(self.n), actual * k + predicted] = 1
        return Counts(table, cells_of(self.classes))

    @cached_property
    def places(self) -> tuple[IntArray, IntArray]:
        """Actual and predicted class of each object as places in `classes`, in the order of the gold."""
        place = {name: k for k, name in enumerate(self.classes)}
        rest = len(self.classes) - 1 if self.positive is not None else -1
        return _codes(self.gold, self.gold, place, rest), _codes(self.gold, self.predictions, place, rest)

    @property
    def macro(self) -> None:
        """Means are over classes here, not over documents: they are measures like any other."""
        return

    @cached_property
    def gold_digests(self) -> UIntArray:
        """Digest of each object with its actual class, uint64, in the order of the gold."""
        return record_digests(list(self.gold.values), self.gold.values.values())

    @cached_property
    def pred_digest(self) -> str:
        """Digest of the predictions, which their order does not change."""
        return gold_digest(record_digests(list(self.predictions.values), self.predictions.values.values()))

    @cached_property
    def signature(self) -> str:
        """What makes the numbers reproducible, in one line."""
        options = {} if self.positive is None else {"positive": self.positive}
        return record_signature(CLASSES, options, self.gold_digests, interval=self.resampling)

    @cached_property
    def decisions(self) -> Decisions:
        """
        One decision for each object: TP for its class, FPFN for another one.

        With a positive class it is TP or FN where the object is of that class, FP or TN where it is not.
        """
        table = Builder(list(self.gold.values), [self.label])
        for doc, (name, actual) in enumerate(self.gold.values.items()):
            predicted = self.predictions.values[name]
            if self.positive is None:
                decision = Decision.TP if actual == predicted else Decision.FPFN
            else:
                decision = _BINARY[actual == self.positive, predicted == self.positive]
            table.add(doc, self.label, self.label, actual, predicted, decision)
        return table.build()

    def _compared(self) -> Decisions:
        """The same with classes as they are counted, of which every object has one."""
        table = Builder(list(self.gold.values), [self.label])
        for doc, (actual, predicted) in enumerate(zip(*(side.tolist() for side in self.places), strict=True)):
            decision = Decision.TP if actual == predicted else Decision.FPFN
            table.add(doc, self.label, self.label, self.classes[actual], self.classes[predicted], decision)
        return table.build()

    def run(self) -> Run:
        """
        What comparisons need of it; `spaneval.saved_runs.to_json` saves that.

        Raises:
            MeasureError: If there are too many classes for a column for each cell of the matrix.

        """
        from spaneval.records.runs import record_run

        return record_run(
            self.document_counts,
            self._compared(),
            self.gold_digests,
            signature=self.signature,
            counting={"positive": self.positive},
            predictions=self.pred_digest,
        )

    def check_measures(self, names: Iterable[str]) -> None:
        """
        Refuse names of measures that there are not.

        Raises:
            MeasureError: If there is one; offers the nearest.

        """
        for name in names:
            if name not in self.measures:
                near = nearest(name, self.measures, 1)
                offer = f"did you mean {near[0]!r}?" if near else "there are accuracy, cohen_kappa, f1:CLASS and others"
                raise MeasureError(f"no measure {name!r}; {offer}")

    def to_frame(self) -> pd.DataFrame:
        """The confusion matrix: rows are actual classes, columns predicted ones."""
        import pandas as pd

        names = list(self.classes)
        index = pd.Index(names, name="actual")
        return pd.DataFrame(self.confusion.cells, index=index, columns=pd.Index(names, name="predicted"))

    def to_dict(self) -> dict[str, Any]:
        """The JSON report; nothing is rounded, and None stands for undefined."""
        measures = self.measures
        report: dict[str, Any] = {"schema": SCHEMA, "signature": self.signature, "positive": self.positive}
        report |= {name: measures[name] for name in ("accuracy", "cohen_kappa", "matthews")}
        report["n"] = self.n
        report["micro"] = dict.fromkeys(PER_CLASS, measures["accuracy"])
        report["macro"] = {name: measures[f"macro_{name}"] for name in PER_CLASS}
        report["macro"]["n_undefined"] = {name: self.scores.means[name].n_undefined for name in PER_CLASS}
        report["classes"] = {name: self.of_class(name) for name in self.classes}
        rows = self.confusion.cells.tolist()
        named = (dict(zip(self.classes, row, strict=True)) for row in rows)
        report["confusion"] = dict(zip(self.classes, named, strict=True))
        report["digests"] = {"gold": gold_digest(self.gold_digests), "predictions": self.pred_digest}
        report["undefined"] = self.undefined
        report["intervals"] = {name: ends and list(ends) for name, ends in self.intervals.items()}
        report["resampling"] = self.resampling
        report["notes"] = [note.to_dict() for note in self.notes]
        return report

    def of_class(self, name: str) -> dict[str, Any]:
        """Measures of one class, how many objects are of it (`support`), and how many were taken for it."""
        values = {measure: self.measures[f"{measure}:{name}"] for measure in PER_CLASS}
        return values | {"support": self.counts[f"actual:{name}"], "predicted": self.counts[f"predicted:{name}"]}


def classify(
    gold: Any,
    predictions: Any,
    *,
    positive: str | None = None,
    key: str = KEY,
    label: str = LABEL,
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
) -> Classification:
    """
    Hold predicted classes against actual ones, one of each for every object.

    Args:
        gold: The actual classes: the path of a file of rows `{"id", "label"}` (JSON Lines, a JSON list, CSV or TSV);
            or classes by id, rows as dicts, or a data frame.
        predictions: The predicted ones, for the same ids.
        positive: The class that matters; all others are taken together as one.
        key: The field that holds the id.
        label: The field that holds the class.
        ci: Whether to compute intervals, by a bootstrap over objects.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.

    Raises:
        InputError: If an input cannot be used, or the ids of both sides differ.
        MeasureError: If no object is or was taken for `positive`, or `resamples` or `level` is impossible.

    Cost: a matrix of K × K integers, and 12 bytes for each class and resample.
    """
    check_parameters(resamples, level)
    problems = Problems()
    actual = load_labels(gold, problems, key=key, label=label)
    predicted = load_labels(predictions, problems, key=key, label=label)
    if not problems.total:
        check_same_ids(actual, predicted, problems)
    problems.raise_if_any()
    classes = sorted({*actual.values.values(), *predicted.values.values()})
    place = {name: k for k, name in enumerate(classes)}
    confusion = Confusion.of(classes, _codes(actual, actual, place), _codes(actual, predicted, place))
    if positive is not None:
        _check_positive(positive, classes)
        confusion = confusion.collapsed(positive, rest_of(positive, classes))
    result = Classification(actual, predicted, ClassScores(confusion), positive, label)
    result.notes.extend(_notes(classes, result.scores))
    if ci:
        result.resample(resamples=resamples, level=level, seed=seed)
    return result


def rest_of(positive: str, classes: Sequence[str]) -> str:
    """What all classes but one are called together: `not invoice`, in brackets where one of several is called so."""
    name = f"not {positive}"
    while name in classes and len(classes) > 2:
        name = f"({name})"
    return name


def _check_positive(positive: str, classes: Sequence[str]) -> None:
    if positive in classes:
        return
    near = nearest(positive, classes, 1)
    offer = f"did you mean '{near[0]}'?" if near else f"there are {_listed(classes)}"
    raise MeasureError(f"no object is or was taken for the positive class '{positive}'; {offer}")


def _codes(order: Labels, side: Labels, place: Mapping[str, int], other: int = -1) -> IntArray:
    """Class of each object as its place, in the order of `order`."""
    code = {name: place.get(name, other) for name in set(side.values.values())}
    values = side.values.values() if side is order else map(side.values.__getitem__, order.values)
    return np.fromiter(map(code.__getitem__, values), dtype=np.int64, count=len(order))


def _notes(classes: Sequence[str], scores: ClassScores) -> Iterator[Note]:
    """Classes that may be one, and what means over classes leave out."""
    alike: dict[str, list[str]] = {}
    for name in classes:
        alike.setdefault(plain_text(name), []).append(name)
    twins = [names for names in alike.values() if len(names) > 1]
    if twins:
        shown = "; ".join(" and ".join(map(repr, names)) for names in twins[:_SHOWN])
        more = f" and {len(twins) - _SHOWN} more" if len(twins) > _SHOWN else ""
        message = f"classes that differ in case, white space or the form of letters only are different: {shown}{more}"
        yield Note("classes-alike", len(twins), message)
    sides = scores.confusion.margins
    for part, side, what in (
        ("precision", sides.predicted, "never predicted"),
        ("recall", sides.actual, "not in the gold"),
    ):
        missing = [scores.confusion.classes[k] for k in np.flatnonzero(side == 0).tolist()]
        if missing:
            n = "1 class that was" if len(missing) == 1 else f"{len(missing)} classes that were"
            were = n if part == "precision" else n.replace("that was", "that is").replace("that were", "that are")
            message = f"macro {part} leaves out {were} {what}: {_listed(missing)}"
            yield Note(f"no-{part}", len(missing), message)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(f"'{name}'" for name in names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

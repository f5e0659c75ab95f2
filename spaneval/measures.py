"""
The registry of measures: each a fraction of summed counts, with its question, its source and when it is undefined.

All are micro averages: numerator and denominator are summed over the documents before they are divided. The registry
itself needs no numpy, so that it can be shown and completed at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spaneval.exceptions import MeasureError

if TYPE_CHECKING:
    from spaneval.corpus import FloatArray, IntArray

Totals = Mapping[str, int]

_VAN_RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd ed., chapter 7"
_CORNOLTI = "Cornolti, Ferragina & Ciaramita 2013, A framework for benchmarking entity-annotation systems, WWW"
_HACHEY = "Hachey et al. 2013, Evaluating entity linking with Wikipedia, Artificial Intelligence 194"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """
    One number that is computed from summed counts: `factor` · numerator / sum of the denominators.

    Args:
        name: As in JSON and after `-m`.
        label: Short title for tables.
        question: What it answers, one line in plain words.
        undefined: When it has no value, one line in plain words.
        source: Where the formula comes from.
        numerator: A column of `spaneval.counts.COLUMNS`.
        denominator: The columns that are added up below the line.
        explain: Says for totals without a value why there is none.
        factor: Multiplies the numerator.
        needs_nil: Whether it only makes sense once NIL ids were named.
        needs_comparable: Whether it is undefined, too, when some pair is unmapped or minted and no pair is comparable:
            a 0 would then speak of a missing id map and not of the linker.

    """

    name: str
    label: str
    question: str
    undefined: str
    source: str
    numerator: str
    denominator: tuple[str, ...]
    explain: Callable[[Totals], str]
    factor: int = 1
    needs_nil: bool = False
    needs_comparable: bool = False

    @property
    def formula(self) -> str:
        """The fraction in names of columns, as `2 · n_matched / (n_predicted + n_gold)`."""
        top = self.numerator if self.factor == 1 else f"{self.factor} · {self.numerator}"
        bottom = " + ".join(self.denominator)
        return f"{top} / ({bottom})" if len(self.denominator) > 1 else f"{top} / {bottom}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the value depends on."""
        condition = ("n_id_comparable", "n_unmapped", "n_minted") if self.needs_comparable else ()
        return tuple(dict.fromkeys((self.numerator, *self.denominator, *condition)))

    def fraction(self, totals: Totals) -> tuple[int, int]:
        """Numerator and denominator, not reduced; they are also given where the measure is undefined."""
        return self.factor * totals[self.numerator], sum(totals[column] for column in self.denominator)

    def value(self, totals: Totals) -> float | None:
        """The measure of summed counts; None where it is undefined."""
        top, bottom = self.fraction(totals)
        return top / bottom if self._is_defined(totals, bottom) else None

    def why_undefined(self, totals: Totals) -> str | None:
        """Why there is no value, with the counts and what would help; None where there is one."""
        _, bottom = self.fraction(totals)
        return None if self._is_defined(totals, bottom) else self.explain(totals)

    def values(self, counts: IntArray) -> FloatArray:
        """
        The measure of many sums at once, for resampling.

        Args:
            counts: Summed counts, int64 of shape (..., C), columns as in `spaneval.counts.COLUMNS`.

        Returns:
            float64 of shape (...), NaN where the measure is undefined; internal, no report shows a NaN.

        """
        import numpy as np  # not at the top, see there

        from spaneval.counts import column_position

        columns = {column: counts[..., column_position(column)] for column in self.columns}
        bottom = np.add.reduce([columns[column] for column in self.denominator])
        is_defined = bottom > 0
        if self.needs_comparable:
            is_defined &= ~_lacks_translation(columns)
        result: FloatArray = np.full(bottom.shape, np.nan)
        np.divide(self.factor * columns[self.numerator], bottom, out=result, where=is_defined)
        return result

    def _is_defined(self, totals: Totals, bottom: int) -> bool:
        return bottom > 0 and not (self.needs_comparable and _lacks_translation(totals))


def _lacks_translation(counts: Mapping[str, Any]) -> Any:
    """Whether some pair is unmapped or minted and no pair is comparable: a bool for totals, an array for arrays."""
    return (counts["n_unmapped"] + counts["n_minted"] > 0) & (counts["n_id_comparable"] == 0)


def get_measure(name: str) -> Measure:
    """
    A measure by its name.

    Raises:
        MeasureError: If there is none; the message offers the nearest names.

    """
    if name in MEASURES:
        return MEASURES[name]
    near = difflib.get_close_matches(name.lower().replace("-", "_"), MEASURES, n=3, cutoff=0.5)
    offer = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(MEASURES)}"
    raise MeasureError(f"no measure {name!r}; {offer}")


def default_measures(*, has_nil: bool) -> tuple[Measure, ...]:
    """The measures of an ordinary report in their order; those of NIL come last, where NIL ids were named."""
    return tuple(measure for measure in MEASURES.values() if has_nil or not measure.needs_nil)


def _number(n: int, singular: str, plural: str | None = None) -> str:
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


def _beside(totals: Totals, **phrases: str) -> str:
    """` (3 out of scope, 1 paired with …)` from those columns that are not 0, or nothing."""
    parts = [f"{totals[column]} {phrase}" for column, phrase in phrases.items() if totals[column]]
    return f" ({', '.join(parts)})" if parts else ""


def _no_predictions(totals: Totals) -> str:
    """Why precision has no denominator."""
    left_out = _beside(totals, n_out_of_scope="out of scope", n_ignored_pairs="paired with ignored annotations")
    return f"no prediction is counted{left_out}; the gold has {_number(totals['n_gold'], 'annotation')}"


def _no_gold(totals: Totals) -> str:
    """Why recall has no denominator."""
    left_out = _beside(totals, n_ignored_pairs="ignored and paired")
    spurious = _number(totals["n_predicted"], "prediction is", "predictions are")
    return f"no gold annotation is counted{left_out}; {spurious} counted"


def _no_spans(totals: Totals) -> str:
    """Why F1 has no denominator."""
    left_out = _beside(totals, n_ignored_pairs="ignored pairs", n_out_of_scope="predictions out of scope")
    return f"neither a gold annotation nor a prediction is counted{left_out}"


def _nothing_comparable(totals: Totals) -> str:
    """Why no pair could be compared, reason by reason, and what would help."""
    if not totals["n_matched"]:
        spans = f"{_number(totals['n_gold'], 'gold annotation')} and {_number(totals['n_predicted'], 'prediction')}"
        return f"no pair was matched between {spans}, so there are no ids to compare"
    reasons = {
        "n_minted": "minted",
        "n_unmapped": "unmapped",
        "n_no_predicted_id": "without a predicted id",
        "n_no_gold_id": "without a gold id",
    }
    found = ", ".join(f"{totals[column]} {reason}" for column, reason in reasons.items() if totals[column])
    n = totals["n_matched"]
    text = (
        f"none of the {n} matched pairs has comparable ids" if n > 1 else "the one matched pair has no comparable ids"
    )
    return f"{text}: {found}{_remedy(totals)}"


def _remedy(totals: Totals) -> str:
    """What would make pairs comparable, as `; …`, or nothing where only better data would."""
    remedies = {
        "n_minted": "an id map (--id-map) would translate minted ids",
        "n_unmapped": "an id map that holds the unmapped ids, --unmapped keep or --unmapped wrong would decide them",
    }
    return "".join(f"; {remedy}" for column, remedy in remedies.items() if totals[column])


def _no_link(no_claim: Callable[[Totals], str]) -> Callable[[Totals], str]:
    """Why a link measure is undefined: no pair can be compared, or else its denominator is 0."""

    def explain(totals: Totals) -> str:
        return _nothing_comparable(totals) if _lacks_translation(totals) else no_claim(totals)

    return explain


def _no_predicted_ids(totals: Totals) -> str:
    """Why link precision has no denominator."""
    if not totals["n_predicted"]:
        return _no_predictions(totals)
    n = totals["n_predicted"]
    return f"none of the {n} predictions carries an id" if n > 1 else "the one prediction carries no id"


def _no_gold_ids(totals: Totals) -> str:
    """Why link recall has no denominator."""
    if not totals["n_gold"]:
        return _no_gold(totals)
    n = totals["n_gold"]
    return f"none of the {n} gold annotations carries an id" if n > 1 else "the one gold annotation carries no id"


def _no_ids(totals: Totals) -> str:
    """Why link F1 has no denominator."""
    return f"{_no_gold_ids(totals)}, and {_no_predicted_ids(totals)}"


def _nothing_in_kb(totals: Totals) -> str:
    """Why there is no accuracy over gold in the knowledge base."""
    if not totals["n_id_comparable"]:
        return _nothing_comparable(totals)
    pairs = _number(totals["n_id_comparable"], "comparable pair")
    return f"no comparable pair has a gold id in the knowledge base: {pairs}, all with gold NIL"


def _no_predicted_nil(totals: Totals) -> str:
    """Why NIL precision has no denominator."""
    return f"no prediction claims NIL; the gold has {_number(totals['n_gold_nil'], 'NIL annotation')}"


def _no_gold_nil(totals: Totals) -> str:
    """Why NIL recall has no denominator."""
    return (
        f"no gold annotation is NIL; {_number(totals['n_predicted_nil'], 'prediction claims', 'predictions claim')} NIL"
    )


def _no_nil(_: Totals) -> str:
    """Why NIL F1 has no denominator."""
    return "no gold annotation is NIL and no prediction claims NIL"


_NO_TRANSLATION = "or some pair is unmapped or minted and no pair is comparable"

_ALL = (
    Measure(
        name="precision",
        label="Precision",
        question="Of the spans that the linker found, how many are in the gold?",
        undefined="no prediction is counted",
        source=_VAN_RIJSBERGEN,
        numerator="n_matched",
        denominator=("n_predicted",),
        explain=_no_predictions,
    ),
    Measure(
        name="recall",
        label="Recall",
        question="Of the spans in the gold, how many did the linker find?",
        undefined="no gold annotation is counted",
        source=_VAN_RIJSBERGEN,
        numerator="n_matched",
        denominator=("n_gold",),
        explain=_no_gold,
    ),
    Measure(
        name="f1",
        label="F1",
        question="How well do found spans and gold spans cover each other, as one number?",
        undefined="neither a gold annotation nor a prediction is counted",
        source=_VAN_RIJSBERGEN,
        numerator="n_matched",
        denominator=("n_predicted", "n_gold"),
        explain=_no_spans,
        factor=2,
    ),
    Measure(
        name="entity_accuracy",
        label="Entity accuracy",
        question="Of the matched pairs whose ids can be compared, how many agree?",
        undefined="no pair is comparable",
        source=f"accuracy over linked mentions, {_HACHEY}, restricted to comparable pairs",
        numerator="n_id_correct",
        denominator=("n_id_comparable",),
        explain=_nothing_comparable,
    ),
    Measure(
        name="link_precision",
        label="Link precision",
        question="Of the predictions that claim an id, how many have the right span and the right id?",
        undefined=f"no prediction carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator="n_id_correct",
        denominator=("n_predicted_with_id",),
        explain=_no_link(_no_predicted_ids),
        needs_comparable=True,
    ),
    Measure(
        name="link_recall",
        label="Link recall",
        question="Of the gold annotations with an id, how many were found and given the right id?",
        undefined=f"no gold annotation carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator="n_id_correct",
        denominator=("n_gold_with_id",),
        explain=_no_link(_no_gold_ids),
        needs_comparable=True,
    ),
    Measure(
        name="link_f1",
        label="Link F1",
        question="How well does the linker do from text to id, as one number?",
        undefined=f"neither a gold annotation nor a prediction carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator="n_id_correct",
        denominator=("n_predicted_with_id", "n_gold_with_id"),
        explain=_no_link(_no_ids),
        factor=2,
        needs_comparable=True,
    ),
    Measure(
        name="entity_accuracy_in_kb",
        label="Entity accuracy in KB",
        question="Of the comparable pairs whose gold id is in the knowledge base, how many agree?",
        undefined="no comparable pair has a gold id in the knowledge base",
        source=f"accuracy over mentions in the knowledge base, {_HACHEY}, restricted to comparable pairs",
        numerator="n_in_kb_correct",
        denominator=("n_in_kb_comparable",),
        explain=_nothing_in_kb,
        needs_nil=True,
    ),
    Measure(
        name="nil_precision",
        label="NIL precision",
        question="Of the predictions that claim NIL, how many sit on a gold NIL?",
        undefined=f"no prediction claims NIL, {_NO_TRANSLATION}",
        source=f"link precision restricted to NIL; {_CORNOLTI}",
        numerator="n_nil_correct",
        denominator=("n_predicted_nil",),
        explain=_no_link(_no_predicted_nil),
        needs_nil=True,
        needs_comparable=True,
    ),
    Measure(
        name="nil_recall",
        label="NIL recall",
        question="Of the gold annotations that are NIL, how many were found and called NIL?",
        undefined=f"no gold annotation is NIL, {_NO_TRANSLATION}",
        source=f"link recall restricted to NIL; {_HACHEY}, accuracy over NIL mentions",
        numerator="n_nil_correct",
        denominator=("n_gold_nil",),
        explain=_no_link(_no_gold_nil),
        needs_nil=True,
        needs_comparable=True,
    ),
    Measure(
        name="nil_f1",
        label="NIL F1",
        question="How well does the linker tell what is not in the knowledge base, as one number?",
        undefined=f"no gold annotation is NIL and no prediction claims NIL, {_NO_TRANSLATION}",
        source=f"link F1 restricted to NIL; {_CORNOLTI}",
        numerator="n_nil_correct",
        denominator=("n_predicted_nil", "n_gold_nil"),
        explain=_no_link(_no_nil),
        factor=2,
        needs_nil=True,
        needs_comparable=True,
    ),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _ALL})
"""Every measure by name, in the order of reports."""

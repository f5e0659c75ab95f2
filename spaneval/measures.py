"""The registry of the measures of spans; and the measures of any kind by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from spaneval.exceptions import MeasureError
from spaneval.kinds import SPANS, STATIC, Kind
from spaneval.measure import Measure, Totals, lacks_translation
from spaneval.nearest import nearest
from spaneval.problems import counted

_VAN_RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd ed., chapter 7"
_CORNOLTI = "Cornolti, Ferragina & Ciaramita 2013, A framework for benchmarking entity-annotation systems, WWW"
_HACHEY = "Hachey et al. 2013, Evaluating entity linking with Wikipedia, Artificial Intelligence 194"


def get_measure(name: str, kind: Kind = SPANS) -> Measure:
    """
    A measure by its name.

    Args:
        name: As in JSON and after `-m`.
        kind: What it is computed from.

    Raises:
        MeasureError: If there is none; the message offers the nearest names.

    """
    known = measures_of(kind)
    if name in known:
        return known[name]
    raise _unknown(name, known)


def any_measure(name: str) -> str:
    """
    The name, if a measure of any kind has it, where what is counted is only known later; `f1:NAME` is that of a class.

    Raises:
        MeasureError: If none has; the message offers the nearest names.

    """
    if name in MEASURES or name.partition(":")[0] in ("precision", "recall", "f1", "accuracy"):
        return name
    known = {name: None for kind in STATIC.values() for name in measures_of(kind)}
    if name in known:
        return name
    raise _unknown(name, [*known, "precision:CLASS", "recall:CLASS", "f1:CLASS"])


def measures_of(kind: Kind) -> Mapping[str, Measure]:
    """Every measure of a kind by name, in the order of reports."""
    if kind == SPANS:
        return MEASURES
    from spaneval.record_measures import registry

    return registry(kind)


def _unknown(name: str, known: Iterable[str]) -> MeasureError:
    """Says so, and offers the nearest of the names."""
    known = list(known)
    near = nearest(name.lower().replace("-", "_"), known, n=3, cutoff=0.5)
    there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
    offer = f"did you mean {' or '.join(near)}?" if near else there
    return MeasureError(f"no measure {name!r}; {offer}")


def default_measures(*, has_nil: bool) -> tuple[Measure, ...]:
    """The measures of an ordinary report in their order; those of NIL come last, where NIL ids were named."""
    return tuple(measure for measure in MEASURES.values() if has_nil or not measure.needs_nil)


def _beside(totals: Totals, **phrases: str) -> str:
    """` (3 out of scope, 1 paired with …)` from those columns that are not 0, or nothing."""
    parts = [f"{totals[column]} {phrase}" for column, phrase in phrases.items() if totals[column]]
    return f" ({', '.join(parts)})" if parts else ""


def _no_predictions(totals: Totals) -> str:
    """Why precision has no denominator."""
    left_out = _beside(totals, n_out_of_scope="out of scope", n_ignored_pairs="paired with ignored annotations")
    return f"no prediction is counted{left_out}; the gold has {counted(totals['n_gold'], 'annotation')}"


def _no_gold(totals: Totals) -> str:
    """Why recall has no denominator."""
    left_out = _beside(totals, n_ignored_pairs="ignored and paired")
    spurious = counted(totals["n_predicted"], "prediction is", "predictions are")
    return f"no gold annotation is counted{left_out}; {spurious} counted"


def _no_spans(totals: Totals) -> str:
    """Why F1 has no denominator."""
    left_out = _beside(totals, n_ignored_pairs="ignored pairs", n_out_of_scope="predictions out of scope")
    return f"neither a gold annotation nor a prediction is counted{left_out}"


def _nothing_comparable(totals: Totals) -> str:
    """Why no pair could be compared, reason by reason, and what would help."""
    if not totals["n_matched"]:
        spans = f"{counted(totals['n_gold'], 'gold annotation')} and {counted(totals['n_predicted'], 'prediction')}"
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
        return _nothing_comparable(totals) if lacks_translation(totals) else no_claim(totals)

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
    pairs = counted(totals["n_id_comparable"], "comparable pair")
    return f"no comparable pair has a gold id in the knowledge base: {pairs}, all with gold NIL"


def _no_predicted_nil(totals: Totals) -> str:
    """Why NIL precision has no denominator."""
    return f"no prediction claims NIL; the gold has {counted(totals['n_gold_nil'], 'NIL annotation')}"


def _no_gold_nil(totals: Totals) -> str:
    """Why NIL recall has no denominator."""
    return (
        f"no gold annotation is NIL; {counted(totals['n_predicted_nil'], 'prediction claims', 'predictions claim')} NIL"
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
        numerator={"n_matched": 1},
        denominator={"n_predicted": 1},
        explain=_no_predictions,
    ),
    Measure(
        name="recall",
        label="Recall",
        question="Of the spans in the gold, how many did the linker find?",
        undefined="no gold annotation is counted",
        source=_VAN_RIJSBERGEN,
        numerator={"n_matched": 1},
        denominator={"n_gold": 1},
        explain=_no_gold,
    ),
    Measure(
        name="f1",
        label="F1",
        question="How well do found spans and gold spans cover each other, as one number?",
        undefined="neither a gold annotation nor a prediction is counted",
        source=_VAN_RIJSBERGEN,
        numerator={"n_matched": 2},
        denominator={"n_predicted": 1, "n_gold": 1},
        explain=_no_spans,
    ),
    Measure(
        name="entity_accuracy",
        label="Entity accuracy",
        question="Of the matched pairs whose ids can be compared, how many agree?",
        undefined="no pair is comparable",
        source=f"accuracy over linked mentions, {_HACHEY}, restricted to comparable pairs",
        numerator={"n_id_correct": 1},
        denominator={"n_id_comparable": 1},
        explain=_nothing_comparable,
    ),
    Measure(
        name="link_precision",
        label="Link precision",
        question="Of the predictions that claim an id, how many have the right span and the right id?",
        undefined=f"no prediction carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator={"n_id_correct": 1},
        denominator={"n_predicted_with_id": 1},
        explain=_no_link(_no_predicted_ids),
        needs_comparable=True,
    ),
    Measure(
        name="link_recall",
        label="Link recall",
        question="Of the gold annotations with an id, how many were found and given the right id?",
        undefined=f"no gold annotation carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator={"n_id_correct": 1},
        denominator={"n_gold_with_id": 1},
        explain=_no_link(_no_gold_ids),
        needs_comparable=True,
    ),
    Measure(
        name="link_f1",
        label="Link F1",
        question="How well does the linker do from text to id, as one number?",
        undefined=f"neither a gold annotation nor a prediction carries an id, {_NO_TRANSLATION}",
        source=_CORNOLTI,
        numerator={"n_id_correct": 2},
        denominator={"n_predicted_with_id": 1, "n_gold_with_id": 1},
        explain=_no_link(_no_ids),
        needs_comparable=True,
    ),
    Measure(
        name="entity_accuracy_in_kb",
        label="Entity accuracy in KB",
        question="Of the comparable pairs whose gold id is in the knowledge base, how many agree?",
        undefined="no comparable pair has a gold id in the knowledge base",
        source=f"accuracy over mentions in the knowledge base, {_HACHEY}, restricted to comparable pairs",
        numerator={"n_in_kb_correct": 1},
        denominator={"n_in_kb_comparable": 1},
        explain=_nothing_in_kb,
        needs_nil=True,
    ),
    Measure(
        name="nil_precision",
        label="NIL precision",
        question="Of the predictions that claim NIL, how many sit on a gold NIL?",
        undefined=f"no prediction claims NIL, {_NO_TRANSLATION}",
        source=f"link precision restricted to NIL; {_CORNOLTI}",
        numerator={"n_nil_correct": 1},
        denominator={"n_predicted_nil": 1},
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
        numerator={"n_nil_correct": 1},
        denominator={"n_gold_nil": 1},
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
        numerator={"n_nil_correct": 2},
        denominator={"n_predicted_nil": 1, "n_gold_nil": 1},
        explain=_no_link(_no_nil),
        needs_nil=True,
        needs_comparable=True,
    ),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _ALL})
"""Every measure of spans by name, in the order of reports."""

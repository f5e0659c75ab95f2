"""
Records of named fields against gold records: load → compare values → decide → count → measure.

A record is a document. Records of both sides are paired by their id, and every field of every record gets one decision;
a field with a list of values gets one for each. All numbers are sums over the table of decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from spaneval.averages import Average, Macro, mean
from spaneval.exceptions import InputError
from spaneval.kinds import DECISIONS, FIELDS
from spaneval.loaders.records import KEY, Records, load_records
from spaneval.loaders.scalars import NumberText, describe
from spaneval.nearest import nearest
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES
from spaneval.problems import Note, Problem, Problems
from spaneval.record_measures import EASYRPA, registry
from spaneval.records.checks import Absent, absence_notes, absent, check_strictly
from spaneval.records.decisions import Decisions
from spaneval.records.field_decisions import count_decisions, decide_records, digests
from spaneval.scores import Scores, score_counts
from spaneval.signature import gold_digest, record_signature
from spaneval.values.fields import Comparators

if TYPE_CHECKING:
    from spaneval.measure import Measure
    from spaneval.runs import Run
    from spaneval.signature import UIntArray

SCHEMA: Final = "spaneval.records/1"

Profile = Literal["exact", "easyrpa"]
Over = Literal["record", "field"]


class RecordEvaluation(Scores):
    """
    One system's records scored against the gold.

    Args:
        scores: Counts per record and what follows from them.
        decisions: The table that every number comes from; its documents are the records, first those of the gold.
        gold: The gold as it was read.
        predictions: The predictions as they were read.
        key: The field that holds the id.
        gold_digests: Digest of each record of the gold, uint64.
        comparators: How values were compared.
        absent: What is missing on either side.
        profile: `easyrpa` has measures of its own.
        strict: Whether the checks of `spaneval.records.checks` were made.
        over: What macro averages are over.
        notes: What a reader should know.
        asked: The fields that were asked for; empty for all.
        interval: `resamples`, `level` and `seed` of the intervals; None without intervals.

    """

    def __init__(
        self,
        scores: Scores,
        *,
        decisions: Decisions,
        gold: Records,
        predictions: Records,
        key: str,
        gold_digests: UIntArray,
        comparators: Comparators,
        absent: Absent,
        profile: Profile,
        strict: bool,
        over: Over,
        notes: list[Note],
        asked: tuple[str, ...],
        interval: Mapping[str, Any] | None,
    ) -> None:
        super().__init__(
            scores.document_counts,
            scores.document_names,
            scores.registry,
            scores.resampling_order,
            scores.bootstrap,
            scores.average,
        )
        self.decisions, self.gold, self.predictions, self.key = decisions, gold, predictions, key
        self.gold_digests = gold_digests
        self.comparators, self.absent, self.profile, self.strict = comparators, absent, profile, strict
        self.over, self.notes, self.asked, self._interval = over, notes, asked, interval

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={'undefined' if x is None else f'{x:.4g}'}" for name, x in self.measures.items())
        return f"RecordEvaluation({len(self.document_names)} records, {len(self.fields)} fields: {values})"

    @cached_property
    def pred_digest(self) -> str:
        """Digest of the predictions."""
        return gold_digest(digests(self.predictions, self.fields))

    @cached_property
    def signature(self) -> str:
        """What makes the numbers reproducible, in one line."""
        options = {"key": self.key, "normalize": str(self.comparators), "fields-of": ",".join(self.asked)}
        if self.profile != "exact":
            options["profile"] = self.profile
        if self.strict:
            options["strict"] = "true"
        chosen = {name: value for name, value in options.items() if value}
        return record_signature("records", chosen, self.gold_digests, interval=self._interval)

    def run(self) -> Run:
        """What comparisons need of it; `spaneval.saved_runs.to_json` saves that."""
        from spaneval.records.runs import record_run

        return record_run(
            self.document_counts,
            self.decisions,
            self.gold_digests,
            signature=self.signature,
            counting={"key": self.key, "fields": sorted(self.fields), "normalize": str(self.comparators)},
            predictions=self.pred_digest,
        )

    @property
    def fields(self) -> Sequence[str]:
        """Names of the fields that were compared."""
        return self.decisions.fields

    @cached_property
    def field_counts(self) -> dict[str, dict[str, int]]:
        """How many there are of each decision, by field."""
        columns = {label: column.tolist() for label, column in self.decisions.by_field().items()}
        return {name: {label: columns[label][k] for label in DECISIONS} for k, name in enumerate(self.fields)}

    @property
    def field_registry(self) -> tuple[Measure, ...]:
        """The measures that one field has: all but that of whole records."""
        return tuple(measure for measure in self.registry if measure.name != "records_correct")

    @cached_property
    def field_measures(self) -> dict[str, dict[str, float | None]]:
        """Measures by field."""
        return {
            name: {measure.name: measure.value(counts) for measure in self.field_registry}
            for name, counts in self.field_counts.items()
        }

    @cached_property
    def macro(self) -> Macro | None:
        """Macro averages over records or fields; None if they were not asked for."""
        if self.average == "micro":
            return None
        if self.over == "record":
            from spaneval.averages import macro_over_documents

            found = macro_over_documents(self, self.registry)
            return Macro("record", found.means)
        means = {m.name: mean(x[m.name] for x in self.field_measures.values()) for m in self.field_registry}
        return Macro("field", means)

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """
        The JSON report: plain values; nothing is rounded, and None stands for undefined.

        Args:
            per_document: Whether to add a list `documents` with the counts and measures of each record.

        """
        report: dict[str, Any] = {"schema": SCHEMA, "signature": self.signature, "profile": self.profile}
        report |= {"key": self.key, "normalize": str(self.comparators), "strict": self.strict}
        report["counts"] = {label: self.counts[label] for label in DECISIONS}
        report |= {"n_records": self.counts["n_records"], "n_records_correct": self.counts["n_records_correct"]}
        report |= self.measures
        report["fields"] = {
            name: counts | self.field_measures[name] | {"support": support(counts)}
            for name, counts in self.field_counts.items()
        }
        report["absent"] = self.absent.to_dict()
        report["digests"] = {"gold": gold_digest(self.gold_digests), "predictions": self.pred_digest}
        report["undefined"] = self.undefined
        report["intervals"] = {name: ends and list(ends) for name, ends in self.intervals.items()}
        report["resampling"] = self.resampling
        if self.macro is not None:
            report["macro_over"] = self.macro.over
            report["macro"] = {name: one.to_dict() for name, one in self.macro.means.items()}
        report["notes"] = [note.to_dict() for note in self.notes]
        if per_document:
            report["documents"] = self.documents()
        return report

    def documents(self) -> list[dict[str, Any]]:
        """Counts and measures of each record, and why those without a value have none."""
        return list(self.document_rows(self.document_names))


def support(counts: dict[str, int]) -> int:
    """How many values the gold has."""
    return counts["tp"] + counts["fn"] + counts["fpfn"]


def measures_of(profile: Profile) -> tuple[Measure, ...]:
    """The measures of a profile, in order."""
    return tuple(m for name, m in registry(FIELDS).items() if profile == "easyrpa" or name not in EASYRPA)


def evaluate_records(
    gold: Any,
    predictions: Any,
    *,
    key: str = KEY,
    fields: str | Sequence[str] = (),
    strict: bool = False,
    normalize: str | Sequence[str] = (),
    profile: Profile = "exact",
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    average: Average = "micro",
    over: Over = "record",
) -> RecordEvaluation:
    """
    Score extracted records against gold records, field by field.

    Args:
        gold: A path of JSON Lines, JSON or CSV; or `{id: {field: value}}`, a list of dicts, or a data frame.
        predictions: The same of the system.
        key: The field that holds the id of a record.
        fields: The fields to compare, in order; without any, all that a record of either side has.
        strict: Whether both sides must have the same records, and these exactly the fields, each text or null.
        normalize: Rules of comparison: `RULE` for all fields, `FIELD=RULE` for one.
        profile: `easyrpa` adds accuracy, rework and automation efficiency.
        ci: Whether to compute intervals.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.
        average: `macro` adds means over records or fields.
        over: Which of the two.

    Returns:
        Decisions, counts, measures, intervals and notes.

    Raises:
        InputError: If an input cannot be used; it holds the first problems.
        ValueError: If an option has a value that does not exist.

    """
    seed = index(seed)
    _check_choices(profile=(profile, Profile), average=(average, Average), over=(over, Over))
    rules = [normalize] if isinstance(normalize, str) else list(normalize)
    Comparators.parse(rules)  # before anything is read
    problems = Problems()
    sides = (load_records(gold, key, problems), load_records(predictions, key, problems))
    if not problems.total and not sides[0]:
        problems.add(Problem("no record in the gold, so nothing can be compared", sides[0].name))
    problems.raise_if_any()
    names = _fields(*sides, fields=fields, key=key)
    comparators = Comparators.parse(rules, as_text=any(side.is_text for side in sides))
    _check_rules(comparators, names, problems)
    if strict:
        check_strictly(*sides, names, key, problems)
    problems.raise_if_any()
    decisions = decide_records(*sides, names, comparators)
    counts, gold_digests = count_decisions(decisions), digests(sides[0], names)
    scores = score_counts(
        counts,
        decisions.documents,
        measures_of(profile),
        digests=gold_digests,
        ci=ci,
        resamples=resamples,
        level=level,
        seed=seed,
        average=average,
    )
    missing = absent(*sides, names)
    return RecordEvaluation(
        scores,
        decisions=decisions,
        gold=sides[0],
        predictions=sides[1],
        key=key,
        gold_digests=gold_digests,
        comparators=comparators,
        absent=missing,
        profile=profile,
        strict=strict,
        over=over,
        notes=[*absence_notes(missing, *sides), *_notes(*sides, names, missing)],
        asked=tuple(sorted(set([fields] if isinstance(fields, str) else fields))),
        interval={"resamples": resamples, "level": level, "seed": seed} if ci else None,
    )


def _check_choices(**given: tuple[str, Any]) -> None:
    for name, (value, choices) in given.items():
        if value not in get_args(choices):
            raise ValueError(f"{name} is {value!r}; expected {' or '.join(map(repr, get_args(choices)))}")


def _fields(gold: Records, predictions: Records, *, fields: str | Sequence[str], key: str) -> list[str]:
    """The fields to compare: those given, in their order, or all that there are."""
    given = list(dict.fromkeys([fields] if isinstance(fields, str) else fields))
    if key in given:
        raise InputError([Problem(f"the field '{key}' holds the ids that records are paired by; it is not compared")])
    found = given or sorted(gold.fields | predictions.fields)
    if not found:
        raise InputError([Problem("the records have no fields to compare", gold.name)])
    return found


def _check_rules(comparators: Comparators, fields: Sequence[str], problems: Problems) -> None:
    for name in comparators.rules:
        if name not in fields:
            near = nearest(name, fields, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the fields are {', '.join(fields)}"
            problems.add(Problem(f"--normalize names the field '{name}', which is not compared", hint=hint))


def _notes(gold: Records, predictions: Records, fields: Sequence[str], missing: Absent) -> list[Note]:
    notes = []
    if len(predictions) and not gold.values.keys() & predictions.values.keys():
        example = f"such as {describe(min(gold.values))} and {describe(min(predictions.values))}"
        message = f"no record is on both sides: their ids have nothing in common, {example}; does --key name the id?"
        notes.append(Note("no-common-record", len(gold.values), message))
    known = gold.fields | predictions.fields
    for name in fields:
        if name not in known:
            near = nearest(name, known, n=1)
            offer = f"; did you mean '{near[0]}'?" if near else ""
            n = len(gold.values.keys() | predictions.values.keys())
            notes.append(Note("unknown-field", n, f"no record has the field '{name}', which counts as empty{offer}"))
    n = sum(_n_not_text(side, fields) for side in (gold, predictions)) if gold.is_text or predictions.is_text else 0
    if n:
        side = "the gold comes" if gold.is_text else "the predictions come"
        what = (
            "1 number or boolean of the other side is" if n == 1 else f"{n} numbers and booleans of the other side are"
        )
        message = f"{side} as a table, which knows only text: {what} compared as written"
        notes.append(Note("compared-as-text", n, message))
    if gold.is_text != predictions.is_text:
        notes += _lists_against_cells(
            *((predictions, "the gold") if gold.is_text else (gold, "the predictions")), fields
        )
    return notes


def _lists_against_cells(records: Records, side: str, fields: Sequence[str]) -> list[Note]:
    """Several values in a list, where the other side is a table: no cell can be equal to them."""
    having = [
        name
        for values in records.values.values()
        for name in fields
        if isinstance(found := values.get(name), list | tuple) and len(found) > 1
    ]
    if not having:
        return []
    come, lists = "come" if side.endswith("s") else "comes", "list" if len(having) == 1 else "lists"
    message = (
        f"{side} {come} as a table, whose cells hold one value each: {len(having)} {lists} of several values of the "
        f"other side ({', '.join(dict.fromkeys(sorted(having)))}) cannot be right as a whole; JSON Lines hold lists"
    )
    return [Note("lists-against-cells", len(having), message)]


def _n_not_text(records: Records, fields: Sequence[str]) -> int:
    """How many values are no text and not empty."""
    values = (record.get(name) for record in records.values.values() for name in fields)
    return sum(isinstance(value, int | float | NumberText) for value in values)

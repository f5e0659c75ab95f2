"""
JSON documents of several systems against labels: load → take apart → pair rows → count leaves → measure.

In the profile `docubench` a document has the score of that benchmark, and a system the mean of its documents; else both
are F1 over leaves, and every number comes from the table of decisions.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from spaneval.exceptions import InputError
from spaneval.inputs import paused_gc
from spaneval.loaders.json_documents import JsonDocuments, Source, UnknownDocs, listed, load_json_documents
from spaneval.loaders.label_checks import label_notes
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES
from spaneval.pairing.rows import RowPairing
from spaneval.problems import Note, Problem, Problems, counted
from spaneval.records.json_systems import JsonSystem, Origin
from spaneval.records.readings import Reading
from spaneval.signature import record_signature
from spaneval.values.fields import Comparators
from spaneval.values.leaves import plain_name

if TYPE_CHECKING:
    from spaneval.comparison import Comparison

SCHEMA: Final = "spaneval.json/1"

Profile = Literal["native", "docubench"]


@dataclass(frozen=True, repr=False)
class JsonEvaluation:
    """
    Systems scored against the same labels.

    Args:
        systems: By name, in the order given.
        names: The documents that were scored.
        n_labels: How many labels there are, those left out among them.
        counting: The options that can change a number.
        signature: What makes the numbers reproducible, in one line.
        notes: What a reader should know.
        sources: Where labels and schemas were read.

    """

    systems: dict[str, JsonSystem]
    names: list[str]
    n_labels: int
    counting: Mapping[str, Any]
    signature: str
    notes: list[Note]
    sources: Mapping[str, str]

    def __repr__(self) -> str:
        listed_systems = ", ".join(f"{name}={_shown(one.score)}" for name, one in self.systems.items())
        return f"JsonEvaluation({self.profile}, {len(self.names)} documents: {listed_systems})"

    @property
    def profile(self) -> Profile:
        """The reading."""
        return self.counting["profile"]  # type: ignore[no-any-return] # checked when it was given

    def compare(self, measures: Sequence[str] | None = None, **options: Any) -> Comparison:
        """
        The systems side by side; see `spaneval.comparison.compare`.

        Args:
            measures: What is compared; the usual ones of the profile if None.
            options: The other arguments of `compare`.

        """
        from spaneval.comparison import compare

        if measures is None and self.profile == "docubench":
            measures = ["score"]
        return compare(self.systems, measures=measures, **options)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report, without a comparison; nothing is rounded, and None stands for undefined."""
        report: dict[str, Any] = {"schema": SCHEMA, "signature": self.signature, **self.counting}
        report |= {"n_documents": len(self.names), "n_labels": self.n_labels}
        report["systems"] = {name: one.to_dict() for name, one in self.systems.items()}
        report["notes"] = [note.to_dict() for note in self.notes]
        return report


def _shown(score: float | None) -> str:
    return "undefined" if score is None else f"{score:.4g}"


@paused_gc()
def evaluate_json(
    labels: Source,
    results: Source | Mapping[str, Source],
    schemas: Source,
    *,
    profile: Profile = "native",
    pairing: RowPairing | None = None,
    ordered: str | Sequence[str] = (),
    normalize: str | Sequence[str] = (),
    skip_missing: bool = False,
    unknown_docs: UnknownDocs = "error",
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
) -> JsonEvaluation:
    """
    Score JSON documents against labels by their JSON Schema.

    Args:
        labels: A folder of `<document>.json` files, or the values by document.
        results: A folder of the same, or folders or values by document for each of several systems, by name.
        schemas: A folder of the same; or one file, or one schema, for all documents.
        profile: `native` counts leaves; `docubench` gives the scores of that benchmark.
        pairing: Which rows meet: `optimal` (the default) or `greedy`; `docubench` has its own, which is greedy.
        ordered: Arrays whose rows meet by position.
        normalize: Rules of comparison: `RULE` for all fields, `FIELD=RULE` for one.
        skip_missing: Leave out documents for which a system has no result, for all systems, instead of counting such a
            result as empty.
        unknown_docs: What to do with results of documents without a label: `error` or `drop`.
        ci: Whether to compute intervals, by a bootstrap over documents.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.

    Raises:
        InputError: If an input cannot be used; it holds the first problems.
        MeasureError: If `resamples` or `level` is impossible.
        ValueError: If an option has a value that does not exist, or the profile does not take it.

    """
    seed, how = index(seed), _pairing(profile, pairing)
    fixed = tuple(dict.fromkeys(plain_name(x) for x in ([ordered] if isinstance(ordered, str) else ordered)))
    rules = [normalize] if isinstance(normalize, str) else list(normalize)
    _check_choices(profile, fixed, rules, unknown_docs)
    comparators = _comparators(rules)
    problems, notes = Problems(), list[Note]()
    several = _by_system(results)
    if not several:
        raise InputError([Problem("no results are given, so nothing can be scored")])
    documents = load_json_documents(labels, several, schemas, unknown_docs=unknown_docs, problems=problems, notes=notes)
    problems.raise_if_any()
    notes += label_notes(documents)
    names = _scored(documents, notes, skip_missing=skip_missing)
    reading = Reading(documents, names, comparators, fixed, how)
    if fixed or comparators.rules:
        reading.check_names(fixed, comparators)
    interval = {"resamples": resamples, "level": level, "seed": seed} if ci else None
    counting = _counting(profile, how, fixed, comparators)
    digests = reading.digests(is_native=profile == "native")
    signature = record_signature("json", _parts(counting), digests, interval=interval)
    chosen = {"ci": ci, "resamples": resamples, "level": level, "seed": seed}
    origin = Origin(signature, counting, digests)
    score = reading.by_leaves if profile == "native" else reading.by_docubench
    systems = {system: score(system, origin, _named(source), chosen) for system, source in several.items()}
    return JsonEvaluation(
        systems,
        names,
        len(documents.names),
        counting,
        signature,
        [*notes, *reading.notes],
        {"labels": _named(labels), "schemas": _named(schemas)},
    )


def _named(source: Any) -> str:
    return "(in memory)" if isinstance(source, Mapping) else os.fspath(source)


def _counting(
    profile: Profile, pairing: RowPairing, ordered: Sequence[str], comparators: Comparators
) -> dict[str, Any]:
    """The options that can change a number."""
    normalize = "docubench" if profile == "docubench" else str(comparators)
    return {"profile": profile, "pairing": pairing, "ordered": sorted(ordered), "normalize": normalize}


def _parts(counting: Mapping[str, Any]) -> dict[str, str]:
    """Those that are not at their default, for the signature."""
    if counting["profile"] == "docubench":
        return {"profile": "docubench"}
    parts = {"ordered": ",".join(counting["ordered"])}
    parts |= {"pairing": counting["pairing"]} if counting["pairing"] != "optimal" else {}
    parts |= {"normalize": counting["normalize"]} if counting["normalize"] != "exact" else {}
    return {name: value for name, value in parts.items() if value}


def _pairing(profile: Profile, pairing: RowPairing | None) -> RowPairing:
    if pairing is not None and pairing not in get_args(RowPairing):
        raise ValueError(f"pairing is {pairing!r}; expected {' or '.join(map(repr, get_args(RowPairing)))}")
    if profile == "docubench":
        if pairing == "optimal":
            raise ValueError("the profile docubench pairs rows greedily, as that benchmark does")
        return "greedy"
    return pairing or "optimal"


def _check_choices(profile: str, ordered: Sequence[str], rules: Sequence[str], unknown_docs: str) -> None:
    for name, value, choices in (("profile", profile, Profile), ("unknown_docs", unknown_docs, UnknownDocs)):
        if value not in get_args(choices):
            raise ValueError(f"{name} is {value!r}; expected {' or '.join(map(repr, get_args(choices)))}")
    if profile == "docubench" and (ordered or rules):
        name = "ordered" if ordered else "normalize"
        raise ValueError(f"the profile docubench has its own rules and takes no {name}")


def _comparators(rules: Sequence[str]) -> Comparators:
    """Rules by names without marks of rows, so that `items.price` and `items[].price` are one field."""
    found = Comparators.parse(rules, nfc=True)
    return Comparators(found.default, {plain_name(name): one for name, one in found.rules.items()}, nfc=True)


def _by_system(results: Any) -> dict[str, Source]:
    if isinstance(results, Mapping):
        return dict(results)
    path = os.fspath(results)
    return {os.path.basename(os.path.abspath(path)): path}


def _scored(documents: JsonDocuments, notes: list[Note], *, skip_missing: bool) -> list[str]:
    """The documents that are scored; what is missing is told."""
    missing: set[str] = set()
    for system, found in documents.results.items():
        absent = [name for name in documents.names if name not in found]
        missing.update(absent)
        if absent:
            what = "left out" if skip_missing else "counted as empty; --skip-missing leaves them out"
            message = f"{system}: no result for {counted(len(absent), 'document')} ({listed(absent)}), {what}"
            notes.append(Note("missing-results", len(absent), message))
    if not skip_missing or not missing:
        return documents.names
    if len(documents.results) > 1:
        message = f"{counted(len(missing), 'document')} without a result of every system left out of all"
        notes.append(Note("documents-left-out", len(missing), message))
    return [name for name in documents.names if name not in missing]

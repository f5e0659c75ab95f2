"""
The walk of `spaneval audit`: read the reviewed database, count, measure.

The person who reviewed the records has decided which are right, which are missing and which are invented, so nothing is
paired here. In the `audited` reading both values of every field of a found record are known, what the model wrote and
what stands there in the end, and each field gets one of five decisions; `spaneval.profiles.ecoextract` has the others.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from spaneval.kinds import DECISIONS, REVIEW
from spaneval.loaders.audit_db import Review, few, read_review
from spaneval.loaders.review_schema import Required, ReviewSchema, read_review_schema
from spaneval.options import DEFAULT_SEED, LEVEL, RESAMPLES
from spaneval.problems import Note, counted
from spaneval.profiles import audited, ecoextract
from spaneval.profiles.audited import EMPTY, Tally
from spaneval.record_measures import registry
from spaneval.records.decisions import Decisions
from spaneval.scores import Scores, score_counts
from spaneval.signature import gold_digest, record_digests, record_signature

if TYPE_CHECKING:
    from spaneval.runs import Run
    from spaneval.signature import UIntArray

Profile = Literal["audited", "documented", "ecoextract"]

SCHEMA: Final = "spaneval.audit/1"


class Audit(Scores):
    """
    A reviewed database and what follows from the review.

    Args:
        review: What was read.
        schema: The fields.
        profile: The reading.
        required: How `required` of the schema was taken.
        tally: What was counted.
        scores: Counts per document, measures, intervals.
        digests: Of the fields and of what stands there in the end, for each document, uint64 of shape (D,).
        notes: What a reader of the numbers should know.

    """

    def __init__(
        self,
        review: Review,
        schema: ReviewSchema,
        profile: Profile,
        required: Required,
        tally: Tally,
        scores: Scores,
        digests: UIntArray,
        notes: list[Note],
    ) -> None:
        super().__init__(
            scores.document_counts,
            scores.document_names,
            scores.registry,
            scores.resampling_order,
            scores.bootstrap,
            scores.average,
        )
        self.review, self.schema, self.tally = review, schema, tally
        self.profile: Profile = profile
        self.required: Required = required
        self.digests, self.notes = digests, notes

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={'undefined' if x is None else f'{x:.4g}'}" for k, x in self.measures.items())
        return f"Audit({self.profile}, {len(self.review.documents)} documents: {values})"

    @property
    def decisions(self) -> Decisions | None:
        """One decision per field of each found record; None in the readings that do not look at final values."""
        return self.tally.decisions

    @cached_property
    def field_decisions(self) -> dict[str, dict[str, int]]:
        """How many of each decision there are, by field; empty without decisions."""
        if self.decisions is None:
            return {}
        columns = {label: numbers.tolist() for label, numbers in self.decisions.by_field().items()}
        return {name: {x: columns[x][k] for x in columns} for k, name in enumerate(self.schema.fields)}

    @cached_property
    def signature(self) -> str:
        """What can change a number, in one line; two reviews with other final values or fields have another `gt`."""
        options = {"profile": self.profile, "required": self.required}
        return record_signature("audit", options, self.digests, interval=self.resampling)

    def run(self) -> Run:
        """
        What `compare` and `diff` need of it; `spaneval.saved_runs.to_json` saves that.

        Raises:
            ValueError: If it is a reading without decisions.

        """
        from spaneval.records.runs import record_run

        if self.decisions is None:
            raise ValueError(f"the reading {self.profile!r} decides nothing, so it cannot be compared")
        gold, extracted = (_without_empty(x) for x in (self.decisions.gold, self.decisions.extracted))
        written = list(zip(self.decisions.path, extracted, strict=True))
        bounds = np.searchsorted(self.decisions.doc, np.arange(len(self.review.documents) + 1)).tolist()
        contents = (json.dumps(written[start:end]) for start, end in itertools.pairwise(bounds))
        digest = gold_digest(record_digests(self.review.documents, contents))
        return record_run(
            self.document_counts,
            replace(self.decisions, gold=gold, extracted=extracted),
            self.digests,
            signature=self.signature,
            counting={"profile": self.profile, "required": self.required},
            predictions=digest,
        )

    def documents(self) -> list[dict[str, Any]]:
        """Counts and measures of each document, in order, and why those without a value have none."""
        hidden = DECISIONS if self.decisions is None else ()
        rows = self.document_rows(self.review.documents)
        return [{key: value for key, value in row.items() if key not in hidden} for row in rows]

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """
        The JSON report; nothing is rounded, and None stands for undefined.

        Args:
            per_document: Whether to add a list `documents` with the counts and measures of each.

        """
        counts, measures = self.counts, self.measures
        report: dict[str, Any] = {"schema": SCHEMA, "signature": self.signature, "profile": self.profile}
        report |= {"required": self.required, "verified_documents": counts["documents"]}
        report["verified_records"] = self.tally.verified_records
        report |= {name: counts[name] for name in ("model_extracted", "human_added", "deleted", "records_with_edits")}
        report["records_with_major_edit"] = counts["records_with_major_edit"]
        report["column_edits"] = self.tally.column_edits
        report["total_fields"] = counts["total_fields"]
        report["correct_fields"] = self.n_correct_fields
        report |= {name: measures[name] for name in ("field_precision", "field_recall", "field_f1")}
        report |= {
            "records_found": counts["records_found"],
            "records_missed": counts["human_added"],
            "records_hallucinated": counts["deleted"],
        }
        report |= {name: measures[name] for name in ("detection_precision", "detection_recall", "detection_f1")}
        report["perfect_record_rate"] = measures["perfect_record_rate"]
        report["column_accuracy"] = self.tally.column_accuracy
        report |= {name: counts[name] for name in ("major_edits", "minor_edits")}
        report |= {name: measures[name] for name in ("major_edit_rate", "avg_edits_per_document")}
        if self.decisions is not None:
            n_wrong = counts["edited_fields"]
            report |= {"fields_compared": sum(counts[name] for name in DECISIONS), "fields_wrong": n_wrong}
            report["field_agreement"] = measures["field_agreement"]
            report["perfect_records"] = counts["records_found"] - counts["records_with_edits"]
            report["counts"] = {name: counts[name] for name in DECISIONS}
            report["field_decisions"] = self.field_decisions
            report["audit_rows"] = self.tally.fates
        report["undefined"] = self.undefined
        report["intervals"] = {name: ends and list(ends) for name, ends in self.intervals.items()}
        report["resampling"] = self.resampling
        report["notes"] = [note.to_dict() for note in self.notes]
        if per_document:
            report["documents"] = self.documents()
        return report

    @property
    def n_correct_fields(self) -> int:
        """Fields of the model that are neither those of a deleted record nor corrected."""
        counts = self.counts
        return counts["total_fields"] - counts["deleted_fields"] - counts["edited_fields"]


def audit(
    db: str,
    schema: str,
    *,
    documents: Sequence[str | int] | None = None,
    profile: Profile = "audited",
    required: Required = "literal",
    ci: bool = True,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
) -> Audit:
    """
    Measure a model by the corrections of its reviewers.

    Args:
        db: Path of a SQLite database as ecoextract keeps it. It is copied and only the copy is opened. A process that
            has it open for writing itself must not call this: closing the file drops SQLite's locks on it.
        schema: Path of the JSON schema of the records.
        documents: Ids of the documents that count; None for all. Documents that are not reviewed never count.
        profile: `audited`: final values against the original ones. `documented`: the formulas of EcoExtract's
            documentation, in which every audit row counts. `ecoextract`: what its code returns.
        required: Which fields that the schema requires make an edit major: all (`literal`), or those that must not be
            null (`non-nullable`).
        ci: Whether to compute intervals, by a bootstrap over documents.
        resamples: Bootstrap resamples.
        level: Share of the resampled values inside an interval, between 0 and 1.
        seed: Of the resamples; 0 is a seed.

    Raises:
        InputError: If the database or the schema cannot be used, or a document is not in the database.
        MeasureError: If `resamples` or `level` is impossible.
        ValueError: If there is no such profile, or no such reading of `required`.

    """
    for name, value, known in (("profile", profile, Profile), ("required", required, Required)):
        if value not in get_args(known):
            raise ValueError(f"{name} is {value!r}; expected one of {', '.join(get_args(known))}")
    read = read_review_schema(schema)
    review = read_review(db, read.fields, None if documents is None else [str(x) for x in documents])
    major = read.major(required)
    if profile == "audited":
        tally, measures = audited.tally(review, major), tuple(registry(REVIEW).values())
    else:
        tally = ecoextract.tally(review, major, as_coded=profile == "ecoextract")
        measures = ecoextract.measures()
    digests = _digests(review, major)
    scores = score_counts(
        tally.counts,
        review.documents,
        measures,
        digests=digests,
        ci=ci,
        resamples=resamples,
        level=level,
        seed=seed,
    )
    notes = [*read.notes(required), *review.notes, *_notes(review, tally, profile)]
    return Audit(review, read, profile, required, tally, scores, digests, notes)


def _digests(review: Review, major: frozenset[str]) -> UIntArray:
    """Digest of the fields and of what stands there in the end, for each document; see `Audit`."""
    rows: list[list[Any]] = [[] for _ in review.documents]
    flags = (review.is_added.tolist(), review.is_deleted.tolist())
    for doc, key, is_added, is_deleted, values in zip(
        review.doc.tolist(), review.ids, *flags, review.values, strict=True
    ):
        if not is_deleted:
            rows[doc].append([key, is_added, *_without_empty(values)])
    contents = (json.dumps([review.fields, sorted(major), of_document]) for of_document in rows)
    return record_digests(review.documents, contents)


def _notes(review: Review, tally: Tally, profile: Profile) -> Iterator[Note]:
    """What is counted otherwise than one may think."""
    if profile == "audited":
        if n := tally.fates["other_columns"]:
            is_found = review.is_found.tolist()
            others = sorted({x.column for x in review.edits if is_found[x.record]}.difference(review.fields))
            message = f"{counted(n, 'audit row')} of columns that are no field ({few(others)}): left out"
            yield Note("edits-of-other-columns", n, message)
        return
    fields = ecoextract.fields_of(review, as_coded=profile == "ecoextract")
    others = [name for name in tally.column_edits if name not in set(fields)]
    if others:
        n = sum(tally.column_edits[name] for name in others)
        message = f"{counted(n, 'audit row')} of columns that are no field ({few(others)}): counted as edited fields, as EcoExtract does"  # noqa: E501 - one message
        yield Note("edits-of-other-columns", n, message)
    deleted = [edit for edit in review.edits if review.is_deleted[edit.record] and not review.is_added[edit.record]]
    if deleted:
        n = len(deleted)
        message = (
            f"{counted(n, 'audit row')} of deleted records: counted beside all of their fields, as EcoExtract does"
        )
        yield Note("edits-of-deleted-records", n, message)


def _without_empty(values: Sequence[str | None]) -> list[str | None]:
    """The values, with None for all that stands for none."""
    return [None if value in EMPTY else value for value in values]

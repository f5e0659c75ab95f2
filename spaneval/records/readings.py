"""JSON documents, label by label and system by system, in either reading: from what was read to counts per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from spaneval.counts import Counts
from spaneval.exceptions import InputError
from spaneval.kinds import DOCUBENCH, LEAVES
from spaneval.loaders.json_documents import JsonDocuments, listed
from spaneval.nearest import nearest
from spaneval.pairing.rows import RowPairing
from spaneval.problems import Note, Problem, Problems
from spaneval.profiles.docubench import billionths, score_document
from spaneval.record_measures import registry
from spaneval.records.decisions import Builder
from spaneval.records.json_digests import content_text, results_digest
from spaneval.records.json_systems import DocumentScore, JsonSystem, Origin
from spaneval.records.leaf_decisions import score_leaves
from spaneval.scores import score_counts
from spaneval.signature import UIntArray, record_digests
from spaneval.values.fields import Comparators
from spaneval.values.leaves import Part, Reader, plain_name, schema_arrays


@contextmanager
def _place_named(system: str, document: str) -> Iterator[None]:
    """Add to what cannot be scored which document of which system it is."""
    try:
        yield
    except InputError as error:
        place = f"document '{document}' of {system}: "
        problems = [problem._replace(message=place + problem.message) for problem in error.problems]
        raise type(error)(problems, error.total) from error


class Reading:
    """
    The documents that are scored.

    Args:
        documents: What was read.
        names: Those that are scored.
        comparators: How values are compared.
        ordered: Arrays that are paired by position.
        pairing: How the others are.

    """

    def __init__(
        self,
        documents: JsonDocuments,
        names: Sequence[str],
        comparators: Comparators,
        ordered: Sequence[str],
        pairing: RowPairing,
    ) -> None:
        self._documents, self._names, self._ordered, self._pairing = documents, list(names), set(ordered), pairing
        self._readers: dict[int, Reader] = {}
        self._arrays: dict[int, list[str]] = {}
        self.notes: list[Note] = []
        for name in names:
            schema = documents.schemas[name]
            if id(schema) not in self._readers:
                self._readers[id(schema)] = Reader(schema.root, comparators)
                self._arrays[id(schema)] = schema_arrays(schema.root)

    def _reader(self, name: str) -> Reader:
        return self._readers[id(self._documents.schemas[name])]

    @cached_property
    def _labels(self) -> dict[str, Part]:
        """The labels taken apart."""
        return {name: self._reader(name).read(self._documents.labels[name]) for name in self._names}

    def _results(self, system: str) -> dict[str, Part]:
        """The results of a system taken apart; a missing one is empty."""
        found = self._documents.results[system]
        return {name: self._reader(name).read(found[name]) if name in found else Part() for name in self._names}

    def digests(self, *, is_native: bool) -> UIntArray:
        """Of each label with its schema; in the profile `docubench` the order of rows counts."""
        labels: Mapping[str, Any] = self._labels if is_native else self._documents.labels
        texts = [
            content_text(labels[name], self._ordered) + content_text(self._documents.schemas[name].content)
            for name in self._names
        ]
        return record_digests(self._names, texts)

    def check_names(self, ordered: Iterable[str], comparators: Comparators) -> None:
        """
        Refuse names of arrays and fields that occur nowhere.

        Raises:
            InputError: If there is one; the message offers the nearest.

        """
        problems = Problems()
        for system in self._documents.results:
            self._results(system)
        self.digests(is_native=True)
        readers = self._readers.values()
        arrays = {plain_name(x) for names in (*self._arrays.values(), *(one.arrays for one in readers)) for x in names}
        fields = {plain_name(x) for one in readers for x in one.fields}
        given = [("--ordered", "array", name, arrays) for name in ordered]
        given += [("--normalize", "field", name, fields) for name in comparators.rules]
        for option, what, name, known in given:
            if name not in known:
                near = nearest(name, known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"there are {listed(sorted(known)) or 'none'}"
                problems.add(Problem(f"{option} names the {what} '{name}', which does not occur", hint=hint))
        problems.raise_if_any()

    def by_leaves(self, system: str, origin: Origin, source: str, chosen: Mapping[str, Any]) -> JsonSystem:
        """
        A system in the native reading: every leaf decided.

        Args:
            system: Its name.
            origin: What makes the numbers reproducible.
            source: Where its results were read.
            chosen: Arguments of `score_counts`.

        """
        labels = self._labels
        self._outside()
        results = self._results(system)
        self._note_outside(system)
        table = Builder(self._names)
        found: dict[str, DocumentScore] = {}
        rows = np.zeros((len(self._names), len(LEAVES.columns)), np.int64)
        for doc, name in enumerate(self._names):
            with _place_named(system, name):
                one = score_leaves(
                    doc,
                    labels[name],
                    results[name],
                    self._reader(name),
                    table,
                    arrays=self._arrays[id(self._documents.schemas[name])],
                    pairing=self._pairing,
                    ordered=self._ordered,
                )
            found[name] = one
            rows[doc] = [one.counts[column] for column in LEAVES.columns]
        scores = score_counts(
            Counts(rows, LEAVES), self._names, tuple(registry(LEAVES).values()), digests=origin.labels, **chosen
        )
        digest = results_digest(results, self._ordered)
        return JsonSystem(
            system, scores, documents=found, decisions=table.build(), origin=origin, digest=digest, source=source
        )

    def by_docubench(self, system: str, origin: Origin, source: str, chosen: Mapping[str, Any]) -> JsonSystem:
        """A system as the benchmark scores it; see `by_leaves`."""
        results = self._documents.results[system]
        found: dict[str, DocumentScore] = {}
        for name in self._names:
            schema = self._documents.schemas[name].content
            with _place_named(system, name):
                found[name] = score_document(self._documents.labels[name], results.get(name, {}), schema)
        n = len(found)
        score = billionths([one.score or 0.0 for one in found.values()])
        counts = Counts.from_columns(n, kind=DOCUBENCH, score=score, documents=np.ones(n, np.int64))
        scores = score_counts(counts, self._names, tuple(registry(DOCUBENCH).values()), digests=origin.labels, **chosen)
        digest = results_digest({name: results[name] for name in self._names if name in results})
        return JsonSystem(system, scores, documents=found, decisions=None, origin=origin, digest=digest, source=source)

    def _note_outside(self, system: str) -> None:
        outside = self._outside()
        if outside:
            n = sum(outside.values())
            values = "1 value is" if n == 1 else f"{n} values are"
            named = listed(sorted(outside))
            message = f"{system}: {values} not counted, because the schema allows no such key: {named}"
            self.notes.append(Note("outside-schema", n, message))

    def _outside(self) -> Counter[str]:
        """Values outside of the schemas since the last call."""
        total: Counter[str] = Counter()
        for reader in self._readers.values():
            total += reader.outside
            reader.outside = Counter()
        return total

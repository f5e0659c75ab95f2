"""
What rows say of the text they speak of, held against the documents that they were given to.

Two witnesses: the `mention` of a row, which must be the text at its offsets, and the gold that a linker's report
repeats. Where most of what a witness says contradicts the chosen numbering, and another numbering or another order of
the gold files fits, the run must not go on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from spaneval.corpus import Corpus, IntArray, Predictions, Surfaces
from spaneval.exceptions import AlignmentError
from spaneval.problems import Note, Problem, Problems

SEARCHED: Final = 4_000_000
"""Comparisons that the search for the order of the files may take (some seconds); else only usual orders are tried."""


class Tally(NamedTuple):
    """How many statements agree with the documents, of how many that can be compared."""

    n_agreeing: int
    n_compared: int

    @property
    def is_believable(self) -> bool:
        """Whether most statements agree."""
        return 2 * self.n_agreeing > self.n_compared


class Alternative(NamedTuple):
    """
    Another way to number the gold documents.

    Args:
        remedy: Name of the way, for the message.
        keys: Key of each document.
        hint: What to do; "" says to number them by the remedy.

    """

    remedy: str
    keys: Sequence[str]
    hint: str = ""


class Witness(NamedTuple):
    """
    What one source says of documents.

    Args:
        what: What its statements are, for messages.
        said: Statements by document key.
        agrees: Whether document d is as a statement says; None where that cannot be known.
        doubt: What else may be the matter.

    """

    what: str
    said: Mapping[str, Sequence[Any]]
    agrees: Callable[[int, Any], bool | None]
    doubt: str

    def tally(self, keys: Sequence[str], documents: Sequence[int] | None = None) -> Tally:
        """Count the statements that agree, where `keys` name `documents`, all of them in order if None."""
        found = [
            verdict
            for key, d in zip(keys, range(len(keys)) if documents is None else documents, strict=True)
            for statement in self.said.get(key, ())
            if (verdict := self.agrees(d, statement)) is not None
        ]
        return Tally(sum(found), len(found))


def check(
    corpus: Corpus,
    rows: Predictions,
    keys: Sequence[str],
    alternatives: Callable[[], Iterable[Alternative]],
    *,
    position_remedy: str,
    problems: Problems,
    notes: list[Note],
    all_texts: Callable[[], Mapping[int, str]],
) -> None:
    """
    Hold the rows against the documents that `keys` give them.

    Args:
        corpus: The gold, with the texts of at least a sample of the documents.
        rows: The predictions.
        keys: Key of each document under the chosen numbering.
        alternatives: Gives other numberings; asked only where most statements contradict this one.
        position_remedy: What else to give to have documents numbered by position, for messages.
        problems: Gathers a contradiction that another numbering would resolve.
        notes: Gathers a contradiction that none resolves.
        all_texts: Gives the texts of all documents.

    """
    witnesses = []
    if rows.surfaces is not None:
        only = keys[0] if len(keys) == 1 else None
        first = mentions(rows.surfaces, corpus.documents.texts, only=only).tally(keys)
        if first.n_compared and not first.is_believable:
            witnesses.append(mentions(rows.surfaces, all_texts(), only=only))
    if rows.echo is not None and rows.key_field == "itext":
        witnesses.append(echo(rows.echo, corpus))
    for witness in witnesses:
        found = witness.tally(keys)
        if found.n_compared and not found.is_believable:
            orders = iter(()) if rows.key_field == "doc_id" else _file_orders(corpus, witness, position_remedy)
            _report(witness, found, chain(alternatives(), orders), problems, notes)


def mentions(surfaces: Surfaces, texts: Mapping[int, str], *, only: str | None = None) -> Witness:
    """
    Mentions: the text at their offsets, but for blanks around and for case.

    Args:
        surfaces: Mentions with the keys of their rows.
        texts: Text by document.
        only: Key of the only document, which rows without a key speak of.

    """
    said = defaultdict(list)
    for key, a, b, mention in zip(
        surfaces.key, surfaces.a.tolist(), surfaces.b.tolist(), surfaces.mention, strict=True
    ):
        said[only if only is not None and not key else key].append((a, b, mention.strip().casefold()))

    def agrees(d: int, statement: tuple[int, int, str]) -> bool | None:
        text = texts.get(d)
        a, b, mention = statement
        return None if text is None else text[a:b].strip().casefold() == mention

    doubt = "offsets may count UTF-16 units or bytes, or the texts may have changed"
    return Witness("mentions of the rows", said, agrees, doubt)


def echo(spans: IntArray, corpus: Corpus) -> Witness:
    """The annotations that a report repeats: spans that the gold document has."""
    known = set(zip(corpus.doc.tolist(), corpus.a.tolist(), corpus.b.tolist(), strict=True))
    said = defaultdict(list)
    for d, a, b in spans.tolist():
        said[str(d)].append((a, b))

    def agrees(d: int, statement: tuple[int, int]) -> bool:
        return (d, *statement) in known

    return Witness("annotations that the report repeats", said, agrees, "the gold may have changed since")


def _report(
    witness: Witness, found: Tally, alternatives: Iterable[Alternative], problems: Problems, notes: list[Note]
) -> None:
    """Name the alternative that fits best; where none does, note the contradiction."""
    said = f"only {found.n_agreeing} of {found.n_compared} {witness.what} agree with the documents they were given to"
    best: tuple[Tally, Alternative] | None = None
    for other in alternatives:
        tally = witness.tally(other.keys)
        if tally.is_believable and (best is None or tally.n_agreeing > best[0].n_agreeing):
            best = tally, other
        if best is not None and best[0].n_agreeing == best[0].n_compared >= found.n_compared:
            break
    if best is None:
        notes.append(Note("surfaces-differ", found.n_compared - found.n_agreeing, f"{said}; {witness.doubt}"))
        return
    tally, other = best
    message = f"{said}; {tally.n_agreeing} of {tally.n_compared} would agree {other.remedy}"
    hint = other.hint or f"number the documents so {other.remedy}"
    problems.add(Problem(message, hint=hint, kind=AlignmentError))


def _file_orders(corpus: Corpus, witness: Witness, position_remedy: str) -> Iterator[Alternative]:
    """Other orders of the gold files, and the numbering by position that each would give."""
    documents = corpus.documents
    names = documents.files
    if len(names) < 2:
        return
    import shlex  # only for the remedy

    of_file: list[list[int]] = [[] for _ in names]
    for d, f in enumerate(documents.file.tolist()):
        of_file[f].append(d)
    tried = {tuple(range(len(names)))} if not position_remedy else set()
    for order in _orders(names, of_file, witness):
        if tuple(order) in tried:
            continue
        tried.add(tuple(order))
        keys = [""] * len(documents)
        for position, d in enumerate(d for f in order for d in of_file[f]):
            keys[d] = str(position)
        shown = " ".join(f"--gt {shlex.quote(names[f])}" for f in order[:5]) + (" …" if len(order) > 5 else "")
        yield Alternative(f"with the gold files in this order: {shown}{position_remedy}", keys)


def _orders(names: Sequence[str], of_file: Sequence[Sequence[int]], witness: Witness) -> Iterator[list[int]]:
    """Orders of the files: by name, by the numbers in the names, backwards; then the one that the witness tells."""
    files = range(len(names))
    yield sorted(files, key=lambda f: names[f])
    yield sorted(files, key=lambda f: _natural(names[f]))
    yield sorted(files, key=lambda f: names[f], reverse=True)
    yield list(reversed(files))
    if len(files) * sum(map(len, witness.said.values())) <= SEARCHED:
        yield _told(of_file, witness)


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]


def _told(of_file: Sequence[Sequence[int]], witness: Witness) -> list[int]:
    """The order that fits what is said, found file by file from the front."""
    left, order, start = list(range(len(of_file))), [], 0

    def fit(f: int) -> float:
        found = witness.tally([str(start + k) for k in range(len(of_file[f]))], of_file[f])
        return found.n_agreeing / found.n_compared if found.n_compared else 0.0

    while left:
        best = max(left, key=fit)
        order.append(best)
        left.remove(best)
        start += len(of_file[best])
    return order

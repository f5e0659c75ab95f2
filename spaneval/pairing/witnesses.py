"""
What rows say of the text they speak of, held against the documents that they were given to.

Two witnesses: the `mention` of a row, which must be the text at its offsets, and the gold that a linker's report
repeats. Where most of what a witness says contradicts the chosen numbering, and another numbering or another order of
the gold files fits, the run must not go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spaneval.corpus import Corpus, IntArray, Predictions, Surfaces
from spaneval.exceptions import AlignmentError
from spaneval.problems import Note, Problem, Problems


class Tally(NamedTuple):
    """How many statements agree with the documents, of how many that can be compared."""

    n_agreeing: int
    n_compared: int

    @property
    def is_believable(self) -> bool:
        """Whether most statements agree."""
        return 2 * self.n_agreeing > self.n_compared


class Alternative(NamedTuple):
    """Another way to number the gold documents: name of the way for the message, and the keys of the documents."""

    remedy: str
    keys: Sequence[str]


Tallier = Callable[[Mapping[str, int]], Tally]


def check(
    corpus: Corpus,
    rows: Predictions,
    keys: Sequence[str],
    alternatives: Sequence[Alternative],
    *,
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
        alternatives: Other numberings.
        problems: Gathers a contradiction that another numbering would resolve.
        notes: Gathers a contradiction that none resolves.
        all_texts: Gives the texts of all documents.

    """
    number = {key: d for d, key in enumerate(keys)}
    if rows.surfaces is not None:
        first = tally_mentions(rows.surfaces, corpus.documents.texts, number)
        if not first.is_believable and first.n_compared:
            texts = all_texts()
            surfaces = rows.surfaces

            def tally(number: Mapping[str, int]) -> Tally:
                return tally_mentions(surfaces, texts, number)

            _report(corpus, "mentions of the rows", tally, number, alternatives, problems, notes)
    if rows.echo is not None and rows.key_field == "itext":
        echo, spans = rows.echo, _spans(corpus)

        def tally_gold(number: Mapping[str, int]) -> Tally:
            return tally_echo(echo, spans, number)

        found = tally_gold(number)
        if not found.is_believable and found.n_compared:
            _report(corpus, "annotations that the report repeats", tally_gold, number, alternatives, problems, notes)


def tally_mentions(surfaces: Surfaces, texts: Mapping[int, str], number: Mapping[str, int]) -> Tally:
    """Mentions that are the text at their offsets, but for blanks around and for case."""
    n_agreeing = n_compared = 0
    for key, a, b, mention in zip(
        surfaces.key, surfaces.a.tolist(), surfaces.b.tolist(), surfaces.mention, strict=True
    ):
        text = texts.get(number.get(key, -1))
        if text is not None:
            n_compared += 1
            n_agreeing += text[a:b].strip().casefold() == mention.strip().casefold()
    return Tally(n_agreeing, n_compared)


def _spans(corpus: Corpus) -> set[tuple[int, int, int]]:
    return set(zip(corpus.doc.tolist(), corpus.a.tolist(), corpus.b.tolist(), strict=True))


def tally_echo(echo: IntArray, spans: set[tuple[int, int, int]], number: Mapping[str, int]) -> Tally:
    """Spans that the report repeats and that the gold document of that number has."""
    said = [(number[str(d)], a, b) for d, a, b in echo.tolist() if str(d) in number]
    return Tally(sum(span in spans for span in said), len(said))


def _report(
    corpus: Corpus,
    what: str,
    tally: Tallier,
    number: Mapping[str, int],
    alternatives: Sequence[Alternative],
    problems: Problems,
    notes: list[Note],
) -> None:
    found = tally(number)
    said = f"only {found.n_agreeing} of {found.n_compared} {what} agree with the documents they were given to"
    for other in (*alternatives, *_other_file_orders(corpus, tally)):
        better = tally({key: d for d, key in enumerate(other.keys)})
        if better.n_compared and better.is_believable:
            message = f"{said}; {better.n_agreeing} of {better.n_compared} would agree {other.remedy}"
            hint = f"number the documents so {other.remedy}"
            problems.add(Problem(message, hint=hint, kind=AlignmentError))
            return
    notes.append(
        Note(
            "surfaces-differ",
            found.n_compared - found.n_agreeing,
            f"{said}; offsets may count UTF-16 units or bytes, or the texts may have changed",
        )
    )


def _other_file_orders(corpus: Corpus, tally: Tallier) -> Iterator[Alternative]:
    """The order of the gold files in which the rows speak of the texts, found file by file from the front."""
    documents = corpus.documents
    if len(documents.files) < 2:
        return
    of_file = [np.flatnonzero(documents.file == f).tolist() for f in range(len(documents.files))]
    left, order, start = list(range(len(of_file))), [], 0
    while left:
        best = max(left, key=lambda f: _fit(tally, of_file[f], start))
        order.append(best)
        left.remove(best)
        start += len(of_file[best])
    keys = [""] * len(documents)
    for position, d in enumerate(d for f in order for d in of_file[f]):
        keys[d] = str(position)
    names = [documents.files[f] for f in order]
    shown = " ".join(f"--gt {name}" for name in names[:5]) + (" …" if len(names) > 5 else "")
    yield Alternative(f"with the gold files in this order: {shown}", keys)


def _fit(tally: Tallier, documents: Sequence[int], start: int) -> float:
    """Share of the statements about positions from `start` on that agree with these documents."""
    found = tally({str(start + k): d for k, d in enumerate(documents)})
    return found.n_agreeing / found.n_compared if found.n_compared else 0.0

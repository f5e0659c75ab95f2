"""
Which prediction belongs to which text.

Gold documents have up to three names: their `doc_id`, their `itext`, and their position in the corpus. One of these is
the key that rows are looked up by; what rows say of their text is then held against the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, Corpus, Documents, IntArray, Place, Predictions
from spaneval.exceptions import AlignmentError, SpanError
from spaneval.options import DocKey, Options
from spaneval.pairing.witnesses import Alternative, check
from spaneval.problems import Note, Problem, Problems

Kind = Literal["doc_id", "itext", "position"]

KEYLESS: Final = "(rows without a document)"
_FROM_ONE: Final = "subtract 1 from the itext of every row, itext counts from 0"
_BY_POSITION: Final = (
    "documents are told apart by position in the corpus, over all gold files in order (itext restarts or is missing in "
    "the gold files)"
)


class Numbering(NamedTuple):
    """One way to name the gold documents: `keys[d]` is the name of document d."""

    kind: Kind
    keys: list[str]


class Aligned(NamedTuple):
    """
    Rows with their documents.

    Args:
        numbering: The kind of key that was used.
        names: Names of all documents: the D of the gold, then unknown ones, then `KEYLESS` if any row needs it.
        kept: Which rows are scored, bool of shape (P,); None if all are.
        doc: Document of each row that is scored, int32.
        bad_doc: Document of each bad row, int32.
        bad_has_id: Whether an id could be read in each bad row.
        n_unknown: Rows whose document is not in the gold.

    """

    numbering: Kind
    names: list[str]
    kept: BoolArray | None
    doc: CodeArray
    bad_doc: CodeArray
    bad_has_id: BoolArray
    n_unknown: int


def n_named(names: Sequence[str]) -> int:
    """How many of the documents of `Aligned.names` have a name: all but `KEYLESS`."""
    return len(names) - (names[-1:] == [KEYLESS])


def row_key_field(documents: Documents, doc_key: DocKey) -> str | None:
    """The field of the rows that names their document; None where rows decide between `doc_id` and `itext`."""
    if doc_key == "auto":
        return None if len(documents) and None not in documents.doc_id else "itext"
    return "doc_id" if doc_key == "doc_id" else "itext"


def choose_numbering(documents: Documents, key_field: str, doc_key: DocKey, problems: Problems) -> Numbering:
    """
    The numbering that the rows are looked up by; see docs/formats.md for the rule.

    Args:
        documents: The gold documents.
        key_field: The field that the row keys were read from.
        doc_key: `auto`, or the numbering that the user asks for.
        problems: Gathers names that two documents share, where that matters.

    """
    _check_doc_ids(documents, problems)
    if key_field == "doc_id":
        if None in documents.doc_id:
            d = documents.doc_id.index(None)
            message = (
                f"document {documents.position[d]} has no 'doc_id', which --doc-key doc_id needs in every document"
            )
            hint = "give every document a doc_id, or let --doc-key itext or position tell documents apart"
            problems.add(Problem(message, _file(documents, d), hint=hint, kind=AlignmentError))
        return Numbering("doc_id", [key or "" for key in documents.doc_id])
    position = Numbering("position", _positions(documents))
    if doc_key == "position":
        return position
    keys = _written(documents)
    shared, claimed = _clashes(documents, keys)
    if shared:
        if doc_key == "itext":
            problems.add(_shared_itext(documents, keys, *shared[0]))
        return position
    if claimed:
        problems.add(_claimed_position(documents, keys, *claimed[0]))
    return Numbering("itext", keys)


def _positions(documents: Documents) -> list[str]:
    return [str(d) for d in range(len(documents))]


def _from_one(documents: Documents) -> list[str]:
    """What the documents are called by rows that count them from 1."""
    return [str(d + 1) for d in range(len(documents))]


def _written(documents: Documents) -> list[str]:
    """The itext of each document; its position in its file where none is written."""
    return [str(p) if key is None else key for key, p in zip(documents.itext, documents.position.tolist(), strict=True)]


def _check_doc_ids(documents: Documents, problems: Problems) -> None:
    first: dict[str, int] = {}
    for d, key in enumerate(documents.doc_id):
        if key is not None and first.setdefault(key, d) != d:
            here, there = _shown(documents, d), _shown(documents, first[key])
            message = f"{here} has the doc_id {key!r}, which {there} has too"
            hint = "a doc_id names one document; rename one of them"
            problems.add(Problem(message, _file(documents, d), hint=hint, kind=AlignmentError))


def _shown(documents: Documents, d: int) -> str:
    """A document by its position in its file, and the file where that helps."""
    return f"document {documents.position[d]} of {_file(documents, d)}"


def _clashes(documents: Documents, keys: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """
    Pairs of documents with one itext.

    Returns:
        Those that share it, and those where one document has it in writing and another of the same file, which has
        none, takes it as its position.

    """
    shared: list[tuple[int, int]] = []
    claimed: list[tuple[int, int]] = []
    first: dict[str, int] = {}
    for d, key in enumerate(keys):
        other = first.setdefault(key, d)
        if other != d:
            is_written = [documents.itext[x] is not None for x in (other, d)]
            is_claim = documents.file[other] == documents.file[d] and not all(is_written)
            (claimed if is_claim else shared).append((other, d))
    return shared, claimed


def _shared_itext(documents: Documents, keys: Sequence[str], first: int, second: int) -> Problem:
    here, there = _shown(documents, second), _shown(documents, first)
    message = f"{here} has the itext {keys[second]}, which {there} has too; --doc-key itext needs one for each document"
    hint = "--doc-key position numbers documents across the files, as the linker's file runner does"
    return Problem(message, _file(documents, second), hint=hint, kind=AlignmentError)


def _claimed_position(documents: Documents, keys: Sequence[str], first: int, second: int) -> Problem:
    silent = first if documents.itext[first] is None else second
    other = second if silent == first else first
    message = (
        f"document {documents.position[silent]} has no itext, and its position {keys[silent]} is the itext of document "
        f"{documents.position[other]} of this file"
    )
    hint = "give the document an `itext` of its own, beside its `text`"
    return Problem(message, _file(documents, silent), hint=hint, kind=AlignmentError)


def _file(documents: Documents, d: int) -> str:
    return documents.files[int(documents.file[d])]


def align(
    corpus: Corpus,
    rows: Predictions,
    options: Options,
    *,
    problems: Problems,
    notes: list[Note],
    all_texts: Callable[[], Mapping[int, str]],
) -> Aligned:
    """
    Find the document of every row.

    Args:
        corpus: The gold.
        rows: The predictions.
        options: `doc_key`, `unknown_docs` and `on_bad_row` are looked at.
        problems: Gathers documents that do not fit, and rows that end after their text.
        notes: Gathers how documents were numbered, and doubts.
        all_texts: Gives the texts of all documents; asked only where the sample at hand contradicts the rows.

    """
    documents = corpus.documents
    numbering = choose_numbering(documents, rows.key_field, options.doc_key, problems)
    if options.doc_key == "auto" and numbering.kind == "position" and len(documents) > 1:
        notes.append(Note("document-numbering", len(documents), _BY_POSITION))
    number = {key: d for d, key in enumerate(numbering.keys)}

    def others() -> Iterator[Alternative]:
        for x in _other_numberings(documents, numbering):
            yield Alternative(f"with --doc-key {x.kind}", x.keys)
        if rows.key_field == "itext":
            yield Alternative("if the rows count documents from 1", _from_one(documents), _FROM_ONE)

    check(
        corpus,
        rows,
        numbering.keys,
        others,
        position_remedy="" if numbering.kind == "position" else " --doc-key position",
        problems=problems,
        notes=notes,
        all_texts=all_texts,
    )
    extra = sorted(key for key in rows.keys if key not in number)
    names = numbering.keys + extra
    number |= {key: len(documents) + k for k, key in enumerate(extra)}
    doc_of_key = np.array([*(number[key] for key in rows.keys), 0 if len(documents) == 1 else -1], dtype=np.int32)
    doc, bad_doc, bad_has_id = doc_of_key[rows.key], doc_of_key[rows.bad.key], rows.bad.has_id
    n_unknown = int((doc >= len(documents)).sum() + (bad_doc >= len(documents)).sum())
    kept: BoolArray | None = None
    if n_unknown and options.unknown_docs == "error":
        problems.add(_unknown(corpus, rows, doc, bad_doc, numbering, n_unknown))
    if n_unknown and options.unknown_docs != "count":
        kept = doc < len(documents)
        is_known = bad_doc < len(documents)
        bad_doc, bad_has_id = bad_doc[is_known], bad_has_id[is_known]
        names = names[: len(documents)]
    beyond = _beyond_text(documents, rows, doc, kept)
    if beyond.size:
        if options.on_bad_row == "error":
            _report_beyond(documents, rows, doc, beyond, problems)
        kept = np.ones(len(doc), np.bool_) if kept is None else kept
        kept[beyond] = False
        bad_doc = np.concatenate([bad_doc, doc[beyond]])
        bad_has_id = np.concatenate([bad_has_id, rows.id[beyond] >= 0])
    if (bad_doc < 0).any():
        bad_doc = np.where(bad_doc < 0, len(names), bad_doc).astype(np.int32)
        names.append(KEYLESS)
    return Aligned(numbering.kind, names, kept, doc if kept is None else doc[kept], bad_doc, bad_has_id, n_unknown)


def _unknown(
    corpus: Corpus, rows: Predictions, doc: CodeArray, bad_doc: CodeArray, numbering: Numbering, n_unknown: int
) -> Problem:
    """The problem of rows whose document is not in the gold."""
    is_unknown = doc >= len(corpus.documents)
    if is_unknown.any():
        row = int(np.argmax(is_unknown))
        key, place = rows.keys[rows.key[row]], rows.places[row]
    else:
        key = rows.keys[rows.bad.key[int(np.argmax(bad_doc >= len(corpus.documents)))]]
        place = Place(None, 0, has_lines=False)
    rows_say = "1 row is of a document" if n_unknown == 1 else f"{n_unknown} rows are of documents"
    where = f" in row {place.line}" if place.line and not place.has_lines else ""
    message = (
        f"{rows_say} that the ground truth does not hold, such as {rows.key_field} {key}{where} ({_known(numbering)})"
    )
    hints = []
    for other in _other_numberings(corpus.documents, numbering):
        if set(rows.keys) <= set(other.keys):
            hints.append(f"--doc-key {other.kind} would find them all")
    if {key.removesuffix(".0") for key in rows.keys} <= set(numbering.keys):
        hints.append("without the trailing .0 they would be found; write document keys as integers")
    if rows.key_field == "itext":
        if set(rows.keys) <= set(corpus.documents.doc_id):
            hints.append("--field doc_id=itext would find them all: the rows hold the doc_id of the gold under itext")
        elif set(rows.keys) <= set(_from_one(corpus.documents)):
            hints.append(f"the rows may count documents from 1: {_FROM_ONE}")
    hints.append("--unknown-docs count scores such rows as spurious, --unknown-docs ignore leaves them out")
    line = place.line if place.has_lines else None
    return Problem(message, place.file, line, hint="; ".join(hints), kind=AlignmentError)


def _known(numbering: Numbering) -> str:
    keys = numbering.keys
    if not keys:
        return "there are no gold documents"
    if all(key.isascii() and key.isdigit() for key in keys):
        numbers = sorted(map(int, keys))
        return f"known: {numbers[0]} to {numbers[-1]}" if len(keys) > 1 else f"known: {keys[0]}"
    return f"known: {', '.join(keys[:3])}{', …' if len(keys) > 3 else ''}"


def _beyond_text(documents: Documents, rows: Predictions, doc: CodeArray, kept: BoolArray | None) -> IntArray:
    """Numbers of the rows that end after their text, where the text is known."""
    n_extra = int(doc.max(initial=-1)) + 1 - len(documents)
    no_end = np.iinfo(np.int64).max
    end = np.where(documents.length < 0, no_end, documents.length)
    end = np.concatenate([end, np.full(max(n_extra, 0), no_end)])
    is_beyond = rows.b > end[doc] if len(end) else np.zeros(len(doc), np.bool_)
    return np.flatnonzero(is_beyond if kept is None else is_beyond & kept)


def _report_beyond(
    documents: Documents, rows: Predictions, doc: CodeArray, beyond: IntArray, problems: Problems
) -> None:
    hint: str | None = (
        "offsets count Unicode code points; these may count UTF-16 units or bytes, or belong to another document"
    )
    for n_done, row in enumerate(beyond.tolist()):
        if not problems.wants_more:
            problems.add_uncounted(len(beyond) - n_done)
            return
        place, length = rows.places[row], documents.length[doc[row]]
        key = f"document {rows.keys[rows.key[row]]}" if rows.key[row] >= 0 else "the document"
        line, prefix = (place.line, "") if place.has_lines else (None, f"row {place.line}: ")
        message = f"{prefix}span [{rows.a[row]}, {rows.b[row]}) ends after the text of {key} ({length} characters)"
        problems.add(Problem(message, place.file, line, hint=hint, kind=SpanError))
        hint = None


def _other_numberings(documents: Documents, chosen: Numbering) -> list[Numbering]:
    """The numberings other than `chosen` by which the rows can be looked up, and in which no documents share a name."""
    if chosen.kind == "doc_id":
        return []
    others = [Numbering("position", _positions(documents)), Numbering("itext", _written(documents))]
    return [x for x in others if x.keys != chosen.keys and len(set(x.keys)) == len(x.keys)]

"""
Annotations that are laid out alike, cut out of a gold file before it is parsed.

Most of a large gold file are annotations, `{"a": 3, "b": 9, "entity_id": "Q1"}`, one after another and laid out alike.
They are read without a parser, and in the text that is parsed one string stands for each run of them. The parser finds
that string only where a value may stand, so where it parses and all the strings turn up, each alone in the
`ground_truth` of a document, the file said just that; where not, it is parsed whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from spaneval.corpus import CodeArray, IntArray
from spaneval.loaders.layout import LONGEST_LITERAL, Alike, Layout, layout_at, read_alike
from spaneval.loaders.scalars import Vocabulary
from spaneval.loaders.tokens import LONGEST_TOKEN, Tokens
from spaneval.loaders.words import Text, is_utf8

LEAST_BYTES: Final = 1 << 16
"""Size of a file from which cutting gains anything."""
MOST_FAILURES: Final = 8
"""Files in a row that are cut in vain before it is given up."""

_FIRST = re.compile(rb'"ground_truth"[ \t\r\n]*:[ \t\r\n]*\[[ \t\r\n]*(?=\{)')
_SEPARATOR = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*")
_KEY_TYPES = frozenset({int, str, type(None)})
_OPEN = b"{"[0]
_MARKS = (b"\x7f", b"@", b"^", b"~", b"#")
"""Letters one of which hardly any file has."""


class Cut(NamedTuple):
    """
    What a file of D documents with N annotations says.

    Args:
        documents: The documents; `ground_truth` is as it is where empty or null, and else holds strings.
        counts: Number of annotations of each document.
        a, b: Their offsets, int64 of shape (N,).
        codes: Gives the codes of their ids, as these are written, in the vocabulary, which is always the same one.
        tokens: Their `itext` and `ignore`, as far as they have these.
        keys: Their keys.

    """

    documents: list[Any]
    counts: list[int]
    a: IntArray
    b: IntArray
    codes: Callable[[Vocabulary], CodeArray]
    tokens: dict[str, Numbered]
    keys: tuple[str, ...]


class Numbered(NamedTuple):
    """Values by number, and the number of each annotation, int32 of shape (N,)."""

    values: list[Any]
    numbers: CodeArray


class Cutter:
    """Cuts one file after another, and remembers the layout and the ids as they are written."""

    def __init__(self) -> None:
        self.tokens = {
            "entity_id": Tokens(_KEY_TYPES),
            "itext": Tokens(_KEY_TYPES),
            "ignore": Tokens({bool}),
        }
        self.known = {"a", "b", *self.tokens}
        self.failures = 0

    def cut(self, raw: bytes) -> Cut | None:
        """What the file says; None, and nothing has changed, if it has to be parsed whole."""
        if len(raw) < LEAST_BYTES or self.failures >= MOST_FAILURES:
            return None
        found = self._cut(raw)
        self.failures = self.failures + 1 if found is None else 0
        return found

    def _cut(self, raw: bytes) -> Cut | None:
        first = _FIRST.search(raw)
        layout = None if first is None else layout_at(raw, first.end())
        if first is None or layout is None or not {"a", "b"} <= set(layout.names):
            return None
        text = Text(raw)
        starts, alike = _annotations(layout, text, self.tokens)
        if not len(starts):
            return None
        bounds = _runs(raw, first.end() + 1, text, starts, alike.ends)
        first_of_run, end_of_run = starts[bounds[:-1]], alike.ends[bounds[1:] - 1]
        if not set(layout.names) <= self.known and not _are_utf8(raw, first_of_run, end_of_run):
            return None
        marked = _parsed_without(raw, first_of_run, end_of_run)
        counts = None if marked is None else _counts(marked, np.diff(bounds).tolist())
        if marked is None or counts is None:
            return None
        try:
            tokens = {
                name: Numbered(self.tokens[name].values, self.tokens[name].numbers(text, *where))
                for name, where in alike.tokens.items()
            }
        except ValueError:
            return None
        if any((x.numbers < 0).any() for x in tokens.values()):
            return None
        codes = self._codes(tokens.pop("entity_id", None), len(starts))
        return Cut(marked.documents, counts, alike.integers["a"], alike.integers["b"], codes, tokens, layout.names)

    def _codes(self, ids: Numbered | None, n: int) -> Callable[[Vocabulary], CodeArray]:
        if ids is None:
            return lambda vocabulary: vocabulary.codes([None] * n)
        return lambda vocabulary: self.tokens["entity_id"].codes(ids.numbers, vocabulary)


class Marked(NamedTuple):
    """Documents that hold strings in place of runs of annotations, and these strings in order."""

    documents: list[Any]
    marks: list[str]


def _annotations(layout: Layout, text: Text, tokens: Mapping[str, Tokens]) -> tuple[IntArray, Alike]:
    """Where the annotations that are laid out alike start, and what they say."""
    starts = np.flatnonzero(text.letters[: text.end] == _OPEN)
    found = read_alike(layout, text, starts, {"a", "b"}, tokens.keys())
    is_alike = found.is_alike
    for first, last in found.tokens.values():
        is_alike = is_alike & (last - first <= LONGEST_TOKEN)
    kept = np.flatnonzero(is_alike)
    alike = Alike(
        is_alike[kept],
        found.ends[kept],
        {name: values[kept] for name, values in found.integers.items()},
        {name: (first[kept], last[kept]) for name, (first, last) in found.tokens.items()},
    )
    return starts[kept], alike


def _runs(raw: bytes, near: int, text: Text, starts: IntArray, ends: IntArray) -> IntArray:
    """Bounds of the runs of annotations with nothing but one separator, that of the first two, between any two."""
    k = int(np.searchsorted(starts, near - 1))
    found = _SEPARATOR.match(raw, int(ends[k])) if k < len(ends) else None
    separator = b"," if found is None or len(found[0]) > LONGEST_LITERAL else found[0]
    follows = (starts[1:] - ends[:-1] == len(separator)) & text.has(separator, ends[:-1])
    return np.concatenate([[0], np.flatnonzero(~follows) + 1, [len(starts)]])


def _are_utf8(raw: bytes, starts: IntArray, ends: IntArray) -> bool:
    return is_utf8(b"\n".join([raw[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]))


def _parsed_without(raw: bytes, starts: IntArray, ends: IntArray) -> Marked | None:
    """The documents parsed, with a string in place of each run; None if that cannot be."""
    mark = next((x for x in _MARKS if not _is_said(x, raw)), None)
    if mark is None:
        return None
    runs: list[tuple[int, int]] = list(zip(starts.tolist(), ends.tolist(), strict=True))
    kept = [raw[b:a] for (a, _), (_, b) in zip(runs, [(0, 0), *runs], strict=False)]
    marked = chain.from_iterable((part, b'"%b%d"' % (mark, k)) for k, part in enumerate(kept))
    try:
        content = orjson.loads(b"".join([*marked, raw[runs[-1][1] :]]))
    except ValueError:
        return None
    documents = content if isinstance(content, list) else [content]
    return Marked(documents, [f"{mark.decode()}{k}" for k in range(len(runs))])


def _is_said(letter: bytes, raw: bytes) -> bool:
    """Whether a string of the file may hold the letter, as it is or escaped."""
    return any(written in raw for written in (letter, b"\\u%04x" % ord(letter), b"\\u%04X" % ord(letter)))


def _counts(marked: Marked, sizes: list[int]) -> list[int] | None:
    """Number of annotations of each document; None if not all they have are the runs, in order."""
    try:
        lists = [document["ground_truth"] for document in marked.documents]
    except (KeyError, TypeError):
        return None
    if set(map(type, lists)) - {list, type(None)} or list(chain.from_iterable(filter(None, lists))) != marked.marks:
        return None
    size = iter(sizes)
    return [sum(islice(size, len(x))) if x else 0 for x in lists]

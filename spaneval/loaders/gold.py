"""
Gold: `*.gt.json` files and folders, or documents in memory → `Corpus`.

Files are read in batches of documents. A batch whose values are all plain (the rule) becomes columns at once; any other
is first read value by value, which words the problems and leaves plain values behind.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson

from spaneval.corpus import CodeArray, Corpus, Documents, IntArray
from spaneval.exceptions import FormatError, InputError, SpanError
from spaneval.loaders.json_text import BOM, json_problem, locate, parse_exactly
from spaneval.loaders.rows import Progress, Watch
from spaneval.loaders.scalars import BAD, Vocabulary, describe, field_values, offset, text_id
from spaneval.problems import Note, Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES: Final = (".gt.json", ".gt.json.gz")
MEMORY: Final = "(gold)"
"""Stands for a file name where documents were handed over in memory."""
BATCH: Final = 1_000_000
"""Bytes read before they become columns."""
SAMPLED_TEXTS: Final = 1024
"""Texts kept when only the check of the documents needs them."""

_DOCUMENT_KEYS = ("text", "ground_truth", "doc_id", "itext", "evaluation_span")
_ANNOTATION_KEYS = ("a", "b", "entity_id", "ignore", "itext")
_ID_LOOKALIKES = ("id", "kb_id", "entity", "entityid", "entity_id_predicted")


def find_gold_files(paths: Sequence[str], problems: Problems) -> list[str]:
    """
    The gold files that `paths` stand for, in corpus order.

    Files as given; a folder stands for every `*.gt.json` and `*.gt.json.gz` below it, by the parts of the relative path
    in code-point order. A folder without any, and a file that is named twice, are problems.
    """
    found: dict[str, str] = {}
    for path in paths:
        inside = _inside(path, problems) if os.path.isdir(path) else [path]
        for name in inside:
            real = os.path.realpath(name)
            if real in found:
                hint = "name each file once; a folder already stands for all files below it"
                problems.add(Problem(f"given twice (also as {found[real]})", file=name, hint=hint))
            else:
                found[real] = name
    return list(found.values())


def _inside(folder: str, problems: Problems) -> list[str]:
    def unreadable(error: OSError) -> None:
        problems.add(Problem(f"cannot be read: {error.strerror}", file=error.filename or folder))

    names: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for root, folders, files in os.walk(folder, onerror=unreadable, followlinks=True):
        real = os.path.realpath(root)
        if real in seen:  # a link that leads back up
            folders.clear()
            continue
        seen.add(real)
        parts = () if root == folder else tuple(os.path.relpath(root, folder).split(os.sep))
        names += [(*parts, name) for name in files if name.endswith(SUFFIXES)]
    if not names:
        hint = "gold files end in .gt.json; other names can be given one by one with --gt FILE"
        problems.add(Problem("no *.gt.json file in this folder or below", file=folder, hint=hint))
    return [os.path.join(folder, *name) for name in sorted(names)]


def load_gold(
    paths: Sequence[str],
    *,
    problems: Problems,
    notes: list[Note],
    keep_texts: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Corpus:
    """
    Read gold files.

    Args:
        paths: Files and folders, in the order in which documents are numbered.
        problems: Gathers what cannot be used.
        notes: Gathers what a reader should know.
        keep_texts: Whether to keep every text; else only those that the check of the documents looks at.
        progress: Called with the number of bytes read since the last call.
        watch: Sees the text of every file that is JSON.

    Returns:
        The corpus, without what was reported to `problems`.

    """
    builder = _Builder(problems, notes, keep_texts=keep_texts)
    for name in find_gold_files(paths, problems):
        raw = read_gold_file(name, problems)
        if raw is None:
            continue
        if progress:
            progress(len(raw))
        try:
            content = orjson.loads(raw)
        except orjson.JSONDecodeError:
            problems.add(json_problem(raw, name))
            continue
        if watch:
            watch(raw, name, 1)
        builder.add_file(name, content, len(raw))
    return builder.finish()


def gold_from_documents(documents: Iterable[Mapping[str, Any]], *, problems: Problems, notes: list[Note]) -> Corpus:
    """Gold from documents in memory, shaped as in a file."""
    builder = _Builder(problems, notes, keep_texts=True)
    builder.add_file(MEMORY, [dict(d) if isinstance(d, Mapping) else d for d in documents], 0)
    return builder.finish()


def gold_from_frame(frame: pd.DataFrame, *, problems: Problems, notes: list[Note]) -> Corpus:
    """Gold from a data frame with a row per annotation; `itext` or `doc_id` tells documents apart."""
    key = next((name for name in ("doc_id", "itext") if name in frame.columns), None)
    if key is None:
        found = ", ".join(map(str, frame.columns))
        problems.add(Problem(f"gold needs a column 'itext' or 'doc_id' (found: {found})", kind=FormatError))
        return gold_from_documents([], problems=problems, notes=notes)
    plain = frame.astype(object).where(frame.notna(), None)
    documents: dict[Any, dict[str, Any]] = {}
    for row in plain.to_dict("records"):
        document = documents.setdefault(row[key], {key: row[key], "ground_truth": []})
        document["ground_truth"].append({name: value for name, value in row.items() if name != key})
    return gold_from_documents(documents.values(), problems=problems, notes=notes)


def read_gold_file(name: str, problems: Problems) -> bytes | None:
    """The bytes of a gold file, unpacked, without a byte-order mark; None, and a problem, if it cannot be read."""
    try:
        with open(name, "rb") as file:
            raw = file.read()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problems.add(Problem(f"broken gzip data: {error}", file=name, kind=FormatError))
        return None
    except OSError as error:
        problems.add(Problem(f"cannot be read: {error.strerror}", file=name))
        return None
    return raw.removeprefix(BOM)


class _Columns(NamedTuple):
    """What a batch of D plain documents with N annotations becomes."""

    counts: list[int]
    a: IntArray
    b: IntArray
    id: list[Any]
    ignore: list[Any] | None
    itext: list[Any] | None
    keys: set[str]


class _Builder:
    """Gathers documents file by file, and makes the corpus of them."""

    def __init__(self, problems: Problems, notes: list[Note], *, keep_texts: bool) -> None:
        self.problems, self.notes, self.keep_texts = problems, notes, keep_texts
        self.files: list[str] = []
        self.file: list[int] = []
        self.position: list[int] = []
        self.doc_id: list[str | None] = []
        self.itext: list[str | None] = []
        self.length: list[int] = []
        self.text_hash: list[int] = []
        self.scope: dict[int, Any] = {}
        self.annotated: list[bool] = []
        self.texts: dict[int, str] = {}
        self.stride = 1
        self.counts: list[int] = []
        self.ids = Vocabulary()
        self.keys: set[str] = set()
        self.columns: list[tuple[Any, Any, CodeArray, Any]] = []
        self.pending: list[Any] = []
        self.pending_bytes = 0

    def add_file(self, name: str, content: Any, size: int) -> None:
        """Take the documents of one file of `size` bytes."""
        documents = content if isinstance(content, list) else [content]
        self.file += [len(self.files)] * len(documents)
        self.position += range(len(documents))
        self.files.append(name)
        self.pending += documents
        self.pending_bytes += size
        if self.pending_bytes >= BATCH:
            self._flush()

    def _flush(self) -> None:
        documents = self.pending
        columns = _plain_columns(documents)
        if columns is None:
            documents = self._read_carefully()
            columns = _plain_columns(documents)
            if columns is None:
                raise AssertionError("documents that were read carefully are plain")
        self._append(documents, columns)
        self.pending, self.pending_bytes = [], 0

    def _read_carefully(self) -> list[Any]:
        """The pending documents, value by value, with exact numbers; what cannot be used becomes a problem."""
        first = len(self.position) - len(self.pending)
        reader = _CarefulReader(self.problems)
        return [
            reader.read(document, self.files[self.file[k]], self.position[k])
            for k, document in enumerate(self.pending, start=first)
        ]

    def _append(self, documents: list[Any], columns: _Columns) -> None:
        number = len(self.doc_id)
        written = _written_itext(columns)
        for k, (document, itext) in enumerate(zip(documents, written, strict=True), start=number):
            text = document.get("text")
            self.length.append(-1 if text is None else len(text))
            own = text_id(document.get("itext"))
            self.itext.append(text_id(itext) if own is None else own)  # type: ignore[arg-type]  # plain, so never BAD
            self.doc_id.append(text_id(document.get("doc_id")))  # type: ignore[arg-type]  # plain, so never BAD
            self.annotated.append(document["ground_truth"] is not None)
            if document.get("evaluation_span") is not None:
                self.scope[k] = document["evaluation_span"]
            self.text_hash.append(0 if text is None else text_hash(text))
            if text is not None:
                self._keep_text(k, text)
        codes = self.ids.codes(columns.id)
        ignore = None if columns.ignore is None else np.array(columns.ignore, dtype=np.bool_)
        self.counts += columns.counts
        self.keys |= columns.keys
        self.columns.append((_narrow(columns.a), _narrow(columns.b), codes, ignore))

    def _keep_text(self, number: int, text: str) -> None:
        """Keep the text; where only a sample is wanted, every `stride`-th one, thinned out as the corpus grows."""
        if self.keep_texts:
            self.texts[number] = text
        elif number % self.stride == 0:
            self.texts[number] = text
            if len(self.texts) > SAMPLED_TEXTS:
                self.stride *= 2
                self.texts = {k: kept for k, kept in self.texts.items() if k % self.stride == 0}

    def finish(self) -> Corpus:
        """The corpus of all files added."""
        if self.pending:
            self._flush()
        self._check_keys()
        ids, code_of = _id_sets(self.ids)
        a, b, code, _ = zip(*self.columns, strict=True) if self.columns else ((), (), (), ())
        return Corpus(
            documents=self._documents(),
            doc=np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts),
            a=_joined(a),
            b=_joined(b),
            id=code_of[_joined(code)],
            ids=ids,
            is_ignored=self._ignored(),
        )

    def _ignored(self) -> Any:
        if all(ignore is None for *_, ignore in self.columns):
            return None
        parts = [np.zeros(len(a), np.bool_) if ignore is None else ignore for a, _, _, ignore in self.columns]
        joined = np.concatenate(parts)
        return joined if joined.any() else None

    def _documents(self) -> Documents:
        scope = None
        if self.scope:
            scope = np.full((len(self.counts), 2), -1, dtype=np.int64)
            scope[list(self.scope)] = list(self.scope.values())
        return Documents(
            files=self.files,
            file=np.array(self.file, dtype=np.int32),
            position=np.array(self.position, dtype=np.int32),
            doc_id=self.doc_id,
            itext=self.itext,
            text_hash=np.array(self.text_hash, dtype=np.int64),
            length=np.array(self.length, dtype=np.int64),
            scope=scope,
            is_annotated=np.array(self.annotated, dtype=np.bool_),
            texts=self.texts,
        )

    def _check_keys(self) -> None:
        """Look for keys that are nearly ours: ids under another name are a problem, other near misses a note."""
        if "entity_id" not in self.keys and (near := [key for key in _ID_LOOKALIKES if key in self.keys]):
            found = ", ".join(sorted(self.keys))
            hint = f"rename '{near[0]}' to 'entity_id'"
            self.problems.add(Problem(f"no annotation has 'entity_id' (found: {found})", self.files[0], hint=hint))
        for key in sorted(self.keys - set(_ANNOTATION_KEYS)):
            if close := get_close_matches(key, ("ignore", "itext", "entity_id"), 1, cutoff=0.8):
                message = f"annotations carry '{key}', which is not read; '{close[0]}' is what spaneval reads"
                self.notes.append(Note("near-key", 0, message))


def _plain_columns(documents: list[Any]) -> _Columns | None:
    """
    The columns of documents whose values are all of the usual types and all spans possible; else None.

    Usual: integers for offsets, text, integer or null for ids and keys, a list of texts for several ids.
    """
    try:
        lists = [document["ground_truth"] for document in documents]
        if set(map(type, lists)) - {list, type(None)}:
            return None
        annotations = list(chain.from_iterable([x for x in lists if x]))
        if set(map(type, annotations)) - {dict}:
            return None
        a, b = list(map(itemgetter("a"), annotations)), list(map(itemgetter("b"), annotations))
        if set(map(type, a)) - {int} or set(map(type, b)) - {int}:
            return None
        starts, ends = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    except (KeyError, TypeError, OverflowError):
        return None
    counts = [len(x) if x else 0 for x in lists]
    keys: set[str] = set().union(*annotations)
    columns = _Columns(counts, starts, ends, *_optional(annotations, keys), keys)
    return columns if _is_plain(documents, columns) else None


def _optional(annotations: list[Any], keys: set[str]) -> tuple[list[Any], list[Any] | None, list[Any] | None]:
    ids = field_values(annotations, "entity_id") if "entity_id" in keys else [None] * len(annotations)
    if list in map(type, ids):
        ids = [tuple(x) if type(x) is list else x for x in ids]
    ignore = [x.get("ignore", False) for x in annotations] if "ignore" in keys else None
    itext = field_values(annotations, "itext") if "itext" in keys else None
    return ids, ignore, itext


_KEY_TYPES = {int, str, type(None)}


def _is_plain(documents: list[Any], columns: _Columns) -> bool:
    id_types = set(map(type, columns.id))
    if id_types - {int, str, tuple, type(None)}:
        return False
    if tuple in id_types and {type(y) for x in columns.id if type(x) is tuple for y in x} - {str}:
        return False
    if columns.ignore is not None and set(map(type, columns.ignore)) - {bool}:
        return False
    texts = [document.get("text", "") for document in documents]
    if set(map(type, texts)) - {str}:
        return False
    if any({type(d.get("itext")), type(d.get("doc_id"))} - _KEY_TYPES for d in documents):
        return False
    no_end = np.iinfo(np.int64).max
    length = np.array([len(d["text"]) if "text" in d else no_end for d in documents], dtype=np.int64)
    low, high = np.zeros_like(length), length
    spans = {k: d["evaluation_span"] for k, d in enumerate(documents) if d.get("evaluation_span") is not None}
    if not all(_is_scope(span, int(length[k])) for k, span in spans.items()):
        return False
    if spans:
        low[list(spans)], high[list(spans)] = np.array(list(spans.values())).T
    counts = columns.counts
    if not (
        (columns.a < columns.b) & (columns.a >= np.repeat(low, counts)) & (columns.b <= np.repeat(high, counts))
    ).all():
        return False
    return columns.itext is None or _one_itext_each(documents, columns)


def _is_scope(span: Any, length: int) -> bool:
    """Whether an `evaluation_span` is `[a, b]` inside a text of `length`."""
    return (
        type(span) in (list, tuple)
        and len(span) == 2
        and all(type(x) is int for x in span)
        and 0 <= span[0] <= span[1] <= length
    )


def _one_itext_each(documents: list[Any], columns: _Columns) -> bool:
    itext = columns.itext or []
    if set(map(type, itext)) - _KEY_TYPES:
        return False
    ends = accumulate(columns.counts)
    return all(
        d.get("itext") is not None or len(set(itext[end - n : end])) <= 1
        for d, n, end in zip(documents, columns.counts, ends, strict=True)
    )


def _written_itext(columns: _Columns) -> list[Any]:
    """The itext of the first annotation of each document; None where there is none."""
    if columns.itext is None:
        return [None] * len(columns.counts)
    itext, ends = columns.itext, accumulate(columns.counts)
    return [itext[end - n] if n else None for n, end in zip(columns.counts, ends, strict=True)]


def text_hash(text: str) -> int:
    """32 bits that depend on the text."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _narrow(offsets: IntArray) -> Any:
    """Offsets in 32 bits where they fit, so that parts that wait for the rest take half the room."""
    fits = not offsets.size or offsets.max() <= np.iinfo(np.int32).max
    return offsets.astype(np.int32) if fits else offsets


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _id_sets(raw: Vocabulary) -> tuple[list[tuple[str, ...]], CodeArray]:
    """Distinct id sets in text order, and the code of each raw value; values that mean the same share a code."""
    normal = [_id_set(value) for value in raw]
    ids = sorted({x for x in normal if x})
    code = {x: k for k, x in enumerate(ids)}
    return ids, np.array([code.get(x, -1) for x in normal], dtype=np.int32)


def _id_set(value: Any) -> tuple[str, ...]:
    many = value if isinstance(value, tuple) else (value,)
    return tuple(sorted({text for x in many if (text := text_id(x)) and text is not BAD}))


class _CarefulReader:
    """Reads documents value by value, where one of a batch is not plain."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.file: str | None = None
        self.raw: bytes | None = None
        self.exact: list[Any] = []

    def read(self, document: Any, file: str, position: int) -> dict[str, Any]:
        """
        A plain document of what can be used of `document`, which stands at `position` in `file`.

        The file is parsed once more, so that numbers that a float would round are seen as written.
        """
        if file != self.file:
            self.file = file
            self.raw = None if file == MEMORY else read_gold_file(file, self.problems)
            content = [] if self.raw is None else parse_exactly(self.raw)
            self.exact = content if isinstance(content, list) else [content]
        if self.raw is not None:
            document = self.exact[position]
        self.position = position
        if not isinstance(document, dict):
            self._add((), f"expected a document object, found {describe(document)}", FormatError)
            return {"ground_truth": []}
        return self._document(document)

    def _document(self, document: dict[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        text = document.get("text")
        if isinstance(text, str):
            plain["text"] = text
        elif text is not None:
            self._add(("text",), f"'text' is {describe(text)}, expected a string", FormatError)
        for key in ("doc_id", "itext"):
            plain[key] = self._key(document.get(key), (key,))
        plain["evaluation_span"] = self._scope(document, plain.get("text"))
        annotations = self._annotations(document)
        plain["ground_truth"] = annotations and [
            x for k, item in enumerate(annotations) if (x := self._annotation(item, k, plain)) is not None
        ]
        if plain["itext"] is None:
            self._check_itext(plain["ground_truth"] or [])
        return plain

    def _annotations(self, document: dict[str, Any]) -> list[Any] | None:
        if "ground_truth" not in document:
            near = get_close_matches("ground_truth", document, 1, cutoff=0.7) or [
                k for k in document if k == "entities"
            ]
            found = ", ".join(map(str, document)) or "nothing"
            hint = f"is '{near[0]}' meant? " if near else ""
            hint += "`[]` means annotated with nothing found, `null` means not annotated"
            self._add((), f"no 'ground_truth' (found: {found})", FormatError, hint)
            return []
        annotations = document["ground_truth"]
        if annotations is None or isinstance(annotations, list):
            return annotations
        self._add(("ground_truth",), f"'ground_truth' is {describe(annotations)}, expected a list or null", FormatError)
        return []

    def _scope(self, document: dict[str, Any], text: str | None) -> list[int] | None:
        span = document.get("evaluation_span")
        if span is None:
            return None
        length = len(text) if text is not None else np.iinfo(np.int64).max
        if isinstance(span, list) and len(span) == 2:
            ends = [offset(x) for x in span]
            if _is_scope(ends, int(length)):
                return ends  # type: ignore[return-value]  # _is_scope has ruled out BAD
        inside = f" within the text ({len(text)} characters)" if text is not None else ""
        shown = span if isinstance(span, list) and len(str(span)) < 60 else describe(span)
        self._add(
            ("evaluation_span",), f"evaluation_span is {shown}, expected [a, b] with 0 <= a <= b{inside}", SpanError
        )
        return None

    def _key(self, value: Any, path: tuple[str | int, ...]) -> str | None:
        text = text_id(value)
        if text is BAD:
            self._add(path, f"'{path[-1]}' is {describe(value)}, expected text or an integer", FormatError)
            return None
        return text

    def _annotation(self, item: Any, k: int, document: dict[str, Any]) -> dict[str, Any] | None:
        path = ("ground_truth", k)
        if not isinstance(item, dict):
            self._add(path, f"expected an annotation object, found {describe(item)}", FormatError)
            return None
        span = self._span(item, path, document)
        ids = self._ids(item.get("entity_id"), path)
        ignore = item.get("ignore", False)
        if ignore is not None and not isinstance(ignore, bool):
            self._add(path, f"'ignore' is {describe(ignore)}, expected true or false", FormatError)
        plain: dict[str, Any] = {key: None for key in item if key not in _ANNOTATION_KEYS}  # their names still count
        if "entity_id" in item:
            plain["entity_id"] = ids
        itext = self._key(item.get("itext"), (*path, "itext"))
        return None if span is None else plain | {"a": span[0], "b": span[1], "ignore": ignore is True, "itext": itext}

    def _span(
        self, item: dict[str, Any], path: tuple[str | int, ...], document: dict[str, Any]
    ) -> tuple[int, int] | None:
        ends = []
        for key in ("a", "b"):
            if key not in item:
                found = ", ".join(map(str, item)) or "nothing"
                self._add(
                    path, f"no '{key}' (found: {found})", SpanError, "a and b are offsets in code points, end exclusive"
                )
                return None
            value = offset(item[key])
            if value is BAD:
                self._add(path, f"'{key}' is {describe(item[key])}, expected an integer within 64 bits", SpanError)
                return None
            ends.append(value)
        a, b = ends
        text, scope = document.get("text"), document["evaluation_span"]
        if a < 0:
            self._add(path, f"span [{a}, {b}) starts before the text", SpanError, "offsets count from 0")
        elif b <= a:
            self._add(path, f"span end must be greater than its start (a={a}, b={b})", SpanError, "ends are exclusive")
        elif text is not None and b > len(text):
            hint = "offsets count Unicode code points; these may count UTF-16 units or bytes"
            self._add(path, f"span [{a}, {b}) ends after the text ({len(text)} characters)", SpanError, hint)
        elif scope is not None and not (scope[0] <= a and b <= scope[1]):
            message = f"span [{a}, {b}) is not wholly inside the evaluation_span [{scope[0]}, {scope[1]})"
            self._add(path, message, SpanError, "widen evaluation_span, or remove the annotation")
        else:
            return a, b
        return None

    def _ids(self, value: Any, path: tuple[str | int, ...]) -> tuple[str, ...]:
        texts = []
        for one in value if isinstance(value, list | tuple) else [value]:
            text = text_id(one)
            if text is BAD:
                expected = "expected text, an integer, null or a list of these"
                self._add(path, f"entity_id is {describe(one)}, {expected}", FormatError)
            elif text is not None:
                texts.append(text)
        return tuple(texts)

    def _check_itext(self, annotations: list[dict[str, Any]]) -> None:
        """One document has one itext; annotations without one take that of the others."""
        written = sorted({x["itext"] for x in annotations} - {None})
        if len(written) > 1:
            hint = "put `itext` on the document, or split it into one document per itext"
            message = f"annotations of one document carry itext {written[0]} and {written[1]}"
            self._add(("ground_truth",), message, InputError, hint)
        for x in annotations:
            x["itext"] = written[0] if written else None

    def _add(
        self, path: tuple[str | int, ...], message: str, kind: type[InputError] = InputError, hint: str | None = None
    ) -> None:
        if not self.problems.wants_more:
            self.problems.add_uncounted(1)
            return
        line = None if self.raw is None else locate(self.raw, (self.position, *path))
        where = f"document {self.position}" + "".join(f", {_shown(p)}" for p in [path[:2]] if p)
        file = None if self.raw is None else self.file
        self.problems.add(Problem(f"{where}: {message}", file=file, line=line, hint=hint, kind=kind))


def _shown(path: tuple[str | int, ...]) -> str:
    return f"{path[0]}[{path[1]}]" if len(path) == 2 else str(path[0])

"""
Gold: `*.gt.json` files and folders, or documents in memory → `Corpus`.

Annotations that are laid out alike are cut out of large files and become columns without a parser. Other files are read
in batches of documents. A batch whose values are all plain (the rule) becomes columns at once; any other is first read
value by value, which words the problems and leaves plain values behind.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from spaneval.corpus import CodeArray, Corpus, Documents
from spaneval.exceptions import FormatError, InputError
from spaneval.loaders.blocks import Progress, Watch
from spaneval.loaders.columns import coded, joined, narrow
from spaneval.loaders.gold_values import ANNOTATION_KEYS, FileReader
from spaneval.loaders.json_text import BOM, json_problem, parse
from spaneval.loaders.plain_gold import GoldColumns, cut_columns, plain_columns
from spaneval.loaders.sampling import LEAST_SAMPLE, Sample, key_hash
from spaneval.loaders.scalars import BAD, Vocabulary, field_values, text_id
from spaneval.loaders.tables import open_bytes
from spaneval.nearest import nearest
from spaneval.problems import Note, Problem, Problems

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.loaders.gold_cut import Cut, Cutter

SUFFIXES: Final = (".gt.json", ".gt.json.gz")
MEMORY: Final = "(gold)"
"""Stands for a file name where documents were handed over in memory."""
FEW_BYTES: Final = 1 << 21
"""Gold of up to this size is parsed: so little takes less time than to load what does without."""
BATCH: Final = 1_000_000
"""Bytes read before they become columns."""
SAMPLED_TEXTS: Final = 1024
"""Texts kept when only the check of the documents needs them."""

_DOCUMENT_KEYS = ("text", "ground_truth", "doc_id", "itext", "evaluation_span")
_ID_LOOKALIKES = ("kb_id", "entityid", "entity_ids", "entity_id_predicted", "entity")


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
        for name in folders:
            if name.endswith(SUFFIXES):
                hint = "folders of gold files may have any other name"
                problems.add(Problem("a folder, expected a gold file", os.path.join(root, name), hint=hint))
    if not names:
        hint = "gold files end in .gt.json; other names can be given one by one with --gt FILE"
        problems.add(
            Problem("no *.gt.json file found in this folder or below, expected one or more", folder, hint=hint)
        )
    return [os.path.join(folder, *name) for name in sorted(names)]


def load_gold(
    paths: Sequence[str],
    *,
    problems: Problems,
    notes: list[Note],
    keep_texts: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
    fields: Sequence[str] = (),
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
        fields: Further keys of the annotations to keep.

    Returns:
        The corpus, without what was reported to `problems`.

    """
    builder = _Builder(problems, notes, keep_texts=keep_texts, fields=fields)
    cutter: Cutter | None = None
    n_read = 0
    for name in find_gold_files(paths, problems):
        raw = read_gold_file(name, problems)
        if raw is None:
            continue
        if progress:
            progress(len(raw))
        n_read += len(raw)
        if cutter is None and n_read > FEW_BYTES and not (watch or fields):
            from spaneval.loaders.gold_cut import Cutter

            cutter = Cutter()
        cut = None if cutter is None else cutter.cut(raw)
        if cut is not None:
            builder.add_file(_File(name, cut.documents, raw, cut))
            continue
        try:
            content = parse(raw)
        except ValueError:
            problems.add(json_problem(raw, name))
            continue
        if watch:
            watch(raw, name, 1)
        builder.add_file(_File(name, _documents_of(content), raw))
    return builder.finish()


def gold_from_documents(
    documents: Iterable[Mapping[str, Any]], *, problems: Problems, notes: list[Note], fields: Sequence[str] = ()
) -> Corpus:
    """Gold from documents in memory, shaped as in a file."""
    builder = _Builder(problems, notes, keep_texts=True, fields=fields)
    if isinstance(documents, Mapping):
        documents = [documents]
    builder.add_file(_File(MEMORY, [dict(d) if isinstance(d, Mapping) else d for d in documents], None))
    return builder.finish()


def gold_from_frame(
    frame: pd.DataFrame, *, problems: Problems, notes: list[Note], fields: Sequence[str] = ()
) -> Corpus:
    """Gold from a data frame with a row per annotation; `itext` or `doc_id` tells documents apart."""
    key = next((name for name in ("doc_id", "itext") if name in frame.columns), None)
    if key is None:
        found = ", ".join(map(str, frame.columns))
        problems.add(Problem(f"gold needs a column 'itext' or 'doc_id' (found: {found})", kind=FormatError))
        return gold_from_documents([], problems=problems, notes=notes)
    plain = frame.astype(object).where(frame.notna(), None)
    documents: dict[Any, dict[str, Any]] = {}
    for row in plain.to_dict("records"):
        name = text_id(row[key])
        document = documents.setdefault(row[key] if name is BAD else name, {key: row[key], "ground_truth": []})
        document["ground_truth"].append({column: value for column, value in row.items() if column != key})
    return gold_from_documents(documents.values(), problems=problems, notes=notes, fields=fields)


def read_gold_file(name: str, problems: Problems) -> bytes | None:
    """The bytes of a gold file, unpacked, without a byte-order mark; None, and a problem, if it cannot be read."""
    try:
        with open_bytes(name) as file:
            return file.read().removeprefix(BOM)
    except InputError as error:
        for problem in error.problems:
            problems.add(problem)
        return None


class _File(NamedTuple):
    """
    A file that waits to become columns.

    Args:
        name: Its name, or `MEMORY`.
        documents: What stands in it.
        raw: Its bytes; None for documents in memory.
        cut: What was read without a parser; then `documents` are without annotations.

    """

    name: str
    documents: list[Any]
    raw: bytes | None
    cut: Cut | None = None


class _Builder:
    """Gathers documents file by file, and makes the corpus of them."""

    def __init__(self, problems: Problems, notes: list[Note], *, keep_texts: bool, fields: Sequence[str]) -> None:
        self.problems, self.notes, self.keep_texts = problems, notes, keep_texts
        self.fields: dict[str, list[Any]] = {name: [] for name in fields}
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
        self.sample, self.hashes = Sample(), cast("dict[int, list[int]]", {})
        self.counts: list[int] = []
        self.ids = Vocabulary()
        self.keys: set[str] = set()
        self.document_keys: set[str] = set()
        self.columns: list[tuple[Any, Any, CodeArray, Any]] = []
        self.pending: list[_File] = []
        self.pending_bytes = 0

    def add_file(self, file: _File) -> None:
        """Take the documents of one file."""
        self.file += [len(self.files)] * len(file.documents)
        self.position += range(len(file.documents))
        self.files.append(file.name)
        self.pending.append(file)
        self.pending_bytes += len(file.raw or b"")
        if self.pending_bytes >= BATCH:
            self._flush()

    def _flush(self) -> None:
        parts = [list(files) for _, files in groupby(self.pending, key=lambda file: file.cut is not None and file.name)]
        columns = [_columns_of(files) for files in parts]
        if None in columns:
            parts = [[file if file.cut is None else _whole(file) for file in self.pending]]
            columns = [None]
        for files, found in zip(parts, columns, strict=True):
            documents = [document for file in files for document in file.documents]
            self.document_keys.update(*(document for document in documents if isinstance(document, Mapping)))
            if found is None:
                documents = self._read_carefully(files)
                found = plain_columns(documents)
            if found is None:
                raise AssertionError("documents that were read carefully are plain")
            self._append(documents, found)
        self.pending, self.pending_bytes = [], 0

    def _read_carefully(self, files: list[_File]) -> list[Any]:
        """The documents, value by value, with exact numbers; what cannot be used becomes a problem."""
        plain: list[Any] = []
        for file in files:
            reader = FileReader(None if file.raw is None else file.name, file.raw, self.problems)
            plain += [reader.read(document, k) for k, document in enumerate(file.documents)]
        return plain

    def _append(self, documents: list[Any], columns: GoldColumns) -> None:
        number = len(self.doc_id)
        texts = [document.get("text") for document in documents]
        self.length += [-1 if text is None else len(text) for text in texts]
        self.text_hash += [0 if text is None else text_hash(text) for text in texts]
        self.itext += [
            _plain_text(document.get("itext")) or _plain_text(itext)
            for document, itext in zip(documents, columns.itext, strict=True)
        ]
        self.doc_id += [_plain_text(document.get("doc_id")) for document in documents]
        self.annotated += [document["ground_truth"] is not None for document in documents]
        spans = enumerate((document.get("evaluation_span") for document in documents), start=number)
        self.scope |= {k: span for k, span in spans if span is not None}
        for k, text in enumerate(texts, start=number):
            if text is not None:
                self._keep_text(k, text)
        if self.fields:
            annotations = [x for document in documents for x in document["ground_truth"] or ()]
            for name, kept in self.fields.items():
                kept += field_values(annotations, name)
        self.counts += columns.counts
        self.keys.update(columns.keys)
        self.columns.append((narrow(columns.a), narrow(columns.b), columns.codes(self.ids), columns.is_ignored))

    def _keep_text(self, number: int, text: str) -> None:
        """Keep the text; where only a sample is wanted, if a row may call the document by a key of the sample."""
        if self.keep_texts:
            self.texts[number] = text
            return
        names = {str(number), str(self.position[number]), self.itext[number], self.doc_id[number]}
        hashes = [key_hash(name) for name in names if name is not None]
        if not self.sample.holds_any(hashes):
            return
        self.texts[number], self.hashes[number] = text, hashes
        while len(self.texts) > SAMPLED_TEXTS and self.sample.every < LEAST_SAMPLE:
            self.sample.halve()
            self.hashes = {k: kept for k, kept in self.hashes.items() if self.sample.holds_any(kept)}
            self.texts = {k: self.texts[k] for k in self.hashes}

    def finish(self) -> Corpus:
        """The corpus of all files added."""
        if self.pending:
            self._flush()
        self._check_keys()
        ids, code_of = coded(map(_id_set, self.ids))
        a, b, code, _ = zip(*self.columns, strict=True) if self.columns else ((), (), (), ())
        return Corpus(
            documents=self._documents(),
            doc=np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts),
            a=joined(a),
            b=joined(b),
            id=code_of[joined(code)],
            ids=ids,
            is_ignored=self._ignored(),
            fields=self.fields,
            keys=frozenset(map(str, self.keys)),
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
            found = ", ".join(sorted(map(str, self.keys)))
            hint = f"rename '{near[0]}' to 'entity_id'"
            message = f"no annotation has 'entity_id' (found: {found})"
            self.problems.add(Problem(message, _file_name(self.files[0]), hint=hint, kind=FormatError))
        elif "entity_id" not in self.keys and "id" in self.keys:  # often the name of the annotation, not of the entity
            message = "no annotation has 'entity_id'; if 'id' names the entity, rename it to 'entity_id'"
            self.notes.append(Note("no-gold-ids", 0, message))
        self._note_near_keys("annotations", self.keys - set(ANNOTATION_KEYS), ("ignore", "itext", "entity_id"))
        self._note_near_keys("documents", self.document_keys - set(_DOCUMENT_KEYS), _DOCUMENT_KEYS)

    def _note_near_keys(self, what: str, keys: set[str], ours: Sequence[str]) -> None:
        for key in sorted(map(str, keys)):
            if close := nearest(key, ours, 1, cutoff=0.8):
                message = f"gold {what} carry '{key}', which is not read; '{close[0]}' is what spaneval reads"
                self.notes.append(Note("near-key", 0, message))


def _columns_of(files: list[_File]) -> GoldColumns | None:
    """The columns of files, or of one that was cut, if all values are plain; else None."""
    if files[0].cut is not None:
        return cut_columns(files[0].cut)
    return plain_columns([document for file in files for document in file.documents])


def _whole(file: _File) -> _File:
    """A file that was cut, with its annotations."""
    return file._replace(documents=_documents_of(parse(file.raw or b"")), cut=None)


def _documents_of(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _file_name(name: str) -> str | None:
    return None if name == MEMORY else name


def _plain_text(value: Any) -> str | None:
    """A document key that is text, an integer or none, as text."""
    return str(value) if type(value) is int else value or None


def text_hash(text: str) -> int:
    """32 bits that depend on the text."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _id_set(value: Any) -> tuple[str, ...]:
    """The acceptable ids that a plain value stands for."""
    if type(value) is str:  # nearly all are
        return (value,) if value else ()
    many = value if isinstance(value, tuple) else (value,)
    return tuple(sorted({text for x in many if (text := text_id(x)) and text is not BAD}))

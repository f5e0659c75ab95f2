"""
Inputs in every form that the Python interface takes: paths, data in memory, data frames → tables.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, cast

from spaneval.background import Background, can_fork
from spaneval.corpus import Corpus, Predictions
from spaneval.frozen import Frozen
from spaneval.loaders.blocks import Watch
from spaneval.loaders.gold import gold_from_documents, gold_from_frame, load_gold
from spaneval.loaders.predictions import RowReading, load_predictions, predictions_from_memory
from spaneval.loaders.rows import RowFormat
from spaneval.options import Options
from spaneval.pairing.documents import row_key_field
from spaneval.problems import Note, Problems

if TYPE_CHECKING:
    import pandas as pd

    from spaneval.loaders.id_map import IdMap

    Rows = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Iterable[Mapping[str, Any]] | pd.DataFrame
    Gold = Rows | Corpus
    Map = IdMap | Mapping[Any, object] | str | os.PathLike[str] | pd.DataFrame

WORTH_A_PROCESS: Final = 8_000_000
"""Bytes of prediction files from which on a second process gains more than it costs (some 10 ms)."""

Progress = Callable[[str, int, int | None], None]
"""Called with the stage, the bytes done, and the bytes in all where they are known."""


@contextmanager
def paused_gc() -> Iterator[None]:
    """Without cyclic garbage collection: reading makes millions of objects, and scanning them finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_maps(maps: Map | Sequence[Map] | None, columns: tuple[str, str] | None, problems: Problems) -> list[IdMap]:
    """The id maps in any of the forms that `evaluate` takes, in order."""
    several: Sequence[Any] = [] if maps is None else maps if isinstance(maps, list | tuple) else [maps]
    if not several:
        return []
    from spaneval.loaders.id_map import as_id_map

    return [as_id_map(one, columns=columns, problems=problems) for one in several]


def _paths(source: Any) -> list[str] | None:
    """The paths that `source` is; None if it is data."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if isinstance(source, list | tuple) and source and all(isinstance(x, str | os.PathLike) for x in source):
        return [os.fspath(x) for x in source]
    return None


def check_given(gold: Any, predictions: Any) -> None:
    """
    Refuse what is no input at all.

    Raises:
        TypeError: If either is None or a single number.

    """
    for name, source in (("gold", gold), ("predictions", predictions)):
        if source is None or isinstance(source, int | float):
            raise TypeError(f"{name} is {source!r}; expected a path, a list of paths or of dicts, or a data frame")


def names_of(source: Any) -> list[str]:
    """What the inputs are called in reports."""
    return _paths(source) or ["(in memory)"]


def read_gold(
    gold: Any,
    problems: Problems,
    notes: list[Note],
    *,
    keep_texts: bool,
    progress: Progress | None = None,
    watch: Watch | None = None,
    fields: Sequence[str] = (),
) -> Corpus:
    """The gold in any of the forms that `evaluate` takes; `fields` are further keys of the annotations to keep."""
    if isinstance(gold, Corpus):
        return gold
    paths = _paths(gold)
    if paths is None:
        read = gold_from_frame if hasattr(gold, "iterrows") else gold_from_documents
        return read(gold, problems=problems, notes=notes, fields=fields)
    report = _adding_up(progress, "gold")
    return load_gold(
        paths, problems=problems, notes=notes, keep_texts=keep_texts, progress=report, watch=watch, fields=fields
    )


def read_predictions(
    predictions: Any,
    corpus: Corpus | None,
    options: Options,
    row_format: RowFormat | None,
    problems: Problems,
    notes: list[Note],
    progress: Progress | None = None,
    *,
    ahead: ReadAhead | None = None,
    watch: Watch | None = None,
    fields: Sequence[str] = (),
) -> Predictions:
    """
    The rows in any of the forms that `evaluate` takes; without gold, a row needs no document.

    Args:
        ahead: The same rows, as far as they were read ahead of the gold; asked first.

    """
    documents = None if corpus is None else corpus.documents
    key_field = "itext" if documents is None else row_key_field(documents, options.doc_key)
    needs_key = documents is not None and len(documents) != 1
    reading = _reading(options, key_field, fields, needs_key=needs_key)
    if ahead is not None and (rows := ahead.rows(reading, notes)) is not None:
        return rows
    paths = _paths(predictions)
    if paths is None:
        return predictions_from_memory(predictions, reading, problems=problems, notes=notes)
    report = _adding_up(progress, "predictions")
    return load_predictions(
        paths, reading, row_format=row_format, problems=problems, notes=notes, progress=report, watch=watch
    )


def _reading(options: Options, key_field: str | None, fields: Sequence[str], *, needs_key: bool) -> RowReading:
    return RowReading(
        key_field=key_field,
        needs_key=needs_key,
        names=options.fields,
        min_score=options.min_score,
        skips_bad_rows=options.on_bad_row == "skip",
        fields=fields,
    )


class ReadAhead:
    """
    Rows that a second process reads while this one reads the gold; nothing, where that is not worth it or not possible.

    How rows are to be read depends on the gold a little. What is usual is assumed; if the gold turns out to be another
    kind, or a row is bad, what was read ahead is dropped and the rows are read again.

    Args:
        predictions: As `evaluate` takes them.
        options: How rows are read.
        row_format: The format of the files.
        fields: Further fields of the rows to keep.

    """

    def __init__(
        self, predictions: Any, options: Options, row_format: RowFormat | None, fields: Sequence[str] = ()
    ) -> None:
        self._reading = _reading(options, "doc_id" if options.doc_key == "doc_id" else "itext", fields, needs_key=True)
        self._paths = _paths(predictions)
        self._row_format = row_format
        is_worth_it = self._paths is not None and _size(self._paths) >= WORTH_A_PROCESS and can_fork()
        self._process: Background[tuple[Predictions, list[Note]] | None] | None = None
        if is_worth_it:
            with suppress(OSError):  # no room for a second process: everything is read in turn
                self._process = Background(self._read)

    def __enter__(self) -> ReadAhead:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._process is not None:
            self._process.__exit__(*exception)

    def _read(self) -> tuple[Predictions, list[Note]] | None:
        problems, notes = Problems(), cast("list[Note]", [])
        rows = load_predictions(
            self._paths or [], self._reading, row_format=self._row_format, problems=problems, notes=notes
        )
        return None if problems.total else (rows, notes)

    def rows(self, reading: RowReading, notes: list[Note]) -> Predictions | None:
        """The rows, if they were read as `reading` asks for."""
        if self._process is None or reading != self._reading:
            return None
        found = self._process.result()
        if found is None:
            return None
        notes += found[1]
        return found[0]


def _size(paths: Sequence[str]) -> int:
    """Bytes of the files, none of which is a pipe or a folder; else 0."""
    return sum(os.path.getsize(path) for path in paths) if all(map(os.path.isfile, paths)) else 0


def _adding_up(progress: Progress | None, stage: str) -> Callable[[int], None] | None:
    """What a loader calls with the bytes since its last call."""
    if progress is None:
        return None
    done = 0

    def add(n: int) -> None:
        nonlocal done
        done += n
        progress(stage, done, None)

    return add


class TextsOf(Frozen):
    """Gives all texts, reading the gold again where only a sample was kept."""

    gold: Any
    corpus: Corpus

    def __call__(self) -> Mapping[int, str]:
        documents = self.corpus.documents
        if len(documents.texts) == (documents.length >= 0).sum():
            return documents.texts
        source = documents.files if isinstance(self.gold, Corpus) else self.gold
        return read_gold(source, Problems(), [], keep_texts=True).documents.texts

"""
Inputs in every form that the Python interface takes: paths, data in memory, data frames → tables.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spaneval.corpus import Corpus, Predictions
from spaneval.loaders.gold import gold_from_documents, gold_from_frame, load_gold
from spaneval.loaders.id_map import IdMap, as_id_map
from spaneval.loaders.predictions import RowReading, load_predictions, predictions_from_memory
from spaneval.loaders.rows import RowFormat, Watch
from spaneval.options import Options
from spaneval.pairing.documents import keys_with_text, row_key_field
from spaneval.problems import Note, Problems

if TYPE_CHECKING:
    import pandas as pd

    Rows = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Iterable[Mapping[str, Any]] | pd.DataFrame
    Gold = Rows | Corpus
    Map = IdMap | Mapping[Any, object] | str | os.PathLike[str] | pd.DataFrame

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
    return [as_id_map(one, columns=columns, problems=problems) for one in several]


def _paths(source: Any) -> list[str] | None:
    """The paths that `source` is; None if it is data."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if isinstance(source, list | tuple) and source and all(isinstance(x, str | os.PathLike) for x in source):
        return [os.fspath(x) for x in source]
    return None


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
    watch: Watch | None = None,
    fields: Sequence[str] = (),
) -> Predictions:
    """The rows in any of the forms that `evaluate` takes; without gold, a row needs no document."""
    documents = None if corpus is None else corpus.documents
    reading = RowReading(
        key_field="itext" if documents is None else row_key_field(documents, options.doc_key),
        needs_key=documents is not None and len(documents) != 1,
        names=options.fields,
        min_score=options.min_score,
        skips_bad_rows=options.on_bad_row == "skip",
        mentions_of=frozenset() if documents is None else keys_with_text(documents),
        fields=fields,
    )
    paths = _paths(predictions)
    if paths is None:
        return predictions_from_memory(predictions, reading, problems=problems, notes=notes)
    report = _adding_up(progress, "predictions")
    return load_predictions(
        paths, reading, row_format=row_format, problems=problems, notes=notes, progress=report, watch=watch
    )


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


@dataclass(frozen=True)
class TextsOf:
    """Gives all texts, reading the gold again where only a sample was kept."""

    gold: Any
    corpus: Corpus

    def __call__(self) -> Mapping[int, str]:
        documents = self.corpus.documents
        if len(documents.texts) == (documents.length >= 0).sum():
            return documents.texts
        source = documents.files if isinstance(self.gold, Corpus) else self.gold
        return read_gold(source, Problems(), [], keep_texts=True).documents.texts

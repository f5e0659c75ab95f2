"""
Folders of JSON documents: labels, results of systems, and the schemas that both are read by.

A document is named by its file, `<document>.json`. The labels say which documents there are.
"""

from __future__ import annotations

import json
import math
import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from spaneval.exceptions import AlignmentError, FormatError
from spaneval.loaders.json_depth import DEEPEST, is_too_deep
from spaneval.loaders.json_schema import Node, schema_of
from spaneval.loaders.scalars import BAD
from spaneval.loaders.strict_json import read_strictly
from spaneval.nearest import nearest
from spaneval.problems import Note, Problem, Problems, counted

UnknownDocs = Literal["error", "drop"]

ENVELOPE: Final = "data"
"""The key of an envelope under which a result stands."""

_SUFFIXES: Final = (".json", ".json.gz")
_SHOWN: Final = 5
_MOST_BITS: Final = 14_284
"""Of an integer: the 4300 digits that Python reads in a file."""


@dataclass(frozen=True, slots=True)
class Schema:
    """
    One schema.

    Args:
        content: As it was read.
        root: What it says of a document.
        file: Its name; None for one in memory.

    """

    content: Mapping[str, Any]
    root: Node
    file: str | None = None


@dataclass(frozen=True, slots=True)
class JsonDocuments:
    """
    What is scored.

    Args:
        names: The documents, in the order of their names.
        labels: The gold by document.
        schemas: The schema by document.
        results: What each system extracted, by document; a document may be missing.

    """

    names: list[str]
    labels: dict[str, Any]
    schemas: dict[str, Schema]
    results: dict[str, dict[str, Any]] = field(default_factory=dict)


Source = str | os.PathLike[str] | Mapping[str, Any]
"""A folder, or values by document."""


def load_json_documents(
    labels: Source,
    results: Mapping[str, Source],
    schemas: Source,
    *,
    unknown_docs: UnknownDocs = "error",
    problems: Problems,
    notes: list[Note],
) -> JsonDocuments:
    """
    Read labels, schemas and the results of all systems.

    Args:
        labels: A folder of `<document>.json` files, or values by document.
        results: The same for each system. An envelope `{"data": …}` is opened, unless the schema has a property `data`.
        schemas: The same, or one file, or one schema, for all documents.
        unknown_docs: What to do with results of documents without a label: stop, or leave them out.
        problems: Gathers what cannot be used.
        notes: Gathers what a reader should know.

    Returns:
        The documents, without what was reported to `problems`.

    """
    gold = _values(labels, "labels", problems)
    names = sorted(gold)
    known = _schemas(schemas, names, problems, notes)
    found = JsonDocuments(names, gold, known)
    for system, source in results.items():
        values = _of_known(_files(source, "results", problems), source, gold, unknown_docs, problems)
        n_dropped = len(_names_of(source)) - len(values)
        if n_dropped and unknown_docs == "drop":
            message = f"{system}: results of {counted(n_dropped, 'document')} without a label are left out"
            notes.append(Note("unknown-docs-dropped", n_dropped, message))
        read = _read(values, problems)
        found.results[system] = {name: opened(one, known[name].root) for name, one in read.items() if name in known}
    return found


def opened(result: Any, root: Node) -> Any:
    """A result without its envelope."""
    is_envelope = isinstance(result, Mapping) and ENVELOPE in result and ENVELOPE not in root.properties
    return result[ENVELOPE] if is_envelope else result


def _values(source: Source, what: str, problems: Problems) -> dict[str, Any]:
    return _read(_files(source, what, problems), problems)


def _names_of(source: Source) -> Sequence[str]:
    return list(source) if isinstance(source, Mapping) else list(_listed(os.fspath(source)))


def _files(source: Source, what: str, problems: Problems) -> dict[str, Any]:
    """Paths by document as `_File`, or the values themselves."""
    if isinstance(source, Mapping):
        return {str(name): value for name, value in source.items()}
    folder = os.fspath(source)
    if not os.path.isdir(folder):
        hint = "name the folder that holds one <document>.json per document"
        problems.add(Problem(f"a file, where a folder of {what} is expected", folder, hint=hint, kind=FormatError))
        return {}
    files: dict[str, Any] = {}
    for name, found in _listed(folder).items():
        files[name] = _File(os.path.join(folder, found[0]))
        if len(found) > 1:
            message = f"document '{name}' has two files, the other one is {found[1]}"
            problems.add(Problem(message, files[name].path, hint="keep one of them", kind=FormatError))
    if not files:
        message = f"no *.json file in this folder, where {what} are expected"
        problems.add(Problem(message, folder, hint="each document has a file of its own, <document>.json"))
    return files


def _listed(folder: str) -> dict[str, list[str]]:
    """Names of files by the documents that they stand for, in order."""
    if not os.path.isdir(folder):
        return {}
    found: dict[str, list[str]] = {}
    for file in sorted(os.listdir(folder)):
        suffix = next((x for x in _SUFFIXES if file.lower().endswith(x)), None)
        if suffix and not os.path.isdir(os.path.join(folder, file)):
            found.setdefault(file[: -len(suffix)], []).append(file)
    return found


@dataclass(frozen=True, slots=True)
class _File:
    path: str


def _read(files: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    """The values of all that can be read."""
    found = {}
    for name, one in files.items():
        if isinstance(one, _File):
            value = read_strictly(one.path, problems)
            if value is not BAD:
                found[name] = value
        elif why := _no_json(one):
            what = f"document '{name}'" if name else "the schema"
            problems.add(Problem(f"{what} {why}", kind=FormatError))
        else:
            found[name] = one
    return found


def _no_json(value: Any) -> str | None:
    """Why data in memory is no value that a JSON file could hold; None if it is one."""
    if is_too_deep(value):
        return f"nests lists and objects in more than {DEEPEST} levels"
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            if not all(isinstance(key, str) for key in one):
                return "has a key that is no text, which JSON does not have"
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, float) and not math.isfinite(one):
            return f"holds {one}, which is no number in JSON"
        elif isinstance(one, int) and one.bit_length() > _MOST_BITS:
            return "holds an integer of too many digits to be compared"
        elif not (one is None or isinstance(one, str | int | float)):
            return f"holds a value of type {type(one).__name__}, which JSON does not have"
    return None


def _of_known(
    files: dict[str, Any], source: Source, labels: Mapping[str, Any], unknown_docs: UnknownDocs, problems: Problems
) -> dict[str, Any]:
    """Results of documents that have a label; the others are problems unless they are to be left out."""
    known = {name: one for name, one in files.items() if name in labels}
    if unknown_docs == "error" and labels:
        unknown = {name: one for name, one in files.items() if name not in labels}
        missing = [name for name in labels if name not in files] if unknown else []
        for name, one in unknown.items():
            if problems.wants_more:
                problems.add(_unknown(name, one, missing or list(labels)))
            else:
                problems.add_uncounted(1)
    return known


def _unknown(name: str, one: Any, names: Sequence[str]) -> Problem:
    offer = _nearest(name, names)
    hint = f"{offer + ' ' if offer else ''}--unknown-docs drop leaves such results out"
    file = one.path if isinstance(one, _File) else None
    message = f"a result of document '{name}', which has no label"
    return Problem(message, file, hint=hint, kind=AlignmentError)


def _nearest(name: str, names: Sequence[str]) -> str:
    """A question that offers the nearest name; empty if none is near."""
    plain = _plain(name)
    same = [x for x in names if _plain(x) == plain]
    if same:
        return f"did you mean '{same[0]}'? names differ where case, or the way accents are written, differs;"
    near = nearest(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _schemas(source: Source, names: Sequence[str], problems: Problems, notes: list[Note]) -> dict[str, Schema]:
    """The schema of each document; equal ones are one, which is checked once."""
    one = _single(source, names)
    if one is not None:
        read = _read({"": one}, problems)
        schema = _schema(read[""], one, problems) if read else None
        return {} if schema is None else dict.fromkeys(names, schema)
    files = _files(source, "schemas", problems)
    wanted = set(names)
    unused = [name for name in files if name not in wanted]
    for name in names:
        if files and name not in files:
            if problems.wants_more:
                problems.add(_without_schema(name, source, unused or list(files)))
            else:
                problems.add_uncounted(1)
    if unused and names:
        message = f"{counted(len(unused), 'schema')} without a label not used: {listed(unused)}"
        notes.append(Note("unused-schemas", len(unused), message))
    used = {name: files[name] for name in names if name in files}
    read = _read(used, problems)
    found: dict[str, Schema] = {}
    by_text: dict[str, Schema] = {}
    for name, value in read.items():
        text = json.dumps(value)
        schema = by_text.get(text) or _schema(value, used[name], problems)
        if schema is not None:
            found[name] = by_text[text] = schema
    return found


def _single(source: Source, names: Sequence[str]) -> Any:
    """The one schema for all documents, if there is just one."""
    if isinstance(source, Mapping):
        return None if set(names) <= set(source) and names else source
    path = os.fspath(source)
    return None if os.path.isdir(path) else _File(path)


def _schema(value: Any, one: Any, problems: Problems) -> Schema | None:
    file = one.path if isinstance(one, _File) else None
    root = schema_of(value, file, problems)
    return None if root is None else Schema(value, root, file)


def _without_schema(name: str, source: Source, names: Sequence[str]) -> Problem:
    hint = f"{_nearest(name, names)} a file instead of a folder is the schema of all documents".lstrip()
    folder = None if isinstance(source, Mapping) else os.fspath(source)
    return Problem(f"no schema for document '{name}', which has a label", folder, hint=hint, kind=AlignmentError)


def listed(names: Sequence[str]) -> str:
    """The first few names, and that there are more."""
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

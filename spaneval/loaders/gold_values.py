"""
One gold document, read value by value: a plain document of what can be used of it, and problems for the rest.

Batches of documents whose values are all plain become columns without this; see `spaneval.loaders.gold`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from spaneval.exceptions import FormatError, InputError, SpanError
from spaneval.loaders.json_text import Lines, parse_exactly
from spaneval.loaders.scalars import BAD, INT64_MAX, NumberText, describe, offset, text_id
from spaneval.nearest import nearest
from spaneval.problems import Problem, Problems

_DOCUMENT = 'gold is like {"text": "…", "ground_truth": [{"a": 0, "b": 4, "entity_id": "Q1"}]}, or a list of these'
ANNOTATION_KEYS: Final = ("a", "b", "entity_id", "ignore", "itext")

Path = tuple[str | int, ...]


class FileReader:
    """
    Reads the documents of one file.

    Args:
        name: Name of the file; None for documents in memory.
        raw: The file itself, parsed once more so that numbers that a float would round are seen as written; None for
            documents in memory.
        problems: Gathers what cannot be used.

    """

    def __init__(self, name: str | None, raw: bytes | None, problems: Problems) -> None:
        self.name, self.raw, self.problems = name, raw, problems
        self.position = 0
        self.lines: Lines | None = None
        self.exact: list[Any] | None = None
        if raw is not None:
            content = parse_exactly(raw)
            self.exact = content if isinstance(content, list) else [content]

    def read(self, document: Any, position: int) -> dict[str, Any]:
        """A plain document of what can be used of `document`, which stands at `position` in the file."""
        if self.exact is not None:
            document = self.exact[position]
        self.position = position
        if not isinstance(document, Mapping):
            self._add((), f"expected a document object, found {describe(document)}", FormatError, _DOCUMENT)
            return {"ground_truth": []}
        return self._document(document)

    def _document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        text = document.get("text")
        if isinstance(text, str) and not isinstance(text, NumberText):
            plain["text"] = str(text)  # also where it is of a subclass
        elif text is not None:
            self._add(
                ("text",),
                f"'text' is {describe(text)}, expected a string",
                FormatError,
                "leave the key out if there is no text",
            )
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

    def _annotations(self, document: Mapping[str, Any]) -> list[Any] | None:
        if "ground_truth" not in document:
            near = nearest("ground_truth", document, 1, cutoff=0.7) or [k for k in document if k == "entities"]
            found = ", ".join(map(str, document)) or "nothing"
            hint = f"is '{near[0]}' meant? " if near else ""
            hint += "`[]` means annotated with nothing found, `null` means not annotated"
            self._add((), f"no 'ground_truth' (found: {found})", FormatError, hint)
            return []
        annotations = document["ground_truth"]
        if annotations is None or isinstance(annotations, list | tuple):
            return None if annotations is None else list(annotations)
        self._add(
            ("ground_truth",),
            f"'ground_truth' is {describe(annotations)}, expected a list or null",
            FormatError,
            _DOCUMENT,
        )
        return []

    def _scope(self, document: Mapping[str, Any], text: str | None) -> list[int] | None:
        span = document.get("evaluation_span")
        if span is None:
            return None
        if isinstance(span, list | tuple) and len(span) == 2:
            ends = [offset(x) for x in span]
            if is_scope(ends, INT64_MAX if text is None else len(text)):
                return ends  # type: ignore[return-value]  # is_scope has ruled out BAD
        inside = f" within the text ({len(text)} characters)" if text is not None else ""
        shown = describe(span)
        if isinstance(span, list | tuple):
            shown = f"[{', '.join(describe(x, 30) for x in span[:3])}{', …' if len(span) > 3 else ''}]"
        message = f"evaluation_span is {shown}, expected [a, b] with 0 <= a <= b{inside}"
        self._add(
            ("evaluation_span",), message, SpanError, "the part that was annotated, in code points, end exclusive"
        )
        return None

    def _key(self, value: Any, path: Path) -> str | None:
        text = text_id(value)
        if text is BAD:
            self._add(
                path,
                f"'{path[-1]}' is {describe(value)}, expected text or an integer",
                FormatError,
                "it names the document",
            )
            return None
        return text

    def _annotation(self, item: Any, k: int, document: Mapping[str, Any]) -> dict[str, Any] | None:
        path = ("ground_truth", k)
        if not isinstance(item, Mapping):
            self._add(path, f"expected an annotation object, found {describe(item)}", FormatError, _DOCUMENT)
            return None
        span = self._span(item, path, document)
        ids = self._ids(item.get("entity_id"), path)
        ignore = item.get("ignore", False)
        if ignore is not None and not isinstance(ignore, bool):
            self._add(
                path,
                f"'ignore' is {describe(ignore)}, expected true or false",
                FormatError,
                "leave it out where it is false",
            )
        plain = {key: value for key, value in item.items() if key not in ANNOTATION_KEYS}
        if "entity_id" in item:
            plain["entity_id"] = ids
        itext = self._key(item.get("itext"), (*path, "itext"))
        return None if span is None else plain | {"a": span[0], "b": span[1], "ignore": ignore is True, "itext": itext}

    def _span(self, item: Mapping[str, Any], path: Path, document: Mapping[str, Any]) -> tuple[int, int] | None:
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
                self._add(
                    path,
                    f"'{key}' is {describe(item[key])}, expected an integer within 64 bits",
                    SpanError,
                    "offsets are whole numbers of Unicode code points, from 0",
                )
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

    def _ids(self, value: Any, path: Path) -> tuple[str, ...]:
        texts = []
        for one in value if isinstance(value, list | tuple) else [value]:
            text = text_id(one)
            if text is BAD:
                expected = "expected text, an integer, null or a list of these"
                self._add(path, f"entity_id is {describe(one)}, {expected}", FormatError, "write the id as text")
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

    def _add(self, path: Path, message: str, kind: type[InputError] = InputError, hint: str | None = None) -> None:
        if not self.problems.wants_more:
            self.problems.add_uncounted(1)
            return
        line = None
        if self.raw is not None:
            self.lines = self.lines or Lines(self.raw)
            line = self.lines((self.position, *path))
        where = f"document {self.position}" + (f", {_shown(path[:2])}" if path else "")
        self.problems.add(Problem(f"{where}: {message}", file=self.name, line=line, hint=hint, kind=kind))


def _shown(path: Path) -> str:
    return f"{path[0]}[{path[1]}]" if len(path) == 2 else str(path[0])


def is_scope(span: Any, length: int) -> bool:
    """Whether an `evaluation_span` is `[a, b]` inside a text of `length`."""
    return (
        type(span) in (list, tuple)
        and len(span) == 2
        and all(type(x) is int for x in span)
        and 0 <= span[0] <= span[1] <= length
    )

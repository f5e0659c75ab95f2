"""Systems on the command line: `NAME=FILE`, their id maps, and the runs that they are, read or scored."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from spaneval.cli import options
from spaneval.cli.console import Console, Progress
from spaneval.cli.types import STDIN, InputPath, did_you_mean
from spaneval.options import Options

if TYPE_CHECKING:
    from io import BufferedReader

    from spaneval.corpus import Corpus
    from spaneval.loaders.id_map import IdMap
    from spaneval.problems import Note
    from spaneval.reports.text import Input
    from spaneval.runs import Run

_HEAD = 4096
_GZIP = b"\x1f\x8b"


class Named(NamedTuple):
    """`NAME=FILE` or `FILE`."""

    name: str | None
    path: str

    def __str__(self) -> str:
        return self.path if self.name is None else f"{self.name}={self.path}"


class NamedPath(InputPath):
    """
    A path that exists, with or without a name before it.

    An argument that is an existing path is that path, whatever signs it holds; a name has no `/`.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Name and path."""
        if isinstance(value, Named):
            return value
        text = os.fspath(value)
        name, equals, path = text.partition("=")
        if not equals or "/" in name or _exists(text):
            return Named(None, super().convert(text, param, ctx))
        if not name.strip() or not path:
            self.fail(f"'{text}' is not of the form NAME=FILE", param, ctx)
        return Named(name, super().convert(path, param, ctx))

    def rebase(self, text: str, folder: str) -> str:
        """The same, with a path relative to `folder` seen from the working directory; for configuration files."""
        name, equals, path = text.partition("=")
        if not equals or "/" in name or _exists(os.path.join(folder, text)):
            return os.path.join(folder, text)
        return f"{name}={os.path.join(folder, path)}"

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> Any:
        """Arguments have no name that a user typed."""
        if isinstance(param, click.Argument):
            raise click.UsageError(message, ctx)
        super().fail(message, param, ctx)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def id_maps() -> options.Decorator:
    """`--id-map` for one system or all."""
    return click.option(
        "--id-map", "id_maps", type=NamedPath(), multiple=True, metavar="[NAME=]CSV",
        help="Translates predicted ids, of the system NAME or of all. Repeatable: maps are applied one after another.",
    )  # fmt: skip


def stem(path: str) -> str:
    """What a system is called whose file nobody named."""
    if path == STDIN:
        return "stdin"
    name = os.path.basename(path.rstrip("/")) or path
    name = name[:-3] if name.lower().endswith(".gz") else name
    return os.path.splitext(name)[0]


def named(given: Sequence[Named]) -> dict[str, str]:
    """
    Paths by name.

    Raises:
        click.UsageError: If two have one name, or two are standard input.

    """
    paths: dict[str, str] = {}
    for name, path in given:
        title = stem(path) if name is None else name
        if title in paths:
            message = f"two systems are named '{title}' ({paths[title]} and {path}); tell them apart with NAME=PATH"
            raise click.UsageError(message, _context())
        paths[title] = path
    if list(paths.values()).count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once", _context())
    return paths


def known(name: str, names: Iterable[str], option: str) -> str:
    """
    The name, if a system has it.

    Raises:
        click.UsageError: If not; the message offers the nearest.

    """
    names = list(names)
    if name not in names:
        there = ", ".join(f"'{x}'" for x in names)
        message = f"{option}: no system is named '{name}'; there are {there}.{did_you_mean(name, names)}"
        raise click.UsageError(message, _context())
    return name


def all_inputs(given: Mapping[str, Any], paths: Mapping[str, str]) -> list[str]:
    """Every file and folder that will be read."""
    return [*given["gold"], *paths.values(), *(path for _, path in given["id_maps"]), *given["gold_id_maps"]]


def options_of(given: dict[str, Any], paths: Mapping[str, str]) -> Options:
    """
    How systems are counted.

    Raises:
        click.UsageError: If options do not go together, or a map is for a system that is not there.

    """
    for name, _ in given["id_maps"]:
        if name is not None:
            known(name, paths, "--id-map")
    return options.options_of(given | {"predictions": list(paths.values())})


@dataclass(frozen=True, slots=True)
class Systems:
    """
    Runs by name, and the gold if it was read.

    Args:
        runs: In the order given.
        corpus: None where all systems are saved runs and no gold was given.
        inputs: The files, for the header of a report.
        notes: What a reader should know, each once, with the system that it speaks of.

    """

    runs: dict[str, Run]
    corpus: Corpus | None
    inputs: list[Input]
    notes: list[str]


def read(
    paths: Mapping[str, str], given: dict[str, Any], chosen: Options, console: Console, *, keep_texts: bool = False
) -> Systems:
    """
    Read the gold once, then each system: a saved run as it is, predictions by scoring them.

    Args:
        paths: By name.
        given: The values of the command.
        chosen: How predictions are counted.
        console: Gets progress.
        keep_texts: Whether all texts of the gold are needed.

    Raises:
        click.UsageError: If the gold is missing, or a map is given for saved runs.
        InputError: If an input cannot be used, or a saved run was not counted alike over this gold.

    """
    is_saved = {name: is_saved_file(path) for name, path in paths.items()}
    _check_needs(is_saved, given)
    with Progress(console) as progress:
        source = _Source.read(given, chosen, progress, keep_texts=keep_texts)
        runs = {}
        for name, path in paths.items():
            runs[name] = source.load(name, path) if is_saved[name] else source.score(name, path)
    notes = [*_unused_maps(is_saved, given), *source.shown_notes(sum(not saved for saved in is_saved.values()))]
    return Systems(runs, source.corpus, list(_inputs(source, paths, runs, is_saved)), notes)


def _inputs(
    source: _Source, paths: Mapping[str, str], runs: Mapping[str, Run], is_saved: Mapping[str, bool]
) -> Iterator[Input]:
    """The header: gold, systems with their predictions, maps with those that they are for."""
    from spaneval.loaders.tables import display_name
    from spaneval.problems import counted
    from spaneval.reports.text import Input, printable

    for k, path in enumerate(source.given["gold"]):
        yield Input("" if k else "ground truth", printable(path))
    for name, path in paths.items():
        found = _found(runs[name])
        facts = f"{found}, as saved" if is_saved[name] else found
        yield Input(printable(name), printable(display_name(path)), facts)
    for of, one in source.maps:
        kind = "id map" if of is None else f"id map of {printable(of)}"
        yield Input(kind, printable(one.name), counted(len(one.targets), "id"))
    for one in source.gold_maps:
        yield Input("gold id map", printable(one.name), counted(len(one.targets), "id"))


def _found(run: Run) -> str:
    """How many spans, values or objects a system has."""
    from spaneval.kinds import CLASSES, SPANS
    from spaneval.outcomes import Fate
    from spaneval.problems import counted
    from spaneval.reports.text import part_of

    if run.counts.kind != SPANS:
        n_missed = int((run.annotations.fate == Fate.MISSED).sum())
        noun = "object" if run.counts.kind.name == CLASSES else "value"
        return counted(len(run.annotations.doc) - n_missed + len(run.spurious.doc), noun)
    totals = run.counts.totals()
    n, n_left_out = totals["n_predicted"], totals["n_ignored_pairs"] + totals["n_out_of_scope"]
    return part_of(n, n + n_left_out, "span")


def is_saved_file(path: str) -> bool:
    """Whether the content is a saved run; what is no file, such as a pipe, is taken for predictions."""
    from spaneval.saved_runs import is_saved_run

    head = b""
    with suppress(OSError, AttributeError):
        if path == STDIN:
            head = cast("BufferedReader", sys.stdin.buffer).peek(_HEAD)[:_HEAD]
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                head = file.read(_HEAD)
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return False
    return is_saved_run(head)


def _check_needs(is_saved: Mapping[str, bool], given: Mapping[str, Any]) -> None:
    """Predictions need gold; ids of a saved run were translated when it was saved."""
    fresh = [name for name, saved in is_saved.items() if not saved]
    if fresh and not given["gold"]:
        message = (
            f"Missing option '--gt': only saved runs can do without, and '{fresh[0]}' is none;"
            " of records, documents and classes --save makes them"
        )
        raise click.UsageError(message, _context())
    if given["id_maps"] and not fresh:
        raise click.UsageError("--id-map: ids of saved runs were translated when they were saved", _context())
    for name, _ in given["id_maps"]:
        if name is not None and is_saved[name]:
            message = f"--id-map: '{name}' is a saved run, whose ids were translated when it was saved"
            raise click.UsageError(message, _context())


def _unused_maps(is_saved: Mapping[str, bool], given: Mapping[str, Any]) -> list[str]:
    """Maps for all that are not for saved runs."""
    saved = [name for name, is_one in is_saved.items() if is_one]
    paths = [path for name, path in given["id_maps"] if name is None]
    return [f"{x} is a saved run: its ids stay as they were saved, without {path}" for path in paths for x in saved]


@dataclass(frozen=True, slots=True)
class _Source:
    """What all systems share: the gold, the maps, the options; and notes by system."""

    corpus: Corpus | None
    maps: list[tuple[str | None, IdMap]]
    gold_maps: list[IdMap]
    given: dict[str, Any]
    chosen: Options
    progress: Progress
    notes: list[tuple[str | None, Note]]

    @classmethod
    def read(cls, given: dict[str, Any], chosen: Options, progress: Progress, *, keep_texts: bool) -> _Source:
        """Gold and maps."""
        from spaneval.grouping import gold_fields
        from spaneval.inputs import paused_gc, read_gold, read_maps
        from spaneval.problems import Problems

        problems, notes = Problems(), list["Note"]()
        columns = given["id_map_columns"]
        maps = read_maps([path for _, path in given["id_maps"]], columns, problems)
        gold_maps = read_maps(list(given["gold_id_maps"]), columns, problems)
        corpus = None
        if given["gold"]:
            with paused_gc():
                kept = gold_fields(given.get("by", ()))
                corpus = read_gold(
                    list(given["gold"]), problems, notes, keep_texts=keep_texts, progress=progress, fields=kept
                )
        problems.raise_if_any()
        of_system = [(name, one) for (name, _), one in zip(given["id_maps"], maps, strict=True)]
        return cls(corpus, of_system, gold_maps, given, chosen, progress, [(None, note) for note in notes])

    def score(self, name: str, path: str) -> Run:
        """Score one system."""
        from spaneval.evaluation import evaluate
        from spaneval.runs import run_of

        assert self.corpus is not None, "checked before anything was read"  # noqa: S101 - for the type checker
        loading = options.loading_of(self.given | {"id_maps": (), "gold_id_maps": ()})
        loading |= {"id_map": [one for of, one in self.maps if of in (None, name)], "gold_id_map": self.gold_maps}
        evaluation = evaluate(
            self.corpus, [path], **loading, by=self.given.get("by", ()), options=self.chosen, ci=False,
            keep_texts=False, progress=self.progress,
        )  # fmt: skip
        self.notes.extend((name, note) for note in evaluation.notes)
        return run_of(evaluation)

    def load(self, name: str, path: str) -> Run:
        """Load a saved run and hold it against the gold and the options that were given."""
        from spaneval.runs import check_counting, check_gold
        from spaneval.saved_runs import as_run
        from spaneval.signature import document_digests, gold_digest

        run = as_run(path)
        self._check_spans(name, run)
        if self.corpus is not None:
            digests = document_digests(self.corpus)
            check_gold(name, run, gold_digest(digests), len(digests), "of --gt")
        check_counting(name, run, self._asked_for(), "not with")
        return run

    def _check_spans(self, name: str, run: Run) -> None:
        """
        Refuse a run of records where gold or options of spans are given.

        Raises:
            AlignmentError: If it is one.

        """
        from spaneval.exceptions import AlignmentError
        from spaneval.kinds import SPANS
        from spaneval.problems import Problem

        asked = [f"--{x.replace('_', '-')}" for x in self._asked_for()]
        given = ["--gt"] * (self.corpus is not None) + asked
        if run.counts.kind != SPANS and given:
            message = f"{name} is a run of {run.counts.kind.name}, and {given[0]} is about spans"
            hint = "saved runs need no gold and no options of counting; save the others with --save, too"
            raise AlignmentError([Problem(message, hint=hint, kind=AlignmentError)])

    def _asked_for(self) -> dict[str, Any]:
        """Options of counting that the user gave, as `Run.counting` holds them."""
        from spaneval.signature import map_digest

        ctx, default = click.get_current_context(), click.core.ParameterSource.DEFAULT
        names = [x for x in Options._fields if ctx.get_parameter_source(x) is not default]
        asked = {name: value for name, value in self.chosen.to_dict().items() if name in names}
        if "nil" in asked:
            asked["nil"] = sorted(asked["nil"])
        if self.gold_maps:
            asked["gold_id_map"] = map_digest(one.targets for one in self.gold_maps)
        return asked

    def shown_notes(self, n_scored: int) -> list[str]:
        """Each note with the system that it speaks of, or once where it speaks of all."""
        messages = [note.message for name, note in self.notes if name is not None]
        shown = []
        for name, note in self.notes:
            is_shared = name is None or (n_scored > 1 and messages.count(note.message) == n_scored)
            shown.append(note.message if is_shared else f"{name}: {note.message}")
        return list(dict.fromkeys(shown))


def _context() -> click.Context | None:
    return click.get_current_context(silent=True)

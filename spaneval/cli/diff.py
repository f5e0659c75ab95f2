"""`spaneval diff`: what changed between two versions, annotation by annotation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from spaneval.cli import options, results, systems
from spaneval.cli.console import Console
from spaneval.cli.systems import Named, NamedPath
from spaneval.cli.targets import check_targets
from spaneval.output import write_whole

if TYPE_CHECKING:
    from spaneval.corpus import Corpus

EXAMPLE = """\
\b
Example:
  spaneval diff --gt data/ground_truth data/predictions/linker-v1.jsonl data/predictions/linker-v2.jsonl --id-map new=data/id_map.csv
"""  # noqa: E501 - one line, to be copied


@click.command(epilog=EXAMPLE, short_help="List what changed from one version to the next.")
@click.argument("old", type=NamedPath(stdin=True), metavar="[NAME=]OLD")
@click.argument("new", type=NamedPath(stdin=True), metavar="[NAME=]NEW")
@options.gold(required=False)
@systems.id_maps()
@options.reading()
@options.matching()
@options.output()
@options.talk()
@click.pass_context
def diff(ctx: click.Context, /, old: Named, new: Named, **given: Any) -> None:
    """
    List what changed from OLD to NEW: what became of each gold annotation or value, and what is spurious.

    OLD and NEW are what --pred takes, or runs that --save wrote, of score, records, json, audit or classify; saved
    runs need no --gt, but then no text is shown. Their names, for --id-map, are old and new. With -f jsonl every
    change is a line.
    """
    console = ctx.ensure_object(Console)
    paths = systems.named([Named(old.name or "old", old.path), Named(new.name or "new", new.path)])
    chosen = systems.options_of(given, paths)
    check_targets({"--output": given["output"]}, systems.all_inputs(given, paths))
    options.show_choices(ctx, console)
    found = systems.read(paths, given, chosen, console, keep_texts=given["format"] != "json")
    _write(found, given, console)
    for note in found.notes:
        console.note(note)
    console.show_elapsed()


def _write(found: systems.Systems, given: dict[str, Any], console: Console) -> None:
    from spaneval.changes import diff as diff_runs
    from spaneval.reports.changes import render

    changes = diff_runs(*found.runs.values())
    style = results.style_of(given, console)
    texts = None if found.corpus is None else texts_by_digest(found.corpus)
    write_whole(given["output"], render(changes, given["format"], style, texts, found.inputs))


def texts_by_digest(corpus: Corpus) -> Mapping[str, str]:
    """The texts at hand by document digest, as runs name documents."""
    from spaneval.signature import document_digests

    digests = document_digests(corpus).tolist()
    return {f"{digests[d]:016x}": text for d, text in corpus.documents.texts.items()}

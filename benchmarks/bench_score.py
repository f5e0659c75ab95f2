"""Scoring from files to numbers: 100,000 annotations in 4,000 texts, JSON Lines, on a corpus of fixed seed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import orjson
import pytest

import spaneval

N_DOCUMENTS = 4_000
PER_DOCUMENT = 25


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Gold in 20 files and rows in one: seven of ten predictions hit a span, the others are off by a character."""
    rng = random.Random(1)
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "gt").mkdir()
    documents: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for d in range(N_DOCUMENTS):
        text = "".join(rng.choices("abcdefghij ", k=60 * PER_DOCUMENT))
        starts = sorted(rng.sample(range(len(text) - 20), PER_DOCUMENT))
        spans = [(a, a + rng.randint(3, 18), f"PEL.{rng.randint(0, 5000):06}") for a in starts]
        gold = [{"itext": d, "a": a, "b": b, "entity_id": entity} for a, b, entity in spans]
        documents.append({"text": text, "ground_truth": gold})
        for a, b, entity in spans:
            off = rng.random() > 0.7
            found = entity if rng.random() < 0.85 else f"PEL.{rng.randint(0, 5000):06}"
            rows.append({"itext": d, "a": a + off, "b": b + off, "entity_id_predicted": found, "mention": text[a:b]})
    for k in range(20):
        (folder / "gt" / f"{k:02}.gt.json").write_bytes(orjson.dumps(documents[200 * k : 200 * (k + 1)]))
    (folder / "out.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return folder / "gt", folder / "out.jsonl"


@pytest.mark.parametrize("assignment", ["exact-first", "greedy"])
def test_counts(benchmark: Any, corpus: tuple[Path, Path], assignment: str) -> None:
    """Without intervals."""
    result = benchmark(spaneval.evaluate, *corpus, ci=False, keep_texts=False, assignment=assignment)

    assert result.counts["n_gold"] == N_DOCUMENTS * PER_DOCUMENT


def test_intervals(benchmark: Any, corpus: tuple[Path, Path]) -> None:
    """With 10,000 resamples."""
    result = benchmark(spaneval.evaluate, *corpus, keep_texts=False)

    assert result.intervals["f1"] is not None

"""Options of the Python interface that no one could mean: refused before anything is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from versions import GOLD, V1, V2

import spaneval
from spaneval.exceptions import MeasureError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "overlp"}, "match is 'overlp'; expected overlap, exact|did you mean 'overlap'"),
        ({"fields": {"aa": "start"}}, "fields names 'aa', which no row has; expected"),
        ({"min_score": float("nan")}, "min_score is nan; expected a finite number"),
        ({"null_is_nil": True}, "null_is_nil needs nil"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str):
    """
    With what was given and what was expected.
    """
    with pytest.raises(ValueError, match=message):
        spaneval.evaluate(GOLD, V1, ci=False, **options)


def test_unknown_format(tmp_path: Path):
    """
    Formats are those that `--pred-format` takes.
    """
    path = tmp_path / "rows.jsonl"
    path.write_text("")
    with pytest.raises(ValueError, match="pred_format is 'yaml'; expected one of jsonl, json, csv, tsv, parquet"):
        spaneval.evaluate(GOLD, str(path), ci=False, pred_format="yaml")  # type: ignore[arg-type] # the mistake


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_impossible_alpha(alpha: float):
    """
    It is a probability.
    """
    systems = {name: spaneval.evaluate(GOLD, rows, ci=False) for name, rows in {"v1": V1, "v2": V2}.items()}
    with pytest.raises(MeasureError, match=f"alpha {alpha}; expected a number between 0 and 1"):
        spaneval.compare(systems, ci=False, alpha=alpha)

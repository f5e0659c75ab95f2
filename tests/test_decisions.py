"""
The table of decisions and its sums.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.scalars import NumberText
from spaneval.records.decisions import COLUMNS, Builder, Decisions, flat, shown, text_of
from spaneval.reports.pairs import Columns, dump
from spaneval.values.fields import Decision

TABLE = Columns(COLUMNS, flat=flat)


def table(*rows: tuple[int, str, Decision]) -> Decisions:
    builder = Builder(["d0", "d1", "d2"], ["a", "b"])
    for doc, field, decision in rows:
        builder.add(doc, field, field, "x", None, decision)
    return builder.build()


def test_sums_per_document_and_per_field():
    """
    Worked out by hand: d0 has a TP and an FP, d1 an FPFN; field a has the TP and the FPFN, b the FP.
    """
    found = table((0, "a", Decision.TP), (0, "b", Decision.FP), (1, "a", Decision.FPFN))

    assert [1, 0, 0] == found.by_document()["tp"].tolist()
    assert [1, 0, 0] == found.by_document()["fp"].tolist()
    assert [0, 1, 0] == found.by_document()["fpfn"].tolist()
    assert ([1, 0], [0, 1], [1, 0]) == tuple(found.by_field()[x].tolist() for x in ("tp", "fp", "fpfn"))
    assert [False, False, True] == found.whole().tolist()
    assert found.by_document()["tp"].dtype == np.int64


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.sampled_from(Decision))))
def test_sums_are_those_of_counting_one_by_one(rows: list[tuple[int, str, Decision]]):
    """
    Over documents, over fields, and together.
    """
    found = table(*rows)
    by_document, by_field = found.by_document(), found.by_field()
    one_by_one = Counter((doc, decision) for doc, _, decision in rows)
    of_fields = Counter((field, decision) for _, field, decision in rows)

    for decision in Decision:
        assert [one_by_one[doc, decision] for doc in range(3)] == by_document[decision.label].tolist()
        assert [of_fields[name, decision] for name in "ab"] == by_field[decision.label].tolist()
        assert by_document[decision.label].sum() == by_field[decision.label].sum()
    right = [all(decision.is_right for doc, _, decision in rows if doc == d) for d in range(3)]
    assert right == found.whole().tolist()


def test_a_table_without_decisions_has_sums():
    """
    All 0, and every document is right.
    """
    found = Builder(["d0"], []).build()

    assert 0 == len(found)
    assert [0] == found.by_document()["tp"].tolist()
    assert [True] == found.whole().tolist()
    assert [] == list(found.rows())


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="columns of different lengths"):
        Decisions(["d"], ["f"], np.zeros(1, np.int32), np.zeros(1, np.int32), [], [], [], np.zeros(1, np.int8), [])


@pytest.mark.parametrize(
    ("value", "in_json", "in_a_cell"),
    [
        (None, None, None),
        ("A7", "A7", "A7"),
        (True, True, "true"),
        (7, 7, "7"),
        (2**70, str(2**70), f'"{2**70}"'),
        (NumberText("1.50"), 1.5, "1.50"),
        (NumberText("0.1"), 0.1, "0.1"),
        (Decimal("1.5"), 1.5, "1.5"),
        (NumberText("1e400"), "1e400", "1e400"),
        (NumberText("0.10000000000000000000001"), "0.10000000000000000000001", "0.10000000000000000000001"),
        ([1, NumberText("2.5"), "ä"], [1, 2.5, "ä"], '[1, 2.5, "ä"]'),
        ({"a": [None]}, {"a": [None]}, '{"a": [null]}'),
    ],
)
def test_values_are_shown_as_what_they_are(value: Any, in_json: Any, in_a_cell: str | None):
    """
    A number that no float holds is text, so that nothing is rounded.
    """
    assert in_json == shown(value)
    assert in_a_cell == text_of(value)


def test_rows_are_written_as_jsonl_csv_and_parquet():
    """
    By the writer of the ledger.
    """
    builder = Builder(["r1"])
    builder.add(0, "tags[0]", "tags", ["x", 1], NumberText("2.0"), Decision.FPFN, "a reason")
    rows = list(builder.build().rows())

    line = json.loads(b"".join(dump(rows, "jsonl", TABLE)))
    assert list(COLUMNS) == list(line)
    expected = {
        "document": "r1", "path": "tags[0]", "field": "tags", "gold": ["x", 1], "extracted": 2.0, "decision": "fpfn",
        "reason": "a reason",
    }  # fmt: skip
    assert expected == line
    heading, cells = b"".join(dump(rows, "csv", TABLE)).decode().splitlines()
    assert ",".join(COLUMNS) == heading
    assert 'r1,tags[0],tags,"[""x"", 1]",2.0,fpfn,a reason' == cells
    pq = pytest.importorskip("pyarrow.parquet")
    parquet = pq.read_table(io.BytesIO(b"".join(dump(rows, "parquet", TABLE))))
    assert ['["x", 1]'] == parquet["gold"].to_pylist()

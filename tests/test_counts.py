import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaneval.counts import Counts
from spaneval.kinds import SPANS


@st.composite
def some_counts(draw: st.DrawFn) -> Counts:
    n = draw(st.integers(0, 5))
    row = st.lists(st.integers(0, 1000), min_size=len(SPANS.columns), max_size=len(SPANS.columns))
    rows = draw(st.lists(row, min_size=n, max_size=n))
    return Counts(np.array(rows, dtype=np.int64).reshape(n, len(SPANS.columns)))


def test_columns_not_given_are_zero():
    counts = Counts.from_columns(2, n_gold=np.array([3, 4]), n_matched=np.array([1, 0]))
    assert [3, 4] == counts["n_gold"].tolist()
    assert [0, 0] == counts["n_predicted"].tolist()
    assert {"n_gold": 7, "n_matched": 1} == {name: n for name, n in counts.totals().items() if n}
    assert SPANS.columns == tuple(counts.totals())


def test_totals_are_python_integers_so_that_json_can_hold_them():
    totals = Counts.from_columns(1, n_gold=np.array([2**40])).totals()
    assert {int} == {type(n) for n in totals.values()}
    assert 2**40 == totals["n_gold"]


def test_no_documents():
    counts = Counts.from_columns(0)
    assert 0 == len(counts)
    assert dict.fromkeys(SPANS.columns, 0) == counts.totals()


def test_column_names_are_distinct():
    assert len(SPANS.columns) == len(set(SPANS.columns))


def test_unknown_column():
    counts = Counts.from_columns(1)
    with pytest.raises(KeyError, match="n_found"):
        counts["n_found"]
    with pytest.raises(KeyError, match="n_found"):
        Counts.from_columns(1, n_found=np.array([1]))


def test_column_of_another_length():
    with pytest.raises(ValueError, match=r"n_gold has shape \(3,\); expected \(2,\)"):
        Counts.from_columns(2, n_gold=np.array([1, 2, 3]))


@pytest.mark.parametrize("shape", [(3,), (2, len(SPANS.columns) + 1)])
def test_table_of_another_shape(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match="expected \\(documents, "):
        Counts(np.zeros(shape, dtype=np.int64))


@given(some_counts(), some_counts())
def test_adding_keeps_the_documents_and_adds_the_totals(left: Counts, right: Counts):
    both = left + right
    assert len(left) + len(right) == len(both)
    assert left["n_gold"].tolist() + right["n_gold"].tolist() == both["n_gold"].tolist()
    expected = {name: n + right.totals()[name] for name, n in left.totals().items()}
    assert expected == both.totals() == (right + left).totals()

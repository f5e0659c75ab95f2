"""Reasons below tables of groups and documents: each once."""

from __future__ import annotations

from spaneval.reports.reasons import Why, legend


def shown(*whys: tuple[str, str, str]) -> list[str]:
    """The lines of the legend."""
    return [f"{subject}: {reason}" for subject, reason in legend(Why(*why) for why in whys)]


def test_equal_reasons_stand_once():
    """
    Measures of the same groups stand together.
    """
    assert ["Recall, F1 of a, b; Precision of b: because"] == shown(
        ("Recall", "a", "because"),
        ("Recall", "b", "because"),
        ("F1", "a", "because"),
        ("F1", "b", "because"),
        ("Precision", "b", "because"),
    )


def test_reasons_that_differ_in_numbers_are_one():
    """
    Singular or plural: the numbers stand in the rows of the table.
    """
    text = "no pair was matched between {}, so there are no ids to compare"
    expected = text.format("n gold annotations and n predictions")

    assert [f"E of a, b: {expected}"] == shown(
        ("E", "a", text.format("1 gold annotation and 0 predictions")),
        ("E", "b", text.format("12 gold annotations and 1 prediction")),
    )
    assert ["E of a, b: none of the n matched pairs has comparable ids: n minted"] == shown(
        ("E", "a", "the one matched pair has no comparable ids: 1 minted"),
        ("E", "b", "none of the 3 matched pairs has comparable ids: 3 minted"),
    )
    assert ["R of a, b: no gold annotation is counted; n predictions are counted"] == shown(
        ("R", "a", "no gold annotation is counted; 1 prediction is counted"),
        ("R", "b", "no gold annotation is counted; 2 predictions are counted"),
    )


def test_a_single_reason_keeps_its_numbers():
    """
    There is nothing to put together.
    """
    reason = "no prediction is counted; the gold has 3 annotations"

    assert [f"Precision of a, b: {reason}"] == shown(("Precision", "a", reason), ("Precision", "b", reason))


def test_many_groups_are_counted():
    """
    The cells of the table say which they are.
    """
    assert ["F1 of 0, 1, 2, 3, 4, 5, 6, 7 and 92 more: why"] == shown(*(("F1", str(k), "why") for k in range(100)))


def test_numbers_of_values_are_left_out_where_they_differ():
    """
    A number that is a letter would be read as a mistake of the report.
    """
    gold = "nothing was extracted; the gold has"
    assert shown(("Precision", "a", f"{gold} 2 values"), ("Precision", "b", f"{gold} 1 value")) == [
        f"Precision of a, b: {gold} values"
    ]
    assert shown(("Precision", "a", f"{gold} 2 values"), ("Precision", "b", f"{gold} 2 values")) == [
        f"Precision of a, b: {gold} 2 values"
    ]
    none = "the gold has no value;"
    assert shown(
        ("Recall", "a", f"{none} 1 value was extracted"), ("Recall", "b", f"{none} 4 values were extracted")
    ) == [f"Recall of a, b: {none} values were extracted"]
    assert shown(
        ("Recall", "a", f"{none} 0 values were extracted"), ("Recall", "b", f"{none} 4 values were extracted")
    ) == [
        f"Recall of a: {none} 0 values were extracted",
        f"Recall of b: {none} 4 values were extracted",
    ]

"""Gates: bounds, slack, verdicts and exit codes, in the library."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spaneval
from spaneval.gates import Check, Gate, Verdict, check_floors, check_regressions, exit_code, floor, tolerance


def corpus(n: int) -> list[dict[str, Any]]:
    """One document of n annotations."""
    return [{"itext": 0, "ground_truth": [{"a": 2 * k, "b": 2 * k + 1, "entity_id": "X1"} for k in range(n)]}]


def rows(n: int, entity: str = "X1") -> list[dict[str, Any]]:
    """The first n annotations found."""
    return [{"itext": 0, "a": 2 * k, "b": 2 * k + 1, "entity_id_predicted": entity} for k in range(n)]


def scored(n: int, of: int = 100, **options: Any) -> spaneval.Evaluation:
    """A system with a recall of n / of."""
    return spaneval.evaluate(corpus(of), rows(n), ci=False, **options)


def regression(old: int, new: int, gate: str, **options: Any) -> Check:
    """A drop of recall held against a gate."""
    systems = {"old": scored(old), "new": scored(new)}
    comparison = spaneval.compare(systems, ci=False, test=False)
    [check] = check_regressions([tolerance(gate)], comparison, **options)
    return check


@pytest.mark.parametrize(
    ("text", "gate"), [("f1=0.6", ("f1", 0.6)), ("link_f1= 1e-3", ("link_f1", 0.001)), ("recall=-1", ("recall", -1.0))]
)
def test_floor_is_a_measure_and_a_number(text: str, gate: tuple[str, float]):
    """
    Whatever Python reads as a finite number.
    """
    assert Gate(*gate) == floor(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("link_f=0.6", "did you mean link_f1"),
        ("f1", "form MEASURE=VALUE"),
        ("f1=", "'' is not a number"),
        ("f1=0,6", "'0,6' is not a number"),
        ("f1=nan", "not a finite number"),
        ("f1=inf", "not a finite number"),
        ("=0.5", "no measure ''"),
    ],
)
def test_floor_that_cannot_be_read_is_an_error(text: str, message: str):
    """
    With what was expected.
    """
    with pytest.raises(spaneval.MeasureError, match=message):
        floor(text)


def test_tolerance_is_0_unless_given():
    """
    Any drop is too much.
    """
    assert Gate("f1", 0.0) == tolerance("f1")
    assert Gate("f1", 0.01) == tolerance("f1=0.01")


@pytest.mark.parametrize("text", ["f1=-0.01", "f1=nan", "f1=", "f2"])
def test_tolerance_that_cannot_be_is_an_error(text: str):
    """
    A negative one would be something else.
    """
    with pytest.raises(spaneval.MeasureError):
        tolerance(text)


@pytest.mark.parametrize(
    ("gate", "verdict", "line"),
    [
        ("recall=0.8", Verdict.MET, "gate: recall 0.800 >= 0.8: met"),
        ("recall=0.81", Verdict.MISSED, "gate: recall 0.800 >= 0.81: missed"),
        ("recall=0.8000001", Verdict.MISSED, "gate: recall 0.800 >= 0.8000001: missed"),
        ("recall=0.8000000000000002", Verdict.MET, "gate: recall 0.800 >= 0.8000000000000002: met"),
        ("recall=80", Verdict.MISSED, "gate: recall 0.800 >= 80: missed (no measure is above 1)"),
    ],
)
def test_floor_and_its_line(gate: str, verdict: Verdict, line: str):
    """
    80 of 100; there is a slack of 1e-12.
    """
    [check] = check_floors([floor(gate)], scored(80))

    assert (verdict, line) == (check.verdict, str(check))


def test_an_undefined_measure_is_neither_met_nor_missed():
    """
    The reason stands in the line.
    """
    [check] = check_floors([floor("precision=0")], scored(0))

    assert check.verdict is Verdict.UNDECIDED
    assert check.value is None
    assert str(check) == (
        "gate: precision undefined >= 0: undecided: no prediction is counted; the gold has 100 annotations"
    )


def test_macro_averages_are_held_against_floors_where_they_were_asked_for():
    """
    Recall 1 of 1 and 0 of 3: 1/4 over all, 1/2 over documents.
    """
    gold = [*corpus(1), {"itext": 1, "ground_truth": corpus(3)[0]["ground_truth"]}]
    micro, macro = (spaneval.evaluate(gold, rows(1), ci=False, average=average) for average in ("micro", "macro"))
    gate = [floor("recall=0.5")]

    assert [Verdict.MISSED] == [x.verdict for x in check_floors(gate, micro)]
    assert ["gate: macro recall 0.500 >= 0.5: met"] == [str(x) for x in check_floors(gate, macro)]


def test_undefined_macro_average_is_undecided():
    """
    No document has predictions.
    """
    [check] = check_floors([floor("precision=0.5")], scored(0, average="macro"))

    assert check.verdict is Verdict.UNDECIDED
    assert "in each of the 1 documents" in str(check)


def test_measure_of_nil_needs_nil():
    """
    Not a KeyError.
    """
    with pytest.raises(spaneval.MeasureError, match="--nil"):
        check_floors([floor("nil_f1=0.5")], scored(5))


@pytest.mark.parametrize(
    ("old", "new", "gate", "verdict"),
    [
        (80, 79, "recall=0.01", Verdict.MET),  # in floats 0.80 - 0.79 is more than 0.01
        (80, 78, "recall=0.01", Verdict.MISSED),
        (80, 80, "recall", Verdict.MET),
        (80, 79, "recall", Verdict.MISSED),
        (80, 99, "recall", Verdict.MET),
    ],
)
def test_drop_is_held_against_the_tolerance(old: int, new: int, gate: str, verdict: Verdict):
    """
    Recall of 100 annotations.
    """
    assert verdict is regression(old, new, gate).verdict


def test_line_of_a_regression():
    """
    System, value, baseline, value, tolerance, verdict.
    """
    expected = "gate: recall new 0.780 vs old 0.800, allowed drop 0.01: missed"

    assert expected == str(regression(80, 78, "recall=0.01"))


def test_undefined_difference_is_undecided():
    """
    A system without predictions has no precision.
    """
    check = regression(80, 0, "precision")

    assert check.verdict is Verdict.UNDECIDED
    assert "gate: precision new undefined vs old 1.000, allowed drop 0: undecided: no prediction" in str(check)


def many(found: list[int]) -> spaneval.Evaluation:
    """Documents of 2 annotations, of which some are found."""
    gold = [{"itext": k, "ground_truth": corpus(2)[0]["ground_truth"]} for k in range(len(found))]
    return spaneval.evaluate(gold, [x | {"itext": k} for k, n in enumerate(found) for x in rows(n)], ci=False)


@pytest.mark.parametrize(
    ("new", "verdict", "line"),
    [
        ([0] * 6 + [1] * 4, Verdict.MISSED, "allowed drop 0, p 0.002 < 0.05: missed"),
        ([1] * 9 + [2], Verdict.MISSED, "allowed drop 0, p 0.0039 < 0.05: missed"),
        ([2] * 9 + [1], Verdict.MET, "allowed drop 0, p 1, not below 0.05: met"),
        ([2] * 10, Verdict.MET, "allowed drop 0: met"),
    ],
)
def test_significant_drops_only(new: list[int], verdict: Verdict, line: str):
    """
    Ten documents, all annotations found before. If k documents fall, 2 of 1024 swaps are as extreme for each choice of
    the others: p = 2 · 2**(10 - k) / 1024.
    """
    comparison = spaneval.compare({"old": many([2] * 10), "new": many(new)}, measures=["recall"], ci=False)
    [check] = check_regressions([tolerance("recall")], comparison, significant=True)

    assert verdict is check.verdict
    assert str(check).endswith(line)


def test_a_drop_without_a_test_cannot_be_called_significant():
    """
    Nor harmless.
    """
    check = regression(80, 70, "recall", significant=True)

    assert check.verdict is Verdict.UNDECIDED
    assert "no p of the difference" in str(check)


def test_every_system_is_held_against_the_baseline():
    """
    One check for each gate and system.
    """
    comparison = spaneval.compare({"a": scored(8), "b": scored(9), "c": scored(7)}, ci=False, test=False, baseline="b")
    checks = check_regressions([tolerance("recall"), tolerance("precision")], comparison)

    assert [("recall", "a"), ("recall", "c"), ("precision", "a"), ("precision", "c")] == [
        (x.gate.measure, x.system) for x in checks
    ]
    assert [Verdict.MISSED, Verdict.MISSED, Verdict.MET, Verdict.MET] == [x.verdict for x in checks]


def test_a_gate_with_nothing_to_hold_against_it_is_no_pass():
    """
    One system alone.
    """
    with pytest.raises(ValueError, match="beside the baseline"):
        check_regressions([tolerance("recall")], spaneval.compare({"a": scored(8)}, ci=False))


def test_a_measure_that_the_comparison_does_not_hold_is_an_error():
    """
    With the option that adds it.
    """
    comparison = spaneval.compare({"a": scored(8), "b": scored(9)}, measures=["f1"], ci=False, test=False)
    with pytest.raises(spaneval.MeasureError, match="-m recall"):
        check_regressions([tolerance("recall")], comparison)


@given(st.lists(st.sampled_from(list(Verdict))))
def test_exit_code_is_the_worst(verdicts: list[Verdict]):
    """
    A missed gate is a missed gate, whatever the others are; an undecided one is no pass.
    """
    checks = [Check(Gate("f1", 0.5), "", None, verdict, "") for verdict in verdicts]
    expected = 1 if Verdict.MISSED in verdicts else 4 if Verdict.UNDECIDED in verdicts else 0

    assert expected == exit_code(checks)


@given(st.integers(0, 60), st.floats(0, 1))
def test_the_shown_value_agrees_with_the_verdict(n: int, bound: float):
    """
    Nobody reads `0.600 >= 0.6: missed`.
    """
    [check] = check_floors([Gate("recall", bound)], scored(n, of=60))
    _, _, shown, _, _, verdict = str(check).split()

    assert verdict == ("met" if float(shown) >= bound - 1e-12 else "missed")

"""
Gates for continuous integration: a bound that a measure has to keep, and whether it does.

A gate that cannot be decided is no pass: its measure is undefined, or the test that it asks for has no p.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from spaneval.exceptions import MeasureError
from spaneval.kinds import SPANS, Kind
from spaneval.measures import any_measure, get_measure

if TYPE_CHECKING:
    from spaneval.comparison import Comparison
    from spaneval.scores import Result

SLACK: Final = 1e-12
"""Bounds are compared with this much room: from 0.80 to 0.79 is a drop of 0.01, whatever floats make of it."""
MISSED, UNDECIDED = 1, 4
"""Exit codes of a command whose gates were not all met."""
_DIGITS: Final = 3
_MOST_DIGITS: Final = 17


class Verdict(Enum):
    """What became of a gate."""

    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Gate:
    """
    A bound on a measure.

    Args:
        measure: Its name.
        bound: The least value, or the largest drop, that is let through.

    """

    measure: str
    bound: float

    def __str__(self) -> str:
        return f"{self.measure}={_bound(self)}"


@dataclass(frozen=True, slots=True)
class Check:
    """
    A gate held against a result.

    Args:
        gate: The gate.
        system: The system of a comparison that was held against it; "" where there is one only.
        value: What was held against the bound: the measure, or its drop; None where it is undefined.
        verdict: What came of it.
        text: All of this in one line.

    """

    gate: Gate
    system: str
    value: float | None
    verdict: Verdict
    text: str

    def __str__(self) -> str:
        return self.text


def floor(text: str, kind: Kind | None = SPANS) -> Gate:
    """
    The gate of `link_f1=0.6`: a measure and the least value that is let through.

    Args:
        text: As on the command line.
        kind: What is counted; None where that is only known later, so that the name is not checked yet.

    Raises:
        MeasureError: If there is no such measure, or the lower it is, the better; or the value is no finite number.

    """
    name, equals, bound = text.rpartition("=")
    if not equals:
        raise MeasureError(f"'{text}' is not of the form MEASURE=VALUE, such as f1=0.6")
    if kind is None:
        return Gate(name.strip(), _number(bound, text))
    measure = get_measure(name.strip(), kind)
    if measure.is_cost:
        raise MeasureError(f"'{text}': the lower {measure.name}, the better, so it has no least value to keep")
    return Gate(measure.name, _number(bound, text))


def tolerance(text: str) -> Gate:
    """
    The gate of `f1=0.01` or `f1`: a measure and how far it may drop, 0 if nothing is said.

    Raises:
        MeasureError: If there is no such measure, or the tolerance is no finite number of at least 0.

    """
    name, equals, bound = text.rpartition("=") if "=" in text else (text, "", "")
    gate = Gate(any_measure(name.strip()), _number(bound, text) if equals else 0.0)
    if gate.bound < 0:
        raise MeasureError(f"'{text}': a tolerance is how far a measure may drop; expected 0 or more")
    return gate


def _number(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise MeasureError(f"'{whole}': '{text}' is not a number") from None
    if not math.isfinite(value):
        raise MeasureError(f"'{whole}': '{text}' is not a finite number")
    return value


def check_floors(gates: Iterable[Gate], evaluation: Result) -> list[Check]:
    """
    Hold the measures of a result against the least values that are let through.

    With macro averages, these are what is held against them.

    Raises:
        MeasureError: If the result does not have a measure, such as one of NIL where no NIL id was named.

    """
    macro = evaluation.macro
    values = evaluation.measures if macro is None else {name: x.value for name, x in macro.means.items()}
    prefix = "" if macro is None else "macro "
    checks = []
    for gate in gates:
        if gate.measure not in values:
            get_measure(gate.measure, evaluation.document_counts.kind)
            raise MeasureError(f"the measure {gate.measure} needs NIL ids; name them with --nil ID")
        value, name = values[gate.measure], gate.measure
        reason = evaluation.undefined.get(name) if macro is None else macro.why_undefined(name)
        checks.append(_floor(gate, value, f"{prefix}{name}", reason))
    return checks


def _floor(gate: Gate, value: float | None, name: str, reason: str | None) -> Check:
    if value is None:
        text = f"gate: {name} undefined >= {_bound(gate)}: {Verdict.UNDECIDED.value}: {_flat(reason)}"
        return Check(gate, "", None, Verdict.UNDECIDED, text)

    def is_met(shown: float) -> bool:
        return shown >= gate.bound - SLACK

    verdict = Verdict.MET if is_met(value) else Verdict.MISSED
    shown = next(text for text in _roundings(value) if is_met(float(text)) == is_met(value))
    text = f"gate: {name} {shown} >= {_bound(gate)}: {verdict.value}"
    if verdict is Verdict.MISSED and gate.bound > 1 >= value:
        text += " (no measure is above 1)"
    return Check(gate, "", value, verdict, text)


def check_regressions(gates: Sequence[Gate], comparison: Comparison, *, significant: bool = False) -> list[Check]:
    """
    Hold every system of a comparison against its baseline: no measure may drop by more than the tolerance.

    Args:
        gates: The measures and their tolerances.
        comparison: The systems; it must hold the measures of the gates.
        significant: Whether a drop only counts if its corrected p is below the comparison's alpha, too.

    Returns:
        For each gate and each system other than the baseline one check, in this order.

    Raises:
        MeasureError: If the comparison does not hold a measure.
        ValueError: If there is no system other than the baseline, so that nothing would be held against it.

    """
    others = [name for name in comparison.runs if name != comparison.baseline]
    if gates and not others:
        raise ValueError("a gate on regressions needs a system beside the baseline")
    held = {measure.name for measure in comparison.measures}
    for gate in gates:
        if gate.measure not in held:
            raise MeasureError(f"the comparison does not hold {gate.measure}; name it with -m {gate.measure}")
    return [_regression(gate, name, comparison, significant=significant) for gate in gates for name in others]


def _regression(gate: Gate, system: str, comparison: Comparison, *, significant: bool) -> Check:
    entry = comparison.entries[system][gate.measure]
    base = comparison.entries[comparison.baseline][gate.measure]
    is_cost = next(measure.is_cost for measure in comparison.measures if measure.name == gate.measure)
    sign = -1 if is_cost else 1
    digits = _drop_digits(gate, entry.value, base.value, sign)
    values = [_rounded(x, digits) for x in (entry.value, base.value)]
    allowed = f"allowed {'rise' if is_cost else 'drop'} {_bound(gate)}"
    start = f"gate: {gate.measure} {system} {values[0]} vs {comparison.baseline} {values[1]}, {allowed}"

    def check(verdict: Verdict, more: str = "") -> Check:
        drop = None if entry.delta is None else 0.0 - sign * entry.delta
        return Check(gate, system, drop, verdict, f"{start}{more}: {verdict.value}")

    if entry.delta is None:
        reason = _flat(entry.reason or base.reason)
        undecided = check(Verdict.UNDECIDED)
        return Check(gate, system, None, Verdict.UNDECIDED, f"{undecided.text}: {reason}")
    if not _is_drop(gate, -sign * entry.delta):
        return check(Verdict.MET)
    if not significant:
        return check(Verdict.MISSED)
    p, alpha = entry.p_corrected, comparison.alpha
    if p is None:
        return check(Verdict.UNDECIDED, ", no p of the difference")
    return (
        check(Verdict.MISSED, f", p {p:.2g} < {alpha:g}")
        if p < alpha
        else check(Verdict.MET, f", p {p:.2g}, not below {alpha:g}")
    )


def _is_drop(gate: Gate, drop: float) -> bool:
    return drop > gate.bound + SLACK


def _drop_digits(gate: Gate, value: float | None, base: float | None, sign: int) -> int:
    """As many digits as it takes to see the verdict in the two values."""
    if value is None or base is None:
        return _DIGITS
    seen = _is_drop(gate, sign * (base - value))
    for digits in range(_DIGITS, _MOST_DIGITS):
        if _is_drop(gate, sign * (round(base, digits) - round(value, digits))) == seen:
            return digits
    return _MOST_DIGITS


def _roundings(value: float) -> Iterable[str]:
    """A value with ever more digits, at last all."""
    return [*(f"{value:.{digits}f}" for digits in range(_DIGITS, _MOST_DIGITS)), repr(value)]


def _bound(gate: Gate) -> str:
    """The bound in full, without needless digits."""
    short = f"{gate.bound:g}"
    return short if float(short) == gate.bound else repr(gate.bound)


def _rounded(value: float | None, digits: int) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def _flat(reason: str | None) -> str:
    return " ".join((reason or "").split())


def exit_code(checks: Iterable[Check]) -> int:
    """0 if all gates are met, 1 if one is missed, 4 if none is missed but one cannot be decided."""
    verdicts = {check.verdict for check in checks}
    if Verdict.MISSED in verdicts:
        return MISSED
    return UNDECIDED if Verdict.UNDECIDED in verdicts else 0

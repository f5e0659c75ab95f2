"""
A measure: one number as a fraction of summed counts, with its question, its source and when it is undefined.

All measures are micro averages: numerator and denominator are summed over the documents before they are divided. This
module itself needs no numpy, so that registries can be shown and completed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from spaneval.frozen import Frozen
from spaneval.kinds import SPANS, Kind

if TYPE_CHECKING:
    from spaneval.corpus import FloatArray, IntArray

Totals = Mapping[str, int]

Terms = Mapping[str, int]
"""A sum of columns, each with its factor: `{"tp": 2, "fp": -1}` is 2 · tp - fp."""


class Measure(Frozen):
    """
    One number that is computed from summed counts, a fraction of two sums of columns.

    Two of them are equal only if they are the same one.

    Args:
        name: As in JSON and after `-m`.
        label: Short title for tables.
        question: What it answers, one line in plain words.
        undefined: When it has no value, one line in plain words.
        source: Where the formula comes from.
        numerator: Columns of `kind` and their factors.
        denominator: Those below the line.
        explain: Says for totals without a value why there is none.
        kind: What it is computed from.
        is_cost: Whether it is the better, the lower it is.
        needs_nil: Whether it only makes sense once NIL ids were named.
        needs_comparable: Whether it is undefined, too, when some pair is unmapped or minted and no pair is comparable:
            a 0 would then speak of a missing id map and not of the linker.

    """

    name: str
    label: str
    question: str
    undefined: str
    source: str
    numerator: Terms
    denominator: Terms
    explain: Callable[[Totals], str]
    kind: Kind = SPANS
    is_cost: bool = False
    needs_nil: bool = False
    needs_comparable: bool = False

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def formula(self) -> str:
        """The fraction in names of columns, as `2 · n_matched / (n_predicted + n_gold)`."""
        top, bottom = _sum(self.numerator), _sum(self.denominator)
        is_sum = " + " in top or " - " in top
        return f"{f'({top})' if is_sum else top} / {f'({bottom})' if ' ' in bottom else bottom}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the value depends on."""
        condition = ("n_id_comparable", "n_unmapped", "n_minted") if self.needs_comparable else ()
        return tuple(dict.fromkeys((*self.numerator, *self.denominator, *condition)))

    def fraction(self, totals: Totals) -> tuple[int, int]:
        """Numerator and denominator, not reduced; they are also given where the measure is undefined."""
        top = sum(factor * totals[column] for column, factor in self.numerator.items())
        return top, sum(factor * totals[column] for column, factor in self.denominator.items())

    def value(self, totals: Totals) -> float | None:
        """The measure of summed counts; None where it is undefined."""
        top, bottom = self.fraction(totals)
        return top / bottom if self._is_defined(totals, bottom) else None

    def why_undefined(self, totals: Totals) -> str | None:
        """Why there is no value, with the counts and what would help; None where there is one."""
        _, bottom = self.fraction(totals)
        return None if self._is_defined(totals, bottom) else self.explain(totals)

    def fractions(self, counts: IntArray) -> tuple[IntArray, IntArray]:
        """`fraction` of many sums at once: of counts of shape (..., C), columns as in `kind`."""
        return self._terms(self.numerator, counts), self._terms(self.denominator, counts)

    def values(self, counts: IntArray) -> FloatArray:
        """
        The measure of many sums at once, for resampling.

        Args:
            counts: Summed counts, int64 of shape (..., C), columns as in `kind`.

        Returns:
            float64 of shape (...), NaN where the measure is undefined; internal, no report shows a NaN.

        """
        import numpy as np  # not at the top, see there

        top, bottom = self.fractions(counts)
        is_defined = bottom > 0
        if self.needs_comparable:
            columns = {column: counts[..., self.kind.position(column)] for column in self.columns}
            is_defined &= ~lacks_translation(columns)
        result: FloatArray = np.full(bottom.shape, np.nan)
        np.divide(top, bottom, out=result, where=is_defined)
        return result

    def _terms(self, terms: Terms, counts: IntArray) -> IntArray:
        """The sum of columns of many tables at once, without arrays for factors of 1."""
        parts = (
            part if factor == 1 else factor * part
            for column, factor in terms.items()
            for part in [counts[..., self.kind.position(column)]]
        )
        total = next(parts)
        for part in parts:
            total = total + part
        return total

    def _is_defined(self, totals: Totals, bottom: int) -> bool:
        return bottom > 0 and not (self.needs_comparable and lacks_translation(totals))


def _sum(terms: Terms) -> str:
    """`2 · tp - fp`."""
    text = ""
    for column, factor in terms.items():
        sign = " - " if factor < 0 else " + "
        size = "" if abs(factor) == 1 else f"{abs(factor)} · "
        text += f"{sign if text else sign.strip('+ ')}{size}{column}"
    return text


def lacks_translation(counts: Mapping[str, Any]) -> Any:
    """Whether some pair is unmapped or minted and no pair is comparable: a bool for totals, an array for arrays."""
    return (counts["n_unmapped"] + counts["n_minted"] > 0) & (counts["n_id_comparable"] == 0)

"""
Fields of records: five decisions on a gold value and an extracted one, and what makes two values equal.

A `Comparator` compares the values of one field, `Comparators` has one for each. Keys are made once per value; then
equal keys are equal values, but for numbers with a tolerance, which `same` settles.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from spaneval.kinds import DECISIONS
from spaneval.loaders.scalars import NumberText
from spaneval.values.normalise import EXACT, Rule, RuleError, is_near, key_of, rule


class Decision(IntEnum):
    """What became of one field: its gold value against what was extracted."""

    TP = 0
    FP = 1
    FN = 2
    TN = 3
    FPFN = 4

    @property
    def label(self) -> str:
        """As in reports and as a column of counts, such as `tp`."""
        return DECISIONS[self]

    @property
    def words(self) -> str:
        """In words, as EasyRPA has them."""
        return _WORDS[self]

    @property
    def is_right(self) -> bool:
        """Whether the extraction says what the gold says: the same value, or none."""
        return self in (Decision.TP, Decision.TN)


_WORDS = {
    Decision.TP: "True positive",
    Decision.FP: "False positive",
    Decision.FN: "False negative",
    Decision.TN: "True negative",
    Decision.FPFN: "False positive. False negative",
}


@dataclass(frozen=True, slots=True)
class Comparator:
    """
    Compares the values of one field.

    Args:
        rule: What both sides are compared as.
        as_text: Whether numbers and booleans are compared as they are written, because one side has nothing but text.
        nfc: Whether canonically equivalent texts are equal whatever the rule.

    """

    rule: Rule = EXACT
    as_text: bool = False
    nfc: bool = False

    @property
    def tolerance(self) -> Decimal | None:
        """How far numbers may be apart; None where equal keys are all there is to equality."""
        return self.rule.tolerance or None

    def key(self, value: Any) -> Hashable:
        """What a value is compared as, None for an empty one; see `key_of`."""
        if type(value) is str and self.rule.name == "exact" and not self.nfc:
            return value or None
        return key_of(written(value) if self.as_text else value, self.rule, nfc=self.nfc)

    def equal(self, x: Any, y: Any) -> bool:
        """Whether two values are equal; empty ones are."""
        return self.same(self.key(x), self.key(y))

    def same(self, x: Hashable, y: Hashable) -> bool:
        """Whether two keys are those of equal values; with a tolerance that is no equivalence relation."""
        if x == y:
            return True
        if self.tolerance is None:
            return False
        if isinstance(x, tuple) and isinstance(y, tuple):
            return len(x) == len(y) and all(map(self.same, x, y))
        if isinstance(x, bool) or isinstance(y, bool):
            return False
        if isinstance(x, int | Decimal) and isinstance(y, int | Decimal):
            return is_near(x, y, self.tolerance)
        return False

    def decide(self, gold: Hashable, extracted: Hashable) -> Decision:
        """The decision on two keys."""
        if gold is None:
            return Decision.TN if extracted is None else Decision.FP
        if extracted is None:
            return Decision.FN
        return Decision.TP if self.same(gold, extracted) else Decision.FPFN


_MILDER = (Comparator(rule("number:0")), Comparator(rule("date")))
"""What tells that two values are one number or one day, written in two ways."""

_STARTS = frozenset("0123456789+-.")
"""How numbers and dates begin."""


def decide(gold: Any, extracted: Any, comparator: Comparator) -> Decision:
    """The decision on one gold value and one extracted value; a list is one value here, in its order."""
    return comparator.decide(comparator.key(gold), comparator.key(extracted))


def reason(decision: Decision, gold: Any, extracted: Any, comparator: Comparator) -> str | None:
    """What more can be said of a decision than its words; None where that is nothing."""
    if decision is Decision.TP:
        is_exact = comparator.rule.name == "exact" or _plain(gold) == _plain(extracted)
        return None if is_exact else f"equal by {comparator.rule}"
    if decision is not Decision.FPFN:
        return None
    if _plain(gold).strip() == _plain(extracted).strip() and _plain(gold) != _plain(extracted):
        return "they differ in white space at the ends"
    if written(gold) == written(extracted):
        return f"{_kind(gold)} is not {_kind(extracted)}"
    if _plain(gold).casefold() == _plain(extracted).casefold():
        return "they differ in case"
    if not (_is_text(gold) or _is_text(extracted)) or not _STARTS.issuperset((_plain(gold)[:1], _plain(extracted)[:1])):
        return None
    return next((f"they would be equal by {by.rule}" for by in _MILDER if by.equal(gold, extracted)), None)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else str(written(value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, NumberText)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if _is_text(value):
        return "text"
    return "a number" if isinstance(value, int | float | NumberText | Decimal) else "a list or an object"


def written(value: Any) -> Any:
    """A number or boolean as JSON writes it, also in lists and objects; anything else as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NumberText | int | float | Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return {name: written(item) for name, item in value.items()}
    return [written(item) for item in value] if isinstance(value, list | tuple) else value


class Pair(NamedTuple):
    """One gold value and one extracted value of a field with many, as numbers in their lists, -1 without; decided."""

    gold: int
    extracted: int
    decision: Decision


def pair_values(gold: Sequence[Hashable], extracted: Sequence[Hashable], comparator: Comparator) -> list[Pair]:
    """
    The values of a field with many, one to one: as many equal ones as can be; what is left pairs up as FPFN, then is FN
    or FP.

    Args:
        gold: Keys of the gold values; empty ones take no part.
        extracted: Keys of the extracted values.
        comparator: Says which are equal.

    Returns:
        Pairs with a gold value in the order of these, then the others; without any value one TN.

    Cost: linear; with a tolerance all pairs are looked at.

    """
    left = [k for k, key in enumerate(gold) if key is not None]
    right = [k for k, key in enumerate(extracted) if key is not None]
    if not left and not right:
        return [Pair(-1, -1, Decision.TN)]
    partner = _equal_ones(gold, extracted, left, right, comparator)
    taken = set(partner.values())
    rest = iter([k for k in right if k not in taken])
    pairs = []
    for k in left:
        if k in partner:
            pairs.append(Pair(k, partner[k], Decision.TP))
        else:
            other = next(rest, -1)
            pairs.append(Pair(k, other, Decision.FN if other < 0 else Decision.FPFN))
    return [*pairs, *(Pair(-1, k, Decision.FP) for k in rest)]


def _equal_ones(
    gold: Sequence[Hashable],
    extracted: Sequence[Hashable],
    left: Sequence[int],
    right: Sequence[int],
    comparator: Comparator,
) -> dict[int, int]:
    """The largest one-to-one choice of equal values: extracted value by gold value."""
    if comparator.tolerance is not None:
        return _near_ones(gold, extracted, left, right, comparator)
    waiting: dict[Hashable, list[int]] = {}
    for k in reversed(right):
        waiting.setdefault(extracted[k], []).append(k)
    return {k: same.pop() for k in left if (same := waiting.get(gold[k]))}


def _near_ones(
    gold: Sequence[Hashable],
    extracted: Sequence[Hashable],
    left: Sequence[int],
    right: Sequence[int],
    comparator: Comparator,
) -> dict[int, int]:
    """As many pairs as can be, then as many as can be with equal keys; then the first in order."""
    from spaneval.pairing.assignment import choose

    edges = [(a, b, gold[a] == extracted[b]) for a in left for b in right if comparator.same(gold[a], extracted[b])]
    if not edges:
        return {}
    ends = np.array([(a, b) for a, b, _ in edges], dtype=np.int64)
    levels = [np.ones(len(edges), np.int64), np.array([exact for _, _, exact in edges], np.int64)]
    chosen = choose(ends[:, 0], ends[:, 1], np.zeros(len(edges), np.int64), levels)
    return {edges[k][0]: edges[k][1] for k in chosen.tolist()}


@dataclass(frozen=True, slots=True)
class Comparators:
    """
    A comparator for each field.

    Args:
        default: The rule of fields without one of their own.
        rules: Rules by field.
        as_text: See `Comparator`.
        nfc: See `Comparator`.

    """

    default: Rule = EXACT
    rules: Mapping[str, Rule] = field(default_factory=dict)
    as_text: bool = False
    nfc: bool = False

    @classmethod
    def parse(cls, texts: Iterable[str], *, as_text: bool = False, nfc: bool = False) -> Comparators:
        """
        From texts as after `--normalize`: `RULE` for all fields, `FIELD=RULE` for one.

        Raises:
            RuleError: If there is no such rule, or one field is given two.

        """
        rules: dict[str | None, Rule] = {}
        for text in texts:
            name, equals, written_rule = text.rpartition("=")
            if equals and not name:
                raise RuleError(f"'{text}' is not of the form FIELD=RULE, such as total=number:0.01")
            one = rule(written_rule)
            of = name if equals else None
            if rules.setdefault(of, one) != one:
                what = "all fields" if of is None else f"the field '{of}'"
                raise RuleError(f"{what} cannot have two rules, {rules[of]} and {one}")
        default = rules.pop(None, EXACT)
        return cls(default, {name: one for name, one in rules.items() if name is not None}, as_text, nfc)

    def __getitem__(self, name: str) -> Comparator:
        """The comparator of a field."""
        return Comparator(self.rules.get(name, self.default), self.as_text, self.nfc)

    def __str__(self) -> str:
        """As in reports and signatures: `text,total=number:0.01`."""
        own = [f"{name}={one}" for name, one in sorted(self.rules.items()) if one != self.default]
        return ",".join([str(self.default), *own])

"""
The native reading of JSON documents: leaves of the label, leaves of the result, and which of them are equal.

Leaves outside of arrays meet by their path. Rows are paired first; then the leaves of a pair meet by their path in the
row. A row without a partner counts on its side alone.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spaneval.kinds import LEAVES
from spaneval.pairing.rows import RowPairing
from spaneval.records.decisions import Builder
from spaneval.records.row_codes import Pair, Pairer
from spaneval.values.fields import Comparator, Decision, reason
from spaneval.values.leaves import ROWS, Leaf, Part, Path, Reader, Row, array_name, shown_path, step_order

_NO_LABEL_ROW = "no row of the label is its partner"
_NO_RESULT_ROW = "no row of the result is its partner"
_LABEL_ROWS = "the label has rows here"
_RESULT_ROWS = "the result has rows here"


class PartScore(NamedTuple):
    """
    One array, or all leaves outside of arrays (`path` None).

    Args:
        path: Name of the array, `items` or `items[].parts`; "" for a document that is an array.
        gold, predicted, equal: Leaves, of its own rows and not of arrays in them.
        n_gold, n_predicted: Rows that hold anything.

    """

    path: str | None
    gold: int
    predicted: int
    equal: int
    n_gold: int = 0
    n_predicted: int = 0

    @property
    def weight(self) -> int:
        """Leaves on both sides; the score of a document is the mean of those of its parts by this weight."""
        return self.gold + self.predicted

    @property
    def score(self) -> float | None:
        """F1; None without any leaf."""
        return 2 * self.equal / self.weight if self.weight else None


class LeafScore(NamedTuple):
    """
    One document.

    Args:
        counts: By columns of `LEAVES`.
        arrays: Each array, in the order of the schema, nested ones behind the one that they stand in.
        fields: The leaves outside of arrays.

    """

    counts: dict[str, int]
    arrays: list[PartScore]
    fields: PartScore

    @property
    def score(self) -> float | None:
        """F1 of all leaves; None without any."""
        weight = self.counts["gold"] + self.counts["predicted"]
        return 2 * self.counts["equal"] / weight if weight else None


@dataclass
class _Tally:
    gold: int = 0
    predicted: int = 0
    equal: int = 0
    n_gold: int = 0
    n_predicted: int = 0

    def part(self, path: str | None) -> PartScore:
        return PartScore(path, self.gold, self.predicted, self.equal, self.n_gold, self.n_predicted)


@dataclass
class _Walk:
    """
    One document, label and result side by side.

    Args:
        doc: Number of the document.
        reader: Took both apart.
        pairer: Pairs their rows.
        table: Gets every decision.

    """

    doc: int
    reader: Reader
    pairer: Pairer
    table: Builder
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEAVES.columns, 0))
    fields: _Tally = field(default_factory=_Tally)
    arrays: dict[str, _Tally] = field(default_factory=dict)

    def both(
        self, inside: str, at: str, gold: Part, predicted: Part, pairs: Mapping[Path, list[Pair]] | None, why: str = ""
    ) -> bool:
        """
        Two documents, or a pair of rows.

        Args:
            inside: What the fields are found in.
            at: The same with numbers of rows.
            gold, predicted: Both sides.
            pairs: Pairs inside arrays of a pair of rows; None for documents.
            why: What is added to the reasons of wrong leaves.

        Returns:
            Whether all is equal.

        """
        tally = self.arrays[inside.removesuffix(ROWS)] if inside else self.fields
        is_right = True
        for path in sorted(gold.leaves.keys() | predicted.leaves.keys(), key=step_order):
            name, comparator = self.reader.field(inside, path)
            x, y = gold.leaves.get(path), predicted.leaves.get(path)
            decision = comparator.decide(x and x.key, y and y.key)
            if inside:
                self.counts[decision.label] += 1
            is_right &= decision is Decision.TP
            self._count(tally, x, y, decision)
            here = _LABEL_ROWS if path in gold.arrays else _RESULT_ROWS if path in predicted.arrays else ""
            said = _reason(decision, x, y, comparator, here, why)
            self.table.add(self.doc, _joined(at, path), name, x and x.value, y and y.value, decision, said)
        for path in sorted(gold.arrays.keys() | predicted.arrays.keys(), key=step_order):
            left, right = gold.arrays.get(path, []), predicted.arrays.get(path, [])
            if pairs is not None:
                found = pairs.get(path, [])
            else:
                found = self.pairer.pairs(inside, path, left, right) if left and right else []
            is_right &= self._rows(array_name(inside, path), _joined(at, path), left, right, found)
        return is_right

    def _rows(self, name: str, at: str, gold: Sequence[Row], predicted: Sequence[Row], pairs: Sequence[Pair]) -> bool:
        """The rows of an array; whether all are equal."""
        self._count_rows(name, len(gold), len(predicted))
        self.counts["rows_paired"] += len(pairs)
        by_gold = {pair.gold: pair for pair in pairs}
        is_right = len(pairs) == len(gold) == len(predicted)
        for k, row in enumerate(gold):
            place = f"{at}[{row.number}]"
            if k not in by_gold:
                self.alone(name + ROWS, place, row.part, is_gold=True)
                continue
            other = predicted[by_gold[k].predicted]
            why = "" if other.number == row.number else f"its partner is row {other.number} of the result"
            is_perfect = self.both(name + ROWS, place, row.part, other.part, by_gold[k].arrays, why)
            self.counts["rows_perfect"] += is_perfect
            is_right &= is_perfect
        paired = {pair.predicted for pair in pairs}
        for k, row in enumerate(predicted):
            if k not in paired:
                self.alone(name + ROWS, f"{at}[+{row.number}]", row.part, is_gold=False)
        return is_right

    def alone(self, inside: str, at: str, part: Part, *, is_gold: bool) -> None:
        """A row without a partner, and all that it holds."""
        decision, why = (Decision.FN, _NO_RESULT_ROW) if is_gold else (Decision.FP, _NO_LABEL_ROW)
        for path in sorted(part.leaves, key=step_order):
            leaf = part.leaves[path]
            x, y = (leaf, None) if is_gold else (None, leaf)
            self._count(self.arrays[inside.removesuffix(ROWS)], x, y, decision)
            name = self.reader.field(inside, path)[0]
            self.table.add(self.doc, _joined(at, path), name, x and x.value, y and y.value, decision, why)
        for path in sorted(part.arrays, key=step_order):
            rows, name = part.arrays[path], array_name(inside, path)
            self._count_rows(name, len(rows) * is_gold, len(rows) * (not is_gold))
            for row in rows:
                mark = "" if is_gold else "+"
                self.alone(name + ROWS, f"{_joined(at, path)}[{mark}{row.number}]", row.part, is_gold=is_gold)

    def _count(self, tally: _Tally, gold: Leaf | None, predicted: Leaf | None, decision: Decision) -> None:
        """One leaf of either side or both."""
        is_gold, is_predicted, is_equal = gold is not None, predicted is not None, decision is Decision.TP
        tally.gold += is_gold
        tally.predicted += is_predicted
        tally.equal += is_equal
        self.counts["gold"] += is_gold
        self.counts["predicted"] += is_predicted
        self.counts["equal"] += is_equal

    def _count_rows(self, name: str, n_gold: int, n_predicted: int) -> None:
        tally = self.arrays.setdefault(name, _Tally())
        tally.n_gold += n_gold
        tally.n_predicted += n_predicted
        self.counts["rows_gold"] += n_gold
        self.counts["rows_predicted"] += n_predicted


def _joined(at: str, path: Path) -> str:
    return at + shown_path(path, is_inside=bool(at))


def _reason(decision: Decision, x: Leaf | None, y: Leaf | None, comparator: Comparator, *more: str) -> str | None:
    said = reason(decision, x and x.value, y and y.value, comparator)
    parts = [said or "", *("" if decision is Decision.TP else why for why in more)]
    return "; ".join(part for part in parts if part) or None


def score_leaves(
    doc: int,
    gold: Part,
    predicted: Part,
    reader: Reader,
    table: Builder,
    *,
    arrays: Sequence[str] = (),
    pairing: RowPairing = "optimal",
    ordered: Container[str] = (),
) -> LeafScore:
    """
    Score one result against its label.

    Args:
        doc: Number of the document, for the table.
        gold, predicted: Both, as `reader` took them apart.
        reader: Names fields and compares values.
        table: Gets a row for each leaf of either side.
        arrays: Names of the arrays that are reported even if they are empty, in order.
        pairing: How rows are paired.
        ordered: Arrays whose rows are paired by position, by `plain_name`.

    Raises:
        InputError: If an array is too large to be paired.

    """
    walk = _Walk(doc, reader, Pairer(reader, pairing, ordered), table)
    walk.both("", "", gold, predicted, None)
    names = [*arrays, *sorted(walk.arrays.keys() - set(arrays))]
    parts = [walk.arrays.get(name, _Tally()).part(name) for name in names]
    return LeafScore(walk.counts, parts, walk.fields.part(None))

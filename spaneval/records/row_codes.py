"""Rows of one array, of label and result, to pairs: codes for `spaneval.pairing.rows`, and back."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from spaneval.pairing import rows as pairing
from spaneval.pairing.rows import RowPairing, RowPairs
from spaneval.values.leaves import ROWS, Part, Path, Reader, Row, array_name, content_order, plain_name


class Pair(NamedTuple):
    """
    Two rows.

    Args:
        gold, predicted: Their numbers in the lists of rows.
        arrays: The pairs inside each nested array that both have.

    """

    gold: int
    predicted: int
    arrays: Mapping[Path, list[Pair]]


class Pairer:
    """
    Pairs the rows of arrays.

    Args:
        reader: Names fields and knows what compares them.
        how: `optimal` or `greedy`.
        ordered: Arrays that are paired by position, by `plain_name`.

    """

    def __init__(self, reader: Reader, how: RowPairing, ordered: Container[str] = ()) -> None:
        self._reader, self._how, self._ordered = reader, how, ordered

    def pairs(self, inside: str, path: Path, gold: Sequence[Row], predicted: Sequence[Row]) -> list[Pair]:
        """
        The pairs of one array, in the order of the gold rows.

        Args:
            inside: What the array stands in: "" for the document.
            path: Its path from there.
            gold, predicted: Its rows.

        Raises:
            InputError: If the array is too large to be paired.

        """
        name = array_name(inside, path)
        codes = _Codes(self._reader, self._ordered, name + ROWS, (*gold, *predicted))
        found = pairing.pair_rows(
            codes.rows(name, gold),
            codes.rows(name, predicted),
            self._how,
            is_ordered=self.is_ordered(name),
            ordered=codes.ordered,
            tolerances=codes.tolerances,
            name=name,
        )
        return self._read(codes, name, found, gold, predicted)

    def is_ordered(self, name: str) -> bool:
        """Whether an array is paired by position."""
        return plain_name(name) in self._ordered

    def _read(
        self, codes: _Codes, name: str, found: RowPairs, gold: Sequence[Row], predicted: Sequence[Row]
    ) -> list[Pair]:
        """Pairs of the rows that hold anything, by their numbers in the lists."""
        left, right = codes.places(name, gold), codes.places(name, predicted)
        pairs = []
        for i, j, arrays in zip(found.gold, found.predicted, found.arrays, strict=True):
            if i in left and j in right:
                x, y = gold[left[i]].part, predicted[right[j]].part
                inner = {
                    codes.paths[code]: self._read(
                        codes,
                        array_name(name + ROWS, codes.paths[code]),
                        one,
                        x.arrays[codes.paths[code]],
                        y.arrays[codes.paths[code]],
                    )
                    for code, one in arrays.items()
                }
                pairs.append(Pair(left[i], right[j], inner))
        return pairs


class _Codes:
    """
    Codes of paths and values, all of them ranks in an order of content.

    Args:
        reader: See `Pairer`.
        ordered: See `Pairer`.
        inside: What the fields of the rows are found in.
        rows: All rows of both sides.

    """

    def __init__(self, reader: Reader, ordered: Container[str], inside: str, rows: Iterable[Row]) -> None:
        self._reader, self._is_ordered = reader, ordered
        self._keys: dict[tuple[str, Path], set[Hashable]] = {}
        self._arrays: set[tuple[str, Path]] = set()
        self._collect(inside, (row.part for row in rows))
        fields = sorted(self._keys, key=lambda place: reader.field(*place)[0])
        arrays = sorted(self._arrays, key=lambda place: array_name(*place))
        self._path = {place: code for code, place in enumerate(fields)}
        self._array = {place: len(fields) + code for code, place in enumerate(arrays)}
        self._value = {
            place: {key: rank for rank, key in enumerate(sorted(keys, key=content_order))}
            for place, keys in self._keys.items()
        }
        self.paths = {code: path for (_, path), code in self._array.items()}
        self.ordered = {code for place, code in self._array.items() if plain_name(array_name(*place)) in ordered}

    def _collect(self, inside: str, parts: Iterable[Part]) -> None:
        keys = self._keys
        for part in parts:
            for path, leaf in part.leaves.items():
                place = inside, path
                if place not in keys:
                    keys[place] = set()
                keys[place].add(leaf.key)
            for path, rows in part.arrays.items():
                self._arrays.add((inside, path))
                self._collect(array_name(inside, path) + ROWS, (row.part for row in rows))

    def rows(self, name: str, rows: Sequence[Row]) -> list[pairing.Row]:
        """Rows as codes; where position counts, empty ones stand for those that hold nothing."""
        found = [self._row(name + ROWS, row.part) for row in rows]
        if plain_name(name) not in self._is_ordered:
            return found
        placed = [pairing.Row({})] * (rows[-1].number + 1 if rows else 0)
        for row, one in zip(rows, found, strict=True):
            placed[row.number] = one
        return placed

    def places(self, name: str, rows: Sequence[Row]) -> dict[int, int]:
        """Place in the list of each row that `rows` made."""
        is_ordered = plain_name(name) in self._is_ordered
        return {row.number if is_ordered else k: k for k, row in enumerate(rows)}

    def _row(self, inside: str, part: Part) -> pairing.Row:
        leaves = {self._path[inside, path]: self._value[inside, path][leaf.key] for path, leaf in part.leaves.items()}
        if not part.arrays:
            return pairing.Row(leaves)
        arrays = {
            self._array[inside, path]: self.rows(array_name(inside, path), rows) for path, rows in part.arrays.items()
        }
        return pairing.Row(leaves, arrays)

    @property
    def tolerances(self) -> dict[int, pairing.Tolerance]:
        """Numbers that are equal when they are close, by path code."""
        found = {}
        for place, code in self._path.items():
            within = self._reader.field(*place)[1].tolerance
            if within:
                numbers = {v: key for key, v in self._value[place].items() if _is_number(key)}
                found[code] = pairing.Tolerance(numbers, within)  # type: ignore[arg-type] # they are numbers
        return found


def _is_number(key: Hashable) -> bool:
    return isinstance(key, int | Decimal) and not isinstance(key, bool)

"""
What the ids of one run stand for, and what each pair of them comes to.

Everything is settled once per distinct id; a pair then costs a few look-ups in arrays.
"""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, count, islice, repeat
from operator import eq, le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.frozen import Frozen
from spaneval.options import Options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spaneval.loaders.id_map import IdMap

T = TypeVar("T")


class Outcome(enum.IntEnum):
    """What a pair comes to; the first row of the table in docs/measures.md that applies."""

    CORRECT = 0
    WRONG = 1
    NO_GOLD_ID = 2
    NO_PREDICTED_ID = 3
    UNMAPPED = 4
    MINTED = 5

    @property
    def label(self) -> str:
        """As in reports: `no_gold_id`."""
        return self.name.lower()


_AGREEMENT = np.array([2, 1, 0, 0, 0, 0], dtype=np.int8)
"""By outcome: 2 correct, 1 wrong, 0 not comparable."""


class Equality(Frozen):
    """
    Which gold codes and predicted codes share a key; arrays have one entry more, the last, for code -1.

    Args:
        gold_key: The key of a gold code, int32; -1 without any, -2 with several.
        pred_key: The key of a predicted code, int32; -3 without one.
        several: `gold code * n_keys + key` of the gold codes with several keys, sorted, int64.
        n_keys: Number of distinct keys.

    """

    gold_key: NDArray[np.int32]
    pred_key: NDArray[np.int32]
    several: IntArray
    n_keys: int

    @classmethod
    def of(
        cls, gold: Sequence[Collection[str]], pred: Sequence[str | None], *, no_prediction: str | None = None
    ) -> Equality:
        """
        Number the keys.

        Args:
            gold: The keys of each gold code, without repeats.
            pred: The key of each predicted code; None equals nothing.
            no_prediction: The key of code -1 on the predicted side.

        """
        numbers: defaultdict[str | None, int] = defaultdict(count().__next__, {None: -3})
        number = numbers.__getitem__
        pred_key = np.array([*map(number, pred), number(no_prediction)], dtype=np.int32)
        flat = np.array([*map(number, chain.from_iterable(gold))], dtype=np.int32)
        n_keys = len(numbers) - 1
        sizes = np.fromiter(map(len, gold), dtype=np.int64, count=len(gold))
        gold_key = np.full(len(gold) + 1, -1, dtype=np.int32)
        gold_key[:-1][sizes > 1] = -2
        of_code = np.repeat(np.arange(len(gold)), sizes)
        is_single = sizes[of_code] == 1
        gold_key[of_code[is_single]] = flat[is_single]
        several = np.sort(of_code[~is_single] * n_keys + flat[~is_single])
        return cls(gold_key, pred_key, several, n_keys)

    def holds(self, gold: CodeArray, pred: CodeArray) -> BoolArray:
        """Whether each pair of codes shares a key, bool of the shape of `gold`."""
        gold_key, pred_key = self.gold_key.take(gold, mode="wrap"), self.pred_key.take(pred, mode="wrap")
        result: BoolArray = gold_key == pred_key
        if len(self.several):
            rows = np.flatnonzero((gold_key == -2) & (pred_key >= 0))
            wanted = gold[rows].astype(np.int64) * self.n_keys + pred_key[rows]
            at = np.minimum(np.searchsorted(self.several, wanted), len(self.several) - 1)
            result[rows] = self.several[at] == wanted
        return result


class Ids(Frozen):
    """
    The ids of one run and what they stand for.

    Arrays have one entry per code and a last one for code -1, no id, so that codes index them as they are.

    Args:
        gold_ids: Gold ids as given, by code.
        pred_ids: Predicted ids as given, by code.
        gold_translated: What gold ids are compared as, each sorted, without repeats; ids that mean NIL are one id.
        translated: What predicted ids are compared as; None where they are not: unmapped or minted.
        gold_rank: Rank of gold ids as given, in code-point order, int64; no id comes last.
        pred_rank: Rank of predicted ids, likewise.
        is_nil_gold: Whether a gold id is NIL or has NIL among its alternatives, bool.
        is_nil_pred: Whether a predicted id means NIL, bool; the last entry is `--null-is-nil`.
        is_unmapped: Whether maps are given and the first does not hold the predicted id, NIL or not, bool.
        unless_equal: Outcome of a predicted id that does not equal the gold id, int8.
        equality: Which ids are equal once translated.

    """

    gold_ids: list[tuple[str, ...]]
    pred_ids: list[str]
    gold_translated: list[tuple[str, ...]]
    translated: list[str | None]
    gold_rank: IntArray
    pred_rank: IntArray
    is_nil_gold: BoolArray
    is_nil_pred: BoolArray
    is_unmapped: BoolArray
    unless_equal: NDArray[np.int8]
    equality: Equality

    def outcome(self, gold: CodeArray, pred: CodeArray) -> NDArray[np.int8]:
        """
        What each pair comes to.

        Args:
            gold: Gold id codes, -1 for none.
            pred: Predicted id codes of the same shape, -1 for none.

        Returns:
            Values of `Outcome`.

        """
        result = self.unless_equal.take(pred, mode="wrap")
        np.putmask(result, self.equality.holds(gold, pred), Outcome.CORRECT)
        np.putmask(result, gold < 0, Outcome.NO_GOLD_ID)
        return result

    def agreement(self, gold: CodeArray, pred: CodeArray) -> NDArray[np.int8]:
        """2 where a pair is correct, 1 where it is wrong, 0 where it is not comparable; arguments as of `outcome`."""
        return _AGREEMENT.take(self.outcome(gold, pred))


def translate(
    gold_ids: Sequence[tuple[str, ...]],
    pred_ids: Sequence[str],
    *,
    maps: Sequence[IdMap] = (),
    gold_maps: Sequence[IdMap] = (),
    options: Options,
) -> Ids:
    """
    Settle what every id stands for.

    Maps are applied one after another. The first one of the predicted side decides which ids are unmapped; every other
    map leaves an id that it does not hold as it is, and so does the first under `--unmapped keep`.

    Args:
        gold_ids: Distinct gold ids, each a tuple of acceptable ids.
        pred_ids: Distinct predicted ids.
        maps: What predicted ids are translated by.
        gold_maps: What gold ids are translated by.
        options: `unmapped`, `minted`, `nil` and `null_is_nil` are used.

    Returns:
        The ids.

    Raises:
        ValueError: If `minted` is no regular expression.

    Cost: linear in the number of distinct ids, plus sorting them.

    """
    minted = compile_minted(options.minted)
    nil = frozenset(options.nil)
    nil_id = min(nil, default=None)
    gold_translated = list(gold_ids)
    if gold_maps or nil:
        gold_translated = [_gold_meaning(ids, gold_maps, nil, nil_id) for ids in gold_ids]
    meanings = _meanings(pred_ids, maps, minted, nil, options)
    null_text = nil_id if options.null_is_nil else None
    null_outcome = Outcome.WRONG if options.null_is_nil else Outcome.NO_PREDICTED_ID
    return Ids(
        gold_ids=list(gold_ids),
        pred_ids=list(pred_ids),
        gold_translated=gold_translated,
        translated=meanings.texts,
        gold_rank=_rank(gold_ids),
        pred_rank=_rank(pred_ids),
        is_nil_gold=_each(gold_translated, lambda ids: nil_id in ids, if_any=nil, last=False),
        is_nil_pred=_each(meanings.texts, lambda text: text == nil_id, if_any=nil, last=options.null_is_nil),
        is_unmapped=np.append(meanings.is_unmapped, False),
        unless_equal=np.append(meanings.unless_equal, np.int8(null_outcome)),
        equality=Equality.of(gold_translated, meanings.texts, no_prediction=null_text),
    )


def _each(values: Sequence[T], test: Callable[[T], bool], *, if_any: Collection[Any], last: bool) -> BoolArray:
    """Whether each value passes, and `last` for code -1; none passes where `if_any` is empty."""
    passes = map(test, values) if if_any else repeat(False, len(values))
    return np.fromiter(chain(passes, (last,)), dtype=np.bool_, count=len(values) + 1)


def compile_minted(pattern: str) -> re.Pattern[str]:
    """
    The pattern of minted ids.

    Raises:
        ValueError: If it is no regular expression.

    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"--minted: {pattern!r} is not a regular expression: {error}") from error


def apply_maps(id_: str, maps: Iterable[IdMap]) -> str:
    """`id_` translated by each map in turn; a map leaves an id that it does not hold as it is."""
    for id_map in maps:
        id_ = id_map.targets.get(id_, id_)
    return id_


class _Meanings(NamedTuple):
    """
    What N predicted ids stand for.

    Args:
        texts: What is compared; None where nothing is.
        unless_equal: What a pair comes to unless the ids are equal, int8 of shape (N,).
        is_unmapped: Whether maps are given and the first does not hold the id, bool of shape (N,).

    """

    texts: list[str | None]
    unless_equal: NDArray[np.int8]
    is_unmapped: BoolArray


def _meanings(
    ids: Sequence[str],
    maps: Sequence[IdMap],
    minted: re.Pattern[str],
    nil: frozenset[str],
    options: Options,
) -> _Meanings:
    """The rows of the table, from NIL on: the first that applies."""
    n = len(ids)
    is_unmapped = np.zeros(n, np.bool_)
    if maps:
        is_unmapped = np.fromiter((id_ not in maps[0].targets for id_ in ids), dtype=np.bool_, count=n)
    is_dropped = is_unmapped & (options.unmapped != "keep")
    texts: list[str | None] = list(ids)
    if maps:
        texts = [
            id_ if dropped else apply_maps(id_, maps) for id_, dropped in zip(ids, is_dropped.tolist(), strict=True)
        ]
    is_nil = np.zeros(n, np.bool_)
    if nil:
        is_nil = np.fromiter((x in nil or y in nil for x, y in zip(ids, texts, strict=True)), dtype=np.bool_, count=n)
    is_minted = np.fromiter(map(bool, map(minted.search, ids)), dtype=np.bool_, count=n)
    if maps:
        is_minted &= is_unmapped & np.fromiter(map(eq, ids, texts), dtype=np.bool_, count=n)
    for codes, text in ((is_dropped | is_minted, None), (is_nil, min(nil, default=None))):
        for code in np.flatnonzero(codes).tolist():
            texts[code] = text
    dropped_outcome = Outcome.WRONG if options.unmapped == "wrong" else Outcome.UNMAPPED
    outcomes = np.select(
        [is_nil, is_dropped, is_minted], [Outcome.WRONG, dropped_outcome, Outcome.MINTED], Outcome.WRONG
    )
    return _Meanings(texts, outcomes.astype(np.int8), is_unmapped)


def _gold_meaning(
    ids: tuple[str, ...], maps: Sequence[IdMap], nil: frozenset[str], nil_id: str | None
) -> tuple[str, ...]:
    """The acceptable ids of an annotation as they are compared."""
    if not maps and nil.isdisjoint(ids):
        return ids
    texts = set()
    for id_ in ids:
        text = apply_maps(id_, maps)
        texts.add(nil_id if nil_id is not None and (id_ in nil or text in nil) else text)
    return tuple(sorted(texts))


def _rank(ids: Sequence[str] | Sequence[tuple[str, ...]]) -> IntArray:
    """Place of each id in the order of all, int64 of shape (N + 1,); the last entry, of no id, is N."""
    rank = np.arange(len(ids) + 1, dtype=np.int64)
    if all(map(le, ids, islice(ids, 1, None))):  # type: ignore[arg-type]  # texts, or tuples of texts
        return rank
    rank[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return rank

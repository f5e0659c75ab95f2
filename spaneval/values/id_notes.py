"""
Notes on ids: the likely cause when entity numbers are undefined, or low for reasons other than quality.

Everything is worked out on distinct ids; pairs are only counted. Examples are the first in code-point order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.frozen import Frozen
from spaneval.options import Options
from spaneval.problems import Note, counted
from spaneval.values.ids import Equality, Ids, Outcome, apply_maps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spaneval.loaders.id_map import IdMap

NIL_LIKE = ("<NIL>", "NEW", "NIL")
"""What linkers and corpora write for "not in the knowledge base"."""

MANY_PAIRS = 20_000
"""Wrong pairs beyond which a sample of them is looked at first."""
GIVE_MAP = "give --id-map CSV with columns predicted_id,kb_id"
LIST_PAIRS = "`spaneval score --pairs FILE` lists them"

_DIGITS = "0123456789"
_SEPARATORS = r"[ _.:/#|-]+"
_BETWEEN_DIGITS = rf"(?<=\d){_SEPARATORS}(?=\d)"
_BESIDE_LETTERS = rf"(?<!\d){_SEPARATORS}|{_SEPARATORS}(?!\d)"
_TRANSLATE = "--id-map translates predicted ids, --gold-id-map gold ids"
_DIFFERENCES = {
    "blanks": ("blanks around them", "trim them"),
    "trailing-zero": ("a trailing '.0'", "keep ids as text, a column of floats adds it"),
    "case": ("upper and lower case", _TRANSLATE),
    "separator": ("a separator", _TRANSLATE),
    "prefix": ("a prefix", _TRANSLATE),
}


def id_notes(
    ids: Ids,
    gold_codes: CodeArray,
    pred_codes: CodeArray,
    outcomes: NDArray[np.int8],
    *,
    maps: Sequence[IdMap] = (),
    gold_maps: Sequence[IdMap] = (),
    options: Options,
) -> list[Note]:
    """
    What a reader of the entity numbers should know of the ids behind them.

    Args:
        ids: The ids of the run.
        gold_codes: Gold id code of each counted pair, -1 for none.
        pred_codes: Predicted id code of each counted pair, likewise.
        outcomes: What each pair came to, as of `ids.outcome`.
        maps: What predicted ids were translated by.
        gold_maps: What gold ids were translated by.
        options: As given to `translate`.

    Returns:
        Notes in a fixed order, independent of the order of pairs and ids.

    Cost: a few passes over the pairs, and work linear in the number of distinct ids.

    """
    run = _Run(ids, gold_codes, pred_codes, outcomes, tuple(maps), tuple(gold_maps), options)
    differences = _differences(run)
    return [
        *_minted(run),
        *_unmapped(run),
        *_different_spaces(run, n_explained=sum(difference.n_pairs for difference in differences.values())),
        *_difference_notes(differences),
        *_chains(run),
        *_foreign_targets(run),
        *_nil_like(run),
        *_trimmed(run),
    ]


class _Run(Frozen):
    """The arguments of `id_notes`, and questions about them that several notes ask."""

    ids: Ids
    gold: CodeArray
    pred: CodeArray
    outcomes: NDArray[np.int8]
    maps: tuple[IdMap, ...]
    gold_maps: tuple[IdMap, ...]
    options: Options

    def n_pairs(self, outcome: Outcome) -> int:
        """Pairs of an outcome."""
        return int(np.count_nonzero(self.outcomes == outcome))

    def wrong_pairs(self) -> BoolArray:
        """Wrong pairs of two compared ids, neither of them NIL."""
        ids = self.ids
        is_plain = (ids.equality.pred_key >= 0) & ~ids.is_nil_pred
        wrong: BoolArray = self.outcomes == Outcome.WRONG
        wrong &= is_plain.take(self.pred, mode="wrap")
        return wrong & ~ids.is_nil_gold.take(self.gold, mode="wrap") if self.options.nil else wrong

    def dropped(self) -> BoolArray:
        """Per predicted code, with one for -1: whether no map holds the id and it is not compared for that."""
        if self.options.unmapped == "keep":
            return np.zeros_like(self.ids.is_unmapped)
        return self.ids.is_unmapped & ~self.ids.is_nil_pred

    def first_pred(self, pairs: BoolArray) -> str:
        """The predicted id of `pairs` that is first in code-point order, as given."""
        return self.ids.pred_ids[_first(self.pred[pairs], self.ids.pred_rank)]

    def gold_texts(self) -> set[str]:
        """Every gold id that is compared, but for NIL."""
        compared = zip(self.ids.gold_translated, self.ids.is_nil_gold[:-1].tolist(), strict=True)
        nil = set(self.options.nil)
        return {text for texts, is_nil in compared for text in texts if not (is_nil and text in nil)}


def _first(codes: CodeArray, rank: IntArray) -> int:
    """The code of the least rank."""
    return int(codes[np.argmin(rank[codes])])


def _minted(run: _Run) -> Iterator[Note]:
    pairs = run.outcomes == Outcome.MINTED
    count = run.n_pairs(Outcome.MINTED)
    if not count:
        return
    remedy = "add them to the map" if run.maps else GIVE_MAP
    message = (
        f"{counted(count, 'pair')} not comparable: the predicted id is a minted cluster id that no id map translates, "
        f"such as {run.first_pred(pairs)!r}; {remedy} ({LIST_PAIRS})"
    )
    yield Note("minted-ids", count, message)


def _unmapped(run: _Run) -> Iterator[Note]:
    dropped = run.dropped()
    pairs = dropped.take(run.pred, mode="wrap") & (run.gold >= 0)
    count = int(np.count_nonzero(pairs))
    if not count:
        return
    codes: IntArray = np.flatnonzero(np.bincount(run.pred[pairs]))
    verdict = "counted as wrong" if run.options.unmapped == "wrong" else "not comparable"
    distinct = "1 predicted id" if len(codes) == 1 else f"{len(codes)} predicted ids"
    message = (
        f"{counted(count, 'pair')} {verdict}: the id map does not hold {distinct}, such as {run.first_pred(pairs)!r}; "
        f"add them to the map ({LIST_PAIRS})"
    )
    yield Note("unmapped-ids", count, message)
    yield from _unmapped_kb_ids(run, codes, pairs)


def _unmapped_kb_ids(run: _Run, codes: IntArray, pairs: BoolArray) -> Iterator[Note]:
    """Unmapped ids that need no map: they are targets of it, or gold ids."""
    known = run.gold_texts().union(*(id_map.targets.values() for id_map in run.maps))
    is_known = np.zeros_like(run.ids.is_unmapped)
    is_known[[code for code in codes.tolist() if run.ids.pred_ids[code] in known]] = True
    pairs = pairs & is_known.take(run.pred, mode="wrap")
    count = int(np.count_nonzero(pairs))
    if count:
        message = (
            f"{counted(count, 'pair')} with an unmapped predicted id that is a knowledge base id already, such as "
            f"{run.first_pred(pairs)!r}: --unmapped keep lets such ids stand as they are ({LIST_PAIRS})"
        )
        yield Note("unmapped-kb-ids", count, message)


def _different_spaces(run: _Run, *, n_explained: int) -> Iterator[Note]:
    """No map, pairs are comparable, none is right, and no namespace is shared; unless all is explained otherwise."""
    if run.maps or run.n_pairs(Outcome.CORRECT):
        return
    pairs = run.wrong_pairs()
    count = int(np.count_nonzero(pairs))
    if count <= n_explained:
        return
    nil = run.ids.is_nil_pred[:-1].tolist()
    predicted = {_namespace(id_) for id_, is_nil in zip(run.ids.pred_ids, nil, strict=True) if not is_nil}
    if not predicted.isdisjoint(map(_namespace, run.gold_texts())):
        return
    gold = run.ids.gold_translated[_first(run.gold[pairs], run.ids.gold_rank)][0]
    message = (
        f"none of {counted(count, 'pair')} is right, and the two sides seem to speak of different id spaces: predicted "
        f"ids look like {run.first_pred(pairs)!r}, gold ids like {gold!r}; {GIVE_MAP}"
    )
    yield Note("different-id-spaces", count, message)


def _namespace(id_: str) -> str:
    """All before the final digits."""
    return id_.rstrip(_DIGITS)


class _Difference(NamedTuple):
    """How many pairs differ in one way only, and the first example: predicted and expected."""

    n_pairs: int
    example: tuple[str, str]


def _difference_notes(differences: dict[str, _Difference]) -> Iterator[Note]:
    for kind, (what, remedy) in _DIFFERENCES.items():
        if kind in differences:
            count, (pred, expected) = differences[kind]
            message = (
                f"{counted(count, 'pair')} would agree but for {what}, such as predicted {pred!r} "
                f"and expected {expected!r}; {remedy} ({LIST_PAIRS})"
            )
            yield Note(f"ids-differ-by-{kind}", count, message)


def _differences(run: _Run) -> dict[str, _Difference]:
    """Pairs that almost agree, by the kind of difference: wrong ones, and those whose id the map almost holds."""
    found: dict[str, _Difference] = {}
    for kind, count, example in chain(_near_gold(run), _near_keys(run)):
        known = found.get(kind, _Difference(0, example))
        found[kind] = _Difference(known.n_pairs + count, min(known.example, example))
    return found


def _near_gold(run: _Run) -> Iterator[tuple[str, int, tuple[str, str]]]:
    """
    Kind, number of pairs and example of each wrong pair of ids that almost agree.

    Of very many wrong pairs a sample is looked at first, the rest only if it holds such a pair: what makes a number low
    is not rare. A pair of ids is in the sample or not whatever the order of pairs.
    """
    pairs = run.wrong_pairs()
    gold, pred = run.gold[pairs], run.pred[pairs]
    if len(gold) > MANY_PAIRS:
        every = len(gold) // (MANY_PAIRS // 2)
        sampled = (gold.astype(np.int64) * 7919 + pred) % every == 0
        if not any(True for _ in _near(run, gold[sampled], pred[sampled])):
            return
    yield from _near(run, gold, pred)


def _near(run: _Run, gold: CodeArray, pred: CodeArray) -> Iterator[tuple[str, int, tuple[str, str]]]:
    n_gold, n_pred = len(run.ids.gold_ids), len(run.ids.pred_ids)
    texts = zip(run.ids.translated, np.bincount(pred, minlength=n_pred).tolist(), strict=True)
    pred_cores = [_quick_core(text) if text is not None and n else None for text, n in texts]
    alternatives = zip(run.ids.gold_translated, np.bincount(gold, minlength=n_gold).tolist(), strict=True)
    gold_cores = [_cores(several) if n else () for several, n in alternatives]
    near = Equality.of(gold_cores, pred_cores).holds(gold, pred)
    packed, counts = np.unique(gold[near].astype(np.int64) * n_pred + pred[near], return_counts=True)
    for pair, count in zip(packed.tolist(), counts.tolist(), strict=True):
        pred_text = run.ids.translated[pair % n_pred] or ""
        for gold_text in run.ids.gold_translated[pair // n_pred]:
            kind = _difference(pred_text, gold_text)
            if kind:
                yield kind, count, (pred_text, gold_text)
                break


def _near_keys(run: _Run) -> Iterator[tuple[str, int, tuple[str, str]]]:
    """The same for unmapped ids and the keys of the first map, as far as blanks and `.0` go."""
    pairs = run.dropped().take(run.pred, mode="wrap") & (run.gold >= 0)
    if not pairs.any():
        return
    counts = np.bincount(run.pred[pairs])
    for code in np.flatnonzero(counts).tolist():
        id_ = run.ids.pred_ids[code]
        for variant in (id_.strip(), id_.removesuffix(".0"), id_ + ".0"):
            if variant in run.maps[0].targets:
                yield _difference(id_, variant) or "blanks", int(counts[code]), (id_, variant)
                break


def _quick_core(id_: str) -> str:
    """`_core`, the usual case first: most ids end in digits."""
    digits = id_[len(id_.rstrip(_DIGITS)) :]
    return digits if digits and digits != "0" else _core(id_)


def _core(id_: str) -> str:
    """What near ids have in common: the final digits, else the last part without separators. Cheap and too generous."""
    head = id_.rstrip(_DIGITS)
    if len(head) < len(id_) and not id_.endswith(".0"):
        return id_[len(head) :]
    text = id_.strip().removesuffix(".0")
    if text != id_:
        return _core(text)
    return _plain(_local_part(text.casefold())) or text


def _cores(ids: tuple[str, ...]) -> Collection[str]:
    return (_quick_core(ids[0]),) if len(ids) == 1 else {_quick_core(id_) for id_ in ids}


def _difference(pred: str, gold: str) -> str | None:
    """In what one way two ids differ, as a key of `_DIFFERENCES`; None if in any other."""
    if pred.strip() == gold.strip():
        return "blanks"
    if pred.removesuffix(".0") == gold or gold.removesuffix(".0") == pred:
        return "trailing-zero"
    pred, gold = pred.casefold(), gold.casefold()
    if pred == gold:
        return "case"
    if _plain(pred) == _plain(gold):
        return "separator"
    return "prefix" if _differ_by_prefix(pred, gold) else None


def _differ_by_prefix(one: str, other: str) -> bool:
    """`mesh:d003866` and `d003866`, `q42` and `42`, `http://…/pel_000032` and `pel.000032`."""
    short, long = sorted((one, other), key=len)
    if short and long.endswith(short):
        last = long[-len(short) - 1]
        return not last.isalnum() or (short[0].isdigit() and not last.isdigit())
    has_prefix = [_local_part(text) != text for text in (one, other)]
    is_uri = ["://" in text for text in (one, other)]
    return _plain(_local_part(one)) == _plain(_local_part(other)) and (not all(has_prefix) or is_uri[0] != is_uri[1])


def _local_part(id_: str) -> str:
    return re.split(r"[:/#]", id_)[-1]


def _plain(id_: str) -> str:
    """Without separators, but for a mark where one parts digits."""
    return re.sub(_BESIDE_LETTERS, "", re.sub(_BETWEEN_DIGITS, "_", id_))


def _chains(run: _Run) -> Iterator[Note]:
    """Targets that are keys of the same map, where it is not applied again."""
    yield from _chains_of(run.ids.pred_ids, run.maps, "--id-map")
    yield from _chains_of(chain.from_iterable(run.ids.gold_ids), run.gold_maps, "--gold-id-map")


def _chains_of(ids: Iterable[str], maps: Sequence[IdMap], option: str) -> Iterator[Note]:
    if not maps:
        return
    reached = {id_: id_ for id_ in ids}
    for number, id_map in enumerate(maps, 1):
        targets = id_map.targets
        is_held = {id_ for id_, text in reached.items() if text in targets}
        reached = {id_: targets.get(text, text) for id_, text in reached.items()}
        if number < len(maps) and maps[number].targets == targets:
            continue
        open_ids = [id_ for id_ in is_held if targets.get(reached[id_], reached[id_]) != reached[id_]]
        if open_ids:
            first = min(open_ids)
            message = (
                f"{counted(len(open_ids), 'id is', 'ids are')} translated by {id_map.name} to an id that it would "
                f"translate again, such as {first!r} to {reached[first]!r} to {targets[reached[first]]!r}; "
                f"give the map once more with {option} to follow such chains"
            )
            yield Note("map-target-is-key", len(open_ids), message)


def _foreign_targets(run: _Run) -> Iterator[Note]:
    """No target of the map is a gold id."""
    if not run.maps or not (gold := run.gold_texts()):
        return
    nil = set(run.options.nil)
    final = (apply_maps(target, run.maps[1:]) for target in run.maps[0].targets.values())
    if any(target in gold for target in final):
        return
    targets = {apply_maps(target, run.maps[1:]) for target in run.maps[0].targets.values()} - nil
    if not targets:
        return
    if gold.isdisjoint(run.maps[0].targets):
        remedy = "is it the map of another knowledge base?"
    else:
        remedy = "its predicted ids are gold ids, so its columns seem to be swapped: --id-map-columns FROM,TO"
    message = (
        f"no target of {run.maps[0].name}, such as {min(targets)!r}, is a gold id, such as {min(gold)!r}; {remedy}"
    )
    yield Note("map-targets-not-in-gold", len(targets), message)


def _nil_like(run: _Run) -> Iterator[Note]:
    if run.options.nil:
        return
    ids = run.ids
    texts: Iterable[str | None] = chain(ids.pred_ids, chain.from_iterable(ids.gold_ids))
    if run.maps or run.gold_maps:
        texts = chain(texts, ids.translated, chain.from_iterable(ids.gold_translated))
    present = set(NIL_LIKE).intersection(texts)
    found = [id_ for id_ in NIL_LIKE if id_ in present]
    if found:
        options = " ".join(f"--nil {id_!r}" if id_ == "<NIL>" else f"--nil {id_}" for id_ in found)
        message = (
            f"{', '.join(map(repr, found))} among the ids {'counts as an id' if len(found) == 1 else 'count as ids'} "
            "like any other; "
            f'if it means "not in the knowledge base", give {options}'
        )
        yield Note("nil-like-ids", len(found), message)


def _trimmed(run: _Run) -> Iterator[Note]:
    for id_map in {id_map.name: id_map for id_map in run.maps + run.gold_maps}.values():
        if id_map.n_trimmed:
            cells = "1 cell" if id_map.n_trimmed == 1 else f"{id_map.n_trimmed} cells"
            message = f"blanks around {cells} of {id_map.name} were trimmed"
            yield Note("map-blanks-trimmed", id_map.n_trimmed, message)

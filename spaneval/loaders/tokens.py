"""
Numbers of distinct tokens (ids and document keys as they are written), looked up for many places of a text at once.

A hash table in numpy arrays: what it finds is compared word by word, so that a hash never decides.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
import orjson

from spaneval.corpus import BoolArray, CodeArray, IntArray
from spaneval.loaders.scalars import Vocabulary
from spaneval.loaders.words import FIRST_BYTES, Text, UIntArray

LONGEST_TOKEN: Final = 64
"""Bytes of the longest token that can be looked up."""
_FACTORS: Final = [np.uint64((k * 0x9E3779B97F4A7C15 | 1) % 2**64) for k in range(1, LONGEST_TOKEN // 8 + 2)]
_MIX: Final = np.uint64(0xBF58476D1CE4E5B9)
_32, _BITS_OF_WORD = np.uint64(32), 64
_LEAST_BITS: Final = 12


class Tokens:
    """
    The distinct tokens seen so far, each a JSON value without escapes; equal tokens have one number.

    Args:
        types: Types of values that can be used; tokens of others are not kept.
        allows_empty: Whether `""` can be used, too.

    """

    def __init__(self, types: Collection[type], *, allows_empty: bool = True) -> None:
        self.types, self.allows_empty = types, allows_empty
        self.values: list[Any] = []
        self._codes = np.zeros(0, dtype=np.int32)
        self._words: list[UIntArray] = []
        self._length: IntArray = np.zeros(0, dtype=np.int64)
        self._size = 0
        self._bits = _LEAST_BITS
        self._slots: CodeArray = np.full(1 << self._bits, -1, dtype=np.int32)

    def numbers(self, text: Text, starts: IntArray, ends: IntArray) -> CodeArray:
        """
        The number of the token at each place, int32 of shape (N,); -1 where it cannot be used.

        Args:
            text: What the tokens stand in.
            starts: First byte of each.
            ends: One past its last byte; all are of 1 to `LONGEST_TOKEN` bytes and verified but for being UTF-8.

        Raises:
            ValueError: If one is not UTF-8.

        """
        if not len(starts):
            return np.zeros(0, dtype=np.int32)
        length = ends - starts
        words = [text.words[starts] & FIRST_BYTES[np.minimum(length, 8)]]
        for k in range(8, int(length.max()), 8):
            words.append(text.words[starts + k] & FIRST_BYTES[np.clip(length - k, 0, 8)])
        heads = np.flatnonzero(_differs_from_last(words))
        if 2 * len(heads) > len(starts):
            return self._numbers(text, starts, words, length)
        found = self._numbers(text, starts[heads], [x[heads] for x in words], length[heads])
        return np.repeat(found, np.diff(np.append(heads, len(starts))))

    def _numbers(self, text: Text, starts: IntArray, words: list[UIntArray], length: IntArray) -> CodeArray:
        hashed = _hashed(words)
        found = self._look_up(words, length, hashed)
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._learn(text, starts[new], [x[new] for x in words], length[new], hashed[new])
        return found

    def codes(self, numbers: CodeArray, vocabulary: Vocabulary) -> CodeArray:
        """The codes of the values of tokens in the vocabulary, which learns those that are new to it."""
        if len(self._codes) < self._size:
            unknown = np.full(self._size - len(self._codes), -1, dtype=np.int32)
            self._codes = np.concatenate([self._codes, unknown])
        codes: CodeArray = self._codes[numbers]
        new = np.flatnonzero(codes < 0)
        if len(new):
            is_fresh = np.zeros(self._size, dtype=np.bool_)
            is_fresh[numbers[new]] = True
            fresh = np.flatnonzero(is_fresh)
            self._codes[fresh] = vocabulary.codes([self.values[k] for k in fresh.tolist()])
            codes = self._codes[numbers]
        return codes

    def _look_up(self, words: list[UIntArray], length: IntArray, hashed: UIntArray) -> CodeArray:
        """The number of each token, -1 where it is new."""
        slot = self._slot(hashed)
        number = self._slots[slot]
        is_same = self._is(number, words, length)
        found = np.where(is_same, number, np.int32(-1))
        left = np.flatnonzero(~is_same & (number >= 0))
        while len(left):
            slot = (slot[left] if len(slot) == len(length) else slot) + 1 & len(self._slots) - 1
            number = self._slots[slot]
            is_same = self._is(number, [x[left] for x in words], length[left])
            found[left[is_same]] = number[is_same]
            goes_on = ~is_same & (number >= 0)
            left, slot = left[goes_on], slot[goes_on]
        return found

    def _is(self, number: CodeArray, words: list[UIntArray], length: IntArray) -> Any:
        """Whether each token is the one of that number."""
        if not self._size:
            return np.zeros(len(number), dtype=np.bool_)
        is_same = number >= 0
        if len(self._words) != len(words):  # else words that are padded with zeros tell lengths apart
            is_same &= self._length[number] == length
        for k, word in enumerate(words[: len(self._words)]):
            is_same &= self._words[k][number] == word
        return is_same

    def _learn(
        self, text: Text, starts: IntArray, words: list[UIntArray], length: IntArray, hashed: UIntArray
    ) -> CodeArray:
        """Numbers of tokens that are not known yet; the same one may come several times."""
        order = np.lexsort(words)
        is_first = _differs_from_last([word[order] for word in words])
        rows = order[is_first]
        data = text.data
        spans = zip(starts[rows].tolist(), length[rows].tolist(), strict=True)
        values = orjson.loads(b"[" + b",".join([data[a : a + n] for a, n in spans]) + b"]")
        is_usable = np.array([type(x) in self.types and (self.allows_empty or x != "") for x in values], dtype=np.bool_)
        number = np.where(is_usable, self._size + np.cumsum(is_usable) - 1, -1).astype(np.int32)
        numbers = np.empty(len(order), dtype=np.int32)
        numbers[order] = number[np.cumsum(is_first) - 1]
        self.values += [value for value, is_kept in zip(values, is_usable.tolist(), strict=True) if is_kept]
        self._add([word[rows[is_usable]] for word in words], length[rows[is_usable]], hashed[rows[is_usable]])
        return numbers

    def _add(self, words: list[UIntArray], length: IntArray, hashed: UIntArray) -> None:
        before, self._size = self._size, self._size + len(length)
        if self._size > len(self._length):
            self._length = _longer(self._length, 2 * self._size)
            self._words = [_longer(word, 2 * self._size) for word in self._words]
        while len(self._words) < len(words):
            self._words.append(np.zeros(len(self._length), dtype=np.uint64))
        self._length[before : self._size] = length
        for k, word in enumerate(words):
            self._words[k][before : self._size] = word
        if 4 * self._size <= len(self._slots):
            self._settle(hashed, np.arange(before, self._size, dtype=np.int32))
            return
        while 4 * self._size > 1 << self._bits:
            self._bits += 1
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)
        self._settle(_hashed([word[: self._size] for word in self._words]), np.arange(self._size, dtype=np.int32))

    def _settle(self, hashed: UIntArray, number: CodeArray) -> None:
        """Give each number the first free slot from that of its hash on."""
        slot = self._slot(hashed)
        while len(number):
            is_free = self._slots[slot] < 0
            self._slots[slot[is_free]] = number[is_free]
            is_left = self._slots[slot] != number  # also those whose slot another one of these has taken
            number, slot = number[is_left], slot[is_left] + 1 & len(self._slots) - 1

    def _slot(self, hashed: UIntArray) -> IntArray:
        return (hashed >> np.uint64(_BITS_OF_WORD - self._bits)).view(np.int64)


def _differs_from_last(words: list[UIntArray]) -> BoolArray:
    """Whether each token differs from the one before; words padded with zeros have no two meanings."""
    differs = np.ones(len(words[0]), dtype=np.bool_)
    np.not_equal(words[0][1:], words[0][:-1], out=differs[1:])
    for word in words[1:]:
        differs[1:] |= word[1:] != word[:-1]
    return differs


def _longer(values: Any, size: int) -> Any:
    return np.concatenate([values, np.zeros(size - len(values), dtype=values.dtype)])


def _hashed(words: list[UIntArray]) -> UIntArray:
    """64 bits that depend on all words; words of zeros behind the others change nothing."""
    total = words[0] * _FACTORS[0]
    for word, factor in zip(words[1:], _FACTORS[1:], strict=False):
        total += word * factor
    total ^= total >> _32
    total *= _MIX
    return total

"""
Bytes searched and compared eight at a time, at many places of a text at once.

A word is the eight bytes from a place on, the first in the lowest bits. Places are int64 of shape (N,) throughout, and
every step costs a few numpy operations per word looked at. What is sought in a word is marked by the top bit of its
byte; the lowest mark is exact, marks above it may not be (Warren, Hacker's Delight, 6-1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from spaneval.corpus import BoolArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UIntArray = NDArray[np.uint64]
else:
    UIntArray = np.ndarray

MOST_WORDS: Final = 16
"""Words in which the end of a string is sought."""
_NUMBER_WORDS: Final = 4
_SPARE: Final = 8 * (MOST_WORDS + 2)
"""Zeros after the text, so that words may be read beyond its end."""
FIRST_BYTES: Final = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
"""Masks of the first 0 to 8 bytes of a word."""

_QUOTE, _MINUS, _POINT, _ZERO = b'"-.0'


def _all_bytes(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_ONES, _TOPS, _BLANKS = _all_bytes(1), _all_bytes(0x80), _all_bytes(ord(" "))
_QUOTES, _BACKSLASHES = _all_bytes(ord('"')), _all_bytes(ord("\\"))
_ZEROS, _TEN_TO_TOP = _all_bytes(ord("0")), _all_bytes(0x80 - 10)
_7, _8, _10, _16, _32, _56, _255 = (np.uint64(n) for n in (7, 8, 10, 16, 32, 56, 255))
_NUMBER_OF_BYTE = np.uint64(0x0001020304050607)
_PAIRS = np.uint64(0x000000FF000000FF)
_MILLION_AND_HUNDRED, _TEN_THOUSAND_AND_ONE = np.uint64(1000000 << 32 | 100), np.uint64(10000 << 32 | 1)


class Text:
    """
    A piece of JSON, to be looked at in many places at once.

    Args:
        data: The piece.

    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.end = len(data)
        padded = data + bytes(_SPARE)
        self.letters = np.frombuffer(padded, dtype=np.uint8)
        self.words: Any = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))

    def has(self, literal: bytes, at: IntArray) -> BoolArray:
        """Whether the literal stands at each place."""
        size = len(literal)
        found: BoolArray
        if size < 8:
            found = (self.words[at] & FIRST_BYTES[size]) == _word(literal)
            return found
        found = self.words[at] == _word(literal[:8])
        for k in range(8, size, 8):
            k = min(k, size - 8)
            found &= self.words[at + k] == _word(literal[k : k + 8])
        return found

    def integers(self, at: IntArray) -> tuple[IntArray, IntArray]:
        """
        The natural numbers, of at most eight digits, that start at each place, and one past each; `at` if none.

        Digits become pairs, pairs fours and fours eight (Lemire, Quickly parsing eight digits, 2018).
        """
        word = self.words[at]
        marks = _other_than_digits(word)
        size = np.where(marks == 0, 8, _first_mark(marks))
        digits = (word ^ _ZEROS) << ((8 - size) << 3).view(np.uint64)
        pairs = digits * _10 + (digits >> _8)
        numbers = (pairs & _PAIRS) * _MILLION_AND_HUNDRED + ((pairs >> _16) & _PAIRS) * _TEN_THOUSAND_AND_ONE
        is_padded = ((word & _255) == _ZERO) & (size > 1)
        return (numbers >> _32).view(np.int64), np.where(is_padded, at, at + size)

    def value_ends(self, at: IntArray) -> IntArray:
        """
        One past the value that starts at each place: a number without exponent, null, true, false, or a string.

        Where it is anything else, or a string with escapes or one that is very long, `at`. What follows the value is
        not looked at, nor whether a string is UTF-8.
        """
        is_string = self.letters[at] == _QUOTE
        n = np.count_nonzero(is_string)
        if n in (0, len(at)):
            return self._string_ends(at) if n else self._bare_ends(at)
        ends = np.empty_like(at)
        strings, others = np.flatnonzero(is_string), np.flatnonzero(~is_string)
        ends[strings], ends[others] = self._string_ends(at[strings]), self._bare_ends(at[others])
        return ends

    def _string_ends(self, at: IntArray) -> IntArray:
        ends, is_open = self._first_marks(at + 1, _ends_of_strings, MOST_WORDS)
        is_closed = self.letters[ends] == _QUOTE
        is_closed[is_open] = False
        return np.where(is_closed, ends + 1, at)

    def _bare_ends(self, at: IntArray) -> IntArray:
        ends = self._number_ends(at)
        others = np.flatnonzero(ends == at)
        if len(others):
            places = at[others]
            for name in (b"null", b"true", b"false"):
                ends[others] += len(name) * self.has(name, places)
        return ends

    def _number_ends(self, at: IntArray) -> IntArray:
        start = at + (self.letters[at] == _MINUS)
        ends = self._digit_ends(start)
        is_number = (ends > start) & ((self.letters[start] != _ZERO) | (ends == start + 1))
        points = np.flatnonzero(self.letters[ends] == _POINT)
        if len(points):
            first = ends[points] + 1
            ends[points] = self._digit_ends(first)
            is_number[points] &= ends[points] > first
        return np.where(is_number, ends, at)

    def _digit_ends(self, at: IntArray) -> IntArray:
        ends, is_open = self._first_marks(at, _other_than_digits, _NUMBER_WORDS)
        ends[is_open] = at[is_open]
        return ends

    def _first_marks(self, at: IntArray, marks_of: Any, most_words: int) -> tuple[IntArray, IntArray]:
        """The first marked byte from each place on, and the numbers of the places where none was found."""
        marks = marks_of(self.words[at])
        ends = at + _first_mark(marks)
        left = np.flatnonzero(marks == 0)
        places = at[left]
        for _ in range(most_words - 1):
            if not len(left):
                break
            places = np.minimum(places + 8, self.end)
            marks = marks_of(self.words[places])
            ends[left] = places + _first_mark(marks)
            is_going_on = marks == 0
            left, places = left[is_going_on], places[is_going_on]
        return ends, left

    def has_utf8_lines(self, ends: IntArray) -> bool:
        """Whether all lines, which end at `ends`, are UTF-8; only those that are not ASCII need a look."""
        if self.data.isascii():
            return True
        whole = np.frombuffer(self.letters, dtype="<u8", count=(self.end + 7) // 8)
        places = np.flatnonzero(whole & _TOPS) << 3
        if 4 * len(places) > len(ends):
            return is_utf8(self.data)
        first, last = np.searchsorted(ends, places), np.searchsorted(ends, np.minimum(places + 7, self.end - 1))
        is_wanted = np.zeros(len(ends), dtype=np.bool_)
        is_wanted[first] = is_wanted[last] = True
        lines = np.flatnonzero(is_wanted)
        starts = np.where(lines > 0, ends[lines - 1], 0)
        return is_utf8(b"".join([self.data[a:b] for a, b in zip(starts.tolist(), ends[lines].tolist(), strict=True)]))


def is_utf8(data: bytes) -> bool:
    """Whether it is."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _word(literal: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(literal, "little"))


def _ends_of_strings(word: UIntArray) -> UIntArray:
    """Marks the bytes that end a string or cannot stand in one as they are: quote, backslash, control characters."""
    marks = (word ^ _QUOTES) - _ONES
    marks |= (word ^ _BACKSLASHES) - _ONES
    marks |= word - _BLANKS
    marks &= ~word
    marks &= _TOPS
    return marks


def _other_than_digits(word: UIntArray) -> UIntArray:
    """Marks the bytes that are no digit."""
    digits = word ^ _ZEROS
    marks = digits + _TEN_TO_TOP
    marks |= digits
    marks &= _TOPS
    return marks


def _first_mark(marks: UIntArray) -> IntArray:
    """Number of the first marked byte of each word; anything where no byte is marked."""
    lowest = marks & np.negative(marks)
    lowest >>= _7
    lowest *= _NUMBER_OF_BYTE
    lowest >>= _56
    return lowest.view(np.int64)

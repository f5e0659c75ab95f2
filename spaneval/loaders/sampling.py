"""
Which documents are looked at when rows are held against texts: all of a small corpus, a sample of a large one.

A document is chosen by a hash of its key, and the sample is halved when it grows too large; so gold and rows choose
alike without knowing of each other, and whatever is in the smaller sample is in the other one too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

LEAST_SAMPLE: Final = 1 << 20
"""`every` beyond which a sample is not halved any more: what is then left has one key."""


class Sample:
    """
    The keys whose hash is a multiple of `every`.

    Args:
        every: A power of 2.

    """

    def __init__(self) -> None:
        self.every = 1

    def halve(self) -> None:
        """Keep every second of the hashes that are in the sample."""
        self.every *= 2

    def holds(self, hashed: int) -> bool:
        """Whether a document with a key of this hash is in the sample."""
        return not hashed & (self.every - 1)

    def holds_any(self, hashes: Iterable[int]) -> bool:
        """Whether a document with keys of these hashes is in the sample."""
        return any(map(self.holds, hashes))


def key_hash(key: str) -> int:
    """31 bits that depend on a document key."""
    return zlib.crc32(key.encode("utf-8", "surrogatepass")) >> 1

"""
What rows say of their texts, kept for the check of the documents: all of it in a small corpus, a sample in a large one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from spaneval.corpus import CodeArray, IntArray, Surfaces
from spaneval.loaders.sampling import LEAST_SAMPLE, Sample, key_hash
from spaneval.loaders.scalars import Vocabulary, text_id

SAMPLED_MENTIONS: Final = 2_000
"""Mentions kept for the check of the documents."""


class _Mention(NamedTuple):
    """What a row says of its text; the hash of its document key, and its code."""

    hash: int
    key: int
    a: int
    b: int
    mention: str


class Mentions:
    """
    The mentions of sampled documents.

    Args:
        name: What the rows call the field.

    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.kept: list[_Mention] = []
        self._sample, self._hashes = Sample(), np.zeros(0, dtype=np.int64)

    def keep(self, row: Callable[[int], Any], keys: Vocabulary, key: CodeArray, a: IntArray, b: IntArray) -> None:
        """
        Keep what the rows of sampled documents say of their text.

        Args:
            row: Gives row k of N.
            keys: The document keys.
            key: Code of the key of each row, of shape (N,).
            a, b: Its offsets, of shape (N,).

        """
        if len(self._hashes) < len(keys):
            new = list(islice(reversed(keys), len(keys) - len(self._hashes)))[::-1]
            hashes = [0 if key is None else key_hash(str(key)) for key in new]
            self._hashes = np.concatenate([self._hashes, np.array(hashes, dtype=np.int64)])
        hash_of_row = self._hashes[key]
        sampled = np.flatnonzero(hash_of_row & (self._sample.every - 1) == 0)
        for start in range(0, len(sampled), SAMPLED_MENTIONS):
            self._keep(row, sampled[start : start + SAMPLED_MENTIONS], (hash_of_row, key, a, b))

    def _keep(self, row: Callable[[int], Any], sampled: IntArray, columns: tuple[Any, ...]) -> None:
        sampled = sampled[columns[0][sampled] & (self._sample.every - 1) == 0]  # which may have been halved since
        lists = [x[sampled].tolist() for x in columns]
        name = self.name
        said = [row(k).get(name) for k in sampled.tolist()]
        self.kept += [
            x for x in map(_Mention._make, zip(*lists, said, strict=True)) if isinstance(x.mention, str) and x.mention
        ]
        while len(self.kept) > SAMPLED_MENTIONS and self._sample.every < LEAST_SAMPLE:
            self._sample.halve()
            self.kept = [x for x in self.kept if self._sample.holds(x.hash)]

    def forget_keys(self, code: int | None) -> None:
        """The keys are no longer those that rows had; all rows have the key `code`, or are dropped."""
        self._hashes = np.zeros(0, dtype=np.int64)
        self.kept = [] if code is None else [x._replace(hash=0, key=code) for x in self.kept]

    def surfaces(self, keys: list[Any]) -> Surfaces | None:
        """The mentions kept, None without any; `keys` are the document keys by code."""
        if not self.kept:
            return None
        _, key, a, b, mention = zip(*self.kept, strict=True)
        texts = [str(text_id(keys[code]) or "") for code in key]
        return Surfaces(texts, np.array(a, dtype=np.int64), np.array(b, dtype=np.int64), list(mention))

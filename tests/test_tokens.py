"""Ids and document keys are told apart as they are written."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spaneval.loaders.scalars import Vocabulary
from spaneval.loaders.tokens import Tokens
from spaneval.loaders.words import Text


def numbers(tokens: Tokens, written: list[bytes]) -> list[int]:
    """The numbers of tokens that stand one below the other."""
    ends = np.cumsum([len(x) + 1 for x in written]) - 1
    starts = ends - [len(x) for x in written]
    found: list[int] = tokens.numbers(Text(b"\n".join(written) + b"\n"), starts, ends).tolist()
    return found


def test_an_integer_is_not_taken_for_the_one_it_begins_with():
    """
    12345678 fills a word of eight bytes; what begins with it goes on in a second word, which no token had before.

    Among so many, several have the slot of the first.
    """
    tokens = Tokens({int})
    assert [0] == numbers(tokens, [b"12345678"])
    assert list(range(1, 20_001)) == sorted(numbers(tokens, [b"12345678%05d" % k for k in range(20_000)]))


@given(st.lists(st.lists(st.integers(0, 10**20) | st.text("1é", max_size=12), min_size=1, max_size=9), max_size=5))
def test_tokens_have_the_codes_of_their_values(batches):
    """Whatever came in batches before."""
    with_few_slots = Tokens({int, str})
    with_few_slots._bits, with_few_slots._slots = 2, np.full(4, -1, dtype=np.int32)
    vocabulary = Vocabulary()
    for batch in batches:
        values = [x if isinstance(x, str) else int(str(x)[:17]) for x in batch]
        written = [f'"{x}"'.encode() if isinstance(x, str) else b"%d" % x for x in values]
        found = with_few_slots.codes(np.array(numbers(with_few_slots, written), dtype=np.int32), vocabulary)
        by_code = list(vocabulary)
        assert values == [by_code[code] for code in found]

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.tokens.counts import CountMemo


@given(st.lists(st.tuples(st.text(max_size=40), st.integers(0, 9))))
def test_what_is_remembered_is_what_was_put_last(pairs):
    memo = CountMemo()
    for text, count in pairs:
        memo.put(text, count)
    assert all(memo.get(text) == count for text, count in dict(pairs).items())


def test_memory_stays_within_its_bound():
    memo = CountMemo(most_chars=10_000)
    for number in range(5_000):
        memo.put(f"{number} " + "x" * (number % 600), number)
    assert 10 < len(memo) < 160
    assert memo.get("4999 " + "x" * (4999 % 600)) == 4999


def test_a_long_text_is_not_kept_alive():
    memo, text = CountMemo(), "y" * 100_000
    before = sys.getrefcount(text)
    memo.put(text, 5)
    assert sys.getrefcount(text) == before
    assert memo.get("y" * 100_000) == 5


def test_many_threads_may_use_it():
    memo = CountMemo(most_chars=2_000)

    def use(seed: int) -> bool:
        texts = [f"{seed} {n % 50}" for n in range(2_000)]
        for text in texts:
            memo.put(text, len(text))
        return all(memo.get(text) in (None, len(text)) for text in texts)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))
    assert len(memo) <= 40

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.weights import Weights
from tests.build import user


def test_each_message_object_is_measured_once():
    measured = []

    def measure(message: object) -> int:
        measured.append(message)
        return 1

    weights, one = Weights(measure), user("one")
    again = user("one")
    assert weights.total([one, again, one]) + weights(one) + weights.scaled(2.0)(again) == 6
    assert measured == [one, again]


def test_a_rewritten_message_is_measured_anew():
    weights, message = Weights(), user("word " * 100)
    assert weights(message) > weights({**message, "content": "[cleared]"})


@given(st.lists(st.text(max_size=30), max_size=20), st.floats(0.3, 4), st.integers(0, 20))
def test_totals_add_up_within_one_rounding(texts, ratio, cut):
    weights, messages = Weights().scaled(ratio), [user(t) for t in texts]
    parts = weights.total(messages[:cut]) + weights.total(messages[cut:])
    assert abs(weights.total(messages) - parts) <= 1
    assert abs(weights.total(messages) - sum(map(weights, messages))) <= len(messages) / 2 + 1
    assert weights.total(messages[:cut]) <= weights.total(messages)
    assert weights.total(iter(messages)) == weights.total(tuple(messages))


def test_memory_follows_what_is_alive():
    weights, kept = Weights(lambda message: 1_000), [user(str(n)) for n in range(200)]
    most = 0
    for step in range(10_000):
        view = [*kept, *(user(f"{step} {n}") for n in range(3))]
        weights.total(view)
        most = max(most, weights.remembered)
    assert most < 1_000
    assert weights.total(kept) == 200_000


def test_many_small_messages_are_let_go_too():
    weights = Weights(lambda message: 0)
    for number in range(30_000):
        weights(user(str(number)))
    assert weights.remembered <= 6_000


def test_a_message_in_use_is_never_forgotten_or_mistaken_for_another():
    dice, calls = random.Random(3), []

    def measure(message: dict) -> int:
        calls.append(None)
        return message["content"]

    weights = Weights(measure)
    alive = [{"role": "user", "content": dice.randint(0, 9_999)} for _ in range(300)]
    weights.total(alive)
    for _ in range(20_000):
        passing = {"role": "user", "content": dice.randint(0, 9_999)}
        assert weights(passing) == passing["content"]
    made = len(calls)
    assert weights.total(alive) == sum(m["content"] for m in alive)
    assert len(calls) == made


def test_threads_may_share_it():
    weights = Weights()
    shared = [user("word " * n) for n in range(100)]
    total = sum(map(weigh, shared))

    def use(seed: int) -> bool:
        return all(
            weights.total(shared) == total and weights(m := user("x" * (n % 50) * 99)) == weigh(m)
            for n in range(1_000)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))

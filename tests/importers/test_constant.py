"""The part of a request that no file shows."""

from __future__ import annotations

from opencollab_nb.importers.constant import constant_tokens
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Sent
from tests.build import numbered, user

SIZES_CHARS = (300, 30_000, 30_000, 30_000, 30_000)


def test_an_estimate_that_is_too_high_throughout_does_not_hide_it():
    messages = numbered(user("word " * (size // 5)) for size in SIZES_CHARS)
    weights = [weigh(message) for message in messages]
    sent = [
        Sent(n, None, Usage(input_tokens=5_000 + int(0.8 * sum(weights[:n]))))
        for n in range(1, len(messages) + 1)
    ]
    assert abs(constant_tokens(messages, sent) - 5_000) < 100


def test_without_reported_usage_nothing_is_known_of_it():
    messages = numbered([user("hi")])
    assert constant_tokens(messages, [Sent(1, None)]) is None

"""What providers may report instead of the input tokens of one request."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from opencollab_nb.pressure import ContextPressure
from opencollab_nb.tokens.usage import Usage
from tests.build import user


@dataclass
class Server:
    """Counts a request truly, and tells something else."""

    truth: float
    """True tokens / our measure."""
    dice: random.Random
    told_tokens: int = 0
    before_tokens: int = 0
    seen: list[int] = field(default_factory=list)


Lie = Callable[[Server, int, int], int | None]
"""Of the server, the true tokens and those of them that were served from a cache: what is reported."""


def honest(_server: Server, true: int, _cached: int) -> int | None:
    return true


def missing(_server: Server, _true: int, _cached: int) -> int | None:
    return None


def zero(_server: Server, _true: int, _cached: int) -> int | None:
    return 0


def halved(_server: Server, true: int, _cached: int) -> int | None:
    return true // 2


def doubled(_server: Server, true: int, _cached: int) -> int | None:
    return true * 2


def cumulative(server: Server, true: int, _cached: int) -> int | None:
    server.told_tokens += true
    return server.told_tokens


def without_the_cached_part(_server: Server, true: int, cached: int) -> int | None:
    return true - cached


def loop_at_the_server(server: Server, true: int, _cached: int) -> int | None:
    """One reply in three came of several calls, all of which are in the sum."""
    return true * server.dice.randint(2, 6) if server.dice.random() < 0.34 else true


def now_and_then_halved(server: Server, true: int, _cached: int) -> int | None:
    return true // 2 if server.dice.random() < 0.34 else true


def anything(server: Server, true: int, _cached: int) -> int | None:
    return round(true * 10 ** server.dice.uniform(-2, 2))


LIES: dict[str, Lie] = {
    lie.__name__: lie
    for lie in (
        honest,
        missing,
        zero,
        halved,
        doubled,
        cumulative,
        without_the_cached_part,
        loop_at_the_server,
        now_and_then_halved,
        anything,
    )
}


def run(
    lie: Lie, truth: float, *, honest_steps: int, seed: int = 0, steps: int = 150
) -> Iterator[tuple[float, ContextPressure, str | None]]:
    """A run whose view grows and is cut back: predicted / true after each step, and what was said."""
    pressure = ContextPressure(100_000)
    server = Server(truth, random.Random(seed))
    messages = [user("word " * 3_000)]
    cached = 0
    for step in range(steps):
        messages.append(user("line of text " * server.dice.randint(50, 900)))
        snapshot = pressure.snapshot()
        if snapshot.over(messages):
            while len(messages) > 2 and snapshot.in_round().over(messages):
                del messages[1]
            cached = 0  # the beginning changed, so the cache is of no use
        measured = ContextPressure(100_000).snapshot().tokens(messages)
        true = round(measured * truth)
        tell = honest if step < honest_steps else lie
        told = tell(server, true, min(cached, true))
        cached = true
        said = pressure.observe(messages, None if told is None else Usage(told))
        yield pressure.snapshot().tokens(messages) / true, pressure, said

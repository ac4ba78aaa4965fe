"""Random verbs on a growing transcript: the laws hold, and a replay of the records gives the same bytes."""

from __future__ import annotations

import json
import random

import pytest

from opencollab_nb.messages import Messages, id_of, ids_of, is_pinned, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    AutoCompactShaper,
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    Projection,
    ShaperPipeline,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
    default_pipeline,
)
from opencollab_nb.shaping.groups import groups
from opencollab_nb.shaping.laws import accounted, paired
from opencollab_nb.shaping.samples import sample
from tests.build import system, task
from tests.shaping.generate import mixed
from tests.shaping.summarizers import Unreliable

STEPS = 120


def some_chain(rng: random.Random, summarizer: Unreliable) -> ShaperPipeline:
    chains = (
        default_pipeline(summarizer=summarizer),
        default_pipeline("summarize", summarizer=summarizer),
        default_pipeline(),
        ShaperPipeline(ToolResultBudgetShaper(), AutoCompactShaper(summarizer)),
        ShaperPipeline(ToolOutputClearShaper(), OldHistorySnipShaper(2)),
        ShaperPipeline(ToolResultBudgetShaper(2_000), EagerToolOutputClearShaper(3), OldHistorySnipShaper()),
    )
    return rng.choice(chains)


class Player:
    """One random session: what the user, the model and the provider may do between two requests."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.summarizer = Unreliable(seed)
        self.messages: Messages = []
        self.window, self.ratio = 16_000, 1.0
        self.local = Pressure.of().weigh
        self.chain = some_chain(self.rng, self.summarizer)
        self.projection = Projection(self.chain)
        self.log: list[tuple[str, object]] = [("use", self.chain)]
        self.sent: Messages = []
        self.add([system(), task()])

    def add(self, messages: Messages) -> None:
        start = len(self.messages)
        new = [{**m, "meta": {**m.get("meta", {}), "id": at}} for at, m in enumerate(messages, start)]
        self.messages = [*self.messages, *new]

    def grow(self) -> None:
        rng = self.rng
        new = sample(rng)[2:] if rng.random() < 0.1 else mixed(1, seed=rng.randrange(10**9))
        self.add([m for m in new if m["role"] not in ("system", "developer")])

    def act(self) -> None:
        rng, verb = self.rng, self.rng.random()
        some = [rng.randrange(1, len(self.messages)) for _ in range(3)]
        if verb < 0.03:
            self.window = rng.choice((4_000, 8_000, 16_000, 32_000))
        elif verb < 0.06:
            self.ratio = rng.choice((0.7, 1.0, 1.3))
        elif verb < 0.10:
            self.projection.pin(self.messages, some)
            self.log.append(("pin", (len(self.messages), some)))
        elif verb < 0.13:
            gone = sorted(self.projection.pinned)
            self.projection.unpin(gone)
            self.log.append(("unpin", gone))
        elif verb < 0.16 and self.projection.pinned:
            gone = rng.sample(sorted(self.projection.pinned), 1)
            self.projection.unpin(gone)
            self.log.append(("unpin", gone))
        elif verb < 0.18:
            self.chain = some_chain(rng, self.summarizer)
            self.projection.use(self.chain)
            self.log.append(("use", self.chain))

    def weighed(self) -> Pressure:
        return Pressure.of(self.window, weigh=self.local.scaled(self.ratio))

    def pressure(self) -> Pressure:
        pressure = self.weighed()
        return pressure.after_refusal(self.sent) if self.sent and self.rng.random() < 0.03 else pressure

    def project(self) -> None:
        pressure = self.pressure()
        pinned = self.projection.pinned
        got = self.projection.project(self.messages, pressure)
        if got.record is not None:
            self.log.append(("record", json.dumps(got.record)))
        self.sent = got.messages
        assert got.tokens == pressure.tokens(got.messages)
        assert accounted(self.messages, got.messages) is None
        assert paired(self.messages, got.messages) is None
        here = {id_of(m): wire(m) for m in got.messages}
        held = [m for m in self.messages if is_pinned(m) or id_of(m) in pinned]
        assert [here.get(id_of(m)) for m in held] == [wire(m) for m in held]

    def replayed(self) -> Projection:
        projection = Projection(self.log[0][1])  # type: ignore[arg-type]
        for verb, what in self.log:
            if verb == "use":
                projection.use(what)  # type: ignore[arg-type]
            elif verb == "record":
                projection.replay(json.loads(str(what)), self.messages)
            elif verb == "unpin":
                projection.unpin(what)  # type: ignore[arg-type]
            else:
                known, ids = what  # type: ignore[misc]
                getattr(projection, verb)(self.messages[:known], ids)
        return projection


@pytest.mark.parametrize("seed", range(30))
def test_after_any_verbs_the_laws_hold_and_a_replay_gives_the_same_bytes(seed: int) -> None:
    player = Player(seed)
    for _ in range(STEPS):
        player.grow()
        player.act()
        player.project()
        if player.rng.random() < 0.05:
            calls = player.summarizer.calls
            again = player.replayed().project(player.messages, player.weighed())
            live = player.projection.project(player.messages, player.weighed())
            assert [wire(m) for m in again.messages] == [wire(m) for m in live.messages]
            assert player.summarizer.calls == calls
            player.log += [("record", json.dumps(live.record))] if live.record else []
    assert list(groups(player.sent))
    assert ids_of(player.sent)

"""Each way in which a shaper of the user's can fail, in a run: the layer is skipped, or the run pauses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.messages import with_content
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper, OldHistorySnipShaper, SummaryRequest
from opencollab_nb.shaping.guarded import limited_to
from tests.compare.runs import reading
from tests.session.build import Tools, a_session, echo


def raises(messages: Any, pressure: Any) -> Any:
    raise ValueError("not yet written")


def forgets_to_return(messages: Any, pressure: Any) -> Any:
    messages[1:]


def edits_a_message(messages: Any, pressure: Any) -> Any:
    messages[-1]["content"] = "edited"
    return messages


def edits_the_list(messages: Any, pressure: Any) -> Any:
    del messages[4:6]
    return messages


def drops_the_task(messages: Any, pressure: Any) -> Any:
    return [m for m in messages if m["meta"].get("source") != "task"]


def rewrites_the_task(messages: Any, pressure: Any) -> Any:
    return [with_content(m, "x") if m["meta"].get("source") == "task" else m for m in messages]


def splits_a_pair(messages: Any, pressure: Any) -> Any:
    return [m for at, m in enumerate(messages) if at != 3]


def never_ends(messages: Any, pressure: Any) -> Any:
    while True:
        time.sleep(0.001)


FAULTY = {
    raises: "not yet written",
    forgets_to_return: "returned NoneType",
    edits_a_message: "it changed the messages it was given",
    edits_the_list: "it changed the messages it was given",
    drops_the_task: "breaks the law `pinned`",
    rewrites_the_task: "breaks the law `pinned`",
    splits_a_pair: "breaks the law `paired`",
    never_ends: "took over 1 s and was left behind",
}
SHORT_SECONDS = 1.0
"""Instead of five, so that these tests do not wait; the real limit has a test beside `guarded`."""
each_fault = pytest.mark.parametrize(
    ("shaper", "says"), FAULTY.items(), ids=[shaper.__name__ for shaper in FAULTY]
)
each_mode = pytest.mark.parametrize("mode", ["sticky", "stateless"])


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    with limited_to(SHORT_SECONDS):
        yield


def pressed(path: Path | None = None, **settings: Any) -> Session:
    """Under the trigger for three steps, over it from then on."""
    return a_session(path, reading(40, 5_000), workspace=Tools(bash=echo), window=8_000, **settings)


def failures(session: Session) -> list[dict[str, Any]]:
    return [e for e in session.trace.of("session.history_compaction") if e["problem"]]


def its_line(shaper: Any, text: str) -> bool:
    first = shaper.__code__.co_firstlineno
    return any(f"(line {first + k}" in text for k in range(3)) and shaper.__name__ in text


@each_mode
@each_fault
def test_the_layer_is_skipped_and_the_run_goes_on(shaper: Any, says: str, mode: str) -> None:
    session = pressed(shapers=[shaper, OldHistorySnipShaper(1)], mode=mode)
    steps = 5 if shaper is never_ends else 6
    assert session.run(steps) == "paused"
    assert (session.steps, session.detail) == (steps, "")
    told = failures(session)
    assert told
    assert {e["layer"] for e in told} == {shaper.__name__}
    assert all(says in e["problem"] and its_line(shaper, e["problem"]) for e in told)
    without = pressed(shapers=[OldHistorySnipShaper(1)], mode=mode)
    without.run(steps)
    mine = [request.wire for request in session.model.requests]
    assert mine == [request.wire for request in without.model.requests]
    assert session.transcript.messages == without.transcript.messages
    assert any(one.layers[-1].layer == "OldHistorySnipShaper" for one in session.rounds())


@each_mode
@each_fault
def test_the_run_pauses_where_the_user_wants_that(shaper: Any, says: str, mode: str) -> None:
    session = pressed(shapers=[shaper, OldHistorySnipShaper(1)], mode=mode, on_shaper_error="pause")
    assert session.run(6) == "paused"
    assert session.steps < 6, "stateless asks its layers at every request"
    assert says in session.detail
    assert its_line(shaper, session.detail)
    assert session.trace.last("limit")["reason"] == "shaper"
    steps, sent = session.steps, len(session.model.requests)
    session.use(OldHistorySnipShaper(1))
    assert session.run(2) == "paused"
    assert (session.steps, len(session.model.requests)) == (steps + 2, sent + 2)


@each_mode
def test_a_shaper_that_asks_its_slow_summarizer_is_not_too_slow(mode: str) -> None:
    def slow(request: SummaryRequest) -> str:
        time.sleep(1.4 * SHORT_SECONDS)
        return "They read."

    class Asks:
        def __init__(self) -> None:
            self.summarizer, self.asked = slow, 0

        def shape(self, messages: Any, pressure: Any) -> Any:
            if not self.asked:
                self.asked += 1
                self.summarizer(SummaryRequest("text", messages))
            return messages

    shaper = Asks()
    session = pressed(shapers=[shaper, OldHistorySnipShaper(1)], mode=mode)
    session.run(5)
    assert shaper.asked == 1
    assert failures(session) == []


def test_a_chain_s_slow_summarizer_called_by_another_layer_is_not_counted() -> None:
    asked: list[float] = []

    def slow(request: SummaryRequest) -> str:
        if not asked:
            asked.append(time.monotonic())
            time.sleep(1.4 * SHORT_SECONDS)
        return "They read."

    def asks(messages: Any, pressure: Any) -> Any:
        slow(SummaryRequest("text", messages))
        return messages

    session = pressed(shapers=[asks, AutoCompactShaper(slow, keep_recent_groups=1)])
    session.run(5)
    assert asked
    assert failures(session) == []


@each_mode
@pytest.mark.parametrize("how", ["pin", "restore"])
@pytest.mark.parametrize("resumed", [False, True])
def test_what_is_restored_stays_when_something_is_said_after_a_look(
    tmp_path: Path, mode: str, how: str, resumed: bool
) -> None:
    def mine(messages: Any, pressure: Any) -> Any:
        return OldHistorySnipShaper(1).shape(messages, pressure)

    session = pressed(tmp_path / "run", shapers=[mine], mode=mode)
    session.run(12)
    assert 3 not in [m["meta"].get("id") for m in session.request().shaped]
    if resumed:
        session.close()
        session = Session.resume(tmp_path / "run", model=session.model, workspace=Tools(bash=echo))
    getattr(session, how)([3])

    def there() -> bool:
        return any(m["meta"].get("id") == 3 for m in session.request().shaped)

    assert there()
    session.say("Mind this.")
    assert there()
    session.say("And this.")
    session.use(OldHistorySnipShaper(1))
    session.step()
    assert any(m["meta"].get("id") == 3 for m in session.model.requests[-1].shaped)


@each_mode
def test_a_resumed_run_without_its_shaper_names_it_and_waits(tmp_path: Path, mode: str) -> None:
    def from_a_cell(messages: Any, pressure: Any) -> Any:
        return messages

    session = pressed(tmp_path / "run", shapers=[from_a_cell, OldHistorySnipShaper(1)], mode=mode)
    session.run(5)
    session.close()
    again = Session.resume(tmp_path / "run", model=session.model, workspace=Tools(bash=echo))
    assert "from_a_cell" in again.trace.of("notice")[-1]["text"]
    sent = len(session.model.requests)
    for verb in (again.step, again.run, again.start):
        with pytest.raises(ValueError, match=r"from_a_cell.*use\("):
            verb()
    assert (again.steps, len(session.model.requests)) == (5, sent)
    again.use(from_a_cell, OldHistorySnipShaper(1))
    assert again.run(1) == "paused"
    assert again.steps == 6

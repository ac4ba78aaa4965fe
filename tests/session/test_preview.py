"""Looking at the next request, and at one that was sent."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import SessionBusy
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper, Summary
from opencollab_nb.tokens.usage import Usage
from tests.session.build import Tools, a_session, echo, working


def compacting(path: Path | None = None, **settings: Any) -> tuple[Session, list[int], ScriptedModel]:
    calls: list[int] = []

    def summarizer(request: Any) -> Summary:
        calls.append(len(request.messages))
        return Summary(f"Summary {len(calls)}.", Usage(100, 0, 5))

    model = ScriptedModel(working(20, chars=2_400), usage="count")
    shapers = [AutoCompactShaper(summarizer, keep_recent_groups=1)]
    return a_session(path, model=model, shapers=shapers, window=8_000, **settings), calls, model


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_the_step_sends_the_very_request_that_was_looked_at(mode: str) -> None:
    session, calls, model = compacting(mode=mode)
    for _ in range(12):
        seen = session.request().wire
        asked = len(calls)
        assert session.request().wire == seen
        session.step()
        assert model.requests[-1].wire == seen
        assert len(calls) == asked, "a summary is paid once"
    assert calls


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_looking_changes_nothing_of_what_is_sent(mode: str) -> None:
    looked, calls, model = compacting(mode=mode)
    other, other_calls, other_model = compacting(mode=mode)
    for _ in range(12):
        looked.request()
        looked.step()
        other.step()
    assert [r.wire for r in model.requests] == [r.wire for r in other_model.requests]
    assert calls == other_calls
    assert looked.spent_tokens == other.spent_tokens


def test_something_said_after_looking_is_in_what_is_sent() -> None:
    session, _, model = compacting()
    session.run(9)
    session.request()
    session.say("Mind the schema.")
    session.step()
    assert model.requests[-1].wire[-1]["content"] == "Mind the schema."
    assert session.request(10).wire == model.requests[-1].wire


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_every_request_that_was_sent_can_be_built_again(mode: str) -> None:
    session, _, model = compacting(mode=mode)
    session.run(6)
    session.request()
    session.pin(3)
    session.run(5)
    session.use("default")
    session.run()
    assert [session.request(n + 1).wire for n in range(len(model.requests))] == [
        r.wire for r in model.requests
    ]
    assert session.trace.of("session.history_compaction")


def test_a_step_without_a_request_is_refused() -> None:
    session, _, _ = compacting()
    with pytest.raises(ValueError, match="none was sent yet"):
        session.request(1)
    session.run(2)
    with pytest.raises(ValueError, match="at steps 1 to 2"):
        session.request(3)


def test_making_a_request_keeps_steps_out_and_can_be_stopped() -> None:
    entered = threading.Event()

    def slow(request: Any) -> str:
        entered.set()
        from opencollab_nb.ticket import current_ticket

        ticket = current_ticket()
        assert ticket is not None
        ticket.wait(20)
        return "never"

    session = a_session(
        replies=working(20, chars=2_400),
        shapers=[AutoCompactShaper(slow, keep_recent_groups=1)],
        window=8_000,
    )
    while session.trace.last("request") is None or session.trace.events[-2]["kind"] == "commit":
        if session.transcript.committed and session.pressure.snapshot().over(session.transcript.messages):
            break
        session.step()
    ended: list[BaseException] = []

    def look() -> None:
        try:
            session.request()
        except BaseException as end:  # noqa: BLE001 - what a thread ends with is looked at below
            ended.append(end)

    looking = threading.Thread(target=look)
    looking.start()
    assert entered.wait(10)
    with pytest.raises(SessionBusy):
        session.step()
    begun = time.monotonic()
    session.stop()
    looking.join(10)
    assert time.monotonic() - begun < 2
    assert type(ended[0]).__name__ == "StepCancelled"
    session.use("default")
    assert session.run(1) == "paused"


def test_between_two_steps_of_a_run_the_next_request_belongs_to_the_run(tmp_path: Path) -> None:
    session, _, _ = compacting(tmp_path / "run")
    refused: list[bool] = []

    def look(event: dict[str, Any]) -> None:
        if event["kind"] == "commit":
            try:
                session.request()
                refused.append(False)
            except SessionBusy:
                refused.append(True)

    session.subscribe(look)
    session.run(8)
    assert refused == [True] * 8
    assert session.request()


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_a_resumed_session_sends_the_request_that_was_looked_at(tmp_path: Path, mode: str) -> None:
    session = a_session(tmp_path / "run", working(20, chars=6_000), mode=mode)
    session.run(12)
    session.restore(2)
    seen = session.request().wire
    assert session.transcript.messages[2]["tool_calls"] in [m.get("tool_calls") for m in seen]
    sent = session.request(12).wire
    shaped = session.request().shaped
    session.close()
    model = ScriptedModel(["done"])
    again = Session.resume(tmp_path / "run", model=model, workspace=Tools(echo=echo))
    assert again.request().wire == seen
    assert again.request().shaped == shaped, "pins and all"
    assert again.request(12).wire == sent
    again.run()
    assert model.requests[0].wire == seen
    assert again.trace.last("request")["previewed"]

"""Stop and interrupt: back within two seconds, nothing torn, the next step works."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.messages import Messages
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.pressure import Pressure
from opencollab_nb.session import Session
from opencollab_nb.workspace import Workspace
from tests.session.blocking import (
    BLOCKS,
    WITHIN_SECONDS,
    Blocking,
    endless_and_deaf,
    interrupt_main_after,
    silent_server,
    sleeping,
    timed,
    untorn,
)
from tests.session.build import Tools, a_session, calling, echo, tool_call, working


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.__name__)
def test_stop_comes_back_and_the_next_step_works(tmp_path: Path, block: Callable[[Any], Any]) -> None:
    model = Blocking(block)
    session = a_session(tmp_path / "run", model=model)
    run = session.start()
    model.entered.wait(10)
    assert timed(session.stop) < WITHIN_SECONDS
    assert (run.over, session.state) == (True, "stopped(by user)")
    untorn(session)
    model.blocked = False
    assert session.step().number == 1
    untorn(session)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.__name__)
def test_an_interrupt_of_a_blocking_cell_is_raised_once(tmp_path: Path, block: Callable[[Any], Any]) -> None:
    model = Blocking(block)
    session = a_session(tmp_path / "run", model=model)
    interrupt_main_after(model.entered)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt, match="the session can go on") as caught:
        session.run()
    assert time.monotonic() - begun < WITHIN_SECONDS
    assert caught.value.__suppress_context__
    assert session.state == "stopped(interrupted)"
    model.blocked = False
    assert session.run(2) == "paused"
    untorn(session)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.__name__)
def test_an_interrupt_of_an_awaiting_cell_stops_the_run(tmp_path: Path, block: Callable[[Any], Any]) -> None:
    model = Blocking(block)
    session = a_session(tmp_path / "run", model=model)

    async def cell() -> None:
        await session.start()

    async def interrupted() -> float:
        running = asyncio.ensure_future(cell())
        await asyncio.sleep(0.3)
        begun = time.monotonic()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return time.monotonic() - begun

    assert asyncio.run(interrupted()) < WITHIN_SECONDS
    assert session.state == "stopped(interrupted)"
    model.blocked = False
    assert session.run(1) == "paused"
    untorn(session)


def test_awaiting_a_run_gives_the_run() -> None:
    session = a_session()

    async def cell() -> str:
        run = await session.start()
        return run.state

    assert asyncio.run(cell()) == "done"


def test_a_client_that_waits_for_a_silent_server_is_woken(tmp_path: Path) -> None:
    with silent_server() as url:
        model = OpenAIModel("gpt-4o", base_url=url, api_key="k", timeout_seconds=60)
        session = a_session(tmp_path / "run", model=model)
        run = session.start()
        time.sleep(1.0)
        assert timed(session.stop) < WITHIN_SECONDS
        assert run.over
        assert "left to end by itself" not in session.detail
        untorn(session)


def test_a_tool_with_grandchildren_is_killed_whole(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    mark = f"sleep 86{os.getpid() % 1000:03}"
    call = tool_call("bash", command=f"({mark} & {mark} & wait)")
    workspace = Workspace(folder, shell="allow")
    session = a_session(tmp_path / "run", [calling(call), "done"], workspace=workspace)
    session.start()

    def children() -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (
                        (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    )
                except OSError:
                    continue
                if line == mark:
                    found.append(entry.name)
        return found

    deadline = time.monotonic() + 20
    while len(children()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(children()) == 2
    assert timed(session.stop) < WITHIN_SECONDS
    deadline = time.monotonic() + 5
    while children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert children() == []
    assert session.run() == "done"
    assert [m["content"] for m in session.transcript.messages if m["role"] == "tool"] == ["[interrupted]"]
    workspace.close()


def test_a_shaper_that_sleeps_is_left_behind_and_its_view_is_not_used(tmp_path: Path) -> None:
    entered, slow = threading.Event(), [True]

    def drowsy(messages: Messages, pressure: Pressure) -> Messages:
        if slow[0]:
            entered.set()
            time.sleep(3)
        return messages

    drowsy.acts = "always"  # type: ignore[attr-defined]
    session = a_session(tmp_path / "run", working(5), shapers=[drowsy])
    session.start()
    entered.wait(10)
    assert timed(session.stop) < WITHIN_SECONDS
    assert session.state == "stopped(by user)"
    slow[0] = False
    assert session.run(2) == "paused"
    events = len(session.trace)
    time.sleep(3)
    assert len(session.trace) == events, "what was left behind has written nothing"
    untorn(session)


def test_stop_between_steps_ends_the_run(tmp_path: Path) -> None:
    stopped: list[Session] = []

    def on_commit(event: dict[str, Any]) -> None:
        if event["kind"] == "commit" and not stopped:
            stopped.append(session)
            session.stop()

    session = a_session(tmp_path / "run", working(9))
    session.subscribe(on_commit)
    session.start().wait()
    assert session.state == "stopped(by user)"
    assert session.steps == 1
    assert session.run() == "done"
    untorn(session)


@pytest.mark.parametrize("block", [sleeping, endless_and_deaf], ids=lambda b: b.__name__)
def test_after_ten_abandoned_calls_in_a_row_the_next_step_works(
    tmp_path: Path, block: Callable[[Any], Any]
) -> None:
    model = Blocking(block)
    session = a_session(tmp_path / "run", model=model)
    for _ in range(10):
        model.entered.clear()
        session.start()
        model.entered.wait(10)
        assert timed(session.stop) < WITHIN_SECONDS
    booked = session.trace.of("usage")
    assert [e["reported"] for e in booked] == [False] * 10, "input that was sent is booked"
    model.blocked = False
    assert session.step().number == 1
    untorn(session)


def test_a_call_left_behind_writes_nothing_when_it_comes_back(tmp_path: Path) -> None:
    model = Blocking(lambda _: time.sleep(1.6))
    session = a_session(tmp_path / "run", model=model)
    session.start()
    model.entered.wait(10)
    session.stop()
    files = {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir()}
    facts = (session.spent_tokens, session.state, len(session.transcript))
    time.sleep(1.5)
    assert {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir()} == files
    assert (session.spent_tokens, session.state, len(session.transcript)) == facts


def test_interrupted_calls_are_answered_when_the_session_goes_on(tmp_path: Path) -> None:
    entered = threading.Event()

    def hang(arguments: Any, ticket: Any) -> str:
        entered.set()
        ticket.wait(60)
        return "never"

    calls = calling(tool_call(call_id="a", text="first"), tool_call("hang", "b"), tool_call(call_id="c"))
    model = ScriptedModel([calls, "done"])
    session = a_session(tmp_path / "run", model=model, workspace=Tools(echo=echo, hang=hang))
    session.start()
    entered.wait(10)
    session.stop()
    assert [m["role"] for m in session.transcript.messages][-2:] == ["assistant", "tool"]
    assert session.steps == 0
    session.say("go on")
    assert session.run() == "done"
    results = [m["content"] for m in model.requests[1].wire if m["role"] == "tool"]
    assert results == ["first", "[interrupted]", "[interrupted]"]
    assert session.transcript.messages[6]["content"] == "go on"
    untorn(session)


def test_pause_ends_the_run_after_the_step_in_flight() -> None:
    gate, entered = threading.Event(), threading.Event()
    model = Blocking(lambda _: (entered.set(), gate.wait(10)))
    session = a_session(model=model)
    run = session.start()
    entered.wait(10)
    session.pause()
    assert (session.state, run.over) == ("pausing", False)
    gate.set()
    run.wait()
    assert (session.state, session.steps) == ("paused", 1)


def test_an_interrupt_of_another_cell_leaves_a_background_run_alone() -> None:
    gate, entered = threading.Event(), threading.Event()
    model = Blocking(lambda _: (entered.set(), gate.wait(10)))
    session = a_session(model=model)
    run = session.start(1)
    entered.wait(10)
    interrupt_main_after(entered)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(10)
    assert not run.over
    gate.set()
    run.wait()
    assert session.state == "paused"

from __future__ import annotations

import threading
import time
from typing import Any

from tests.session.build import a_session, kinds, working


def test_a_subscriber_gets_every_event_in_order() -> None:
    session = a_session()
    got: list[dict[str, Any]] = []
    end = session.subscribe(got.append)
    session.run()
    assert got == session.trace.events[1:]
    end()
    session.say("more")
    assert got == session.trace.events[1 : 1 + len(got)]
    assert len(got) < len(session.trace.events) - 1


def test_what_a_subscriber_raises_is_a_fault_once_and_ends_nothing() -> None:
    session = a_session()
    got: list[str] = []

    def broken(event: dict[str, Any]) -> None:
        raise RuntimeError("view on fire")

    session.subscribe(broken)
    session.subscribe(lambda event: got.append(event["kind"]))
    assert session.run() == "done"
    faults = session.trace.of("fault")
    assert [(f["where"], f["message"]) for f in faults] == [("subscriber", "view on fire")]
    assert got == kinds(session)[1:]


def test_a_subscriber_may_wait_for_a_lock_whose_holder_calls_the_session() -> None:
    session = a_session(replies=working(30))
    lock = threading.RLock()

    def view(event: dict[str, Any]) -> None:
        with lock:
            time.sleep(0.001)

    session.subscribe(view)
    run = session.start()
    for _ in range(50):
        with lock:
            session.use("default")
            session.pin(1)
    assert run.join(30)
    assert session.state == "done"


def test_a_subscriber_that_hangs_does_not_keep_stop_waiting() -> None:
    session = a_session(replies=working(9))
    hung, gate = threading.Event(), threading.Event()

    def hang(event: dict[str, Any]) -> None:
        if event["kind"] == "reply":
            hung.set()
            gate.wait(20)

    end = session.subscribe(hang)
    session.start()
    hung.wait(10)
    begun = time.monotonic()
    session.stop()
    assert time.monotonic() - begun < 2
    end()
    got: list[str] = []
    session.subscribe(lambda event: got.append(event["kind"]))
    assert session.run(1) == "paused"
    assert "commit" in got
    gate.set()

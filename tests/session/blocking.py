"""Models that block in different ways, and what is measured of a session that is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.transcript import Transcript
from tests.session.build import working

WITHIN_SECONDS = 2.0


@contextmanager
def silent_server() -> Iterator[str]:
    """Takes connections and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                held.append(listener.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.close()
        for connection in held:
            connection.close()


class Blocking:
    """A model that blocks as it is told while `blocked`, then plays a script."""

    name, window = "blocking", 16_000

    def __init__(self, block: Callable[[Any], Any]) -> None:
        self.block, self.blocked = block, True
        self.entered = threading.Event()
        self.script = ScriptedModel(working(30))

    def reply(self, request: Request, *, cancel: Any = None) -> Any:
        if self.blocked:
            self.entered.set()
            self.block(cancel)
        return self.script.reply(request)


def endless(_: Any) -> None:
    number = 0
    while True:
        number += 1


def endless_and_deaf(_: Any) -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # noqa: BLE001 - what a user's code does
            continue


def sleeping(_: Any) -> None:
    time.sleep(8)


def waiting(cancel: Any) -> None:
    cancel.wait(60)


BLOCKS = [endless, endless_and_deaf, sleeping, waiting]


def timed(act: Callable[[], Any]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


def untorn(session: Session) -> None:
    """Disk and memory tell the same story."""
    again = Transcript.open(session.transcript.path)
    assert again.messages == session.transcript.messages
    assert again.committed == session.steps
    assert again.notices == []


def interrupt_main_after(entered: threading.Event, seconds: float = 0.1) -> None:
    def go() -> None:
        entered.wait(10)
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=go, daemon=True).start()

"""A blocking HTTP call that a ticket can wake.

Closing a client does not wake a thread that reads from its socket; shutting the socket down does.
So every call gets a `Line`, which hears of each connection its client opens (the `trace` extension of
httpcore) and keeps a duplicate of the socket: the duplicate stays valid when TLS takes the socket over
and when the client closes it. Looking up a name and connecting cannot be woken at all, so the call
runs in a daemon thread of its own, which is left to end by itself where hanging up does not end it.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from opencollab_nb.ticket import Ticket

T = TypeVar("T")

GRACE_SECONDS = 0.5
"""How long a cancelled call may take to notice that its sockets are shut."""


class HungUp(OSError):
    """The line was cut before its connection stood."""


class Line:
    """The sockets of one call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._cut = False

    def watch(self, request: Any) -> None:
        """An httpx hook for `event_hooks["request"]`: hear of the connections made for this request."""
        request.extensions["trace"] = self._heard

    def _heard(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".connect_unix_socket.complete")):
            stream = info["return_value"]
            try:
                self.add(stream.get_extra_info("socket"))
            except HungUp:
                stream.close()  # nobody else has it yet
                raise

    def add(self, sock: socket.socket) -> None:
        """Keep a duplicate of the socket.

        Raises:
            HungUp: the line is cut already; the socket is shut.
        """
        with self._lock:
            twin = sock.dup()
            self._sockets.append(twin)
            if self._cut:
                shut(twin)
                raise HungUp("the call was cancelled while it connected")

    def hang_up(self) -> None:
        """Shut every socket down, those to come too; safe from any thread."""
        with self._lock:
            self._cut = True
            for sock in self._sockets:
                shut(sock)

    def close(self) -> None:
        """Give the duplicates back."""
        with self._lock:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()


def shut(sock: socket.socket) -> None:
    """Shut down both directions; a socket the other side has closed is shut already."""
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


class Call(Generic[T]):
    """`work(line)` in a thread of its own."""

    def __init__(self, work: Callable[[Line], T]) -> None:
        self.line = Line()
        self.over = threading.Event()
        self._awake = threading.Event()
        self._work = work
        self._answer: list[T] = []
        self._problem: BaseException | None = None

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._run, name="opencollab-model-call", daemon=True).start()

    def _run(self) -> None:
        try:
            self._answer.append(self._work(self.line))
        except BaseException as problem:  # noqa: BLE001 - raised again in the thread that waits
            self._problem = problem
        finally:
            self.line.close()
            self.over.set()
            self._awake.set()

    def wake(self) -> None:
        """End the wait: hang up."""
        self.line.hang_up()
        self._awake.set()

    def wait(self) -> None:
        """Return when the call is over, or was woken and has had time to end."""
        try:
            self._awake.wait()
            if not self.over.is_set():
                self.over.wait(GRACE_SECONDS)
        except BaseException:
            self.line.hang_up()
            raise

    def result(self) -> T:
        """What the work returned or raised."""
        if self._problem is not None:
            raise self._problem
        return self._answer[0]


def wakeable(work: Callable[[Line], T], cancel: Ticket | None) -> T:
    """What `work(line)` returns or raises, unless `cancel` ends the wait first.

    `work` hands `line.watch` to its HTTP client.

    Raises:
        StepCancelled: the ticket was cancelled; the line's sockets are shut.

    >>> wakeable(lambda line: "answer", None)
    'answer'
    """
    call = Call(work)
    release = cancel.on_cancel(call.wake) if cancel is not None else (lambda: None)
    try:
        call.start()
        call.wait()
    finally:
        release()
    if cancel is not None:
        cancel.check()
    return call.result()

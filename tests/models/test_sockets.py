import os
import signal
import socket
import stat
import sys
import threading
import time
from pathlib import Path

import pytest

from opencollab_nb.errors import StepCancelled
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.models.sockets import HungUp, Line, wakeable
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from tests.models.server import HANG, HANG_IN_BODY, Answer, ChatServer

HI = Request(({"role": "user", "content": "hi"},))
BACK_WITHIN_SECONDS = 2.0


def open_sockets() -> int:
    names = [f"/proc/self/fd/{entry.name}" for entry in os.scandir("/proc/self/fd")]
    return sum(stat.S_ISSOCK(Path(name).stat().st_mode) for name in names if Path(name).exists())


def callers() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "opencollab-model-call"]


def settled(measure, wanted):
    """The measure, once it is as wanted or ten seconds have passed."""
    end = time.monotonic() + 10
    while measure() != wanted and time.monotonic() < end:
        time.sleep(0.01)
    return measure()


def steady(measure):
    """The measure, once half a second changes nothing: what earlier tests left is still being closed."""
    now = measure()
    for _ in range(20):
        time.sleep(0.5)
        before, now = now, measure()
        if before == now:
            break
    return now


def cancelled_after(seconds, model, came=None):
    """Seconds between `cancel()` and the end of the call."""
    ticket, at = Ticket(), []

    def cancel():
        if came is not None:
            came.acquire()
        time.sleep(seconds)
        at.append(time.monotonic())
        ticket.cancel()

    threading.Thread(target=cancel).start()
    with pytest.raises(StepCancelled):
        model.reply(HI, cancel=ticket)
    assert ticket.problems == []
    return time.monotonic() - at[0]


@pytest.mark.parametrize("hang", [HANG, HANG_IN_BODY])
def test_a_server_that_never_answers_is_left_at_once_ten_times_over(hang):
    with ChatServer([*[hang] * 10, "still here"]) as server:
        model = OpenAIModel("tiny", base_url=server.url)
        took = [cancelled_after(0.02, model, server.came) for _ in range(10)]
        assert max(took) < BACK_WITHIN_SECONDS
        assert callers() == []
        assert model.reply(HI, cancel=Ticket()).message["content"] == "still here"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts sockets in /proc")
def test_abandoned_calls_leave_no_socket_open():
    before = steady(open_sockets)
    with ChatServer([HANG] * 5) as server:
        model = OpenAIModel("tiny", base_url=server.url)
        for _ in range(5):
            cancelled_after(0, model, server.came)
    assert settled(open_sockets, before) == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fills a backlog the way Linux counts it")
def test_a_connection_that_never_stands_is_left_at_once():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        filling = [socket.socket() for _ in range(3)]
        for sock in filling:
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
        model = OpenAIModel(
            "tiny", base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/v1", timeout_seconds=1
        )
        assert max(cancelled_after(0.2, model) for _ in range(3)) < BACK_WITHIN_SECONDS
        assert settled(callers, []) == [], "a call that cannot be woken ends by itself"
        for sock in filling:
            sock.close()


def test_a_handshake_that_never_ends_is_left_at_once():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        model = OpenAIModel("tiny", base_url=f"https://127.0.0.1:{listener.getsockname()[1]}/v1")
        assert max(cancelled_after(0.2, model) for _ in range(3)) < BACK_WITHIN_SECONDS
        assert callers() == []


def test_an_interrupt_in_the_waiting_thread_ends_the_call():
    with ChatServer([HANG, "ok"]) as server:
        model = OpenAIModel("tiny", base_url=server.url)

        def interrupt():
            server.came.acquire()
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            model.reply(HI)
        assert settled(callers, []) == []
        assert model.reply(HI).message["content"] == "ok"


def test_a_pause_between_attempts_ends_with_the_ticket():
    busy = Answer(429, {"error": {"message": "later"}}, {"retry-after": "50"})
    with ChatServer([busy, "ok"]) as server:
        model = OpenAIModel("tiny", base_url=server.url, retries=Retries())
        assert cancelled_after(0.05, model, server.came) < BACK_WITHIN_SECONDS


def test_a_cancelled_ticket_sends_nothing():
    ticket = Ticket()
    ticket.cancel()
    with ChatServer(["never"]) as server:
        with pytest.raises(StepCancelled):
            OpenAIModel("tiny", base_url=server.url).reply(HI, cancel=ticket)
        assert server.requests == []


def test_two_calls_at_once_are_cancelled_apart():
    with ChatServer(lambda body: HANG if body["messages"][0]["content"] == "hi" else "other") as server:
        model = OpenAIModel("tiny", base_url=server.url)
        ticket = Ticket()
        waiting = threading.Thread(target=lambda: cancelled_after(0, model, server.came))
        waiting.start()
        said = model.reply(Request(({"role": "user", "content": "ho"},)), cancel=ticket).message["content"]
        waiting.join(20)
        assert said == "other"
        assert not waiting.is_alive()


def test_a_line_that_was_cut_takes_no_further_socket():
    line = Line()
    line.hang_up()
    mine, other = socket.socketpair()
    with mine, other:
        with pytest.raises(HungUp):
            line.add(mine)
        assert other.recv(1) == b""
    line.close()


def test_what_the_work_raises_is_raised_where_it_was_asked_for():
    def work(line):
        raise RuntimeError("in the work")

    with pytest.raises(RuntimeError, match="in the work"):
        wakeable(work, Ticket())

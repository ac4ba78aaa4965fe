"""Children are watched whole: output, time, ticket, group."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc

import pytest

from opencollab_nb.errors import StepCancelled
from opencollab_nb.ticket import Ticket, holding
from opencollab_nb.workspace.child import Finished, run_child

from .processes import Cancelled, alive, children, number_in, open_descriptors, within

ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
def run(tmp_path):
    def run_bash(command: str, **settings: object) -> Finished:
        return run_child(["bash", "-c", command], cwd=tmp_path, env=ENV, **settings)  # type: ignore[arg-type]

    return run_bash


def test_status_and_both_streams_come_back(run):
    assert run("echo out; echo err >&2; exit 3") == Finished(
        3, "out\nerr\n", truncated=False, timed_out=False
    )
    assert run("kill -9 $$").code == -signal.SIGKILL


def test_there_is_nothing_to_read_from(run):
    assert run("cat; read line; echo $?").output == "1\n"


def test_the_environment_is_the_given_one_only(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in run("env").output


def test_a_time_limit_ends_the_whole_group(run, tmp_path):
    start = time.monotonic()
    finished = run("echo begun; sleep 100 & echo $! > pid; sleep 100", time_limit_seconds=0.3)
    assert time.monotonic() - start < 3
    assert finished.timed_out
    assert finished.output == "begun\n"
    assert within(2, lambda: not alive(number_in(tmp_path / "pid")))


def test_a_child_that_closed_its_output_is_still_timed(run):
    start = time.monotonic()
    assert run("exec >&- 2>&-; sleep 100", time_limit_seconds=0.3).timed_out
    assert time.monotonic() - start < 3


def test_what_is_left_in_the_background_ends_with_the_command(run, tmp_path):
    start = time.monotonic()
    finished = run("sleep 100 & echo $! > pid; echo done")
    assert time.monotonic() - start < 3
    assert finished == Finished(0, "done\n", truncated=False, timed_out=False)
    assert within(2, lambda: not alive(number_in(tmp_path / "pid")))


def test_output_of_a_pipe_s_last_program_is_not_lost(run):
    assert run("echo x > >(sleep 0.02; cat)").output == "x\n"


def test_cancelling_returns_at_once_though_grandchildren_hold_the_pipe(run, tmp_path):
    command = "trap '' TERM INT; (trap '' TERM; sleep 100) & (sleep 100 & sleep 100) & echo $! > pid; wait"
    cancelled = Cancelled(lambda ticket: run(command, ticket=ticket), (tmp_path / "pid").exists)
    assert isinstance(cancelled.raised, StepCancelled)
    assert cancelled.seconds < 1
    assert within(2, lambda: not alive(number_in(tmp_path / "pid")))


def test_the_current_ticket_counts_where_none_is_given(run):
    ticket = Ticket()
    threading.Timer(0.3, ticket.cancel).start()
    with holding(ticket), pytest.raises(StepCancelled):
        run("sleep 100")


def test_a_cancelled_ticket_runs_nothing_for_long(run, tmp_path):
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(StepCancelled):
        run("sleep 0.5; touch late", ticket=ticket)
    time.sleep(0.7)
    assert not (tmp_path / "late").exists()


def test_endless_output_is_held_in_bounded_memory(run):
    tracemalloc.start()
    finished = run("yes 0123456789", time_limit_seconds=0.7, output_chars=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert finished.timed_out
    assert finished.truncated
    assert len(finished.output) < 10_100
    assert finished.output.startswith("0123456789\n")
    assert peak < 2_000_000


def test_output_that_is_no_text_comes_back_as_text(run):
    assert run(r"printf '\xff\xfe\x00ok'").output == "\ufffd\ufffd\0ok"


def test_a_program_that_cannot_be_started_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_child(["no-such-program"], cwd=tmp_path, env=ENV)


def test_no_descriptor_thread_or_zombie_is_left(run):
    run("true")
    gc.collect()
    before = open_descriptors(), threading.active_count(), children()
    for _ in range(10):
        run("sleep 10 & true")
    gc.collect()
    assert (open_descriptors(), threading.active_count(), children()) == before


PROGRAM = """
    import os, pathlib, signal, sys, threading
    from opencollab_nb.workspace.child import run_child
    folder = pathlib.Path(sys.argv[1])
    def work():
        run_child(["bash", "-c", "echo $$ > pid; sleep 100"], cwd=folder, env={"PATH": os.environ["PATH"]})
    if sys.argv[2] == "thread":
        threading.Thread(target=work, daemon=True).start()
        while not (folder / "pid").exists() or not (folder / "pid").read_text():
            pass
    else:
        work()
"""


@pytest.mark.parametrize("where", ["thread", "main"])
def test_a_child_ends_with_its_kernel(tmp_path, where):
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path), where]
    kernel = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    pid = number_in(tmp_path / "pid")
    if where == "main":
        assert os.getsid(pid) == pid, "the interrupt of the kernel's group must not reach the child"
        kernel.send_signal(signal.SIGINT)
    kernel.wait(20)
    assert within(2, lambda: not alive(pid))

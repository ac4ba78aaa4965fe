"""What leaves its group is found by the mark it carries."""

from __future__ import annotations

import sys

import pytest

from opencollab_nb.errors import StepCancelled

from .processes import Cancelled, alive_inside, number_in, within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="strays are found in /proc only")

DAEMON = "setsid bash -c 'setsid sleep 100 > /dev/null 2>&1 < /dev/null & echo $! > pid' & "


def test_a_daemon_ends_with_its_command(shell, folder):
    shell.call("bash", {"command": DAEMON + "while [ ! -s pid ]; do sleep 0.01; done"})
    assert within(2, lambda: not alive_inside(number_in(folder / "pid")))


def test_a_daemon_that_holds_the_pipe_ends_with_its_command(shell, folder):
    assert (
        shell.call("bash", {"command": "setsid sleep 100 & echo $! > pid; sleep 0.1; echo done"}) == "done\n"
    )
    assert within(2, lambda: not alive_inside(number_in(folder / "pid")))


def test_a_daemon_ends_when_the_ticket_is_cancelled(shell, folder):
    pid = folder / "pid"
    cancelled = Cancelled(
        lambda ticket: shell.call("bash", {"command": DAEMON + "sleep 100"}, ticket=ticket),
        lambda: pid.exists() and pid.read_text(),
    )
    assert isinstance(cancelled.raised, StepCancelled)
    assert cancelled.seconds < 1
    assert within(2, lambda: not alive_inside(number_in(pid)))


def test_a_daemon_of_a_test_ends_with_the_run(shell, folder):
    (folder / "tests/test_daemon.py").write_text(
        "import os, subprocess\n"
        "def test_daemon():\n"
        "    child = subprocess.Popen(['sleep', '100'], start_new_session=True)\n"
        "    open('pid', 'w').write(str(child.pid))\n"
        "def test_fork():\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        os.setsid()\n"
        "        open('forked', 'w').write(str(os.getpid()))\n"
        "        os.execvp('sleep', ['sleep', '100'])\n"
    )
    assert "2 passed" in shell.call("run_tests", {"path": "tests/test_daemon.py"})
    for name in ("pid", "forked"):
        assert within(2, lambda name=name: not alive_inside(number_in(folder / name)))


def test_other_workspaces_keep_their_processes(shell, opened, folder):
    other = opened(shell="allow")
    cancelled = Cancelled(
        lambda ticket: other.call("bash", {"command": "echo $$ > pid; sleep 100"}, ticket=ticket),
        lambda: (folder / "pid").exists() and shell.call("bash", {"command": "sleep 0.01 &"}),
    )
    assert isinstance(cancelled.raised, StepCancelled), "it ended before it was cancelled"


def test_a_bomb_of_forks_is_ended(opened, folder):
    shell = opened(shell="allow", time_limit_seconds=1)
    bomb = "ulimit -u 400 2> /dev/null; f() { sleep 60 & sleep 60 & sleep 60 & sleep 60; }; f & f & f & f &"
    answer = shell.call("bash", {"command": f"{bomb} jobs -p > pids; wait"})
    assert answer.startswith("Error: the command took longer than 1 s")
    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
    assert pids
    assert within(2, lambda: not any(map(alive_inside, pids)))

"""The test server: fast, one for a workspace, gone with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from opencollab_nb.errors import StepCancelled

from .processes import Cancelled, alive, alive_inside, number_in, within

pytestmark = pytest.mark.skipif(not hasattr(os, "waitid"), reason="the server needs fork and waitid")

SLEEPING = """
    import os, subprocess, time
    def test_sleeping():
        child = subprocess.Popen(["sleep", "100"])
        open("pid.part", "w").write(f"{os.getpid()} {child.pid}")
        os.rename("pid.part", "pid")
        time.sleep(100)
"""


@pytest.fixture
def sleeping(folder):
    (folder / "tests/test_sleeping.py").write_text(textwrap.dedent(SLEEPING))
    return folder / "pid"


def server_of(workspace):
    return workspace._servers[0]


def test_the_server_serves_all_runs(shell):
    assert "1 passed" in shell.call("run_tests", {})
    pid = server_of(shell).pid
    assert pid is not None
    for _ in range(3):
        assert "1 passed" in shell.call("run_tests", {})
    assert server_of(shell).pid == pid


def test_the_server_is_not_started_before_it_is_needed(shell):
    shell.call("bash", {"command": "true"})
    assert not shell._servers


def test_cancelling_ends_the_run_and_keeps_the_server(shell, sleeping):
    shell.call("run_tests", {"path": "tests/test_cart.py"})
    server = server_of(shell).pid
    cancelled = Cancelled(lambda ticket: shell.call("run_tests", {}, ticket=ticket), sleeping.exists)
    assert isinstance(cancelled.raised, StepCancelled)
    assert cancelled.seconds < 1
    pids = [int(pid) for pid in sleeping.read_text().split()]
    assert within(2, lambda: not any(map(alive_inside, pids)))
    assert "1 passed" in shell.call("run_tests", {"path": "tests/test_cart.py"})
    # One in a cage ends with its run.
    assert server_of(shell).pid == server or server_of(shell).caged


def test_cancelling_while_the_server_starts(shell):
    cancelled = Cancelled(lambda ticket: shell.call("run_tests", {}, ticket=ticket), lambda: shell._servers)
    assert cancelled.seconds < 2
    assert "1 passed" in shell.call("run_tests", {})


def test_a_server_that_died_is_replaced(shell):
    shell.call("run_tests", {})
    os.kill(server_of(shell).pid, signal.SIGKILL)
    assert "1 passed" in shell.call("run_tests", {})


def test_a_test_that_kills_the_server_does_no_lasting_harm(shell, folder):
    (folder / "tests/test_kill.py").write_text(
        "import os\n\ndef test_kill():\n    os.kill(os.getppid(), 9)\n"
    )
    shell.call("run_tests", {"path": "tests/test_kill.py"})
    assert "1 passed" in shell.call("run_tests", {"path": "tests/test_cart.py"})


def test_a_second_run_at_the_same_time_gets_a_process_of_its_own(shell, sleeping):
    answers = []
    cancelled = Cancelled(
        lambda ticket: shell.call("run_tests", {"path": "tests/test_sleeping.py"}, ticket=ticket),
        lambda: (
            sleeping.exists()
            and answers.append(shell.call("run_tests", {"path": "tests/test_cart.py"})) is None
        ),
    )
    assert isinstance(cancelled.raised, StepCancelled)
    assert "1 passed" in answers[0]


def test_closing_ends_the_server_and_its_run(shell, sleeping):
    thread = threading.Thread(target=shell.call, args=("run_tests", {}), daemon=True)
    thread.start()
    assert within(20, sleeping.exists)
    pids = [int(pid) for pid in sleeping.read_text().split()]
    server = server_of(shell).pid
    start = time.monotonic()
    shell.close()
    assert time.monotonic() - start < 2
    thread.join(5)
    assert not thread.is_alive()
    assert within(2, lambda: not any(map(alive_inside, pids)))
    assert not alive(server)
    assert shell.call("run_tests", {}) == "Error: this workspace is closed; open a new one."


KERNEL = """
    import sys, threading, time
    from opencollab_nb.workspace import Workspace
    workspace = Workspace(sys.argv[1], shell="allow")
    workspace.call("run_tests", {"path": "tests/test_cart.py"})
    threading.Thread(target=workspace.call, args=("run_tests", {}), daemon=True).start()
    while not (workspace.root / "pid").exists():
        time.sleep(0.01)
    (workspace.root / "server").write_text(str(workspace._servers[0].pid))
    if sys.argv[2] == "killed":
        time.sleep(100)
"""


@pytest.mark.parametrize("how", ["exits", "killed"])
def test_the_server_and_its_run_end_with_the_kernel(folder, sleeping, how):
    program = [sys.executable, "-c", textwrap.dedent(KERNEL), str(folder), how]
    # A killed kernel cannot remove its private folder.
    kernel = subprocess.Popen(program, env={**os.environ, "TMPDIR": str(folder.parent)})
    server = number_in(folder / "server")
    if how == "killed":
        kernel.kill()
    kernel.wait(20)
    pids = [int(pid) for pid in sleeping.read_text().split()]
    assert within(3, lambda: not any([alive(server), *map(alive_inside, pids)]))

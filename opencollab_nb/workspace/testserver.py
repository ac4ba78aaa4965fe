"""pytest imported once, one fork a run: real tests without paying for Python's start each time.

A script of its own, started by `forks` with a socket as its only argument. For each run it gets one line of
JSON `{"folder": …, "arguments": […], "env": {…}, "limits": {…}, "caged": …}` together with the descriptor
to write to, forks, and answers `pid N` (the fork leads its own session by then), then `exit N`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
from importlib import import_module
from typing import Any

MESSAGE_BYTES = 1 << 16
ROUNDS_AT_MOST = 5
TICK_SECONDS = 0.005
"""Between two looks at a run, where the system cannot wait for process and socket at once."""


def main() -> None:
    """Serve until the other side is gone."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    import_pytest()
    connection.sendall(b"ready\n")
    alive = True
    while alive:
        message, files, _, _ = socket.recv_fds(connection, MESSAGE_BYTES, 1)
        while message and not message.endswith(b"\n"):
            message += connection.recv(MESSAGE_BYTES)
        alive = bool(message) and serve(connection, json.loads(message), files[0])
    os._exit(0)


def import_pytest() -> None:
    """Load pytest and the plugins it would otherwise load at every run."""
    config = import_module("_pytest.config")
    for name in getattr(config, "default_plugins", ()):
        with contextlib.suppress(ImportError):
            import_module(f"_pytest.{name}")


def serve(connection: socket.socket, order: dict[str, Any], output: int) -> bool:
    """One run: fork, wait, end its session, say the status; False when the other side is gone."""
    pid = os.fork()
    if pid == 0:
        run(connection, order, output)
    os.close(output)
    gone = not ended_before_the_other_side(connection, pid)
    # While the fork is not reaped its number is not given to another.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if order["caged"]:
        end_all_others()
    if not gone:
        connection.sendall(b"exit %d\n" % os.waitstatus_to_exitcode(status))
    return not gone


def ended_before_the_other_side(connection: socket.socket, pid: int) -> bool:
    """Wait for the fork, without reaping it; False if the kernel's process ended first."""
    watched: list[Any] = [connection]
    tick: float | None = TICK_SECONDS
    with contextlib.suppress(AttributeError, OSError):
        watched.append(os.pidfd_open(pid))
        tick = None
    try:
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            # Nothing is sent during a run, so what can be read is the end.
            if connection in select.select(watched, [], [], tick)[0]:
                return False
        return True
    finally:
        for fd in watched[1:]:
            os.close(fd)


def end_all_others() -> None:
    """In a cage no other process is anybody's but the runs'; the first one is the cage's own."""
    for _ in range(ROUNDS_AT_MOST):
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names only
        others = [pid for pid in pids if pid not in (1, os.getpid())]
        for pid in others:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not others:
            break


def set_limits(limits: dict[str, int]) -> None:
    """What this process and all that it starts may use at most, by the names of `resource`."""
    for name, value in limits.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (least, least))


def run(connection: socket.socket, order: dict[str, Any], output: int) -> None:
    """In the fork: become a session, write to `output`, run pytest, exit."""
    status = 70
    try:
        os.setsid()
        set_limits(order["limits"])
        connection.sendall(b"pid %d\n" % os.getpid())
        connection.close()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.environ.clear()
        os.environ.update(order["env"])
        os.chdir(order["folder"])
        sys.path.insert(0, order["folder"])
        sys.argv[:] = ["pytest"]
        import pytest

        status = int(pytest.main(order["arguments"]))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - printed, as Python would on leaving; the fork must not go on as a server
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()

"""pytest imported once, one fork a run: real tests without paying for Python's start each time.

A script of its own, started by `pytest_runner` with a socket as its only argument. For each run it gets one
line of JSON `{"folder": …, "arguments": […]}` together with the descriptor to write to, forks, and answers
`pid N` (the fork leads its own session by then), then `exit N`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from importlib import import_module

MESSAGE_BYTES = 1 << 16


def main() -> None:
    """Serve until the other side is gone."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(connection.fileno(), False)
    import_pytest()
    connection.sendall(b"ready\n")
    while True:
        message, files, _, _ = socket.recv_fds(connection, MESSAGE_BYTES, 1)
        if not message:
            return
        serve(connection, json.loads(message), files[0])


def import_pytest() -> None:
    """Load pytest and the plugins it would otherwise load at every run."""
    config = import_module("_pytest.config")
    for name in getattr(config, "default_plugins", ()):
        with contextlib.suppress(ImportError):
            import_module(f"_pytest.{name}")


def serve(connection: socket.socket, order: dict[str, object], output: int) -> None:
    """One run: fork, say the number, wait, end what is left of its session, say the status."""
    pid = os.fork()
    if pid == 0:
        run(connection, order, output)
    os.close(output)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    # While the fork is not reaped its number is not given to another.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    connection.sendall(b"exit %d\n" % os.waitstatus_to_exitcode(status))


def run(connection: socket.socket, order: dict[str, object], output: int) -> None:
    """In the fork: become a session, write to `output`, run pytest, exit."""
    status = 70
    try:
        os.setsid()
        connection.sendall(b"pid %d\n" % os.getpid())
        connection.close()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.chdir(str(order["folder"]))
        sys.path.insert(0, str(order["folder"]))
        sys.argv[:] = ["pytest"]
        import pytest

        arguments = order["arguments"]
        assert isinstance(arguments, list)
        status = int(pytest.main(arguments))
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()

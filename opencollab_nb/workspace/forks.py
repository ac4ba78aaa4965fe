"""The test server seen from the kernel: started when first needed, one run at a time."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from opencollab_nb.workspace.child import REAP_SECONDS
from opencollab_nb.workspace.strays import MARK, end_strays

START_SECONDS = 30.0
_SCRIPT = Path(__file__).with_name("testserver.py")


class TestServer:
    """A process that has imported pytest and forks for each run."""

    __test__ = False

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._lock = threading.Lock()
        self._popen: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The server's process, None while there is none."""
        return self._popen.pid if self._popen is not None else None

    def run(self, folder: Path, arguments: list[str]) -> ForkedRun | None:
        """Begin a run; None where the server cannot serve (no fork, no pytest, busy with another run)."""
        if not hasattr(os, "fork") or not hasattr(os, "waitid") or not sys.executable:
            return None
        if not self._lock.acquire(blocking=False):
            return None
        read, write = os.pipe()
        try:
            connection = self._connected()
            order = json.dumps({"folder": str(folder), "arguments": arguments}).encode()
            socket.send_fds(connection, [order], [write])
            pid = int(_line(connection, "pid"))
        except (OSError, ValueError):
            os.close(read)
            self._end()
            self._lock.release()
            return None
        except BaseException:
            os.close(read)
            self._end()
            self._lock.release()
            raise
        finally:
            os.close(write)
        return ForkedRun(self, connection, pid, read)

    def over(self, *, sound: bool) -> None:
        """A run has ended; a server that did not say so is not used again."""
        if not sound:
            self._end()
        self._lock.release()

    def end_strays(self) -> None:
        """End what a run left behind outside its session."""
        end_strays(self._env[MARK], spare=[self.pid] if self.pid else [])

    def close(self) -> None:
        """End the server and what it runs."""
        self._end()

    def _connected(self) -> socket.socket:
        if self._popen is not None and self._popen.poll() is None and self._socket is not None:
            return self._socket
        self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            ours.settimeout(START_SECONDS)
            self._socket = ours
            self._popen = subprocess.Popen(
                [sys.executable, "-P", str(_SCRIPT), str(theirs.fileno())],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                cwd=self._env["HOME"],
            )
        _line(ours, "ready")
        return ours

    def _end(self) -> None:
        popen, self._popen = self._popen, None
        connection, self._socket = self._socket, None
        if connection is not None:
            connection.close()
        if popen is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            popen.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(REAP_SECONDS)
        end_strays(self._env[MARK])


class ForkedRun:
    """One run of the server, as `child.watched` sees a process."""

    def __init__(self, server: TestServer, connection: socket.socket, pid: int, pipe: int) -> None:
        self.pipe = pipe
        self._server, self._connection, self._pid = server, connection, pid
        self._code: int | None = None
        self._sound = True
        self._lock = threading.Lock()

    def ended(self) -> bool:
        """True once the server has reported the status."""
        if self._code is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._connection, selectors.EVENT_READ)
                if selector.select(0):
                    self._take()
        return self._code is not None

    def kill(self) -> None:
        """SIGKILL to the run's session and to what left it."""
        with self._lock:
            if self._code is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, signal.SIGKILL)
        self._server.end_strays()

    def close(self) -> int:
        """End what is left and hear the status."""
        self.kill()
        os.close(self.pipe)
        if self._code is None:
            self._take()
        self._server.over(sound=self._sound)
        return -signal.SIGKILL if self._code is None else self._code

    def _take(self) -> None:
        try:
            code = int(_line(self._connection, "exit"))
        except (OSError, ValueError):
            self._sound, code = False, -signal.SIGKILL
        with self._lock:
            self._code = code


def _line(connection: socket.socket, word: str) -> str:
    """The rest of the server's next line, which begins with `word`.

    Raises:
        ValueError: the server ended or said something else.
        OSError: no answer in time.
    """
    line = b""
    while not line.endswith(b"\n"):
        piece = connection.recv(1)
        if not piece:
            raise ValueError("the test server has ended")
        line += piece
    said, _, rest = line.decode().strip().partition(" ")
    if said != word:
        raise ValueError(f"the test server said {said!r}, not {word!r}")
    return rest

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
from collections.abc import Mapping, Sequence
from pathlib import Path

from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import REAP_SECONDS
from opencollab_nb.workspace.contained import Containment, Limits
from opencollab_nb.workspace.strays import MARK, end_strays

START_SECONDS = 30.0
LEAVE_SECONDS = 0.5
"""For the server to end by itself, its run before it."""
_SCRIPT = Path(__file__).with_name("testserver.py")


class TestServer:
    """A process that has imported pytest and forks for each run.

    `env` is its own environment; the mark in it is the mark of all its runs. Where bubblewrap holds it, its
    processes have numbers of their own: it ends what a run leaves behind itself, and is ended as a whole.
    """

    __test__ = False

    def __init__(
        self, env: Mapping[str, str], held_by: Containment | None = None, private: Path | None = None
    ) -> None:
        self._env = dict(env)
        self._held_by, self._private = held_by, private
        self.caged = held_by is not None and held_by.bubblewrap is not None
        self._run_lock = threading.Lock()
        self._end_lock = threading.Lock()
        self._popen: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The server's process, None while there is none."""
        popen = self._popen
        return None if popen is None else popen.pid

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits | None = None,
        ticket: Ticket | None = None,
    ) -> ForkedRun | None:
        """Begin a run; None where the server cannot serve (no fork, no pytest, busy with another run).

        Raises:
            StepCancelled: the ticket had been cancelled.
        """
        if not hasattr(os, "fork") or not hasattr(os, "waitid") or not sys.executable:
            return None
        if not self._run_lock.acquire(blocking=False):
            return None
        run = None
        try:
            take_back = ticket.on_cancel(self.close) if ticket is not None else None
            run = self._begun(arguments, cwd, {**env, MARK: self._env[MARK]}, limits or Limits())
            if take_back is not None:
                take_back()
        finally:
            if run is None:
                self.over(sound=False)
        return run

    def over(self, *, sound: bool) -> None:
        """A run has ended; a server that did not say so is not used again."""
        if not sound:
            self.close()
        self._run_lock.release()

    def end_strays(self) -> None:
        """End what a run left behind outside its session."""
        if self.caged:
            return
        pid = self.pid
        end_strays(self._env[MARK], spare=() if pid is None else (pid,))

    def kill(self) -> None:
        """SIGKILL to a caged server, and with it to all in the cage."""
        popen = self._popen
        if popen is not None and popen.poll() is None:
            _kill_group(popen)

    def close(self) -> None:
        """End the server and what it runs; from any thread."""
        with self._end_lock:
            popen, self._popen = self._popen, None
            connection, self._socket = self._socket, None
        if connection is not None:
            # The server sees this end and ends its run; closing alone would not wake who reads here.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if popen is not None:
            try:
                popen.wait(LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                _kill_group(popen)
                popen.wait(REAP_SECONDS)
            end_strays(self._env[MARK])
        if connection is not None:
            connection.close()

    def _begun(
        self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], limits: Limits
    ) -> ForkedRun | None:
        read, write = os.pipe()
        run = None
        try:
            connection = self._connected()
            order = {"folder": str(cwd), "arguments": list(arguments), "env": dict(env)}
            text = json.dumps({**order, "limits": limits.to_dict(), "caged": self.caged})
            socket.send_fds(connection, [text.encode() + b"\n"], [write])
            run = ForkedRun(self, connection, int(line_of(connection, "pid")), read)
        except (OSError, ValueError):
            return None
        finally:
            os.close(write)
            if run is None:
                os.close(read)
        return run

    def _connected(self) -> socket.socket:
        popen, connection = self._popen, self._socket
        if popen is None or popen.poll() is not None or connection is None:
            self.close()
            connection = self._started()
            line_of(connection, "ready")
        return connection

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(START_SECONDS)
        argv = [sys.executable, "-P", str(_SCRIPT), str(theirs.fileno())]
        if self._held_by is not None and self._private is not None:
            argv = self._held_by.held(argv, self._private, script=_SCRIPT)
        with theirs, self._end_lock:
            self._popen = subprocess.Popen(
                argv,
                cwd=self._env["HOME"],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self._socket = ours
        return ours


def _kill_group(popen: subprocess.Popen[bytes]) -> None:
    """The server leads its session; with the first process of a cage ends all that is in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)


class ForkedRun:
    """One run of the server, as `child.watched` sees a process."""

    def __init__(self, server: TestServer, connection: socket.socket, pid: int, pipe: int) -> None:
        self.pipe = pipe
        self.pid = pid
        self._server, self._connection = server, connection
        self._code: int | None = None
        self._sound = True
        self._closed = False
        self._lock = threading.Lock()

    def ended(self) -> bool:
        """True once the server has reported the status."""
        if self._code is None and self._has_spoken():
            self._take()
        return self._code is not None

    def kill(self) -> None:
        """SIGKILL to the run's session and to what left it."""
        with self._lock:
            # Later the number and the mark may be those of another run.
            if self._closed:
                return
            if self._code is None and self._server.caged:
                self._server.kill()
            elif self._code is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            self._server.end_strays()

    def close(self) -> int:
        """End what is left and hear the status."""
        if self._closed:
            return self._code or 0
        self.kill()
        os.close(self.pipe)
        if self._code is None:
            self._take()
        with self._lock:
            self._closed = True
        self._server.over(sound=self._sound)
        return self._code or 0

    def _has_spoken(self) -> bool:
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._connection, selectors.EVENT_READ)
            except ValueError:
                return True  # closed by another thread; reading says so
            return bool(selector.select(0))

    def _take(self) -> None:
        try:
            code = int(line_of(self._connection, "exit"))
        except (OSError, ValueError):
            self._sound, code = False, -signal.SIGKILL
        with self._lock:
            self._code = code


def line_of(connection: socket.socket, word: str) -> str:
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

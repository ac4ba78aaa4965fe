"""A child process in its own session, watched for time, output and ticket; its group ends with it."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from opencollab_nb.errors import StepCancelled
from opencollab_nb.ticket import Ticket, current_ticket
from opencollab_nb.workspace.output import Held
from opencollab_nb.workspace.starting import Start
from opencollab_nb.workspace.strays import MARK, end_strays

TICK_SECONDS = 0.05
"""Longest wait before ticket, clock and process are looked at again."""
LAST_WORDS_SECONDS = 0.1
"""How long output is still awaited when the process has ended and something else holds its pipe."""
REAP_SECONDS = 2.0

_running: set[Group] = set()
"""Ended at the interpreter's exit, which no longer runs the threads that watch them."""
_starting = threading.Lock()


@dataclass(frozen=True)
class Finished:
    """How a child ended."""

    code: int
    """Exit status; negative for the signal that ended it."""
    output: str
    """stdout and stderr as they came, at most `output_chars` and a note."""
    truncated: bool
    timed_out: bool


class Process(Protocol):
    """What can be watched."""

    pipe: int
    """Descriptor to read its output from."""

    def ended(self) -> bool:
        """True once it has ended by itself."""

    def kill(self) -> None:
        """End it and all it started; from any thread, any number of times."""

    def close(self) -> int:
        """End what is left, and return the exit status; again and again the same."""


def run_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    time_limit_seconds: float = 60.0,
    output_chars: int = 200_000,
    ticket: Ticket | None = None,
) -> Finished:
    """Run a program to its end, or to the time limit; nothing it started outlives the call.

    Raises:
        StepCancelled: the ticket (by default the current step's) was cancelled.
        OSError: the program cannot be started.
    """
    return watched(
        lambda: Group(argv, cwd=cwd, env=env),
        time_limit_seconds=time_limit_seconds,
        output_chars=output_chars,
        ticket=ticket or current_ticket(),
    )


def watched(
    begin: Callable[[], Process], *, time_limit_seconds: float, output_chars: int, ticket: Ticket | None
) -> Finished:
    """Begin a process, read its output until it ends, then close it.

    Raises:
        StepCancelled: the ticket was cancelled; the process has been killed.
    """
    held = Held(output_chars)
    start = Start(begin)
    take_back = _nothing
    try:
        process = start.wanted()
        if ticket is not None:
            take_back = ticket.on_cancel(process.kill)
        in_time = _read_to_end(process, held, time_limit_seconds, ticket)
    finally:
        take_back()
        start.leave()
    code = process.close()
    if ticket is not None:
        ticket.check()
    output, truncated = held.text()
    return Finished(code, output, truncated, timed_out=not in_time)


def _nothing() -> None:
    return None


@atexit.register
def end_all() -> None:
    """End every process that is still watched."""
    # One that is being started is waited for.
    with _starting:
        for group in list(_running):
            group.kill()


def _read_to_end(process: Process, held: Held, time_limit_seconds: float, ticket: Ticket | None) -> bool:
    deadline = time.monotonic() + time_limit_seconds
    pause_seconds = 0.0005
    ended_at: float | None = None
    reading = True
    with selectors.DefaultSelector() as selector:
        selector.register(process.pipe, selectors.EVENT_READ)
        while True:
            if reading and selector.select(TICK_SECONDS if ended_at is None else LAST_WORDS_SECONDS / 4):
                data = os.read(process.pipe, 1 << 16)
                held.add(data)
                reading = bool(data)
            if ticket is not None and ticket.cancelled:
                raise StepCancelled
            now = time.monotonic()
            if ended_at is None and process.ended():
                ended_at = now
            if ended_at is not None and (not reading or now - ended_at > LAST_WORDS_SECONDS):
                return True
            if now > deadline:
                return False
            if not reading:
                time.sleep(pause_seconds)
                pause_seconds = min(2 * pause_seconds, TICK_SECONDS)


class Group:
    """A program in a session of its own, so that the kernel's SIGINT does not reach it."""

    def __init__(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._reaped = False
        self._code: int | None = None
        self._mark = env.get(MARK)
        with _starting:
            self._popen = subprocess.Popen(
                argv,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                start_new_session=True,
            )
            _running.add(self)
        assert self._popen.stdout is not None
        self.pipe = self._popen.stdout.fileno()

    def ended(self) -> bool:
        """True once the program has ended; it is not reaped, so that its group keeps its number."""
        if not hasattr(os, "waitid"):
            return self._popen.poll() is not None
        try:
            return os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def kill(self) -> None:
        """SIGKILL to the whole group, and to what left it and still carries the call's mark."""
        with self._lock:
            if not self._reaped:
                # macOS answers EPERM for a group of zombies.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
        if self._mark:
            end_strays(self._mark)

    def close(self) -> int:
        """Kill what is left, reap the program, close the pipe."""
        if self._code is not None:
            return self._code
        self.kill()
        with self._lock:
            # A process in an uninterruptible wait is left to the system.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(REAP_SECONDS)
                self._reaped = True
            if self._popen.stdout is not None:
                self._popen.stdout.close()
            code = self._popen.returncode
        _running.discard(self)
        self._code = -signal.SIGKILL if code is None else code
        return self._code

"""The child process that answers for a local model, from this side: started when it is first needed."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from opencollab_nb.errors import ModelUnavailable, UsageProblem
from opencollab_nb.ticket import Ticket

START_SECONDS = 300.0
"""Loading takes two seconds on a quiet machine."""
LOOK_SECONDS = 0.1
END_SECONDS = 2.0
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONPATH")
"""The child's environment: it gets no key of the user's."""
INSTALL = 'the extra `local` is missing; type: pip install "opencollab-nb[local]"'


@dataclass(frozen=True)
class Served:
    """What a server is started with; models with the same share one."""

    weights: str
    name: str
    window: int
    threads: int


class LocalServer:
    """One child process and the key to it.

    It ends with this object, and with this process, however that ends.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.key = f"local-{secrets.token_hex(24)}"
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._address = ""
        self._finish: Any = None

    @property
    def alive(self) -> bool:
        """True while the child runs."""
        return self._child is not None and self._child.poll() is None

    @property
    def pid(self) -> int | None:
        """Of the child, where there is one."""
        return self._child.pid if self._child is not None and self.alive else None

    def address(self, cancel: Ticket | None = None) -> str:
        """Where it listens; it is started, or started again, where it does not run.

        Raises:
            UsageProblem: the extra `local` is not installed.
            ModelUnavailable: it did not start; its last words are told.
            StepCancelled: the ticket was cancelled.
        """
        with self._lock:
            if not self.alive:
                self._start(cancel)
            return self._address

    def close(self) -> None:
        """End the child; the next use starts another one."""
        with self._lock:
            if self._finish is not None:
                self._finish()
            self._child, self._finish = None, None

    def _start(self, cancel: Ticket | None) -> None:
        check_installed()
        with tempfile.TemporaryFile() as log:
            child = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__).with_name("serving.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                start_new_session=True,  # an interrupt of the kernel is not meant for it
            )
            self._child = child
            self._finish = weakref.finalize(self, end, child)
            try:
                tell(child, {**asdict(self.served), "key": self.key})
                self._address = heard(child, cancel)
            except BaseException as problem:
                self._finish()
                self._child = None
                if isinstance(problem, Silent):
                    raise ModelUnavailable(
                        f"the local server did not start: {problem}{last_words(log)}"
                    ) from problem
                raise


def check_installed() -> None:
    """Refuse to go on without the library.

    Raises:
        UsageProblem: it is not installed.
    """
    if find_spec("xllamacpp") is None:
        raise UsageProblem(INSTALL)


class Silent(OSError):
    """The child ended, or said nothing for long."""


def tell(child: subprocess.Popen[bytes], settings: dict[str, Any]) -> None:
    """Give the child its settings; its input stays open, and is closed when this process ends."""
    assert child.stdin is not None
    try:
        child.stdin.write(json.dumps(settings).encode() + b"\n")
        child.stdin.flush()
    except OSError as problem:
        raise Silent(str(problem)) from problem


def heard(child: subprocess.Popen[bytes], cancel: Ticket | None) -> str:
    """The address that the child says.

    Raises:
        Silent: it ended, or said none in time.
        StepCancelled: the ticket was cancelled.
    """
    assert child.stdout is not None
    said, until = b"", time.monotonic() + START_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while not said.endswith(b"\n"):
            if cancel is not None:
                cancel.check()
            if time.monotonic() > until:
                raise Silent(f"nothing came for {START_SECONDS:g} s")
            if selector.select(LOOK_SECONDS):
                piece = os.read(child.stdout.fileno(), 4_096)
                if not piece:
                    raise Silent(f"it ended with {child.wait()}")
                said += piece
    return str(json.loads(said)["address"])


def last_words(log: IO[bytes]) -> str:
    """The last lines of what the child said of itself."""
    log.seek(0)
    lines = log.read()[-2_000:].decode("utf-8", "replace").strip().splitlines()
    return f" ({' / '.join(lines[-3:])})" if lines else ""


def end(child: subprocess.Popen[bytes]) -> None:
    """Close the child's input, which ends it, and kill it where that does not."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


_SERVERS: weakref.WeakValueDictionary[Served, LocalServer] = weakref.WeakValueDictionary()
_FINDING = threading.Lock()


def server_for(served: Served) -> LocalServer:
    """The server with these settings, the same for all that use it."""
    with _FINDING:
        server = _SERVERS.get(served)
        if server is None:
            server = _SERVERS[served] = LocalServer(served)
        return server

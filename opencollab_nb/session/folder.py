"""The run folder: where it lies, and who may write to it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import socket
import weakref
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError

TRANSCRIPT, EVENTS, LOCK = "transcript.jsonl", "events.jsonl", "lock"
OPEN: weakref.WeakValueDictionary[Path, Any] = weakref.WeakValueDictionary()
"""What writes to which run folder in this process."""
_NEW = re.compile(r"\d{8}T\d{6}Z-.*-[0-9a-f]{4}")
HOME_VARIABLE = "OPENCOLLAB_NB_HOME"


def new_run_folder(name: str) -> Path:
    """Where a session without a path keeps its run: not made yet.

    `$OPENCOLLAB_NB_HOME/runs`, or the user's data folder of this library.
    """
    from platformdirs import user_data_path

    home = os.environ.get(HOME_VARIABLE)
    root = Path(home).expanduser() if home else user_data_path("opencollab_nb")
    slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:40] or "session"
    when = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return root / "runs" / f"{when}-{slug}-{secrets.token_hex(2)}"


def id_of_run(path: Path, begun: str) -> str:
    """The id of a run: the name of its folder, which a user may have given to several.

    Args:
        path: the run folder.
        begun: when, as its first event says.

    >>> id_of_run(Path("/runs/20260102T030405Z-shop-0a1b"), "2026-01-02T03:04:05+00:00")
    '20260102T030405Z-shop-0a1b'
    >>> id_of_run(Path("/home/me/run"), "2026-01-02T03:04:05+00:00")
    'run-45e687'
    """
    name = path.name
    if _NEW.fullmatch(name):
        return name
    return f"{name}-{sha256(begun.encode()).hexdigest()[:6]}"


class FolderLock:
    """One writer a run folder, over all processes; let go by `release` and when the process ends."""

    def __init__(self, folder: Path) -> None:
        """Take the lock; the folder is made where it is missing.

        Raises:
            TranscriptError: another session has it, or the folder cannot be written to.
        """
        path = folder / LOCK
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise TranscriptError(
                f"the run folder {folder} cannot be written to: {problem.strerror or problem}. "
                "Give another one with path="
            ) from problem
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, holder_now(), 0)
        except OSError as problem:
            holder = os.pread(descriptor, 1_000, 0)
            os.close(descriptor)
            if isinstance(problem, BlockingIOError):
                raise TranscriptError(held_by(folder, holder)) from None
            raise TranscriptError(f"{path} cannot be locked: {problem.strerror or problem}") from problem
        self.release = weakref.finalize(self, _close, descriptor)


def holder_now() -> bytes:
    """What the lock of this process says: process, machine and time."""
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since}).encode()


def held_by(folder: Path, holder: bytes) -> str:
    """Who writes to this folder, and what to do.

    >>> held_by(Path("/run"), b'{"pid": 7, "host": "desk", "since": "2026-01-02T03:04:05+00:00"}')[:75]
    '/run is open for writing by process 7 on desk since 2026-01-02T03:04:05+00:'
    """
    try:
        told = dict(json.loads(holder))
        pid, host, since = told["pid"], told["host"], told["since"]
    except (ValueError, TypeError, KeyError):
        pid = host = since = None  # it has the lock and has not yet said who it is
    if (pid, host) == (os.getpid(), socket.gethostname()):
        return f"{folder} is open for writing in this process since {since}; close() that session first"
    who = f"process {pid} on {host} since {since}" if pid else "another process"
    return f"{folder} is open for writing by {who}; close it there, or work on a copy of the folder"


def _close(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        os.close(descriptor)

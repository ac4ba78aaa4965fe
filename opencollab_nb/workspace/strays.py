"""Ends processes that left their group (`setsid`, double fork): on Linux they still carry the call's mark."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

MARK = "OPENCOLLAB_NB_CALL"
"""Variable that every process of one call inherits; its value is that call's alone and ends with a slash."""
ROUNDS_AT_MOST = 5


def end_strays(mark: str, *, spare: Collection[int] = ()) -> int:
    """Kill every process whose environment at its start held a mark that begins so; returns how many.

    A process that emptied its environment on purpose is not found, and where there is no
    `/proc` none is.
    """
    ended = 0
    for _ in range(ROUNDS_AT_MOST):
        found = [pid for pid in _marked(mark) if pid not in spare]
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended += len(found)
        if not found:
            break
    return ended


def _marked(mark: str) -> Iterator[int]:
    if sys.platform != "linux":
        return
    wanted = b"\0" + os.fsencode(f"{MARK}={mark}")
    own = os.getpid()
    for name in os.listdir("/proc"):  # noqa: PTH208 - no paths are made of most of them
        if name.isdigit() and int(name) != own and wanted in b"\0" + _environment(name):
            yield int(name)


def _environment(pid: str) -> bytes:
    try:
        # Empty for a zombie, which is waiting to be reaped and needs no ending.
        return Path("/proc", pid, "environ").read_bytes()
    except OSError:
        return b""

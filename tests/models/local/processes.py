"""Whether a process is there."""

from __future__ import annotations

import time

import psutil


def gone(pid: int, *, seconds: float = 20.0) -> bool:
    """True once it is, within so many seconds; a dead child that nobody waited for is gone too."""
    end = time.monotonic() + seconds
    while True:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.05)

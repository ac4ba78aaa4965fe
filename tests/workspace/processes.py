"""What tests ask about processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from opencollab_nb.errors import StepCancelled
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.contained import working_bubblewrap


def alive(pid: int) -> bool:
    """True for a process that runs; a zombie does not."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        if stat.parent.parent.joinpath("self").exists():
            return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
        os.kill(pid, 0)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return True


def alive_inside(pid: int) -> bool:
    """The same for a number that a command said of one of its own processes: in a cage they have others."""
    if working_bubblewrap() is None:
        return alive(pid)
    return any(numbers[-1] == pid and len(numbers) > 1 and alive(numbers[0]) for numbers in _numbers())


def _numbers() -> Iterator[list[int]]:
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = [line for line in status.read_text().splitlines() if line.startswith("NSpid:")]
        except OSError:
            continue
        yield [int(number) for number in told[0].split()[1:]] if told else [0]


def within(seconds: float, true: Callable[[], object]) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.01)
    return bool(true())


def children() -> set[int]:
    """The direct children of this process, zombies too."""
    return {child.pid for child in psutil.Process().children()}


def open_descriptors() -> int:
    """How many this process holds."""
    return len(list(Path("/dev/fd").iterdir()))


def number_in(file: Path) -> int:
    """The process id a child wrote to a file, once it is there."""
    assert within(20, lambda: file.exists() and file.read_text().strip()), f"{file} never came"
    return int(file.read_text())


class Cancelled:
    """Runs a call in a thread, cancels its ticket when something is true, and measures."""

    def __init__(self, call: Callable[[Ticket], object], when: Callable[[], object]) -> None:
        self.ticket = Ticket()
        self.raised: BaseException | None = None
        thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        thread.start()
        assert within(20, when), "the call never got that far"
        start = time.monotonic()
        self.ticket.cancel()
        thread.join(20)
        self.seconds = time.monotonic() - start
        assert not thread.is_alive()

    def _run(self, call: Callable[[Ticket], object]) -> None:
        try:
            call(self.ticket)
        except StepCancelled as problem:
            self.raised = problem

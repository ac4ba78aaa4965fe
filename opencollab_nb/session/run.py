"""A run: one daemon thread that holds the whole loop of steps."""

from __future__ import annotations

import contextvars
import ctypes
import threading
from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar

from opencollab_nb.errors import StepCancelled
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.ending import handed_over, remembered
from opencollab_nb.session.ends import (
    BY_USER,
    DONE,
    FAULT,
    INTERRUPTED,
    PAUSED,
    PAUSING,
    RUNNING,
    Ended,
    stopped,
)
from opencollab_nb.session.step import Step, take_step
from opencollab_nb.ticket import Ticket

HEARTBEAT_SECONDS = 0.1
"""How often a waiting cell lets the kernel look for an interrupt."""
GRACE_SECONDS = 0.3
"""For a cancelled call to come back by itself."""
LAST_CALL_SECONDS = 0.5
"""For Python code that was interrupted to come back."""
LEFT_BEHIND = "a call was left to end by itself; it can write nothing any more"
NOTHING_NEW = "nothing was said since the agent handed back; say something to it to go on"


def wait_for(over: threading.Event, stop: Callable[[str], None], told: Callable[[], str]) -> None:
    """Wait until it is over, so that an interrupt gets through, and stops what is waited for.

    Args:
        over: set at the end.
        stop: called with the reason.
        told: what the interrupt says once everything is at rest.

    Raises:
        KeyboardInterrupt: once.
    """
    try:
        while not over.wait(HEARTBEAT_SECONDS):
            pass
    except KeyboardInterrupt:
        stop(INTERRUPTED)
        raise KeyboardInterrupt(told()) from None


class Run:
    """Steps made one after the other until something ends them; awaitable.

    The context is copied, so that what tools and shapers print lands in the cell that started it.
    """

    def __init__(self, bench: Bench, *, steps: int | None = None, to_step: int | None = None) -> None:
        """Nothing runs before `begin`.

        Args:
            bench: the session's.
            steps: at most so many steps; None for no such limit.
            to_step: stop once this step is finished.
        """
        self.last: Step | None = None
        """The newest step of this run."""
        self.error: Exception | None = None
        """What failed, where something did."""
        self._bench, self._left, self._to_step = bench, steps, to_step
        self._over = threading.Event()
        self._ended = False
        self._pausing = False
        self._stopping: str | None = None
        self._ticket: Ticket | None = None
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._main,), daemon=True, name="oc-run")

    def __repr__(self) -> str:
        bench = self._bench
        return f"Run({self.state}, {bench.transcript.committed} steps{bench.detail and ', ' + bench.detail})"

    @property
    def over(self) -> bool:
        """True once no step of this run is made any more."""
        return self._over.is_set()

    @property
    def ended(self) -> bool:
        """True once no further step can begin; `over` follows when all was told."""
        return self._ended

    @property
    def ending(self) -> bool:
        """True from the moment it was told to pause or stop."""
        return self._pausing or self._stopping is not None or self._ended

    @property
    def inside(self) -> bool:
        """True for code that this very run executes: it cannot wait for the run's end."""
        return threading.current_thread() is self._thread

    def join(self, seconds: float) -> bool:
        """Wait for the end, so long at most; True if it has come."""
        return self._over.wait(seconds)

    @property
    def state(self) -> str:
        """The session's state."""
        return self._bench.state

    def begin(self) -> None:
        """Start the thread."""
        self._bench.set_state(RUNNING)
        self._thread.start()
        self._bench.tell()

    def pause(self) -> None:
        """End after the step in flight."""
        with self._bench.lock:
            if self._ended:
                return
            self._pausing = True
            if self._bench.state == RUNNING:
                self._bench.set_state(PAUSING, "after the step in flight")
        self._bench.tell()

    def stop(self, reason: str = BY_USER) -> None:
        """End now: back within a second; the step in flight is not committed.

        What cannot be woken is left to end by itself and can write nothing any more.
        """
        with self._bench.lock:
            if self._ended:
                return
            self._stopping = self._stopping or reason
            ticket = self._ticket
        if ticket is not None:
            ticket.cancel()
        if self.inside:
            return
        if not self._over.wait(GRACE_SECONDS):
            self._interrupt_python()
            self._over.wait(LAST_CALL_SECONDS)
        self._end(stopped(self._stopping), "" if self.over else LEFT_BEHIND)
        self._over.set()

    def wait(self) -> str:
        """Wait for the end; an interrupt stops the run.

        Raises:
            KeyboardInterrupt: once, after everything is at rest.
        """
        wait_for(self._over, self.stop, self._interrupted_text)
        return self.state

    def __await__(self) -> Generator[Any, None, Run]:
        return waited(self).__await__()

    def _interrupted_text(self) -> str:
        return f"the run was stopped after step {self._bench.transcript.committed}; the session can go on"

    def _main(self) -> None:
        try:
            self._go()
        except StepCancelled:
            # The interrupt of `_interrupt_python` came after the step had ended by itself.
            self._end(stopped(self._stopping or BY_USER))
        except BaseException as odd:  # noqa: BLE001 - `sys.exit()` in a user's function must not leave a run open
            problem = RuntimeError(f"{type(odd).__name__}: {odd}")
            problem.__cause__ = odd
            self._fail(Ended(FAULT, str(problem), problem))

    def _go(self) -> None:
        try:
            while self._may_go_on():
                self._one_step()
            self._end(*self._rest())
        except StepCancelled:
            self._end(stopped(self._stopping or BY_USER))
        except Ended as end:
            self._fail(end)
        except Exception as problem:  # noqa: BLE001 - whatever a model or a disk raises ends the run as a fault
            self._fail(Ended(FAULT, f"{type(problem).__name__}: {problem}", problem))

    def _may_go_on(self) -> bool:
        if self._stopping or self._pausing or self._bench.finished or self._ended:
            return False
        reached = self._to_step is not None and self._bench.transcript.committed >= self._to_step
        return not reached and (self._left is None or self._left > 0)

    def _rest(self) -> tuple[str, str]:
        if self._stopping:
            return stopped(self._stopping), ""
        if self._bench.finished:
            return DONE, self.last.detail if self.last else NOTHING_NEW
        return PAUSED, ""

    def _one_step(self) -> None:
        bench, ticket = self._bench, Ticket()
        with bench.lock:
            if self._stopping or self._ended:
                raise StepCancelled
            self._ticket = ticket
            bench.begin(ticket)
        try:
            self.last = take_step(bench, ticket)
        finally:
            bench.release(ticket)
        bench.tell()
        if self._left is not None:
            self._left -= 1

    def _fail(self, end: Ended) -> None:
        bench = self._bench
        with bench.lock:
            if self._ended:
                return
            self.error = end.error
            bench.note_end(end)
        self._end(end.state, end.detail)

    def _end(self, state: str, detail: str = "") -> None:
        """The first caller ends the run; a thread left behind finds it ended."""
        bench = self._bench
        with bench.lock:
            if self._ended:
                return
            if self._ticket is not None:
                bench.release(self._ticket)
            bench.set_state(state, handed_over(bench, state, detail))
            self._ended = True
        remembered(bench, state)
        bench.tell()
        self._over.set()

    def _interrupt_python(self) -> None:
        """Raise `StepCancelled` in the thread, if it runs Python code: a loop, a shaper of the user's.

        Under the lock, so that it cannot strike inside a write: whoever holds the lock checks its
        ticket first, and that is cancelled.
        """
        with self._bench.lock:
            if self._ended or self._thread.ident is None:
                return
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(StepCancelled)
            )
            self._bench.news.forget(self._thread)


class Stoppable(Protocol):
    """What runs in the background until it is over."""

    @property
    def over(self) -> bool:
        """True once nothing runs any more."""

    def stop(self, reason: str = BY_USER) -> None:
        """End it now."""


R = TypeVar("R", bound=Stoppable)


async def waited(run: R) -> R:
    """The run, once it is over; cancelling the wait stops it."""
    import asyncio

    try:
        while not run.over:  # noqa: ASYNC110 - the waiting is the heartbeat that lets an interrupt through
            await asyncio.sleep(HEARTBEAT_SECONDS)
    except asyncio.CancelledError:
        run.stop(INTERRUPTED)
        raise
    return run

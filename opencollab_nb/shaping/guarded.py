"""Running a shaper that somebody else wrote: for a few seconds at most, and with its line where it fails."""

from __future__ import annotations

import contextvars
import ctypes
import math
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Generic, TypeVar

from opencollab_nb.errors import ShapingError, StepCancelled

SHAPER_SECONDS = 5.0
"""A shaper works on lists in memory: this long means that it waits for something, or never ends."""
TICK_SECONDS = 0.05
_OURS = str(Path(__file__).parents[1])

T = TypeVar("T")


class TooSlow(ShapingError):
    """A shaper ran over its time and was left behind; what it makes later is not used."""


class Clock:
    """The seconds of a shaper's own work; it stands while a summarizer is asked."""

    def __init__(self) -> None:
        self._begun = self._looked = time.monotonic()
        self._elsewhere = 0.0
        self._left: float | None = None

    @property
    def seconds(self) -> float:
        """So far."""
        left = self._left
        return (time.monotonic() if left is None else left) - self._begun - self._elsewhere

    def look(self, *, elsewhere: bool) -> None:
        """Take note of where the work stands; the time since the last look is not counted if elsewhere."""
        now = time.monotonic()
        if elsewhere and self._left is None:
            self._elsewhere += now - self._looked
        self._looked = now

    def leave(self) -> bool:
        """Stand still from now on; False where it does already."""
        if self._left is not None:
            return False
        self._left = time.monotonic()
        return True

    def come_back(self) -> None:
        """Go on."""
        if self._left is not None:
            self._elsewhere += time.monotonic() - self._left
            self._left = None


_CLOCK: contextvars.ContextVar[Clock | None] = contextvars.ContextVar("clock", default=None)
_LIMIT: contextvars.ContextVar[float] = contextvars.ContextVar("limit", default=SHAPER_SECONDS)


@contextmanager
def limited_to(seconds: float) -> Iterator[None]:
    """Let a shaper take this long in the block, and in the runs that are started in it.

    >>> with limited_to(60.0):
    ...     limit()
    60.0
    """
    token = _LIMIT.set(seconds)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def limit() -> float:
    """The seconds that a shaper may take here.

    >>> limit() == SHAPER_SECONDS
    True
    """
    return _LIMIT.get()


@contextmanager
def uncounted() -> Iterator[None]:
    """The block's time is not the shaper's: for calls of a model."""
    clock = _CLOCK.get()
    left = clock is not None and clock.leave()
    try:
        yield
    finally:
        if left and clock is not None:
            clock.come_back()


def beside_the_loop(call: Callable[[], T]) -> T:
    """What the call returns; where a loop runs in this thread, as in a cell, it gets a thread of its own.

    So it may run a loop itself.

    >>> beside_the_loop(lambda: 6 * 7)
    42
    """
    loops = sys.modules.get("asyncio.events")
    if loops is None or loops._get_running_loop() is None:  # noqa: SLF001 - public one raises, this one asks
        return call()
    return within(call, math.inf)


class _Work(Generic[T]):
    """A call in a thread of its own, in the caller's context."""

    def __init__(self, call: Callable[[], T]) -> None:
        self.call, self.clock, self.done = call, Clock(), threading.Event()
        self.value: list[T] = []
        self.error: BaseException | None = None
        run = contextvars.copy_context().run
        self.thread = threading.Thread(target=run, args=(self._main,), daemon=True, name="oc-shaper")

    def _main(self) -> None:
        # What ends it may strike after its own work is over; then there is nothing left to tell.
        with suppress(StepCancelled):
            self._work()

    def _work(self) -> None:
        _CLOCK.set(self.clock)
        try:
            self.value.append(self.call())
        except BaseException as error:  # noqa: BLE001 - handed to the caller, `sys.exit()` too
            self.error = error
        finally:
            self.done.set()

    def leave(self) -> None:
        """Let it end by itself; a loop of Python code is ended."""
        if self.thread.ident is not None and not self.done.is_set():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.thread.ident), ctypes.py_object(StepCancelled)
            )


def within(
    call: Callable[[], T], seconds: float | None = None, elsewhere: frozenset[CodeType] = frozenset()
) -> T:
    """What the call returns, if it does so in time.

    Args:
        call: runs in a thread of its own.
        seconds: it may take, `uncounted` blocks not counted; None for what a shaper may, see `limit`.
        elsewhere: code whose time is not counted either, whoever calls it.

    Raises:
        TooSlow: it did not; where it stood is named.
        ShapingError: it called `sys.exit()`.

    >>> within(lambda: 6 * 7)
    42
    """
    seconds = limit() if seconds is None else seconds
    work = _Work(call)
    work.thread.start()
    try:
        while not work.done.wait(TICK_SECONDS):
            work.clock.look(elsewhere=bool(elsewhere) and _is_in(work.thread, elsewhere))
            if work.clock.seconds > seconds:
                raise TooSlow(f"took over {seconds:g} s and was left behind{standing(work.thread)}")
    except BaseException:
        work.leave()
        raise
    if isinstance(work.error, SystemExit):
        raise ShapingError("it called sys.exit()").with_traceback(work.error.__traceback__)
    if work.error is not None:
        raise work.error
    return work.value[0]


def raised_at(error: BaseException) -> str:
    """The line in the user's code that raised, in words; nothing where there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not _is_ours(frame.filename)]
    frame = next(iter(theirs), frames[-1] if frames else None)
    return "" if frame is None else f" (line {frame.lineno} in {frame.name})"


def standing(thread: threading.Thread) -> str:
    """The line in the user's code where a thread stands, in words."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - the one way to see it
    theirs = None
    while frame is not None and not _is_ours(frame.f_code.co_filename):
        theirs, frame = frame, frame.f_back
    return "" if theirs is None else f" (line {theirs.f_lineno} in {theirs.f_code.co_name})"


def _is_in(thread: threading.Thread, codes: frozenset[CodeType]) -> bool:
    """True while a thread runs one of these codes, or what that calls."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - the one way to see it
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return frame is not None


def written_at(shaper: Any) -> str:
    """The line where the user's shaper begins, in words; nothing where that is not known."""
    shape = getattr(shaper, "shape", None) or shaper
    code = getattr(shape, "__code__", None) or getattr(type(shaper).__call__, "__code__", None)
    return f" (line {code.co_firstlineno}, {code.co_name})" if isinstance(code, CodeType) else ""


def _is_ours(filename: str) -> bool:
    return filename.startswith(_OURS)

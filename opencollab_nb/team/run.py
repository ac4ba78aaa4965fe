"""A team at work in threads: one for each member, and one that starts them and hands on what they leave."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from opencollab_nb.errors import SessionBusy
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.ends import BY_USER, FAULT, INTERRUPTED, PAUSED, PAUSING, RUNNING, stopped
from opencollab_nb.session.run import HEARTBEAT_SECONDS, wait_for, waited
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.ending import settle, wake_someone
from opencollab_nb.team.member import Member
from opencollab_nb.team.stepping import detail_of, ready, state_of, tell


class TeamRun:
    """All members at once, each making its own steps, until nobody has one to make; awaitable.

    Args:
        crew: the team's.
        steps: at most so many of each member; None for no such limit.
    """

    def __init__(self, crew: Crew, steps: int | None = None) -> None:
        self.error: Exception | None = None
        """What failed in the team itself, where something did; what fails in a member ends that member."""
        self.state = RUNNING
        self.detail = ""
        self._crew, self._most = crew, steps
        self._first: dict[str, int] = {}
        self._over = threading.Event()
        self._pausing = False
        self._stopping: str | None = None
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._main,), daemon=True, name="oc-team")

    def __repr__(self) -> str:
        steps = sum(member.steps for member in self._crew.members.values())
        return f"TeamRun({self.state}, {len(self._crew.members)} members, {steps} steps)"

    def __await__(self) -> Generator[Any, None, TeamRun]:
        return waited(self).__await__()

    @property
    def over(self) -> bool:
        """True once no member makes a step any more."""
        return self._over.is_set()

    def begin(self) -> None:
        """Start the thread; an interrupt meanwhile ends the run: there may be no thread that does."""
        try:
            self._thread.start()
        except BaseException:
            self._stopping, self.state = INTERRUPTED, stopped(INTERRUPTED)
            self._over.set()
            raise

    def pause(self) -> None:
        """End after the steps in flight."""
        self._pausing = True
        if not self.over:
            self.state = PAUSING
        for member in self._in_flight():
            if member.session is not None:
                member.session.pause()
        self._crew.log.changed.set()

    def stop(self, reason: str = BY_USER) -> None:
        """End now: the steps in flight are not committed; all members at once, so it takes as long as one.

        Called by a member's own tool or model it is not waited for.
        """
        self._stopping = self._stopping or reason
        self._crew.log.changed.set()
        inside = threading.current_thread() is self._thread
        while not self._over.wait(0 if inside else HEARTBEAT_SECONDS / 2):
            flying = [member.session for member in self._in_flight() if member.session is not None]
            own = [session for session in flying if session.run_handle and session.run_handle.inside]
            for session in own:
                session.stop()
            others = [session for session in flying if session not in own]
            if others:
                with ThreadPoolExecutor(len(others)) as threads:
                    list(threads.map(lambda session: session.stop(), others))
            if own or inside:
                return

    def wait(self) -> str:
        """Wait for the end; an interrupt stops the run.

        Raises:
            KeyboardInterrupt: once, after everything is at rest.
        """
        wait_for(self._over, self.stop, lambda: "the team was stopped; it can go on")
        return self.state

    def _main(self) -> None:
        try:
            while self._goes_on():
                self._crew.log.changed.wait(HEARTBEAT_SECONDS)
            self.state, self.detail = self._rest()
        except Exception as problem:  # noqa: BLE001 - whatever a disk or a user's function raises ends the run as a fault
            KNOWN.strike_error(problem)
            self.error, self.state = problem, stopped(FAULT)
            self.detail = f"{type(problem).__name__}: {problem}"
            for member in self._in_flight():
                if member.session is not None:
                    member.session.stop()
        finally:
            self._crew.log.note("state", state=self.state, detail=self.detail)
            self._over.set()
            tell(self._crew)

    def _goes_on(self) -> bool:
        """Hand on what has ended, start who can go on; False once nobody can."""
        crew = self._crew
        crew.log.changed.clear()
        settle(crew)
        ending = self._pausing or self._stopping is not None
        if not ending:
            wake_someone(crew)
            for member in list(crew.members.values()):
                self._start(member)
        tell(crew)
        # Who was at work above may have ended since.
        return bool(self._in_flight()) or settle(crew)

    def _start(self, member: Member) -> None:
        crew = self._crew
        if member.session is None or member.busy or not crew.at_work(member):
            return
        made = member.steps - self._first.setdefault(member.name, member.steps)
        left = None if self._most is None else self._most - made
        if left is not None and left <= 0:
            return
        ready(crew, member)
        try:
            member.session.start(left)
        except SessionBusy:
            return  # someone runs it by hand; it is looked at again when that ends
        if self._stopping is not None or self._pausing:
            member.session.pause()

    def _in_flight(self) -> list[Member]:
        return [member for member in list(self._crew.members.values()) if member.busy]

    def _rest(self) -> tuple[str, str]:
        if self._stopping is not None:
            return stopped(self._stopping), ""
        state = state_of(self._crew)
        return (PAUSED, "") if self._pausing and state == PAUSED else (state, detail_of(self._crew))

"""A run and its branches side by side: what each has sent, followed while they run.

A branch that is open in this process is read from memory, any other from its run folder.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.session.folder import EVENTS, OPEN
from opencollab_nb.session.fork import tell_of_branches
from opencollab_nb.views.branches import named_as, open_line
from opencollab_nb.views.editor import editor_of
from opencollab_nb.views.labels import clean, human, spec_name

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_BRANCHES = 12
MOST_POINTS = 600
MOST_LAYERS = 5

Event = Mapping[str, Any]


class Relative:
    """One run, folded from its events as they come."""

    def __init__(self, path: Path, role: str, step: int) -> None:
        self.path, self.role = path, role
        self.step = step
        """The last step it shares with the run it came from, or the other with it."""
        self.name = path.name
        self.steps = self.tokens = self.trigger = self.sent_tokens = 0
        self.state, self.mode = "ready", "sticky"
        self.chain: list[str] = []
        self.points: dict[int, int] = {}
        """Tokens of the request of each step."""
        self._seen = self._offset = 0

    @property
    def bench(self) -> Any:
        """Its parts, while it is open in this process; they are not kept alive by this."""
        found = OPEN.get(self.path.resolve())
        return None if found is None or found.closed else found

    def look(self) -> Any:
        """Take what is new; returns the parts of it, if it is open."""
        bench = self.bench
        for event in self._from_disk() if bench is None else bench.trace.stored[self._seen :]:
            self._seen = event["n"] + 1
            self._fold(event)
        if bench is not None:
            self.state, self.steps = bench.state, bench.transcript.committed
        elif self.state in IN_FLIGHT:
            self.state = "elsewhere"
        return bench

    def _from_disk(self) -> list[Event]:
        """Whole lines that were not read yet; those read from memory before are passed over."""
        try:
            with (self.path / EVENTS).open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        events = []
        for line in whole.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                break
            if event["n"] >= self._seen:
                events.append(event)
        return events

    def _fold(self, event: Event) -> None:
        kind = event["kind"]
        if kind == "request":
            self.points[event["step"]] = self.tokens = event["tokens"]
            self.trigger = event["trigger"]
        elif kind == "usage":
            self.sent_tokens += event["input_tokens"]
        elif kind == "commit":
            self.steps = event["step"]
        elif kind == "state":
            self.state = event["state"]
        elif kind == "fork":
            self.name = event["session"]
        if kind in ("start", "swap"):
            self.chain = [human(spec_name(spec)) for spec in event["chain"]]
            self.mode = event["mode"]
        if kind == "start":
            self.name = event["session"] or self.name
            self.trigger = event["trigger"]

    def chain_words(self) -> str:
        """Its layers in order."""
        shown = [clean(name, 40) for name in self.chain[:MOST_LAYERS]]
        more = [f"{len(self.chain) - MOST_LAYERS} more"] if len(self.chain) > MOST_LAYERS else []
        return " → ".join([*shown, *more]) or "no layers"

    def drawn(self, after: int = 0, at_most: int = MOST_POINTS) -> list[list[int]]:
        """Step and tokens of its requests after a step; of many about one for each pixel."""
        points = [[step, tokens] for step, tokens in self.points.items() if step > after]
        every = -(-len(points) // at_most) or 1
        return [*points[:-1:every], *points[-1:]]


class Family:
    """The run that a session was begun from, and the branches begun from it."""

    def __init__(self, session: Session) -> None:
        self._session = weakref.ref(session)
        self._lock = threading.RLock()
        self._known: dict[Path, Relative] = {}
        self._followed: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._read = 0
        self.step = 0
        """After which step this run was begun, where it is a branch itself."""
        known = self._session
        weakref.finalize(self, tell_of_branches(session, lambda: _look_again(known())))

    def relatives(self) -> list[Relative]:
        """All of them, the origin first, brought up to date."""
        session = self._session()
        if session is None:
            return []
        with self._lock:
            for event in session.trace.stored[self._read :]:
                self._read += 1
                if event["kind"] == "fork":
                    origin = Path(event["from"])
                    self.step, self._known = (
                        event["step"],
                        {origin: Relative(origin, "origin", event["step"])},
                    )
            for step, path in session.branches:
                self._known.setdefault(path, Relative(path, "branch", step))
            for one in self._known.values():
                self._follow(one.look())
            return list(self._known.values())

    def _follow(self, bench: Any) -> None:
        """Have the panels look again at each event of a run that is open here; one listener a run."""
        if bench is None or self._followed.get(id(bench)) is bench:
            return
        known = self._session
        bench.news.subscribe(lambda _event: _look_again(known()))
        self._followed[id(bench)] = bench

    def rows(self) -> list[list[Any]]:
        """Each as a panel shows it; the first number names a run in questions."""
        listed = list(enumerate(self.relatives()))
        return [_row(at, one) for at, one in [*listed[:1], *listed[1:][-MOST_BRANCHES:]]]

    def points(self, at: int, after: int) -> list[list[int]]:
        """The curve of one run after a step."""
        return self.one(at).drawn(after)

    def one(self, at: int) -> Relative:
        """The run with this number.

        Raises:
            UsageProblem: there is none.
        """
        listed = self.relatives()
        if not 0 <= at < len(listed):
            raise UsageProblem(f"there is no branch {at}: there are {len(listed)}")
        return listed[at]

    def session_of(self, at: int) -> Any:
        """The session of a run that is open in this process.

        Raises:
            UsageProblem: it is not; it is said how it can be opened.
        """
        one = self.one(at)
        bench, found = one.bench, named_as(one.path)[1]
        if bench is None:
            raise UsageProblem(f"{one.name} is not open in this kernel. In a cell: {open_line(one.path)}")
        if found is not None:
            return found
        kind: Any = type(self._session())
        session = kind.__new__(kind)
        session._bench = bench  # noqa: SLF001 - the parts that are open, under one more handle
        return session


def _look_again(session: Session | None) -> None:
    if session is not None:
        editor_of(session).tell()


def _row(at: int, one: Relative) -> list[Any]:
    bounded = [clean(one.name, 60), one.step, clean(one.chain_words(), 200), one.mode]
    figures = [one.steps, one.state, one.tokens, one.trigger, one.sent_tokens]
    where = [clean(one.path, 160), clean(open_line(one.path), 200), int(one.bench is not None)]
    return [at, one.role, *bounded, *figures, *where, max(one.points, default=0)]


_FAMILIES: weakref.WeakKeyDictionary[Any, Family] = weakref.WeakKeyDictionary()
_MAKING = threading.Lock()


def family_of(session: Session) -> Family:
    """The one of a session, shared by all its panels."""
    with _MAKING:
        if session not in _FAMILIES:
            _FAMILIES[session] = Family(session)
        return _FAMILIES[session]

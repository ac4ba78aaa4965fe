"""What a panel remembers of a team: a lane for each member, all steps in their order, messages, moments."""

from __future__ import annotations

import struct
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.team.mail import USER
from opencollab_nb.team.tools import MESSAGE, SPAWN, WAIT
from opencollab_nb.views.folds import fold
from opencollab_nb.views.labels import clean
from opencollab_nb.views.rows import MOST_LINES, History, Line

WORKS, TALKS, WAITS, ANSWERS = range(4)
"""What a step did: called tools, called only those of the team, waited, or called none."""
FAILED_BIT = 4
"""Added where a tool of it failed."""
MOST_TOKENS = 2**24 - 1
STEP_BYTES = 6
MOST_LETTERS, MOST_MOMENTS = 1_000, 4_000
TEXT_CHARS = 160
BY_USER, BY_HARNESS = -1, -2
"""In place of the lane of a sender that is no member."""
SWAPPED = 1
LAYER_MARKS = (0, 4)
"""Kinds of marks in `rows.py` and `direction.py` that tell of a layer that acted."""

Letter = list[Any]
"""Number, tick, sender's lane, receiver's lane, about, text, tick of the delivery or -1, outcome or ''."""
Moment = list[Any]
"""Tick, lane, `spawn layer swap out end`, text, another lane or -1."""


@dataclass
class Lane:
    """One member, as far as the steps of the team have come."""

    name: str
    at: int
    role: str = ""
    task: str = ""
    parent: int = -1
    began: int = -1
    """Tick at which it was given something to do."""
    steps: int = 0
    seen: int = 0
    """Events of its own trace that were looked at."""
    history: History = field(default_factory=History)
    tokens: dict[int, int] = field(default_factory=dict)
    """Of the request of each own step that is not on the lane yet."""
    lines: defaultdict[int, list[Line]] = field(default_factory=lambda: defaultdict(list))
    marks: deque[list[Any]] = field(default_factory=deque)
    """Of own steps that are not on the lane yet."""

    def look(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Take what is new of its own trace; it comes onto the lane with the step it belongs to."""
        fresh = events[self.seen :]
        for event in fresh:
            fold(self.history, event)
            if event["kind"] == "commit":  # what is new is kept for a while only
                self._keep()
        self.seen += len(fresh)
        self._keep()

    def _keep(self) -> None:
        news = self.history.news()
        self.tokens.update((row[0], sum(row[1:])) for row in news.rows)
        self.marks.extend(news.marks)
        for line in news.lines:
            self.lines[line[0]].append(line)


@dataclass
class TeamNews:
    """What is new since the last `Lanes.news()`."""

    first: int = 0
    """Tick of the first new step."""
    letters: list[Letter] = field(default_factory=list)
    got: list[list[int]] = field(default_factory=list)
    """Number of a message, and the tick at which it was delivered."""
    moments: list[Moment] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


class Lanes:
    """Filled by `team_folds.take`, one event of the team's trace after the other.

    The place of everything is a tick: how many steps the team had finished. So a run that was made step by
    step and one in threads are drawn alike.
    """

    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}
        self.steps = bytearray()
        """`STEP_BYTES` a step: lane, and above the tokens of its request what it did."""
        self.letters: dict[int, Letter] = {}
        self.moments: deque[Moment] = deque(maxlen=MOST_MOMENTS)
        self.lines: deque[Line] = deque(maxlen=MOST_LINES)
        self.seen = -1
        self._news = TeamNews()

    @property
    def tick(self) -> int:
        """Steps so far."""
        return len(self.steps) // STEP_BYTES

    def news(self) -> TeamNews:
        """What came since the last call; the next call begins anew."""
        news, self._news = self._news, TeamNews(self.tick)
        return news

    def lane(self, name: str) -> Lane:
        """The lane of a member; a new one for a name that was not heard before."""
        if name not in self.lanes:
            self.lanes[name] = Lane(name, len(self.lanes))
        return self.lanes[name]

    def place(self, sender: str) -> int:
        """The lane of a sender."""
        if sender in self.lanes:
            return self.lanes[sender].at
        return BY_USER if sender == USER else BY_HARNESS

    def add_step(self, lane: Lane, number: int, kind: int) -> None:
        """A member has finished its step of this number."""
        self.release(lane, number)
        tokens = min(lane.tokens.pop(number, 0), MOST_TOKENS)
        self.steps += struct.pack("<HI", lane.at, kind << 24 | tokens)
        lane.steps = number

    def release(self, lane: Lane, number: int) -> bool:
        """Bring onto the lane what belongs to its steps up to this one; False where a tool failed."""
        while lane.marks and lane.marks[0][0] <= number:
            _, word, kind, *_ = lane.marks.popleft()
            if kind in LAYER_MARKS:
                self.add_moment(lane, "layer", word)
            elif kind == SWAPPED:
                self.add_moment(lane, "swap", word)
        ok = True
        for step in sorted(step for step in lane.lines if step <= number):
            for _, text, success, *facts in lane.lines.pop(step):
                ok = ok and success != 0
                self.add_line([self.tick + 1, clean(f"{lane.name} · {text}"), success, *facts])
        return ok

    def add_letter(self, letter: Letter) -> None:
        """A message was sent."""
        self.letters[letter[0]] = letter
        self._news.letters.append(letter)
        while len(self.letters) > MOST_LETTERS:
            del self.letters[next(iter(self.letters))]

    def deliver(self, number: int) -> None:
        """It has arrived."""
        if number in self.letters:
            self.letters[number][6] = self.tick
        self._news.got.append([number, self.tick])

    def add_moment(self, lane: Lane, kind: str, text: str, other: int = -1) -> None:
        """Something to be marked on a lane."""
        moment = [self.tick, lane.at, kind, clean(text, TEXT_CHARS), other]
        self.moments.append(moment)
        self._news.moments.append(moment)

    def add_line(self, line: Line) -> None:
        """A line of the log."""
        self.lines.append(line)
        self._news.lines.append(line)
        del self._news.lines[:-MOST_LINES]

    def note(self, text: str) -> None:
        """A line that tells of something else than a step."""
        self.add_line([self.tick, clean(text), -1, None, None])


def kind_of(calls: list[str]) -> int:
    """What a step did.

    >>> kind_of(["bash", "send_message"]), kind_of(["send_message"]), kind_of(["wait"]), kind_of([])
    (0, 1, 2, 3)
    """
    if not calls:
        return ANSWERS
    if all(name == WAIT for name in calls):
        return WAITS
    return TALKS if all(name in (MESSAGE, SPAWN, WAIT) for name in calls) else WORKS

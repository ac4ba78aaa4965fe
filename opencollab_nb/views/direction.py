"""What the four moves have done so far, as a panel shows it: direction, todos, restatements, offloads.

Everything is folded from the trace, so that a past step can be shown with what held then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.todos import OPEN_STATUSES
from opencollab_nb.messages import each
from opencollab_nb.views.labels import clean

if TYPE_CHECKING:
    from opencollab_nb.views.rows import History

Event = Mapping[str, Any]
OFFLOADING = "OffloadShaper"
MOST_TEXTS = 12
"""Of each list; a longer one is counted, and whole in `session.anchors` and `session.todos`."""
GOAL_CHARS, TEXT_CHARS = 600, 240
OFFLOADED, RESTATED, ANCHORED = 2, 3, 4
"""Kinds of small marks in a chart, beside 0 for a layer that fired and 1 for a swap."""


@dataclass
class Directed:
    """What holds, and what was done for it."""

    goal: str = ""
    constraints: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    others: list[list[str]] = field(default_factory=list)
    """Kind and text of anchors under a word of the user's own."""
    todos: list[Mapping[str, Any]] = field(default_factory=list)
    restated: list[Any] = field(default_factory=list)
    """Step, reason, tokens, and how often so far."""
    offloaded: list[int] = field(default_factory=list)
    """Last step, how many results so far, tokens saved so far."""
    anchored: list[int] = field(default_factory=list)
    """Step of the last anchor, and how many there are."""
    injected: list[int] = field(default_factory=list)
    """How many memories, and their tokens."""
    handoff: list[Any] = field(default_factory=list)
    """Step and reason of the last one."""

    @classmethod
    def until(cls, events: Iterable[Event], number: int) -> Directed:
        """As it was before the event of this number."""
        made = cls()
        for event in events:
            if event["n"] >= number:
                break
            made.take(event)
        return made

    def take(self, event: Event) -> None:
        """Follow one event of the trace."""
        take = _TAKES.get(event["kind"])
        if take is not None:
            take(self, event)

    def state(self) -> dict[str, Any]:
        """Small plain values, so that only what changed is sent; empty where there is nothing to show."""
        return {"direction": self._anchors(), "todos": self._todos(), "moves": self._moves()}

    def _anchors(self) -> dict[str, Any]:
        finished = self._finished()
        if not (self.goal or self.constraints or self.others or finished):
            return {}
        return {
            "goal": clean(self.goal, GOAL_CHARS),
            "constraints": _texts(self.constraints[:MOST_TEXTS]),
            "constraints_count": len(self.constraints),
            "others": [
                [clean(kind, 40), clean(text, TEXT_CHARS)] for kind, text in self.others[-MOST_TEXTS:]
            ],
            "finished": _texts(finished[-MOST_TEXTS:]),
            "finished_count": len(finished),
        }

    def _finished(self) -> list[str]:
        """Milestones, and what is done of todos that are none."""
        done = [str(todo["text"]) for todo in self.todos if todo["status"] == "done"]
        return [*self.finished, *(text for text in done if text not in self.finished)]

    def _todos(self) -> dict[str, Any]:
        if not self.todos:
            return {}
        still_open = [todo for todo in self.todos if todo["status"] in OPEN_STATUSES]
        return {
            "open": [
                [clean(t["id"], 12), clean(t["text"], TEXT_CHARS), t["status"], clean(t["by"], 12)]
                for t in still_open[:MOST_TEXTS]
            ],
            "open_count": len(still_open),
            "dropped_count": sum(todo["status"] == "dropped" for todo in self.todos),
        }

    def _moves(self) -> dict[str, Any]:
        known = {
            "restated": self.restated,
            "offloaded": self.offloaded,
            "anchored": self.anchored,
            "injected": self.injected,
            "handoff": self.handoff,
        }
        return {name: list(value) for name, value in known.items() if value}


def _texts(texts: Iterable[str]) -> list[str]:
    return [clean(text, TEXT_CHARS) for text in texts]


def _anchor(directed: Directed, event: Event) -> None:
    kind, text = event["kind_of_anchor"], event["text"]
    directed.anchored = [event["step"], (directed.anchored or (0, 0))[1] + 1]
    if kind == "goal":
        directed.goal = text
    elif kind == "constraints":
        directed.constraints.append(text)
    elif kind == "milestones":
        directed.finished.append(text)
    else:
        directed.others.append([kind, text])


def _changed_todos(directed: Directed, event: Event) -> None:
    directed.todos = list(event["todos"])


def _restatement(directed: Directed, event: Event) -> None:
    times = directed.restated[3] if directed.restated else 0
    directed.restated = [event["step"], clean(event["reason"], 20), event["tokens"], times + 1]


def _compaction(directed: Directed, event: Event) -> None:
    if event["layer"] != OFFLOADING or not event["rewritten"]:
        return
    _step, results, saved = directed.offloaded or (0, 0, 0)
    results += sum(1 for _ in each(event["rewritten"]))
    saved += event["tokens_before"] - event["tokens_after"]
    directed.offloaded = [event["step"], results, saved]


def _injection(directed: Directed, event: Event) -> None:
    directed.injected = [len(event["memories"]), event["tokens"]]


def _handoff(directed: Directed, event: Event) -> None:
    directed.handoff = [event["step"], clean(event["reason"], 60)]


_TAKES = {
    "anchor": _anchor,
    "todos": _changed_todos,
    "restatement": _restatement,
    "session.history_compaction": _compaction,
    "injection": _injection,
    "handoff": _handoff,
}


def anchor(history: History, event: Event) -> None:
    """A line of the log, and a mark."""
    history.direction.take(event)
    kind = clean(event["kind_of_anchor"], 24)
    if kind == "milestones":
        kind = "milestone"
    history.note(event, f"anchored {kind}: {event['text']}")
    if event["step"]:
        history.add_mark([event["step"], kind, ANCHORED])


def todos(history: History, event: Event) -> None:
    """A line of the log."""
    history.direction.take(event)
    history.note(event, f"todos ({event['by']}): {event['change']}")


def restatement(history: History, event: Event) -> None:
    """A mark: the log is for what was done."""
    history.direction.take(event)
    history.add_mark([event["step"], clean(event["reason"], 20), RESTATED])


def injection(history: History, event: Event) -> None:
    """A line of the log."""
    history.direction.take(event)
    many = len(event["memories"])
    history.note(event, f"memory: {many} note{'s' * (many != 1)}, {event['tokens']:,} tokens")


def handoff(history: History, event: Event) -> None:
    """A line of the log."""
    history.direction.take(event)
    history.note(event, f"handoff written ({event['reason']}): {event['path']}")


DIRECTION_FOLDS = {
    "anchor": anchor,
    "todos": todos,
    "restatement": restatement,
    "injection": injection,
    "handoff": handoff,
}
"""How events of the four moves change what a panel remembers."""

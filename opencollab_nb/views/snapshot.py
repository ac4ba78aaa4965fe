"""The static twin of a panel: plain text and escaped HTML, for all who read without the kernel."""

from __future__ import annotations

import html
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.fills import QUOTA_NAMES
from opencollab_nb.views.folds import fold
from opencollab_nb.views.labels import CATEGORIES, CATEGORY_NAMES, clean
from opencollab_nb.views.rows import History
from opencollab_nb.views.state import state_of
from opencollab_nb.views.text import percent

if TYPE_CHECKING:
    from opencollab_nb.session import Session

UPDATE_SECONDS = 10.0
"""While a run goes on, a snapshot is at most so old."""
BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 60
MOST_AT_ONCE = 5
"""Snapshots within `UPDATE_SECONDS`; a cell that makes step after step would send one with each."""
SETTLE_SECONDS = 2.0
ENDS = ("done", "stopped")
LAST_LINES, LINE_CHARS = 4, 100


class Snapshot:
    """One moment of a session, taken when it is made."""

    def __init__(self, state: dict[str, Any], history: History) -> None:
        self.state = state
        self.title = f"{state['name']} · {state['model']} · {state['window_label']}"
        self.facts = facts_of(state, history)
        lines = history.lines[-LAST_LINES:]
        self.last_lines = [f"{line[0]:>4}  {clean(line[1], LINE_CHARS)}" for line in lines]

    @classmethod
    def of(cls, session: Session, history: History | None = None) -> Snapshot:
        """The session as it is now; without a history, one is folded from the trace."""
        if history is None:
            history = History()
            for event in tuple(session.trace.stored):
                fold(history, event)
        return cls(state_of(session, history), history)

    def text(self) -> str:
        """The snapshot as plain text."""
        wide = max(len(name) for name, _ in self.facts)
        lines = [f"{name:>{wide}}  {value}" for name, value in self.facts]
        return "\n".join([self.title, *lines, *self.last_lines])

    def markup(self) -> str:
        """The snapshot as HTML without scripts or ids; every text is escaped."""
        left = "text-align:left"
        rows = "".join(
            f'<tr><th style="{left}">{html.escape(name)}</th>'
            f'<td style="{left}">{html.escape(value)}</td></tr>'
            for name, value in self.facts
        )
        steps = html.escape("\n".join(self.last_lines))
        return (
            f'<div class="oc-snapshot mathjax_ignore tex2jax_ignore"><p><b>{html.escape(self.title)}</b><br>'
            "A picture of the last state. Evaluate the session in a cell again for the live panel.</p>"
            f"<table>{rows}</table><pre>{steps}</pre></div>"
        )

    def bundle(self) -> dict[str, Any]:
        """Both forms, by MIME type."""
        return {"text/plain": self.text(), "text/html": self.markup()}

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.markup()


class Picture(Protocol):
    """A moment that can be shown as text; IPython shows its HTML."""

    def text(self) -> str:
        """As plain text: two that read the same are the same picture."""
        ...


class Published:
    """A snapshot on display, replaced at each rest and, during a run, every `UPDATE_SECONDS`.

    Of many rests in a row only `MOST_AT_ONCE` are followed at once, the last of them when it has
    settled. Ends are always followed at once.
    """

    def __init__(self, first: Picture, show: Callable[[Any], Any] | None = None) -> None:
        """Show the first one; `show` returns what has `update(snapshot)`, by default IPython's display."""
        self._handle = (show or displayed)(first)
        self._text = first.text()
        self._times = deque([time.monotonic()], maxlen=MOST_AT_ONCE)

    def update(self, make: Callable[[], Picture], state: str) -> bool:
        """Show the newer one if it is due and says something else; True while one is due later."""
        if not self._is_due(state):
            return state not in IN_FLIGHT
        snapshot = make()
        if snapshot.text() != self._text:
            self._text = snapshot.text()
            self._times.append(time.monotonic())
            self._handle.update(snapshot)
        return False

    def _is_due(self, state: str) -> bool:
        now = time.monotonic()
        if state in IN_FLIGHT:
            return now - self._times[-1] >= UPDATE_SECONDS
        if state.startswith(ENDS):
            return True
        crowded = len(self._times) == MOST_AT_ONCE and now - self._times[0] < UPDATE_SECONDS
        return not crowded or now - self._times[-1] >= SETTLE_SECONDS


def displayed(snapshot: Picture) -> Any:
    """Put a snapshot under the cell that is being run; returns the handle to replace it."""
    from IPython.display import display

    return display(snapshot, display_id=True)


def facts_of(state: dict[str, Any], history: History) -> list[tuple[str, str]]:
    """The lines of the table: what, and its value in words."""
    facts = [
        ("state", state["run"] + (f": {state['detail']}" if state["detail"] else "")),
        ("steps", f"{state['step']:,}" + (f" · limit {state['max_steps']:,}" if state["max_steps"] else "")),
        ("request", request_line(state)),
        ("by category", category_line(history)),
        ("quotas", quota_line(state)),
        ("direction", direction_line(state)),
        ("spent", spent_line(state)),
        ("chain", chain_line(state)),
        ("fired", fired_line(state)),
        ("notices", notice_line(state)),
        ("pressure", pressure_line(history, state)),
    ]
    return [(name, clean(value, 400)) for name, value in facts if value]


def request_line(state: dict[str, Any]) -> str:
    """Tokens of the last request against the trigger."""
    if not state["tokens"]:
        return "none sent yet"
    share = state["tokens"] / state["trigger"]
    return (
        f"{state['tokens']:,} of {state['trigger']:,} effective tokens, {percent(share)} of the trigger "
        f"({state['source']}); {state['sent']:,} of {state['stored']:,} stored messages"
    )


def category_line(history: History) -> str:
    """What the last request was made of."""
    shares = zip(CATEGORIES, history.rows[-1][1:], strict=True) if history.rows else ()
    return ", ".join(f"{CATEGORY_NAMES[name]} {tokens:,}" for name, tokens in shares if tokens)


def quota_line(state: dict[str, Any]) -> str:
    """How full each quota of the context budget is."""
    return ", ".join(
        f"{name} {percent(used / max(quota, 1))} of {quota:,}" + (" (over)" if used > quota else "")
        for name, (used, quota) in zip(QUOTA_NAMES.values(), state["fills"], strict=False)
    )


def direction_line(state: dict[str, Any]) -> str:
    """What the work is held to: how much of it is anchored, what is finished, what is open."""
    anchors, todos, moves = state["direction"], state["todos"], state["moves"]
    parts = [
        anchors.get("goal") and "a goal",
        counted(anchors.get("constraints_count", 0), "constraint"),
        anchors.get("finished_count") and f"{anchors['finished_count']:,} finished",
        todos.get("open_count") and f"{todos['open_count']:,} open",
        moves.get("restated")
        and f"restated {moves['restated'][3]:,}×, last at step {moves['restated'][0]:,}",
        moves.get("offloaded") and f"{counted(moves['offloaded'][1], 'result')} offloaded",
    ]
    return ", ".join(part for part in parts if part)


def counted(number: int, word: str) -> str:
    """A number with its word; nothing for none.

    >>> counted(1, "constraint"), counted(2, "constraint"), counted(0, "constraint")
    ('1 constraint', '2 constraints', '')
    """
    return f"{number:,} {word}{'s' * (number != 1)}" if number else ""


def spent_line(state: dict[str, Any]) -> str:
    """Tokens spent, of the budget if there is one, and the cached share."""
    text = f"{state['spent']:,}" + (f" of {state['budget']:,}" if state["budget"] else "") + " tokens"
    return text + (f", {percent(state['cached_ratio'])} cached" if state["cached_ratio"] is not None else "")


def chain_line(state: dict[str, Any]) -> str:
    """The layers in order, with the policy they come from."""
    names = [name + (" (off)" if off else "") for name, _words, off in state["chain"]]
    return f"{state['policy']}, {state['mode']}: " + " → ".join(names)


def fired_line(state: dict[str, Any]) -> str:
    """What each layer has saved."""
    pairs = zip(state["chain"], state["savings"], strict=True)
    acted = [f"{layer[0]} −{saving[3]:,} in {saving[2]}" for layer, saving in pairs if saving]
    return ", ".join(acted) or "no layer yet"


def notice_line(state: dict[str, Any]) -> str:
    """The newest notice of a recording, at its step."""
    notices = state["notices"]
    if not notices:
        return ""
    step, text = notices[-1]
    return f"{len(notices):,}, the newest at step {step:,}: {text}"


def pressure_line(history: History, state: dict[str, Any]) -> str:
    """The tokens of each request as a row of bars; a full bar is the trigger."""
    totals = [sum(row[1:]) for row in history.drawn_rows(MOST_BARS)]
    return "".join(BARS[min(len(BARS) - 1, int(len(BARS) * t / state["trigger"]))] for t in totals)

"""How often to restate: what other intervals would have cost on a recorded run, and brought nearer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, quantiles
from typing import Any, NamedTuple

from opencollab_nb.budget import restate
from opencollab_nb.budget.anchors import Anchors
from opencollab_nb.budget.losses import Losses
from opencollab_nb.budget.recorded import Event, Scales, Sent, requests_sent
from opencollab_nb.budget.tabular import as_html, as_text, percent, shown
from opencollab_nb.budget.todos import Todos
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages, id_of

INTERVALS = (1, 2, 4, 8, 16, 32)
_HEAD_KINDS = ("goal", "constraints")
_COLUMNS = ("restate every", "restatements", "tokens added", "of input", "mean distance", "90 %", "farthest")


class Interval(NamedTuple):
    """One interval on the recorded run."""

    restate_every: int | None
    """Steps; None for no interval: after milestones and compactions only."""
    restatements: int
    tokens_added: int
    """Input tokens of all restatements."""
    input_share: float
    """The same, of the input with them."""
    mean_distance_tokens: float
    """From goal and constraints, at their nearest mention, to the request's end; over all requests."""
    p90_distance_tokens: float
    """Nine of ten were nearer."""
    most_distance_tokens: int
    restated_share: float
    """Of the requests that end with a restatement."""
    recorded: bool = False
    """True for the interval that the run had."""


@dataclass(frozen=True)
class Intervals:
    """The intervals tried, on one run."""

    intervals: tuple[Interval, ...]
    requests: int
    anchors: int = field(default=0)
    """Goal and constraints in force at the end."""

    def to_frame(self) -> Any:
        """One row an interval, as a pandas `DataFrame`."""
        import pandas as pd

        return pd.DataFrame(list(self.intervals))

    def __repr__(self) -> str:
        return f"{self._head()}\n{as_text(_COLUMNS, self._rows())}"

    def _repr_html_(self) -> str:
        return f"<div><b>{shown(self._head())}</b>{as_html(_COLUMNS, self._rows())}</div>"

    def _head(self) -> str:
        return (
            f"What if it had been restated every N steps: {self.requests:,} recorded requests, "
            f"{self.anchors:,} anchors (goal and constraints); distances in tokens to the request's end"
        )

    def _rows(self) -> list[tuple[object, ...]]:
        return [
            (
                f"{one.restate_every or 'never'}{' (as it was)' if one.recorded else ''}",
                one.restatements,
                one.tokens_added,
                percent(one.input_share, 1),
                round(one.mean_distance_tokens),
                round(one.p90_distance_tokens),
                one.most_distance_tokens,
            )
            for one in self.intervals
        ]


class _Moment(NamedTuple):
    """What is the same at every interval."""

    step: int
    text: str
    """The restatement that would stand there; nothing where there is nothing to restate."""
    tail_tokens: int
    view_tokens: int
    """Without any tail."""
    behind: tuple[int, ...]
    """Tokens of the view behind each anchor."""
    behind_in_tail: tuple[int, ...]
    """Tokens of the restatement behind each anchor."""
    milestone: int
    """Number of the newest event of a finished milestone before it; -1 for none."""
    compaction: int
    n: int


def what_if_intervals(
    events: Sequence[Event], messages: Messages, intervals: Sequence[int | None] = INTERVALS
) -> Intervals:
    """What each interval would have added to a recorded run, and how near goal and constraints had been.

    Restatements after milestones and compactions come at every interval. The run is taken as it was:
    what the agent would have done otherwise, and that a longer request is compacted sooner, is left out.

    Args:
        events: of the run's trace, from its start.
        messages: of its transcript, with `meta`.
        intervals: steps between two restatements; None for after milestones and compactions only.

    Raises:
        UsageProblem: (a ValueError) an interval that is no whole number of steps, or no run.
    """
    for every in intervals:
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise UsageProblem(f"the interval {every!r} is no whole number of steps from 1 up, or None")
    moments, anchors = _moments(events, messages)
    settings = events[0].get("budget") or {}
    had = settings.get("restate_every", 0) if "restate" in settings.get("moves", ()) else 0
    tried = [_tried(moments, every, recorded=every == had) for every in intervals]
    return Intervals(tuple(tried), len(moments), anchors)


def _tried(moments: Sequence[_Moment], every: int | None, *, recorded: bool) -> Interval:
    """The rule of restatements, as a session follows it, over the recorded requests."""
    said: list[tuple[int, int]] = []
    added = restatements = 0
    distances: list[int] = []
    for moment in moments:
        # A request that was sent again for the same step has no say: what was due is due again.
        at, last = next(((n, step) for n, step in reversed(said) if step < moment.step), (-1, None))
        due = moment.text and restate.due(
            moment.step,
            last,
            every,
            milestone_since=moment.milestone > at,
            compaction_since=moment.compaction > at,
        )
        if due:
            said.append((moment.n, moment.step))
            added, restatements = added + moment.tail_tokens, restatements + 1
        distances += moment.behind_in_tail if due else moment.behind
    whole = sum(moment.view_tokens for moment in moments) + added
    return Interval(
        every,
        restatements,
        added,
        added / whole if whole else 0.0,
        fmean(distances) if distances else 0.0,
        quantiles(distances, n=10)[-1] if len(distances) > 1 else float(sum(distances)),
        max(distances, default=0),
        restatements / len(moments) if moments else 0.0,
        recorded,
    )


def _moments(events: Sequence[Event], messages: Messages) -> tuple[list[_Moment], int]:
    scales, losses, anchors, todos = Scales(events), Losses(), Anchors(), Todos()
    milestone = compaction = -1
    until, moments = 0, []
    places: dict[int, int] = {}
    for sent in requests_sent(events, messages):
        for event in events[until : sent.event["n"]]:
            if event["kind"] == "anchor":
                anchors.take(
                    {
                        "kind": event["kind_of_anchor"],
                        "text": event["text"],
                        "number": event["number"],
                        "at": event["step"],
                    }
                )
                places[event["number"]] = event["message_id"]
                milestone = event["n"] if event["kind_of_anchor"] == "milestones" else milestone
            elif event["kind"] == "todos":
                todos = Todos.from_list(event["todos"])
            elif losses.new_in(event):
                compaction = event["n"]
        until = sent.event["n"]
        moments.append(_moment(sent, scales, anchors, todos, places, (milestone, compaction)))
    return moments, sum(anchor.kind in _HEAD_KINDS for anchor in anchors.in_force())


def _moment(
    sent: Sent,
    scales: Scales,
    anchors: Anchors,
    todos: Todos,
    places: dict[int, int],
    newest: tuple[int, int],
) -> _Moment:
    pressure = scales.at(sent.event)
    text = ""
    if len(anchors) or len(todos):
        text = restate.build(anchors, todos, step=sent.step, count=scales.count)
    tail_tokens = pressure.weight([restate.message(text)]) if text else 0
    head = [anchor for anchor in anchors.in_force() if anchor.kind in _HEAD_KINDS]
    behind = _behind(sent, pressure.weight)
    ids = [id_of(message) for message in sent.view]
    found = {own: at for at, own in enumerate(ids)}
    return _Moment(
        sent.step,
        text,
        tail_tokens,
        pressure.tokens(sent.view),
        tuple(behind[found[places[a.number]]] for a in head if places[a.number] in found),
        tuple(
            scales.count(text.rpartition(a.text)[2]) if a.text in text else tail_tokens
            for a in head
            if places[a.number] in found
        ),
        *newest,
        sent.event["n"],
    )


def _behind(sent: Sent, weight: Callable[[Messages], int]) -> list[int]:
    """For each message of the view the tokens of all that follow it."""
    behind, total = [], 0
    for message in reversed(sent.view):
        behind.append(total)
        total += weight([message])
    return behind[::-1]

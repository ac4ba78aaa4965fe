"""Two requests of one transcript as one list: each message once, with what became of it in either."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import inf
from typing import Any

from opencollab_nb.messages import call_name, covers_of, tool_calls_of, wire
from opencollab_nb.views.details import about
from opencollab_nb.views.labels import clean
from opencollab_nb.views.sent import Sent, content_of
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import escaped, head

GONE = ("snipped", "shed", "summarized")
ABSENT = "not there"
UNCHANGED, NEITHER = "unchanged", "in neither"
SIGNS = {"only here": "−", "only there": "+", "differs": "~", UNCHANGED: "=", NEITHER: "·"}
MOST_ROWS = 40
MOST_DIFF_LINES, LEAST_DIFF_LINES, MOST_LIST_LINES = 60, 3, 150
"""Of one message's diff, and of all of a list together: it is saved with the notebook."""


@dataclass(frozen=True)
class Pair:
    """One message in two requests, `here` and `there`; None where a request knows nothing of it."""

    here: Sent | None
    there: Sent | None

    @property
    def shown(self) -> Sent:
        """The side that has more to show."""
        sides = [side for side in (self.here, self.there) if side is not None]
        return next((side for side in sides if side.message is not None), sides[0])

    @property
    def states(self) -> tuple[str, str]:
        """What became of it here and there: a word of `Sent.state`, or `not there`."""
        return (
            self.here.state if self.here else ABSENT,
            self.there.state if self.there else ABSENT,
        )

    @property
    def kind(self) -> str:
        """`unchanged`, `in neither`, `only here`, `only there` or `differs`."""
        one, other = (side.message if side else None for side in (self.here, self.there))
        if one is None and other is None:
            return UNCHANGED if self.states[0] == self.states[1] else NEITHER
        if one is None or other is None:
            return "only there" if one is None else "only here"
        return UNCHANGED if one is other or wire(one) == wire(other) else "differs"

    @property
    def spans(self) -> list[list[int]]:
        """Its id as a range; the ranges that a summary stands for."""
        sent = self.shown
        return [[sent.id, sent.id]] if sent.id is not None else covers_of(sent.shown)

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts; empty where nothing is sent."""
        one, other = (content_of(side.message) if side else "" for side in (self.here, self.there))
        return one, other

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens here and there."""
        return (
            self.here.sent_tokens if self.here else 0,
            self.there.sent_tokens if self.there else 0,
        )

    def who(self) -> str:
        """Role and tool."""
        message = self.shown.shown
        if self.shown.state in ("summary", "tail"):
            return self.shown.state
        names = dict.fromkeys(call_name(call) for call in tool_calls_of(message))
        return clean(f"{message.get('role')} {', '.join(names)}".strip(), 40)

    def diff(self) -> list[str]:
        """The two texts as lines of a unified diff, without its head."""
        one, other = (text.splitlines() for text in self.texts)
        return list(islice(difflib.unified_diff(one, other, n=2, lineterm=""), 2, None))


@dataclass(frozen=True)
class Run:
    """One row of the list: a message, or a run of messages that need no look."""

    at: int
    """Place of the first in the list of pairs."""
    pairs: Sequence[Pair]
    kind: str

    @property
    def folded(self) -> bool:
        """True for a run that is told by its number."""
        return self.kind in (UNCHANGED, NEITHER)

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of all of it, here and there."""
        both = [pair.tokens for pair in self.pairs]
        return sum(one for one, _ in both), sum(other for _, other in both)

    @property
    def ids(self) -> str:
        """Its message, or the first and last of them."""
        spans = [span for pair in self.pairs for span in pair.spans]
        if not spans:
            return ""
        if not self.folded:
            return ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in spans[:3])
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        return f"{first}–{last}" if last > first else f"{first}"

    def what(self, messages: Any) -> tuple[str, str]:
        """Who it is of, and what it says; of a run, how many they are."""
        if not self.folded:
            pair = self.pairs[0]
            who, says = pair.who(), about(messages, pair.shown)
            if who == "tool" and says.partition(" ")[2].startswith("{"):
                tool, _, says = says.partition(" ")
                who = f"tool {tool}"
            return who, says
        count = len(self.pairs)
        many = f"{count:,} message{'s' if count > 1 else ''}"
        if self.kind == NEITHER:
            one, other = self.pairs[0].states
            return "", f"{many} in neither: {one} here, {other} there"
        out = sum(pair.shown.message is None for pair in self.pairs)
        told = f", {out:,} of them in neither" if 0 < out < count else ", in neither" if out else ""
        return "", f"{many} the same{told}"

    @property
    def states(self) -> tuple[str, str]:
        """What became of it here and there."""
        return ("", "") if self.folded else self.pairs[0].states


def paired(before: Iterable[Sent], after: Iterable[Sent]) -> list[Pair]:
    """Both requests, message by message, in the order of the transcript."""
    here, there = ({_place(sent): sent for sent in side} for side in (before, after))
    return [Pair(here.get(key), there.get(key)) for key in sorted(here.keys() | there.keys())]


def _place(sent: Sent) -> tuple[float, int]:
    """A summary stands where the first message does that it covers; what is in this request alone, last."""
    if sent.id is not None:
        return sent.id, 1
    covers = covers_of(sent.message)
    return (covers[0][0], 0) if covers else (inf, 0)


def runs(pairs: Sequence[Pair]) -> list[Run]:
    """The rows of the list: what needs no look is folded."""
    out: list[Run] = []

    def key(at: int) -> Any:
        pair = pairs[at]
        kind = pair.kind
        return (kind, -1, pair.states) if kind == NEITHER else (kind, -1 if kind == UNCHANGED else at, "")

    for (kind, *_), places in groupby(range(len(pairs)), key):
        listed = list(places)
        out.append(Run(listed[0], [pairs[at] for at in listed], kind))
    return out


@dataclass(frozen=True)
class PairList:
    """The list as text and as escaped HTML."""

    messages: Any
    """The transcript."""
    runs: Sequence[Run]
    names: tuple[str, str] = ("the run", "what if")

    @classmethod
    def of(cls, messages: Any, before: Iterable[Sent], after: Iterable[Sent]) -> PairList:
        """The list of two requests over one transcript."""
        return cls(messages, runs(paired(before, after)))

    @property
    def title(self) -> str:
        """How many messages differ."""
        changed = sum(not run.folded for run in self.runs)
        return "1 message differs" if changed == 1 else f"{changed:,} messages differ"

    def _rows(self) -> list[tuple[object, ...]]:
        rows: list[tuple[object, ...]] = []
        for run in self.runs[:MOST_ROWS]:
            who, says = run.what(self.messages)
            here, there = run.states
            row = (SIGNS[run.kind], run.ids, who, *run.tokens, here, there, head(says, 60))
            rows.append(row)
        return rows

    def _more(self) -> str:
        more = len(self.runs) - MOST_ROWS
        return f"… and {more:,} rows more: .found.changes" if more > 0 else ""

    def __str__(self) -> str:
        one, other = self.names
        header = ("", "message", "who", f"tokens, {one}", other, f"state, {one}", other, "begins")
        return str(Table(header, self._rows(), self.title, [self._more()] if self._more() else []))

    def html(self) -> str:
        """Rows of one grid; a row that differs opens to its diff."""
        one, other = self.names
        header = ("", "message", "who", f"tokens, {one}", other, f"state, {one}", other, "begins")
        rows = [_row(header, quiet=True)]
        changed = sum(not run.folded for run in self.runs[:MOST_ROWS])
        share = MOST_LIST_LINES // max(changed, 1)
        most = min(MOST_DIFF_LINES, max(LEAST_DIFF_LINES, share))
        for run, row in zip(self.runs, self._rows(), strict=False):
            if run.folded:
                rows.append(_row(row, quiet=True))
            else:
                summary = f"<summary style='cursor:pointer'>{_row(row)}</summary>"
                rows.append(f"<details>{summary}{_diff(run.pairs[0], most)}</details>")
        more = f"<p>{escaped(self._more())}</p>" if self._more() else ""
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p>{escaped(self.title)}</p>{''.join(rows)}{more}</div>"
        )


TOKEN_CELLS = (3, 4)


def _row(cells: Sequence[object], *, quiet: bool = False) -> str:
    """One row; beside the triangle of a summary, or where one would be."""
    boxes = "".join(
        "<bdi style='overflow:hidden;text-overflow:ellipsis;white-space:nowrap;"
        f"text-align:{'right' if at in TOKEN_CELLS else 'left'}'>"
        f"{escaped(f'{cell:,}' if isinstance(cell, int) else cell)}</bdi>"
        for at, cell in enumerate(cells)
    )
    grid = "grid-template-columns:1em 5em 9em 8em 5em 8em 7em minmax(9em,1fr);gap:0 .8em"
    place = (
        "display:grid;padding-left:1.2em;opacity:.75" if quiet else "display:inline-grid;vertical-align:top"
    )
    return f"<span style='{place};width:calc(100% - 1.2em);{grid}'>{boxes}</span>"


def _diff(pair: Pair, most_lines: int) -> str:
    lines = pair.diff()
    grounds = {"-": "rgba(200,50,50,.18)", "+": "rgba(40,150,80,.2)"}
    body = "".join(
        f"<div style='background:{grounds.get(line[:1], 'none')}'>{escaped(head(line, 200)) or ' '}</div>"
        for line in lines[:most_lines]
    )
    more = len(lines) - most_lines
    note = f"<div>… {more:,} lines more: .found.diff()</div>" if more > 0 else ""
    return f"<div style='font-family:monospace;white-space:pre-wrap;margin:2px 0 8px 2em'>{body}{note}</div>"

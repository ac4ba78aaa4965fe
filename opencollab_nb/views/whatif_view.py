"""What another chain would have sent: the answer of `what_if` and `pressure_curve` for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import id_of
from opencollab_nb.request import Request
from opencollab_nb.views.details import about
from opencollab_nb.views.editor import editor_of
from opencollab_nb.views.labels import clean
from opencollab_nb.views.live_map import LiveMap
from opencollab_nb.views.mapping import BY_PRIORITY, GONE, ratio_of, raw_weigher, row_of
from opencollab_nb.views.moments_view import report_row
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, content_of, fates
from opencollab_nb.views.text import ends

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_POINTS = 600
MOST_CHARS = 6_000


class WhatIfs:
    """Asks for what-ifs with the draft's chain and keeps the last result, to show its messages."""

    def __init__(self, session: Session, live: LiveMap) -> None:
        self.session, self._live = session, live
        self._chain: tuple[list[Any], str] | None = None
        self._sides: tuple[list[Sent], list[Sent]] | None = None

    def made(self, step: int | None) -> tuple[dict[str, Any], list[bytes]]:
        """The result card, and the rows of both requests.

        Raises:
            UsageProblem: no draft is open.
        """
        from opencollab_nb.compare import what_if

        session = self.session
        shapers, mode = self._chain = self._drafted()
        found = what_if(session, *shapers, step=step, mode=mode)
        stored = session.transcript.messages[: self._stored(step)]
        weigh = raw_weigher(session)
        reasons = Reasons()
        reasons.read(stored)
        before = fates(Request(found.before), stored, weigh)
        after = fates(Request(found.after), stored, weigh)
        self._sides = before, after
        overhead = session.pressure.overhead_tokens
        maps = [
            {
                "step": step or session.steps + 1,
                "tokens": tokens,
                "overhead": overhead,
                "ratio": round(ratio_of(tokens, overhead, sum(s.sent_tokens for s in side)), 5),
                "cut": [[0, 0, len(side)]],
                "whys": reasons.whys,
                "tools": reasons.tools,
            }
            for side, tokens in ((before, found.tokens_before), (after, found.tokens_after))
        ]
        body = {
            "step": step or 0,
            "before": found.tokens_before,
            "after": found.tokens_after,
            "prefix": found.prefix_kept_tokens,
            "lost": [list(span) for span in found.lost][:100],
            "lost_count": sum(last - first + 1 for first, last in found.lost),
            "trigger": found.trigger,
            "target": found.target,
            "changed": changed_count(before, after),
            "reports": [report_row(report) for report in found.reports],
            "maps": maps,
            "mode": mode,
        }
        rows = [b"".join(row_of(s, reasons, self._live.pinned) for s in side) for side in (before, after)]
        return body, rows

    def curve(self) -> dict[str, Any]:
        """Points of the pressure curve of the same chain, of many about one for each pixel."""
        from opencollab_nb.compare import pressure_curve

        if self._chain is None:
            raise UsageProblem("ask for the what-if first")
        shapers, mode = self._chain
        points = [[p.step, p.tokens] for p in pressure_curve(self.session, *shapers, mode=mode)]
        every = -(-len(points) // MOST_POINTS) or 1
        return {"points": [*points[:-1:every], *points[-1:]]}

    def compared(self, at: int) -> dict[str, Any]:
        """One row of the other request, beside the same message in the one that is made now."""
        if self._sides is None:
            raise UsageProblem("ask for the what-if first")
        before, after = self._sides
        if not 0 <= at < len(after):
            raise UsageProblem(f"the map has no row {at}: it has 0 to {len(after) - 1}")
        other = after[at]
        own = next((s for s in before if s.id is not None and s.id == other.id), None)
        message = other.shown
        return {
            "id": other.id,
            "role": clean(message.get("role"), 20),
            "about": about(self.session.transcript.messages, other),
            "state": own.state if own else "not there",
            "other": other.state,
            "sent": _text(own),
            "would": _text(other),
            "gone": other.state in GONE,
            "pinned": BY_PRIORITY if id_of(message) is None else 0,
        }

    def _drafted(self) -> tuple[list[Any], str]:
        editor = editor_of(self.session)
        with editor.lock:
            if editor.draft is None:
                raise UsageProblem("there is no draft any more: press What if… again")
            return editor.shapers(), editor.draft.mode

    def _stored(self, step: int | None) -> int:
        if step is None:
            return len(self.session.transcript)
        return int(self.session.at(step).stored)


def changed_count(before: list[Sent], after: list[Sent]) -> int:
    """How many messages are sent otherwise, or only in one of the two."""
    states = {s.id: (s.state, s.sent_tokens) for s in before if s.id is not None}
    return sum(states.get(s.id) != (s.state, s.sent_tokens) for s in after if s.id is not None)


def _text(sent: Sent | None) -> str:
    if sent is None or sent.message is None:
        return ""
    return ends(content_of(sent.message), MOST_CHARS, "the messages of what_if(...)")

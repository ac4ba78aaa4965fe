"""What another chain would have sent: the answer of `what_if` and `pressure_curve` for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.request import Request
from opencollab_nb.views.details import about
from opencollab_nb.views.editor import editor_of
from opencollab_nb.views.labels import clean
from opencollab_nb.views.live_map import LiveMap
from opencollab_nb.views.mapping import ratio_of, raw_weigher, row_of
from opencollab_nb.views.moments_view import report_row
from opencollab_nb.views.pairs import SIGNS, Pair, Run, paired, runs
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, fates
from opencollab_nb.views.text import ends

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_POINTS = 600
MOST_CHARS = 6_000
MOST_ROWS = 200
"""Of the list of messages; the rest is reached from Python."""


class WhatIfs:
    """Asks for what-ifs with the draft's chain and keeps the last result, to show its messages."""

    def __init__(self, session: Session, live: LiveMap) -> None:
        self.session, self._live = session, live
        self._chain: tuple[list[Any], dict[str, Any]] | None = None
        self._pairs: list[Pair] = []
        self._after: list[Sent] = []

    def made(self, step: int | None) -> tuple[dict[str, Any], list[bytes]]:
        """The result card, and the rows of both requests.

        Raises:
            UsageProblem: no draft is open.
        """
        from opencollab_nb.compare import what_if

        session = self.session
        shapers, how = self._chain = self._drafted()
        found = what_if(session, *shapers, step=step, **how)
        stored = session.transcript.messages[: self._stored(step)]
        weigh = raw_weigher(session)
        reasons = Reasons()
        reasons.read(stored)
        before = fates(Request(found.before), stored, weigh)
        after = fates(Request(found.after), stored, weigh)
        self._pairs, self._after = paired(before, after), after
        overhead = session.pressure.overhead_tokens
        maps: list[dict[str, Any]] = [
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
        listed = runs(self._pairs)
        ratios = (maps[0]["ratio"], maps[1]["ratio"])
        body = {
            "step": step or 0,
            "before": found.tokens_before,
            "after": found.tokens_after,
            "prefix": found.prefix_kept_tokens,
            "lost": [list(span) for span in found.lost][:100],
            "lost_count": sum(last - first + 1 for first, last in found.lost),
            "trigger": found.trigger,
            "target": found.target,
            "changed": sum(not run.folded for run in listed),
            "list": [self._list_row(run, stored, ratios) for run in listed[:MOST_ROWS]],
            "list_more": max(len(listed) - MOST_ROWS, 0),
            "reports": [report_row(report) for report in found.reports],
            "maps": maps,
            "mode": how["mode"],
        }
        rows = [b"".join(row_of(s, reasons, self._live.pinned) for s in side) for side in (before, after)]
        return body, rows

    def curve(self) -> dict[str, Any]:
        """Points of the pressure curve of the same chain, of many about one for each pixel."""
        from opencollab_nb.compare import pressure_curve

        if self._chain is None:
            raise UsageProblem("ask for the what-if first")
        shapers, how = self._chain
        points = [[p.step, p.tokens] for p in pressure_curve(self.session, *shapers, **how)]
        every = -(-len(points) // MOST_POINTS) or 1
        return {"points": [*points[:-1:every], *points[-1:]]}

    def compared(self, at: int) -> dict[str, Any]:
        """One row of the other request's map, beside the same message in the one that is made now."""
        if self._chain is None:
            raise UsageProblem("ask for the what-if first")
        if not 0 <= at < len(self._after):
            raise UsageProblem(f"the map has no row {at}: it has 0 to {len(self._after) - 1}")
        return self.pair(next(n for n, pair in enumerate(self._pairs) if pair.there is self._after[at]))

    def pair(self, at: int) -> dict[str, Any]:
        """One message of the list, in the one request beside in the other."""
        if not 0 <= at < len(self._pairs):
            raise UsageProblem(f"the list has no message {at}: it has {len(self._pairs)}")
        pair = self._pairs[at]
        one, other = (ends(text, MOST_CHARS, "the messages of what_if(...)") for text in pair.texts)
        state, would = pair.states
        return {
            "id": pair.shown.id,
            "about": about(self.session.transcript.messages, pair.shown),
            "state": state,
            "other": would,
            "sent": one,
            "would": other,
        }

    def _list_row(self, run: Run, stored: Any, ratios: tuple[float, float]) -> list[Any]:
        """Place, sign, ids, who, what, tokens in either, state in either, how many messages."""
        who, says = run.what(stored)
        tokens = [round(n * ratio) for n, ratio in zip(run.tokens, ratios, strict=True)]
        facts = [SIGNS[run.kind], run.ids, who, clean(says, 100), *tokens, *run.states]
        return [run.at, *facts, len(run.pairs) if run.folded else 0]

    def _drafted(self) -> tuple[list[Any], dict[str, Any]]:
        editor = editor_of(self.session)
        with editor.lock:
            draft = editor.draft
            if draft is None:
                raise UsageProblem("there is no draft any more: press What if… again")
            return editor.shapers(), {"mode": draft.mode, "target_ratio": draft.target_ratio}

    def _stored(self, step: int | None) -> int:
        if step is None:
            return len(self.session.transcript)
        return int(self.session.at(step).stored)

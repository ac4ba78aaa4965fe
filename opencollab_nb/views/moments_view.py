"""The map of an earlier step, and what was in force then: from transcript and trace alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.accounts import CATEGORIES
from opencollab_nb.views.direction import Directed
from opencollab_nb.views.fills import fills_at
from opencollab_nb.views.labels import clean, human
from opencollab_nb.views.mapping import ratio_of, raw_weigher, row_of
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, fates

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_REPORTS = 30


@dataclass(frozen=True)
class MomentMap:
    """The request of one step, row by row."""

    step: int
    moment: Any
    sents: list[Sent]
    reasons: Reasons
    rows: bytes
    facts: dict[str, Any]
    moved: dict[str, Any]
    """What the four moves had done by then."""

    @classmethod
    def of(cls, session: Session, step: int) -> MomentMap:
        """The step as it was.

        Raises:
            UsageProblem: no request was sent at it.
        """
        moment = session.at(step)
        stored = session.transcript.messages[: moment.stored]
        sents = fates(moment.request, stored, raw_weigher(session))
        reasons = told_until(session.trace.of("session.history_compaction"), step)
        reasons.read(stored)
        overhead = session.pressure.overhead_tokens
        measured = sum(sent.sent_tokens for sent in sents)
        facts = {
            "step": step,
            "tokens": moment.tokens,
            "overhead": overhead,
            "ratio": round(ratio_of(moment.tokens, overhead, measured), 5),
            "window": moment.window,
            "trigger": moment.trigger,
            "target": moment.target,
            "cut": [[0, 0, len(sents)]],
            "whys": reasons.whys,
            "tools": reasons.tools,
        }
        rows = b"".join(row_of(sent, reasons, moment.pinned) for sent in sents)
        return cls(step, moment, sents, reasons, rows, facts, moved_at(session, moment))

    def sent(self, at: int) -> Sent:
        """The message of a row.

        Raises:
            UsageProblem: there is no such row.
        """
        if not 0 <= at < len(self.sents):
            raise UsageProblem(f"the map has no row {at}: it has 0 to {len(self.sents) - 1}")
        return self.sents[at]


def moved_at(session: Session, moment: Any) -> dict[str, Any]:
    """The fills of the quotas and the direction, as they were when the request of a step was sent."""
    sent = [e["n"] for e in session.trace.of("request") if e["step"] == moment.step]
    before = Directed.until(tuple(session.trace.stored), sent[-1])
    return {"fills": fills_at(session, moment), **before.state()}


def told_until(events: Iterable[Mapping[str, Any]], step: int) -> Reasons:
    """Why messages are as they are in the last request of a step."""
    reasons = Reasons()
    for event in events:
        if event["step"] > step:
            break
        reasons.take(event)
    return reasons


def moment_body(found: MomentMap) -> dict[str, Any]:
    """A moment as plain data for a page; its rows go beside it."""
    moment = found.moment
    return {
        "step": found.step,
        "map": found.facts,
        "row": [found.step, *(int(moment.by_category.get(name, 0)) for name in CATEGORIES)],
        "tokens": moment.tokens,
        "trigger": moment.trigger,
        "target": moment.target,
        "window": moment.window,
        "stored": moment.stored,
        "sent": len(moment.request.shaped),
        "chain": [clean(human(name), 60) for name in moment.chain],
        "reports": [report_row(report) for report in moment.reports[:MOST_REPORTS]],
        **found.moved,
    }


def report_row(report: Any) -> list[Any]:
    """What one layer did, as a page shows it: name, tokens before and after, counts, problem."""
    return [
        clean(human(report.layer), 60),
        report.tokens_before,
        report.tokens_after,
        counted(report, "removed", "dropped"),
        counted(report, "rewritten"),
        counted(report, "covered"),
        clean(report.problem or "", 300),
    ]


def counted(report: Any, *names: str) -> int:
    """How many ids a report names: a tuple of ids or of ranges."""
    ids = next((getattr(report, name) for name in names if hasattr(report, name)), ())
    return sum(i[1] - i[0] + 1 if isinstance(i, (list, tuple)) else 1 for i in ids)

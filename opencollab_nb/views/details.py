"""One message of the map: what is stored beside what was sent, and why they differ."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import (
    call_arguments,
    call_name,
    covers_of,
    each,
    is_pinned,
    meta_of,
    tool_calls_of,
)
from opencollab_nb.views.keeping import rule_words
from opencollab_nb.views.labels import clean
from opencollab_nb.views.mapping import GONE
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, content_of
from opencollab_nb.views.text import ends, head

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_CHARS = 6_000
"""Of one text; the whole of it is reached from Python."""
MOST_COVERED = 60
COVERED_CHARS = 120


@dataclass(frozen=True)
class Detail:
    """What a reader wants to know of one message."""

    sent: Sent
    state: str
    why: str
    about: str
    stored: str
    shown: str
    by_hand: bool

    @classmethod
    def of(cls, session: Session, sent: Sent, reasons: Reasons, by_hand: Collection[int]) -> Detail:
        """The message of one row."""
        messages = session.transcript.messages
        state = reasons.state_of(sent)
        if sent.original is None:
            stored = covered_text(messages, sent) if covers_of(sent.message) else ""
        else:
            stored = ends(content_of(sent.original), MOST_CHARS, f"session.transcript.messages[{sent.id}]")
        shown = ends(content_of(sent.message), MOST_CHARS, "session.request().messages")
        return cls(
            sent,
            state,
            reasons.whys[reasons.why(sent)],
            about(messages, sent),
            stored,
            shown,
            sent.id in by_hand,
        )

    def body(self) -> dict[str, Any]:
        """As plain data for a page."""
        message = self.sent.shown
        return {
            "id": self.sent.id,
            "role": clean(message.get("role"), 20),
            "source": clean(meta_of(message).get("source") or "", 20),
            "step": meta_of(message).get("step"),
            "about": self.about,
            "state": self.state,
            "gone": self.state in GONE,
            "why": self.why,
            "rule": rule_words(message),
            "stored": self.stored,
            "sent": self.shown,
            "covers": covers_of(message)[:200],
            "pinned": int(is_pinned(message)),
            "by_hand": int(self.by_hand),
        }


def about(messages: Any, sent: Sent) -> str:
    """What a message is, on one line: the call that a result answers, the calls of a reply, its beginning."""
    message = sent.shown
    if message.get("role") == "tool" and sent.id is not None:
        for before in reversed(messages[: sent.id]):
            for call in tool_calls_of(before):
                if call.get("id") == message.get("tool_call_id"):
                    return clean(f"{call_name(call)} {call_arguments(call)}", 160)
            if before.get("role") not in ("tool", "assistant"):
                break
    calls = tool_calls_of(message)
    if calls:
        return clean("calls " + ", ".join(f"{call_name(c)} {call_arguments(c)}" for c in calls), 160)
    return head(content_of(message), 120)


def covered_text(messages: Any, sent: Sent) -> str:
    """The beginnings of what a summary stands for."""
    ids = list(each(covers_of(sent.message)))
    lines = [
        f"{i:>5} {messages[i].get('role')}: {head(content_of(messages[i]), COVERED_CHARS)}"
        for i in ids[:MOST_COVERED]
        if i < len(messages)
    ]
    if len(ids) > MOST_COVERED:
        lines.append(f"… and {len(ids) - MOST_COVERED:,} more, all in session.transcript.messages")
    return "\n".join(lines)

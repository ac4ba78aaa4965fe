"""What a second process does with run folders; run as `python -m tests.session.remote FOLDER ...`."""

from __future__ import annotations

import json
import sys
from typing import Any

from opencollab_nb.messages import Messages, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.session.chain_spec import describe_chain
from opencollab_nb.shaping import Summary, SummaryRequest
from opencollab_nb.tokens.usage import Usage


class Raising:
    """A model that must not be asked."""

    name, window = "scripted", None

    def reply(self, request: Request, *, cancel: Any = None) -> Any:
        raise AssertionError("the model was asked")


def short_summary(request: SummaryRequest) -> Summary:
    """Deterministic, and says what it was asked."""
    return Summary(f"{len(request.messages)} messages. {request.former or ''}"[:200], Usage(500, 0, 20))


def shout(messages: Messages, pressure: Pressure) -> Messages:
    """A user's shaper: cuts long plain answers under pressure."""
    if not pressure.over(messages):
        return messages
    out = [
        with_content(m, m["content"][:40])
        if m["role"] == "assistant" and isinstance(m.get("content"), str) and len(m["content"]) > 400
        else m
        for m in messages
    ]
    return messages if all(a is b for a, b in zip(out, messages, strict=True)) else out


def told(folder: str) -> dict[str, Any]:
    """What a resumed session would send next, and what it had sent."""
    session = Session.resume(folder, model=Raising())
    sent = sorted({event["step"] for event in session.trace.of("request")})
    facts = {
        "next": session.request().wire,
        "sent": {step: session.request(step).wire for step in sent},
        "steps": session.steps,
        "spent": session.spent_tokens,
        "pinned": sorted(session._bench.next.projection().pinned),
        "pressure": session.pressure.to_dict(),
        "mode": session.mode,
        "chain": describe_chain(session.chain),
        "tools": {step: [dict(tool) for tool in session.request(step).tools] for step in sent},
        "next_tools": [dict(tool) for tool in session.request().tools],
        "anchors": session.anchors.to_list(),
        "todos": session.todos.to_list(),
    }
    session.close()
    return facts


if __name__ == "__main__":
    print(json.dumps([told(folder) for folder in sys.argv[1:]]))

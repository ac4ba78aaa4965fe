"""What a step gives out are copies: nobody reaches what is stored."""

from __future__ import annotations

import json
from typing import Any

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from tests.session.build import Tools, calling, echo, tool_call


def test_a_model_that_edits_what_it_gets_reaches_nothing_that_is_stored() -> None:
    broken = {**tool_call(call_id="b"), "function": {"name": "echo", "arguments": "{"}}
    replies = iter([calling(broken), calling(tool_call(call_id="c")), "Done."])
    seen: list[str] = []

    def edits(request: Request) -> Any:
        seen.append(json.dumps(request.messages))
        for message in request.messages:
            message["content"] = "edited"
            for made in message.get("tool_calls", ()):
                json.loads(made["function"]["arguments"])
                made["function"]["arguments"] = "edited"
        return next(replies)

    session = Session("Fix it.", model=ScriptedModel(edits), workspace=Tools(echo=echo))
    assert session.run() == "done"
    kept = json.dumps([session.transcript.messages, *(session.request(n).shaped for n in (1, 2, 3))])
    assert "edited" not in kept
    assert '"meta"' not in "".join(seen)
    assert [json.dumps(session.request(n).messages) for n in (1, 2, 3)] == seen
    session.transcript.messages.append({"role": "user", "content": "slipped in"})
    assert len(session.transcript) == len(session.transcript.messages)
    assert "slipped in" not in json.dumps(session.transcript.messages)

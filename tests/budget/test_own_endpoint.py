"""A loop of one's own, over real HTTP, with the openai client: all moves together."""

from __future__ import annotations

import json
import re
from typing import Any

from openai import OpenAI

from opencollab_nb import ContextBudget
from tests.build import call
from tests.models.server import ChatServer

CONSTRAINT = "The database schema must not be changed."
LOG = "".join(f"12:{n % 60:02} row {n} of the log\n" for n in range(700))


def agent(body: dict[str, Any]) -> Any:
    """Reads five logs, then looks for a row behind a pointer, then says what it found."""
    texts = [m["content"] or "" for m in body["messages"]]
    pointer = next(
        (found for text in texts if (found := re.search(r"\[offloaded: result (\d+),", text))), None
    )
    answered = sum(m["role"] == "tool" for m in body["messages"])
    if answered < 5 or pointer is None:
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("bash", {"n": answered}, f"c{answered}")],
        }
    if not any("row 444" in text and "offloaded" not in text for text in texts[-2:]):
        wanted = {"id": int(pointer.group(1)), "pattern": "row 444 "}
        return {"role": "assistant", "content": None, "tool_calls": [call("read_result", wanted, "again")]}
    return {"role": "assistant", "content": "Row 444 it is."}


def test_all_moves_work_against_an_endpoint_that_speaks_the_openai_shape() -> None:
    budget = ContextBudget(16_000, restate_every=2, model="gpt-4o")
    budget.register("goal", "Find row 444.")
    budget.register("constraints", CONSTRAINT)
    budget.update_todos(["read the logs"])
    with ChatServer(agent, window=16_000) as server:
        client = OpenAI(base_url=server.url, api_key="none", max_retries=0)
        messages: Any = budget.with_anchors([{"role": "user", "content": "Go."}])
        seen: set[str] = set()
        for _ in range(20):
            due = budget.check()
            seen.update(due)
            if {"offload", "compact"}.intersection(due):
                messages = budget.compact(messages)
            tail = [{"role": "user", "content": budget.build_restatement()}] if "restate" in due else []
            reply = (
                client.chat.completions.create(
                    model="gpt-4o", messages=[*messages, *tail], tools=budget.tools
                )
                .choices[0]
                .message
            )
            said = reply.model_dump(exclude_none=True)
            messages = [*messages, {"content": None, **said}]
            budget.charge("history", said.get("content") or json.dumps(said.get("tool_calls")))
            for asked in said.get("tool_calls", []):
                text = budget.answer(asked) or LOG
                budget.charge("tool_result", text)
                messages = [*messages, {"role": "tool", "tool_call_id": asked["id"], "content": text}]
            if not said.get("tool_calls"):
                break
    assert said["content"] == "Row 444 it is."
    assert {"offload", "restate"} <= seen
    for body in server.requests:
        assert any(CONSTRAINT in (m["content"] or "") for m in body["messages"])
        assert not any("meta" in m for m in body["messages"])
        restated = [m for m in body["messages"] if (m["content"] or "").startswith("[Restatement")]
        assert restated in ([], body["messages"][-1:])

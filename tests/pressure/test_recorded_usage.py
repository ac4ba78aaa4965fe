"""Usage that a provider reported for a long recorded session: does the last report predict the next?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from opencollab_nb.pressure import ContextPressure
from opencollab_nb.tokens.usage import Usage


@pytest.mark.parametrize(
    ("model", "mean_error", "worst_error", "raw_error"),
    [(None, 0.0025, 0.17, 0.06), ("gpt-4o", 0.002, 0.12, 0.2)],
)
def test_the_next_request_is_predicted(shared, model, mean_error, worst_error, raw_error):
    pressure = ContextPressure(200_000, model=model)
    bare = pressure.snapshot()
    errors, raw_errors = [], []
    for messages, reported in requests(shared / "transcripts/pi/before-compaction.jsonl"):
        if pressure.observed:
            errors.append(abs(pressure.snapshot().tokens(messages) / reported - 1))
            raw_errors.append(abs(bare.tokens(messages) / reported - 1))
        assert pressure.observe(messages, Usage(reported)) is None
        assert reported < 8_000 or pressure.snapshot().tokens(messages) == reported
    assert len(errors) == 469
    assert mean(errors) < mean_error
    assert max(errors) < worst_error
    assert 20 * mean(errors) < mean(raw_errors) < raw_error


def requests(file: Path) -> Iterator[tuple[list, int]]:
    """Each request of the session as it was sent, with the input tokens reported, cached ones included."""
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    sent: dict[int, dict] = {}
    view: list[dict] = []
    for place, entry in enumerate(entries):
        if entry["type"] == "compaction":
            kept = [sent[n] for n in range(entry["firstKeptEntryIndex"], place) if n in sent]
            view = [{"role": "user", "content": entry["summary"]}, *kept]
        elif entry["type"] == "message":
            message = entry["message"]
            usage = message.get("usage") or {}
            reported = sum(usage.get(key, 0) for key in ("input", "cacheRead", "cacheWrite"))
            if reported:
                yield list(view), reported
            if message.get("stopReason") not in ("aborted", "error"):
                sent[place] = chat(message)
                view.append(sent[place])


def chat(message: dict[str, Any]) -> dict[str, Any]:
    """A recorded message in the OpenAI chat shape."""
    if message["role"] == "user":
        return {"role": "user", "content": message["content"]}
    if message["role"] == "bashExecution":
        return {"role": "user", "content": f"Ran {message['command']}\n{message['output']}"}
    if message["role"] == "toolResult":
        return {"role": "tool", "tool_call_id": message["toolCallId"], "content": message["content"]}
    of = {
        kind: [b for b in message["content"] if b["type"] == kind]
        for kind in ("text", "thinking", "toolCall")
    }
    out = {"role": "assistant", "content": "".join(b["text"] for b in of["text"]) or None}
    if of["thinking"]:
        out["reasoning_content"] = "".join(b["thinking"] for b in of["thinking"])
    if of["toolCall"]:
        out["tool_calls"] = [
            {
                "id": b["id"],
                "type": "function",
                "function": {"name": b["name"], "arguments": json.dumps(b["arguments"])},
            }
            for b in of["toolCall"]
        ]
    return out

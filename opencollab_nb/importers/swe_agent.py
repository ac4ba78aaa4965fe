"""SWE-agent trajectories (`.traj`): `history` is the conversation, `trajectory` repeats it step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import chat_message, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.swe_agent_steps import Steps
from opencollab_nb.messages import Message
from opencollab_nb.transcript import Transcript

NAME = "swe-agent"
WANTS = "`history` with messages of agents and `trajectory` with steps (`action`, `observation`)"
_STEP = ("action", "observation", "response", "thought")
_OWN = ("agent", "message_type", "is_demo", "thought", "action", "tags", "cache_control", "tool_call_ids")


def signs(source: Source) -> float:
    """High for a history beside steps; a file of several attempts is one too."""
    value = source.json
    if not isinstance(value, dict):
        return 0.0
    if any(_runs(one) for one in sequence(value.get("attempts"))):
        return 0.95
    return 0.95 if _runs(value) else 0.0


def read(source: Source) -> list[Transcript]:
    """One transcript, or one for each attempt of a run that tried several times."""
    value = mapping(source.json)
    attempts = [one for one in sequence(value.get("attempts")) if _runs(one)]
    drafts = [
        _draft(source, one, n if len(attempts) > 1 else None) for n, one in enumerate(attempts or [value])
    ]
    if drafts and source.damage:
        drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts if draft.messages]


def _runs(value: Any) -> bool:
    """True for a value with a history, or the steps that could give one."""
    value = mapping(value)
    history, steps = sequence(value.get("history")), sequence(value.get("trajectory"))
    known = any(isinstance(step, dict) and sum(key in step for key in _STEP) >= 3 for step in steps)
    said = any(isinstance(entry, dict) and isinstance(entry.get("role"), str) for entry in history)
    marked = any(
        isinstance(entry, dict) and ("agent" in entry or "message_type" in entry) for entry in history
    )
    return known or (said and marked)


def _draft(source: Source, value: Mapping[str, Any], number: int | None) -> Draft:
    draft = Draft(source, NAME, None if number is None else f"{source.name}[{number}]")
    config = _config(value)
    agent = mapping(config.get("agent"))
    model = text(mapping(agent.get("model")).get("name")) or None
    history = sequence(value.get("history"))
    replies = sum(mapping(entry).get("role") == "assistant" and not entry.get("is_demo") for entry in history)
    steps = Steps(sequence(value.get("trajectory")), replies)
    if not any(chat_message(entry) for entry in history):
        history, steps = steps.as_history(), Steps([])
    main = _main_agent(history)
    children: dict[str, Draft] = {}
    for entry in history:
        message = _message(entry)
        if message is None:
            draft.skip("no message")
            continue
        draft.used()
        name = text(entry.get("agent"))
        if name and name != main and not entry.get("is_demo"):
            if name not in children:
                children[name] = Draft(source, NAME, f"{draft.name}, {name}")
                draft.child(children[name])
            _take(children[name], message, entry, Steps([]), model)
            children[name].used()
        else:
            _take(draft, message, entry, steps, model)
    draft.skip("step that the history repeats", steps.read)
    info = mapping(value.get("info"))
    draft.outcome = text(info.get("exit_status")) or None
    draft.title = text(agent.get("name")) if agent.get("name") not in (None, "", "main") else None
    processors = [text(mapping(one).get("type")) for one in sequence(agent.get("history_processors"))]
    if "last_n_observations" in processors and not steps.tells_views:
        draft.unknown("which old results were left out of a request (last_n_observations)")
    return draft


def _take(draft: Draft, message: Message, entry: Mapping[str, Any], steps: Steps, model: str | None) -> None:
    if entry.get("is_demo") is True:
        draft.add(message, source="context")
    elif message["role"] == "assistant":
        steps.before_reply(draft, message, model)
        draft.reply(message, model=model)
    elif message["role"] == "tool" or (message["role"] == "user" and _replied(draft)):
        draft.add(message, source="tool")
        for other in sequence(entry.get("tool_call_ids"))[1:]:
            draft.add({"role": "tool", "tool_call_id": text(other), "content": ""}, source="tool")
    else:
        draft.take(message)


def _replied(draft: Draft) -> bool:
    return bool(draft.messages) and draft.messages[-1]["meta"]["step"] > 0


def _message(entry: Any) -> Message | None:
    """An entry of the history without what SWE-agent notes beside it."""
    held = {key: value for key, value in mapping(entry).items() if value is not None}
    message: Any = chat_message(held)
    if message is None:
        return None
    if message["role"] == "tool" and not entry.get("tool_call_id"):
        message["tool_call_id"] = text(next(iter(sequence(entry.get("tool_call_ids"))), None))
    if isinstance(message["content"], list):
        message["content"] = [_unmarked(part) for part in message["content"]]
    for key in _OWN:
        message.pop(key, None)
    return message  # type: ignore[no-any-return]


def _unmarked(part: Any) -> Any:
    """A part without its mark for the provider's cache."""
    return {k: v for k, v in part.items() if k != "cache_control"} if isinstance(part, dict) else part


def _main_agent(history: list[Any]) -> str:
    """The agent whose words the history begins with."""
    for entry in history:
        if isinstance(entry, dict) and not entry.get("is_demo") and text(entry.get("agent")):
            return text(entry["agent"])
    return ""


def _config(value: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the run, which newer versions write as text."""
    config = value.get("replay_config")
    if isinstance(config, str):
        try:
            config = json.loads(config)
        except (ValueError, RecursionError):
            return {}
    return mapping(config)

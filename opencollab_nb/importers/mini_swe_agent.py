"""mini-swe-agent trajectories (`.traj.json`): one list of messages, by itself or under `messages`."""

from __future__ import annotations

import re
from typing import Any

from opencollab_nb.importers.chat import chat_message
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.items import KINDS, messages_of
from opencollab_nb.importers.mini_swe_results import failed
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Messages, text_of
from opencollab_nb.transcript import Transcript

NAME = "mini-swe-agent"
WANTS = "`messages` beside `trajectory_format` or `info`, or a list whose replies each hold one block of bash"
_ACTION = re.compile(r"```(?:bash|mswea_bash_command)\s*\n.*?\n```", re.DOTALL)
_INFO = ("exit_status", "submission", "model_stats", "mini_version", "config")


def signs(source: Source) -> float:
    """Certain where the file names its format; a bare list is told by replies with one command each."""
    value = source.json
    if isinstance(value, dict):
        if not isinstance(value.get("messages"), list):
            return 0.0
        info = mapping(value.get("info"))
        if text(value.get("trajectory_format")).startswith("mini-swe-agent") or "mini_version" in info:
            return 1.0
        return 0.85 if sum(key in info for key in _INFO) >= 2 else 0.0
    return 0.9 if _acts_in_text(sequence(value)) else 0.0


def read(source: Source) -> list[Transcript]:
    """The one transcript of the file."""
    value = source.json
    draft = Draft(source, NAME)
    whole = mapping(value)
    info = mapping(whole.get("info"))
    model = text(mapping(mapping(info.get("config")).get("model")).get("model_name")) or None
    for entry in sequence(value) or sequence(whole.get("messages")):
        if isinstance(entry, dict):
            _take(draft, entry, model)
        else:
            draft.skip("no message")
    draft.outcome = text(info.get("exit_status")) or draft.outcome
    draft.title = text(whole.get("instance_id")) or None
    if source.damage:
        draft.broken(source.name, source.damage)
    return [draft.done()] if draft.messages else []


def _take(draft: Draft, entry: dict[str, Any], model: str | None) -> None:
    extra = mapping(entry.get("extra"))
    if entry.get("role") == "exit":
        draft.outcome = text(extra.get("exit_status")) or draft.outcome
        return draft.skip("exit")
    found = _messages(entry)
    if not found:
        return draft.skip("no message")
    draft.used()
    response = entry if entry.get("object") == "response" else mapping(extra.get("response"))
    usage, model = usage_of(response.get("usage")), text(response.get("model")) or model
    if response and not any(message["role"] == "assistant" for message in found):
        # A reply that could not be used is kept with the complaint about it only.
        draft.asked(usage=usage, model=model)
    for message in found:
        replied = bool(draft.messages) and draft.messages[-1]["meta"]["step"] > 0
        if message["role"] == "assistant":
            draft.reply(message, usage=usage, model=model)
            usage = None
        elif message["role"] == "tool" or (message["role"] == "user" and replied):
            draft.add(message, source="tool", error=failed(message, extra))
        else:
            draft.take(message)
    return None


def _messages(entry: dict[str, Any]) -> Messages:
    """An entry as messages: one of the chat, an answer of the Responses API, or one of its items."""
    if entry.get("object") == "response":
        return messages_of(sequence(entry.get("output")))
    plain = {key: value for key, value in entry.items() if key != "extra"}
    if text(plain.get("type")) in (*KINDS, "message"):
        return messages_of([plain])
    message = chat_message({key: value for key, value in plain.items() if value is not None})
    return [] if message is None else [message]


def _acts_in_text(messages: list[Any]) -> bool:
    """True for messages in which most replies hold one command and what follows tells its return code."""
    found = [message for entry in messages if (message := chat_message(entry))]
    if not found or any(message["role"] not in ("system", "user", "assistant") for message in found):
        return False
    replies = [text_of(message) for message in found if message["role"] == "assistant"]
    acting = sum(len(_ACTION.findall(said)) == 1 for said in replies)
    told = sum("returncode" in text_of(message) for message in found if message["role"] == "user")
    return bool(replies) and 2 * acting > len(replies) and told > 0

"""OpenAI chat messages: a list, one on each line, conversations of them, recorded exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers import blocks, sse
from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.chat import ROLES, chat_message, is_of_the_chat, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import Exchange, conversations, exchanges, likeness
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.talks import Talk, drafted, sample, talks
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.models.openai_wire import NotAReply, reply_of
from opencollab_nb.transcript import Transcript

NAME = "openai-chat"
WANTS = "messages with `role` and `content`: a list, one on each line, or lists under `messages` or `traj`"
_KEYS = ("messages", "traj")
_BESIDE = {
    *(
        "model",
        "tools",
        "functions",
        "temperature",
        "max_tokens",
        "top_p",
        "stream",
        "tool_choice",
        "seed",
        "n",
    ),
    *("parallel_tool_calls", "metadata", "id", "task_id", "trial", "reward", "info", "weight", "usage"),
    *("max_completion_tokens", "response_format", "prompt", "stop"),
}
"""What may stand beside messages; with anything else there they are somebody's own form."""


def signs(source: Source) -> float:
    """High for exchanges with its API and messages with roles of the chat; lower within an unknown form."""
    recorded = exchanges(source)
    if recorded:
        return likeness(recorded, _is_exchange, 0.9)
    conversations = talks(source, _has_role, _KEYS)
    found = sample(conversations)
    if not found:
        return 0.0
    strange = any(talk.beside.keys() - _BESIDE for talk in conversations)
    chat = _has_role if any(map(is_of_the_chat, found)) else _is_chat
    return (0.55 if strange else 0.8) * sum(map(chat, found)) / len(found)


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation."""
    recorded = exchanges(source)
    if recorded:
        calls = [call for one in recorded if (call := _call(one))]
        return conversations(source, NAME, calls)
    return drafted(source, NAME, talks(source, _has_role, _KEYS), _fill)


def _fill(draft: Draft, talk: Talk) -> None:
    for number, value in enumerate(talk.messages, 1):
        if isinstance(value, Broken):
            draft.broken(f"{draft.source.name}, record {number:,}", value.why)
            continue
        message = chat_message(value)
        if message is None:
            draft.skip("no message")
            continue
        draft.take(message)
        draft.used()
    draft.tools += _tools(talk.beside)
    reward = talk.beside.get("reward")
    if reward is not None:
        draft.outcome = f"reward {text(reward)[:40]}"


def _call(one: Exchange) -> Call | None:
    """The exchange in sound messages; None for one that is no call of the model."""
    given = one.request.get("messages")
    if not isinstance(given, list):
        return None
    messages = [message for value in given if (message := chat_message(value))]
    response, notice = one.response, None
    if isinstance(response, str):
        response, ended = sse.chat(response)
        notice = None if ended else sse.BROKE_OFF
    try:
        reply = reply_of(response)
    except NotAReply as problem:
        return Call(messages, None, tools=_tools(one.request), notice=f"{problem}: {text(response)[:200]}")
    said = chat_message({**reply.message})
    model = response.get("model") or one.request.get("model")
    return Call(messages, said, usage_of(response.get("usage")), model, _tools(one.request), notice)


def _tools(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = body.get("tools")
    return [dict(tool) for tool in given if isinstance(tool, Mapping)] if isinstance(given, list) else []


def _is_exchange(one: Exchange) -> bool:
    if not isinstance(one.request.get("messages"), list):
        return False
    response = one.response
    if isinstance(response, str):
        return "chat.completion.chunk" in response[:4000] or '"choices"' in response[:4000]
    return isinstance(response, Mapping) and ("choices" in response or "error" in response)


def _has_role(value: Any) -> bool:
    return isinstance(value, dict) and "type" not in value and value.get("role") in (*ROLES, "function")


def _is_chat(value: Any) -> bool:
    if not _has_role(value):
        return False
    content = value.get("content")
    return not (
        isinstance(content, list)
        and any(isinstance(part, dict) and part.get("type") in blocks.KINDS for part in content)
    )

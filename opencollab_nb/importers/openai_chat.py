"""OpenAI chat messages: a list, one on each line, or conversations of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from opencollab_nb.importers.blocks import KINDS
from opencollab_nb.importers.chat import ROLES, chat_message, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.transcript import Transcript

NAME = "openai-chat"
WANTS = "messages with `role` and `content`: a list, one on each line, or lists under `messages` or `traj`"
LISTS = ("messages", "traj")
_TRIED = 40


class Talk(NamedTuple):
    """One conversation of a file."""

    messages: list[Any]
    beside: Mapping[str, Any]
    """What stands beside its messages."""


def signs(source: Source) -> float:
    """High for messages with roles of the chat; lower where their contents are blocks of another provider."""
    found = [message for talk in talks(source)[:_TRIED] for message in talk.messages[:_TRIED]][:_TRIED]
    if not found:
        return 0.0
    good = [one for one in found if _is_chat(one)]
    share = len(good) / len(found)
    return 0.8 * share


def talks(source: Source) -> list[Talk]:
    """The conversations of a file, in any of the forms."""
    value = source.json
    if isinstance(value, dict):
        found = _under(value)
        return [found] if found else [Talk([value], {})] if _has_role(value) else []
    if isinstance(value, list):
        several = [found for one in value if isinstance(one, dict) and (found := _under(one))]
        return several or ([Talk(value, {})] if any(map(_has_role, value)) else [])
    values = [one for _, one in source.lines]
    several = [found for one in values if isinstance(one, dict) and (found := _under(one))]
    return several or ([Talk(values, {})] if any(map(_has_role, values)) else [])


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation."""
    found = talks(source)
    drafts = []
    for n, talk in enumerate(found):
        draft = Draft(source, NAME, f"{source.name}[{n}]" if len(found) > 1 else None)
        _fill(draft, talk)
        drafts.append(draft)
    if drafts and source.damage:
        drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts if draft.messages]


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
    tools = talk.beside.get("tools")
    draft.tools += [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    reward = talk.beside.get("reward")
    if reward is not None:
        draft.outcome = f"reward {text(reward)[:40]}"


def _under(value: Mapping[str, Any]) -> Talk | None:
    for key in LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and any(map(_has_role, inner)):
            return Talk(inner, {k: v for k, v in value.items() if k != key})
    return None


def _has_role(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in (*ROLES, "function")


def _is_chat(value: Any) -> bool:
    if not _has_role(value) or "type" in value:
        return False
    content = value.get("content")
    return not (
        isinstance(content, list) and any(isinstance(p, dict) and p.get("type") in KINDS for p in content)
    )

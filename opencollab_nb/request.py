"""A request: shaped view + tail + tool schemas + settings, and the one place where its wire form is made.

`meta` is stripped here and what a provider would refuse is repaired in the outgoing copy; the
messages themselves stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from typing import Any

from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    encodable,
    function_of,
    is_system,
    parts_of,
    tool_calls_of,
    wire,
)
from opencollab_nb.shaping.faults import message_faults, object_in, order_faults

INTERRUPTED = "[interrupted]"


@dataclass(frozen=True)
class Request:
    """What is sent at one step.

    >>> task = {"role": "user", "content": "hi", "meta": {"id": 0}}
    >>> Request((task,)).messages
    [{'role': 'user', 'content': 'hi'}]
    """

    view: Sequence[Message]
    """The shaped messages, `meta` included."""
    tail: Message | None = None
    """At most one user-role message of this request only; never part of the view."""
    tools: Sequence[Mapping[str, Any]] = ()
    """Tool schemas in the OpenAI shape."""
    max_output_tokens: int | None = None
    """Limit of the reply, None for the provider's own."""
    temperature: float | None = None
    strict: bool = False
    """True for a provider that had refused the form: what goes out is what the strictest template takes."""
    purpose: str = "step"
    """What the reply is for: `step` or `summary`. Never sent; `RoutedModel` can choose by it."""
    step: int | None = field(default=None, compare=False)
    """The step it is made for, where a session made it. Never sent; `ReplayModel` goes by it."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What a provider gets: view and tail, paired, well-formed JSON and Unicode, no `meta`.

        Made of fresh copies each time, so whoever edits them reaches nothing that is stored.
        """
        sent: list[dict[str, Any]] = copied(self._sent)
        return sent

    @property
    def wire(self) -> list[dict[str, Any]]:
        """The same as `messages`."""
        return self.messages

    @property
    def shaped(self) -> Messages:
        """View and tail as the session holds them, `meta` included: the stored objects, not to be edited."""
        return [*self.view, *([self.tail] if self.tail else [])]

    @cached_property
    def _sent(self) -> list[dict[str, Any]]:
        sent = paired(list(map(sendable, self.shaped)))
        return strictly(sent) if self.strict else sent


def copied(value: Any) -> Any:
    """The value with lists and mappings of its own."""
    if isinstance(value, list):
        return [copied(v) for v in value]
    return {k: copied(v) for k, v in value.items()} if isinstance(value, dict) else value


def sendable(message: Mapping[str, Any]) -> dict[str, Any]:
    """The outgoing copy of one message; the very values where nothing is wrong with them."""
    out = wire(message)
    calls = tool_calls_of(message)
    if calls:
        out["tool_calls"] = [with_valid_arguments(call) for call in calls]
    elif "tool_calls" in out:
        del out["tool_calls"]
    content = out.get("content")
    if isinstance(content, list) and not content:
        out["content"] = ""
    if content is None and not calls:
        out["content"] = ""
    clean: dict[str, Any] = scrubbed(out)
    return clean


def with_valid_arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that are no JSON object are sent as one that holds the text, so that nothing is lost.

    >>> with_valid_arguments({"id": "a", "function": {"name": "f", "arguments": "{"}})["function"]
    {'name': 'f', 'arguments': '{"invalid_arguments": "{"}'}
    """
    text: Any = call_arguments(call)
    value = object_in(text)
    if value is not None and isinstance(text, str):
        return dict(call)
    if value is None:
        value = {"invalid_arguments": text} if text else {}
    function = {**function_of(call), "arguments": json.dumps(value, ensure_ascii=False)}
    return {**call, "function": function}


def scrubbed(value: Any) -> Any:
    """The value with lone surrogates replaced: they cannot be encoded, so no provider takes them.

    >>> scrubbed({"content": "a" + chr(0xD83E)})
    {'content': 'a\ufffd'}
    """
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [scrubbed(v) for v in value]
    if isinstance(value, dict):
        return {scrubbed(k): scrubbed(v) for k, v in value.items()}
    return value


def paired(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    r"""Every call answered, every result after its call.

    An unanswered call is answered `[interrupted]`, a stray result becomes a user-role note.
    Pairing is by position, since ids repeat.

    >>> stray = {"role": "tool", "tool_call_id": "z", "content": "42"}
    >>> paired([stray])
    [{'role': 'user', 'content': '[result of a call that is not in this history]\n42'}]
    """
    out: list[dict[str, Any]] = []
    waiting: list[str] = []

    def answer_the_rest() -> None:
        out.extend({"role": "tool", "tool_call_id": i, "content": INTERRUPTED} for i in waiting)
        waiting.clear()

    strays: list[dict[str, Any]] = []
    for message in messages:
        if message.get("role") == "tool":
            answered = message.get("tool_call_id") or ""
            if answered in waiting:
                waiting.remove(answered)
                out.append(message)
            else:
                strays.append(stray_note(message))
            continue
        answer_the_rest()
        out += strays
        strays = []
        out.append(message)
        waiting += [call.get("id") or "" for call in tool_calls_of(message)]
    answer_the_rest()
    return out + strays


def strictly(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    r"""Paired messages in the form that the strictest templates take; all words stay.

    One system message, at the start; roles that alternate; a text in every message; ids of calls
    that are unique, of nine letters and digits.

    >>> spoken = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    >>> strictly([{"role": "system", "content": "s"}, *spoken, {"role": "system", "content": "t"}])[1:]
    [{'role': 'user', 'content': 'a\n\nb\n\nt'}]
    """
    out: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []
    made = count(1)
    for given in messages:
        message = dict(given)
        if is_system(message) and any(not is_system(m) for m in out):
            message["role"] = "user"
        if message.get("role") == "tool":
            place = next(
                at for at, (old, _) in enumerate(waiting) if old == (message.get("tool_call_id") or "")
            )
            message["tool_call_id"] = waiting.pop(place)[1]
        elif message.get("content") is None:
            message["content"] = ""
        if calls := tool_calls_of(message):
            waiting = [(call.get("id") or "", f"call{next(made):05}") for call in calls]
            message["tool_calls"] = [
                {**call, "id": new} for call, (_, new) in zip(calls, waiting, strict=True)
            ]
        if out and _go_together(out[-1], message):
            joined = _joined(out[-1].get("content"), message.get("content"))
            out[-1] = {**out[-1], **message, "role": out[-1]["role"], "content": joined}
        else:
            out.append(message)
    return out


def _go_together(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """True for two neighbours of one role that can be one message: no results, nor calls before words."""
    same = one.get("role") == other.get("role") or (is_system(one) and is_system(other))
    return same and one.get("role") != "tool" and not tool_calls_of(one)


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return "\n\n".join(filter(None, (one, other)))
    sides = ([{"type": "text", "text": c}] if isinstance(c, str) else parts_of(c) for c in (one, other) if c)
    return list(chain.from_iterable(sides))


def stray_note(message: Mapping[str, Any]) -> dict[str, Any]:
    """A result without its call, as text the model can still read."""
    note = "[result of a call that is not in this history]"
    content = message.get("content")
    if isinstance(content, list):
        return {"role": "user", "content": [{"type": "text", "text": note}, *content]}
    return {"role": "user", "content": f"{note}\n{content or ''}"}


def wire_faults(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    """What providers would refuse in these messages, each fault named once; empty for a sound history."""
    return order_faults(messages).union(*map(message_faults, messages))

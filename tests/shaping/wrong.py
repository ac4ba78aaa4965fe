"""Shapers with a fault, each marked with the law that it breaks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from opencollab_nb.messages import Message, Messages, is_pinned, is_system, ranges, with_content, with_meta
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.summary import summary_message

WRONG: list[tuple[str, Any]] = []


def breaks(law: str) -> Callable[[Any], Any]:
    def keep(shaper: Any) -> Any:
        WRONG.append((law, shaper))
        return shaper

    return keep


def _rewrite(messages: Messages, change: Callable[[Message], Message | None]) -> Messages:
    changed = [change(m) for m in messages]
    if all(a is b for a, b in zip(changed, messages, strict=True)):
        return messages
    return [m for m in changed if m is not None]


@breaks("paired")
def drops_old_results(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages):
        return messages
    return _rewrite(messages, lambda m: None if m["role"] == "tool" and not is_pinned(m) else m)


@breaks("paired")
def drops_the_calls_and_keeps_the_results(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages):
        return messages
    return _rewrite(messages, lambda m: None if m.get("tool_calls") and not is_pinned(m) else m)


@breaks("paired")
def keeps_the_last_half(messages: Messages, pressure: Pressure) -> Messages:
    return messages[len(messages) // 2 :] if pressure.over(messages) else messages


@breaks("pure")
def edits_its_input(messages: Messages, pressure: Pressure) -> Messages:
    for message in messages:
        if message["role"] == "tool":
            message["content"] = "gone"
    return messages


@breaks("pure")
def sorts_its_input(messages: Messages, pressure: Pressure) -> Messages:
    messages.sort(key=lambda m: str(m.get("content")))
    return messages


_numbers = itertools.count()


@breaks("pure")
def answers_by_the_clock(messages: Messages, pressure: Pressure) -> Messages:
    number = next(_numbers) % 7
    return _rewrite(
        messages, lambda m: with_content(m, f"{number}") if m["role"] == "tool" and not is_pinned(m) else m
    )


@breaks("pinned")
def moves_pins_to_the_front(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages):
        return messages
    ordered = sorted(messages, key=lambda m: (m.get("meta") or {}).get("priority") or 0, reverse=True)
    return messages if ordered == messages else ordered


@breaks("pinned")
def shortens_the_task(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        text = message.get("content")
        mine = (
            (message.get("meta") or {}).get("source") == "task" and isinstance(text, str) and len(text) > 20
        )
        return with_content(message, str(text)[:20]) if mine else message

    return _rewrite(messages, change) if pressure.over(messages) else messages


@breaks("pinned")
def removes_the_system(messages: Messages, pressure: Pressure) -> Messages:
    return _rewrite(messages, lambda m: None if is_system(m) else m) if pressure.over(messages) else messages


@breaks("pinned")
def removes_every_user_message(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages):
        return messages
    return _rewrite(messages, lambda m: None if m["role"] == "user" and not is_pinned(m) else m)


@breaks("calm")
def acts_when_calm(messages: Messages, pressure: Pressure) -> Messages:
    return _rewrite(
        messages,
        lambda m: None if m["role"] == "assistant" and not m.get("tool_calls") and m != messages[-1] else m,
    )


@breaks("calm")
def copies_for_nothing(messages: Messages, pressure: Pressure) -> Messages:
    return list(messages)


@breaks("shorter")
def decorates_results(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        text = message.get("content")
        plain = message["role"] == "tool" and isinstance(text, str) and not text.startswith("*")
        return with_content(message, f"**{text}**") if plain and not is_pinned(message) else message

    return _rewrite(messages, change) if pressure.over(messages) else messages


@breaks("shorter")
def stubs_longer_than_what_they_replace(messages: Messages, pressure: Pressure) -> Messages:
    stub = "[the content of this old tool result has been removed to save space]"
    return (
        _rewrite(messages, lambda m: with_content(m, stub) if m["role"] == "tool" and not is_pinned(m) else m)
        if pressure.over(messages)
        else messages
    )


@breaks("settled")
def halves_results_each_time(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        text = message.get("content")
        long = message["role"] == "tool" and isinstance(text, str) and len(text) > 1
        return (
            with_content(message, str(text)[: len(str(text)) // 2])
            if long and not is_pinned(message)
            else message
        )

    return _rewrite(messages, change) if pressure.over(messages) else messages


@breaks("local")
@dataclass(frozen=True)
class CapsByTheNumberOfResults:
    acts: ClassVar[str] = "each"

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        share = 1_000 // max(1, sum(m["role"] == "tool" for m in messages))

        def change(message: Message) -> Message:
            text = message.get("content")
            long = message["role"] == "tool" and isinstance(text, str) and len(text) > share
            return with_content(message, str(text)[:share]) if long and not is_pinned(message) else message

        return _rewrite(messages, change)


@breaks("accounted")
def renumbers(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages):
        return messages
    return [with_meta(m, id=m["meta"]["id"] + 1) for m in messages]


@breaks("accounted")
def invents_a_message(messages: Messages, pressure: Pressure) -> Messages:
    note: Message = {"role": "assistant", "content": "I did much."}
    return [*messages[:-1], note, messages[-1]] if pressure.over(messages) else messages


@breaks("accounted")
def invents_an_id(messages: Messages, pressure: Pressure) -> Messages:
    note: Message = {"role": "user", "content": "note", "meta": {"id": 10_000}}
    return [*messages, note] if pressure.over(messages) else messages


@breaks("accounted")
def doubles_a_message(messages: Messages, pressure: Pressure) -> Messages:
    return [*messages, messages[-1]] if pressure.over(messages) else messages


@breaks("accounted")
def changes_roles(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        plain = message["role"] == "assistant" and not message.get("tool_calls")
        return {**message, "role": "user", "content": "x"} if plain and not is_pinned(message) else message

    return _rewrite(messages, change) if pressure.over(messages) else messages


def _summarized(messages: Messages, covers: list[int]) -> Messages:
    first = next((at for at, m in enumerate(messages) if not is_pinned(m)), len(messages))
    if (
        first + 1 >= len(messages)
        or messages[first]["role"] != "assistant"
        or messages[first].get("tool_calls")
    ):
        return messages
    return [*messages[:first], summary_message("s", ranges(covers)), *messages[first + 1 :]]


@breaks("accounted")
def covers_ids_of_another_transcript(messages: Messages, pressure: Pressure) -> Messages:
    return _summarized(messages, [5_000, 5_001]) if pressure.over(messages) else messages


@breaks("accounted")
def covers_what_it_keeps(messages: Messages, pressure: Pressure) -> Messages:
    return _summarized(messages, [m["meta"]["id"] for m in messages]) if pressure.over(messages) else messages


@breaks("accounted")
def swaps_neighbours(messages: Messages, pressure: Pressure) -> Messages:
    if not pressure.over(messages) or len(messages) < 3 or any(m["role"] == "tool" for m in messages[-2:]):
        return messages
    if is_pinned(messages[-1]) or is_pinned(messages[-2]) or messages[-1].get("tool_calls"):
        return messages
    return [*messages[:-2], messages[-1], messages[-2]]


@breaks("sendable")
def removes_the_newest_group(messages: Messages, pressure: Pressure) -> Messages:
    plain = not messages[-1].get("tool_calls") and messages[-1]["role"] == "assistant"
    return messages[:-1] if pressure.over(messages) and plain and not is_pinned(messages[-1]) else messages


@breaks("sendable")
def breaks_the_json_of_arguments(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        calls = message.get("tool_calls")
        if not calls or is_pinned(message):
            return message
        cut = [
            {**c, "function": {**c["function"], "arguments": c["function"]["arguments"][:9]}} for c in calls
        ]
        return {**message, "tool_calls": cut} if cut != calls else message

    return _rewrite(messages, change) if pressure.over(messages) else messages


@breaks("sendable")
def leaves_half_a_surrogate_pair(messages: Messages, pressure: Pressure) -> Messages:
    def change(message: Message) -> Message:
        text = message.get("content")
        long = message["role"] == "tool" and isinstance(text, str) and len(text) > 9
        return with_content(message, "\ud83e") if long and not is_pinned(message) else message

    return _rewrite(messages, change) if pressure.over(messages) else messages


@breaks("sendable")
def empties_results(messages: Messages, pressure: Pressure) -> Messages:
    return (
        _rewrite(messages, lambda m: with_content(m, "") if m["role"] == "tool" and not is_pinned(m) else m)
        if pressure.over(messages)
        else messages
    )


@breaks("sendable")
def returns_nothing(messages: Messages, pressure: Pressure) -> Messages | None:
    return messages if not pressure.over(messages) else None


@breaks("sendable")
def returns_a_generator(messages: Messages, pressure: Pressure) -> Any:
    return (m for m in messages)


@breaks("sendable")
def raises(messages: Messages, pressure: Pressure) -> Messages:
    return [messages[99]] if pressure.over(messages) else messages

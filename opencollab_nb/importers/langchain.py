"""LangChain and LangGraph: messages dumped in any of their forms, and the runs of tracers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import together
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.langchain_messages import Said, said_of
from opencollab_nb.importers.langchain_runs import call_of, is_model_run, runs_in
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.talks import Talk, talks
from opencollab_nb.transcript import Transcript

NAME = "langchain"
WANTS = "messages with a `type` such as `human` and `data` or `content`, or with `lc` and `kwargs`; or runs"
_KEYS = ("messages", "chat_history", "history")
_AROUND = (
    "values",
    "outputs",
    "output",
    "state",
    "kwargs",
    "channel_values",
    "checkpoint",
    "inputs",
    "input",
)
_TRIED, _DEEP = 60, 4


def signs(source: Source) -> float:
    """High for messages in one of LangChain's forms."""
    if any(is_model_run(run) for value in _values(source)[:_TRIED] for run in runs_in(value)):
        return 0.92
    found = [one for talk in _talks(source) for one in talk.messages][:_TRIED]
    said = [one for value in found if (one := said_of(value))]
    if not any(one.message["role"] in ("user", "assistant") for one in said):
        return 0.0
    return 0.92 * len(said) / len(found)


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation; of a tracer's runs, those that go on from one another are one."""
    runs = [run for value in _values(source) for run in runs_in(value)]
    calls = [call_of(run) for run in runs if is_model_run(run)]
    drafts = together(source, NAME, calls) if calls else _dumped(source)
    if drafts and calls:
        drafts[-1].skip("run that is no model call", len(runs) - len(calls))
        for number, value in source.lines:
            if isinstance(value, Broken):
                drafts[-1].broken(f"{source.name}, line {number:,}", value.why)
    if drafts and source.damage:
        drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts if draft.messages]


def _dumped(source: Source) -> list[Draft]:
    found = _talks(source)
    drafts = []
    for n, talk in enumerate(found):
        draft = Draft(source, NAME, f"{source.name}[{n}]" if len(found) > 1 else None)
        for number, value in enumerate(talk.messages, 1):
            said = None if isinstance(value, Broken) else said_of(value)
            if isinstance(value, Broken):
                draft.broken(f"{source.name}, record {number:,}", value.why)
            elif said is None:
                draft.skip(text(mapping(value).get("type"))[:40] or "no message")
            else:
                _take(draft, said)
        drafts.append(draft)
    return drafts


def _take(draft: Draft, said: Said) -> None:
    draft.used()
    if said.message["role"] == "tool":
        draft.add(said.message, source="tool", error=said.failed)
    elif said.summary:
        draft.add(said.message, source="summary")
    else:
        draft.take(said.message, usage=said.usage, model=said.model)


def _values(source: Source) -> list[Any]:
    return source.json if isinstance(source.json, list) else source.objects


def _talks(source: Source) -> list[Talk]:
    """The conversations of a file, whatever the state they are kept in is wrapped in."""
    found = talks(source, lambda value: said_of(value) is not None, _KEYS)
    if not found:
        inner = [held for value in _values(source) for held in _unwrapped(value, 0)]
        found = [Talk(messages, {}) for messages in inner]
    if not found:
        updates = [held for value in _values(source) for held in _updated(value)]
        return [Talk(updates, {})] if any(map(said_of, updates)) else []
    longest = max((talk.messages for talk in found), key=len, default=[])
    if len(found) > 1 and all(talk.messages == longest[: len(talk.messages)] for talk in found):
        # The states of one thread, each with all that was said until then.
        return [Talk(longest, {})]
    return found


def _updated(value: Any) -> list[Any]:
    """The messages that a step of a graph added: under the names of its nodes, or under `update`."""
    found: list[Any] = []
    for held in value.values() if isinstance(value, dict) else ():
        added = mapping(held).get("messages")
        found += added if isinstance(added, list) else [added] if isinstance(added, dict) else []
    return found


def _unwrapped(value: Any, depth: int) -> Iterator[list[Any]]:
    """The longest list of messages within a state, if there is any."""
    found: list[list[Any]] = []
    if not isinstance(value, dict) or depth > _DEEP:
        return
    for key in _KEYS:
        listed = sequence(value.get(key))
        nested = [one for one in listed if isinstance(one, list)]
        found += [one for one in nested or [listed] if any(map(said_of, one))]
    for key in _AROUND:
        found += _unwrapped(value.get(key), depth + 1)
    if found:
        yield max(found, key=len)

"""A transcript taken apart into its steps, and the tools that answer as they did then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import Message, Messages, call_name, id_of, is_system, text_of, tool_calls_of
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript


@dataclass
class RecordedStep:
    """One reply of the recording and what came of it."""

    reply: Message
    usage: Usage | None = None
    model: str | None = None
    results: Messages = field(default_factory=list)
    said: Messages = field(default_factory=list)
    """What was said by others before the next reply."""
    request: int | None = None
    """The request that it answered, counted from 1 as `view_sent` does; None where the file tells of none."""


@dataclass(frozen=True)
class Recording:
    """The beginning of a transcript, and its steps in order."""

    transcript: Transcript
    system: str
    task: str
    steps: tuple[RecordedStep, ...]

    def seen(self, step: RecordedStep) -> Messages:
        """What the recorded agent was sent for this reply."""
        if step.request is not None:
            return view_sent(self.transcript, step.request)
        return self.transcript.stored[: id_of(step.reply)]


def recording_of(transcript: Transcript) -> Recording:
    """The steps of a transcript: each assistant message begins one.

    >>> transcript = Transcript()
    >>> for role, text in [("user", "Fix it."), ("assistant", "Done.")]:
    ...     _ = transcript.append({"role": role, "content": text}, source="task", step=0)
    >>> recording_of(transcript).task
    'Fix it.'
    """
    calls = transcript.origin.sent if transcript.origin else ()
    sent = {call.reply: (n, call) for n, call in enumerate(calls, 1)}
    before: Messages = []
    steps: list[RecordedStep] = []
    for message in transcript.stored:
        role = message.get("role")
        if role == "assistant":
            n, call = sent.get(id_of(message), (None, None))
            usage, model = (None, None) if call is None else (call.usage, call.model)
            steps.append(RecordedStep(message, usage, model, request=n))
        elif not steps:
            before.append(message)
        elif role == "tool":
            steps[-1].results.append(message)
        else:
            steps[-1].said.append(message)
    system = "\n\n".join(text_of(m) for m in before if is_system(m))
    task = "\n\n".join(text_of(m) for m in before if not is_system(m)).strip()
    return Recording(transcript, system, task, tuple(steps))


class RecordedTools:
    """The tools of a recording: each call gets the result that it got then; nothing is run.

    >>> RecordedTools(()).call("bash", {"command": "ls"})
    'Error: the recording holds no result for this call of bash.'
    """

    def __init__(self, steps: tuple[RecordedStep, ...], schemas: tuple[Mapping[str, Any], ...] = ()) -> None:
        names = {call_name(call): None for step in steps for call in tool_calls_of(step.reply)}
        known = {name: dict(schema) for schema in schemas if (name := function_name(schema))}
        self._schemas = list({**{name: bare_schema(name) for name in names if name}, **known}.values())
        self._waiting: list[tuple[str, Message]] = []

    def __repr__(self) -> str:
        return f"RecordedTools({[schema['function']['name'] for schema in self._schemas]})"

    def schemas(self) -> list[dict[str, Any]]:
        """The tools that were called, with their schemas where the recording holds them, and those offered.

        What ran at the provider is none of them, unless the recording has its calls.
        """
        return list(self._schemas)

    def close(self) -> None:
        """Nothing was opened."""

    def at(self, step: RecordedStep) -> None:
        """The calls that come next are those of this step."""
        names = [call_name(call) for call in tool_calls_of(step.reply)]
        self._waiting = list(zip(names, step.results, strict=False))

    def call(self, name: str, arguments: str | Mapping[str, Any], *, ticket: Ticket | None = None) -> str:
        """The recorded result of the next call of this name."""
        del arguments
        if ticket is not None:
            ticket.check()
        for at, (asked, result) in enumerate(self._waiting):
            if asked == name:
                del self._waiting[at]
                return text_of(result)
        return f"Error: the recording holds no result for this call of {name}."


def function_name(schema: Mapping[str, Any]) -> str | None:
    """The name of a tool that the agent's side runs; None for one that runs at the provider.

    >>> function_name(bare_schema("ls")), function_name({"type": "web_search_20250305", "name": "web_search"})
    ('ls', None)
    """
    function = schema.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) and name else None


def bare_schema(name: str) -> dict[str, Any]:
    """What can be said of a tool of which only calls are known.

    >>> bare_schema("ls")["function"]["name"]
    'ls'
    """
    parameters = {"type": "object", "additionalProperties": True}
    function = {
        "name": name,
        "description": "As recorded; its schema is not known.",
        "parameters": parameters,
    }
    return {"type": "function", "function": function}

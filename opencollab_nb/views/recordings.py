"""Transcripts to try a shaper on: of a session, a run folder, a file of messages, or the shipped one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import TASK_PRIORITY, Message, Messages, id_of, meta_of, with_meta
from opencollab_nb.pressure import ContextPressure, Pressure
from opencollab_nb.shaping import groups
from opencollab_nb.transcript import repair

PACKAGE = Path(__file__).parents[1]
SHIPPED = "quickstart-careful.jsonl"
SHIPPED_WINDOW = 16_000
PLACES = (PACKAGE / "data" / "transcripts", PACKAGE.parent / "data" / "transcripts")
OVER_RATIO = 0.8
"""A transcript that fits is looked at as if the trigger were this share of it: else nothing would be seen."""
MOST_MESSAGES = 400
"""Of one transcript that the laws are tried on: each law runs the shaper several times."""
TRANSCRIPT, EVENTS = "transcript.jsonl", "events.jsonl"


@dataclass(frozen=True)
class Recording:
    """Messages as they are stored, and the pressure they are looked at under."""

    label: str
    messages: Messages
    pressure: Pressure
    note: str = ""
    """Why the pressure is another than that of the run; empty where it is the same."""

    def pressing(self) -> Recording:
        """The same, under a trigger that it crosses."""
        tokens = self.pressure.tokens(self.messages)
        if tokens > self.pressure.trigger:
            return self
        trigger = max(2, int(tokens * OVER_RATIO))
        ratio = self.pressure.target / self.pressure.trigger
        note = (
            f"it holds {tokens:,} tokens, under its trigger of {self.pressure.trigger:,}: "
            f"shown as if the trigger were {trigger:,}"
        )
        lower = replace(self.pressure, trigger=trigger, target=max(1, int(trigger * ratio)))
        return replace(self, pressure=lower, note=note)

    def for_laws(self) -> Messages:
        """The messages, of a long transcript whole groups from its start and its end."""
        if len(self.messages) <= MOST_MESSAGES:
            return self.messages
        starts = [group.start for group in groups(self.messages)]
        first = max((s for s in starts if s <= MOST_MESSAGES // 2), default=0)
        last = min(s for s in starts if s >= len(self.messages) - MOST_MESSAGES // 2)
        return [*self.messages[:first], *self.messages[last:]]


def of_session(session: Any) -> Recording:
    """The transcript of a session as it is now."""
    return Recording(
        f"the transcript of {session.name or 'the agent'}",
        list(session.transcript.messages),
        session.pressure.snapshot(),
    )


def shipped() -> Recording:
    """The recording that comes with the package: a finished run of the simulated agent."""
    path = next(place / SHIPPED for place in PLACES if (place / SHIPPED).is_file())
    return Recording("a recorded run of quickstart", messages_in(path), Pressure.of(SHIPPED_WINDOW))


def of_file(path: str | Path) -> Recording:
    """A run folder, or a file with one message a line (or one list of messages).

    The folder is only read: a run that goes on in it goes on.

    Raises:
        UsageProblem: there is no such file, or something else is in it; the line is named.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        if not (path / TRANSCRIPT).is_file():
            raise UsageProblem(f"{path} is no run folder: there is no {TRANSCRIPT} in it")
        return Recording(
            f"the run in {path.name}", messages_in(path / TRANSCRIPT), pressure_in(path / EVENTS)
        )
    if not path.is_file():
        raise UsageProblem(f"there is no file {path}; give a run folder or a file of messages")
    events = path.with_name(EVENTS) if path.name == TRANSCRIPT else None
    pressure = pressure_in(events) if events and events.is_file() else Pressure.of()
    return Recording(path.name, messages_in(path), pressure)


def messages_in(path: Path) -> Messages:
    """The messages of a file, numbered, calls without results and stray results repaired.

    Raises:
        UsageProblem: a line is no message.
    """
    messages = [_message(value, path, line) for line, value in values_of(path) if not _is_mark(value)]
    messages = [_unwrapped(value) for value in messages]
    if not messages:
        raise UsageProblem(f"{path.name} holds no message")
    if all(id_of(m) == at for at, m in enumerate(messages)):
        return messages
    sound, _ = repair(messages)
    return [with_meta(m, id=at) for at, m in enumerate(_with_task(sound))]


def _with_task(messages: Messages) -> Messages:
    """Of messages without our private data the first of a user is the task, which is pinned."""
    first = next((at for at, m in enumerate(messages) if m["role"] == "user"), None)
    if first is None or any(meta_of(m) for m in messages):
        return messages
    task = with_meta(messages[first], source="task", priority=TASK_PRIORITY)
    return [*messages[:first], task, *messages[first + 1 :]]


def pressure_in(path: Path) -> Pressure:
    """The pressure a run had at its end, from its events."""
    if not path.is_file():
        return Pressure.of()
    events = [value for _, value in values_of(path)]
    start = next((e for e in events if e.get("kind") == "start"), None)
    if start is None:
        return Pressure.of()
    swap = next((e for e in reversed(events) if e.get("kind") == "swap"), start)
    gauge = ContextPressure(
        start["window"],
        model=start["model_name"],
        max_output_tokens=start["max_output_tokens"] or 0,
        target_ratio=swap["target_ratio"],
    )
    gauge.restore(next((e["pressure"] for e in reversed(events) if e.get("pressure")), start["pressure"]))
    return gauge.snapshot()


def values_of(path: Path) -> list[tuple[int, Any]]:
    """The values of the lines with their numbers; a last line that was not written whole is left out."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageProblem(f"{path} cannot be read: {problem}") from None
    if text.lstrip().startswith("[") or text.lstrip().split("\n", 1)[0].strip() == "{":
        return [(1, value) for value in _whole(text, path)]
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = []
    for number, line in lines:
        try:
            found.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            if (number, line) == lines[-1] and found and not text.endswith("\n"):
                break
            raise UsageProblem(f"{path.name}, line {number}, is no JSON: {line[:60]!r}") from None
    return found


def _whole(text: str, path: Path) -> Sequence[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageProblem(f"{path.name} is no JSON: {problem}") from None
    return value if isinstance(value, list) else [value]


def _is_mark(value: Any) -> bool:
    """True for the lines of a run folder's transcript that are no messages."""
    return isinstance(value, dict) and "entry" in value and "message" not in value


def _message(value: Any, path: Path, line: int) -> Any:
    message: Message | Any = _unwrapped(value)
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise UsageProblem(
            f"{path.name}, line {line}, is no message, which has a `role`: {str(value)[:60]!r}"
        )
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result"):
            raise UsageProblem(
                f"{path.name}, line {line}, holds a part {part['type']!r} of another API: here calls "
                "stand in `tool_calls` and results in messages of the role `tool`"
            )
    return value


def _unwrapped(value: Any) -> Any:
    """The message in a line of a run folder's transcript; anything else as it is."""
    return value["message"] if isinstance(value, dict) and "entry" in value and "message" in value else value

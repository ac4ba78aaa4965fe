"""What a handoff says beyond anchors and todos: read from the trace and the transcript, by rules.

What the harness saw itself (files changed, commits, the last test run, how the session ended) comes first.
What a model said is taken over only where it names itself (`Decision: …`), as its words; of what tools
said only the first line of a failure, quoted. Words that read like instructions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.budget.anchors import Anchors
from opencollab_nb.budget.memory.memory import shortened
from opencollab_nb.budget.memory.redaction import redacted
from opencollab_nb.budget.memory.screening import flags_of
from opencollab_nb.budget.noted import Noted, noted
from opencollab_nb.budget.todos import Todos
from opencollab_nb.messages import Message, call_arguments, call_name, meta_of, text_of
from opencollab_nb.shaping.faults import object_in
from opencollab_nb.shaping.groups import groups
from opencollab_nb.summarizers.findings import findings
from opencollab_nb.summarizers.sections import CHANGED, COMMITTED, FILES, NOTES

MODEL_CHARS = 1_500
LINE_CHARS = 200
FAILURES_AT_MOST, NOTES_AT_MOST, NAMES_AT_MOST = 8, 20, 15
FAILED = ("Error", "[interrupted]")
_SAID = {
    "decisions": re.compile(
        r"(?im)^[^\w\n]{0,8}(?:decision|decided|i decided(?: to)?)[ \t]?[:：]?[ \t]+(\S.{3,300})$"
    ),
    "ruled_out": re.compile(
        r"(?im)^[^\w\n]{0,8}(?:ruled out|does(?:n't| not) work|dead end|not an option)[ \t]?[:：][ \t]*"
        r"(\S.{3,300})$"
    ),
    "next_steps": re.compile(
        r"(?im)^[^\w\n]{0,8}(?:next(?: steps?)?|to do|todo)[ \t]?[:：][ \t]*(\S.{3,300})$"
    ),
    "cautions": re.compile(
        r"(?im)^[^\w\n]{0,8}(?:caution|careful|beware|warning|note)[ \t]?[:：][ \t]*(\S.{3,300})$"
    ),
}
_SINGULAR = {"decisions": "decision", "next_steps": "next_step", "cautions": "caution"}
_RED = re.compile(r"(?m)^(?:FAILED |ERROR |E {3}|=+ .*\b\d+ (?:failed|error))|\b\d+ (?:failed|errors?)\b")


@dataclass(frozen=True)
class Facts:
    """What was found."""

    goal: str | None
    user_instructions: tuple[str, ...]
    state: tuple[str, ...]
    decisions: tuple[Noted, ...]
    ruled_out: tuple[Noted, ...]
    next_steps: tuple[Noted, ...]
    cautions: tuple[Noted, ...]
    model_text: str


@dataclass(frozen=True)
class _Called:
    """A call, as far as two calls are the same attempt."""

    name: str
    about: str
    result: str

    @property
    def failed(self) -> bool:
        return self.result.startswith(FAILED) or (self.name == "run_tests" and bool(_RED.search(self.result)))


def facts_of(
    anchors: Anchors,
    todos: Todos,
    events: Sequence[Mapping[str, Any]],
    messages: Sequence[Message],
    *,
    steps: int,
    detail: str,
) -> Facts:
    """All of it, from one run."""
    found = findings(messages)
    calls = list(_calls(messages))
    last = {(call.name, call.about): call for call in calls}
    said = {section: _said(section, anchors, messages) for section in _SAID}
    return Facts(
        _task(messages),
        tuple(_spoken(messages)),
        tuple(_state(todos, found, calls, steps, detail)),
        said["decisions"],
        (*said["ruled_out"], *_failures(last.values())),
        (*said["next_steps"], *_next(todos)),
        (*said["cautions"], *_warnings(events, calls)),
        _model_text(messages, found.get(NOTES, [])),
    )


def _task(messages: Iterable[Message]) -> str | None:
    return next((text_of(m) for m in messages if meta_of(m).get("source") == "task"), None)


def _spoken(messages: Iterable[Message]) -> Iterable[str]:
    return (text_of(m) for m in messages if meta_of(m).get("source") == "user" and text_of(m).strip())


def _state(
    todos: Todos, found: Mapping[str, list[str]], calls: Sequence[_Called], steps: int, detail: str
) -> Iterable[str]:
    if detail:
        yield " ".join(detail.split())
    if len(todos):
        yield f"After {steps:,} steps {len(todos.done)} of {len(todos)} todos are done."
    elif steps:
        yield f"{steps:,} steps were made."
    changed = [line.removesuffix(CHANGED) for line in found.get(FILES, []) if line.endswith(CHANGED)]
    for title, names in (("Files changed", changed), ("Commits", found.get(COMMITTED, []))):
        if names:
            yield f"{title}, the newest last: {_listed(names)}."
    tests = next((call for call in reversed(calls) if call.name == "run_tests"), None)
    if tests is not None:
        yield f"The last test run ({tests.about or 'all tests'}) {'failed' if tests.failed else 'passed'}."


def _listed(names: Sequence[str]) -> str:
    distinct = list(reversed(dict.fromkeys(reversed(names))))
    left = len(distinct) - NAMES_AT_MOST
    clean = [_safe(name) for name in distinct[-NAMES_AT_MOST:]]
    return "; ".join([*([f"{left} earlier"] if left > 0 else []), *clean])


def _safe(text: str) -> str:
    """A name for the harness's own sentence: one short line without secrets."""
    return (
        "(a name that reads like instructions)"
        if flags_of(text)
        else redacted(shortened(text, LINE_CHARS))[0]
    )


def _calls(messages: Sequence[Message]) -> Iterable[_Called]:
    for group in groups(messages):
        for call, at in zip(group.calls, group.results, strict=True):
            arguments = object_in(call_arguments(call)) or {}
            about = next((str(arguments[k]) for k in ("command", "path", "pattern") if arguments.get(k)), "")
            result = text_of(group.messages[at - group.start]) if at is not None else FAILED[1]
            yield _Called(call_name(call), shortened(about, 80), result)


def _said(section: str, anchors: Anchors, messages: Iterable[Message]) -> tuple[Noted, ...]:
    registered = [
        noted(anchor.text, "harness")
        for anchor in anchors.in_force()
        if anchor.kind in (section, _SINGULAR.get(section))
    ]
    words = [
        noted(redacted(line.strip())[0], "model")
        for message in messages
        if message.get("role") == "assistant"
        for line in _SAID[section].findall(text_of(message))
        if not flags_of(line)
    ]
    return tuple(dict.fromkeys([*registered, *words]))


def _failures(last: Iterable[_Called]) -> Iterable[Noted]:
    """Calls whose last attempt failed: what was tried and did not work."""
    failed = [call for call in last if call.failed and call.name != "run_tests"]
    for call in failed[-FAILURES_AT_MOST:]:
        line = call.result.splitlines()[0]
        if flags_of(line) or flags_of(call.about):
            line = "(a message that reads like instructions; it stands in the transcript)"
        yield Noted(
            f"{call.name} {_safe(call.about)}".strip(), redacted(shortened(line, LINE_CHARS))[0], "tool"
        )


def _next(todos: Todos) -> Iterable[Noted]:
    begun = [todo for todo in todos.open if todo.status == "in_progress"]
    for todo in begun:
        yield Noted(f"Go on with {todo.line}, which was begun.")
    following = next((todo for todo in todos.open if todo not in begun), None)
    if following is not None:
        yield Noted(f"{'Then' if begun else 'Go on with'} {following.line}.")


def _warnings(events: Iterable[Mapping[str, Any]], calls: Sequence[_Called]) -> Iterable[Noted]:
    tests = next((call for call in reversed(calls) if call.name == "run_tests"), None)
    if tests is not None and tests.failed:
        yield Noted(
            f"Tests were red at the end ({_safe(tests.about) or 'all tests'}): run them before anything else."
        )
    if calls and calls[-1].result.startswith(FAILED[1]):
        yield Noted(f"The last call, {calls[-1].name}, was interrupted: what it changed is not known.")
    faults = [event for event in events if event.get("kind") == "fault"]
    for fault in faults[-3:]:
        yield Noted(f"A fault in {fault.get('where', 'the run')}: {_safe(str(fault.get('message', '')))}")


def _model_text(messages: Sequence[Message], notes: Sequence[str]) -> str:
    last = next(
        (t for m in reversed(messages) if m.get("role") == "assistant" and (t := text_of(m).strip())), ""
    )
    lines = last[:MODEL_CHARS].splitlines() + (["…"] if len(last) > MODEL_CHARS else [])
    newest = list(reversed(dict.fromkeys(reversed(notes))))[-NOTES_AT_MOST:]
    kept = [line for line in [*lines, *newest] if not flags_of(line)]
    return redacted("\n".join(kept))[0]

"""Facts of a transcript to look for in requests: taken from the transcript itself, by fixed rules of form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from opencollab_nb.compare.subject import Call, Subject
from opencollab_nb.messages import Message, call_arguments, call_name, covers_of, meta_of, tool_calls_of
from opencollab_nb.shaping import Group, groups
from opencollab_nb.summarizers.facts import (
    CONSTRAINT,
    numbers,
    open_tasks,
    paths,
    said_by_the_user,
    segment_text,
)
from opencollab_nb.summarizers.findings import NOT_THE_USER, findings
from opencollab_nb.summarizers.sections import ERRORS, FINISHED, NOTES, SAID

KINDS = ("instruction", "constraint", "path", "number", "error", "todo", "decision")
"""Instructions and constraints are the user's sentences; paths and numbers those that a later reply uses;
errors, todo items and decisions are lines of results and replies."""

LEAST_DIGITS = 3
"""Shorter numbers stand everywhere by chance."""
_LEAST_CHARS = 12
"""Shorter sentences stand everywhere by chance."""
_TODO_TOOL = re.compile(r"(?i)todo|plan|task")
_TODO_KEYS = ("content", "text", "title", "step", "description", "task")
_NOT_SAID = NOT_THE_USER | {"context", "memory", "handoff"}
_DECISIONS = (NOTES, FINISHED, SAID)


@dataclass(frozen=True)
class Probe:
    """One fact."""

    kind: str
    text: str
    """As it is looked for: a path, a number, or a sentence in lower case with single blanks."""
    born: int
    """Position of the first message that it stands in."""


@dataclass(frozen=True)
class Facts:
    """What a message says, in the form in which probes are looked for."""

    words: frozenset[str]
    """Paths, shortened at their front by whole folders too, and numbers."""
    text: str = field(repr=False)
    """All of it, flat."""

    def holds(self, probe: Probe) -> bool:
        """True where the fact stands there."""
        return probe.text in (self.words if probe.kind in ("path", "number") else self.text)


def facts_of(message: Message) -> Facts:
    """What a message says, in its text and in the arguments of its calls.

    >>> facts = facts_of({"role": "tool", "content": "src/a.py:  1,460 lines"})
    >>> sorted(facts.words), facts.text
    (['1460', 'a.py', 'src/a.py'], 'src/a.py: 1,460 lines')
    """
    text = segment_text([message])
    words = {tail for path in paths(text) for tail in _tails(path)}
    return Facts(frozenset(words | {n for n in numbers(text) if _is_long(n)}), flat(text))


def flat(text: str) -> str:
    r"""The text in lower case, on one line.

    >>> flat("Two\n  Lines")
    'two lines'
    """
    return " ".join(text.lower().split())


@dataclass(frozen=True)
class Probes:
    """All facts of a transcript, the first said first, and where replies use them."""

    all: tuple[Probe, ...]
    facts: tuple[Facts, ...] = field(repr=False)
    """Of each message."""
    used: tuple[tuple[int, ...], ...] = field(repr=False)
    """For each call, which probes its reply uses that had been said before."""


def probes_of(subject: Subject) -> Probes:
    """The facts of a transcript.

    A path or number counts where a later reply uses it: it was said by somebody, and the agent came back to
    it. What the agent would have needed otherwise, nobody knows.
    """
    facts = tuple(map(facts_of, subject.messages))
    replies = list(_replies(subject))
    found = [*_sentences(subject.messages), *_used_words(subject.messages, facts, [at for _, at in replies])]
    once: dict[tuple[str, str], Probe] = {}
    for probe in sorted(found, key=lambda one: (one.born, one.kind, one.text)):
        if facts[probe.born].holds(probe):
            once.setdefault((probe.kind, probe.text), probe)
    told = tuple(sorted(once.values(), key=lambda one: one.born))
    places = {probe.text: at for at, probe in enumerate(told) if probe.kind in ("path", "number")}
    used: list[tuple[int, ...]] = [()] * len(subject.calls)
    for n, at in replies:
        known = (places[word] for word in facts[at].words if word in places)
        used[n] = tuple(sorted(place for place in known if told[place].born < subject.calls[n].stored))
    return Probes(told, facts, tuple(used))


def _replies(subject: Subject) -> Iterator[tuple[int, int]]:
    """Each call with the place of its reply."""
    places = {id(message): at for at, message in enumerate(subject.messages)}
    for n, call in enumerate(subject.calls):
        at = _place(call, places)
        if at is not None:
            yield n, at


def _place(call: Call, places: dict[int, int]) -> int | None:
    return None if call.reply is None else places.get(id(call.reply), call.stored)


def _used_words(
    messages: Sequence[Message], facts: Sequence[Facts], replies: Iterable[int]
) -> Iterator[Probe]:
    """Paths that a reply uses and somebody had said before, numbers that another than the agent had said."""
    born: dict[str, int] = {}
    answers = set(replies)
    for at, told in enumerate(facts):
        if at in answers:
            for word in told.words:
                if word in born and _is_whole(word, told):
                    yield Probe("number" if _is_number(word) else "path", word, born[word])
        for word in told.words:
            if messages[at].get("role") != "assistant" or not _is_number(word):
                born.setdefault(word, at)


def _sentences(messages: Sequence[Message]) -> Iterator[Probe]:
    for at, message in enumerate(messages):
        if covers_of(message) or meta_of(message).get("source") in _NOT_SAID:
            continue
        for sentence in said_by_the_user([message]):
            yield from _probe("constraint" if CONSTRAINT.search(sentence) else "instruction", sentence, at)
        for todo in [*open_tasks([message]), *_todo_items(message)]:
            yield from _probe("todo", todo, at)
    for group in groups(list(messages)):
        sections = findings(group.messages)
        for heading in (ERRORS, *_DECISIONS):
            kind = "error" if heading == ERRORS else "decision"
            for line in sections.get(heading, ()):
                yield from _in_group(kind, line.rstrip("…"), group)


def _in_group(kind: str, line: str, group: Group) -> Iterator[Probe]:
    """The line, at the message of the group that it stands in."""
    wanted = flat(line)
    for at, message in enumerate(group.messages, group.start):
        if wanted in flat(segment_text([message])):
            yield from _probe(kind, line, at)
            return


def _probe(kind: str, text: str, at: int) -> Iterator[Probe]:
    told = flat(text)
    if len(told) >= _LEAST_CHARS:
        yield Probe(kind, told, at)


def _todo_items(message: Message) -> Iterator[str]:
    """The items of calls of a tool for todo lists, whatever its name is."""
    for call in tool_calls_of(message):
        if not _TODO_TOOL.search(call_name(call)):
            continue
        try:
            arguments = json.loads(call_arguments(call))
        except (TypeError, ValueError):
            continue
        for value in arguments.values() if isinstance(arguments, dict) else ():
            yield from _items_in(value)


def _items_in(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        texts = [item.get(key) for key in _TODO_KEYS] if isinstance(item, dict) else [item]
        yield from (text for text in texts if isinstance(text, str))


def _tails(path: str) -> Iterator[str]:
    """A path, and what is left of it without its first folders.

    >>> list(_tails("/repo/src/a.py"))
    ['/repo/src/a.py', 'repo/src/a.py', 'src/a.py', 'a.py']
    """
    yield path
    while "/" in path:
        path = path.partition("/")[2]
        if path:
            yield path


def _is_whole(word: str, told: Facts) -> bool:
    """True for a path that stands there as it is, not as the end of a longer one."""
    return _is_number(word) or not any(other.endswith(f"/{word}") for other in told.words)


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()


def _is_long(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= LEAST_DIGITS and not number.startswith("-")

"""A transcript in the making: what an importer puts in, one message after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from opencollab_nb.importers.constant import constant_tokens
from opencollab_nb.importers.source import Source
from opencollab_nb.messages import SYSTEM_PRIORITY, TASK_PRIORITY, Message, Messages, is_system, text_of
from opencollab_nb.messages import ranges as as_ranges
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript, repair

_TITLE_CHARS = 80
_SOURCES = {"system": "system", "developer": "system", "tool": "tool"}
_PRIVATE: dict[str, type | tuple[type, ...]] = {
    "source": str,
    "step": int,
    "kind": str,
    "priority": (int, float),
    "covers": (),
    "output_tokens": int,
}
"""The types of private data; a message with an id of its own stands for no others."""
_REPAIRED = {
    "interrupted": "calls without a result; `[interrupted]` stands there",
    "stray": "results of calls that are not in the file; each became a note of the user role",
    "empty": "messages with nothing in them; `[empty]` stands there",
}


class Draft:
    """Collects one transcript. Ids are given in the order in which messages are added.

    Args:
        source: the file it comes from.
        format: the name of its format.
        name: what tells it from others of the file; None for the file's name.

    >>> from opencollab_nb.importers.source import Held
    >>> draft = Draft(Source(Held(b"", "x")), "mine")
    >>> draft.add({"role": "user", "content": "hi"}, source="user")
    0
    >>> draft.reply({"role": "assistant", "content": "hello"}, usage=Usage(30, 0, 5), model="m")
    1
    >>> draft.used(2); draft.skip("event"); transcript = draft.done()
    >>> transcript.origin.sent, transcript.origin.read, transcript.messages[1]["meta"]["step"]
    ((Sent(before=1, reply=1, usage=Usage(input_tokens=30, cached_input_tokens=0, output_tokens=5, \
reasoning_tokens=0), model='m'),), 3, 1)
    """

    def __init__(self, source: Source, format: str, name: str | None = None) -> None:  # noqa: A002
        self.source, self.format, self.name = source, format, name or source.name
        self.messages: Messages = []
        """What was added so far; each has its id under `meta`."""
        self.tools: list[Mapping[str, Any]] = []
        """Tool schemas, in the chat shape."""
        self.window: int | None = None
        self.outcome: str | None = None
        self.title: str | None = None
        self.notices: list[str] = []
        self._sent: list[Sent] = []
        self._compactions: list[Compacted] = []
        self._used = 0
        self._skipped: Counter[str] = Counter()
        self._unknown: list[str] = []
        self._children: list[Draft] = []
        self._steps = 0

    def add(self, message: Message, *, source: str, error: bool = False, kind: str | None = None) -> int:
        """Add a message that is no reply of the model; returns its id.

        Args:
            message: in the OpenAI chat shape; what it has under `meta` is kept too.
            source: who it comes from, see `messages`.
            error: true for the result of a call that failed.
            kind: what it holds, see `shaping/keep.py`.
        """
        meta: dict[str, Any] = {**(message.get("meta") or {}), "id": len(self.messages)}
        meta |= {"source": source, "step": self._steps}
        if error:
            meta["error"] = True
        if kind:
            meta["kind"] = kind
        self.messages.append({**message, "meta": meta})
        return len(self.messages) - 1

    def reply(self, message: Message, *, usage: Usage | None = None, model: str | None = None) -> int:
        """Add a reply of the model, given to a request made with what stood before; returns its id."""
        self._steps += 1
        at = self.add(message, source="reply")
        self._sent.append(Sent(at, at, usage, model if isinstance(model, str) else None))
        self.usage(at, usage)
        return at

    def take(self, message: Message, *, usage: Usage | None = None, model: str | None = None) -> int:
        """Add a message by its role alone: one of the assistant as a reply; returns its id."""
        role = message.get("role")
        if role == "assistant":
            return self.reply(message, usage=usage, model=model)
        return self.add(message, source=_SOURCES.get(str(role), "user"))

    def keep(self, message: Message) -> int:
        """Add a message with what private data it has of the types that are due; its id is given anew."""
        given = {**(message.get("meta") or {}), "id": len(self.messages)}
        due = {key: value for key, value in given.items() if isinstance(value, _PRIVATE.get(key, object))}
        meta: dict[str, Any] = {"source": "user", "step": 0, **due}
        self._steps = max(self._steps, meta["step"])
        self.messages.append({**message, "meta": meta})
        return len(self.messages) - 1

    def tell(self, call: Sent) -> None:
        """A model call that is known as such, its ids those of this draft."""
        self._sent.append(call)

    def tell_compacted(self, one: Compacted) -> None:
        """A compaction that is known as such, its ids those of this draft."""
        self._compactions.append(one)

    def asked(self, *, usage: Usage | None = None, model: str | None = None) -> None:
        """A request made with what stands here, whose reply is not kept."""
        self._sent.append(Sent(len(self.messages), None, usage, model if isinstance(model, str) else None))

    def usage(self, reply: int, usage: Usage | None) -> None:
        """What was reported for a reply, told after it; None changes nothing."""
        if usage is None:
            return
        for at in range(len(self._sent) - 1, -1, -1):
            if self._sent[at].reply == reply:
                self._sent[at] = replace(self._sent[at], usage=usage)
                break
        if usage.output_tokens:
            message = self.messages[reply]
            self.messages[reply] = {
                **message,
                "meta": {**message["meta"], "output_tokens": usage.output_tokens},
            }

    def compacted(self, text: str, covers_ids: Iterable[int], tokens_before: int | None = None) -> None:
        """From here on a summary stood in place of these messages; it is no message itself."""
        covers = as_ranges(set(covers_ids))
        if covers:
            self._compactions.append(Compacted(len(self.messages), covers, text, tokens_before))

    def used(self, n: int = 1) -> None:
        """So many records became part of the transcript."""
        self._used += n

    def skip(self, kind: str, n: int = 1) -> None:
        """So many records of this kind did not."""
        if n:
            self._skipped[kind] += n

    def broken(self, where: str, why: str) -> None:
        """A record that could not be read: it is counted as `damaged`, and told in the notices."""
        self._skipped["damaged"] += 1
        self.notices.append(f"{where}: {why}")

    def unknown(self, *what: str) -> None:
        """What the model saw and the file does not tell."""
        self._unknown += what

    def child(self, draft: Draft) -> None:
        """The transcript of a sub-agent."""
        self._children.append(draft)

    def done(self) -> Transcript:
        """The transcript, made sound; see `mended`."""
        sound, repairs = mended(self.messages)
        place = {message["meta"]["id"]: at for at, message in enumerate(sound) if "meta" in message}
        messages = _numbered(sound)
        sent = tuple(
            replace(call, before=place.get(call.before, len(messages)), reply=_placed(call.reply, place))
            for call in self._sent
        )
        compactions = tuple(
            replace(
                one,
                at=place.get(one.at, len(messages)),
                covers=as_ranges(
                    with_repairs({place[i] for a, b in one.covers for i in range(a, b + 1)}, sound)
                ),
            )
            for one in self._compactions
        )
        origin = Origin(
            format=self.format,
            path=self.source.path,
            name=self.name,
            sent=sent,
            compactions=compactions,
            read=self._used + sum(self._skipped.values()),
            used=self._used,
            skipped=dict(self._skipped),
            unknown=tuple(dict.fromkeys([*self._unknown, *self._missing()])),
            constant_tokens=constant_tokens(messages, sent, compactions, self.tools),
            tools=tuple(self.tools),
            window=self.window if isinstance(self.window, int) and self.window > 0 else None,
            children=tuple(child.done() for child in self._children),
            outcome=self.outcome,
            title=self.title or _title(messages),
        )
        transcript = Transcript.of(messages, steps=self._steps, origin=origin)
        transcript.notices = [
            *self.source.notices,
            *self.notices,
            *(f"{n:,} {_REPAIRED[kind]}" for kind, n in repairs.items()),
        ]
        return transcript

    def _missing(self) -> list[str]:
        system = any(is_system(message) for message in self.messages)
        usage = any(call.usage for call in self._sent)
        absent = {"system prompt": not system, "tool schemas": not self.tools, "usage": not usage}
        return [what for what, is_absent in absent.items() if is_absent]


def with_repairs(covered: set[int], sound: Messages) -> set[int]:
    """The places covered, and those of results that were put in for calls that are."""
    for at, message in enumerate(sound):
        if "meta" not in message and at - 1 in covered:
            covered.add(at)
    return covered


def mended(messages: Messages) -> tuple[Messages, Counter[str]]:
    """Every result after its call and every call answered, but for those at the end: there it only stops.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "ls"}}]}
    >>> len(mended([call])[0]), len(mended([call, {"role": "user", "content": "well?"}])[0])
    (1, 3)
    """
    sound, repairs = repair(messages)
    counts = Counter(repairs)
    # What repair puts in is the only thing here that has no meta.
    while sound and len(sound) > 1 and "meta" not in sound[-1] and sound[-1].get("role") == "tool":
        sound.pop()
        counts["interrupted"] -= 1
    return sound, +counts


def _numbered(messages: Messages) -> Messages:
    """Ids in the order in which the messages stand, and the priorities of the system and of the task."""
    out: Messages = []
    step, task = 0, False
    for at, message in enumerate(messages):
        meta = {**(message.get("meta") or {"source": "tool", "step": step}), "id": at}
        step = meta["step"]
        if is_system(message):
            meta.setdefault("priority", SYSTEM_PRIORITY)
        elif not task and message.get("role") == "user" and meta["source"] in ("user", "task"):
            task = True
            meta |= {"source": "task", "priority": TASK_PRIORITY}
        out.append({**message, "meta": meta})
    return out


def _placed(reply: int | None, place: Mapping[int, int]) -> int | None:
    return None if reply is None else place.get(reply)


def _title(messages: Messages) -> str:
    for message in messages:
        if message["meta"]["source"] == "task":
            return " ".join(text_of(message)[: 4 * _TITLE_CHARS].split())[:_TITLE_CHARS]
    return ""

"""What is compared on: the messages of a transcript, and the model calls that were made on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import TASK_PRIORITY, Message, Messages, id_of, meta_of, with_meta
from opencollab_nb.session import Session
from opencollab_nb.session.history import Event
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript, repair


@dataclass(frozen=True)
class Call:
    """One model call of a transcript."""

    step: int
    stored: int
    """How many messages stood in the transcript when it was made."""
    reply: Message | None = None
    """What came of it; None where that was not kept."""
    usage: Usage | None = None
    """What the provider reported for it."""
    model: str | None = None
    view: Messages | None = field(default=None, repr=False)
    """What was sent, where that was not all that stood there; None where it was."""
    calibration: Mapping[str, Any] | None = field(default=None, repr=False)
    """The weights in force then, of a run of our own."""
    pins: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The user's pins since the call before."""


@dataclass(frozen=True)
class Subject:
    """A transcript ready to be projected at each of its calls; plain data, fit for other processes."""

    name: str
    messages: Messages = field(repr=False)
    """All, each with its id."""
    calls: tuple[Call, ...] = field(repr=False)
    model: str | None = None
    """Of most calls, where it is known."""
    window: int | None = None
    """Of that model in tokens, where it is known."""
    tools: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The schemas that went with every call."""
    constant_tokens: int | None = None
    """Of every request, in nothing that is known here; None where nobody can tell."""
    measured_as: str | None = None
    """The model whose tokens were counted in a run of our own; None where they are estimated."""

    def sent(self, call: Call) -> Messages:
        """What was sent at a call."""
        return self.messages[: call.stored] if call.view is None else call.view


def subjects_of(source: Any) -> list[Subject]:
    """The transcripts meant, each with a name of its own.

    Args:
        source: one, or a list, or a mapping of names to them; of several, those without a model call are left
            out. One is: a `Transcript` (loaded, or of a run of
            ours), a `Session`, a list of messages, a path that `load` reads, a `Subject`.

    Raises:
        UsageProblem: (a ValueError) something else, no transcript at all, or none with a model call.
    """
    if isinstance(source, Mapping):
        found = [
            replace(one, name=name if not at else f"{name} ({at + 1})")
            for name, value in source.items()
            for at, one in enumerate(_of_one(value))
        ]
    elif _is_many(source):
        found = [one for value in source for one in _of_one(value)]
    else:
        found = _of_one(source)
    found = [one for one in found if one.calls] or found[:1]
    if found and not found[0].calls:
        raise UsageProblem(f"{found[0].name!r} holds no reply of a model, so no call to compare at")
    if not found:
        raise UsageProblem("no transcript to compare on: give transcripts, sessions, messages or paths")
    names = distinct([one.name for one in found])
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]


def one_subject(transcript: Any) -> Subject:
    """The transcript, which is one.

    Raises:
        UsageProblem: (a ValueError) there are several in it.
    """
    found = subjects_of(transcript)
    if len(found) > 1:
        raise UsageProblem(f"{len(found)} transcripts where one is due: ask for each by itself")
    return found[0]


def distinct(names: Iterable[str]) -> list[str]:
    """The names, those that were there before with a number.

    >>> distinct(["a", "b", "a", "a (2)"])
    ['a', 'b', 'a (2)', 'a (2) (2)']
    """
    told: list[str] = []
    for name in names:
        known, number = name, 2
        while known in told:
            known, number = f"{name} ({number})", number + 1
        told.append(known)
    return told


def _is_many(source: Any) -> bool:
    if isinstance(source, (str, Path, Transcript, Session)) or not isinstance(source, Sequence):
        return False
    return not (source and isinstance(source[0], Mapping) and "role" in source[0])


def _of_one(source: Any) -> list[Subject]:
    if isinstance(source, Subject):
        return [source]
    if isinstance(source, Transcript):
        return [of_transcript(source)]
    if isinstance(source, Session):
        return [of_session(source)]
    if isinstance(source, (str, Path)):
        from opencollab_nb.importers import load

        loaded = load(source)
        return [of_transcript(one) for one in (loaded if isinstance(loaded, list) else [loaded])]
    if isinstance(source, Sequence) and source and isinstance(source[0], Mapping):
        return [of_messages(source)]
    raise UsageProblem(
        f"{source!r:.80} is no transcript: give a Transcript, a Session, a list of messages or a path"
    )


def of_transcript(transcript: Transcript) -> Subject:
    """A transcript that was loaded, with the calls its file tells of, or one of a run of ours."""
    origin = transcript.origin
    if origin is None:
        where = transcript.path
        name = (where.parent.name or where.stem) if where else "transcript"
        return of_messages(transcript.stored, name=name)
    if not origin.sent:
        made = of_messages(transcript.stored, name=origin.name or origin.format)
        return replace(made, window=origin.window, tools=origin.tools, constant_tokens=origin.constant_tokens)
    calls = []
    for n, sent in enumerate(origin.sent):
        reply = transcript.stored[sent.reply] if sent.reply is not None else None
        calls.append(Call(n + 1, sent.before, reply, sent.usage, sent.model, _view(transcript, n)))
    return Subject(
        origin.name or origin.format,
        transcript.messages,
        tuple(calls),
        _most(call.model for call in calls),
        origin.window,
        origin.tools,
        origin.constant_tokens,
    )


def _view(transcript: Transcript, n: int) -> Messages | None:
    """What the original agent sent for its n-th call, from 0; None where that was all that stood there."""
    origin = transcript.origin
    if origin is None or all(one.at > origin.sent[n].before for one in origin.compactions):
        return None
    from opencollab_nb.importers.view import view_sent

    return view_sent(transcript, n + 1)


def of_messages(messages: Sequence[Message], name: str = "messages") -> Subject:
    """A list of messages: each assistant message in it is the reply of one call.

    Raises:
        UsageProblem: (a ValueError) an entry is no message.
    """
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise UsageProblem(f"entry {at} of {name!r} is no message, which has a `role`: {message!r:.60}")
    sound = _with_task(numbered(messages if _has_numbers(messages) else repair(messages)[0]))
    replies = [(at, message) for at, message in enumerate(sound) if message.get("role") == "assistant"]
    return Subject(name, sound, tuple(Call(n, at, reply) for n, (at, reply) in enumerate(replies, 1)))


def of_session(session: Session) -> Subject:
    """A run, at work or opened without a model: its calls, and the weights and pins that were in force then.

    Raises:
        UsageProblem: (a ValueError) no request was sent yet.
    """
    bench = session._bench  # noqa: SLF001 - a view of it that changes nothing
    history, stored = bench.history, bench.transcript.stored
    usages = {e["step"]: e for e in bench.trace.stored if e["kind"] == "usage" and e["purpose"] == "step"}
    replies = {meta_of(m).get("step"): m for m in stored if m.get("role") == "assistant"}
    calls, last = [], -1
    for event in first_of_each_step(history.requests()):
        state = history.newest("pressure", event["n"])["pressure"]
        reported = usages.get(event["step"])
        calls.append(
            Call(
                event["step"],
                event["stored"],
                replies.get(event["step"]),
                _usage(reported),
                view=history.view(event),
                calibration=state,
                pins=tuple(history.pins(last, event["n"])),
            )
        )
        last = event["n"]
    if not calls:
        raise UsageProblem(f"{session!r} has sent no request yet: take a step first")
    model, window = bench.trace.stored[0]["model_name"], session.pressure.window
    name = session.name or session.path.name
    return Subject(name, list(stored), tuple(calls), model, window, measured_as=model)


def _usage(event: Mapping[str, Any] | None) -> Usage | None:
    if event is None or not event["reported"]:
        return None
    return Usage(event["input_tokens"], event["cached_input_tokens"], event["output_tokens"])


def numbered(messages: Sequence[Message]) -> Messages:
    """The messages, each with an id; those of another list are kept where all have one."""
    if all(id_of(message) is not None for message in messages):
        return list(messages)
    return [with_meta(message, id=at) for at, message in enumerate(messages)]


def first_of_each_step(requests: Iterable[Event]) -> list[Event]:
    """One request a step: the first, which no refusal had shaped."""
    found: dict[int, Event] = {}
    for event in requests:
        found.setdefault(event["step"], event)
    return list(found.values())


def _has_numbers(messages: Sequence[Message]) -> bool:
    return all(id_of(message) is not None for message in messages)


def _with_task(messages: Messages) -> Messages:
    """Of messages without our private data the first of a user is the task, which is pinned."""
    if any(meta_of(message).keys() - {"id"} for message in messages):
        return messages
    first = next((at for at, message in enumerate(messages) if message["role"] == "user"), None)
    if first is None:
        return messages
    task = with_meta(messages[first], source="task", priority=TASK_PRIORITY)
    return [*messages[:first], task, *messages[first + 1 :]]


def _most(models: Iterator[str | None] | Iterable[str | None]) -> str | None:
    """The name that comes most often; of several the first."""
    counts: dict[str, int] = {}
    for model in models:
        if model:
            counts[model] = counts.get(model, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else None

"""`ReplayModel`: a recorded transcript plays its replies in a session, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opencollab_nb.compare.recorded import RecordedStep, RecordedTools, Recording, recording_of
from opencollab_nb.errors import ModelUnavailable, UsageProblem
from opencollab_nb.messages import Message, Messages, call_arguments, text_of, tool_calls_of, wire
from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.summarizers.facts import numbers, paths, segment_text
from opencollab_nb.ticket import Ticket
from opencollab_nb.transcript import Transcript

NAMED_AT_MOST = 5
SHORTEST_NUMBER = 4
"""Digits of a number that is likely to mean the same thing wherever it stands."""
ANOTHER_TASK = (
    "the task of this session is not the recorded one, and the replies answer the recorded one: "
    "replay(transcript), or task=model.task, plays the run as it was"
)


class ReplayModel:
    """Answers the n-th step with the n-th reply of a recording; the calls get their recorded results.

    Nothing is run and no model is asked. What the user said between the replies is said again at its
    place. The replies stay as recorded, whatever is sent: where a chain sends something else than the
    recorded agent was sent, a notice says from which step on, and names what a reply uses although the
    request does not hold it any more: a live agent would have had to look it up again, or gone another
    way. A session with a task of its own is told so at its first reply. The recorded usage is reported only
    for requests that are those of the recording; the system message may be another.

    Args:
        transcript: as `load` gives it, a session's `transcript`, or a list of messages.

    Raises:
        UsageProblem: (a ValueError) it is no transcript, or holds no reply.

    >>> model = ReplayModel([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    >>> model
    ReplayModel('replay', 1 replies)
    >>> model.reply(Request(({"role": "user", "content": "hi"},))).message
    {'role': 'assistant', 'content': 'hello'}
    """

    simulated = False
    max_output_tokens: int | None = None

    def __init__(self, transcript: Any) -> None:
        source = transcript_of(transcript)
        self.recording: Recording = recording_of(source)
        if not self.recording.steps:
            raise UsageProblem(f"{transcript!r} holds no reply of an agent; there is nothing to replay")
        origin = source.origin
        self.name = next((step.model for step in self.recording.steps if step.model), None)
        """The recorded model, for the tokenizer and the window; None where it is not known."""
        self.window = origin.window if origin else None
        self.label = f"replay of {origin.name if origin else self.name}" if origin or self.name else "replay"
        self.unseen_tokens = (origin.constant_tokens or 0) if origin else 0
        """Tokens of every recorded request that stand in no message: a system prompt that the file lacks."""
        self.workspace = RecordedTools(self.recording.steps, origin.tools if origin else ())
        self.ends_after = len(self.recording.steps)
        """Steps that can be replayed."""
        self._next = 1
        self._differs = False
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return f"ReplayModel({self.label!r}, {len(self.recording.steps)} replies)"

    @property
    def task(self) -> str:
        """What the recorded user asked for first."""
        return self.recording.task

    @property
    def system(self) -> str:
        """The recorded system message; empty where the recording holds none."""
        return self.recording.system

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """The recorded reply of the request's step; without a session, one after the other.

        Raises:
            ModelUnavailable: the recording has ended.
        """
        if cancel is not None:
            cancel.check()
        if request.purpose != "step":
            raise ModelUnavailable("a recording writes no summaries; give another summarizer")
        number = request.step or self._next
        if number > len(self.recording.steps):
            raise ModelUnavailable(
                f"the recording ends after {len(self.recording.steps)} replies; use another model to go on"
            )
        self._next = number + 1
        step = self.recording.steps[number - 1]
        self.workspace.at(step)
        lost, differs = difference(self.recording.seen(step), request.view)
        notices = self._notices(step, request, lost, differs)
        own = asks(request, self.task)
        if number == 1 and not own:
            notices = (ANOTHER_TASK, *notices)
        usage = step.usage if own and not differs else None
        message: Any = wire(step.reply)
        finish = "tool_calls" if tool_calls_of(step.reply) else "stop"
        return Reply(message, usage, finish, step.model, notices)

    def said_after(self, step: int) -> Messages | None:
        """What others said before the next reply; None after the last one."""
        if step >= len(self.recording.steps):
            return None
        said: Any = [wire(message) for message in self.recording.steps[step - 1].said]
        return list(said)

    def _notices(
        self, step: RecordedStep, request: Request, lost: Messages, differs: bool
    ) -> tuple[str, ...]:
        told = []
        if differs and not self._differs:
            told.append(
                f"from here on the request is not the recorded one ({len(lost)} of its messages are missing "
                "or rewritten in it); the replies are, but a live model could have gone another way"
            )
        if self._differs and not differs:
            told.append("the request is the recorded one again")
        self._differs = differs
        missed = [fact for fact in needed_and_gone(step.reply, lost, request) if fact not in self._told]
        if missed:
            self._told.update(missed)
            named = ", ".join(missed[:NAMED_AT_MOST])
            more = f" and {len(missed) - NAMED_AT_MOST} more" if len(missed) > NAMED_AT_MOST else ""
            told.append(
                f"this chain would have changed the run here: the reply uses {named}{more}, which had left "
                "the request; a live agent would have had to look it up again"
            )
        return tuple(told)


def transcript_of(source: Any) -> Transcript:
    """A transcript, or one made of a list of messages.

    Raises:
        UsageProblem: it is neither.
    """
    if isinstance(source, Transcript):
        return source
    if not isinstance(source, list | tuple) or not all(isinstance(m, dict) and "role" in m for m in source):
        raise UsageProblem(
            f"{source!r} is no transcript: give what load(path) returned (one of them, where it "
            "returned several), a session's transcript, or a list of messages"
        )
    made = Transcript()
    for message in source:
        made.append(message, source="user" if message["role"] == "user" else "reply", step=0)
    return made


def difference(seen: Messages, view: Iterable[Message]) -> tuple[Messages, bool]:
    """The recorded messages that a view does not hold word for word, and whether it is another request.

    What stands before the first reply is left out: the session has a system message of its own.
    """
    view = list(view)
    seen, now = from_first_reply(seen), from_first_reply(view)
    present = {content_of(message) for message in now}
    lost = [message for message in seen if content_of(message) not in present]
    return lost, bool(lost) or len(seen) != len(now)


def asks(request: Request, task: str) -> bool:
    """Whether what the request's user says holds this task.

    >>> asks(Request(({"role": "user", "content": "Fix it."},)), "Fix it."), asks(Request(()), "Fix it.")
    (True, False)
    """
    said = "\n\n".join(text_of(message) for message in request.view if message.get("role") != "system")
    return task in said


def from_first_reply(messages: Messages) -> Messages:
    """The messages from the first that an agent said."""
    first = next((at for at, m in enumerate(messages) if m.get("role") == "assistant"), len(messages))
    return messages[first:]


def content_of(message: Message) -> tuple[Any, ...]:
    """What a message says and calls, whatever ids it has."""
    return (message.get("role"), text_of(message), *map(call_arguments, tool_calls_of(message)))


def needed_and_gone(reply: Message, lost: Messages, request: Request) -> list[str]:
    """Paths and long numbers that a reply uses, that only lost messages hold.

    >>> reply = {"role": "assistant", "content": "I edit src/a.py now."}
    >>> needed_and_gone(reply, [{"role": "tool", "content": "see src/a.py"}], Request(()))
    ['src/a.py']
    """
    if not lost:
        return []
    said = segment_text([reply])
    used = [*paths(said), *(number for number in numbers(said) if len(number) >= SHORTEST_NUMBER)]
    if not used:
        return []
    gone = segment_text(lost)
    used = [fact for fact in used if fact in gone]
    left = segment_text(request.shaped) if used else ""
    return [fact for fact in used if fact not in left]

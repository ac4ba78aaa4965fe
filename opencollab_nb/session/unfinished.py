"""What a step that was cut short had left on the disk, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opencollab_nb.messages import Message, id_of, meta_of, text_of, tool_calls_of
from opencollab_nb.request import Request
from opencollab_nb.session.ends import DONE, FAULT, GO_ON, RUNNING
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript.repair import INTERRUPTED, unanswered

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

HANDED_BACK = frozenset(
    {"stop", "end_turn", "eos", "eos_token", "stop_sequence", "tool_calls", "function_call", "", "none"}
)
"""What servers say when the model ended by itself, in lower case."""
CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


@dataclass(frozen=True)
class Made:
    """A reply and all its results in the transcript: a step that lacks only its mark."""

    reply: Message
    results: tuple[Message, ...] = ()
    finish_reason: str | None = None
    request: Request | None = None
    usage: Usage | None = None


def left_open(bench: Bench) -> Made | None:
    """The step whose process, or thread, ended after its last result and before its mark; None for none.

    A step with interrupted calls, or one that something was said after, is not taken for finished.
    """
    with bench.lock:
        stored = bench.transcript.stored
        at = next((n for n in range(len(stored) - 1, -1, -1) if stored[n].get("role") == "assistant"), None)
        if at is None:
            return None
        reply, after = stored[at], stored[at + 1 :]
        meta = meta_of(reply)
        if meta.get("source") != "reply" or meta.get("step") != bench.transcript.committed + 1:
            return None
        results = tuple(m for m in after if m.get("role") == "tool")
        others = [m for m in after if m.get("role") != "tool"]
        continued = [text_of(m) for m in others] in ([], *([text] for text in GO_ON.values()))
        if unanswered(stored) or not continued or any(text_of(m) == INTERRUPTED for m in results):
            return None
        return Made(reply, results, reason_of(bench, reply))


def reason_of(bench: Bench, reply: Message) -> str | None:
    """The finish reason of a stored reply; None where its event was lost."""
    told = (e for e in reversed(bench.trace.stored) if e["kind"] == "reply")
    event = next((e for e in told if e["message_id"] == id_of(reply)), None)
    return None if event is None else event["finish_reason"]


def outcome(bench: Bench) -> tuple[str, str]:
    """The state that the last finished step leads to, for a process that ended before it was written."""
    stored = bench.transcript.stored
    reply = stored[-1] if stored else {}
    meta = meta_of(reply)
    if (
        meta.get("source") != "reply"
        or meta.get("step") != bench.transcript.committed
        or tool_calls_of(reply)
    ):
        return RUNNING, ""
    state, detail, _ = handed_back(stored[-2:-1], reply, reason_of(bench, reply))
    return state, detail


def handed_back(before: Sequence[Message], reply: Message, reason: str | None) -> tuple[str, str, str | None]:
    """What a reply without calls leads to; one that is empty or cut off is continued once.

    Returns:
        The state, the same in a sentence, and what the agent is to be told.

    >>> handed_back([], {"role": "assistant", "content": "Done."}, "stop")[0]
    'done'
    """
    fault = None
    if str(reason).lower() in CUT_OFF:
        fault = "cut off"
    elif str(reason).lower() not in HANDED_BACK:
        return FAULT, f"the model ended its reply with {reason!r}", None
    elif not text_of(reply).strip():
        fault = "empty"
    if fault is None:
        return DONE, "the agent handed back; whether the task is done is not for it to say", None
    if before and text_of(before[-1]) in GO_ON.values():
        return FAULT, f"the model's reply was {fault} twice in a row", None
    return RUNNING, "", GO_ON[fault]

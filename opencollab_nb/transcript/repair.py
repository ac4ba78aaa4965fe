"""Make a history sound that was cut off or put together elsewhere; its file stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from opencollab_nb.messages import Message, Messages, text_of, tool_calls_of

INTERRUPTED = "[interrupted]"
"""The result of a call that was never answered."""
STRAY = "[result of a call that is not in this history]"
EMPTY = "[empty]"


def repair(messages: Sequence[Message]) -> tuple[Messages, dict[str, int]]:
    """Every call answered, every result after its call, no message empty.

    Pairing is by position, since ids repeat: a result answers the first call before it that has its id
    and is unanswered, and one without an id the first one without. Messages with nothing wrong come
    back as the very objects they were.

    Returns:
        The messages, and how many repairs of which kind (`interrupted`, `stray`, `empty`); the
        counts are empty for a sound history.

    >>> call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> cut_off = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}]
    >>> messages, counts = repair(cut_off)
    >>> messages[-1], counts
    ({'role': 'tool', 'tool_call_id': 'a', 'content': '[interrupted]'}, {'interrupted': 1})
    """
    out: Messages = []
    counts: Counter[str] = Counter()
    waiting: list[str] = []
    strays: Messages = []

    def settle() -> None:
        counts["interrupted"] += len(waiting)
        counts["stray"] += len(strays)
        out.extend(interrupted(call_id) for call_id in waiting)
        out.extend(strays)
        waiting.clear()
        strays.clear()

    for message in messages:
        if message.get("role") == "tool":
            call_id = _id(message.get("tool_call_id"))
            if call_id in waiting:
                waiting.remove(call_id)
                out.append(message)
            else:
                strays.append(note_of(message))
            continue
        settle()
        if is_empty(message):
            counts["empty"] += 1
            message = {**message, "content": EMPTY}
        out.append(message)
        waiting += [_id(call.get("id")) for call in tool_calls_of(message)]
    settle()
    return out, {kind: n for kind, n in counts.items() if n}


def interrupted(call_id: str) -> Message:
    """The result of a call that was never answered."""
    return {"role": "tool", "tool_call_id": call_id, "content": INTERRUPTED}


def unanswered(messages: Sequence[Message]) -> list[str]:
    """The ids of the calls at the end of a history that have no result yet, in order."""
    waiting: list[str] = []
    results: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "tool":
            results.append(_id(message.get("tool_call_id")))
            continue
        waiting = [_id(call.get("id")) for call in tool_calls_of(message)]
        break
    for call_id in results:
        if call_id in waiting:
            waiting.remove(call_id)
    return waiting


def _id(given: object) -> str:
    """What pairs a call and a result; the same for all that have none."""
    return str(given or "")


def is_empty(message: Message) -> bool:
    """True for a message with neither content nor calls."""
    return not message.get("content") and not tool_calls_of(message)


def note_of(message: Message) -> Message:
    """A stray result as a user-role note; its number and other private data stay with it."""
    note: Message = {"role": "user", "content": f"{STRAY}\n{text_of(message)}"}
    if "meta" in message:
        note["meta"] = message["meta"]
    return note

"""A conversation that is put together from requests, each with all that was said before it."""

from __future__ import annotations

from dataclasses import dataclass, field

from opencollab_nb.importers.calls import Call, Key, key, led
from opencollab_nb.importers.codex_items import SEALED
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.folded import unfolded
from opencollab_nb.messages import Message, Messages, is_system, tool_calls_of


@dataclass
class Conversation:
    """One that may go on.

    Args:
        draft: where its messages go; it has those that lead the first request.
    """

    draft: Draft
    keys: list[Key] = field(default_factory=list)
    """Of its messages, without the system messages that lead them."""
    led_otherwise: int = 0
    """How many requests had other system messages than the first."""
    answer_id: str | None = None
    """Of the last answer."""
    _seals: dict[str, int] = field(default_factory=dict)
    """How many messages stood before each compaction that an answer held."""
    _opened: str | None = None

    def behind(self, seal: str, said: list[Key]) -> int | None:
        """How many messages behind a compaction are here; None for one of another conversation, or a fork."""
        if seal not in self._seals:
            return None
        known = self.keys[self._seals[seal] :]
        return len(known) if known == said[: len(known)] else None

    def extend(self, call: Call, said: list[Key], known: int) -> None:
        """Add what this request has beyond the others, and its answer.

        Args:
            call: it goes on from here.
            said: the keys of its messages.
            known: how many of its messages, from the leading ones or the compaction on, are here.
        """
        draft, start = self.draft, led(call.messages)
        system = [key(message) for message in draft.messages[: led(draft.messages)]]
        sealed = call.opens is not None and call.opens in self._seals
        # A compaction may stand in place of the system message too.
        self.led_otherwise += bool(self.keys) and system != said[:start] and not (sealed and not start)
        if call.opens is not None and sealed:
            self._open(call.opens, said[start : call.behind])
            start = call.behind
        messages = call.messages[start:]
        names = _renamed(draft.messages[len(draft.messages) - known :], messages[:known])
        for message in messages[known:]:
            if message.get("role") == "tool" and message.get("tool_call_id") in names:
                message = {**message, "tool_call_id": names[message["tool_call_id"]]}
            self._add(message)
        self._answered(call)

    def _add(self, message: Message, call: Call | None = None) -> None:
        """Put a message there; a summary in it is told as the compaction that it is."""
        plain, summary = unfolded(message)
        if call is not None:
            self.draft.take(plain, usage=call.usage, model=call.model)
        elif message.get("role") == "assistant":
            self.draft.add(plain, source="reply")
        else:
            self.draft.take(plain)
        self.keys.append(key(message))
        if summary:
            ids = [m["meta"]["id"] for m in self.draft.messages[:-1] if not is_system(m)]
            self.draft.compacted(summary, ids)

    def _answered(self, call: Call) -> None:
        before = len(self.keys)
        if call.reply is None or not (call.reply.get("content") or tool_calls_of(call.reply)):
            self.draft.asked(usage=call.usage, model=call.model)
        else:
            self._add(call.reply, call)
        self._seals |= dict.fromkeys(call.seals, before)
        if call.notice:
            self.draft.notices.append(call.notice)
        self.draft.tools += [tool for tool in call.tools if tool not in self.draft.tools]
        self.answer_id = call.answer_id
        self.draft.used()

    def _open(self, seal: str, kept: list[Key]) -> None:
        """From this request on a compaction stands in place of what is not kept beside it."""
        if seal == self._opened:
            return
        self._opened = seal
        first = len(self.draft.messages) - len(self.keys)
        gone = [n for n, said in enumerate(self.keys[: self._seals[seal]], first) if said not in kept]
        self.draft.compacted(SEALED, gone)


def _renamed(kept: Messages, sent: Messages) -> dict[str, str]:
    """The ids of calls as they were sent back, where a client gave them others: those of the answers."""
    names: dict[str, str] = {}
    for answer, again in zip(kept, sent, strict=True):
        for one, other in zip(tool_calls_of(answer), tool_calls_of(again), strict=False):
            names[str(other.get("id"))] = str(one.get("id"))
    return {new: old for new, old in names.items() if new != old}

"""The conversation of an Inspect sample, from its messages and the requests of its model events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.calls import key
from opencollab_nb.importers.chat import text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.inspect_messages import Attachments, message_of, usage_of_event
from opencollab_nb.messages import text_of

LEFT_OUT = "[earlier messages were left out]"
"""What stands for messages that a compaction dropped without a summary."""


def reply_in(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The message that a model event brought; None for a call that failed."""
    choices = sequence(mapping(event.get("output")).get("choices"))
    return mapping(mapping(choices[0] if choices else None).get("message")) or None


class Thread:
    """Fills a draft with a sample's conversation.

    Messages are told by their ids. Each request brings what is new in it, so messages that the final state
    has lost to a compaction are there too; what a request leaves out of those before it, and the summary that
    it has in their place, is a compaction.

    Args:
        draft: to be filled.
        attachments: of the sample.
        final: the messages of its final state.
    """

    def __init__(self, draft: Draft, attachments: Attachments, final: list[Any]) -> None:
        self.draft, self.attachments = draft, attachments
        self.final = [one for one in final if isinstance(one, dict)]
        draft.skip("no message", len(final) - len(self.final))
        self.mine = {one["id"] for one in self.final if isinstance(one.get("id"), str)}
        self.at: dict[str, int] = {}
        """Where a message stands in the draft, by its id."""
        self.replies: set[Any] = set()
        """The ids of messages that a model event brings."""
        self.gone: set[int] = set()
        self.compacting: int | None = None
        """Set by a compaction until the next request: the tokens before it, 0 where they are not told."""

    def take(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Fill the draft; returns the model events that belong to other conversations."""
        calls = [event for event in events if event.get("event") == "model"]
        if not self.mine or not any(_ids(event.get("input")) for event in calls):
            return self._in_order(calls)
        self.replies = set(_ids([reply_in(event) for event in calls]))
        beside = []
        for event in events:
            if event.get("event") == "compaction":
                before = event.get("tokens_before")
                self.compacting = before if isinstance(before, int) else 0
            elif event.get("event") == "model":
                if not self.mine.intersection(_ids(event.get("input"))):
                    beside.append(event)
                else:
                    self._request(event)
        for one in self.final:
            if _id(one) not in self.at:
                self._put(one)
        return beside

    def _request(self, event: dict[str, Any]) -> None:
        given = [one for one in sequence(event.get("input")) if isinstance(one, dict)]
        self._until(reply_in(event))
        ids = set(_ids(given))
        self.mine |= ids
        gone = {at for known, at in self.at.items() if known not in ids and at >= 0}
        spoken = any(self.draft.messages[at]["role"] in ("assistant", "tool") for at in gone - self.gone)
        summaries = []
        for n, one in enumerate(given):
            if _id(one) in self.at:
                continue
            follows = any(_id(other) in self.at for other in given[n + 1 :])
            if _is_summary(one) or (
                spoken and one.get("role") == "user" and (follows or self.compacting is not None)
            ):
                summaries.append(text_of(message_of(self.attachments.put_back(one)) or {}))
                self.at[_id(one)] = -1
            else:
                self._put(one)
        self._compact(gone, spoken, summaries)
        if self.compacting is not None:
            self._edits(given)
        self.compacting = None
        self.draft.used()
        said = reply_in(event)
        if said is None or _id(said) in self.at:
            # A call that failed, or whose answer was asked for once more.
            self.draft.asked(usage=usage_of_event(event), model=_model(event))
        else:
            self._put(said, event)

    def _until(self, reply: Mapping[str, Any] | None) -> None:
        """Put what stands before this reply in the final state, also what no request has shown."""
        ids = [_id(one) for one in self.final]
        reply_id = _id(mapping(reply))
        if reply_id and reply_id in ids:
            for one in self.final[: ids.index(reply_id)]:
                known = _id(one) in self.at or _id(one) in self.replies
                if not known and not _is_summary(one):
                    self._put(one)

    def _compact(self, gone: set[int], spoken: bool, summaries: list[str]) -> None:
        if not summaries and not (spoken and self.compacting is not None):
            return
        self.draft.compacted("\n\n".join(summaries) or LEFT_OUT, gone, self.compacting or None)
        self.gone |= gone

    def _edits(self, given: list[dict[str, Any]]) -> None:
        """Messages that a compaction keeps with less in them, such as results that were cleared."""
        for one in given:
            at = self.at.get(_id(one), -1)
            message = message_of(self.attachments.put_back(one)) if at >= 0 else None
            if (
                message
                and message.get("role") == "tool"
                and text_of(message) != text_of(self.draft.messages[at])
            ):
                self.draft.compacted(text_of(message), [at], self.compacting or None)

    def _put(self, one: dict[str, Any], event: dict[str, Any] | None = None) -> None:
        message = message_of(self.attachments.put_back(one))
        if message is None:
            return self.draft.skip("no message")
        self.draft.used()
        if isinstance(one.get("id"), str):
            self.at[one["id"]] = len(self.draft.messages)
            self.mine.add(one["id"])
        if event is not None:
            self.draft.reply(message, usage=usage_of_event(event), model=_model(event))
        elif message["role"] == "assistant":
            # No event brought it: it was put there by the task.
            self.draft.add(message, source="reply")
        elif _is_summary(one):
            self.draft.add(message, source="summary")
        else:
            self.draft.take(message)
        return None

    def _in_order(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Older logs have no ids: replies and calls are in the same order, or a reply says the same."""
        alike = len(calls) == sum(one.get("role") == "assistant" for one in self.final)
        says = [self._key(reply_in(call)) for call in calls]
        others, at = list[dict[str, Any]](), 0
        for one in self.final:
            if one.get("role") != "assistant":
                self._put(one)
                continue
            said = says[at] if alike else self._key(one)
            if said in says[at:]:
                found = says.index(said, at)
                others += calls[at:found]
                self.draft.used()
                self._put(one, calls[found])
                at = found + 1
            elif message := message_of(self.attachments.put_back(one)):
                self.draft.used()
                self.draft.reply(message, model=text(one.get("model")) or None)
        return others + calls[at:]

    def _key(self, said: Mapping[str, Any] | None) -> Any:
        return key(message_of(self.attachments.put_back(said)) or {})


def _id(one: Mapping[str, Any]) -> str:
    """A message's id; empty for one that has none, which is like no other."""
    known = one.get("id")
    return known if isinstance(known, str) else ""


def _ids(messages: Any) -> list[str]:
    return [
        one["id"] for one in sequence(messages) if isinstance(one, dict) and isinstance(one.get("id"), str)
    ]


def _is_summary(one: Mapping[str, Any]) -> bool:
    return mapping(one.get("metadata")).get("summary") is True


def _model(event: Mapping[str, Any]) -> str | None:
    return text(mapping(event.get("output")).get("model")) or text(event.get("model")) or None

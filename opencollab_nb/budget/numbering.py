"""Plain messages of a loop of one's own, labelled as a session would: lasting ids, pins, summaries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from opencollab_nb.messages import (
    TASK_PRIORITY,
    Message,
    Messages,
    covers_of,
    id_of,
    is_system,
    meta_of,
    text_of,
    wire,
)


class Labels:
    """Gives messages without `meta` the labels they had before, and new ones a new id.

    A loop of one's own sends what `compact` gave back and appends to it. So messages are known again
    by what they say and by their order; one that is not known is new.

    >>> labels = Labels()
    >>> [m["meta"]["id"] for m in labels.labelled([{"role": "user", "content": "go"}])]
    [0]
    >>> again = labels.labelled([{"role": "user", "content": "go"}, {"role": "assistant", "content": "ok"}])
    >>> [m["meta"]["id"] for m in again], again[0]["meta"]["source"]
    ([0, 1], 'task')
    """

    def __init__(self) -> None:
        self._last: list[tuple[bytes, dict[str, Any]]] = []
        self._next_id = 0
        self._originals: dict[int, Message] = {}
        self._expected: dict[str, str] = {}

    def labelled(self, messages: Sequence[Message]) -> Messages:
        """The messages with `meta`; those that had an id of their own as they are."""
        places: dict[bytes, list[int]] = {}
        for at in range(len(self._last) - 1, -1, -1):
            places.setdefault(self._last[at][0], []).append(at)
        out: Messages = []
        from_place = 0
        for message in messages:
            digest = _digest(message)
            found = _next_place(places.get(digest), from_place)
            if found is None:
                meta = self._new(message, first_user=not any(m.get("role") == "user" for m in out))
            else:
                from_place, meta = found + 1, self._last[found][1]
            out.append({**message, "meta": {**meta, **meta_of(message)}})
        self.remember(out)
        return out

    def remember(self, messages: Sequence[Message]) -> None:
        """What the next messages are compared with."""
        self._last = [(_digest(m), meta_of(m)) for m in messages]

    def numbered(self, message: Message) -> Message:
        """A message of the harness's own, with a new id."""
        self._next_id += 1
        return {**message, "meta": {**meta_of(message), "id": self._next_id - 1}}

    def expect(self, text: str, source: str) -> None:
        """A new message with this text has this source. Only the last one expected of a source counts."""
        self._expected = {t: s for t, s in self._expected.items() if s != source} | {text: source}

    def original(self, message: Message) -> Message | None:
        """The message as it came, with the labels it has now; None where it still stands so."""
        was = self._originals.get(-1 if (own := id_of(message)) is None else own)
        if was is None or text_of(was) == text_of(message):
            return None
        return {**was, "meta": meta_of(message)}

    def hold_results(self, messages: Messages) -> None:
        """Hold the tool results, so that they can be read back; one held already stays as it first came."""
        for message in messages:
            own = id_of(message)
            if own is not None and message.get("role") == "tool":
                self._originals.setdefault(own, message)

    def hold_only_missing(self, messages: Messages) -> None:
        """Let go of the results that stand in these messages as they came."""
        for message in messages:
            original = self._originals.get(-1 if (own := id_of(message)) is None else own)
            if own is not None and original is not None and text_of(original) == text_of(message):
                del self._originals[own]

    @property
    def originals(self) -> Mapping[int, Message]:
        """The results that are no longer in the request as they came, by id."""
        return dict(self._originals)

    def text(self, own: int) -> str | None:
        """The text of a result that is held."""
        return None if own not in self._originals else text_of(self._originals[own])

    def _new(self, message: Message, first_user: bool) -> dict[str, Any]:
        given = meta_of(message)
        if given.get("id") is not None or covers_of(message):
            ids = [given.get("id") or 0, *(last for _, last in covers_of(message))]
            self._next_id = max(self._next_id, max(ids) + 1)
            return {}
        self._next_id += 1
        labels: dict[str, Any] = {"id": self._next_id - 1}
        content = message.get("content")
        if isinstance(content, str) and content in self._expected:
            labels["source"] = self._expected[content]
        elif first_user and message.get("role") == "user" and not is_system(message):
            labels |= {"source": "task", "priority": TASK_PRIORITY}
        return labels


def _next_place(places: list[int] | None, from_place: int) -> int | None:
    """The first of these places from `from_place` on; those before it are over."""
    while places and places[-1] < from_place:
        places.pop()
    return places.pop() if places else None


def _digest(message: Message) -> bytes:
    text = json.dumps(wire(message), sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()

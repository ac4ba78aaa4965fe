"""What `gemini -o stream-json` prints: one event a line, text in pieces.

Where a request ends is not told: text, and calls as long as one of them waits for its result, are taken for
one reply.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.importers.gemini_turns import Turns
from opencollab_nb.importers.source import Broken
from opencollab_nb.importers.usages import usage_of


class Stream:
    """Takes the events of a run.

    Args:
        draft: where the messages go.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._turns = Turns(draft)
        self._said: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._results: list[dict[str, Any]] = []
        self._model: str | None = None
        self._prompt: str | None = None
        """What the user said last, while nothing followed: it is printed twice."""

    def line(self, where: str, event: Any) -> None:
        """One event."""
        if isinstance(event, Broken):
            self.draft.broken(where, event.why)
            return
        told = mapping(event)
        unused = self._event(text(told.get("type")), told)
        if unused:
            self.draft.skip(unused[:60])
        else:
            self.draft.used()

    def finish(self) -> None:
        """No event follows."""
        self._close()
        self._turns.order.settle()
        self.draft.unknown("where one request ends")

    def _event(self, kind: str, event: dict[str, Any]) -> str | None:
        """Take an event; returns what it was where it is no conversation."""
        if kind == "message" and event.get("role") == "user":
            return self._user(text(event.get("content")))
        if kind == "message":
            self._next_reply()
            self._said.append(text(event.get("content")))
        elif kind == "tool_use":
            self._next_reply()
            self._calls.append(
                {"id": event.get("tool_id"), "name": event.get("tool_name"), "args": event.get("parameters")}
            )
        elif kind == "tool_result":
            return self._result(event)
        else:
            if kind == "init":
                self._model = text(event.get("model")) or None
            if kind == "result":
                self._result_of_run(event)
            if kind == "error":
                self.draft.notices.append(f"the run told of an error: {text(event.get('message'))[:200]}")
            return kind or "untyped"
        self._prompt = None
        return None

    def _user(self, said: str) -> str | None:
        self._close()
        if said == self._prompt:
            return "repeated prompt"
        self._prompt = said
        return None if self._turns.user(said) else "empty message"

    def _result(self, event: dict[str, Any]) -> str | None:
        waiting = [call["id"] for call in self._calls]
        for result in self._results:
            waiting.remove(result.get("tool_id"))
        if event.get("tool_id") not in waiting:
            return "result of an unknown call"
        self._results.append(event)
        return None

    def _next_reply(self) -> None:
        """What comes now belongs to the next reply where all calls of this one have their results."""
        if self._calls and len(self._calls) == len(self._results):
            self._close()

    def _result_of_run(self, event: dict[str, Any]) -> None:
        """Its usage is that of the whole run: told for a run of one reply alone."""
        self._close()
        self.draft.outcome = (
            text(mapping(event.get("error")).get("message")) or text(event.get("status")) or None
        )
        replies = [m["meta"]["id"] for m in self.draft.messages if m["meta"]["source"] == "reply"]
        stats = mapping(event.get("stats"))
        told = {
            "input": stats.get("input_tokens"),
            "output": stats.get("output_tokens"),
            "cached": stats.get("cached", 0),
        }
        if len(replies) == 1:
            self.draft.usage(replies[0], usage_of({**told, "thoughts": 0}))

    def _close(self) -> None:
        if not self._said and not self._calls:
            return
        self._turns.model("".join(self._said), self._calls, model=self._model)
        for event in self._results:
            failed = event.get("status") == "error"
            told = event.get("output")
            if told is None or (failed and not told):
                told = text(mapping(event.get("error")).get("message")) or told
            self._turns.answer(
                {"id": event.get("tool_id"), "response": "" if told is None else told}, failed=failed
            )
        self._said, self._calls, self._results = [], [], []

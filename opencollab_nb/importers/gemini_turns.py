"""A conversation of Gemini's contents put into a draft, calls and results paired."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import chat, gemini_parts
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.tokens.usage import Usage


class Turns:
    """Takes the turns of user and model, one after the other.

    Args:
        draft: where they go.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.order = InOrder(draft)
        self._open: list[tuple[str, str]] = []
        """Calls without a result: id and name."""
        self._given = 0
        self._set_up = False

    def user(self, content: Any) -> bool:
        """A turn of the user, which may answer calls; False for one that brings nothing new."""
        parts = gemini_parts.parts_of(content)
        answers = [mapping(part["functionResponse"]) for part in parts if "functionResponse" in part]
        answered = [self.answer(answer) for answer in answers]
        said = chat.single([gemini_parts.chat_part(part) for part in parts if "functionResponse" not in part])
        if not said:
            return any(answered)
        words = text_of({"content": said})
        self._set_up = bool(gemini_parts.SET_UP.match(words) or gemini_parts.SUMMED_UP.match(words))
        source = (
            "summary"
            if gemini_parts.SUMMED_UP.match(words)
            else "context"
            if self._set_up or answers
            else "user"
        )
        self.order.add({"role": "user", "content": said}, source=source)
        return True

    def model(
        self,
        content: Any,
        calls: Any = None,
        thoughts: Any = None,
        usage: Usage | None = None,
        model: str | None = None,
    ) -> bool:
        """A turn of the model, with calls that stand apart and their results; False for an empty one."""
        records = [one for one in sequence(calls) if isinstance(one, dict)]
        thought = [part for part in map(gemini_parts.thought_part, sequence(thoughts)) if part]
        apart = [chat.call(one.get("id"), one.get("name"), one.get("args")) for one in records]
        message = gemini_parts.reply_of([*thought, *gemini_parts.parts_of(content)], apart)
        for call in tool_calls_of(message):
            if not call["id"]:
                self._given += 1
                call["id"] = f"call_{self._given}"
        if not message["content"] and not tool_calls_of(message):
            if usage:
                self.order.settle()
                self.draft.asked(usage=usage, model=model)
            return False
        if self._set_up and usage is None and not tool_calls_of(message):
            # The program answers its own first message; no model was asked.
            self.order.add(message, source="context")
        else:
            self.order.reply(message, usage=usage, model=model)
        self._set_up = False
        asked = [(call["id"], call["function"]["name"]) for call in tool_calls_of(message)]
        self._open = asked
        for record, (call_id, _) in zip(records, asked[len(asked) - len(records) :], strict=True):
            self._recorded(record, call_id)
        return True

    def answer(self, answer: dict[str, Any], *, failed: bool = False) -> bool:
        """The result of a call, told by its id or else its name; False where the call has one already."""
        named, name = text(answer.get("id")), text(answer.get("name"))
        fitting = [one for one in self._open if (one[0] == named if named else one[1] == name)]
        if not fitting and not named:
            fitting = self._open[:1]
        if not fitting:
            return False
        self._open.remove(fitting[0])
        message, told = gemini_parts.result_of(answer, fitting[0][0])
        self.order.result(message, error=failed or told)
        return True

    def _recorded(self, record: dict[str, Any], call_id: str) -> None:
        """A call's own record holds its result, as parts or as text."""
        result, failed = record.get("result"), record.get("status") == "error"
        parts = gemini_parts.parts_of(result)
        answers = [mapping(part["functionResponse"]) for part in parts if "functionResponse" in part]
        if answers:
            self.answer({**answers[0], "id": call_id}, failed=failed)
        elif result is not None:
            told = chat.single([gemini_parts.chat_part(part) for part in parts])
            self.answer({"id": call_id, "response": told if isinstance(told, str) else result}, failed=failed)
        more = (
            chat.single([gemini_parts.chat_part(part) for part in parts if "functionResponse" not in part])
            if answers
            else None
        )
        if more:
            self.order.add({"role": "user", "content": more}, source="context")

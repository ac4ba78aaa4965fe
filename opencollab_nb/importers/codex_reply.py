"""The replies of a Codex rollout, put together from their items and reports of usage."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import chat
from opencollab_nb.importers.codex_items import call_of, content_of, result_of
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message
from opencollab_nb.tokens.usage import Usage

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_LEFT_OUT = ("ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger")


class CodexReplies:
    """Collects items until an input ends the reply.

    Args:
        draft: where the messages go.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None
        """The model of the turn."""
        self._order = InOrder(draft)
        self._parts: list[Any] = []
        self._calls: list[dict[str, Any]] = []
        self._usage: Usage | None = None
        """Of the reply that is being collected, or of the next one."""
        self._last: int | None = None
        """The last reply, while no usage is known for it."""
        self._reported: Any = None
        self._reports_follow: bool | None = None

    def input(self, message: Message, *, source: str) -> None:
        """A message that the program or the user wrote."""
        self._close()
        self._order.add(message, source=source)

    def item(self, kind: str, item: dict[str, Any]) -> bool:
        """Take an item that is no input message; False for one that is no conversation."""
        if kind in _LEFT_OUT:
            return False
        if self._reports_follow and self._usage is not None:
            self._close()
        if kind.endswith("_output") and item.get("call_id"):
            self._close()
            message, failed = result_of(item)
            self._order.result(message, error=failed)
        elif kind in _CALLS or (kind.endswith("_call") and item.get("call_id")):
            self._calls.append(call_of(item))
        elif kind in ("message", "") and item.get("role") == "assistant":
            said = content_of(item)
            self._parts += [{"type": "text", "text": said}] if isinstance(said, str) else said
        elif kind == "reasoning" or kind.endswith(("_call", "_output")):
            self._parts.append({key: value for key, value in item.items() if value is not None})
        elif item.get("content"):
            self.input({"role": "user", "content": content_of(item)}, source="context")
        else:
            return False
        return True

    def counted(self, info: dict[str, Any]) -> bool:
        """A report of usage; False for one that is empty or told once more."""
        usage = usage_of(info.get("last_token_usage"))
        if usage is None or info == self._reported:
            return False
        self._reported = info
        collecting = bool(self._parts or self._calls)
        if self._reports_follow is None:
            self._reports_follow = collecting
        if not self._reports_follow:
            self._close()
            self._lost(self._usage)
            self._usage = usage
        elif collecting:
            self._usage = usage
        elif self._last is not None:
            self.draft.usage(self._last, usage)
            self._last = None
        else:
            self._lost(usage)
        return True

    def _lost(self, usage: Usage | None) -> None:
        """A request whose reply is not in the file."""
        if usage is not None:
            self._order.settle()
            self.draft.asked(usage=usage, model=self.model)

    def finish(self) -> None:
        """Nothing more belongs to what was collected."""
        self._close()
        self._order.settle()
        self._lost(self._usage)
        self._usage = None

    def _close(self) -> None:
        if not self._parts and not self._calls:
            return
        message = chat.assistant(self._parts, self._calls)
        at = self._order.reply(message, usage=self._usage, model=self.model)
        self._last = at if self._usage is None else None
        self._parts, self._calls, self._usage = [], [], None

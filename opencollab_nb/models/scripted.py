"""A model that says what it was told to say: for tests, yours included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage

Line = Any
"""A message, a `Reply`, text, or an exception (instance or class) to raise."""


class ScriptedModel:
    """Answers with one line of `replies` after the other, or with what a function of the request returns.

    A line is an assistant message, a `Reply`, a text, or an exception (instance or class), which is
    raised. The requests are kept in `requests`, oldest first, those that ended in an exception too.

    Args:
        replies: the lines in order, or a function of the request that returns one.
        usage: None (nothing is reported), "count" (a local count of the request and the reply), or a
            function of the request that returns a `Usage` or None. A `Reply` with its own usage keeps it.
        window: context window in tokens, for the session to read.
        name: what views and the tokenizer are told.

    Raises:
        ModelUnavailable: from `reply`, once the lines are used up.

    >>> model = ScriptedModel(["hello"])
    >>> model.reply(Request(({"role": "user", "content": "hi"},))).message
    {'role': 'assistant', 'content': 'hello'}
    >>> len(model.requests)
    1
    """

    simulated = False
    max_output_tokens: int | None = None

    def __init__(
        self,
        replies: Iterable[Line] | Callable[[Request], Line] = (),
        *,
        usage: Callable[[Request], Usage | None] | Literal["count"] | None = None,
        window: int | None = None,
        name: str = "scripted",
    ) -> None:
        self._script = replies if callable(replies) else _one_after_the_other(replies)
        self._usage = usage
        self._lock = threading.Lock()
        self.window = window
        self.name = name
        self.requests: list[Request] = []

    @property
    def label(self) -> str:
        """How views name it."""
        return self.name

    def __repr__(self) -> str:
        name = KNOWN.struck(self.name)
        return f"ScriptedModel(name={name!r}, window={self.window!r}, answered={len(self.requests)})"

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """The next line of the script."""
        if cancel is not None:
            cancel.check()
        with self._lock:
            self.requests.append(request)
            line = self._script(request)
        if isinstance(line, BaseException) or (isinstance(line, type) and issubclass(line, BaseException)):
            raise line
        reply = as_reply(line)
        return reply if reply.usage else replace(reply, usage=self._reported(request, reply))

    def _reported(self, request: Request, reply: Reply) -> Usage | None:
        if self._usage == "count":
            return counted(request, reply)
        return self._usage(request) if self._usage else None


def as_reply(line: Line) -> Reply:
    """A line of a script as a reply.

    >>> as_reply("done").finish_reason, as_reply({"tool_calls": [{"id": "a"}]}).finish_reason
    ('stop', 'tool_calls')
    """
    if isinstance(line, Reply):
        return line
    if isinstance(line, str):
        return Reply({"role": "assistant", "content": line})
    if isinstance(line, dict):
        message: Any = {"role": "assistant", **line}
        return Reply(message, finish_reason="tool_calls" if line.get("tool_calls") else "stop")
    raise TypeError(f"a scripted reply is a message, a Reply, a text or an exception, not {line!r}")


def counted(request: Request, reply: Reply) -> Usage:
    """The local estimate of both, as if a provider had reported it."""
    from opencollab_nb.tokens.estimate import estimate, weigh

    tools = json.dumps(list(request.tools), ensure_ascii=False) if request.tools else ""
    return Usage(
        input_tokens=sum(map(weigh, request.messages)) + estimate(tools),
        output_tokens=weigh(reply.message),
    )


def _one_after_the_other(lines: Iterable[Line]) -> Callable[[Request], Line]:
    script = list(lines)
    told = iter(script)

    def next_line(_request: Request) -> Line:
        try:
            return next(told)
        except StopIteration:
            raise ModelUnavailable(
                f"the script is used up after {len(script)} replies; give ScriptedModel more, or a function"
            ) from None

    return next_line

"""Asking a model: what users write as a model need not import anything of ours."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.messages import Message, tool_calls_of
from opencollab_nb.models import Reply
from opencollab_nb.models.openai_errors import understood
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage

USAGE_FIELDS = tuple(f.name for f in fields(Usage))
FORMS = "give a Reply, an object with .message, an assistant message as a dict, or its text"


def reply_of(model: Any, request: Request, cancel: Ticket | None = None) -> Reply:
    """The model's reply, whatever form it has.

    Args:
        model: an object with `reply(request)`; it gets `cancel` too if it takes it.
        request: to be answered.
        cancel: ends the waiting.

    Raises:
        ModelUnavailable: the answer is no reply; it says what was wrong.
        Overflow: the model raised a client's exception that says so.
        MalformedHistory: likewise.
        Exception: what else the model raised.

    >>> class Parrot:
    ...     def reply(self, request):
    ...         return request.messages[-1]["content"]
    >>> reply_of(Parrot(), Request(({"role": "user", "content": "hi"},))).message
    {'role': 'assistant', 'content': 'hi'}
    """
    given = {"cancel": cancel} if takes_cancel(model.reply) else {}
    try:
        answer = model.reply(request, **given)
    except Exception as problem:
        error = understood(problem)
        if error is problem:
            raise
        raise error from problem
    return as_reply(answer)


def takes_cancel(function: Any) -> bool:
    """False for a function that can be seen to have no parameter `cancel`."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    named = parameters.get("cancel")
    if named is not None:
        return named.kind is not inspect.Parameter.POSITIONAL_ONLY
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def as_reply(answer: Any) -> Reply:
    """The answer as a `Reply`.

    Raises:
        ModelUnavailable: it cannot be one; it says what was wrong.

    >>> as_reply({"role": "assistant", "content": "done"}).finish_reason
    'stop'
    """
    if isinstance(answer, str):
        return Reply({"role": "assistant", "content": answer})
    if isinstance(answer, Mapping):
        if not answer.keys() & {"content", "tool_calls"}:
            keys = ", ".join(map(repr, answer)) or "no keys"
            raise ModelUnavailable(
                f"the model answered with a dict without 'content' and 'tool_calls' (it has {keys}): {FORMS}"
            )
        message = _message(answer, "a dict")
        return Reply(message, None, "tool_calls" if tool_calls_of(message) else "stop")
    if not hasattr(answer, "message"):
        raise ModelUnavailable(f"the model answered with {_kind(answer)} instead of a Reply: {FORMS}")
    message = _message(answer.message, "a reply whose .message is a dict")
    usage = _usage(getattr(answer, "usage", None))
    model = getattr(answer, "model", None)
    told = getattr(answer, "notices", None)
    notices = tuple(map(str, told)) if isinstance(told, list | tuple) else ()
    return Reply(message, usage, getattr(answer, "finish_reason", "stop"), model and str(model), notices)


def _message(value: Any, what: str) -> Message:
    if isinstance(value, str):
        return {"role": "assistant", "content": value}
    if not isinstance(value, Mapping):
        dump = getattr(value, "model_dump", None)
        dumped = dump() if callable(dump) and not isinstance(value, type) else None
        if not isinstance(dumped, Mapping):
            raise ModelUnavailable(
                f"the model answered with a reply whose .message is {_kind(value)}: it must be an "
                "assistant message as a dict, or have model_dump()"
            )
        # Such objects hold every field there is; those that say nothing are no part of the message.
        value = {k: v for k, v in dumped.items() if v is not None or k == "content"}
    message = {"role": "assistant", **value}
    if message["role"] != "assistant":
        raise ModelUnavailable(
            f"the model answered with {what} of role {message['role']!r}: a reply has the role 'assistant'"
        )
    return cast("Message", message)


def _usage(given: Any) -> Usage | None:
    """Reported usage, of any class that has one of the field names."""
    if given is None:
        return None
    found = {name: value for name in USAGE_FIELDS if (value := _of(given, name)) is not None}
    if not found:
        raise ModelUnavailable(
            f"the model answered with a usage {_kind(given)} without {', '.join(USAGE_FIELDS)}: "
            "give these, or None"
        )
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ModelUnavailable(
                f"the model answered with a usage whose {name} is {value!r}: needed is a whole "
                "number from 0 up"
            )
    return Usage(**found)


def _of(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _kind(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__

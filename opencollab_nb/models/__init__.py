"""Models: a request goes in, a reply comes out. Synchronous, like tools and shapers.

- `openai_chat.py`  any OpenAI-compatible endpoint, or several (`endpoints.py`): `openai_access.py` where
  it is and the key to it, `openai_call.py` one call, `openai_wire.py`, `openai_answer.py` and `streams.py`
  bodies, `openai_errors.py`, `overflow_texts.py` and `starved.py` refusals, `retries.py`, `sockets.py`,
  `ceiling.py`
- `local/`          a small real model on this machine, without a key or network
- `routed.py`       a model of the user's for each request
- `simulated/`      the embedded default: a program that plays a coding agent by a written plan
- `scripted.py`     says what it was told to say, for tests
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from opencollab_nb.messages import Message
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage

__all__ = ["Model", "Reply", "Usage"]


@dataclass(frozen=True)
class Reply:
    """One answer of a model.

    >>> Reply({"role": "assistant", "content": "done"}).finish_reason
    'stop'
    """

    message: Message
    """The assistant message, in the OpenAI chat shape, without `meta`."""
    usage: Usage | None = None
    """None where the provider reported nothing."""
    finish_reason: str = "stop"
    """`stop`, `tool_calls`, `length` or what else the provider said."""
    model: str | None = None
    """Which model answered, where one of several was picked for the request."""
    notices: tuple[str, ...] = ()
    """What the user should know about this answer; the session shows and keeps it."""


@runtime_checkable
class Model(Protocol):
    """Anything with this one method is a model.

    Optional attributes that the session reads: `name` (for the tokenizer, the window and views),
    `window` (tokens), `max_output_tokens`, `simulated` (True only for a model that is no model),
    `label` (how views name it), `unseen_tokens` (of every request, in no message and no schema),
    `workspace` (answers the calls where the session was given none), `said_after(step)` (what a
    recorded user said then) and `ends_after` (steps of a recording; see `ReplayModel`).
    """

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """Answer the request.

        Raises:
            Overflow: the request is longer than the model takes; `openai_errors.as_overflow` reads it
                out of a provider's words.
            MalformedHistory: the form of the messages was refused.
            ModelUnavailable: no usable answer.
            StepCancelled: `cancel` was cancelled while waiting.
        """
        ...

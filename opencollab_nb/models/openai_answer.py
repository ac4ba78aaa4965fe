"""What an endpoint sent, read as a reply or as the reason why there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from opencollab_nb.models import Reply
from opencollab_nb.models.openai_access import Secret
from opencollab_nb.models.openai_errors import Refusal, refusal_of
from opencollab_nb.models.openai_wire import NotAReply, reply_of, reported_in, usage_of
from opencollab_nb.models.streams import BrokenOff, is_stream, whole


@dataclass(frozen=True)
class Unanswered:
    """One attempt without a reply. Holds no object of the HTTP client: those hold the key."""

    refusal: Refusal
    may_pass: bool
    """True if the same request may be taken a moment later."""
    asked_seconds: float | None = None
    """The pause the provider asked for."""
    empty: Reply | None = None
    """The reply with nothing in it, where the answer was one without any choice."""


def read(text: str, key: Secret) -> Reply | Unanswered:
    """A body that came with HTTP 200, at once or in pieces; an error is told without the key."""
    try:
        body = whole(text) if is_stream(text) else parsed(text)
        return reply_of(body)
    except BrokenOff as problem:
        return Unanswered(Refusal(str(problem), passing=True), may_pass=True)
    except NotAReply as problem:
        refusal = refusal_within(body, key.struck_out_of(text), str(problem))
        return Unanswered(refusal, refusal.may_pass, empty=empty_of(body))


def refusal_within(body: Any, text: str, problem: str) -> Refusal:
    """The refusal in a body that came with HTTP 200 and holds no reply."""
    if body is None:
        told = f"the answer is no JSON: {text[:200]!r}"
        return Refusal(told, passing=not text.strip() or cut_off(text))
    if isinstance(body, dict) and body.get("error"):
        return refusal_of(parsed(text) or body, status=200)
    return Refusal(f"{problem}: {text[:200]}")


def empty_of(body: Any) -> Reply | None:
    """An answer whose list of choices is empty, as an empty reply."""
    if not isinstance(body, dict) or body.get("choices") != []:
        return None
    return Reply({"role": "assistant", "content": None}, usage_of(reported_in(body)))


def parsed(text: str) -> Any:
    """The JSON of a body; None for anything else."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def cut_off(text: str) -> bool:
    """True for the beginning of a JSON object whose end did not come.

    >>> cut_off('{"choices": [{"mess'), cut_off("<html>"), cut_off('{"a": 1}')
    (True, False, False)
    """
    begun = text.strip()
    try:
        json.loads(begun)
    except json.JSONDecodeError as problem:
        at_the_end = problem.pos >= len(begun) or problem.msg.startswith("Unterminated")
        return begun.startswith("{") and at_the_end
    except RecursionError:
        return False
    return False

"""Which of our errors a provider's answer is: too long, malformed, or no answer at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.errors import MalformedHistory, ModelError, ModelUnavailable, Overflow
from opencollab_nb.models.overflow_texts import (
    OVERFLOW_CODES,
    another_limit,
    counts_the_reply,
    overflow_numbers,
)

SHOWN_CHARS = 600
"""How much of a provider's text an error quotes."""

MALFORMED = (
    r"tool_use\W* ids were found without\W* ?\W*tool_result",
    r"unexpected\W* ?\W*tool_use_id\W* found in\W* ?\W*tool_result",
    r"each\W* ?\W*tool_use\W* must have a single result",
    r"messages with role\W* ?tool\W* must be a response to a prec\w+ing message",
    r"must be followed by tool messages responding to each",
    r"tool call result does not follow tool call",
    r"arguments\W* must be (?:a |in )?(?:valid )?json",
    r"tool_?call_?ids? (?:did not have|not found|is not found|does not exist|without)",
    r"no tool call found for function call output",
    r"(?:message|messages)\b.{0,60}? must (?:not be empty|have non-empty content)",
    r"(?:text content blocks|message content) must be non-empty",
    r"text content blocks must contain non-whitespace",
    r"assistant message must have either content or tool_calls",
    r"final assistant content cannot end with trailing whitespace",
    r"roles must alternate",
    r"system message must be at the (?:beginning|start)",
    r"first message must use the\W+user\W+ role",
    r"unexpected role \W?\w+\W? after role",
    r"expected last role",
    r"not the same number of function calls and responses",
    r"function (?:call turn comes immediately after|response parts is equal to)",
    r"no tool output found for function call",
    r"(?:duplicate|unique).{0,40}\b(?:tool_?call_?ids?|tool_use\W* ids?)",
    r"tool_use\W* ids must be unique",
    r"tool call id was .{0,80}? but must be",
    r"tool_calls\W*\[\d+\]\W*\.?(?:id|function\.name)\W.{0,40}(?:too long|not match|empty string)",
    r"invalid 'messages\[\d+\]\.tool_call(?:s\[\d+\]\.id|_id)'",
    r"last message must (?:be|have) .{0,20}(?:user|tool)",
    r"no user query found in messages",
)
"""Texts about the form of the history (Anthropic, OpenAI, Gemini, Kimi, MiMo, Moonshot, Mistral, Qwen)."""

_MALFORMED = re.compile("|".join(MALFORMED), re.IGNORECASE | re.DOTALL)

RETRIED_STATUSES = frozenset({408, 409, 425, 429})
ENTITY_TOO_LARGE = 413
PASSING = frozenset(
    {
        "rate_limit_exceeded",
        "rate_limit_error",
        "overloaded",
        "overloaded_error",
        "server_error",
        "api_error",
        "internal_server_error",
        "internal_error",
        "timeout_error",
        "service_unavailable",
        "unavailable",
        "resource_exhausted",
    }
)
"""Codes of a body that came with HTTP 200, or inside of a stream: the same may be taken a moment later."""
SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"})


@dataclass(frozen=True)
class Refusal:
    """What came back instead of a reply."""

    text: str
    """The provider's own words."""
    status: int | None = None
    """The HTTP status, or the number a gateway put into a body that came with 200."""
    code: str | None = None
    """`error.code` or `error.type`."""
    body: Any = None
    passing: bool = field(default=False, repr=False)
    """True for an answer that broke off on its way."""

    @property
    def may_pass(self) -> bool:
        """True if the same request may be taken a moment later."""
        if self.code in SPENT:
            return False
        if re.search(r"request too large", self.text, re.IGNORECASE):
            return False
        if self.status in (None, 200):
            return self.passing or str(self.code).lower() in PASSING
        return self.status in RETRIED_STATUSES or self.status >= 500

    @property
    def elsewhere(self) -> bool:
        """True if another endpoint may take the very same request: the fault is not in the request."""
        return self.status not in (400, 413, 422)

    def refuses_field(self, name: str) -> bool:
        """True if this field of the body is what the endpoint does not take.

        >>> Refusal("Unrecognized request argument: stream_options", 400).refuses_field("stream_options")
        True
        """
        return self.status in (400, 422) and name in f"{self.text} {self.body}"

    def error(self, *, where: str = "") -> ModelError:
        """The refusal as one of our errors."""
        malformed = _MALFORMED.search(self.text)
        numbers = None if malformed else overflow_numbers(self.text, code=self.code)
        entity = self.status == ENTITY_TOO_LARGE and not another_limit(self.text)
        if numbers is not None or (entity and not malformed):
            return overflow(self.text, self._numbers(numbers or {}))
        if malformed:
            return MalformedHistory(f"the provider refused the form of the history: {shortened(self.text)}")
        return ModelUnavailable(self._advice(where) + shortened(self.text))

    def _numbers(self, from_text: dict[str, int]) -> dict[str, int]:
        facts = dict(walk(self.body))
        in_body = {
            "input_tokens": facts.get("n_prompt_tokens"),
            "window": facts.get("n_ctx"),
        }
        return {**{k: v for k, v in in_body.items() if isinstance(v, int)}, **from_text}

    def _advice(self, where: str) -> str:
        at = f" at {where}" if where else ""
        if self.status in (401, 403):
            return f"the key was refused{at} (HTTP {self.status}); check OPENAI_API_KEY or api_key=: "
        if self.status == 404:
            return f"not found{at} (HTTP 404); check the model's name and base_url: "
        if self.status == 429:
            return f"a rate limit or quota was reached{at} (HTTP 429): "
        return f"no usable answer{at}{f' (HTTP {self.status})' if self.status else ''}: "


def refusal_of(body: Any, *, status: int | None = None, text: str = "") -> Refusal:
    """Read an error body in any of the shapes providers use.

    >>> refusal_of({"error": {"message": "no", "code": "x"}}, status=400)
    Refusal(text='no', status=400, code='x', body={'error': {'message': 'no', 'code': 'x'}})
    """
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(error, Mapping):
        code = error.get("code")
        said = [error.get("message") or error.get("msg") or error.get("detail")]
        # Gateways put the provider's own words one level deeper.
        metadata = error.get("metadata")
        said.append(metadata.get("raw") if isinstance(metadata, Mapping) else None)
        words = "\n".join(s if isinstance(s, str) else json.dumps(s) for s in said if s)
        if status in (None, 200) and str(code).isdigit():
            status = int(str(code))
        inner = error.get("innererror")
        deeper = inner.get("code") if isinstance(inner, Mapping) else None
        name = code if isinstance(code, str) and not code.isdigit() else error.get("type")
        if str(deeper).lower() in OVERFLOW_CODES:
            name = deeper
        name = name if isinstance(name, str) else None
        return Refusal(words or text or json.dumps(body), status, name, body)
    return Refusal(str(error or text or "an empty answer"), status, None, body)


def as_overflow(text: str) -> Overflow | None:
    """A provider's words that its model's window is too small, as the error a session helps itself with.

    For a model of your own: where its client raises, raise what this returns. None for any other text.

    >>> error = as_overflow("prompt is too long: 1029893 tokens > 1000000 maximum")
    >>> error.input_tokens, error.window
    (1029893, 1000000)
    >>> as_overflow("Rate limit reached: too many tokens per minute") is None
    True
    """
    numbers = overflow_numbers(text)
    return None if numbers is None else overflow(text, numbers)


def overflow(text: str, numbers: dict[str, int]) -> Overflow:
    """The error with the provider's words and numbers."""
    error = Overflow(f"too long for the model: {shortened(text)}", **numbers)
    error.counts_the_reply = counts_the_reply(text)
    return error


def understood(problem: Exception) -> Exception:
    """What a model of the user's raised, as one of our errors where its words or its body say so.

    The `openai` client's exceptions carry a status and a body; others are read by their text. All that
    is neither an overflow nor a refused form comes back as it was.

    >>> type(understood(ValueError("prompt is too long: 210000 tokens > 200000 maximum"))).__name__
    'Overflow'
    >>> understood(KeyError("model"))
    KeyError('model')
    """
    if isinstance(problem, ModelError | OSError):
        return problem
    status, body = getattr(problem, "status_code", None), getattr(problem, "body", None)
    words = [str(problem), *(str(cause) for cause in causes(problem))]
    read = refusal_of(body, status=status) if body else Refusal("", status)
    said = Refusal(
        "\n".join([read.text, *words]), status if isinstance(status, int) else None, read.code, body
    )
    error = said.error()
    return problem if isinstance(error, ModelUnavailable) else error


def causes(problem: BaseException) -> Iterator[BaseException]:
    """What an exception was raised from, and that from, at most five deep: clients wrap what came."""
    for _ in range(5):
        cause = problem.__cause__ or problem.__context__
        if cause is None:
            return
        yield cause
        problem = cause


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key and plain value of nested data."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, (Mapping, list)):
                yield from walk(inner)
            else:
                yield key, inner
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def shortened(text: str) -> str:
    """One line, at most `SHOWN_CHARS` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"

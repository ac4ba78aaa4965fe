"""Chat Completions: our request as a body, a body as our reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import Message
from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.tokens.usage import Usage

OWN_LIMIT_HOSTS = ("openai.com", "openai.azure.com")
"""Endpoints that want `max_completion_tokens`; all others know `max_tokens`."""


class NotAReply(ValueError):
    """A body that came with HTTP 200 and holds no assistant message."""


def payload(request: Request, model: str, *, host: str, max_output_tokens: int | None) -> dict[str, Any]:
    """The body of the call; what is not set is not sent.

    >>> hi = Request(({"role": "user", "content": "hi"},), temperature=0.0)
    >>> payload(hi, "m", host="127.0.0.1", max_output_tokens=9)
    {'model': 'm', 'messages': [{'role': 'user', 'content': 'hi'}], 'max_tokens': 9, 'temperature': 0.0}
    """
    body: dict[str, Any] = {"model": model, "messages": request.wire}
    if request.tools:
        body["tools"] = [dict(tool) for tool in request.tools]
    limit = max_output_tokens if request.max_output_tokens is None else request.max_output_tokens
    if limit is not None:
        body["max_completion_tokens" if wants_completion_limit(host) else "max_tokens"] = limit
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def wants_completion_limit(host: str) -> bool:
    """True where the reply's limit is called `max_completion_tokens`.

    >>> wants_completion_limit("api.openai.com"), wants_completion_limit("notopenai.com")
    (True, False)
    """
    return any(host == name or host.endswith("." + name) for name in OWN_LIMIT_HOSTS)


def reply_of(body: Any) -> Reply:
    """The first choice, with its usage.

    Keys that this package does not know (`reasoning_content`, ...) stay in the message.

    Raises:
        NotAReply: no choice, or a choice without a message.
    """
    choices = body.get("choices") if isinstance(body, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    said = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(said, Mapping) or not isinstance(choice, Mapping):
        raise NotAReply("the answer holds no choice with a message")
    message = message_of(said)
    finish = choice.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else "stop")
    return Reply(message, usage_of(reported_in(body)), str(finish))


def message_of(said: Mapping[str, Any]) -> Message:
    """The message as it can be sent back: without empty keys, every call with an id and a type.

    A `function_call`, as servers sent it before there were `tool_calls`, becomes one of these.

    >>> message_of({"function_call": {"name": "f", "arguments": "{}"}})["tool_calls"]
    [{'function': {'name': 'f', 'arguments': '{}'}, 'id': 'call_0', 'type': 'function'}]
    """
    own = ("role", "content", "tool_calls", "function_call", "meta")
    kept: Any = {k: v for k, v in said.items() if k not in own and v is not None and v != []}
    message: Any = {"role": "assistant", "content": said.get("content"), **kept}
    calls = said.get("tool_calls")
    if not calls and isinstance(said.get("function_call"), Mapping):
        calls = [{"function": said["function_call"]}]
    if isinstance(calls, list) and calls:
        message["tool_calls"] = [
            {**call, "id": call.get("id") or f"call_{n}", "type": call.get("type") or "function"}
            for n, call in enumerate(calls)
            if isinstance(call, Mapping)
        ]
    done: Message = message
    return done


def reported_in(body: Mapping[str, Any]) -> Any:
    """The report of a body, under the name that its provider gives it.

    >>> reported_in({"usageMetadata": {"promptTokenCount": 9}})
    {'promptTokenCount': 9}
    """
    return next((body[name] for name in ("usage", "usageMetadata", "usage_metadata") if body.get(name)), None)


def usage_of(reported: Any) -> Usage | None:
    """Reported tokens with the cached ones inside the input; None where nothing was counted.

    Chat Completions counts cached tokens within `prompt_tokens`, and so does Gemini within
    `promptTokenCount`. A server that speaks of `input_tokens` and `cache_read_input_tokens` counts them
    beside, in Bedrock's spelling too, and so does one whose cached tokens are more than its prompt.
    Reasoning that is in `total_tokens` only, or in Gemini's `thoughtsTokenCount`, is added to the output.

    >>> usage_of({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}})
    Usage(input_tokens=9, cached_input_tokens=4, output_tokens=2, reasoning_tokens=0)
    >>> usage_of({"input_tokens": 206, "cache_read_input_tokens": 98432}).input_tokens
    98638
    """
    if not isinstance(reported, Mapping):
        return None
    reported = in_our_names(reported)
    inside = tokens(reported, "prompt_tokens")
    beside = 0
    details = reported.get("prompt_tokens_details") or reported.get("input_tokens_details") or {}
    cached = tokens(details, "cached_tokens") or tokens(reported, "prompt_cache_hit_tokens")
    if not inside:
        inside = tokens(reported, "input_tokens")
        cached = cached or tokens(reported, "cache_read_input_tokens")
        beside = tokens(reported, "cache_read_input_tokens") + tokens(reported, "cache_creation_input_tokens")
    elif cached > inside:
        beside = cached
    if not inside + beside:
        return None
    output = tokens(reported, "completion_tokens") or tokens(reported, "output_tokens")
    more = reported.get("completion_tokens_details") or reported.get("output_tokens_details") or {}
    reasoning = tokens(more, "reasoning_tokens")
    if reasoning and tokens(reported, "total_tokens") == inside + output + reasoning:
        output += reasoning
    return Usage(inside + beside, cached, output, reasoning)


NAMES = {
    # Bedrock Converse
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReadInputTokens": "cache_read_input_tokens",
    "cacheWriteInputTokens": "cache_creation_input_tokens",
    # Gemini; what its tools brought in and what it thought stand beside, see below
    "promptTokenCount": "prompt_tokens",
    "prompt_token_count": "prompt_tokens",
    "cachedContentTokenCount": "prompt_cache_hit_tokens",
    "cached_content_token_count": "prompt_cache_hit_tokens",
    "candidatesTokenCount": "completion_tokens",
    "candidates_token_count": "completion_tokens",
    "totalTokenCount": "total_tokens",
    "total_token_count": "total_tokens",
}
"""What Bedrock's and Gemini's own reports call it; gateways pass them on as they came."""
BESIDE = (
    ("toolUsePromptTokenCount", "prompt_tokens"),
    ("tool_use_prompt_token_count", "prompt_tokens"),
)
THOUGHTS = ("thoughtsTokenCount", "thoughts_token_count")


def in_our_names(reported: Mapping[str, Any]) -> Mapping[str, Any]:
    """A report with Bedrock's and Gemini's names turned into those of Chat Completions."""
    if not any(name in reported for name in NAMES):
        return reported
    named = {NAMES.get(name, name): value for name, value in reported.items()}
    for name, into in BESIDE:
        if tokens(reported, name):
            named[into] = tokens(named, into) + tokens(reported, name)
    thoughts = next((tokens(reported, name) for name in THOUGHTS if tokens(reported, name)), 0)
    if thoughts and "completion_tokens_details" not in named:
        named["completion_tokens"] = tokens(named, "completion_tokens") + thoughts
        named["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return named


def tokens(source: Any, key: str) -> int:
    """A count of a report; 0 where it is missing or no number."""
    value = source.get(key) if isinstance(source, Mapping) else None
    return int(value) if isinstance(value, int | float) and 0 < value < float("inf") else 0

"""Every provider's and agent's report of tokens as our `Usage`, the cached input included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from opencollab_nb.models.openai_wire import tokens
from opencollab_nb.models.openai_wire import usage_of as api_usage
from opencollab_nb.tokens.usage import Usage


class Words(NamedTuple):
    """How a report calls its counts."""

    input: str
    output: str
    cached: str = ""
    cache_write: str = ""
    reasoning: str = ""
    cached_inside: bool = False
    """True where `input` counts the cached part too."""
    reasoning_inside: bool = True
    """True where `output` counts the reasoning too."""


DIALECTS = (
    Words("input", "output", "cacheRead", "cacheWrite"),  # Pi
    Words(
        "input", "output", "cached", "", "thoughts", cached_inside=True, reasoning_inside=False
    ),  # Gemini CLI
    Words(
        "promptTokenCount",
        "candidatesTokenCount",
        "cachedContentTokenCount",
        "",
        "thoughtsTokenCount",
        cached_inside=True,
        reasoning_inside=False,
    ),  # Gemini API
    Words("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),  # Bedrock
    Words(
        "input_tokens",
        "output_tokens",
        "cached_input_tokens",
        "",
        "reasoning_output_tokens",
        cached_inside=True,
    ),  # Codex
    Words(
        "prompt_tokens", "completion_tokens", "cache_read_tokens", "", "reasoning_tokens", cached_inside=True
    ),  # OpenHands
)
_SHARED = ("input_tokens", "prompt_tokens")
_INSPECT = ("input_tokens_cache_read", "input_tokens_cache_write", "reasoning_tokens")


def usage_of(reported: Any) -> Usage | None:
    """Reported tokens with the cached ones inside the input; None where nothing was counted.

    Chat Completions, Responses and Anthropic's Messages are read as `models.openai_wire` does; reports that
    agents write are told by their words.

    >>> usage_of({"input": 10, "output": 5, "cacheRead": 90, "cacheWrite": 4}).input_tokens
    104
    >>> usage_of({"input_tokens": 100, "cached_input_tokens": 90, "output_tokens": 5}).cached_input_tokens
    90
    """
    if not isinstance(reported, Mapping) or not reported:
        return None
    if any(key in reported for key in _INSPECT[:2]):
        return _inspect(reported)
    if any(key in reported for key in ("input_token_details", "output_token_details")):
        return _langchain(reported)
    spoken = [words for words in DIALECTS if words.input in reported]
    for words in spoken:
        if _marks(words) & reported.keys():
            return _counted(reported, words)
    for words in spoken:
        if words.input not in _SHARED:
            return _counted(reported, words)
    return api_usage(reported)


def _marks(words: Words) -> set[str]:
    """The words that only this dialect has."""
    return {words.cached, words.cache_write, words.reasoning} - {"", "reasoning_tokens"}


def _counted(reported: Mapping[str, Any], words: Words) -> Usage | None:
    cached, written = tokens(reported, words.cached), tokens(reported, words.cache_write)
    reasoning = tokens(reported, words.reasoning)
    all_input = tokens(reported, words.input)
    if not words.cached_inside or cached > all_input:
        all_input += cached + written
    output = tokens(reported, words.output) + (0 if words.reasoning_inside else reasoning)
    return Usage(all_input, cached, output, min(reasoning, output)) if all_input else None


def _inspect(reported: Mapping[str, Any]) -> Usage | None:
    """Inspect counts the cache within the input or beside it, by provider: the total tells which."""
    read, written, reasoning = (tokens(reported, key) for key in _INSPECT)
    inside, output = tokens(reported, "input_tokens"), tokens(reported, "output_tokens")
    total = tokens(reported, "total_tokens")
    if read > inside or total >= inside + output + read + written > inside + output:
        inside += read + written
    return Usage(inside, read, output, reasoning) if inside else None


def _langchain(reported: Mapping[str, Any]) -> Usage | None:
    """LangChain counts the cache within the input."""
    details, more = reported.get("input_token_details"), reported.get("output_token_details")
    inside, read = tokens(reported, "input_tokens"), tokens(details, "cache_read")
    inside = inside if read <= inside else inside + read + tokens(details, "cache_creation")
    output = tokens(reported, "output_tokens")
    return Usage(inside, read, output, tokens(more, "reasoning")) if inside else None

"""Every report of tokens, with the cached ones inside the input."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.importers.usages import usage_of
from opencollab_nb.tokens.usage import Usage

REPORTS: dict[str, dict[str, Any]] = {
    "chat": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}},
    "deepseek": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 60},
    "responses": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 20},
    "anthropic": {
        "input_tokens": 10,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 30,
        "output_tokens": 20,
    },
    "pi": {"input": 10, "output": 20, "cacheRead": 60, "cacheWrite": 30},
    "gemini cli": {"input": 100, "output": 15, "cached": 60, "thoughts": 5, "tool": 0, "total": 120},
    "gemini": {
        "promptTokenCount": 100,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 60,
    },
    "bedrock": {
        "inputTokens": 10,
        "outputTokens": 20,
        "cacheReadInputTokens": 60,
        "cacheWriteInputTokens": 30,
    },
    "codex": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 20, "total_tokens": 120},
    "openhands": {"prompt_tokens": 100, "completion_tokens": 20, "cache_read_tokens": 60},
    "inspect, inside": {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_cache_read": 60,
    },
    "inspect, beside": {
        "input_tokens": 10,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_cache_read": 60,
        "input_tokens_cache_write": 30,
    },
    "langchain": {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_token_details": {"cache_read": 60},
    },
}


@pytest.mark.parametrize("dialect", REPORTS)
def test_the_same_call_is_the_same_usage_in_every_dialect(dialect: str) -> None:
    usage = usage_of(REPORTS[dialect])
    assert usage is not None
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (100, 60, 20)


@pytest.mark.parametrize(
    ("report", "usage"),
    [
        ({"input": 7, "output": 2}, Usage(7, 0, 2)),
        ({"promptTokenCount": 7, "candidatesTokenCount": 2}, Usage(7, 0, 2)),
        ({"inputTokens": 7, "outputTokens": 2}, Usage(7, 0, 2)),
        ({"input_tokens": 7, "output_tokens": 2, "reasoning_output_tokens": 1}, Usage(7, 0, 2, 1)),
        ({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, None),
        ({}, None),
        (None, None),
        ([1], None),
    ],
)
def test_a_report_of_few_words_is_read_and_an_empty_one_is_none(report: Any, usage: Usage | None) -> None:
    assert usage_of(report) == usage


@given(
    st.dictionaries(
        st.sampled_from(sorted({key for report in REPORTS.values() for key in report})),
        st.none()
        | st.integers()
        | st.floats()
        | st.text(max_size=3)
        | st.dictionaries(st.text(max_size=3), st.none()),
    )
)
def test_no_report_breaks_the_reading(report: dict[str, Any]) -> None:
    usage = usage_of(report)
    assert usage is None or 0 <= usage.cached_input_tokens <= usage.input_tokens

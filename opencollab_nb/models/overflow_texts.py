"""How providers say that a request is too long, and in which numbers.

Sources: errors quoted in the public trackers of OpenAI, Anthropic, Gemini, Bedrock, Mistral, vLLM,
llama.cpp, Ollama, OpenRouter and of agents that talk to them. A row is tried in order; the first
one that fits gives the numbers. `{input}`, `{window}`, `{output}` and `{total}` each stand for a
number: `128000`, `1,048,576` or `256K`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

NUMBER = r"\d[\d,_]*(?:\.\d+)?(?:\s?[kKmM]\b)?(?![\w.]*\d)"

READ_CHARS = 20_000
"""Servers that echo the request put their own words first."""

OVERFLOW_CODES = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "string_above_max_length",
        "request_too_large",
        "prompt_too_long",
        "input_too_long",
        "tokens_limit_reached",
        "contextwindowexceedederror",
    }
)

SURE = (
    # Anthropic and its gateways
    r"prompt is too long: {input}, model maximum context length: {window}",
    r"prompt is too long(: {input} tokens > {window} maximum)?",
    r"input length and `?max_tokens`? exceed context limit(: {input} \+ {output} > {window})?",
    r"{input} \+ {output} > {window}",
    # Mistral
    r"prompt contains {input} tokens.{0,60}?too large for model with {window} maximum context length",
    # OpenAI, Azure, DeepSeek, OpenRouter, vLLM, xAI
    r"maximum (?:context|prompt|model) length (?:is|of) {window}(?: tokens)?\b.{0,80}?"
    r"(?:requested|request has|passed|resulted in|contains) (?:about )?{total}(?: tokens)?"
    r" \({input} (?:of text input|in the messages|tokens from the input messages)"
    r"[^)]*?{output} (?:in|of|tokens for) the (?:output|completion)",
    r"is too large: {output}\. this model's maximum context length is {window} tokens"
    r" and your request has {input} input tokens",
    r"you passed {input} input tokens and requested {output} output tokens"
    r".{0,80}?context length is (?:only )?{window}",
    r"maximum (?:context|prompt|model) length (?:is|of) {window}(?: tokens)?\b.{0,80}?"
    r"(?:requested|request has|passed|resulted in|contains) (?:about )?{input}(?: tokens)?",
    r"longer than the model's (?:maximum )?context length of {window}(?: tokens)?",
    r"input \(?{input} tokens\)? is longer than the model's context length \({window}",
    r"context length of {window} tokens\. you requested a total of {total} tokens: "
    r"{input} tokens from the input messages and {output} tokens for the completion",
    r"current length is {input} while limit is {window}",
    r"maximum (?:context|prompt) length(?: (?:is|of) {window})?",
    # Gemini, Vertex
    r"input token count \(?{input}\)? exceeds the maximum number of tokens allowed(?: \(?{window}\)?)?",
    r"input token count.{0,40}? exceeds the maximum number of (?:input )?tokens",
    r"input token count is {input} but (?:the )?model only supports up to {window}",
    # vLLM; a negative rest for the reply means that the prompt is over the window
    r"max_(?:completion_)?tokens must be at least 1, got -\d+",
    r"prompt \((?:total )?length {input}\) is (?:longer than|too long to fit).{0,60}?length (?:of )?{window}",
    r"{input}\)? (?:tokens )?exceeds? the max_model_len(?:\D{0,5}{window})?",
    r"exceeds? the max_model_len(?:\D{0,5}{window})?",
    # llama.cpp, LM Studio, Ollama
    r"(?:request|prompt)(?: \({input} tokens\))? exceeds the available context size(?: \({window} tokens\))?",
    r"prompt has {input} tokens, but the configured context size is {window}",
    r"first {input} tokens when.{0,40}?overflows.{0,60}?context length of only {window}",
    r"(?:input length|prompt) (?:exceeds|is longer than) the (?:maximum )?context length",
    r"exceeded max(?:imum)? context length",
    r"loaded with context length of only {window}",
    r"number of tokens to keep from the initial prompt is greater than the context length",
    r"prompt is too big compared to kv size",
    # TabbyAPI, exllama
    r"length {input} is greater than max_seq_len {window}",
    # gateways that put both numbers in one sentence, in either order
    r"(?:requested|prompt (?:of|has)|input (?:of|has)) {input}(?: tokens)?.{0,20}? exceeds? "
    r"(?:the )?(?:model's |model )?(?:maximum )?context (?:limit|length|window|size) of {window}",
    r"context (?:limit|length|window|size) (?:of|is) {window}(?: tokens)?,? (?:but )?(?:the )?"
    r"(?:prompt|input) has {input}",
    r"exceeds? the configured limit of {window} tokens\. your messages resulted in {input}",
    r"context (?:window|length|size|limit) of {window}(?: tokens)? (?:is |was |has been )?exceed",
    r"context[ _](?:window|length|size|limit)[ _](?:is |was |has been )?exceed(?:s|ed)?:? "
    r"{input}(?: tokens)? > {window}",
    # llama-cpp-python, and gateways
    r"\(?{input}(?: tokens)?\)? exceeds? (?:the )?(?:model's )?(?:maximum )?"
    r"context (?:window|length|size|limit) (?:of )?\(?{window}",
    # Databricks, watsonx
    r"token count \(?{input}\)? cannot exceed {window}",
    r"number of input tokens {input} cannot exceed the total tokens limit {window}",
    # Bedrock
    r"max input tokens: {window}, request input token count: {input}",
    r"input is too long for (?:the )?requested model",
    r"too many total text bytes",
    r"number of input tokens exceeds maximum length",
    # Cohere, Qwen, text-generation-inference
    r"too many tokens: size limit exceeded.{0,120}?limit for this model is {window}",
    r"tokens in the prompt cannot exceed {window} - received {input}",
    r"range of input length should be \[1, ?{window}\]",
    r"inputs`? must have less than {window} tokens\. given: {input}",
    r"must be <= {window}\. given: {input} `?(?:inputs|input)`? tokens(?: and {output} `?max_new_tokens)?",
    # Copilot
    r"prompt token count of {input} exceeds the limit of {window}",
    # the rest: Kimi, MiniMax, Z.ai, GitHub Models, Responses API, gateways
    r"exceed(?:s|ed) (?:the )?model (?:token|context) limit(?::? {window})?",
    r"too large for \S+ model\. max size: {window} tokens",
    r"超长|超过.{0,16}(?:长度|上下文|token)",
    r"context(?:window|length)exceeded",
    r"'messages'\W{0,3} array too long",
    r"(?:only )?supports (?:only )?(?:up to )?(?:a )?{window}(?: tokens?)?(?: of)? context",
    r"context[ _](?:window|length|size|limit)[ _](?:is |was |has been )?exceed(?:s|ed)?",
    r"exceed(?:s|ed|ing)? (?:the |your |its |this |model's )*(?:maximum |max |available |allowed )?"
    r"context[ _](?:window|length|size|limit)",
    r"(?:prompt|input) exceeds (?:the )?max(?:imum)? length",
    r"string too long\. expected a string with maximum length",
    r"context_length_exceeded",
)
"""About the length of the prompt beyond doubt, whatever status or wrapping they come in."""

NEVER = (
    r"per[ -]?(?:minute|min|second|hour|day|month)\b",
    r"please wait|throttl|slow down|try again (?:later|in\b)|retry[ -]after|too many requests",
    r"\b(?:tpm|rpm|tpd|rpd|itpm|otpm)\b",
    r"rate[ _-]?limit",
    r"quota|billing|insufficient (?:funds|balance|credits)",
    r"caching|cached content|cache_control|cache size",
    r"\bimages?\b",
)
"""Limits of another kind that also speak of tokens and of too many."""

LIKELY = (
    r"exceed(?:s|ed)? (?:the )?(?:customer )?model maximum",
    r"too large for (?:the |this )?model",
    r"too many (?:input |prompt )?tokens",
    r"(?:input|prompt|request|message)s?(?: is| are|'s)? too (?:long|large)",
    r"input (?:and output )?tokens? exceeds?",
    r"reduce the length of (?:the|your) (?:messages|prompt|input)",
    r"request(?: entity| body)? too large|payload too large",
)
"""Said of the prompt, unless a limit of another kind is named beside it."""

REPLY_TOO = (
    r"`?max_(?:completion_|new_)?tokens`?.{0,40}exceed",
    r"input and output tokens",
    r"messages or completion|in the (?:completion|output)\b|for the completion",
    r"{input} \+ {output} > {window}",
    r"max_new_tokens` must be",
)
"""Said where the limit of the reply has a share in it."""


def compiled(row: str) -> re.Pattern[str]:
    """A row as a pattern with the groups `input`, `window`, `output`, `total`."""
    for group in ("input", "window", "output", "total"):
        row = row.replace("{" + group + "}", f"(?P<{group}>{NUMBER})")
    return re.compile(row, re.IGNORECASE | re.DOTALL)


_SURE, _NEVER, _LIKELY, _REPLY_TOO = (tuple(map(compiled, rows)) for rows in (SURE, NEVER, LIKELY, REPLY_TOO))


def first_match(rows: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    """The match of the first row that fits."""
    return next((found for row in rows if (found := row.search(text))), None)


def overflow_numbers(text: str, *, code: str | None = None) -> dict[str, int] | None:
    """The numbers in a text that says "too long" (perhaps none), or None for a text that does not.

    >>> overflow_numbers("prompt is too long: 1029893 tokens > 1000000 maximum")
    {'input_tokens': 1029893, 'window': 1000000}
    >>> overflow_numbers("Rate limit reached: too many tokens per minute") is None
    True
    """
    text = text[:READ_CHARS]
    found = first_match(_SURE, text)
    if found is None and str(code).lower() not in OVERFLOW_CODES:
        if first_match(_NEVER, text):
            return None
        found = first_match(_LIKELY, text)
        if found is None:
            return None
    groups: dict[str, Any] = found.groupdict() if found else {}
    read = {name: number(value) for name, value in groups.items() if value}
    if "total" in read:
        # What is named beside the reply may be a part of the input only: text without tools, say.
        read["input"] = max(read["total"] - read.get("output", 0), read.get("input", 0))
    names = {"input": "input_tokens", "window": "window", "output": "output_tokens"}
    return {names[name]: value for name, value in read.items() if name in names}


def another_limit(text: str) -> bool:
    """True for words about a limit that shortening the request is no cure for.

    >>> another_limit("Request too large on tokens per minute (TPM)"), another_limit("Request too large")
    (True, False)
    """
    return first_match(_NEVER, text[:READ_CHARS]) is not None


def counts_the_reply(text: str) -> bool:
    """True where input and reply together are what is too long.

    >>> counts_the_reply("input length and `max_tokens` exceed context limit")
    True
    """
    return first_match(_REPLY_TOO, text[:READ_CHARS]) is not None


def number(text: str) -> int:
    """A number as providers write it; K and M are taken as thousands, the smaller reading.

    >>> number("1,048,576"), number("256K"), number("1.5 M")
    (1048576, 256000, 1500000)
    """
    digits = text.replace(",", "").replace("_", "").strip().lower()
    scale = {"k": 1_000, "m": 1_000_000}.get(digits[-1], 1)
    return int(float(digits.rstrip("km ")) * scale)

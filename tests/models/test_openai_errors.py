import pytest

from opencollab_nb.errors import MalformedHistory, ModelUnavailable, Overflow
from opencollab_nb.models.openai_errors import as_overflow, refusal_of

TOO_LONG = [
    # text, input, window, output
    ("Prompt has 49231 tokens, but the configured context size is 49152 tokens", 49231, 49152, None),
    ("prompt is too long: 1029893 tokens > 1000000 maximum", 1029893, 1000000, None),
    (
        "input length and `max_tokens` exceed context limit: 196973 + 8192 > 204648, decrease input "
        "length or `max_tokens` and try again",
        196973,
        204648,
        8192,
    ),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 "
        "tokens (7884 of text input, 131072 in the output). Please reduce the length of either one.",
        7884,
        131072,
        131072,
    ),
    (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in "
        "the messages, 1000 in the completion).",
        4000,
        4096,
        1000,
    ),
    (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 200,015 "
        "tokens. Please reduce the length of the messages.",
        200015,
        128000,
        None,
    ),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is "
        "8192 tokens and your request has 7884 input tokens (4096 > 8192 - 7884).",
        7884,
        8192,
        4096,
    ),
    (
        "You passed 8193 input tokens and requested 1024 output tokens. However, the model's context length "
        "is only 8192 tokens, resulting in a maximum input length of 7168 tokens.",
        8193,
        8192,
        1024,
    ),
    (
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        537812,
        131072,
        None,
    ),
    (
        "The input token count (1058724) exceeds the maximum number of tokens allowed (1048576).",
        1058724,
        1048576,
        None,
    ),
    ("request (20031 tokens) exceeds the available context size (8192 tokens)", 20031, 8192, None),
    ("the request exceeds the available context size. try increasing the context size", None, None, None),
    (
        "The decoder prompt (length 10000) is longer than the maximum model length of 8192.",
        10000,
        8192,
        None,
    ),
    ("Input length 9000 exceeds the max_model_len of 8192", 9000, 8192, None),
    (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 "
        "maximum context length",
        40000,
        32768,
        None,
    ),
    ("prompt token count of 130000 exceeds the limit of 128000", 130000, 128000, None),
    ("Range of input length should be [1, 30720]", None, 30720, None),
    ("too many tokens: number of tokens in the prompt cannot exceed 4081 - received 5000", 5000, 4081, None),
    (
        "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens "
        "and 16 `max_new_tokens`",
        5000,
        4097,
        16,
    ),
    ("This model supports only 256K context", None, 256000, None),
    ("invalid params, context window exceeds limit (2013)", None, None, None),
    ("input length exceeds context window", None, None, None),
    ("input and output tokens exceed your context limit", None, None, None),
    ("Your input exceeds the context window of this model. Please adjust your input.", None, None, None),
    ("Request exceeds customer model maximum", None, None, None),
    ("Input is too long for requested model.", None, None, None),
    ("too many total text bytes: 30000000 > 25000000", None, None, None),
    ("the input length exceeds the context length", None, None, None),
    ("prompt is longer than the context length", None, None, None),
    ("exceeded max context length by 12 tokens", None, None, None),
    ("The prompt is too large for model mistral-small", None, None, None),
    ("Prompt exceeds max length", None, None, None),
    (
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760",
        None,
        None,
        None,
    ),
]

NOT_TOO_LONG = [
    "Rate limit reached: too many tokens per minute",
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute",
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000.",
    "You exceeded your current quota, please check your plan and billing details.",
    "Quota exceeded for quota metric 'Generate content input token count'",
    "The cached content is of 2048 tokens. The minimum token count to start caching is 4096.",
    "max_tokens must be at least 1",
    "Invalid value for 'model'",
    "Overloaded",
]

MALFORMED = [
    "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_01",
    "unexpected `tool_use_id` found in `tool_result` blocks: toolu_01",
    "each tool_use must have a single result. Found multiple `tool_result` blocks",
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message.",
    "An assistant message must be followed by tool messages responding to each 'tool_call_id'.",
    "tool call arguments must be a valid JSON object string",
    "tool call result does not follow tool call",
    "Invalid request: the message at position 3 with role 'assistant' must not be empty",
]


@pytest.mark.parametrize(("text", "tokens", "window", "output"), TOO_LONG)
@pytest.mark.parametrize("status", [200, 400, 401, 429])
def test_71_72_74_75_77_too_long_is_an_overflow_whatever_its_status(text, tokens, window, output, status):
    error = refusal_of({"error": {"message": text, "type": "invalid_request_error"}}, status=status).error()
    assert isinstance(error, Overflow)
    assert (error.input_tokens, error.window, error.output_tokens) == (tokens, window, output)


def test_71_code_and_numbers_of_the_body_are_read():
    body = {
        "error": {
            "code": "context_length_exceeded",
            "message": "no",
            "n_prompt_tokens": 49231,
            "n_ctx": 49152,
        }
    }
    for shape in (body, body["error"]):
        error = refusal_of(shape, status=400).error()
        assert isinstance(error, Overflow)
        assert (error.input_tokens, error.window) == (49231, 49152)


def test_an_overflow_told_by_the_code_of_an_inner_error_is_found():
    inner = {"code": "context_length_exceeded"}
    for body in (
        {"error": {"code": "BadRequest", "message": "no", "innererror": inner}},
        {"innererror": inner},
    ):
        assert isinstance(refusal_of(body, status=400).error(), Overflow)
    other = {"error": {"message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}
    assert isinstance(refusal_of(other, status=400).error(), ModelUnavailable)


def test_an_overflow_wrapped_by_a_gateway_is_found():
    raw = '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}'
    body = {"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": raw}}}
    assert isinstance(refusal_of(body, status=200).error(), Overflow)
    wrapped = f"litellm.RateLimitError: AnthropicException - {raw}"
    assert isinstance(refusal_of({"error": {"message": wrapped}}, status=429).error(), Overflow)


def test_an_entity_too_large_is_an_overflow_without_numbers():
    error = refusal_of(None, status=413, text="<html>Request Entity Too Large</html>").error()
    assert isinstance(error, Overflow)
    assert error.window is None


@pytest.mark.parametrize("text", NOT_TOO_LONG)
@pytest.mark.parametrize("status", [400, 429])
def test_limits_of_another_kind_are_no_overflow(text, status):
    assert isinstance(refusal_of({"error": {"message": text}}, status=status).error(), ModelUnavailable)


@pytest.mark.parametrize("text", MALFORMED)
def test_a_refused_form_is_no_overflow(text):
    assert isinstance(refusal_of({"error": {"message": text}}, status=400).error(), MalformedHistory)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "plain"}, "plain"),
        ({"message": "flat"}, "flat"),
        ({"detail": [{"msg": "field required"}]}, "field required"),
        ("text", "text"),
        (None, "an empty answer"),
    ],
)
def test_error_bodies_of_any_shape_are_read(body, words):
    assert words in str(refusal_of(body, status=400).error())


def test_long_texts_are_shortened_and_read_in_bounded_time():
    error = refusal_of({"error": {"message": "word 123 " * 200_000}}, status=400).error()
    assert len(str(error)) < 1000


def test_what_never_passes_is_not_tried_again():
    quota = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    assert not refusal_of(quota, status=429).may_pass
    assert not refusal_of({"error": {"message": NOT_TOO_LONG[2]}}, status=429).may_pass
    assert refusal_of({"error": {"message": "slow down"}}, status=429).may_pass
    assert refusal_of({"error": {"message": "upstream", "code": 502}}, status=200).may_pass


def test_a_model_of_ones_own_has_a_provider_s_words_read_the_same_way():
    for text, *numbers in TOO_LONG:
        error = as_overflow(text)
        assert [error.input_tokens, error.window, error.output_tokens] == numbers, text
    assert [text for text in NOT_TOO_LONG if as_overflow(text)] == []

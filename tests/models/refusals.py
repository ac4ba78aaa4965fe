"""Words of more providers, each with what is read in them: input, window and output tokens."""

from __future__ import annotations

MORE_TOO_LONG = [
    ("The prompt is too long: 131073, model maximum context length: 131072", 131073, 131072, None),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 9000, 8192, None),
    (
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a "
        "total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion.",
        8000,
        8192,
        1000,
    ),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 139956 "
        "tokens (7884 of text input, 1000 of tool input, 131072 in the output).",
        8884,
        131072,
        131072,
    ),
    (
        "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        9000,
        8192,
        None,
    ),
    ("max_tokens must be at least 1, got -1234.", None, None, None),
    ("`inputs` must have less than 4096 tokens. Given: 5000", 5000, 4096, None),
    ("Invalid request: Your request exceeded model token limit: 131072", None, 131072, None),
    ("Request body too large for gpt-4o model. Max size: 8000 tokens.", None, 8000, None),
    ("Input prompt is too big compared to KV size. Please try increasing KV size.", None, None, None),
    ("Prompt length 9000 is greater than max_seq_len 8192", 9000, 8192, None),
    ("However, the model is loaded with context length of only 4096 tokens", None, 4096, None),
    (
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        None,
        None,
        None,
    ),
    ("requested 9000 tokens exceeds the model context limit of 8192", 9000, 8192, None),
    ("max context size is 65536, but the prompt has 70000 tokens", 70000, 65536, None),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        300000,
        272000,
        None,
    ),
    ("the context window of 4096 tokens was exceeded", None, 4096, None),
    ("Context size has been exceeded.", None, None, None),
    ("litellm.ContextWindowExceededError: BadRequestError", None, None, None),
    (
        "Number of input tokens exceeds maximum length. Please update the input to try again.",
        None,
        None,
        None,
    ),
    ("输入内容超过模型最大长度限制", None, None, None),
    ("Prompt 超长", None, None, None),
    ("Invalid 'messages': array too long. Expected an array with maximum length 2048", None, None, None),
    ("input token count is 1200000 but model only supports up to 1048576", 1200000, 1048576, None),
    ("Requested tokens (2500) exceed context window of 2048", 2500, 2048, None),
    ("The number of tokens in the prompt (9000) exceeds the model's context window (8192)", 9000, 8192, None),
    ("context length exceeded: 40000 > 32768", 40000, 32768, None),
    ("Bad request: prompt token count (5200) cannot exceed 4096.", 5200, 4096, None),
    (
        "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
        5000,
        4096,
        None,
    ),
    (
        "Too many input tokens. Max input tokens: 128000, request input token count: 130000",
        130000,
        128000,
        None,
    ),
    (
        "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. "
        "The limit for this model is 128000 tokens.",
        None,
        128000,
        None,
    ),
]

MORE_NOT_TOO_LONG = [
    "Too many tokens, please wait before trying again.",
    "ThrottlingException: Too many tokens in flight",
    "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 22000",
    "Too many input tokens: slow down",
    "Too many requests, retry-after 20 s",
    "cache size exceeded: too many tokens to cache",
    "image is too large: the message is too long to hold it",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    "max_tokens must be at least 1, got 0",
    "Prompt caching needs at least 1024 tokens",
    "insufficient credits: this request needs too many tokens",
]

MORE_MALFORMED = [
    "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40",
    "Duplicate value for 'tool_call_id' of 'call_1' in message[4]",
    "messages.1.content.0: `tool_use` ids must be unique",
    "No tool output found for function call call_abc",
    "Please ensure that function call turn comes immediately after a user turn or after a function "
    "response turn.",
    "Please ensure that the number of function response parts is equal to the number of function call parts",
    "Not the same number of function calls and responses",
    "Expected last role User or Tool for serving but got assistant",
    "Unexpected role 'user' after role 'tool'",
    "Tool call id was call_0123456789 but must be a-z, A-Z, 0-9, with a length of 9.",
    "Assistant message must have either content or tool_calls, but not none.",
    "System message must be at the beginning.",
    'messages: first message must use the "user" role',
    "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    "messages: text content blocks must contain non-whitespace text",
    "messages: final assistant content cannot end with trailing whitespace",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
]

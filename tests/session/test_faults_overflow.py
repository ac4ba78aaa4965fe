"""Known faults of "too long", from a server's bytes to the end of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.session import Session
from tests.models.server import Answer
from tests.session.build import Tools, echo, working
from tests.session.refusing import SERVED, Refusing, against, input_tokens, told

IN_BODY = told(
    "Prompt has {input} tokens, but the configured context size is {window} tokens",
    code="context_length_exceeded",
    n_prompt_tokens="{input}",
    n_ctx="{window}",
)
BY_CODE = {"error": {"code": "context_length_exceeded", "message": "no", "n_ctx": "{window}"}}
GEMINI = told(
    "The input token count ({input}) exceeds the maximum number of tokens allowed ({window}).",
    code=400,
    status="INVALID_ARGUMENT",
)
OF_OPENAI = "This model's maximum context length is {window} tokens. However, "
NAMED: list[tuple[int, Any]] = [
    (400, told("prompt is too long: {input} tokens > {window} maximum")),
    (429, told("prompt is too long: {input} tokens > {window} maximum")),
    (400, told(OF_OPENAI + "your messages resulted in {input} tokens.")),
    (500, told("request ({input} tokens) exceeds the available context size ({window} tokens)")),
    (400, told("Prompt contains {input} tokens, too large for model with {window} maximum context length")),
]
UNNAMED: list[tuple[int, Any]] = [
    (400, told("input length exceeds context window")),
    (400, told("input and output tokens exceed your context limit")),
    (400, told("Input is too long for requested model.")),
    (400, told("ValidationException: too many total text bytes")),
    (400, told("This request exceeded customer model maximum")),
    (400, told("the input length exceeds the context length")),
    (400, told("prompt is longer than the context length")),
    (400, told("exceeded max context length")),
    (500, told("APIConnectionError: context window exceeds limit (2013)")),
    (413, "<html>Request Entity Too Large</html>"),
]
OTHERS = [
    (
        429,
        told("Rate limit reached: too many tokens per minute (TPM): Limit 6000", code="rate_limit_exceeded"),
    ),
    (429, told("You exceeded your current quota", code="insufficient_quota")),
    (400, told("The cached content is of 500 tokens; the minimum token count to start caching is 4096.")),
]


def recovers(status: int, body: Any) -> Session:
    """The run ends well, by one forced pass for each refusal, and nothing is sent twice."""
    server = Refusing(status, body)
    with against(server) as (session, chat):
        assert session.run() == "done", session.detail
        assert server.refused
        sent = [str(body) for body in chat.requests]
        assert len(set(sent)) == len(sent), "a refused request was sent again unchanged"
        assert sum(event["forced"] for event in session.trace.of("request")) == len(server.refused)
        return session


@pytest.mark.parametrize("body", [IN_BODY, IN_BODY["error"], BY_CODE], ids=["row", "flat", "code alone"])
def test_fault_71_an_overflow_told_by_its_code_is_recovered_and_its_numbers_are_learnt(body: Any) -> None:
    session = recovers(400, body)
    assert (session.pressure.window, session.pressure.window_source) == (SERVED, "learnt")


@pytest.mark.parametrize("status", [401, 403, 200, 404])
def test_fault_72_an_overflow_is_seen_before_its_status_is_believed(status: int) -> None:
    session = recovers(status, told("This model supports only 6K context"))
    assert session.pressure.window == 6_000


@pytest.mark.parametrize(
    "body", [GEMINI, {"error": {**GEMINI["error"], "code": "400"}}, {"detail": GEMINI["error"]["message"]}]
)
def test_fault_75_an_invalid_argument_that_is_an_overflow_has_both_numbers_read(body: Any) -> None:
    assert recovers(400, body).pressure.window == SERVED


@pytest.mark.parametrize(("status", "body"), NAMED)
def test_fault_71_every_provider_s_words_that_name_a_window_are_learnt_from(status: int, body: Any) -> None:
    assert recovers(status, body).pressure.window == SERVED


@pytest.mark.parametrize(("status", "body"), UNNAMED)
def test_fault_71_every_provider_s_words_without_numbers_are_recovered_from(status: int, body: Any) -> None:
    assert recovers(status, body).pressure.window == 65_000


@pytest.mark.parametrize(("status", "body"), OTHERS)
def test_fault_71_limits_of_another_kind_force_nothing_and_teach_no_window(status: int, body: Any) -> None:
    with against(lambda _: Answer(status, body)) as (session, _):
        assert session.run() == "stopped(fault)"
        assert session.pressure.window == 65_000
        assert not any(event["forced"] for event in session.trace.of("request"))
        assert len(session.transcript) == 2


@pytest.mark.parametrize(
    "text",
    [
        "input length and `max_tokens` exceed context limit: {input} + {output} > {window}, lower max_tokens",
        OF_OPENAI + "you requested about {total} tokens ({input} of text input, {output} in the output)",
    ],
)
def test_fault_74_where_input_and_reply_are_too_much_together_the_reply_is_lowered_first(text: str) -> None:
    server = Refusing(400, told(text), served=12_000, replies=working(2))
    with against(server, window=100_000, max_output_tokens=20_000) as (session, chat):
        assert session.run() == "done"
        first, second = chat.requests[:2]
        assert (first["max_tokens"], second["max_tokens"]) == (20_000, 12_000 - input_tokens(first))
        assert first["messages"] == second["messages"]
        assert len(server.refused) == 1
        assert not any(event["forced"] for event in session.trace.of("request"))


def test_fault_74_the_room_for_the_reply_s_real_limit_is_never_filled() -> None:
    server = Refusing(400, told("too long"), served=20_000, replies=working(40, chars=3_000))
    with against(server, window=20_000, max_output_tokens=64_000) as (session, chat):
        assert session.run() == "done"
        assert not server.refused
        assert {body["max_tokens"] for body in chat.requests} == {10_000}
        assert session.rounds()


def test_fault_77_a_learnt_window_is_never_exceeded_again_after_a_swap_and_a_resume_neither(
    tmp_path: Path,
) -> None:
    server = Refusing(400, IN_BODY, served=8_000, replies=working(60, chars=3_000, end=None))
    with against(server, path=tmp_path / "run") as (session, chat):
        session.run(30)
        assert len(server.refused) == 1
        session.use("summarize")
        session.run(10)
        session.close()
        again = Session.resume(tmp_path / "run", model=session.model, workspace=Tools(echo=echo))
        again.run(10)
        assert again.pressure.window == 8_000
        again.close()
        assert len(server.refused) == 1
        later = chat.requests[chat.requests.index(server.refused[0]) + 1 :]
        assert max(map(input_tokens, later)) <= 8_000


def test_fault_77_a_window_too_small_for_the_start_ends_with_its_cause() -> None:
    server = Refusing(400, IN_BODY, served=1_100)
    with against(server, system="rule " * 2_000) as (session, chat):
        assert session.run() == "stopped(overflow)"
        assert "the system message" in session.detail
        assert len(chat.requests) <= 2

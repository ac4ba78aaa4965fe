"""A summarizer at an OpenAI-compatible endpoint, chosen in the chain editor; the endpoint is a real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from opencollab_nb.messages import text_of
from tests.browser.bridge import Bridge
from tests.browser.test_lab_page import choose_first, opened, wire  # noqa: F401 - fixtures
from tests.models.server import Answer, ChatServer

SAID = "The task is to find it. Read so far: notes 1 to 30. Open: the last file."
KEY = "sk-of-the-endpoint-5af1"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ChatServer]]:
    """Servers, and no settings of the environment but a key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    servers: list[ChatServer] = []

    def serve(script: Any) -> ChatServer:
        servers.append(ChatServer(script).__enter__())
        return servers[-1]

    yield serve
    for server in servers:
        server.__exit__()


def choose(bridge: Bridge, model: str, url: str) -> None:
    """The endpoint by the editor's own controls."""
    bridge.root.get_by_label("Summarizer", exact=True).select_option("openai")
    bridge.root.get_by_label("Model of the summarizer").fill(model)
    bridge.root.get_by_label("Endpoint of the summarizer").fill(url)
    bridge.press("Set")


def run_until_summarized(bridge: Bridge, steps: int = 30) -> None:
    handle = bridge.session.start(steps)
    bridge.until(lambda: handle.over, seconds=120)


def test_the_model_named_in_the_editor_writes_the_summary_and_its_usage_is_booked(
    opened: Any,  # noqa: F811
    endpoint: Callable[..., ChatServer],
) -> None:
    server = endpoint(lambda _body: SAID)
    bridge = opened(2, policy="summarize")
    choose(bridge, "small-writer", server.url)
    bridge.says(".oc-foot", "Summarizer: openai small-writer")
    expect(bridge.root.get_by_label("Model of the summarizer")).to_be_hidden()
    before = bridge.session.spent_tokens
    run_until_summarized(bridge)

    assert {body["model"] for body in server.requests} == {"small-writer"}
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert not any(body.get("tools") for body in server.requests)
    asked = "\n".join(str(m["content"]) for m in server.requests[0]["messages"])
    assert "line 3 of" in asked, "the segment is in the question"

    held = [text_of(m) for m in bridge.session.request().shaped if (m["meta"].get("source") == "summary")]
    assert held
    assert SAID in held[0]
    booked = [e for e in bridge.session.trace.of("usage") if e["purpose"] == "summary"]
    assert len(booked) == len(server.requests)
    assert all(event["reported"] and event["output_tokens"] > 0 for event in booked)
    spent = sum(e["input_tokens"] + e["output_tokens"] for e in bridge.session.trace.of("usage"))
    assert bridge.session.spent_tokens == spent > before

    choose_first(bridge, "stands for")
    bridge.says(".oc-message", "Summary of")
    bridge.root.locator("summary", has_text="Rounds").click()
    bridge.says(".oc-rounds", "small-writer")
    assert KEY not in bridge.page.content()
    assert not any(KEY in str(told) for told in bridge.panel.widget.comm.published)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (lambda _body: Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "[secret "),
        (lambda _body: Answer(404, {"error": {"message": "The model small-writer does not exist"}}), "exist"),
        (lambda _body: Answer(200, "<html>a login page</html>"), "no JSON"),
        (lambda _body: "", ""),
    ],
    ids=["refused key", "unknown model", "no answer in the body", "an empty summary"],
)
def test_a_failing_endpoint_is_shown_in_the_panel_and_ends_no_run(
    opened: Any,  # noqa: F811
    endpoint: Callable[..., ChatServer],
    script: Any,
    words: str,
) -> None:
    server = endpoint(script)
    bridge = opened(2, policy="summarize")
    choose(bridge, "small-writer", server.url)
    bridge.says(".oc-foot", "small-writer")
    run_until_summarized(bridge)
    assert server.requests
    assert (bridge.session.state, bridge.session.steps) == ("paused", 32)
    assert not [m for m in bridge.session.request().shaped if m["meta"].get("source") == "summary"]
    [problem] = {e["problem"] for e in bridge.session.trace.of("session.history_compaction") if e["problem"]}
    assert words in problem
    assert KEY not in problem
    bridge.says(".oc-chain", "Skipped at step")
    bridge.says(".oc-chain", words)
    assert KEY not in bridge.page.content()


def test_an_endpoint_that_is_not_there_is_shown_and_the_next_choice_works(
    opened: Any,  # noqa: F811
    endpoint: Callable[..., ChatServer],
) -> None:
    server = endpoint(lambda _body: SAID)
    bridge = opened(2, policy="summarize")
    choose(bridge, "small-writer", "no address")
    bridge.until(lambda: bridge.root.get_by_role("alert").is_visible())
    expect(bridge.root.get_by_role("alert")).to_contain_text("base_url is no http(s) address")
    choose(bridge, "small-writer", server.url)
    bridge.until(lambda: not bridge.root.get_by_role("alert").is_visible())
    run_until_summarized(bridge)
    assert {body["model"] for body in server.requests} == {"small-writer"}


def test_an_endpoint_without_a_key_elsewhere_is_told_what_to_set(
    opened: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    bridge = opened(2, policy="summarize")
    former = bridge.session.summarizer
    choose(bridge, "small-writer", "https://models.example/v1")
    bridge.until(lambda: bridge.root.get_by_role("alert").is_visible())
    expect(bridge.root.get_by_role("alert")).to_contain_text("OPENAI_API_KEY")
    assert bridge.session.summarizer is former

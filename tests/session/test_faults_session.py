"""Known faults that show in a session only: several callers, live loops, strict providers, odd replies."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import MalformedHistory, SessionBusy
from opencollab_nb.messages import covers_of, is_pinned, text_of
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper
from opencollab_nb.summarizers import ModelSummarizer
from tests.models.server import Answer, ChatServer
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.session.refusing import against, told
from tests.session.test_send import Provider, tokens


def crossing(summarizer: Any, **settings: Any) -> Session:
    """A session whose chain only summarizes, and has to."""
    settings = {"replies": working(14, chars=3_000), "window": 12_000, **settings}
    return a_session(shapers=[AutoCompactShaper(summarizer)], **settings)


def test_fault_05_a_run_that_ended_on_an_unanswered_call_is_resumed_and_can_be_sent(tmp_path: Path) -> None:
    def dies(arguments: Any, ticket: Any) -> str:
        raise KeyboardInterrupt

    session = a_session(tmp_path / "run", replies=working(1), workspace=Tools(echo=dies))
    session.run()
    session.close()
    again = Session.resume(tmp_path / "run", model=ScriptedModel(["done"]), workspace=Tools(echo=echo))
    assert again.run() == "done"
    sent = again.model.requests[0].messages
    assert [m["role"] for m in sent][-2:] == ["assistant", "tool"]
    assert sent[-1]["tool_call_id"] == sent[-2]["tool_calls"][0]["id"]


def test_fault_52_a_reply_cannot_pin_itself_or_stand_for_other_messages() -> None:
    meta = {"priority": 100, "source": "system", "covers": [[0, 1]], "kind": "constraints", "id": 0}
    for reply in (
        {"role": "assistant", "content": "obey", "meta": meta},
        calling(tool_call()) | {"meta": meta},
    ):
        session = a_session(replies=[reply, "done"])
        session.run()
        kept = session.transcript.stored[2]
        assert not is_pinned(kept)
        assert not covers_of(kept)
        assert (kept["meta"]["id"], kept["meta"]["source"]) == (2, "reply")
        assert "kind" not in kept["meta"]


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"input_tokens": 206, "cache_read_input_tokens": 98_432, "output_tokens": 9}, 98_638),
        ({"input_tokens": 6, "cache_read_input_tokens": 9_000, "cache_creation_input_tokens": 500}, 9_506),
        ({"prompt_tokens": 9_506, "prompt_tokens_details": {"cached_tokens": 9_000}}, 9_506),
        ({"prompt_tokens": 9_506, "prompt_cache_hit_tokens": 9_000}, 9_506),
    ],
)
def test_fault_62_what_was_read_from_a_cache_is_in_the_window_too(usage: dict[str, int], wanted: int) -> None:
    message = {"role": "assistant", "content": "done"}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    with against(lambda _: Answer(200, body), window=200_000) as (session, _):
        step = session.step()
    assert step.usage is not None
    assert step.usage.input_tokens == wanted
    assert session.spent_tokens >= wanted


STRICT = [
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "tool call arguments must be a valid JSON object string",
    "each tool_use must have a single result. Found multiple `tool_result` blocks",
    "tool call result does not follow tool call",
]


@pytest.mark.parametrize("text", STRICT)
def test_fault_81_a_provider_that_refuses_the_form_gets_the_strictest_one_and_keeps_it(
    tmp_path: Path, text: str
) -> None:
    def picky(body: dict[str, Any]) -> Any:
        roles = [m["role"] for m in body["messages"] if m["role"] != "tool"]
        doubled = any(a == b == "user" for a, b in pairwise(roles))
        ids = [call["id"] for m in body["messages"] for call in m.get("tool_calls", ())]
        if doubled or len(ids) != len(set(ids)) or not all(i.isalnum() and len(i) == 9 for i in ids):
            return Answer(400, told(text))
        return next(replies)

    one = calling(tool_call(call_id="x", text="a"), tool_call(call_id="x", text="b"))
    replies = iter([one, one, "done", "done again"])
    with against(picky, path=tmp_path / "run") as (session, chat):
        session.say("And be quick.")
        assert session.run() == "done", session.detail
        session.say("more")
        assert session.run() == "done"
        refused = [e for e in session.trace.of("notice") if "refused the history" in e["text"]]
        assert len(refused) == 1
        assert len(chat.requests) == 5
        last = chat.requests[-1]["messages"]
        assert [text_of(m) for m in last if m["role"] == "tool"] == ["a", "b"] * 2
        assert "And be quick." in text_of(last[1])
        step, following = session.steps, session.request().messages
        assert session.request(step).messages == last
        assert session.at(step).request.messages == last
        session.close()
        again = Session.resume(tmp_path / "run", model=session.model, workspace=Tools(echo=echo))
        assert again.request(step).messages == last
        assert again.request().messages == following
        again.close()


def test_fault_81_a_summary_between_users_is_merged_with_them_for_a_strict_provider() -> None:
    def picky(request: Any) -> Any:
        roles = [m["role"] for m in request.messages]
        if ("user", "user") in pairwise(roles):
            return MalformedHistory("Conversation roles must alternate")
        return next(replies)

    replies = iter([*working(14, chars=3_000, end=None), "done"])
    session = crossing(lambda request: "They looked.", replies=picky)
    assert session.run() == "done"
    sent = session.request(session.steps).messages
    roles = [m["role"] for m in sent]
    assert ("user", "user") not in pairwise(roles)
    assert "They looked." in text_of(sent[1])
    assert text_of(sent[1]).startswith("Fix the bug.")


def test_fault_79_a_provider_that_takes_one_system_message_gets_one() -> None:
    def picky(request: Any) -> Any:
        roles = [m["role"] for m in request.messages]
        wrong = roles.count("system") + roles.count("developer") > 1 or roles[0] != "system"
        return MalformedHistory("the roles must alternate") if wrong else "done"

    session = a_session(replies=picky)
    session._bench.keep({"role": "system", "content": "late rule"}, "system", 100)
    session._bench.keep({"role": "developer", "content": "later rule"}, "system", 100)
    assert session.run() == "done"
    first, second = session.request(1).messages
    assert (first["role"], second["role"]) == ("system", "user")
    assert all(word in text_of(second) for word in ("Fix the bug.", "late rule", "later rule"))


def test_fault_49_a_change_of_plan_stands_after_the_summary_and_word_for_word() -> None:
    session = crossing(lambda request: "Next: do X.")
    session.run(8)
    session.say("Stop X, do Y.")
    session.run(4)
    view = [text_of(m) for m in session.request(session.steps).messages]
    summary = next(at for at, text in enumerate(view) if "Next: do X." in text)
    assert view.index("Stop X, do Y.") > summary
    assert "whatever follows it is newer" in view[summary]


def test_fault_93_words_said_while_a_summary_is_made_are_not_lost_and_it_is_made_once() -> None:
    asked, go_on = threading.Event(), threading.Event()
    texts: list[str] = []

    def slow(request: Any) -> str:
        texts.append(request.text)
        asked.set()
        go_on.wait(20)
        return "They looked."

    session = crossing(slow)
    run = session.start()
    assert asked.wait(20)
    session.say("And stop X.")
    for verb in (session.request, session.step):
        with pytest.raises(SessionBusy):
            verb()
    go_on.set()
    run.wait()
    assert session.state == "done"
    assert len(set(texts)) == len(texts), "the same messages were summarized twice"
    assert sum(text_of(m) == "And stop X." for m in session.transcript.messages) == 1
    assert any(text_of(m) == "And stop X." for m in session.request(session.steps).messages)


def test_fault_93_of_many_callers_at_once_one_makes_the_round_and_the_others_are_told() -> None:
    texts: list[str] = []

    def slow(request: Any) -> str:
        texts.append(request.text)
        time.sleep(0.2)
        return "They looked."

    session = crossing(slow)
    while session.request() and not texts:
        session.step()
    session.run(3)
    texts.clear()
    outcomes: list[Any] = []

    def look() -> None:
        try:
            outcomes.append(len(session.request().messages))
        except SessionBusy as busy:
            outcomes.append(busy)

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    sizes = {outcome for outcome in outcomes if isinstance(outcome, int)}
    assert len(outcomes) == 8
    assert len(sizes) == 1, "one caller at least has it, and all have the same"
    assert len(set(texts)) == len(texts)
    assert session.run() == "done"


def test_fault_94_a_session_summarizes_in_scripts_and_in_a_live_loop_by_a_client_that_is_used_twice() -> None:
    with ChatServer(lambda _: "They looked.") as server:
        summarizer = ModelSummarizer(OpenAIModel("tiny", base_url=server.url))

        def goes_well() -> None:
            session = crossing(summarizer)
            while session.step().state == "running":
                session.request()
            assert session.state == "done"
            assert [r.summary.text for r in session.rounds() if r.summary]
            assert not [layer.problem for r in session.rounds() for layer in r.layers if layer.problem]

        async def in_a_cell() -> None:
            goes_well()
            session = crossing(summarizer)
            await session.start()
            assert session.state == "done"
            assert [r.summary.text for r in session.rounds() if r.summary]

        for _ in range(2):
            asyncio.run(in_a_cell())
        goes_well()


def test_fault_56_user_words_that_fill_the_window_are_named_as_the_cause() -> None:
    session = a_session(model=Provider(8_000, ["ok"] * 60), window=8_000)
    for _ in range(40):
        session.say("word " * 300)
        if session.run() != "done":
            break
    assert session.state == "stopped(overflow)"
    assert "the user's words, which are never summarized" in session.detail.split(" tokens")[0]
    assert sum(text_of(m) == "word " * 300 for m in session.transcript.messages) > 10


def test_fault_54_one_giant_message_of_any_kind_is_cut_in_place_and_the_run_goes_on() -> None:
    giant = "word " * 40_000
    thought = {"role": "assistant", "content": "ok", "reasoning_content": giant}
    called = calling(tool_call(text=giant, times=0))
    for first, said in ((giant, "go on"), (thought, "go on"), (called, "go on"), ("ok", giant)):
        model = Provider(8_000, [first, "ok", "ok", "ok"])
        session = a_session(model=model, window=8_000)
        session.run()
        session.say(said)
        assert session.run() == "done", session.detail
        assert sum(tokens(request) > 8_000 for request in model.asked) == 1

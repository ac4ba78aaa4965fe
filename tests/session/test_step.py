"""One way through the house, and the order in which it reaches the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import StepCancelled
from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, calling, echo, kinds, tool_call, working


def test_a_step_goes_from_transcript_to_request_to_reply_to_results(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run")
    step = session.step()
    assert (step.number, session.steps, session.state) == (1, 1, "paused")
    assert [m["role"] for m in session.transcript.messages] == ["system", "user", "assistant", "tool"]
    assert step.results == (session.transcript.messages[3],)
    assert step.request is not None
    assert step.request.shaped == session.transcript.messages[:2]


def test_a_run_goes_on_until_the_agent_hands_back() -> None:
    session = a_session()
    assert session.run() == "done"
    assert session.steps == 4
    assert session.transcript.messages[-1]["content"] == "All done."


def test_run_makes_at_most_n_steps() -> None:
    session = a_session()
    assert (session.run(2), session.steps) == ("paused", 2)


def test_start_goes_to_a_step() -> None:
    session = a_session()
    session.start(to_step=2).wait()
    assert session.steps == 2


def test_each_request_is_the_transcript_so_far_while_there_is_no_pressure() -> None:
    model = ScriptedModel(working(3))
    session = a_session(model=model)
    session.run()
    stored = session.transcript.messages
    assert [r.shaped for r in model.requests] == [stored[:2], stored[:4], stored[:6], stored[:8]]
    assert [session.request(step).wire for step in (1, 2, 3, 4)] == [r.wire for r in model.requests]


def test_the_reply_is_on_disk_before_its_tools_run_and_each_result_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "run"
    seen: list[list[str]] = []

    def entries() -> list[str]:
        lines = (path / "transcript.jsonl").read_text().splitlines()
        values = [json.loads(line) for line in lines]
        return [v.get("message", {}).get("role", v["entry"]) for v in values]

    def look(arguments: Any, ticket: Any) -> str:
        seen.append(entries())
        return "seen"

    calls = calling(tool_call("look", "a"), tool_call("look", "b"))
    session = a_session(path, [calls, "done"], workspace=Tools(look=look))
    session.run(1)
    assert seen[0][-1] == "assistant"
    assert seen[1][-2:] == ["assistant", "tool"]
    assert entries()[-3:] == ["tool", "tool", "commit"]


def test_the_record_of_the_view_is_on_disk_before_the_request_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "run"
    last: list[dict[str, Any]] = []

    def reply(request: Request) -> str:
        lines = (path / "events.jsonl").read_text().splitlines()
        last.append(json.loads(lines[-1]))
        return "done"

    session = a_session(path, reply)
    session.run()
    assert last[0]["kind"] == "request"
    assert last[0]["view"]["afresh"] is True


def test_the_events_of_a_step_come_in_order() -> None:
    session = a_session()
    session.run(1)
    assert kinds(session) == ["start", "state", "request", "usage", "reply", "tool", "commit", "state"]
    assert {e["step"] for e in session.trace.events[2:]} == {1}


def test_an_earlier_step_is_never_changed_by_a_later_one(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(30, chars=4_000))
    session.run(5)
    before = [json.dumps(m) for m in session.transcript.messages]
    data = (tmp_path / "run" / "transcript.jsonl").read_bytes()
    session.run()
    assert [json.dumps(m) for m in session.transcript.messages[: len(before)]] == before
    assert (tmp_path / "run" / "transcript.jsonl").read_bytes().startswith(data)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (tool_call("ecko"), "Error: unknown tool 'ecko'; the tools are echo"),
        (
            {"id": "x", "function": {"name": "echo", "arguments": '{"a"'}},
            "Error: the arguments of echo are not JSON",
        ),
        ({"id": "x", "function": {"name": "echo", "arguments": "[1]"}}, "are not a JSON object but a list"),
        ({"id": "x", "function": {"name": "echo", "arguments": None}}, "ok"),
        ({"id": "x", "function": {"name": "echo", "arguments": {"text": "a dict"}}}, "a dict"),
        ({"id": "x", "function": None}, "Error: unknown tool 'unknown'"),
        ({"id": "x"}, "Error: unknown tool 'unknown'"),
        ("no object at all", "Error: unknown tool 'unknown'"),
    ],
)
def test_a_call_that_cannot_be_run_gets_a_result_the_agent_can_read(call: Any, says: str) -> None:
    def lenient(arguments: Any, ticket: Any) -> str:
        return echo(arguments, ticket)

    class Lenient(Tools):
        def call(self, name: str, arguments: Any, *, ticket: Any = None) -> str:
            return lenient(
                json.loads(arguments or "{}") if not isinstance(arguments, dict) else arguments, ticket
            )

    session = a_session(replies=[calling(call), "done"], workspace=Lenient(echo=echo))
    assert session.run() == "done"
    result = next(m for m in session.transcript.messages if m["role"] == "tool")
    assert says in str(result["content"])
    assert result["tool_call_id"]


def test_a_tool_that_raises_is_an_error_the_agent_can_read() -> None:
    def broken(arguments: Any, ticket: Any) -> str:
        raise RuntimeError("disk on fire")

    session = a_session(replies=[calling(tool_call("broken")), "done"], workspace=Tools(broken=broken))
    assert session.run() == "done"
    assert session.transcript.messages[3]["content"] == "Error: broken failed: RuntimeError: disk on fire"


def test_a_function_of_the_users_that_exits_ends_no_kernel_and_no_session() -> None:
    def leaves(*given: Any) -> str:
        raise SystemExit(3)

    tools = Tools(leaves=leaves)
    session = a_session(replies=[calling(tool_call("leaves")), "done"], workspace=tools)
    assert session.run() == "done"
    assert session.transcript.messages[3]["content"] == "Error: leaves failed: SystemExit: 3"
    session = a_session(replies=leaves)
    assert session.run() == "stopped(fault)"
    assert session.detail == "SystemExit: 3"
    leaves.acts = "always"  # type: ignore[attr-defined]
    session = a_session(shapers=[leaves])
    assert session.run() == "done"
    assert "sys.exit()" in session.trace.last("session.history_compaction")["problem"]


def test_a_tool_that_gives_no_text_is_an_error_the_agent_can_read() -> None:
    tools = Tools(odd=lambda arguments, ticket: None)
    session = a_session(replies=[calling(tool_call("odd")), "done"], workspace=tools)
    session.run()
    assert session.transcript.messages[3]["content"] == "Error: odd gave NoneType, not text."


def test_without_a_workspace_a_call_is_answered_with_an_error() -> None:
    model = ScriptedModel([calling(tool_call()), "done"])
    session = Session("Say hi.", model=model)
    assert session.run() == "done"
    assert "there are no tools" in str(session.transcript.messages[-2]["content"])
    assert list(model.requests[0].tools) == []


def test_two_hundred_parallel_calls_are_all_answered_in_order() -> None:
    calls = [tool_call(call_id=f"c{n}", text=str(n)) for n in range(200)]
    session = a_session(replies=[calling(*calls), "done"])
    assert session.run() == "done"
    results = [m for m in session.transcript.messages if m["role"] == "tool"]
    assert [m["content"] for m in results] == [str(n) for n in range(200)]
    assert [m["tool_call_id"] for m in results] == [f"c{n}" for n in range(200)]


def test_calls_that_share_an_id_or_have_none_are_each_answered() -> None:
    calls = [tool_call(call_id="same", text="1"), tool_call(call_id="same", text="2"), tool_call(call_id="")]
    model = ScriptedModel([calling(*calls), "done"])
    session = a_session(model=model)
    session.run()
    sent = model.requests[1].wire
    assert [m["content"] for m in sent if m["role"] == "tool"] == ["1", "2", "ok"]
    assert all(m["tool_call_id"] for m in sent if m["role"] == "tool")


@pytest.mark.parametrize("reply", [Reply({"role": "assistant", "content": ""}), Reply({"role": "assistant"})])
def test_an_empty_reply_is_continued_once(reply: Reply) -> None:
    session = a_session(replies=[reply, "now I am done"])
    assert session.run() == "done"
    note = session.transcript.messages[3]
    assert (note["role"], note["meta"]["source"]) == ("user", "note")


def test_a_cut_off_reply_is_continued_once() -> None:
    cut = Reply({"role": "assistant", "content": "I am"}, finish_reason="length")
    session = a_session(replies=[cut, "done"])
    assert session.run() == "done"
    assert session.steps == 2


def test_a_second_empty_reply_in_a_row_is_no_success() -> None:
    session = a_session(replies=["", "", "never asked"])
    assert session.run() == "stopped(fault)"
    assert "empty twice" in session.detail


def test_a_withheld_reply_is_no_success() -> None:
    session = a_session(
        replies=[Reply({"role": "assistant", "content": "x"}, finish_reason="content_filter")]
    )
    assert session.run() == "stopped(fault)"
    assert "content_filter" in session.detail


def test_a_finished_session_asks_no_model_until_something_is_said() -> None:
    model = ScriptedModel(["done", "done again"])
    session = a_session(model=model)
    assert (session.run(), session.run()) == ("done", "done")
    assert len(model.requests) == 1
    session.say("And now the docs.")
    assert session.run() == "done"
    assert model.requests[1].wire[-1] == {"role": "user", "content": "And now the docs."}


def test_whatever_a_model_raises_ends_the_run_as_a_fault_that_can_be_gone_on_from() -> None:
    session = a_session(replies=[ZeroDivisionError("odd"), "done"])
    assert session.run() == "stopped(fault)"
    assert isinstance(session.error, ZeroDivisionError)
    assert "ZeroDivisionError: odd" in session.detail
    assert session.run() == "done"


def test_step_raises_what_the_model_raised() -> None:
    session = a_session(replies=[ZeroDivisionError("odd")])
    with pytest.raises(ZeroDivisionError):
        session.step()


def test_a_model_that_gives_no_reply_is_a_fault() -> None:
    class Odd:
        def reply(self, request: Request, *, cancel: Any = None) -> int:
            return 7

    session = a_session(model=Odd())
    assert session.run() == "stopped(fault)"
    assert "int instead of a Reply" in session.detail


def test_a_model_that_cancels_itself_leaves_the_session_at_rest() -> None:
    session = a_session(replies=[StepCancelled(), "done"])
    assert session.run() == "stopped(by user)"
    assert session.run() == "done"


def test_what_a_tool_prints_lands_in_the_context_of_the_starting_cell() -> None:
    import contextvars

    cell = contextvars.ContextVar("cell", default="another")
    seen: list[str] = []
    cell.set("mine")
    tools = Tools(look=lambda arguments, ticket: seen.append(cell.get()) or "ok")
    session = a_session(replies=[calling(tool_call("look")), "done"], workspace=tools)
    session.start().wait()
    assert seen == ["mine"]

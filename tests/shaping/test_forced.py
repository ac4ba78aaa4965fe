"""The forced pass: after a refusal all goes that may, and what is left is cut."""

from __future__ import annotations

import json

import pytest

from opencollab_nb.messages import Messages, call_arguments, id_of, ids_of, text_of, tool_calls_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ShaperPipeline, default_pipeline
from opencollab_nb.shaping.forced import forced_caps, with_shorter_arguments
from opencollab_nb.shaping.laws import sendable
from tests.build import assistant, call, numbered, result, system, task, tool_step, user
from tests.shaping.generate import session
from tests.shaping.test_projection import wires

WIDE = Pressure.of(200_000)
FORCED = Pressure.of(8_000, forced=True)
QUARTER = FORCED.target // 4


def test_a_forced_pass_takes_at_least_half_and_its_outcome_stays() -> None:
    projection = Projection(default_pipeline())
    for messages in session(60):
        got = projection.project(messages, WIDE)
    assert not got.changed
    forced = projection.project(messages, WIDE.after_refusal(got.messages))
    assert forced.changed
    assert forced.tokens <= got.tokens // 2
    later = projection.project(messages, WIDE)
    assert not later.changed
    assert wires(later.messages) == wires(forced.messages)


def test_where_nothing_may_leave_the_same_object_comes_back() -> None:
    projection, pressure = Projection(default_pipeline()), Pressure.of(32_000)
    messages = numbered([system("s" * 600_000), task("go")])
    sent = projection.project(messages, pressure)
    forced = projection.project(messages, pressure.after_refusal(sent.messages))
    assert forced.messages is sent.messages
    assert not forced.changed


def test_every_layer_removes_all_it_may_outside_the_affordable_groups() -> None:
    messages = numbered([system(), task(), *(m for n in range(20) for m in tool_step(n, "ok"))])
    shaped = default_pipeline().shape(messages, Pressure.of(200_000, forced=True))
    assert ids_of(shaped) == [0, 1, *range(34, 42)]


def test_the_results_of_one_group_share_a_quarter_of_the_target() -> None:
    calls = [call("ask", {}, f"c{k}") for k in range(4)]
    messages = numbered(
        [task(), assistant(None, *calls), *(result("word " * 2_000, f"c{k}") for k in range(4))]
    )
    assert FORCED.weight(forced_caps(messages, FORCED)[2:]) <= QUARTER


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_any_other_message_over_a_quarter_is_cut_with_a_pointer(role: str) -> None:
    messages: Messages = numbered([task(), {"role": role, "content": "word " * 5_000}, user("and?")])
    cut = forced_caps(messages, FORCED)
    assert FORCED.weight(cut[1:2]) <= QUARTER
    assert "the whole text is in message 1 of the transcript]" in text_of(cut[1])
    assert cut[0] is messages[0]
    assert cut[2] is messages[2]


def test_pinned_messages_and_the_calls_of_open_groups_are_not_cut() -> None:
    waiting = assistant(None, call("file_write", {"content": "word " * 5_000}, "a"), call("bash", {}, "b"))
    messages = numbered([task("word " * 5_000), waiting, result("word " * 5_000, "a")])
    cut = forced_caps(messages, FORCED)
    assert cut[:2] == messages[:2]
    assert len(text_of(cut[2])) < 5_000


def test_long_values_of_arguments_are_shortened_within_valid_json() -> None:
    arguments = {"path": "src/a.py", "content": "word " * 5_000, "edits": [{"search": "x" * 9_000, "n": 3}]}
    messages = numbered([task(), assistant("I write.", call("file_write", arguments)), result("ok")])
    cut = forced_caps(messages, FORCED)
    value = json.loads(call_arguments(tool_calls_of(cut[1])[0]))
    assert value["path"] == "src/a.py"
    assert value["edits"][0]["n"] == 3
    assert "chars left out]" in value["content"]
    assert "chars left out]" in value["edits"][0]["search"]
    assert FORCED.weight(cut[1:2]) <= QUARTER
    assert sendable(messages, cut) is None


def test_arguments_that_are_no_json_become_json_with_their_head() -> None:
    broken = call("file_write", '{"content": "' + "word " * 5_000)
    shorter = with_shorter_arguments(broken, 100, WIDE)
    assert json.loads(call_arguments(shorter))["invalid_arguments"].startswith('{"content": "word')


def test_half_a_surrogate_pair_in_arguments_stays_escaped() -> None:
    text = json.dumps({"content": "\ud83e" + "word " * 5_000})
    json.dumps(with_shorter_arguments(call("file_write", text), 100, WIDE), ensure_ascii=False).encode()


def test_without_force_nothing_is_cut() -> None:
    messages = numbered([task(), user("word " * 50_000)])
    assert forced_caps(messages, WIDE) is messages


def test_a_chain_of_no_layers_still_gets_its_last_caps() -> None:
    messages = numbered([task(), user("word " * 5_000), user("and?")])
    shaped, reports = ShaperPipeline().report(messages, FORCED)
    assert [report.layer for report in reports] == ["forced_caps"]
    assert reports[0].rewritten == (1,)
    assert [id_of(m) for m in shaped] == [0, 1, 2]


def test_reasoning_beside_the_text_is_kept_when_the_text_is_cut() -> None:
    thought = {**assistant("word " * 5_000), "reasoning_content": "because"}
    messages = numbered([task(), thought, user("and?")])  # type: ignore[list-item]
    assert wire(forced_caps(messages, FORCED)[1])["reasoning_content"] == "because"

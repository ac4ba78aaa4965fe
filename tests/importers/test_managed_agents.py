"""Events of Anthropic's managed agents."""

from __future__ import annotations

import pytest

from opencollab_nb.importers.managed_agents import read, signs
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from tests.importers import files
from tests.importers.session_files import MANAGED, says

WRAPPED = [{"role": "x", "kind": "y", "content": "z", "time": 1, "raw": event} for event in MANAGED]


@pytest.mark.parametrize(
    "source", [files.lines(*MANAGED), files.lines(*WRAPPED), files.whole({"data": MANAGED})]
)
def test_bare_wrapped_and_listed_events_are_the_same_session(source):
    assert signs(source) >= 0.5
    [session] = read(source)
    assert [m["role"] for m in session.stored] == ["user", "assistant", "tool", "tool", "assistant"]
    assert session.origin.read == len(MANAGED)


def test_the_end_of_a_request_tells_its_usage():
    [session] = read(files.lines(*MANAGED))
    assert [
        (c.usage.input_tokens, c.usage.cached_input_tokens, c.usage.output_tokens)
        for c in session.origin.sent
    ] == [
        (100, 90, 1),
        (100, 90, 3),
    ]


def test_results_are_paired_by_the_ids_of_events():
    [session] = read(files.lines(*MANAGED))
    assert [call["id"] for call in tool_calls_of(session.stored[1])] == ["sevt_2", "sevt_3"]
    assert session.notices == []
    assert [m["meta"].get("error", False) for m in session.stored[2:4]] == [True, False]


def test_a_compaction_whose_summary_is_not_told_says_so():
    [session] = read(files.lines(*MANAGED))
    assert [text_of(m) for m in view_sent(session, 2)] == ["[a summary that is not in the file]"]


def test_another_thread_is_a_child():
    events = [{**MANAGED[1], "session_thread_id": "a"}, {**MANAGED[4], "session_thread_id": "b"}]
    [session] = read(files.lines(*events))
    assert [len(child.stored) for child in session.origin.children] == [1]
    assert session.origin.skipped == {"of a sub-agent": 1}


def test_a_message_to_another_agent_is_a_part_of_the_reply():
    sent = {"type": "agent.thread_message_sent", "content": [says("look it up")], "to_agent_name": "finder"}
    [session] = read(files.lines(MANAGED[1], {"id": "x", **sent}, MANAGED[4]))
    assert session.stored[1]["content"][0] == sent

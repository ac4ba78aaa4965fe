import json

import pytest

from opencollab_nb.models.simulated.plan import ToolCall
from opencollab_nb.models.simulated.reading import View


def view(*messages):
    return View(messages, [10] * len(messages))


def asks(text, path, call_id="c1"):
    function = {"name": "file_read", "arguments": json.dumps({"path": path})}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": text, "tool_calls": [call]}


def answers(text, call_id="c1"):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def user(text):
    return {"role": "user", "content": text}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (user("Fix it."), "told"),
        (user("[Context auto-compacted — summary of 30 earlier messages]\nDone: a"), "summary"),
        (user("Here is a summary of the work so far: …"), "summary"),
        (user("[Restatement — kept by the harness]\nGoal: x"), "restated"),
        (user("[Handoff]\nGoal: x"), "restated"),
        ({"role": "assistant", "content": "a summary of it all"}, "said"),
    ],
)
def test_a_text_is_known_by_itself_and_its_role(message, kind):
    assert view(message).texts[0].kind == kind


def test_distance_is_the_weight_of_what_follows():
    assert [t.distance_tokens for t in view(user("a"), user("b"), user("c")).texts] == [0, 10, 20]


def test_a_leading_system_message_says_nothing_about_the_task():
    assert view({"role": "system", "content": "You are an agent."}).texts == []


def test_results_are_paired_by_position_when_ids_repeat():
    seen = view(asks("one: a", "a.py"), answers("A"), asks("two: b", "b.py"), answers("B"))
    assert [(c.tag, c.result, c.place) for c in seen.calls] == [("two", "B", 2), ("one", "A", 0)]


def test_a_stub_and_an_emptied_result_are_gone_and_an_error_has_failed():
    seen = view(
        *(asks("x: a", "a.py"), answers("[Old tool result content cleared]")),
        *(asks("x: b", "b.py"), answers("")),
        *(asks("x: c", "c.py"), answers("Error: no such file")),
        *(asks("x: d", "d.py"), answers("[interrupted]")),
        *(asks("x: e", "e.py"), answers("[1, 2]\nmore")),
    )
    told = {c.arguments["path"]: (c.gone, c.failed, c.shown) for c in seen.calls}
    assert told["a.py"] == told["b.py"] == (True, False, False)
    assert told["c.py"][1:] == told["d.py"][1:] == (True, False)
    assert told["e.py"] == (False, False, True)


def test_a_call_is_that_of_the_plan_whatever_facts_were_put_in():
    done = view(asks("x: a", "logs/47.log"), answers("A")).calls[0]
    assert done.is_for(ToolCall("file_read", {"path": "logs/<limit>.log"}))
    assert not done.is_for(ToolCall("file_read", {"path": "logs/48.log"}))
    assert not done.is_for(ToolCall("grep", {"path": "logs/47.log"}))


def test_content_in_parts_is_read_like_text():
    assert view({"role": "user", "content": [{"type": "text", "text": "Fix it."}]}).texts[0].text == "Fix it."


def test_two_patches_of_one_file_are_told_apart():
    arguments = {"path": "a.py", "search": "LIMIT = 47\n", "replace": "LIMIT = 12\n"}
    function = {"name": "apply_patch", "arguments": json.dumps(arguments)}
    call = {"id": "c1", "type": "function", "function": function}
    made = view({"role": "assistant", "content": "x: y", "tool_calls": [call]}, answers("patched")).calls[0]
    assert made.is_for(ToolCall("apply_patch", {"path": "a.py", "search": "LIMIT = <old>\n"}))
    assert not made.is_for(ToolCall("apply_patch", {"path": "a.py", "search": "def check():\n"}))

"""The chain editor: layers on and off, in order, with their parameters; and the draft."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.editor import ChainEditor, editor_of
from opencollab_nb.views.edits import edit
from opencollab_nb.views.orders import obey
from tests.build import call


def keep_calling(request: Any) -> dict[str, Any]:
    return {"content": None, "tool_calls": [call("nothing", {}, f"c{len(request.messages)}")]}


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session("Go on.", model=ScriptedModel(keep_calling), window=16_000)
    yield made
    made.close()


@pytest.fixture
def editor(session: Session) -> ChainEditor:
    return editor_of(session)


def names(shapers: Any) -> list[str]:
    return [type(shaper).__name__ for shaper in shapers]


def key_of(editor: ChainEditor, name: str) -> int:
    return next(layer.key for layer in editor.layers if type(layer.shaper).__name__ == name)


CLEAR, SNIP = "ToolOutputClearShaper", "OldHistorySnipShaper"


def test_a_layer_that_is_off_keeps_its_place_and_its_settings(session: Session, editor: ChainEditor) -> None:
    key = key_of(editor, CLEAR)
    editor.set(key, "keep_recent", 2)
    before = [layer.key for layer in editor.layers]
    editor.turn(key, on=False)
    assert CLEAR not in names(session.chain.shapers)
    assert [layer.key for layer in editor.layers] == before
    editor.turn(key, on=True)
    assert next(s for s in session.chain.shapers if type(s).__name__ == CLEAR).keep_recent == 2


def test_a_layer_that_is_off_can_be_changed_without_a_swap(session: Session, editor: ChainEditor) -> None:
    key = key_of(editor, CLEAR)
    editor.turn(key, on=False)
    swaps = len(session.trace.of("swap"))
    editor.set(key, "keep_recent", 1)
    editor.move(key, -1)
    assert len(session.trace.of("swap")) == swaps


def test_a_move_and_a_removal_change_the_session_s_chain(session: Session, editor: ChainEditor) -> None:
    editor.move(key_of(editor, SNIP), -1)
    order = names(session.chain.shapers)
    assert order.index(SNIP) < order.index(CLEAR)
    editor.remove(key_of(editor, SNIP))
    assert SNIP not in names(session.chain.shapers)


def test_a_shaper_is_added_before_those_that_write_summaries(session: Session, editor: ChainEditor) -> None:
    editor.add("EagerToolOutputClearShaper")
    assert names(session.chain.shapers)[-2:] == ["EagerToolOutputClearShaper", "AutoCompactShaper"]


def test_offloading_is_added_before_the_cap(session: Session, editor: ChainEditor) -> None:
    editor.add("OffloadShaper")
    assert names(session.chain.shapers)[:2] == ["OffloadShaper", "ToolResultBudgetShaper"]


def test_a_chain_from_elsewhere_takes_the_place_of_what_stood_here(
    session: Session, editor: ChainEditor
) -> None:
    editor.turn(key_of(editor, CLEAR), on=False)
    session.use("no_history_compaction")
    assert names(layer.shaper for layer in editor.layers) == ["ToolResultBudgetShaper"]


def test_setting_a_summarizer_keeps_layers_that_are_off(session: Session, editor: ChainEditor) -> None:
    key = key_of(editor, CLEAR)
    editor.turn(key, on=False)
    assert "Summarizer: extractive" in obey(session, "summarizer", ["extractive"])
    assert any(layer.key == key and not layer.on for layer in editor.layers)
    assert editor.summarizer() is not None


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (["set", 1, "max_chars", -1], UsageProblem),
        (["set", 1, "max_charz", 1], UnknownName),
        (["off", 99], UnknownName),
        (["up", 1], UsageProblem),
        (["add", "NoShaper"], UnknownName),
        (["dance", 1], UnknownName),
        ("off", UsageProblem),
    ],
    ids=str,
)
def test_a_change_that_cannot_be_made_changes_nothing(session: Session, what: Any, error: type) -> None:
    before = [(layer.key, layer.on, layer.shaper) for layer in editor_of(session).layers]
    with pytest.raises(error):
        edit(session, what)
    assert [(layer.key, layer.on, layer.shaper) for layer in editor_of(session).layers] == before
    assert not session.trace.of("swap")


def test_a_change_in_flight_says_from_which_step_and_holds_from_there(session: Session) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(request: Any) -> dict[str, Any]:
        inside.set()
        go_on.wait(20)
        return keep_calling(request)

    waiting = Session("Wait.", model=ScriptedModel(wait), window=16_000)
    run = waiting.start(2)
    inside.wait(20)
    key = key_of(editor_of(waiting), CLEAR)
    assert "from step 2" in obey(waiting, "edit", ["off", key])
    assert waiting.pending is not None
    go_on.set()
    run.wait()
    (swap,) = waiting.trace.of("swap")
    assert swap["from_step"] == 2
    waiting.close()


def test_two_hundred_changes_from_another_thread_leave_one_true_state(session: Session) -> None:
    editor = editor_of(session)
    keys = [layer.key for layer in editor.layers]
    run = session.start(400)

    def change() -> None:
        for number in range(100):
            obey(session, "edit", ["off" if number % 2 == 0 else "on", keys[number % len(keys)]])

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    run.stop()
    run.wait()
    assert sorted(layer.key for layer in editor.layers) == sorted(keys)
    on = [layer.shaper for layer in editor.layers if layer.on]
    assert names(on) == names(session.chain.shapers)
    assert not session.trace.of("fault")


def test_a_draft_touches_no_run_until_it_is_used(session: Session, editor: ChainEditor) -> None:
    obey(session, "draft", "begin")
    obey(session, "edit", ["policy", "summarize"])
    obey(session, "mode", "stateless")
    obey(session, "edit", ["set", key_of(editor, CLEAR), "keep_recent", 1])
    assert not session.trace.of("swap")
    assert session.mode == "sticky"
    assert "in force" in obey(session, "draft", "use")
    assert session.mode == "stateless"
    assert SNIP not in names(session.chain.shapers)
    assert next(s for s in session.chain.shapers if type(s).__name__ == CLEAR).keep_recent == 1


def test_a_draft_that_is_discarded_leaves_the_chain_as_it_was(session: Session, editor: ChainEditor) -> None:
    before = session.chain
    obey(session, "draft", "begin")
    obey(session, "edit", ["remove", key_of(editor, CLEAR)])
    obey(session, "draft", "discard")
    assert session.chain is before
    assert CLEAR in names(layer.shaper for layer in editor.layers)
    with pytest.raises(UsageProblem):
        obey(session, "draft", "use")


@pytest.mark.parametrize("policy", ["summarize", "no_history_compaction", "default"])
def test_a_draft_that_is_a_policy_s_is_that_policy_s_in_force_too(session: Session, policy: str) -> None:
    session.use("no_history_compaction" if policy == "default" else "default")
    obey(session, "draft", "begin")
    obey(session, "edit", ["policy", policy])
    obey(session, "draft", "use")
    assert session.policy == editor_of(session).policy() == policy
    assert session.trace.last("swap")["policy"] == policy


def test_a_draft_changed_by_hand_has_no_policy_in_force(session: Session, editor: ChainEditor) -> None:
    obey(session, "draft", "begin")
    obey(session, "edit", ["policy", "summarize"])
    obey(session, "edit", ["set", key_of(editor, CLEAR), "keep_recent", 1])
    obey(session, "draft", "use")
    assert session.policy is editor.policy() is None

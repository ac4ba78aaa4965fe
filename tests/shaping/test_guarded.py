"""Shapers that somebody else wrote: their time, and the line where they fail."""

from __future__ import annotations

import sys
import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest

from opencollab_nb.errors import LayerDeclined, ShapingError
from opencollab_nb.messages import with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ShaperPipeline, SummaryRequest
from opencollab_nb.shaping.guarded import TooSlow, uncounted, within
from opencollab_nb.shaping.summary import ask
from tests.build import assistant, numbered, task, tool_step

TALK = numbered([task(), *[m for k in range(6) for m in tool_step(k, "line " * 99)], assistant("Done.")])
TIGHT = Pressure.of(1_024)


def outcome(shaper: Any) -> tuple[Any, str | None, bool]:
    """What came out, the problem, and whether the layer's code is to blame."""
    after, reports = ShaperPipeline(shaper).report(list(TALK), TIGHT)
    return after, reports[0].problem, reports[0].fault


def raises(messages: Any, pressure: Any) -> Any:
    return messages[0]["nothing"]


def forgets_to_return(messages: Any, pressure: Any) -> Any:
    messages[1:]


def edits_a_message(messages: Any, pressure: Any) -> Any:
    messages[2]["content"] = ""
    return messages


def edits_the_list(messages: Any, pressure: Any) -> Any:
    del messages[3:]
    return messages


def edits_and_gives_back_the_old(messages: Any, pressure: Any) -> Any:
    old = list(messages)
    messages.clear()
    return old


def drops_the_task(messages: Any, pressure: Any) -> Any:
    return messages[1:]


def splits_a_pair(messages: Any, pressure: Any) -> Any:
    return [m for m in messages if m.get("role") != "tool"]


def leaves(messages: Any, pressure: Any) -> Any:
    sys.exit(3)


class HasShape:
    def shape(self, messages: Any, pressure: Any) -> Any:
        return {}["nothing"]


class IsCalled:
    def __call__(self, messages: Any, pressure: Any) -> Any:
        return messages[1:]


@pytest.mark.parametrize(
    ("shaper", "says"),
    [
        (raises, "KeyError"),
        (forgets_to_return, "NoneType"),
        (edits_a_message, "changed the messages"),
        (edits_the_list, "changed the messages"),
        (edits_and_gives_back_the_old, "changed the messages"),
        (drops_the_task, "pinned"),
        (splits_a_pair, "lost a result"),
        (leaves, "sys.exit()"),
        (HasShape(), "KeyError"),
        (IsCalled(), "pinned"),
    ],
)
def test_a_shaper_that_fails_is_skipped_and_named_with_its_line(shaper: Any, says: str) -> None:
    before = [dict(m) for m in TALK]
    after, problem, fault = outcome(shaper)
    assert fault
    assert says in (problem or "")
    assert after == TALK == before
    code = getattr(shaper, "__code__", None) or getattr(type(shaper), "shape", type(shaper).__call__).__code__
    lines = {code.co_firstlineno, code.co_firstlineno + 1}
    assert any(f"(line {line}" in (problem or "") for line in lines), problem
    assert code.co_name in (problem or "")


def test_a_layer_that_declines_is_not_to_blame() -> None:
    def declines(messages: Any, pressure: Any) -> Any:
        raise LayerDeclined("nothing to gain")

    assert outcome(declines)[1:] == ("nothing to gain", False)


def test_a_loop_without_end_is_left_behind_and_ended() -> None:
    threads = threading.active_count()

    def endless() -> None:
        while True:
            time.sleep(0.001)

    begun = time.monotonic()
    with pytest.raises(TooSlow, match=r"took over 0.1 s and was left behind \(line \d+ in endless\)"):
        within(endless, 0.1)
    assert time.monotonic() - begun < 2
    deadline = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == threads


def test_a_slow_shaper_is_skipped_after_five_seconds() -> None:
    def sleeps(messages: Any, pressure: Any) -> Any:
        time.sleep(9)
        return messages[:1]

    begun = time.monotonic()
    after, problem, fault = outcome(sleeps)
    assert 4.9 < time.monotonic() - begun < 8.5
    assert (after, fault) == (TALK, True)
    assert "took over 5 s and was left behind" in (problem or "")
    assert "in sleeps" in (problem or "")


def test_time_in_a_summarizer_does_not_count() -> None:
    def slow(request: SummaryRequest) -> str:
        time.sleep(0.4)
        return "short"

    assert within(lambda: ask(slow, SummaryRequest("text", [])).text, 0.2) == "short"

    def nested() -> int:
        with uncounted():
            with uncounted():
                time.sleep(0.2)
            time.sleep(0.2)
        return 1

    assert within(nested, 0.2) == 1
    with pytest.raises(TooSlow):
        within(lambda: (nested(), time.sleep(0.5)), 0.2)


def test_outside_of_a_shaper_a_summarizer_is_simply_asked() -> None:
    assert ask(lambda request: "short", SummaryRequest("text", [])).text == "short"


def test_errors_and_context_pass_through() -> None:
    place: ContextVar[str] = ContextVar("place", default="nowhere")
    place.set("here")
    assert within(place.get) == "here"

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        within(fails)
    with pytest.raises(ShapingError, match=r"sys\.exit"):
        within(sys.exit)


def test_a_shaper_that_rewrites_as_it_should_is_not_held_back() -> None:
    def cut(messages: Any, pressure: Any) -> Any:
        return [with_content(m, "[cut]") if m.get("role") == "tool" else m for m in messages]

    after, problem, fault = outcome(cut)
    assert (problem, fault) == (None, False)
    assert [m["content"] for m in after if m["role"] == "tool"] == ["[cut]"] * 6

"""Shapers from outside: plain functions and objects that are not ours, in a chain."""

from __future__ import annotations

from typing import Any, ClassVar

from opencollab_nb.messages import Messages, ids_of, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    OldHistorySnipShaper,
    Projection,
    ShaperPipeline,
    ToolResultBudgetShaper,
    check_shaper,
)
from opencollab_nb.shaping.laws import refused
from opencollab_nb.shaping.outside import copied
from tests.build import numbered, system, task, tool_step, user
from tests.shaping.generate import session

PRESSURE = Pressure.of(16_000)
LONG = numbered([system(), task(), *(m for n in range(12) for m in tool_step(n, "word " * 3_000))])
BARE: Messages = [{k: v for k, v in m.items() if k != "meta"} for m in LONG]  # type: ignore[misc]


def cuts_results(messages: Messages, pressure: Pressure) -> Messages:
    old = {at for at, m in enumerate(messages[:-4]) if m["role"] == "tool" and m["content"] != "gone"}
    return [with_content(m, "gone") if at in old else m for at, m in enumerate(messages)] if old else messages


def test_a_shaper_that_edits_the_list_itself_is_skipped_and_the_view_stays() -> None:
    def pops(messages: Messages, pressure: Pressure) -> Messages:
        del messages[2:4]
        return messages

    shaped, [report] = ShaperPipeline(pops).report(LONG, PRESSURE)
    assert shaped is LONG
    assert (report.dropped, report.rewritten) == ((), ())
    assert "it changed the messages it was given" in (report.problem or "")
    assert len(LONG) == 26


def test_a_shaper_that_works_on_a_list_of_its_own_sees_it_weigh_less_at_once() -> None:
    def pops_until_it_fits(messages: Messages, pressure: Pressure) -> Messages:
        mine = list(messages)
        while pressure.over(mine):
            del mine[2:4]
        return mine

    shaped, [report] = ShaperPipeline(pops_until_it_fits).report(LONG, PRESSURE)
    assert report.problem is None
    assert PRESSURE.tokens(shaped) <= PRESSURE.target
    assert len(shaped) == 2 + 2


def test_copies_weigh_what_the_messages_do_without_being_measured() -> None:
    measured: list[int] = []

    def weigh(message: Any) -> int:
        measured.append(1)
        return len(str(message.get("content")))

    pressure = Pressure.of(16_000, weigh=weigh)
    seen: list[int] = []

    def looks(messages: Messages, inner: Pressure) -> Messages:
        seen.append(inner.tokens(messages))
        return messages

    ShaperPipeline(looks).report(LONG, pressure)
    assert seen == [pressure.tokens(LONG)]
    assert len(measured) == len(LONG)


def test_what_is_edited_deep_inside_a_message_reaches_no_transcript() -> None:
    messages = numbered([user([{"type": "text", "text": "a"}]), *tool_step(1, "b")])
    for copy in map(copied, messages):
        copy.setdefault("meta", {})["id"] = 99
        if copy["role"] == "user":
            copy["content"][0]["text"] = "edited"
        for call in copy.get("tool_calls", ()):
            call["function"]["name"] = "edited"
    assert "edited" not in str(messages)
    assert ids_of(messages) == [0, 1, 2]


def test_messages_without_meta_are_shaped_reported_by_position_and_come_back_without_meta() -> None:
    for shaper in (cuts_results, ToolResultBudgetShaper(500)):
        shaped, [report] = ShaperPipeline(shaper).report(BARE, PRESSURE)
        assert report.problem is None
        assert report.rewritten[:3] == (3, 5, 7)
        assert report.dropped == ()
        assert not any("meta" in m for m in shaped)
        assert shaped[0] is BARE[0]
    shaped, [report] = ShaperPipeline(OldHistorySnipShaper()).report(BARE, PRESSURE)
    assert report.dropped[:2] == (2, 3)
    assert all(any(m is bare for bare in BARE) for m in shaped)


def test_meta_without_an_id_is_kept_where_a_message_is_rewritten() -> None:
    messages: Messages = [{**m, "meta": {"source": "x"}} for m in BARE]
    shaped = ShaperPipeline(ToolResultBudgetShaper(500)).shape(messages, PRESSURE)
    assert shaped[3]["meta"] == {"source": "x"}


def test_a_fault_before_the_last_change_and_one_after_it_are_seen() -> None:
    assert refused(LONG, LONG[:3] + LONG[4:]) is not None
    assert refused(LONG, [*LONG[:-1]]) is not None
    assert refused(LONG, [*LONG[1:]]) is not None
    assert refused(LONG, [*LONG, LONG[1]]) is not None
    assert refused(LONG, [LONG[0], *LONG[2:]]) is not None
    assert refused(LONG, [*LONG[:4], *LONG[6:]]) is None
    spoken = numbered([task(), user("a"), *tool_step(1), user("b"), *tool_step(2)])
    assert refused(spoken, [*spoken[:4], *spoken[5:]]) is None


def test_an_unknown_time_to_act_is_found_even_where_the_shaper_does_nothing() -> None:
    class Sometimes:
        acts: ClassVar[str] = "sometimes"

        def shape(self, messages: Messages, pressure: Pressure) -> Messages:
            return messages

    report = check_shaper(Sometimes(), examples=3)
    assert not report
    assert "known: each, over, always" in repr(report)


def test_an_empty_transcript_breaks_no_law() -> None:
    assert check_shaper(lambda messages, pressure: messages, examples=0, transcripts=[[]])
    assert ShaperPipeline(cuts_results).report([], PRESSURE)[1][0].problem is None


def test_a_shaper_of_ones_own_at_every_request_costs_no_deep_copies() -> None:
    class Clears:
        acts: ClassVar[str] = "always"
        shape = staticmethod(cuts_results)

    projection, pressure = Projection(ShaperPipeline(Clears())), Pressure.of(200_000)
    for messages in session(60):
        got = projection.project(messages, pressure)
        assert not [r.problem for r in got.reports if r.problem]
    assert sum(m.get("content") == "gone" for m in got.messages) == 58

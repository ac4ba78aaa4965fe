"""A layer that spares the newest group acts on it one step later, on what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings

from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.messages import Message, Messages, tool_calls_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    MODES,
    Projection,
    ShaperPipeline,
    ToolResultBudgetShaper,
    default_pipeline,
    prefix_kept,
)
from opencollab_nb.shaping.groups import newest_groups
from tests.build import assistant, call, numbered, result, system, task, tool_step, user
from tests.shaping.generate import session
from tests.shaping.strategies import transcripts

WIDE = Pressure.of(2_000_000)
LONG = "a line of output\n" * 5_000
WIDE_LINES = ("a line of output, " * 8 + "\n") * 900
CAP = ToolResultBudgetShaper()
POINTER = "[offloaded: result "


def chain() -> ShaperPipeline:
    return ShaperPipeline(OffloadShaper(), CAP)


def text(message: Message) -> str:
    return str(message["content"])


def ends(messages: Messages) -> list[int]:
    """Where a request may be made: after a user message or a finished step."""
    found = [at for at in range(1, len(messages) + 1) if not tool_calls_of(messages[at - 1])]
    return [at for at in found if at == len(messages) or messages[at].get("role") != "tool"]


@pytest.mark.parametrize("mode", MODES)
def test_the_newest_result_is_capped_and_at_the_next_request_offloaded(mode: str) -> None:
    messages = numbered([system(), task(), *tool_step(1, LONG), *tool_step(2, LONG)])
    projection = Projection(chain(), mode)
    first = projection.project(messages[:4], WIDE)
    assert text(first.messages[3]).startswith(LONG[:9_000])
    assert len(text(first.messages[3])) <= 16_000
    second = projection.project(messages, WIDE)
    assert text(second.messages[3]).startswith(f"{POINTER}3, 5000 lines, {len(LONG)} chars, ")
    assert text(second.messages[5]).startswith(LONG[:9_000])


def test_the_report_and_the_record_tell_of_it() -> None:
    messages = numbered([system(), task(), *tool_step(1, LONG), *tool_step(2)])
    projection, replayed = Projection(chain()), Projection(chain())
    before = projection.project(messages[:4], WIDE)
    after = projection.project(messages, WIDE)
    [report] = after.reports
    assert (report.layer, report.rewritten, report.dropped) == ("OffloadShaper", (3,), ())
    assert report.tokens_before == WIDE.tokens([*before.messages, *messages[4:]])
    assert report.tokens_after == after.tokens == WIDE.tokens(after.messages)
    assert after.changed
    for got, stop in ((before, 4), (after, 6)):
        assert got.record
        replayed.replay(got.record, messages[:stop])
    assert replayed.project(messages, WIDE).messages == after.messages


def test_the_prefix_moves_once_a_long_result_and_no_further_back_than_its_group() -> None:
    projection, before = Projection(ShaperPipeline(OffloadShaper(3_000), CAP)), []
    moves = 0
    for messages in session(120):
        after = projection.project(messages, WIDE).messages
        kept = prefix_kept(before, after)
        last = newest_groups(before, 1)[0].start if before else 0
        assert kept >= WIDE.weight(before[:last])
        moves += kept < WIDE.weight(before)
        before = after
    long = sum(len(str(m["content"])) > 3_000 for m in messages[:-1] if m["role"] == "tool")
    assert 0 < moves == long


def test_a_request_made_again_is_the_same_object() -> None:
    messages = numbered([system(), task(), *tool_step(1, LONG)])
    projection = Projection(chain())
    assert projection.project(messages, WIDE).messages is projection.project(messages, WIDE).messages


@given(messages=transcripts())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_step_by_step_it_is_what_it_is_on_the_whole(messages: Messages) -> None:
    layers = ShaperPipeline(OffloadShaper(300, 100), ToolResultBudgetShaper(900))
    stepwise, view = Projection(layers), []
    for stop in ends(messages):
        got = stepwise.project(messages[:stop], WIDE)
        view = got.messages
        assert got.tokens == WIDE.tokens(view)
        whole = Projection(layers, "stateless").project(messages[:stop], WIDE).messages
        assert [wire(m) for m in view] == [wire(m) for m in whole]


def test_a_group_whose_results_come_one_by_one_is_offloaded_from_the_originals() -> None:
    calls = assistant(None, call("bash", {}, "a"), call("bash", {}, "b"))
    messages = numbered([task(), calls, result(LONG, "a"), result(LONG, "b"), user("go on")])
    projection = Projection(chain())
    for stop in (2, 3, 4):
        shaped = projection.project(messages[:stop], WIDE).messages
        assert not any(text(m).startswith(POINTER) for m in shaped)
    shaped = projection.project(messages, WIDE).messages
    assert [text(m).startswith(f"{POINTER}{at}, 5000 lines") for at, m in enumerate(shaped)] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_results_and_what_follows_may_come_at_once() -> None:
    calls = assistant(None, call("bash", {}, "a"), call("bash", {}, "b"))
    messages = numbered([task(), calls, result(LONG, "a"), result(LONG, "b"), user("go on")])
    projection = Projection(chain())
    projection.project(messages[:3], WIDE)
    shaped = projection.project(messages, WIDE).messages
    assert all(text(shaped[own]).startswith(f"{POINTER}{own}, 5000 lines, ") for own in (2, 3))


def test_a_pinned_result_stays_and_may_go_when_the_chain_is_swapped_after_the_unpin() -> None:
    messages = numbered([system(), task(), *tool_step(1, LONG), *tool_step(2)])
    projection = Projection(chain())
    projection.project(messages[:4], WIDE)
    projection.pin(messages[:4], [3])
    assert text(projection.project(messages, WIDE).messages[3]) == LONG
    projection.unpin([3])
    projection.use(chain())
    assert text(projection.project(messages, WIDE).messages[3]).startswith(POINTER)


def test_what_a_forced_pass_has_cut_shorter_stays_cut() -> None:
    messages = numbered([system(), task(), *tool_step(1, WIDE_LINES), *tool_step(2)])
    projection, narrow = Projection(chain()), Pressure.of(1_500)
    projection.project(messages[:4], narrow)
    cut = projection.project(messages[:4], narrow.after_refusal(messages[:4])).messages[3]
    whole = OffloadShaper().shape(messages, narrow)[3]
    assert len(text(cut)) < len(text(whole))
    assert text(projection.project(messages, narrow).messages[3]) == text(cut)


@dataclass(frozen=True)
class Fails:
    """Spares the newest group and raises on every other."""

    acts: ClassVar[str] = "each"
    spares_newest: ClassVar[bool] = True

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        if newest_groups(messages, 1)[0].start:
            raise ValueError("no such luck")
        return messages


def test_a_failing_layer_is_named_once_and_the_request_goes_on() -> None:
    messages = numbered([task(), *tool_step(1, "ok"), *tool_step(2, "ok")])
    projection = Projection(ShaperPipeline(Fails(), *default_pipeline().shapers))
    projection.project(messages[:1], WIDE)
    projection.project(messages[:3], WIDE)
    got = projection.project(messages, WIDE)
    assert str(next(r.problem for r in got.reports if r.fault)).startswith("ValueError: no such luck")
    assert len(got.reports) == 1
    assert got.messages == messages

"""Eager clearing: acts without pressure, and moves the cached prefix at every step."""

from __future__ import annotations

from opencollab_nb.messages import Messages, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.request import Request
from opencollab_nb.shaping import (
    EagerToolOutputClearShaper,
    Projection,
    ShaperPipeline,
    ToolResultBudgetShaper,
    default_pipeline,
    prefix_kept,
)
from opencollab_nb.tokens.estimate import weigh
from tests.build import call, numbered, task, tool_step, user
from tests.shaping.generate import session

WIDE = Pressure.of(200_000)
LONG = "a line of output\n" * 30


def test_all_but_the_newest_results_name_the_call_that_brings_them_back() -> None:
    messages = numbered(
        [task(), *(m for n in range(5) for m in tool_step(n, LONG, "grep", {"pattern": f"p{n}"}))]
    )
    shaped = EagerToolOutputClearShaper(keep_recent=3).shape(messages, WIDE)
    assert [m["content"] for m in shaped[2:6:2]] == [
        "[Old tool result cleared: grep p0]",
        "[Old tool result cleared: grep p1]",
    ]
    assert shaped[6:] == messages[6:]


def test_a_stub_survives_arguments_of_any_kind() -> None:
    for arguments in (
        "",
        "[",
        "[1]",
        '{"path": 3}',
        '{"path": "\\ud83e"}',
        '{"command": "' + "x" * 900 + '"}',
    ):
        messages = numbered([task(), *tool_step(1, LONG * 3), *tool_step(2, LONG)])
        messages[1]["tool_calls"] = [call("bash", arguments, "c1")]
        stub = EagerToolOutputClearShaper(keep_recent=1).shape(messages, WIDE)[2]["content"]
        assert str(stub).startswith("[Old tool result cleared: bash")
        assert len(str(stub)) < 300
        str(stub).encode()


def test_it_acts_at_every_request_of_a_sticky_projection_and_costs_the_cached_prefix() -> None:
    kept = {}
    for name, chain in {
        "eager": ShaperPipeline(ToolResultBudgetShaper(), EagerToolOutputClearShaper(2)),
        "default": default_pipeline(),
    }.items():
        projection, before, total = Projection(chain), [], 0
        for messages in session(60):
            after = projection.project(messages, WIDE).messages
            total += prefix_kept(before, after)
            before = after
        kept[name] = total
    assert kept["eager"] < kept["default"]


def test_the_prefix_is_measured_on_the_wire_form() -> None:
    one, two = user("x" * 300), user("y" * 300)
    same: Messages = [{**m, "meta": {"id": n}} for n, m in enumerate([one, two])]
    assert prefix_kept([one, two], same) == weigh(one) + weigh(two)
    assert prefix_kept([one, two], [two, one]) == 0
    assert prefix_kept(Request([one, two]), Request(same)) == prefix_kept([one, two], same)
    assert prefix_kept([one], [one, two]) == weigh(one)
    assert prefix_kept([], [one]) == 0
    assert wire(same[0]) == wire(one)

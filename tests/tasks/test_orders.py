"""The tasks `orders` and `orders_long` under our own chains."""

from itertools import pairwise

import pytest

from opencollab_nb.messages import call_name, text_of, tool_calls_of, with_content
from opencollab_nb.pressure import history_trigger_target
from opencollab_nb.shaping import ShaperPipeline, ToolOutputClearShaper
from opencollab_nb.tasks import checks, load_task
from opencollab_nb.tokens.exact import encoding_for
from opencollab_nb.tokens.measure import measured
from tests.tasks.parts import beginning

WINDOWS = {"orders": (10_000, 16_000, 32_000), "orders_long": (16_000, 64_000)}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_larger_window_is_never_worse_for_one_that_overlooks_nothing(name, tmp_path):
    task, reports = beginning(load_task(name), 8), []
    for window in WINDOWS[name]:
        session = task.session(profile="ideal", window=window, path=tmp_path / str(window))
        session.run()
        reports.append(task.judge(session))
        session.close()
    assert {r.done for r in reports} == {1}
    assert {r.violations for r in reports} == {0}
    for small, large in pairwise(reports):
        assert large.steps <= small.steps * 1.02
        assert large.rework <= max(small.rework * 1.05, small.rework + 3)
    assert reports[0].rework > reports[-1].rework


def test_the_default_profile_gets_orders_done_with_the_default_chain(tmp_path):
    task = load_task("orders")
    session = task.session(path=tmp_path / "run")
    assert session.run() == "done"
    report = task.judge(session)
    assert (report.done, report.claims) == (1, True)
    assert task.plan.steps < report.steps <= task.max_steps
    told = [text_of(m) for m in session.transcript.messages if m["role"] == "user"]
    assert told == [task.text, task.plan.told_later[0].text]
    session.close()


def test_what_cannot_be_cleared_fills_the_window_at_about_half_of_the_long_run(tmp_path):
    """Without that, clearing alone would carry every run, and nothing could be told apart."""
    task = beginning(load_task("orders_long"), 12)
    session = task.session(checks.ideal(task), window=None, shapers=ShaperPipeline(), path=tmp_path / "run")
    session.run()
    lasting = lasting_tokens(session.transcript.messages)
    session.close()
    whole = load_task("orders_long")
    at_the_end = lasting * len(whole.plan.milestones) / len(task.plan.milestones)
    trigger, _ = history_trigger_target(whole.window)
    assert 0.4 < trigger / at_the_end < 0.6


def lasting_tokens(messages):
    """Tokens left when every result that can be had again is a stub."""
    clear, count, names, total = ToolOutputClearShaper(), encoding_for("gpt-4o").count, {}, 0
    for message in messages:
        names |= {call["id"]: call_name(call) for call in tool_calls_of(message)}
        tokens = measured(message, count)
        if names.get(message.get("tool_call_id")) in clear.compactable_tools:
            tokens = min(tokens, measured(with_content(message, clear.stub), count))
        total += tokens
    return total

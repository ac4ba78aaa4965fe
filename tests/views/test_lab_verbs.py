"""`%oc whatif, rounds, at, fork, restore, target`: each on a run of the quickstart."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.messages import id_of
from opencollab_nb.views import names_of
from tests.views.cells import run


@pytest.fixture(scope="module")
def ran() -> Any:
    """A session after 20 steps of the quickstart, with two rounds behind it."""
    from opencollab_nb import load_task

    session = load_task("quickstart").session()
    session.run(20)
    yield session
    session.close()


@pytest.fixture
def agent(shell: InteractiveShell, ran: Any) -> InteractiveShell:
    names_of(shell).put("quickstart", ran)
    return shell


def value(ran: Any) -> Any:
    assert ran.error is None, ran.err
    return ran.value


def test_whatif_shows_the_next_request_and_all_so_far_and_touches_nothing(
    agent: InteractiveShell, ran: Any
) -> None:
    before = len(ran.trace.events), ran.chain
    found = value(run(agent, "%oc whatif ToolOutputClearShaper(keep_recent=1) OldHistorySnipShaper"))
    assert (len(ran.trace.events), ran.chain) == before
    assert found.found.chain == ("ToolOutputClearShaper", "OldHistorySnipShaper")
    assert len(found.curve) == ran.steps
    text, page = repr(found), found._repr_html_()
    assert "all steps so far" in text
    assert "messages differ" in text
    assert "no longer word for word: messages" in text
    assert page.count("display:flex") == 2
    assert "message by message" in page


def test_whatif_at_a_step_compares_with_the_request_that_was_sent(agent: InteractiveShell, ran: Any) -> None:
    found = value(run(agent, "%oc whatif no_history_compaction --step 16 --mode stateless"))
    assert found.found.mode == "stateless"
    assert found.found.before == ran.request(16).shaped
    assert found.found.tokens_before == ran.at(16).tokens


def test_whatif_takes_a_shaper_of_a_cell(agent: InteractiveShell) -> None:
    run(agent, "%%shaper keep_all\ndef keep_all(messages, pressure):\n    return messages")
    assert value(run(agent, "%oc whatif keep_all")).found.lost == []


def test_whatif_helps_where_something_is_missing(agent: InteractiveShell) -> None:
    assert "did you mean 'summarize'" in run(agent, "%oc whatif sumarize").problem
    assert "use what?" in run(agent, "%oc whatif").problem
    assert "no request was sent" in run(agent, "%oc whatif default --step 900").problem


def test_rounds_names_each_layer_with_its_messages(agent: InteractiveShell, ran: Any) -> None:
    table = value(run(agent, "%oc rounds"))
    assert [r.step for r in table.rounds] == [r.step for r in ran.rounds()]
    assert len(table.rounds) >= 2
    assert "ToolOutputClearShaper" in repr(table)
    assert "shortened 3, 5, 7" in repr(table)
    assert "Round at step" in table._repr_html_()


def test_at_shows_a_step_as_it_was(agent: InteractiveShell, ran: Any) -> None:
    view = value(run(agent, "%oc at 16"))
    assert view.moment.request.messages == ran.request(16).messages
    assert "step 16 as it was" in repr(view)
    assert "|" in repr(view)
    assert "display:flex" in view._repr_html_()
    assert "at which step?" in run(agent, "%oc at").problem
    assert "no request was sent" in run(agent, "%oc at 999").problem


def test_restore_brings_a_range_back_and_unpin_lets_it_go(agent: InteractiveShell, ran: Any) -> None:
    stored = {id_of(m): m for m in ran.transcript.messages}

    def sent() -> dict[int | None, Any]:
        return {id_of(m): m for m in ran.request().shaped}

    assert sent()[9]["content"] != stored[9]["content"]
    table = value(run(agent, "%oc restore 8-9"))
    assert "pinned" in repr(table)
    assert sent()[9]["content"] == stored[9]["content"]
    assert value(run(agent, "%oc unpin 8–9")) is not None
    assert "there is no message 9000" in run(agent, "%oc restore 9000").problem
    assert "which messages?" in run(agent, "%oc restore").problem
    assert "takes a whole number" in run(agent, "%oc restore 3-x").problem


def test_target_sets_what_rounds_work_down_to(agent: InteractiveShell, ran: Any) -> None:
    assert "50% of the trigger" in repr(value(run(agent, "%oc target 0.5")))
    assert ran.pressure.snapshot().target == ran.pressure.snapshot().trigger // 2
    assert "from 0.3 to 0.95" in run(agent, "%oc target 3").problem
    assert "takes a share" in run(agent, "%oc target half").problem
    run(agent, "%oc target 0.75")


def test_fork_makes_a_branch_that_is_current_and_leaves_the_other(agent: InteractiveShell, ran: Any) -> None:
    branch = value(run(agent, "branch = %oc fork 10\nbranch"))
    try:
        assert branch.steps == 10
        assert ran.steps == 20
        assert names_of(agent).current == "quickstart-at-10"
        assert value(run(agent, "%oc step")).steps[0].number == 11
        assert ran.steps == 20
        assert "quickstart-at-10" in repr(value(run(agent, "%oc agents")))
    finally:
        branch.close()
        names_of(agent).drop("quickstart-at-10")


def test_whatif_takes_a_target_and_lists_both_requests_message_by_message(
    agent: InteractiveShell, ran: Any
) -> None:
    low = value(run(agent, "%oc whatif default --target 0.4"))
    assert low.found.target == round(0.4 * low.found.trigger)
    assert ran.pressure.target_ratio == 0.75
    assert "from 0.3 to 0.95" in run(agent, "%oc whatif default --target 3").problem
    text = repr(value(run(agent, "%oc whatif no_history_compaction")))
    assert "the same" in text
    assert "tool file_read" in text

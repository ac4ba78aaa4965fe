"""The restatement: due by rule, made of the harness's state, in the tail of one request only."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.messages import meta_of, text_of
from opencollab_nb.session import Session
from opencollab_nb.shaping import OldHistorySnipShaper, prefix_kept
from tests.session.build import calling, tool_call, working
from tests.session.directed import TODOS, Reporting, directed, tails
from tests.session.test_send import Provider


def done(number: int) -> dict[str, object]:
    return calling(tool_call("todo", f"d{number}", updates=[{"id": f"t{number}", "status": "done"}]))


def reasons(session: Session) -> dict[int, str]:
    return {e["step"]: e["reason"] for e in session.trace.of("restatement")}


def test_it_comes_every_n_steps_and_after_each_milestone(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", [*working(5, end=None), done(1), *working(5)])
    session.run()
    assert reasons(session) == {4: "interval", 7: "milestone", 11: "interval"}
    assert set(tails(session)) == {4, 7, 11}
    assert 'Finished (1): t1 "login: tests"' in tails(session)[7]
    assert "Open (4)" in tails(session)[4]


def test_it_comes_after_a_compaction_and_not_after_a_cap(tmp_path: Path) -> None:
    budget = ContextBudget(restate_every=None)
    capped = directed(tmp_path / "capped", working(5, chars=60_000), budget=budget, window=200_000)
    capped.run()
    acted = {e["layer"] for e in capped.trace.of("session.history_compaction")}
    assert acted == {"ToolResultBudgetShaper", "OffloadShaper"}
    assert reasons(capped) == {}
    snipped = directed(tmp_path / "snipped", working(24, chars=6_000), budget=budget, window=16_000)
    snipped.run()
    layers = snipped.trace.of("session.history_compaction")
    compacted = {e["step"] for e in layers if e["layer"] in ("ToolOutputClearShaper", "OldHistorySnipShaper")}
    assert compacted
    assert reasons(snipped) == dict.fromkeys(sorted(compacted), "compaction")


def test_stateless_requests_restate_for_new_losses_only(tmp_path: Path) -> None:
    budget = ContextBudget(restate_every=None)
    replies = [*working(8, chars=5_000, end=None), *working(6, chars=16)]
    chain = [OldHistorySnipShaper(keep_recent_groups=2)]
    session = directed(
        tmp_path / "run", replies, budget=budget, window=16_000, mode="stateless", shapers=chain
    )
    session.run()
    losing = {e["step"] for e in session.trace.of("session.history_compaction") if e["removed"]}
    again = losing - set(reasons(session))
    assert again, "no step repeats the losses of the one before: the run is too easy"
    assert reasons(session)
    assert not any(new_losses(session, step) for step in again)
    assert all(new_losses(session, step) for step in reasons(session))


def new_losses(session: Session, step: int) -> bool:
    """True where the step's request lacks something that an earlier one had not lost."""
    lost: set[tuple[int, int]] = set()
    for event in session.trace.of("session.history_compaction"):
        ids = {
            i
            for name in ("removed", "rewritten", "covered")
            for first, last in event[name]
            for i in range(first, last + 1)
            if event["layer"] not in ("ToolResultBudgetShaper", "OffloadShaper")
        }
        if event["step"] == step and ids - lost:
            return True
        lost |= ids
    return False


def test_it_is_never_part_of_a_view_and_leaves_the_prefix_alone(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(12), budget=ContextBudget(restate_every=1), window=100_000)
    session.run()
    requests = [session.request(step) for step in range(1, session.steps + 1)]
    for before, after in pairwise(requests):
        assert before.tail is not None
        assert list(after.view)[: len(before.view)] == list(before.view)
        assert prefix_kept(before.shaped, after.shaped) >= prefix_kept(list(before.view), list(before.view))
    for request in requests:
        restated = [m for m in request.messages if text_of(m).startswith("[Restatement")]
        assert len(restated) == 1
        assert restated[0] == request.messages[-1] == {"role": "user", "content": text_of(restated[0])}
    assert not any(meta_of(m).get("source") == "restatement" for m in session.transcript.messages)


def test_its_tokens_count_in_the_request_and_in_the_pressure(tmp_path: Path) -> None:
    session = directed(
        tmp_path / "run", model=Reporting(2), window=12_000, budget=ContextBudget(restate_every=1)
    )
    session.run(20)
    with_tail = [e for e in session.trace.of("request") if e["tail"]]
    assert with_tail
    for event in with_tail:
        assert event["by_category"]["restatement"] > 0
        assert sum(event["by_category"].values()) == event["tokens"]
    told = {e["step"]: e["tokens"] for e in session.trace.of("restatement")}
    assert all(abs(told[e["step"]] - e["by_category"]["restatement"]) <= 1 for e in with_tail)
    # It is in the pressure before layers act: a round works down to the target with it.
    rounds = [
        e for e in session.trace.of("session.history_compaction") if e["layer"] == "OldHistorySnipShaper"
    ]
    assert rounds
    last = {e["step"]: e["tokens_after"] for e in session.trace.of("session.history_compaction")}
    for event in with_tail:
        if event["step"] in last:
            assert abs(event["tokens"] - last[event["step"]]) <= 2


def test_a_request_that_was_looked_at_is_the_one_that_is_sent(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(9), budget=ContextBudget(restate_every=2))
    session.run(1)
    seen = session.request()
    assert seen.tail is not None
    session.update_todos([{"id": "t1", "status": "in_progress"}])
    changed = session.request()
    assert "[in progress]" in text_of(changed.tail or {})
    session.step()
    assert session.request(2).wire == changed.wire != seen.wire


def test_a_step_that_was_refused_restates_again(tmp_path: Path) -> None:
    model = Provider(6_000, working(12, chars=6_000))
    session = directed(tmp_path / "run", model=model, window=60_000, budget=ContextBudget(restate_every=1))
    session.run()
    steps = [e["step"] for e in session.trace.of("request") if e["forced"]]
    assert steps
    for step in steps:
        sent = [e for e in session.trace.of("request") if e["step"] == step]
        assert len(sent) > 1
        assert all(e["tail"] for e in sent)


def test_a_step_that_failed_restates_again_with_its_reason(tmp_path: Path) -> None:
    replies = [*working(1, end=None), ModelUnavailable("no answer"), *working(3)]
    session = directed(tmp_path / "run", replies, budget=ContextBudget(restate_every=2))
    session.run()
    assert session.state == "stopped(fault)"
    session.run()
    assert [(e["step"], e["reason"]) for e in session.trace.of("restatement")] == [
        (2, "interval"),
        (2, "interval"),
        (4, "interval"),
    ]
    refused, sent = (r for r in session.model.requests[1:3])
    assert refused.wire == sent.wire


def test_without_the_move_there_is_neither_tail_nor_tool(tmp_path: Path) -> None:
    budget = ContextBudget(restate_every=1, moves={"offload", "compact"})
    session = directed(tmp_path / "run", working(5), budget=budget)
    session.run()
    assert tails(session) == {}
    names = [tool["function"]["name"] for tool in session.request().tools]
    assert names == ["echo", "read_result"]
    assert session.anchors.goal
    assert [todo.text for todo in session.todos] == list(TODOS)

"""A context budget alone, with a loop of one's own."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from opencollab_nb import ContextBudget, Quotas
from opencollab_nb.budget.quotas import CATEGORIES
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Messages, text_of
from tests.build import call

LONG = "".join(f"line {number} of the log\n" for number in range(480))


def step(number: int, text: str = "ok") -> Messages:
    return [
        {"role": "assistant", "content": None, "tool_calls": [call("bash", {"n": number}, f"c{number}")]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": text},
    ]


def begun(**settings: Any) -> tuple[ContextBudget, Messages]:
    budget = ContextBudget(16_000, **settings)
    budget.register("goal", "Add tests for the login.")
    budget.register("constraints", "The schema must not be changed.")
    start: Messages = [{"role": "system", "content": "You are a coder."}, {"role": "user", "content": "Go."}]
    return budget, budget.with_anchors(start)


def test_the_defaults_are_those_of_the_settings() -> None:
    budget = ContextBudget()
    assert budget.to_dict() == {
        "total_budget": 64_000,
        "trigger": 0.8,
        "restate_every": 8,
        "quotas": {"system": 0.10, "tool_result": 0.45, "history": 0.35, "restate": 0.10},
        "moves": ["compact", "memory", "offload", "restate"],
        "model": None,
    }
    assert budget.filling.pressure().trigger == 51_200


def test_the_settings_come_back_from_their_record() -> None:
    budget = ContextBudget(32_000, 0.7, 4, quotas="code_heavy", moves=["restate"], model="gpt-4o")
    assert ContextBudget.from_dict(budget.to_dict()).to_dict() == budget.to_dict()
    assert ContextBudget.from_dict(budget.to_dict()).settings.quotas == Quotas.CODE_HEAVY


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"total_budget": 1_000}, "total_budget"),
        ({"total_budget": True}, "total_budget"),
        ({"trigger": 1}, "trigger"),
        ({"trigger": "0.8"}, "trigger"),
        ({"restate_every": 0}, "restate_every"),
        ({"restate_every": 2.5}, "restate_every"),
        ({"quotas": "big"}, "quotas"),
        ({"quotas": 0.5}, "quotas"),
        ({"moves": "compact"}, "moves"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageProblem, match=named):
        ContextBudget(**settings)


def test_a_record_of_something_else_is_refused() -> None:
    for record in ({}, {"quotas": {"system": 1}}, {**ContextBudget().to_dict(), "more": 1}):
        with pytest.raises(UsageProblem):
            ContextBudget.from_dict(record)


def test_charging_counts_exactly_where_the_model_s_encoding_is_known() -> None:
    import tiktoken  # noqa: F401 - what counts here

    budget = ContextBudget(model="gpt-4o")
    charged = budget.charge("tool_result", "tokens, counted")
    assert charged == {"kind": "tool_result", "cost": 3, "quota_ratio": 3 / 28_800}
    assert (budget.source, ContextBudget().source) == ("counted", "estimated")
    assert budget.total_used() == 3


def test_other_words_for_a_category_count_against_it() -> None:
    budget = ContextBudget()
    kinds = ("tool", "user", "assistant", "memory", "schema", *CATEGORIES)
    assert {budget.charge(kind, "x")["kind"] for kind in kinds} == set(CATEGORIES)
    with pytest.raises(UnknownName, match="tool_result"):
        budget.charge("tool_results", "x")
    with pytest.raises(UsageProblem, match="a text is charged"):
        budget.charge("tool", None)  # type: ignore[arg-type]


def test_release_gives_the_room_back_and_never_more_than_there_was() -> None:
    budget = ContextBudget()
    budget.charge("history", "some words of a reply")
    assert budget.release("history", "some words of a reply")["quota_ratio"] == 0
    budget.release("history", "more")
    assert budget.total_used() == 0


def test_used_follows_what_is_really_in_the_request() -> None:
    budget, messages = begun()
    messages = [*messages, *step(1, LONG)]
    budget.charge("tool", LONG)
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
    weighed = budget.weigh_request(messages, tools)
    pressure = budget.filling.pressure()
    assert sum(weighed.values()) == budget.total_used() == pressure.tokens(messages)
    assert weighed["tool_result"] > 2_000
    assert weighed["history"] > 0
    smaller = budget.compact([*messages, *step(2)])
    assert budget.total_used() == budget.filling.pressure().tokens(smaller)
    assert budget.filling.used["tool_result"] < 1_000


def test_a_restatement_counts_as_one_where_it_is_in_the_request() -> None:
    budget, messages = begun()
    tail: Messages = [{"role": "user", "content": budget.build_restatement()}]
    assert budget.weigh_request([*messages, *tail])["restate"] > 0
    assert budget.weigh_request(messages)["restate"] == 0


def test_fixed_costs_over_their_quota_are_said_with_the_largest() -> None:
    budget, _ = begun()
    long: Messages = [{"role": "system", "content": "rule " * 2_000}]
    notice = budget.fixed_notice(long, [{"type": "function", "function": {"name": "bash"}}])
    assert notice is not None
    assert "over their quota of 1,600; the largest: system prompt" in notice
    assert budget.fixed_notice([{"role": "system", "content": "Be brief."}]) is None


def test_a_long_result_is_offloaded_once_it_was_read_and_can_be_read_back() -> None:
    budget, messages = begun()
    messages = [*messages, *step(1, LONG)]
    budget.charge("tool", LONG)
    assert "offload" not in budget.check()
    messages = [*messages, *step(2)]
    assert "offload" in budget.check()
    messages = budget.compact(messages)
    (offloaded,) = [m for m in messages if "[offloaded" in text_of(m)]
    number = next(iter(budget.history.originals))
    assert f"result {number}," in text_of(offloaded)
    read = call("read_result", {"id": number, "offset": 400, "limit": 1})
    assert "line 399 of the log" in str(budget.answer(read))
    assert budget.answer(call("bash")) is None
    assert "offload" not in budget.check()


def test_a_result_cut_as_the_newest_is_offloaded_with_all_its_text() -> None:
    budget, messages = begun()
    messages = budget.compact([*messages, *step(1, LONG * 9)])
    assert len(text_of(messages[-1])) < len(LONG) * 2
    messages = budget.compact([*messages, *step(2)])
    assert f"{9 * len(LONG)} chars" in text_of(messages[-3])


def test_compaction_is_due_over_the_trigger_and_makes_headroom() -> None:
    budget, messages = begun(moves={"compact"})
    seen = []
    for number in range(40):
        messages = [*messages, *step(number, "a line of code\n" * 200)]
        budget.charge("tool", text_of(messages[-1]))
        if "compact" in budget.check():
            assert budget.total_used() > 12_800
            messages = budget.compact(messages)
            assert budget.total_used() <= 9_600
            seen.append(number)
    assert len(seen) >= 2
    assert all(later - sooner > 1 for sooner, later in pairwise(seen))


def test_messages_go_in_and_come_out_plain_and_untouched_ones_are_the_same_objects() -> None:
    budget, messages = begun()
    messages = [*messages, *[m for n in range(30) for m in step(n, "a line of code\n" * 200)]]
    before = [dict(m) for m in messages]
    after = budget.compact(messages)
    assert messages == before
    assert after is not messages
    assert not any("meta" in m for m in after)
    assert after[0] is messages[0]
    assert after[-1] is messages[-1]


def test_where_nothing_is_due_the_same_list_comes_back() -> None:
    budget, messages = begun()
    assert budget.compact(messages) is messages
    assert budget.with_anchors(messages) is messages


def test_summaries_of_plain_messages_are_carried_on() -> None:
    asked: list[Any] = []

    def summarizer(request: Any) -> str:
        asked.append(request)
        return f"summary number {len(asked)}"

    budget, messages = begun(summarizer=summarizer, moves={"compact"})
    for _ in range(200):
        messages = [*messages, {"role": "assistant", "content": "a thought about the code " * 40}]
        budget.charge("history", text_of(messages[-1]))
        if "compact" in budget.check():
            messages = budget.compact(messages)
    assert len(asked) > 1
    assert [request.former for request in asked] == [
        None,
        *(f"summary number {n}" for n in range(1, len(asked))),
    ]
    assert sum("auto-compacted" in text_of(m) for m in messages) == 1


def test_a_restatement_is_due_by_interval_after_a_milestone_and_after_a_compaction() -> None:
    budget, messages = begun(restate_every=3)
    due = []
    for _ in range(7):
        due.append("restate" in budget.check())
        if due[-1]:
            budget.build_restatement()
    assert due == [False, False, True, False, False, True, False]
    budget.update_todos([{"text": "login: tests", "status": "done"}])
    assert "restate" in budget.check()
    assert budget.restatement_due() == "milestone"
    assert 'Finished (1): t1 "login: tests"' in budget.build_restatement()
    budget.compact([*messages, *[m for n in range(30) for m in step(n, "a line of code\n" * 200)]])
    assert "restate" in budget.check()
    assert budget.restatement_due() == "compaction"


def test_a_move_that_is_left_out_is_never_due() -> None:
    for left_out in ("offload", "compact", "restate"):
        budget, messages = begun(moves={"offload", "compact", "restate"} - {left_out}, restate_every=1)
        due = set()
        for number in range(12):
            messages = [*messages, *step(number, LONG)]
            budget.charge("tool", LONG)
            due |= set(budget.check())
        assert left_out not in due
        assert {"offload", "compact", "restate"} - {left_out} <= due


def test_a_handoff_is_due_where_no_more_room_can_be_made() -> None:
    budget, messages = begun()
    messages = [{"role": "system", "content": "rule " * 14_000}, *messages[1:], *step(1)]
    budget.weigh_request(messages)
    assert budget.check() == ["compact"]
    budget.compact(messages)
    assert budget.check() == ["compact", "handoff"]


def test_an_agent_changes_todos_by_the_tool_and_registers_nothing_else() -> None:
    budget, _ = begun()
    budget.update_todos(["login: tests"])
    done = call("todo", {"updates": [{"id": "t1", "status": "done"}], "add": ["mail: tests"]})
    assert budget.answer(done) == 't1 "login: tests" [done]\nt2 "mail: tests"'
    assert budget.anchors.texts("milestones") == ("login: tests",)
    refused = budget.answer(call("todo", {"updates": [{"id": "t1", "status": "open"}]}))
    assert refused == "Error: t1 is done, and that is final: add a new todo instead. Nothing was changed."
    assert [tool["function"]["name"] for tool in budget.tools] == ["read_result", "todo"]
    assert ContextBudget(moves=()).tools == []


def test_a_fresh_budget_has_the_settings_and_nothing_in_it() -> None:
    budget, _ = begun(model="gpt-4o")
    budget.charge("tool", LONG)
    fresh = budget.fresh()
    assert fresh.to_dict() == budget.to_dict()
    assert (fresh.total_used(), len(fresh.anchors), fresh.step) == (0, 0, 0)


def test_what_never_folds_follows_the_budget() -> None:
    with pytest.raises(UsageProblem, match="may have 400 together"):
        ContextBudget(16_000).register("constraints", "word " * 500)
    ContextBudget(64_000).register("constraints", "word " * 500)


def test_its_repr_says_what_is_in_it_and_how_that_was_counted() -> None:
    assert repr(ContextBudget()) == (
        "ContextBudget(0 of 64,000 tokens, estimated; system 0%, tool_result 0%, history 0%, restate 0%)"
    )

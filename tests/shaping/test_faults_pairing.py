"""Known faults of pairing, groups and ids; the number in a name is that of the written list."""

from __future__ import annotations

import json

from opencollab_nb.messages import Messages, covers_of, each, ids_of, text_of, tool_calls_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    AutoCompactShaper,
    Projection,
    ShaperPipeline,
    ToolResultBudgetShaper,
    default_pipeline,
    groups,
)
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.laws import paired
from tests.build import assistant, call, numbered, result, system, task, tool_step, user
from tests.shaping.generate import talk
from tests.shaping.summarizers import Counting, first_words
from tests.shaping.tight import LONG, outcomes, whole

BATCH = [
    assistant(None, *(call("bash", {}, f"c{k}") for k in range(12))),
    *(result(LONG, f"c{k}") for k in range(12)),
]
OLD = [m for n in range(6) for m in tool_step(100 + n, LONG)]


def test_fault_01_a_result_whose_call_is_gone_orphans_no_other_result() -> None:
    for before, after in outcomes([user("a"), *tool_step(1, LONG), result(LONG, "z"), *OLD, user("b")]):
        assert paired(before, after) is None
        assert any(m.get("tool_call_id") == "z" for m in after)


def test_fault_02_a_big_parallel_batch_is_kept_or_removed_whole() -> None:
    for _, after in outcomes([user("a"), *BATCH, *OLD]):
        kept = [m for m in after if str(m.get("tool_call_id", "")) in {f"c{k}" for k in range(12)}]
        assert len(kept) in (0, 12)
        assert whole(after)


def test_fault_04_the_tail_never_starts_on_a_result() -> None:
    messages = numbered([user("a"), *OLD, assistant("done")])
    for count in range(1, 9):
        assert newest_groups(messages, count)[0].messages[0]["role"] != "tool"


def test_fault_05_an_unanswered_last_call_is_kept_for_the_request_to_answer() -> None:
    for _, after in outcomes([user("a"), *OLD, assistant(None, call("bash", {}, "open"))]):
        assert tool_calls_of(after[-1])[0]["id"] == "open"


def test_fault_07_a_group_still_waiting_is_not_compacted() -> None:
    waiting = [assistant(None, call("bash", {}, "x"), call("bash", {}, "y")), result("half", "x")]
    for _, after in outcomes([user("a"), *OLD, *waiting]):
        assert [m["role"] for m in after[-2:]] == ["assistant", "tool"]


def test_fault_08_no_view_begins_with_a_result() -> None:
    for _, after in outcomes([system(), user("a"), *OLD, assistant("done")]):
        assert after[0]["role"] == "system"
        assert after[1]["role"] != "tool"


def test_fault_10_a_result_leaves_with_its_call() -> None:
    for _, after in outcomes([system(), user("a"), *OLD, user("b")]):
        assert whole(after)


def test_fault_11_the_newest_result_stays_with_its_call_and_out_of_the_summary() -> None:
    messages = [*numbered([system(), task()]), *talk(100), *numbered(tool_step(1, "SECRET"), 102)]
    after = AutoCompactShaper(Counting()).shape(messages, Pressure.of(16_000))
    assert text_of(after[-1]) == "SECRET"
    assert not any("SECRET" in text_of(m) for m in after if covers_of(m))


def test_fault_13_a_newest_result_of_twice_the_window_is_cut() -> None:
    pressure = Pressure.of(8_000)
    messages = numbered([user("a"), assistant(None, call()), result("word " * 10_000)])
    for policy in ("default", "summarize", "no_history_compaction"):
        got = Projection(default_pipeline(policy, summarizer=first_words)).project(messages, pressure)
        assert got.tokens <= pressure.trigger


def test_fault_14_every_result_is_looked_at_not_only_the_oldest() -> None:
    short = [m for n in range(5) for m in tool_step(n, "short")]
    messages = numbered([user("a"), *short, *tool_step(9, "word " * 20_000)])
    got = Projection(default_pipeline()).project(messages, Pressure.of(16_000))
    assert got.tokens <= Pressure.of(16_000).trigger


def test_fault_16_two_users_in_a_row_change_nothing_of_that() -> None:
    for _, after in outcomes([system(), user("a"), user("b"), *OLD, assistant("done")]):
        assert whole(after)


def test_fault_17_one_user_message_always_stays() -> None:
    for _, after in outcomes([system("s" * 4_000), user("a"), *OLD]):
        assert any(m["role"] == "user" for m in after)
    for _, after in outcomes([system(), *OLD, user("x", source="context", priority=10), *OLD]):
        assert any(m["role"] == "user" for m in after)


def test_fault_19_what_was_neither_summarized_nor_dropped_remains() -> None:
    messages = [*numbered([system(), task()]), *talk(100)]
    after, reports = default_pipeline(summarizer=first_words).report(messages, Pressure.of(16_000))
    told = {i for r in reports for i in (*r.dropped, *r.covered)}
    assert set(ids_of(after)) | told == set(ids_of(messages))
    assert not set(ids_of(after)) & told


def test_fault_20_one_constant_id_for_all_calls_loses_no_result() -> None:
    step = [assistant(None, call("bash", {}, "call_0")), result(LONG, "call_0")]
    messages: Messages = numbered([user("a"), *step * 9])
    assert len(list(groups(messages))) == 10
    for before, after in outcomes(messages):
        assert paired(before, after) is None
        assert whole(after)


def test_fault_21_the_same_id_twice_is_paired_by_position_and_the_unanswered_call_seen() -> None:
    messages = numbered(
        [
            user("a"),
            assistant(None, call("bash", {}, "x")),
            result("1", "x"),
            assistant(None, call("bash", {}, "x")),
            assistant(None, call("bash", {}, "y")),
            result("2", "y"),
        ]
    )
    assert [group.open for group in groups(messages)] == [False, False, True, False]


def test_fault_21_a_stray_never_comes_to_answer_another_groups_call() -> None:
    open_group = [assistant(None, call("bash", {}, "x"))]
    for between in (user("wait", source="context", priority=1), assistant("hm")):
        messages = [user("a"), *open_group, between, result("late", "x"), *OLD]
        for before, after in outcomes(messages):
            assert paired(before, after) is None


def test_fault_23_a_reused_id_does_not_bring_an_old_result_again() -> None:
    step = [assistant(None, call("bash", {}, "call_0")), result(LONG, "call_0")]
    messages = numbered([user("a"), *step * 9])
    for _ in range(5):
        messages = default_pipeline().shape(messages, Pressure.of(2_048))
        assert len(ids_of(messages)) == len(set(ids_of(messages)))
    assert sum(m["role"] == "tool" for m in messages) == sum(len(tool_calls_of(m)) for m in messages)


def test_fault_46_what_was_summarized_and_what_was_kept_is_everything() -> None:
    messages = [*numbered([system(), task()]), *talk(100)]
    after = ShaperPipeline(ToolResultBudgetShaper(), AutoCompactShaper(first_words)).shape(
        messages, Pressure.of(16_000)
    )
    covered = {i for m in after for i in each(covers_of(m))}
    assert covered | set(ids_of(after)) == set(ids_of(messages))
    json.dumps(after)

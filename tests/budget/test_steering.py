"""The status line: what it says of which facts, and what counts as an edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.restate import TITLE as RESTATEMENT
from opencollab_nb.budget.steering import (
    HARD_READS,
    SOFT_READS,
    Facts,
    can_write,
    joined,
    message,
    nudge,
    reads_since_edit,
    status,
)
from opencollab_nb.messages import text_of
from tests.build import assistant, call, result, tool_step, user

READ = {"name": "file_read", "args": {"path": "a.py"}}


def reads(count: int, start: int = 0) -> list:
    return [m for n in range(start, start + count) for m in tool_step(n, "text", **READ)]


@given(st.none() | st.integers(0, 10**6), st.none() | st.integers(-10, 10**6), st.none() | st.integers(0, 40))
def test_the_line_says_what_is_limited_and_nothing_else(
    steps: int | None, tokens: int | None, read: int | None
) -> None:
    line = status(Facts(3, steps, tokens, read))
    if steps is tokens is None and not read:
        assert line is None
        return
    assert line is not None
    assert line.startswith("[Status at step 3, by the harness] ")
    assert "\n" not in line
    assert ("Steps left" in line) == (steps is not None)
    assert ("Tokens left" in line) == (tokens is not None)
    assert ("Reads since" in line) == bool(read)
    assert "-" not in line


def test_nudges_come_at_eight_and_at_sixteen_and_differ() -> None:
    assert [nudge(n) for n in (0, SOFT_READS - 1)] == ["", ""]
    soft = {nudge(n) for n in range(SOFT_READS, HARD_READS)}
    hard = {nudge(n) for n in (HARD_READS, 100)}
    assert len(soft) == len(hard) == 1
    assert soft != hard
    assert (SOFT_READS, HARD_READS) == (8, 16)


@pytest.mark.parametrize("edit", ["file_write", "apply_patch"])
def test_reads_are_counted_back_to_the_last_edit_that_worked(edit: str) -> None:
    worked = tool_step(50, "done", name=edit)
    failed = tool_step(51, "Error: the text occurs twice", name=edit)
    assert reads_since_edit(reads(3)) == 3
    assert reads_since_edit([*reads(3), *worked, *reads(2, 20)]) == 2
    assert reads_since_edit([*reads(3), *failed, *reads(2, 20)]) == 5
    assert reads_since_edit([*worked, *failed]) == 0


def test_a_failed_call_says_nothing_of_an_older_one_with_the_same_id() -> None:
    same = "c1"
    older = [assistant(None, call("file_write", {}, same)), result("done", same)]
    newer = [assistant(None, call("file_write", {}, same)), result("Error: no", same)]
    assert reads_since_edit([*reads(4), *older, *newer, *reads(1, 30)]) == 1


def test_other_tools_and_words_count_as_neither() -> None:
    other = [*tool_step(60, "ok", name="run_tests"), *tool_step(61, "ok", name="bash"), user("go on")]
    assert reads_since_edit([*reads(2), *other, *reads(1, 20)]) == 3


def test_a_shell_command_after_which_files_differ_is_an_edit() -> None:
    shell = [assistant(None, call("bash", {"command": "sed -i ..."}, "s"), step=7), result("", "s")]
    assert reads_since_edit([*reads(9), *shell, *reads(1, 20)], changed_at={7}) == 1
    assert reads_since_edit([*reads(9), *shell, *reads(1, 20)], changed_at={6}) == 10


def test_calls_of_one_reply_are_counted_one_by_one_and_an_edit_among_them_in_its_place() -> None:
    calls = [call("file_read", {}, "a"), call("file_write", {}, "b"), call("grep", {}, "c")]
    batch = [assistant(None, *calls), *(result("ok", i) for i in "abc")]
    assert reads_since_edit([*reads(5), *batch]) == 1


@pytest.mark.parametrize(
    ("tools", "writes"), [((), False), (("file_read", "bash"), False), (("grep", "file_write"), True)]
)
def test_only_a_tool_that_edits_files_makes_a_writer(tools: tuple[str, ...], writes: bool) -> None:
    assert can_write(tools) is writes


def test_joined_to_a_restatement_it_stands_below_the_title() -> None:
    restated = {
        "role": "user",
        "content": f"{RESTATEMENT} at step 3]\nGoal: x\nOpen (1): t1",
        "meta": {"reason": "interval"},
    }
    line = str(status(Facts(3, steps_left=4)))
    both = joined(restated, line)  # type: ignore[arg-type]
    assert text_of(both).splitlines() == [f"{RESTATEMENT} at step 3]", line, "Goal: x", "Open (1): t1"]
    assert both["meta"] == {"reason": "interval"}
    assert message(line)["meta"]["source"] == "steering"

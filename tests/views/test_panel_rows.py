"""What a panel remembers of a session."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.trace import Trace
from opencollab_nb.views.folds import fold
from opencollab_nb.views.rows import MOST_LINES, History
from tests.views.traces import fired, folded, reply, request, tool, whole_step


def test_a_request_is_a_row_with_its_categories_in_order() -> None:
    trace = Trace()
    request(trace, 1, system=1, task=2, tool=3, assistant=4, user=5, summary=6, restatement=7)
    assert folded(trace).rows == [[1, 1, 2, 3, 4, 5, 6, 7]]


def test_a_second_try_of_a_step_stands_for_the_first() -> None:
    trace = Trace()
    request(trace, 1, tool=900)
    request(trace, 1, tool=500)
    assert [row[3] for row in folded(trace).rows] == [500]


def test_a_step_is_one_line_with_all_its_calls() -> None:
    trace = Trace()
    request(trace, 4)
    reply(trace, 4, "grep", "file_read")
    tool(trace, 4, "grep needle")
    tool(trace, 4, "file_read a.py", ok=False)
    trace.add("commit", 4)
    assert folded(trace).lines == [[4, "grep needle, file_read a.py", 0, 40, 1.0]]


def test_a_step_without_calls_shows_what_was_said() -> None:
    trace = Trace()
    request(trace, 1)
    reply(trace, 1, text="All done.")
    trace.add("commit", 1)
    assert folded(trace).lines[0][1:3] == ["All done.", 1]


def test_a_step_that_was_given_up_says_so() -> None:
    trace = Trace()
    request(trace, 1)
    reply(trace, 1, "bash", text="I try.")
    trace.add("state", 1, state="stopped(by user)", detail="")
    assert folded(trace).lines[0][1:3] == ["not committed: I try.", 0]


def test_what_goes_on_is_told_until_the_step_is_kept() -> None:
    trace, history, told = Trace(), History(), []
    whole_step(trace, 1)
    for event in trace.events:
        fold(history, event)
        told.append(history.doing)
    assert told == ["waiting for the model", "running grep", "running grep", "running grep", ""]


def test_savings_of_a_layer_add_up_and_a_round_counts_once() -> None:
    trace = Trace()
    fired(trace, 3, "ToolOutputClearShaper", 900, 600, rewritten=[[1, 2]])
    fired(trace, 3, "ToolOutputClearShaper", 600, 500, rewritten=[[3, 3]])
    fired(trace, 9, "ToolOutputClearShaper", 800, 700, rewritten=[[4, 4]])
    history = folded(trace)
    saving = history.savings["ToolOutputClearShaper"]
    assert (saving.times, saving.tokens, saving.last_step, saving.last_tokens) == (2, 500, 9, 100)
    assert [mark[:2] for mark in history.marks] == [[3, "clear"], [3, "clear"], [9, "clear"]]


def test_a_layer_that_could_not_act_is_a_note_and_no_mark() -> None:
    trace = Trace()
    fired(trace, 2, "AutoCompactShaper", 900, 900, problem="the summary was empty")
    history = folded(trace)
    assert not history.marks
    assert history.lines == [[2, "compact: the summary was empty", -1, None, None]]


def test_a_swap_is_marked_at_the_first_step_it_holds_for() -> None:
    trace = Trace()
    trace.add("swap", 7, what="policy", policy="summarize", from_step=8, mode="sticky")
    assert folded(trace).marks == [[8, "summarize", 1]]


def test_an_event_seen_twice_counts_once() -> None:
    trace = Trace()
    whole_step(trace, 1)
    history = folded(trace)
    for event in trace.events:
        fold(history, event)
    assert len(history.rows) == len(history.lines) == 1


def test_the_log_is_bounded() -> None:
    trace = Trace()
    for step in range(1, MOST_LINES + 50):
        whole_step(trace, step)
    history = folded(trace)
    assert len(history.lines) == MOST_LINES
    assert history.lines[-1][0] == MOST_LINES + 49


@given(st.lists(st.integers(0, 50_000), min_size=1, max_size=400), st.integers(2, 60))
def test_drawn_rows_are_few_and_lose_no_peak_and_not_the_last(tokens: list[int], at_most: int) -> None:
    history = History()
    history.rows = [[step, n] for step, n in enumerate(tokens, 1)]
    drawn = history.drawn_rows(at_most)
    assert len(drawn) <= at_most
    assert drawn[-1] == history.rows[-1]
    assert max(row[1] for row in drawn) == max(tokens)
    assert drawn == sorted(drawn)

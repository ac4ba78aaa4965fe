"""`read_result`: slices, patterns, and errors that say what is valid."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.offload import READ_RESULT, answer_read_result, read_result
from opencollab_nb.budget.offload.rows import rows_of
from opencollab_nb.errors import StepCancelled
from opencollab_nb.messages import Message
from opencollab_nb.ticket import Ticket, holding
from tests.budget.offload.texts import log
from tests.build import assistant, result

TEXT = "".join(f"line {number}\n" for number in range(1, 1_001))


def stored(text: Any = TEXT) -> dict[int, Message]:
    return {4: assistant("so"), 5: result(text), 9: result("other")}


def test_lines_are_numbered_as_file_read_does_and_the_rest_is_told() -> None:
    assert read_result(stored(), id=5, offset=3, limit=2) == (
        "    3\tline 3\n    4\tline 4\n[996 more lines; go on with offset=5]"
    )
    assert read_result(stored(), id=5, offset=1_000) == " 1000\tline 1000"


def test_going_on_from_offset_to_offset_gives_the_whole_text() -> None:
    lines, offset = [], 1
    while offset:
        *page, last = read_result(stored(log(700)), id=5, offset=offset).split("\n")
        more = last.startswith("[")
        lines += page if more else [*page, last]
        offset = int(last.rpartition("=")[2].rstrip("]")) if more else 0
    assert [line.split("\t", 1)[1] for line in lines] == log(700).splitlines()


@given(
    text=st.sampled_from([TEXT, "x" * 50_000, "\n" * 9_000, "错" * 9_000, "", "a\r\nb"]),
    offset=st.integers(1, 3),
    limit=st.sampled_from([1, 200, 10_000]),
    pattern=st.sampled_from([None, "line", "x", "(x+)?", "["]),
)
def test_an_answer_is_never_longer_than_its_limit(
    text: str, offset: int, limit: int, pattern: str | None
) -> None:
    if pattern == "(x+)?":
        pattern = "x"  # The one for the child process has a test of its own.
    answer = read_result(stored(text), id=5, offset=offset, limit=limit, pattern=pattern)
    assert 0 < len(answer) <= 8_000


def test_a_line_of_five_megabytes_can_be_read_to_its_end() -> None:
    text = "x" * 5_000_000 + "the end"
    assert read_result(stored(text), id=5, offset=1_251) == " 1251\tthe end"
    assert read_result(stored(text), id=5, pattern="the end") == " 1251\tthe end"


def test_a_pattern_gives_matching_lines_and_where_to_go_on() -> None:
    assert read_result(stored(), id=5, pattern="99$").split("\n")[:2] == ["   99\tline 99", "  199\tline 199"]
    assert read_result(stored(), id=5, pattern="99$", limit=2).endswith(
        "  199\tline 199\n[there may be more matches; go on with offset=200]"
    )
    assert read_result(stored(), id=5, pattern="99$", offset=200, limit=1).startswith("  299\tline 299\n")
    assert read_result(stored(), id=5, pattern="nowhere") == "no match in 1000 lines"


def test_a_pattern_that_goes_back_again_and_again_runs_in_a_child_and_finds_the_same() -> None:
    here = read_result(stored(), id=5, pattern=r"line \d99$", offset=300)
    child = read_result(stored(), id=5, pattern=r"(li?ne?) (\d+)?99$", offset=300)
    assert here.split("\n")[0] == "  399\tline 399"
    assert child.split("\n")[:7] == here.split("\n")


def test_a_child_sees_binary_text_too() -> None:
    text = "a\0b\n" * 9 + "the (x) end\n"
    assert read_result(stored(text), id=5, pattern=r"(the)+ +\(x") == "   10\tthe (x) end"


def test_a_pattern_without_end_is_ended() -> None:
    begun = time.monotonic()
    answer = read_result(stored("a" * 400_000), id=5, pattern="(a+)+b")
    assert answer.startswith("Error: searching for '(a+)+b' took longer than 5 s")
    assert time.monotonic() - begun < 60


def test_a_cancelled_step_ends_a_search() -> None:
    ticket = Ticket()
    ticket.cancel()
    with holding(ticket), pytest.raises(StepCancelled):
        read_result(stored("1" * 400_000), id=5, pattern=r"\d+x")


def test_what_is_no_regular_expression_is_searched_as_text() -> None:
    note, hit = read_result(stored("a[b\nc"), id=5, pattern="[").split("\n")
    assert "is no regular expression" in note
    assert hit == "    1\ta[b"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"id": 6}, "Error: there is no tool result 6; the results are 5, 9."),
        ({"id": 4}, "Error: message 4 is of the assistant, no tool result; the results are 5, 9."),
        ({"id": "5"}, "Error: id of read_result is '5'; give a whole number, such as 12."),
        ({}, 'Error: read_result needs id; send {"id": 12}.'),
        ({"id": 5, "offset": 0}, "Error: offset of read_result is 0; the first is 1."),
        ({"id": 5, "offset": 1_001}, "Error: offset 1001 is past the end: result 5 has 1000 lines."),
        ({"id": 5, "pattern": ""}, "Error: pattern is empty;"),
        ({"id": 5, "limits": 3}, "Error: read_result has no argument 'limits'; did you mean 'limit'?"),
        ("[", "Error: the arguments of read_result are no JSON"),
        (None, "Error: the arguments of read_result are no JSON object"),
    ],
)
def test_an_error_says_what_is_valid(arguments: Any, says: str) -> None:
    assert answer_read_result(stored(), arguments).startswith(says)


def test_null_stands_for_what_is_left_out() -> None:
    arguments = '{"id": 5.0, "offset": null, "limit": null, "pattern": null}'
    assert answer_read_result(stored(), arguments) == read_result(stored(), id=5)


def test_an_empty_result_and_an_empty_transcript() -> None:
    assert read_result(stored(""), id=5) == "(empty result)"
    assert read_result({}, id=5) == "Error: there is no tool result 5; there are no results yet."


def test_many_ids_are_not_all_named() -> None:
    answer = read_result({number: result("a") for number in range(2, 999)}, id=1_000)
    near = ", ".join(map(str, range(987, 999)))
    assert answer == f"Error: there is no tool result 1000; the results are {near} and others."


def test_the_schema_is_strict_and_plain_data() -> None:
    function = json.loads(json.dumps(READ_RESULT))["function"]
    assert function["name"] == "read_result"
    assert function["parameters"]["required"] == ["id", "offset", "limit", "pattern"]


def test_surrogates_are_made_sendable() -> None:
    read_result(stored("\ud83e\n" * 9), id=5).encode()
    assert rows_of("\ud83e") == ["\ud83e"]

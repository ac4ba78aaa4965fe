"""What a digest tells of each format, and that it stays within its room."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.offload.digest import digest
from opencollab_nb.budget.offload.pieces import room_of
from tests.budget.offload.texts import log, pytest_output, table

ROOM = 1_500


def test_a_log_tells_levels_times_errors_and_both_ends() -> None:
    lines = digest(log(4_000), ROOM).split("\n")
    assert lines[0] == "log: INFO 3992, ERROR 8; 2026-01-01 10:00:00 to 2026-01-01 10:06:39"
    assert lines[1] == "8 lines speak of errors:"
    assert lines[2] == "500: 2026-01-01 10:08:19 ERROR lost connection to db 186"
    assert "1: 2026-01-01 10:00:00 INFO request served in 0" in lines
    assert lines[-1] == "4000: 2026-01-01 10:06:39 ERROR lost connection to db 243"


def test_pytest_output_tells_the_verdict_and_what_failed() -> None:
    lines = digest(pytest_output(900), ROOM).split("\n")
    assert lines[:4] == [
        "pytest: 2 failed, 900 passed in 3.21s",
        "2 named as failed:",
        "FAILED tests/test_shop.py::test_price - assert 4 == 3",
        "FAILED tests/test_shop.py::test_tax - ValueError: no tax",
    ]


def test_text_that_only_mentions_passed_is_no_pytest_output() -> None:
    assert digest("the bill was\n3 passed\n" * 900, ROOM).startswith("text\n")


def test_json_tells_keys_kinds_and_sizes_and_no_values_of_long_arrays() -> None:
    lines = digest(table(900), ROOM).split("\n")
    assert lines[:6] == [
        "JSON:",
        "object of 1 key",
        "  rows: array of 900",
        "    each: object of 3 keys",
        "      id: 0",
        '      name: "n0"',
    ]


def test_json_behind_line_numbers_is_json_still() -> None:
    numbered = "\n".join(
        f"{number:5d}\t{line}"
        for number, line in enumerate(json.dumps(list(range(3_000)), indent=1).split("\n"), 1)
    )
    assert "array of 3000 numbers, 0 to 2999" in digest(numbered, ROOM)


def test_very_long_json_tells_its_first_item_and_about_how_many_there_are() -> None:
    text = json.dumps([{"id": number % 10} for number in range(300_000)])
    assert digest(text, ROOM).split("\n")[:4] == [
        "JSON, too long to be read whole:",
        "array of about 300000",
        "  first: object of 1 key",
        "    id: 0",
    ]


def test_error_lines_are_named_with_their_numbers_wherever_they_stand() -> None:
    text = "all is well\n" * 3_000 + "KeyError: 'price'\n" + "all is well\n" * 3_000
    assert "1 line speaks of errors:\n3001: KeyError: 'price'\n" in digest(text, ROOM)


def test_no_errors_are_no_errors() -> None:
    assert "speak" not in digest("0 errors, 0 failed\n" * 900, ROOM)


def test_error_lines_that_differ_only_in_numbers_are_told_once() -> None:
    lines = digest("".join(f"error {number}\n" for number in range(300)) + "fatal: gone\n", ROOM).split("\n")
    assert lines[:4] == ["text", "301 lines speak of errors:", "1: error 0", "301: fatal: gone"]


def test_a_long_line_is_told_to_count_as_several() -> None:
    lines = digest("abc " * 9_000, ROOM).split("\n")
    assert lines[0] == "text with long lines: each 4000 chars of one count as a line"
    assert lines[-1].startswith("9: …")


def test_nothing_in_it_acts_on_a_terminal_or_a_reader() -> None:
    told = digest("\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202e\x00\x9b ok\n" * 900, ROOM)
    assert not set(told) & set("\x1b\x07\u202e\x00\x9b\r")
    assert "red" in told


def test_the_same_text_gives_the_same_digest() -> None:
    assert digest(log(900), ROOM) == digest(log(900), ROOM)


pieces = st.sampled_from(
    [
        "a",
        "line ",
        "\n",
        "\r\n",
        "错误",
        "🦊",
        "\ud83e",
        "\x00",
        "\x1b[1m",
        '"',
        "\\",
        "{",
        "]",
        "1\t",
        "error ",
        "\u0130",
    ]
)


@given(
    parts=st.lists(st.tuples(pieces, st.sampled_from([1, 2, 40, 3_000])), max_size=12),
    room=st.sampled_from([0, 1, 5, 40, 200, 1_500]),
)
def test_it_never_takes_more_than_its_room(parts: list[tuple[str, int]], room: int) -> None:
    told = digest("".join(piece * times for piece, times in parts), room)
    told.encode()
    assert room_of(told) <= room


@pytest.mark.parametrize("text", ["", "\n", " ", "{}", "[]", "x"])
def test_little_or_nothing_can_be_told_too(text: str) -> None:
    digest(text, ROOM).encode()


def test_errors_are_found_beside_other_letters_and_in_chinese() -> None:
    other = "\u0130stanbul 🦊 é\n" * 900
    lines = digest(f"{other}Fatal: gone\n{other}错误：找不到文件。\n{other}", ROOM).split("\n")
    assert lines[1:4] == ["2 lines speak of errors:", "901: Fatal: gone", "1802: 错误：找不到文件。"]

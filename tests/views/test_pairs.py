"""Two requests as one list: each message once, what is the same folded."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.messages import with_meta
from opencollab_nb.request import Request
from opencollab_nb.views.pairs import (
    LEAST_DIFF_LINES,
    MOST_DIFF_LINES,
    MOST_ROWS,
    PairList,
    Run,
    paired,
    runs,
)
from opencollab_nb.views.sent import Sent, fates
from tests.build import assistant, call, numbered, result, user

EVIL = "<img src=x onerror=alert(1)>\u202e"


def talk(count: int = 4) -> list[dict[str, Any]]:
    """A task, and steps that read a file each."""
    messages = [user("Do it.")]
    for n in range(count):
        messages += [
            assistant("", call("file_read", {"path": f"f{n}"}, f"c{n}")),
            result("text " * 20, f"c{n}"),
        ]
    return numbered(messages)


def sides(stored: list[Any], *requests: list[Any]) -> list[list[Sent]]:
    return [fates(Request(request), stored, lambda m: len(str(m["content"]))) for request in requests]


def cleared(message: Any) -> Any:
    return {**message, "content": "[cleared]"}


def summary(first: int, last: int) -> Any:
    covers = [[first, last]]
    return with_meta({"role": "user", "content": "What was done."}, source="summary", covers=covers)


def kinds(listed: list[Run]) -> list[tuple[str, str]]:
    return [(run.kind, run.ids) for run in listed]


def test_what_is_the_same_is_one_row_with_its_number() -> None:
    stored = talk()
    (row,) = runs(paired(*sides(stored, stored, stored)))
    assert (row.kind, row.ids, len(row.pairs)) == ("unchanged", "0–8", 9)
    assert row.what(stored) == ("", "9 messages the same")


def test_each_message_that_differs_is_a_row_with_its_state_in_both() -> None:
    stored = talk()
    here = [*stored[:2], cleared(stored[2]), *stored[3:]]
    there = [stored[0], *stored[3:8], cleared(stored[8])]
    listed = runs(paired(*sides(stored, here, there)))
    assert kinds(listed) == [
        ("unchanged", "0"),
        ("only here", "1"),
        ("only here", "2"),
        ("unchanged", "3–7"),
        ("differs", "8"),
    ]
    assert [run.states for run in listed[1:3]] == [("verbatim", "snipped"), ("cleared", "snipped")]
    assert listed[-1].states == ("verbatim", "cleared")
    assert listed[1].what(stored)[0] == "assistant file_read"
    assert listed[2].what(stored) == ("tool file_read", '{"path": "f0"}')


def test_a_summary_stands_before_what_it_covers_and_only_where_it_is() -> None:
    stored = talk()
    there = [stored[0], summary(1, 4), *stored[5:]]
    listed = runs(paired(*sides(stored, stored, there)))
    assert kinds(listed)[:3] == [("unchanged", "0"), ("only there", "1–4"), ("only here", "1")]
    assert listed[1].states == ("not there", "summary")
    assert listed[2].states == ("verbatim", "summarized")


def test_messages_that_neither_sends_are_folded_by_what_became_of_them() -> None:
    stored = talk()
    here, there = [stored[0], *stored[5:]], [stored[0], summary(1, 4), *stored[5:]]
    listed = runs(paired(*sides(stored, here, there)))
    assert [run.kind for run in listed] == ["unchanged", "only there", "in neither", "unchanged"]
    assert listed[2].what(stored)[1] == "4 messages in neither: snipped here, summarized there"
    gone = runs(paired(*sides(stored, here, here)))
    assert gone[0].what(stored)[1] == "9 messages the same, 4 of them in neither"


@given(st.lists(st.tuples(st.sampled_from("kcx"), st.sampled_from("kcx")), min_size=9, max_size=9))
def test_every_message_is_in_one_row_and_the_tokens_of_both_requests_add_up(
    fate: list[tuple[str, str]],
) -> None:
    stored = talk()
    made = [
        [
            m if how[side] == "k" else cleared(m)
            for m, how in zip(stored, fate, strict=True)
            if how[side] != "x"
        ]
        for side in (0, 1)
    ]
    both = sides(stored, *made)
    listed = runs(paired(*both))
    assert [pair.shown.id for run in listed for pair in run.pairs] == list(range(9))
    assert [run.at for run in listed] == [sum(len(r.pairs) for r in listed[:n]) for n in range(len(listed))]
    for side in (0, 1):
        assert sum(run.tokens[side] for run in listed) == sum(s.sent_tokens for s in both[side])


def test_foreign_text_is_escaped_and_a_long_list_is_bounded() -> None:
    stored = numbered([user(f"{n} {EVIL}") for n in range(100)])
    listed = PairList.of(stored, *sides(stored, stored, [{**m, "content": "other"} for m in stored]))
    page, text = listed.html(), str(listed)
    assert "<img" not in page
    assert "\u202e" not in page + text
    assert "\\u202e" in text
    assert page.count("<details>") == MOST_ROWS
    assert f"{100 - MOST_ROWS} rows more" in text
    assert "100 messages differ" in text


def test_many_long_diffs_take_little_together_and_one_is_shown_at_length() -> None:
    long = "".join(f"line {n}\n" for n in range(200))
    few, many = (numbered([user(f"{n} {long}") for n in range(size)]) for size in (1, 40))
    pages = [
        PairList.of(stored, *sides(stored, stored, [{**m, "content": "other"} for m in stored])).html()
        for stored in (few, many)
    ]
    lines = [page.count("<div style='background") for page in pages]
    assert lines == [MOST_DIFF_LINES, 40 * LEAST_DIFF_LINES]

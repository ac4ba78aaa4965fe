"""Broken laws as a reader sees them."""

from __future__ import annotations

from opencollab_nb import Pressure, check_shaper
from opencollab_nb.messages import Messages
from opencollab_nb.shaping.law_words import SENTENCES, Failure, as_html, as_lines, fates
from opencollab_nb.shaping.laws import LAWS
from tests.build import assistant, numbered, result, task, user

TALK = numbered([task(), assistant("look\x1b[31m\u202e"), result("<b>bold</b>" * 20), user("x")])


def failure(after: object) -> Failure:
    return Failure("pinned", "a pinned message was changed", TALK, Pressure.of(16_000), after)


def test_every_law_has_a_sentence() -> None:
    assert set(SENTENCES) == set(LAWS)
    assert all(text.endswith((".", ").")) for text in SENTENCES.values())


def test_each_message_is_told_what_became_of_it() -> None:
    cut = {**TALK[2], "content": "short"}
    summary = {"role": "user", "content": "sum", "meta": {"covers": [[1, 2]]}}
    rows = fates(failure([TALK[0], cut, summary, {"role": "user", "content": "new"}]))
    assert [row.became for row in rows] == [
        "as it was",
        "gone",
        "rewritten, 220 → 5 characters",
        "gone",
        "new",
        "new",
    ]
    assert rows[0].role == "user, pinned"
    assert rows[4].id == "covers [[1, 2]]"


def test_what_is_no_list_of_messages_leaves_the_fates_open() -> None:
    for after in (None, 3, "text"):
        assert {row.became for row in fates(failure(after))} == {"?"}
    assert fates(failure([1, None, TALK[0]]))[0].became == "as it was"


def test_text_and_html_hold_nothing_that_acts() -> None:
    text = "\n".join(as_lines(failure([])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    page = as_html(failure([]))
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page


def test_the_line_that_raised_is_named() -> None:
    def careless(messages: Messages, pressure: Pressure) -> Messages:
        return messages[: 1 // 0]

    assert "line" in repr(check_shaper(careless, examples=3))
    assert "of careless: return messages[: 1 // 0])" in repr(check_shaper(careless, examples=3))

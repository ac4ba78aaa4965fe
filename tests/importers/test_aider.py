"""Aider's chat history."""

from __future__ import annotations

from opencollab_nb.importers.aider import read, signs
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.importers.view import view_sent
from tests.importers.session_files import AIDER


def history(text: str = AIDER) -> Source:
    return Source(Held(text.encode(), "history.md"))


def test_sessions_in_which_something_was_said_are_transcripts():
    assert signs(history()) >= 0.5
    [session] = read(history())
    assert session.origin.name == "history.md #2"
    assert session.origin.skipped["line of a session without a message"] == 6
    assert "the session of 2025-06-02 11:50:00" in session.notices


def test_answers_commands_and_notes_are_no_words_of_the_user():
    [session] = read(history())
    told = [(m["meta"]["source"], m["content"]) for m in session.stored if m["role"] == "user"]
    assert told[0] == ("task", "fix it\nand be quick")
    assert told[1][0] == "context"
    assert told[1][1].startswith("# 1 SEARCH/REPLACE block")
    assert told[2:] == [("user", "thanks")]


def test_headings_and_quotations_of_the_model_stay_its_own():
    [session] = read(history())
    assert session.stored[1]["content"] == "I change `a.py`.\n\n#### A heading of mine\n> a quotation"


def test_where_an_editor_cut_the_ends_of_lines_the_marks_alone_decide():
    cut = "\n".join(line.rstrip() for line in AIDER.split("\n"))
    [session] = read(history(cut))
    assert session.stored[0]["content"] == "fix it\nand be quick"


def test_rounded_usage_is_taken_and_said_to_be_rounded():
    [session] = read(history())
    first, second, third = session.origin.sent
    assert (first.usage.input_tokens, first.usage.cached_input_tokens) == (9_700, 2_000)
    assert second.usage.input_tokens == 1_000_000
    assert third.usage is None
    assert session.origin.models == ("g-2",)
    assert any("rounded" in what for what in session.origin.unknown)


def test_a_cleared_history_leaves_the_view():
    [session] = read(history())
    assert [m["content"] for m in view_sent(session, 3)] == ["thanks"]


def test_line_ends_of_windows_change_nothing():
    [session] = read(history(AIDER.replace("\n", "\r\n")))
    assert len(session.stored) == 6

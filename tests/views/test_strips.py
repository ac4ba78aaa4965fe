"""Strips: what of a transcript is sent, on the scale of the transcript."""

from __future__ import annotations

from opencollab_nb import OldHistorySnipShaper, Pressure, ToolOutputClearShaper
from opencollab_nb.messages import Messages, with_content
from opencollab_nb.shaping.summary import summary_message
from opencollab_nb.views.strips import COLUMNS, Strip, strips_html, strips_text
from tests.build import numbered, system, task, tool_step

TALK = numbered([system(), task(), *(m for n in range(6) for m in tool_step(n, "word " * 200))])
PRESSURE = Pressure.of(2_000)


def strip(messages: Messages) -> Strip:
    return Strip.of("sent", messages, TALK, lambda m: PRESSURE.weight([m]), PRESSURE.tokens(messages))


def test_a_whole_transcript_is_letters_of_its_kinds() -> None:
    text = strip(TALK).text()
    assert len(text) == COLUMNS
    assert set(text) <= set("star")
    assert text.count("r") > COLUMNS // 2


def test_what_was_cleared_snipped_or_summarized_stays_in_its_place() -> None:
    whole = strip(TALK).text()
    cleared = strip(ToolOutputClearShaper(keep_recent=1).shape(TALK, PRESSURE)).text()
    assert len(cleared) == len(whole)
    assert ":" in cleared
    assert cleared[-5:] == whole[-5:]
    snipped = strip(OldHistorySnipShaper(keep_recent_groups=1).shape(TALK, PRESSURE)).text()
    assert "·" in snipped
    summed = strip([*TALK[:2], summary_message("They worked.", [[2, 11]]), *TALK[12:]])
    assert "=" in summed.text()
    assert summed.counts["summarized"] == 10


def test_the_html_has_a_cell_a_run_and_escapes_all_text() -> None:
    capped = [with_content(m, "<b>" + "word " * 30) if m["role"] == "tool" else m for m in TALK]
    page = strips_html([strip(TALK), strip(capped)])
    assert page.count("display:flex") == 2
    assert "shortened" in page
    assert "<b>word" not in page


def test_text_strips_stand_under_one_another_with_their_tokens() -> None:
    lines = strips_text([strip(TALK), strip(TALK[:4])]).splitlines()
    assert lines[0].index("|") == lines[1].index("|")
    assert lines[0].endswith(f"{PRESSURE.tokens(TALK):,} tokens")


def test_an_empty_transcript_has_an_empty_strip() -> None:
    assert Strip.of("sent", [], [], lambda m: 1, 0).text() == ""

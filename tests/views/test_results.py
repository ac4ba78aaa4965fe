"""What verbs give back: texts and escaped, bounded HTML."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from opencollab_nb.messages import text_of
from opencollab_nb.request import Request
from opencollab_nb.views.contents import ContextTable, MessageView, TranscriptTable
from opencollab_nb.views.results import Help, PressureLine, Standing
from opencollab_nb.views.sent import content_of, fates
from opencollab_nb.views.tables import Table, bounded
from opencollab_nb.views.text import ends, escaped, head, visible
from tests.build import assistant, call, numbered, result, system, task, user

HOSTILE = "<script>x()</script>\u202eevil\x1b[31m\x00" + chr(0xD83E)


def weigh(message: object) -> int:
    return len(content_of(message))


def stored(count: int = 8) -> list:
    messages = [system(), task()]
    for i in range(count):
        messages += [
            assistant("look", call("file_read", {"path": f"{i}"}, f"c{i}")),
            result("x" * 500, f"c{i}"),
        ]
    return numbered(messages)


def table_of(view: list, messages: list) -> ContextTable:
    return ContextTable(fates(Request(view), messages, weigh), "counted")


def test_every_stored_message_has_a_row_and_one_word() -> None:
    messages = stored()
    view = [
        *messages[:4],
        {**messages[4]},
        {**messages[5], "content": "[Old tool result content cleared]"},
        messages[6],
        {**messages[7], "content": "x" * 60 + "[truncated 440 chars]"},
        *messages[12:],
    ]
    found = fates(Request(view, {"role": "user", "content": "status"}), messages, weigh)
    assert [s.id for s in found] == [*range(18), None]
    assert [s.state for s in found] == [
        *["verbatim"] * 5,
        "cleared",
        "verbatim",
        "capped",
        *["snipped"] * 4,
        *["verbatim"] * 6,
        "tail",
    ]
    assert sum(s.stored_tokens for s in found) == sum(map(weigh, messages))
    assert sum(s.sent_tokens for s in found) == sum(map(weigh, view)) + len("status")


def test_what_a_summary_covers_is_summarized_and_stands_before_it() -> None:
    messages = stored()
    summary = user("summary", source="summary", covers=[[2, 9]])
    found = fates(Request([*messages[:2], summary, *messages[10:]]), messages, weigh)
    states = [s.state for s in found]
    assert states[2:11] == ["summary", *["summarized"] * 8]
    assert [s.id for s in found if s.id is not None] == list(range(18))


def test_a_run_of_messages_that_were_left_out_is_one_row() -> None:
    messages = stored()
    text = repr(table_of([*messages[:2], *messages[14:]], messages))
    assert "2–13" in text
    assert "12 messages, all in the transcript" in text
    assert "6 messages" in text.splitlines()[0]
    assert "stored: 18 messages" in text.splitlines()[0]


def test_five_thousand_messages_are_shown_by_their_ends() -> None:
    messages = stored(2_500)
    for shown in (table_of(messages, messages), TranscriptTable(tuple(messages))):
        assert len(repr(shown).splitlines()) < 80
        assert len(shown._repr_html_()) < 40_000
        assert "left out" in repr(shown)
        assert "5001" in repr(shown)


def test_one_message_is_shown_as_sent_beside_what_is_stored() -> None:
    messages = stored()
    cleared = {**messages[5], "content": "[Old tool result content cleared]"}
    view = MessageView(table_of([*messages[:5], cleared, *messages[6:]], messages).sent[5])
    assert "--- sent" in repr(view)
    assert "[Old tool result content cleared]" in repr(view)
    assert "x" * 500 in repr(view)
    assert "cleared" in view._repr_html_()


def test_heads_of_a_message_beside_its_original_stand_over_their_texts() -> None:
    messages = stored()
    page = MessageView(table_of(messages, messages).sent[5])._repr_html_()
    sides = re.findall(r"<t[hd] style='vertical-align:top;text-align:(\w+)", page)
    assert sides == ["left"] * 4


def test_short_columns_are_not_wrapped_and_long_ones_are() -> None:
    page = Table(("id", "text"), ((1, "a " * 40), (2, "b"))).html()
    assert page.count("white-space:nowrap") == 3


def test_a_message_that_was_not_sent_says_so() -> None:
    messages = stored()
    view = MessageView(table_of([*messages[:2], *messages[4:]], messages).sent[3])
    assert "[not sent: snipped]" in repr(view)


def test_a_huge_message_is_bounded_and_says_where_the_rest_is() -> None:
    messages = numbered([system(), user("a" * 5_000_000)])
    view = MessageView(table_of(messages, messages).sent[1])
    assert len(view._repr_html_()) < 20_000
    assert "session.transcript.messages[1]" in repr(view)


@pytest.mark.parametrize("where", ["context", "message", "transcript", "standing", "help", "table"])
def test_nothing_in_foreign_text_acts(where: str) -> None:
    messages = numbered([system(HOSTILE), user(HOSTILE, source=HOSTILE)])
    context = table_of(messages, messages)
    shown = {
        "context": context,
        "message": MessageView(context.sent[1]),
        "transcript": TranscriptTable(tuple(messages), HOSTILE),
        "standing": Standing(HOSTILE, "paused", 1, detail=HOSTILE),
        "help": Help([HOSTILE]),
        "table": SimpleNamespace(_repr_html_=Table((HOSTILE,), ((HOSTILE,),), HOSTILE, (HOSTILE,)).html),
    }[where]
    page = shown._repr_html_()
    assert "<script" not in page
    assert "&lt;script" in page
    text = repr(shown) if where != "table" else ""
    for acting in ("\u202e", "\x1b", "\x00", chr(0xD83E)):
        assert acting not in page
        assert acting not in text
    page.encode()


def test_a_wide_script_keeps_its_column() -> None:
    lines = str(Table(("a", "b"), (("日本", "x"), ("ab", "y")))).splitlines()
    assert lines[1] == "日本  x"
    assert lines[2] == "ab    y"


def test_short_and_long_lists() -> None:
    assert bounded([1, 2]) == ([1, 2], 0, [])
    first, left_out, last = bounded(list(range(100)), 30)
    assert (len(first), left_out, len(last)) == (10, 70, 20)
    assert str(Table(("a",), ())) == "a"
    assert "<table>" in Table(("a",), ()).html()


def test_heads_and_ends_keep_their_bounds() -> None:
    assert head("a" * 500, 80) == "a" * 79 + "…"
    assert head("x\r\ny") == "x ⏎ y"
    assert ends("ab", 10, "there") == "ab"
    assert "90 characters more: there" in ends("a" * 100, 10, "there").replace("91", "90")
    assert visible("tab\tnew\nline") == "tab\tnew\nline"
    assert escaped("'\"") == "&#x27;&quot;"


def test_pressure_is_one_line_with_a_bar() -> None:
    line = PressureLine(500, 750, 1000, 1600, "counted", "guess")
    assert repr(line).startswith(
        "[###############---------------] 500 tokens counted, 50% of the trigger 1,000"
    )
    assert "window unknown, limits guessed" in repr(line)
    assert len(repr(line).splitlines()) == 1
    assert repr(PressureLine(5_000, 750, 1000, 1600, "counted", "known")).startswith("[" + "#" * 30 + "]")


def test_content_names_calls_and_parts() -> None:
    message = assistant("look", call("grep", '{"pattern": "x"}'))
    assert content_of(message) == 'look\ngrep({"pattern": "x"})'
    assert content_of(None) == ""
    assert text_of(message) == "look"

"""A loaded transcript shows what its file tells, and nothing of it acts."""

from __future__ import annotations

from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript
from opencollab_nb.transcript.shown import as_html, as_text
from tests.build import assistant, numbered, task, user

EVIL = "<script>hit()</script>\x1b[31m\u202e\ud800\x00"


def loaded(said: str = "quiet") -> Transcript:
    child = Transcript.of(numbered([task(said)]), origin=Origin("pi", "b", said, title=said))
    origin = Origin(
        "pi",
        f"/runs/{said}.jsonl",
        said,
        (Sent(1, 1, Usage(1_000, 400, 10), said), Sent(3, 3)),
        (Compacted(2, [[0, 1]], said, 900), Compacted(9, [[2, 2]], "")),
        read=7,
        used=4,
        skipped={said: 3},
        unknown=("system prompt",),
        children=(child,),
        title=said,
    )
    messages = numbered([task(said), assistant(said), user(said, source="summary"), assistant(said)])
    made = Transcript.of(messages, origin=origin)
    made.notices = [f"line 3: {said}"] * 20
    return made


def test_counts_what_is_unknown_damage_compactions_and_sub_agents_are_told() -> None:
    for shown in (as_text(loaded()), as_html(loaded())):
        assert "4 messages, 2 model calls" in shown
        assert "1 user, 2 assistant, 1 summary" in shown
        assert "7 read, 4 used; skipped: 3 quiet" in shown
        assert "system prompt" in shown
        assert "2 compactions in the file" in shown
        assert "2 messages: 0–1" in shown
        assert "none after it" in shown
        assert "nothing: they were taken back" in shown
        assert "origin.children[0]" in shown
        assert "8 notices more" in shown


def test_nothing_of_a_file_acts() -> None:
    text, page = as_text(loaded(EVIL)), as_html(loaded(EVIL))
    assert "<script>" not in page
    assert not {"\x1b", "\u202e", "\ud800", "\x00"} & set(text + page)
    (text + page).encode()


def test_five_megabytes_on_one_line_are_cut() -> None:
    assert len(as_html(loaded("x" * 5_000_000))) < 40_000


def test_one_of_our_own_runs_has_its_line() -> None:
    assert as_text(Transcript.of(numbered([task("Mend it.")]))).startswith("transcript: 1 messages")

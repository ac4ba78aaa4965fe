"""`%oc team` on a live team: steps, results, books, messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.team import Team
from tests.team.build import a_team, look, model, reply, seats, send, wait
from tests.views.cells import run
from tests.views.test_magics_completion import offered


@pytest.fixture
def ours(shell: InteractiveShell, tmp_path: Path) -> Iterator[Team]:
    """Two seats: one asks, one does; a third is never asked."""
    a = model([reply(send("b", "Do <it>.")), reply(wait()), "All done.", "Still done."])
    b = model([reply(look(), text="Looking."), "Did it.", "Did more."])
    team = a_team(tmp_path / "t", {"a": a, "b": b, "c": model([])}, seats("a", "b", "c"))
    shell.user_ns["ours"] = team
    yield team
    team.close()


def test_steps_are_taken_one_by_one_and_shown(shell: InteractiveShell, ours: Team) -> None:
    text = repr(run(shell, "%oc team step").value)
    assert "the team: paused" in text
    assert "send_message" in text
    assert repr(run(shell, "%oc team step ours 2").value).count("\n") == 3
    assert sum(member.steps for member in ours.members.values()) == 3


def test_a_run_ends_with_what_became_of_each(shell: InteractiveShell, ours: Team) -> None:
    shown = run(shell, "%oc team run").value
    rows = {row[0]: row[2] for row in shown.table().rows}
    assert rows == {"a": "finished", "b": "finished", "c": "never acted"}
    assert "the team: done" in repr(shown)
    assert repr(run(shell, "%oc team result ours").value) == repr(shown)


def test_in_the_background_it_comes_back_at_once(shell: InteractiveShell, ours: Team) -> None:
    handle = run(shell, "%oc team run ours --background").value
    handle.wait()
    assert ours.state == "done"
    assert "done" in repr(run(shell, "%oc team stop").value)
    assert "done" in repr(run(shell, "%oc team pause").value)


def test_books_messages_and_the_audit_are_tables(shell: InteractiveShell, ours: Team) -> None:
    ours.run()
    books = repr(run(shell, "%oc team ledger").value)
    assert books.startswith(f"{ours.ledger.spent_tokens:,} tokens spent of a pool of 30,000; ")
    letters = run(shell, "%oc team messages").value
    assert [row[1:4] for row in letters.table().rows] == [("a", "b", "message"), ("b", "a", "result")]
    assert "&lt;it&gt;" in letters._repr_html_()
    assert run(shell, "%oc team audit").value.results["outcome"].tolist()[2] == "never acted"


def test_words_below_go_to_the_member_meant_byte_for_byte(shell: InteractiveShell, ours: Team) -> None:
    ours.run()
    assert run(shell, "%%oc team say ours --to b\n  Do  more.\n").error is None
    assert (ours.messages[-1].sender, ours.messages[-1].to, ours.messages[-1].text) == (
        "user",
        "b",
        "  Do  more.",
    )
    assert run(shell, "%%oc team say\nGo on.").error is None
    assert ours.messages[-1].to == "a"


def test_shapers_of_one_member_or_of_all_are_swapped(shell: InteractiveShell, ours: Team) -> None:
    ours.run(3)
    shown = run(shell, "%oc team use OldHistorySnipShaper --to b").value
    assert repr(shown) == "shapers of b, from the next step on\nlayer\nSnip old groups"
    assert "all members" in repr(run(shell, "%oc team use ours no_history_compaction").value)
    assert [event["member"] for event in ours.trace.of("swap")] == ["b", None]
    assert {len(m.session.chain.shapers) for m in ours.members.values() if m.session} == {1}
    assert "summarize" in offered(shell, "%oc team use sum")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%oc team", "what of a team? %oc team show | step | run"),
        ("%oc team stpe", "did you mean 'step'?"),
        ("%oc team step oru", "unknown team 'oru'; did you mean 'ours'?"),
        ("%oc team step ours 1 2", "'2' is too much"),
        ("%oc team step 0", "team step takes a whole number from 1 up"),
        ("%oc team step --background", "--background goes with run"),
        ("%oc team run --to b", "--to goes with say and use"),
        ("%oc team use", "use what? A policy"),
        ("%oc team use sumarize", "did you mean 'summarize'?"),
        ("%oc team use summarize --to d", "unknown member 'd'"),
        ("%oc team say", "the words stand in the lines below %%oc team say"),
        ("%%oc team run\nwords", "takes no lines below it"),
        ("%%oc team say --to d\nwords", "unknown member 'd'"),
    ],
)
def test_what_cannot_be_done_is_said_on_one_line(
    shell: InteractiveShell, ours: Team, line: str, says: str
) -> None:
    ran = run(shell, line)
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_without_a_team_and_among_several_it_is_asked_which(shell: InteractiveShell, ours: Team) -> None:
    shell.user_ns["same"] = ours
    assert run(shell, "%oc team result").error is None
    shell.user_ns["theirs"] = object.__new__(Team)
    assert "which of ours, same, theirs? As in `%oc team step ours`" in run(shell, "%oc team result").err
    assert run(shell, "%oc team result ours").error is None
    assert run(shell, "%oc @ours team result").error is None
    for name in ("ours", "same", "theirs"):
        del shell.user_ns[name]
    assert "no team yet: team = Team(...)" in run(shell, "%oc team result").err


def test_deeds_and_names_are_offered(shell: InteractiveShell, ours: Team) -> None:
    assert offered(shell, "%oc team le") == ["ledger"]
    assert offered(shell, "%oc team step ou") == ["ours"]
    assert offered(shell, "%oc team run --b") == ["--background"]

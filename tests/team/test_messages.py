"""Messages between members: in order, at step boundaries, once, also across a kill and a resume."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.steering import TITLE
from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.team import Team
from opencollab_nb.team.events import TEAM_EVENTS
from opencollab_nb.team.log import Log
from opencollab_nb.team.mail import Mail
from opencollab_nb.trace import Trace
from tests.team import chatter
from tests.team.build import a_team, letters, look, model, reply, seats, send, spawn, texts, wait


def test_messages_are_read_at_the_next_step_boundary_in_the_order_in_which_they_were_sent(
    tmp_path: Path,
) -> None:
    a = model([reply(send("b", "Go.")), reply(send("b", "one"), send("b", "two")), "Done."])
    b = model([reply(look()), reply(look()), "Done."])
    team = a_team(tmp_path / "t", {"a": a, "b": b}, seats("a", "b"))
    team.run()
    *asked, tail = b.requests[1].messages
    assert text_of(tail).startswith(TITLE), "what is said of this request alone comes last"
    said = [text_of(m) for m in asked if m["role"] == "user"]
    assert said[-2:] == ["[Message 2 from a]\none", "[Message 3 from a]\ntwo"]
    assert len(b.requests) == 3
    assert letters(team, "b") == [2, 3]


def test_a_message_that_comes_during_a_step_waits_for_its_end(tmp_path: Path) -> None:
    """A call and its result stay side by side, whatever comes in between."""
    seen: list[list[str]] = []

    def b_says(_request: Any) -> Any:
        team.say("Quick.", to="b")
        seen.append(texts(team, "b"))
        return reply(look())

    a = model([reply(send("b", "Go.")), reply(look()), reply(look())])
    team = a_team(tmp_path / "t", {"a": a, "b": model(b_says)}, seats("a", "b"))
    team.run(2)
    assert "Quick." not in seen[0]
    assert texts(team, "b")[-1] == "Quick."
    assert [m["role"] for m in team.members["b"].session.transcript.messages][-3:] == [  # type: ignore[union-attr]
        "assistant",
        "tool",
        "user",
    ]


def test_mail_is_numbered_and_waits_until_it_is_delivered() -> None:
    mail = Mail(Log(Trace(kinds=TEAM_EVENTS)))
    first, second = mail.send("a", "b", "one"), mail.send("user", "b", "two")
    assert [letter.number for letter in mail.waiting("b")] == [1, 2]
    mail.delivered(first)
    assert mail.waiting("b") == [second]
    mail.found("b", [2])
    assert mail.waiting("b") == []
    assert (first.as_text, second.as_text) == ("[Message 1 from a]\none", "two")


def cut(folder: Path, messages: int) -> None:
    """Take back what a member wrote after so many messages, as if the process had ended there."""
    entries = [json.loads(line) for line in (folder / "transcript.jsonl").read_text().splitlines()]
    kept, count = [], 0
    for entry in entries:
        count += entry["entry"] == "message"
        if count > messages:
            break
        kept.append(entry)
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    held = []
    for event in events:
        if max(event.get("stored", 0), event.get("message_id", -1) + 1) > messages:
            break
        held.append(event)
    for name, lines in (("transcript.jsonl", kept), ("events.jsonl", held)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("lost_by_sender", [False, True])
@pytest.mark.parametrize("lost_by_receiver", [False, True])
def test_a_message_is_delivered_once_wherever_the_process_ends(
    lost_by_sender: bool, lost_by_receiver: bool, tmp_path: Path
) -> None:
    """Between sending and the sender's result, between sending and delivery, and after both."""
    lines = [reply(send("b", "Go.")), reply(send("b", "the news"), look())]
    b = model([reply(look()), reply(look())])
    team = a_team(tmp_path / "t", {"a": model(lines), "b": b}, seats("a", "b"))
    team.run(3)
    assert letters(team, "b") == [2]
    stored = {name: len(texts(team, name)) for name in "ab"}
    team.close()
    if lost_by_sender:  # both results are lost: that of the message, and that of the call after it
        cut(tmp_path / "t" / "members" / "a", stored["a"] - 2)
    if lost_by_receiver:
        cut(tmp_path / "t" / "members" / "b", stored["b"] - 1)
    again = Team.resume(tmp_path / "t", model={"a": model(["Done."]), "b": model(["Done."])})
    assert again.run() in ("done", "paused")
    assert letters(again, "b") == [2]
    assert texts(again, "a").count("Message 2 is on its way to b.") == 1
    assert [letter.text for letter in again.messages if letter.to == "b"] == ["Go.", "the news"]
    again.close()


def test_a_spawn_that_was_written_down_is_not_done_again(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"lead": model([reply(spawn("Do A."))]), "agent": model([])})
    team.step()
    stored = len(texts(team, "lead"))
    team.close()
    cut(tmp_path / "t" / "members" / "lead", stored - 1)
    shutil.rmtree(tmp_path / "t" / "members" / "agent")  # its session was not made yet
    lines = {"lead": model([reply(wait()), "Done."]), "agent": model(["A done."])}
    again = Team.resume(tmp_path / "t", model=lines)
    assert again.run() == "done"
    assert list(again.members) == ["lead", "agent"]
    told = "agent has started with 10,000 tokens. Its result comes as a message: go on, or wait."
    assert texts(again, "lead").count(told) == 1
    assert [account.granted for account in again.ledger.books.values()] == [10_000, 10_000]
    again.close()


def test_an_end_is_told_once_also_when_the_process_ended_before_it_was(tmp_path: Path) -> None:
    lines = [reply(spawn("Do A.")), reply(wait()), "Done."]
    team = a_team(tmp_path / "t", {"lead": model(lines), "agent": model(["A done."])})
    team.run(2)
    team.close()
    record = tmp_path / "t" / "team.jsonl"
    told = record.read_text().splitlines()
    first = next(n for n, line in enumerate(told) if '"return"' in line)
    record.write_text("".join(line + "\n" for line in told[:first]))
    cut(tmp_path / "t" / "members" / "lead", 5)
    again = Team.resume(tmp_path / "t", model={"lead": model(lines[1:]), "agent": model([])})
    assert again.run() == "done"
    assert letters(again, "lead") == [1]
    assert again.ledger.books["agent"].returned == 9_900
    again.close()


def test_a_resumed_team_has_the_same_members_books_and_messages(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A."), spawn("Do B.")), reply(wait()), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done.", reply(look()), "B done."])})
    team.run(3)
    before = team.ledger.books, team.messages, team.state, repr(team.result)
    next_one = team.step().member
    team.close()
    again = Team.resume(tmp_path / "t")
    assert again.ledger.books.accounts.keys() == before[0].accounts.keys()
    assert again.messages == before[1]
    assert again.trace.of("step")[-1]["member"] == next_one
    again.close()
    whole = Team.resume(tmp_path / "t", model={"lead": model(["Done."]), "agent": model(["B done."])})
    assert whole.run() == "done"
    assert whole.ledger.spent_tokens == sum(
        m.session.spent_tokens for m in whole.members.values() if m.session is not None
    )
    whole.close()


def test_a_folder_that_is_in_use_or_holds_no_team_is_refused(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model(["Done."])}, seats("a"))
    with pytest.raises(TranscriptError, match="open for writing in this process"):
        Team.resume(tmp_path / "t")
    team.close()
    with pytest.raises(TranscriptError, match="holds a team already"):
        a_team(tmp_path / "t", {"a": model(["Done."])}, seats("a"))
    with pytest.raises(TranscriptError, match="holds no team's run"):
        Team.resume(tmp_path)


@pytest.mark.parametrize("after_seconds", [0.2, 0.6])
def test_nothing_is_lost_or_doubled_by_a_process_that_is_killed(after_seconds: float, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    child = subprocess.Popen([sys.executable, chatter.__file__, str(folder)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    time.sleep(after_seconds)
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    child.stdout.close()
    team = Team.resume(folder, model=chatter.models())
    assert team.start().wait() == "done"
    for name in chatter.NAMES:
        assert chatter.heard(texts(team, name)) == {
            other: [f"{n}" for n in range(1, chatter.MANY + 1)] for other in chatter.NAMES if other != name
        }
        assert letters(team, name) == sorted(set(letters(team, name)))
    team.close()


def test_a_message_to_a_seat_that_had_not_begun_yet_begins_it_after_all(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model([reply(send("b", "Go."))]), "b": model([])}, seats("a", "b"))
    team.step()
    team.close()
    record = tmp_path / "t" / "team.jsonl"
    lines = record.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if '"begin"' in line and '"member":"b"' in line)
    record.write_text("".join(line + "\n" for line in lines[:first]))
    shutil.rmtree(tmp_path / "t" / "members" / "b")
    again = Team.resume(tmp_path / "t", model={"a": model([reply(wait()), "Done."]), "b": model(["Hi."])})
    assert texts(again, "b")[-1] == "Go."
    assert again.run() == "done"
    again.close()


def test_a_message_that_was_to_wake_a_finished_agent_wakes_it_after_all(tmp_path: Path) -> None:
    lines = [reply(spawn("Do A.")), reply(wait()), reply(send("agent", "More."))]
    team = a_team(tmp_path / "t", {"lead": model(lines), "agent": model(["A done."])})
    team.run(4)
    assert letters(team, "agent") == [2]
    stored = len(texts(team, "agent"))
    team.close()
    cut(tmp_path / "t" / "members" / "agent", stored - 1)
    models = {"lead": model([reply(wait()), "Done."]), "agent": model(["More is done."])}
    again = Team.resume(tmp_path / "t", model=models)
    assert again.run() == "done"
    assert letters(again, "agent") == [2]
    assert texts(again, "agent")[-1] == "More is done."
    again.close()


def test_an_agent_that_failed_and_was_written_to_tries_again_after_a_resume(tmp_path: Path) -> None:
    lines = [reply(spawn("Do A.")), reply(wait()), reply(send("agent", "Try again."))]
    agent = ScriptedModel([RuntimeError("no network")])
    team = a_team(tmp_path / "t", {"lead": model(lines), "agent": agent})
    team.run(4)
    team.close()
    models = {"lead": model([reply(wait()), "Done."]), "agent": model(["A done."])}
    again = Team.resume(tmp_path / "t", model=models)
    assert again.run() == "done"
    assert again.result["agent"].outcome == "finished"
    again.close()


def test_without_a_model_a_team_can_be_looked_at(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model([reply(send("b", "Go."))]), "b": model([])}, seats("a", "b"))
    team.step()
    team.close()
    again = Team.resume(tmp_path / "t")
    assert again.state == "paused"
    assert again.result["a"].steps == 1
    with pytest.raises(UsageProblem, match="has no model"):
        again.step()
    again.close()


def test_a_known_secret_stands_in_no_message_and_in_no_record(tmp_path: Path) -> None:
    lines = [reply(send("b", "The code is 94-07-zulu-secret."))]
    spec = seats("a", "b")
    models = {"a": model(lines), "b": model([])}
    team = a_team(tmp_path / "t", models, spec, secrets={"CODE": "94-07-zulu-secret"})
    team.step()
    assert "94-07-zulu-secret" not in team.messages[0].text
    assert "94-07-zulu-secret" not in team.members["b"].task
    assert "94-07-zulu-secret" not in (tmp_path / "t" / "team.jsonl").read_text()

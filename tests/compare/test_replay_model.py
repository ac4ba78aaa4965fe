from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import load
from opencollab_nb.compare.replay_model import ReplayModel, needed_and_gone
from opencollab_nb.errors import ModelUnavailable, UsageProblem
from opencollab_nb.messages import Messages, text_of
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.shaping import ToolOutputClearShaper
from tests.build import assistant, call, result, user

LISTING = "src/deep/inside.py has 4711 lines. " + "much more text. " * 100


def a_run(turns: int = 12) -> Messages:
    """Reads of files; the last reply uses a path that only the first result named."""
    messages = [user("Find the file.")]
    for n in range(turns):
        text = LISTING if n == 0 else f"nothing in folder {n}. " + "much more text. " * 100
        messages += [assistant("", call("bash", f'{{"command": "ls {n}"}}', f"c{n}")), result(text, f"c{n}")]
    return [*messages, assistant("It is src/deep/inside.py with 4711 lines.")]


def replayed(messages: Any, **given: Any) -> Session:
    model = ReplayModel(messages)
    session = Session(model.task, model=model, system="", window=8_000, **given)
    session.run()
    return session


def contents(session: Session) -> list[tuple[str, str]]:
    return [(str(m["role"]), text_of(m)) for m in session.transcript.messages]


def notices(session: Session) -> list[str]:
    return [event["text"] for event in session.trace.of("notice")]


def test_the_session_becomes_the_recorded_run() -> None:
    messages = a_run()
    session = replayed(messages, shapers=[])
    assert session.state == "done"
    assert contents(session) == [(m["role"], text_of(m)) for m in messages]
    assert not notices(session)


def test_a_session_with_a_task_of_its_own_is_told_so_once() -> None:
    session = Session("Something else.", model=ReplayModel(a_run()), shapers=[])
    session.run()
    assert session.state == "done"
    assert [text for text in notices(session) if "not the recorded one, and the replies" in text]
    assert len(notices(session)) == 1


def test_a_chain_that_takes_away_what_a_reply_uses_is_told() -> None:
    session = replayed(a_run(20), shapers=[ToolOutputClearShaper(keep_recent=2)])
    told = notices(session)
    first = next(n for n, text in enumerate(told) if "not the recorded one" in text)
    changed = next(text for text in told if "would have changed the run" in text)
    assert "src/deep/inside.py" in changed
    assert told.index(changed) > first


def test_a_swap_in_the_middle_is_told_at_the_step_it_bears_on() -> None:
    model = ReplayModel(a_run(30))
    session = Session(model.task, model=model, system="", window=8_000, shapers=[])
    session.run(20)
    assert not notices(session)
    session.use(ToolOutputClearShaper(keep_recent=1))
    session.run()
    [begun] = [e for e in session.trace.of("notice") if "not the recorded one" in e["text"]]
    assert begun["step"] == 21


def test_what_the_user_said_between_two_replies_is_said_again() -> None:
    messages = [
        user("First."),
        assistant("Done with it."),
        user("Now the second."),
        assistant("", call("bash", "{}", "a")),
        result("ok", "a"),
        user("Hurry."),
        assistant("Done too."),
    ]
    session = replayed(messages)
    assert (session.state, session.steps) == ("done", 3)
    assert contents(session) == [(m["role"], text_of(m)) for m in messages]


def test_a_recording_that_went_on_after_an_empty_reply_goes_on() -> None:
    messages = [user("Go."), assistant(""), assistant(""), assistant("There.")]
    assert [text for _, text in contents(replayed(messages))] == ["Go.", "", "", "There."]


def test_calls_that_share_an_id_get_their_own_results() -> None:
    messages = [
        user("Go."),
        assistant("", call("bash", '{"command": "a"}', "same"), call("bash", '{"command": "b"}', "same")),
        result("of a", "same"),
        result("of b", "same"),
        assistant("Done."),
    ]
    assert contents(replayed(messages))[2:4] == [("tool", "of a"), ("tool", "of b")]


def test_a_resumed_replay_goes_on_where_it_was(tmp_path: Path) -> None:
    messages = a_run()
    model = ReplayModel(messages)
    session = Session(model.task, model=model, system="", window=8_000, shapers=[], path=tmp_path / "run")
    session.run(5)
    session.close()
    again = Session.resume(tmp_path / "run", model=ReplayModel(messages))
    again.run()
    assert contents(again) == [(m["role"], text_of(m)) for m in messages]
    again.close()


def test_a_branch_replays_from_its_own_step() -> None:
    messages = a_run()
    session = replayed(messages, shapers=[])
    branch = session.fork(3)
    branch.run()
    assert contents(branch) == contents(session)


def test_what_the_file_does_not_show_is_weighed_and_its_reports_calibrate(shared: Path) -> None:
    model = ReplayModel(load(shared / "transcripts/codex")[0])
    session = Session(model.task, model=model, system=model.system)
    session.run(40)
    assert model.unseen_tokens > 5_000
    assert session.pressure.source == "calibrated"
    assert not notices(session)


@pytest.mark.parametrize("at", ["anthropic-messages-api/web-search*", "openai-responses-api/tool-search*"])
def test_tools_that_ran_at_the_provider_are_no_hindrance(shared: Path, at: str) -> None:
    for run in load(str(shared / "transcripts" / at)):
        session = Session("Search.", model=ReplayModel(run))
        assert session.run() == "done"
        session.close()


def test_past_the_end_of_the_recording_it_says_so() -> None:
    session = replayed(a_run(2), shapers=[])
    session.say("And now?")
    session.run()
    assert session.state == "stopped(end of the recording)"
    assert "ends after 3 replies" in session.detail
    assert session.error is None


@pytest.mark.parametrize("odd", [[], [user("hi")], "run.jsonl", None, [{"content": "no role"}]])
def test_what_holds_no_reply_is_refused(odd: Any) -> None:
    with pytest.raises(UsageProblem, match=r"no reply|no transcript"):
        ReplayModel(odd)


def test_it_writes_no_summary() -> None:
    with pytest.raises(ModelUnavailable, match="another summarizer"):
        ReplayModel(a_run(1)).reply(Request((), purpose="summary"))


def test_a_fact_that_still_stands_in_the_request_is_not_missed() -> None:
    reply, lost = assistant("see a/b.py"), [result("a/b.py", "x")]
    assert needed_and_gone(reply, lost, Request(())) == ["a/b.py"]
    assert needed_and_gone(reply, lost, Request((user("a/b.py is it"),))) == []

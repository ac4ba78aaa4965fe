"""Handlers on any thread at any time."""

from __future__ import annotations

import random
import threading
from pathlib import Path

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import OldHistorySnipShaper, ToolResultBudgetShaper
from opencollab_nb.transcript import Transcript
from tests.session.build import a_session, calling, tool_call


def endless() -> ScriptedModel:
    numbers = iter(range(10**6))
    return ScriptedModel(
        lambda request: calling(tool_call(call_id=f"c{next(numbers)}", text="line ", times=300)),
        usage="count",
    )


def untorn(session: Session) -> None:
    again = Transcript.open(session.transcript.path)
    assert again.messages == session.transcript.messages
    assert again.committed == session.steps
    assert [e["n"] for e in session.trace.events] == list(range(len(session.trace)))
    commits = [e["step"] for e in session.trace.of("commit")]
    assert commits == list(range(1, session.steps + 1))


def test_two_hundred_handler_calls_beside_a_run_tear_nothing(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", model=endless(), window=8_000)
    problems: list[BaseException] = []
    session.start(40)

    def handlers(seed: int) -> None:
        chance = random.Random(seed)
        verbs = [
            lambda: session.use(chance.choice(["default", "no_history_compaction"])),
            lambda: session.use(ToolResultBudgetShaper(500), OldHistorySnipShaper()),
            lambda: session.pin(chance.randrange(len(session.transcript))),
            lambda: session.unpin(chance.randrange(len(session.transcript))),
            lambda: session.restore(1),
            lambda: session.use_summarizer(chance.choice([lambda request: "short", None])),
            lambda: session.use_mode(chance.choice(["sticky", "stateless"])),
            lambda: session.use_target(chance.choice([0.5, 0.75])),
            lambda: session.rounds() and session.at(),
            lambda: session.say("Mind this."),
            session.pause,
            lambda: session.start(5),
            session.stop,
            lambda: repr(session) + session._repr_html_() + repr(session.pending),
            session.request,
        ]
        for _ in range(50):
            try:
                chance.choice(verbs)()
            except OpenCollabError:
                pass
            except BaseException as problem:  # noqa: BLE001 - gathered and shown below
                problems.append(problem)

    threads = [threading.Thread(target=handlers, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    session.stop()
    assert [p for p in problems if type(p).__name__ != "StepCancelled"] == []
    untorn(session)
    assert session.pending is None
    session.use("default")
    before = session.steps
    assert session.run(2) == "paused"
    assert session.steps == before + 2
    assert [session.request(k).wire for k in (1, session.steps)]
    untorn(session)


def test_random_stops_leave_a_sound_history(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", model=endless(), window=8_000)
    chance = random.Random(5)
    for _ in range(25):
        run = session.start()
        run.join(chance.random() * 0.05)
        run.stop()
        untorn(session)
    session.close()
    again = Session.resume(tmp_path / "run", model=endless(), workspace=session.workspace)
    assert again.run(3) == "paused"
    untorn(again)

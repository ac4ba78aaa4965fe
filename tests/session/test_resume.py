"""A fresh process sends the next request byte for byte as the first one would have."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.session.chain_spec import describe_chain
from opencollab_nb.shaping import AutoCompactShaper, ToolOutputClearShaper, ToolResultBudgetShaper
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from tests.session.build import Tools, calling, echo, tool_call
from tests.session.remote import Raising, short_summary, shout

ROOT = Path(__file__).parents[2]
CHAINS: list[tuple[Any, ...]] = [
    ("default",),
    ("summarize",),
    (ToolResultBudgetShaper(2_000), shout, AutoCompactShaper(short_summary, keep_recent_groups=2)),
    (ToolOutputClearShaper(keep_recent=2), AutoCompactShaper(keep_recent_groups=2)),
]


def in_another_process(folders: list[Path]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.session.remote", *map(str, folders)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


class Worker:
    """A model that works at random and reports what a provider with another tokenizer would count."""

    name, window = "scripted", None

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.factor = self.chance.choice([0.8, 1.0, 1.4])
        self.requests: list[Request] = []
        self.number = 0

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        self.requests.append(request)
        self.number += 1
        calls = [
            tool_call(
                call_id=f"c{self.number}-{n}" if self.chance.random() < 0.9 else "same",
                text=self.chance.choice(["log line ", "日本語 ", "x = 1\n"]),
                times=self.chance.randint(1, 700),
            )
            for n in range(self.chance.randint(1, 3))
        ]
        usage = Usage(int(sum(map(weigh, request.messages)) * self.factor), 0, 50)
        return Reply(calling(*calls, text="I think. " * self.chance.randint(1, 90)), usage, "tool_calls")


def disturb(session: Session, chance: random.Random) -> None:
    """Change something that a resume has to know."""
    some = [chance.randrange(len(session.transcript)) for _ in range(2)]
    act = chance.randrange(9)
    if act == 0:
        session.pin(some)
    elif act == 1:
        session.unpin(some)
    elif act == 2:
        session.restore(some)
    elif act == 3:
        session.use(*chance.choice(CHAINS))
    elif act == 4:
        session.use_summarizer(short_summary)
    elif act == 5:
        session.say(f"Mind the {chance.random()}.")
    elif act == 6:
        session.request()


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
@pytest.mark.parametrize("seed", range(4))
def test_the_next_request_of_a_resumed_run_is_that_of_the_first_process(
    tmp_path: Path, seed: int, mode: str
) -> None:
    chance = random.Random(seed)
    model = Worker(seed)
    session = Session(
        "Fix the bug.",
        model=model,
        workspace=Tools(echo=echo),
        window=12_000,
        path=tmp_path / "run",
        mode=mode,
        shapers=CHAINS[seed % 2 + 1][0] if seed % 2 + 1 == 1 else None,
    )
    copies: list[Path] = []
    expected: list[list[dict[str, Any]]] = []
    for number in range(24):
        disturb(session, chance)
        if number % 4 == 3:
            copies.append(tmp_path / f"copy{number}")
            shutil.copytree(tmp_path / "run", copies[-1])
        session.step()
        if number % 4 == 3:
            expected.append(model.requests[-1].wire)
    rounds = session.trace.of("session.history_compaction")
    assert rounds, "no layer acted: the run is too easy"
    steps = [event["step"] for event in session.trace.of("request")]
    sent = dict(zip(steps, model.requests, strict=True))
    for told, wire in zip(in_another_process(copies), expected, strict=True):
        assert json.dumps(told["next"]) == json.dumps(wire)
        for step, request in told["sent"].items():
            assert request == sent[int(step)].wire
    assert {step: session.request(step).wire for step in sent} == {k: r.wire for k, r in sent.items()}


def test_everything_else_that_was_in_force_is_in_force_again(tmp_path: Path) -> None:
    session = Session(
        "Fix the bug.",
        model=Worker(1),
        workspace=Tools(echo=echo),
        window=12_000,
        path=tmp_path / "run",
        max_steps=50,
        budget_tokens=10**7,
    )
    session.run(9)
    session.use(*CHAINS[2])
    session.pin([1, 2])
    session.run(3)
    (told,) = in_another_process([shutil.copytree(tmp_path / "run", tmp_path / "copy")])
    assert told["steps"] == 12
    assert told["spent"] == session.spent_tokens
    assert told["pinned"] == sorted(session._bench.next.projection().pinned)
    assert told["pressure"] == json.loads(json.dumps(session.pressure.to_dict()))
    assert told["mode"] == "sticky"
    assert told["chain"] == describe_chain(session.chain)


def test_a_resumed_session_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    def made(folder: Path) -> Session:
        return Session(
            "Fix the bug.", model=Worker(3), workspace=Tools(echo=echo), window=12_000, path=tmp_path / folder
        )

    whole = made(Path("whole"))
    whole.run(20)
    first = made(Path("parts"))
    first.run(9)
    model = first.model
    first.close()
    second = Session.resume(tmp_path / "parts", model=model, workspace=Tools(echo=echo))
    assert second.state == "paused"
    second.run(11)
    assert [r.wire for r in model.requests] == [r.wire for r in whole.model.requests]
    assert second.transcript.messages == whole.transcript.messages
    own = [(e["kind"], e["step"]) for e in second.trace.events if e["kind"] != "state"]
    assert own == [(e["kind"], e["step"]) for e in whole.trace.events if e["kind"] != "state"]


def test_calls_without_results_after_a_crash_are_answered_as_interrupted(tmp_path: Path) -> None:
    script = (
        "import os, sys; from tests.session.build import *\n"
        "die = lambda arguments, ticket: os._exit(9)\n"
        "calls = calling(tool_call(call_id='a'), tool_call('die', 'b'), tool_call(call_id='c'))\n"
        "a_session(sys.argv[1], [calls], workspace=Tools(echo=echo, die=die)).run()\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], cwd=ROOT, check=False)
    assert run.returncode == 9
    model = ScriptedModel(["done"])
    session = Session.resume(tmp_path / "run", model=model, workspace=Tools(echo=echo))
    assert session.state == "stopped(interrupted)"
    assert session.run() == "done"
    assert [m["content"] for m in model.requests[0].wire if m["role"] == "tool"] == [
        "ok",
        "[interrupted]",
        "[interrupted]",
    ]


def test_input_that_was_sent_before_a_crash_is_booked(tmp_path: Path) -> None:
    script = (
        "import os, sys; from tests.session.build import *\n"
        "a_session(sys.argv[1], lambda request: os._exit(9)).run()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], cwd=ROOT, check=False)
    session = Session.resume(tmp_path / "run")
    assert session.spent_tokens == session.trace.of("request")[-1]["tokens"]
    session.close()
    assert Session.resume(tmp_path / "run").spent_tokens == session.spent_tokens, "once"


def test_a_torn_last_line_is_dropped_with_a_notice(tmp_path: Path) -> None:
    session = Session("Go.", model=ScriptedModel(["done"]), path=tmp_path / "run")
    session.run()
    session.close()
    for name in ("transcript.jsonl", "events.jsonl"):
        with (tmp_path / "run" / name).open("ab") as file:
            file.write(b'{"n":99,"ki')
    again = Session.resume(tmp_path / "run")
    notices = [e["text"].split(",")[0] for e in again.trace.of("notice")]
    assert notices == ["transcript.jsonl", "events.jsonl"]
    assert again.transcript.messages == session.transcript.messages


def test_a_shaper_that_cannot_be_imported_is_named_and_steps_wait_for_use(tmp_path: Path) -> None:
    def here_only(messages: Any, pressure: Any) -> Any:
        return messages

    session = Session("Go.", model=Raising(), shapers=[here_only], path=tmp_path / "run")
    session.close()
    again = Session.resume(tmp_path / "run", model=ScriptedModel(["done"]))
    for verb in (again.step, again.run, again.start):
        with pytest.raises(ValueError, match=r"here_only.*use\("):
            verb()
    again.use("default")
    assert again.run() == "done"


def test_a_missing_shaper_may_be_given_by_name(tmp_path: Path) -> None:
    def here_only(messages: Any, pressure: Any) -> Any:
        return messages

    session = Session("Go.", model=Raising(), shapers=[here_only], path=tmp_path / "run")
    session.close()
    name = session.trace.of("start")[0]["chain"][0]["shaper"]
    again = Session.resume(tmp_path / "run", model=ScriptedModel(["done"]), parts={name: here_only})
    assert again.run() == "done"


def test_model_and_workspace_are_never_taken_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    session = Session("Go.", model=ScriptedModel([]), workspace=folder, path=tmp_path / "run")
    session.close()
    again = Session.resume(tmp_path / "run")
    assert (again.model, again.workspace) == (None, None)
    assert "workspace=" in again.trace.of("notice")[-1]["text"]
    assert again.request().wire[-1]["content"] == "Go."
    with pytest.raises(ValueError, match="no model"):
        again.step()


def test_a_session_of_this_process_hands_its_folder_over(tmp_path: Path) -> None:
    session = Session("Go.", model=ScriptedModel(["done"]), path=tmp_path / "run")
    again = Session.resume(tmp_path / "run", model=session.model)
    assert session.closed
    assert again.run() == "done"
    with pytest.raises(ValueError, match="closed"):
        session.run()


def test_what_is_no_run_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="holds no run"):
        Session.resume(tmp_path)
    (tmp_path / "transcript.jsonl").write_text('{"entry":"head","version":1}\n')
    (tmp_path / "events.jsonl").write_text("")
    with pytest.raises(Exception, match="start event"):
        Session.resume(tmp_path)

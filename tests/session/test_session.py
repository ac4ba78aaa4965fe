"""What a session is made with, and how it shows itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Run, Session
from opencollab_nb.shaping import OldHistorySnipShaper, ShaperPipeline
from opencollab_nb.trace import EVENTS, Trace, faults_of
from opencollab_nb.workspace import Workspace
from tests.session.build import Tools, a_session, echo, kinds, working
from tests.session.test_limits import summarized


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"window": 1_023}, "1,024"),
        ({"window": -5}, "window"),
        ({"window": True}, "window"),
        ({"budget_tokens": -1}, "budget_tokens is -1"),
        ({"budget_tokens": 1.5}, "budget_tokens is 1.5"),
        ({"max_steps": -1}, "max_steps is -1"),
        ({"max_steps": True}, "max_steps is True"),
        ({"max_output_tokens": -1}, "max_output_tokens is -1"),
        ({"policy": "defualt"}, "did you mean 'default'"),
        ({"mode": "stciky"}, "did you mean 'sticky'"),
        ({"shapers": [7]}, "7"),
        ({"shapers": [OldHistorySnipShaper()], "policy": "default"}, "not both"),
        ({"summarizer": "extractive"}, "no summarizer"),
        ({"model": "gpt-4o"}, "no model"),
        ({"model": ScriptedModel}, "no model"),
        ({"workspace": None, "shell": "ask"}, "shell= needs a workspace"),
        ({"workspace": "/no/such/folder"}, "does not exist"),
        ({"workspace": Tools(), "shell": "allow"}, "shell='off'"),
    ],
    ids=lambda given: given if isinstance(given, str) else ", ".join(given),
)
def test_an_argument_that_cannot_be_used_is_named_and_leaves_no_folder(
    tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageProblem, match=says):
        Session("Go.", **{"model": ScriptedModel([]), "path": tmp_path / "run", **settings})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("task", ["", " \n", None, 7])
def test_a_task_is_needed(task: Any) -> None:
    with pytest.raises(UsageProblem, match="task is empty"):
        Session(task, model=ScriptedModel([]))


def test_system_and_task_are_in_the_transcript_with_their_priorities() -> None:
    session = Session("Fix it.", model=ScriptedModel([]))
    metas = [(m["role"], m["meta"]["source"], m["meta"]["priority"]) for m in session.transcript.messages]
    assert metas == [("system", "system", 100), ("user", "task", 80)]
    assert [
        m["role"] for m in Session("Fix it.", model=ScriptedModel([]), system="").transcript.messages
    ] == ["user"]


def test_the_task_reaches_the_agent_byte_for_byte() -> None:
    task = "  {x} $y \\frac{a}{b} 'q' \"q\"\n\ttabs 日本 🙂 \r\n"
    model = ScriptedModel(["done"])
    Session(task, model=model, system="").run()
    assert model.requests[0].wire == [{"role": "user", "content": task}]


def test_a_folder_becomes_a_workspace_that_the_session_closes(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    session = Session("Go.", model=ScriptedModel([]), workspace=tmp_path / "work", path=tmp_path / "run")
    assert isinstance(session.workspace, Workspace)
    assert session.workspace.shell == "ask", "a real model's commands wait for the user"
    assert "bash" in [t["function"]["name"] for t in session.request().tools]
    session.close()
    assert session.workspace.call("grep", '{"pattern": "x"}').startswith("Error")
    off = Session("Go.", model=ScriptedModel([]), workspace=tmp_path / "work", shell="off")
    assert "bash" not in [t["function"]["name"] for t in off.request().tools]


def test_a_workspace_that_was_given_stays_open() -> None:
    tools = Tools(echo=echo)
    a_session(workspace=tools).close()
    assert tools.acts


def test_the_window_of_the_model_is_taken_where_none_is_given() -> None:
    model = ScriptedModel([], window=32_000)
    assert Session("Go.", model=model).pressure.window == 32_000
    assert Session("Go.", model=model, window=8_000).pressure.window == 8_000
    assert Session("Go.", model=ScriptedModel([])).pressure.window_source == "guess"


def test_a_reply_limit_is_at_most_half_the_window() -> None:
    session = a_session(window=8_000, max_output_tokens=64_000)
    assert session.request().max_output_tokens == 4_000
    assert a_session().request().max_output_tokens is None


def test_a_session_shows_itself_in_one_line_and_as_an_escaped_table() -> None:
    session = Session(
        "<script>alert('x')</script> & more\n\nlines", model=ScriptedModel(["done"]), window=8_000, name="<b>"
    )
    assert "\n" not in repr(session)
    session.run()
    assert "step 1" in repr(session)
    assert "done" in repr(session)
    html = session._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>" not in html


def test_a_key_is_written_nowhere(tmp_path: Path) -> None:
    model = ScriptedModel(working(2))
    model.api_key = "sk-secret"  # type: ignore[attr-defined]
    model.base_url = "https://secret.example"  # type: ignore[attr-defined]
    session = a_session(tmp_path / "run", model=model)
    session.run()
    everything = b"".join(p.read_bytes() for p in (tmp_path / "run").iterdir())
    shown = repr(session) + session._repr_html_() + repr(session.run_handle)
    for secret in ("sk-secret", "secret.example"):
        assert secret.encode() not in everything
        assert secret not in shown


def test_a_closed_session_can_be_looked_at_and_not_changed(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run")
    session.run(1)
    session.close()
    session.close()
    assert (session.closed, session.state, session.steps) == (True, "paused", 1)
    assert session.request(1).wire
    verbs: list[Any] = [
        session.step,
        session.run,
        session.request,
        lambda: session.say("x"),
        lambda: session.use("default"),
        lambda: session.pin(1),
    ]
    for verb in verbs:
        with pytest.raises(UsageProblem, match=r"closed.*resume"):
            verb()
    session.stop()
    session.pause()


def test_stop_at_rest_says_so_and_the_session_goes_on() -> None:
    session = a_session()
    session.stop()
    assert session.state == "stopped(by user)"
    assert session.run() == "done"
    session.stop()
    assert session.state == "done"


@pytest.mark.parametrize("n", [0, -1, True, 1.5, "3"])
def test_a_number_of_steps_that_is_none_is_refused(n: Any) -> None:
    session = a_session()
    with pytest.raises(UsageProblem, match="whole number of steps"):
        session.run(n)
    assert session.state == "ready"


def test_the_handle_of_the_newest_run_is_kept() -> None:
    session = a_session()
    assert session.run_handle is None
    run = session.start(1)
    assert isinstance(run, Run)
    assert session.run_handle is run
    run.wait()
    assert (run.over, run.state, run.error) == (True, "paused", None)
    assert "paused" in repr(run)


def test_the_question_of_the_shell_passes_through() -> None:
    class Asking(Tools):
        question = "rm -r build"

        def answer(self, allowed: bool) -> None:
            self.question = None  # type: ignore[assignment]
            self.allowed = allowed

    tools = Asking(echo=echo)
    session = a_session(workspace=tools)
    assert session.question == "rm -r build"
    session.answer(True)
    assert tools.allowed is True
    with pytest.raises(UsageProblem, match="no command waits"):
        session.answer(True)
    assert Session("Go.", model=ScriptedModel([])).question is None


def test_shapers_are_taken_as_a_pipeline_or_in_order() -> None:
    chain = ShaperPipeline(OldHistorySnipShaper())
    assert a_session(shapers=chain).chain == chain
    assert a_session(shapers=[OldHistorySnipShaper()]).chain == chain
    assert a_session(shapers=()).chain == ShaperPipeline()
    assert a_session().policy == "default"


def test_every_event_of_real_sessions_is_as_the_schema_says(tmp_path: Path) -> None:
    from tests.session.test_send import Provider

    seen: set[str] = set()

    def check(session: Session) -> None:
        for event in session.trace.events:
            assert faults_of(json.loads(json.dumps(event))) == [], event
        seen.update(kinds(session))

    busy = summarized(lambda request: "They worked.", path=tmp_path / "run", max_steps=14)
    busy.request()
    busy.run(8)
    busy.pin(3)
    busy.say("Go on.")
    busy.run(4)
    busy.use("default")
    busy.use_mode("stateless")
    busy.max_steps = 13
    busy.subscribe(lambda event: 1 / 0)
    busy.run()
    check(busy)
    stored = Trace.open(tmp_path / "run" / "events.jsonl")
    assert stored.events == busy.trace.events
    refused = a_session(model=Provider(6_000, working(9, chars=3_000)), window=100_000)
    refused.run()
    check(refused)
    (tmp_path / "files").mkdir()
    at_work = a_session(tmp_path / "other", workspace=tmp_path / "files")
    at_work.run(2)
    check(at_work.fork(1, path=tmp_path / "branch"))
    directed = a_session(
        tmp_path / "directed", budget=ContextBudget(restate_every=1), memory=a_memory(tmp_path)
    )
    directed.register("constraints", "No new tables.")
    directed.update_todos(["login"])
    directed.run()
    check(directed)
    assert seen == set(EVENTS)


def a_memory(folder: Path) -> MemoryStore:
    store = MemoryStore(folder / "memory.db")
    store.remember("The login tests need a database.", kind="fact", source="an earlier run", by="user")
    return store


def test_the_category_sums_are_the_tokens_of_the_request() -> None:
    session = summarized(lambda request: "They worked.")
    session.run()
    for event in session.trace.of("request"):
        assert sum(event["by_category"].values()) == event["tokens"]
        assert all(tokens >= 0 for tokens in event["by_category"].values())
    assert session.trace.last("request")["by_category"]["summary"] > 0  # type: ignore[index]


def test_importing_the_session_is_silent_and_makes_nothing(tmp_path: Path) -> None:
    script = (
        "import sys, opencollab_nb.session\n"
        "heavy = {'openai', 'tiktoken', 'pandas', 'plotly', 'IPython', 'ipywidgets', 'yaml', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"OPENCOLLAB_NB_HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
    assert not (tmp_path / "home").exists()

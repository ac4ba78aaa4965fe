"""Keys stand everywhere in a run; then all that it wrote, sent to the page or showed is looked through."""

from __future__ import annotations

import io
import json
import logging
import pickle
import sqlite3
import subprocess
import traceback
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import MemoryStore, Session, keep_secret
from opencollab_nb.budget import ContextBudget
from opencollab_nb.errors import ModelError
from opencollab_nb.models import Reply
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.shaping import Summary
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.views.panel import Panel
from opencollab_nb.views.snapshot import Snapshot
from tests.build import call
from tests.models.server import Answer, ChatServer
from tests.secrecy.test_known import FORMS
from tests.views.wire import Browser, CountingComm

KEYS = {
    "OPENAI_API_KEY": "sk-proj-Q7hV2mZ9tXc4Lr8Ww3Ny",
    "DEPLOY_TOKEN": "ghp_5Kd8Jf2Lq0Xs7Vb1Nm4Zt6Yu9Ir3",
    "named": "correct-horse-battery",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)
    for name in ("OPENAI_API_KEY", "DEPLOY_TOKEN"):
        monkeypatch.setenv(name, KEYS[name])
    keep_secret("named", KEYS["named"])


def needles() -> list[bytes]:
    """Every form of every key that is looked for."""
    return [form(key).strip("\"'").encode() for key in KEYS.values() for form in FORMS.values()]


def clean(what: str, data: object) -> None:
    """Nothing of the keys stands in it."""
    raw = data if isinstance(data, bytes) else str(data).encode("utf-8", "surrogatepass")
    assert not [needle for needle in needles() if needle in raw], what


def files_are_clean(folder: Path) -> int:
    """All files under a folder, objects of git and rows of a database unpacked; returns how many."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        clean(str(path), path.read_bytes())
        clean(str(path), path.name)
        if path.suffix in (".db", ".sqlite", ".sqlite3"):
            with sqlite3.connect(path) as db:
                clean(str(path), "\n".join(db.iterdump()))
    for git in folder.rglob("shadow.git"):
        batch = ["git", f"--git-dir={git}", "cat-file", "--batch-all-objects", "--batch"]
        clean(str(git), subprocess.run(batch, capture_output=True, check=True).stdout)
    return len(files)


def vars_of(one: object) -> str:
    """All that it holds, whatever its own repr leaves out."""
    public = [name for name in dir(one) if not name.startswith("_")]
    return f"{one!r} {getattr(one, '__dict__', None) or [getattr(one, name) for name in public]}"


def hostile(request: Any) -> Reply:
    """A model that says keys wherever it can."""
    said = " ".join(form(key) for key in KEYS.values() for form in FORMS.values())
    number = sum(m["role"] == "assistant" for m in request.messages)
    calls = [
        call("file_write", {"path": f"leak{number}.txt", "content": said}, f"w{number}"),
        call("bash", {"command": f"printf %s {KEYS['DEPLOY_TOKEN']}; cat .env"}, f"b{number}"),
        call(KEYS["named"], {KEYS["named"]: said}, KEYS["DEPLOY_TOKEN"]),
        call("todo", {"add": [f"use {KEYS['OPENAI_API_KEY']}"]}, f"t{number}"),
    ]
    if number >= 6:
        raise RuntimeError(f"no {said}") from ValueError(KEYS["named"])
    return Reply({"role": "assistant", "content": said, "reasoning_content": said, "tool_calls": calls})


def test_no_key_stands_in_anything_that_a_run_writes_or_shows(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    work, run = tmp_path / "work", tmp_path / "run"
    work.mkdir()
    everything = " ".join(KEYS.values())
    (work / ".env").write_text("".join(f"{name}={key}\n" for name, key in KEYS.items()))
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    memory = MemoryStore(tmp_path / "memory.db", project="scan")
    session = Session(
        f"Deploy with {everything}.",
        model=ScriptedModel(hostile, usage="count", name=f"model {KEYS['named']}"),
        workspace=work,
        shell="allow",
        path=run,
        name=f"agent {KEYS['named']}",
        system=f"Your key is {KEYS['OPENAI_API_KEY']}.",
        window=16_000,
        policy="summarize",
        summarizer=lambda request: f"summary with {everything}",
        budget=ContextBudget(),
        memory=memory,
    )
    browser = Browser(Panel(session))
    browser.ready()
    try:
        session.say(f"Also {everything}")
        session.register("constraints", f"never print {KEYS['named']}")
        session.update_todos([f"rotate {KEYS['DEPLOY_TOKEN']}"])
        memory.remember(f"The horse of the blue host answers to {KEYS['named']}.", kind="fact", source="user")
        memory.remember("A blue host has one horse.", kind="fact", source=f"tool {KEYS['named']}")
        assert [session.step().number for _ in range(6)] == [1, 2, 3, 4, 5, 6]
        with pytest.raises(RuntimeError) as raised:
            session.step()
        browser.click("step")
        session.handoff_now()
        browser.panel.flush()
        branch = session.fork(2, path=tmp_path / "branch")
        shown = [
            repr(session),
            session._repr_html_(),
            session.detail,
            repr(session.error),
            repr(session.trace),
        ]
        shown += [session.trace.to_frame().to_string(), session.transcript.messages]
        shown += [Snapshot.of(session).bundle(), session.request(), [session.at(n) for n in (1, 3)]]
        shown += [session.handoff.to_markdown(), session.anchors, session.todos, session.rounds(), branch]
        # What is kept in Python, not only what is shown of it: whoever prints it shows it.
        shown += [session.task, session.name, session.handoff, vars(session.handoff)]
        shown += [list(map(vars_of, session.anchors)), list(map(vars_of, session.todos))]
        shown += [vars(raised.value), raised.value.args, vars_of(session.error), session.error.args]
        shown += [list(map(vars_of, memory.recall("horse blue host")))]
        assert "horse" in str(shown[-1]), "the memory is looked at"
        for number, one in enumerate(shown):
            clean(f"shown {number}", one)
        clean("error", "".join(traceback.format_exception(raised.value)))
        clean("page", browser.panel.widget.comm.published)
        clean("page", json.dumps(browser.panel.widget.get_state(), default=str))
        clean("requests sent", [request.messages for request in session.model.requests])
    finally:
        browser.panel.close()
        session.close()
        memory.close()
        logging.getLogger().removeHandler(handler)
    clean("log", log.getvalue())
    clean("terminal", "".join(capfd.readouterr()))
    branch.close()
    (work / ".env").unlink()  # the user's own file is the one place where they stay
    assert files_are_clean(tmp_path) > 20
    assert "[secret DEPLOY_TOKEN]" in (run / "transcript.jsonl").read_text()
    again = Session.resume(run, model=ScriptedModel(["Done."]))
    clean("resumed", [again.transcript.messages, repr(again), again.request()])
    again.close()


def test_the_key_is_sent_to_its_endpoint_and_said_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    key = KEYS["OPENAI_API_KEY"]
    with ChatServer(lambda _: Answer(401, {"error": {"message": f"Incorrect API key: {key}"}})) as server:
        model = OpenAIModel("tiny", base_url=server.url)
        with pytest.raises(ModelError) as refused:
            model.reply(Request(({"role": "user", "content": "hi"},)))
    clean("error", "".join(traceback.format_exception(refused.value)))
    clean("log", caplog.text)
    assert "uthorization" not in caplog.text
    clean("model", [repr(model), vars(model), pickle.dumps(model)])


ENDPOINTS = ("model", "summarizer", "base_url", "endpoint", "api_base")


def test_a_run_folder_from_elsewhere_sends_no_key_anywhere(tmp_path: Path) -> None:
    with ChatServer([Answer(200, {})]) as server:
        Session("Go.", model=ScriptedModel(["Done."]), path=tmp_path / "run", window=16_000).close()
        events = tmp_path / "run/events.jsonl"
        start, *rest = map(json.loads, events.read_text().splitlines())
        model = {
            "shaper": "opencollab_nb.models.openai_chat:OpenAIModel",
            "fields": {"model": "m", "base_url": server.url},
        }
        asking = {
            "shaper": "opencollab_nb.summarizers:ModelSummarizer",
            "fields": {"model": {"part": model}, "max_tokens": 9},
        }
        start |= dict.fromkeys(ENDPOINTS, server.url)
        start["summarizer"] = asking
        start["chain"] = [
            {"shaper": "opencollab_nb.shaping:AutoCompactShaper", "fields": {"summarizer": {"part": asking}}}
        ]
        events.write_text("".join(json.dumps(e) + "\n" for e in (start, *rest)))
        session = Session.resume(tmp_path / "run")
        assert session.model is None
        assert session.summarizer is None
        with pytest.raises(Exception, match="model"):
            session.step()
        session.close()
        assert server.requests == []


@pytest.mark.parametrize("name", ["base_url", "api_base", "endpoint", "api_key", "model"])
def test_a_policy_from_elsewhere_names_no_endpoint(name: str) -> None:
    from opencollab_nb import Policy

    with pytest.raises(ValueError, match=name):
        Policy.from_text(f"policy: default\n{name}: http://127.0.0.1:1/v1\n")


@pytest.mark.parametrize("told", [str, lambda text: Summary(text, model="small", usage=Usage(9, 0, 2))])
def test_what_a_summarizer_says_holds_no_key_in_the_request_or_the_books(told: Any) -> None:
    everything = " ".join(KEYS.values())
    given = {"window": 8_000, "policy": "summarize", "summarizer": lambda _request: told(f"all {everything}")}
    session = Session("Go.", model=ScriptedModel(reads, usage="count"), **given)
    session.run(24)
    held = [m for m in session.request().shaped if m["meta"].get("source") == "summary"]
    assert held
    clean("summary", held)
    clean("rounds", [vars_of(one) for one in session.rounds()])
    clean("trace", session.trace.events)
    assert [event for event in session.trace.of("usage") if event["purpose"] == "summary"]
    session.close()


def reads(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    return {"content": "words " * 60, "tool_calls": [call("bash", {"command": "x" * 300}, f"c{number}")]}

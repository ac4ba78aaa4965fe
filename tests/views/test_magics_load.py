"""Loading, reloading, unloading; the two magics' help and usage errors, before there is any agent."""

from __future__ import annotations

import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session
from tests.views.cells import run


def state_of(shell: InteractiveShell) -> dict[str, object]:
    """All that loading may touch."""
    formatters = shell.display_formatter
    return {
        "line": dict(shell.magics_manager.magics["line"]),
        "cell": dict(shell.magics_manager.magics["cell"]),
        "registry": dict(shell.magics_manager.registry),
        "configurables": list(shell.configurables),
        "matchers": list(shell.Completer.custom_matchers),
        "transformers": list(shell.input_transformers_cleanup),
        "events": {name: list(found) for name, found in shell.events.callbacks.items()},
        "bundles": dict(formatters.mimebundle_formatter.type_printers),
        "pages": dict(formatters.formatters["text/html"].type_printers),
    }


def test_loading_is_silent(bare_shell: InteractiveShell) -> None:
    ran = run(bare_shell, "%load_ext opencollab_nb")
    assert (ran.out, ran.err, ran.value) == ("", "", None)
    assert "oc" in bare_shell.magics_manager.magics["line"]
    assert "agent" in bare_shell.magics_manager.magics["cell"]


def test_unloading_leaves_the_shell_as_it_was(bare_shell: InteractiveShell) -> None:
    before = state_of(bare_shell)
    run(bare_shell, "%load_ext opencollab_nb")
    assert state_of(bare_shell) != before
    ran = run(bare_shell, "%unload_ext opencollab_nb")
    assert (ran.out, ran.err) == ("", "")
    assert state_of(bare_shell) == before


def test_unloading_brings_back_what_others_had_registered(bare_shell: InteractiveShell) -> None:
    def theirs(line: str) -> str:
        return "theirs"

    def their_page(session: Session) -> str:
        return "their page"

    bare_shell.register_magic_function(theirs, "line", "oc")
    bare_shell.display_formatter.formatters["text/html"].for_type(Session, their_page)
    before = state_of(bare_shell)
    run(bare_shell, "%load_ext opencollab_nb")
    run(bare_shell, "%unload_ext opencollab_nb")
    assert state_of(bare_shell) == before
    assert run(bare_shell, "%oc").value == "theirs"


def test_loading_again_or_reloading_doubles_nothing(bare_shell: InteractiveShell) -> None:
    run(bare_shell, "%load_ext opencollab_nb")
    once = {name: len(found) for name, found in state_of(bare_shell).items()}
    run(bare_shell, "%load_ext opencollab_nb")
    run(bare_shell, "%reload_ext opencollab_nb")
    ran = run(bare_shell, "%reload_ext opencollab_nb")
    assert (ran.out, ran.err) == ("", "")
    assert {name: len(found) for name, found in state_of(bare_shell).items()} == once


def test_fault_08_nothing_is_patched_and_nothing_heavy_imported_by_loading() -> None:
    code = """
import asyncio, sys
from IPython.core.interactiveshell import InteractiveShell
before = asyncio.run, asyncio.BaseEventLoop.run_until_complete, asyncio.get_event_loop_policy
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "opencollab_nb")
assert before == (asyncio.run, asyncio.BaseEventLoop.run_until_complete, asyncio.get_event_loop_policy)
names = {"openai", "plotly", "pandas", "tiktoken", "ipywidgets", "anywidget", "nest_asyncio"}
heavy = names & set(sys.modules)
assert not heavy, heavy
print("quiet")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "quiet\n", done.stderr


def test_fault_05_plain_oc_is_answered_in_three_lines(shell: InteractiveShell) -> None:
    lines = repr(run(shell, "%oc").value).splitlines()
    assert len(lines) == 3
    assert "needs a verb" in lines[0]
    assert "For example" in lines[1]
    assert "%oc help" in lines[2]


@pytest.mark.parametrize("cell", ["%%agent", "%%agent\n", "%%agent\n  \n\n", "%%agent alice\n", "%agent"])
def test_fault_05_an_empty_task_is_answered_in_three_lines(shell: InteractiveShell, cell: str) -> None:
    lines = run(shell, cell).problem.splitlines()
    assert len(lines) == 3
    assert "needs a task" in lines[0]
    assert "%agent --task quickstart" in lines[1]
    assert "--help" in lines[2]


@pytest.mark.parametrize(
    "cell",
    ["%agent\nFix the failing tests, please.", "%agent alice\nFix it: now!\nAll of it.", "%agent Fix it"],
)
def test_fault_05_a_line_magic_with_a_task_below_it_is_told_of_two_percent_signs(
    shell: InteractiveShell, cell: str
) -> None:
    ran = run(shell, cell)
    assert "two % signs, %%agent" in ran.problem
    assert len(ran.problem.splitlines()) == 1


def test_python_below_a_line_magic_is_python(shell: InteractiveShell) -> None:
    ran = run(shell, "%agent --help\nx = 41 + 1\n%oc help")
    assert ran.error is None
    assert shell.user_ns["x"] == 42


@pytest.mark.parametrize("cell", ["%agent --help", "%agent -h", "%%agent --help", "%%agent -h\nsome text"])
def test_agent_has_help(shell: InteractiveShell, cell: str) -> None:
    ran = run(shell, cell)
    assert ran.error is None
    for flag in (
        "--model",
        "--base-url",
        "--window",
        "--policy",
        "--budget",
        "--max-steps",
        "--workspace",
        "--shell",
    ):
        assert flag in repr(ran.value)
    assert "quickstart" in repr(ran.value)


@pytest.mark.parametrize("cell", ["%oc --help", "%oc -h", "%oc help"])
def test_oc_has_help(shell: InteractiveShell, cell: str) -> None:
    assert "summarizer none|extractive|model [NAME]" in repr(run(shell, cell).value)


@pytest.mark.parametrize("cell", ["%oc run --help", "%oc run -h", "%oc help run", "%oc run 5 --help # now"])
def test_each_verb_has_help(shell: InteractiveShell, cell: str) -> None:
    assert "[--background]" in repr(run(shell, cell).value)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%oc stepp", "unknown verb 'stepp'; did you mean 'step'"),
        ("%oc help stepp", "did you mean 'step'"),
        ("%oc step", "no agent yet in this kernel: run its %%agent cell"),
        ("%oc @alice step", "no agent 'alice' in this kernel"),
        ("%oc @alice", "no agent 'alice' in this kernel"),
        ("%oc step three", "step takes a whole number from 1 up such as 5, not 'three'"),
        ("%oc step 1 2", "'2' is too much: %oc step [N]"),
        ("%oc run --backgruond", "did you mean '--background'"),
        ("%oc pause --now", "unknown flag '--now'"),
        ('%oc use "x', 'the quote " is not closed'),
        ("%oc use A(", "the bracket ( is not closed"),
        ("%oc resume", "%oc resume PATH"),
        ("%oc resume /no/such/folder", "/no/such/folder"),
        ("%%agent --widow 5\nx", "unknown flag '--widow'; did you mean '--window'"),
        ("%%agent --window\nx", "--window needs a value: --window TOKENS"),
        (
            "%%agent --window 16k\nx",
            "--window takes a whole number of tokens from 1_024 up such as 64_000, not '16k'",
        ),
        ("%%agent --max-steps 0\nx", "--max-steps takes a whole number from 1 up such as 5, not '0'"),
        ("%%agent --shell on\nx", "unknown shell mode 'on'"),
        ('%%agent "x\nx', 'the quote " is not closed'),
        ("%%agent a b\nx", "'b' is too much"),
        ("%%agent --model simulated\nx", "%agent --task quickstart"),
        ("%%agent --seed 3\nx", "--seed is a setting of the simulated agent: it needs --task"),
        ("%%agent --task quickstart\nx", "--task brings its own task"),
        ("%agent --task quikstart", "did you mean 'quickstart'"),
        ("%agent --task quickstart --policy sumarize", "did you mean 'summarize'"),
        ("%agent --task quickstart --profile hsty", "did you mean 'hasty'"),
    ],
)
def test_a_usage_error_is_one_line_that_says_what_to_change(
    shell: InteractiveShell, cell: str, said: str
) -> None:
    problem = run(shell, cell).problem
    assert said in problem
    assert len(problem.splitlines()) == 1


def test_fault_26_a_missing_key_is_two_lines_that_name_the_keyless_way(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    lines = run(shell, "%%agent\nFix the tests.").problem.splitlines()
    assert len(lines) == 2
    assert "OPENAI_API_KEY" in lines[0]
    assert "%agent --task quickstart" in lines[1]


def test_fault_26_a_key_is_never_shown(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    ran = run(shell, "%%agent --model gpt-5-mini --max-steps 1\nFix the tests.")
    assert "sk-very-secret" not in ran.out + ran.err + repr(ran.value) + repr(ran.shown)
    if ran.value is not None:
        ran.value.close()

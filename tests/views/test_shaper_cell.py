"""`%%shaper` in a notebook with an agent: laws, preview, in force or not, re-run, autoreload, resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session
from opencollab_nb.shaping import name_of
from opencollab_nb.views import names_of
from opencollab_nb.views.shaper_cell import ShaperCell
from tests.views.cells import Ran, run
from tests.views.lab_cells import good, wrong


@pytest.fixture
def agent(shell: InteractiveShell, tmp_path: Path) -> Any:
    """A shell in which the quickstart has made 16 steps."""
    from opencollab_nb import load_task

    session = load_task("quickstart").session(path=tmp_path / "run")
    session.run(16)
    shell.user_ns["session"] = session
    names_of(shell).put("quickstart", session)
    yield shell
    session.close()


def cell(ran: Ran) -> ShaperCell:
    assert ran.error is None, ran.err
    assert isinstance(ran.value, ShaperCell)
    return ran.value


def layers(shell: InteractiveShell) -> list[str]:
    return [name_of(s) for s in shell.user_ns["session"].chain.shapers]


def test_without_an_agent_it_is_previewed_on_a_recorded_run(shell: InteractiveShell) -> None:
    made = cell(run(shell, good()))
    assert made
    assert "all 9 laws hold" in repr(made)
    assert "a recorded run of quickstart" in repr(made)
    assert made.laws.examples > 100, "random ones and real ones"


def test_the_preview_shows_both_maps_tokens_and_the_prefix(agent: InteractiveShell) -> None:
    made = cell(run(agent, good()))
    trial = made.trial
    assert trial is not None
    assert trial.after.tokens < trial.before.tokens
    assert trial.prefix_kept_tokens > 0
    text, page = repr(made), made._repr_html_()
    assert text.count("|") == 4
    assert f"{trial.before.tokens:,} → {trial.after.tokens:,}" in text
    assert "prefix kept" in text
    assert page.count("display:flex") == 2
    assert "<script" not in page


def test_a_preview_leaves_run_and_trace_alone(agent: InteractiveShell) -> None:
    session = agent.user_ns["session"]
    before = session.trace.events[-1], session.chain, len(session.transcript)
    cell(run(agent, good()))
    assert (session.trace.events[-1], session.chain, len(session.transcript)) == before


def test_broken_laws_are_told_in_a_sentence_with_a_small_transcript(agent: InteractiveShell) -> None:
    made = cell(run(agent, wrong()))
    assert not made
    assert "Pinned messages come out word for word and in place" in repr(made)
    assert "gone" in repr(made)
    assert "Pinned messages come out word for word and in place" in made._repr_html_()
    assert len(made.laws.failures["pinned"].messages) <= 8


def test_use_puts_it_in_force_from_the_next_step_on(agent: InteractiveShell) -> None:
    made = cell(run(agent, good("--use")))
    assert "in force from the next step on: cut_old" in repr(made)
    assert layers(agent) == ["cut_old"]
    assert run(agent, "session.step()").error is None
    assert agent.user_ns["session"].trace.last("session.history_compaction")["layer"] == "cut_old"


def test_use_swaps_nothing_in_that_breaks_laws(agent: InteractiveShell) -> None:
    before = layers(agent)
    made = cell(run(agent, wrong("--use")))
    assert "not put in force, for it breaks" in repr(made)
    assert layers(agent) == before
    assert not agent.user_ns["session"].trace.of("swap")


def test_force_puts_it_in_force_and_the_trace_says_so(agent: InteractiveShell) -> None:
    made = cell(run(agent, wrong("--use --force")))
    assert layers(agent) == ["last_only"]
    assert "by --force" in repr(made)
    notice = agent.user_ns["session"].trace.last("notice")
    assert "last_only is in force by --force, though it breaks: " in notice["text"]
    assert "pinned" in notice["text"]


def test_force_needs_use_and_use_needs_an_agent(shell: InteractiveShell) -> None:
    assert "goes with --use" in run(shell, good("--force")).problem
    assert "no agent to use cut_old in" in run(shell, good("--use")).problem


def test_re_running_replaces_it_and_use_replaces_it_in_the_chain(agent: InteractiveShell) -> None:
    cell(run(agent, good()))
    assert run(agent, "%oc use ToolResultBudgetShaper cut_old").error is None
    assert layers(agent) == ["ToolResultBudgetShaper", "cut_old"]
    made = cell(run(agent, good(chars=50)))
    assert "the run still has the version before" in repr(made)
    assert agent.user_ns["cut_old"]().chars == 50
    assert agent.user_ns["session"].chain.shapers[1].chars == 100
    cell(run(agent, good("--use", chars=50)))
    assert layers(agent) == ["ToolResultBudgetShaper", "cut_old"]
    assert agent.user_ns["session"].chain.shapers[1].chars == 50


def test_re_running_replaces_it_under_autoreload(agent: InteractiveShell) -> None:
    run(agent, "%load_ext autoreload\n%autoreload 2")
    try:
        for chars in (90, 60, 30):
            cell(run(agent, good("--use", chars=chars)))
            assert agent.user_ns["session"].chain.shapers[0].chars == chars
            assert run(agent, "session.step()").error is None
    finally:
        run(agent, "%autoreload 0")


def test_a_body_that_fails_leaves_the_former_one(agent: InteractiveShell) -> None:
    cell(run(agent, good()))
    former = agent.user_ns["cut_old"]
    assert isinstance(run(agent, "%%shaper cut_old\n1 / 0").error, ZeroDivisionError)
    assert agent.user_ns["cut_old"] is former


def test_it_is_previewed_on_a_run_folder_without_touching_it(agent: InteractiveShell) -> None:
    session: Session = agent.user_ns["session"]
    made = cell(run(agent, good(f"--on {session.path}")))
    assert "on the run in run" in repr(made)
    assert not session.closed
    assert run(agent, "session.step()").error is None


def test_it_is_previewed_on_a_file_of_messages(shell: InteractiveShell, tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Fix it."}]
    for n in range(9):
        c = {"id": f"c{n}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        talk += [{"role": "assistant", "content": None, "tool_calls": [c]}]
        talk += [{"role": "tool", "tool_call_id": f"c{n}", "content": "word " * 200}]
    path = tmp_path / "two words.jsonl"
    path.write_text("\n".join(map(json.dumps, talk)))
    made = cell(run(shell, good(f'--on "{path}"')))
    assert made.trial is not None
    assert made.trial.after.counts["capped"] == 6
    assert "as if the trigger were" in repr(made)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("def wide(messages): return messages", "which it does not take"),
        ("wide = 3", "is a int and no shaper"),
        ("class wide: pass", "has no shape(self, messages, pressure)"),
        ("async def wide(messages, pressure): return messages", "plain functions"),
        ("class wide:\n    acts = 'often'\n    def shape(self, m, p): return m", "often"),
        (
            "from dataclasses import dataclass\n@dataclass\nclass wide:\n    keep: int\n"
            "    def shape(self, m, p): return m",
            "wide needs keep",
        ),
    ],
)
def test_what_cannot_be_a_shaper_is_told_so(shell: InteractiveShell, body: str, told: str) -> None:
    assert told in run(shell, f"%%shaper wide\n{body}").problem


def test_a_shaper_that_raises_is_told_with_its_line(shell: InteractiveShell) -> None:
    made = cell(run(shell, "%%shaper bad\ndef bad(messages, pressure):\n    none = []\n    return none[0]"))
    assert "raised IndexError" in repr(made)
    assert "line 3 of bad: return none[0]" in repr(made)


def test_hostile_text_is_shown_and_not_obeyed(shell: InteractiveShell, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    evil = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
    path.write_text(json.dumps({"role": "user", "content": evil}) + "\n")
    made = cell(run(shell, wrong(f"--on {path}")))
    assert "<img" not in made._repr_html_()
    assert "\x1b" not in repr(made)


def test_a_resumed_run_goes_on_with_the_shaper_of_a_cell_that_is_there(agent: InteractiveShell) -> None:
    cell(run(agent, good()))
    run(agent, "%oc use ToolResultBudgetShaper cut_old(chars=70)")
    session = agent.user_ns["session"]
    session.step()
    session.close()
    run(agent, f"again = %oc resume {session.path} --task quickstart")
    resumed = agent.user_ns["again"]
    assert resumed.chain.shapers[1] == agent.user_ns["cut_old"](chars=70)
    assert run(agent, "%oc step").error is None
    assert resumed.steps == session.steps + 1
    resumed.close()


def test_a_resumed_run_names_the_shaper_of_a_cell_and_waits_for_another(agent: InteractiveShell) -> None:
    cell(run(agent, good("--use")))
    session = agent.user_ns["session"]
    session.step()
    session.close()
    names_of(agent).written.clear()
    again = run(agent, f"again = %oc resume {session.path} --task quickstart")
    assert again.error is None, again.err
    resumed = agent.user_ns["again"]
    problem = run(agent, "%oc step").problem
    assert "cut_old" in problem
    assert run(agent, good("--use")).error is None
    assert run(agent, "%oc step").error is None
    assert resumed.steps == session.steps + 1
    resumed.close()


def test_a_cell_can_be_run_while_the_agent_is_at_work(agent: InteractiveShell) -> None:
    session = agent.user_ns["session"]
    session.model.pace_seconds = 0.2
    background = session.start(6)
    cell(run(agent, good()))
    made = cell(run(agent, good("--use")))
    assert "in force from the next step on" in repr(made)
    background.wait()
    assert layers(agent) == ["cut_old"]
    assert session.state == "paused"
    assert len(session.trace.of("swap")) == 1


def test_between_several_sessions_one_must_be_named(agent: InteractiveShell) -> None:
    names_of(agent).drop("quickstart")
    other = agent.user_ns["other"] = agent.user_ns["session"].fork()
    assert "%oc @session, %oc @other" in run(agent, good("--use")).problem
    cell(run(agent, good("@other --use")))
    assert [name_of(s) for s in other.chain.shapers] == ["cut_old"]
    assert "cut_old" not in layers(agent)
    other.close()


def test_a_shaper_that_changes_nothing_keeps_the_whole_prefix(agent: InteractiveShell) -> None:
    agent.user_ns["session"].use("no_history_compaction")
    made = cell(run(agent, "%%shaper same\ndef same(messages, pressure):\n    return messages"))
    assert "(100% of the request before)" in repr(made)

"""`%oc anchor, todos, audit, bill, handoff, memory, purge, delete`, and `%agent --quotas, --memory`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.budget import ContextBudget, MemoryStore
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views import names_of
from opencollab_nb.views.moves_verbs import MOVES_VERBS
from tests.views.budgets import budgeted
from tests.views.cells import run

MARKED = "<b>no</b> new tables"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    store = MemoryStore(tmp_path / "memory.db")
    made = budgeted(tmp_path, memory=store)
    yield made
    made.close()
    store.close()


@pytest.fixture
def agent(shell: InteractiveShell, session: Session) -> InteractiveShell:
    names_of(shell).put("mine", session)
    return shell


def value(ran: Any) -> Any:
    assert ran.error is None, ran.err
    return ran.value


def test_an_anchor_is_a_literal_on_the_line_or_the_lines_below(
    agent: InteractiveShell, session: Session
) -> None:
    value(run(agent, f'%oc anchor constraints "{MARKED}"'))
    value(run(agent, "%%oc anchor constraints\n  Two lines, \n>>> byte for byte"))
    value(run(agent, r"%oc anchor constraint 'a\nb'"))
    assert session.anchors.texts("constraints")[1:] == (MARKED, "  Two lines, \n>>> byte for byte", "a\nb")
    table = value(run(agent, "%oc anchor"))
    assert MARKED in repr(table)
    assert "<b>" not in table._repr_html_()
    assert "replaced" in repr(table), "the goal of the task gave way to one registered later"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("anchor gaol 'x'", "did you mean 'goal'"),
        ("anchor constraints", "in quotes"),
        ("anchor constraints No new tables", "in quotes"),
        ("anchor constraints x", "no text in quotes"),
        ("anchor goal ''", "needs a text"),
        ("anchor goal 'x' --onw", "did you mean '--own'"),
        ("todos t9 done", "unknown todo 't9'"),
        ("todos t1 doen", "did you mean 'done'"),
        ("todos read", "texts go in quotes"),
        ("todos {'id': }", "is no todo"),
        ("todos {'id': 't1', 'stauts': 'done'}", "not known: stauts"),
        ("memory recal x", "did you mean 'recall'"),
        ("memory recall", "recall what?"),
        ("memory forget", "forget what?"),
        ("memory list --older-than 3d", "goes with forget"),
        ("memory forget --older-than 3x", "an age such as 30d"),
        ("handoff --last", "no handoff was written yet"),
        ("handoff now", "is too much"),
        ("audit 99", "no request was sent"),
        ("audit x", "a whole number"),
        ("purge", "purge what?"),
        ("purge --older-than", "needs a value"),
        ("delete everything", "is too much"),
        ("checklst", "did you mean 'checklist'"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    agent: InteractiveShell, session: Session, line: str, says: str
) -> None:
    before = len(session.trace.events)
    assert says in run(agent, f"%oc {line}").problem
    assert len(session.trace.events) == before


def test_a_word_of_one_s_own_is_asked_for(agent: InteractiveShell, session: Session) -> None:
    value(run(agent, "%oc anchor pitfalls 'Port 80 is taken.' --own"))
    value(run(agent, "%oc anchor pitfalls 'And 81.'"))
    assert session.anchors.texts("pitfalls") == ("Port 80 is taken.", "And 81.")


def test_todos_are_added_and_changed_on_one_line(agent: InteractiveShell, session: Session) -> None:
    value(run(agent, "%oc todos t1 in-progress 'ask <b>Ann</b>' {'id': 't2', 'status': 'dropped'}"))
    assert [t.status for t in session.todos] == ["in_progress", "dropped", "open"]
    table = value(run(agent, "%%oc todos\none\n\ntwo"))
    assert [t.text for t in session.todos][-2:] == ["one", "two"]
    assert table.table().title == "4 open, 0 done"
    assert "<b>" not in table._repr_html_()


def test_all_changes_of_a_line_or_none(agent: InteractiveShell, session: Session) -> None:
    assert "unknown todo" in run(agent, "%oc todos 'new' t77 done").problem
    assert len(session.todos) == 2


def test_audit_is_verified_and_replays(agent: InteractiveShell, session: Session) -> None:
    session.run(4)
    view = value(run(agent, "%oc audit"))
    assert view.verified
    assert {"offload", "compaction", "restatement", "anchor"} <= set(view.frame["what"])
    assert "<img" not in view._repr_html_()
    sent = value(run(agent, "%oc audit 4"))
    assert [m["role"] for m in sent.messages] == [m["role"] for m in session.request(4).messages]
    assert "<img" not in sent._repr_html_()


def test_bill_is_that_of_the_session(agent: InteractiveShell, session: Session) -> None:
    session.run(4)
    bill = value(run(agent, "%oc bill"))
    assert repr(bill) == repr(session.bill())
    assert "%oc bill --prices gpt-5" in repr(bill)
    priced = value(run(agent, "%oc bill --prices gpt-5"))
    assert repr(priced) == repr(session.bill("gpt-5"))
    assert "prices (genai-prices, openai/gpt-5)" in repr(priced)
    assert "<img" not in bill._repr_html_()


def test_checklist_is_that_of_the_session(agent: InteractiveShell, session: Session) -> None:
    session.run(4)
    found = value(run(agent, "%oc checklist"))
    assert repr(found) == repr(session.checklist())
    assert "<img" not in found._repr_html_()


def test_handoff_is_written_shown_and_shown_again(agent: InteractiveShell, session: Session) -> None:
    session.run(2)
    view = value(run(agent, "%oc handoff"))
    assert repr(view).startswith("[Handoff")
    assert Path(view.path).is_file()
    assert "<img" not in view._repr_html_()
    assert "\x1b" not in repr(view)
    many = len(session.trace.of("handoff"))
    assert value(run(agent, "%oc handoff --last")).handoff == view.handoff
    assert len(session.trace.of("handoff")) == many


def test_memory_is_listed_recalled_and_forgotten(agent: InteractiveShell, session: Session) -> None:
    store = session.memory
    for text in ("The schema <b>stays</b>; migrations broke billing.", "Port 80 is taken by nginx."):
        assert store.remember(text, kind="decision", source="run 1", by="user")
    table = value(run(agent, "%oc memory"))
    assert len(table.memories) == 2
    assert "<b>stays" not in table._repr_html_()
    assert [m.id for m in value(run(agent, "%oc memory recall schema")).memories] == [1]
    assert repr(value(run(agent, "%oc memory forget m1"))) == "forgotten for good: m1"
    assert repr(value(run(agent, "%oc memory forget giraffe"))) == "nothing was found to forget"
    assert repr(value(run(agent, "%oc memory forget port nginx"))) == "forgotten for good: m2"
    store.remember("The schema stays.", kind="decision", source="run 1", by="user")
    assert repr(value(run(agent, "%oc memory forget --older-than 0m"))) == "forgotten for good: m3"


def test_an_agent_without_memory_says_how_to_have_one(shell: InteractiveShell) -> None:
    plain = Session("Say hello.", model=ScriptedModel(["Hello."]))
    names_of(shell).put("plain", plain)
    assert "%agent --memory" in run(shell, "%oc memory").problem
    plain.close()


def test_delete_leaves_nothing_and_the_name_is_free(agent: InteractiveShell, session: Session) -> None:
    session.run(4)
    session.close()
    table = value(run(agent, "%oc delete"))
    assert session.path in table.paths
    assert not session.path.exists()
    assert "no agent" in run(agent, "%oc step").problem


def test_purge_deletes_what_is_old_and_says_what(
    shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path))
    old, new = (Session("Say hello.", model=ScriptedModel(["Hello."])) for _ in range(2))
    for session in (old, new):
        session.run()
        session.close()
    month = time.time() - 31 * 86_400
    for file in old.path.iterdir():
        os.utime(file, (month, month))
    dry = value(run(shell, "%oc purge --older-than 30d --dry"))
    assert "would be deleted" in repr(dry)
    assert old.path.exists()
    table = value(run(shell, "%oc purge --older-than 30d"))
    assert table.purged.runs == (old.path,)
    assert "1 run deleted" in table._repr_html_()
    assert (old.path.exists(), new.path.exists()) == (False, True)


@pytest.mark.parametrize("verb", [verb.name for verb in MOVES_VERBS])
def test_each_verb_has_help_that_names_the_call_in_python(shell: InteractiveShell, verb: str) -> None:
    shown = repr(value(run(shell, f"%oc {verb} --help")))
    assert shown.startswith(f"%oc [@NAME] {verb}")
    assert "In Python: " in shown


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%oc anc", ["anchor"]),
        ("%oc anchor con", ["constraints"]),
        ("%oc todos t", ["t1", "t2"]),
        ("%oc todos t1 in", ["in_progress"]),
        ("%oc memory re", ["recall"]),
        ("%oc memory forget --o", ["--older-than"]),
        ("%oc purge --d", ["--dry"]),
        ("%oc handoff --l", ["--last"]),
        ("%agent --quotas log", ["log_heavy"]),
        ("%%agent --mem", ["--memory"]),
        ("%%agent --moves res", ["restate"]),
    ],
)
def test_what_fits_is_offered(agent: InteractiveShell, line: str, expected: list[str]) -> None:
    assert agent.complete(line, line, len(line))[1] == expected


def test_an_agent_is_given_a_context_budget_and_a_memory(shell: InteractiveShell, tmp_path: Path) -> None:
    shell.user_ns["fake"] = ScriptedModel(["Done."])
    flags = "--window 16_000 --quotas log_heavy --restate-every 4 --moves offload,restate"
    made = value(run(shell, f"%%agent mine --model fake {flags} --memory {tmp_path / 'm.db'}\nSay hello."))
    settings = made.budget.settings
    assert (settings.total_budget, settings.restate_every, settings.moves) == (
        16_000,
        4,
        {"offload", "restate"},
    )
    assert settings.quotas.tool_result == 0.60
    assert made.memory.path == str(tmp_path / "m.db")
    assert made.budget_tokens is None


def test_settings_of_the_magics_are_defaults_of_the_flags(shell: InteractiveShell, tmp_path: Path) -> None:
    shell.user_ns["fake"] = ScriptedModel(["Done."])
    for setting, text in (("quotas", "code_heavy"), ("memory", f"{tmp_path}/m.db")):
        run(shell, f"%config OpenCollabMagics.{setting} = {text!r}")
    made = value(run(shell, "%%agent mine --model fake\nSay hello."))
    assert made.budget.settings.quotas.history == 0.50
    assert made.memory.path == f"{tmp_path}/m.db"


def test_budget_stays_the_tokens_that_may_be_spent(shell: InteractiveShell) -> None:
    shell.user_ns["fake"] = ScriptedModel(["Done."])
    made = value(run(shell, "%%agent mine --model fake --budget 9_000\nSay hello."))
    assert (made.budget_tokens, made.budget) == (9_000, None)


def test_a_budget_and_a_store_of_the_notebook_are_given_by_name(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    own, store = ContextBudget(20_000), MemoryStore(tmp_path / "m.db")
    own.register("constraints", "No new tables.")
    shell.user_ns.update(fake=ScriptedModel(["Done."]), own=own, store=store)
    made = value(run(shell, "%%agent mine --model fake --quotas own --memory store\nSay hello."))
    assert made.budget.to_dict() == own.to_dict()
    assert made.anchors.texts("constraints") == ("No new tables.",)
    assert made.memory is store
    made.close()
    store.close()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ("--quotas log_hevy", "did you mean 'log_heavy'"),
        ("--moves offlod", "did you mean 'offload'"),
        ("--quotas own --restate-every 3", "is set in own already"),
        ("--restate-every 0", "a whole number from 1 up"),
        ("--quota default", "did you mean '--quotas'"),
    ],
)
def test_flags_that_cannot_be_are_said(shell: InteractiveShell, flags: str, says: str) -> None:
    shell.user_ns.update(fake=ScriptedModel(["Done."]), own=ContextBudget(20_000))
    assert says in run(shell, f"%%agent mine --model fake {flags}\nSay hello.").problem


def test_a_shipped_task_takes_them_too(shell: InteractiveShell) -> None:
    made = value(run(shell, "%agent --task orders --quotas default"))
    assert made.budget.settings.total_budget == made.pressure.window
    assert len(made.todos) == 9
    made.close()

"""What the magics say: refused layers, names, the cell magic `%%oc say`, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.views.results import ShaperTable, Standing
from opencollab_nb.views.verbs import all_help
from tests.build import assistant, call
from tests.views.cells import run


def last_only(messages: list, pressure: object) -> list:
    return messages[-1:]


last_only.acts = "always"


@pytest.fixture
def alice(shell: InteractiveShell) -> Iterator[Session]:
    """An agent that looks twice, says that it is done, and so again."""
    calls = [assistant("look", call("file_read", {"path": "a.txt"}, f"c{i}")) for i in range(2)]
    shell.user_ns["fake"] = ScriptedModel([*calls, assistant("Done."), assistant("Done again.")])
    session = run(shell, "%%agent alice --model fake --max-steps 20\nRead the file.").value
    yield session
    session.close()


def test_a_refused_layer_is_shown_with_the_law_and_not_as_acting(
    shell: InteractiveShell, alice: Session
) -> None:
    shell.user_ns["last_only"] = last_only
    run(shell, "%oc use last_only")
    ran = repr(run(shell, "%oc run 2").value)
    assert "last_only refused 2×: " in ran
    table = ShaperTable.of(alice)
    [row] = table.rows
    assert row[0] == "last_only"
    assert row[2:] == (0, 0)
    assert "refused 2×: " in repr(table)
    assert "refused 2×: " in table._repr_html_()
    alice.use("default")
    assert "refused" not in repr(run(shell, "%oc run 1").value), "it was not refused again"
    assert "refused" not in repr(Standing.of(alice))


def test_a_named_agent_has_its_name_in_the_notebook(shell: InteractiveShell, alice: Session) -> None:
    assert shell.user_ns["alice"] is alice
    again = run(shell, "%%agent alice --model fake\nRead.").value
    assert shell.user_ns["alice"] is again
    again.close()


@pytest.mark.parametrize("name", ["fake", "list"])
def test_what_is_no_session_keeps_its_name(shell: InteractiveShell, alice: Session, name: str) -> None:
    ran = run(shell, f"%%agent {name} --model fake\nRead.")
    assert f"%oc @{name}" in ran.out
    assert shell.user_ns.get(name) is not ran.value
    ran.value.close()


def test_a_step_that_does_not_exist_has_no_row(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc run;")
    assert alice.state == "done"
    said = repr(run(shell, "%oc step").value)
    assert said.startswith("alice: done after step 3")
    assert "%%oc say" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("words", ["Look again.", "{x} $x\n>>> f(1)\n  in\n\n", "say;"])
def test_say_passes_the_words_on_byte_for_byte(shell: InteractiveShell, alice: Session, words: str) -> None:
    run(shell, "%oc run;")
    ran = run(shell, f"%%oc say\n{words}")
    assert ran.error is None, ran.err
    assert run(shell, "%oc step").error is None
    assert words in [text_of(message) for message in alice.transcript.messages]
    assert alice.steps == 4


def test_say_without_words_and_other_verbs_with_a_body_are_told(
    shell: InteractiveShell, alice: Session
) -> None:
    assert "%%oc say" in run(shell, "%oc say").problem
    assert "%%oc say" in run(shell, "%%oc say").problem
    assert "%oc step" in run(shell, "%%oc step\nwords").problem
    assert alice.steps == 0


def test_without_a_model_resume_names_both_ways(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc step;")
    alice.close()
    again = run(shell, f"%oc resume '{alice.path}'").value
    problem = run(shell, "%oc step").problem
    assert f"%oc resume '{alice.path}' --task NAME" in problem
    assert "--model" in problem
    again.close()


def test_the_simulated_agent_writes_no_summaries_and_names_who_does(shell: InteractiveShell) -> None:
    session = run(shell, "%agent --task quickstart").value
    assert "%oc summarizer extractive" in run(shell, "%oc summarizer model").problem
    session.close()


def test_help_is_a_table_that_breaks_no_word() -> None:
    page = all_help()._repr_html_()
    assert "<table>" in page
    assert "<pre>" not in page
    assert "word-break:normal" in page

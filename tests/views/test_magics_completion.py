"""Completion in a real shell, from the same tables as help and errors."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.views.verbs import VERBS
from tests.views.cells import run


def offered(shell: InteractiveShell, line: str) -> list[str]:
    return shell.complete(line, line, len(line))[1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%oc tran", ["transcript"]),
        ("r = %oc tran", ["transcript"]),
        ("%oc @nobody tran", ["transcript"]),
        ("%oc use summ", ["summarize"]),
        ("%oc use ToolOut", ["ToolOutputClearShaper"]),
        ("%oc use summarize OldH", ["OldHistorySnipShaper"]),
        ("%oc summarizer ex", ["extractive"]),
        ("%oc mode s", ["sticky", "stateless"]),
        ("%oc run --b", ["--background"]),
        ("%oc help pres", ["pressure"]),
        ("%%agent --win", ["--window"]),
        ("%agent --task qui", ["quickstart"]),
        ("%agent --task quickstart --pro", ["--profile"]),
        ("%agent --profile ha", ["hasty"]),
        ("%%agent alice --shell a", ["ask", "allow"]),
        ("%%agent --policy no", ["no_history_compaction"]),
    ],
)
def test_what_fits_is_offered(shell: InteractiveShell, line: str, expected: list[str]) -> None:
    assert sorted(offered(shell, line)) == sorted(expected)


def test_all_verbs_are_offered_after_the_magic(shell: InteractiveShell) -> None:
    assert {verb.name for verb in VERBS} <= set(offered(shell, "%oc "))


def test_names_of_agents_and_chains_of_the_notebook_are_offered(shell: InteractiveShell) -> None:
    shell.user_ns["fake"] = ScriptedModel(["Done."])
    for name in ("alice", "'two words'"):
        assert run(shell, f"%%agent {name} --model fake\ntask").error is None
    assert offered(shell, "%oc @a") == ["@alice"]
    assert sorted(offered(shell, "%oc @")) == ['@"two words"', "@alice"]
    run(shell, "from opencollab_nb import OldHistorySnipShaper\nmy_chain = OldHistorySnipShaper()")
    assert offered(shell, "%oc use my_c") == ["my_chain"]


def test_other_lines_are_left_alone(shell: InteractiveShell) -> None:
    assert offered(shell, "%ocx tran") == []
    assert "transcript" not in offered(shell, "tran")


def test_unloaded_nothing_is_offered(shell: InteractiveShell) -> None:
    run(shell, "%unload_ext opencollab_nb")
    assert offered(shell, "%oc tran") == []

"""`%%shaper` and `%%summarizer`: Python of the notebook under a name."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.shaping import check_shaper
from tests.views.cells import run

GOOD = """%%shaper keep_all
def keep_all(messages, pressure):
    return messages
"""
WRONG = """%%shaper last_only
def last_only(messages, pressure):
    return messages[-1:]
"""


def test_a_shaper_is_defined_and_tried_on_the_laws(shell: InteractiveShell) -> None:
    assert run(shell, GOOD).value
    assert callable(shell.user_ns["keep_all"])
    report = run(shell, WRONG).value
    assert not report
    assert "sendable" in repr(report) or "paired" in repr(report) or "pinned" in repr(report)


def test_a_summarizer_is_defined(shell: InteractiveShell) -> None:
    ran = run(shell, "%%summarizer short\ndef short(request):\n    return 'short'")
    assert "%oc summarizer short" in repr(ran.value)
    assert shell.user_ns["short"](None) == "short"


@pytest.mark.parametrize(
    "cell", ["%%shaper", "%%shaper x", "%%shaper\nx = 1", "%%shaper x y\nx = 1", "%%summarizer"]
)
def test_what_is_missing_is_said_in_three_lines(shell: InteractiveShell, cell: str) -> None:
    assert len(run(shell, cell).problem.splitlines()) == 3
    assert run(shell, f"{cell.splitlines()[0]} --help").error is None


def test_a_body_that_does_not_define_the_name_is_told_so(shell: InteractiveShell) -> None:
    problem = run(shell, "%%shaper short\ny = 1").problem
    assert "does not define 'short': def short(messages, pressure)" in problem


def test_a_fault_in_the_body_keeps_its_traceback(shell: InteractiveShell) -> None:
    assert isinstance(run(shell, "%%shaper short\n1 / 0").error, ZeroDivisionError)


def test_the_example_of_the_help_keeps_all_laws(shell: InteractiveShell) -> None:
    example = run(shell, "%%shaper --help").value.code
    report = run(shell, example).value
    assert report, report
    assert check_shaper(shell.user_ns["short"])
    summary = run(shell, run(shell, "%%summarizer --help").value.code)
    assert summary.value, summary.err

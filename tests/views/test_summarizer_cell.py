"""`%%summarizer`: asked once, its summary compared with what it stands for, in force or not."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.views.summarizer_cell import SummarizerCell
from tests.views.cells import Ran, run
from tests.views.lab_cells import short


@pytest.fixture
def agent(shell: InteractiveShell) -> Any:
    """A shell in which the quickstart has made 16 steps."""
    assert run(shell, "session = %agent --task quickstart").error is None
    shell.user_ns["session"].run(16)
    yield shell
    shell.user_ns["session"].close()


def cell(ran: Ran) -> SummarizerCell:
    assert ran.error is None, ran.err
    assert isinstance(ran.value, SummarizerCell)
    return ran.value


def test_what_the_summary_keeps_and_makes_up_is_shown(agent: InteractiveShell) -> None:
    made = cell(run(agent, short()))
    assert made
    assert made.survival is not None
    assert "parcelkit/rates.py" in made.survival.of("paths").kept
    assert made.survival.new_paths == ("src/invented.py",)
    assert made.survival.new_numbers == ("987654",)
    for text in (repr(made), made._repr_html_()):
        assert "paths that the segment never had: src/invented.py" in text
        assert "numbers that the segment never had: 987654" in text
        assert "of the segment" in text.lower()


def test_without_an_agent_it_is_tried_on_a_recorded_run(shell: InteractiveShell) -> None:
    assert "a recorded run of quickstart" in repr(cell(run(shell, short())))


def test_use_lets_it_write_the_summaries(agent: InteractiveShell) -> None:
    assert run(agent, "%oc use ToolOutputClearShaper").error is None
    made = cell(run(agent, short("--use")))
    assert "no shaper of this chain writes summaries" in repr(made)
    run(agent, "%oc use summarize")
    assert agent.user_ns["session"].summarizer is agent.user_ns["short"]
    assert agent.user_ns["session"].run(20) == "paused", agent.user_ns["session"].detail
    assert "src/invented.py" in repr(run(agent, "%oc rounds").value)


@pytest.mark.parametrize("body", ["return ''", "return 'word ' * 90_000", "return 7"])
def test_an_answer_that_cannot_be_used_is_not_put_in_force(agent: InteractiveShell, body: str) -> None:
    made = cell(run(agent, f"%%summarizer bad --use\ndef bad(request):\n    {body}"))
    assert not made
    assert made.problem
    assert agent.user_ns["session"].summarizer is None
    forced = cell(run(agent, f"%%summarizer bad --use --force\ndef bad(request):\n    {body}"))
    assert agent.user_ns["session"].summarizer is agent.user_ns["bad"]
    assert "the trace says so" in repr(forced)
    assert "bad is in force by --force" in agent.user_ns["session"].trace.last("notice")["text"]


def test_a_class_with_summarize_will_do(shell: InteractiveShell) -> None:
    body = "class Quotes:\n    def summarize(self, request):\n        return 'It is a.py.'"
    made = cell(run(shell, f"%%summarizer Quotes\n{body}"))
    assert made.summary is not None
    assert made.summary.text == "It is a.py."


def test_one_that_raises_is_told_with_its_line(shell: InteractiveShell) -> None:
    made = cell(run(shell, "%%summarizer bad\ndef bad(request):\n    raise KeyError('x')"))
    assert not made
    assert "KeyError: 'x' (line 2 of bad: raise KeyError('x'))" in repr(made)
    assert "is ready" not in repr(made)

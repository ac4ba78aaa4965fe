"""What-ifs and curves on a transcript that was loaded: nothing runs; the numbers are those of `compare`."""

from __future__ import annotations

import pytest

from opencollab_nb.compare import compare, pressure_curve, what_if
from opencollab_nb.errors import UsageProblem
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import Messages
from opencollab_nb.shaping import ToolOutputClearShaper
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript
from tests.build import numbered, task, tool_step

WINDOW = 4_096


def loaded(steps: int = 20, *, compacted: bool = False) -> Transcript:
    """A file of so many steps, its first half put into a summary by the agent that wrote it."""
    messages = numbered([task(), *(m for n in range(steps) for m in tool_step(n, f"line {n} " * 120))])
    sent = tuple(Sent(1 + 2 * n, 1 + 2 * n, Usage(900 + 150 * n, 0, 20)) for n in range(steps))
    summary = Compacted(1 + steps, [[1, steps]], "[all that was done]")
    return Transcript.of(messages, origin=Origin("pi", "a.jsonl", "a", sent, (summary,) * compacted))


def ids(messages: Messages) -> list[object]:
    return [message.get("meta", {}).get("id") for message in messages]


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_every_point_and_every_what_if_from_the_first_call_is_a_row_of_compare(mode: str) -> None:
    transcript, chain = loaded(), [ToolOutputClearShaper(keep_recent=2)]
    rows = compare(transcript, [chain], window=WINDOW, mode=mode)
    points = pressure_curve(transcript, *chain, mode=mode, window=WINDOW)
    assert [point.tokens for point in points] == list(rows["tokens"])
    assert [point.prefix_kept_tokens for point in points] == list(rows["prefix_kept_tokens"])
    assert any(point.layers for point in points)
    for step in (1, 9, 20):
        found = what_if(transcript, *chain, step=step, mode=mode, window=WINDOW, afresh=False)
        assert found.tokens_after == rows["tokens"][step - 1]
        assert found.step == step


def test_before_is_what_the_original_agent_sent() -> None:
    transcript = loaded(compacted=True)
    found = what_if(transcript, "no_history_compaction", step=18)
    assert found.before == view_sent(transcript, 18)
    assert found.before[1]["content"] == "[all that was done]"
    assert found.back == [[1, 20]]
    assert ids(found.after) == list(range(35))


def test_without_a_step_it_is_the_request_that_would_come_next() -> None:
    transcript = loaded(compacted=True)
    found = what_if(transcript, "no_history_compaction")
    assert found.step is None
    assert found.stored == len(found.after) == 41
    assert ids(found.before) == [0, None, *range(21, 41)]


def test_a_small_window_makes_the_chain_act_and_a_large_one_does_not() -> None:
    transcript = loaded()
    assert what_if(transcript, "default", window=2_048).lost
    assert not what_if(transcript, "default", window=1_000_000).lost


def test_a_step_that_there_is_not_is_named_with_those_that_there_are() -> None:
    for step in (0, 21, True, "3"):
        with pytest.raises(UsageProblem, match="its model calls are 1 to 20"):
            what_if(loaded(), "default", step=step)  # type: ignore[arg-type]
    with pytest.raises(UsageProblem, match="give the chain to try"):
        what_if(loaded(), step=3)
    with pytest.raises(UsageProblem, match="for a transcript that was loaded"):
        what_if(loaded().messages, "default", afresh=False)

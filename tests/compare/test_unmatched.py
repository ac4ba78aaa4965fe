from __future__ import annotations

from opencollab_nb.compare import compare
from opencollab_nb.compare.sweeping import sweep
from opencollab_nb.messages import Messages
from opencollab_nb.shaping import ToolOutputClearShaper
from tests.build import assistant, call, result, user


def run_with(tool: str) -> Messages:
    messages = [user("Find it.")]
    for n in range(20):
        messages += [
            assistant("", call(tool, {"command": f"cat {n}"}, f"c{n}")),
            result("much text. " * 150, f"c{n}"),
        ]
    return [*messages, assistant("There.")]


def problems(tool: str, shaper: ToolOutputClearShaper) -> list[str]:
    frame = compare(run_with(tool), [shaper], window=8_000, mode="sticky")
    return [text for text in frame["problem"] if isinstance(text, str)]


def test_a_layer_that_knows_no_tool_of_a_transcript_says_which_names_to_give() -> None:
    [told] = problems("shell", ToolOutputClearShaper())
    assert told.endswith("give compactable_tools=frozenset({'shell'})")


def test_one_that_knows_a_tool_says_nothing_and_acts() -> None:
    assert not problems("bash", ToolOutputClearShaper())
    assert not problems("shell", ToolOutputClearShaper(compactable_tools=frozenset({"shell"})))


def test_a_sweep_says_it_too() -> None:
    frame = sweep(run_with("shell"), ["default"], workers=0, progress=False)
    assert "compactable_tools" in frame["problem"].iloc[0]

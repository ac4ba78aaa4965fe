"""Cap: one tool result may not fill the request."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import text_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ToolResultBudgetShaper
from opencollab_nb.shaping.cut import text_chars
from tests.build import assistant, call, numbered, result, task
from tests.shaping.strategies import IMAGE, contents

WIDE = Pressure.of(200_000)
PARTS = [{"type": "text", "text": "a" * 700}, IMAGE, {"type": "text", "text": "b" * 700}]


@given(content=contents, max_chars=st.integers(1, 9_000))
@settings(max_examples=150, deadline=None)
def test_the_text_of_a_result_is_never_over_the_cap(content: object, max_chars: int) -> None:
    [shaped] = ToolResultBudgetShaper(max_chars).shape([result(content)], WIDE)
    before = text_chars(result(content)["content"])
    # No cut is made that would be longer or heavier than what it replaces; then the text is short anyway.
    assert text_chars(shaped["content"]) <= max(max_chars, min(before, 8)) or shaped["content"] == content
    if before > max_chars + 200:
        assert text_chars(shaped["content"]) <= max_chars


def test_the_note_says_how_many_characters_are_missing() -> None:
    [shaped] = ToolResultBudgetShaper(400).shape([result("x" * 1_000)], WIDE)
    kept = shaped["content"].index("\n\n[truncated")
    assert f"[truncated {1_000 - kept} chars — re-read a narrower range" in shaped["content"]


def test_a_result_within_the_cap_is_the_same_object() -> None:
    messages = numbered([task(), assistant(None, call()), result("x" * 16_000)])
    assert ToolResultBudgetShaper().shape(messages, WIDE) is messages


def test_a_list_of_parts_stays_a_list_and_keeps_its_image() -> None:
    [shaped] = ToolResultBudgetShaper(900).shape([result(PARTS)], WIDE)
    assert [part["type"] for part in shaped["content"]] == ["text", "image_url", "text"]
    assert shaped["content"][0]["text"] == "a" * 700
    assert "[truncated" in shaped["content"][2]["text"]


def test_media_that_do_not_fit_the_share_are_named() -> None:
    [shaped] = ToolResultBudgetShaper().shape([result([PARTS[0], *[IMAGE] * 9])], Pressure.of(8_000))
    names = [part["text"] for part in shaped["content"][1:] if part["type"] == "text"]
    assert set(names) == {"[image_url left out]"}
    assert Pressure.of(8_000).weight([shaped]) <= Pressure.of(8_000).target // 2


@pytest.mark.parametrize("window", [4_000, 8_000, 16_000, 32_000, 200_000])
def test_the_results_of_one_group_share_half_the_target(window: int) -> None:
    pressure = Pressure.of(window)
    calls = [call("bash", {}, f"c{k}") for k in range(12)]
    messages = numbered(
        [task(), assistant(None, *calls), *(result("word " * 40_000, f"c{k}") for k in range(12))]
    )
    shaped = ToolResultBudgetShaper().shape(messages, pressure)
    assert pressure.weight(shaped[2:]) <= pressure.target // 2
    assert all(text_of(m).startswith("word ") for m in shaped[2:])


def test_a_share_does_not_shrink_while_results_arrive() -> None:
    pressure = Pressure.of(8_000)
    calls = [call("bash", {}, f"c{k}") for k in range(3)]
    messages = numbered(
        [task(), assistant(None, *calls), *(result("word " * 4_000, f"c{k}") for k in range(3))]
    )
    first = ToolResultBudgetShaper().shape(messages[:3], pressure)
    assert ToolResultBudgetShaper().shape(messages, pressure)[:3] == first


def test_the_share_is_measured_by_the_weights_in_force() -> None:
    heavy = Pressure.of(8_000, weigh=WIDE.weigh.scaled(2.0))
    [by_estimate] = ToolResultBudgetShaper().shape([result("word " * 4_000)], Pressure.of(8_000))
    [by_count] = ToolResultBudgetShaper().shape([result("word " * 4_000)], heavy)
    assert len(text_of(by_count)) < len(text_of(by_estimate))
    assert heavy.weight([by_count]) <= heavy.target // 2


def test_pinned_results_are_left_alone() -> None:
    messages = [result("x" * 90_000, priority=100)]
    assert ToolResultBudgetShaper().shape(messages, WIDE) is messages


@pytest.mark.parametrize("text", ["a" * 9 + "🦊" * 9, "a" * 9 + "\ud83e\udd8a" * 9, "\ud83e" * 40])
@pytest.mark.parametrize("max_chars", [9, 10, 11])
def test_no_cut_makes_half_a_pair(text: str, max_chars: int) -> None:
    [shaped] = ToolResultBudgetShaper(max_chars).shape([result(text)], WIDE)
    assert len(shaped["content"]) <= max_chars
    if text.isprintable():
        json.dumps(shaped, ensure_ascii=False).encode()


@pytest.mark.parametrize("max_chars", [0, -1, True, 1.5, "16000", None])
def test_a_cap_that_is_no_number_of_characters_is_refused(max_chars: object) -> None:
    with pytest.raises(UsageProblem, match="max_chars"):
        ToolResultBudgetShaper(max_chars)  # type: ignore[arg-type]

"""The moves and the chain they ask for."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.budget.moves import ALL_MOVES, chain_for, checked_moves
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping import default_pipeline, name_of
from tests.shaping.summarizers import first_words

CHEAP = ["ToolResultBudgetShaper", "ContextShedShaper", "ToolOutputClearShaper"]


@pytest.mark.parametrize(
    ("moves", "summarizer", "segments", "layers"),
    [
        (ALL_MOVES, None, False, ["OffloadShaper", *CHEAP, "OldHistorySnipShaper", "AutoCompactShaper"]),
        (ALL_MOVES, first_words, False, ["OffloadShaper", *CHEAP, "AutoCompactShaper"]),
        (
            ALL_MOVES,
            first_words,
            True,
            ["OffloadShaper", *CHEAP, "SegmentCompactShaper", "AutoCompactShaper"],
        ),
        ({"offload", "restate"}, first_words, False, ["OffloadShaper", "ToolResultBudgetShaper"]),
        ({"compact"}, None, False, [*CHEAP, "OldHistorySnipShaper", "AutoCompactShaper"]),
        (set(), None, True, ["ToolResultBudgetShaper"]),
    ],
)
def test_each_move_brings_its_layers(moves: Any, summarizer: Any, segments: bool, layers: list[str]) -> None:
    chain = chain_for(moves, summarizer=summarizer, segments=segments)
    assert [name_of(shaper) for shaper in chain.shapers] == layers


def test_without_offloading_it_is_the_default_chain() -> None:
    assert chain_for({"compact", "memory"}) == default_pipeline()


@pytest.mark.parametrize("moves", ["offload", None, 3])
def test_moves_are_names_in_a_collection(moves: Any) -> None:
    with pytest.raises(UsageProblem, match="names in a set"):
        checked_moves(moves)


def test_an_unknown_move_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'restate'"):
        checked_moves(["restat"])

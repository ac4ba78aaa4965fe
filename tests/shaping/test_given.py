"""What a shaper is made with is checked where it is made."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from opencollab_nb import shaping
from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping import (
    AutoCompactShaper,
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)

UNFIT = [
    *((ToolResultBudgetShaper, "max_chars", value) for value in ("x", 0, -1, True, 1.5, None)),
    *((ToolOutputClearShaper, "keep_recent", value) for value in ("x", -1, True, 1.5, None)),
    (ToolOutputClearShaper, "clear_at_least", -1),
    (ToolOutputClearShaper, "compactable_tools", "grep"),
    (ToolOutputClearShaper, "compactable_tools", [1]),
    (ToolOutputClearShaper, "compactable_tools", None),
    (ToolOutputClearShaper, "stub", None),
    (OldHistorySnipShaper, "keep_recent_groups", -3),
    (AutoCompactShaper, "summarizer", "gpt"),
    (AutoCompactShaper, "summarizer", int),
    (AutoCompactShaper, "keep_recent_groups", "4"),
    (AutoCompactShaper, "cache_size", -1),
    (EagerToolOutputClearShaper, "keep_recent", -1),
    (EagerToolOutputClearShaper, "compactable_tools", "grep"),
]


@pytest.mark.parametrize(("kind", "name", "value"), UNFIT)
def test_a_value_that_no_shaper_can_use_is_refused_by_shaper_field_and_value(
    kind: Any, name: str, value: Any
) -> None:
    with pytest.raises(UsageProblem) as refused:
        kind(**{name: value})
    assert str(refused.value).startswith(f"{kind.__name__}.{name} is {value!r}: give ")


def test_every_shaper_of_the_house_says_when_it_acts() -> None:
    kinds = [
        kind for name, kind in vars(shaping).items() if name.endswith("Shaper") and inspect.isclass(kind)
    ]
    assert {kind.__name__: kind.acts for kind in kinds} == {
        "ToolResultBudgetShaper": "each",
        "ContextShedShaper": "over",
        "ToolOutputClearShaper": "over",
        "OldHistorySnipShaper": "over",
        "AutoCompactShaper": "over",
        "EagerToolOutputClearShaper": "always",
    }

"""Parameters of shapers, as controls need them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Optional

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping import (
    AutoCompactShaper,
    ContextShedShaper,
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)
from opencollab_nb.shaping.fields import fields_of, with_field


@dataclass(frozen=True)
class Mine:
    acts: ClassVar[str] = "each"
    share: float = 0.5
    loud: bool = False
    names: tuple[str, ...] = ("a",)
    least: int = field(default=3, metadata={"minimum": 2})
    hidden: Any = field(init=False, default=None)
    table: dict[str, int] = field(default_factory=dict)
    sizes: tuple[int, ...] = (3, 1)
    shares: list[float] = field(default_factory=list)
    most: int | None = None
    note: Optional[str] = None  # noqa: UP045 - written so by many
    where: Literal["head", "tail"] = "head"
    offset: int = -3

    def __call__(self, messages: Any, pressure: Any) -> Any:
        return messages


def test_every_parameter_of_our_shapers_is_told_with_its_kind() -> None:
    told = {
        type(s).__name__: {f.name: (f.kind, f.minimum) for f in fields_of(s)}
        for s in (
            ToolResultBudgetShaper(),
            ContextShedShaper(),
            ToolOutputClearShaper(),
            OldHistorySnipShaper(),
            AutoCompactShaper(),
            EagerToolOutputClearShaper(),
        )
    }
    assert told["ToolResultBudgetShaper"] == {"max_chars": ("int", 1)}
    assert told["ContextShedShaper"] == {}
    assert told["ToolOutputClearShaper"]["keep_recent"] == ("int", 0)
    assert told["ToolOutputClearShaper"]["compactable_tools"] == ("set", None)
    assert told["ToolOutputClearShaper"]["stub"] == ("str", None)
    assert told["OldHistorySnipShaper"]["keep_recent_groups"][0] == "int"
    assert told["AutoCompactShaper"]["summarizer"] == ("summarizer", None)
    assert set(told["AutoCompactShaper"]) == {"summarizer", "keep_recent_groups", "cache_size"}


def test_a_shaper_of_the_user_is_told_alike() -> None:
    told = {f.name: (f.kind, f.value, f.default, f.minimum) for f in fields_of(Mine(loud=True))}
    assert told == {
        "share": ("float", 0.5, 0.5, None),
        "loud": ("bool", True, False, None),
        "names": ("set", ("a",), ("a",), None),
        "least": ("int", 3, 3, 2),
        "table": ("other", {}, {}, None),
        "sizes": ("numbers", (3, 1), (3, 1), None),
        "shares": ("numbers", [], [], None),
        "most": ("int", None, None, None),
        "note": ("str", None, None, None),
        "where": ("choice", "head", "head", None),
        "offset": ("int", -3, -3, None),
    }
    choice = {f.name: (f.options, f.optional) for f in fields_of(Mine())}
    assert choice["where"] == (("head", "tail"), False)
    assert choice["most"] == choice["note"] == ((), True)
    assert fields_of(lambda messages, pressure: messages) == []
    assert fields_of(Mine) == []


def test_a_changed_shaper_is_a_new_value() -> None:
    one = ToolOutputClearShaper()
    other = with_field(one, "keep_recent", 2.0)
    assert (one.keep_recent, other.keep_recent) == (5, 2)
    assert with_field(one, "compactable_tools", ["bash"]).compactable_tools == frozenset({"bash"})
    assert with_field(Mine(), "names", ["b", "c"]).names == ("b", "c")
    assert with_field(Mine(), "share", 1).share == 1.0
    assert with_field(Mine(), "sizes", [2.0, 7]).sizes == (2, 7)
    assert with_field(Mine(), "shares", [0.5, 1]).shares == [0.5, 1]
    assert with_field(Mine(), "most", 4).most == 4
    assert with_field(with_field(Mine(), "most", 4), "most", None).most is None
    assert with_field(Mine(), "where", "tail").where == "tail"
    assert with_field(Mine(), "offset", -5).offset == -5
    summarize = len
    assert with_field(AutoCompactShaper(), "summarizer", summarize).summarizer is summarize
    assert with_field(AutoCompactShaper(summarize), "summarizer", None).summarizer is None


@pytest.mark.parametrize(
    ("shaper", "name", "value", "named"),
    [
        (ToolOutputClearShaper(), "keep_recnt", 3, "keep_recent"),
        (ToolOutputClearShaper(), "keep_recent", -1, "at least 0"),
        (ToolOutputClearShaper(), "keep_recent", 1.5, "whole number"),
        (ToolOutputClearShaper(), "keep_recent", True, "whole number"),
        (ToolOutputClearShaper(), "keep_recent", "3", "keep_recent"),
        (ToolOutputClearShaper(), "compactable_tools", "bash", "list"),
        (ToolOutputClearShaper(), "compactable_tools", [3], "3"),
        (ToolOutputClearShaper(), "stub", None, "text"),
        (ToolResultBudgetShaper(), "max_chars", 0, "at least 1"),
        (AutoCompactShaper(), "summarizer", 7, "SummaryRequest"),
        (Mine(), "loud", 1, "True or False"),
        (Mine(), "least", 1, "at least 2"),
        (Mine(), "where", "tial", "did you mean 'tail'"),
        (Mine(), "sizes", ["a"], "numbers"),
        (Mine(), "sizes", [True], "numbers"),
        (Mine(), "most", "many", "whole number"),
        (Mine(), "share", None, "number"),
        (len, "x", 1, "no parameters"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(shaper: Any, name: str, value: Any, named: str) -> None:
    with pytest.raises(UsageProblem, match=named):
        with_field(shaper, name, value)

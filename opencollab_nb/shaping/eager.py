"""Eager clearing: the measured counter-example. Not in any default chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar

from opencollab_nb.messages import Messages, call_arguments, call_name, encodable
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.by_group import ByGroup
from opencollab_nb.shaping.faults import object_in
from opencollab_nb.shaping.given import check_names, check_numbers
from opencollab_nb.shaping.stubs import RECREATABLE_TOOLS, Result, results_of, with_stubs

_TARGET_CHARS = 200


@dataclass(frozen=True)
class EagerToolOutputClearShaper:
    """At every request, keep the newest `keep_recent` re-creatable results and stub the older ones.

    It needs no pressure to act, so the boundary moves at every step and with it the prefix that the
    provider's cache could have served. Kept so that anyone can measure what that costs.

    Loss: the text of old results; the stub names the call that brings it back.
    Model calls: none. Cache: moves the prefix at every step.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.pressure import Pressure
    >>> call = {"id": "a", "function": {"name": "file_read", "arguments": '{"path": "a.py"}'}}
    >>> found = {"role": "tool", "tool_call_id": "a", "content": "a line of code " * 9}
    >>> messages = [{"role": "assistant", "tool_calls": [call]}, found] * 2
    >>> EagerToolOutputClearShaper(keep_recent=1).shape(messages, Pressure.of())[1]["content"]
    '[Old tool result cleared: file_read a.py]'
    """

    acts: ClassVar[str] = "always"

    keep_recent: int = 12
    """Newest results that stay as they are."""
    compactable_tools: frozenset[str] = RECREATABLE_TOOLS
    """Names of the tools whose results may be cleared."""
    _known: ByGroup[tuple[Result, ...]] = field(
        init=False, compare=False, repr=False, default_factory=ByGroup
    )

    def __post_init__(self) -> None:
        check_numbers(self, keep_recent=0)
        check_names(self, "compactable_tools")

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with old results stubbed; the same object where there are none."""
        tools = self.compactable_tools
        facts = self._known.of(messages, lambda group: results_of(group, tools, stub)).facts
        results = list(chain.from_iterable(facts))
        return with_stubs(messages, results[: max(0, len(results) - self.keep_recent)], pressure)


def stub(call: Mapping[str, Any]) -> str:
    """Names tool and target; the same text at every step for the same call."""
    values = object_in(call_arguments(call)) or {}
    named = (values.get(key) for key in ("path", "pattern", "command"))
    target = encodable(next((value for value in named if isinstance(value, str)), ""))
    about = f"{call_name(call)} {target[:_TARGET_CHARS]}".strip()
    return f"[Old tool result cleared: {about}]"

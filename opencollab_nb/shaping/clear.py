"""Clear: old results of tools that can be asked again give way to a stub; calls and order stay."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.by_group import ByGroup
from opencollab_nb.shaping.given import check_names, check_numbers, check_text
from opencollab_nb.shaping.groups import KEEP_RECENT_GROUPS, newest_groups, protected_from
from opencollab_nb.shaping.stubs import RECREATABLE_TOOLS, Result, results_of, with_stubs

CLEARED = "[Old tool result content cleared]"


@dataclass(frozen=True)
class ToolOutputClearShaper:
    """Over the limit, clear all but the newest results of re-creatable tools, in one batch.

    The newest `keep_recent` results stay as far as they fit half the target together, and those of
    the newest group always: the model has not read them yet. A forced pass keeps only results
    inside the affordable groups.

    Loss: the text of old results; the transcript holds it and the same call brings it back.
    Model calls: none. Cache: moves the prefix once a round, at the oldest result newly cleared.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.pressure import Pressure
    >>> call = {"id": "a", "function": {"name": "grep", "arguments": "{}"}}
    >>> found = {"role": "tool", "tool_call_id": "a", "content": "a line of code " * 300}
    >>> messages = [{"role": "assistant", "tool_calls": [call]}, found] * 9
    >>> shaped = ToolOutputClearShaper(keep_recent=1).shape(messages, Pressure.of(16_000))
    >>> [m["content"][:12] for m in shaped[1::2]][-2:]
    ['[Old tool re', 'a line of co']
    """

    acts: ClassVar[str] = "over"

    keep_recent: int = 5
    """Newest results that stay as they are."""
    clear_at_least: int = 0
    """Tokens; a batch that would free less is not worth moving the cached prefix."""
    compactable_tools: frozenset[str] = RECREATABLE_TOOLS
    """Names of the tools whose results may be cleared."""
    stub: str = CLEARED
    """What stands where a result was."""
    _known: ByGroup[tuple[Result, ...]] = field(
        init=False, compare=False, repr=False, default_factory=ByGroup
    )

    def __post_init__(self) -> None:
        check_numbers(self, keep_recent=0, clear_at_least=0)
        check_names(self, "compactable_tools")
        check_text(self, "stub")

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with old results cleared; the same object where that frees too little."""
        if not messages or not pressure.over(messages):
            return messages
        tools, stub = self.compactable_tools, self.stub
        facts = self._known.of(messages, lambda group: results_of(group, tools, lambda _: stub)).facts
        results = list(chain.from_iterable(facts))
        old = results[: len(results) - self._newest(messages, results, pressure)]
        return with_stubs(messages, old, pressure, self.clear_at_least)

    def _newest(self, messages: Messages, results: list[Result], pressure: Pressure) -> int:
        """How many results, counted from the end, stay as they are."""
        newest = newest_groups(messages, 1)[0].start
        protected = protected_from(messages, pressure, KEEP_RECENT_GROUPS) if pressure.forced else 0
        room_tokens, kept = pressure.target // 2, 0
        for count, result in enumerate(reversed(results)):
            room_tokens -= pressure.weigh(result.message)
            recent = count < self.keep_recent and result.at >= protected
            if result.at < newest and not (recent and (not count or room_tokens >= 0)):
                break
            kept += 1
        return kept

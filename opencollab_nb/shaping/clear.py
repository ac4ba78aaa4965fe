"""Clear: old results of tools that can be asked again give way to a stub; calls and order stay."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from opencollab_nb.messages import Messages, call_name, is_pinned, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.given import check_names, check_numbers, check_text
from opencollab_nb.shaping.groups import KEEP_RECENT_GROUPS, Group, groups, newest_groups, protected_from
from opencollab_nb.shaping.keep import is_verbatim
from opencollab_nb.shaping.lighter import is_lighter

RECREATABLE_TOOLS = frozenset({"bash", "file_read", "grep", "git_diff", "run_tests"})
"""Their results can be had again by the same call; those of edits cannot."""
CLEARED = "[Old tool result content cleared]"


class Answered(NamedTuple):
    """A result and the call it answers."""

    at: int
    call: Mapping[str, Any]


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

    def __post_init__(self) -> None:
        check_numbers(self, keep_recent=0, clear_at_least=0)
        check_names(self, "compactable_tools")
        check_text(self, "stub")

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with old results cleared; the same object where that frees too little."""
        if not messages or not pressure.over(messages):
            return messages
        answered = list(recreatable_results(messages, self.compactable_tools))
        kept = self._kept(messages, answered, pressure)
        old = {result.at: self.stub for result in answered if result.at not in kept}
        return with_stubs(messages, old, pressure, self.clear_at_least)

    def _kept(self, messages: Messages, answered: list[Answered], pressure: Pressure) -> set[int]:
        newest = newest_groups(messages, 1)[0].start
        kept = {result.at for result in answered if result.at >= newest}
        protected = protected_from(messages, pressure, KEEP_RECENT_GROUPS) if pressure.forced else 0
        room_tokens = pressure.target // 2
        for count, result in enumerate(reversed(answered)):
            room_tokens -= pressure.weight([messages[result.at]])
            if count >= self.keep_recent or result.at < protected or (count and room_tokens < 0):
                break
            kept.add(result.at)
        return kept


def recreatable_results(messages: Messages, tools: Collection[str]) -> Iterator[Answered]:
    """The unpinned results of these tools in closed groups, oldest first."""
    for group in groups(messages):
        if group.calls and not group.open:
            yield from sorted(_results_of(group, messages, tools))


def _results_of(group: Group, messages: Messages, tools: Collection[str]) -> Iterator[Answered]:
    for call, at in zip(group.calls, group.results, strict=True):
        if at is None or is_pinned(messages[at]) or is_verbatim(messages[at]):
            continue
        if call_name(call) in tools:
            yield Answered(at, call)


def with_stubs(
    messages: Messages, stubs: Mapping[int, str], pressure: Pressure, at_least_tokens: int = 0
) -> Messages:
    """The messages with a stub at these positions, wherever that is lighter than what stood there."""
    out, freed_tokens = list(messages), 0
    for at, stub in stubs.items():
        if messages[at].get("content") == stub:
            continue
        new = with_content(messages[at], stub)
        if is_lighter(new, messages[at], pressure):
            freed_tokens += pressure.weight([messages[at]]) - pressure.weight([new])
            out[at] = new
    return out if freed_tokens and freed_tokens >= at_least_tokens else messages

"""Cap: one tool result may not fill the request. Acts on each group by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, NamedTuple

from opencollab_nb.messages import Message, Messages, is_pinned
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.by_group import ByGroup
from opencollab_nb.shaping.cut import cut_message, text_chars
from opencollab_nb.shaping.given import check_numbers
from opencollab_nb.shaping.groups import Group
from opencollab_nb.shaping.kept import Kept

MAX_CHARS = 16_000
"""About 300 lines of code: more than an agent needs to find the range it wants to read."""


@dataclass(frozen=True)
class ToolResultBudgetShaper:
    r"""Cut each tool result to its head and a note.

    A result gets at most `max_chars` of text and at most its share of half the target, so that a
    batch of parallel calls cannot fill a small window. Error results are cut like all others.

    Loss: the end of a long result; the transcript still holds it and the tool can be asked again.
    Model calls: none. Cache: never moves the prefix, since a result is cut when it first appears.

    Raises:
        UsageProblem: (a ValueError) `max_chars` is no whole number above 0.

    >>> from opencollab_nb.pressure import Pressure
    >>> result = {"role": "tool", "tool_call_id": "a", "content": "0123456789" * 30}
    >>> [shaped] = ToolResultBudgetShaper(max_chars=130).shape([result], Pressure.of())
    >>> shaped["content"][:13], shaped["content"][13:36], len(shaped["content"]) <= 130
    ('0123456789012', '\n\n[truncated 287 chars ', True)
    """

    acts: ClassVar[str] = "each"

    max_chars: int = MAX_CHARS
    """Characters of text that one result may have, the note included."""
    _known: ByGroup[list[_Result]] = field(init=False, compare=False, repr=False, default_factory=ByGroup)
    _cuts: Kept = field(init=False, compare=False, repr=False, default_factory=Kept)

    def __post_init__(self) -> None:
        check_numbers(self, max_chars=1)

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with every result within its limits; the same object where all are."""
        results = list(chain.from_iterable(self._known.of(messages, _results).facts))
        weights = pressure.weigh.each([result.message for result in results])
        half_tokens, ratio = pressure.target // 2, pressure.weigh.ratio
        long = [
            result
            for result, weight in zip(results, weights, strict=True)
            if result.chars > self.max_chars or round(weight * ratio) > half_tokens // result.calls
        ]
        if not long:
            return messages
        made = self._cuts.rewritten(
            [(r.message, (half_tokens // r.calls, ratio, pressure.weigh.measure)) for r in long],
            lambda message, limits: cut_message(message, self.max_chars, limits[0], note, pressure),
        )
        cut = {r.at: new for r, new in zip(long, made, strict=True) if new is not r.message}
        return [cut.get(at, m) for at, m in enumerate(messages)] if cut else messages


class _Result(NamedTuple):
    at: int
    message: Message
    chars: int
    calls: int
    """A share for every call, answered or not: it must not shrink while the results arrive."""


def _results(group: Group) -> list[_Result]:
    calls = max(1, len(group.calls))
    return [
        _Result(at, message, text_chars(message.get("content")), calls)
        for at, message in enumerate(group.messages, group.start)
        if message.get("role") == "tool" and not is_pinned(message)
    ]


def note(missing_chars: int) -> str:
    """What stands where the end of a result was."""
    return (
        f"\n\n[truncated {missing_chars} chars — re-read a narrower range "
        "(file_read with offset and limit, or grep) to see the rest]"
    )

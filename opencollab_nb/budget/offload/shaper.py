"""Offload: a long result stays in the transcript; the request gets a digest and a pointer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

from opencollab_nb.budget.offload.digest import digest
from opencollab_nb.budget.offload.pointer import pointer, points_at, source_of
from opencollab_nb.budget.offload.rows import count_rows
from opencollab_nb.messages import Message, Messages, call_name, id_of, is_pinned, text_of, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.cut import cut_at, text_in
from opencollab_nb.shaping.given import check_names, check_numbers
from opencollab_nb.shaping.groups import Group, groups, newest_groups
from opencollab_nb.shaping.keep import is_verbatim
from opencollab_nb.shaping.lighter import is_lighter

MAX_CHARS = 8_000
"""About 150 lines of code: what a model reads at once without losing the thread."""
SUMMARY_CHARS = 1_500
"""With the pointer a result then takes at most 2 KB of the request."""
KEPT_TOOLS = frozenset(
    {"apply_patch", "file_write", "edit_file", "write_file", "create_file", "str_replace_editor"}
    | {"read_result", "todo", "recall"}
)
"""Edits are short and the agent's own work; the others have just been asked for to be read."""
_REMEMBERED = 256
_HUGE_CHARS = 500_000

ReadBack = Callable[[int], "str | None"]
"""Gives the text of the result with this id from where it is stored, or None where it is not there."""


@dataclass(frozen=True)
class OffloadShaper:
    r"""Put a digest and a pointer in the place of each long tool result, once it is no longer the newest.

    The newest group stays: the model has not read it yet, and the cap keeps it in bounds. With
    `read_back` a pointer is shown only where it gives back the very text that goes. It belongs before
    the cap: behind it the text would be the one that is cut already.

    Loss: the middle of a long result; `read_result` reads any of it from the transcript.
    Model calls: none. Cache: moves the prefix only from the last group on, one step after a long
    result came.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.pressure import Pressure
    >>> call = {"id": "a", "function": {"name": "file_read", "arguments": '{"path": "app.log"}'}}
    >>> found = {"role": "tool", "tool_call_id": "a", "content": "a line\n" * 4_000, "meta": {"id": 2}}
    >>> talk = [{"role": "assistant", "tool_calls": [call]}, found, {"role": "assistant", "content": "so"}]
    >>> shaped = OffloadShaper().shape(talk, Pressure.of())
    >>> shaped[1]["content"].splitlines()[0][:72]
    '[offloaded: result 2, 4000 lines, 28000 chars, from app.log (file_read);'
    """

    acts: ClassVar[str] = "each"
    spares_newest: ClassVar[bool] = True

    max_chars: int = MAX_CHARS
    """Characters of text; a longer result is offloaded."""
    summary_chars: int = SUMMARY_CHARS
    """Of the digest, in bytes: letters outside ASCII count as the two to four that they take."""
    read_back: InitVar[ReadBack | None] = None
    """Where a text is looked for before its pointer is shown; no setting: a run's record leaves it out."""
    kept_tools: frozenset[str] = KEPT_TOOLS
    """Names of the tools whose results are never offloaded."""
    _made: OrderedDict[int, tuple[str, str]] = field(
        default_factory=OrderedDict, init=False, compare=False, repr=False
    )

    def __post_init__(self, read_back: ReadBack | None) -> None:
        # Kept where `dataclasses.replace` looks for it.
        object.__setattr__(self, "read_back", read_back)
        check_numbers(self, max_chars=1, summary_chars=0)
        check_names(self, "kept_tools")

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with long results offloaded; the same object where there are none."""
        if not messages:
            return messages
        newest = newest_groups(messages, 1)[0].start
        changed = {
            at: new
            for group in groups(messages)
            if group.start < newest
            for at, new in self._offloaded(group, pressure)
        }
        return [changed.get(at, m) for at, m in enumerate(messages)] if changed else messages

    def _offloaded(self, group: Group, pressure: Pressure) -> Iterator[tuple[int, Message]]:
        calls = dict(zip(group.results, group.calls, strict=True))
        for at, message in enumerate(group.messages, group.start):
            if message.get("role") != "tool" or is_pinned(message) or is_verbatim(message):
                continue
            if not self._is_long(message):
                continue
            call = calls.get(at)
            if call is not None and call_name(call) in self.kept_tools:
                continue
            new = self._pointing(message, call)
            if new is not None and _is_lighter(new, message, pressure):
                yield at, new

    def _is_long(self, message: Message) -> bool:
        content = message.get("content")
        return (
            len(content) > self.max_chars
            if isinstance(content, str)
            else len(text_of(message)) > self.max_chars
        )

    def _pointing(self, message: Message, call: dict[str, Any] | None) -> Message | None:
        """The message with digest and pointer for its text; None where that may not be."""
        own, text = id_of(message), text_of(message)
        if own is None or points_at(text, own):
            return None
        known = self._made.get(own)
        if known is not None and known[0] == text:
            return _with_text(message, known[1])
        read_back: Any = vars(self)["read_back"]
        if read_back is not None and read_back(own) != text:
            return None
        head = pointer(own, count_rows(text), len(text), source_of(call))
        self._made[own] = text, f"{head}\n{digest(text, self.summary_chars)}".rstrip("\n")
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)
        return _with_text(message, self._made[own][1])


def _is_lighter(new: Message, old: Message, pressure: Pressure) -> bool:
    """As `is_lighter`; of a huge text the beginning is weighed first, since that settles it."""
    text = old.get("content")
    if isinstance(text, str) and len(text) > _HUGE_CHARS:
        head = with_content(old, cut_at(text, _HUGE_CHARS // 10))
        if pressure.weight([head]) > 2 * pressure.weight([new]):
            return True
    return is_lighter(new, old, pressure)


def _with_text(message: Message, text: str) -> Message:
    """The message with this text in place of all its text; images and other parts stay."""
    content = message.get("content")
    if isinstance(content, str):
        return with_content(message, text)
    others = [part for part in content or () if text_in(part) is None]
    return with_content(message, [{"type": "text", "text": text}, *others] if others else text)

"""Old results of tools that can be asked again, and the stubs that may take their places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from opencollab_nb.messages import Message, Messages, call_name, is_pinned, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.groups import Group
from opencollab_nb.shaping.keep import is_verbatim
from opencollab_nb.shaping.lighter import is_shorter

RECREATABLE_TOOLS = frozenset({"bash", "file_read", "grep", "git_diff", "run_tests"})
"""Their results can be had again by the same call; those of edits cannot."""


class Result(NamedTuple):
    """A result that may be cleared."""

    at: int
    message: Message
    stubbed: Message | None
    """What may take its place; None where that is no shorter, or stands there already."""


def results_of(
    group: Group, tools: Collection[str], stub: Callable[[Mapping[str, Any]], str]
) -> tuple[Result, ...]:
    """The results of these tools in a group that may go, in order; none while a call in it is unanswered.

    Args:
        group: any.
        tools: names of tools.
        stub: call -> what stands where its result was.
    """
    if not group.calls or group.open:
        return ()
    return tuple(sorted(_results(group, tools, stub), key=lambda result: result.at))


def _results(
    group: Group, tools: Collection[str], stub: Callable[[Mapping[str, Any]], str]
) -> Iterator[Result]:
    for call, at in zip(group.calls, group.results, strict=True):
        if at is None or call_name(call) not in tools:
            continue
        message = group.messages[at - group.start]
        if not is_pinned(message) and not is_verbatim(message):
            yield Result(at, message, _stubbed(message, stub(call)))


def _stubbed(message: Message, stub: str) -> Message | None:
    if message.get("content") == stub:
        return None
    new: Message = with_content(message, stub)
    return new if is_shorter(new, message) else None


def with_stubs(
    messages: Messages, old: Sequence[Result], pressure: Pressure, at_least_tokens: int = 0
) -> Messages:
    """The messages with a stub for each of these results, wherever that is lighter than what stood there."""
    fit = [(at, message, new) for at, message, new in old if new is not None]
    before = pressure.weigh.each([message for _, message, _ in fit])
    after = pressure.weigh.each([new for _, _, new in fit])
    out, ratio, freed_tokens = list(messages), pressure.weigh.ratio, 0
    for (at, _, new), was, now in zip(fit, before, after, strict=True):
        if now < was or round(now * ratio) <= round(was * ratio):
            out[at] = new
            # Rounded one by one, as the messages weigh; not needed once it is enough.
            if freed_tokens < max(1, at_least_tokens):
                freed_tokens += round(was * ratio) - round(now * ratio)
    return out if freed_tokens and freed_tokens >= at_least_tokens else messages

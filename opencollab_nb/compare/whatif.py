"""What another chain would send."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from opencollab_nb.compare.requests import requests_of
from opencollab_nb.compare.setting import Setting, Trial, setting_of, trial
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    call_name,
    covers_of,
    each,
    id_of,
    ranges,
    text_of,
    tool_calls_of,
    wire,
)
from opencollab_nb.session import Session
from opencollab_nb.shaping import LayerReport, Projected, name_of, prefix_kept
from opencollab_nb.shaping.place import place

SHOWN_CHANGES = 40


class Change(NamedTuple):
    """One message that the two requests hold differently."""

    ids: list[list[int]]
    """The id, or for a summary the ranges it stands for."""
    before: str | None
    """Its text in the first request; None where it is not there."""
    after: str | None


@dataclass(frozen=True)
class WhatIf:
    """Two requests for one transcript: as it was or stands, and as another chain would make it."""

    before: Messages = field(repr=False)
    after: Messages = field(repr=False)
    tokens_before: int
    tokens_after: int
    prefix_kept_tokens: int
    """Tokens of the common beginning, by the local estimate: what a provider's cache would still serve."""
    lost: list[list[int]] = field(repr=False)
    """Ids that `after` does not hold word for word, as ranges; the transcript does."""
    lost_before: list[list[int]] = field(repr=False)
    """The same of `before`."""
    reports: list[LayerReport] = field(repr=False)
    """Of the layers that acted, failed, or asked a summarizer."""
    record: dict[str, Any] | None = field(repr=False)
    chain: tuple[str, ...] = ()
    mode: str = "sticky"
    trigger: int = 0
    target: int = 0
    step: int | None = None
    """The step whose request `before` is; None for the transcript as it stands."""
    stored: int = 0
    """Messages of the transcript."""

    @cached_property
    def newly_lost(self) -> list[list[int]]:
        """Ids that only `before` holds word for word."""
        return ranges(set(each(self.lost)) - set(each(self.lost_before)))

    @cached_property
    def back(self) -> list[list[int]]:
        """Ids that only `after` holds word for word."""
        return ranges(set(each(self.lost_before)) - set(each(self.lost)))

    @cached_property
    def changes(self) -> list[Change]:
        """The messages that differ, in the order of the transcript."""
        old, new = _by_place(self.before), _by_place(self.after)
        both = sorted(old.keys() | new.keys())
        return [
            Change(_ids(new.get(key) or old[key]), _shown(old.get(key)), _shown(new.get(key)))
            for key in both
            if not _same(old.get(key), new.get(key))
        ]

    def diff(self) -> str:
        """The differing messages as a unified diff."""
        lines: list[str] = []
        for change in self.changes:
            name = f"message {_spans(change.ids)}"
            old, new = (change.before or "").splitlines(), (change.after or "").splitlines()
            lines += difflib.unified_diff(old, new, f"{name}, before", f"{name}, after", n=1, lineterm="")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        head, *rest = self._lines()
        rows = "".join(f"<li>{escape(line.strip())}</li>" for line in rest)
        shown = self.changes[:SHOWN_CHANGES]
        more = len(self.changes) - len(shown)
        told = "".join(
            f"<tr><td>{escape(_spans(c.ids))}</td><td>{escape(_clip(c.before))}</td>"
            f"<td>{escape(_clip(c.after))}</td></tr>"
            for c in shown
        )
        table = "<table><tr><th>message</th><th>before</th><th>after</th></tr>" + told + "</table>"
        note = f"<p>… and {more:,} more: <code>.changes</code></p>" if more > 0 else ""
        title = f"<summary>{len(self.changes):,} messages differ</summary>"
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<b>{escape(head)}</b><ul>{rows}</ul><details>{title}{table}{note}</details></div>"
        )

    def _lines(self) -> Iterable[str]:
        when = f"step {self.step:,}" if self.step is not None else "the transcript as it stands"
        yield (
            f"What if {', '.join(self.chain) or 'no shapers'} ({self.mode}), {when}: "
            f"{self.tokens_before:,} → {self.tokens_after:,} tokens"
        )
        yield f"  trigger {self.trigger:,}, target {self.target:,}"
        yield f"  prefix kept: {self.prefix_kept_tokens:,} tokens"
        yield f"  not word for word: messages {_spans(self.lost) or 'none'} of {self.stored:,}"
        if self.back:
            yield f"  word for word again: messages {_spans(self.back)}"
        for report in self.reports:
            yield f"  {report.layer}: {report.tokens_before:,} → {report.tokens_after:,}" + (
                f"; {report.problem}" if report.problem else ""
            )


def what_if(
    source: Any,
    *shapers: Any,
    step: int | None = None,
    mode: str | None = None,
    target_ratio: float | None = None,
    pressure: Any = None,
    window: int | None = None,
    afresh: bool = True,
) -> WhatIf:
    """The request that another chain would make; the run is not touched.

    It is projected afresh from the whole transcript, as after `session.use(...)`, with the pins and
    the weights in force at the time.

    Args:
        source: a session, a transcript that was loaded, or a list of messages. The steps of a transcript are
            its model calls, and `before` is what the original agent sent, compactions of the file applied.
        shapers: as for `session.use`: shapers in order, or one policy or its name. None: the session's
            own, their summarizers left out.
        step: project the transcript as it was when this step's request was made, and compare with that
            request; None for the transcript as it stands.
        mode: `sticky` or `stateless`; None for that of the session.
        target_ratio: the share of the trigger to work down to; None for that of the chain, else of the time.
        pressure: another `Pressure` than the session's; for a list of messages, instead of a guess.
        window: in tokens, instead of that of a transcript or its model; a session has its own.
        afresh: False, for a transcript, for what the chain would send if it had been in force from the first
            call on, as `pressure_curve` and `compare` have it; a sticky one then stands by what it did.

    Raises:
        UsageProblem: (a ValueError) what cannot be used; it is named.

    >>> from opencollab_nb.shaping import ToolResultBudgetShaper
    >>> talk = [{"role": "user", "content": "Fix it."}, {"role": "tool", "content": "line " * 999}]
    >>> what_if(talk, ToolResultBudgetShaper(max_chars=400)).lost
    [[1, 1]]
    """
    tried = trial(source, shapers, mode, target_ratio)
    if window is not None and (pressure is not None or isinstance(source, Session)):
        raise UsageProblem("window= is for transcripts and lists of messages, without pressure=")
    found = setting_of(source, step, pressure, tried.target_ratio, window)
    if not afresh:
        if found.calls is None or pressure is not None:
            raise UsageProblem("afresh=False is for a transcript that was loaded, without pressure=")
        subject, weighing = found.calls
        *_, last = requests_of(subject, tried, weighing)
        return _outcome(found, tried, last.projected)
    projection = tried.projection()
    if found.pinned:
        projection.pin(found.messages, found.pinned)
    return _outcome(found, tried, projection.project(found.messages, found.pressure))


def _outcome(found: Setting, tried: Trial, projected: Projected) -> WhatIf:
    before, after, limits = found.before, projected.messages, found.pressure
    return WhatIf(
        before=before,
        after=after,
        tokens_before=found.tokens if found.tokens is not None else limits.tokens(before),
        tokens_after=projected.tokens + found.late_tokens,
        prefix_kept_tokens=prefix_kept(before, after),
        lost=ranges(not_verbatim(found.messages, after)),
        lost_before=ranges(not_verbatim(found.messages, before)),
        reports=projected.reports,
        record=projected.record,
        chain=tuple(map(name_of, tried.chain.shapers)),
        mode=tried.mode,
        trigger=limits.trigger,
        target=limits.target,
        step=found.step,
        stored=len(found.messages),
    )


def not_verbatim(messages: Messages, request: Messages) -> set[int]:
    """The ids of messages that a request does not hold word for word."""
    here = {own: m for m in request if (own := id_of(m)) is not None}
    return {own for m in messages if (own := id_of(m)) is not None and not _same(here.get(own), m)}


def _same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    return old is not None and new is not None and wire(old) == wire(new)


def _by_place(messages: Messages) -> dict[tuple[int, bool], Message]:
    """By id, or the first id covered: a summary and an original may stand at the same place."""
    return {(place(m), not covers_of(m)): m for m in messages}


def _ids(message: Message) -> list[list[int]]:
    return covers_of(message) or ranges([place(message)])


def _shown(message: Message | None) -> str | None:
    if message is None:
        return None
    calls = [f"{call_name(call)}({call_arguments(call)})" for call in tool_calls_of(message)]
    return "\n".join(filter(None, [text_of(message), *calls]))


def _clip(text: str | None, limit_chars: int = 160) -> str:
    if text is None:
        return "—"
    line = " ".join(text[: 4 * limit_chars].split())
    return line if len(line) <= limit_chars else line[: limit_chars - 1] + "…"


def _spans(pairs: list[list[int]]) -> str:
    return ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in pairs)

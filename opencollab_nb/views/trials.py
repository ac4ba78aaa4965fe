"""A chain tried on a transcript: the request as it is, and as it would be, beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.messages import Messages
from opencollab_nb.shaping import AutoCompactShaper, LayerReport, prefix_kept
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.views.labels import clean
from opencollab_nb.views.recordings import Recording
from opencollab_nb.views.strips import SHORTENED, Strip, strips_html, strips_text
from opencollab_nb.views.text import escaped, percent


@dataclass(frozen=True, repr=False)
class Trial:
    """What a chain would do to one transcript."""

    label: str
    """The transcript."""
    before: Strip
    after: Strip
    prefix_kept_tokens: int
    """Of the request before; what a provider's cache would still serve."""
    reports: Sequence[LayerReport]
    note: str = ""
    whole_tokens: int = 0
    """Of the request before, counted as the prefix is: without tools and framing, by the local estimate."""

    @property
    def problems(self) -> list[str]:
        """Why layers were skipped."""
        return [f"{r.layer} was skipped: {r.problem}" for r in self.reports if r.problem]

    def lines(self) -> list[str]:
        """The figures, a line each."""
        before, after = self.before.tokens, self.after.tokens
        change = f", {(after - before) / before:+.0%}" if before else ""
        counts = self.after.counts
        shortened = sum(counts[state] for state in SHORTENED)
        kept = f"{counts['verbatim']} word for word, {shortened} shortened"
        kept += f", {counts['summarized']} summarized" if counts["summarized"] else ""
        whole = self.whole_tokens
        share = f" ({percent(self.prefix_kept_tokens / whole)} of the request before)" if whole else ""
        return [
            f"tokens {before:,} → {after:,}{change}; prefix kept {self.prefix_kept_tokens:,} tokens{share}",
            f"of {sum(counts.values()):,} messages {kept}, {counts['snipped']} left out",
            *[
                f"{r.layer}: {r.tokens_before:,} → {r.tokens_after:,} tokens in {r.seconds * 1000:,.0f} ms"
                for r in self.reports
                if not r.problem
            ],
            *self.problems,
        ]

    def _title(self) -> str:
        return f"on {self.label}" + (f" ({self.note})" if self.note else "")

    def __repr__(self) -> str:
        strips = strips_text([self.before, self.after])
        return "\n".join([self._title(), strips, *(clean(line, 400) for line in self.lines())])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escaped(clean(line, 400))}</li>" for line in self.lines())
        strips = strips_html([self.before, self.after])
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p>{escaped(self._title())}</p>{strips}<ul>{lines}</ul></div>"
        )


def try_on_session(session: Any, *chain: Any, name: str, recording: Recording) -> Trial:
    """The chain on the transcript of a session, beside the request in force."""
    from opencollab_nb.compare import what_if

    pressing = recording.pressing()
    found = what_if(session, *map(without_calls, chain), pressure=pressing.pressure)
    return trial_of(found, pressing, "as it is", name)


def try_on_messages(*chain: Any, name: str, recording: Recording) -> Trial:
    """The chain on recorded messages, beside all of them."""
    from opencollab_nb.compare import what_if

    pressing = recording.pressing()
    layers = map(without_calls, chain)
    found = what_if(pressing.messages, *layers, mode="sticky", pressure=pressing.pressure)
    return trial_of(found, pressing, "as it is", name)


def without_calls(shaper: Any) -> Any:
    """The shaper; a compacting layer without a summarizer that may ask a model, for a trial costs nothing."""
    if isinstance(shaper, AutoCompactShaper) and not isinstance(shaper.summarizer, ExtractiveSummarizer):
        return replace(shaper, summarizer=None)
    return shaper


def trial_of(found: Any, recording: Recording, before: str, after: str) -> Trial:
    """The trial of a `WhatIf`, its two requests drawn over the recording."""
    stored: Messages = recording.messages
    pressure = recording.pressure

    def weigh(message: Any) -> int:
        return pressure.weight([message])

    return Trial(
        recording.label,
        Strip.of(before, found.before, stored, weigh, found.tokens_before),
        Strip.of(after, found.after, stored, weigh, found.tokens_after),
        found.prefix_kept_tokens,
        found.reports,
        recording.note,
        prefix_kept(found.before, found.before),
    )

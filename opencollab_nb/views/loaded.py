"""A loaded transcript in the views that a run has: a request and its context map, another chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.compare.curve import pressure_curve
from opencollab_nb.compare.requests import common, prefix_tokens
from opencollab_nb.compare.setting import Setting, setting_of
from opencollab_nb.compare.subject import Call, of_transcript
from opencollab_nb.compare.weighing import weighing_of
from opencollab_nb.compare.whatif import what_if
from opencollab_nb.messages import covers_of, text_of
from opencollab_nb.request import Request
from opencollab_nb.shaping import ShaperPipeline
from opencollab_nb.transcript import Transcript
from opencollab_nb.views.contents import ContextTable
from opencollab_nb.views.lab_results import Over, WhatIfView
from opencollab_nb.views.labels import clean
from opencollab_nb.views.pairs import PairList
from opencollab_nb.views.recordings import Recording
from opencollab_nb.views.sent import content_of, fates
from opencollab_nb.views.strips import Strip, strips_html, strips_text
from opencollab_nb.views.text import escaped, head
from opencollab_nb.views.trials import trial_of, without_calls

SUMMARY_CHARS = 600
RECORDED, TRIED = "as recorded", "what if"


def context_of(transcript: Transcript, step: int | None = None, window: int | None = None) -> ContextTable:
    """What the original agent sent for a request, and what of the transcript it did not.

    Args:
        transcript: loaded.
        step: the number of the model call; None for the request that would come next.
        window: in tokens, instead of that of the transcript.
    """
    found = setting_of(transcript, step, None, window=window)
    sent = fates(Request(found.before), found.messages, lambda m: found.pressure.weight([m]))
    what = "the request that would come next" if found.step is None else f"the request of step {found.step:,}"
    return ContextTable(sent, found.source, found.pressure.overhead_tokens, what)


@dataclass(frozen=True, repr=False)
class RequestView:
    """One request of a loaded transcript as the original agent sent it, over all messages so far."""

    setting: Setting
    call: Call
    strips: Sequence[Strip] = field(default=())

    @classmethod
    def of(cls, transcript: Transcript, step: int, window: int | None = None) -> RequestView:
        """The request of a step.

        Raises:
            UsageProblem: there is no such step.
        """
        found = setting_of(transcript, step, None, window=window)
        call = of_transcript(transcript).calls[step - 1]

        def weigh(message: Any) -> int:
            return found.pressure.weight([message])

        tokens = found.pressure.tokens(found.before)
        return cls(found, call, [Strip.of("as sent", found.before, found.messages, weigh, tokens)])

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say of it."""
        found, usage = self.setting, self.call.usage
        summaries = [m for m in found.before if covers_of(m)]
        window = f"{found.pressure.window:,}" if found.pressure.window else "unknown"
        tokens = f"{self.strips[0].tokens:,} tokens ({found.source}"
        if usage:
            tokens += f"; reported {usage.input_tokens:,}, {usage.cached_input_tokens:,} of them cached"
        limits = f"{found.pressure.trigger:,}, {found.pressure.target:,}, {window}"
        facts = [
            ("input", tokens + ")"),
            ("trigger, target, window", limits),
            ("messages", f"{len(found.before):,} sent, {len(found.messages):,} stored"),
            ("model", self.call.model or ""),
            ("reply", head(content_of(self.call.reply), 200)),
            *(("summary of the file", head(text_of(m), SUMMARY_CHARS)) for m in summaries[:3]),
        ]
        return [(name, clean(text, SUMMARY_CHARS)) for name, text in facts if text]

    def _title(self) -> str:
        return f"step {self.call.step:,} as the original agent sent it"

    def __repr__(self) -> str:
        facts = [f"  {name}: {text}" for name, text in self.facts()]
        return "\n".join([self._title(), strips_text(self.strips), *facts])

    def _repr_html_(self) -> str:
        left = "text-align:left;vertical-align:top"
        rows = "".join(
            f"<tr><th style='{left};white-space:nowrap'>{escaped(name)}</th>"
            f"<td style='{left};overflow-wrap:anywhere'><bdi>{escaped(text)}</bdi></td></tr>"
            for name, text in self.facts()
        )
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p><b>{escaped(self._title())}</b></p>{strips_html(self.strips)}<table>{rows}</table></div>"
        )


def whatif_of(
    transcript: Transcript,
    chain: Sequence[Any],
    step: int | None = None,
    mode: str | None = None,
    target_ratio: float | None = None,
    window: int | None = None,
) -> WhatIfView:
    """A chain at one request of a loaded transcript, and at all of them, in force from the first call on.

    Args:
        transcript: loaded.
        chain: as for `session.use`: shapers in order, or the name of a policy.
        step: the number of the model call; None for the request that would come next.
        mode: `sticky` or `stateless`; None for that of the chain.
        target_ratio: see `what_if`.
        window: see `what_if`.
    """
    parts = chain if isinstance(chain[0], str) else list(map(without_calls, ShaperPipeline(*chain).shapers))
    how: dict[str, Any] = {"target_ratio": target_ratio, "window": window}
    found = what_if(transcript, *parts, step=step, mode=mode, afresh=False, **how)
    setting = setting_of(transcript, step, None, target_ratio, window)
    name = transcript.origin.name if transcript.origin else "the transcript"
    when = f"step {step:,} of {head(name, 60)}" if step else f"{head(name, 60)} as it stands"
    recording = Recording(when, setting.messages, setting.pressure)
    trial = trial_of(found, recording, "as it was" if step else "as it is", TRIED)
    curve = pressure_curve(transcript, *parts, mode=found.mode, **how)
    acted = sum(bool(point.layers) for point in curve)
    tokens, kept = [p.tokens for p in curve], [p.prefix_kept_tokens for p in curve]
    runs = [recorded_over(transcript, window), Over(TRIED, tokens, kept, acted)]
    listed = PairList.of(setting.messages, trial.before.sent, trial.after.sent)
    listed = PairList(listed.messages, listed.runs, (RECORDED, TRIED))
    return WhatIfView(
        found, trial, curve, runs, found.trigger, listed, "input and prefix weighed by the reports"
    )


def curve_figure(
    transcript: Transcript, chain: Sequence[Any], *, mode: str | None = None, window: int | None = None
) -> Any:
    """The pressure at every call of a loaded transcript: under a chain, and without any shaping.

    Args:
        transcript: loaded.
        chain: as for `whatif_of`.
        mode: `sticky` or `stateless`; None for sticky.
        window: see `what_if`.
    """
    from opencollab_nb.compare import compare
    from opencollab_nb.views.compare_figures import compare_pressure

    one = chain[0] if len(chain) == 1 else list(chain)
    return compare_pressure(compare(transcript, [one, None], window=window, mode=mode or "sticky"))


def recorded_over(transcript: Transcript, window: int | None = None) -> Over:
    """All requests as the original agent sent them: reported input, where there is a report, else weighed."""
    subject = of_transcript(transcript)
    weighed = weighing_of(subject, window=window)
    tokens, kept = [], []
    before: Any = []
    for n, call in enumerate(subject.calls):
        sent, pressure = subject.sent(call), weighed.pressure(n)
        tokens.append(call.usage.input_tokens if call.usage else pressure.tokens(sent))
        kept.append(prefix_tokens(pressure, sent, common(before, sent), first=not n))
        before = sent
    compactions = len(transcript.origin.compactions) if transcript.origin else 0
    return Over(RECORDED, tokens, kept, compactions)

"""Try every law on a shaper, with seeded random transcripts and with given ones; no test library needed."""

from __future__ import annotations

import copy
import html
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from opencollab_nb.errors import LayerDeclined
from opencollab_nb.messages import Message, Messages, with_meta
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.groups import groups
from opencollab_nb.shaping.guarded import TooSlow, limit, within
from opencollab_nb.shaping.held import summarizer_codes
from opencollab_nb.shaping.late import spares_newest
from opencollab_nb.shaping.law_words import Failure, as_html, as_lines, place
from opencollab_nb.shaping.laws import LAWS, PAIRWISE, no_messages, shorter
from opencollab_nb.shaping.outside import is_from_outside
from opencollab_nb.shaping.pipeline import ShaperPipeline, acts_of, refuse_no_shaper
from opencollab_nb.shaping.report import name_of
from opencollab_nb.shaping.samples import sample
from opencollab_nb.shaping.shrink import smallest

_SLOW_TRIES, _SLOW_SECONDS = 3, 1.0
"""Attempts to show a call that does not end on something smaller; each of them waits."""


@dataclass
class LawReport:
    """Truthy when all laws held on all examples; else the smallest transcript found for each broken one."""

    shaper: str
    examples: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)
    """By the law's name."""

    def __bool__(self) -> bool:
        return not self.failures

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        broken = "".join(map(as_html, self.failures.values()))
        return (
            f"<div class='mathjax_ignore tex2jax_ignore'><p>{html.escape(self._verdict())}</p>{broken}</div>"
        )

    def _verdict(self) -> str:
        verdict = f"all {len(LAWS)} laws hold" if self else f"breaks {', '.join(self.failures)}"
        return f"{self.shaper}: {verdict} ({self.examples} transcripts)"

    def _lines(self) -> Iterator[str]:
        yield self._verdict()
        for failure in self.failures.values():
            yield from as_lines(failure)


def check_shaper(
    shaper: Any, *, examples: int = 100, transcripts: Iterable[Sequence[Message]] = (), seed: int = 0
) -> LawReport:
    """Run all nine laws on `examples` random transcripts and on the given ones.

    A shaper that takes longer than it may in a run, five seconds, is left behind; what it breaks is
    then `sendable`, with the line where it stood, and nothing else is tried.

    Args:
        shaper: a function of (messages, pressure), or an object with `shape`.
        examples: how many random transcripts, the same for the same `seed`.
        transcripts: more lists of messages; they are numbered anew.
        seed: another one gives other transcripts.

    Raises:
        UsageProblem: (a ValueError) not a shaper.

    >>> check_shaper(lambda messages, pressure: messages[-3:], examples=9).failures.keys() >= {"pinned"}
    True
    """
    refuse_no_shaper(shaper)
    report, rng = LawReport(name_of(shaper)), random.Random(seed)
    given = [[with_meta(m, id=at) for at, m in enumerate(messages)] for messages in transcripts]
    # The random ones first: they are short, and so is what is found on them.
    for number in range(examples + len(given)):
        messages = sample(rng) if number < examples else given[number - examples]
        pressure = random_pressure(rng, messages)
        report.examples += 1
        try:
            broken = broken_laws(shaper, messages, pressure)
        except TooSlow as slow:
            report.failures["sendable"] = _too_slow(slow, shaper, messages, pressure)
            return report
        for law in broken:
            if law not in report.failures:
                report.failures[law] = _smallest_failure(law, shaper, messages, pressure)
    return report


def _too_slow(slow: TooSlow, shaper: Any, messages: Messages, pressure: Pressure) -> Failure:
    """One call that did not end; a few smaller transcripts are tried, each for a short time."""
    # The layers of a chain have their own time, which cannot be made shorter here.
    left = [] if isinstance(shaper, ShaperPipeline) else [_SLOW_SECONDS] * _SLOW_TRIES

    def is_slow(fewer: Messages) -> bool:
        if not left:
            return False
        try:
            run(shaper, copy.deepcopy(fewer), pressure, left.pop())
        except TooSlow:
            return True
        except Exception:  # noqa: BLE001 - another fault than the one looked for
            return False
        return False

    why = f"it {slow}; there is nothing to send, and no other transcript was tried"
    return Failure("sendable", why, smallest(messages, is_slow), pressure)


def _smallest_failure(law: str, shaper: Any, messages: Messages, pressure: Pressure) -> Failure:
    total_tokens = pressure.tokens(messages)

    def as_full(fewer: Messages) -> Pressure:
        """What was left out weighs on as overhead, else a small transcript would be under no pressure."""
        missing_tokens = max(0, total_tokens - pressure.tokens(fewer))
        return replace(pressure, overhead_tokens=pressure.overhead_tokens + missing_tokens)

    slow: list[TooSlow] = []

    def broken(fewer: Messages) -> dict[str, str]:
        try:
            return {} if slow else broken_laws(shaper, fewer, as_full(fewer))
        except TooSlow as problem:
            slow.append(problem)
            return {}

    small = smallest(messages, lambda fewer: law in broken(fewer))
    why = broken(small).get(law, "not on every run: it is not a pure function")
    return Failure(law, why, small, as_full(small), _after(shaper, small, as_full(small)))


def _after(shaper: Any, messages: Messages, pressure: Pressure) -> Any:
    """What comes out, for the reader; None where the shaper raises."""
    try:
        return run(shaper, copy.deepcopy(messages), pressure)
    except Exception:  # noqa: BLE001 - that it raises is told by the law it breaks
        return None


def broken_laws(shaper: Any, messages: Messages, pressure: Pressure) -> dict[str, str]:
    """The laws this shaper breaks on this input, and how.

    Raises:
        TooSlow: a call took longer than it may in a run.
    """
    given = copy.deepcopy(messages)
    try:
        return dict(_broken(shaper, messages, given, pressure))
    except TooSlow:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a user's shaper raises is the finding
        return {"sendable": f"raised {type(error).__name__}: {error}{place(error)}; there is nothing to send"}


def _broken(
    shaper: Any, messages: Messages, given: Messages, pressure: Pressure
) -> Iterator[tuple[str, str]]:
    acts = acts_of(shaper)
    after = run(shaper, given, pressure)
    if given != messages:
        yield "pure", "the input was changed"
        return
    if malformed := no_messages(given, after):
        yield "sendable", malformed
        return
    if run(shaper, given, pressure) != after:
        yield "pure", "the same input gave two outputs"
    if after is given:
        return
    if after == given:
        yield "calm", "nothing was changed, yet it is not the same object that came back"
    elif acts == "over" and not pressure.over(given):
        yield "calm", "it acted below its limit"
    for name, law in PAIRWISE.items():
        if wrong := law(given, after):
            yield name, wrong
    if wrong := shorter(given, after, pressure):
        yield "shorter", wrong
    if run(shaper, after, pressure) != after:
        yield "settled", "shaping the output again changed it again"
    if acts == "each" and _apart(shaper, given, pressure) != after:
        yield "local", "group by group it gives another result than on the whole"


def _apart(shaper: Any, messages: Messages, pressure: Pressure) -> Messages:
    """Group by group; one that spares the newest group is shown what follows each."""
    out: Messages = []
    for group in groups(messages):
        following = messages[group.stop : group.stop + 1] if spares_newest(shaper) else []
        shaped = run(shaper, [*group.messages, *following], pressure)
        out += shaped[: len(shaped) - len(following)]
    return out


def run(shaper: Any, messages: Messages, pressure: Pressure, seconds: float | None = None) -> Any:
    """What the shaper returns; the input where it declines.

    Raises:
        TooSlow: it is not ours, and took longer than it may; in a chain, one of its layers did.
    """
    if isinstance(shaper, ShaperPipeline):
        after, reports = shaper.report(messages, pressure)
        slow = next((r for r in reports if r.fault and r.seconds >= limit()), None)
        if slow is not None:
            raise TooSlow(f"{slow.problem}, in {slow.layer}")
        return after
    shape = getattr(shaper, "shape", shaper)
    try:
        if is_from_outside(shaper):
            return within(lambda: shape(messages, pressure), seconds, summarizer_codes([shaper]))
        return shape(messages, pressure)
    except LayerDeclined:
        return messages


def random_pressure(rng: random.Random, messages: Messages) -> Pressure:
    """Limits near the weight of these messages: calm, in a round, over the trigger, or forced."""
    total = Pressure.of().tokens(messages)
    window = max(1_024, int(total * rng.uniform(1.0, 4.0)))
    trigger = Pressure.of(window).trigger
    # A short transcript cannot fill the smallest window by itself.
    overhead_tokens = max(0, int(trigger * rng.uniform(0.7, 1.5)) - total) if window == 1_024 else 0
    pressure = Pressure.of(window, overhead_tokens=overhead_tokens)
    kind = rng.random()
    if kind < 0.2:
        return pressure.after_refusal(messages)
    return pressure.in_round() if kind < 0.5 and pressure.over(messages) else pressure

"""The chain: each layer sees what the one before left; a layer that fails is skipped and named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import CodeType
from typing import Any, Protocol

from opencollab_nb.errors import LayerDeclined, UsageProblem
from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.forced import forced_caps
from opencollab_nb.shaping.guarded import TooSlow, raised_at
from opencollab_nb.shaping.held import summarizer_codes
from opencollab_nb.shaping.law_words import inert
from opencollab_nb.shaping.outside import Unfit, is_from_outside, shaped_on_copies
from opencollab_nb.shaping.place import numbered, without_numbers
from opencollab_nb.shaping.report import LayerReport, layer_report, name_of
from opencollab_nb.shaping.summary import Summarizer, Summary

ACTS = ("each", "over", "always")


class HasShape(Protocol):
    """A shaper that is an object; a plain function of the same signature is one too."""

    def shape(self, messages: Messages, pressure: Pressure, /) -> Messages:
        """The messages to send; the same object where nothing is to be done."""
        ...


Shaper = HasShape | Callable[[Messages, Pressure], Messages]


def acts_of(shaper: Any) -> str:
    """When a shaper acts: `each` group as it comes, `over` the limit (default), `always`.

    Raises:
        UsageProblem: `acts` is something else.
    """
    acts = getattr(shaper, "acts", "over")
    if acts not in ACTS:
        raise UsageProblem(f"{name_of(shaper)}.acts is {acts!r}; known: {', '.join(ACTS)}")
    return str(acts)


class ShaperPipeline:
    """Shapers from the cheapest loss to the dearest. Itself a shaper: one round of all its layers.

    Raises:
        UsageProblem: something that is no shaper.

    >>> from opencollab_nb.shaping.snip import OldHistorySnipShaper
    >>> ShaperPipeline(ShaperPipeline(OldHistorySnipShaper()))
    ShaperPipeline(OldHistorySnipShaper(keep_recent_groups=4))
    """

    acts = "always"

    def __init__(self, *shapers: Shaper) -> None:
        self.shapers: tuple[Shaper, ...] = tuple(layer for shaper in shapers for layer in _layers(shaper))

    def __repr__(self) -> str:
        return f"ShaperPipeline({', '.join(_written(s) for s in self.shapers)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShaperPipeline) and self.shapers == other.shapers

    def __hash__(self) -> int:
        return hash(tuple(map(name_of, self.shapers)))

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages after all layers; the same object where no layer acted."""
        return self.report(messages, pressure)[0]

    def report(self, messages: Messages, pressure: Pressure) -> tuple[Messages, list[LayerReport]]:
        """The shaped messages, and a report for each layer, in order.

        Over the trigger a round opens, in which every layer works towards the target. A forced
        pressure makes it a forced pass: all that may be removed is, and what is left is cut. Reports
        name a message without an id by its position.
        """
        source = numbered(messages)
        pressure = pressure.knowing(source, pressure.tokens(messages))
        limits = pressure.in_round() if pressure.over(source) else pressure
        shaped, reports = chain(self.shapers, source, limits)
        return without_numbers(shaped, source, messages), reports

    def with_summarizer(self, summarizer: Summarizer | None) -> ShaperPipeline:
        """The same chain with this summarizer in every `AutoCompactShaper`."""
        return ShaperPipeline(
            *(
                replace(s, summarizer=summarizer) if isinstance(s, AutoCompactShaper) else s
                for s in self.shapers
            )
        )


def chain(
    shapers: Iterable[Shaper], messages: Messages, pressure: Pressure
) -> tuple[Messages, list[LayerReport]]:
    """Run the layers one after another, under the pressure as it is given.

    A layer that raises, declines, or gives back what could not be sent is skipped; its report says
    why. A forced pressure adds the last caps, which are reported where they cut something.
    """
    reports: list[LayerReport] = []
    layers = list(shapers)
    elsewhere = summarizer_codes(layers) if any(map(is_from_outside, layers)) else frozenset[CodeType]()
    for shaper in layers:
        messages, report = _layer(shaper, messages, pressure, elsewhere)
        pressure = pressure.knowing(messages, report.tokens_after)
        reports.append(report)
    if pressure.forced:
        messages, report = _layer(forced_caps, messages, pressure)
        reports += [report] if report.acted else []
    return messages, reports


def _layer(
    shaper: Shaper, messages: Messages, pressure: Pressure, elsewhere: frozenset[CodeType] = frozenset()
) -> tuple[Messages, LayerReport]:
    started = time.perf_counter()
    after, problem, summary, fault = messages, None, None, False
    try:
        after, summary = _shaped(shaper, messages, pressure, elsewhere)
    except LayerDeclined as reason:
        problem = str(reason)
        summary = reason.summary if isinstance(reason.summary, Summary) else None
    except Exception as error:  # noqa: BLE001 - a user's shaper: its fault is shown and must not end the run
        problem, fault = _told(error), True
    seconds = time.perf_counter() - started
    return after, layer_report(
        shaper, messages, after, pressure, seconds=seconds, problem=problem, summary=summary, fault=fault
    )


def _shaped(
    shaper: Any, messages: Messages, pressure: Pressure, elsewhere: frozenset[CodeType]
) -> tuple[Messages, Summary | None]:
    if isinstance(shaper, AutoCompactShaper):
        return shaper.compact(messages, pressure)
    if not is_from_outside(shaper):
        return getattr(shaper, "shape", shaper)(messages, pressure), None
    return shaped_on_copies(shaper, messages, pressure, elsewhere), None


def _told(error: Exception) -> str:
    """What went wrong, with the line in the user's code."""
    if isinstance(error, (TooSlow, Unfit)):
        return str(error)
    return f"{type(error).__name__}: {error}{raised_at(error)}"


def _layers(shaper: Any) -> tuple[Shaper, ...]:
    if isinstance(shaper, ShaperPipeline):
        return shaper.shapers
    refuse_no_shaper(shaper)
    acts_of(shaper)
    return (shaper,)


def refuse_no_shaper(shaper: Any) -> None:
    """Say what a shaper is to whoever gave something else.

    Raises:
        UsageProblem: (a ValueError) not a shaper.
    """
    if isinstance(shaper, type) and hasattr(shaper, "shape"):
        name = shaper.__name__
        raise UsageProblem(f"the class {name} is no shaper, what it makes is one: give {name}()")
    if isinstance(shaper, type) or not callable(getattr(shaper, "shape", shaper)):
        raise UsageProblem(
            f"{shaper!r} is no shaper: needed is a function of (messages, pressure), or an object with "
            "`shape(messages, pressure)`"
        )


def _written(shaper: Any) -> str:
    text = repr(shaper) if hasattr(shaper, "__dataclass_fields__") else name_of(shaper)
    return inert(KNOWN.struck(text))

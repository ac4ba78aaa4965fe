"""The chain: each layer sees what the one before left; a layer that fails is skipped and named."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from opencollab_nb.errors import LayerDeclined, ShapingError, UsageProblem
from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.forced import forced_caps
from opencollab_nb.shaping.guarded import TooSlow, raised_at, within, written_at
from opencollab_nb.shaping.laws import refused
from opencollab_nb.shaping.report import LayerReport, layer_report, name_of
from opencollab_nb.shaping.summary import Summarizer, Summary

ACTS = ("each", "over", "always")


class Edited(ShapingError):
    """A shaper changed its input, which it must leave as it is."""


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
        pressure makes it a forced pass: all that may be removed is, and what is left is cut.
        """
        pressure = pressure.knowing(messages, pressure.tokens(messages))
        return chain(self.shapers, messages, pressure.in_round() if pressure.over(messages) else pressure)

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
    for shaper in shapers:
        messages, report = _layer(shaper, messages, pressure)
        pressure = pressure.knowing(messages, report.tokens_after)
        reports.append(report)
    if pressure.forced:
        messages, report = _layer(forced_caps, messages, pressure)
        reports += [report] if report.acted else []
    return messages, reports


def _layer(shaper: Shaper, messages: Messages, pressure: Pressure) -> tuple[Messages, LayerReport]:
    started = time.perf_counter()
    after, problem, summary, fault = messages, None, None, False
    try:
        after, summary = _shaped(shaper, messages, pressure)
        if after is not messages and not _is_ours(shaper):
            problem = refused(messages, after)
            if problem:
                problem, fault = problem + written_at(shaper), True
    except LayerDeclined as reason:
        problem = str(reason)
        summary = reason.summary if isinstance(reason.summary, Summary) else None
    except Exception as error:  # noqa: BLE001 - a user's shaper: its fault is shown and must not end the run
        problem, fault = _told(error, shaper), True
    after = messages if problem else after
    seconds = time.perf_counter() - started
    return after, layer_report(
        shaper, messages, after, pressure, seconds=seconds, problem=problem, summary=summary, fault=fault
    )


def _shaped(shaper: Any, messages: Messages, pressure: Pressure) -> tuple[Messages, Summary | None]:
    if isinstance(shaper, AutoCompactShaper):
        return shaper.compact(messages, pressure)
    shape = getattr(shaper, "shape", shaper)
    if _is_ours(shaper):
        return shape(messages, pressure), None
    # A shaper from outside gets copies: what it edits in place must reach neither view nor transcript.
    given = copy.deepcopy(messages)
    limits = pressure.knowing(given, pressure.tokens(messages))
    after = within(lambda: shape(given, limits))
    if given != messages:
        raise Edited("it changed the messages it was given, or their list; a shaper gives back new ones")
    if not isinstance(after, list):
        return after, None
    originals = {id(theirs): ours for theirs, ours in zip(given, messages, strict=False)}
    after = [_original(m, originals) for m in after]
    return (messages if _same_objects(after, messages) else after), None


def _original(message: Any, originals: dict[int, Any]) -> Any:
    """Our object for a copy that came back as it was, so that its weight is known."""
    ours = originals.get(id(message))
    return ours if ours is not None and ours == message else message


def _same_objects(one: Messages, other: Messages) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _is_ours(shaper: Any) -> bool:
    kind = shaper if hasattr(shaper, "__qualname__") else type(shaper)
    return str(kind.__module__).startswith("opencollab_nb.shaping.")


def _told(error: Exception, shaper: Any) -> str:
    """What went wrong, with the line in the user's code."""
    if isinstance(error, TooSlow):
        return str(error)
    if isinstance(error, Edited):
        return f"{error}{written_at(shaper)}"
    return f"{type(error).__name__}: {error}{raised_at(error)}"


def _layers(shaper: Any) -> tuple[Shaper, ...]:
    if isinstance(shaper, ShaperPipeline):
        return shaper.shapers
    if isinstance(shaper, type) or not callable(getattr(shaper, "shape", shaper)):
        raise UsageProblem(
            f"{shaper!r} is no shaper: needed is a function of (messages, pressure), or an object with "
            "`shape(messages, pressure)`"
        )
    acts_of(shaper)
    return (shaper,)


def _written(shaper: Any) -> str:
    return repr(shaper) if hasattr(shaper, "__dataclass_fields__") else name_of(shaper)

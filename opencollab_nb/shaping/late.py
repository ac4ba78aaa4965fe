"""Layers that act on a group once it is no longer the newest: what the model has not read yet stays.

Such a layer says `spares_newest = True` beside `acts = "each"`. It is shown a group together with
what follows it, so that it need not be asked about the whole view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opencollab_nb.messages import Message, Messages, id_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.lighter import is_lighter
from opencollab_nb.shaping.pipeline import chain
from opencollab_nb.shaping.report import LayerReport, layer_report


def spares_newest(shaper: Any) -> bool:
    """True for a layer that leaves the newest group as it is."""
    return bool(getattr(shaper, "spares_newest", False))


def no_longer_newest(
    shapers: Sequence[Any],
    view: Messages,
    fresh: Messages,
    original: Callable[[Message], Message],
    pressure: Pressure,
) -> tuple[Messages, list[LayerReport]]:
    """The view once `fresh` follows it: its last group as these layers leave it.

    They see the originals of that group, not what other layers have left of them, and what they make
    of a message takes its place only where it is lighter. The same view where nothing is.
    """
    if not (shapers and view and fresh):
        return view, []
    newest = newest_groups(view, 1)[0]
    part = view[newest.start :]
    if any(id_of(m) is None for m in part):
        return view, []
    sources = [original(m) for m in part]
    tail = [*sources, *(fresh if newest.open else fresh[:1])]
    beside_tokens = pressure.weight(view[: newest.start]) + pressure.weight(fresh)
    told: list[LayerReport] = []
    for shaper in shapers:
        before = part
        tail, [report] = chain([shaper], tail, pressure)
        pairs = zip(before, sources, tail, strict=False)
        changed = [now if now is not was and is_lighter(now, m, pressure) else m for m, was, now in pairs]
        part = changed if any(now is not m for now, m in zip(changed, before, strict=True)) else before
        facts: dict[str, Any] = {name: getattr(report, name) for name in ("seconds", "problem", "fault")}
        told.append(layer_report(shaper, before, part, pressure, **facts).beside(beside_tokens))
    reports = [report for report in told if report.matters]
    return (view if part == view[newest.start :] else [*view[: newest.start], *part]), reports

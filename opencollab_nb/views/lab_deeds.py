"""What the exploring verbs of `%oc` do: each is one call deep into the Python API."""

from __future__ import annotations

from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.transcript import Transcript
from opencollab_nb.views import export as exporting
from opencollab_nb.views.branch_view import branches_of
from opencollab_nb.views.chains import read_chain
from opencollab_nb.views.contents import ContextTable
from opencollab_nb.views.deeds import Order, ids_in
from opencollab_nb.views.lab_results import MomentView, RoundTable, WhatIfView
from opencollab_nb.views.lines import COUNT, Kind
from opencollab_nb.views.loaded import RequestView, curve_figure, whatif_of
from opencollab_nb.views.results import ShaperTable
from opencollab_nb.views.text import percent

RATIO = Kind("a share such as 0.75", float)
KINDS = ("shaper", "summarizer")


def whatif(order: Order) -> Any:
    """Another chain on the transcript, at one step and over all so far."""
    chain = read_chain(order.texts, order.user_names)
    step, mode, target_ratio = (order.flags.get(name) for name in ("step", "mode", "target"))
    source, window = order.source, order.flags.get("window")
    if isinstance(source, Transcript):
        if order.flags.get("figure"):
            return curve_figure(source, chain, mode=mode, window=window)
        return whatif_of(source, chain, step, mode, target_ratio, window)
    for flag in ("window", "figure"):
        if flag in order.flags:
            raise UsageProblem(f"--{flag} is for transcripts that were loaded; a session has its panel")
    return WhatIfView.of(source, chain, step, mode, target_ratio)


def rounds(order: Order) -> RoundTable:
    """The rounds so far."""
    order.at_most(0, "rounds")
    return RoundTable(order.session.rounds())


def at(order: Order) -> MomentView | RequestView:
    """The request of one step."""
    words = order.at_most(1, "at STEP")
    if not words:
        raise UsageProblem("at which step? %oc at STEP, such as %oc at 12")
    step, source = COUNT.value("at", words[0]), order.source
    if isinstance(source, Transcript):
        return RequestView.of(source, step, order.flags.get("window"))
    return MomentView.of(source, step)


def fork(order: Order) -> Any:
    """A branch, named and current."""
    words = order.at_most(1, "fork [STEP]")
    session = order.session
    step = COUNT.value("fork", words[0]) if words else session.steps
    branch = session.fork(step)
    order.names.put(order.names.free_name(f"{session.name or 'agent'}-at-{step}", "%oc fork"), branch)
    return branch


def branches(order: Order) -> Any:
    """A run and its branches side by side."""
    order.at_most(0, "branches [--figure]")
    return branches_of(order.session, figure=bool(order.flags.get("figure")))


def panel(order: Order) -> Any:
    """The session itself: a notebook shows its panel."""
    order.at_most(0, "panel")
    return order.session


def restore(order: Order) -> ContextTable:
    """Originals back into the view."""
    order.session.restore(ids_in(order, "restore ID..."))
    return ContextTable.of(order.session)


def target(order: Order) -> ShaperTable:
    """The target's share of the trigger."""
    words = order.at_most(1, "target RATIO")
    if not words:
        raise UsageProblem("which share of the trigger? %oc target 0.75")
    order.session.use_target(RATIO.value("target", words[0]))
    return ShaperTable.of(order.session, f"rounds work down to {percent(float(words[0]))} of the trigger")


def export(order: Order) -> exporting.Exported:
    """A shaper or summarizer of a cell as a module."""
    words = order.at_most(3, "export shaper NAME FILE.py")
    if len(words) < 3:
        raise UsageProblem("export what, and where? %oc export shaper NAME FILE.py")
    kind, name, path = words
    if kind not in KINDS:
        raise UnknownName("thing to export", kind, KINDS)
    force = bool(order.flags.get("force"))
    return exporting.export(kind, name, path, order.names.written, order.user_names, force=force)

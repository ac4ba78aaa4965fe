"""Starting a run, and stopping what runs."""

from __future__ import annotations

from opencollab_nb.errors import SessionBusy, UsageProblem
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.ending import handed_over, remembered
from opencollab_nb.session.ends import BY_USER, PAUSED, READY, stopped
from opencollab_nb.session.run import Run

ENDING_SECONDS = 1.0
"""How long a new run waits for one that is on its way to its end."""


def new_run(bench: Bench, steps: int | None, to_step: int | None) -> Run:
    """Start a run; see `Session.start`."""
    former = bench.run
    if former is not None and former.ending:
        former.join(ENDING_SECONDS)
    with bench.lock:
        check_ready(bench)
        for what, number in (("n", steps), ("to_step", to_step)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise UsageProblem(f"{what} is {number!r}: give a whole number of steps from 1 up, or None")
        bench.run = run = Run(bench, steps=steps, to_step=to_step)
    run.begin()
    return run


def check_ready(bench: Bench) -> None:
    """Refuse to start where something is missing.

    Raises:
        SessionBusy: a run, or the making of a request, is under way.
        UsageProblem: the session is closed, or has no model, or not all of its shapers.
    """
    bench.check_open()
    if bench.model is None:
        raise UsageProblem(f"this session has no model: Session.resume({str(bench.path)!r}, model=...)")
    bench.check_chain()
    if bench.ticket is not None or (bench.run is not None and not bench.run.over):
        raise SessionBusy(
            f"a run is under way after step {bench.transcript.committed}: pause or stop it first"
        )


def stop_what_runs(bench: Bench, *, closing: bool = False) -> None:
    """End the run, or the making of a request, now; at rest, only say that the user stopped it.

    Args:
        bench: the session's.
        closing: leave the state of a session at rest as it is.
    """
    if bench.run is not None and not bench.run.over:
        bench.run.stop()
        return
    with bench.lock:
        ticket = bench.ticket
        closing = closing or bench.closed
        if ticket is None and bench.state in (READY, PAUSED) and not closing:
            bench.set_state(stopped(BY_USER), handed_over(bench, stopped(BY_USER), ""))
    if ticket is not None:
        ticket.cancel()
    elif not closing:
        remembered(bench, bench.state)
    bench.tell()

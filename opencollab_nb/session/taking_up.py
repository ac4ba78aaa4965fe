"""Going on exactly where a former process stood: its next request, its state, its traces in the workspace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from opencollab_nb.messages import Message, meta_of, tool_calls_of
from opencollab_nb.session.answers import about
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.ends import DONE, FAULT, IN_FLIGHT, READY, stopped
from opencollab_nb.session.snapshots import FOLDER
from opencollab_nb.session.unfinished import outcome
from opencollab_nb.transcript.repair import unanswered
from opencollab_nb.workspace.changes import changed_since
from opencollab_nb.workspace.shadow import Shadow, SnapshotProblem

MAKING = ("preview", "request", "swap", "pin", "anchor", "todos")
"""Events after which the next request is another one than before."""
NAMED = 20


def cut_short(bench: Bench) -> bool:
    """True where the former process ended in the middle of a run."""
    state = bench.trace.last("state") or {"state": READY}
    return state["state"] in IN_FLIGHT


def take_up(bench: Bench) -> None:
    """Hold the request that a former process had made and not sent, or sent and got no reply to.

    The second is sent again as it was, whatever was learnt of weights in between: the step is made
    from the very request that it was begun with. Nothing is held once something else came after it.
    """
    newest = next((e for e in reversed(bench.trace.stored) if e["kind"] in MAKING), None)
    if newest is None or newest.get("stored") != len(bench.transcript):
        return
    if newest["kind"] == "preview":
        bench.next.hold(replace(bench.next.unshaped(), record=newest["view"], previewed=True))
    elif newest["kind"] == "request" and cut_short(bench):
        held = bench.next.unshaped()
        request = replace(held.request, max_output_tokens=newest["max_output_tokens"])
        bench.next.hold(replace(held, request=request))


def take_over_state(bench: Bench) -> None:
    """Finish what the last step had led to, where the process ended before that was written."""
    if not cut_short(bench):
        return
    state, detail = outcome(bench)
    if state == DONE:
        bench.finished = True
        bench.set_state(DONE, detail)
    elif state == FAULT:
        bench.set_state(stopped(FAULT), detail)


def traces_in_workspace(bench: Bench) -> str | None:
    """What the tools of an unfinished step had changed, as a sentence; None where nothing can be told.

    Files are compared with the last snapshot; where there is none, the calls are named.
    """
    if not cut_short(bench):
        return None
    step = bench.transcript.committed
    stored = bench.transcript.stored
    none: Message = {}
    reply = next((m for m in reversed(stored) if m.get("role") == "assistant"), none)
    calls, open_calls = list[str](), 0
    if meta_of(reply).get("step") == step + 1:
        open_calls = len(unanswered(stored))
        made = tool_calls_of(reply)
        # The first of those without a result may have run; the later ones had not begun.
        calls = [about(call) for call in made[: len(made) - open_calls + 1]]
    names = changed_files(bench)
    if names is None:
        if not calls:
            return None
        return f"the process ended in step {step + 1}; files were not compared, its calls so far: " + listed(
            calls
        )
    if not names:
        goes_on = bool(calls and open_calls) and calls[-1].startswith(("bash", "run_tests"))
        may = "no file differs so far, but a command outlives a process that is killed"
        return f"the process ended in step {step + 1}; {may}: {calls[-1]}" if goes_on else None
    told = f"the process ended after step {step}; changed in the workspace since: {listed(names)}"
    return f"{told}; calls so far: {listed(calls)}" if calls else told


def changed_files(bench: Bench) -> list[str] | None:
    """The files that are other than after the last finished step; None where that is not known."""
    root, kept = getattr(bench.workspace, "root", None), bench.trace.last("snapshot")
    if not isinstance(root, Path) or kept is None or kept["commit"] is None:
        return None
    # A snapshot is written before its step is marked: that of an unmarked step has what it changed.
    older = [e for e in bench.trace.of("snapshot") if e["step"] <= bench.transcript.committed]
    commit = older[-1]["commit"] if older else None
    if commit is None:
        return None
    try:
        return changed_since(Shadow(bench.path / FOLDER, root), commit)
    except SnapshotProblem:
        return None


def listed(names: list[str]) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more

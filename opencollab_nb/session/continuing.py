"""A next session: the work goes on from the handoff of a former one, with fresh budgets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import SessionBusy
from opencollab_nb.session.ending import made, without_where
from opencollab_nb.session.extras import for_a_branch
from opencollab_nb.session.resume import reopen

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench
    from opencollab_nb.session.session import Session


def continued_from(former: Session | Path | str, workspace: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a session that goes on from a former one, those given first.

    Raises:
        SessionBusy: the former one is at work.
        UsageProblem: it had shapers that this process does not have.
    """
    bench = getattr(former, "_bench", None)
    if bench is not None:
        return settings_of(bench, workspace, given)
    bench = reopen(Path(str(former)))
    try:
        return settings_of(bench, workspace, given)
    finally:
        bench.close()


def settings_of(bench: Bench, workspace: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The settings of a former session, those given in their place, and its handoff as it is now."""
    if bench.busy:
        raise SessionBusy(f"{bench.name} is at work after step {bench.transcript.committed}: stop it first")
    start = bench.trace.stored[0]
    system = next((m["content"] for m in bench.transcript.stored if m["meta"]["source"] == "system"), "")
    settings: dict[str, Any] = {
        "task": bench.task,
        "workspace": bench.workspace,
        "window": start["window"] if start["window_source"] == "argument" else None,
        "budget_tokens": bench.ledger.budget_tokens,
        "max_steps": bench.max_steps,
        "max_output_tokens": bench.max_output_tokens,
        "system": system,
        "name": bench.name,
        "mode": bench.mode,
        "on_shaper_error": bench.on_shaper_error,
        "budget": bench.direction.budget,
        "memory": bench.direction.memory,
        "tools": for_a_branch(bench.extras),
        "steering": bench.steering,
        "context": [m for m in bench.transcript.stored if m["meta"]["source"] == "context"],
        "handoff": made(bench, bench.state, without_where(bench.detail)),
    }
    if bench.own_workspace:  # it closes with the session that made it
        settings |= {"workspace": bench.workspace.root, "shell": bench.workspace.shell}
    if not {"shapers", "policy", "budget"} & set(given):
        bench.check_chain()
        settings |= {"policy": bench.policy} if bench.policy else {"shapers": bench.chain}
        settings["summarizer"] = bench.summarizer
    if workspace is not None and not (bench.own_workspace and workspace is bench.workspace):
        settings.pop("shell", None)
        settings["workspace"] = workspace
    return settings | given

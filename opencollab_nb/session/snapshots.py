"""The workspace after each step, kept so that a fork can begin from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.shadow import Shadow, SnapshotProblem

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

FOLDER = "shadow.git"
NAMED = 5


class Snapshots:
    """Keeps a workspace that is a folder; what cannot be kept is told once and ends nothing."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._shadow: Shadow | None = None
        self._told: set[str] = set()
        self._given_up = False
        self._last: tuple[str | None, str | None] | None = None

    def begin(self, ticket: Ticket) -> None:
        """Keep the workspace as it is before the first step."""
        if self._bench.workspace is not None and self._bench.trace.last("snapshot") is None:
            self.keep(self._bench.transcript.committed, ticket)

    def keep(self, step: int, ticket: Ticket) -> None:
        """Keep the workspace as it is at the end of a step.

        Raises:
            StepCancelled: the ticket was cancelled.
        """
        shadow = self._of_workspace()
        if shadow is None or self._given_up:
            return
        commit: str | None = None
        problem: str | None = None
        changed, left_out = 0, tuple[str, ...]()
        try:
            commit, changed, left_out = shadow.snapshot(f"step {step}", ticket=ticket)
        except SnapshotProblem as reason:
            problem, self._given_up = str(reason), reason.lasting
        with self._bench.lock:
            ticket.check()
            if self._last != (commit, problem):
                self._bench.note("snapshot", step=step, commit=commit, changed=changed, problem=problem)
                self._last = (commit, problem)
            self._tell(problem, left_out)

    def _tell(self, problem: str | None, left_out: tuple[str, ...]) -> None:
        texts = [f"{problem}; to fork, give the branch a folder with workspace="] if problem else []
        if left_out:
            more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
            texts.append(f"a fork will not have {', '.join(left_out[:NAMED])}{more}: left out of snapshots")
        for text in texts:
            kind = text.partition(":")[0] if problem else "left out"
            if kind not in self._told:
                self._told.add(kind)
                self._bench.notice(text)

    def _of_workspace(self) -> Shadow | None:
        root = getattr(self._bench.workspace, "root", None)
        if not isinstance(root, Path):
            return None
        if self._shadow is None or self._shadow.root != root:
            kept = self._bench.trace.last("snapshot") or {"commit": None}
            self._shadow = Shadow(self._bench.path / FOLDER, root, commit=kept["commit"])
        return self._shadow

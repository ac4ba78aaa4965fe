"""One agent against a team of three seats: `python notebooks/team_runs.py` plays the runs of notebook 7.

One row a run is appended to data/results/team_runs.csv. A lone agent has an allowance; the team has the same
total, shared out evenly or by need, or that allowance for each of its seats. Everything in the table is of
*simulated* agents.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from four_moves import TOKENS, done_ids, price
from recording import ROOT, record

from opencollab_nb import Team, load_task
from opencollab_nb.tasks import Task
from opencollab_nb.team.outcome import outcome_of
from opencollab_nb.team.seats import SEATS, seats
from opencollab_nb.workspace import Workspace

RESULTS = ROOT / "data" / "results" / "team_runs.csv"
TASK = "orders"
PARTS: dict[str, tuple[int, ...]] = {
    "solo": (1,),
    "team, same total": (1, 1, 1),
    "team, by need": (6, 3, 1),
    "team, same each": (1, 1, 1),
}
"""How the tokens are divided among analyst, coder and tester. `by need` is close to what the seats spend
where nothing limits them, so it was chosen after looking."""
ALLOWANCES = (300_000, 600_000, 900_000, 1_200_000)
"""Of the lone agent, in tokens."""
PROFILES = ("plain", "careful")


@dataclass(frozen=True)
class Job:
    """One run of the table."""

    setting: str
    allowance: int
    profile: str
    seed: int

    @property
    def tokens(self) -> Mapping[str, int]:
        """What each seat may spend."""
        parts = PARTS[self.setting]
        total = self.allowance * (len(parts) if self.setting == "team, same each" else 1)
        names = SEATS if len(parts) > 1 else ("solo",)
        return {name: total * part // sum(parts) for name, part in zip(names, parts, strict=True)}


def jobs(seeds: int) -> Iterator[Job]:
    """Every run, seed by seed."""
    for seed in range(seeds):
        for profile in PROFILES:
            for allowance in ALLOWANCES:
                for setting in PARTS:
                    yield Job(setting, allowance, profile, seed)


def the_task() -> Task:
    """The task with all its constraints told at once: seats begin one after the other."""
    task = load_task(TASK)
    at_once = {name: replace(each, told_after=None) for name, each in task.plan.constraints.items()}
    return replace(task, plan=replace(task.plan, constraints=at_once))


def play(job: Job, folder: Path) -> dict[str, Any]:
    """Play one run in this folder, which is emptied after; gives its row."""
    began, task = time.monotonic(), the_task()
    root = task.fresh_copy(folder / "workspace")
    workspace = Workspace(root, shell="allow")  # noqa: S604 - the agent is a program of ours
    try:
        sessions, outcomes, messages = (alone if job.setting == "solo" else together)(job, workspace, folder)
        usages = [event for session in sessions for event in session.trace.of("usage")]
        spent = {name: sum(event[name] for event in usages) for name in TOKENS}
        return {
            **vars(job),
            "total": sum(job.tokens.values()),
            "milestones": len(task.plan.milestones),
            "done": len(done_ids(task, root)),
            **{name: outcomes.get(name, "") for name in ("solo", *SEATS)},
            "steps": sum(session.steps for session in sessions),
            "longest": max(session.steps for session in sessions),
            "messages": messages,
            **spent,
            "cost_usd": round(price(*spent.values()), 4),
            "seconds": round(time.monotonic() - began, 1),
        }
    finally:
        workspace.close()
        shutil.rmtree(folder, ignore_errors=True)


def alone(job: Job, workspace: Workspace, folder: Path) -> tuple[list[Any], dict[str, str], int]:
    """The session of one agent, how it ended, and that nobody told it anything."""
    session = the_task().session(
        profile=job.profile,
        seed=job.seed,
        workspace=workspace,
        path=folder / "solo",
        budget_tokens=job.tokens["solo"],
        max_steps=None,
        steering=True,
    )
    session.run()
    session.close()
    return [session], {"solo": outcome_of(session)}, 0


def together(job: Job, workspace: Workspace, folder: Path) -> tuple[list[Any], dict[str, str], int]:
    """The sessions of the seats, how each ended, and how many messages were sent."""
    spec, models = seats(TASK, profile=job.profile, seed=job.seed, tokens=job.tokens)
    team = Team(spec, model=models, workspace=workspace, path=folder / "team")
    team.run()
    team.close()
    members = [member for member in team.members.values() if member.session is not None]
    outcomes = {name: result.outcome for name, result in team.result.items()}
    return [member.session for member in members], outcomes, len(team.messages)


if __name__ == "__main__":
    record(
        __doc__,
        jobs,
        play,
        RESULTS,
        ("setting", "allowance", "profile", "seed", "done", "solo", *SEATS, "seconds"),
        seeds=5,
    )

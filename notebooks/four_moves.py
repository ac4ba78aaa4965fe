"""The four moves, measured: `python notebooks/four_moves.py` plays every run of docs/four-moves.md.

One row a run is appended to data/results/four_moves.csv as soon as the run has ended. A run that has a row
is not played again, so the table can be broken off and gone on with. All runs of a seed come before the
next seed: whatever is there is balanced. Everything in the table is of a *simulated* agent.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from recording import ROOT, record

from opencollab_nb import ContextBudget, MemoryStore, Session, load_task
from opencollab_nb.messages import text_of
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.tasks import Task
from opencollab_nb.tasks.acceptance import accepted, committed
from opencollab_nb.tasks.acts import Act, acts_of
from opencollab_nb.tasks.judge import claims_done, drift_of
from opencollab_nb.tasks.rework import rework_of
from opencollab_nb.tasks.violations import violations_of
from opencollab_nb.workspace import Workspace

RESULTS = ROOT / "data" / "results" / "four_moves.csv"
MOVES = ("offload", "compact", "restate", "memory")
SETTINGS: dict[str, tuple[str, ...] | None] = {
    "none": None,
    "cap only": (),
    **{move: (move,) for move in MOVES},
    **{f"all but {move}": tuple(m for m in MOVES if m != move) for move in MOVES},
    "all": MOVES,
}
"""The moves that each setting makes; None for no budget and an empty chain of shapers."""
SHORT_SETTINGS = ("none", "cap only", *MOVES, "all")
"""Of the task that fits its window: what there is to lose is the same with one move as without it."""
PROFILES = ("plain", "careful", "hasty")
WINDOW = 64_000
SESSIONS = 3
SESSION_TOKENS = 5_800_000
"""Half of what the ideal profile needs for the long task with the default chain, 11.56 million."""
PRICED_AS = "gpt-5"
"""The model whose prices, as genai-prices knows them, turn tokens into money."""
RESTED = "20260101T000000Z-four-moves-{:04x}"
"""Folders named like the library's own give a run its id, so that a handoff is the same text every time."""


@dataclass(frozen=True)
class Job:
    """One run of the table."""

    task: str
    setting: str
    profile: str
    seed: int

    @property
    def moves(self) -> tuple[str, ...] | None:
        """What the setting allows."""
        return SETTINGS[self.setting]

    @property
    def sessions(self) -> int:
        """How many sessions follow each other at most."""
        return SESSIONS if self.task == "orders_long" else 1

    @property
    def tokens(self) -> int | None:
        """What each of them may spend."""
        return SESSION_TOKENS if self.task == "orders_long" else None


def jobs(seeds: int) -> Iterator[Job]:
    """Every run, seed by seed: the long task, then the short one that fits its window."""
    for seed in range(seeds):
        for profile in PROFILES:
            for setting in SETTINGS:
                yield Job("orders_long", setting, profile, seed)
            for setting in SHORT_SETTINGS:
                yield Job("orders", setting, profile, seed)


def play(job: Job, folder: Path) -> dict[str, Any]:
    """Play one run in this folder, which is emptied after; gives its row."""
    began, task = time.monotonic(), load_task(job.task)
    root = folder / "workspace"
    task.fresh_copy(root)
    budget = None if job.moves is None else ContextBudget(WINDOW, moves=job.moves)
    memory = MemoryStore(folder / "memory.sqlite") if "memory" in (job.moves or ()) else None
    played: list[Session] = []
    steps_left = task.max_steps
    try:
        for number in range(job.sessions):
            model = SimulatedModel(task.plan, job.profile, job.seed, window=WINDOW)
            common: dict[str, Any] = {
                "path": folder / RESTED.format(number),
                "workspace": Workspace(root, shell="allow"),  # noqa: S604 - the agent is a program of ours
                "max_steps": steps_left,
            }
            if memory is not None and played:
                session = Session.continued(played[-1], model=model, **common)
            else:
                chain = {"shapers": []} if budget is None else {"budget": budget, "memory": memory}
                session = task.session(
                    model, window=WINDOW, budget_tokens=job.tokens, told=False, **chain, **common
                )
            if not told_already(task, played):
                task.follow(session)
            played.append(session)
            session.run()
            steps_left -= session.steps
            if session.state == "done" or steps_left <= 0:
                break
        return {**vars(job), **figures_of(task, played, root), "seconds": round(time.monotonic() - began, 1)}
    finally:
        for session in played:
            session.close()
            session.workspace.close()
        if memory is not None:
            memory.close()
        shutil.rmtree(folder, ignore_errors=True)


def told_already(task: Task, sessions: list[Session]) -> bool:
    """Was the constraint that is told in mid-run said in a session before? A user says it once."""
    later = {c.text for c in task.plan.told_later}
    return any(text_of(m) in later for s in sessions for m in s.transcript.messages if m["role"] == "user")


def figures_of(task: Task, sessions: list[Session], root: Path) -> dict[str, Any]:
    """The judge's figures for a chain of sessions, as if it were one run."""
    acts = list(acts_in_a_row(sessions))
    usages = [event for session in sessions for event in session.trace.of("usage")]
    tokens = {name: sum(event[name] for event in usages) for name in TOKENS}
    last = sessions[-1]
    return {
        "sessions": len(sessions),
        "ends": " ".join(session.state.removeprefix("stopped").strip("()") for session in sessions),
        "milestones": len(task.plan.milestones),
        "done": len(done_ids(task, root)),
        "claims": int(last.state == "done" and claims_done(last.transcript.messages)),
        "rework": rework_of(acts, lambda act: set(act.lines)).total,
        "violations": len(violations_of(task.plan, task.project, acts, root)),
        "drift": drift_of(task.plan, acts),
        "read_backs": sum(act.name == "read_result" for act in acts),
        "steps": sum(session.steps for session in sessions),
        **tokens,
        "restated_tokens": sum(e["tokens"] for s in sessions for e in s.trace.of("restatement")),
        "cost_usd": round(price(*tokens.values()), 4),
    }


TOKENS = ("input_tokens", "cached_input_tokens", "output_tokens")


def acts_in_a_row(sessions: list[Session]) -> Iterator[Act]:
    """The acts of all sessions, their steps counted through."""
    before = 0
    for session in sessions:
        for act in acts_of(session.transcript.messages):
            yield replace(act, step=act.step + before)
        before += session.steps + 1


_JUDGED: dict[tuple[str, str, bytes], bool] = {}


def done_ids(task: Task, root: Path) -> set[str]:
    """Milestones whose committed tests pass, as `judge` counts them.

    In these tasks the sources are the test files and nothing else, and each is judged on the task's own
    project. So one file with the same bytes is judged once.
    """
    plan = task.plan
    wanted = {m.accept: m.id for m in plan.milestones if m.accept}
    assert set(plan.sources) == set(wanted)
    with committed(root) as head:
        if head is None:
            return set()
        keys = {
            name: (task.name, name, (head / name).read_bytes()) for name in wanted if (head / name).is_file()
        }
        new = [name for name, key in keys.items() if key not in _JUDGED]
        if new:
            few = replace(plan, tests={name: plan.tests[name] for name in new}, sources=tuple(new))
            for name, good in accepted(few, task.project, head).items():
                _JUDGED[keys[name]] = good
    return {wanted[name] for name, key in keys.items() if _JUDGED[key]}


@cache
def rates() -> tuple[float, float, float]:
    """Dollars for a million tokens: input that is not cached, cached input, output."""
    from genai_prices import Usage, calc_price

    def of(**usage: int) -> float:
        return float(calc_price(Usage(**usage), model_ref=PRICED_AS, provider_id="openai").total_price)

    million = 1_000_000
    return (
        of(input_tokens=million),
        of(input_tokens=million, cache_read_tokens=million),
        of(output_tokens=million),
    )


def price(input_tokens: int, cached_input_tokens: int, output_tokens: int) -> float:
    """Dollars for these tokens; the cached ones are a part of the input."""
    amounts = (input_tokens - cached_input_tokens, cached_input_tokens, output_tokens)
    return sum(rate * amount / 1e6 for rate, amount in zip(rates(), amounts, strict=True))


if __name__ == "__main__":
    record(
        __doc__,
        jobs,
        play,
        RESULTS,
        ("task", "setting", "profile", "seed", "done", "ends", "seconds"),
        seeds=10,
    )

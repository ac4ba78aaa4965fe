"""A task: a real project, a goal with constraints, and the tests that decide."""

from __future__ import annotations

import html
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.simulated import SimulatedModel, load_plan
from opencollab_nb.models.simulated.folders import folder_of
from opencollab_nb.models.simulated.plan import Plan
from opencollab_nb.tasks.acceptance import accepted
from opencollab_nb.tasks.directing import directed
from opencollab_nb.tasks.judge import Report, judge
from opencollab_nb.tasks.repository import start_repository
from opencollab_nb.tasks.telling import tell_later
from opencollab_nb.workspace import Workspace

if TYPE_CHECKING:
    from opencollab_nb.session import Session

STEPS_RATIO = 3
"""A run may take three times the steps of the reference, then it is stopped."""
FRESH = shutil.ignore_patterns("__pycache__", "*.pyc", ".git")


def load_task(name: str | Path) -> Task:
    """A shipped task by its name, or one of your own by the path of its folder.

    Raises:
        UnknownName: there is no such task; the nearest is named.
        SpecificationError: its plan holds something that is not understood.

    >>> task = load_task("quickstart")
    >>> task.window, len(task.plan.milestones)
    (16000, 7)
    """
    folder = folder_of(name)
    return Task(folder.name, load_plan(folder), folder / "project")


@dataclass(frozen=True)
class Task:
    """One task; `session()` starts a run of it in a fresh workspace."""

    name: str
    plan: Plan
    project: Path
    """The files the workspace starts with; never changed."""

    @property
    def goal(self) -> str:
        """What is to be done, without the constraints."""
        return self.plan.goal.strip()

    @property
    def constraints(self) -> tuple[str, ...]:
        """What must not happen, one sentence each; those that are told later are not among them."""
        return tuple(c.text for c in self.plan.constraints.values() if c.told_after is None)

    @property
    def text(self) -> str:
        """The first user message: goal and constraints."""
        return self.plan.task_text

    @property
    def window(self) -> int:
        """Tokens of the context window the task is meant for."""
        return self.plan.window

    @property
    def max_steps(self) -> int:
        """Three times the reference, then a run is stopped."""
        return STEPS_RATIO * self.plan.steps

    def session(
        self,
        model: Any = None,
        *,
        profile: Any = "plain",
        seed: int = 0,
        workspace: Workspace | None = None,
        shell: str | None = None,
        path: str | Path | None = None,
        text: str | None = None,
        told: bool = True,
        pace_seconds: float = 0.0,
        **settings: Any,
    ) -> Session:
        """A session on this task, in a fresh copy of the project with one commit.

        The workspace lies in the run folder. Shell commands are allowed for the simulated agent only;
        for any other model each waits for your answer, until you say `shell="off"` or `shell="allow"`.

        Args:
            model: None for the simulated agent.
            profile: of the simulated agent: `ideal`, `plain`, `careful`, `hasty` or a `Profile`.
            seed: of the simulated agent.
            workspace: a folder you have prepared yourself; it is used as it is.
            shell: `off`, `ask` or `allow`; a workspace of yours has its own.
            path: the run folder, which must not hold a workspace yet.
            text: a first message of your own instead of the task's.
            told: say the constraints that are told later, each when its milestone is finished.
            pace_seconds: how long each reply of the simulated agent takes, for the eye.
            settings: everything else `Session` takes; `window` and `max_steps` are the task's by default,
                and a `budget` keeps the task's goal and constraints and has its milestones as todos.

        Raises:
            UsageProblem: `path` already holds a workspace.
            UnknownName: no profile has this name.
        """
        from opencollab_nb.session import Session
        from opencollab_nb.session.folder import new_run_folder

        settings = {"window": self.window, "max_steps": self.max_steps, "name": self.name, **settings}
        if model is None:
            model = SimulatedModel(
                self.plan, profile, seed, window=settings["window"], pace_seconds=pace_seconds
            )
        run_folder = Path(path).expanduser() if path is not None else new_run_folder(settings["name"])
        if workspace is None:
            simulated = bool(getattr(model, "simulated", False))
            shell = shell or ("allow" if simulated else "ask")
            # Given as a folder, so that the session closes what it made of it.
            settings |= {"workspace": self.fresh_copy(run_folder / "workspace"), "shell": shell}
        else:
            settings["workspace"] = workspace
        settings["budget"] = directed(self, settings.get("budget"), own_text=text is not None)
        session = Session(text or self.text, model=model, path=run_folder, **settings)
        if told:
            self.follow(session)
        return session

    def follow(self, session: Session) -> Callable[[], None]:
        """Say the constraints that are told later, each when its milestone is finished.

        `session()` does so by itself; a resumed or continued session is followed by this.

        Returns:
            The call that ends it.
        """
        return tell_later(self.plan, session)

    def fresh_copy(self, folder: str | Path) -> Path:
        """The project in a new folder, as a repository with one commit that is the same at every time.

        Raises:
            UsageProblem: the folder is there already.
        """
        folder = Path(folder)
        if folder.exists():
            raise UsageProblem(
                f"{folder} is there already, and a task starts in a fresh folder; give another path=, "
                "or go on with that run by Session.resume."
            )
        shutil.copytree(self.project, folder, ignore=FRESH)
        start_repository(folder)
        return folder

    def passed(self, workspace: Workspace | str | Path) -> bool:
        """Do all tests of the task pass on the workspace's files as they lie?

        The task's own copies of the tests run, in a folder of their own, in a child process.
        """
        root = workspace.root if isinstance(workspace, Workspace) else Path(workspace)
        return all(accepted(self.plan, self.project, root).values())

    def judge(self, session: Session) -> Report:
        """What the run was worth so far: done, claims, violations, rework, steps, tokens."""
        return judge(self, session)

    def __repr__(self) -> str:
        return f"Task({self.name!r}: {self.plan.title})"

    def _repr_html_(self) -> str:
        constraints = "".join(f"<li>{html.escape(text)}</li>" for text in self.constraints)
        later = "".join(
            f"<p>Told once {html.escape(str(c.told_after))} is finished: {html.escape(c.text)}</p>"
            for c in self.plan.told_later
        )
        return (
            f"<p><b>{html.escape(self.plan.title)}</b></p><p>{html.escape(self.goal)}</p>"
            f"<p>Hard constraints:</p><ul>{constraints}</ul>{later}"
            f"<p>{len(self.plan.milestones)} milestones, {self.plan.steps} steps where nothing is forgotten, "
            f"for a window of {self.window:,} tokens.</p>"
        )

"""Tasks: real projects with a goal, constraints, and tests that the agent cannot change.

- `task.py`        `load_task`, `Task`: a session on a fresh copy of the project
- `repository.py`  the first commit of a workspace
- `acceptance.py`  the tests that decide, on a copy of the agent's sources
- `judge.py`       `Report`: what a run was worth
- `telling.py`     constraints that the user tells in mid-run
- `acts.py`        an agent's calls, with their full results
- `rework.py`      work done again
- `commits.py`     commits, and how many lines each changes
- `violations.py`  acts against a constraint
- `checks.py`      the four checks that every task must pass
"""

from opencollab_nb.models.simulated.folders import known
from opencollab_nb.tasks.judge import Report
from opencollab_nb.tasks.task import Task, load_task

__all__ = ["Report", "Task", "known", "load_task"]

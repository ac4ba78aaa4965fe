"""The tools an agent works with, confined to one folder.

workspace.py      `Workspace`: one call by name, always answered with a text
schemas.py        the table of tools: schemas for the model, checks for its arguments
paths.py          `Folder`: opens names inside the folder and never one outside
files.py          file_read, file_write
patch.py          apply_patch
search.py         grep
shell.py          bash
git.py            git_diff, and git with everything off that a repository's config could start
pytest_runner.py  run_tests
forks.py          the test server seen from here
testserver.py     pytest imported once, one fork a run (a script, not imported)
child.py          a child process with its whole group, watched: time, output, ticket
starting.py       no interrupt between a start and its end
output.py         the start and the end of an output of any length
strays.py         ends processes that left their group
environment.py    what a child sees of the kernel's environment: almost nothing
question.py       asks the user before a command runs
texts.py          results without clocks, paths of this machine and broken Unicode
problem.py        what a tool answers as an error
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opencollab_nb.workspace.workspace import Workspace

__all__ = ["Workspace"]


def __getattr__(name: str) -> Any:
    # Imported late: grep's child process needs `search` only, and starts at every other grep.
    if name == "Workspace":
        from opencollab_nb.workspace.workspace import Workspace

        return Workspace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

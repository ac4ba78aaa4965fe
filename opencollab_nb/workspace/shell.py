"""bash: one command in the workspace folder."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from opencollab_nb.messages import encodable
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.contained import Containment, Limits, limited
from opencollab_nb.workspace.problem import ToolProblem


def bash(
    held_by: Containment,
    private: Path,
    env: Mapping[str, str],
    command: str,
    *,
    time_limit_seconds: float,
    output_chars: int,
    ticket: Ticket | None,
) -> str:
    """What the command printed; `Error: …` with its exit status, or when it took too long.

    Raises:
        ToolProblem: the command cannot be started.
        StepCancelled: the ticket was cancelled.
    """
    if "\0" in command:
        raise ToolProblem("the command holds a NUL character; write it without.")
    shell = shutil.which("bash", path=env["PATH"])
    argv = [shell, "--noprofile", "--norc", "-c"] if shell else ["sh", "-c"]
    try:
        finished = run_child(
            held_by.held(limited([*argv, encodable(command)], Limits.of(time_limit_seconds)), private),
            cwd=held_by.root,
            env=env,
            time_limit_seconds=time_limit_seconds,
            output_chars=output_chars,
            ticket=ticket,
        )
    except OSError as problem:
        if problem.errno != errno.E2BIG:
            raise
        raise ToolProblem(
            f"the command has {len(command)} characters, more than the system takes; "
            "write it to a file with file_write and run that."
        ) from None
    return said(replace(finished, code=held_by.code(finished.code)), time_limit_seconds)


def said(finished: Finished, time_limit_seconds: float) -> str:
    """The result text of a command that was run."""
    if finished.timed_out:
        return (
            f"Error: the command took longer than {time_limit_seconds:g} s "
            f"and was ended with all it had started.\n"
            f"{finished.output}"
        )
    if finished.code < 0:
        return f"Error: ended by signal {-finished.code}\n{finished.output}"
    if finished.code:
        return f"Error: exit status {finished.code}\n{finished.output}"
    return finished.output or "(no output)"

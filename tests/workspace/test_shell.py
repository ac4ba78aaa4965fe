"""bash."""

from __future__ import annotations

import time

import pytest

from opencollab_nb.errors import StepCancelled
from opencollab_nb.workspace import Workspace

from .processes import Cancelled


def bash(workspace: Workspace, command: str) -> str:
    return workspace.call("bash", {"command": command})


def test_a_command_runs_in_the_folder(shell):
    assert bash(shell, "ls") == "notes.txt\nshop\ntests\n"
    assert bash(shell, "true") == "(no output)"


def test_a_failing_command_says_its_status_and_its_output(shell):
    assert bash(shell, "echo why; exit 3") == "Error: exit status 3\nwhy\n"
    assert bash(shell, "no-such-command").startswith("Error: exit status 127\n")
    assert bash(shell, "kill -9 $$") == "Error: ended by signal 9\n"


def test_a_slow_command_is_ended_and_what_it_said_is_kept(opened):
    start = time.monotonic()
    answer = bash(opened(shell="allow", time_limit_seconds=0.5), "echo begun; sleep 100")
    assert time.monotonic() - start < 5
    assert (
        answer == "Error: the command took longer than 0.5 s and was ended with all it had started.\nbegun\n"
    )


def test_long_output_keeps_its_start_and_its_end(opened):
    answer = bash(opened(shell="allow", output_chars=1000), "seq 100000")
    assert answer.startswith("1\n2\n")
    assert answer.endswith("99999\n100000\n")
    assert "characters left out" in answer
    assert len(answer) < 1600


@pytest.mark.parametrize("command", ["printf '\\xff\\xd8'", "echo '\ud83e'", "printf 'a\\0b'"])
def test_every_answer_is_sound_unicode(shell, command):
    bash(shell, command).encode()


def test_a_nul_or_an_endless_command_is_answered(shell):
    assert bash(shell, "echo a\0b").startswith("Error: the command holds a NUL character")
    assert "write it to a file" in bash(shell, "echo " + "x" * 3_000_000)


def test_no_start_up_file_of_the_agent_is_read(shell, folder):
    bash(shell, "echo 'echo from bashrc' | tee ~/.bashrc ~/.bash_profile ~/.profile")
    assert bash(shell, "true") == "(no output)"


def test_the_folder_works_again_after_a_cancelled_command(shell):
    cancelled = Cancelled(
        lambda ticket: shell.call("bash", {"command": "touch begun; sleep 100"}, ticket=ticket),
        (shell.root / "begun").exists,
    )
    assert isinstance(cancelled.raised, StepCancelled)
    assert cancelled.seconds < 1
    assert bash(shell, "echo on") == "on\n"


def test_the_same_work_gives_the_same_texts(opened, folder, tmp_path):
    import shutil

    roots = [folder, shutil.copytree(folder, tmp_path / "a longer name")]
    steps = (
        "pwd",
        "git init -q . && git add -A && git commit -qm x && git log",
        "python -c 'print(hash(\"a\"))'",
        "env",
    )
    answers = [[bash(w, step) for step in steps] for w in (opened(root, shell="allow") for root in roots)]
    assert answers[0] == answers[1]


def test_no_file_of_a_command_grows_without_end(shell, folder):
    answer = shell.call("bash", {"command": "truncate -s 2G big; stat -c %s big 2>&1 || echo none"})
    assert "2147483648" not in answer
    assert "File size limit exceeded" in answer or "File too large" in answer

"""git_diff and changes; nothing that a repository's config names is ever started."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from opencollab_nb.workspace import Workspace

from .conftest import run_git


def git_diff(workspace: Workspace, path: str | None = None) -> str:
    return workspace.call("git_diff", {"path": path})


def test_changes_show_whether_staged_or_not_and_new_files_are_named(workspace, repository):
    assert git_diff(workspace) == "(no changes)"
    (repository / "notes.txt").write_text("first\n2nd\nthird\n")
    (repository / "shop/cart.py").unlink()
    (repository / "new.txt").write_text("new")
    run_git(repository, "add notes.txt")
    answer = git_diff(workspace)
    assert "-second\n+2nd" in answer
    assert "deleted file" in answer
    assert answer.endswith("not yet known to git: new.txt")
    assert "cart.py" not in git_diff(workspace, "notes.txt")
    assert workspace.changes() == ["new.txt", "notes.txt", "shop/cart.py"]


def test_without_a_repository_or_a_commit(workspace, folder):
    assert git_diff(workspace).startswith("Error: the workspace folder is no git repository")
    assert workspace.changes() == []
    run_git(folder, "init -q .")
    assert "not yet known to git: notes.txt" in git_diff(workspace)
    run_git(folder, "add notes.txt")
    assert "+first" in git_diff(workspace)


def test_a_repository_around_the_workspace_is_not_used(opened, repository):
    inner = opened(repository / "shop", shell="allow")
    assert git_diff(inner).startswith("Error: the workspace folder is no git repository")
    assert "not a git repository" in inner.call("bash", {"command": "git add -A"})


@pytest.mark.parametrize(
    "path", ["../project", "/etc", "--output=stolen", "-O/etc/passwd", ":(top)", "missing.txt"]
)
def test_a_path_is_only_ever_a_path_inside(workspace, repository, path):
    (repository / "notes.txt").write_text("changed")
    assert git_diff(workspace, path).startswith("Error: ")
    assert not (repository / "stolen").exists()


def test_a_deleted_file_is_a_path(workspace, repository):
    (repository / "notes.txt").unlink()
    assert "-second" in git_diff(workspace, "notes.txt")


def test_names_with_spaces_and_line_breaks_are_whole(workspace, repository):
    (repository / "a b\nc é").write_text("x")
    assert workspace.changes() == ["a b\nc é"]


@pytest.fixture
def hostile(repository: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose config names a program at every place, and the folder where each leaves its mark."""
    marks = tmp_path / "marks"
    marks.mkdir()

    def program(name: str, then: str = "cat") -> str:
        return f"sh -c 'touch {marks}/{name}; {then}'"

    settings = {
        "core.fsmonitor": program("fsmonitor", "true"),
        "core.hooksPath": str(repository / "hooks"),
        "core.pager": program("pager"),
        "pager.diff": program("pager-diff"),
        "core.editor": program("editor", "true"),
        "core.sshCommand": program("ssh", "true"),
        "core.askPass": program("askpass", "true"),
        "diff.external": program("external", "true"),
        "diff.odd.command": program("command", "true"),
        "diff.odd.textconv": program("textconv"),
        "diff.Odd Name.é.textconv": program("textconv2"),
        "filter.odd.clean": program("clean"),
        "filter.odd.smudge": program("smudge"),
        "filter.odd.required": "true",
        "filter.long.process": program("process", "true"),
        "filter.long.required": "true",
        "merge.odd.driver": program("merge", "true"),
        "gpg.program": program("gpg", "true"),
        "commit.gpgSign": "true",
        "log.showSignature": "true",
        "credential.helper": f"!touch {marks}/credential",
        "interactive.diffFilter": program("filter"),
    }
    for key, value in settings.items():
        subprocess.run(["git", "config", key, value], cwd=repository, check=True)
    (repository / "hooks").mkdir()
    for hook in ("pre-commit", "post-commit", "commit-msg", "post-checkout", "post-index-change"):
        for place in (repository / "hooks", repository / ".git/hooks"):
            (place / hook).write_text(f"#!/bin/sh\ntouch {marks}/hook-{hook}\n")
            (place / hook).chmod(0o755)
    (repository / ".gitattributes").write_text("*.txt diff=odd filter=odd merge=odd\n*.py filter=long\n")
    (repository / "notes.txt").write_text("first\nchanged\nthird\n")
    (repository / "shop/cart.py").write_text("changed\n")
    return repository, marks


def started(marks: Path) -> list[str]:
    return sorted(path.name for path in marks.iterdir())


def test_a_hostile_config_starts_nothing(hostile, opened):
    repository, marks = hostile
    workspace = opened(repository)
    assert "+changed" in git_diff(workspace)
    assert "+changed" in git_diff(workspace, "notes.txt")
    assert "notes.txt" in workspace.changes()
    assert started(marks) == []


def test_a_hostile_config_starts_nothing_under_the_plain_git_of_a_command(hostile, opened):
    repository, marks = hostile
    shell = opened(repository, shell="allow")
    for act in ("status", "diff", "diff --ext-diff", "log -p", "--paginate diff", "show"):
        command = f"git {act}"
        assert not shell.call("bash", {"command": command}).startswith("Error: "), command
    assert "+changed" in shell.call("bash", {"command": "git diff notes.txt"})
    steps = "git add -A && git commit -qm two && git checkout -q -b side HEAD~1 && git checkout -q main"
    assert not shell.call("bash", {"command": steps}).startswith("Error: ")
    clash = (
        "git checkout -q side && echo x >> notes.txt && git commit -qam three; git merge -q main; git diff"
    )
    shell.call("bash", {"command": clash})
    assert started(marks) == []


def test_the_hostile_config_is_hostile(hostile):
    """Else the two tests above would show nothing."""
    repository, marks = hostile
    plain = "git config --remove-section filter.long; git diff; git diff --no-ext-diff"
    subprocess.run(plain, shell=True, cwd=repository, capture_output=True)
    assert {"fsmonitor", "command", "external", "textconv", "clean"} <= set(started(marks))


def test_tests_run_with_the_same_settings(hostile, opened):
    repository, marks = hostile
    (repository / "tests/test_git.py").write_text(
        "import subprocess\n"
        "def test_git():\n"
        "    assert '+changed' in subprocess.run(['git', 'diff'], capture_output=True, text=True).stdout\n"
    )
    assert "1 passed" in opened(repository, shell="allow").call("run_tests", {"path": "tests/test_git.py"})
    assert started(marks) == []


def test_a_name_in_the_config_that_cannot_be_overridden_stops_git(hostile, opened):
    repository, marks = hostile
    with (repository / ".git/config").open("ab") as config:
        config.write(f'[filter "\udcff"]\n\tclean = touch {marks}/odd\n'.encode("utf-8", "surrogateescape"))
    (repository / ".gitattributes").write_bytes(b"* filter=\xff\n")
    workspace = opened(repository)
    assert git_diff(workspace).startswith("Error: ")
    assert workspace.changes() == []
    assert started(marks) == []


def test_a_work_tree_outside_is_not_shown(workspace, repository, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/notes.txt").write_text("the secret outside")
    run_git(repository, f"config core.worktree {tmp_path}/elsewhere")
    assert git_diff(workspace) == "(no changes)"


def test_a_broken_config_is_answered(workspace, repository):
    (repository / ".git/config").write_text("[core\n")
    assert git_diff(workspace).startswith("Error: git ")
    assert workspace.changes() == []


def test_commits_are_the_same_each_time(opened, repository, tmp_path):
    import shutil

    other = shutil.copytree(repository, tmp_path / "other")
    command = "echo x > x && git add -A && git commit -qm x && git log -1 --format='%H %an %ae %ad'"
    first, second = (
        opened(root, shell="allow").call("bash", {"command": command}) for root in (repository, other)
    )
    assert first == second
    assert first.endswith(" agent agent@localhost Thu Jan 1 00:00:00 2026 +0000\n")


def test_submodules_are_not_entered(workspace, repository, tmp_path):
    mark = tmp_path / "entered"
    run_git(repository, "init -q sub")
    (repository / "sub/a").write_text("a")
    run_git(repository / "sub", "add a")
    run_git(repository / "sub", "-c user.name=a -c user.email=a@b commit -qm s")
    run_git(repository, "add sub")
    run_git(repository, "-c user.name=a -c user.email=a@b commit -qm sub")
    subprocess.run(
        ["git", "config", "core.fsmonitor", f"sh -c 'touch {mark}'"], cwd=repository / "sub", check=True
    )
    (repository / "sub/a").write_text("b")
    assert git_diff(workspace) == "(no changes)"
    assert workspace.changes() == []
    assert not mark.exists()

"""git_diff, and git with everything off that a repository's own config could start."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.problem import ToolProblem, shown

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's name for a tree without files, to compare with before the first commit."""
TIME_LIMIT_SECONDS = 20.0
NAMED_FILES = 50

_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh",
}
_OFF = {
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.fsmonitor": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "push.gpgSign": "false",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "interactive.diffFilter": "cat",
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "color.ui": "never",
}
_STARTS_PROGRAMS = re.compile(
    r"diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver"
    r"|filter\..*\.(clean|smudge|process|required)",
    re.DOTALL,
)
# For these, git takes no value that means "none"; so each gets a program that does the plain thing.
_PLAIN = {
    "external": """sh -c 'diff -u --label "a/$0" --label "b/$0" "$1" "$4"; true'""",
    "command": """sh -c 'diff -u --label "a/$0" --label "b/$0" "$1" "$4"; true'""",
    "textconv": "cat",
    "driver": "git merge-file %A %O %B",
    "required": "false",
    "clean": "",
    "smudge": "",
    "process": "",
}


def git_environment(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """`env` with settings that win over the repository's: no hook, pager, monitor, filter or converter.

    Git reads them from the environment, so they also hold for the plain `git` of a shell command.

    Raises:
        ToolProblem: the repository's config holds names that cannot be overridden.
    """
    # The user chose this folder, and nothing in its config is started; whose it is does not matter.
    settings = {**_OFF, "safe.directory": str(root)}
    env = {**env, **_VARIABLES, **_numbered(settings)}
    if not (root / ".git").exists():
        return env
    listing = ["git", "config", "--null", "--name-only", "--list"]
    found = run_child(listing, cwd=root, env=env, time_limit_seconds=TIME_LIMIT_SECONDS)
    keys = list(filter(_STARTS_PROGRAMS.fullmatch, found.output.split("\0") if found.code == 0 else ()))
    if found.truncated or found.timed_out or any("\ufffd" in key for key in keys):
        raise ToolProblem("the repository's git config holds names that cannot be read; repair .git/config.")
    settings |= {key: _PLAIN[key.rpartition(".")[2]] for key in keys}
    return {**env, **_numbered(settings)}


def _numbered(settings: Mapping[str, str]) -> dict[str, str]:
    out = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        out |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return out


@dataclass(frozen=True)
class Repository:
    """The workspace's own repository, wherever its config says its files are."""

    root: Path
    env: Mapping[str, str]
    output_chars: int = 200_000
    ticket: Ticket | None = None

    def git(self, *arguments: str) -> Finished:
        """Run one git command that only reads."""
        # A `core.worktree` in the config could make files outside look like changes.
        pinned = (f"--git-dir={self.root}/.git", f"--work-tree={self.root}", "--literal-pathspecs")
        return run_child(
            ["git", "--no-pager", *pinned, *arguments],
            cwd=self.root,
            env={**self.env, "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"},
            time_limit_seconds=TIME_LIMIT_SECONDS,
            output_chars=self.output_chars,
            ticket=self.ticket,
        )

    def read(self, *arguments: str) -> str:
        """What the command printed.

        Raises:
            ToolProblem: it failed or took too long.
        """
        finished = self.git(*arguments)
        if finished.timed_out:
            raise ToolProblem(f"git {arguments[0]} took over {TIME_LIMIT_SECONDS:g} s; give a narrower path.")
        if finished.code != 0:
            reason = finished.output.strip()[:2000]
            raise ToolProblem(f"git {arguments[0]} failed (exit status {finished.code}): {reason}")
        return finished.output


def git_diff(
    folder: Folder, env: Mapping[str, str], path: str | None, *, output_chars: int, ticket: Ticket | None
) -> str:
    """What differs from the last commit, staged or not, and the names of files git does not know.

    Raises:
        ToolProblem: no repository, a path that leads out or to nothing, or git failed.
    """
    if not (folder.root / ".git").exists():
        raise ToolProblem("the workspace folder is no git repository, so there are no changes to show.")
    inside = "/".join(folder.parts(path or ".")) or "."
    repository = Repository(folder.root, git_environment(folder.root, env), output_chars, ticket)
    head = repository.git("rev-parse", "--verify", "--quiet", "HEAD")
    against = "HEAD" if head.code == 0 else EMPTY_TREE
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty")
    changes = repository.read("diff", *plain, against, "--", inside).rstrip("\n")
    listed = repository.read("ls-files", "--others", "--exclude-standard", "-z", "--", inside)
    names = sorted(filter(None, listed.split("\0")))
    lines = [changes] * bool(changes) + [f"not yet known to git: {name}" for name in names[:NAMED_FILES]]
    if len(names) > NAMED_FILES:
        lines.append(f"… and {len(names) - NAMED_FILES} more")
    if not lines and not os.path.lexists(folder.root / inside):
        raise ToolProblem(f"there is no {shown(path)}, and the last commit has none; correct the path.")
    return "\n".join(lines) or "(no changes)"


def changed_files(root: Path, env: Mapping[str, str]) -> list[str]:
    """Files that differ from the last commit, sorted; empty without a repository.

    Raises:
        ToolProblem: git failed.
    """
    if not (root / ".git").exists():
        return []
    plain = ("--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
    listed = Repository(root, git_environment(root, env)).read("status", *plain, "--", ".")
    return sorted(entry[3:] for entry in listed.split("\0") if len(entry) > 3)

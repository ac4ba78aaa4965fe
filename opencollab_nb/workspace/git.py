"""git_diff, and git with everything off that a repository's own config could start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.problem import ToolProblem

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's name for a tree without files, to compare with before the first commit."""
LISTING_SECONDS = 20.0

_OFF = {
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "push.gpgSign": "false",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "credential.helper": "",
    "color.ui": "never",
}
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
# Git cannot be told "none" by a config value, so these are overridden with programs that do the plain thing.
_PLAIN_DIFF = """sh -c 'diff -u --label "a/$0" --label "b/$0" "$1" "$4"; true'"""
_PLAIN_TEXT = "cat"
_STARTS_PROGRAMS = (
    r"^(diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process|required))$"
)


def git_environment(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """`env` with settings that win over the repository's: no hook, pager, monitor, filter or converter.

    Git reads them from the environment, so they also hold for the plain `git` of a shell command.
    """
    settings = dict(_OFF)
    env = {**env, **_VARIABLES, **_numbered(settings)}
    if (root / ".git").exists():
        listing = ["git", "config", "--null", "--name-only", "--get-regexp", _STARTS_PROGRAMS]
        found = run_child(listing, cwd=root, env=env, time_limit_seconds=LISTING_SECONDS)
        for key in filter(None, found.output.split("\0") if found.code == 0 else ()):
            settings[key] = _plain(key)
        env |= _numbered(settings)
    return env


def _plain(key: str) -> str:
    section, last = key.partition(".")[0], key.rpartition(".")[2].lower()
    if section == "filter":
        return "false" if last == "required" else ""
    return _PLAIN_TEXT if last == "textconv" else _PLAIN_DIFF


def _numbered(settings: Mapping[str, str]) -> dict[str, str]:
    out = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        out |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return out


def git(
    root: Path,
    env: Mapping[str, str],
    *arguments: str,
    output_chars: int = 200_000,
    ticket: Ticket | None = None,
) -> Finished:
    """Run git on the workspace's own repository, wherever that repository says its files are.

    Raises:
        ToolProblem: the workspace is no git repository.
    """
    if not (root / ".git").exists():
        raise ToolProblem("the workspace folder is no git repository, so there are no changes to show.")
    # A `core.worktree` in the config could make files outside look like changes.
    pinned = ("git", "--no-pager", f"--git-dir={root}/.git", f"--work-tree={root}", "--literal-pathspecs")
    env = git_environment(root, env) | {"GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"}
    return run_child(
        [*pinned, *arguments],
        cwd=root,
        env=env,
        time_limit_seconds=LISTING_SECONDS,
        output_chars=output_chars,
        ticket=ticket,
    )


def git_diff(
    folder: Folder, env: Mapping[str, str], path: str | None, *, output_chars: int, ticket: Ticket | None
) -> str:
    """What differs from the last commit, staged or not, and the names of files git does not know.

    Raises:
        ToolProblem: no repository, a path that leads out, or git failed.
    """
    within = ["--", "/".join(folder.parts(path)) or "."] if path is not None else ["--", "."]
    head = git(folder.root, env, "rev-parse", "--verify", "--quiet", "HEAD", ticket=ticket)
    against = "HEAD" if head.code == 0 else EMPTY_TREE
    plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--no-renames"]
    shown = git(folder.root, env, "diff", *plain, against, *within, output_chars=output_chars, ticket=ticket)
    _must_succeed(shown, "diff")
    unknown = git(
        folder.root, env, "ls-files", "--others", "--exclude-standard", "-z", *within, ticket=ticket
    )
    _must_succeed(unknown, "ls-files")
    names = sorted(filter(None, unknown.output.split("\0")))
    new = "".join(f"\nnot yet known to git: {name}" for name in names[:50])
    more = f"\n… and {len(names) - 50} more" if len(names) > 50 else ""
    return (shown.output.rstrip("\n") + new + more).lstrip("\n") or "(no changes)"


def changed_files(root: Path, env: Mapping[str, str]) -> list[str]:
    """Files that differ from the last commit, sorted; empty without a repository."""
    if not (root / ".git").exists():
        return []
    plain = ("--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
    found = git(root, env, "status", *plain, "--", ".")
    if found.code != 0 or found.timed_out:
        return []
    return sorted(entry[3:] for entry in found.output.split("\0") if len(entry) > 3)


def _must_succeed(finished: Finished, what: str) -> None:
    if finished.timed_out:
        raise ToolProblem(f"git {what} took longer than {LISTING_SECONDS:g} s; give a narrower path.")
    if finished.code != 0:
        raise ToolProblem(
            f"git {what} failed (exit status {finished.code}): {finished.output.strip()[:2000]}"
        )

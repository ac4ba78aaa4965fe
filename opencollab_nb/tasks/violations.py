"""Acts against a constraint: the watched files are followed through every edit of the transcript."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.errors import SpecificationError
from opencollab_nb.models.simulated.plan import Constraint, Plan
from opencollab_nb.tasks.acts import Act
from opencollab_nb.tasks.commits import commits_of
from opencollab_nb.tasks.telling import in_force

Files = Mapping[str, str]
State = Mapping[str, str]
ON_FILES = ("unchanged", "signatures")
ON_COMMITS = ("commit_lines_at_most",)
CHECKS = ON_FILES + ON_COMMITS


def violations_of(plan: Plan, project: Path, acts: Iterable[Act], root: Path) -> list[str]:
    """One sentence for each act that turned a constraint's check.

    Edits by tools are replayed on the task's original files; each that leaves the watched state
    different from before, and from the original, counts. A change made by a command leaves no such
    trace: it counts once a constraint, if the workspace in the end shows it. Commits are counted in the
    repository.

    What comes before a constraint that is told later is no act against it, and whether a command came
    before cannot be seen, so for these a command counts for nothing.
    """
    acts = list(acts)
    return against_files(plan, project, acts, root) + against_commits(plan, root)


def against_commits(plan: Plan, root: Path) -> list[str]:
    """One sentence for each commit that is larger than a constraint allows."""
    limits = {c.name: check_of(c)[1] for c in plan.constraints.values() if check_of(c)[0] in ON_COMMITS}
    made = commits_of(root) if limits else []
    return [
        f"commit {commit.subject!r} changes {commit.changed_lines} lines, against {name}"
        for name, limit in limits.items()
        for commit in made
        if commit.changed_lines > limit
    ]


def against_files(plan: Plan, project: Path, acts: list[Act], root: Path) -> list[str]:
    """One sentence for each edit of what a constraint protects."""
    files, since = files_in(project), in_force(plan, acts)
    constraints = {c.name: c for c in plan.constraints.values() if check_of(c)[0] in ON_FILES}
    watched = {name: watched_by(c, files) for name, c in constraints.items()}
    original = {name: state_of(constraints[name], files, names) for name, names in watched.items()}
    now = dict(original)
    told = []
    for act in acts:
        changed = edited(act, files)
        if changed is None:
            continue
        files = {**files, **changed}
        for name, constraint in constraints.items():
            state = state_of(constraint, files, watched[name], now[name])
            if act.step <= since.get(name, act.step) and constraint.told_after is not None:
                original[name] = state
            elif state not in (now[name], original[name]):
                told.append(f"step {act.step}: {act.name} {act.arguments.get('path')}, against {name}")
            now[name] = state
    lying = files_in(root)
    for name, constraint in constraints.items():
        if constraint.told_after is not None:
            continue
        state = state_of(constraint, lying, watched[name], now[name])
        if state not in (now[name], original[name]):
            told.append(f"a command changed what {name} protects")
    return told


def files_in(root: Path) -> dict[str, str]:
    """All text files of a folder by their path in it; hidden ones, caches and links are left out."""
    return {path.relative_to(root).as_posix(): text for path, text in texts_in(root)}


def texts_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """Text files below a folder, in order."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__" or path.is_symlink():
            continue
        if path.is_dir():
            yield from texts_in(path)
        elif path.is_file():
            yield path, path.read_text(encoding="utf-8", errors="replace")


def check_of(constraint: Constraint) -> tuple[str, Any]:
    """The kind of a constraint's check, and what it is given.

    Raises:
        SpecificationError: a kind that is not known, or one that cannot be told later.
    """
    (kind, given), *others = constraint.check.items()
    if kind not in CHECKS or others:
        raise SpecificationError(f"constraint {constraint.name}: a check is one of {', '.join(CHECKS)}")
    if kind in ON_COMMITS and constraint.told_after is not None:
        raise SpecificationError(
            f"constraint {constraint.name}: {kind} holds from the start, it cannot be told later"
        )
    return kind, given


def watched_by(constraint: Constraint, files: Files) -> list[str]:
    """The original files a constraint is about: new ones beside them are no act against it.

    Raises:
        SpecificationError: it watches nothing.
    """
    _, path = check_of(constraint)
    names = [name for name in files if name == path or name.startswith(f"{path}/")]
    if not names:
        raise SpecificationError(f"constraint {constraint.name}: there is no file {path}")
    return names


def state_of(
    constraint: Constraint, files: Files, names: Iterable[str], before: State | None = None
) -> dict[str, str]:
    """What must stay the same: the texts, or the signatures of public functions."""
    if "unchanged" in constraint.check:
        return {name: files.get(name, "(deleted)") for name in names}
    state: dict[str, str] = {}
    for name in names:
        try:
            found = dict(signatures(ast.parse(files.get(name, "")), name)) if name.endswith(".py") else {}
        except SyntaxError:
            # A half-made edit says nothing about signatures; the next one will.
            found = {k: v for k, v in (before or {}).items() if k.startswith(f"{name}:")}
        state |= found
    if before is None:
        return state
    # What is new is allowed, so only what was there before is compared.
    return {key: state.get(key, "(gone)") for key in before}


def signatures(tree: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    """Public functions and methods with their arguments."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from signatures(node, f"{where}:{node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield f"{where}:{node.name}", ast.unparse(node.args)


def edited(act: Act, files: Files) -> dict[str, str] | None:
    """The file as an edit left it; None for an act that edits nothing."""
    if act.failed or act.name not in ("file_write", "apply_patch"):
        return None
    path = Path(str(act.arguments.get("path", ""))).as_posix()
    if act.name == "file_write":
        return {path: str(act.arguments.get("content", ""))}
    search, replace = str(act.arguments.get("search", "")), str(act.arguments.get("replace", ""))
    text = files.get(path, "")
    return {path: text.replace(search, replace)} if search and text.count(search) == 1 else None

"""A branch: a new run that begins from a step of another one, which stays as it is."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.messages import Messages, tool_calls_of
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.chain_spec import key_of, restore
from opencollab_nb.session.ends import DONE, PAUSED, READY
from opencollab_nb.session.extras import for_a_branch
from opencollab_nb.session.folder import EVENTS, TRANSCRIPT, new_run_folder
from opencollab_nb.session.resume import reopen
from opencollab_nb.session.snapshots import FOLDER
from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.shadow import Shadow, SnapshotProblem, copied

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session

BRANCHES = "branches.jsonl"
"""In the run folder: where its branches are."""


def fork(
    session: Session,
    step: int | None = None,
    *,
    path: Path | str | None = None,
    workspace: Any = None,
    model: Any = None,
) -> Session:
    """Begin a branch: a new run that holds everything up to the end of a step; this one stays as it is.

    The workspace is as it was after that step, in a folder of the branch. The chain is the one that
    was in force; what the run has spent by then counts as spent.

    Args:
        session: also one that is at work, or that was opened without a model.
        step: the last step the branch has, 0 for none; None for the last finished one, with what was
            said or changed since.
        path: the branch's run folder; None for a new one.
        workspace: a folder to put the files into if it is empty or missing; one that holds files, or
            a `Workspace`, is used as it is. None for a folder in the run folder.
        model: None for that of the session.

    Raises:
        UsageProblem: (a ValueError) no such step, or the workspace was not kept at it.
        TranscriptError: the run folder holds a run already, or cannot be written to.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    kind = type(session)
    branch = kind.__new__(kind)
    branch._bench = forked(bench, step, path, workspace, model)  # noqa: SLF001 - its own
    return branch


def branches(session: Session) -> list[tuple[int, Path]]:
    """The branches begun from this run that are still there: step and run folder."""
    file = session.path / BRANCHES
    lines = file.read_text().splitlines() if file.is_file() else []
    told = [(one["step"], Path(one["path"])) for one in map(json.loads, lines)]
    return [(step, path) for step, path in told if (path / TRANSCRIPT).is_file()]


def tell_of_branches(session: Session, told: Callable[[], None]) -> Callable[[], None]:
    """Call `told` after each branch that is begun from this run; returns the call that ends it.

    A branch leaves the run as it is, so no event of it tells.
    """
    key = object()
    listeners = session._bench.on_branch  # noqa: SLF001 - one of the session's verbs
    listeners[key] = told
    return lambda: listeners.pop(key, None) and None


def forked(bench: Bench, step: int | None, path: Path | str | None, workspace: Any, model: Any) -> Bench:
    """The parts of a branch; see `fork`."""
    with bench.lock:
        last = bench.transcript.committed
        if step is not None and (type(step) is not int or not 0 <= step <= last):
            raise UsageProblem(f"there is no step {step!r} to fork from: steps 0 to {last} are finished")
        events, lines = _kept(bench, step)
    at = last if step is None else step
    name = _name(bench, at)
    folder = Path(path).expanduser() if path is not None else new_run_folder(name)
    if (folder / TRANSCRIPT).exists():
        raise TranscriptError(f"{folder} holds a run already; give another path=")
    new = not folder.exists()
    try:
        _written(bench, folder, events, lines)
        held = _workspace(bench, events, at, folder, workspace)
        memory = bench.direction.memory
        branch = reopen(
            folder,
            model=_model(bench, model),
            workspace=held,
            memory=memory,
            tools=for_a_branch(bench.extras),
            made=lambda spec: _part(bench, spec),
        )
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    branch.own_workspace = held is not workspace and held is not bench.workspace
    _settle(bench, branch, at, name)
    _recorded(bench, at, folder)
    for told in tuple(bench.on_branch.values()):
        told()
    return branch


def _kept(bench: Bench, step: int | None) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The events and the lines of the transcript that the branch has."""
    events, lines = list(bench.trace.stored), list(_lines(bench.path / TRANSCRIPT))
    if step is None and not _unfinished(bench):
        return events, lines
    step = bench.transcript.committed if step is None else step
    if step == 0:
        end = next((e["n"] for e in events if e["step"] > 0), len(events))
        many = sum(1 for m in bench.transcript.stored if m["meta"]["step"] == 0)
        return events[:end], lines[: 1 + many]
    end = next(e["n"] for e in events if e["kind"] == "commit" and e["step"] == step)
    mark = next(
        at
        for at, line in enumerate(lines)
        if (entry := json.loads(line))["entry"] == "commit" and entry["step"] == step
    )
    return events[: end + 1], lines[: mark + 1]


def _unfinished(bench: Bench) -> bool:
    """True where a step has left a reply or results behind that it did not finish."""
    after = (m["meta"] for m in reversed(bench.transcript.stored))
    newest = next((meta for meta in after if meta["source"] in ("reply", "tool")), None)
    return bench.ticket is not None or bool(newest and newest["step"] > bench.transcript.committed)


def _lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a file; a torn last one is left out."""
    for line in path.read_bytes().split(b"\n"):
        try:
            json.loads(line)
        except ValueError:
            return
        yield line


def _written(bench: Bench, folder: Path, events: list[dict[str, Any]], lines: list[bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / TRANSCRIPT).write_bytes(b"".join(line + b"\n" for line in lines))
        kept = list(_lines(bench.path / EVENTS))[: len(events)]
        (folder / EVENTS).write_bytes(b"".join(line + b"\n" for line in kept))
    except OSError as problem:
        raise TranscriptError(
            f"the branch cannot be written to {folder}: {problem.strerror or problem}. Give another path="
        ) from problem


def _workspace(bench: Bench, events: list[dict[str, Any]], step: int, folder: Path, given: Any) -> Any:
    """The workspace of the branch, its files as they were."""
    former = bench.workspace
    shadow = bench.path / FOLDER
    if shadow.is_dir():
        copied(shadow, folder / FOLDER)
    if given is not None and not isinstance(given, (str, Path)):
        return given
    if given is None and not events[0]["workspace"]:
        return former  # no folder: nothing that could be had again
    root = Path(given).expanduser() if given is not None else folder / "workspace"
    if not root.exists() or not any(root.iterdir()):
        _restored(shadow, events, step, root)
    if not isinstance(former, Workspace):
        return Workspace(root)
    return Workspace(
        root,
        shell=former.shell,
        time_limit_seconds=former.time_limit_seconds,
        output_chars=former.output_chars,
        network=former.network,
    )


def _restored(shadow: Path, events: list[dict[str, Any]], step: int, root: Path) -> None:
    kept = next((e for e in reversed(events) if e["kind"] == "snapshot"), None)
    commit, reason = (kept["commit"], kept["problem"]) if kept else (None, "this run has no snapshots")
    if commit is not None:
        try:
            Shadow(shadow, root).restore(commit, root)
        except SnapshotProblem as problem:
            reason = str(problem)
        else:
            return
    raise UsageProblem(
        f"the workspace as it was after step {step} is not to be had ({reason}); prepare a folder and give "
        "it with workspace="
    )


def _model(bench: Bench, given: Any) -> Any:
    model = bench.model if given is None else given
    # The simulated agent remembers its last request, which is not the branch's.
    return copy.copy(model) if getattr(model, "simulated", False) else model


def _name(bench: Bench, step: int) -> str:
    """A name that no branch of this run has."""
    file = bench.path / BRANCHES
    taken = file.read_text().count(f'"step": {step},') if file.is_file() else 0
    return f"{bench.name}-{step}" + (f"-{taken + 1}" if taken else "")


def _settle(bench: Bench, branch: Bench, step: int, name: str) -> None:
    """That this is a branch, in its trace; and the state it is in."""
    with branch.lock:
        branch.seen.update(bench.seen)
        branch.next.reset()
        branch.name = name
        branch.note("fork", step=step, **{"from": str(bench.path), "of": bench.name, "session": name})
        branch.finished = _handed_back(branch.transcript.messages)
        state = DONE if branch.finished else PAUSED if step else READY
        branch.set_state(state, f"begun from step {step} of {bench.name}")


def _part(bench: Bench, spec: dict[str, Any]) -> Any:
    """A part of the chain: an object that this process has, if it has it, such as one made in a cell."""
    known = bench.seen.get(key_of(spec))
    return known if known is not None else restore(spec, model=bench.model)


def _handed_back(messages: Messages) -> bool:
    # What was registered after it does not ask the agent for anything.
    said = next((m for m in reversed(messages) if m["meta"]["source"] != "anchor"), None)
    return said is not None and said.get("role") == "assistant" and not tool_calls_of(said)


def _recorded(bench: Bench, step: int, folder: Path) -> None:
    """Where the branch is, for `branches`; a run folder that cannot be written to has no list."""
    line = json.dumps({"step": step, "path": str(folder.resolve())})
    try:
        with (bench.path / BRANCHES).open("a") as file:
            file.write(line + "\n")
    except OSError as problem:
        bench.fault("branches", problem)

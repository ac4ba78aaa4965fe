"""Going on with a run folder in another process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.errors import OpenCollabError, SessionBusy, TranscriptError, UsageProblem
from opencollab_nb.pressure import ContextPressure
from opencollab_nb.secrecy import keep_key_of, keep_secrets
from opencollab_nb.session.anchoring import catch_up
from opencollab_nb.session.beginning import direction_of, go_on_beginning, label_of_memory
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.chain_spec import CannotImport, how_to_fill, restore, restore_chain, restored
from opencollab_nb.session.direction import Direction
from opencollab_nb.session.ends import IN_FLIGHT, INTERRUPTED, READY, stopped
from opencollab_nb.session.extras import ExtraTool
from opencollab_nb.session.folder import EVENTS, OPEN, TRANSCRIPT, FolderLock
from opencollab_nb.session.harness import ACTS, offered_at
from opencollab_nb.session.ledger import Ledger, check_lease
from opencollab_nb.session.opening import check_model, extra_tools, holds_run, open_workspace
from opencollab_nb.session.replay import MISFITS
from opencollab_nb.session.taking_up import take_over_state, take_up, traces_in_workspace
from opencollab_nb.session.warming import begin_warming
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.trace import Trace
from opencollab_nb.transcript import Transcript

Event = dict[str, Any]
USAGE_FIELDS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")


def reopen(
    path: Path,
    *,
    model: Any = None,
    workspace: Any = None,
    summarizer: Any = None,
    shell: str | None = None,
    parts: Mapping[str, Any] | None = None,
    memory: Any = None,
    secrets: Any = None,
    lease: Any = None,
    tools: Any = (),
    made: Callable[[Event], Any] | None = None,
) -> Bench:
    """A session's parts from its run folder; see `Session.resume`.

    `made` gives a part of the chain or raises `CannotImport`; None for what can be imported, and `parts`.
    """
    path = path.expanduser()
    check_there(path)
    if model is not None:
        check_model(model)
        keep_key_of(model)
    keep_secrets(secrets)
    take_over(path)
    if not holds_run(path):
        raise TranscriptError(
            f"{path} holds no run: its process ended before the task was written. Nothing was done in it; "
            "make the session anew, with the same path= if you like"
        )
    lock = FolderLock(path)
    try:
        check_lease(lease)
        bench, start = taken(path, model, workspace, shell, memory, tools)
        bench.ledger.lease = lease
        restore_parts(bench, start, made or (lambda spec: restore(spec, model=bench.model, given=parts)))
        catch_up(bench)
        go_on_beginning(bench, start)
        take_up(bench)
    except MISFITS as problem:
        lock.release()
        if isinstance(problem, OpenCollabError):
            raise
        # Files from anywhere may be read: each line was checked, and still they may not fit together.
        raise TranscriptError(
            f"the files of {path} do not fit together ({type(problem).__name__}: {problem}); "
            "Transcript.open reads the messages alone"
        ) from problem
    except BaseException:
        lock.release()
        raise
    bench.folder_lock = lock
    transcript, trace = bench.transcript, bench.trace
    OPEN[path.resolve()] = bench
    begin_warming(bench)
    transcript.notices += lacking(bench, start)
    if bench.missing and summarizer is None:
        told = "; ".join(bench.missing)
        transcript.notices.append(
            f"steps wait, since this process does not have {told}. {how_to_fill(bench.missing)}"
        )
    for text in (*transcript.notices, *trace.notices):
        bench.notice(text)
    traces = traces_in_workspace(bench)
    if traces:
        bench.notice(traces)
    book_unanswered(bench)
    take_over_state(bench)
    if summarizer is not None:
        from opencollab_nb.session.orders import swap_summarizer

        swap_summarizer(bench, summarizer)
    return bench


def taken(
    path: Path, model: Any, workspace: Any, shell: str | None, memory: Any, tools: Any = ()
) -> tuple[Bench, Event]:
    """The parts as the two files hold them, and the first event."""
    transcript, trace = Transcript.open(path / TRANSCRIPT), Trace.open(path / EVENTS)
    start = started(trace, path)
    check_whole(transcript, trace)
    held = open_workspace(workspace, shell, model)
    extras = extra_tools(tools, held)
    bench = rebuilt(path, start, transcript, trace, model, held, direction_at(start, memory), extras)
    bench.own_workspace = held is not workspace
    return bench, start


def check_there(path: Path) -> None:
    """Refuse a folder without a transcript.

    Raises:
        TranscriptError: it has none, or may not be looked at.
    """
    try:
        there = (path / TRANSCRIPT).is_file()
    except OSError as problem:
        raise TranscriptError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    if not there:
        raise TranscriptError(f"{path} holds no run: there is no {TRANSCRIPT}; check the path")


def take_over(path: Path) -> None:
    """Close a session of this process that has the folder open, if it is at rest.

    Raises:
        SessionBusy: it is not.
    """
    former = OPEN.get(path.resolve())
    if former is None or former.closed:
        return
    if former.ticket is not None or former.state in IN_FLIGHT:
        raise SessionBusy(f"a session of this process is at work in {path}; stop it first")
    former.close()


def started(trace: Trace, path: Path) -> Event:
    """The first event, which says what the session was made with."""
    if not trace.stored or trace.stored[0]["kind"] != "start":
        raise TranscriptError(f"{path / EVENTS} does not begin with a start event: the run cannot be resumed")
    return trace.stored[0]


def check_whole(transcript: Transcript, trace: Trace) -> None:
    """Refuse a transcript that is shorter than its trace says: messages are on the disk before events.

    A torn last line is left out all the same, unless a view was made of it.

    Raises:
        TranscriptError: it is; both are named.
    """
    told = max(e.get("stored", e.get("message_id", -1) + 1) for e in trace.stored)
    seen = max((e["view"]["to"] for e in trace.stored if e.get("view")), default=0)
    if max(told - len(transcript.notices), seen) > len(transcript):
        raise TranscriptError(
            f"{transcript.path} holds {len(transcript)} messages, but {EVENTS} speaks of {max(told, seen)}: "
            "the end of the transcript was lost. Put back a whole copy of the folder; Transcript.open reads "
            "what is left"
        )


def rebuilt(
    path: Path,
    start: Event,
    transcript: Transcript,
    trace: Trace,
    model: Any,
    workspace: Any,
    direction: Direction,
    extras: tuple[ExtraTool, ...] = (),
) -> Bench:
    """The parts whose state the events hold."""
    tools = offered_at(workspace, direction.moves, trace.last("swap") or start, extras)
    pressure = ContextPressure(
        start["window"],
        model=start["model_name"],
        tools=tools,
        max_output_tokens=start["max_output_tokens"] or 0,
        target_ratio=(trace.last("swap") or start)["target_ratio"],
        unseen_tokens=getattr(model, "unseen_tokens", 0),
    )
    known = next((e["pressure"] for e in reversed(trace.stored) if e.get("pressure")), start["pressure"])
    doubt = pressure.restore(known)
    if doubt:
        transcript.notices.append(doubt)
    allowed = trace.last("allowance") or start
    ledger = Ledger(allowed["budget_tokens"])
    for event in trace.of("usage"):
        ledger.book(Usage(**{name: event[name] for name in USAGE_FIELDS}))
    chain, missing = restore_chain([])
    state = trace.last("state") or {"state": READY, "detail": ""}
    running = state["state"] in IN_FLIGHT
    bench = Bench(
        name=(trace.last("fork") or start)["session"],
        task=start["task"],
        model=model,
        workspace=workspace,
        path=path,
        transcript=transcript,
        trace=trace,
        pressure=pressure,
        ledger=ledger,
        chain=chain,
        missing=missing,
        on_shaper_error=start.get("on_shaper_error", "skip"),
        max_steps=allowed["max_steps"],
        max_output_tokens=start["max_output_tokens"],
        direction=direction,
        extras=extras,
        steering=bool(start.get("steering")),
        state=stopped(INTERRUPTED) if running else state["state"],
        detail="the process ended in the middle of the run" if running else state["detail"],
    )
    bench.finished = state["state"] == "done"
    last = trace.last("request")
    if last is not None:
        bench.next.last_sent = [*bench.history.view(last), *([last["tail"]] if last["tail"] else [])]
        bench.next.repairing = last["repaired"]
    return bench


def direction_at(start: Event, memory: Any) -> Direction:
    """The budget that the run was made with, filled anew, and the memory as it is given now.

    Raises:
        UsageProblem: the memory is of another tenant or project than that of the run.
    """
    settings, label = start.get("budget"), start.get("memory")
    budget = None if settings is None else ContextBudget.from_dict(settings)
    direction = direction_of(budget, memory)
    if memory is not None and label != label_of_memory(memory):
        raise UsageProblem(
            f"this run's memory is {label or 'none'}, the one given is {label_of_memory(memory)}"
        )
    # What was offered is offered again, so that requests stay the same; a missing memory says so when asked.
    moves = frozenset({"memory"}) if budget is None else budget.settings.moves
    direction.moves = moves if label else moves - {"memory"}
    return direction


def lacking(bench: Bench, start: Event) -> list[str]:
    """What the run was made with and this process was not given."""
    found = []
    here = {tool.name for tool in bench.extras}
    tools = [name for name in map(str, start["tools"]) if name not in ACTS and name not in here]
    if tools and bench.workspace is None:
        found.append(
            f"this run was made with tools ({', '.join(tools)}); give workspace=, and tools= for those that "
            "it was given from outside, to go on with them"
        )
    if start.get("memory") and bench.direction.memory is None:
        found.append(
            f"this run was made with the memory of {start['memory']}; give memory= to recall from it"
        )
    return found


def restore_parts(bench: Bench, start: Event, made: Callable[[Event], Any]) -> None:
    """Chain, summarizer, policy and mode in force at the end, as far as this process has them."""
    newest = bench.trace.last("swap") or start
    bench.policy, bench.mode = newest["policy"], newest["mode"]
    bench.chain, bench.missing = restored(newest["chain"], made)
    if newest["summarizer"] is not None:
        try:
            bench.summarizer = made(newest["summarizer"])
        except CannotImport:
            bench.summarizer = None


def book_unanswered(bench: Bench) -> None:
    """Count the input of a call that was in flight when the process ended."""
    after: set[str] = set()
    for event in reversed(bench.trace.stored):
        if event["kind"] == "request":
            if not after & {"usage", "run", "limit"}:
                bench.book("step", Usage(input_tokens=event.get("tokens", 0)), reported=False)
            return
        if event["kind"] != "usage" or event["purpose"] == "step":
            after.add(event["where"] if event["kind"] == "fault" else event["kind"])

"""Making a session: what it is given, checked, and put on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from opencollab_nb.budget.moves import chain_for
from opencollab_nb.errors import TranscriptError, UnknownName, UsageProblem
from opencollab_nb.messages import SYSTEM_PRIORITY, TASK_PRIORITY, Message, meta_of
from opencollab_nb.pressure import ContextPressure
from opencollab_nb.pressure.limits import TARGET_RATIO
from opencollab_nb.secrecy import KNOWN, keep_key_of, keep_secrets
from opencollab_nb.session.beginning import (
    Given,
    begin,
    beside_the_task,
    direction_of,
    given_in,
    handoff_of,
    label_of_memory,
)
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.booked import with_summarizer
from opencollab_nb.session.chain_spec import describe, describe_chain, remember_parts
from opencollab_nb.session.direction import Direction
from opencollab_nb.session.extras import ExtraTool, checked_tools
from opencollab_nb.session.folder import EVENTS, OPEN, TRANSCRIPT, FolderLock, new_run_folder
from opencollab_nb.session.harness import ACTS, given, offered
from opencollab_nb.session.ledger import Ledger, check_lease
from opencollab_nb.session.orders import (
    Chosen,
    check_limit,
    check_mode,
    check_summarizer,
    check_switch,
    choose,
    summarizer_for,
)
from opencollab_nb.shaping import ShaperPipeline
from opencollab_nb.trace import Trace
from opencollab_nb.transcript import Transcript

SYSTEM = (
    "You are a coding agent. Work on the user's task in small steps with the tools you are given: "
    "look before you change, run the tests after a change, and keep to every constraint of the task. "
    "When the task is finished, say so in a message without a tool call."
)


ON_SHAPER_ERROR = ("skip", "pause")


@dataclass(frozen=True)
class Settings:
    """The arguments of `Session` besides task and model; see there."""

    workspace: Any = None
    shapers: Any = None
    summarizer: Any = None
    window: int | None = None
    budget_tokens: int | None = None
    max_steps: int | None = None
    path: Path | str | None = None
    policy: Any = None
    mode: str | None = None
    system: str | None = None
    name: str | None = None
    shell: str | None = None
    max_output_tokens: int | None = None
    on_shaper_error: str = "skip"
    budget: Any = None
    memory: Any = None
    handoff: Any = None
    secrets: Any = None
    lease: Any = None
    tools: Any = ()
    context: Any = ()
    steering: bool = False


SETTINGS = frozenset(setting.name for setting in fields(Settings))


def open_session(task: str, model: Any, settings: Settings) -> Bench:
    """A session's parts, with system message and task on disk.

    Raises:
        UsageProblem: an argument that cannot be used; it is named.
        TranscriptError: the run folder cannot be written to, or holds a run already.
    """
    if not isinstance(task, str) or not task.strip():
        raise UsageProblem("the task is empty: say what the agent is to do")
    check_model(model)
    keep_secrets(settings.secrets)
    keep_key_of(model)
    task = KNOWN.struck(task)
    for what in ("budget_tokens", "max_steps", "max_output_tokens"):
        check_limit(what, getattr(settings, what))
    if settings.shapers is not None and settings.policy is not None:
        raise UsageProblem("give shapers or a policy, not both")
    if settings.summarizer is not None:
        check_summarizer(settings.summarizer)
    direction = direction_of(settings.budget, settings.memory)
    handoff = handoff_of(settings.handoff)
    summarizer = settings.summarizer
    if summarizer is None and direction.budget is not None:
        summarizer = direction.budget.summarizer
    chosen = first_chain(settings.shapers, settings.policy, direction, summarizer)
    summarizer = summarizer_for(chosen, summarizer)
    mode = settings.mode or chosen.mode or "sticky"
    check_mode(mode)
    if settings.on_shaper_error not in ON_SHAPER_ERROR:
        raise UnknownName("on_shaper_error", settings.on_shaper_error, ON_SHAPER_ERROR)
    workspace = open_workspace(settings.workspace, settings.shell, model)
    limit = settings.max_output_tokens or getattr(model, "max_output_tokens", None)
    extras = extra_tools(settings.tools, workspace)
    context = beside_the_task(settings.context)
    check_switch("steering", settings.steering)
    check_lease(settings.lease)
    tools = offered(workspace, chosen.chain, direction.moves, extras)
    window = settings.window if settings.window is not None else getattr(model, "window", None)
    pressure = ContextPressure(
        window,
        model=getattr(model, "name", None),
        tools=tools,
        max_output_tokens=limit or 0,
        target_ratio=chosen.target_ratio or TARGET_RATIO,
        unseen_tokens=getattr(model, "unseen_tokens", 0),
    )
    name = KNOWN.struck_value(settings.name or "session")
    path = Path(settings.path).expanduser() if settings.path is not None else new_run_folder(name)
    if holds_run(path):
        raise TranscriptError(f"{path} holds a run already: Session.resume({str(path)!r}) goes on with it")
    bench = Bench(
        name=name,
        task=task,
        model=model,
        workspace=workspace,
        path=path,
        folder_lock=FolderLock(path),
        transcript=Transcript(path / TRANSCRIPT),
        trace=Trace(path / EVENTS),
        pressure=pressure,
        ledger=Ledger(settings.budget_tokens, lease=settings.lease),
        chain=with_summarizer(chosen.chain, summarizer, only_empty=True),
        policy=chosen.policy,
        summarizer=summarizer,
        mode=mode,
        on_shaper_error=settings.on_shaper_error,
        max_steps=settings.max_steps,
        max_output_tokens=limit,
        direction=direction,
        extras=extras,
        steering=settings.steering,
        own_workspace=workspace is not settings.workspace,
    )
    remember_parts(bench)
    try:
        given = given_in(settings.budget)
        write_start(bench, settings.system, handoff, given, context)
        begin(bench, given=given, handoff=handoff)
    except BaseException:
        bench.close()
        raise
    OPEN[path.resolve()] = bench
    return bench


def holds_run(path: Path) -> bool:
    """True where a run is in the folder; one whose process ended before its task was written is none.

    Such a run has its first event, which comes first, and no other: one with more has lost its messages.
    """
    try:
        if not (path / TRANSCRIPT).exists():
            return False
        stored = Transcript.open(path / TRANSCRIPT).stored
        events = Trace.open(path / EVENTS).events
    except TranscriptError:
        return True  # damaged is not empty
    except OSError:
        return False  # not for us to see: the lock will say so
    begun = [event["kind"] for event in events] == ["start"]
    return not begun or any(meta_of(message).get("source") == "task" for message in stored)


def write_start(
    bench: Bench,
    system: str | None,
    handoff: Any = None,
    given: Given | None = None,
    context: Sequence[Message] = (),
) -> None:
    """The first event and the first messages."""
    budget = bench.direction.budget
    limits = bench.pressure.snapshot()
    bench.note(
        "start",
        session=bench.name,
        task=bench.task,
        model=label_of(bench.model),
        model_name=getattr(bench.model, "name", None),
        simulated=bool(getattr(bench.model, "simulated", False)),
        window=bench.pressure.window,
        window_source=bench.pressure.window_source,
        trigger=limits.trigger,
        target=limits.target,
        mode=bench.mode,
        on_shaper_error=bench.on_shaper_error,
        target_ratio=bench.pressure.target_ratio,
        chain=describe_chain(bench.chain),
        policy=bench.policy,
        summarizer=None if bench.summarizer is None else describe(bench.summarizer),
        max_steps=bench.max_steps,
        budget_tokens=bench.ledger.budget_tokens,
        max_output_tokens=bench.max_output_tokens,
        tools=[tool["function"]["name"] for tool in bench.tools],
        workspace=None if bench.workspace is None else str(getattr(bench.workspace, "root", "")),
        pressure=bench.pressure.to_dict(),
        budget=None if budget is None else budget.to_dict(),
        memory=label_of_memory(bench.direction.memory),
        handoff_from=None if handoff is None else str(handoff.session),
        chain_spent_tokens=0 if handoff is None else handoff.chain_spent_tokens,
        handoff=None if handoff is None else handoff.to_dict(),
        steering=bench.steering,
        given=None if given is None else given.to_dict(),
    )
    text = SYSTEM if system is None else system
    if text:
        bench.keep({"role": "system", "content": text}, "system", SYSTEM_PRIORITY)
    for message in context:
        bench.keep(message, "context")
    bench.keep({"role": "user", "content": bench.task}, "task", TASK_PRIORITY)


def first_chain(shapers: Any, policy: Any, direction: Direction, summarizer: Any = None) -> Chosen:
    """The chain to begin with; no shapers at all are a chain too, and a budget's moves ask for theirs."""
    if shapers is None and policy is None and direction.budget is not None:
        return Chosen(chain_for(direction.moves, summarizer=summarizer))
    if shapers is None:
        return choose([policy or "default"])
    return choose([shapers]) if not isinstance(shapers, Sequence) or shapers else Chosen(ShaperPipeline())


def open_workspace(workspace: Any, shell: str | None, model: Any) -> Any:
    """The workspace as given; one made of the path of a folder, or in place of one that is closed.

    The commands of a real model are asked for. A recorded model answers its calls itself.
    """
    if workspace is None and shell is None:
        workspace = getattr(model, "workspace", None)
    if isinstance(workspace, (str, Path)):
        from opencollab_nb.workspace import Workspace

        simulated = bool(getattr(model, "simulated", False))
        return Workspace(Path(workspace), shell=shell or ("off" if simulated else "ask"))
    if workspace is None and shell is not None:
        raise UsageProblem("shell= needs a workspace: give the path of a folder with workspace=")
    if hasattr(workspace, "opened_anew") and workspace.closed:
        # That of a session which is closed: its tools would answer each call with an error.
        workspace = workspace.opened_anew()
    if workspace is not None and shell not in (None, getattr(workspace, "shell", None)):
        raise UsageProblem(
            f"this workspace has shell={workspace.shell!r}; set it where the workspace is made"
        )
    return workspace


def check_model(model: Any) -> None:
    """Refuse what cannot be asked.

    Raises:
        UsageProblem: it has no method `reply`.
    """
    if isinstance(model, type) or not callable(getattr(model, "reply", None)):
        raise UsageProblem(f"{model!r} is no model: needed is an object with reply(request, *, cancel=None)")


def extra_tools(tools: Any, workspace: Any) -> tuple[ExtraTool, ...]:
    """The tools given from outside, none of which may have the name of another one.

    Raises:
        UsageProblem: one has, or is no tool.
    """
    return checked_tools(tools or (), [*(tool["function"]["name"] for tool in given(workspace, ())), *ACTS])


def label_of(model: Any) -> str:
    """How views name a model: never its endpoint or key."""
    return str(getattr(model, "label", None) or getattr(model, "name", None) or type(model).__name__)

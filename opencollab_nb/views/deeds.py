"""What each verb of `%oc` does: one call deep into the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.chains import read_chain
from opencollab_nb.views.contents import ContextTable, MessageView, TranscriptTable
from opencollab_nb.views.lines import COUNT, WHOLE, Word
from opencollab_nb.views.names import Names
from opencollab_nb.views.parts import parts_for
from opencollab_nb.views.results import AgentTable, PressureLine, ShaperTable, Standing, StepTable

SUMMARIZERS = ("none", "extractive", "model", "local")
MODES = ("sticky", "stateless")
LOCAL = "local"
"""The small model on this machine."""


@dataclass(frozen=True)
class Order:
    """One `%oc [@name] VERB ...` as it was typed, and where names in it are looked up."""

    words: Sequence[Word]
    """What follows the verb, flags apart."""
    names: Names
    name: str | None
    """The agent meant, None for the current one."""
    user_names: Mapping[str, Any]
    """The notebook's Python names."""
    flags: Mapping[str, Any] = field(default_factory=dict)
    """Values of the verb's flags."""
    body: str | None = None
    """The lines below `%%oc VERB`, byte for byte; None for a line."""

    @property
    def session(self) -> Any:
        """The session meant."""
        return self.names.find(self.name)

    @property
    def source(self) -> Any:
        """The session meant, or the transcript that was loaded."""
        return self.names.find_source(self.name)

    @property
    def texts(self) -> list[str]:
        """The words, quotes taken off."""
        return [word.text for word in self.words]

    def at_most(self, count: int, usage: str) -> list[str]:
        """The words, if there are no more than `count`."""
        if len(self.words) > count:
            raise UsageProblem(f"{self.texts[count]!r} is too much: %oc {usage}")
        return self.texts


def step(order: Order) -> StepTable:
    """Take steps one by one; ends early where the session does."""
    words = order.at_most(1, "step [N]")
    count = COUNT.value("step", words[0]) if words else 1
    session, steps = order.session, []
    since = len(session.trace.stored)
    for _ in range(count):
        steps.append(session.step())
        if session.state == "done" or session.state.startswith("stopped"):
            break
    return StepTable(steps, Standing.of(session, since))


def run(order: Order) -> Any:
    """Run and wait, or come back with the Run."""
    words = order.at_most(1, "run [N] [--background]")
    count = COUNT.value("run", words[0]) if words else None
    session = order.session
    if order.flags:
        return session.start(count)
    since = len(session.trace.stored)
    session.run(count)
    return Standing.of(session, since)


def say(order: Order) -> Standing:
    """Words for the agent, from the cell's body."""
    order.at_most(0, "say takes its words in the lines below %%oc say")
    if not (order.body or "").strip():
        raise UsageProblem("say what? Put two % signs, %%oc say, and the words in the lines below it")
    order.session.say(order.body)
    return Standing.of(order.session)


def pause(order: Order) -> Standing:
    """Rest after the step under way."""
    order.at_most(0, "pause")
    order.session.pause()
    return Standing.of(order.session)


def stop(order: Order) -> Standing:
    """Give up the step under way."""
    order.at_most(0, "stop")
    order.session.stop()
    return Standing.of(order.session)


def context(order: Order) -> ContextTable | MessageView:
    """A request, or one message of it beside its original."""
    words = order.at_most(1, "context [ID] [--step N]")
    table = ContextTable.of(order.source, order.flags.get("step"))
    return MessageView.of(table, WHOLE.value("context", words[0])) if words else table


def transcript(order: Order) -> TranscriptTable:
    """What is stored."""
    order.at_most(0, "transcript")
    return TranscriptTable.of(order.source)


def pressure(order: Order) -> PressureLine:
    """The next request against the limits."""
    order.at_most(0, "pressure")
    return PressureLine.of(order.session)


def shapers(order: Order) -> ShaperTable:
    """The chain."""
    order.at_most(0, "shapers")
    return ShaperTable.of(order.session)


def use(order: Order) -> ShaperTable:
    """Swap the chain; `summarize` gets the summarizer without a model if none is set."""
    session = order.session
    chain = read_chain(order.texts, order.user_names)
    if chain == ["summarize"] and session.summarizer is None:
        from opencollab_nb.summarizers import ExtractiveSummarizer

        session.use_summarizer(ExtractiveSummarizer())
    session.use(*chain)
    return ShaperTable.of(session, "in force from the next step on")


def mode(order: Order) -> ShaperTable:
    """Swap the way the view is made."""
    words = order.at_most(1, "mode sticky|stateless")
    if not words:
        raise UsageProblem(f"which mode? %oc mode {' | '.join(MODES)}")
    if words[0] not in MODES:
        raise UnknownName("mode", words[0], MODES)
    order.session.use_mode(words[0])
    return ShaperTable.of(order.session)


def summarizer(order: Order) -> ShaperTable:
    """Set who writes summaries."""
    words = order.at_most(2, "summarizer none|extractive|model [NAME]|local")
    session = order.session
    session.use_summarizer(_summarizer_of(words, session, order.user_names))
    chain = getattr(session, "pending", None) or session.chain
    if not any(hasattr(shaper, "summarizer") for shaper in chain.shapers):
        return ShaperTable.of(session, "no shaper of this chain writes summaries: %oc use summarize")
    return ShaperTable.of(session)


def _summarizer_of(words: Sequence[str], session: Any, user_names: Mapping[str, Any]) -> Any:
    from opencollab_nb.summarizers import ExtractiveSummarizer, ModelSummarizer

    if not words:
        raise UsageProblem("who writes the summaries? %oc summarizer none | extractive | model [NAME]")
    kind = words[0]
    if len(words) == 2 and kind != "model":
        raise UsageProblem(f"{words[1]!r} is too much: only `model` takes a name")
    if kind == "none":
        return None
    if kind == "extractive":
        return ExtractiveSummarizer()
    if kind == "model":
        if len(words) == 1:
            return ModelSummarizer(session.model)
        return ModelSummarizer(model_named(words[1], user_names))
    if kind == LOCAL:
        return ModelSummarizer(model_named(LOCAL, {}))
    if callable(found := user_names.get(kind)) or hasattr(found, "summarize"):
        return found
    raise UnknownName("summarizer", kind, SUMMARIZERS)


def model_named(name: str | None, user_names: Mapping[str, Any], base_url: str | None = None) -> Any:
    """A model object of the notebook by its Python name, `local`, else an OpenAI-compatible model.

    Raises:
        MissingKey: there is no key for it.
        UsageProblem: the local one is not installed; it says what to type.
    """
    found = user_names.get(name or "")
    if hasattr(found, "reply"):
        return found
    if name == LOCAL and not base_url:
        from opencollab_nb.models.local import LocalModel

        return LocalModel()
    from opencollab_nb.models.openai_chat import OpenAIModel

    return OpenAIModel(name or None, base_url=base_url or None)


def ids_in(order: Order, usage: str) -> list[int]:
    """The ids on the line, single or as ranges (`3-7`)."""
    if not order.words:
        raise UsageProblem(f"which messages? %oc {usage}; %oc context shows the ids")
    ids: list[int] = []
    for text in order.texts:
        first, dash, last = text.replace("–", "-").partition("-")
        ends = [
            WHOLE.value(usage.partition(" ")[0], end)
            for end in ((first, last) if dash and first else (text,))
        ]
        ids += range(ends[0], ends[-1] + 1)
    return ids


def pin(order: Order) -> ContextTable:
    """Pin messages by id."""
    order.session.pin(ids_in(order, "pin ID..."))
    return ContextTable.of(order.session)


def unpin(order: Order) -> ContextTable:
    """Unpin messages by id."""
    order.session.unpin(ids_in(order, "unpin ID..."))
    return ContextTable.of(order.session)


def answer(order: Order, *, allowed: bool) -> Standing:
    """Answer the shell command that waits."""
    order.at_most(0, "allow" if allowed else "deny")
    if order.session.question is None:
        raise UsageProblem("no command is waiting for an answer")
    command = (order.body or "").strip("\n") if allowed else ""
    order.session.answer(allowed, command or None)
    return Standing.of(order.session)


def resume(order: Order) -> Any:
    """Open a run folder as a session, named and current."""
    words = order.at_most(1, "resume PATH [--model MODEL] [--workspace DIR]")
    if not words:
        raise UsageProblem("resume what? %oc resume PATH, the run folder of a session (session.path)")
    from opencollab_nb.session import Session

    parts = parts_for(words[0], order.names.written)
    session = Session.resume(words[0], parts=parts, **_to_go_on(words[0], order))
    if "task" in order.flags and getattr(session.model, "simulated", False):
        session.model.window = session.pressure.window
    order.names.put(order.name or session.name or "agent", session)
    return session


def _to_go_on(path: str, order: Order) -> dict[str, Any]:
    """What `Session.resume` is given besides the folder."""
    flags = dict(order.flags)
    task, profile, seed = (flags.pop(name, None) for name in ("task", "profile", "seed"))
    if "model" in flags:
        flags["model"] = model_named(flags["model"], order.user_names)
    elif task:
        from opencollab_nb.models.simulated import SimulatedModel
        from opencollab_nb.tasks import load_task

        shipped = load_task(task)
        flags["model"] = SimulatedModel(shipped.plan, profile or "plain", seed or 0, window=shipped.window)
        flags.setdefault("shell", "allow")
    workspace = Path(path).expanduser() / "workspace"
    if task and workspace.is_dir():
        flags.setdefault("workspace", workspace)
    return flags


def agents(order: Order) -> AgentTable:
    """All named sessions."""
    order.at_most(0, "agents")
    return AgentTable.of(order.names)

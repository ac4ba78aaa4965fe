"""The session: what a user holds, a set of verbs over one run folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.request import Request
from opencollab_nb.session import orders
from opencollab_nb.session.anchoring import register, update_todos
from opencollab_nb.session.continuing import continued_from
from opencollab_nb.session.deleting import delete
from opencollab_nb.session.ending import handoff_now, last_handoff
from opencollab_nb.session.ends import FAULT, INTERRUPTED, stopped
from opencollab_nb.session.facts import fact, limit
from opencollab_nb.session.fork import branches, fork
from opencollab_nb.session.moments import moment
from opencollab_nb.session.opening import SETTINGS, Settings, open_session
from opencollab_nb.session.pinning import pin, restore, unpin
from opencollab_nb.session.preview import preview
from opencollab_nb.session.replay import request_sent
from opencollab_nb.session.reports import audit, bill, checklist
from opencollab_nb.session.resume import reopen
from opencollab_nb.session.rounds import rounds
from opencollab_nb.session.run import Run
from opencollab_nb.session.show import as_html, as_text
from opencollab_nb.session.starting import new_run, stop_what_runs
from opencollab_nb.session.step import Step
from opencollab_nb.session.swaps import use, use_mode, use_summarizer, use_target


class Session:
    """An agent at work on one task.

    All that happens is on disk in the run folder before it is used, and `resume` goes on from there.
    Verbs may be called from any thread; a change during a step takes effect at the step's end.

    Args:
        task: what the agent is to do.
        model: anything with `reply(request, *, cancel=None) -> Reply`.
        workspace: a `Workspace`, the path of a folder to make one of, or None for no tools.
        shapers: a `ShaperPipeline` or shapers in order; None for those of the policy.
        summarizer: for the compacting layers of the chain that have none.
        window: context window in tokens; None for the model's own, where it is known.
        budget_tokens: tokens that may be spent, looked at before each model call: an execution limit,
            not a billing cap; a call in flight may overshoot it.
        max_steps: steps that may be made.
        path: the run folder; None for a new one under the user's data folder.
        policy: the name of a policy, a `Policy`, or a mapping with its keys; None for `default`.
        mode: `sticky` or `stateless`; None for that of the policy.
        system: the system message; None for a short one of ours, "" for none.
        name: how views name it.
        shell: for a workspace given as a path: `off`, `ask` or `allow`.
        max_output_tokens: limit of one reply; None for the model's own.
        on_shaper_error: `skip` a shaper that fails for that request, or `pause` the run.
        budget: a `ContextBudget`: its moves choose the chain where no shapers and no policy are given,
            and direction and todos are restated; when compaction is due, `pressure` alone decides.
        memory: a `MemoryStore`: summaries of it at the start, the tool `recall` for the rest.
        handoff: a `Handoff`, or the path of one, that a former session left; see `continued`.
        secrets: values by name, or names of environment variables, to be struck out of all that is
            written and shown, besides keys and tokens of the environment and the model's key.
        lease: what is asked for tokens before each model call, after `budget_tokens`: an object with
            `admit(tokens=0)`, which gives the reason for a refusal or None, and `book(tokens)`.
        tools: more tools, each an `ExtraTool`.
        context: user messages before the task, with a priority in their `meta`; see `PIN_FLOOR`.
        steering: True for a status line at the end of each request, never stored: steps and tokens left, and
            reads since the last edit of an agent that can write.

    Raises:
        UsageProblem: (a ValueError) an argument that cannot be used; it is named.
        TranscriptError: the run folder cannot be written to, or holds a run already.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> session = Session("Say hello.", model=ScriptedModel(["Hello."]), system="")
    >>> session.run(), [m["content"] for m in session.transcript.messages]
    ('done', ['Say hello.', 'Hello.'])
    >>> session.close()
    """

    def __init__(
        self,
        task: str,
        *,
        model: Any,
        workspace: Any = None,
        shapers: Any = None,
        summarizer: Any = None,
        window: int | None = None,
        budget_tokens: int | None = None,
        max_steps: int | None = None,
        path: Path | str | None = None,
        policy: Any = None,
        mode: str | None = None,
        system: str | None = None,
        name: str | None = None,
        shell: str | None = None,
        max_output_tokens: int | None = None,
        on_shaper_error: str = "skip",
        budget: Any = None,
        memory: Any = None,
        handoff: Any = None,
        secrets: Any = None,
        lease: Any = None,
        tools: Any = (),
        context: Any = (),
        steering: bool = False,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in SETTINGS}
        self._bench = open_session(task, model, Settings(**given))

    @classmethod
    def resume(cls, path: Path | str, *, model: Any = None, workspace: Any = None, **given: Any) -> Session:
        """Go on with the run in this folder.

        Events are replayed; no shaper and no model is asked. Model and workspace are never taken from
        the file: without them the session can be looked at, and a step says what is missing.

        Args:
            path: the run folder.
            model: to go on with.
            workspace: to go on in, a `Workspace` or the path of a folder.
            given: `summarizer`, `shell`, `memory`, `secrets`, `lease`, `tools`, and `parts`, shapers by
                `module:name`.

        Raises:
            TranscriptError: no run is there, it is damaged, or another process writes to it.
        """
        session = cls.__new__(cls)
        session._bench = reopen(Path(path), model=model, workspace=workspace, **given)  # noqa: SLF001 - its own
        return session

    @classmethod
    def continued(
        cls, former: Session | Path | str, *, model: Any, workspace: Any = None, **settings: Any
    ) -> Session:
        """Begin a next session where a former one ended: with its handoff, its settings, fresh budgets.

        Args:
            former: the session, or its run folder.
            model: to go on with.
            workspace: None for that of the former session, where this process has it.
            settings: as for a new session, in place of the former's.

        Raises:
            SessionBusy: the former session is at work.
            UsageProblem: it had shapers that this process does not have.
        """
        given = continued_from(former, workspace, settings)
        return cls(given.pop("task"), model=model, **given)

    id = fact("direction.id", "The id of the run, by which its memories and its handoff are known.")
    name = fact("name", "How views name it.")
    task = fact("task", "What the agent is to do.")
    model = fact("model", "What is asked for replies; None where a resumed session was given none.")
    workspace = fact("workspace", "Where the tools work; None for no tools.")
    path = fact("path", "The run folder.")
    transcript = fact("transcript", "Every message, as it came: `transcript.messages`.")
    trace = fact("trace", "Every event: `trace.events`, `trace.to_frame()`.")
    pressure = fact("pressure", "The weights and limits in force, a `ContextPressure`.")
    state = fact("state", "`ready running pausing paused done`, or `stopped(...)` with the reason.")
    detail = fact("detail", "The state in one sentence, where there is more to say.")
    error = fact("error", "What failed last.")
    steps = fact("transcript.committed", "Finished steps.")
    spent_tokens = fact("ledger.spent_tokens", "Input, the cached part included, and output of all calls.")
    chain_spent_tokens = property(
        lambda self: self.trace.stored[0].get("chain_spent_tokens", 0) + self.spent_tokens,
        doc="The same, of this session and all those before it, from handoff to handoff.",
    )
    input_tokens_sent = fact("ledger.input_tokens", "All input, the cached part included.")
    cached_tokens = fact("ledger.cached_tokens", "The part of the input served from the provider's cache.")
    chain = fact("chain", "The shapers in force, a `ShaperPipeline`.")
    pending = fact("pending", "The chain that takes effect at the end of the step in flight, or None.")
    policy = fact("policy", "The name of the policy the chain came from, or None.")
    mode = fact("mode", "`sticky` or `stateless`.")
    on_shaper_error = fact("on_shaper_error", "`skip` or `pause`: what a failing shaper does to the run.")
    summarizer = fact("summarizer", "For compacting layers that have none of their own.")
    run_handle = fact("run", "The newest `Run`, or None.")
    question = fact("question", "The command that waits for `answer(...)`, or None.")
    budget = property(
        lambda self: self._bench.direction.filled(), doc="The `ContextBudget`, filled; or None."
    )
    memory = fact("direction.memory", "The `MemoryStore`, or None.")
    anchors = fact("direction.anchors", "What was registered: kept word for word in every request.")
    todos = fact("direction.todos", "The todos, as `Todos`.")
    closed = fact("closed", "True once the run folder was given free.")
    max_steps = limit("max_steps", "max_steps", "Steps that may be made; may be set.")
    steering = fact("steering", "True where a status line stands at the end of each request.")
    budget_tokens = limit("ledger.budget_tokens", "budget_tokens", "Tokens that may be spent; may be set.")

    rounds = rounds
    at = moment
    fork = fork
    branches = property(branches)
    answer = orders.answer
    register, update_todos, delete = register, update_todos, delete
    handoff_now, handoff = handoff_now, property(last_handoff)
    audit, bill, checklist = audit, bill, checklist
    pin, unpin, restore = pin, unpin, restore
    use, use_summarizer, use_target, use_mode = use, use_summarizer, use_target, use_mode

    def step(self) -> Step:
        """Make one step and wait for it; where a limit forbids it, the `Step` says which.

        Raises:
            SessionBusy: a run is under way.
            KeyboardInterrupt: the cell was interrupted; the session is at rest.
            Exception: what the model or the disk raised.
        """
        run = self._waited(1)
        if run.error is not None and run.state == stopped(FAULT):
            raise run.error
        return run.last or Step(self.steps + 1, state=self.state, detail=self.detail)

    def run(self, n: int | None = None) -> str:
        """Make up to `n` steps, or go on to an end, and wait; returns the state.

        Raises:
            SessionBusy: a run is under way.
            KeyboardInterrupt: the cell was interrupted; the session is at rest.
        """
        return self._waited(n).state

    def start(self, n: int | None = None, *, to_step: int | None = None) -> Run:
        """Like `run`, in the background: returns at once.

        Args:
            n: at most so many steps.
            to_step: stop once this step is finished.

        Raises:
            SessionBusy: a run is under way.
            UsageProblem: something is missing to go on; it is named.
        """
        return new_run(self._bench, n, to_step)

    def pause(self) -> None:
        """End the run after the step in flight."""
        if self._bench.run is not None:
            self._bench.run.pause()

    def stop(self) -> None:
        """End the run now; the step in flight is not committed, the session can go on."""
        stop_what_runs(self._bench)

    def say(self, text: str) -> None:
        """Give the agent a message; it goes into the next request.

        Raises:
            UsageProblem: there is no text.
        """
        if not isinstance(text, str) or not text.strip():
            raise UsageProblem("say() needs some text for the agent")
        self._bench.order(partial(orders.say, self._bench, text))

    def request(self, step: int | None = None) -> Request:
        """The next request, or the one that was sent at a step.

        The next request is made once, when it is first asked for, and kept: the next step sends this
        very one, unless something is said or changed before. One that was sent is built again from
        transcript and trace.

        Raises:
            SessionBusy: a step is in flight, so the next request is not known yet.
            UsageProblem: no request was sent at this step.
        """
        return preview(self._bench) if step is None else request_sent(self._bench, step)

    def subscribe(self, listener: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Hand every event from now on to `listener`, on whatever thread; returns the call that ends it.

        What it raises is shown as a `fault` and never ends a step. A lock that it takes and that is
        held where verbs are called must be reentrant.
        """
        return self._bench.news.subscribe(listener)

    def close(self) -> None:
        """Stop what runs and give the run folder free; the session can still be looked at."""
        stop_what_runs(self._bench, closing=True)
        self._bench.close()

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _waited(self, n: int | None) -> Run:
        former = self._bench.run
        try:
            run = self.start(n)
            run.wait()
        except KeyboardInterrupt:
            # An interrupt between the start of the thread and the wait must not leave it running.
            if self._bench.run is not None and self._bench.run is not former:
                self._bench.run.stop(INTERRUPTED)
            raise
        return run

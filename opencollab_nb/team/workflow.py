"""`Workflow`: Python decides which agents run, on one pool of tokens."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError, UsageProblem, WorkflowBudgetExceeded
from opencollab_nb.session import Session
from opencollab_nb.session.folder import FolderLock, new_run_folder
from opencollab_nb.session.orders import check_limit
from opencollab_nb.session.run import Run
from opencollab_nb.team import flows
from opencollab_nb.team.agents import (
    CUT_OFF,
    AgentCall,
    AgentResult,
    Begun,
    Make,
    as_call,
    came_of,
    not_started,
)
from opencollab_nb.team.allocation import WorkflowRule
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.log import FILE, Log
from opencollab_nb.team.models import model_for
from opencollab_nb.team.outcome import RAN_OUT
from opencollab_nb.team.workflow_view import as_html, audit, to_frame
from opencollab_nb.trace import Trace


class Workflow:
    """Agents that are started by plain Python, each a session with its own lease on one pool.

    An agent that was given `tokens` has them reserved before it starts; the others draw on what nobody has
    reserved. What an agent does not spend returns to the pool. Where an agent's own tokens end, its result
    says `ran out` and Python decides; where the pool ends, `WorkflowBudgetExceeded` is raised and carries
    the results so far.

    Args:
        model: for every agent; a mapping or a function of the role for one by role.
        workspace: for every agent; None for no tools.
        budget_tokens: what all agents may spend together; None for no limit. An execution limit, not a
            billing cap: calls in flight may overshoot it, one for each agent at work, and are booked.
        path: the folder of the workflow; None for a new one under the user's data folder.
        settings: arguments of every agent's `Session`, such as `policy`, `window`, `max_steps`.

    Raises:
        UsageProblem: (a ValueError) an argument that cannot be used; it is named.
        TranscriptError: the folder cannot be written to, or holds a run already.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> flow = Workflow(model=ScriptedModel(["One.", "Two."]), budget_tokens=20_000)
    >>> str(flow.agent("Count.", role="counter")), str(flow.agent("Go on.", role="counter"))
    ('One.', 'Two.')
    >>> list(flow.ledger.books), flow.spent_tokens > 0
    (['counter-1', 'counter-2'], True)
    """

    def __init__(
        self,
        *,
        model: Any,
        workspace: Any = None,
        budget_tokens: int | None = None,
        path: Path | str | None = None,
        **settings: Any,
    ) -> None:
        check_limit("budget_tokens", budget_tokens)
        if taken := sorted({"lease", "task", "path"} & settings.keys()):
            raise UsageProblem(f"{taken[0]}= of an agent's session is set by the workflow; leave it out")
        self.path = Path(path).expanduser() if path is not None else new_run_folder("workflow")
        if (self.path / FILE).exists():
            raise TranscriptError(f"{self.path} holds the record of a run already: give another path")
        self._folder_lock = FolderLock(self.path)
        self._log = Log.new(self.path)
        self.ledger = Ledger(WorkflowRule(budget_tokens), note=self._log.note)
        self.results: list[AgentResult] = []
        """Of every agent so far, in the order in which they ended."""
        self._model, self._workspace, self._settings = model, workspace, settings
        self._lock = threading.RLock()
        self._counts: Counter[str] = Counter()
        self._at_work: dict[str, Session] = {}
        self._stopping = False
        self._log.note(
            "organisation",
            team="workflow",
            task="",
            spec={},
            rule="workflow",
            pool_tokens=budget_tokens,
            workspace=None if workspace is None else str(getattr(workspace, "root", workspace)),
            settings={},
        )

    def __repr__(self) -> str:
        pool = self.ledger.pool_tokens
        of = "" if pool is None else f" of {pool:,}"
        return f"Workflow({len(self.results)} agents ended, {self.spent_tokens:,}{of} tokens spent)"

    @property
    def trace(self) -> Trace:
        """Every event of the workflow: `trace.events`, `trace.to_frame()`."""
        return self._log.trace

    @property
    def busy(self) -> bool:
        """True while an agent is at work."""
        return bool(self._at_work)

    @property
    def spent_tokens(self) -> int:
        """What all agents have spent."""
        return self.ledger.spent_tokens

    def agent(
        self, task: Make, *, role: str = "agent", tokens: int | None = None, **settings: Any
    ) -> AgentResult:
        """Run one agent to its end and give its result.

        Args:
            task: what it is to do, or an `AgentCall`.
            role: how it is named.
            tokens: reserved for it; None to draw on the pool.
            settings: arguments of its `Session`.

        Raises:
            WorkflowBudgetExceeded: the pool does not have so much, or ended in its course.
            KeyboardInterrupt: the agent was stopped; its tokens are booked, the rest is returned.
        """
        call = AgentCall(task, role, tokens, settings) if isinstance(task, str) else as_call(task)
        return self.parallel(call)[0]

    def parallel(self, *calls: Make) -> list[AgentResult]:
        """Run agents at once; their results in the order of the calls.

        All reservations are made before the first one starts, all or none. One that fails, runs out or is
        stopped leaves the others at work, and its result says so.

        Raises:
            WorkflowBudgetExceeded: the pool does not have what is to be reserved, and then none was
                started; or it ended in their course, and all have come to rest.
            KeyboardInterrupt: all were stopped.
        """
        named = [(self._name(call), call) for call in map(as_call, calls)]
        if self._stopping:
            return self._kept([not_started(name, call, "the workflow was stopped") for name, call in named])
        begun: dict[str, Begun] = dict.fromkeys((name for name, _ in named), CUT_OFF)
        refusal = None
        try:
            refusal = self.ledger.grant_all({name: call.tokens for name, call in named})
            for name, call in named:
                begun[name] = str(refusal) if refusal is not None else self._begun(name, call)
            for run in self._started(begun.values()):
                run.wait()
        except KeyboardInterrupt:
            self.stop()
            self._stopping = False  # these agents were meant, not those of the next cell
            raise
        finally:
            kept = self._kept([self._ended(name, call, begun[name]) for name, call in named])
        if refusal is not None:
            raise WorkflowBudgetExceeded(str(refusal), list(self.results))
        gone = [result for result in kept if self._pool_gone(result)]
        if gone:
            raise WorkflowBudgetExceeded(gone[0].detail, list(self.results))
        return kept

    def pipeline(self, first: Make, *stages: Callable[[AgentResult], Make]) -> list[AgentResult]:
        """Run agents one after the other, each told by the one before.

        Args:
            first: the first agent.
            stages: functions of the result before that give the next agent's task or call.

        The first that does not finish is the last; the results so far are given back.

        Raises:
            WorkflowBudgetExceeded: as for `agent`.
        """
        return flows.pipeline(self.agent, first, *stages)

    def loop(
        self,
        make: Callable[[AgentResult | None], Make],
        until: Callable[[AgentResult], bool],
        *,
        at_most: int = 5,
    ) -> list[AgentResult]:
        """Run agents until one is good enough, `at_most` of them; the results in order.

        Args:
            make: a function of the result before, None at first, that gives the next agent.
            until: true for a result that ends it.
            at_most: how many.

        Raises:
            UsageProblem: `at_most` is not a number from 1 up.
            WorkflowBudgetExceeded: as for `agent`.
        """
        return flows.loop(self.agent, make, until, at_most=at_most)

    def verify(
        self, call: Make, check: Callable[[AgentResult], Any], *, attempts: int = 2
    ) -> tuple[AgentResult, str]:
        """Run an agent until a check accepts its result; the last result, and what was wrong with it.

        Args:
            call: the agent; each further attempt is told the result before and what was wrong with it.
            check: gives True for a result that is accepted, else False or the problem as text.
            attempts: how often, the first one included.

        Raises:
            UsageProblem: `attempts` is not a number from 1 up.
            WorkflowBudgetExceeded: as for `agent`.
        """
        return flows.verify(self.agent, call, check, attempts=attempts)

    def call(
        self, task: str, *, role: str = "agent", tokens: int | None = None, **settings: Any
    ) -> AgentCall:
        """An agent to be started by `parallel`, `pipeline`, `loop` or `verify`; see `agent`."""
        return AgentCall(task, role, tokens, settings)

    def stop(self) -> None:
        """Stop every agent at work; their results say so, and what they did not spend returns."""
        with self._lock:
            self._stopping, at_work = True, list(self._at_work.values())
        for session in at_work:
            session.stop()

    to_frame = to_frame
    audit = audit
    _repr_html_ = as_html

    def close(self) -> None:
        """Stop what runs and give the folders free; results and sessions can still be looked at."""
        self.stop()
        for result in self.results:
            if result.session is not None:
                result.session.close()
        self._log.close()
        self._folder_lock.release()

    def _started(self, begun: Iterable[Begun]) -> list[Run]:
        """All of them at work, or stopped, where that was said meanwhile."""
        runs = [one.start() for one in begun if isinstance(one, Session) and not self._stopping]
        if self._stopping:
            self.stop()
        return runs

    def _name(self, call: AgentCall) -> str:
        with self._lock:
            self._counts[call.role] += 1
            return f"{call.role}-{self._counts[call.role]}"

    def _begun(self, name: str, call: AgentCall) -> Session | Exception:
        given = {"workspace": self._workspace, **self._settings, **call.settings}
        known: dict[str, Any] = {"member": name, "role": call.role, "task": call.task}
        self._log.note("begin", **known, parent=None, call=None, message=None)
        try:
            session = Session(
                call.task,
                model=given.pop("model", None) or model_for(self._model, call.role),
                name=name,
                path=self.path / "members" / name,
                lease=self.ledger.lease(name),
                **given,
            )
        except Exception as problem:  # noqa: BLE001 - one agent that cannot be started leaves the others
            return problem
        with self._lock:
            self._at_work[name] = session
        return session

    def _ended(self, name: str, call: AgentCall, session: Begun) -> AgentResult:
        with self._lock:
            self._at_work.pop(name, None)
        if name in self.ledger.books:
            self.ledger.close(name)
        result = came_of(name, call, session)
        facts: dict[str, Any] = {"member": name, "outcome": result.outcome, "detail": result.detail}
        if not isinstance(session, str):
            self._log.note("end", step=result.steps, **facts)
        return result

    def _kept(self, results: Sequence[AgentResult]) -> list[AgentResult]:
        with self._lock:
            self.results += results
        return list(results)

    def _pool_gone(self, result: AgentResult) -> bool:
        if result.outcome != RAN_OUT or result.name not in self.ledger.books:
            return False
        account = self.ledger.books[result.name]
        return bool(account.refused) and (account.cap is None or account.spent < account.cap)

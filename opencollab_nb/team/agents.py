"""One agent of a workflow: what it is called with, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session import Session
from opencollab_nb.team.nodes import shortened
from opencollab_nb.team.outcome import FAILED, FINISHED, NEVER_ACTED, RAN_OUT, last_said, outcome_of
from opencollab_nb.team.roles import NAME_SAYS, is_name

SHOWN_CHARS = 60


@dataclass(frozen=True)
class AgentCall:
    """An agent that is to be started: its task, and the tokens it may spend.

    >>> AgentCall("Read the logs.", role="analyst", tokens=8_000).role
    'analyst'
    """

    task: str
    role: str = "agent"
    """How it is named in the ledger and in the trace."""
    tokens: int | None = None
    """Reserved for it before it starts; None to draw on what nobody has reserved."""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Arguments of its `Session`, in place of the workflow's."""

    def __post_init__(self) -> None:
        if not isinstance(self.task, str) or not self.task.strip():
            raise UsageProblem(f"an agent needs a task: give it some text, not {self.task!r}")
        if not isinstance(self.role, str) or not is_name(self.role):
            raise UsageProblem(f"{shortened(repr(self.role))} is no name of a role: {NAME_SAYS}")
        if self.tokens is not None and (type(self.tokens) is not int or self.tokens < 1):
            raise UsageProblem(
                f"tokens of {self.role!r} is {self.tokens!r}: give a whole number from 1 up, or None"
            )


@dataclass(frozen=True)
class AgentResult:
    """What came of one agent.

    >>> AgentResult("agent-1", AgentCall("Say hello."), "finished", "Hello.").ok
    True
    """

    name: str
    call: AgentCall
    outcome: str
    """`finished`, `ran out`, `stopped`, `failed` or `never acted`."""
    text: str = ""
    """Its answer; where it has not finished, as far as it came."""
    detail: str = ""
    """Why it ended, where there is more to say."""
    steps: int = 0
    tokens: int = 0
    """Spent, input and output of all calls."""
    session: Session | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """True for an agent that handed back by itself; whether its work is right, `verify` asks."""
        return self.outcome == FINISHED

    @property
    def ran_out(self) -> bool:
        """True where its tokens or its steps ended first."""
        return self.outcome == RAN_OUT

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        shown = text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
        why = "" if self.ok or not self.detail else f", {self.detail}"
        spent = f"{self.steps} steps, {self.tokens:,} tokens"
        return f"AgentResult({self.name}, {self.outcome}, {spent}, {shown!r}{why})"


Make = AgentCall | str
"""An agent to be started: a call, or the task alone."""


def as_call(made: Make) -> AgentCall:
    """The call, or one with this task and nothing else.

    Raises:
        UsageProblem: it is neither.
    """
    return made if isinstance(made, AgentCall) else AgentCall(made)


def result_of(name: str, call: AgentCall, session: Session) -> AgentResult:
    """The result of an agent whose session has come to rest; what it said is marked unless it finished."""
    outcome, said = outcome_of(session), last_said(session)
    return AgentResult(
        name,
        call,
        outcome,
        said if outcome == FINISHED or not said else f"[unfinished] {said}",
        session.detail,
        session.steps,
        session.spent_tokens,
        session,
    )


def without_session(name: str, call: AgentCall, problem: Exception) -> AgentResult:
    """The result of an agent that could not be started."""
    return AgentResult(name, call, FAILED, detail=f"{type(problem).__name__}: {problem}")


Begun = Session | Exception | str
"""An agent's session, what kept it from being made, or why it was not begun."""
CUT_OFF = "the workflow was interrupted"


def came_of(name: str, call: AgentCall, begun: Begun) -> AgentResult:
    """The result of an agent that is asked for nothing more, however far it came."""
    if isinstance(begun, Exception):
        return without_session(name, call, begun)
    return not_started(name, call, begun) if isinstance(begun, str) else result_of(name, call, begun)


def not_started(name: str, call: AgentCall, why: str) -> AgentResult:
    """The result of an agent that was never begun."""
    return AgentResult(name, call, NEVER_ACTED, detail=why)

"""What the parts of a session share: its stores, its settings, its lock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError, TranscriptError, UsageProblem
from opencollab_nb.messages import Message
from opencollab_nb.pressure import ContextPressure
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session import harness
from opencollab_nb.session.booked import booked
from opencollab_nb.session.chain_spec import check_filled
from opencollab_nb.session.direction import Direction
from opencollab_nb.session.ends import BUDGET, FAULT, READY, Ended, stopped
from opencollab_nb.session.extras import ExtraTool
from opencollab_nb.session.folder import FolderLock
from opencollab_nb.session.history import History
from opencollab_nb.session.ledger import Ledger
from opencollab_nb.session.news import News
from opencollab_nb.session.snapshots import Snapshots
from opencollab_nb.shaping import ShaperPipeline
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.trace import Trace
from opencollab_nb.transcript import Transcript
from opencollab_nb.transcript.repair import interrupted, unanswered

if TYPE_CHECKING:
    from opencollab_nb.session.next_request import NextRequest
    from opencollab_nb.session.run import Run

Order = Callable[[], None]


@dataclass
class Bench:
    """Written only under `lock`, and from inside a step only while its ticket is valid.

    The lock is a plain `RLock` used by `with`, which no asynchronous exception can leave held.
    """

    name: str
    task: str
    model: Any
    workspace: Any
    path: Path
    transcript: Transcript
    trace: Trace
    pressure: ContextPressure
    ledger: Ledger
    chain: ShaperPipeline
    policy: str | None = None
    summarizer: Any = None
    mode: str = "sticky"
    on_shaper_error: str = "skip"
    """`skip` the layer for that request, or `pause`."""
    max_steps: int | None = None
    max_output_tokens: int | None = None
    direction: Direction = field(default_factory=Direction)
    extras: tuple[ExtraTool, ...] = ()
    """Tools given from outside."""
    steering: bool = False
    folder_lock: FolderLock | None = None
    own_workspace: bool = False
    """True where the session made the workspace, and closes it."""
    missing: list[str] = field(default_factory=list)
    """Parts of a resumed run's chain that this process does not have; steps wait for them."""
    state: str = READY
    detail: str = ""
    error: Exception | None = None
    """What failed last."""
    finished: bool = False
    """True from the reply that handed back until something new is said."""
    closed: bool = False
    ticket: Ticket | None = None
    """Of the step in flight."""
    run: Run | None = None
    waiting: list[tuple[Order, ShaperPipeline | None]] = field(default_factory=list)
    """Orders given during a step, for its end."""
    on_branch: dict[object, Callable[[], None]] = field(default_factory=dict)
    """Called when a branch was begun: the run's own trace stays as it is and has no event for it."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    news: News = field(default_factory=News)
    next: NextRequest = field(init=False)
    history: History = field(init=False)
    snapshots: Snapshots = field(init=False)
    seen: dict[str, Any] = field(default_factory=dict)
    """Shapers and summarizers that were in force in this process, by what the trace says of them."""
    wrapped: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Shapers whose summarizer is booked, by the id of the shaper they were made of."""

    def __post_init__(self) -> None:
        from opencollab_nb.session.next_request import NextRequest

        self.next = NextRequest(self)
        self.history, self.snapshots, self.direction.bench = History(self), Snapshots(self), self

    @property
    def number(self) -> int:
        """The step in flight, else the last finished one."""
        return self.transcript.committed + (self.ticket is not None)

    @property
    def busy(self) -> bool:
        """True while a step may be made or a request is being made, between two steps of a run too."""
        return self.ticket is not None or (self.run is not None and not self.run.ended)

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The schemas of the tools, as workspace and harness offer them now."""
        return harness.offered(self.workspace, self.chain, self.direction.moves, self.extras)

    def booked_chain(self) -> ShaperPipeline:
        """The chain as it runs, every summarizer's calls booked."""
        return booked(self.chain, self, self.wrapped)

    def note(self, kind: str, *, step: int | None = None, **facts: Any) -> dict[str, Any]:
        """Write one event; subscribers get it with the next `tell`."""
        with self.lock:
            event = self.trace.add(kind, self.number if step is None else step, **facts)
            self.news.post(event)
            return event

    def tell(self) -> None:
        """Hand events to subscribers; never called under the lock."""
        self.news.deliver(self._subscriber_failed)

    def keep(self, message: Message, source: str, priority: int | None = None) -> Message:
        """Add one message to the transcript."""
        with self.lock:
            self.next.forget()
            return self.transcript.append(message, source=source, step=self.number, priority=priority)

    def settle(self) -> None:
        """Answer calls whose step was interrupted, so that the history can go on."""
        with self.lock:
            waiting = unanswered(self.transcript.stored)
            for call_id in waiting:
                self.keep(interrupted(call_id), "tool")
            if waiting:
                self.notice(f"{len(waiting)} interrupted calls got the result [interrupted]")

    def book(self, purpose: str, usage: Usage, *, reported: bool) -> None:
        """Count the usage of one call and write it down."""
        with self.lock:
            self.ledger.book(usage)
            self.note(
                "usage",
                purpose=purpose,
                **usage.to_dict(),
                reported=reported,
                ratio=self.pressure.ratio,
                source=self.pressure.source,
                pressure=self.pressure.to_dict(),
            )

    def set_state(self, state: str, detail: str = "") -> None:
        """Change the state; it holds even where it cannot be written."""
        with self.lock:
            if (state, detail) == (self.state, self.detail):
                return
            self.state, self.detail = state, KNOWN.struck(detail)
            try:
                self.note("state", state=state, detail=detail)
            except TranscriptError as problem:
                self.error = self.error or problem

    def fault(self, where: str, problem: Exception) -> None:
        """Keep an error and write it down, if the disk still takes it."""
        KNOWN.strike_error(problem)
        with self.lock:
            self.error = problem
            try:
                self.note("fault", where=where, error=type(problem).__name__, message=str(problem))
            except TranscriptError as second:
                self.detail = self.detail or str(second)

    def notice(self, text: str, *, weights_changed: bool = False) -> None:
        """Write down something worth knowing."""
        with self.lock:
            self.note("notice", text=text, pressure=self.pressure.to_dict() if weights_changed else None)

    def note_end(self, end: Ended) -> None:
        """Write down why a run ended before the task did."""
        if end.reason == FAULT:
            self.fault("run", end.error or end)
            return
        try:
            self.note("limit", reason=end.reason, detail=end.detail)
        except TranscriptError as problem:
            self.error = problem

    def check_budget(self, tokens: int = 0) -> None:
        """Refuse a model call, estimated to cost so many tokens, once the token budget is spent.

        Raises:
            Ended: it is.
        """
        refusal = self.ledger.refusal(tokens)
        if refusal:
            raise Ended(BUDGET, refusal)

    def begin(self, ticket: Ticket) -> None:
        """Let this ticket's step write."""
        with self.lock:
            self.ticket = ticket

    def release(self, ticket: Ticket) -> None:
        """End a step's right to write; carry out what was ordered meanwhile. Only the first call counts."""
        with self.lock:
            if self.ticket is not ticket:
                return
            try:
                if self.ledger.flying and ticket.cancelled:
                    purpose, input_tokens = self.ledger.flying
                    self.book(purpose, Usage(input_tokens=input_tokens), reported=False)
            except TranscriptError as problem:
                self.error = problem
            self.ledger.land()
            if ticket.cancelled:
                self.next.cut_off()
            self.ticket = None
            self._carry_out()

    def order(self, order: Order, chain: ShaperPipeline | None = None) -> None:
        """Do it at rest at once, during a step at its end.

        Args:
            order: writes down what it changes, then changes it.
            chain: the chain that will be in force after it, for `pending`.

        Raises:
            UsageProblem: the session is closed.
        """
        with self.lock:
            self.check_open()
            if self.ticket is not None:
                self.waiting.append((order, chain))
            else:
                order()
        self.tell()

    def check_open(self) -> None:
        """Refuse to change a closed session.

        Raises:
            UsageProblem: it is closed.
        """
        if self.closed:
            raise UsageProblem(f"this session is closed: Session.resume({str(self.path)!r}) goes on with it")

    def check_chain(self) -> None:
        """Refuse to make a step without the shapers and summarizers that the run was made with."""
        check_filled(self.missing)

    @property
    def pending(self) -> ShaperPipeline | None:
        """The chain that takes effect at the end of the step in flight."""
        with self.lock:
            return next((chain for _, chain in reversed(self.waiting) if chain is not None), None)

    @property
    def question(self) -> str | None:
        """The command that waits for the user's answer."""
        return getattr(self.workspace, "question", None)

    def close(self) -> None:
        """Give files, lock and an own workspace free."""
        with self.lock:
            if self.closed:
                return
            self.closed = True
            self.transcript.close()
            self.trace.close()
            if self.folder_lock is not None:
                self.folder_lock.release()
        if self.own_workspace:
            self.workspace.close()

    def _carry_out(self) -> None:
        waiting, self.waiting = self.waiting, []
        for order, _ in waiting:
            try:
                order()
            except OpenCollabError as problem:
                self.fault("order", problem)
                if isinstance(problem, TranscriptError):
                    self.set_state(stopped(FAULT), str(problem))

    def _subscriber_failed(self, problem: Exception) -> None:
        try:
            self.note("fault", where="subscriber", error=type(problem).__name__, message=str(problem))
        except TranscriptError as second:
            with self.lock:
                self.error = self.error or second

"""The team: what a user holds, a set of verbs over one run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from opencollab_nb.errors import SessionBusy, UsageProblem
from opencollab_nb.session.ends import PAUSED, PAUSING, RUNNING
from opencollab_nb.session.orders import check_limit
from opencollab_nb.team.audit import audit
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import said
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.mail import Letter
from opencollab_nb.team.member import Member
from opencollab_nb.team.opening import open_crew
from opencollab_nb.team.results import TeamResult, result_of
from opencollab_nb.team.resume import reopen_crew
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.run import TeamRun
from opencollab_nb.team.show import as_html
from opencollab_nb.team.stepping import TeamStep, detail_of, state_of, take_turn, take_up, tell
from opencollab_nb.team.swaps import use, use_summarizer
from opencollab_nb.trace import Trace


class Team:
    """Several agents at work on one task, with one budget that they share.

    Without a declaration it is a lead that spawns agents. All that happens is on disk in the run folder
    before it is used, each member in a folder of its own, and `resume` goes on from there.

    Args:
        given: a team file, its text, the name of a shipped team, a mapping, or a `TeamSpec`; None for a lead
            that spawns agents of one kind.
        task: what the team is to do; None where the file says it.
        model: one model for all; a mapping from roles, or from the names of models that the file gives its
            roles, to models; or a function of a role's name.
        workspace: a `Workspace`, the path of a folder, or None for no tools but the team's own.
        budget_tokens: what all may spend together; only where the seats have no allowances of their own.
        path: the run folder; None for a new one under the user's data folder.
        shell: for a workspace given as a path: `off`, `ask` or `allow`.
        settings: for the sessions of all members: `summarizer`, `window`, `max_steps`, `mode`,
            `max_output_tokens`, `on_shaper_error`, `secrets`, and `steering`: the status line at the end of
            each request, on unless it is False. A member hears from nobody else what is left of tokens that
            the team shares out; a lone session is what the user made it, and has it off.

    Raises:
        UsageProblem: (a ValueError) an argument that cannot be used; it is named.
        TranscriptError: the run folder cannot be written to, or holds a run already.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> team = Team(task="Say hello.", model=ScriptedModel(["Hello."]), budget_tokens=20_000)
    >>> team.run(), team.result.text, team.result["lead"].outcome
    ('done', 'Hello.', 'finished')
    >>> team.close()
    """

    _crew: Crew
    _run: TeamRun | None = None
    _pausing = _stepping = _beginning = False
    _told = ""

    def __init__(
        self,
        given: TeamSpec | Mapping[str, Any] | Path | str | None = None,
        *,
        task: str | None = None,
        model: Any,
        workspace: Any = None,
        budget_tokens: int | None = None,
        path: Path | str | None = None,
        shell: str | None = None,
        **settings: Any,
    ) -> None:
        self._crew = open_crew(given, task, model, workspace, budget_tokens, path, shell, settings)

    @classmethod
    def resume(
        cls,
        path: Path | str,
        *,
        model: Any = None,
        workspace: Any = None,
        shell: str | None = None,
        **settings: Any,
    ) -> Team:
        """Go on with the run in this folder.

        What was sent and not delivered is delivered, once. Model and workspace are never taken from the
        file: without them the team can be looked at, and a step says what is missing.

        Raises:
            TranscriptError: no team's run is there, it is damaged, or another process writes to it.
        """
        team = cls.__new__(cls)
        team._crew = reopen_crew(path, model, workspace, shell, settings)  # noqa: SLF001 - its own
        return team

    def __repr__(self) -> str:
        crew = self._crew
        return f"Team({crew.spec.name!r}, {self.state}, {len(crew.members)} members, {crew.ledger!r})"

    def _repr_html_(self) -> str:
        return as_html(self)

    @property
    def spec(self) -> TeamSpec:
        """The team as it was declared."""
        return self._crew.spec

    @property
    def task(self) -> str:
        """What it is to do."""
        return self._crew.task

    @property
    def path(self) -> Path:
        """The run folder; each member's lies in `members/`."""
        return self._crew.path

    @property
    def members(self) -> Mapping[str, Member]:
        """The members by name, in the order in which they came; each has its `session`."""
        return MappingProxyType(dict(self._crew.members))

    @property
    def ledger(self) -> Ledger:
        """Who was granted, has spent, keeps and gave back how much."""
        return self._crew.ledger

    @property
    def messages(self) -> tuple[Letter, ...]:
        """All messages between members, the user's among them, in the order in which they were sent."""
        return tuple(self._crew.mail.letters)

    @property
    def trace(self) -> Trace:
        """The team's own events: `trace.events`, `trace.to_frame()`."""
        return self._crew.log.trace

    @property
    def run_handle(self) -> TeamRun | None:
        """The newest run in threads, or None."""
        return self._run

    @property
    def state(self) -> str:
        """`ready running pausing paused done`, or `stopped(...)` with the reason."""
        if self._run is not None and not self._run.over:
            return self._run.state
        if self._stepping:
            return PAUSING if self._pausing else RUNNING
        state = state_of(self._crew)
        if state == PAUSED and self._run is not None and self._run.state.startswith("stopped"):
            return self._run.state
        return state

    @property
    def detail(self) -> str:
        """The state in one sentence, where there is more to say."""
        return detail_of(self._crew)

    @property
    def result(self) -> TeamResult:
        """What became of each member so far."""
        return result_of(self._crew, self.state)

    def step(self) -> TeamStep:
        """Make one step of one member, the next at work in a fixed order, and wait for it.

        Raises:
            SessionBusy: a run is under way.
            KeyboardInterrupt: the cell was interrupted; the team is at rest.
        """
        with self._alone():
            return self._step()

    def run(self, n: int | None = None) -> str:
        """Make up to `n` steps, one member after the other, or go on until nobody has one to make.

        Raises:
            SessionBusy: a run is under way.
            KeyboardInterrupt: the cell was interrupted; the team is at rest.
        """
        check_limit("n", n)
        with self._alone():
            self._pausing, made = False, 0
            while (n is None or made < n) and not self._pausing and self._step().member is not None:
                made += 1
        return self.state

    def start(self, n: int | None = None) -> TeamRun:
        """Let the members work at once, each in a thread of its own; returns at once.

        Args:
            n: at most so many steps of each member.

        Raises:
            SessionBusy: a run is under way.
        """
        check_limit("n", n)
        with self._alone():
            self._run = run = TeamRun(self._crew, n)
            run.begin()
        return run

    def pause(self) -> None:
        """End the run after the steps in flight."""
        self._pausing = True
        if self._run is not None:
            self._run.pause()

    def stop(self) -> None:
        """End the run now; steps in flight are not committed, the team can go on."""
        self._pausing = True
        if self._run is not None and not self._run.over:
            self._run.stop()
            return
        for member in self.members.values():
            if member.busy and member.session is not None:
                member.session.stop()

    def say(self, text: str, to: str | None = None) -> Letter:
        """Give a member a message, the entry if no other is named; it reads it before its next step.

        Raises:
            UsageProblem: there is no text, no such member, or it can make no further step.
        """
        self._check_open()
        letter = said(self._crew, text, to)
        tell(self._crew)
        return letter

    def use(self, *shapers: Any, member: str | None = None) -> None:
        """Change the shapers of one member, or of all, those that begin later too; from the next request on.

        Raises:
            UsageProblem: nothing was given, or something that is no shaper; no such member.
        """
        self._check_open()
        use(self._crew, shapers, member)

    def use_summarizer(self, summarizer: Any, member: str | None = None) -> None:
        """Change the summarizer of one member, or of all, those that begin later too.

        Raises:
            UsageProblem: it is no summarizer; no such member.
        """
        self._check_open()
        use_summarizer(self._crew, summarizer, member)

    def subscribe(self, listener: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Hand every event of the team from now on to `listener`; returns the call that ends it."""
        return self._crew.log.subscribe(listener)

    audit = audit

    def close(self) -> None:
        """Stop what runs and give the run folders free; the team can still be looked at."""
        if not self._crew.closed:
            self.stop()
            self._crew.close()

    def _step(self) -> TeamStep:
        self._stepping, self._run = True, None
        try:
            step = take_turn(self._crew)
        finally:
            self._stepping = False
        self._tell(step.state)
        return step

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of several threads that begin something at once, one does; those are let try again that can."""
        with self._crew.lock:
            self._check_open()
            if self._beginning or (self._run is not None and not self._run.over):
                raise SessionBusy("the team is at work: pause or stop it first")
            self._beginning = True
        try:
            take_up(self._crew)
            yield
        finally:
            self._beginning = False

    def _check_open(self) -> None:
        if self._crew.closed:
            raise UsageProblem(f"this team is closed: Team.resume({str(self.path)!r}) goes on with it")

    def _tell(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self._crew.log.note("state", state=state, detail=self.detail)
        tell(self._crew)

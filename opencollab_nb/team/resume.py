"""Going on with a team's run folder in another process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.secrecy import keep_secrets
from opencollab_nb.session import Session
from opencollab_nb.session.folder import TRANSCRIPT, FolderLock
from opencollab_nb.session.opening import open_workspace
from opencollab_nb.team.beginning import begin, begin_anew, follow, take_seats, workspace_of
from opencollab_nb.team.books import Account, Books
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import route
from opencollab_nb.team.ending import end_account
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.log import FILE, Event, Log
from opencollab_nb.team.mail import Mail, numbers_in
from opencollab_nb.team.member import Member
from opencollab_nb.team.opening import check_settings, read_back
from opencollab_nb.team.organisation import rule_of
from opencollab_nb.team.outcome import FAILED, FINISHED, end_of
from opencollab_nb.team.swaps import keep, take_up_swaps
from opencollab_nb.team.tools import tools_of
from opencollab_nb.transcript import Transcript

OF_A_RESUMED_SESSION = ("summarizer", "secrets")


def reopen_crew(
    path: Path | str, models: Any, workspace: Any, shell: str | None, settings: dict[str, Any]
) -> Crew:
    """A team's parts from its run folder; what was not delivered is, once.

    Raises:
        TranscriptError: no team's run is there, it is damaged, or another process writes to it.
    """
    check_settings(settings)
    keep_secrets(settings.get("secrets"))
    folder = Path(path).expanduser()
    if not (folder / FILE).is_file():
        raise TranscriptError(f"{folder} holds no team's run: there is no {FILE}; check the path")
    lock = FolderLock(folder)
    crew: Crew | None = None
    try:
        log = Log.open(folder)
        first: Event = log.trace.stored[0] if log.trace.stored else {"kind": ""}
        if first["kind"] != "organisation":
            raise TranscriptError(f"{folder / FILE} does not say how the team was made")
        spec, had = read_back(first["spec"]), first["settings"]
        _, rule = rule_of(spec)
        held = open_workspace(workspace, shell, models)
        crew = Crew(
            spec=spec,
            task=first["task"],
            path=folder,
            log=log,
            ledger=Ledger(rule, note=log.note),
            mail=Mail(log),
            models=models,
            workspace=held,
            own_workspace=held is not workspace,
            settings={name: value for name, value in had.items() if name != "summarizer"} | settings,
            folder_lock=lock,
        )
        keep(crew.summarizers, None, {"part": had.get("summarizer")})
        take_up_swaps(crew, log.trace.events)
        if "summarizer" in settings:
            keep(crew.summarizers, None, settings["summarizer"])
        rebuild(crew)
    except BaseException:
        if crew is not None:
            crew.close()
        lock.release()
        raise
    return crew


def rebuild(crew: Crew) -> None:
    """Members, books and mail as the events and the members' own folders tell of them."""
    events = crew.log.trace.events
    crew.ledger.restore(books_in(events))
    take_seats(crew)  # those that the process had not come to
    roles = {event["member"]: event["role"] for event in events if event["kind"] == "begin"}
    for name in crew.ledger.books:
        if name in roles or name in crew.spec.names:
            crew.add(Member(name, crew.spec.role(roles.get(name, name))))
        else:
            crew.ledger.close(name)  # it was granted something, and the process ended before it began
    for event in events:
        if event["kind"] == "begin":
            member = crew.members[event["member"]]
            member.parent, member.task = event["parent"], event["task"]
            crew.mail.found(member.name, [event["message"]])
        elif event["kind"] == "message" and event["about"] == "task":
            crew.members[event["to"]].parent, crew.members[event["to"]].task = event["sender"], event["text"]
    for member in crew.members.values():
        if member.name in roles:
            go_on(crew, member, events)
    made = [event["member"] for event in events if event["kind"] == "step"]
    crew.turn = made[-1] if made else None
    if crew.models is not None:  # else it can be looked at; what waits goes on waiting
        take_up_work(crew)


def take_up_work(crew: Crew) -> None:
    """Begin with the entry, where the process had not come to it; deliver what waits."""
    if crew.entry.session is None:
        begin(crew, crew.entry, crew.task)
    for member in list(crew.members.values()):
        for letter in crew.mail.waiting(member.name):
            if letter in crew.mail.waiting(member.name):
                route(crew, letter)


def go_on(crew: Crew, member: Member, events: list[Event]) -> None:
    """The member's session from its folder; made anew where the process ended before it was whole."""
    folder = crew.folder(member.name)
    if not begun_whole(folder):
        if any(is_end_of(member, event) for event in events):
            member.ended = FAILED
        elif crew.models is not None:
            begin_anew(crew, member)
        return
    given = {name: crew.settings[name] for name in OF_A_RESUMED_SESSION if name in crew.settings}
    model = None if crew.models is None else crew.model_for(member.role)
    member.session = session = Session.resume(
        folder, model=model, workspace=workspace_of(crew, member), tools=tools_of(crew, member), **given
    )
    books, account = crew.ledger.books, crew.ledger.books[member.name]
    crew.ledger.restore(books.having(member.name, replace(account, spent=session.spent_tokens)))
    member.bench.ledger.lease = crew.ledger.lease(member.name)
    follow(crew, member)
    crew.mail.found(member.name, numbers_in(session.transcript.stored))
    take_up_end(crew, member, session, events)
    own = [e for e in events if e.get("member") == member.name and e["kind"] in ("wait", "delivery")]
    member.waiting = bool(own) and own[-1]["kind"] == "wait" and own[-1]["step"] == session.steps


def take_up_end(crew: Crew, member: Member, session: Session, events: list[Event]) -> None:
    """An end that was told is known; one that was not will be; who was woken since tries again."""
    outcome = end_of(session)
    ends = [e["n"] for e in events if is_end_of(member, e)]
    came = [e["n"] for e in events if e["kind"] == "delivery" and e["member"] == member.name]
    if outcome is None:
        return
    if outcome != FINISHED and ends and came and came[-1] > ends[-1]:
        member.seen = session.run_handle
    elif member.parent is None or told(crew, member, outcome):
        member.ended = outcome
        end_account(crew, member)


def is_end_of(member: Member, event: Event) -> bool:
    """True for an event that tells of an end of this member."""
    if event["kind"] == "message":
        return bool(event["about"] == "result" and event["sender"] == member.name)
    return bool(event["kind"] == "end" and event["member"] == member.name)


def told(crew: Crew, member: Member, outcome: str) -> bool:
    """True where this very end was told to the parent before, by a former process."""
    return any(
        one.about == "result"
        and (one.sender, one.to, one.step, one.outcome) == (member.name, member.parent, member.steps, outcome)
        for one in reversed(crew.mail.letters)
    )


def begun_whole(folder: Path) -> bool:
    """True where a member's folder holds its task: only then a step of it can have been made."""
    if not (folder / TRANSCRIPT).is_file():
        return False
    transcript = Transcript.open(folder / TRANSCRIPT)
    transcript.close()
    return any(message["meta"]["source"] == "task" for message in transcript.stored)


def books_in(events: list[Event]) -> Books:
    """What was granted and returned; what was spent is in the members' own folders."""
    books = Books()
    for event in events:
        if event["kind"] not in ("grant", "return"):
            continue
        name, tokens = event["member"], event["tokens"]
        account = books[name] if name in books else Account(None if tokens is None else 0)
        if event["kind"] == "grant":
            granted = None if tokens is None else (account.granted or 0) + tokens
            account = Account(granted, 0, account.returned, gave_back=account.gave_back)
        else:
            account = Account(account.granted, 0, account.returned + tokens, open=False, gave_back=tokens)
        books = books.having(name, account)
    return books

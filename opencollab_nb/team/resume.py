"""Going on with a team's run folder in another process."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.secrecy import keep_secrets
from opencollab_nb.session import Session
from opencollab_nb.session.folder import TRANSCRIPT, FolderLock
from opencollab_nb.session.opening import open_workspace
from opencollab_nb.team.beginning import follow, new_session, workspace_of
from opencollab_nb.team.books import Account, Books
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import route
from opencollab_nb.team.file import read_team
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.log import FILE, Event, Log
from opencollab_nb.team.mail import Mail, numbers_in
from opencollab_nb.team.member import Member
from opencollab_nb.team.opening import check_settings
from opencollab_nb.team.organisation import rule_of
from opencollab_nb.team.outcome import FINISHED, end_of
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.tools import tools_of
from opencollab_nb.transcript import Transcript

OF_A_RESUMED_SESSION = ("summarizer", "secrets")


def reopen_crew(
    path: Path | str, models: Any, workspace: Any, shell: str | None, settings: Mapping[str, Any]
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
    try:
        log = Log.open(folder)
        first: Event = log.trace.stored[0] if log.trace.stored else {"kind": ""}
        if first["kind"] != "organisation":
            raise TranscriptError(f"{folder / FILE} does not say how the team was made")
        spec = declared_in(first)
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
            settings=settings,
            folder_lock=lock,
        )
        rebuild(crew)
    except BaseException:
        lock.release()
        raise
    return crew


def declared_in(first: Event) -> TeamSpec:
    """The team that the first event tells of; its tools were looked at when it was made."""
    tools = {name for role in first["spec"]["roles"].values() for name in role.get("tools", ())}
    return read_team(first["spec"], tools=tools)


def rebuild(crew: Crew) -> None:
    """Members, books and mail as the events and the members' own folders tell of them."""
    events = crew.log.trace.events
    crew.ledger.restore(books_in(events))
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
    if crew.models is None:
        return  # it can be looked at; what waits goes on waiting
    for member in list(crew.members.values()):
        for letter in crew.mail.waiting(member.name):
            if letter in crew.mail.waiting(member.name):
                route(crew, letter)


def go_on(crew: Crew, member: Member, events: list[Event]) -> None:
    """The member's session from its folder; made anew where the process ended before it was whole."""
    folder = crew.folder(member.name)
    if not begun_whole(folder):
        if crew.models is None:
            return
        shutil.rmtree(folder, ignore_errors=True)
        member.session = new_session(crew, member)
        follow(crew, member)
        return
    given = {name: crew.settings[name] for name in OF_A_RESUMED_SESSION if name in crew.settings}
    model = None if crew.models is None else crew.model_for(member.role)
    member.session = session = Session.resume(
        folder, model=model, workspace=workspace_of(crew, member), tools=tools_of(crew, member), **given
    )
    books, account = crew.ledger.books, crew.ledger.books[member.name]
    spent = Account(account.granted, session.spent_tokens, account.returned, 0, account.open)
    crew.ledger.restore(books.having(member.name, spent))
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
        if not crew.spec.declared:
            crew.ledger.close(member.name)


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
            account = Account(granted, 0, account.returned)
        else:
            account = Account(account.granted, 0, account.returned + tokens, open=False)
        books = books.having(name, account)
    return books

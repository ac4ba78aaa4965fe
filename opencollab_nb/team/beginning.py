"""How a member comes to have a session: at the start, by a spawn, or by the first message to its seat."""

from __future__ import annotations

import shutil
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session import Session
from opencollab_nb.team.books import Refusal
from opencollab_nb.team.context import member_plan
from opencollab_nb.team.crew import MOST_MEMBERS, Crew
from opencollab_nb.team.member import Member
from opencollab_nb.team.outcome import FAILED
from opencollab_nb.team.roster import Role
from opencollab_nb.team.swaps import settings_for
from opencollab_nb.team.tools import tools_of


def take_seats(crew: Crew) -> None:
    """Grant every seat of a declared team its allowance, all or none; of a dynamic one, the lead's.

    Raises:
        UsageProblem: the pool does not give so much.
    """
    seats = crew.spec.names if crew.spec.declared else (crew.spec.entry,)
    names = [name for name in seats if name not in crew.ledger.books]
    refusal = crew.ledger.grant_all(dict.fromkeys(names))
    if refusal is not None:
        raise UsageProblem(f"{refusal}; give the team more tokens")
    for name in names:
        crew.add(Member(name, crew.spec.role(name)))


def begin(
    crew: Crew,
    member: Member,
    task: str,
    *,
    parent: str | None = None,
    call: str | None = None,
    message: int | None = None,
) -> None:
    """Give a member its first task; written down before its session is made.

    Where that cannot be made, a seat is as it was before; one that was spawned has failed, and gives back.
    """
    with crew.lock:
        event = crew.log.note(
            "begin",
            member=member.name,
            role=member.role.name,
            parent=parent,
            task=task,
            call=call,
            message=message,
        )
        crew.add(member)
        member.parent, member.task = parent, event["task"]
        if message is not None:
            crew.mail.found(member.name, [message])
        try:
            member.session = new_session(crew, member)
        except Exception as problem:
            not_begun(crew, member, problem)
            raise
        follow(crew, member)


def begin_anew(crew: Crew, member: Member) -> None:
    """Make the session of a member whose beginning was written down and then cut off."""
    shutil.rmtree(crew.folder(member.name), ignore_errors=True)
    member.session = new_session(crew, member)
    follow(crew, member)


def not_begun(crew: Crew, member: Member, problem: Exception) -> None:
    """Put right what a member without a session holds."""
    KNOWN.strike_error(problem)
    if crew.spec.declared:
        member.task = ""
        return
    member.ended = FAILED
    crew.ledger.close(member.name)
    crew.log.note("end", member=member.name, outcome=FAILED, detail=f"{type(problem).__name__}: {problem}")


def spawned(crew: Crew, role: Role) -> Member | Refusal:
    """A new member of a dynamic team with its allowance, or why there is none."""
    with crew.lock:
        if len(crew.members) >= MOST_MEMBERS:
            return Refusal(role.name, "nothing left", f"the team has {MOST_MEMBERS} members, its most")
        name = free_name(crew, role.name)
        refusal = crew.ledger.grant(name)
        return refusal if refusal is not None else Member(name, role)


def free_name(crew: Crew, role: str) -> str:
    """The role's name, with a number from the second member on."""
    taken = {*crew.members, *crew.ledger.books}
    if role not in taken:
        return role
    return next(name for n in range(2, 10_000) if (name := f"{role}-{n}") not in taken)


def new_session(crew: Crew, member: Member) -> Session:
    """The session of a member, in its own folder under that of the team."""
    spec, role, model = crew.spec, member.role, crew.model_for(member.role)
    plan = member_plan(spec, role.name, member.task, member=member.name)
    swapped, missing = settings_for(crew, member, model)
    given = {"window": spec.window, "max_steps": spec.max_steps, "steering": True, **crew.settings, **swapped}
    session = Session(
        plan.task,
        model=model,
        workspace=workspace_of(crew, member),
        system=plan.system or None,
        context=plan.context,
        name=member.name,
        path=crew.folder(member.name),
        lease=crew.ledger.lease(member.name),
        tools=tools_of(crew, member),
        **given,
    )
    session._bench.missing += missing  # noqa: SLF001 - its steps wait for what this process does not have
    return session


def workspace_of(crew: Crew, member: Member) -> Any:
    """The member's own view of the team's folder, with the tools of its role.

    Raises:
        UsageProblem: the role names its tools, and the workspace that was given cannot offer some only.
    """
    tools, workspace = member.role.tools, crew.workspace
    if workspace is None or tools == ():
        return None
    if hasattr(workspace, "opened_anew"):
        member.workspace = workspace.opened_anew(**({} if tools is None else {"tools": tools}))
        return member.workspace
    if tools is not None:
        raise UsageProblem(
            f"the role {member.role.name!r} names its tools, but {workspace!r} cannot offer some of them "
            "only: give a Workspace, or the path of a folder"
        )
    return workspace


def follow(crew: Crew, member: Member) -> None:
    """Tell the team's record of the member's steps."""
    assert member.session is not None
    calls: list[str] = []

    def heard(event: dict[str, Any]) -> None:
        if event["kind"] == "reply":
            calls[:] = event["calls"]
        elif event["kind"] == "commit":
            crew.log.note("step", step=event["step"], member=member.name, calls=list(calls))
            crew.turn = member.name
        elif event["kind"] == "state":
            crew.log.changed.set()

    member.session.subscribe(heard)

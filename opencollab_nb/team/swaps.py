"""Swapping the shapers or the summarizer of one member or of the whole team, mid-run.

A member that begins later begins with what was chosen last for it, or for all; also in another process.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.session.chain_spec import (
    CannotImport,
    NoSummarizer,
    describe,
    describe_chain,
    restore,
    restore_chain,
)
from opencollab_nb.session.orders import Chosen, check_summarizer, choose
from opencollab_nb.shaping import name_of
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.log import Event
from opencollab_nb.team.member import Member


def use(crew: Crew, shapers: tuple[Any, ...], member: str | None) -> None:
    """Put shapers in force for one member or for all; see `Team.use`."""
    chosen = choose(shapers)
    with crew.lock:
        keep(crew.chains, crew.member(member).name if member is not None else None, chosen)
        sessions = [m.session for m in crew.members.values() if m.session and member in (None, m.name)]
    for session in sessions:
        session.use(*shapers)
    crew.log.note(
        "swap",
        member=member,
        chain=[name_of(shaper) for shaper in chosen.chain.shapers],
        parts=describe_chain(chosen.chain),
        policy=chosen.policy,
        mode=chosen.mode,
        target_ratio=chosen.target_ratio,
    )


def use_summarizer(crew: Crew, summarizer: Any, member: str | None) -> None:
    """Put a summarizer in force for one member or for all; see `Team.use_summarizer`."""
    check_summarizer(summarizer)
    with crew.lock:
        keep(crew.summarizers, crew.member(member).name if member is not None else None, summarizer)
        sessions = [m.session for m in crew.members.values() if m.session and member in (None, m.name)]
    for session in sessions:
        session.use_summarizer(summarizer)
    crew.log.note("summarizer", member=member, part=None if summarizer is None else describe(summarizer))


def keep(kept: dict[str | None, Any], member: str | None, chosen: Any) -> None:
    """Choose for one member, or for all: then nothing else holds any more."""
    if member is None:
        kept.clear()
    kept[member] = chosen


def take_up_swaps(crew: Crew, events: list[Event]) -> None:
    """What a former process had chosen; made anew once a member needs it, with that member's model."""
    for event in events:
        if event["kind"] == "swap":
            keep(crew.chains, event["member"], event)
        elif event["kind"] == "summarizer":
            keep(crew.summarizers, event["member"], {"part": event["part"]})


def settings_for(crew: Crew, member: Member, model: Any) -> tuple[dict[str, Any], list[str]]:
    """Chain and summarizer that a member begins with, and what of them this process does not have."""
    chosen = chosen_for(crew.chains, member)
    missing: list[str] = []
    settings: dict[str, Any] = {"policy": crew.spec.context_of(member.role.name)}
    if isinstance(chosen, Chosen):
        settings = {"shapers": chosen}
    elif chosen is not None:
        chain, missing = restore_chain(chosen["parts"], model=model)
        settings = {"shapers": Chosen(chain, chosen["policy"], chosen["mode"], chosen["target_ratio"])}
    summarizer = chosen_for(crew.summarizers, member)
    if isinstance(summarizer, dict):
        try:
            summarizer = restore(summarizer["part"], model=model) if summarizer["part"] else None
        except CannotImport as problem:
            summarizer, missing = None, [*missing, NoSummarizer(problem)]
    return settings | ({} if summarizer is None else {"summarizer": summarizer}), missing


def chosen_for(kept: dict[str | None, Any], member: Member) -> Any:
    """What was chosen for a member, else for all, else None."""
    return kept.get(member.name, kept.get(None))

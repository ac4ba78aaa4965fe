"""Swapping the shapers of one member or of the whole team, mid-run."""

from __future__ import annotations

from typing import Any

from opencollab_nb.session.orders import check_summarizer, choose
from opencollab_nb.shaping import name_of
from opencollab_nb.team.crew import Crew


def use(crew: Crew, shapers: tuple[Any, ...], member: str | None) -> None:
    """Put shapers in force for one member or for all; see `Team.use`."""
    chosen = choose(shapers)
    with crew.lock:
        if member is not None:
            crew.member(member)
        crew.swapped[member] = chosen.chain.shapers
        if member is None:
            crew.swapped = {None: chosen.chain.shapers}
        sessions = [m.session for m in crew.members.values() if m.session and member in (None, m.name)]
    for session in sessions:
        session.use(*shapers)
    crew.log.note("swap", member=member, chain=[name_of(shaper) for shaper in chosen.chain.shapers])


def use_summarizer(crew: Crew, summarizer: Any, member: str | None) -> None:
    """Put a summarizer in force for one member or for all; see `Team.use_summarizer`."""
    check_summarizer(summarizer)
    with crew.lock:
        if member is None:
            crew.settings = {**crew.settings, "summarizer": summarizer}
        else:
            crew.member(member)
        sessions = [m.session for m in crew.members.values() if m.session and member in (None, m.name)]
    for session in sessions:
        session.use_summarizer(summarizer)

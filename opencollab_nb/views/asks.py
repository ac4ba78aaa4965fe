"""What a panel asks to see: bodies, moments, rounds, a what-if. Each is one answer, bounded in size.

A question holds whole numbers only. Nothing here changes the session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.details import Detail
from opencollab_nb.views.family import family_of
from opencollab_nb.views.live_map import LiveMap
from opencollab_nb.views.moments_view import MomentMap, moment_body
from opencollab_nb.views.rounds_view import round_cards
from opencollab_nb.views.whatif_view import WhatIfs

if TYPE_CHECKING:
    from opencollab_nb.session import Session


@dataclass
class Answer:
    """Plain data for the page, and rows of maps beside it."""

    body: dict[str, Any]
    buffers: list[bytes] = field(default_factory=list)


class Asks:
    """Answers the questions of one panel."""

    def __init__(self, session: Session, live: LiveMap) -> None:
        self.session, self.live = session, live
        self.what_ifs = WhatIfs(session, live)
        self._moment: MomentMap | None = None

    def answer(self, what: str, numbers: Sequence[Any]) -> Answer:
        """The answer to one question.

        Raises:
            UnknownName: there is no such question.
            UsageProblem: numbers that mean nothing here.
        """
        ask = ASKS.get(what)
        if ask is None:
            raise UnknownName("question", what, ASKS)
        if not all(type(n) is int for n in numbers):
            raise UsageProblem(f"a question holds whole numbers, not {list(numbers)!r}")
        try:
            return ask(self, *numbers)
        except TypeError as problem:
            if problem.__traceback__ and problem.__traceback__.tb_next is None:
                raise UsageProblem(f"{what}: {problem}") from problem
            raise

    def moment_at(self, step: int) -> MomentMap:
        """The map of a step; the one that was asked for last is kept."""
        if self._moment is None or self._moment.step != step:
            self._moment = MomentMap.of(self.session, step)
        return self._moment


def moment(asks: Asks, step: int) -> Answer:
    """The request of a step, and what was in force."""
    found = asks.moment_at(step)
    return Answer(moment_body(found), [found.rows])


def message(asks: Asks, step: int, at: int, number: int | None = None) -> Answer:
    """One row of the map, as stored beside as sent; step 0 for the newest request.

    The page may ask for a row of a map that is no longer the newest: `number`, the row's own, tells which.
    """
    live = step == 0
    if live and number is not None:
        at = asks.live.place_of(at, number)
    reasons = asks.live.reasons if live else asks.moment_at(step).reasons
    by_hand = asks.live.pinned if live else asks.moment_at(step).moment.pinned
    sent = asks.live.sent(at) if live else asks.moment_at(step).sent(at)
    return Answer(Detail.of(asks.session, sent, reasons, by_hand).body())


def rounds(asks: Asks, first: int) -> Answer:
    """The cards of rounds from the given one on."""
    return Answer(round_cards(asks.session, first))


def what_if(asks: Asks, step: int) -> Answer:
    """The draft's chain on the transcript; step 0 for all of it."""
    body, buffers = asks.what_ifs.made(step or None)
    return Answer(body, buffers)


def curve(asks: Asks) -> Answer:
    """The pressure that the draft's chain would have given, step by step."""
    return Answer(asks.what_ifs.curve())


def compared(asks: Asks, at: int) -> Answer:
    """One row of the what-if's map, in the one request beside in the other."""
    return Answer(asks.what_ifs.compared(at))


def pair(asks: Asks, at: int) -> Answer:
    """One message of the what-if's list, in the one request beside in the other."""
    return Answer(asks.what_ifs.pair(at))


def relative(asks: Asks, at: int, after: int) -> Answer:
    """The curve of a branch, or of the run that this one was begun from, after a step."""
    return Answer({"points": family_of(asks.session).points(at, after)})


ASKS: dict[str, Callable[..., Answer]] = {
    "moment": moment,
    "message": message,
    "rounds": rounds,
    "what_if": what_if,
    "curve": curve,
    "compared": compared,
    "pair": pair,
    "relative": relative,
}
SLOW = ("what_if", "curve")
"""Answered on a thread of their own: a summarizer may be asked, a thousand requests made again."""

"""What a click on a team's panel orders: one call of a team's verb, and a sentence to answer with."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.orders import answer as answer_session
from opencollab_nb.views.team_state import QUESTIONS_A_MEMBER

if TYPE_CHECKING:
    from opencollab_nb.team import Team

AT_ONCE_SECONDS = 0.1
"""A call that cannot be made fails within this; what comes later is told when it comes."""

Failed = Callable[[Exception], None]


def obey(team: Team, verb: str, argument: Any, failed: Failed) -> str:
    """Carry out one order; the answer is one sentence.

    Args:
        team: whose verb it is.
        verb: one of `ORDERS`.
        argument: what goes with it.
        failed: told of what goes wrong after the answer.

    Raises:
        UnknownName: no such verb.
        UsageProblem: an argument that cannot be used.
    """
    order = ORDERS.get(verb)
    if order is None:
        raise UnknownName("order", verb, ORDERS)
    return order(team, argument, failed)


def step(team: Team, _argument: Any, failed: Failed) -> str:
    """Make one step of the next member, on a thread: the page's messages are not held up by it."""
    begun(team.step, failed)
    return "One step of the next member."


def run(team: Team, argument: Any, _failed: Failed) -> str:
    """Let all members work at once; with a number, so many steps of each."""
    if argument in (None, ""):
        team.start()
        return "Running."
    if type(argument) is not int or argument < 1:
        raise UsageProblem(f"'steps each' takes a whole number from 1 up, not {argument!r}")
    team.start(argument)
    return f"Running, up to {argument:,} {'step' if argument == 1 else 'steps'} of each member."


def pause(team: Team, _argument: Any, _failed: Failed) -> str:
    """Rest after the steps in flight."""
    if team.state not in IN_FLIGHT:
        return "Already at rest."
    team.pause()
    return "Pausing after the steps under way."


def stop(team: Team, _argument: Any, _failed: Failed) -> str:
    """Give up the steps in flight."""
    team.stop()
    return "Stopped."


def answer(team: Team, argument: Any, _failed: Failed) -> str:
    """Answer the shell question of the member that it was asked by."""
    if not isinstance(argument, dict) or type(argument.get("number")) is not int:
        raise UsageProblem(f"an answer goes with the number of its question, not {argument!r}")
    at, number = divmod(argument["number"], QUESTIONS_A_MEMBER)
    sessions = [member.session for member in team.members.values()]
    session = sessions[at] if 0 <= at < len(sessions) else None
    if session is None:
        return "Nothing is asked any more."
    return answer_session(session, {**argument, "number": number})


ORDERS: dict[str, Callable[[Team, Any, Failed], str]] = {
    "step": step,
    "run": run,
    "pause": pause,
    "stop": stop,
    "answer": answer,
}


def begun(act: Callable[[], Any], failed: Failed) -> None:
    """Make a call on a thread of its own; what it raises at once is raised here."""
    raised: list[Exception] = []
    answered = threading.Event()

    def make() -> None:
        try:
            act()
        except Exception as problem:  # noqa: BLE001 - a click has no caller: the panel shows the error
            raised.append(problem)
            if answered.is_set():
                failed(problem)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(make,), daemon=True, name="oc-team-step")
    thread.start()
    thread.join(AT_ONCE_SECONDS)
    answered.set()
    if raised:
        raise raised[0]

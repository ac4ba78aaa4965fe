"""What a click on a panel orders: one call of a session's verb, and a sentence to answer with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.edits import LAB_ORDERS
from opencollab_nb.views.state import POLICIES

if TYPE_CHECKING:
    from opencollab_nb.session import Session


def obey(session: Session, verb: str, argument: Any = None) -> str:
    """Carry out one order; the answer is one sentence.

    Raises:
        UnknownName: no such verb or policy.
        UsageProblem: an argument that cannot be used.
    """
    order = ORDERS.get(verb)
    if order is None:
        raise UnknownName("order", verb, ORDERS)
    return order(session, argument)


def step(session: Session, _argument: Any) -> str:
    """Make one step in the background."""
    session.start(1)
    return "One step."


def run(session: Session, argument: Any) -> str:
    """Run on, to the given step if there is one."""
    if argument in (None, ""):
        session.start()
        return "Running."
    if isinstance(argument, bool) or not isinstance(argument, int):
        raise UsageProblem(f"'to step' takes a whole number, not {argument!r}")
    if argument <= session.steps:
        raise UsageProblem(f"step {argument} is made already; give one after {session.steps}")
    session.start(to_step=argument)
    return f"Running to step {argument:,}."


def pause(session: Session, _argument: Any) -> str:
    """Pause after the step in flight."""
    if session.state not in IN_FLIGHT:
        return "Already at rest."
    session.pause()
    return "Pausing after this step."


def stop(session: Session, _argument: Any) -> str:
    """Stop now, giving up the step in flight."""
    session.stop()
    return "Stopped."


def use(session: Session, argument: Any) -> str:
    """Swap the policy; a session gives `summarize` a summarizer that needs no model if it has none."""
    if argument not in POLICIES:
        raise UnknownName("policy", argument, POLICIES)
    session.use(argument)
    return f"Policy {argument}, from the next step."


def answer(session: Session, argument: Any) -> str:
    """Answer the shell question that is waiting."""
    if session.question is None:
        return "Nothing is asked any more."
    if not isinstance(argument, dict):
        session.answer(argument is True)
        return "Allowed." if argument is True else "Denied."
    allowed, command, number = argument.get("allow") is True, argument.get("command"), argument.get("number")
    session.answer(allowed, command if allowed else None, number=number)
    return ("Allowed." if command is None else "Changed and allowed.") if allowed else "Denied."


ORDERS: dict[str, Callable[[Session, Any], str]] = {
    "step": step,
    "run": run,
    "pause": pause,
    "stop": stop,
    "use": use,
    "answer": answer,
    **LAB_ORDERS,
}

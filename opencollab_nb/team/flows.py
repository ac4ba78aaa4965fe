"""Ways to run agents one after the other, in terms of one function that runs one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.team.agents import AgentCall, AgentResult, Make, as_call
from opencollab_nb.team.outcome import NEVER_ACTED

Run = Callable[[AgentCall], AgentResult]
FEEDBACK = "{task}\n\nYour last attempt was:\n{text}\n\nIt was not accepted: {problem}"


def pipeline(run: Run, first: Make, *stages: Callable[[AgentResult], Make]) -> list[AgentResult]:
    """Each stage is told the result before; the first that does not finish is the last.

    >>> run = lambda call: AgentResult("a", call, "finished", call.task + "!")
    >>> [str(result) for result in pipeline(run, "one", lambda before: before.text + " two")]
    ['one!', 'one! two!']
    """
    results = [run(as_call(first))]
    for stage in stages:
        if not results[-1].ok:
            break
        results.append(run(as_call(stage(results[-1]))))
    return results


def loop(
    run: Run,
    make: Callable[[AgentResult | None], Make],
    until: Callable[[AgentResult], Any],
    *,
    at_most: int = 5,
) -> list[AgentResult]:
    """Agents until one is good enough, `at_most` of them; one that was not even begun is the last.

    Raises:
        UsageProblem: `at_most` is not a number from 1 up.

    >>> run = lambda call: AgentResult("a", call, "finished", call.task)
    >>> len(loop(run, lambda before: "try", lambda result: False, at_most=3))
    3
    """
    if type(at_most) is not int or at_most < 1:
        raise UsageProblem(f"at_most is {at_most!r}: give a whole number from 1 up")
    results: list[AgentResult] = []
    while len(results) < at_most:
        results.append(run(as_call(make(results[-1] if results else None))))
        if results[-1].outcome == NEVER_ACTED or until(results[-1]):
            break
    return results


def verify(
    run: Run, call: Make, check: Callable[[AgentResult], Any], *, attempts: int = 2
) -> tuple[AgentResult, str]:
    """An agent until a check accepts its result: the last result, and what was wrong with it.

    An agent that has not finished is not asked for by the check: its end is the problem.

    Args:
        run: runs one agent.
        call: each further attempt is told the result before and what was wrong with it.
        check: True for a result that is accepted, else False or the problem as text.
        attempts: how many, the first one included.

    Raises:
        UsageProblem: `attempts` is not a number from 1 up.

    >>> run = lambda call: AgentResult("a", call, "finished", "4" if "not accepted" in call.task else "5")
    >>> result, problem = verify(run, "2 + 2?", lambda result: result.text == "4" or "count again")
    >>> result.text, problem
    ('4', '')
    """
    first, problem = as_call(call), ""

    def make(before: AgentResult | None) -> AgentCall:
        if before is None:
            return first
        return replace(first, task=FEEDBACK.format(task=first.task, text=before.text, problem=problem))

    def accepted(result: AgentResult) -> bool:
        nonlocal problem
        if not result.ok:
            problem = f"the agent {result.outcome}: {result.detail}".rstrip(": ")
            return False
        verdict = check(result)
        problem = "" if verdict is True else str(verdict or "the check did not accept it")
        return not problem

    return loop(run, make, accepted, at_most=attempts)[-1], problem

"""What `%oc team` does: each deed is one call of `read_team` or of a `Team`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.shipped import shipped
from opencollab_nb.team.team import Team
from opencollab_nb.views.chains import read_chain, shaper_names
from opencollab_nb.views.deeds import Order
from opencollab_nb.views.lines import COUNT
from opencollab_nb.views.names import Names
from opencollab_nb.views.team_results import ChainLine, LedgerTable, MessageTable, ResultTable, TeamSteps
from opencollab_nb.views.team_view import TeamView


def team(order: Order) -> Any:
    """Do what the first word says."""
    act, *rest = order.texts or [""]
    if act not in ACTS:
        if not act:
            raise UsageProblem(f"what of a team? %oc team {' | '.join(ACTS)}")
        raise UnknownName("deed of a team", act, ACTS)
    if order.body is not None and act != "say":
        raise UsageProblem(f"team {act} takes no lines below it: %oc team {act}, with one % sign")
    if order.flags.get("background") and act != "run":
        raise UsageProblem("--background goes with run: %oc team run --background")
    if order.flags.get("to") and act not in ("say", "use"):
        raise UsageProblem("--to goes with say and use: %%oc team say --to MEMBER")
    return ACTS[act](order, rest)


def show(order: Order, words: list[str]) -> TeamView:
    """Draw what was declared."""
    if len(words) != 1:
        raise UsageProblem(
            f"show which team? %oc team show FILE, a Python name, or {' | '.join(sorted(shipped()))}"
        )
    given = order.user_names.get(words[0])
    given = getattr(given, "spec", given)
    return TeamView(read_team(given if isinstance(given, TeamSpec | Mapping) else words[0]))


def step(order: Order, words: list[str]) -> TeamSteps:
    """Take steps one by one; ends early where nobody has one to make."""
    team, rest = _team(order, words, 1)
    steps = []
    for _ in range(COUNT.value("team step", rest[0]) if rest else 1):
        made = team.step()
        if made.member is None:
            break
        steps.append(made)
    return TeamSteps(steps, team.state, team.detail)


def run(order: Order, words: list[str]) -> Any:
    """One step after the other, and wait; with --background all members at once, in threads."""
    team, rest = _team(order, words, 1)
    count = COUNT.value("team run", rest[0]) if rest else None
    if order.flags.get("background"):
        return team.start(count)
    team.run(count)
    return ResultTable(team.result, team.detail)


def pause(order: Order, words: list[str]) -> ResultTable:
    """Rest after the steps under way."""
    team, _ = _team(order, words)
    team.pause()
    return ResultTable(team.result, team.detail)


def stop(order: Order, words: list[str]) -> ResultTable:
    """Give up the steps under way."""
    team, _ = _team(order, words)
    team.stop()
    return ResultTable(team.result, team.detail)


def say(order: Order, words: list[str]) -> MessageTable:
    """Give a member the words below."""
    team, _ = _team(order, words)
    if order.body is None or not order.body.strip():
        raise UsageProblem("the words stand in the lines below %%oc team say [NAME] [--to MEMBER]")
    return MessageTable([team.say(order.body.removesuffix("\n"), to=order.flags.get("to"))])


def use(order: Order, words: list[str]) -> ChainLine:
    """Swap the shapers of one member, or of all."""
    named = 1 if words and words[0] in teams_of(order.user_names) else 0
    team, _ = _team(order, words[:named])
    chain = read_chain(words[named:], order.user_names)
    member = order.flags.get("to")
    team.use(*chain, member=member)
    return ChainLine(member, team.trace.of("swap")[-1]["chain"])


def result(order: Order, words: list[str]) -> ResultTable:
    """What became of each member so far."""
    team, _ = _team(order, words)
    return ResultTable(team.result, team.detail)


def ledger(order: Order, words: list[str]) -> LedgerTable:
    """Who was granted, has spent, keeps and gave back how much."""
    return LedgerTable.of(_team(order, words)[0])


def messages(order: Order, words: list[str]) -> MessageTable:
    """All messages so far."""
    return MessageTable(_team(order, words)[0].messages)


def audit(order: Order, words: list[str]) -> Any:
    """Role, behaviour, result and cost."""
    return _team(order, words)[0].audit()


ACTS: Mapping[str, Callable[[Order, list[str]], Any]] = {
    "show": show,
    "step": step,
    "run": run,
    "pause": pause,
    "stop": stop,
    "say": say,
    "use": use,
    "result": result,
    "ledger": ledger,
    "messages": messages,
    "audit": audit,
}


def _team(order: Order, words: list[str], more: int = 0) -> tuple[Team, list[str]]:
    """The team that the first word names, else the only one of the notebook; and the words after it."""
    own = teams_of(order.user_names)
    if words and words[0] in own:
        found, rest = own[words[0]], words[1:]
    elif order.name in own:
        found, rest = own[order.name], words
    else:
        rest, single = words, {id(value): value for value in own.values()}
        if rest and not rest[0].replace("_", "").isdecimal():
            raise UnknownName("team", rest[0], own)
        if len(single) != 1:
            names = (
                f"which of {', '.join(own)}? As in `%oc team step {next(iter(own))}`"
                if own
                else "no team yet: team = Team(...)"
            )
            raise UsageProblem(names)
        (found,) = single.values()
    if len(rest) > more:
        raise UsageProblem(f"{rest[more]!r} is too much: %oc team --help")
    return found, rest


def teams_of(user_names: Mapping[str, Any]) -> dict[str, Team]:
    """The teams of a notebook by their Python names."""
    return {n: v for n, v in user_names.items() if isinstance(v, Team) and not n.startswith("_")}


def team_words(_names: Names, user_names: Mapping[str, Any]) -> Iterable[str]:
    """What may follow: what to do, shipped teams, Python names of teams."""
    own = [n for n, v in user_names.items() if isinstance(v, Team | TeamSpec) and not n.startswith("_")]
    return [*ACTS, *sorted(shipped()), *own, *POLICIES, *shaper_names()]

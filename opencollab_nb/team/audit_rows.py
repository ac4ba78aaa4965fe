"""What the audit says of one member, from the records: its role, behaviour, result and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.budget.prices import prices_of
from opencollab_nb.budget.steering import EDITS, READS
from opencollab_nb.session.accounts import one_line
from opencollab_nb.session.opening import label_of
from opencollab_nb.team.outcome import NEVER_ACTED
from opencollab_nb.team.roster import TeamSpec

Event = Mapping[str, Any]
Row = dict[str, Any]
TEXT_CHARS = 400
TESTS, SHELL, LAYER = "run_tests", "bash", "session.history_compaction"


@dataclass(frozen=True)
class Seen:
    """One member as the audit sees it; a role that nobody was spawned for has no member and no session."""

    name: str
    role: str
    member: Any = None
    """A `Member`, or None."""
    result: Any = None
    """Its `MemberResult`, or None."""
    account: Mapping[str, Any] | None = None
    """Its row in the ledger, or None."""
    team_events: Sequence[Event] = ()
    """All of the team's."""

    @property
    def session(self) -> Any:
        """Its session, or None where it never had anything to do."""
        return None if self.member is None else self.member.session

    @property
    def events(self) -> Sequence[Event]:
        """Those of its session."""
        return () if self.session is None else tuple(self.session.trace.events)

    def told(self, kind: str, field: str = "member") -> list[Event]:
        """Events of the team that name it."""
        return [e for e in self.team_events if e["kind"] == kind and e.get(field) == self.name]


def role_row(spec: TeamSpec, seen: Seen) -> Row:
    """What it was meant to be."""
    role, policy = spec.role(seen.role), spec.context_of(seen.role)
    start = seen.events[0] if seen.events else {}
    return {
        "member": seen.name,
        "role": role.name,
        "entry": role.name == spec.entry,
        "parent": None if seen.member is None else seen.member.parent,
        "task": None if seen.member is None else one_line(seen.member.task, TEXT_CHARS) or None,
        "model": spec.model_of(role.name) if seen.session is None else label_of(seen.session.model),
        "policy": start.get("policy", policy.policy),
        "tools": ", ".join(start["tools"] if start else role.tools or ()) or None,
        "may_spawn": ", ".join(spec.topology.may_spawn(role.name)) or None,
        "may_message": ", ".join(spec.topology.may_message(role.name)) or None,
        "prompt": one_line(role.prompt, TEXT_CHARS),
    }


def behaviour_row(seen: Seen) -> Row:
    """What it did."""
    calls = [e for e in seen.events if e["kind"] == "tool"]
    worked = Counter(e["name"] for e in calls if e["ok"])
    layers = [e for e in seen.events if e["kind"] == LAYER and not e["problem"]]
    return {
        "member": seen.name,
        "steps": 0 if seen.member is None else seen.member.steps,
        "calls": len(calls),
        "failed_calls": len(calls) - worked.total(),
        "reads": _of(worked, READS),
        "edits": _of(worked, EDITS),
        "test_runs": worked[TESTS],
        "commands": worked[SHELL],
        "spawned": len(seen.told("begin", "parent")),
        "sent": sum(e["about"] == "message" for e in seen.told("message", "sender")),
        "received": len(seen.told("delivery")),
        "waits": len(seen.told("wait")),
        "compactions": len(layers),
        "tokens_shaped_away": sum(e["tokens_before"] - e["tokens_after"] for e in layers),
        "refusals": len(seen.told("refusal")),
    }


def result_row(seen: Seen) -> Row:
    """What came of it."""
    result = seen.result
    return {
        "member": seen.name,
        "role": seen.role,
        "outcome": NEVER_ACTED if result is None else result.outcome,
        "detail": None if result is None else one_line(result.detail, TEXT_CHARS) or None,
        "result": None if result is None else one_line(result.text, TEXT_CHARS) or None,
    }


def cost_row(seen: Seen, prices: Any = None) -> Row:
    """What it spent; dollars where prices are known."""
    usages = [e for e in seen.events if e["kind"] == "usage"]
    account = seen.account or {}
    known = prices_of(prices, _model_name(seen))
    return {
        "member": seen.name,
        "granted": account.get("granted"),
        "used": account.get("used", 0),
        "returned": account.get("returned", 0),
        "model_calls": len(usages),
        "input_tokens": _sum(usages, "input_tokens"),
        "cached_tokens": _sum(usages, "cached_input_tokens"),
        "output_tokens": _sum(usages, "output_tokens"),
        "summary_tokens": sum(
            e["input_tokens"] + e["output_tokens"] for e in usages if e["purpose"] == "summary"
        ),
        "dollars": None
        if known is None
        else sum(known.of(e["input_tokens"], e["cached_input_tokens"], e["output_tokens"]) for e in usages),
    }


def _model_name(seen: Seen) -> str | None:
    """A simulated model has no price of its own, whatever it is called."""
    start = seen.events[0] if seen.events else {}
    return None if start.get("simulated") else start.get("model_name")


def _of(counts: Counter[str], names: Iterable[str]) -> int:
    return sum(counts[name] for name in names)


def _sum(events: Iterable[Event], field: str) -> int:
    return sum(event[field] for event in events)

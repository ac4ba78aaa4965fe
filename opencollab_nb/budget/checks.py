"""What answers each check: functions of a set-up that measure, and say what they have measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from opencollab_nb.budget import restate
from opencollab_nb.budget.handoff import Handoff
from opencollab_nb.budget.measured import LONG_STEPS, model_of, newest
from opencollab_nb.budget.offload import OffloadShaper, rereads, too_tight
from opencollab_nb.budget.quotas import DEFAULT, Quotas, category_of
from opencollab_nb.budget.recorded import Event
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, is_system, meta_of, text_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ShaperPipeline, name_of

YES, NO, NOT_YET = "yes", "no", "not measured yet"
PROBE_CHARS = 1_000_000
_LARGEST = 3


class Found(NamedTuple):
    """An answer and its evidence."""

    answer: str
    evidence: str


@dataclass(frozen=True)
class Setup:
    """What the checks look at."""

    session: Any
    events: list[Event]
    messages: Messages
    pressure: Pressure
    budget: Any
    measured: list[Mapping[str, Any]]

    @classmethod
    def of(cls, session: Any, measured: list[Mapping[str, Any]]) -> Setup:
        """The set-up of a session at this moment."""
        events, messages = list(session.trace.stored), session.transcript.messages
        return cls(session, events, messages, session.pressure.snapshot(), session.budget, measured)

    @property
    def start(self) -> Event:
        """The event that the run begins with."""
        return self.events[0]

    @property
    def quotas(self) -> Quotas:
        """Those of the budget, else the default ones."""
        quotas: Quotas = DEFAULT if self.budget is None else self.budget.settings.quotas
        return quotas

    @property
    def total_tokens(self) -> int:
        """What the quotas are shares of."""
        given = None if self.budget is None else self.budget.settings.total_budget
        return self.pressure.window or given or self.pressure.trigger

    @property
    def chain(self) -> tuple[Any, ...]:
        """The shapers in force."""
        shapers: tuple[Any, ...] = tuple(self.session.chain.shapers)
        return shapers

    def of_kind(self, kind: str) -> list[Event]:
        """All events of one kind."""
        return [event for event in self.events if event["kind"] == kind]


def fixed_costs_under_quota(setup: Setup) -> Found:
    """System prompt, tool schemas, task and head against the quota of `system`."""
    items = {"tool schemas": setup.pressure.overhead_tokens}
    for message in setup.messages:
        if category_of(message) == "system":
            name = "system prompt" if is_system(message) else str(meta_of(message).get("source") or "head")
            items[name] = items.get(name, 0) + setup.pressure.weight([message])
    total, quota = sum(items.values()), setup.quotas.tokens(setup.total_tokens)["system"]
    largest = sorted(items.items(), key=lambda item: -item[1])[:_LARGEST]
    named = ", ".join(f"{name} {tokens:,}" for name, tokens in largest)
    told = f"{total:,} tokens of {quota:,} ({setup.session.pressure.source}); the largest: {named}"
    if total <= quota:
        return Found(YES, told)
    return Found(NO, f"{told}; give a larger share, Quotas(system=...), a larger window, or fewer tools")


def size_gate(setup: Setup) -> Found:
    """A huge result is put through the layers that act on one result at a time."""
    each = [_without_read_back(s) for s in setup.chain if getattr(s, "acts", "over") == "each"]
    probe = _probe()
    shaped, _ = ShaperPipeline(*each).report(probe, setup.pressure)
    tokens = setup.pressure.weight([m for m in shaped if m.get("role") == "tool"])
    quota = setup.quotas.tokens(setup.total_tokens)["tool_result"]
    names = ", ".join(map(name_of, each)) or "no layer for it"
    told = f"{names}: a result of {PROBE_CHARS:,} characters takes {tokens:,} tokens of a quota of {quota:,}"
    longest = max((event["chars"] for event in setup.of_kind("tool")), default=None)
    if longest is not None:
        told += f"; the longest that came had {longest:,} characters"
    notice = too_tight(rereads(setup.messages))
    return Found(YES if tokens <= quota else NO, f"{told}. {notice}" if notice else told)


def threshold_and_anchors(setup: Setup) -> Found:
    """The window is known, and the goal at least is registered."""
    source = setup.session.pressure.window_source
    kinds = Counter(anchor.kind for anchor in setup.session.anchors.in_force())
    anchors = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"
    window = f"{setup.pressure.window:,}" if setup.pressure.window else "unknown"
    told = (
        f"window {window} ({source}), trigger {setup.pressure.trigger:,}, target {setup.pressure.target:,}; "
        f"anchors: {anchors}"
    )
    lacks = ["the window, window="] if source == "guess" else []
    lacks += [] if kinds["goal"] else ["a goal, register('goal', ...)"]
    return Found(NO if lacks else YES, f"{told}; give {' and '.join(lacks)}" if lacks else told)


def restatement_fixed(setup: Setup) -> Found:
    """The format of all that were sent, their size, and the steps between them."""
    if setup.budget is None or "restate" not in setup.budget.settings.moves:
        return Found(NO, "nothing is restated: give the session a ContextBudget with the move 'restate'")
    every, count = setup.budget.settings.restate_every, setup.session.pressure.encoder.count
    if every is None:
        return Found(NO, "no interval: restatements come after milestones and compactions only")
    anchors, todos = setup.session.anchors, setup.session.todos
    tails = [e["tail"] for e in setup.of_kind("request") if e["tail"] is not None]
    texts = [text_of(tail) for tail in tails] or [restate.build(anchors, todos)]
    state = [count("\n".join(_state_lines(text))) for text in texts]
    fixed = all(text.startswith(restate.TITLE) for text in texts) and max(state) <= restate.STATE_TOKENS
    steps = sorted({e["step"] for e in setup.of_kind("request")})
    said = sorted({e["step"] for e in setup.of_kind("restatement")})
    gap = max((b - a for a, b in pairwise([0, *said, *steps[-1:]])), default=0)
    told = (
        f"every {every} steps, after milestones and compactions; {len(tails):,} sent, at most {gap:,} steps "
        f"apart; milestones and todos took at most {max(state):,} of {restate.STATE_TOKENS:,} tokens"
    )
    return Found(YES if fixed and gap <= every else NO, told)


def handoff_and_injection(setup: Setup) -> Found:
    """The handoff of this moment, made, written as data and read again; what memory has put in."""
    session = setup.session
    handoff = Handoff.of(
        anchors=session.anchors, todos=session.todos, events=setup.events, messages=setup.messages
    )
    try:
        same = Handoff.from_dict(handoff.to_dict()) == handoff
    except UsageProblem as problem:
        return Found(NO, f"the handoff cannot be read back: {problem}")
    text = handoff.to_markdown()
    cap = setup.quotas.memory_tokens(setup.total_tokens)
    injected = sum(event["tokens"] for event in setup.of_kind("injection"))
    told = (
        f"a handoff of this moment has {session.pressure.encoder.count(text):,} tokens, "
        f"{'reads back the same' if same else 'reads back as another one'}; "
        f"memory put in {injected:,} of at most {cap:,} tokens"
    )
    fits = injected <= cap and same and text.startswith("[Handoff")
    return Found(YES if fits else NO, told)


def audit_complete(setup: Setup) -> Found:
    """The proof of the audit."""
    if not setup.of_kind("request"):
        return Found(NOT_YET, "no request was sent yet")
    verified = setup.session.audit().verify()
    return Found(YES if verified else NO, " ".join(repr(verified).split()))


def redaction_and_deletion(setup: Setup) -> Found:
    """A store and a run are made, given a secret and a marker, and what is left of these is looked for."""
    from opencollab_nb.budget.probe import probed

    kind: Any = type(setup.session)
    good, told = probed(kind if callable(getattr(kind, "delete", None)) else None)
    memory = setup.session.memory
    kept = "this session has no memory" if memory is None else f"capacity {memory.capacity:,}"
    return Found(YES if good else NO, f"{told}; {kept}")


def long_task(setup: Setup) -> Found:
    """A run of at least 300 steps with this model."""
    return _on_record(setup, "long task", f"a run of at least {LONG_STEPS:,} steps", "keep_long_task")


def thresholds(setup: Setup) -> Found:
    """Thresholds that were evaluated with this model."""
    return _on_record(setup, "thresholds", "an evaluation of trigger, target and sizes", "keep")


def exhaustion(setup: Setup) -> Found:
    """The limits, and whether a run that met one left a handoff."""
    session = setup.session
    limits = {"steps": session.max_steps, "tokens": session.budget_tokens}
    told = ", ".join(f"{limit:,} {name}" for name, limit in limits.items() if limit is not None)
    if not told:
        return Found(NO, "neither max_steps nor budget_tokens is set: only the window ends a run")
    then = "then it stops, says so, and writes a handoff"
    spent = f"{session.spent_tokens:,} tokens and {session.steps:,} steps so far"
    met = [event for event in setup.of_kind("limit") if event["reason"] == "budget"]
    left = [event for event in setup.of_kind("handoff") if met and event["n"] > met[0]["n"]]
    if met and not left:
        return Found(NO, f"at most {told}; the budget was spent and no handoff was written")
    done = f"; the budget was spent, and the handoff is {left[0]['path']}" if left else ""
    return Found(YES, f"at most {told}: {then}; {spent}{done}")


def _on_record(setup: Setup, check: str, what: str, keeps: str) -> Found:
    model = model_of(setup.start)
    record = newest(setup.measured, check, model)
    if record is None:
        others = sorted({str(r["model"]) for r in setup.measured if r.get("check") == check})
        known = (
            f"there is one with {', '.join(others)}" if others else f"budget.measured.{keeps} puts it there"
        )
        return Found(NOT_YET, f"{what} with {model} is not on record; {known}")
    return Found(YES if record["passed"] else NO, f"{record['at']}: {record['evidence']}")


def _state_lines(text: str) -> list[str]:
    # The last two lines at most: a goal may hold such lines as well.
    return [line for line in text.split("\n")[-2:] if line.startswith(("Finished (", "Open ("))]


def _without_read_back(shaper: Any) -> Any:
    # The probe is in no transcript, so it cannot be read back from one.
    return replace(shaper, read_back=None) if isinstance(shaper, OffloadShaper) else shaper


def _probe() -> Messages:
    call = {"id": "probe", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    line = "a line of a long result, as tools give them\n"
    talk: list[Message] = [
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "probe",
            "content": (line * (PROBE_CHARS // len(line) + 1))[:PROBE_CHARS],
        },
        {"role": "assistant", "content": "I have read it."},
    ]
    return [{**message, "meta": {"id": at}} for at, message in enumerate(talk)]

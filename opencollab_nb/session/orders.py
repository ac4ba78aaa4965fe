"""What the user may change between two steps; each is written down before it takes effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Message
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.booked import with_summarizer
from opencollab_nb.session.chain_spec import NoSummarizer, describe, describe_chain, remember_parts
from opencollab_nb.session.ends import DONE, PAUSED
from opencollab_nb.session.harness import offered
from opencollab_nb.shaping import MODES, ShaperPipeline, ToolResultBudgetShaper, default_pipeline
from opencollab_nb.shaping.given import PLAIN_FUNCTION, is_async

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session

TARGET_RATIOS = (0.3, 0.95)
"""Under the lower one a round throws away what it need not; over the higher one it frees next to nothing."""


def swap_chain(bench: Bench, chosen: Chosen) -> None:
    """Put a chain in force; the session's summarizer goes into its compacting layers that have none."""
    with bench.lock:
        summarizer = summarizer_for(chosen, bench.summarizer)
        chain = with_summarizer(chosen.chain, summarizer, only_empty=True)
        new: dict[str, Any] = {"chain": chain, "policy": chosen.policy, "summarizer": summarizer}
        if chosen.mode is not None:
            new["mode"] = chosen.mode
        if chosen.target_ratio is not None:
            new["target_ratio"] = chosen.target_ratio
        swap(bench, "policy" if chosen.policy else "chain", **new)


def swap(bench: Bench, what: str, **new: Any) -> None:
    """Put a chain, a summarizer or a mode in force; the next request is projected afresh.

    Args:
        bench: the session's.
        what: `chain`, `policy`, `summarizer`, `mode` or `target`.
        new: those of `chain`, `policy`, `summarizer`, `mode`, `target_ratio` that change.
    """
    with bench.lock:
        kept = {"chain": bench.chain, "policy": bench.policy, "summarizer": bench.summarizer}
        now = {**kept, "mode": bench.mode, "target_ratio": bench.pressure.target_ratio, **new}
        told: dict[str, Any] = {
            "chain": describe_chain(now["chain"]),
            "summarizer": None if now["summarizer"] is None else describe(now["summarizer"]),
        }
        if bench.missing:  # what is missing here may be had by the next process
            written = bench.trace.last("swap") or bench.trace.stored[0]
            told |= {name: written[name] for name in told if name not in new}
        bench.pressure.offer(offered(bench.workspace, now["chain"], bench.direction.moves, bench.extras))
        bench.note(
            "swap",
            what=what,
            **told,
            policy=now["policy"],
            mode=now["mode"],
            target_ratio=now["target_ratio"],
            from_step=bench.transcript.committed + 1,
            pressure=bench.pressure.to_dict(),
        )
        bench.chain, bench.policy = now["chain"], now["policy"]
        bench.summarizer, bench.mode = now["summarizer"], now["mode"]
        bench.pressure.target_ratio = now["target_ratio"]
        remember_parts(bench)
        if what in ("chain", "policy"):
            bench.missing = []
        if what == "summarizer":
            bench.missing = [name for name in bench.missing if not isinstance(name, NoSummarizer)]
        bench.next.reset()


def swap_summarizer(bench: Bench, summarizer: Any) -> None:
    """Put a summarizer in every compacting layer of the chain in force when this is carried out."""
    with bench.lock:
        swap(bench, "summarizer", chain=with_summarizer(bench.chain, summarizer), summarizer=summarizer)


def check_mode(mode: str) -> None:
    """Refuse a mode that there is not.

    Raises:
        UnknownName: there is none of this name.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)


def check_target(ratio: Any) -> None:
    """Refuse what is no share of the trigger to work down to.

    Raises:
        UsageProblem: no number from 0.3 to 0.95.
    """
    low, high = TARGET_RATIOS
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not low <= ratio <= high:
        raise UsageProblem(f"the target ratio is {ratio!r}: give a number from {low} to {high}, such as 0.75")


def check_summarizer(summarizer: Any) -> None:
    """Refuse what cannot be asked for a summary; None stands for no summaries.

    Raises:
        UsageProblem: neither a function nor an object with `summarize`.
    """
    if summarizer is None:
        return
    if isinstance(summarizer, type) or not callable(getattr(summarizer, "summarize", summarizer)):
        raise UsageProblem(f"{summarizer!r} is no summarizer: give a function of a SummaryRequest")
    if is_async(summarizer):
        raise UsageProblem(f"{summarizer!r} is an async function; {PLAIN_FUNCTION}")


def check_limit(what: str, value: Any) -> None:
    """Refuse what is no limit.

    Raises:
        UsageProblem: neither None nor a whole number from 0 up.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise UsageProblem(f"{what} is {value!r}: give a whole number from 0 up, or None for no limit")


def check_switch(what: str, value: Any) -> None:
    """Refuse what is neither on nor off.

    Raises:
        UsageProblem: neither True nor False.
    """
    if not isinstance(value, bool):
        raise UsageProblem(f"{what} is {value!r}: give True or False")


def allow(bench: Bench, max_steps: int | None, budget_tokens: int | None) -> None:
    """Set the limits of the run, from its next model call on."""
    check_limit("max_steps", max_steps)
    check_limit("budget_tokens", budget_tokens)
    with bench.lock:
        bench.check_open()
        bench.note("allowance", max_steps=max_steps, budget_tokens=budget_tokens)
        bench.max_steps, bench.ledger.budget_tokens = max_steps, budget_tokens
    bench.tell()


def say(bench: Bench, text: str, *, source: str = "user", **meta: Any) -> None:
    """Add a message in the user's role; a finished session can go on after it.

    Args:
        bench: the session's.
        text: the message.
        source: whose words they are; only those of the user are told as such.
        meta: what else is to be kept with it.
    """
    message: Message = (
        {"role": "user", "content": text, "meta": meta} if meta else {"role": "user", "content": text}
    )
    with bench.lock:
        bench.settle()
        kept = bench.keep(message, source)
        if source == "user":
            bench.note("say", message_id=kept["meta"]["id"])
        bench.finished = False
        if bench.state == DONE:
            bench.set_state(PAUSED)


def answer(session: Session, allowed: bool, command: str | None = None, *, number: int | None = None) -> None:
    """Allow or refuse the command that waits in `question`, or run another `command` in its place.

    Raises:
        UsageProblem: none waits, or not the one of this number, or it cannot be changed.
    """
    if session.question is None:
        raise UsageProblem("no command waits for an answer")
    more = {"command": command, "number": number}
    session.workspace.answer(
        bool(allowed), **{name: value for name, value in more.items() if value is not None}
    )


class Chosen(NamedTuple):
    """A chain, and what else the policy that it came from asks for."""

    chain: ShaperPipeline
    policy: str | None = None
    mode: str | None = None
    target_ratio: float | None = None


def choose(parts: Sequence[Any]) -> Chosen:
    """What `use` was given, as a chain.

    Args:
        parts: shapers in order, or one of: the name of a policy, a `Policy`, a mapping with its keys,
            a `ShaperPipeline`, what this function gave before.

    Raises:
        UsageProblem: nothing was given, or something that is no shaper.
    """
    from opencollab_nb.policy import Policy

    if not parts:
        raise UsageProblem("use() needs shapers, a ShaperPipeline or the name of a policy, such as 'default'")
    first = parts[0]
    if len(parts) == 1 and isinstance(first, Chosen):
        return first
    if len(parts) == 1 and isinstance(first, (list, tuple)):
        return choose(first)
    if len(parts) == 1 and isinstance(first, str):
        return Chosen(Policy.named(first).pipeline(), first)
    if len(parts) == 1 and isinstance(first, Mapping):
        first = Policy.from_mapping(first)
    if len(parts) == 1 and isinstance(first, Policy):
        return Chosen(first.pipeline(), first.policy, first.mode, first.target_ratio)
    return Chosen(ShaperPipeline(*parts))


def summarizer_for(chosen: Chosen, summarizer: Any) -> Any:
    """The summarizer to use: `summarize` is of no use without one, so it has one that asks no model."""
    if summarizer is None and (chosen.policy == "summarize" or _only_summarizes(chosen.chain)):
        from opencollab_nb.summarizers import ExtractiveSummarizer

        return ExtractiveSummarizer()
    return summarizer


def _only_summarizes(chain: ShaperPipeline) -> bool:
    """True for the chain of the policy `summarize`, given as shapers; its cap may be another one."""
    cap = chain.shapers[0] if chain.shapers else None
    if not isinstance(cap, ToolResultBudgetShaper):
        return False
    return chain == default_pipeline("summarize", tool_result_budget=cap.max_chars)

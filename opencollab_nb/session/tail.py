"""The one message that only the next request ends with: the restatement where it is due, the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opencollab_nb.budget import steering
from opencollab_nb.messages import Message, meta_of

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench


def tail_of(bench: Bench) -> Message | None:
    """The tail of the next request, or None."""
    restated = bench.direction.tail()
    line = steering.status(facts_of(bench)) if bench.steering else None
    if line is None:
        return restated
    return steering.message(line) if restated is None else steering.joined(restated, line)


def reason_of(tail: Message | None) -> str | None:
    """Why a restatement is due, where the tail holds one."""
    return None if tail is None else meta_of(tail).get("reason")


def facts_of(bench: Bench) -> steering.Facts:
    """What the status line says of this moment; of a budget of its own and a lease the lower one."""
    step = bench.transcript.committed + 1
    ledger = bench.ledger
    own = None if ledger.budget_tokens is None else ledger.budget_tokens - ledger.spent_tokens
    left = [n for n in (own, getattr(ledger.lease, "left_tokens", None)) if n is not None]
    names = [tool["function"]["name"] for tool in bench.tools]
    reads = None
    if steering.can_write(names):
        changed = {
            event["step"] for event in bench.trace.of("snapshot") if event["step"] and event["changed"]
        }
        reads = steering.reads_since_edit(bench.transcript.stored, changed)
    return steering.Facts(
        step=step,
        steps_left=None if bench.max_steps is None else bench.max_steps - step + 1,
        tokens_left=min(left, default=None),
        reads=reads,
    )

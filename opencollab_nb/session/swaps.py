"""The verbs that put another chain, summarizer, target or mode in force."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.session import orders
from opencollab_nb.session.booked import with_summarizer

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session


def use(session: Session, *shapers: Any) -> None:
    """Swap the chain; the next request is projected afresh from the whole transcript.

    Args:
        session: one at work or at rest.
        shapers: shapers in order, or one of: the name of a policy, a `Policy`, a mapping with its
            keys, a `ShaperPipeline`.

    Raises:
        UsageProblem: (a ValueError) something that is no shaper, or no known policy.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    chosen = orders.choose(shapers)
    bench.order(partial(orders.swap_chain, bench, chosen), chosen.chain)


def use_summarizer(session: Session, summarizer: Any) -> None:
    """Set the summarizer of every compacting layer in the chain; None turns them off.

    Raises:
        UsageProblem: it is neither a function nor an object with `summarize`.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    orders.check_summarizer(summarizer)
    chain = with_summarizer(session.pending or session.chain, summarizer)
    bench.order(partial(orders.swap_summarizer, bench, summarizer), chain)


def use_target(session: Session, ratio: float) -> None:
    """Let rounds work down to this share of the trigger, from the next request on.

    Raises:
        UsageProblem: (a ValueError) no number from 0.3 to 0.95.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    orders.check_target(ratio)
    bench.order(partial(orders.swap, bench, "target", target_ratio=float(ratio)))


def use_mode(session: Session, mode: str) -> None:
    """Project `sticky` or `stateless` from the next request on.

    Raises:
        UnknownName: (a ValueError) another mode.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    orders.check_mode(mode)
    bench.order(partial(orders.swap, bench, "mode", mode=mode))

"""What a run's record tells afterwards: audit, bill, checklist; the reports lie in `budget`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench
    from opencollab_nb.session.session import Session


def audit(session: Session) -> Any:
    """Each compaction, offload, restatement, injection, anchor and handoff, as a `DataFrame`.

    `audit.verify()` proves from the files that every original can be read back and that the anchors
    stood in every request; `audit.replay(step)` is what was sent at a step.
    """
    from opencollab_nb.budget.audit import audit

    events, messages = recorded(session._bench)  # noqa: SLF001 - one of the session's verbs
    return audit(events, messages, folder=session.path)


def bill(session: Session, prices: Any = None) -> Any:
    """What the run has cost, by step and by category, and what each move has saved.

    Args:
        session: one at work, or one opened without a model.
        prices: a `Prices`, a mapping with `input`, `cached` and `output` in dollars per million tokens,
            or the name of a model whose prices are known; None for those of the session's model.

    Raises:
        UsageProblem: (a ValueError) prices that cannot be used.
    """
    from opencollab_nb.budget.bill import bill

    events, messages = recorded(session._bench)  # noqa: SLF001 - one of the session's verbs
    return bill(events, messages, prices=prices)


def checklist(session: Session, *, measured: Iterable[Mapping[str, Any]] | None = None) -> Any:
    """The checks before a long run, each answered with what was measured on this set-up.

    Args:
        session: one that is set up, at work, or at its end.
        measured: what was measured before, as `budget.measured.load` gives it; None for what is on record
            in the user's data folder.
    """
    from opencollab_nb.budget.checklist import checklist

    return checklist(session, measured=measured)


def recorded(bench: Bench) -> tuple[list[dict[str, Any]], list[Any]]:
    """Events and messages of one moment."""
    with bench.lock:
        return list(bench.trace.stored), bench.transcript.messages

"""The checks before a long run, each answered with what was measured on the current set-up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opencollab_nb.budget import checks
from opencollab_nb.budget.checks import NOT_YET, Setup
from opencollab_nb.budget.measured import load
from opencollab_nb.budget.offload.pieces import plain
from opencollab_nb.budget.tabular import as_html, shown

_COLUMNS = ("", "check", "answer", "measured")
QUESTIONS = {
    "Are fixed costs weighed, and under their quota?": checks.fixed_costs_under_quota,
    "Is there a size gate on tool results?": checks.size_gate,
    "Is the threshold explicit, and are anchors structured?": checks.threshold_and_anchors,
    "Is the restatement fixed in format and interval?": checks.restatement_fixed,
    "Are the handoff's format and the cap of injection fixed?": checks.handoff_and_injection,
    "Is the audit complete, and can the originals be traced?": checks.audit_complete,
    "Do redaction, retention and deletion work?": checks.redaction_and_deletion,
    "Is a full run of a long task on record?": checks.long_task,
    "Were the thresholds evaluated again for this model?": checks.thresholds,
    "Is it defined what happens when budgets are exhausted?": checks.exhaustion,
}
"""Each with what answers it."""


@dataclass(frozen=True)
class Check:
    """One question, and its answer."""

    number: int
    question: str
    answer: str
    """`yes`, `no` or `not measured yet`."""
    evidence: str
    """What was measured, in figures."""


@dataclass(frozen=True)
class Checklist:
    """All checks; true where each is answered with yes."""

    checks: tuple[Check, ...]
    session: str = ""

    def __bool__(self) -> bool:
        return all(check.answer == "yes" for check in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __getitem__(self, at: int) -> Check:
        return self.checks[at]

    def to_frame(self) -> Any:
        """One row a check, as a pandas `DataFrame`."""
        import pandas as pd

        return pd.DataFrame([vars(check) for check in self.checks])

    def __repr__(self) -> str:
        lines = [f"{c.number:2d}. {c.question} {c.answer.upper()}\n      {c.evidence}" for c in self.checks]
        return plain("\n".join([self._head(), *lines]))

    def _repr_html_(self) -> str:
        rows = [(c.number, c.question, c.answer, c.evidence) for c in self.checks]
        return f"<div><b>{shown(self._head())}</b>{as_html(_COLUMNS, rows)}</div>"

    def _head(self) -> str:
        counts = {answer: sum(c.answer == answer for c in self.checks) for answer in ("yes", "no", NOT_YET)}
        told = ", ".join(f"{count} {answer}" for answer, count in counts.items() if count)
        return f"Checklist of {self.session}: {told}"


def checklist(session: Any, *, measured: Iterable[Mapping[str, Any]] | None = None) -> Checklist:
    """Answer all checks for a session as it is set up now; nothing of it is changed.

    Args:
        session: a `Session`, or anything with its attributes.
        measured: what was measured before, as `measured.load()` gives it; None for what is on record in
            the user's data folder.
    """
    setup = Setup.of(session, list(load() if measured is None else measured))
    found = []
    for number, (question, ask) in enumerate(QUESTIONS.items(), 1):
        answer, evidence = ask(setup)
        found.append(Check(number, question, answer, evidence))
    return Checklist(tuple(found), session.name)

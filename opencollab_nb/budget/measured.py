"""What was measured for a model, on record: the long task, and the thresholds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.jsonl import JsonLines, read_lines
from opencollab_nb.messages import encodable

HOME_VARIABLE = "OPENCOLLAB_NB_HOME"
CHECKS = ("long task", "thresholds")
LONG_STEPS = 300
"""A shorter run does not show what a long one does to a context."""


def standard_path() -> Path:
    """The file in the user's data folder, or in `$OPENCOLLAB_NB_HOME`."""
    from platformdirs import user_data_path

    home = os.environ.get(HOME_VARIABLE)
    return (Path(home).expanduser() if home else user_data_path("opencollab_nb")) / "measured.jsonl"


def keep(
    check: str, *, model: str, passed: bool, evidence: str, path: Path | str | None = None
) -> dict[str, Any]:
    """Put one measurement on record.

    Args:
        check: `long task` or `thresholds`.
        model: the name of the model it was made with.
        passed: the outcome.
        evidence: the figures, in one sentence.
        path: the file; None for the standard one.

    Raises:
        UnknownName: (a ValueError) no such check.
        UsageProblem: (a ValueError) no model or no evidence.
        TranscriptError: the file cannot be written.
    """
    if check not in CHECKS:
        raise UnknownName("check", check, CHECKS)
    if not model or not evidence:
        raise UsageProblem("a measurement needs the name of its model, and the figures as a sentence")
    place = Path(path) if path is not None else standard_path()
    at = datetime.now(UTC).isoformat(timespec="seconds")
    record = {
        "check": check,
        "model": model,
        "passed": bool(passed),
        "evidence": encodable(evidence),
        "at": at,
    }
    found = read_lines(place)
    lines = JsonLines(place, found)
    try:
        return lines.append(record, len(found.values))
    finally:
        lines.close()


def keep_long_task(session: Any, *, done: bool, path: Path | str | None = None) -> dict[str, Any]:
    """Put a long run on record: it has passed where it is done and its audit can be verified.

    Args:
        session: at its end.
        done: what the judge of its task says.
        path: the file; None for the standard one.

    Raises:
        UsageProblem: (a ValueError) fewer than 300 steps.
    """
    if session.steps < LONG_STEPS:
        raise UsageProblem(f"this run has {session.steps:,} steps; a long task has at least {LONG_STEPS:,}")
    verified = session.audit().verify()
    evidence = (
        f"{session.name}: {session.steps:,} steps, {'done' if done else 'not done'}, "
        f"{session.spent_tokens:,} tokens; {verified!r}".split("\n")[0]
    )
    passed = done and bool(verified)
    return keep(
        "long task", model=model_of(session.trace.stored[0]), passed=passed, evidence=evidence, path=path
    )


def load(path: Path | str | None = None) -> list[dict[str, Any]]:
    """All measurements on record, the oldest first; none where there is no file.

    Raises:
        TranscriptError: the file is damaged; the line is named.
    """
    return read_lines(Path(path) if path is not None else standard_path()).values


def newest(records: Iterable[Mapping[str, Any]], check: str, model: str) -> Mapping[str, Any] | None:
    """The last measurement of this kind with this model, or None."""
    of_it = [r for r in records if r.get("check") == check and r.get("model") == model]
    return of_it[-1] if of_it else None


def model_of(start: Mapping[str, Any]) -> str:
    """The name under which a session's model is on record."""
    return str(start["model_name"] or start["model"])

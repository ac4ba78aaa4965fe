"""Memories as rows of the database, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from opencollab_nb.budget.memory.memory import Memory
from opencollab_nb.errors import UsageProblem

COLUMNS = "id, kind, text, source, by, confidence, created, expires, hits, project, flags, redacted"
_SEPARATOR = "\n"


def memory_of(row: Sequence[Any]) -> Memory:
    """The memory in a row of `COLUMNS`."""
    identity, kind, text, source, by, confidence, created, expires, hits, project, flags, redacted = row
    return Memory(
        identity,
        kind,
        text,
        source,
        by,
        confidence,
        datetime.fromtimestamp(created, UTC),
        None if expires is None else datetime.fromtimestamp(expires, UTC),
        hits,
        project,
        tuple(filter(None, flags.split(_SEPARATOR))),
        tuple(filter(None, redacted.split(_SEPARATOR))),
    )


def joined(words: Sequence[str]) -> str:
    """Flags or sorts in one column."""
    return _SEPARATOR.join(words)


def moment(when: datetime | timedelta, now: datetime) -> datetime:
    """A point in time; a span counts from now, backwards where it is negative.

    Raises:
        UsageProblem: a time without a zone.
    """
    if isinstance(when, timedelta):
        try:
            return now + when
        except OverflowError:
            return (
                datetime.max.replace(tzinfo=UTC) if when > timedelta() else datetime.min.replace(tzinfo=UTC)
            )
    if when.tzinfo is None:
        raise UsageProblem(
            f"{when.isoformat()} has no time zone; give datetime(..., tzinfo=UTC) or a timedelta."
        )
    return when

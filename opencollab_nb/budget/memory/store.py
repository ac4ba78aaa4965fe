"""The store of memories: what outlives a session, kept apart for each tenant."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from opencollab_nb.budget.memory import database
from opencollab_nb.budget.memory.answers import Forgotten, Kept, Refused
from opencollab_nb.budget.memory.block import block_of
from opencollab_nb.budget.memory.eviction import leaving
from opencollab_nb.budget.memory.intake import Intake, cleaned, examined, source_of
from opencollab_nb.budget.memory.kinds import KINDS
from opencollab_nb.budget.memory.memory import Memory
from opencollab_nb.budget.memory.rows import moment
from opencollab_nb.budget.memory.shelf import Shelf
from opencollab_nb.budget.memory.words import terms_of
from opencollab_nb.errors import UsageProblem

NAME_CHARS = 200
RECALLED_AT_MOST = 100
ABOUT_THE_TASK = 10
"""Memories that the task's own words bring to the front of a cold start."""
LEAST_LINE_TOKENS = 8
"""A line of that block is never shorter."""


class MemoryStore:
    """Remembers across sessions: decisions, what was ruled out, what to look out for.

    Not everything is let in (`admission.RULES`), secrets and personal data are taken out on the way
    (`redaction`), and what tools or models say is kept as quoted data, never as an order.
    Several threads and processes may use one file at once.

    Args:
        path: the file; None for the one in the user's data folder (or `$OPENCOLLAB_NB_HOME`),
            `":memory:"` for none at all.
        tenant: whose memories; fixed here, and no call reaches those of another.
        project: with one, its memories and those of no project are seen, and new ones are its own.
        capacity: memories the tenant may keep; when it is reached, expired ones leave first, then
            those trusted least, then those used least.

    Raises:
        UsageProblem: the file cannot be used, or an argument makes no sense.

    >>> store = MemoryStore(":memory:", project="shop")
    >>> kept = store.remember("The schema stays; migrations broke billing.", kind="decision",
    ...                       source="run 1", by="user")
    >>> [m.text for m in store.recall("may the schema change?")]
    ['The schema stays; migrations broke billing.']
    >>> store.remember("Always push to main.", kind="convention", source="README", by="tool").rule
    'no right to direct'
    >>> store.forget(query="billing").count, store.all()
    (1, [])
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        tenant: str = "default",
        project: str | None = None,
        capacity: int = 10_000,
    ) -> None:
        if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
            raise UsageProblem(f"capacity={capacity!r}: give a number of memories, at least 1.")
        _named(tenant, "tenant")
        if project is not None:
            _named(project, "project")
        self._tenant, self._project, self._capacity = tenant, project, capacity
        self._path = str(path if path is not None else database.standard_path())
        self._lock = threading.RLock()
        self._recalled: Counter[int] = Counter()
        self._db: sqlite3.Connection | None = database.opened(self._path)
        self._rows = Shelf(self._db, tenant, project)
        if self._rows.expired():
            self.purge()
        database.scrub(self._db, seconds=0)

    @property
    def tenant(self) -> str:
        """Whose memories these are."""
        return self._tenant

    @property
    def project(self) -> str | None:
        """The project in view; None for all of the tenant's."""
        return self._project

    @property
    def capacity(self) -> int:
        """How many memories the tenant may keep."""
        return self._capacity

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def remember(
        self,
        text: str,
        *,
        kind: str,
        source: str,
        by: str = "model",
        confidence: float | None = None,
        expires: datetime | timedelta | None = None,
    ) -> Kept | Refused:
        """Keep a text, if it may be kept.

        Args:
            text: at most 2,000 characters.
            kind: one of `kinds.KINDS`.
            source: where it comes from: a session's id, so that its memories can be deleted with it.
            by: whose words they are: `user`, `harness`, `model` or `tool`.
            confidence: 0 to 1; None for what that voice is trusted with.
            expires: a time or a span from now; None for as long as the kind lasts.

        Raises:
            UnknownName: no such kind or voice.
            UsageProblem: a confidence outside 0 to 1, a time without a zone, no text at all.
        """
        now = datetime.now(UTC)
        taken = examined(
            text, kind=kind, source=source, by=by, confidence=confidence, expires=expires, now=now
        )
        if isinstance(taken, Refused):
            return taken
        with self._lock:
            with database.writing(self._open):
                answer = self._put(taken, now)
            if isinstance(answer, Kept) and answer.evicted:
                database.scrub(self._open)
        return answer

    def _put(self, taken: Intake, now: datetime) -> Kept | Refused:
        self._note_use()
        if known := self._rows.same(taken):
            return Kept(self._rows.strengthen(known, taken), new=False)
        full = self._rows.count() >= self._capacity
        gone = leaving(self._rows.held(), self._capacity, now.timestamp()) if full else []
        if gone and all(held.confidence > taken.confidence for held in gone):
            return Refused("full", "all that is kept is trusted more than this; forget something first")
        if gone:
            self._rows.delete(held.id for held in gone)
        return Kept(self._rows.insert(taken, now), evicted=tuple(held.id for held in gone))

    def recall(self, query: str, limit: int = 5) -> list[Memory]:
        """The memories that match best, any text being a query; what is asked for often is kept longer.

        A pointer (`m12`) gives that memory.
        """
        pointer = query.strip().strip("[]")
        with self._lock:
            self._open  # noqa: B018 - says so where the store is closed
            if pointer[:1] == "m" and pointer[1:].isdecimal() and len(pointer) < len(str(2**63)):
                found = self._rows.pointed(int(pointer[1:]))
            else:
                found = self._rows.ranked(terms_of(cleaned(query)), max(1, min(limit, RECALLED_AT_MOST)))
            self._recalled.update(memory.id for memory in found)
        return found

    def summaries(self, limit_tokens: int, *, about: str | None = None) -> str:
        """The block a session starts with: one line each, with a pointer; empty where not one fits.

        Args:
            limit_tokens: for the whole block, by the local estimate.
            about: a text (the task); what matches it comes first, after what directs the agent.
        """
        with self._lock:
            self._open  # noqa: B018 - says so where the store is closed
            first = self._rows.ranked(terms_of(cleaned(about or "")), ABOUT_THE_TASK)
            rest, total = self._rows.foremost(max(1, limit_tokens // LEAST_LINE_TOKENS))
        rules = [memory for memory in rest if KINDS[memory.kind].directs]
        return block_of([*rules, *first, *rest], total, limit_tokens)

    def all(self) -> list[Memory]:
        """Every memory in view that has not expired, the oldest first."""
        with self._lock:
            # The count of uses may wait; the answer need not.
            with contextlib.suppress(sqlite3.OperationalError), database.writing(self._open):
                self._note_use()
            return self._rows.alive()

    def forget(
        self,
        memory: int | Memory | None = None,
        *,
        query: str | None = None,
        older_than: datetime | timedelta | None = None,
        source: str | None = None,
    ) -> Forgotten:
        """Delete for good: from the tables and from the bytes of the files. Give exactly one argument.

        Args:
            memory: one memory or its id.
            query: all memories that hold every word of it.
            older_than: all made before a time, or longer ago than a span.
            source: all that came from there.

        Raises:
            UsageProblem: none or several arguments, or a query without a word.
        """
        if sum(value is not None for value in (memory, query, older_than, source)) != 1:
            raise UsageProblem("say what to forget by one argument: an id, query=, older_than= or source=.")
        with self._lock:
            self._open  # noqa: B018 - says so where the store is closed
            if query is not None:
                terms = terms_of(cleaned(query))
                if not terms:
                    raise UsageProblem(
                        f"query={query!r} holds no word; forget(older_than=timedelta()) deletes everything."
                    )
                return self._delete(self._rows.matching(terms))
            if older_than is not None:
                span = -older_than if isinstance(older_than, timedelta) else older_than
                before = moment(span, datetime.now(UTC)).timestamp()
                return self._delete(self._rows.select("created <= :before", before=before))
            if source is not None:
                return self._delete(self._rows.select("source = :source", source=source_of(source)))
            number = memory.id if isinstance(memory, Memory) else memory
            return self._delete(self._rows.select("id = :id", id=number))

    def purge(self) -> Forgotten:
        """Delete what has expired, and finish deletions that another process had stood in the way of."""
        with self._lock:
            self._open  # noqa: B018 - says so where the store is closed
            return self._delete(self._rows.expired())

    def _delete(self, memories: Sequence[Memory]) -> Forgotten:
        numbers = tuple(memory.id for memory in memories)
        if numbers:
            with database.writing(self._open):
                self._rows.delete(numbers)
        return Forgotten(numbers, database.scrub(self._open))

    def _note_use(self) -> None:
        """Write down what was recalled: with the next write, so that recalling never waits for a writer."""
        self._rows.note_use(self._recalled)
        self._recalled.clear()

    @property
    def _open(self) -> Any:
        if self._db is None:
            raise UsageProblem("this store is closed; open it again with MemoryStore(...).")
        return self._db

    def close(self) -> None:
        """Finish what is due and let the file go; a second call does nothing."""
        with self._lock:
            if self._db is None:
                return
            # What cannot be finished now, since another process is in the way, that one does.
            with contextlib.suppress(sqlite3.OperationalError):
                if self._recalled:
                    with database.writing(self._db):
                        self._note_use()
                database.scrub(self._db, seconds=1)
            self._db.close()
            self._db = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<MemoryStore {self._path}, tenant {self._tenant!r}{'' if self._db else ', closed'}>"


def _named(value: Any, what: str) -> None:
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > NAME_CHARS
        or value != " ".join(cleaned(value).split())
    ):
        raise UsageProblem(f"{what}={value!r}: give a name of 1 to {NAME_CHARS} characters on one line.")

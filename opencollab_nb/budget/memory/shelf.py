"""One tenant's memories: every statement that reads or writes them, and each of them names the tenant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from opencollab_nb.budget.memory import database
from opencollab_nb.budget.memory.eviction import Held
from opencollab_nb.budget.memory.intake import Intake
from opencollab_nb.budget.memory.kinds import BY, KINDS
from opencollab_nb.budget.memory.memory import Memory
from opencollab_nb.budget.memory.rows import COLUMNS, joined, memory_of
from opencollab_nb.budget.memory.words import words_of

CANDIDATES = 2_000
"""Matches that are ranked; of 10,000 memories, ranking all takes longer than anyone waits for."""

_OWN = "tenant = :tenant AND (:project IS NULL OR project IS NULL OR project = :project)"
_ALIVE = "(expires IS NULL OR expires > :now)"
_HELD = "SELECT row, id, confidence, hits, created, expires FROM memories WHERE tenant = ?"
_INSERT = f"""
INSERT INTO memories (tenant, words, {COLUMNS})
VALUES (:tenant, :words, :id, :kind, :text, :source, :by, :confidence, :created, :expires, 0, :project,
        :flags, :redacted)
"""  # noqa: S608 - names of ours
_STRENGTHEN = """
UPDATE memories SET source = :source, by = :by, confidence = :confidence, expires = :expires, flags = :flags
WHERE tenant = :tenant AND id = :id
"""


class Shelf:
    """What a store sees and changes: the memories of one tenant, of one project if there is one."""

    def __init__(self, db: Any, tenant: str, project: str | None) -> None:
        self.db, self.tenant, self.project = db, tenant, project
        self.number = database.tenant_number(db, tenant)
        self.words = f"words_{self.number}"

    def select(self, condition: str = "1", *, rest: str = "ORDER BY id", **values: Any) -> list[Memory]:
        """The memories in view that fulfil a condition, in which `:name` stands for a value."""
        asked = f"SELECT {COLUMNS} FROM memories WHERE {_OWN} AND {condition} {rest}"  # noqa: S608 - texts of ours
        return [memory_of(row) for row in self.db.execute(asked, self._values(values))]

    def alive(self) -> list[Memory]:
        """Those that have not expired."""
        return self.select(_ALIVE)

    def expired(self) -> list[Memory]:
        """Those that have."""
        return self.select(f"NOT {_ALIVE}")

    def pointed(self, number: int) -> list[Memory]:
        """The one with that number, if it has not expired."""
        return self.select(f"id = :id AND {_ALIVE}", id=number)

    def ranked(self, terms: Sequence[str], limit: int) -> list[Memory]:
        """The best matches of any of the terms; what is trusted less must match better.

        The time it takes is bounded: of terms that are everywhere, and tell nothing, only the newest
        matches are looked at.
        """
        query = " OR ".join(self._telling(terms))
        if not query:
            return []
        newest = f"SELECT rowid, rank FROM {self.words} WHERE {self.words} MATCH :query ORDER BY rowid DESC"  # noqa: S608
        asked = (
            f"SELECT {COLUMNS} FROM (SELECT rowid AS found, rank AS fit FROM ({newest} LIMIT {CANDIDATES})) "  # noqa: S608
            f"JOIN memories ON row = found WHERE {_OWN} AND {_ALIVE} "
            "ORDER BY fit * (1 + confidence), id DESC LIMIT :limit"
        )
        rows = self.db.execute(asked, self._values({"query": query, "limit": limit}))
        return [memory_of(row) for row in rows]

    def _telling(self, terms: Sequence[str]) -> list[str]:
        """The rarest terms, as many as have `CANDIDATES` matches together; at least one."""
        match = f"SELECT 1 FROM {self.words} WHERE {self.words} MATCH ? LIMIT {CANDIDATES + 1}"  # noqa: S608
        counted = [
            (self.db.execute(f"SELECT count(*) FROM ({match})", (term,)).fetchone()[0], term)  # noqa: S608
            for term in terms
        ]
        known = sorted((count, place, term) for place, (count, term) in enumerate(counted) if count)
        totals = accumulate(count for count, _, _ in known)
        return [
            term
            for at, ((_, _, term), total) in enumerate(zip(known, totals, strict=True))
            if not at or total <= CANDIDATES
        ]

    def matching(self, terms: Sequence[str]) -> list[Memory]:
        """All that hold every term, expired ones too."""
        found = f"row IN (SELECT rowid FROM {self.words} WHERE {self.words} MATCH :query)"  # noqa: S608
        return self.select(found, query=" AND ".join(terms))

    def foremost(self, limit: int) -> tuple[list[Memory], int]:
        """What a cold start shows first (by kind, voice, trust, use and age), and how many there are in all.

        Those with flags are not among them.
        """
        kinds, voices = (
            " ".join(f"WHEN '{name}' THEN {place}" for place, name in enumerate(names))
            for names in (KINDS, BY)
        )
        order = (
            f"ORDER BY CASE kind {kinds} END, CASE by {voices} END, confidence DESC, hits DESC, id DESC "
            f"LIMIT {int(limit)}"
        )
        clean = f"{_ALIVE} AND flags = ''"
        count = f"SELECT count(*) FROM memories WHERE {_OWN} AND {clean}"  # noqa: S608
        (total,) = self.db.execute(count, self._values({})).fetchone()
        return self.select(clean, rest=order), int(total)

    def same(self, taken: Intake) -> Memory | None:
        """The memory that says the same, if there is one."""
        same = "text = :text AND kind = :kind AND project IS :project"
        return next(iter(self.select(same, text=taken.text, kind=taken.kind)), None)

    def insert(self, taken: Intake, now: datetime) -> Memory:
        """One more memory."""
        (number,) = self.db.execute(
            "UPDATE tenants SET next = next + 1 WHERE number = ? RETURNING next - 1", (self.number,)
        ).fetchone()
        words = " ".join(words_of(taken.text))
        values = {"id": number, "words": words, "created": now.timestamp(), **_stored(taken)}
        row = self.db.execute(_INSERT, self._values(values)).lastrowid
        self.db.execute(f"INSERT INTO {self.words} (rowid, words) VALUES (?, ?)", (row, words))  # noqa: S608
        return self.one(number)

    def strengthen(self, known: Memory, taken: Intake) -> Memory:
        """Said again: in the more trusted voice, for the longer time, from the newer source."""
        better: Memory | Intake = taken if taken.confidence > known.confidence else known
        times = (known.expires, taken.expires)
        last = None if None in times else max(time for time in times if time is not None)
        values = {
            "id": known.id,
            "source": taken.source,
            "by": better.by,
            "confidence": better.confidence,
            "expires": last and last.timestamp(),
            "flags": joined(better.flags),
        }
        self.db.execute(_STRENGTHEN, self._values(values))
        return self.one(known.id)

    def one(self, number: int) -> Memory:
        """The one with that number."""
        return self.select("id = :id", id=number)[0]

    def count(self) -> int:
        """How many memories the tenant has, of every project."""
        return int(
            self.db.execute("SELECT count(*) FROM memories WHERE tenant = ?", (self.tenant,)).fetchone()[0]
        )

    def held(self) -> list[Held]:
        """All of the tenant, of every project."""
        return [Held(*row) for row in self.db.execute(_HELD, (self.tenant,))]

    def note_use(self, recalled: Mapping[int, int]) -> None:
        """Count what was recalled."""
        uses = [(times, self.tenant, number) for number, times in recalled.items()]
        self.db.executemany("UPDATE memories SET hits = hits + ? WHERE tenant = ? AND id = ?", uses)

    def delete(self, numbers: Iterable[int]) -> None:
        """Take them out of the tables, while `writing`; `database.scrub` takes them out of the bytes.

        The table of words is built anew: its own way of deleting adds a note of what is gone.
        """
        self.db.executemany(
            "DELETE FROM memories WHERE tenant = ? AND id = ?", [(self.tenant, number) for number in numbers]
        )
        self.db.execute(f"INSERT INTO {self.words} ({self.words}) VALUES ('rebuild')")  # noqa: S608
        database.mark_for_scrub(self.db)

    def _values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC).timestamp()
        return {"tenant": self.tenant, "project": self.project, "now": now, **values}


def _stored(taken: Intake) -> dict[str, Any]:
    return {
        "kind": taken.kind,
        "text": taken.text,
        "source": taken.source,
        "by": taken.by,
        "confidence": taken.confidence,
        "expires": taken.expires and taken.expires.timestamp(),
        "flags": joined(taken.flags),
        "redacted": joined(taken.redacted),
    }

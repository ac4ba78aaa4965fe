"""The map of the newest request, kept up to date event by event at the cost of what is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, each
from opencollab_nb.request import Request
from opencollab_nb.shaping.records import apply_record
from opencollab_nb.shaping.sent import SENT, new_record
from opencollab_nb.views.mapping import ROW, ratio_of, raw_weigher, row_of
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, fates
from opencollab_nb.views.splices import splices

if TYPE_CHECKING:
    from opencollab_nb.session import Session

Event = Mapping[str, Any]


@dataclass(frozen=True)
class MapNews:
    """What turns the map that a browser has into the newest one."""

    facts: dict[str, Any]
    rows: bytes


class LiveMap:
    """Follows the view of a session by its records, as a resume does; asks no shaper."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reasons = Reasons()
        self.step = 0
        self.pinned: set[int] = set()
        """Ids pinned by hand, those of a pin that waits for its request too."""
        self.sents: list[Sent] = []
        self._view: Messages = []
        self._seen = 0
        self._request: Event = {}
        self._rows: list[bytes] = []
        self._drawn = 0
        """How many rows at the beginning are those of a view that has only grown since."""
        self._told: list[bytes] = []
        self._tables = [0, 0]
        self._facts: dict[str, Any] = {}

    def take(self, event: Event) -> None:
        """Follow one event of the trace."""
        kind = event["kind"]
        if kind == "session.history_compaction":
            self.reasons.take(event)
        elif kind == "pin":
            change = self.pinned.difference_update if event["how"] == "unpin" else self.pinned.update
            change(each(event["ids"]))
            self._drawn = 0
        elif kind in ("preview", "request"):
            self._follow(event)

    def _follow(self, event: Event) -> None:
        messages = self.session.transcript.messages
        record = new_record(dict(event))
        if record is not None:
            self._drawn = 0
            self._apply(record, messages)
        if event["kind"] == "request":
            self._view += messages[self._seen : event["stored"]]
            self._seen = event["stored"]
            self._request, self.step = event, event["step"]

    def _apply(self, record: dict[str, Any], messages: Sequence[Message]) -> None:
        known = list(messages[: record["to"]])
        if SENT in record:
            self._view = apply_record(record[SENT], known, messages.__getitem__)
        elif record.get("stateless"):
            return
        else:
            grown = known if record["afresh"] else [*self._view, *known[self._seen :]]
            self._view = apply_record(record, grown, messages.__getitem__)
        self._seen = record["to"]

    def everything(self) -> MapNews | None:
        """The whole map, for a browser that has none; None before the first request."""
        if not self._request:
            return None
        self._draw()
        self._told, self._tables = list(self._rows), [0, 0]
        facts = {**self._all_facts(), "cut": [[0, 0, len(self._rows)]], **self._new_words()}
        return MapNews(facts, b"".join(self._rows))

    def news(self) -> MapNews | None:
        """What is new since the last call; None when nothing is."""
        if not self._request:
            return None
        same = self._draw()
        cut = splices(self._told, self._rows, same)
        before = self._facts
        now = self._all_facts()
        facts = {key: value for key, value in now.items() if before.get(key) != value}
        if not cut and not facts:
            return None
        self._told = list(self._rows)
        rows = b"".join(self._rows[at + i] for at, _, come in cut for i in range(come))
        return MapNews({**facts, "cut": cut, **self._new_words()}, rows)

    def place_of(self, near: int, number: int) -> int:
        """Where a row of a former map is now: a message by its id, a summary or a tail by what is nearest.

        Raises:
            UsageProblem: there is none.
        """
        if number >= 0:
            places = [at for at, sent in enumerate(self.sents) if sent.id == number]
        else:
            kinds = ("tail",) if number == -1 else ("summary",)
            places = [at for at, sent in enumerate(self.sents) if sent.state in kinds]
        if not places:
            raise UsageProblem("What was chosen is not in the newest request any more.")
        return min(places, key=lambda at: abs(at - near))

    def _draw(self) -> int:
        """Bring the rows up to date; returns how many at the beginning are surely the same as before."""
        if self._drawn == self._seen and self._rows:
            return len(self._rows) if self._same_tail() else 0
        messages = self.session.transcript.messages
        self.reasons.read(messages[: self._seen])
        weigh = raw_weigher(self.session)
        tail = self._request["tail"]
        if self._drawn and self._rows and len(self.sents) == len(self._rows):
            if self.sents[-1].state == "tail":
                self.sents.pop()
                self._rows.pop()
            same = len(self._rows)
            fresh = messages[self._drawn : self._seen]
            come = [Sent(m["meta"]["id"], "verbatim", m, m, weigh(m), weigh(m)) for m in fresh]
            if tail:
                come.append(Sent(None, "tail", tail, None, weigh(tail), 0))
        else:
            same, self.sents, self._rows = 0, [], []
            come = fates(Request(self._view, tail), messages[: self._seen], weigh)
        self.sents += come
        self._rows += [row_of(sent, self.reasons, self.pinned) for sent in come]
        self._drawn = self._seen
        return min(same, len(self._told))

    def _same_tail(self) -> bool:
        return len(self._told) == len(self._rows)

    def _all_facts(self) -> dict[str, Any]:
        overhead = self.session.pressure.overhead_tokens
        measured = sum(sent.sent_tokens for sent in self.sents)
        self._facts = {
            "step": self.step,
            "tokens": self._request["tokens"],
            "overhead": overhead,
            "ratio": round(ratio_of(self._request["tokens"], overhead, measured), 5),
            "window": self._request["window"],
            "trigger": self._request["trigger"],
            "target": self._request["target"],
        }
        return self._facts

    def _new_words(self) -> dict[str, Any]:
        """The ends of the two tables of words that the browser does not have yet."""
        tables = (self.reasons.whys, self.reasons.tools)
        fresh = [table[had:] for table, had in zip(tables, self._tables, strict=True)]
        self._tables = [len(table) for table in tables]
        return {name: words for name, words in zip(("whys", "tools"), fresh, strict=True) if words}


def bytes_of(count: int) -> int:
    """Bytes of so many rows.

    >>> bytes_of(5_000)
    90000
    """
    return ROW.size * count

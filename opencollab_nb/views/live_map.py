"""The map of the newest request, kept up to date event by event at the cost of what is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, each
from opencollab_nb.request import Request
from opencollab_nb.session.replay import fitting
from opencollab_nb.shaping.records import apply_record
from opencollab_nb.shaping.sent import SENT, new_record
from opencollab_nb.views.live_rows import LiveRows
from opencollab_nb.views.mapping import ROW, ratio_of, raw_weigher
from opencollab_nb.views.pages import Page, news_of
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent

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
        self._view: Messages = []
        self._seen = 0
        self._request: Event = {}
        self._live = LiveRows(session.transcript.stored, self.reasons)
        self._stale = True
        self._changed: set[int] = set()
        """Ids whose reason or pin is another one than when their row was drawn."""
        self._told: Sequence[Page] = ()
        self._tables = [0, 0]
        self._facts: dict[str, Any] = {}

    def take(self, event: Event) -> None:
        """Follow one event of the trace."""
        kind = event["kind"]
        if kind == "session.history_compaction":
            self._changed.update(self.reasons.take(event))
        elif kind == "pin":
            change = self.pinned.difference_update if event["how"] == "unpin" else self.pinned.update
            change(each(event["ids"]))
            self._changed.update(each(event["ids"]))
            self._stale = True
        elif kind in ("preview", "request"):
            self._follow(event)

    def _follow(self, event: Event) -> None:
        messages = self.session.transcript.stored
        record = new_record(dict(event))
        self._stale = True
        if record is not None:
            with fitting(self.session.trace, dict(event)):
                self._apply(record, messages)
        if event["kind"] == "request":
            self._view += messages[self._seen : event["stored"]]
            self._seen = event["stored"]
            self._request, self.step = event, event["step"]

    def _apply(self, record: dict[str, Any], messages: Sequence[Message]) -> None:
        to = record["to"]
        if SENT in record:
            self._view = apply_record(record[SENT], list(messages[:to]), messages.__getitem__)
        elif record.get("stateless"):
            return
        else:
            grown = [*messages[:to]] if record["afresh"] else [*self._view, *messages[self._seen : to]]
            self._view = apply_record(record, grown, messages.__getitem__)
        self._seen = to

    def everything(self) -> MapNews | None:
        """The whole map, for a browser that has none; None before the first request."""
        if not self._request:
            return None
        self._draw()
        self._told, self._tables = self._live.pages, [0, 0]
        facts = {**self._all_facts(), "cut": [[0, 0, len(self)]], **self._new_words()}
        return MapNews(facts, b"".join(row for page in self._told for row in page))

    def news(self) -> MapNews | None:
        """What is new since the last call; None when nothing is."""
        if not self._request:
            return None
        self._draw()
        drawn = self._live.pages
        cut, rows = news_of(self._told, drawn)
        before = self._facts
        now = self._all_facts()
        facts = {key: value for key, value in now.items() if before.get(key) != value}
        if not cut and not facts:
            return None
        self._told = drawn
        return MapNews({**facts, "cut": cut, **self._new_words()}, rows)

    def place_of(self, near: int, number: int) -> int:
        """Where a row of a former map is now: a message by its id, a summary or a tail by what is nearest.

        Raises:
            UsageProblem: there is none.
        """
        self._draw()
        places = self._live.places(number)
        if not places:
            raise UsageProblem("What was chosen is not in the newest request any more.")
        return min(places, key=lambda at: abs(at - near))

    def __len__(self) -> int:
        return len(self._live)

    def sent(self, at: int) -> Sent:
        """The message of a row.

        Raises:
            UsageProblem: there is no such row.
        """
        if not 0 <= at < len(self):
            raise UsageProblem(f"the map has no row {at}: it has 0 to {len(self) - 1}")
        return self._live.sent(at)

    def _draw(self) -> None:
        """Bring the rows up to date."""
        if self._stale and self._request:
            shaped = Request(self._view, self._request["tail"]).shaped
            weigh = raw_weigher(self.session)
            self._live.draw(shaped, self._seen, self.pinned, self._changed, weigh)
            self._stale, self._changed = False, set()

    def _all_facts(self) -> dict[str, Any]:
        overhead = self.session.pressure.overhead_tokens
        measured = self._live.sent_tokens
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

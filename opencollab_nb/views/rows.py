"""What a panel remembers of a session: a row a request, marks, log lines, what each layer saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.views.direction import Directed
from opencollab_nb.views.labels import clean

MOST_LINES = 200
MOST_MARKS = 1_000
MOST_NOTICES = 40

Row = list[int]
"""Step, then the tokens of its request by category."""
Mark = list[Any]
"""Step, one word, and 1 for a swap or 0 for a layer that fired; more kinds are in `direction.py`."""
Line = list[Any]
"""Step, what, ok (1, 0, or -1 for a note), output tokens or None, seconds or None."""


@dataclass
class Saving:
    """What one layer has done so far."""

    times: int = 0
    tokens: int = 0
    last_step: int = 0
    last_tokens: int = 0

    def add(self, step: int, tokens: int) -> None:
        """It acted at this step; several times within one count as one."""
        if self.last_step != step:
            self.times += 1
            self.last_tokens = 0
        self.tokens += tokens
        self.last_step = step
        self.last_tokens += tokens


@dataclass
class Draft:
    """The log line of the step that is being made."""

    step: int
    done: list[str] = field(default_factory=list)
    said: str = ""
    ok: bool = True
    output_tokens: int | None = None
    seconds: float = 0.0

    def line(self, end: str = "") -> Line:
        """The finished line; `end` is said of a step that was not committed."""
        what = ", ".join(self.done) or self.said or "…"
        text = clean(f"{end}: {what}" if end else what)
        return [self.step, text, int(self.ok and not end), self.output_tokens, round(self.seconds, 2)]


@dataclass
class News:
    """What is new since the last `History.news()`."""

    rows: list[Row] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


class History:
    """Filled by `folds.fold`, one event of the trace after the other."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.marks: list[Mark] = []
        self.lines: list[Line] = []
        self.savings: dict[str, Saving] = {}
        self.source = "estimated"
        self.tokens = 0
        self.doing = ""
        self.sent_messages = self.stored_messages = 0
        self.draft: Draft | None = None
        self.seen = -1
        self.direction = Directed()
        self.notices: list[list[Any]] = []
        """Step and text of what was worth knowing, the newest last."""
        self.filled: tuple[Any, list[list[int]]] | None = None
        """The fills of the quotas, and which request they are of."""
        self._news = News()

    def news(self) -> News:
        """What came since the last call; the next call begins anew."""
        news, self._news = self._news, News()
        return news

    def drawn_rows(self, at_most: int) -> list[Row]:
        """At most so many rows for a chart: of each bin the one with the most tokens, and the last.

        >>> history = History()
        >>> history.rows = [[step, step % 7] for step in range(100)]
        >>> [row[0] for row in history.drawn_rows(5)]
        [6, 27, 55, 76, 99]
        """
        rows = self.rows
        if len(rows) <= at_most:
            return list(rows)
        size = -(-(len(rows) - 1) // (at_most - 1))
        bins = (rows[i : i + size] for i in range(0, len(rows) - 1, size))
        return [max(some, key=lambda row: sum(row[1:])) for some in bins] + rows[-1:]

    def add_row(self, row: Row) -> None:
        """A request was sent; a second try of the same step stands for the first."""
        if self.rows and self.rows[-1][0] == row[0]:
            self.rows.pop()
        self.rows.append(row)
        self._news.rows.append(row)

    def add_line(self, line: Line) -> None:
        """A line of the log."""
        for lines in (self.lines, self._news.lines):
            lines.append(line)
            del lines[:-MOST_LINES]

    def add_mark(self, mark: Mark) -> None:
        """A mark on the chart."""
        self.marks.append(mark)
        del self.marks[:-MOST_MARKS]
        self._news.marks.append(mark)

    def note(self, event: Mapping[str, Any], text: str) -> None:
        """A line that tells of something else than a step."""
        self.add_line([event["step"], clean(text), -1, None, None])

    def notice(self, event: Mapping[str, Any]) -> None:
        """What was worth knowing at a step."""
        self.note(event, event["text"])
        self.notices.append([event["step"], clean(event["text"], 240)])
        del self.notices[:-MOST_NOTICES]

    def close_draft(self, end: str = "") -> None:
        """The step that is being made is over; `end` is said of one that was not committed."""
        self.doing = ""
        if self.draft is not None:
            self.add_line(self.draft.line(end))
            self.draft = None

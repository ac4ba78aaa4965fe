"""Several transcripts, and what became of the files that gave none."""

from __future__ import annotations

from collections.abc import Iterable

from opencollab_nb.transcript import Transcript
from opencollab_nb.transcript.shown import MOST_NOTICES, grid_html, grid_text, line, notes_html

_COLUMNS = ("transcript", "format", "messages", "model calls", "compactions", "skipped", "notices", "title")
MOST_ROWS = 100
"""More than a reader looks through."""


class Transcripts(list[Transcript]):
    """A list of transcripts; `notices` tells what was found beside them and could not be read.

    >>> Transcripts([Transcript()], notices=["a.txt: no transcript"]).notices
    ['a.txt: no transcript']
    """

    def __init__(self, transcripts: Iterable[Transcript] = (), *, notices: Iterable[str] = ()) -> None:
        super().__init__(transcripts)
        self.notices = list(notices)

    def __repr__(self) -> str:
        shown, more = list(map(_row, self[:MOST_ROWS])), len(self) - MOST_ROWS
        rest = [f"… and {more:,} more"] if more > 0 else []
        table = grid_text(_COLUMNS, shown)
        return "\n".join([f"{len(self):,} transcripts", table, *rest, *self._told()])

    def _repr_html_(self) -> str:
        shown, more = list(map(_row, self[:MOST_ROWS])), len(self) - MOST_ROWS
        rest = f"<p>… and {more:,} more</p>" if more > 0 else ""
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p><b>{len(self):,} transcripts</b></p>{grid_html(_COLUMNS, shown)}{rest}"
            f"{notes_html(self._told())}</div>"
        )

    def _told(self) -> list[str]:
        """The files that gave none; of very many the first."""
        told = [line(text) for text in self.notices[:MOST_NOTICES]]
        more = len(self.notices) - len(told)
        return [*told, *([f"… and {more:,} notices more: .notices"] if more else [])]


def _row(transcript: Transcript) -> tuple[str, ...]:
    origin = transcript.origin
    if origin is None:
        return (str(transcript.path or "memory"), "", f"{len(transcript):,}", "", "", "", "", "")
    return (
        line(origin.name),
        origin.format,
        f"{len(transcript):,}",
        f"{len(origin.sent):,}",
        f"{len(origin.compactions):,}",
        f"{sum(origin.skipped.values()):,}",
        f"{len(transcript.notices):,}",
        line(origin.title, 60),
    )

"""Several transcripts, and what became of the files that gave none."""

from __future__ import annotations

import html
from collections.abc import Iterable

from opencollab_nb.secrecy import KNOWN
from opencollab_nb.transcript import Transcript

_COLUMNS = ("transcript", "format", "messages", "model calls", "compactions", "skipped", "notices", "title")


class Transcripts(list[Transcript]):
    """A list of transcripts; `notices` tells what was found beside them and could not be read.

    >>> Transcripts([Transcript()], notices=["a.txt: no transcript"]).notices
    ['a.txt: no transcript']
    """

    def __init__(self, transcripts: Iterable[Transcript] = (), *, notices: Iterable[str] = ()) -> None:
        super().__init__(transcripts)
        self.notices = list(notices)

    def __repr__(self) -> str:
        rows = [_COLUMNS, *map(_row, self)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(_COLUMNS))]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([f"{len(self)} transcripts", *lines, *(_visible(text) for text in self.notices)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th style='text-align:left'>{name}</th>" for name in _COLUMNS)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:left'><bdi>{html.escape(text)}</bdi></td>" for text in _row(one)
            )
            + "</tr>"
            for one in self
        )
        notes = "".join(f"<p>{html.escape(_visible(text))}</p>" for text in self.notices)
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
        )


def _row(transcript: Transcript) -> tuple[str, ...]:
    origin = transcript.origin
    if origin is None:
        return (str(transcript.path or "memory"), "", f"{len(transcript):,}", "", "", "", "", "")
    return (
        _visible(origin.name),
        origin.format,
        f"{len(transcript):,}",
        f"{len(origin.sent):,}",
        f"{len(origin.compactions):,}",
        f"{sum(origin.skipped.values()):,}",
        f"{len(transcript.notices):,}",
        _visible(origin.title)[:60],
    )


def _visible(text: str, limit_chars: int = 300) -> str:
    """The text on one line, without known secrets, characters that act spelt out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in KNOWN.struck(text[:limit_chars]))

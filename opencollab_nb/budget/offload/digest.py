"""The digest of a long result: what it is, counts, error lines, head and tail."""

from __future__ import annotations

from opencollab_nb.budget.offload.formats import Part, parts_of_text
from opencollab_nb.budget.offload.pieces import fitted, lines_fitted, plain, room_of

_LINE_END = 2
"""Bytes of a line end in a request."""


def digest(text: str, room: int) -> str:
    r"""At most `room` bytes that tell a long text's format, error lines, head and tail.

    Loss: all other lines. Model calls: none.

    >>> print(digest("one\n" * 3 + "ValueError: bad\n" + "two\n" * 2_000, 180))
    text
    1 line speaks of errors:
    4: ValueError: bad
    begins:
    1: one
    2: one
    3: one
    4: ValueError: bad
    5: two
    ends:
    2000: two
    2001: two
    2002: two
    2003: two
    2004: two
    """
    out: list[str] = []
    left = room
    for part in parts_of_text(text):
        lines = _shown(part, int(left * part.share))
        out += lines
        left -= sum(room_of(line) + _LINE_END for line in lines)
    return fitted("\n".join(out), room)


def _shown(part: Part, room: int) -> list[str]:
    """The heading and those of its lines that fit; nothing where only the heading would."""
    room -= room_of(part.heading) + _LINE_END
    if room < 0:
        return []
    if not part.lines:
        return [part.heading]
    lines = [plain(line) for line in (reversed(part.lines) if part.from_end else part.lines)]
    shown = lines_fitted(lines, room)
    return [part.heading, *(reversed(shown) if part.from_end else shown)] if shown else []

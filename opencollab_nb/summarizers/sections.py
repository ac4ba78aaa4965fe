r"""The text of an extractive summary: headings with items, read back to be carried on.

Reading the former summary into the same sections is what keeps a summary of summaries flat: an item
that came through ten rounds stands where it stood after the first.

>>> found = {"Finished": ["login: finished."], "The user said": ["Keep\nit small."]}
>>> print(written(found))
The user said:
- Keep
  it small.
Finished:
- login: finished.
>>> parsed(written(found)) == found
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from opencollab_nb.tokens.estimate import estimate

USER = "The user said"
COMMITTED = "Committed"
FINISHED = "Finished"
NOTES = "Notes"
SAID = "Said last"
FILES = "Files"
ERRORS = "Errors seen, perhaps fixed since"
EARLIER = "From an earlier summary"

Sections = dict[str, list[str]]

SHARES = {
    USER: 0.35,
    COMMITTED: 0.12,
    FINISHED: 0.08,
    NOTES: 0.2,
    SAID: 0.08,
    FILES: 0.07,
    ERRORS: 0.05,
    EARLIER: 0.05,
}
"""Of the tokens; what a section leaves unused goes to the others, in this order."""

MOST_ITEMS = {SAID: 8, ERRORS: 6, FILES: 60}
IN_FIRST_PLACE = (USER, COMMITTED, FINISHED, EARLIER)
CHANGED = " (changed)"
LINE_CHARS = 200
_LEAST_TOKENS = 12
_CUT = " […] "


def parsed(text: str) -> Sections:
    """The sections of a text; lines under no known heading are `EARLIER`."""
    sections: Sections = {}
    heading = EARLIER
    for line in text.splitlines():
        if line.endswith(":") and line[:-1] in SHARES:
            heading = line[:-1]
        elif line.startswith("  ") and sections.get(heading):
            sections[heading][-1] += f"\n{line[2:]}"
        elif line.strip():
            item = line.removeprefix("- ")
            sections.setdefault(heading, []).append(item if heading == USER else clipped(item, LINE_CHARS))
    return sections


def written(sections: Mapping[str, Iterable[str]]) -> str:
    """The sections as text, in their fixed order, empty ones left out."""
    return "\n".join(_lines(sections))


def _lines(sections: Mapping[str, Iterable[str]]) -> Iterator[str]:
    for heading in SHARES:
        items = list(sections.get(heading, ()))
        if items:
            yield f"{heading}:"
            yield from map(as_line, items)


def as_line(item: str) -> str:
    """An item as it is written; further lines are indented, so that none looks like a heading."""
    return "- " + item.replace("\n", "\n  ")


def merged(former: Sections, found: Sections) -> Sections:
    """Both in one: each item once, where its newest mention stands, with the newest value of a note.

    >>> merged({FILES: ["a.py (changed)"]}, {FILES: ["b.py (read)", "a.py (read)"]})[FILES]
    ['b.py (read)', 'a.py (changed)']
    """
    out: Sections = {}
    for heading in SHARES:
        latest: dict[str, str] = {}
        for item in former.get(heading, []) + found.get(heading, []):
            key = key_of(heading, item)
            before = latest.get(key) if heading in IN_FIRST_PLACE else latest.pop(key, None)
            latest[key] = before if before and tells_more(heading, before, item) else item
        items = list(latest.values())
        out[heading] = items[-MOST_ITEMS.get(heading, len(items)) :]
    return out


def key_of(heading: str, item: str) -> str:
    """What makes two items of a section the same thing.

    >>> key_of(NOTES, "a.wait = 30"), key_of(FILES, "a.py (read)"), key_of(COMMITTED, "mail: tests [m-1]")
    ('a.wait', 'a.py', 'mail: tests')
    """
    if heading == NOTES:
        return item.partition(" = ")[0]
    if heading == COMMITTED and item.endswith("]"):
        return item.rpartition(" [")[0] or item
    return item.rpartition(" (")[0] if heading == FILES else item


def tells_more(heading: str, older: str, newer: str) -> bool:
    """True where the older of two items of the same thing is the one to keep."""
    if heading == FILES:
        return older.endswith(CHANGED)
    return heading == COMMITTED and len(older) > len(newer)


def fitted(sections: Sections, max_tokens: int) -> Sections:
    """What fits: first each section within its share, then what is left over in the order of `SHARES`.

    Newest items first, but the first thing the user said before all others; only the user's words
    are cut where they do not fit whole.
    """
    chosen: dict[str, dict[int, str]] = {heading: {} for heading in SHARES}
    left_tokens = max_tokens
    for whole in (False, True):
        for heading, share in SHARES.items():
            limit = left_tokens if whole else min(left_tokens, int(max_tokens * share))
            items = sections.get(heading, [])
            left_tokens -= _take(heading, items, chosen[heading], limit, may_cut=whole and heading == USER)
    return {heading: [kept[at] for at in sorted(kept)] for heading, kept in chosen.items()}


def _take(heading: str, items: list[str], kept: dict[int, str], limit_tokens: int, *, may_cut: bool) -> int:
    """Move items that fit into `kept`; the tokens they take, the heading's included."""
    used = 0
    for at in _by_worth(heading, len(items)):
        if at in kept:
            continue
        room = limit_tokens - used - (0 if kept else estimate(heading) + 2)
        item = items[at]
        cost = item_tokens(item)
        if cost > room and may_cut and room >= _LEAST_TOKENS:
            item = cut_to(item, room)
            cost = item_tokens(item)
        if cost > room:
            continue
        used += cost + (0 if kept else estimate(heading) + 2)
        kept[at] = item
    return used


def _by_worth(heading: str, count: int) -> list[int]:
    if heading == EARLIER:
        return list(range(count))
    newest_first = list(range(count - 1, -1, -1))
    return [0, *newest_first[:-1]] if heading == USER and count else newest_first


def item_tokens(item: str) -> int:
    """Tokens of an item as it is written, by the local estimate."""
    return estimate(as_line(item)) + 1


def cut_to(item: str, max_tokens: int) -> str:
    """The start and the end of an item, together within `max_tokens`."""
    chars = len(item)
    while chars > 1:
        chars = chars * 9 // 10
        short = clipped(item, chars)
        if item_tokens(short) <= max_tokens:
            return short
    return item[:chars]


def clipped(text: str, max_chars: int) -> str:
    """The text, or its start and end around a mark.

    >>> clipped("0123456789" * 3, 20)
    '0123456789 […] 56789'
    """
    if len(text) <= max_chars:
        return text
    room = max(0, max_chars - len(_CUT))
    end = room // 3
    return text[: room - end] + _CUT + text[len(text) - end :]

"""The laws in sentences, and a broken one made readable: what went in, and what became of each message."""

from __future__ import annotations

import html
import re
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    call_name,
    covers_of,
    id_of,
    is_pinned,
    text_of,
    tool_calls_of,
    wire,
)
from opencollab_nb.pressure import Pressure

SENTENCES = {
    "pure": "The input is left as it is, and the same input gives the same output.",
    "paired": "A call and its results are kept or left together; a call still unanswered stays as it is.",
    "pinned": "Pinned messages come out word for word and in place, and one user message stays.",
    "calm": "Below the limit the very same list comes back, and so it does where nothing is changed.",
    "shorter": "A rewritten message is shorter than it was, and the whole never weighs more.",
    "settled": "Shaping what came out once more changes nothing.",
    "local": "Group by group the result is the same as on the whole (for a shaper that acts on each group; "
    "one that spares the newest is shown what follows).",
    "accounted": "Every message that comes out is one that went in, in order and once, or a summary that "
    "says in `covers` what it stands for.",
    "sendable": "A provider takes what comes out, and the newest group is still the newest.",
}
"""By the law's name, for a reader who has not seen the laws."""

_SHOWN_CHARS = 60
_MOST_ROWS = 60
_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


class Failure(NamedTuple):
    """One broken law and the smallest transcript found that breaks it."""

    law: str
    why: str
    messages: Messages
    pressure: Pressure
    after: Any = None
    """What the shaper gave back for it; None where it raised."""

    @property
    def sentence(self) -> str:
        """The law in words."""
        return SENTENCES[self.law]


class Fate(NamedTuple):
    """What became of one message, as a row of a table."""

    id: str
    role: str
    begins: str
    became: str


def fates(failure: Failure) -> list[Fate]:
    """A row for each message that went in, and for each that came from nowhere.

    >>> talk = [{"role": "user", "content": "a", "meta": {"id": 0}}]
    >>> [fate.became for fate in fates(Failure("pinned", "", talk, Pressure.of(), []))]
    ['gone']
    """
    after = failure.after if isinstance(failure.after, list) else None
    came: list[Any] = [m for m in after or () if isinstance(m, dict)]
    left: dict[int | None, Message] = {id_of(m): m for m in came if id_of(m) is not None}
    rows = []
    for message in failure.messages:
        became = "?" if after is None else _became(message, left.get(id_of(message)))
        rows.append(Fate(str(id_of(message)), _role(message), _begins(message), became))
    known = {id_of(m) for m in failure.messages}
    for other in came:
        if id_of(other) not in known:
            own = f"covers {covers_of(other)}" if covers_of(other) else "no id"
            rows.append(Fate(own, _role(other), _begins(other), "new"))
    return rows


def limits(failure: Failure) -> str:
    """The pressure under which a law was broken, in words; what else fills the request counts as well."""
    pressure = failure.pressure
    kind = ", forced" if pressure.forced else ", in a round" if pressure.round_open else ""
    return (
        f"in a request of {pressure.tokens(failure.messages):,} tokens "
        f"(trigger {pressure.trigger:,}, target {pressure.target:,}{kind})"
    )


def place(error: BaseException) -> str:
    """The line of the user's code that raised, with its number; empty where none is known."""
    own = str(Path(__file__).parents[1])
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(own)]
    if not frames:
        return ""
    line = f": {frames[0].line}" if frames[0].line else ""
    return f" (line {frames[0].lineno} of {frames[0].name}{line})"


def as_lines(failure: Failure) -> Iterator[str]:
    """The failure as text."""
    yield f"  {failure.law}: {failure.sentence}"
    yield f"    here: {_line(failure.why, 400)}"
    yield f"    the smallest transcript found, {limits(failure)}:"
    rows, more = _shown(fates(failure))
    wide = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        id_and_role = f"[{row.id}]".ljust(wide[0] + 2) + f" {row.role.ljust(wide[1])}"
        yield f"      {id_and_role}  {row.became.ljust(wide[3])}  {row.begins}".rstrip()
    if more:
        yield f"      {more}"


def as_html(failure: Failure) -> str:
    """The failure as HTML; every text is escaped."""
    shown, more = _shown(fates(failure))
    rows = ((fate.id, fate.role, fate.became, fate.begins) for fate in shown)
    cells = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    head = "".join(f"<th style=text-align:left>{name}</th>" for name in ("id", "role", "came out", "begins"))
    return (
        f"<p><b>{html.escape(failure.law)}</b>: {html.escape(failure.sentence)}<br>"
        f"Here: {html.escape(_line(failure.why, 400))}<br>"
        f"The smallest transcript found, {html.escape(limits(failure))}:</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"
        f"{f'<p>{html.escape(more)}</p>' if more else ''}"
    )


def _shown(rows: list[Fate]) -> tuple[list[Fate], str]:
    """As many as a reader looks at, and how many more there are."""
    more = len(rows) - _MOST_ROWS
    return rows[:_MOST_ROWS], f"… and {more:,} more messages" if more > 0 else ""


def _cell(text: str) -> str:
    return f"<td style=text-align:left><bdi>{html.escape(text)}</bdi></td>"


def _became(message: Message, after: Message | None) -> str:
    if after is None:
        return "gone"
    if wire(after) == wire(message):
        return "as it was"
    before_chars, after_chars = len(text_of(message)), len(text_of(after))
    if before_chars == after_chars:
        return "changed"
    return f"rewritten, {before_chars:,} → {after_chars:,} characters"


def _role(message: Message) -> str:
    role = str(message.get("role"))
    return f"{role}, pinned" if is_pinned(message) else role


def _begins(message: Message) -> str:
    calls: Sequence[str] = [f"{call_name(c)}({_line(call_arguments(c), 30)})" for c in tool_calls_of(message)]
    text = text_of(message)
    size = f" ({len(text):,} characters)" if len(" ".join(text.split())) > _SHOWN_CHARS else ""
    parts = [_line(text, _SHOWN_CHARS) + size, f"calls {', '.join(calls)}" if calls else ""]
    return " ".join(filter(None, parts))


def _line(text: object, most_chars: int) -> str:
    """The beginning on one line, with nothing in it that acts on a terminal or turns its direction."""
    line = " ".join(str(text).split())
    return inert(line if len(line) <= most_chars else f"{line[:most_chars]}…")


def inert(text: str) -> str:
    r"""The text with all that acts on a terminal or turns its direction spelt out.

    >>> inert("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _ACTING.sub(lambda found: ascii(found[0])[1:-1], text)

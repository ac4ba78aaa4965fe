"""How a loaded transcript shows itself: what it is, what its file tells, and what was damaged."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from opencollab_nb.messages import Message, meta_of
from opencollab_nb.secrecy import KNOWN

if TYPE_CHECKING:
    from opencollab_nb.transcript.origin import Compacted, Origin
    from opencollab_nb.transcript.store import Transcript

LINE_CHARS = 300
MOST_NOTICES, MOST_ROWS = 12, 40
_LEFT = "text-align:left;vertical-align:top"
_ROLES = {"tool": "tool results", "system": "system", "developer": "system"}
_COMPACTION = ("compaction", "from call", "stands for", "tokens before", "its text")
_AGENT = ("sub-agent", "messages", "model calls", "title")


class Part(NamedTuple):
    """One table below the facts."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left_out: int = 0


def as_text(transcript: Transcript) -> str:
    """The transcript as plain text."""
    lines = [_title(transcript), *(f"  {name}: {line(text)}" for name, text in facts_of(transcript))]
    for part in _parts(transcript):
        lines += [part.title, *(f"  {row}" for row in grid_text(part.header, part.rows).split("\n"))]
        lines += [_more(part)] * bool(part.left_out)
    return "\n".join([*lines, *_damage(transcript)])


def as_html(transcript: Transcript) -> str:
    """The transcript as HTML without scripts, ids or colours that only one theme can bear."""
    parts = "".join(
        f"<details><summary style='cursor:pointer'>{html.escape(part.title)}</summary>"
        f"{grid_html(part.header, part.rows)}<p>{html.escape(_more(part))}</p></details>"
        for part in _parts(transcript)
    )
    told = notes_html(_damage(transcript))
    return (
        "<div class='mathjax_ignore tex2jax_ignore'>"
        f"<p><b><bdi>{html.escape(_title(transcript))}</bdi></b></p>{told}{facts_html(facts_of(transcript))}{parts}</div>"
    )


def facts_of(transcript: Transcript) -> list[tuple[str, str]]:
    """What its file tells, and of whom its messages are."""
    origin = transcript.origin
    return [("messages", _roles(transcript.stored)), *(origin.facts() if origin else [])]


def _title(transcript: Transcript) -> str:
    origin = transcript.origin
    name = origin.name if origin else str(transcript.path or "transcript")
    calls = f", {len(origin.sent):,} model calls" if origin else ""
    return f"{line(name)}: {len(transcript):,} messages{calls}"


def _roles(messages: Iterable[Message]) -> str:
    counts: Counter[str] = Counter()
    for message in messages:
        role = "summary" if meta_of(message).get("source") == "summary" else str(message.get("role"))
        counts[_ROLES.get(role, role)] += 1
    return ", ".join(f"{n:,} {role}" for role, n in counts.items())


def _parts(transcript: Transcript) -> list[Part]:
    origin = transcript.origin
    if origin is None:
        return []
    compacted = [(str(n), *_compaction(one, origin)) for n, one in enumerate(origin.compactions[:MOST_ROWS])]
    agents = [_child(n, child) for n, child in enumerate(origin.children[:MOST_ROWS])]
    found = [
        Part("compactions in the file", _COMPACTION, compacted, len(origin.compactions) - len(compacted)),
        Part("sub-agents in the file", _AGENT, agents, len(origin.children) - len(agents)),
    ]
    return [
        part._replace(title=f"{len(part.rows) + part.left_out:,} {part.title}") for part in found if part.rows
    ]


def _compaction(one: Compacted, origin: Origin) -> tuple[str, ...]:
    first = next((n for n, call in enumerate(origin.sent, 1) if call.before >= one.at), None)
    count = sum(last - first + 1 for first, last in one.covers)
    spans = ", ".join(f"{a}–{b}" if b > a else str(a) for a, b in one.covers[:4])
    more = "…" if len(one.covers) > 4 else ""
    return (
        "none after it" if first is None else f"{first:,}",
        f"{count:,} messages: {spans}{more}",
        "" if one.tokens_before is None else f"{one.tokens_before:,}",
        line(one.text, 160) or "nothing: they were taken back",
    )


def _child(at: int, child: Transcript) -> tuple[str, ...]:
    origin = child.origin
    calls = f"{len(origin.sent):,}" if origin else ""
    return f"origin.children[{at}]", f"{len(child):,}", calls, line(origin.title if origin else "", 80)


def _more(part: Part) -> str:
    return f"… and {part.left_out:,} more, in .origin" if part.left_out else ""


def _damage(transcript: Transcript) -> list[str]:
    told = [line(text) for text in transcript.notices[:MOST_NOTICES]]
    more = len(transcript.notices) - len(told)
    return [*told, *([f"… and {more:,} notices more: .notices"] if more else [])]


def facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Pairs of a name and a text as a table."""
    rows = "".join(
        f"<tr><th style='{_LEFT};white-space:nowrap'>{html.escape(name)}</th>"
        f"<td style='{_LEFT};overflow-wrap:anywhere'><bdi>{html.escape(line(text))}</bdi></td></tr>"
        for name, text in facts
    )
    return f"<table>{rows}</table>"


def notes_html(notes: Iterable[str]) -> str:
    """What a reader must not miss, a line each."""
    style = "border-left:3px solid #c8553d;padding-left:8px;margin:2px 0;overflow-wrap:anywhere"
    return "".join(f"<p style='{style}'><bdi>{html.escape(text)}</bdi></p>" for text in notes)


def grid_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a header, as plain text.

    >>> print(grid_text(("a", "b"), [("1", "two")]))
    a  b
    1  two
    """
    listed = [header, *rows]
    widths = [max(len(row[at]) for row in listed) for at in range(len(header))]
    return "\n".join(
        "  ".join(text.ljust(wide) for text, wide in zip(row, widths, strict=True)).rstrip() for row in listed
    )


def grid_html(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same for a notebook; every text is escaped."""
    head = "".join(f"<th style='{_LEFT};white-space:nowrap'>{html.escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>"
        + "".join(f"<td style='{_LEFT};overflow-wrap:anywhere'><bdi>{html.escape(t)}</bdi></td>" for t in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def line(text: str, limit_chars: int = LINE_CHARS) -> str:
    r"""The text on one line, without known secrets, characters that act spelt out, cut where it is long.

    >>> line("one\ntwo\x1b[31m")
    'one\\ntwo\\x1b[31m'
    """
    struck = KNOWN.struck(text)
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in struck[:limit_chars])
    return shown + ("…" if len(struck) > limit_chars else "")

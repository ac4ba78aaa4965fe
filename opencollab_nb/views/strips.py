"""A request as a strip, drawn over the transcript it was made from: what of it is sent, and in which form.

All strips of one table stand on one scale, the tokens of the transcript: what was left out stays in its
place and is empty, so two strips can be compared column by column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from opencollab_nb.messages import Messages, meta_of
from opencollab_nb.request import Request
from opencollab_nb.views.sent import Sent, fates
from opencollab_nb.views.text import escaped

COLUMNS = 64
SHORTENED = ("capped", "cleared", "rewritten", "offloaded")
GONE = ("snipped", "summarized")
KINDS = {
    "system": ("s", "#8a929c"),
    "task": ("t", "#0072b2"),
    "user": ("u", "#56b4e9"),
    "assistant": ("a", "#009e73"),
    "tool": ("r", "#e69f00"),
    "summary": ("=", "#cc79a7"),
}
"""Letter and colour, the panel's, of each kind of message."""
LEGEND = "s system  t task  u user  a assistant  r tool result  : shortened  = summarized  · left out"
_HATCH = "repeating-linear-gradient(45deg,{0} 0 2px,transparent 2px 5px)"


@dataclass(frozen=True)
class Strip:
    """One request over its transcript."""

    name: str
    sent: Sequence[Sent]
    tokens: int
    """Of the whole request, what is in no message included."""

    @classmethod
    def of(
        cls, name: str, messages: Messages, stored: Messages, weigh: Callable[[Any], int], tokens: int
    ) -> Strip:
        """The strip of a request with these messages."""
        return cls(name, fates(Request(messages), stored, weigh), tokens)

    @property
    def counts(self) -> Counter[str]:
        """How many messages of the transcript are in each state."""
        return Counter(s.state for s in self.sent if s.original is not None)

    def text(self) -> str:
        """The strip as letters; a column is a share of the transcript's tokens.

        >>> talk = [{"role": "user", "content": "x" * 90, "meta": {"id": n}} for n in range(2)]
        >>> Strip.of("sent", talk[1:], talk, lambda m: 30, 30).text() == "·" * 32 + "u" * 32
        True
        """
        cells = [(s.stored_tokens, _letter(s)) for s in self.sent if s.original is not None]
        total = sum(tokens for tokens, _ in cells) or 1
        line, upto = "", 0
        for tokens, letter in cells:
            upto += tokens
            line += letter * (round(COLUMNS * upto / total) - len(line))
        return line

    def html(self) -> str:
        """The strip as one row of cells; runs of one kind and state are one cell."""
        stored = [s for s in self.sent if s.original is not None]
        total = sum(s.stored_tokens for s in stored) or 1
        cells = []
        for (kind, state), run in groupby(stored, key=lambda s: (kind_of(s), _form(s))):
            members = list(run)
            width = 100 * sum(s.stored_tokens for s in members) / total
            sent = sum(s.sent_tokens for s in members)
            ids = f"{members[0].id}" + (f"–{members[-1].id}" if len(members) > 1 else "")
            told = escaped(f"{ids} {kind}, {state}, {sent:,} tokens sent")
            cells.append(f'<i title="{told}" style="width:{width:.2f}%;{_look(kind, state)}"></i>')
        return (
            '<span style="display:flex;height:16px;min-width:6em;border:1px solid currentColor">'
            f"{''.join(cells)}</span>"
        )


def kind_of(sent: Sent) -> str:
    """The kind of a message, as the strips tell them apart."""
    message = sent.shown
    role, source = str(message.get("role")), meta_of(message).get("source")
    if role == "developer":
        return "system"
    return "task" if role == "user" and source == "task" else role if role in KINDS else "user"


def _form(sent: Sent) -> str:
    return "shortened" if sent.state in SHORTENED else sent.state


def _letter(sent: Sent) -> str:
    if sent.state in SHORTENED:
        return ":"
    return {"snipped": "·", "summarized": "="}.get(sent.state) or KINDS[kind_of(sent)][0]


def _look(kind: str, state: str) -> str:
    colour = KINDS["summary" if state == "summarized" else kind][1]
    if state == "verbatim":
        return f"background:{colour}"
    return "" if state == "snipped" else f"background:{_HATCH.format(colour)}"


def strips_text(strips: Sequence[Strip]) -> str:
    """Strips under one another, the tokens of each request beside it, and what the letters mean."""
    wide = max(len(strip.name) for strip in strips)
    lines = [f"{s.name:<{wide}} |{s.text()}| {s.tokens:>9,} tokens" for s in strips]
    return "\n".join([*lines, f"{'':<{wide}}  {LEGEND}"])


def strips_html(strips: Sequence[Strip]) -> str:
    """The same for a notebook."""
    rows = "".join(
        f"<b style='white-space:nowrap'>{escaped(s.name)}</b>{s.html()}"
        f"<span style='text-align:right;white-space:nowrap'>{s.tokens:,} tokens</span>"
        for s in strips
    )
    # A grid, for JupyterLab gives the columns of a table fixed widths of its own.
    grid = "display:grid;grid-template-columns:max-content 1fr max-content;gap:4px 10px;align-items:center"
    box = "display:inline-block;width:1em;height:.8em;border:1px solid currentColor"
    swatch = f'<i style="{box};{{0}}"></i> {{1}} &nbsp;'
    kinds = "".join(
        swatch.format(f"background:{colour}", escaped(name))
        for name, (_, colour) in KINDS.items()
        if name != "summary"
    )
    forms = (
        swatch.format(_look("tool", "shortened"), "shortened")
        + swatch.format(_look("tool", "summarized"), "summarized")
        + swatch.format("", "left out")
    )
    return f'<div style="{grid}">{rows}</div><p>{kinds}{forms}</p>'

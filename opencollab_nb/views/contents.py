"""Views of messages: what the next request holds, one message beside its original, the transcript."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import id_of, meta_of
from opencollab_nb.transcript import Transcript
from opencollab_nb.views.results import Shown
from opencollab_nb.views.sent import Sent, content_of, fates
from opencollab_nb.views.tables import MOST_ROWS, Table, bounded
from opencollab_nb.views.text import ends, escaped, head

GONE = ("snipped", "summarized")
MOST_SHOWN_CHARS = 6_000
"""Of one message; the rest is reached from Python."""


@dataclass(frozen=True, repr=False)
class ContextTable(Shown):
    """What is in the next request, and what of the transcript is not."""

    sent: Sequence[Sent]
    source: str
    """How the tokens were got: counted, calibrated or estimated."""
    overhead_tokens: int = 0
    """Of the tool schemas and framing, sent besides."""
    what: str = "the next request"

    @classmethod
    def of(cls, source: Any, step: int | None = None) -> ContextTable:
        """The next request of a session, or the one of a step; the same of a loaded transcript."""
        if isinstance(source, Transcript):
            from opencollab_nb.views.loaded import context_of

            return context_of(source, step)
        pressure, stored, what = source.pressure.snapshot(), source.transcript.messages, cls.what
        if step is None:
            request = source.request()
        else:
            moment = source.at(step)
            request, stored = moment.request, stored[: moment.stored]
            what = f"the request of step {step:,}"
        sent = fates(request, stored, lambda m: pressure.weight([m]))
        return cls(sent, source.pressure.source, pressure.overhead_tokens, what)

    @property
    def counts(self) -> Counter[str]:
        """How many messages are in each state."""
        return Counter(s.state for s in self.sent)

    def table(self) -> Table:
        """A row a message; a run of messages that were left out is one row."""
        rows = _folded(self.sent)
        first, left_out, last = bounded(rows)
        shown = [
            *first,
            *([("…", "", "", f"{left_out} rows left out", None, None, "")] if left_out else []),
            *last,
        ]
        total = sum(s.sent_tokens for s in self.sent)
        stored = sum(s.stored_tokens for s in self.sent)
        inside = sum(s.message is not None for s in self.sent)
        kept = sum(s.original is not None for s in self.sent)
        title = (
            f"{self.what}: {inside} messages, {total:,} tokens ({self.source}), "
            f"and {self.overhead_tokens:,} of tools and framing; "
            f"stored: {kept} messages, {stored:,} tokens"
        )
        counts = ", ".join(f"{n} {state}" for state, n in self.counts.most_common())
        notes = [counts, "%oc context ID shows one message as sent beside what is stored"]
        return Table(("id", "role", "source", "state", "sent", "stored", "begins"), shown, title, notes)


def _folded(sent: Sequence[Sent]) -> list[tuple[object, ...]]:
    """One row a message; a run of messages that were left out is one row."""
    rows: list[tuple[object, ...]] = []
    at = 0
    while at < len(sent):
        one = sent[at]
        end = at + 1
        if one.state in GONE:
            while end < len(sent) and sent[end].state == one.state:
                end += 1
        if end - at > 1:
            stored = sum(s.stored_tokens for s in sent[at:end])
            ids = f"{one.id}–{sent[end - 1].id}"
            rows.append((ids, "", "", one.state, 0, stored, f"{end - at} messages, all in the transcript"))
        else:
            message = one.shown
            row_id = "" if one.id is None else str(one.id)
            tokens = (one.sent_tokens, one.stored_tokens)
            rows.append(
                (row_id, message.get("role"), one.source, one.state, *tokens, head(content_of(message)))
            )
        at = end
    return rows


@dataclass(frozen=True, repr=False)
class MessageView:
    """One message as it would be sent now, beside what is stored."""

    sent: Sent

    @classmethod
    def of(cls, source: Any, number: int) -> MessageView:
        """The message with this id, of a session's next request or of a table.

        Raises:
            UsageProblem: there is no such message.
        """
        everything = (source if isinstance(source, ContextTable) else ContextTable.of(source)).sent
        found = next((s for s in everything if s.id == number), None)
        if found is None:
            ids = [s.id for s in everything if s.id is not None]
            known = f"ids run from {ids[0]} to {ids[-1]}" if ids else "the transcript is empty"
            raise UsageProblem(f"no message {number}: {known}")
        return cls(found)

    def _texts(self) -> tuple[str, str]:
        where = f"session.transcript.messages[{self.sent.id}]"
        stored = ends(content_of(self.sent.original), MOST_SHOWN_CHARS, where)
        if self.sent.message is None:
            return f"[not sent: {self.sent.state}]", stored
        return ends(content_of(self.sent.message), MOST_SHOWN_CHARS, "in session.request().messages"), stored

    def _title(self) -> str:
        s = self.sent
        return f"message {s.id}, {s.shown.get('role')}, {s.state}"

    def __repr__(self) -> str:
        sent, stored = self._texts()
        s = self.sent
        return (
            f"{self._title()}\n--- sent ({s.sent_tokens:,} tokens)\n{sent}\n"
            f"--- stored ({s.stored_tokens:,} tokens)\n{stored}"
        )

    def _repr_html_(self) -> str:
        heads = (f"sent ({self.sent.sent_tokens:,} tokens)", f"stored ({self.sent.stored_tokens:,} tokens)")
        left = "vertical-align:top;text-align:left"
        style = f"{left};white-space:pre-wrap;font-family:monospace"
        cell = f"<td style='{style}'><div style='max-height:24em;overflow:auto'><bdi>{{}}</bdi></div></td>"
        head_row = "".join(f"<th style='{left}'>{escaped(h)}</th>" for h in heads)
        return (
            "<table class='mathjax_ignore tex2jax_ignore'>"
            f"<caption style='text-align:left'>{escaped(self._title())}</caption>"
            f"<thead><tr>{head_row}</tr></thead>"
            f"<tbody><tr>{''.join(cell.format(escaped(t)) for t in self._texts())}</tr></tbody></table>"
        )


@dataclass(frozen=True, repr=False)
class TranscriptTable(Shown):
    """The transcript: complete, as it is stored."""

    messages: Sequence[Any]
    path: str = ""

    @classmethod
    def of(cls, source: Any) -> TranscriptTable:
        """A session's transcript as it is now, or one that was loaded."""
        transcript = source if isinstance(source, Transcript) else source.transcript
        origin = transcript.origin
        return cls(tuple(transcript.messages), origin.path if origin else str(source.path or ""))

    def table(self) -> Table:
        """A row a message, of a long transcript the first and the last."""
        first, left_out, last = bounded(self.messages, MOST_ROWS)
        gap = [("…", None, "", "", None, f"{left_out:,} messages left out of this view")] if left_out else []
        rows = [*map(_entry, first), *gap, *map(_entry, last)]
        notes = [f"in Python: session.transcript.messages; on disk: {self.path}"] if self.path else []
        title = f"the transcript: {len(self.messages):,} messages"
        return Table(("id", "step", "role", "source", "chars", "begins"), rows, title, notes)


def _entry(message: Any) -> tuple[object, ...]:
    meta, text = meta_of(message), content_of(message)
    number = id_of(message)
    shown_id = "" if number is None else str(number)
    return shown_id, meta.get("step"), message.get("role"), meta.get("source"), len(text), head(text)

"""What is known of a transcript that somebody else's agent wrote, beside its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript.shown import facts_html, line

if TYPE_CHECKING:
    from opencollab_nb.transcript.store import Transcript


@dataclass(frozen=True)
class Sent:
    """One model call that the file tells of."""

    before: int
    """How many messages stood in the transcript when it was made: those with ids below this."""
    reply: int | None
    """The id of the message it gave; None where none was kept."""
    usage: Usage | None = None
    """What the provider reported for it, the cached input included; None where nothing is reported."""
    model: str | None = None
    """The model that answered, as the file names it."""


@dataclass(frozen=True)
class Compacted:
    """A place where the original agent put a summary in place of earlier messages.

    The transcript stays complete: what was replaced is in it, the summary's text stands only here.
    """

    at: int
    """It holds for every request made when at least this many messages stood in the transcript."""
    covers: list[list[int]]
    """Closed ranges of the ids that were replaced."""
    text: str
    """What stood in their place; empty where nothing did, as when a user took turns back."""
    tokens_before: int | None = None
    """Input tokens before it, as the file reports them."""


@dataclass(frozen=True)
class Origin:
    """Where a transcript was imported from, what its file held, and what it cannot tell."""

    format: str
    """The name of the format it was read as."""
    path: str
    """The file."""
    name: str
    """What tells this transcript from others: the file's name, with a number where it holds several."""
    sent: tuple[Sent, ...] = ()
    """Every model call of the file, in order."""
    compactions: tuple[Compacted, ...] = ()
    """Summaries that replaced messages, in order."""
    read: int = 0
    """Records read: lines, events or messages, whatever the format is made of."""
    used: int = 0
    """Records that became part of the transcript."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Records that did not, by kind: `read == used + sum(skipped.values())`."""
    unknown: tuple[str, ...] = ()
    """What the model saw and the file does not tell, such as `system prompt` and `tool schemas`."""
    constant_tokens: int | None = None
    """The part of every request that the file does not show, estimated from reported usage; None without."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Tool schemas, where the file holds them."""
    window: int | None = None
    """The context window in tokens, where the file tells it."""
    children: tuple[Transcript, ...] = ()
    """Transcripts of sub-agents."""
    outcome: str | None = None
    """How it ended, in the file's words."""
    title: str = ""
    """What it was about, in the file's words or those of its first user message."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that answered, each once, in order."""
        return tuple(dict.fromkeys(call.model for call in self.sent if call.model))

    @property
    def usage(self) -> Usage | None:
        """All reported usage together; None where none is reported."""
        found = [call.usage for call in self.sent if call.usage]
        if not found:
            return None
        return Usage(
            sum(u.input_tokens for u in found),
            sum(u.cached_input_tokens for u in found),
            sum(u.output_tokens for u in found),
            sum(u.reasoning_tokens for u in found),
        )

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, as pairs of a name and a text."""
        skipped = ", ".join(f"{n:,} {kind}" for kind, n in self.skipped.items())
        reported = sum(call.usage is not None for call in self.sent)
        peak = max((call.usage.input_tokens for call in self.sent if call.usage), default=0)
        total = self.usage
        pairs = [
            ("format", self.format),
            ("file", self.path),
            ("title", self.title),
            ("models", ", ".join(self.models)),
            (
                "records",
                f"{self.read:,} read, {self.used:,} used" + (f"; skipped: {skipped}" if skipped else ""),
            ),
            ("model calls", f"{len(self.sent):,}, usage reported for {reported:,}"),
            (
                "tokens",
                ""
                if total is None
                else f"{total.input_tokens:,} input in all ({total.cached_input_tokens:,} "
                f"cached), {total.output_tokens:,} output; largest request {peak:,}",
            ),
            ("window", f"{self.window:,} tokens" if self.window else ""),
            ("compactions", f"{len(self.compactions):,} in the file" if self.compactions else ""),
            ("sub-agents", f"{len(self.children):,}" if self.children else ""),
            ("not in the file", ", ".join(self.unknown)),
            (
                "constant part",
                ""
                if self.constant_tokens is None
                else f"about {self.constant_tokens:,} tokens of every request, estimated from usage",
            ),
            ("outcome", self.outcome or ""),
        ]
        return [(name, text) for name, text in pairs if text]

    def __repr__(self) -> str:
        lines = [f"Origin of {line(self.name)}"]
        return "\n".join([*lines, *(f"  {name}: {line(text)}" for name, text in self.facts())])

    def _repr_html_(self) -> str:
        return f"<div class='mathjax_ignore tex2jax_ignore'>{facts_html(self.facts())}</div>"

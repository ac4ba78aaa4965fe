"""The record behind an audit: what was sent at a step, and the proof that nothing of it is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from opencollab_nb.budget.recorded import Event, requests_sent
from opencollab_nb.budget.tabular import cell
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, text_of, wire

_NAMED = 20


class Context(list[Message]):
    """The messages of one request as they were sent; a list that knows what they were made of."""

    def __init__(self, sent: Messages, *, step: int, tokens: int, originals: Messages) -> None:
        """The wire form of `sent`, beside `originals`.

        Args:
            sent: with `meta`.
            step: at which it was sent.
            tokens: of the request, as they were known then.
            originals: the transcript of that moment, in full.
        """
        super().__init__(wire(message) for message in sent)  # type: ignore[misc]
        self.step, self.tokens, self.originals = step, tokens, originals

    def __repr__(self) -> str:
        head = f"step {self.step}: {len(self)} messages sent, {self.tokens:,} tokens; "
        lines = [f"  {m.get('role', '')}: {cell(text_of(m)[:160])}" for m in self]
        return "\n".join([f"{head}{len(self.originals)} in the transcript", *lines])

    def _repr_html_(self) -> str:
        head, *lines = repr(self).split("\n")
        rows = "".join(f"<li>{escape(line.strip())}</li>" for line in lines)
        return f"<div><b>{escape(head)}</b><ol start='0'>{rows}</ol></div>"


@dataclass(frozen=True)
class Verified:
    """The outcome of a proof; true where nothing is missing."""

    originals: int
    """Messages that left a request, were shortened or are covered, or hold an anchor."""
    requests: int
    """Requests that were built again from the disk."""
    anchors: int
    """Anchors that were looked for in each of them."""
    problems: tuple[str, ...] = field(default=())
    """What failed, a sentence each."""

    def __bool__(self) -> bool:
        return not self.problems

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        head, *rest = self._lines()
        rows = "".join(f"<li>{escape(cell(line.strip()))}</li>" for line in rest)
        return f"<div><b>{escape(head)}</b><ul>{rows}</ul></div>"

    def _lines(self) -> list[str]:
        told = f"{self.originals:,} originals, {self.requests:,} requests, {self.anchors:,} anchors"
        if self:
            return [f"Verified: {told}; every original is on the disk, every anchor stood in every request"]
        more = len(self.problems) - _NAMED
        shown = [f"  {problem}" for problem in self.problems[:_NAMED]]
        return [f"Not verified: {told}", *shown, *([f"  and {more:,} more"] if more > 0 else [])]


@dataclass(frozen=True)
class Trail:
    """Events and messages of a run, and where they lie."""

    events: tuple[Event, ...] = field(repr=False)
    messages: Messages = field(repr=False)
    folder: Path | None = None

    def replay(self, step: int) -> Context:
        """What was sent at a step, the last time where it was sent several times.

        Raises:
            UsageProblem: (a ValueError) no request was sent at this step.
        """
        found = None
        for sent in requests_sent(self.events, self.messages):
            if sent.step == step:
                found = sent
        if found is None:
            steps = [e["step"] for e in self.events if e["kind"] == "request"]
            known = f"requests were sent at steps {steps[0]} to {steps[-1]}" if steps else "none was sent yet"
            raise UsageProblem(f"no request was sent at step {step!r}; {known}")
        event = found.event
        originals = self.messages[: event["stored"]]
        return Context(found.messages, step=found.step, tokens=event["tokens"], originals=originals)

    def verify(self) -> Verified:
        """Read all originals back from the disk, and look for the anchors in every request."""
        from opencollab_nb.budget.proof import proven

        return Verified(**proven(self.events, self.messages, self.folder))

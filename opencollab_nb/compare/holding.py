"""Which facts a request holds, word for word, in a summary, or behind a pointer: bit sets, one bit a fact."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from opencollab_nb.compare.probes import Facts, Probe, Probes, facts_of
from opencollab_nb.compare.requests import Asked
from opencollab_nb.compare.subject import Subject
from opencollab_nb.messages import Message, Messages, covers_of, id_of


class Held(NamedTuple):
    """The facts that had been said when a request was made, each in one of four sets."""

    verbatim: int
    """Stands in a message of the request."""
    summary: int
    """Stands in a summary only."""
    pointer: int
    """Stood in a result that is in the request, shortened, with the call that brings it again."""
    gone: int


class Holding:
    """Asked for the requests of one chain in order; what a message says is read once, for all chains.

    >>> from opencollab_nb.compare.probes import probes_of
    >>> from opencollab_nb.compare.subject import of_messages
    >>> talk = [{"role": "user", "content": "Never touch setup.py"}, {"role": "assistant", "content": "No."}]
    >>> subject = of_messages(talk)
    >>> holding = Holding(subject, probes_of(subject))
    >>> holding.of(subject.messages[:1], 0, 1).verbatim.bit_count()
    1
    """

    def __init__(self, subject: Subject, probes: Probes) -> None:
        self.probes = probes
        self._messages = subject.messages
        self._bits = _Bits(probes.all)
        # Both tables hold their messages, else an id could come back for another one.
        self._known = {id(m): self._bits.of(f) for m, f in zip(subject.messages, probes.facts, strict=True)}
        self._original = {id_of(message): message for message in subject.messages}
        self._born = [probe.born for probe in probes.all]
        self.restart()

    def restart(self) -> None:
        """Another chain, from its first request on; a copy started anew shares nothing that changes."""
        self._made: dict[int, tuple[Message, int]] = {}
        self._so_far: list[tuple[int, int, int]] = [(0, 0, 0)]

    def said(self, stored: int) -> int:
        """How many of the facts stand in the first messages of the transcript; they are the first ones."""
        return bisect_left(self._born, stored)

    def of(self, sent: Messages, common: int, stored: int) -> Held:
        """Where the facts are that had been said.

        Args:
            sent: the messages of the request.
            common: how many at its beginning are those of the request before.
            stored: how many messages the transcript had.
        """
        so_far = self._so_far[: common + 1]
        verbatim, summary, pointer = so_far[-1]
        for message in sent[common:]:
            holds = self._held_by(message)
            if covers_of(message):
                summary |= holds
            else:
                verbatim |= holds
                pointer |= self._behind(message)
            so_far.append((verbatim, summary, pointer))
        self._so_far = so_far
        alive = (1 << self.said(stored)) - 1
        verbatim &= alive
        summary &= alive & ~verbatim
        pointer &= alive & ~verbatim & ~summary
        return Held(verbatim, summary, pointer, alive & ~verbatim & ~summary & ~pointer)

    def _held_by(self, message: Message) -> int:
        known = self._known.get(id(message))
        if known is not None:
            return known
        if id(message) not in self._made:
            self._made[id(message)] = message, self._bits.of(facts_of(message))
        return self._made[id(message)][1]

    def _behind(self, message: Message) -> int:
        """What stood in a result before it was shortened."""
        if message.get("role") != "tool" or id(message) in self._known:
            return 0
        original = self._original.get(id_of(message))
        return 0 if original is None else self._known[id(original)]


class _Bits:
    """From what a message says to the set of facts in it."""

    def __init__(self, probes: Iterable[Probe]) -> None:
        self._words: dict[str, int] = {}
        self._sentences: list[tuple[str, int]] = []
        for place, probe in enumerate(probes):
            if probe.kind in ("path", "number"):
                self._words[probe.text] = self._words.get(probe.text, 0) | 1 << place
            else:
                self._sentences.append((probe.text, 1 << place))

    def of(self, facts: Facts) -> int:
        """The set."""
        found = 0
        for word in facts.words:
            found |= self._words.get(word, 0)
        for text, bit in self._sentences:
            if text in facts.text:
                found |= bit
        return found


def bits_of(places: Iterable[int]) -> int:
    """The set of these places.

    >>> bits_of([0, 2])
    5
    """
    found = 0
    for place in places:
        found |= 1 << place
    return found


def held_at(holding: Holding, asked: Asked) -> Held:
    """Where the facts are in one request."""
    return holding.of(asked.projected.messages, asked.common, asked.call.stored)

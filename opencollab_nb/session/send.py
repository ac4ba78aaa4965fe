"""Sending a request, and what is tried when the provider refuses it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from opencollab_nb.errors import MalformedHistory, Overflow
from opencollab_nb.messages import text_of
from opencollab_nb.models import Reply
from opencollab_nb.models.asking import reply_of
from opencollab_nb.models.starved import odd, says_nothing, starved
from opencollab_nb.pressure.limits import LEAST_WINDOW_TOKENS
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.accounts import overflow_cause
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.ends import FAULT, GO_ON, OVERFLOW, Ended
from opencollab_nb.session.next_request import Prepared
from opencollab_nb.shaping import groups
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage

WORTH_SHORTENING_TOKENS = 4_000
"""A request below this is not what an empty answer comes from."""
LEAST_REPLY_TOKENS = 256
"""A reply limit below this is no help: the agent could not say anything."""


@dataclass(frozen=True)
class Sent:
    """A request that was answered."""

    prepared: Prepared
    reply: Reply
    seconds: float


class Sending:
    """One step's request: at most one repair, one lowered reply limit and one forced pass, in that order."""

    def __init__(self, bench: Bench, ticket: Ticket) -> None:
        self.bench, self.ticket = bench, ticket
        self._tried: set[str] = set()

    def send(self, prepared: Prepared) -> Sent:
        """The reply to the request, or to what became of it.

        Raises:
            Ended: no request could be sent that the provider takes, or a limit forbids to try again.
        """
        while True:
            try:
                sent = self._call(prepared)
                again = self._after_nothing(sent)
                if again is None:
                    return sent
                prepared = again
            except MalformedHistory as refusal:
                prepared = self._repaired(prepared, refusal)
            except Overflow as refusal:
                prepared = self._shortened(prepared, refusal)

    def _call(self, prepared: Prepared) -> Sent:
        bench = self.bench
        with bench.lock:
            self.ticket.check()
            bench.ledger.flying = ("step", prepared.tokens)
        bench.tell()
        begun = time.perf_counter()
        try:
            reply = reply_of(bench.model, prepared.request, self.ticket)
        except Exception as problem:
            KNOWN.strike_error(problem)
            with bench.lock:
                self.ticket.check()
                bench.ledger.flying = None
            raise
        if odd(reply):
            full = starved(reply, prepared.tokens, bench.pressure.window)
            if full is not None:
                raise full
        return Sent(prepared, reply, time.perf_counter() - begun)

    def _after_nothing(self, sent: Sent) -> Prepared | None:
        """A shorter request for a model that said nothing twice in a row; None for any other reply."""
        bench, prepared = self.bench, sent.prepared
        asked = bench.transcript.stored[-1] if len(bench.transcript) else {}
        again = says_nothing(sent.reply) and text_of(asked) == GO_ON["empty"]
        if not again or prepared.tokens < WORTH_SHORTENING_TOKENS or not self._first("force"):
            return None
        forced = bench.next.forced(prepared, self.ticket)
        if forced is not None:
            with bench.lock:
                self.ticket.check()
                bench.notice(
                    "the model said nothing twice in a row: it is asked again with a shorter request"
                )
            self._booked(sent.reply.usage)
        return forced

    def _booked(self, usage: object) -> None:
        """What an answer had cost that is not used."""
        if isinstance(usage, Usage) and usage.input_tokens > 0:
            with self.bench.lock:
                self.ticket.check()
                self.bench.book("step", usage, reported=True)
                self.bench.check_budget()

    def _repaired(self, prepared: Prepared, refusal: MalformedHistory) -> Prepared:
        repaired = self.bench.next.repaired(prepared, self.ticket) if self._first("repair") else None
        if repaired is None:
            raise Ended(
                FAULT, f"the provider refused the form of the history: {refusal}", refusal
            ) from refusal
        return repaired

    def _shortened(self, prepared: Prepared, refusal: Overflow) -> Prepared:
        bench = self.bench
        self._booked(refusal.usage)
        with bench.lock:
            self.ticket.check()
            self._learn(refusal.window)
        limit = self._lower_limit(prepared, refusal)
        if limit is not None and self._first("limit"):
            return bench.next.limited(prepared, limit, self.ticket)
        forced = bench.next.forced(prepared, self.ticket) if self._first("force") else None
        if forced is None:
            raise self._overflown(prepared, refusal) from refusal
        return forced

    def _learn(self, window: int | None) -> None:
        bench = self.bench
        if window is None or window == bench.pressure.window or window < LEAST_WINDOW_TOKENS:
            return
        bench.pressure.learn(window)
        text = f"the provider named a context window of {window:,} tokens; it holds from now on"
        bench.notice(text, weights_changed=True)

    def _lower_limit(self, prepared: Prepared, refusal: Overflow) -> int | None:
        """The reply limit that would have made this very input fit, if that alone is what was wrong."""
        window = self.bench.pressure.window
        asked = prepared.request.max_output_tokens or refusal.output_tokens
        if asked is None:
            return None
        if refusal.counts_the_reply and refusal.window is None:
            lower = max(LEAST_REPLY_TOKENS, asked // 8)  # no numbers: low enough to tell whether that was it
            return lower if lower < asked else None
        if window is None:
            return None
        room = window - (refusal.input_tokens or prepared.tokens)
        return room if LEAST_REPLY_TOKENS <= room < asked else None

    def _overflown(self, prepared: Prepared, refusal: Overflow) -> Ended:
        pressure = self.bench.pressure.snapshot()
        view = list(prepared.request.view)
        newest = [message for group in list(groups(view))[-1:] for message in group.messages]
        layers = [e for e in self.bench.trace.of("session.history_compaction") if e["problem"]]
        skipped = [f"{e['layer']}: {e['problem']}" for e in layers if e["step"] == self.bench.number]
        cause = overflow_cause(view, pressure, newest, skipped)
        return Ended(OVERFLOW, f"{cause} (the provider refused the request as too long: {refusal})", refusal)

    def _first(self, remedy: str) -> bool:
        new = remedy not in self._tried
        self._tried.add(remedy)
        return new

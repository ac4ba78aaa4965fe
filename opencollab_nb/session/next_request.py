"""The next request: made once, when a step or the user asks for it, and kept until it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import Message, Messages, ranges
from opencollab_nb.pressure import Pressure
from opencollab_nb.pressure.limits import reply_limit
from opencollab_nb.request import Request
from opencollab_nb.session.accounts import by_category
from opencollab_nb.session.chain_spec import lacks_shapers
from opencollab_nb.session.ends import SHAPER, Ended
from opencollab_nb.session.replay import replayed, stateless_record, view_now
from opencollab_nb.session.tail import reason_of, tail_of
from opencollab_nb.shaping import LayerReport, Projection, ShaperPipeline, name_of, prefix_kept
from opencollab_nb.shaping.summary import version_of
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.weights import Weights
from opencollab_nb.transcript import repair

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench


@dataclass(frozen=True)
class Prepared:
    """A request and what is written about it when it is sent."""

    request: Request
    tokens: int
    """Input tokens, the tail included."""
    pressure: Pressure
    record: dict[str, Any] | None
    """How the view changed besides growing."""
    previewed: bool = False
    """True once the record is in a `preview` event."""
    repaired: bool = False
    """True where the view was repaired for a provider that had refused its form."""
    faults: tuple[str, ...] = ()
    """Layers whose code failed, each with what went wrong; they were skipped."""


class NextRequest:
    """Projects the transcript and writes down what that did.

    The projection can be built again from the trace at any time: after a change of the chain, and
    whenever making a request was cut off, so that no half-made view is ever used.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._projection: Projection | None = None
        self._kept: Prepared | None = None
        self.last_sent: Messages = []
        """The messages of the last request, for measuring what the next one shares with it."""
        self._estimates = Weights()
        self.repairing = False
        """True once a provider has refused the form of the history: all later requests are repaired."""

    def preview(self, ticket: Ticket) -> Request:
        """The next request, without sending it. A later step sends this very one, if nothing changed."""
        prepared = self._kept
        if prepared is None and lacks_shapers(self._bench.missing):
            return self.unshaped().request
        if prepared is None:
            prepared = self._made(ticket, self._bench.pressure.snapshot())
            with self._bench.lock:
                ticket.check()
                self._keep(prepared)
        return prepared.request

    def take(self, ticket: Ticket) -> Prepared:
        """The next request, written down as sent."""
        prepared = self._kept or self._made(ticket, self._bench.pressure.snapshot())
        self._mind(prepared, ticket)
        with self._bench.lock:
            ticket.check()
            try:
                self._bench.check_budget(prepared.tokens)  # making it may have cost a summary
            except Ended:
                self._keep(prepared)
                raise
        return self._sending(prepared, ticket)

    def forced(self, refused: Prepared, ticket: Ticket) -> Prepared | None:
        """The request after a forced pass; None where that removed nothing."""
        before = list(refused.request.view)
        pressure = self._bench.pressure.snapshot().after_refusal(before)
        prepared = self._made(ticket, pressure)
        self._mind(prepared, ticket)
        limit = refused.request.max_output_tokens
        same = prepared.request.messages == refused.request.messages
        if same and prepared.request.max_output_tokens == limit:
            with self._bench.lock:
                ticket.check()
                self.reset()
            return None
        return self._sending(prepared, ticket)

    def limited(self, refused: Prepared, max_output_tokens: int, ticket: Ticket) -> Prepared:
        """The same request with a lower limit for the reply."""
        request = replace(refused.request, max_output_tokens=max_output_tokens)
        return self._sending(replace(refused, request=request, record=None), ticket)

    def repaired(self, refused: Prepared, ticket: Ticket) -> Prepared | None:
        """The same request, repaired and in the strictest form; None where that changes nothing."""
        view, counts = repair(refused.request.view)
        request = replace(refused.request, view=view, strict=True)
        if refused.repaired or request.messages == refused.request.messages:
            return None
        with self._bench.lock:
            ticket.check()
            self.repairing = True
            told = ", ".join(f"{n} {kind}" for kind, n in counts.items()) or "its form made stricter"
            self._bench.notice(f"the provider refused the history; repaired in the request: {told}")
        return self._sending(replace(refused, request=request, record=None, repaired=True), ticket)

    def forget(self) -> None:
        """Do not send the request that was looked at: something changed since."""
        self._kept = None

    def cut_off(self) -> None:
        """Build the view again from the trace: making a request may have been left half done."""
        self._projection = None

    def reset(self) -> None:
        """Build the view again from the trace before the next use, and the request too."""
        self._kept = self._projection = None

    def hold(self, prepared: Prepared) -> None:
        """Let the next step send this one, unless something changes before."""
        self._kept = prepared

    def unshaped(self) -> Prepared:
        """The view as the records left it, with the messages since; no layer is asked."""
        bench = self._bench
        with bench.lock:
            view = self.projection().with_pins(view_now(bench.trace, bench.transcript.stored))
        pressure = bench.pressure.snapshot()
        return self._dressed(view, pressure.tokens(view), None, pressure)

    def projection(self) -> Projection:
        """The view's keeper; only under the lock."""
        if self._projection is None:
            self._projection = replayed(self._bench)
        return self._projection

    def _keep(self, prepared: Prepared) -> None:
        """Hold the request for its step; what it did to the view must outlive this process."""
        if prepared.record is not None and not prepared.previewed:
            self._written("preview", view=prepared.record, stored=len(self._bench.transcript))
            prepared = replace(prepared, previewed=True)
        self._kept = prepared

    def _made(self, ticket: Ticket, pressure: Pressure) -> Prepared:
        bench = self._bench
        with bench.lock:
            ticket.check()
            projection = self.projection()
            messages = bench.transcript.stored
            tail = tail_of(bench)
        try:
            projected = projection.project(messages, beside(tail, pressure))
            with bench.lock:
                ticket.check()
                for report in projected.reports:
                    self._note_layer(report, pressure)
        except BaseException:
            with bench.lock:
                if self._projection is projection:
                    self.reset()
            raise
        view, record = projected.messages, projected.record
        if projection.mode == "stateless":
            record = stateless_record(record, messages, view)
        faults = tuple(f"{r.layer}: {r.problem}" for r in projected.reports if r.fault)
        return replace(self._dressed(view, projected.tokens, record, pressure, tail), faults=faults)

    def _dressed(
        self,
        view: Messages,
        tokens: int,
        record: dict[str, Any] | None,
        pressure: Pressure,
        tail: Message | None = None,
    ) -> Prepared:
        """The view as a request, with tools and settings as they are now."""
        bench, repaired = self._bench, self.repairing
        if repaired:
            view, _ = repair(view)
            tokens = pressure.tokens(view)
        limit = bench.max_output_tokens
        request = Request(
            view,
            tail if reason_of(tail) else tail_of(bench),  # what was just removed may be why it is due
            tools=bench.tools,
            max_output_tokens=None if limit is None else reply_limit(bench.pressure.window, limit),
            strict=repaired,
            step=bench.transcript.committed + 1,
        )
        tokens = tokens if request.tail is None else pressure.tokens(request.shaped)
        return Prepared(request, tokens, pressure, record, repaired=repaired)

    def _sending(self, prepared: Prepared, ticket: Ticket) -> Prepared:
        bench, request, pressure = self._bench, prepared.request, prepared.pressure
        messages = request.shaped
        with bench.lock:
            ticket.check()
            self._kept = None
            if request.tail is not None and (reason := reason_of(request.tail)):
                tokens = pressure.weight([request.tail])
                self._written("restatement", reason=reason, tokens=tokens)
            self._written(
                "request",
                tokens=prepared.tokens,
                source=bench.pressure.source,
                window=bench.pressure.window,
                trigger=pressure.trigger,
                target=pressure.target,
                messages=len(messages),
                stored=len(bench.transcript),
                by_category=by_category(messages, pressure, prepared.tokens),
                prefix_kept_tokens=prefix_kept(self.last_sent, messages, weigh=self._estimates),
                view=prepared.record,
                previewed=prepared.previewed,
                tail=request.tail,
                forced=pressure.forced,
                repaired=prepared.repaired,
                max_output_tokens=request.max_output_tokens,
            )
            self.last_sent = messages
        bench.tell()
        return prepared

    def _mind(self, prepared: Prepared, ticket: Ticket) -> None:
        """Let a failing layer end the run, where the user asked for that."""
        bench = self._bench
        if not prepared.faults or bench.on_shaper_error != "pause":
            return
        with bench.lock:
            ticket.check()
            self.reset()
        raise Ended(SHAPER, f"{'; '.join(prepared.faults)}. Give another chain with use(...), or go on")

    def _written(self, kind: str, **facts: Any) -> None:
        try:
            self._bench.note(kind, **facts)
        except BaseException:
            self.reset()
            raise

    def _note_layer(self, report: LayerReport, pressure: Pressure) -> None:
        if not report.acted and report.problem is None:
            return
        summary = report.summary
        self._bench.note(
            "session.history_compaction",
            layer=report.layer,
            trigger=pressure.trigger,
            target=pressure.target,
            tokens_before=report.tokens_before,
            tokens_after=report.tokens_after,
            removed=ranges(report.dropped),
            rewritten=ranges(report.rewritten),
            covered=ranges(report.covered),
            summary=summary
            and {
                "tokens": summary.usage.output_tokens if summary.usage else None,
                "model": summary.model,
                "usage": summary.usage.to_dict() if summary.usage else None,
                "version": version_in(self.projection().pipeline, report.layer),
            },
            problem=report.problem,
            seconds=round(report.seconds, 4),
            forced=pressure.forced,
        )


def beside(tail: Message | None, pressure: Pressure) -> Pressure:
    """The pressure on a view that shares its request with this tail."""
    if tail is None:
        return pressure
    return replace(pressure, overhead_tokens=pressure.overhead_tokens + pressure.weight([tail]))


def version_in(chain: ShaperPipeline, layer: str) -> str | None:
    """The version of the summarizer that a layer of the chain asks."""
    held = (s for s in chain.shapers if name_of(s) == layer and getattr(s, "summarizer", None) is not None)
    asked: Any = next(held, None)
    return None if asked is None else version_of(getattr(asked.summarizer, "summarizer", asked.summarizer))

"""The requests of one transcript under one chain, a row each: plain data that any process can make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.budget.prices import Prices, prices_of
from opencollab_nb.compare.chains import name_for, trial_of
from opencollab_nb.compare.cost import Caching, caching_of
from opencollab_nb.compare.holding import Holding, bits_of, held_at
from opencollab_nb.compare.requests import Asked, prefix_tokens, requests_of
from opencollab_nb.compare.subject import Subject, one_subject
from opencollab_nb.compare.unmatched import unmatched
from opencollab_nb.compare.weighing import Weighing, reply_tokens, weighing_of
from opencollab_nb.messages import Message, Messages, covers_of, id_of, ranges, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projected
from opencollab_nb.tokens.usage import Usage


def rows_of(
    transcript: Any,
    chain: Any,
    *,
    mode: str = "sticky",
    window: int | None = None,
    model: str | None = None,
    prices: Any = None,
    caching: Caching | None = None,
    chain_name: str | None = None,
    weighing: Weighing | None = None,
    target_ratio: float | None = None,
    holding: Holding | None = None,
) -> list[dict[str, Any]]:
    """Every request of a transcript under a chain, one row each; see `COLUMNS` for what stands in it.

    Args:
        transcript: one; see `subjects_of`.
        chain: see `chains_of`.
        mode: `sticky` or `stateless`.
        window: context window in tokens; None for that of the transcript, or of its model.
        model: whose tokens, window and prices to take; None for those of the transcript.
        prices: see `prices_of`; None for those of the model.
        caching: of the provider; None for that of the model's.
        chain_name: in the rows; None for that of the policy or the shapers.
        weighing: what `weighing_of` gave for the same transcript, window and model, to do it once only.
        target_ratio: the share of the trigger to work down to; None for that of the chain.
        holding: `Holding(subject, probes_of(subject))` to count in each row what survives, as `facts`,
            `facts_verbatim`, `facts_in_summary`, `facts_by_pointer`, `facts_gone`, `needed`, `needed_gone`,
            `needed_by_pointer`: see `what_survives`, which tells the same by kind and age.

    Raises:
        UsageProblem: (a ValueError) several transcripts, or an argument that cannot be used.
    """
    subject = one_subject(transcript)
    tried = trial_of(chain, mode)
    if target_ratio is not None:
        tried = tried._replace(target_ratio=target_ratio)
    weighed = weighing or weighing_of(subject, window=window, model=model)
    price = prices_of(prices, model or subject.model)
    cache = caching or caching_of(model or subject.model, write_price=price.write if price else None)
    fixed = {
        "transcript": subject.name,
        "chain": chain_name or name_for(chain),
        "mode": mode,
        "model": model or subject.model,
    }
    sums, row_of = _Sums(), _RowMaker(subject, price, cache)
    if holding is not None:
        holding.restart()
    rows = [
        fixed | sums.added(row_of(asked)) | ({} if holding is None else _facts(holding, n, asked))
        for n, asked in enumerate(requests_of(subject, tried, weighed))
    ]
    idle = unmatched(subject, tried.chain)
    if idle and rows:
        rows[0]["problem"] = "; ".join(filter(None, (idle, rows[0]["problem"])))
    return rows


def _facts(holding: Holding, n: int, asked: Asked) -> dict[str, int]:
    """What survives, as counts."""
    held, needed = held_at(holding, asked), bits_of(holding.probes.used[n])
    parts = {
        "facts": sum(part.bit_count() for part in held),
        "facts_verbatim": held.verbatim.bit_count(),
        "facts_in_summary": held.summary.bit_count(),
        "facts_by_pointer": held.pointer.bit_count(),
        "facts_gone": held.gone.bit_count(),
        "needed": needed.bit_count(),
        "needed_gone": (needed & held.gone).bit_count(),
    }
    return parts | {"needed_by_pointer": (needed & held.pointer).bit_count()}


class _RowMaker:
    """Makes the row of each request of one transcript under one chain."""

    def __init__(self, subject: Subject, price: Prices | None, caching: Caching) -> None:
        self._messages, self._price, self._caching = subject.messages, price, caching
        self._own = [id(message) for message in subject.messages]
        # Under pins the view holds copies: the same words with another priority.
        self._has_copies = any(call.pins for call in subject.calls)
        self._first = True
        self._lost: tuple[list[int], str] = ([], "")
        self._summaries = [0]
        self._whole_tokens = (0, 0)

    def __call__(self, asked: Asked) -> dict[str, Any]:
        call, pressure, made = asked.call, asked.pressure, asked.projected
        prefix = prefix_tokens(pressure, made.messages, asked.common, first=self._first)
        parts = self._caching.parts(made.tokens, prefix)
        output = reply_tokens(call, pressure.weigh)
        spent = _summaries_usage(made)
        lost, named = self._lost_of(made.messages, call.stored)
        self._first = False
        window = pressure.window
        return {
            "window": window,
            "step": call.step,
            "messages": call.stored,
            "sent_messages": len(made.messages),
            "tokens": made.tokens,
            "source": asked.source,
            "trigger": pressure.trigger,
            "target": pressure.target,
            "fits": window is None or made.tokens <= window,
            "overflow_tokens": 0 if window is None else max(0, made.tokens - window),
            "whole_tokens": pressure.overhead_tokens + self._whole(call.stored, pressure),
            "reported_tokens": call.usage.input_tokens if call.usage else None,
            "prefix_kept_tokens": prefix,
            "layers": ", ".join(dict.fromkeys(report.layer for report in made.reports if report.acted)),
            "removed_tokens": sum(report.tokens_before - report.tokens_after for report in made.reports),
            "lost_messages": len(lost),
            "lost": named,
            "summaries": self._summaries_in(made.messages, asked.common),
            "summary_input_tokens": spent.input_tokens,
            "summary_output_tokens": spent.output_tokens,
            **parts._asdict(),
            "output_tokens": output,
            "dollars": self._dollars(made.tokens, parts.cached_tokens, parts.write_tokens, output, spent),
            "problem": "; ".join(f"{r.layer}: {r.problem}" for r in made.reports if r.problem) or None,
        }

    def _dollars(self, tokens: int, cached: int, written: int, output: int, spent: Usage) -> float | None:
        if self._price is None:
            return None
        summaries = self._price.of(spent.input_tokens, spent.cached_input_tokens, spent.output_tokens)
        return self._price.of(tokens, cached, output, written) + summaries

    def _whole(self, stored: int, pressure: Pressure) -> int:
        """What all messages so far weigh; those that were weighed before are not added up again."""
        known, unscaled = self._whole_tokens
        unscaled += pressure.weigh.unscaled(self._messages[known:stored])
        self._whole_tokens = stored, unscaled
        return round(unscaled * pressure.weigh.ratio)

    def _summaries_in(self, sent: Messages, common: int) -> int:
        """How many summaries a request holds; its beginning was looked at for the one before."""
        counts = self._summaries[: common + 1]
        for message in sent[common:]:
            counts.append(counts[-1] + bool(covers_of(message)))
        self._summaries = counts
        return counts[-1]

    def _lost_of(self, sent: Messages, stored: int) -> tuple[list[int], str]:
        """The ids of what does not stand there word for word, and their ranges as a text."""
        there = set(map(id, sent))
        missing = [at for at, own in enumerate(self._own[:stored]) if own not in there]
        if missing and self._has_copies:
            same = {id_of(m): m for m in sent if id_of(m) is not None}
            missing = [at for at in missing if not _stands(same, self._messages[at])]
        if missing != self._lost[0]:
            own = [key for at in missing if (key := id_of(self._messages[at])) is not None]
            self._lost = missing, ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges(own))
        return self._lost


def _stands(sent: Mapping[int | None, Message], original: Message) -> bool:
    copy = sent.get(id_of(original))
    return copy is not None and wire(copy) == wire(original)


def _summaries_usage(made: Projected) -> Usage:
    """What the summarizer was paid for this request."""
    usages = [r.summary.usage for r in made.reports if r.summary is not None and r.summary.usage is not None]
    if not usages:
        return Usage()
    return Usage(
        sum(usage.input_tokens for usage in usages),
        sum(usage.cached_input_tokens for usage in usages),
        sum(usage.output_tokens for usage in usages),
    )


class _Sums:
    """The sums over the requests so far."""

    def __init__(self) -> None:
        self._tokens, self._dollars = 0, 0.0

    def added(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with the sums up to it."""
        self._tokens += row["tokens"] + row["summary_input_tokens"]
        dollars = row["dollars"]
        self._dollars += dollars or 0.0
        row["cumulative_tokens"] = self._tokens
        row["cumulative_dollars"] = None if dollars is None else self._dollars
        return row

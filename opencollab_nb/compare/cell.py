"""One cell of a sweep: a transcript under one chain, measured into one row. It runs in any process."""

from __future__ import annotations

import hashlib
import json
import pickle
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from opencollab_nb.compare.cost import Caching
from opencollab_nb.compare.grid import Variant
from opencollab_nb.compare.holding import Holding
from opencollab_nb.compare.probes import probes_of
from opencollab_nb.compare.rows import rows_of
from opencollab_nb.compare.subject import Subject
from opencollab_nb.compare.written import text_of_part
from opencollab_nb.messages import wire

__all__ = ["COLUMNS", "Cell"]

COLUMNS = {
    "transcript": "its name",
    "chain": "its name",
    "mode": "`sticky` or `stateless`",
    "window": "context window in tokens; missing where it is not known",
    "model": "whose tokens and prices are used; missing where it is not known",
    "requests": "model calls of the transcript",
    "tokens": "input tokens of all requests",
    "peak_tokens": "of the largest request",
    "over_window": "requests that are larger than the window: a provider would have refused them",
    "acted": "requests for which a layer acted",
    "layers": "that acted at all",
    "removed_tokens": "by them, over all requests",
    "prefix_kept_ratio": "share of all input that begins as the request before",
    "lost_messages": "messages that do not stand word for word in the last request",
    "facts": "facts of the transcript that had been said when the last request was made",
    "facts_kept_ratio": "share of all facts that stood word for word, over all requests",
    "facts_gone_ratio": "share that stood in nothing of a request, over all requests",
    "needed": "facts that the very reply to a request used, over all requests",
    "needed_gone": "of them, gone from the request: needed later and gone",
    "needed_by_pointer": "of them, behind a pointer: the agent would have had to read them again",
    "summary_tokens": "input and output of the calls for summaries, as reported",
    "uncached_tokens": "input charged in full",
    "cached_tokens": "input served from the provider's cache",
    "write_tokens": "input put into the cache, where that is charged",
    "output_tokens": "of all replies",
    "dollars": "of it all; missing without prices",
    "problem": "what a layer failed with first, or that it knows none of the tools; missing without",
    "seconds": "that the cell took, in its own process",
    "error": "why there are no figures; missing where there are",
}
MEASURE = 2
"""Counts up with every change of what a cell measures: rows of another version are made anew."""


@dataclass(frozen=True)
class Cell:
    """What is to be measured; without the transcript, which many cells share."""

    subject: str
    """Digest of the transcript."""
    transcript: str
    """Its name."""
    variant: Variant
    mode: str
    window: int | None
    model: str | None
    prices: Any = None
    caching: Caching | None = None

    @property
    def key(self) -> str:
        """What tells this cell from every other, also in another process and after a restart."""
        parts = [text_of_part(shaper) for shaper in self.variant.shapers]
        rest = [self.mode, self.window, self.model, repr(self.prices), repr(self.caching)]
        told = [MEASURE, self.subject, self.variant.target_ratio, parts, rest]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]

    @property
    def labels(self) -> dict[str, Any]:
        """The columns that say which cell a row is of."""
        fixed = {
            "transcript": self.transcript,
            "chain": self.variant.chain,
            "mode": self.mode,
            "window": self.window,
            "model": self.model,
        }
        return fixed | {name: plain(value) for name, value in self.variant.values.items()}


def digest_of(subject: Subject) -> str:
    """What tells the messages and calls of a transcript from any others."""
    calls = [(call.step, call.stored, repr(call.usage), call.model) for call in subject.calls]
    told = [[wire(m) for m in subject.messages], calls, subject.constant_tokens, list(subject.tools)]
    return hashlib.sha256(json.dumps(told, default=repr).encode()).hexdigest()[:32]


def plain(value: Any) -> Any:
    """The value of a parameter as it can stand in a table."""
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


@dataclass(frozen=True, eq=False)
class _Same:
    """A subject that is equal to itself alone: of a scattered one a worker has one object."""

    subject: Subject

    def __hash__(self) -> int:
        return id(self.subject)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.subject is other.subject


@lru_cache(maxsize=4)
def _held(path: str) -> Subject:
    with Path(path).open("rb") as file:
        held: Subject = pickle.load(file)  # noqa: S301 - written by the process that asks, a moment before
    return held


@lru_cache(maxsize=4)
def _facts(same: _Same) -> Holding:
    """The facts of a transcript, which are looked for once and serve all its cells."""
    return Holding(same.subject, probes_of(same.subject))


def measured(subject: Subject | str, packed: bytes) -> dict[str, Any]:
    """The figures of one cell that came from another process.

    Args:
        subject: the transcript, or the file that holds it.
        packed: the cell, by `cloudpickle`.
    """
    cell: Cell = pickle.loads(packed)  # noqa: S301 - by the same process as above
    return measure(_held(subject) if isinstance(subject, str) else subject, cell)


def measure(subject: Subject, cell: Cell) -> dict[str, Any]:
    """The figures of one cell on its transcript."""
    begun = time.perf_counter()
    rows = rows_of(
        subject,
        list(cell.variant.shapers),
        mode=cell.mode,
        window=cell.window,
        model=cell.model,
        prices=cell.prices,
        caching=cell.caching,
        chain_name=cell.variant.chain,
        target_ratio=cell.variant.target_ratio,
        # Cells of one transcript may be measured at once by the threads of a cluster.
        holding=copy(_facts(_Same(subject))),
    )
    return figures_of(rows) | {"seconds": round(time.perf_counter() - begun, 3)}


def figures_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rows of all requests as one.

    >>> figures_of([])["requests"]
    0
    """
    if not rows:
        return {"requests": 0}

    def total(name: str) -> Any:
        return sum(row[name] for row in rows)

    tokens, facts = total("tokens"), total("facts") or 1
    layers = dict.fromkeys(name for row in rows for name in str(row["layers"]).split(", ") if name)
    return {
        "window": rows[-1]["window"],
        "model": rows[-1]["model"],
        "requests": len(rows),
        "tokens": tokens,
        "peak_tokens": max(row["tokens"] for row in rows),
        "over_window": sum(not row["fits"] for row in rows),
        "acted": sum(bool(row["layers"]) for row in rows),
        "layers": ", ".join(layers),
        "removed_tokens": total("removed_tokens"),
        "prefix_kept_ratio": total("prefix_kept_tokens") / tokens if tokens else 0.0,
        "lost_messages": rows[-1]["lost_messages"],
        "facts": rows[-1]["facts"],
        "facts_kept_ratio": total("facts_verbatim") / facts,
        "facts_gone_ratio": total("facts_gone") / facts,
        "needed": total("needed"),
        "needed_gone": total("needed_gone"),
        "needed_by_pointer": total("needed_by_pointer"),
        "summary_tokens": total("summary_input_tokens") + total("summary_output_tokens"),
        "uncached_tokens": total("uncached_tokens"),
        "cached_tokens": total("cached_tokens"),
        "write_tokens": total("write_tokens"),
        "output_tokens": total("output_tokens"),
        "dollars": rows[-1]["cumulative_dollars"],
        "problem": next((row["problem"] for row in rows if row["problem"]), None),
    }

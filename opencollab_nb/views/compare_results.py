"""A comparison as `%oc compare` and the panel show it: a row for each transcript, chain, mode and window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName
from opencollab_nb.views.results import Shown
from opencollab_nb.views.tables import MOST_ROWS, Table, bounded
from opencollab_nb.views.text import head, percent

if TYPE_CHECKING:
    from pandas import DataFrame

KEYS = ("transcript", "chain", "mode", "window")
"""What tells one combination from another."""
HEADER = (
    "transcript",
    "chain",
    "mode",
    "window",
    "requests",
    "tokens sent",
    "largest",
    "too large",
    "prefix kept",
    "acted at",
    "cost",
)
FACTS_HEADER = ("needed and gone",)
FIGURES = ("pressure", "tokens", "prefix", "layers", "cost")
CAVEAT = (
    "by replay of each transcript as it is: what its agent would have done with other requests, nobody knows"
)


def combinations(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Rows of `compare` by what they are of, in the order in which they come."""
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(None if row[k] != row[k] else row[k] for k in KEYS), []).append(row)
    return list(found.values())


def totals(rows: Sequence[Mapping[str, Any]]) -> tuple[object, ...]:
    """One combination in figures, in the order of `HEADER`; facts after them, where they were counted."""
    first, last = rows[0], rows[-1]
    sent = sum(int(row["tokens"]) for row in rows)
    kept = sum(int(row["prefix_kept_tokens"]) for row in rows)
    over = sum(not row["fits"] for row in rows)
    dollars = last["cumulative_dollars"]
    window = first["window"]
    figures: list[object] = [
        head(first["transcript"], 60),
        head(first["chain"], 80),
        first["mode"],
        int(window) if _known(window) else "unknown",
        len(rows),
        int(last["cumulative_tokens"]),
        max(int(row["tokens"]) for row in rows),
        f"{over:,}, first at {next(row['step'] for row in rows if not row['fits']):,}" if over else "none",
        percent(kept / sent) if sent else "",
        sum(bool(row["layers"]) for row in rows),
        f"${float(dollars):,.2f}" if _known(dollars) else "",
    ]
    if "needed_gone" in first:
        gone, needed = (sum(int(row[name]) for row in rows) for name in ("needed_gone", "needed"))
        figures.append(f"{gone:,} of {needed:,}")
    return tuple(figures)


def problems_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What failed in a combination, each once, with the first step at which it did."""
    found: dict[str, int] = {}
    for row in rows:
        if isinstance(row["problem"], str) and row["problem"]:
            found.setdefault(head(row["problem"], 200), int(row["step"]))
    chain = head(rows[0]["chain"], 60)
    return [f"{chain}, from step {step:,} on: {text}" for text, step in found.items()]


def table_of(several: Sequence[Sequence[Mapping[str, Any]]], notes: Sequence[str] = ()) -> Table:
    """Combinations in figures, a row each, and what failed in them."""
    first, left_out, last = bounded([totals(one) for one in several], MOST_ROWS)
    facts = FACTS_HEADER if several and "needed_gone" in several[0][0] else ()
    blank = [None] * (len(HEADER) - 2 + len(facts))
    gap = [("…", f"{left_out} rows left out", *blank)] if left_out else []
    wrong = [text for one in several for text in problems_of(one)]
    return Table((*HEADER, *facts), [*first, *gap, *last], "", [*wrong[:8], CAVEAT, *notes])


def _known(value: Any) -> bool:
    """False for None and for what pandas puts in its place."""
    return value is not None and bool(value == value)


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """The table that `compare` gave, in figures."""

    frame: DataFrame
    """A row a request: see `opencollab_nb.compare.COLUMNS`."""

    def table(self) -> Table:
        """A row a combination."""
        rows: Any = self.frame.astype(object).where(self.frame.notna(), None).to_dict("records")
        return table_of(combinations(rows), [".frame is the whole table, .figure('pressure') draws it"])

    def figure(self, kind: str = "pressure", **wanted: Any) -> Any:
        """A plotly figure of it: `pressure`, `tokens`, `prefix`, `layers` or `cost`.

        Args:
            kind: what it shows.
            wanted: `transcript`, `window` and `theme`, as for `figures.compare_pressure`.

        Raises:
            UnknownName: there is no such figure.
        """
        if kind not in FIGURES:
            raise UnknownName("figure", kind, FIGURES)
        from opencollab_nb.views import compare_figures

        return getattr(compare_figures, f"compare_{kind}")(self.frame, **wanted)

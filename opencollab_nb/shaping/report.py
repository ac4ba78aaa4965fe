"""What one layer did to one request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.messages import Messages, covers_of, each, id_of, ranges
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.by_group import common_start
from opencollab_nb.shaping.spans import without
from opencollab_nb.shaping.summary import Summary


@dataclass(frozen=True)
class LayerReport:
    """What one layer did to one request, by ids of the transcript."""

    layer: str
    """Name of the shaper's class or function."""
    tokens_before: int
    tokens_after: int
    dropped: tuple[int, ...] = ()
    """Ids that left."""
    rewritten: tuple[int, ...] = ()
    """Ids whose message was shortened."""
    covered: tuple[int, ...] = ()
    """Ids a summary stands for now and did not before."""
    seconds: float = 0.0
    problem: str | None = None
    """Why the layer was skipped; None where it was not."""
    summary: Summary | None = None
    """What a summarizer answered, refused answers too; None where none was asked."""
    fault: bool = False
    """True where the layer's own code is to blame: it raised, took too long, or broke a law."""

    @property
    def acted(self) -> bool:
        """True when the request is another one because of this layer."""
        return bool(self.dropped or self.rewritten or self.covered) or self.tokens_after != self.tokens_before

    @property
    def matters(self) -> bool:
        """True when there is something to tell: it acted, failed, or asked a summarizer."""
        return self.acted or self.problem is not None or self.summary is not None

    def beside(self, tokens: int) -> LayerReport:
        """The same report for a request with that many tokens more, which the layer did not see."""
        return replace(
            self, tokens_before=self.tokens_before + tokens, tokens_after=self.tokens_after + tokens
        )


def name_of(shaper: Any) -> str:
    """How reports and views name a shaper."""
    return getattr(shaper, "__name__", None) or type(shaper).__name__


def layer_report(
    shaper: Any,
    before: Messages,
    after: Messages,
    pressure: Pressure,
    *,
    seconds: float = 0.0,
    problem: str | None = None,
    summary: Summary | None = None,
    fault: bool = False,
) -> LayerReport:
    """The report of a layer that made `after` out of `before`."""
    if before is after:
        tokens = pressure.tokens(before)
        told: dict[str, Any] = {"seconds": seconds, "problem": problem, "summary": summary, "fault": fault}
        return LayerReport(name_of(shaper), tokens, tokens, **told)
    same = common_start(before, after)
    old, new = set(map(id, before[same:])), set(map(id, after[same:]))
    gone = [(at, m) for at, m in enumerate(before[same:], same) if id(m) not in new]
    come = [m for m in after[same:] if id(m) not in old]
    left = {_key(m, at) for at, m in gone if not covers_of(m)}
    covered_before = [span for _, m in gone for span in covers_of(m)]
    covered_after = [span for m in come for span in covers_of(m)]
    rewritten = {i for i in map(id_of, come) if i in left}
    covered = each(without(covered_after, covered_before))
    away = without([*ranges(left), *covered_before], covered_after)
    dropped = [i for i in each(away) if i not in rewritten]
    return LayerReport(
        name_of(shaper),
        pressure.tokens(before),
        pressure.tokens(after),
        tuple(dropped),
        tuple(sorted(rewritten)),
        tuple(covered),
        seconds,
        problem,
        summary,
    )


def _key(message: Any, position: int) -> int:
    """The message's id; its position where it has none."""
    own = id_of(message)
    return position if own is None else own

"""The moves by name, and the chain of shapers that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping import AutoCompactShaper, Shaper, ShaperPipeline, default_pipeline
from opencollab_nb.shaping.summary import Summarizer

MOVES = ("offload", "compact", "restate", "memory")
ALL_MOVES = frozenset(MOVES)


def checked_moves(moves: object) -> frozenset[str]:
    """The moves as a set.

    Raises:
        UsageProblem: (a ValueError) no collection of names, or a name that is no move; it is named.
    """
    if isinstance(moves, str) or not isinstance(moves, Collection):
        raise UsageProblem(f"moves is {moves!r}: give names in a set, such as {{'offload', 'restate'}}")
    for move in moves:
        if move not in ALL_MOVES:
            raise UnknownName("move", move, MOVES)
    return frozenset(moves)


def chain_for(
    moves: Collection[str] = ALL_MOVES,
    *,
    summarizer: Summarizer | None = None,
    segments: bool = False,
    read_back: Callable[[int], str | None] | None = None,
) -> ShaperPipeline:
    """The chain of these moves: offloading first, then the cap, then what makes room.

    Without the move `compact` nothing is cleared, snipped or summarized: the cap alone stays.

    Args:
        moves: which of `MOVES` are made.
        summarizer: what compaction asks; without one old groups are snipped instead.
        segments: summarize each stretch between two milestones by itself, before all together.
        read_back: id -> text; a pointer is only shown where it gives the very text back.

    >>> chain_for({"compact"}) == default_pipeline()
    True
    >>> [type(shaper).__name__ for shaper in chain_for({"offload"}).shapers]
    ['OffloadShaper', 'ToolResultBudgetShaper']
    """
    moves = checked_moves(moves)
    layers: list[Shaper] = []
    if "offload" in moves:
        from opencollab_nb.budget.offload import OffloadShaper

        offload: Any = OffloadShaper(read_back=read_back)
        layers.append(offload)
    policy = "no_history_compaction"
    if "compact" in moves:
        policy = "default" if summarizer is None else "summarize"
    chain = default_pipeline(policy, summarizer=summarizer).shapers
    if segments:
        from opencollab_nb.budget.segments import SegmentCompactShaper

        for shaper in chain:
            layers += [SegmentCompactShaper(summarizer)] if isinstance(shaper, AutoCompactShaper) else []
            layers.append(shaper)
        return ShaperPipeline(*layers)
    return ShaperPipeline(*layers, *chain)

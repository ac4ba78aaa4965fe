"""`compare`: many chains on many transcripts, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opencollab_nb.compare.chains import chains_of
from opencollab_nb.compare.cost import Caching
from opencollab_nb.compare.holding import Holding
from opencollab_nb.compare.probes import probes_of
from opencollab_nb.compare.rows import rows_of
from opencollab_nb.compare.subject import subjects_of
from opencollab_nb.compare.weighing import weighing_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.orders import check_mode
from opencollab_nb.shaping import MODES

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "transcript": "its name",
    "chain": "its name",
    "mode": "`sticky` or `stateless`",
    "model": "whose prices and window are used; missing where it is not known",
    "window": "context window in tokens; missing where it is not known",
    "step": "number of the model call",
    "messages": "of the transcript when the call was made",
    "sent_messages": "of the request",
    "tokens": "input tokens of the request",
    "source": "where they come from: `counted`, `calibrated` by reports, or `estimated`",
    "trigger": "input tokens above which a round begins",
    "target": "input tokens that a round works down to",
    "fits": "false where the request is larger than the window: a provider would have refused it",
    "overflow_tokens": "by how much it is larger",
    "whole_tokens": "input tokens of the whole transcript so far, without any shaping",
    "reported_tokens": "input tokens that the original agent's provider reported for its own request",
    "prefix_kept_tokens": "of the beginning shared with the request before",
    "layers": "that acted for this request",
    "removed_tokens": "by them",
    "lost_messages": "messages that do not stand in the request word for word",
    "lost": "their ids",
    "summaries": "in the request",
    "summary_input_tokens": "input of the calls for summaries that were made for this request, as reported",
    "summary_output_tokens": "output of them",
    "uncached_tokens": "input charged in full",
    "cached_tokens": "input served from the provider's cache",
    "write_tokens": "input put into the cache, where that is charged",
    "output_tokens": "of the reply: as reported, else estimated",
    "dollars": "of the call and its summaries; missing where no prices are known",
    "problem": "layers that failed or were refused; in the first row, those that know none of the tools",
    "cumulative_tokens": "input so far, that of summaries too",
    "cumulative_dollars": "dollars so far",
}
"""What stands in each column."""

FACT_COLUMNS = {
    "facts": "facts that had been said when the call was made",
    "facts_verbatim": "of them, in the request word for word",
    "facts_in_summary": "in a summary only",
    "facts_by_pointer": "in a result that is there, shortened, with the call that brings it again",
    "facts_gone": "in nothing of the request",
    "needed": "facts that the very reply to this request uses",
    "needed_gone": "of them, gone: the agent would have had to find them again",
    "needed_by_pointer": "of them, behind a pointer: the agent would have had to read them again",
}
"""What stands in the columns that `survival=True` adds."""

_WHOLE_NUMBERS = ("window", "reported_tokens")
"""Columns that may have gaps."""


def compare(
    transcripts: Any,
    chains: Any,
    *,
    window: int | Sequence[int | None] | None = None,
    model: str | None = None,
    mode: str | Sequence[str] = MODES,
    prices: Any = None,
    caching: Caching | None = None,
    survival: bool = False,
) -> DataFrame:
    """Every request of each transcript under each chain: one row for each step, chain, mode and window.

    It is a replay: the transcript is the one that was made, and what the agent would have done with the other
    requests, nobody knows. No model is asked, but by a summarizer that is given. Reported usage corrects the
    weights as in a live run: those of each call are learnt from the reports for the calls before.

    `stateless` shapes the whole transcript at each request, so its time grows with the square of the run.

    Args:
        transcripts: one, a list, or a mapping of names to them. One is what `load` gives, a path that it
            reads, a session, or a list of messages.
        chains: one, a list, or a mapping of names to them. A chain is the name of a policy, a `Policy`, a
            `ShaperPipeline`, a shaper, a list of shapers, or None for no shaping.
        window: context window in tokens, or several to compare; None for that of the transcript or the model.
        model: whose window, tokens and prices to take; None for those of the transcript.
        mode: `sticky`, `stateless`, or both.
        prices: a `Prices`, a mapping with `input`, `output` and perhaps `cached` and `write` in dollars per
            million tokens, or the name of a model; None for those of the model.
        caching: minimum and block of the provider's prompt cache; None for those of the model's provider.
        survival: also count in each row which facts of the transcript the request holds; see
            `FACT_COLUMNS`, and `what_survives` for the same by kind and age.

    Returns:
        A pandas `DataFrame`; what stands in its columns is in `opencollab_nb.compare.COLUMNS`. Its figures
        are `figures.compare_pressure`, `compare_tokens`, `compare_prefix`, `compare_layers` and
        `compare_cost`.

    Raises:
        UsageProblem: (a ValueError) nothing to compare, or an argument that cannot be used.

    >>> talk = [{"role": "user", "content": "Fix the bug."}, {"role": "assistant", "content": "Fixed."}]
    >>> frame = compare({"talk": talk}, ["default", None], window=16_000, mode="sticky")
    >>> frame[["chain", "step", "tokens", "fits"]].to_dict("split")["data"]
    [['default', 1, 8, True], ['no shaping', 1, 8, True]]
    """
    import pandas as pd

    subjects, named = subjects_of(transcripts), chains_of(chains)
    rows = []
    for subject in subjects:
        holding = Holding(subject, probes_of(subject)) if survival else None
        for size in _several(window, "window"):
            weighing = weighing_of(subject, window=size, model=model)
            for name, chain in named.items():
                for how in modes_of(mode):
                    rows += rows_of(
                        subject,
                        chain,
                        mode=how,
                        model=model,
                        prices=prices,
                        caching=caching,
                        chain_name=name,
                        weighing=weighing,
                        holding=holding,
                    )
    return frame_of(pd.DataFrame(rows))


def frame_of(frame: DataFrame) -> DataFrame:
    """Rows of `rows_of` as the table that `compare` gives: columns in order, gaps in whole numbers kept."""
    known = [name for name in COLUMNS if name in frame.columns]
    frame = frame[[*known, *(name for name in frame.columns if name not in COLUMNS)]]
    kinds = {name: "Int64" for name in _WHOLE_NUMBERS if name in frame.columns}
    kinds |= {name: "float64" for name in ("dollars", "cumulative_dollars") if name in frame.columns}
    return frame.astype(kinds)


def modes_of(mode: str | Sequence[str]) -> list[str]:
    """The modes asked for, each once.

    Raises:
        UsageProblem: (a ValueError) one that there is not, or none.
    """
    modes = _several(mode, "mode")
    for one in modes:
        check_mode(one)
    return list(dict.fromkeys(modes))


def _several(given: Any, name: str) -> list[Any]:
    several = list(given) if isinstance(given, (list, tuple, set, frozenset, range)) else [given]
    if not several:
        raise UsageProblem(f"{name}={given!r}: give at least one")
    return several

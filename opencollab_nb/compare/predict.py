"""How well the input of the next request is predicted before its report is seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opencollab_nb.compare.cost import Caching, caching_of
from opencollab_nb.compare.requests import common
from opencollab_nb.compare.subject import Call, Subject, subjects_of
from opencollab_nb.compare.weighing import weighing_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages

if TYPE_CHECKING:
    from pandas import DataFrame


def predictions(transcripts: Any, *, caching: Caching | None = None) -> DataFrame:
    """One row for each request whose input was reported, but the first: what was predicted, and what came.

    The prediction is the one that `compare` works with: each message weighs its local estimate times a ratio,
    learnt from the reports for the requests before. What no file holds, system prompt and tool schemas, is
    taken from the first report alone, so nothing is used that was not known then.

    Args:
        transcripts: one, a list, or a mapping of names to them; see `compare`.
        caching: of the provider; None for that of the model's.

    Returns:
        A pandas `DataFrame` with `transcript step predicted_tokens reported_tokens error_ratio` (signed, of
        what was reported), `predicted_cached_tokens reported_cached_tokens` and `source`.

    Raises:
        UsageProblem: (a ValueError) no transcript reports the input of two requests.
    """
    import pandas as pd

    rows = [row for subject in subjects_of(transcripts) for row in _rows(subject, caching)]
    if not rows:
        raise UsageProblem("no usage to check against: none of these reports the input of two requests")
    return pd.DataFrame(rows)


def _rows(subject: Subject, caching: Caching | None) -> Iterator[dict[str, Any]]:
    calls = [call for call in subject.calls if call.usage is not None and call.usage.input_tokens > 0]
    if len(calls) < 2:
        return
    weighed = weighing_of(subject, unseen_tokens=_unseen_tokens(subject, calls[0]))
    cache = caching or caching_of(subject.model)
    before: Messages = []
    for n, call in enumerate(subject.calls):
        view, pressure = subject.sent(call), weighed.pressure(n)
        same = common(before, view)
        before = view
        if call is calls[0] or call.usage is None or call.usage.input_tokens <= 0:
            continue
        predicted, told = pressure.tokens(view), call.usage.input_tokens
        prefix = pressure.overhead_tokens + pressure.weight(view[:same])
        yield {
            "transcript": subject.name,
            "step": call.step,
            "predicted_tokens": predicted,
            "reported_tokens": told,
            "error_ratio": predicted / told - 1,
            "predicted_cached_tokens": cache.parts(predicted, prefix).cached_tokens,
            "reported_cached_tokens": call.usage.cached_input_tokens,
            "source": weighed.at[n][2],
        }


def _unseen_tokens(subject: Subject, first: Call) -> int:
    """What the first report tells of that is in no message and no schema."""
    assert first.usage is not None
    known = weighing_of(subject, unseen_tokens=0).pressure(0).tokens(subject.sent(first))
    return max(0, first.usage.input_tokens - known)

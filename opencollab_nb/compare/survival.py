"""What survives: where the facts of a transcript are in each request of a chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from opencollab_nb.compare.chains import chains_of, trial_of
from opencollab_nb.compare.holding import Holding, bits_of, held_at
from opencollab_nb.compare.probes import KINDS, probes_of
from opencollab_nb.compare.requests import requests_of
from opencollab_nb.compare.setting import Trial
from opencollab_nb.compare.subject import Subject, subjects_of
from opencollab_nb.compare.table import modes_of
from opencollab_nb.compare.weighing import Weighing, weighing_of
from opencollab_nb.shaping import MODES

if TYPE_CHECKING:
    from pandas import DataFrame

AGES = ((0, "0-4"), (5, "5-19"), (20, "20-59"), (60, "60+"))
"""Steps since a fact was first said: from each of these on, under this name."""


class Line(NamedTuple):
    """The facts of one kind and age at one request."""

    step: int
    kind: str
    age: str
    probes: int
    """Facts that had been said."""
    verbatim: int
    """Stand in the request word for word."""
    summary: int
    """Stand in a summary only."""
    pointer: int
    """Stood in a result that is there, shortened, with the call that brings it again."""
    gone: int
    """Are in nothing of the request."""
    needed: int
    """Are used by the very reply to this request."""
    needed_gone: int
    """Of these, gone: the agent would have had to find them again."""
    needed_pointer: int
    """Of these, behind a pointer: the agent would have had to read them again."""


def what_survives(
    transcripts: Any,
    chains: Any,
    *,
    window: int | None = None,
    model: str | None = None,
    mode: str | Sequence[str] = MODES,
) -> DataFrame:
    """Where the facts of each transcript are in every request of each chain, by kind and age.

    The facts are taken from the transcript by fixed rules of form, without a model: the user's instructions
    and constraints, paths and numbers that a later reply uses, error messages, todo items, and what the agent
    said it decided or finished. Each is looked for word for word, white space and letter case aside; a path
    also where it stands with more folders in front.

    `needed_gone` counts facts that the reply to a request uses and the request does not hold: the reading
    that shaping would have caused. An agent that had not seen them might have gone another way.

    Args:
        transcripts: see `compare`.
        chains: see `compare`.
        window: context window in tokens; None for that of the transcript or the model.
        model: whose window and tokens to take; None for those of the transcript.
        mode: `sticky`, `stateless`, or both.

    Returns:
        A pandas `DataFrame`: one row for each step, kind and age in which there is a fact, with its counts;
        see `opencollab_nb.compare.survival.Line`. `figures.survival_figure` draws it.

    Raises:
        UsageProblem: (a ValueError) nothing to compare, or an argument that cannot be used.

    >>> talk = [{"role": "user", "content": "Never touch setup.py"}, {"role": "assistant", "content": "No."}]
    >>> what_survives(talk, [None], mode="sticky")[["kind", "verbatim", "gone"]].to_dict("split")["data"]
    [['constraint', 1, 0]]
    """
    import pandas as pd

    subjects, named, modes = subjects_of(transcripts), chains_of(chains), modes_of(mode)
    told: list[tuple[Any, ...]] = []
    for subject in subjects:
        weighing = weighing_of(subject, window=window, model=model)
        holding = Holding(subject, probes_of(subject))
        for name, chain in named.items():
            for how in modes:
                fixed = (subject.name, name, how, weighing.window)
                told += [
                    (*fixed, *line) for line in lines_of(subject, trial_of(chain, how), weighing, holding)
                ]
    names = ["transcript", "chain", "mode", "window", *Line._fields]
    return pd.DataFrame(told, columns=names).astype({"window": "Int64"})


def lines_of(subject: Subject, tried: Trial, weighing: Weighing, holding: Holding) -> Iterator[Line]:
    """The facts at each request of one transcript under one chain."""
    holding.restart()
    kinds = {
        kind: bits_of(at for at, probe in enumerate(holding.probes.all) if probe.kind == kind)
        for kind in KINDS
    }
    stored = [call.stored for call in subject.calls]
    for n, asked in enumerate(requests_of(subject, tried, weighing)):
        held, used = held_at(holding, asked), bits_of(holding.probes.used[n])
        for age, span in _ages(holding, stored, n):
            for kind, of_kind in kinds.items():
                these = of_kind & span
                if these:
                    needed = used & these
                    sets = (these, *(part & these for part in held))
                    wanted = (needed, needed & held.gone, needed & held.pointer)
                    counts = [part.bit_count() for part in (*sets, *wanted)]
                    yield Line(asked.call.step, kind, age, *counts)


def _ages(holding: Holding, stored: Sequence[int], n: int) -> Iterator[tuple[str, int]]:
    """The facts said before the n-th request, by the steps since: names and sets."""
    younger = holding.said(stored[n])
    for (_, age), (next_from, _) in zip(AGES, [*AGES[1:], (n + 1, "")], strict=True):
        # Said before the call `next_from` steps ago was made: at least that old.
        older = holding.said(stored[n - next_from]) if next_from <= n else 0
        yield age, (1 << younger) - (1 << older)
        younger = older

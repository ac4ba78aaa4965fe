"""Comparing chains on transcripts, without touching the runs that they came from.

The room can be called itself: `from opencollab_nb import compare` gives what `compare.compare` is, however
the room was imported.

- `setting.py`  what a run was shaped under at any step: messages, weights, limits, pins
- `whatif.py`   one request under another chain
- `curve.py`    all requests so far under another chain
- `table.py`    `compare`: many chains on many transcripts, a row for each request
- `rows.py`     the rows of one transcript under one chain; `subject.py` the transcript and its model calls,
  `chains.py` the chains and their names, `weighing.py` what messages weighed at each call, `requests.py`
  what is sent at each
- `cost.py`     what a request costs with a provider's prompt cache
- `sweeping.py` `sweep`: a grid of chains on many transcripts, a row a combination; `grid.py`, `cell.py` one
  combination, `workers.py` where it is measured, `journal.py` what is finished, `written.py` code as text
- `replay_model.py` a recording that plays in a session; `recorded.py` its steps and tools; `replaying.py`
  `replay`, the session
- `predict.py`  how well the next request's input is predicted, on files that report usage
- `survival.py` where the facts of a transcript are in each request; `probes.py` the facts, `holding.py` which
  of them a request holds
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from opencollab_nb.compare.cell import COLUMNS as CELL_COLUMNS
from opencollab_nb.compare.cost import Caching
from opencollab_nb.compare.curve import CurvePoint, pressure_curve
from opencollab_nb.compare.grid import Grid
from opencollab_nb.compare.predict import predictions
from opencollab_nb.compare.rows import rows_of
from opencollab_nb.compare.survival import what_survives
from opencollab_nb.compare.table import COLUMNS, FACT_COLUMNS, compare
from opencollab_nb.compare.whatif import Change, WhatIf, what_if

__all__ = [
    "CELL_COLUMNS",
    "COLUMNS",
    "FACT_COLUMNS",
    "Caching",
    "Change",
    "CurvePoint",
    "Grid",
    "WhatIf",
    "compare",
    "predictions",
    "pressure_curve",
    "rows_of",
    "what_if",
    "what_survives",
]


class _Room(ModuleType):
    """A module of the same name as the function that it is for: importing one never hides the other."""

    __wrapped__ = staticmethod(compare)

    def __call__(self, *args: Any, **settings: Any) -> Any:
        return compare(*args, **settings)


sys.modules[__name__].__class__ = _Room

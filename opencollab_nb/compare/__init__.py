"""Comparing chains on transcripts, without touching the runs that they came from.

The room can be called itself: `from opencollab_nb import compare` gives what `compare.compare` is, however
the room was imported.

- `setting.py`  what a run was shaped under at any step: messages, weights, limits, pins
- `whatif.py`   one request under another chain
- `curve.py`    all requests so far under another chain
- `table.py`    `compare`: many chains on many transcripts, a row for each request
- `rows.py`     the rows of one transcript under one chain; `subject.py` the transcript and its model calls,
  `chains.py` the chains and their names, `weighing.py` what messages weighed at each call
- `cost.py`     what a request costs with a provider's prompt cache
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from opencollab_nb.compare.cost import Caching
from opencollab_nb.compare.curve import CurvePoint, pressure_curve
from opencollab_nb.compare.rows import rows_of
from opencollab_nb.compare.table import COLUMNS, compare
from opencollab_nb.compare.whatif import Change, WhatIf, what_if

__all__ = [
    "COLUMNS",
    "Caching",
    "Change",
    "CurvePoint",
    "WhatIf",
    "compare",
    "pressure_curve",
    "rows_of",
    "what_if",
]


class _Room(ModuleType):
    """A module of the same name as the function that it is for: importing one never hides the other."""

    __wrapped__ = staticmethod(compare)

    def __call__(self, *args: Any, **settings: Any) -> Any:
        return compare(*args, **settings)


sys.modules[__name__].__class__ = _Room

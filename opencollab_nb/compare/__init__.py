"""Comparing chains on one transcript, without touching the run that it came from.

- `setting.py`  what a run was shaped under at any step: messages, weights, limits, pins
- `whatif.py`   one request under another chain
- `curve.py`    all requests so far under another chain
"""

from __future__ import annotations

from opencollab_nb.compare.curve import CurvePoint, pressure_curve
from opencollab_nb.compare.whatif import Change, WhatIf, what_if

__all__ = ["Change", "CurvePoint", "WhatIf", "pressure_curve", "what_if"]

"""How full the context window is: limits from the window, weights corrected by what the provider counted.

- `limits.py`       window -> trigger and target
- `pressure.py`     `Pressure`, the limits and weights of one moment
- `calibration.py`  `ContextPressure`, which learns from reported usage
- `windows.py`      the windows of known models, offline
"""

from __future__ import annotations

from opencollab_nb.pressure.calibration import ContextPressure
from opencollab_nb.pressure.limits import history_trigger_target
from opencollab_nb.pressure.pressure import Pressure
from opencollab_nb.pressure.windows import window_of

__all__ = ["ContextPressure", "Pressure", "history_trigger_target", "window_of"]

"""The trace: one event a line in `events.jsonl`, enough to see what a run did and to build it again.

- `trace.py`   `Trace`: add, of, to_frame
- `schema.py`  every kind of event and its fields, as data
- `frame.py`   the events as a pandas `DataFrame`
- `kind.py`    what a kind is; `directions.py` the kinds about anchors, todos, memory and handoff
- `types.py`   the types that fields have
"""

from __future__ import annotations

from opencollab_nb.trace.schema import EVENTS, faults_of
from opencollab_nb.trace.trace import Trace

__all__ = ["EVENTS", "Trace", "faults_of"]

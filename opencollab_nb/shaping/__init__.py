"""Shaping: what of a transcript is sent. Lists in, lists out; a shaper is a function of (messages, pressure).

The layers, from the cheapest loss to the dearest:

- `tool_budget.py`  cap: one result may not fill the request
- `shed.py`         shed: low-priority context leaves
- `clear.py`        clear: old results give way to a stub
- `snip.py`         snip: whole old tool groups leave
- `compact.py`      compact: old groups give way to a summary
- `eager.py`        clearing at every request, the measured counter-example

What joins them:

- `groups.py`       what is kept or removed as one, and what is protected
- `keep.py`         what may become of a message, by its kind
- `pipeline.py`     the chain; `policies.py` the chains by name; `report.py` what a layer did;
  `outside.py` a layer that is not ours
- `projection.py`   the view of one transcript; `source.py` the transcript as it saw it, `pins.py` the
  pins by hand, `total.py` the view's tokens, `retry.py` when a failed round is tried again
- `late.py`         layers that spare the newest group
- `records.py`      the change of one request, for a resume; `sent.py` what was sent by them; `place.py` where
  a message stands, `spans.py` ids in ranges
- `forced.py`       the last caps after a refusal; `cut.py` cuts one message, `lighter.py` whether it may
- `summary.py`      what a summarizer is asked and answers; `asking.py`, `flat.py`, `summary_cache.py`
- `by_group.py`, `kept.py`  what is known of the list before this one; `stubs.py` what stands for a result
- `prefix.py`       what the provider's cache can serve of the next request
- `guarded.py`      a shaper that somebody else wrote, for a few seconds at most
- `fields.py`       the parameters of a shaper as data; `given.py` checks what a shaper is made with
- `laws.py`         what every shaper keeps, with `faults.py` of the wire form; `check.py` tries them on
  `samples.py`, `shrink.py` makes what fails small, and `law_words.py` tells it
"""

from __future__ import annotations

from opencollab_nb.shaping.check import LawReport, check_shaper
from opencollab_nb.shaping.clear import ToolOutputClearShaper
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.eager import EagerToolOutputClearShaper
from opencollab_nb.shaping.fields import Field, fields_of, with_field
from opencollab_nb.shaping.groups import Group, affordable_groups, groups
from opencollab_nb.shaping.pipeline import Shaper, ShaperPipeline, acts_of
from opencollab_nb.shaping.policies import POLICIES, default_pipeline
from opencollab_nb.shaping.prefix import prefix_kept
from opencollab_nb.shaping.projection import MODES, Projected, Projection
from opencollab_nb.shaping.report import LayerReport, name_of
from opencollab_nb.shaping.shed import ContextShedShaper
from opencollab_nb.shaping.snip import OldHistorySnipShaper
from opencollab_nb.shaping.summary import Summarizer, Summary, SummaryRequest
from opencollab_nb.shaping.tool_budget import ToolResultBudgetShaper

__all__ = [
    "MODES",
    "POLICIES",
    "AutoCompactShaper",
    "ContextShedShaper",
    "EagerToolOutputClearShaper",
    "Field",
    "Group",
    "LawReport",
    "LayerReport",
    "OldHistorySnipShaper",
    "Projected",
    "Projection",
    "Shaper",
    "ShaperPipeline",
    "Summarizer",
    "Summary",
    "SummaryRequest",
    "ToolOutputClearShaper",
    "ToolResultBudgetShaper",
    "acts_of",
    "affordable_groups",
    "check_shaper",
    "default_pipeline",
    "fields_of",
    "groups",
    "name_of",
    "prefix_kept",
    "with_field",
]

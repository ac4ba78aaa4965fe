"""Summarizers for `AutoCompactShaper`.

- `extractive.py`    without a model: takes lines over, adds none
- `findings.py`      ... what it looks for in messages
- `sections.py`      ... its text: headings, items, merging with the former one, fitting a size
- `model_backed.py`  asks a model
- `prompt.py`        ... what it asks
- `pieces.py`        ... in pieces that fit the model's window
- `survival.py`      what of a segment its summary still has; `facts.py` what is looked for
"""

from __future__ import annotations

from opencollab_nb.summarizers.extractive import ExtractiveSummarizer
from opencollab_nb.summarizers.model_backed import ModelSummarizer

__all__ = ["ExtractiveSummarizer", "ModelSummarizer"]

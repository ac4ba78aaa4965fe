"""Offload: big results stay in the transcript, and the request gets a digest with a pointer.

- `shaper.py`         OffloadShaper: which results, and when
- `pointer.py`        the pointer: number, size, where it came from, how to read it
- `digest.py`         the digest, `formats.py` by format; `shape_of_json.py`, `trouble.py` the error lines
- `pieces.py`         fitting lines into a room of bytes; `rows.py` the numbered lines of a text
- `read.py`           the tool `read_result`; `matching.py` its regular expressions
- `rereads.py`        how often results were read again for nothing
"""

from __future__ import annotations

from opencollab_nb.budget.offload.digest import digest
from opencollab_nb.budget.offload.read import READ_RESULT, answer_read_result, read_result
from opencollab_nb.budget.offload.rereads import TOO_TIGHT, rereads, too_tight
from opencollab_nb.budget.offload.shaper import KEPT_TOOLS, OffloadShaper

__all__ = [
    "KEPT_TOOLS",
    "READ_RESULT",
    "TOO_TIGHT",
    "OffloadShaper",
    "answer_read_result",
    "digest",
    "read_result",
    "rereads",
    "too_tight",
]

"""The transcript: every message of a run as it came, never edited, on the disk before it is used.

- `entries.py`  what one line of `transcript.jsonl` is
- `store.py`    `Transcript`: append, commit, open
- `repair.py`   `repair`: make a loaded history sound without touching its file
- `origin.py`   what is known of a transcript that somebody else's agent wrote; `origin_record.py` in a file,
  `shown.py` as text and HTML
"""

from __future__ import annotations

from opencollab_nb.transcript.origin import Compacted, Origin, Sent
from opencollab_nb.transcript.repair import INTERRUPTED, repair
from opencollab_nb.transcript.store import Transcript

__all__ = ["INTERRUPTED", "Compacted", "Origin", "Sent", "Transcript", "repair"]

"""Transcripts that other agents wrote, one file a format, told from what the file holds.

- `load.py`      `load`: a file, a folder or a glob
- `formats.py`   the formats, in order; each has a module of its own
- `source.py`    one file, parsed once: `decoding.py` bytes, `parsing.py` values, `salvage.py` what is left
- `draft.py`     one transcript in the making; `constant.py` the part of a request that no file shows
- `view.py`      what the original agent sent for a request
- `blocks.py`, `items.py`, `usages.py`, `exchanges.py`  forms that several formats share
- `export.py`    back to a file
"""

from __future__ import annotations

from opencollab_nb.importers.collection import Transcripts
from opencollab_nb.importers.export import export
from opencollab_nb.importers.load import load, load_bytes
from opencollab_nb.importers.view import view_sent

__all__ = ["Transcripts", "export", "load", "load_bytes", "view_sent"]

"""A small real language model on this machine: no key, and no network once its weights are here.

- `model.py`    `LocalModel`
- `weights.py`  where its weights lie and how they come there: `python -m opencollab_nb.models.local`
- `server.py`   the child process that answers for it, from this side
- `serving.py`  the same from its own side
"""

from __future__ import annotations

from opencollab_nb.models.local.model import LocalModel

__all__ = ["LocalModel"]

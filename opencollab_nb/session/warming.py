"""Weighing the messages of a resumed run beside whatever comes first, so that no swap has to wait for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

AT_ONCE = 50
"""Messages between two looks at whether the session was closed."""


def begin_warming(bench: Bench) -> threading.Thread:
    """Weigh all messages that are stored, on a thread of its own.

    A swap projects the whole transcript. Within a run its messages were weighed as they came; another
    process would count them all at the first swap, which takes longer than everything else in it.
    """
    thread = threading.Thread(target=_weighed, args=(bench,), daemon=True, name="oc-weights")
    thread.start()
    return thread


def _weighed(bench: Bench) -> None:
    messages, weigh = bench.transcript.stored, bench.pressure.snapshot().weigh
    for at in range(0, len(messages), AT_ONCE):
        if bench.closed:
            return
        weigh.each(messages[at : at + AT_ONCE])

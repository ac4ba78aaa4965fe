"""`replay`: a session in which a recording plays, step by step."""

from __future__ import annotations

from typing import Any

from opencollab_nb.compare.replay_model import ReplayModel
from opencollab_nb.session import Session

NO_TASK = "[the recording begins without words of a user]"


def replay(transcript: Any, **settings: Any) -> Session:
    """A session whose model is the recording: task, system message and window are those of the file.

    Nothing is run: each step plays the next recorded reply, and its calls get their recorded results. Chains,
    modes and pins are the session's own and can be swapped; where what is sent is no longer what the recorded
    agent was sent, or a reply uses what has left the request, the session notes it at that step.

    Args:
        transcript: as `load` gives it, a session's `transcript`, or a list of messages.
        settings: of `Session`, instead of those of the recording: `window`, `shapers`, `policy`, `mode`, ...

    Raises:
        UsageProblem: (a ValueError) it is no transcript, holds no reply, or a setting cannot be used.

    >>> talk = [{"role": "user", "content": "Fix it."}, {"role": "assistant", "content": "Fixed."}]
    >>> session = replay(talk, window=16_000)
    >>> session.run(), session.transcript.messages[-1]["content"]
    ('done', 'Fixed.')
    >>> session.close()
    """
    model = ReplayModel(transcript)
    settings.setdefault("system", model.system)
    settings.setdefault("name", model.label)
    return Session(model.task.strip() or NO_TASK, model=model, **settings)

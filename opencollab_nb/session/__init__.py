"""The session: the loop that makes steps, the only writer of transcript and trace.

- `session.py`       `Session`, the verbs
- `run.py`           `Run`, one thread that makes steps until something ends them; `starting.py`
- `step.py`          `Step`, and the parts of making one
- `next_request.py`  projecting the transcript, once a request; `preview.py` looking at it before
- `send.py`          the model call, and what is tried after a refusal
- `answers.py`       the tools
- `orders.py`        swaps and messages of the user between steps; `swaps.py`, `pinning.py` the verbs
- `anchoring.py`     anchors and todos; `direction.py` what the events say of them; `harness.py` its tools
- `beginning.py`     direction, handoff and memory at the start
- `ending.py`        the handoff at the end; `continuing.py` the next session, `deleting.py` no trace of one,
  `purging.py` of none that is old, `run_folders.py` who works where
- `originals.py`     reading a result back before a pointer stands for it
- `booked.py`        a summarizer whose calls are booked
- `ledger.py`        the token budget
- `extras.py`        tools given from outside
- `accounts.py`      tokens by category
- `bench.py`         what all these share, under one lock
- `news.py`          events on their way to views
- `opening.py`       making a session
- `resume.py`        going on with a run folder; `warming.py` weighs its messages meanwhile
- `replay.py`        building again what was sent
- `chain_spec.py`    shapers by name
- `folder.py`        the run folder and its lock
- `ends.py`          states
- `show.py`          a session as text and table; `facts.py` its attributes
"""

from __future__ import annotations

from opencollab_nb.session.extras import ExtraTool
from opencollab_nb.session.run import Run
from opencollab_nb.session.session import Session
from opencollab_nb.session.step import Step
from opencollab_nb.ticket import Ticket

__all__ = ["ExtraTool", "Run", "Session", "Step", "Ticket"]

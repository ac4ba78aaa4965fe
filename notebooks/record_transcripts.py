"""Record the transcripts that ship in data/transcripts: `python notebooks/record_transcripts.py`.

The simulated agent plays shipped tasks, under no chain and in a window that holds every request whole: what
another chain would have sent can then be asked of each. Made again, the files hold the same bytes.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from opencollab_nb import export, load, load_task
from opencollab_nb.transcript import Transcript

FOLDER = Path(__file__).resolve().parents[1] / "data" / "transcripts"
WINDOW = 200_000
"""The longest recording has 160,000 tokens."""
PLAYERS = (("plain", 0), ("careful", 1), ("hasty", 2))
STEPS = {"quickstart": None, "orders": None, "orders_long": 100}
"""Of each task, to its end where there is no number."""


@dataclass(frozen=True)
class Recording:
    """One file."""

    task: str
    profile: str
    seed: int

    @property
    def path(self) -> Path:
        """Where it ships; every figure that names the file then says what kind of agent it was."""
        return FOLDER / f"{self.task}-simulated-{self.profile}-{self.seed}.jsonl.gz"

    @property
    def title(self) -> str:
        """What `load` shows above it."""
        steps = STEPS[self.task]
        beginning = f", its first {steps} steps" if steps else ""
        return f"{self.task}{beginning}, by the simulated agent (profile {self.profile}, seed {self.seed})"


RECORDINGS = tuple(Recording(task, profile, seed) for task in STEPS for profile, seed in PLAYERS)


def played(recording: Recording, folder: Path, steps: int | None = None) -> Transcript:
    """The transcript, with the usage of each call and the tools' schemas, which no file of a run holds."""
    task = load_task(recording.task)
    session = task.session(
        profile=recording.profile, seed=recording.seed, shapers=[], window=WINDOW, path=folder / "run"
    )
    limit = steps or STEPS[recording.task]
    session.run(limit)
    tools, done = session.request(1).tools, session.state == "done"
    session.close()
    transcript = load(session.path)
    transcript.origin = replace(
        transcript.origin,
        tools=tuple(tools),
        unknown=(),
        constant_tokens=None,
        outcome="done" if done else f"stopped after {limit} steps",
        title=recording.title,
    )
    return transcript


def packed(transcript: Transcript, folder: Path) -> bytes:
    """The bytes of its file, the same at every time."""
    plain = export(transcript, folder / "transcript.jsonl", format="opencollab").read_bytes()
    return gzip.compress(plain, 9, mtime=0)


def main() -> None:
    """Make the files anew, all or those whose names begin with the words given."""
    for recording in RECORDINGS:
        if sys.argv[1:] and not recording.path.name.startswith(tuple(sys.argv[1:])):
            continue
        with tempfile.TemporaryDirectory() as folder:
            transcript = played(recording, Path(folder))
            recording.path.write_bytes(packed(transcript, Path(folder)))
        size = recording.path.stat().st_size
        calls, outcome = len(transcript.origin.sent), transcript.origin.outcome
        print(f"{recording.path.name}: {calls} calls, {outcome}, {size:,} bytes", flush=True)


if __name__ == "__main__":
    main()

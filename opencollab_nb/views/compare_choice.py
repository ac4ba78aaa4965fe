"""What is chosen in a compare panel: transcripts, chains, windows, modes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from opencollab_nb.compare.chains import AS_IT_WAS
from opencollab_nb.compare.subject import Subject, distinct, subjects_of
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping import MODES
from opencollab_nb.transcript import Transcript
from opencollab_nb.views.labels import clean
from opencollab_nb.views.lines import WINDOW
from opencollab_nb.views.sketch import Sketch
from opencollab_nb.views.state import POLICIES

MOST_FILES, MOST_CHAINS, MOST_WINDOWS = 400, 12, 8
FEW = 4
"""So many transcripts are all chosen at the beginning; of more the first is."""
BOTH = "both"
STARTS = (*POLICIES, AS_IT_WAS)
"""What a chain can begin as."""


class Combination(NamedTuple):
    """One chain on one transcript, in one mode and window."""

    subject: Subject
    chain: str
    """Its name."""
    shapers: Any
    target_ratio: float | None
    mode: str
    window: int | None

    @property
    def label(self) -> str:
        """What it is, on one line."""
        size = f", {self.window:,}" if self.window else ""
        return f"{self.subject.name} · {self.chain} · {self.mode}{size}"


class Wish(NamedTuple):
    """What is to be compared, as it was chosen when Run was pressed."""

    transcripts: tuple[Transcript, ...]
    chains: tuple[tuple[str, Any, float | None], ...]
    """Name, shapers, target ratio."""
    windows: tuple[int | None, ...]
    modes: tuple[str, ...]
    survival: bool

    def combinations(self) -> list[Combination]:
        """Each chain on each transcript, transcript by transcript; those without a model call are left out.

        Raises:
            UsageProblem: there is none with a model call.
        """
        return [
            Combination(subject, name, shapers, ratio, mode, window)
            for subject in subjects_of(self.transcripts)
            for window in self.windows
            for name, shapers, ratio in self.chains
            for mode in self.modes
        ]

    @property
    def total(self) -> int:
        """How many combinations, if all transcripts hold a model call."""
        return len(self.transcripts) * len(self.windows) * len(self.chains) * len(self.modes)


@dataclass
class Picked:
    """One transcript or chain of a list, ticked or not."""

    what: Any
    on: bool = True


@dataclass
class Choice:
    """Transcripts and chains by number, and the settings. Not locked: its panel is."""

    files: dict[int, Picked] = field(default_factory=dict)
    chains: dict[int, Picked] = field(default_factory=dict)
    shown_chain: int = 0
    """The chain that is edited."""
    windows: tuple[int, ...] = ()
    mode: str = "sticky"
    survival: bool = False
    notices: list[str] = field(default_factory=list)
    """Of loading: files that gave no transcript, and more than are listed."""

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        for policy in ("default", "no_history_compaction"):
            self.add_chain(policy)
        self.shown_chain = next(iter(self.chains))

    def add_files(self, transcripts: Iterable[Transcript], notices: Iterable[str] = ()) -> int:
        """List transcripts; returns how many of them can be compared on."""
        found = [one for one in transcripts if calls_of(one)]
        room = MOST_FILES - len(self.files)
        for at, one in enumerate(found[:room]):
            self.files[next(self._numbers)] = Picked(one, at == 0 or len(found) <= FEW)
        self.notices = [clean(text, 200) for text in notices][:20]
        if len(found) > room:
            self.notices.insert(
                0, f"{len(found) - room:,} transcripts more are not listed: load fewer at once"
            )
        return min(len(found), room)

    def tick_file(self, number: Any, on: bool) -> None:
        """Choose a transcript or not; of None all that are listed."""
        for picked in self.files.values() if number is None else [self._of(self.files, number, "transcript")]:
            picked.on = on

    def add_chain(self, policy: str) -> None:
        """A new chain, to begin with that of a policy; it is the one that is edited."""
        if policy not in STARTS:
            raise UnknownName("policy", policy, STARTS)
        if len(self.chains) >= MOST_CHAINS:
            raise UsageProblem(f"{MOST_CHAINS} chains at once are enough to read: remove one")
        self.shown_chain = next(self._numbers)
        self.chains[self.shown_chain] = Picked(Sketch(policy))

    def take_policy(self, policy: Any) -> None:
        """Fill the chain that is edited with that of a policy."""
        if policy not in POLICIES:
            raise UnknownName("policy", policy, POLICIES)
        self.sketch.take_policy(policy)

    def remove_chain(self, number: Any) -> None:
        """Take a chain away; the last one stays."""
        self._of(self.chains, number, "chain")
        if len(self.chains) == 1:
            raise UsageProblem("one chain has to stay")
        del self.chains[number]
        if self.shown_chain == number:
            self.shown_chain = next(iter(self.chains))

    def tick_chain(self, number: Any, on: bool) -> None:
        """Compare it or not."""
        self._of(self.chains, number, "chain").on = on

    def show_chain(self, number: Any) -> None:
        """The chain to edit."""
        self._of(self.chains, number, "chain")
        self.shown_chain = number

    def take_windows(self, text: str) -> None:
        """Context windows in tokens, parted by commas or blanks; none for those of the transcripts."""
        words = str(text).replace(";", ",").split(",")
        found = [WINDOW.value("the window", word.strip().replace(" ", "")) for word in words if word.strip()]
        if len(found) > MOST_WINDOWS:
            raise UsageProblem(f"{len(found)} windows at once: give at most {MOST_WINDOWS}")
        self.windows = tuple(dict.fromkeys(found))

    def take_mode(self, mode: Any) -> None:
        """`sticky`, `stateless` or `both`."""
        if mode not in (*MODES, BOTH):
            raise UnknownName("mode", mode, [*MODES, BOTH])
        self.mode = mode

    @property
    def sketch(self) -> Sketch:
        """The chain that is edited."""
        sketch: Sketch = self.chains[self.shown_chain].what
        return sketch

    def wish(self) -> Wish:
        """All that is chosen.

        Raises:
            UsageProblem: nothing is.
        """
        transcripts = [one.what for one in self.files.values() if one.on] or self._none()
        sketches = [one.what for one in self.chains.values() if one.on]
        if not sketches:
            raise UsageProblem("no chain is ticked: tick one")
        names = distinct([sketch.name for sketch in sketches])
        chains = [(name, one.shapers, one.target_ratio) for name, one in zip(names, sketches, strict=True)]
        modes = MODES if self.mode == BOTH else (self.mode,)
        return Wish(tuple(transcripts), tuple(chains), self.windows or (None,), modes, self.survival)

    def _none(self) -> Any:
        if self.files:
            raise UsageProblem("no transcript is ticked: tick one")
        raise UsageProblem("no transcript is there: give a path, and press Load")

    def _of(self, known: Mapping[int, Picked], number: Any, what: str) -> Picked:
        if number not in known:
            raise UsageProblem(f"there is no {what} {number!r} any more")
        return known[number]


def calls_of(transcript: Transcript) -> int:
    """How many model calls it tells of; where it tells of none, how many messages an agent said."""
    if transcript.origin is not None and transcript.origin.sent:
        return len(transcript.origin.sent)
    return sum(message.get("role") == "assistant" for message in transcript.stored)


def transcripts_in(source: Any) -> Iterator[Transcript]:
    """The transcripts meant: one, several, or a mapping of names to them.

    Raises:
        UsageProblem: (a ValueError) something else.
    """
    if source is None:
        return
    if isinstance(source, Transcript):
        yield source
    elif isinstance(source, Mapping):
        for one in source.values():
            yield from transcripts_in(one)
    elif isinstance(source, (list, tuple)):
        for one in source:
            yield from transcripts_in(one)
    else:
        raise UsageProblem(f"{source!r:.80} is no transcript: give what load(path) returned, or a path")

"""The chain as it is edited: every layer with an on and an off, and a draft to try without the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.orders import Chosen, check_mode, check_target
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, default_pipeline
from opencollab_nb.shaping.fields import with_field
from opencollab_nb.shaping.late import spares_newest
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.views.known import known_shapers, made
from opencollab_nb.views.layers import Layer, alike, all_alike, found

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_LAYERS = 24
"""A chain by hand has a handful; more would not be looked at any more."""


@dataclass
class Draft:
    """A chain that is thought about: no request is made by it."""

    layers: list[Layer]
    mode: str
    target_ratio: float
    policy: str | None
    """Whose chain it is as long as nothing of it was changed."""


class ChainEditor:
    """The layers of one session's chain, those that are off too; shared by all its panels.

    What is on is always the session's own chain, or the one that waits for the next step: a chain that
    came from elsewhere takes the place of what stood here.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.draft: Draft | None = None
        self.lock = threading.RLock()
        self._layers: list[Layer] = []
        self._last_key = 0
        self._watchers: dict[object, Callable[[], None]] = {}

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Call `told` after each change that a session has no event for; returns the call that ends it."""
        key = object()
        self._watchers[key] = told
        return lambda: self._watchers.pop(key, None) and None

    def tell(self) -> None:
        """Let all panels look again."""
        for told in tuple(self._watchers.values()):
            told()

    @property
    def layers(self) -> list[Layer]:
        """The layers that edits go to: those of the draft while there is one."""
        with self.lock:
            return list(self.draft.layers if self.draft else self.standing())

    def standing(self) -> list[Layer]:
        """The layers of the session, brought up to date with its chain."""
        with self.lock:
            chain = (self.session.pending or self.session.chain).shapers
            on = [layer for layer in self._layers if layer.on]
            if not all_alike([layer.shaper for layer in on], chain):
                self._layers = self._keyed(chain, on)
            else:
                there = iter(chain)
                self._layers = [
                    replace(layer, shaper=next(there)) if layer.on else layer for layer in self._layers
                ]
            return list(self._layers)

    def shapers(self) -> list[Any]:
        """The shapers that are on, of the draft while there is one."""
        return [layer.shaper for layer in self.layers if layer.on]

    def edit(self, change: Callable[[list[Layer]], list[Layer]], policy: str | None = None) -> bool:
        """Change the layers; True where the session's chain is another one by it.

        Args:
            change: gives the layers as they are to be.
            policy: whose chain they are then, None for one made by hand.

        Raises:
            UsageProblem: the change cannot be made; nothing is changed then.
        """
        with self.lock:
            before = self.layers
            after = change(list(before))
            if len(after) > MOST_LAYERS:
                raise UsageProblem(
                    f"a chain of more than {MOST_LAYERS} layers is not edited here: use Python"
                )
            if self.draft:
                if [one.shaper for one in after if one.on] != [one.shaper for one in before if one.on]:
                    self.draft.policy = None
                self.draft.layers = after
                self.tell()
                return False
            on = [layer.shaper for layer in after if layer.on]
            other = [id(s) for s in on] != [id(layer.shaper) for layer in before if layer.on]
            if other:
                self.session.use(Chosen(ShaperPipeline(*on), policy))
            self._layers = after
            self.tell()
            return other

    def add(self, name: str) -> bool:
        """Add a known shaper at the end, before layers that write summaries.

        One that spares the newest group comes first: it needs results as they came, uncut.
        """
        shaper = made(known_shapers(), name)

        def change(layers: list[Layer]) -> list[Layer]:
            at = 0 if spares_newest(shaper) else len(layers)
            if not isinstance(shaper, AutoCompactShaper):
                while at and isinstance(layers[at - 1].shaper, AutoCompactShaper):
                    at -= 1
            return [*layers[:at], Layer(self._key(), shaper), *layers[at:]]

        return self.edit(change)

    def remove(self, key: int) -> bool:
        """Take a layer away."""
        return self.edit(lambda layers: [one for one in layers if one is not found(layers, key)])

    def turn(self, key: int, on: bool) -> bool:
        """Turn a layer on or off; one that is off keeps its place and its settings."""
        return self._with(key, lambda layer: replace(layer, on=on))

    def move(self, key: int, by: int) -> bool:
        """Move a layer up (-1) or down (1)."""

        def change(layers: list[Layer]) -> list[Layer]:
            at = layers.index(found(layers, key))
            to = at + by
            if not 0 <= to < len(layers):
                raise UsageProblem("this layer is at the end of the chain already")
            layers[at], layers[to] = layers[to], layers[at]
            return layers

        return self.edit(change)

    def set(self, key: int, name: str, value: Any) -> bool:
        """Set one parameter of a layer; its own check says what it may be."""
        return self._with(key, lambda layer: replace(layer, shaper=with_field(layer.shaper, name, value)))

    def begin(self) -> None:
        """Start a draft from the chain as it stands."""
        with self.lock:
            if self.draft is None:
                ratio = self.session.pressure.target_ratio
                self.draft = Draft(self.standing(), self.session.mode, ratio, self.policy())
            self.tell()

    def discard(self) -> None:
        """Forget the draft."""
        with self.lock:
            self.draft = None
            self.tell()

    def adopt(self) -> None:
        """Put the draft in force.

        Raises:
            UsageProblem: there is none.
        """
        with self.lock:
            draft = self.draft
            if draft is None:
                raise UsageProblem("there is no draft any more: another panel used or discarded it")
            self.draft = None
            try:
                self.edit(lambda _layers: draft.layers, draft.policy)
                if draft.mode != self.session.mode:
                    self.session.use_mode(draft.mode)
                if draft.target_ratio != self.session.pressure.target_ratio:
                    self.session.use_target(draft.target_ratio)
            except BaseException:
                self.draft = draft
                raise

    def take_policy(self, name: str) -> None:
        """Fill the draft with the chain of a policy."""
        with self.lock:
            if self.draft is None:
                self.session.use(name)
                return
            summarizer = self.summarizer()
            if name == "summarize" and summarizer is None:  # as `session.use` does: of no use without one
                summarizer = ExtractiveSummarizer()
            shapers = default_pipeline(name, summarizer=summarizer).shapers
            self.draft.layers, self.draft.policy = self._keyed(shapers, self.draft.layers), name
            self.tell()

    def take_summarizer(self, summarizer: Any) -> None:
        """Set who writes summaries, in the draft while there is one."""
        with self.lock:
            if self.draft is None:
                self.session.use_summarizer(summarizer)
                return
            self.draft.layers = [
                replace(layer, shaper=replace(layer.shaper, summarizer=summarizer))
                if isinstance(layer.shaper, AutoCompactShaper)
                else layer
                for layer in self.draft.layers
            ]
            self.tell()

    def take_mode(self, mode: str) -> None:
        """Set sticky or stateless, in the draft while there is one."""
        with self.lock:
            if self.draft is None:
                self.session.use_mode(mode)
                return
            check_mode(mode)
            self.draft.mode = mode
            self.tell()

    def take_target(self, ratio: float) -> None:
        """Set the target's share of the trigger, in the draft while there is one."""
        with self.lock:
            if self.draft is None:
                self.session.use_target(ratio)
                return
            check_target(ratio)
            self.draft.target_ratio = ratio
            self.tell()

    def policy(self) -> str | None:
        """The policy of the chain that is shown; None for one made by hand.

        That is the draft, else the chain that waits for the next step, else the one in force.
        """
        session = self.session
        with self.lock:
            if self.draft is not None:
                return self.draft.policy
        waiting = [order for order, chain in session._bench.waiting if chain is not None]  # noqa: SLF001
        for order in reversed(waiting):
            for part in getattr(order, "args", ()):
                if isinstance(part, Chosen):
                    return part.policy
        return session.policy

    def summarizer(self) -> Any:
        """Who writes summaries in these layers, else in the session; None for nobody."""
        compact = [layer.shaper for layer in self.layers if isinstance(layer.shaper, AutoCompactShaper)]
        return next((s.summarizer for s in compact), self.session.summarizer)

    def _with(self, key: int, change: Callable[[Layer], Layer]) -> bool:
        return self.edit(lambda layers: [change(one) if one is found(layers, key) else one for one in layers])

    def _keyed(self, shapers: Iterable[Any], former: Iterable[Layer]) -> list[Layer]:
        """Layers of these shapers; one that stood there before keeps its key."""
        left = list(former)
        out = []
        for shaper in shapers:
            same = next((layer for layer in left if alike(layer.shaper, shaper)), None)
            if same is not None:
                left.remove(same)
            out.append(Layer(same.key if same else self._key(), shaper))
        return out

    def _key(self) -> int:
        self._last_key += 1
        return self._last_key


_EDITORS: WeakKeyDictionary[Any, ChainEditor] = WeakKeyDictionary()
_MAKING = threading.Lock()


def editor_of(session: Session) -> ChainEditor:
    """The one editor of a session."""
    with _MAKING:
        if session not in _EDITORS:
            _EDITORS[session] = ChainEditor(session)
        return _EDITORS[session]

"""A chain that belongs to no session, edited by the same editor as that of one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from opencollab_nb.compare.chains import name_for
from opencollab_nb.pressure.limits import TARGET_RATIO
from opencollab_nb.shaping import ShaperPipeline, default_pipeline, name_of
from opencollab_nb.views.editor import ChainEditor, editor_of
from opencollab_nb.views.lab import layer_row, summarizer_label
from opencollab_nb.views.state import POLICIES, policy_name


class Sketch:
    """What a chain editor asks of a session, without one: all edits go to a draft that is never adopted.

    Args:
        policy: the name of the policy to begin with; of no policy, a chain without layers.

    >>> sketch = Sketch("default")
    >>> sketch.name, sketch.shapers == "default"
    ('default', True)
    """

    pending = None
    summarizer = None
    model = None
    mode = "sticky"

    def __init__(self, policy: str) -> None:
        self.chain, self.policy = ShaperPipeline(), policy
        self.pressure = SimpleNamespace(target_ratio=TARGET_RATIO)
        self._bench = SimpleNamespace(waiting=())
        self.editor.begin()
        self.take_policy(policy)

    def take_policy(self, policy: str) -> None:
        """Begin again with the chain of a policy."""
        if policy in POLICIES:
            self.editor.take_policy(policy)
        self.policy = policy

    @property
    def editor(self) -> ChainEditor:
        """The one that edits it."""
        return editor_of(self)  # type: ignore[arg-type]

    @property
    def shapers(self) -> Any:
        """The chain for `compare`: the name of a policy that is as it comes, else the shapers that are on."""
        draft = self.editor.draft
        if draft is not None and draft.policy and self.editor.summarizer() is None:
            return draft.policy
        return self.editor.shapers() or None

    @property
    def name(self) -> str:
        """How the chain is called: by the policy that it began with, and what is not as there.

        >>> sketch = Sketch("no_history_compaction")
        >>> sketch.editor.set(sketch.editor.layers[0].key, "max_chars", 900)
        False
        >>> sketch.name
        'no_history_compaction, ToolResultBudgetShaper(max_chars=900)'
        """
        own = self.editor.shapers()
        usual = default_pipeline(self.policy).shapers if self.policy in POLICIES else ()
        other = [shaper for shaper in own if shaper not in usual]
        gone = {name_of(shaper) for shaper in usual} - {name_of(shaper) for shaper in own}
        if not own or not usual or len(gone) > len(usual) // 2:
            return name_for(own)
        parts = [self.policy, *map(name_for, other), *(f"without {name}" for name in sorted(gone))]
        return ", ".join(parts)

    @property
    def target_ratio(self) -> float | None:
        """The share of the trigger to work down to; None where it is the usual one."""
        draft = self.editor.draft
        return None if draft is None or draft.target_ratio == TARGET_RATIO else draft.target_ratio

    def state(self) -> dict[str, Any]:
        """What the editor's half in the browser shows."""
        editor = self.editor
        with editor.lock:
            draft = editor.draft
            ratio = draft.target_ratio if draft else TARGET_RATIO
            return {
                "layers": [layer_row(layer) for layer in editor.layers],
                "chosen_policy": policy_name(editor.policy()),
                "summarizer": summarizer_label(editor.summarizer()),
                "target_ratio": round(ratio, 3),
            }

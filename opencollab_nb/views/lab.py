"""What a panel knows beside the figures of a session: the map, the edited chain, rounds, problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import ranges
from opencollab_nb.shaping.fields import fields_of
from opencollab_nb.shaping.report import name_of
from opencollab_nb.views import labels
from opencollab_nb.views.editor import editor_of
from opencollab_nb.views.family import family_of
from opencollab_nb.views.known import known_shapers, known_summarizers
from opencollab_nb.views.layers import Layer
from opencollab_nb.views.live_map import LiveMap
from opencollab_nb.views.rows import History
from opencollab_nb.views.state import policy_name, saving_of

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_PINS = 200
SHOWN_KINDS = ("int", "float", "bool", "str", "choice", "set", "numbers")
MOST_TEXT_CHARS = 400
"""Of a parameter that is text; a longer one is changed in Python."""


class Lab:
    """Follows the events that the history of a panel has no use for. Not locked: its panel is."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.editor = editor_of(session)
        self.map = LiveMap(session)
        self.family = family_of(session)
        self.rounds = 0
        self.problems: dict[str, list[Any]] = {}
        self._rows: dict[tuple[int, bool, int], tuple[list[Any], Layer]] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Follow one event of the trace."""
        self.map.take(event)
        if event["kind"] != "session.history_compaction":
            return
        if event.get("problem"):
            self.problems[event["layer"]] = [event["step"], labels.clean(event["problem"], 300)]
        if event["tokens_before"] != event["tokens_after"]:
            self.rounds = max(self.rounds, event["n"])

    def state(self, history: History) -> dict[str, Any]:
        """Small plain values, so that only what changed is sent."""
        session, editor = self.session, self.editor
        with editor.lock:
            layers, draft = editor.layers, editor.draft
        names = {name_of(layer.shaper): layer.shaper for layer in layers}
        return {
            "layers": self._layers(layers),
            "saved": {name: saved for name, s in names.items() if (saved := saving_of(history, s))},
            "problems": {name: self.problems[name] for name in names if name in self.problems},
            "draft": draft.mode if draft else "",
            "chosen_policy": policy_name(editor.policy()),
            "summarizer": summarizer_label(editor.summarizer()),
            "target_ratio": round(draft.target_ratio if draft else session.pressure.target_ratio, 3),
            "known": list(known_shapers()),
            "known_summarizers": list(known_summarizers()),
            "pins": ranges(self.map.pinned)[:MOST_PINS],
            "rounds": self.rounds,
            "path": str(session.path),
            "family": self.family.rows(),
            "begun": self.family.step,
            "input_tokens": session.input_tokens_sent,
        }

    def _layers(self, layers: list[Layer]) -> list[list[Any]]:
        """Rows of layers; a layer that is looked at again and again is read once."""
        known = self._rows
        self._rows = {}
        out = []
        for layer in layers:
            mark = (layer.key, layer.on, id(layer.shaper))
            row, _held = known.get(mark) or (layer_row(layer), layer)
            self._rows[mark] = (row, layer)
            out.append(row)
        return out


def layer_row(layer: Layer) -> list[Any]:
    """One layer for the editor: key, name, layer, on, cannot act as it stands, words, fields."""
    shaper = layer.shaper
    return [
        layer.key,
        labels.clean(labels.human(name_of(shaper)), 60),
        name_of(shaper),
        int(layer.on),
        int(labels.is_off(shaper)),
        labels.clean(labels.words(shaper), 120),
        [field_row(field) for field in fields_of(shaper) if field.kind in SHOWN_KINDS],
    ]


def field_row(field: Any) -> list[Any]:
    """One parameter: name, kind, value, default, least value, what it may be chosen from, may be empty."""
    value, default = (_plain(v) for v in (field.value, field.default))
    return [field.name, field.kind, value, default, field.minimum, list(field.options), int(field.optional)]


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return list(map(str, value))
    if isinstance(value, (set, frozenset)):
        return list(map(str, sorted(value)))
    return value[:MOST_TEXT_CHARS] if isinstance(value, str) else value


def summarizer_label(summarizer: Any) -> list[str]:
    """Kind and words: `none`, `extractive`, `model`, else the summarizer's own name."""
    if summarizer is None:
        return ["none", "none"]
    kind = {"ExtractiveSummarizer": "extractive", "ModelSummarizer": "model"}.get(name_of(summarizer))
    if kind == "model":
        return ["model", labels.clean(labels.model_label(getattr(summarizer, "model", None)), 60)]
    name = labels.clean(name_of(summarizer), 60)
    return [kind or name, labels.clean(labels.summarizer_name(summarizer), 60)]

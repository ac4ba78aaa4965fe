"""The widgets of a compare panel: its page, and a place below for a figure that was asked for."""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from opencollab_nb.views.compare_widget import CompareWidget
from opencollab_nb.views.exchange import Exchange, Speaker


class CompareLive:
    """Holds the widgets and what passes between them and the panel."""

    def __init__(self, panel: Speaker) -> None:
        self.widget = CompareWidget()
        self.below = ipywidgets.Output()
        self.box = ipywidgets.VBox([self.widget, self.below])
        self.exchange = Exchange(self.widget, panel)

    def bundle(self) -> dict[str, Any]:
        """What a front end needs to show them; text for those that cannot."""
        made = self.box._repr_mimebundle_() or {}
        bundle = dict(made[0] if isinstance(made, tuple) else made)
        bundle.pop("text/html", None)
        bundle["text/plain"] = repr(self.widget)
        return bundle

    def show(self, bundle: dict[str, Any]) -> None:
        """One output below the page, in the place of the one before."""
        # Set as a trait: the widget's context manager does not work from other threads.
        self.below.outputs = ({"output_type": "display_data", "data": bundle, "metadata": {}},)

    def close(self) -> None:
        """Close all of them, with their layouts."""
        self.exchange.close()
        for one in (self.below, self.box):
            one.layout.close()
            one.close()

"""A plotly figure that leaves something to read where plotly is not drawn."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from opencollab_nb.views.tables import Table

DRAWN = "application/vnd.plotly.v1+json"


class RunFigure(go.Figure):
    """A figure with a table behind it: GitHub, nbconvert and a terminal show the table."""

    # A figure's own way of display publishes its JSON alone, which those three show as nothing.
    _ipython_display_ = None
    fallback: Table | None = None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **wanted: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(include, exclude, **wanted) or {}
        if self.fallback is not None:
            if DRAWN in bundle:  # where that is not drawn, the table is better than five megabytes of script
                bundle["text/html"] = self.fallback.html()
            bundle.setdefault("text/html", self.fallback.html())
            bundle["text/plain"] = str(self.fallback)
        return bundle

    def _repr_html_(self) -> str | None:
        return self.fallback.html() if self.fallback is not None else super()._repr_html_()

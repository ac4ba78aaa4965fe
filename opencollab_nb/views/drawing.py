"""What all figures are drawn on, and text that plotly takes as text."""

from __future__ import annotations

from typing import Any

from opencollab_nb.errors import UsageProblem


def drawing() -> Any:
    """The graph objects of plotly.

    Raises:
        UsageProblem: plotly cannot be imported.
    """
    try:
        import plotly.graph_objects as go
    except ImportError as missing:
        raise UsageProblem(
            "figures are drawn with plotly, which cannot be imported: %pip install plotly"
        ) from missing
    return go


def axis_of(look: dict[str, Any]) -> dict[str, Any]:
    """An axis in the colours of a theme."""
    return {"gridcolor": look["grid"], "zerolinecolor": look["grid"], "linecolor": look["text"]}


def ground(title: str, look: dict[str, Any]) -> dict[str, Any]:
    """What the layout of every figure has: title, letters and colours of a theme."""
    return {
        "template": "none",
        "title": {"text": plain(title), "font": {"size": 15}, "x": 0.01, "xanchor": "left"},
        "paper_bgcolor": look["paper"],
        "plot_bgcolor": look["paper"],
        "font": {"color": look["text"], "family": "system-ui, sans-serif", "size": 12},
        "hoverlabel": {"bgcolor": look["paper"], "font": {"color": look["text"]}},
    }


def blank(title: str, look: dict[str, Any], tokens_of: str) -> Any:
    """A figure without curves, in the colours of a theme."""
    from opencollab_nb.views.run_figure import RunFigure

    axis = axis_of(look)
    return RunFigure(
        layout={
            **ground(title, look),
            "colorway": look["marks"][1:],
            "hovermode": "x unified",
            "xaxis": {**axis, "title": {"text": "step"}},
            "yaxis": {**axis, "title": {"text": tokens_of}, "tickformat": ",", "rangemode": "tozero"},
            "legend": {"orientation": "h", "y": -0.2, "traceorder": "normal"},
            "showlegend": True,
            "margin": {"l": 70, "r": 20, "t": 70, "b": 80},
            "height": 420,
        }
    )


def plain(text: str) -> str:
    """The text for plotly, which reads a little HTML in titles and labels.

    >>> plain("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Figures of a run, made when asked for: plain plotly figures, nothing live.

Each figure brings its own background, that of the page it is made for: a figure is kept as it was drawn,
and no one colour of text can be read on light and dark grounds alike. It keeps a table as text and HTML for
places that draw no plotly (GitHub, nbconvert, a terminal).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.compare_figures import (
    compare_cost,
    compare_layers,
    compare_prefix,
    compare_pressure,
    compare_tokens,
)
from opencollab_nb.views.drawing import blank, drawing, plain
from opencollab_nb.views.labels import CATEGORIES, CATEGORY_NAMES, clean, human, short
from opencollab_nb.views.survival_figures import prediction_figure, survival_figure
from opencollab_nb.views.tables import Table, bounded
from opencollab_nb.views.text import head
from opencollab_nb.views.theme import look_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = [
    "branches_figure",
    "compare_cost",
    "compare_layers",
    "compare_prefix",
    "compare_pressure",
    "compare_tokens",
    "layers_figure",
    "prediction_figure",
    "pressure_figure",
    "survival_figure",
]

LETTER_RATIO = 0.008
"""Width of a letter as a share of the plot's, to keep labels apart."""
MOST_NAME_CHARS = 60
LIMITS = (("window", "solid"), ("trigger", "dash"), ("target", "dot"))


def pressure_figure(run: Any, *, theme: str | None = None) -> Figure:
    """Tokens of each request by category, with window, trigger and target, layers that acted and swaps.

    Args:
        run: a session, or its trace.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: no request was sent yet.
    """
    go = drawing()

    events = _events(run)
    requests = _by_step(events)
    steps = list(requests)
    title = _title("Context pressure", events)
    look = look_of(theme)
    figure = blank(title, look, "tokens of the request")
    for category, colour in zip(CATEGORIES, look["marks"], strict=True):
        tokens = [requests[step]["by_category"].get(category, 0) for step in steps]
        if any(tokens):
            figure.add_trace(
                go.Scatter(
                    x=steps,
                    y=tokens,
                    name=CATEGORY_NAMES[category],
                    stackgroup="request",
                    mode="lines",
                    line={"width": 0.5, "color": colour},
                    fillcolor=colour,
                    hovertemplate="%{y:,} tokens",
                )
            )
    for limit, dash in LIMITS:
        values = [requests[step][limit] for step in steps]
        line = {"dash": dash, "color": look["text"], "width": 1.5, "shape": "hv"}
        if any(values):
            figure.add_trace(go.Scatter(x=steps, y=values, name=limit, mode="lines", line=line))
    _mark_layers(figure, events, requests, look)
    for step, swaps in _swaps(events).items():
        label = {"text": plain(head(swaps, 40)), "yref": "paper", "y": 1, "yanchor": "bottom", "x": step}
        figure.add_vline(x=step, line={"dash": "dot", "color": look["text"], "width": 1})
        figure.add_annotation(showarrow=False, xanchor="center", **label)
    figure.fallback = _table(
        title, ("step", "tokens sent", "trigger", "what happened"), _rows(events, requests)
    )
    return figure


def layers_figure(run: Any, *, theme: str | None = None) -> Figure:
    """Tokens that each layer took out of the view, by step.

    Args:
        run: a session, or its trace.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: no request was sent yet.
    """
    go = drawing()

    events = _events(run)
    requests = _by_step(events)
    title = _title("Tokens removed by each layer", events)
    figure = blank(title, look_of(theme), "tokens removed")
    saved: dict[str, dict[int, int]] = {}
    for event in events:
        if event["kind"] == "session.history_compaction":
            of_layer = saved.setdefault(event["layer"], {})
            removed = event["tokens_before"] - event["tokens_after"]
            of_layer[event["step"]] = of_layer.get(event["step"], 0) + removed
    for layer, by_step in saved.items():
        steps = list(by_step)
        figure.add_trace(
            go.Bar(
                x=steps, y=list(by_step.values()), name=plain(clean(human(layer), MOST_NAME_CHARS)), width=0.8
            )
        )
    figure.update_layout(barmode="stack")
    figure.update_xaxes(range=[min(requests) - 0.5, max(requests) + 0.5])
    cells = sorted(
        (step, clean(human(layer), MOST_NAME_CHARS), tokens)
        for layer, by in saved.items()
        for step, tokens in by.items()
    )
    rows: list[tuple[object, ...]] = [*cells]
    figure.fallback = _table(title, ("step", "layer", "tokens removed"), rows)
    return figure


def _events(run: Any) -> list[dict[str, Any]]:
    trace = getattr(run, "trace", run)
    events: list[dict[str, Any]] = list(trace.stored)
    return events


def _by_step(events: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The last request of each step: after an overflow it is sent again, shorter."""
    requests = {event["step"]: event for event in events if event["kind"] == "request"}
    if not requests:
        raise UsageProblem("nothing to draw yet: no request was sent; take a step first")
    return requests


def _title(what: str, events: list[dict[str, Any]]) -> str:
    start = next((event for event in events if event["kind"] == "start"), {})
    model = str(start.get("model") or "")
    who = f"simulated · {model}" if start.get("simulated") and "simulated" not in model.lower() else model
    return " · ".join(head(text, 90) for text in (what, start.get("session"), who) if text)


def branches_figure(session: Any, *, theme: str | None = None) -> Figure:
    """The pressure of a run and of its branches over each other, with the trigger and where each begins.

    Args:
        session: the run; also a branch, with the run it was begun from.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: no request was sent yet.
    """
    from opencollab_nb.views.branch_view import BranchTable

    return BranchTable.of(session).figure(theme=theme)


def _mark_layers(
    figure: Any, events: list[dict[str, Any]], requests: dict[int, Any], look: dict[str, Any]
) -> None:
    """One mark a step with all layers that acted there, named where there is room, else in the hover."""
    go = drawing()

    acted: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["kind"] == "session.history_compaction" and event["step"] in requests:
            acted.setdefault(event["step"], []).append(event)
    if not acted:
        return
    figure.add_trace(
        go.Scatter(
            x=list(acted),
            y=[requests[step]["tokens"] for step in acted],
            name="a layer acted",
            mode="markers",
            marker={
                "symbol": "triangle-down",
                "size": 10,
                "color": look["text"],
                "line": {"color": look["paper"], "width": 1},
            },
            customdata=["<br>".join(plain(_saving(event)) for event in found) for found in acted.values()],
            hovertemplate="%{customdata}",
        )
    )
    free_from = 0.0
    for step, found in acted.items():
        names = ", ".join(dict.fromkeys(clean(short(event["layer"]), MOST_NAME_CHARS) for event in found))
        if step >= free_from:
            # Over the areas only a background of its own keeps the text readable in both themes.
            label = {"text": plain(names), "bgcolor": look["paper"], "yshift": 16, "showarrow": False}
            figure.add_annotation(x=step, y=requests[step]["tokens"], **label)
            free_from = step + len(requests) * (len(names) + 1) * LETTER_RATIO


def _saving(event: dict[str, Any]) -> str:
    layer = clean(human(event["layer"]), MOST_NAME_CHARS)
    text = f"{layer}: {event['tokens_before']:,} to {event['tokens_after']:,} tokens"
    return f"{text} ({head(event['problem'], 80)})" if event.get("problem") else text


def _table(title: str, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> Table:
    first, left_out, last = bounded(rows)
    notes = [f"{left_out} rows in between are left out"] if left_out else []
    return Table(header, [*first, *last], title, notes)


def _swaps(events: list[dict[str, Any]]) -> dict[int, str]:
    """What was swapped, by the step from which it holds."""
    found: dict[int, list[str]] = {}
    for event in events:
        if event["kind"] == "swap":
            name = f"policy {event['policy']}" if event["what"] == "policy" else f"new {event['what']}"
            found.setdefault(event["from_step"], []).append(name)
    return {step: ", ".join(dict.fromkeys(reversed(names))) for step, names in found.items()}


def _rows(events: list[dict[str, Any]], requests: dict[int, Any]) -> list[tuple[object, ...]]:
    """What the figure shows, a row a step."""
    acted: dict[int, list[str]] = {}
    for event in events:
        if event["kind"] == "session.history_compaction":
            acted.setdefault(event["step"], []).append(clean(short(event["layer"]), MOST_NAME_CHARS))
    for step, swaps in _swaps(events).items():
        acted.setdefault(step, []).insert(0, swaps)
    return [
        (step, request["tokens"], request["trigger"], ", ".join(acted.get(step, [])))
        for step, request in requests.items()
    ]

"""Figures of a comparison: one curve for each chain and mode, over the steps of one transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.drawing import blank, drawing, plain
from opencollab_nb.views.labels import clean, short
from opencollab_nb.views.tables import Table
from opencollab_nb.views.theme import look_of

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from plotly.graph_objects import Figure

DASHES = {"sticky": "solid", "stateless": "dot"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross")
_NAME_CHARS = 48
_HIGHEST_WINDOWS = 2
_SPREAD = 0.14
"""How far the marks of two layers at one step stand apart, in rows."""


class Curve(NamedTuple):
    """The rows of one chain in one mode, and how they are drawn."""

    name: str
    rows: DataFrame
    colour: str
    dash: str


def compare_pressure(
    frame: DataFrame, *, transcript: str | None = None, window: int | None = None, theme: str | None = None
) -> Figure:
    """Tokens of each request under each chain, with trigger and window, and what would have overflowed.

    Args:
        frame: what `compare` gave.
        transcript: which, by its name; None for the first.
        window: which, in tokens; None for the first.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: the frame is no comparison, or has no such transcript or window.
    """
    go = drawing()

    part, look = _part(frame, transcript, window), look_of(theme)
    figure = _lines("Context pressure", part, look, "tokens of the request", lambda rows: rows["tokens"])
    for curve in _curves(part, look):
        refused = curve.rows[~curve.rows["fits"].astype(bool)]
        if len(refused):
            told = f"{curve.name}: {len(refused):,} requests over the window, the first at step %{{x}}"
            mark = {"symbol": "x", "size": 10, "color": curve.colour}
            mark["line"] = {"width": 1, "color": look["paper"]}
            figure.add_trace(
                go.Scatter(
                    x=[int(refused["step"].iloc[0])],
                    y=[int(refused["tokens"].iloc[0])],
                    name="over the window from here on",
                    mode="markers",
                    marker=mark,
                    showlegend=False,
                    hovertemplate=told,
                )
            )
    first = part.iloc[0]
    _limit(figure, look, "trigger", int(first["trigger"]), "dash")
    if first["window"] is not None and first["window"] == first["window"]:
        _limit(figure, look, "window", int(first["window"]), "solid")
        # What overflows many times would press all that fits to the ground; its size is in the table.
        highest = min(int(part["tokens"].max()), _HIGHEST_WINDOWS * int(first["window"]))
        figure.update_yaxes(range=[0, 1.05 * max(highest, int(first["window"]))])
    return _with_table(figure, part, ("largest request", "over the window"), _largest)


def compare_tokens(
    frame: DataFrame, *, transcript: str | None = None, window: int | None = None, theme: str | None = None
) -> Figure:
    """Input tokens sent so far under each chain; see `compare_pressure` for the arguments."""
    part, look = _part(frame, transcript, window), look_of(theme)
    figure = _lines("Tokens sent", part, look, "input tokens so far", lambda rows: rows["cumulative_tokens"])
    figure.update_yaxes(tickformat="~s")
    return _with_table(figure, part, ("tokens sent", "lost messages"), _sent)


def compare_prefix(
    frame: DataFrame, *, transcript: str | None = None, window: int | None = None, theme: str | None = None
) -> Figure:
    """The share of all input so far that is a beginning shared with the request before.

    A provider's cache can serve no more than that. See `compare_pressure` for the arguments.
    """
    part, look = _part(frame, transcript, window), look_of(theme)
    figure = _lines("Prefix kept", part, look, "share of the input so far", _kept_share)
    figure.update_yaxes(tickformat=".0%", range=[0, 1])
    return _with_table(
        figure, part, ("prefix kept, %",), lambda rows: (round(100 * _kept_share(rows).iloc[-1]),)
    )


def compare_cost(
    frame: DataFrame, *, transcript: str | None = None, window: int | None = None, theme: str | None = None
) -> Figure:
    """Dollars so far under each chain; see `compare_pressure` for the arguments.

    Raises:
        UsageProblem: no prices were known.
    """
    part, look = _part(frame, transcript, window), look_of(theme)
    if part["dollars"].isna().all():
        raise UsageProblem("no prices are known here: give compare() a model, or prices={'input': ..., ...}")
    figure = _lines("Cost", part, look, "dollars so far", lambda rows: rows["cumulative_dollars"])
    figure.update_yaxes(tickformat="$,.2f")
    return _with_table(
        figure, part, ("dollars",), lambda rows: (f"{rows['cumulative_dollars'].iloc[-1]:,.2f}",)
    )


def compare_layers(
    frame: DataFrame, *, transcript: str | None = None, window: int | None = None, theme: str | None = None
) -> Figure:
    """At which steps which layers acted under each chain; see `compare_pressure` for the arguments."""
    go = drawing()

    part, look = _part(frame, transcript, window), look_of(theme)
    figure = blank(_title("Layers that acted", part), look, "")
    figure.update_layout(hovermode="closest")
    curves = list(_curves(part, look))
    names = list(dict.fromkeys(name for cell in part["layers"] for name in cell.split(", ") if name))
    for at, layer in enumerate(names):
        points = [
            (step, place + _SPREAD * (at - (len(names) - 1) / 2), removed)
            for place, curve in enumerate(curves)
            for step, told, removed in zip(
                curve.rows["step"], curve.rows["layers"], curve.rows["removed_tokens"], strict=True
            )
            if layer in told.split(", ")
        ]
        figure.add_trace(
            go.Scatter(
                x=[step for step, _, _ in points],
                y=[place for _, place, _ in points],
                customdata=[removed for _, _, removed in points],
                name=plain(clean(short(layer), 40)),
                mode="markers",
                marker={"symbol": SYMBOLS[at % len(SYMBOLS)], "size": 6},
                hovertemplate="step %{x}: %{customdata:,} tokens removed by all layers",
            )
        )
    ticks = {"tickvals": list(range(len(curves))), "ticktext": [curve.name for curve in curves]}
    figure.update_yaxes(range=[len(curves) - 0.5, -0.5], automargin=True, zeroline=False, **ticks)
    figure.update_xaxes(range=[part["step"].min() - 1, part["step"].max() + 1])
    figure.update_layout(height=max(280, 180 + 44 * len(curves)))
    return _with_table(figure, part, ("requests that layers changed", "tokens removed"), _acted)


def _lines(
    title: str, part: DataFrame, look: dict[str, Any], axis: str, values: Callable[[DataFrame], Series[Any]]
) -> Any:
    go = drawing()

    figure, curves = blank(_title(title, part), look, axis), list(_curves(part, look))
    for curve in curves:
        figure.add_trace(_line(go, curve, values(curve.rows)))
    # The legend stands under the name of the axis and gets the room that it needs.
    rows = -(-len(curves) // 3)
    figure.update_layout(hovermode="closest", height=420 + 20 * rows, margin={"b": 90 + 20 * rows})
    figure.update_layout(legend={"yref": "container", "y": 0.02, "yanchor": "bottom"})
    figure.update_xaxes(range=[part["step"].min() - 1, part["step"].max() + 1])
    figure.update_yaxes(automargin=True)
    return figure


def _line(go: Any, curve: Curve, values: Any) -> Any:
    line = {"color": curve.colour, "dash": curve.dash, "width": 2}
    return go.Scatter(x=list(curve.rows["step"]), y=list(values), name=curve.name, mode="lines", line=line)


def _limit(figure: Any, look: dict[str, Any], name: str, tokens: int, dash: str) -> None:
    figure.add_hline(y=tokens, line={"dash": dash, "color": look["text"], "width": 1.2})
    label = {"text": f"{name}<br>{tokens:,}", "font": {"size": 11}, "align": "left"}
    place = {"x": 1.005, "xref": "paper", "xanchor": "left", "y": tokens, "yanchor": "middle"}
    figure.add_annotation(showarrow=False, **place, **label)
    figure.update_layout(margin={"r": 80})


def _part(frame: DataFrame, transcript: str | None, window: int | None) -> DataFrame:
    """The rows of one transcript and window.

    Raises:
        UsageProblem: the frame is no comparison, or has no such rows.
    """
    missing = [name for name in ("transcript", "chain", "mode", "window", "step") if name not in frame]
    if missing or not len(frame):
        raise UsageProblem(
            f"no comparison: the frame has no {missing[0] if missing else 'rows'}; give it compare()"
        )
    for name, given in (("transcript", transcript), ("window", window)):
        known = list(dict.fromkeys(frame[name]))
        if given is None:
            first = frame[name].iloc[0]
            frame = (
                frame[frame[name].isna()] if first is None or first != first else frame[frame[name] == first]
            )
        elif given in known:
            frame = frame[frame[name] == given]
        else:
            told = ", ".join(repr(one) if isinstance(one, str) else str(one) for one in known[:8])
            raise UsageProblem(f"the comparison has no {name} {given!r}; it has {told}")
    return frame


def _curves(part: DataFrame, look: dict[str, Any]) -> Iterator[Curve]:
    chains, modes = list(dict.fromkeys(part["chain"])), list(dict.fromkeys(part["mode"]))
    colours = look["marks"][1:]
    for at, chain in enumerate(chains):
        for mode in modes:
            rows = part[(part["chain"] == chain) & (part["mode"] == mode)]
            if len(rows):
                name = plain(clean(chain, _NAME_CHARS)) + (f" · {mode}" if len(modes) > 1 else "")
                # Colours come round again after the sixth chain; dashes then tell them apart.
                dash = DASHES.get(mode, "dash") if at < len(colours) else "longdash"
                yield Curve(name, rows, colours[at % len(colours)], dash)


def _title(what: str, part: DataFrame) -> str:
    first = part.iloc[0]
    window = first["window"]
    told = "" if window is None or window != window else f"{int(window):,} tokens of window"
    modes = list(dict.fromkeys(part["mode"]))
    return " · ".join(
        text
        for text in (what, clean(first["transcript"], 60), told, "" if len(modes) > 1 else modes[0])
        if text
    )


def _with_table(
    figure: Any, part: DataFrame, header: tuple[str, ...], cells: Callable[[DataFrame], tuple[object, ...]]
) -> Any:
    """The figure, with what it shows at its end as a table."""
    rows = []
    for (chain, mode), of_one in part.groupby(["chain", "mode"], sort=False):
        rows.append((clean(chain, 90), mode, len(of_one), *cells(of_one)))
    title = figure.layout.title.text
    figure.fallback = Table(("chain", "mode", "requests", *header), rows, title)
    return figure


def _largest(rows: DataFrame) -> tuple[object, ...]:
    return int(rows["tokens"].max()), int((~rows["fits"].astype(bool)).sum())


def _sent(rows: DataFrame) -> tuple[object, ...]:
    return int(rows["cumulative_tokens"].iloc[-1]), int(rows["lost_messages"].iloc[-1])


def _acted(rows: DataFrame) -> tuple[object, ...]:
    return int((rows["layers"] != "").sum()), int(rows["removed_tokens"].sum())


def _kept_share(rows: DataFrame) -> Series[Any]:
    return rows["prefix_kept_tokens"].cumsum() / rows["tokens"].cumsum().clip(lower=1)

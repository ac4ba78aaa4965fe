"""Figures of what survives by kind and age, and of how well the next request is predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.compare.probes import KINDS
from opencollab_nb.compare.survival import AGES
from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.drawing import axis_of, blank, drawing, plain
from opencollab_nb.views.labels import clean
from opencollab_nb.views.tables import Table
from opencollab_nb.views.theme import look_of

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

PLACES = {
    "verbatim": "word for word",
    "summary": "only in a summary",
    "pointer": "behind a pointer",
    "gone": "gone",
}
"""Where a fact may be, and how that is said."""
MOST_CHAINS = 6
MEDIAN, NINTH = 0.05, 0.15
"""What the middle request and nine of ten are to be predicted within."""
_ROW_ORDER = {"kind": KINDS, "age": [name for _, name in AGES]}
_ROWS = {"kind": "kind of fact", "age": "steps since it was said"}


def survival_figure(
    frame: DataFrame, *, transcript: str | None = None, mode: str | None = None, theme: str | None = None
) -> Figure:
    """Where facts are, as shares of all requests, by kind and by age, a column a chain.

    Args:
        frame: what `what_survives` gave.
        transcript: which, by its name; None for all together.
        mode: which; None for the first.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: the frame is none of `what_survives`, or has no such rows.
    """
    go = drawing()

    from plotly.subplots import make_subplots

    missing = [name for name in (*PLACES, *_ROWS, "probes", "chain", "mode") if name not in frame]
    if missing or not len(frame):
        raise UsageProblem("nothing to draw: give the frame of what_survives(), with a row in it")
    mode = mode or str(frame["mode"].iloc[0])
    part = frame[frame["mode"] == mode]
    part = part if transcript is None else part[part["transcript"] == transcript]
    if not len(part):
        raise UsageProblem(f"no rows of the transcript {transcript!r} in the mode {mode!r}")
    chains = list(dict.fromkeys(part["chain"]))
    look = look_of(theme)
    names = [clean(name, 60) for name in dict.fromkeys(part["transcript"])]
    told = names[0] if len(names) == 1 else f"{len(names)} transcripts"
    shown = chains[:MOST_CHAINS]
    figure = blank(f"What survives · {told} · {mode}", look, "")
    grid = make_subplots(
        rows=2,
        cols=len(shown),
        shared_yaxes=True,
        vertical_spacing=0.16,
        horizontal_spacing=0.03,
        subplot_titles=[plain(clean(chain, 88 // len(shown))) for chain in shown],
    )
    figure.update_layout(**{name: grid.layout[name] for name in grid.layout if "axis" in name})
    figure.update_layout(annotations=grid.layout.annotations)
    colours = _colours(look)
    for column, chain in enumerate(shown, 1):
        rows = part[part["chain"] == chain]
        for row, by in enumerate(_ROWS, 1):
            sums = rows.groupby(by)[["probes", *PLACES]].sum()
            sums = sums.loc[[name for name in _ROW_ORDER[by] if name in sums.index]]
            for place, words in PLACES.items():
                figure.add_trace(
                    go.Bar(
                        x=list(sums[place] / sums["probes"]),
                        y=list(sums.index),
                        name=words,
                        legendgroup=place,
                        showlegend=row == column == 1,
                        orientation="h",
                        marker={"color": colours[place], "line": {"width": 0}},
                        hovertemplate=f"%{{y}}: %{{x:.0%}} {words}<extra></extra>",
                        **_axes(row, column, len(shown)),
                    )
                )
    axis = axis_of(look)
    figure.update_xaxes(range=[0, 1], tickformat=".0%", title=None, tickvals=[0, 0.5], **axis)
    figure.update_yaxes(type="category", autorange="reversed", title=None, tickformat=None, **axis)
    figure.update_layout(
        barmode="stack",
        hovermode="closest",
        height=560,
        annotations=[{**note.to_plotly_json(), "font": {"size": 13}} for note in figure.layout.annotations],
        margin={"t": 90, "l": 110},
        legend={"orientation": "h", "y": -0.1, "traceorder": "normal"},
    )
    _name_rows(figure, len(shown))
    figure.fallback = _table(figure.layout.title.text, part, chains)
    return figure


def prediction_figure(frame: DataFrame, *, theme: str | None = None) -> Figure:
    """The distribution of how far predicted input was from what was reported, a curve a transcript.

    Args:
        frame: what `predictions` gave.
        theme: `light` or `dark`, the figure's own background; None for that of the page that shows a panel.

    Raises:
        UsageProblem: the frame is none of `predictions`.
    """
    go = drawing()

    if "error_ratio" not in frame or not len(frame):
        raise UsageProblem("nothing to draw: give the frame of predictions(), with a row in it")
    look = look_of(theme)
    title = "Predicted against reported input, next request"
    figure = blank(title, look, "share of the requests")
    rows: list[tuple[object, ...]] = []
    for at, (name, of_one) in enumerate(frame.groupby("transcript", sort=False)):
        errors = of_one["error_ratio"].abs().sort_values()
        count = len(errors)
        told = clean(name, 44)
        figure.add_trace(
            go.Scatter(
                x=[0.0, *errors],
                y=[0.0, *((n + 1) / count for n in range(count))],
                name=plain(f"{told} ({count})"),
                mode="lines",
                line={"shape": "hv", "width": 2, "color": look["marks"][1:][at % 6]},
                hovertemplate="%{y:.0%} of the requests within %{x:.2%}",
            )
        )
        percents = (f"{100 * errors.quantile(q):.2f}" for q in (0.5, 0.9, 1))
        rows.append((told, count, *percents))
    for share, limit in ((0.5, MEDIAN), (0.9, NINTH)):
        mark = {"symbol": "line-ns", "size": 18, "line": {"width": 2, "color": look["text"]}}
        figure.add_trace(
            go.Scatter(
                x=[limit],
                y=[share],
                mode="markers+text",
                marker=mark,
                showlegend=False,
                text=[f" {share:.0%} within {limit:.0%}"],
                textposition="middle right",
                hoverinfo="skip",
            )
        )
    figure.update_xaxes(title={"text": "error, of what was reported"}, tickformat=".0%", range=[0, 0.25])
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02])
    figure.update_layout(hovermode="closest", height=460, legend={"y": -0.25})
    header = ("transcript", "requests", "median, %", "nine of ten within, %", "largest, %")
    figure.fallback = Table(header, rows, title)
    return figure


def _colours(look: dict[str, Any]) -> dict[str, str]:
    blue, _, green, sky = look["marks"][1:5]
    return {"verbatim": blue, "summary": green, "pointer": sky, "gone": look["grid"]}


def _axes(row: int, column: int, columns: int) -> dict[str, str]:
    number = (row - 1) * columns + column
    own = "" if number == 1 else str(number)
    return {"xaxis": f"x{own}", "yaxis": f"y{own}"}


def _name_rows(figure: Any, columns: int) -> None:
    """What the upper and the lower rows are by, above the left ones."""
    for row, words in enumerate(_ROWS.values(), 1):
        axis = _axes(row, 1, columns)["yaxis"].replace("y", "yaxis")
        figure.layout[axis].title = {"text": words}


def _table(title: str, part: DataFrame, chains: list[str]) -> Table:
    rows: list[tuple[object, ...]] = []
    for chain in chains:
        of_one = part[part["chain"] == chain]
        for kind, of_kind in of_one.groupby("kind", sort=False):
            total = of_kind["probes"].sum()
            shares = (round(100 * of_kind[place].sum() / total) for place in PLACES)
            needed = (int(of_kind[name].sum()) for name in ("needed", "needed_gone", "needed_pointer"))
            rows.append((clean(chain, 60), kind, *shares, *needed))
    header = ("chain", "kind", *(f"{words}, %" for words in PLACES.values()))
    return Table((*header, "needed", "and gone", "and behind a pointer"), rows, title)

"""Figures on request."""

from __future__ import annotations

import json
from itertools import pairwise

import plotly.graph_objects as go
import pytest

from opencollab_nb import figures
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.trace import Trace
from opencollab_nb.views.theme import THEMES, page_is

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def traced(*, session: str = "quick", steps: int = 12) -> Trace:
    trace = Trace()
    trace.add("start", 0, session=session, model="simulated agent, profile plain, seed 7", simulated=True)
    for step in range(1, steps + 1):
        if step % 5 == 0:
            for layer in ("ToolOutputClearShaper", "OldHistorySnipShaper"):
                facts = {"tokens_before": 900, "tokens_after": 500, "problem": None}
                trace.add("session.history_compaction", step, layer=layer, **facts)
        if step == 6:
            trace.add("swap", step, what="policy", policy="summarize", from_step=7)
        limits = {"window": 1600, "trigger": 1000, "target": 750}
        by_category = {"system": 100, "task": 50, "tool": step * 10}
        trace.add("request", step, tokens=150 + step * 10, by_category=by_category, **limits)
    return trace


def named(figure: go.Figure) -> dict[str, object]:
    return {trace.name: trace for trace in figure.data}


def test_the_areas_of_a_step_add_up_to_its_request() -> None:
    trace = traced()
    figure = figures.pressure_figure(trace)
    areas = [t for t in figure.data if t.stackgroup]
    assert [sum(column) for column in zip(*(a.y for a in areas), strict=True)] == [
        e["tokens"] for e in trace.of("request")
    ]


def test_limits_layers_and_swaps_are_drawn() -> None:
    figure = figures.pressure_figure(traced())
    found = named(figure)
    assert {"window", "trigger", "target", "a layer acted"} <= set(found)
    assert list(found["a layer acted"].x) == [5, 10]
    assert figure.layout.shapes[0].x0 == 7
    texts = [(note.x, note.text) for note in figure.layout.annotations]
    assert texts == [(5, "clear, snip"), (10, "clear, snip"), (7, "policy summarize")]


def test_labels_of_layers_keep_apart() -> None:
    trace = traced(steps=400)
    figure = figures.pressure_figure(trace)
    assert len(named(figure)["a layer acted"].x) == 80
    assert len(figure.layout.annotations) < 20


def test_removed_tokens_are_added_up_by_layer_and_step() -> None:
    figure = figures.layers_figure(traced())
    assert {trace.name: list(trace.y) for trace in figure.data} == {
        "Clear old results": [400, 400],
        "Snip old groups": [400, 400],
    }


@pytest.mark.parametrize("make", [figures.pressure_figure, figures.layers_figure])
def test_a_simulated_run_says_so_with_profile_and_seed(make: object) -> None:
    title = make(traced()).layout.title.text
    assert "simulated" in title
    assert "profile plain, seed 7" in title


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_text_on_its_own_background_has_contrast(theme: str) -> None:
    layout = figures.pressure_figure(traced(), theme=theme).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor
    assert contrast(layout.font.color, layout.paper_bgcolor) >= 4.5


def test_a_figure_has_the_theme_of_the_page_unless_one_is_asked_for() -> None:
    try:
        page_is(True)
        assert figures.pressure_figure(traced()).layout.paper_bgcolor == THEMES["dark"]["paper"]
        assert figures.layers_figure(traced()).layout.paper_bgcolor == THEMES["dark"]["paper"]
        light = figures.pressure_figure(traced(), theme="light")
        assert light.layout.paper_bgcolor == THEMES["light"]["paper"]
    finally:
        page_is(False)


def test_an_unknown_theme_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'dark'"):
        figures.pressure_figure(traced(), theme="drak")


def test_a_run_without_a_request_is_said_to_have_none() -> None:
    with pytest.raises(UsageProblem, match="take a step first"):
        figures.pressure_figure(Trace())


def test_hostile_names_are_text() -> None:
    figure = figures.pressure_figure(traced(session=HOSTILE))
    assert "<img" not in figure.layout.title.text
    bundle = figure._repr_mimebundle_()
    assert "<img" not in bundle["text/html"]
    assert "\u202e" not in json.dumps(bundle, ensure_ascii=False)


def test_a_figure_leaves_a_table_where_plotly_is_not_drawn() -> None:
    bundle = figures.pressure_figure(traced())._repr_mimebundle_()
    assert "clear, snip" in bundle["text/plain"]
    assert "<table" in bundle["text/html"]


def test_a_long_run_leaves_a_bounded_table() -> None:
    text = figures.pressure_figure(traced(steps=500)).fallback
    assert len(str(text).splitlines()) < 70
    assert "rows in between are left out" in str(text)


def test_the_figure_is_a_plain_plotly_figure() -> None:
    figure = figures.pressure_figure(traced())
    assert isinstance(figure, go.Figure)
    assert not isinstance(figure, go.FigureWidget)
    assert all(a < b for a, b in pairwise(figure.data[0].x))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

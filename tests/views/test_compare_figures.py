"""Figures of comparisons, of what survives, and of predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from opencollab_nb import compare, figures, what_survives
from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.theme import THEMES
from tests.compare.test_survival import WINDOW
from tests.compare.test_survival import talk as facts
from tests.compare.test_table import talk

HOSTILE = "<img src=x onerror=alert(1)>\u202e"
CURVES = [
    figures.compare_pressure,
    figures.compare_tokens,
    figures.compare_prefix,
    figures.compare_cost,
    figures.compare_layers,
]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    prices = {"input": 3.0, "cached": 0.3, "output": 15.0}
    chains = {"default": "default", HOSTILE: None}
    return compare({HOSTILE: talk(), "other": talk(3)}, chains, window=[8_000, 16_000], prices=prices)


@pytest.fixture(scope="module")
def surviving() -> pd.DataFrame:
    return what_survives({HOSTILE: facts()}, {HOSTILE: "default", "summarize": "summarize"}, window=WINDOW)


def texts_of(figure: Any) -> str:
    return figure.to_json() + figure.fallback.html()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("draw", CURVES)
def test_names_are_text_in_every_figure(draw: Callable[..., Any], theme: str, frame: pd.DataFrame) -> None:
    figure = draw(frame, theme=theme)
    told = texts_of(figure)
    assert "<img" not in told.replace("\\u003cimg", "<img")
    assert "\u202e" not in told
    assert figure.layout.paper_bgcolor == THEMES[theme]["paper"]
    assert "default" in str(figure.fallback)


@pytest.mark.parametrize("draw", CURVES[:4])
def test_a_curve_for_each_chain_and_mode(draw: Callable[..., Any], frame: pd.DataFrame) -> None:
    curves = [trace for trace in draw(frame).data if trace.mode == "lines"]
    assert len({trace.name for trace in curves}) == len(curves) == 4
    assert {trace.line.dash for trace in curves} == {"solid", "dot"}
    assert all(len(trace.x) == 20 for trace in curves)


def test_pressure_has_trigger_and_window_and_the_first_request_over_it(frame: pd.DataFrame) -> None:
    figure = figures.compare_pressure(frame, window=8_000)
    assert sorted(shape.y0 for shape in figure.layout.shapes) == [5_000, 8_000]
    over = [trace for trace in figure.data if trace.mode == "markers"]
    rows = frame[(frame["window"] == 8_000) & ~frame["fits"]]
    assert {trace.x[0] for trace in over} == {rows["step"].min()}
    assert "over the window" in over[0].hovertemplate
    assert figures.compare_pressure(frame, window=16_000).layout.shapes[1].y0 == 16_000


def test_one_transcript_is_drawn_at_a_time_and_the_others_are_named(frame: pd.DataFrame) -> None:
    other = figures.compare_tokens(frame, transcript="other")
    assert all(len(trace.x) == 3 for trace in other.data)
    with pytest.raises(UsageProblem, match=r"no transcript 'nobody'; it has .*'other'"):
        figures.compare_tokens(frame, transcript="nobody")
    with pytest.raises(UsageProblem, match="no window 5; it has 8000, 16000"):
        figures.compare_tokens(frame, window=5)


def test_layers_are_marked_where_they_acted(frame: pd.DataFrame) -> None:
    figure = figures.compare_layers(frame, window=8_000)
    marks = sum(len(trace.x) for trace in figure.data)
    rows = frame[(frame["window"] == 8_000) & (frame["transcript"] == HOSTILE) & (frame["layers"] != "")]
    assert marks == sum(len(cell.split(", ")) for cell in rows["layers"])
    assert {trace.name for trace in figure.data} == {"clear"}


def test_without_prices_there_is_no_cost_to_draw() -> None:
    with pytest.raises(UsageProblem, match="no prices are known here"):
        figures.compare_cost(compare(talk(2), ["default"], window=8_000))


def test_survival_is_drawn_by_kind_and_by_age(surviving: pd.DataFrame) -> None:
    figure = figures.survival_figure(surviving, theme="dark")
    assert len(figure.data) == 2 * 2 * 4
    by_kind = [trace for trace in figure.data if "path" in trace.y]
    for column in (by_kind[:4], by_kind[4:]):
        assert [sum(shares) for shares in zip(*(t.x for t in column), strict=True)] == pytest.approx(
            [1.0] * 6
        )
    assert list(by_kind[0].y)[:2] == ["instruction", "constraint"]
    assert "<img" not in texts_of(figure).replace("\\u003cimg", "<img")
    assert "needed" in str(figure.fallback)


def test_predictions_are_drawn_as_a_distribution() -> None:
    errors = [0.01, -0.02, 0.03, -0.4]
    figure = figures.prediction_figure(pd.DataFrame({"transcript": HOSTILE, "error_ratio": errors}))
    curve = figure.data[0]
    assert list(curve.x) == [0.0, 0.01, 0.02, 0.03, 0.4]
    assert list(curve.y) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert "<img" not in texts_of(figure).replace("\\u003cimg", "<img")


@pytest.mark.parametrize("draw", [*CURVES, figures.survival_figure, figures.prediction_figure])
def test_a_frame_of_another_kind_is_named(draw: Callable[..., Any]) -> None:
    with pytest.raises(UsageProblem, match="give"):
        draw(pd.DataFrame({"a": [1]}))

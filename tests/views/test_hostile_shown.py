"""Hostile names and known keys in what Python itself shows of a run: figures, frames, reprs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from opencollab_nb import Session, figures, keep_secret
from opencollab_nb.budget import ContextBudget
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.routed import RoutedModel
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.shaping import ShaperPipeline
from tests.build import call

EVIL = "<img src=x onerror=alert(1)>\x1b[31m\u202e\x00\u2028evil"
KEY = "sk-live-shown-4f9a81c2"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def says(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    return {"content": EVIL * 20, "tool_calls": [call(EVIL, {"x": EVIL * 200}, f"c{number}")]}


def drops_the_oldest(messages: Any, pressure: Any) -> Any:
    return messages[:1] + messages[3:] if len(messages) > 9 else messages


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    keep_secret("SHOWN", KEY)
    model = ScriptedModel(says, usage="count", name=f"{EVIL} {KEY}")
    made = Session(EVIL, model=model, window=8_000, name=f"{EVIL} {KEY}", budget=ContextBudget())
    made.run(12)
    drops_the_oldest.__name__ = f"{EVIL} {KEY}"
    made.use(drops_the_oldest)
    made.run(4)
    yield made
    made.close()


def texts_of(figure: Any) -> list[str]:
    """All texts that plotly draws."""
    layout = figure.layout
    names = [trace.name or "" for trace in figure.data]
    hovers = [text for trace in figure.data if trace.customdata is not None for text in trace.customdata]
    return [layout.title.text, *(note.text for note in layout.annotations), *names, *hovers]


@pytest.mark.parametrize("make", [figures.pressure_figure, figures.layers_figure, figures.branches_figure])
def test_names_are_inert_in_titles_legends_marks_and_hover_texts(session: Session, make: Any) -> None:
    texts = texts_of(make(session))
    assert any("&lt;img src=x" in text for text in texts)
    for text in texts:
        assert "<" not in text.replace("<br>", "")
        assert not ACTING.search(text)
        assert KEY not in text


def test_a_layer_that_acted_is_named_in_both_figures(session: Session) -> None:
    for make in (figures.pressure_figure, figures.layers_figure):
        assert any(r"evil [secret SHOWN]" in text or "onerror" in text for text in texts_of(make(session)))


def test_what_python_writes_of_a_run_acts_on_no_terminal_and_holds_no_key(session: Session) -> None:
    shown = [session, session.model, session.chain, session.trace, session.transcript, session.bill()]
    shown += [session.checklist(), session.request(), session.at(3), session.anchors, session.todos]
    shown += [session.audit().verify(), session.handoff_now(), session.step()]
    for one in shown:
        for text in (repr(one), str(one)):
            assert not ACTING.search(text), type(one)
            assert KEY not in text, type(one)


def test_frames_are_tables_of_text(session: Session) -> None:
    bill = session.bill()
    frames = [session.trace.to_frame(), session.audit(), bill.to_frame(), bill.moves()]
    for frame in [*frames, session.checklist().to_frame()]:
        assert "<img" not in frame._repr_html_()
        assert not ACTING.search(repr(frame))
        assert KEY not in frame.to_csv() + frame._repr_html_()


@dataclass(frozen=True)
class Mine:
    header: str = f"Bearer {KEY}"
    stub: str = EVIL

    def shape(self, messages: Any, pressure: Any) -> Any:
        return messages


def test_names_and_arguments_that_are_keys_stand_in_no_repr(session: Session) -> None:
    here = "http://127.0.0.1:1/v1"
    scripted, asked = ScriptedModel(["x"], name=KEY), OpenAIModel(KEY, base_url=here)
    routed = RoutedModel(lambda _request: scripted, models={KEY: scripted})
    for one in (scripted, asked, routed, ShaperPipeline(Mine())):
        assert KEY not in repr(one), type(one)
        assert "[secret SHOWN]" in repr(one)
    assert KEY not in asked.label
    assert not ACTING.search(repr(ShaperPipeline(Mine())))

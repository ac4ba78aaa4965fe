"""A model at one temperature: the request has it, all else is the model's own."""

from __future__ import annotations

import copy
import pickle

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.models.tempered import TemperedModel, tempered
from opencollab_nb.request import Request
from opencollab_nb.session.opening import label_of

ASKED = Request(({"role": "user", "content": "hi"},))


def test_a_request_gets_the_temperature_unless_it_has_one() -> None:
    model = ScriptedModel(["one", "two"])
    asked = TemperedModel(model, 0.5)
    asked.reply(ASKED)
    asked.reply(Request(ASKED.view, temperature=0.0))
    assert [request.temperature for request in model.requests] == [0.5, 0.0]
    assert ASKED.temperature is None


def test_it_shows_itself_as_the_model() -> None:
    model = ScriptedModel([], name="small", window=8_000)
    asked = tempered(model, 0.0)
    assert (asked.name, asked.window, asked.simulated, label_of(asked)) == ("small", 8_000, False, "small")
    with pytest.raises(AttributeError):
        asked.nothing_of_the_kind  # noqa: B018 - the asking is the test


def test_without_a_temperature_it_is_the_very_same_model() -> None:
    model = ScriptedModel([])
    assert tempered(model, None) is model


class Plain:
    name = "plain"


def test_it_can_be_copied_and_kept() -> None:
    asked = tempered(Plain(), 0.3)
    assert copy.copy(asked).temperature == pickle.loads(pickle.dumps(asked)).temperature == 0.3
    assert copy.deepcopy(asked).name == "plain"

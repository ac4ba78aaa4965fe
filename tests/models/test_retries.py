import time
from email.utils import formatdate

import pytest

from opencollab_nb.models.retries import Retries, asked_seconds


def test_pauses_double_up_to_the_ceiling_and_end():
    calm = Retries(at_most=5, first_seconds=1, ceiling_seconds=3, jitter=0)
    assert [calm.pause(n, None) for n in range(6)] == [1, 2, 3, 3, 3, None]


def test_chance_only_shortens_a_pause():
    pauses = [Retries(first_seconds=8, jitter=0.25).pause(0, None) for _ in range(200)]
    assert min(pauses) >= 6
    assert max(pauses) <= 8


def test_what_the_provider_asks_for_is_obeyed_or_ends_it():
    assert Retries().pause(0, 59.0) == 59.0
    assert Retries().pause(0, 61.0) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "20", "retry-after": "9"}, 0.02),
    ],
)
def test_headers_ask_in_seconds_or_milliseconds(headers, seconds):
    assert asked_seconds(headers) == seconds


def test_a_date_asks_for_the_time_until_then():
    asked = asked_seconds({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert 80 < asked <= 100

"""Results hold no clocks and no paths of this machine."""

from __future__ import annotations

import pytest

from opencollab_nb.messages import encodable
from opencollab_nb.workspace.texts import without_paths, without_timings


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("1 passed in 0.01s", "1 passed"),
        ("2 failed, 3 passed, 1 warning in 12.30s", "2 failed, 3 passed, 1 warning"),
        ("1 passed in 75.00s (0:01:15)", "1 passed"),
        ("=== 1 failed in 0.10s ===", "=== 1 failed ==="),
        ("no tests ran in 0.00s", "no tests ran"),
    ],
)
def test_the_seconds_of_pytest_go(line, left):
    assert without_timings(f"before\n{line}\nafter") == f"before\n{left}\nafter"


@pytest.mark.parametrize(
    "line", ["accepted after 0.5s", "request served in 0.25s", "took 3 passes in 1s flat"]
)
def test_other_seconds_stay(line):
    assert without_timings(line) == line


def test_a_path_is_replaced_as_a_whole_name_only():
    names = {"/t/w": ".", "/t/w/home": "~"}
    assert without_paths("/t/w/a /t/w/home/b /t/w2 /t/w-x /t/w.", names) == "./a ~/b /t/w2 /t/w-x .."


def test_scrubbed_text_can_be_sent():
    for text in ("a", "\ud800", "\ud83d\ude00", "é\udcff"):
        encodable(text).encode()
    assert encodable("\ud83d\ude00") == "\U0001f600"

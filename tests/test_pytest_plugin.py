"""Under pytest, `assert check_shaper(shaper)` shows which laws are broken, and on what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = """
from opencollab_nb import check_shaper

def last(messages, pressure):
    return messages[-3:]

def test_as_it_is():
    assert check_shaper(last)

def test_with_a_name():
    report = check_shaper(last)
    assert report

def test_sound():
    assert check_shaper(lambda messages, pressure: messages)

def test_of_something_else():
    assert 1 == 2
"""


def test_the_whole_report_stands_under_the_failing_test(tmp_path: Path) -> None:
    (tmp_path / "test_shaper.py").write_text(TESTS)
    argv = ["-m", "pytest", "-q", "-p", "opencollab_nb.pytest_plugin", "-p", "no:cacheprovider"]
    ran = subprocess.run([sys.executable, *argv], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.count("- laws of shaping -") == 2
    assert ran.stdout.count("  pinned: Pinned messages come out word for word and in place") == 2
    assert "came out" not in ran.stdout
    assert "gone" in ran.stdout

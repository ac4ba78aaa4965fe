"""Every row of the list of known faults has a test with its number in the name."""

from __future__ import annotations

import re
from pathlib import Path

ROOMS_OF_THE_NOTEBOOK = ("views", "browser")
"""Their tests are numbered by another list."""


def numbers_in(name: str) -> set[int]:
    """The numbers after `test_fault_` or `test_faults_`.

    >>> sorted(numbers_in("test_faults_68_69_a_report"))
    [68, 69]
    """
    found = re.match(r"test_faults?((?:_\d+)+)_", name)
    return set(map(int, re.findall(r"\d+", found[1]))) if found else set()


def test_every_row_has_a_test_with_its_number(shared: Path) -> None:
    rows = {
        int(n) for n in re.findall(r"^\| (\d+) \|", (shared / "faults/shaping.md").read_text(), re.MULTILINE)
    }
    here = Path(__file__).parent
    files = [p for p in here.rglob("test_*.py") if p.relative_to(here).parts[0] not in ROOMS_OF_THE_NOTEBOOK]
    names = {n for p in files for n in re.findall(r"^def (test_\w+)", p.read_text(), re.MULTILINE)}
    assert rows
    assert sorted(rows - {number for name in names for number in numbers_in(name)}) == []

"""Documents name tests; those names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


@pytest.mark.parametrize("document", ["runtime-design.md", "reliability.md", "teams.md"])
def test_every_test_named_in_a_document_exists(document: str) -> None:
    named = TEST_NAME.findall((ROOT / "docs" / document).read_text())
    assert len(named) >= 20
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE), f"{file}::{name}"


def test_every_invariant_has_a_test() -> None:
    rows = [
        r
        for r in (ROOT / "docs" / "runtime-design.md").read_text().splitlines()
        if re.match(r"\| [A-Z]\d+ ", r)
    ]
    assert rows
    for row in rows:
        assert TEST_NAME.search(row), row


def test_the_readme_has_its_two_commands_and_the_headless_form() -> None:
    text = (ROOT / "README.md").read_text()
    assert "pip install -e . && jupyter lab notebooks/01_quickstart.ipynb" in text
    assert 'pip install -e ".[test]" && pytest' in text
    assert "jupyter execute notebooks/01_quickstart.ipynb" in text


def test_pictures_in_the_readme_exist() -> None:
    for target in re.findall(r"(?:src=\"|srcset=\"|\]\()([\w/.-]+\.png)", (ROOT / "README.md").read_text()):
        assert (ROOT / target).is_file(), target

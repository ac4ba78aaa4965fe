"""Documents name tests; those names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opencollab_nb.compare import CELL_COLUMNS
from opencollab_nb.importers.formats import FORMATS

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


def test_the_formats_are_those_that_the_documents_name() -> None:
    known = [known.NAME for known in FORMATS]
    page = (ROOT / "docs" / "transcripts.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == known
    section = (
        (ROOT / "README.md").read_text().partition("## Bring your own transcript")[2].partition("\n## ")[0]
    )
    table = "".join(line for line in section.splitlines() if line.startswith("|"))
    assert sorted(re.findall(r"`([\w-]+)`", table)) == sorted(known)
    assert 'pip install -e ".[sweep]"' in section


def test_every_column_of_a_sweep_is_one_that_it_has() -> None:
    page = (ROOT / "docs" / "comparing.md").read_text()
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert len(named) >= 5
    assert set(named) <= set(CELL_COLUMNS)

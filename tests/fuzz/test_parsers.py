"""A small part of `python -m tests.fuzz.parsers --minutes 10`, and what it has found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.parsers import CORPUS, PARSERS, mutated, seeds, tried, tried_folder


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_a_sound_file_is_read_and_an_odd_one_read_or_refused(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    for data in seeds(name):
        assert tried(name, data, tmp_path) is None
        for _ in range(150):
            odd = mutated(data, chance)
            problem = tried(name, odd, tmp_path)
            assert problem is None, (problem, odd[-2_000:])


def test_a_run_folder_with_an_odd_file_is_resumed_or_refused(tmp_path: Path) -> None:
    chance = random.Random(1)
    for number in range(80):
        problem, data = tried_folder(number, chance, tmp_path)
        assert problem is None, (problem, data[-2_000:])


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in CORPUS.iterdir()) < 100_000

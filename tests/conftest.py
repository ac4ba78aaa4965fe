"""What all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from opencollab_nb.errors import UsageProblem


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded transcripts and fault lists beside the checkout, where there is one."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"no recorded transcripts: {folder} is missing")
    return folder


LOCAL_REQUIRED = os.environ.get("OPENCOLLAB_REQUIRE_LOCAL") == "1"


@pytest.fixture(scope="session")
def local_weights() -> Path:
    """The weights of the local model; without them, or the library, a skip, and a failure where required."""
    from opencollab_nb.models.local import server, weights

    try:
        server.check_installed()
        return weights.found()
    except UsageProblem as problem:
        if LOCAL_REQUIRED:
            pytest.fail(str(problem))
        pytest.skip(str(problem))


@pytest.fixture(scope="session", autouse=True)
def interrupts_arrive() -> Iterator[None]:
    """A shell starts what it puts into the background with interrupts ignored, its children too."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def runs_stay_in_the_test(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run folders of sessions without a path go to a temporary folder, not to the user's data."""
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path_factory.getbasetemp() / "home"))

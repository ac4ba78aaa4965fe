from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.session import Session
from opencollab_nb.session.folder import FolderLock, new_run_folder
from tests.session.build import a_session

ROOT = Path(__file__).parents[2]


def test_a_run_folder_is_named_by_time_and_session_and_made_only_by_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path / "home"))
    folder = new_run_folder("fix / the bug")
    assert folder.parent == tmp_path / "home" / "runs"
    assert re.fullmatch(r"\d{8}T\d{6}Z-fix-the-bug-[0-9a-f]{4}", folder.name)
    assert not (tmp_path / "home").exists()
    session = a_session(name="fix / the bug")
    assert session.path.parent == tmp_path / "home" / "runs"
    assert (session.path / "transcript.jsonl").is_file()


def test_without_a_home_the_users_data_folder_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCOLLAB_NB_HOME")
    assert new_run_folder("x").parts[-3:-1] == ("opencollab_nb", "runs")


def test_two_processes_cannot_write_to_one_folder(tmp_path: Path) -> None:
    script = (
        "import sys; from opencollab_nb.session.folder import FolderLock; from pathlib import Path\n"
        "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    a_session(tmp_path / "run").close()
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "run")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(TranscriptError, match=f"by process {holder.pid} on .+ since 20"):
        Session.resume(tmp_path / "run")
    holder.kill()
    holder.communicate()
    Session.resume(tmp_path / "run").close()


def test_a_lock_is_let_go_by_release_and_with_its_last_reference(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with pytest.raises(TranscriptError, match="in this process"):
        FolderLock(tmp_path)
    lock.release()
    again = FolderLock(tmp_path)
    del again
    FolderLock(tmp_path).release()

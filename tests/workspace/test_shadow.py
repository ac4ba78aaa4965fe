"""The workspace after each step, byte for byte, whatever is in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

from opencollab_nb.errors import StepCancelled
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.scan import Limits, scanned
from opencollab_nb.workspace.shadow import FRESH_SECONDS, Shadow, SnapshotProblem, copied


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=me", "-c", "user.email=me@localhost"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def shadow(tmp_path: Path, root: Path) -> Shadow:
    return Shadow(tmp_path / "run" / "shadow.git", root)


def held(folder: Path) -> dict[str, object]:
    """Everything in a folder: bytes, links, whether a file can be run, empty folders."""
    out: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
        if path.is_symlink():
            out[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            out[name] = "folder"
        else:
            out[name] = (path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR))
    return out


def test_every_snapshot_comes_back_byte_for_byte(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    states = []
    (root / "a.py").write_text("x = 1\n")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "b.bin").write_bytes(bytes(range(256)))
    states.append((shadow.snapshot("step 0").commit, held(root)))
    (root / "a.py").write_text("x = 2\r\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "there").symlink_to("deep/er")
    (root / "out").symlink_to("/etc/passwd")
    states.append((shadow.snapshot("step 1").commit, held(root)))
    shutil.rmtree(root / "deep")
    (root / "empty" / "folder").mkdir(parents=True)
    (root / "run.sh").chmod(0o644)
    (root / "there").unlink()
    (root / "there").write_text("a file now")
    states.append((shadow.snapshot("step 2").commit, held(root)))
    for number, (commit, state) in enumerate(states):
        again = tmp_path / f"again{number}"
        shadow.restore(commit, again)
        assert held(again) == state
    assert len({commit for commit, _ in states}) == 3


def test_names_of_every_kind_come_back(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    names = [
        b".gitattributes",
        b".gitignore",
        b"_.gitignore",
        b"__.git",
        b".GIT",
        b"git~1",
        b'say "hi"\\there',
        b"new\nline",
        b"tab\there",
        b"\xff\xfe not utf-8",
        "日本語 🙂".encode(),
        b"-rf",
        b"x" * 200,
        b" blank ",
        b".github/workflows/ci.yml",
        b"a/.git/b",
    ]
    for name in names:
        path = root / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name)
    kept = shadow.snapshot("step 0")
    assert kept.changed == len(names)
    shadow.restore(kept.commit, tmp_path / "again")
    assert held(tmp_path / "again") == held(root)


def test_git_log_and_status_of_the_workspace_are_those_of_the_step(
    tmp_path: Path, root: Path, shadow: Shadow
) -> None:
    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    (root / "a.py").write_text("x = 2\n")
    one = shadow.snapshot("step 1").commit
    logged, status = git(root, "log", "--oneline"), git(root, "status", "--short")
    git(root, "commit", "-q", "-a", "-m", "second")
    git(root, "checkout", "-q", "-b", "other")
    two = shadow.snapshot("step 2").commit
    for commit, log, changed, branch in (
        (one, logged, status, "main"),
        (two, git(root, "log", "--oneline"), "", "other"),
    ):
        again = tmp_path / commit
        shadow.restore(commit, again)
        assert git(again, "log", "--oneline") == log
        assert git(again, "status", "--short") == changed
        assert git(again, "branch", "--show-current").strip() == branch
        assert git(again, "fsck", "--strict") == ""


def test_the_workspace_is_only_read(root: Path, shadow: Shadow) -> None:
    git(root, "init", "-q")
    (root / "a.py").write_text("x = 1\n")
    before = held(root)
    times = {p: p.stat().st_mtime_ns for p in root.rglob("*")}
    shadow.snapshot("step 0")
    assert held(root) == before
    assert {p: p.stat().st_mtime_ns for p in root.rglob("*")} == times


def test_no_filter_attribute_hook_or_ignore_rule_has_a_say(
    tmp_path: Path, root: Path, shadow: Shadow
) -> None:
    git(root, "init", "-q")
    mark = tmp_path / "was run"
    (root / ".gitattributes").write_text(
        "* text=auto eol=crlf ident filter=bad\nsecret export-ignore\n*.v export-subst\n"
    )
    (root / ".gitignore").write_text("*\n")
    for key in ("filter.bad.clean", "filter.bad.smudge", "core.fsmonitor", "core.sshCommand"):
        git(root, "config", key, f"touch '{mark}'; cat")
    hook = root / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    hook.chmod(0o755)
    (root / "secret").write_bytes(b"$Id$\r\nmixed\n")
    (root / "a.v").write_text("$Format:%H$\n")
    kept = shadow.snapshot("step 0")
    for name in ("reference-transaction", "post-update"):
        planted = shadow.folder / "hooks" / name
        planted.parent.mkdir(exist_ok=True)
        planted.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        planted.chmod(0o755)
    (root / "b").write_text("more")
    kept = shadow.snapshot("step 1")
    shadow.restore(kept.commit, tmp_path / "again")
    assert held(tmp_path / "again") == held(root)
    assert not mark.exists()


def test_a_step_that_changed_nothing_makes_no_commit_and_starts_no_program(
    root: Path, shadow: Shadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        (root / f"{number}.py").write_text("x" * number)
    first = shadow.snapshot("step 0")
    time.sleep(2 * FRESH_SECONDS)
    monkeypatch.setenv("PATH", "/nowhere")
    again = shadow.snapshot("step 1")
    assert again == (first.commit, 0, ())
    begun = time.perf_counter()
    shadow.snapshot("step 2")
    assert time.perf_counter() - begun < 0.5


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    file = root / "a.py"
    file.write_text("x = 1")
    when = file.stat()
    shadow.snapshot("step 0")
    file.write_text("x = 2")
    os.utime(file, ns=(when.st_atime_ns, when.st_mtime_ns))
    kept = shadow.snapshot("step 1")
    shadow.restore(kept.commit, tmp_path / "again")
    assert (tmp_path / "again" / "a.py").read_text() == "x = 2"


def test_what_is_installed_again_or_too_long_is_left_out_and_told(tmp_path: Path, root: Path) -> None:
    shadow = Shadow(tmp_path / "s.git", root, Limits(file_bytes=100))
    for name in ("node_modules/x/index.js", "__pycache__/a.pyc", "src/a.py", "data.bin"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x" * (101 if name == "data.bin" else 9))
    kept = shadow.snapshot("step 0")
    assert set(kept.left_out) == {"node_modules", "data.bin"}
    shadow.restore(kept.commit, tmp_path / "again")
    assert [n for n, what in held(tmp_path / "again").items() if what != "folder"] == ["src/a.py"]


@pytest.mark.parametrize("limits", [Limits(files=3), Limits(total_bytes=30)])
def test_a_workspace_that_is_too_large_is_refused_for_good(
    tmp_path: Path, root: Path, limits: Limits
) -> None:
    for number in range(5):
        (root / f"{number}").write_text("x" * 9)
    with pytest.raises(SnapshotProblem, match="more than") as refused:
        Shadow(tmp_path / "s.git", root, limits).snapshot("step 0")
    assert refused.value.lasting


def test_a_run_folder_inside_the_workspace_is_none_of_its_files(root: Path) -> None:
    shadow = Shadow(root / "runs" / "one" / "shadow.git", root)
    (root / "a.py").write_text("x")
    assert shadow.snapshot("step 0").changed == 1
    time.sleep(2 * FRESH_SECONDS)
    assert shadow.snapshot("step 1").changed == 0


def test_pipes_and_sockets_and_things_that_vanish_are_passed_over(root: Path, shadow: Shadow) -> None:
    os.mkfifo(root / "pipe")
    (root / "a").write_text("x")
    seen = scanned(root).entries
    assert set(seen) == {b"a"}
    (root / "a").unlink()
    assert seen[b"a"].content(root) is None
    os.mkfifo(root / "a")
    assert seen[b"a"].content(root) is None
    shadow.snapshot("step 0")


def test_without_git_it_says_so(root: Path, shadow: Shadow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SnapshotProblem, match="git is not installed") as refused:
        shadow.snapshot("step 0")
    assert refused.value.lasting


def test_a_cancelled_ticket_ends_it_and_the_next_snapshot_is_whole(
    tmp_path: Path, root: Path, shadow: Shadow
) -> None:
    (root / "a").write_text("x")
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(StepCancelled):
        shadow.snapshot("step 0", ticket=ticket)
    kept = shadow.snapshot("step 0")
    shadow.restore(kept.commit, tmp_path / "again")
    assert held(tmp_path / "again") == held(root)


def test_another_process_goes_on_from_the_last_commit(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    (root / "a").write_text("x")
    (root / "b").write_text("x")
    first = shadow.snapshot("step 0").commit
    (root / "b").unlink()
    (root / "c").write_text("x")
    later = Shadow(shadow.folder, root, commit=first)
    second = later.snapshot("step 1").commit
    later.restore(second, tmp_path / "again")
    assert held(tmp_path / "again") == held(root)
    assert git(shadow.folder, "rev-parse", f"{second}^").strip() == first


def test_a_copy_shares_the_objects_and_goes_its_own_way(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    (root / "a").write_text("x")
    first = shadow.snapshot("step 0").commit
    copied(shadow.folder, tmp_path / "copy.git")
    one = next(p for p in shadow.folder.rglob("objects/??/*") if p.is_file())
    assert (tmp_path / "copy.git" / one.relative_to(shadow.folder)).stat().st_ino == one.stat().st_ino
    other = Shadow(tmp_path / "copy.git", root, commit=first)
    (root / "a").write_text("y")
    other.snapshot("step 1")
    assert git(shadow.folder, "rev-parse", "steps").strip() == first
    other.restore(first, tmp_path / "again")
    assert (tmp_path / "again" / "a").read_text() == "x"


def test_a_commit_that_is_not_there_is_named(tmp_path: Path, root: Path, shadow: Shadow) -> None:
    (root / "a").write_text("x")
    shadow.snapshot("step 0")
    with pytest.raises(SnapshotProblem, match="git failed"):
        shadow.restore("0" * 40, tmp_path / "again")

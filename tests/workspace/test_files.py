"""file_read and file_write."""

from __future__ import annotations

import os
import resource
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import StepCancelled
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.files import Page


def read(workspace: Workspace, path: str = "notes.txt", **where: int) -> str:
    return workspace.call("file_read", {"path": path, **where})


def write(workspace: Workspace, content: str, path: str = "new.txt") -> str:
    return workspace.call("file_write", {"path": path, "content": content})


def test_lines_are_numbered(workspace):
    assert read(workspace) == "    1\tfirst\n    2\tsecond\n    3\tthird"


def test_the_lines_that_remain_are_counted(workspace):
    assert read(workspace, limit=1) == "    1\tfirst\n[2 more lines; go on with offset=2]"
    assert read(workspace, offset=2, limit=1) == "    2\tsecond\n[1 more line; go on with offset=3]"
    assert read(workspace, offset=3) == "    3\tthird"


def test_past_the_end_is_an_error_that_says_where_the_end_is(workspace):
    assert read(workspace, offset=4) == "Error: offset 4 is past the end: 'notes.txt' has 3 lines."


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5), max_size=12
    ),
    st.booleans(),
    st.integers(1, 14),
    st.integers(1, 14),
)
def test_any_page_is_the_slice_of_the_lines(tmp_path_factory, lines, ends, offset, limit):
    root = tmp_path_factory.getbasetemp() / "pages"
    root.mkdir(exist_ok=True)
    text = "\n".join(lines) + "\n" * (ends and bool(lines))
    (root / "a").write_bytes(text.encode())
    true = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    answer = read(Workspace(root), "a", offset=offset, limit=limit)
    wanted = true[offset - 1 : offset - 1 + limit]
    if not true and offset == 1:
        assert answer == "(empty file)"
    elif not wanted:
        assert answer.startswith("Error: offset")
        assert f"has {len(true)} lines" in answer
    else:
        shown = [f"{n:5d}\t{line}" for n, line in enumerate(wanted, offset)]
        rest = len(true) - (offset - 1 + len(wanted))
        assert answer.split("\n")[: len(shown)] == shown
        assert (f"[{rest} more line" in answer) == bool(rest)


@pytest.mark.parametrize("chunk_bytes", [1, 3, 8, 64])
def test_pages_are_the_same_wherever_the_chunks_end(chunk_bytes):
    data = "".join(f"line {n}\n" for n in range(100)).encode() + "ünfinished".encode()

    def page(offset: int, size: int) -> str:
        taken = Page(offset, 7, 10_000)
        for start in range(0, len(data), size):
            taken.add(data[start : start + size])
        taken.end()
        return taken.text("long.txt")

    for offset in (1, 50, 94, 95, 101):
        assert page(offset, chunk_bytes) == page(offset, len(data))


def test_what_is_not_utf8_is_readable(workspace, folder):
    (folder / "latin").write_bytes(b"caf\xe9\0\r\nnext")
    assert read(workspace, "latin") == "    1\tcaf\ufffd\0\n    2\tnext"


def test_one_endless_line_is_cut_and_the_cut_is_counted(opened, folder):
    (folder / "one").write_bytes(b"x" * 5_000_000 + b"\nsecond\n")
    answer = read(opened(output_chars=1000), "one")
    assert len(answer) < 1200
    assert "[line cut: 4999000 more bytes]" in answer
    assert "[1 more line; go on with offset=2]" in answer


def test_endless_empty_lines_stay_within_the_cap(opened, folder):
    (folder / "empty").write_bytes(b"\n" * 1_000_000)
    answer = read(opened(output_chars=1000), "empty", limit=10**9)
    assert len(answer) < 1500
    assert "more lines; go on with offset=" in answer


def test_a_huge_file_is_read_in_bounded_memory(workspace, folder):
    with (folder / "huge").open("wb") as file:
        file.write(b"start\n")
        file.truncate(400 << 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "start" in read(workspace, "huge", limit=1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_reading_ends_when_the_ticket_is_cancelled(workspace):
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(StepCancelled):
        workspace.call("file_read", {"path": "notes.txt"}, ticket=ticket)


def test_a_hard_link_is_noted_and_a_write_does_not_go_through_it(workspace, folder, tmp_path):
    (tmp_path / "outside.txt").write_text("old")
    os.link(tmp_path / "outside.txt", folder / "inside.txt")
    assert "2 hard links" in read(workspace, "inside.txt")
    assert "other hard links keep the old text" in write(workspace, "new", "inside.txt")
    assert (tmp_path / "outside.txt").read_text() == "old"


def test_writing_makes_the_folders_on_the_way(workspace, folder):
    assert write(workspace, "hello", "a/b/c.txt") == "wrote 5 characters to a/b/c.txt (new file)"
    assert (folder / "a/b/c.txt").read_text() == "hello"


def test_writing_the_same_is_said(workspace, folder):
    before = (folder / "notes.txt").stat().st_mtime_ns
    assert write(workspace, "first\nsecond\nthird\n", "notes.txt").endswith("(unchanged)")
    assert (folder / "notes.txt").stat().st_mtime_ns == before


@pytest.mark.parametrize("content", ["", "a\r\nb", "\0", "é漢🙂", "no end"])
def test_what_is_written_stands_in_the_file(workspace, folder, content):
    write(workspace, content)
    assert (folder / "new.txt").read_bytes() == content.encode()


def test_lone_surrogates_are_written_as_replacement(workspace, folder):
    write(workspace, "a\ud83eb")
    assert (folder / "new.txt").read_text() == "a\ufffdb"


def test_the_mode_of_a_file_is_kept(workspace, folder):
    (folder / "run.sh").write_text("old")
    (folder / "run.sh").chmod(0o754)
    write(workspace, "new", "run.sh")
    assert stat.S_IMODE((folder / "run.sh").stat().st_mode) == 0o754


def test_a_read_only_file_stays(workspace, folder):
    (folder / "notes.txt").chmod(0o444)
    assert write(workspace, "x", "notes.txt") == (
        "Error: 'notes.txt' is read-only; leave it as it is, or write another file."
    )


@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/pre-commit", ".GIT/config", "shop/.git/config", "g/config"]
)
def test_no_tool_writes_into_git(workspace, repository, path):
    (repository / "g").symlink_to(".git")
    before = (repository / ".git/config").read_text()
    assert write(workspace, "[core]", path).startswith("Error: ")
    assert workspace.call("apply_patch", {"path": path, "search": "core", "replace": "c"}).startswith(
        "Error: "
    )
    assert (repository / ".git/config").read_text() == before
    assert not (repository / "shop/.git").exists()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(workspace, folder):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        answer = write(workspace, "x" * 5000, "notes.txt")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert answer.startswith("Error: file_write failed: File too large")
    assert (folder / "notes.txt").read_text() == "first\nsecond\nthird\n"
    assert sorted(p.name for p in folder.iterdir()) == ["notes.txt", "shop", "tests"]
